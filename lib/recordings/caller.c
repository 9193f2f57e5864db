// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recordings/caller.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/str.h"

/* The groups of root, while the process has those of the caller. */
static struct {
	bool begun;
	gid_t gid, *groups;
	int n;
} root;

/* The entry of the user who called sudo; NULL: nobody did. */
static const struct passwd *find_caller(void)
{
	const char *text = getenv("SUDO_UID");
	const struct passwd *pw;
	uint64_t uid;

	if (getuid() != 0 || !text)
		return NULL;
	if (mp_num_range(text, 0, UINT32_MAX - 1, &uid) < 0)
		mp_die("'%s' in SUDO_UID is not a number of a user", text);
	pw = getpwuid(uid);
	if (!pw)
		mp_die("no user has the number %s of SUDO_UID", text);
	return uid == 0 ? NULL : pw;
}

void mp_caller_begin(void)
{
	const struct passwd *pw = find_caller();

	if (!pw)
		return;
	root.begun = true;
	root.gid = getegid();
	root.n = getgroups(0, NULL);
	root.groups = mp_alloc(MP_MAX(root.n, 1) * sizeof(*root.groups));
	root.n = getgroups(root.n, root.groups);
	if (root.n < 0 || initgroups(pw->pw_name, pw->pw_gid) < 0 || setegid(pw->pw_gid) < 0 ||
	    seteuid(pw->pw_uid) < 0)
		mp_die("cannot take the privileges of user %s: %m", pw->pw_name);
}

void mp_caller_end(void)
{
	if (!root.begun)
		return;
	if (seteuid(0) < 0 || setegid(root.gid) < 0 || setgroups(root.n, root.groups) < 0)
		mp_die("cannot take back the privileges of root: %m");
	free(root.groups);
	root.begun = false;
}

void mp_caller_become(void)
{
	const struct passwd *pw = find_caller();

	if (!pw)
		return;
	if (initgroups(pw->pw_name, pw->pw_gid) < 0 ||
	    setresgid(pw->pw_gid, pw->pw_gid, pw->pw_gid) < 0 ||
	    setresuid(pw->pw_uid, pw->pw_uid, pw->pw_uid) < 0)
		mp_die("cannot take the privileges of user %s: %m", pw->pw_name);
	setenv("HOME", pw->pw_dir, 1);
}

char *mp_caller_home(void)
{
	const struct passwd *pw = find_caller();
	const char *home = pw ? pw->pw_dir : getenv("HOME");

	return home && *home ? mp_strdup(home) : NULL;
}
