// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/capture/host/proc.h"
#include "lib/core/clock.h"

char *mp_output_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mp_strdup(".");
	return mp_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/*
 * Whether other users can change the folder of a file: then a link there may be theirs, and lead to
 * any file that we can write.
 */
static bool is_shared(const char *path)
{
	char *folder = mp_output_folder(path);
	struct stat st;
	bool shared = stat(folder, &st) == 0 && (st.st_mode & (S_IWGRP | S_IWOTH) ||
						 (st.st_uid != 0 && st.st_uid != geteuid()));

	free(folder);
	return shared;
}

void mp_output_open(struct mp_out *out, const char *path)
{
	int fd = STDOUT_FILENO;

	if (path && strcmp(path, "-") != 0) {
		fd = open(path,
			  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
				  (is_shared(path) ? O_NOFOLLOW : 0),
			  0666);
		if (fd < 0 && errno == ELOOP)
			mp_die("cannot open '%s': it is a link in a folder that other users can "
			       "change",
			       path);
		if (fd < 0)
			mp_die("cannot open '%s': %m", path);
	} else {
		path = "stdout";
	}
	mp_out_init(out, fd, path);
	out->soft = true;
}

bool mp_output_takes_stdout(const struct mp_out *out)
{
	struct stat ours, theirs;

	return fstat(out->fd, &ours) == 0 && fstat(STDOUT_FILENO, &theirs) == 0 &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino &&
	       !S_ISCHR(ours.st_mode);
}

void mp_output_check(const struct mp_out *out)
{
	if (out->error)
		mp_out_fail(out);
}

json_t *mp_output_names(char **names)
{
	json_t *array = json_array();

	for (; *names; names++)
		json_array_append_new(array, mp_ctl_string(mp_str(*names)));
	return array;
}

json_t *mp_output_header(char **argv, size_t n_cpus, uint64_t clock_ns, uint64_t real_ns)
{
	struct utsname u;
	json_t *header;
	char boot[64];

	header = mp_ctl_header(MP_EVENT, "mp-record", "monotonic", clock_ns, real_ns);
	if (mp_proc_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)))
		json_object_set_new(header, "boot", json_string(boot));
	if (uname(&u) == 0) {
		json_object_set_new(header, "host", mp_ctl_string(mp_str(u.nodename)));
		json_object_set_new(header, "kernel", mp_ctl_string(mp_str(u.release)));
		json_object_set_new(header, "machine", mp_ctl_string(mp_str(u.machine)));
	}
	json_object_set_new(header, "cpus", json_integer((json_int_t)n_cpus));
	json_object_set_new(header, "command", mp_output_names(argv));
	return header;
}
