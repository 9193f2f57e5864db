// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/work.h"

#include <string.h>

#include "tests/unit/tap.h"

static const struct mp_open_mapping mapping = { .major = 8, .minor = 1, .inode = 42 };
static const struct mp_open_mapping other = { .major = 8, .minor = 2, .inode = 42 };

static struct mp_budget_who who(uid_t uid, pid_t pid, const char *file)
{
	return (struct mp_budget_who){ uid, pid, MP_STR("name"), file };
}

/* What is found is the innermost step that has not ended. */
static void test_steps(void)
{
	struct mp_work_step now[MP_WORK_LEVELS] = { { .busy = 0 } }, found;
	struct mp_work w = { .now = now };
	const struct mp_budget_who process = who(1000, 7, NULL), file = who(1001, 8, "/x");

	ok(!mp_work_found(now, &found), "nothing is found before a step");
	mp_work_begin(&w, MP_WORK_PROCESS, &process, NULL);
	ok(mp_work_found(now, &found) && found.uid == 1000 && found.pid == 7 && !found.inode &&
		   strcmp(found.comm, "name") == 0 && !found.file[0],
	   "a process");
	mp_work_begin(&w, MP_WORK_FILE, &file, &mapping);
	ok(mp_work_found(now, &found) && found.uid == 1001 && found.major == 8 &&
		   found.minor == 1 && found.inode == 42 && strcmp(found.file, "/x") == 0,
	   "a file that is read for it");
	mp_work_end(&w, MP_WORK_FILE);
	ok(mp_work_found(now, &found) && found.pid == 7, "the process again");
	mp_work_end(&w, MP_WORK_PROCESS);
	ok(!mp_work_found(now, &found), "nothing after both have ended");
	mp_work_begin(NULL, MP_WORK_FILE, &file, &mapping);
	mp_work_end(NULL, MP_WORK_FILE);
	ok(!mp_work_avoids_file(NULL, &mapping) && !mp_work_avoids_process(NULL, 7) &&
		   !mp_work_avoids_user(NULL, 1000),
	   "nobody needs to publish");
}

static void test_texts(void)
{
	struct mp_work_step now[MP_WORK_LEVELS], found;
	struct mp_work w = { .now = now };
	char path[1000];
	struct mp_budget_who file, nameless = { 0, 1, { NULL, 0 }, NULL };

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	file = who(0, 1, path);
	memset(now, 0xff, sizeof(now));
	ok(mp_work_found(now, &found) && memchr(found.file, '\0', sizeof(found.file)) &&
		   memchr(found.comm, '\0', sizeof(found.comm)),
	   "forged texts end");
	mp_work_begin(&w, MP_WORK_FILE, &file, &mapping);
	ok(mp_work_found(now, &found) && strlen(found.file) == sizeof(found.file) - 1,
	   "a long path is cut");
	mp_work_begin(&w, MP_WORK_FILE, &nameless, &mapping);
	ok(mp_work_found(now, &found) && !found.comm[0], "a task may have no name");
}

static void test_avoided(void)
{
	const struct mp_work_step avoided[] = {
		{ .uid = 1000, .pid = 7, .major = 8, .minor = 1, .inode = 42 },
		{ .uid = 1000, .pid = 9 },
		{ .uid = 1000, .pid = 10 },
		{ .uid = 0, .pid = 1 },
		{ .uid = 0, .pid = 1 },
		{ .uid = 0, .pid = 1 },
	};
	struct mp_work w = { .avoided = avoided, .n_avoided = 2 };

	ok(mp_work_avoids_file(&w, &mapping) && !mp_work_avoids_file(&w, &other),
	   "a file is avoided by its device and inode");
	ok(mp_work_avoids_process(&w, 9) && !mp_work_avoids_process(&w, 7),
	   "and a process, but not the one that has mapped the file");
	ok(!mp_work_avoids_user(&w, 1000), "after two deaths a user's other files are read");
	w.n_avoided = MP_ARRAY_SIZE(avoided);
	ok(mp_work_avoids_user(&w, 1000) && !mp_work_avoids_user(&w, 1001),
	   "after three they are not");
	ok(!mp_work_avoids_user(&w, 0), "root's always are");
}

static void test_unknown(void)
{
	const struct mp_work_step avoided[] = {
		MP_WORK_UNKNOWN, MP_WORK_UNKNOWN, { .uid = MP_BUDGET_UNKNOWN }, MP_WORK_UNKNOWN
	};
	struct mp_work w = { .avoided = avoided, .n_avoided = 3 };

	ok(!mp_work_avoids_all(NULL) && !mp_work_avoids_all(&w),
	   "after two deaths at unknown steps, and one of an unknown user, files are read");
	w.n_avoided++;
	ok(mp_work_avoids_all(&w) && mp_work_avoids_file(&w, &mapping) &&
		   mp_work_avoids_user(&w, 0) && mp_work_avoids_user(&w, 1000),
	   "after three, no files and names are, not even those of root");
	ok(!mp_work_avoids_process(&w, 7), "but mappings of processes");
}

int main(void)
{
	mp_init("unit-work");
	test_steps();
	test_texts();
	test_avoided();
	test_unknown();
	return tap_done();
}
