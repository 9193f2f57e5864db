// SPDX-License-Identifier: GPL-2.0-only
#include "lib/show/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/map.h"
#include "lib/core/str.h"
#include "lib/import/guess.h"
#include "lib/recordings/children.h"
#include "lib/stream/input.h"

static char stdin_name[] = "-";

static bool is_regular(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

int mp_recorded_temporary(void)
{
	const char *folder = getenv("TMPDIR");
	char *path = mp_asprintf("%s/mp-show-XXXXXX", folder && *folder ? folder : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0 || unlink(path) < 0)
		mp_die("cannot make a temporary file '%s': %m", path);
	free(path);
	return fd;
}

char *mp_recorded_pass(int fd)
{
	if (fcntl(fd, F_SETFD, 0) < 0)
		mp_die("cannot use a temporary file: %m");
	return mp_asprintf("/proc/self/fd/%d", fd);
}

char *mp_recorded_run(const struct mp_pipeline *p, int in, const char *title, enum mp_status *worst)
{
	int fd = mp_recorded_temporary();
	enum mp_status status = mp_pipeline_run(p, in, fd);

	*worst = MP_MAX(*worst, MP_MIN(status, MP_LOSSY));
	if (status != MP_FAIL)
		return mp_recorded_pass(fd);
	mp_say("no %s: the pipeline failed", title);
	close(fd);
	return NULL;
}

static void write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			mp_die("cannot write to a temporary file: %m (set TMPDIR)");
		data += n;
		len -= n;
	}
}

/* Makes a file standard input, which then begins at its start. */
static void use(int fd)
{
	if (lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0)
		mp_die("cannot use a temporary file: %m");
	close(fd);
}

/* Copies what can be read only once to a file that replaces standard input. */
static void spool(int from, const char *name)
{
	static char data[1 << 16];
	int to = mp_recorded_temporary();
	ssize_t n;

	while ((n = read(from, data, sizeof(data))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			mp_die("cannot read '%s': %m", name);
		write_all(to, data, n);
	}
	use(to);
}

/* The name of a file without its folder and without ".mp", ".mp.gz", ".mp.zst". */
static char *stem_of(const char *path)
{
	static const char *const ends[] = { ".gz", ".zst", ".mp" };
	const char *slash = strrchr(path, '/');
	struct mp_str name = mp_str(slash ? slash + 1 : path);
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(ends); i++)
		if (mp_str_ends(name, mp_str(ends[i])) && name.len > strlen(ends[i]))
			name.len -= strlen(ends[i]);
	return mp_strndup(name.p, name.len);
}

/*
 * Whether a file is a text that mp-import reads, and that the programs which draw do not: they read
 * streams and folded text.
 */
static bool is_foreign(int fd)
{
	static char head[MP_IMPORT_LOOK];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	const struct mp_import_format *format;

	if (n <= 0 || mp_input_binary_kind(head, n))
		return false;
	format = mp_import_guess(head, n, (size_t)n < sizeof(head)).format;
	return format && format != &mp_import_stream && format != &mp_import_folded;
}

/* Replaces the only file by what mp-import makes of it. */
static void import(struct mp_recorded *r)
{
	int to = mp_recorded_temporary();
	struct mp_pipeline p = { NULL, 0, 0 };

	mp_stage_add(mp_pipeline_insert(&p, 0, NULL), "mp-import");
	mp_children_guard();
	r->status = mp_pipeline_run(&p, r->fd, to);
	mp_pipeline_release(&p);
	if (r->status == MP_FAIL)
		mp_die("cannot import '%s'", r->files[0]);
	if (r->fd > STDIN_FILENO)
		close(r->fd);
	use(to);
	r->fd = STDIN_FILENO;
	r->imported = r->files[0];
	r->files[0] = stdin_name;
}

/* Opens the only file. */
static void open_one(struct mp_recorded *r)
{
	bool is_stdin = strcmp(r->files[0], "-") == 0;

	r->fd = mp_input_open(r->files[0]);
	r->stem = is_stdin ? mp_strdup("recording") : stem_of(r->files[0]);
	if (!is_regular(r->fd)) {
		spool(r->fd, is_stdin ? "stdin" : r->files[0]);
		if (!is_stdin)
			close(r->fd);
		r->fd = STDIN_FILENO;
		r->files[0] = stdin_name;
	}
	if (is_foreign(r->fd))
		import(r);
}

void mp_recorded_open(struct mp_recorded *r, char **files)
{
	struct stat st;
	size_t i;

	*r = (struct mp_recorded){ .files = files, .fd = -1 };
	while (files[r->n])
		r->n++;
	if (r->n == 1) {
		open_one(r);
		return;
	}
	for (i = 0; i < r->n; i++)
		if (strcmp(files[i], "-") == 0 ||
		    (stat(files[i], &st) == 0 && !S_ISREG(st.st_mode)))
			mp_die("'%s' is not a regular file (merge it with mp-order before)",
			       files[i]);
	r->stem = stem_of(files[0]);
}

struct mp_recorded_sets mp_recorded_sets(const struct mp_recorded *r)
{
	struct mp_recorded_sets sets = { .fd = -1, .n = 1 };
	size_t cap = 0, len;
	off_t at = 0;
	struct mp_in in;
	char *line;

	if (!r->imported)
		return sets;
	sets.fd = fcntl(r->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (sets.fd < 0 || lseek(sets.fd, 0, SEEK_SET) < 0)
		mp_die("cannot use a temporary file: %m");
	sets.n = 0;
	mp_in_init(&in, fcntl(sets.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), r->imported, NULL);
	while (mp_in_line(&in, &line, &len)) {
		if (mp_str_starts((struct mp_str){ line, len }, MP_STR("{\"mp\":")) || !at) {
			sets.from = mp_grow(sets.from, &cap, sets.n + 2, sizeof(*sets.from));
			sets.from[sets.n++] = at;
		}
		at += (off_t)len + 1;
	}
	mp_in_release(&in);
	if (!sets.n) {
		close(sets.fd);
		return (struct mp_recorded_sets){ .fd = -1, .n = 1 };
	}
	sets.from[sets.n] = at;
	return sets;
}

/* Makes a data set standard input. */
static void select_set(struct mp_recorded *r, const struct mp_recorded_sets *sets, size_t i)
{
	static char data[1 << 16];
	int to = mp_recorded_temporary();
	off_t at, end;
	char *stem;

	for (at = sets->from[i], end = sets->from[i + 1]; at < end;) {
		ssize_t n = pread(sets->fd, data, MP_MIN((off_t)sizeof(data), end - at), at);

		if (n <= 0)
			mp_die("cannot read a temporary file: %m");
		write_all(to, data, n);
		at += n;
	}
	use(to);
	if (sets->n == 1)
		return;
	r->set = i + 1;
	stem = stem_of(r->imported);
	free(r->stem);
	r->stem = mp_asprintf("%s-%zu", stem, i + 1);
	free(stem);
}

/* Gives the recording a stem that none before it has: files of two folders may have one name. */
static void make_stem_unique(struct mp_recorded *r, struct mp_map *stems)
{
	struct mp_str stem = mp_str(r->stem);
	char *numbered = NULL;
	bool fresh;
	size_t i;

	for (i = 2; mp_map_put(stems, &stem, 1, &fresh), !fresh; i++) {
		free(numbered);
		numbered = mp_asprintf("%s-%zu", r->stem, i);
		stem = mp_str(numbered);
	}
	if (numbered) {
		free(r->stem);
		r->stem = numbered;
	}
}

void mp_recorded_use_set(struct mp_recorded *r, const struct mp_recorded_sets *sets, size_t i,
			 struct mp_map *stems)
{
	if (sets->fd >= 0)
		select_set(r, sets, i);
	make_stem_unique(r, stems);
}

void mp_recorded_sets_release(struct mp_recorded_sets *sets)
{
	if (sets->fd >= 0)
		close(sets->fd);
	free(sets->from);
}

int mp_recorded_rewind(struct mp_recorded *r)
{
	if (r->fd < 0)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (lseek(r->fd, 0, SEEK_SET) < 0)
		mp_die("cannot read '%s' again: %m", r->files[0]);
	return r->fd;
}

/* The words of awk that select a data set. */
static void add_set(struct mp_stage *s, size_t set)
{
	char *text = mp_asprintf("/^{\"mp\"/ { n++ } n == %zu", set);

	mp_stage_add(s, "awk");
	mp_stage_add(s, text);
	free(text);
}

void mp_recorded_head(const struct mp_recorded *r, struct mp_pipeline *p,
		      const struct mp_stage *select, bool for_people)
{
	size_t i;

	if (select->n > 1)
		mp_pipeline_insert(p, 0, (const char *const *)select->argv);
	if (r->n > 1)
		mp_stage_add(mp_pipeline_insert(p, 0, NULL), "mp-order");
	if (r->set && for_people)
		add_set(mp_pipeline_insert(p, 0, NULL), r->set);
	if (r->imported && for_people) {
		mp_stage_add(mp_pipeline_insert(p, 0, NULL), "mp-import");
		mp_stage_add(&p->v[0], r->imported);
		return;
	}
	if (r->n > 1 || for_people)
		for (i = 0; i < r->n; i++)
			mp_stage_add(&p->v[0], r->files[i]);
}

void mp_recorded_close(struct mp_recorded *r)
{
	if (r->fd > STDIN_FILENO)
		close(r->fd);
	free(r->stem);
}
