// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recordings/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/core/io.h"
#include "lib/core/unpack.h"
#include "lib/recordings/caller.h"
#include "lib/recordings/children.h"
#include "lib/recordings/config.h"
#include "lib/recordings/draft.h"
#include "lib/stream/ctl.h"

/* With which the names of recordings end; a new one is compressed by zstd unless the user says how. */
static const char *const suffixes[] = { ".mp", ".mp.gz", ".mp.zst", NULL };

/* --- the folder ------------------------------------------------------------------------------- */

/* Enters a folder below another one, which stays open; makes it. Returns its fd, or -1. */
static int enter(int at, const char *name)
{
	if (mkdirat(at, name, 0700) < 0 && errno != EEXIST)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Opens the folder `start`, and enters those below it. Returns the fd of the last one, or -1. */
static int enter_all(const char *start, const char *const *below)
{
	int at = open(start, O_RDONLY | O_DIRECTORY | O_CLOEXEC), next;

	for (; at >= 0 && *below; below++) {
		next = enter(at, *below);
		close(at);
		at = next;
	}
	return at;
}

void mp_folder_open(struct mp_folder *f)
{
	static const char *const in_home[] = { ".local", "state", "mp", NULL };
	const char *state = getenv("XDG_STATE_HOME");
	char *home = mp_caller_home();

	mp_caller_begin();
	if (state && *state == '/') {
		f->path = mp_asprintf("%s/mp", state);
		if (mkdir(state, 0700) < 0 && errno != EEXIST)
			mp_die("cannot make the folder '%s': %m", state);
		f->fd = enter_all(state, &in_home[2]);
	} else if (home) {
		f->path = mp_asprintf("%s/.local/state/mp", home);
		f->fd = enter_all(home, in_home);
	} else {
		mp_die("no folder for recordings (set HOME, or give -o FILE)");
	}
	if (f->fd < 0)
		mp_die("cannot open the folder of recordings '%s': %m (symlinks are not followed)",
		       f->path);
	mp_caller_end();
	free(home);
}

void mp_folder_close(struct mp_folder *f)
{
	close(f->fd);
	free(f->path);
}

/* --- its files -------------------------------------------------------------------------------- */

struct file {
	char *name;
	struct timespec time;
};

struct files {
	struct file *v;
	size_t n, cap;
};

static int latest_first(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? 1 : -1;
	if (x->time.tv_nsec != y->time.tv_nsec)
		return x->time.tv_nsec < y->time.tv_nsec ? 1 : -1;
	return -strcmp(x->name, y->name);
}

static void list_files(struct files *files, const struct mp_folder *f)
{
	int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	struct stat st;

	*files = (struct files){ NULL, 0, 0 };
	while (dir && (d = readdir(dir))) {
		if (fstatat(f->fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		files->v = mp_grow(files->v, &files->cap, files->n + 1, sizeof(*files->v));
		files->v[files->n++] = (struct file){ mp_strdup(d->d_name), st.st_mtim };
	}
	if (dir)
		closedir(dir);
	if (files->n)
		qsort(files->v, files->n, sizeof(*files->v), latest_first);
}

static void release_files(struct files *files)
{
	size_t i;

	for (i = 0; i < files->n; i++)
		free(files->v[i].name);
	free(files->v);
}

/* The suffix of a recording's name; NULL: the file is not a recording. */
static const char *suffix_of(const char *name)
{
	const char *const *s = suffixes;

	if (name[0] == '.')
		return NULL;
	while (*s && !mp_str_ends(mp_str(name), mp_str(*s)))
		s++;
	return *s;
}

char *mp_folder_last(const struct mp_folder *f)
{
	struct files files;
	char *name = NULL;
	size_t i;

	list_files(&files, f);
	for (i = 0; i < files.n && !name; i++)
		if (suffix_of(files.v[i].name))
			name = mp_strdup(files.v[i].name);
	release_files(&files);
	return name;
}

/* Removes a recording, and what mp-show made of it. */
static void forget(const struct mp_folder *f, const char *name)
{
	static const char *const made[] = { ".html", ".svg", ".cpel", ".txt", NULL };
	int stem = strlen(name) - strlen(suffix_of(name));
	size_t i;

	unlinkat(f->fd, name, 0);
	for (i = 0; made[i]; i++) {
		char *picture = mp_asprintf("%.*s%s", stem, name, made[i]);

		unlinkat(f->fd, picture, 0);
		free(picture);
	}
}

static uint64_t age_ns(const struct file *file)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec <= file->time.tv_sec ? 0
					       : (now.tv_sec - file->time.tv_sec) * MP_NS_PER_SEC;
}

/*
 * Removes the recordings, with the pictures of them, that are too many or too old, and drafts of
 * programs that were killed.
 */
static void prune(const struct mp_folder *f, const struct mp_config *c)
{
	const uint64_t day_ns = 86400 * MP_NS_PER_SEC;
	struct files files;
	size_t i, kept = 0;

	mp_caller_begin();
	list_files(&files, f);
	for (i = 0; i < files.n; i++) {
		const struct file *file = &files.v[i];

		if (mp_draft_is(file->name) && age_ns(file) > day_ns)
			unlinkat(f->fd, file->name, 0);
		else if (!suffix_of(file->name))
			continue;
		else if (kept == c->keep || age_ns(file) > c->keep_ns)
			forget(f, file->name);
		else
			kept++;
	}
	release_files(&files);
	mp_caller_end();
}

/* --- a new recording -------------------------------------------------------------------------- */

/* Options with which mp-record writes no stream to its standard output. */
bool mp_folder_records(char *const *argv)
{
	static const char *const others[] = { "-o",	   "--output", "-l",	 "--list",
					      "--explain", "-h",       "--help", "--version" };
	size_t i;

	if (!argv[1])
		return false;
	for (argv++; *argv && strcmp(*argv, "--") != 0; argv++) {
		/* "-vl" */
		if (**argv == '-' && memchr("olh", (*argv)[1 + strspn(*argv + 1, "aqv")], 3))
			return false;
		/* "--li" */
		for (i = 0; i < MP_ARRAY_SIZE(others); i++)
			if (strncmp(*argv, others[i], strlen(others[i])) == 0 ||
			    (strlen(*argv) > 2 && strncmp(*argv, others[i], strlen(*argv)) == 0))
				return false;
	}
	return true;
}

/* The name of a recording, by the collectors that its header names. Owned by the caller. */
static char *name_of(const json_t *header)
{
	const json_t *collectors = json_object_get(header, "collectors");
	struct mp_buf name = { NULL, 0, 0 };
	const char *text;
	size_t i;

	for (i = 0; i < json_array_size(collectors); i++) {
		text = json_string_value(json_array_get(collectors, i));
		if (!text || name.len + strlen(text) > 60)
			continue;
		if (name.len)
			mp_buf_byte(&name, '+');
		mp_buf_add(&name, text, strcspn(text, ":/."));
	}
	if (!name.len)
		mp_buf_str(&name, MP_STR("record"));
	mp_buf_byte(&name, '\0');
	return name.p;
}

/* Reads the header at the start of a draft. Returns the recording's name; NULL: it has none. */
static char *read_name(int fd)
{
	struct mp_ctl ctl;
	struct mp_in in;
	const char *why;
	char *text, *name = NULL;
	size_t len;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	mp_in_init(&in, fd, "recording", NULL);
	if (mp_in_line(&in, &text, &len) && len && text[0] == '{' &&
	    mp_ctl_parse(&ctl, (struct mp_str){ text, len }, &why) == 0) {
		if (ctl.what == MP_CTL_HEADER)
			name = name_of(ctl.json);
		mp_ctl_release(&ctl);
	}
	mp_in_release(&in);
	return name;
}

/* The suffix for what the draft holds, by its first bytes. */
static const char *suffix_for(int fd)
{
	unsigned char magic[MP_UNPACK_MAGIC] = { 0 };

	if (pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    !mp_unpack_is_packed((char *)magic, sizeof(magic)))
		return ".mp";
	return magic[0] == 0x1f ? ".mp.gz" : ".mp.zst";
}

/* Gives the draft a name that no file has. Returns its path. */
static char *keep(const struct mp_folder *f, const char *name, const char *suffix)
{
	time_t now = time(NULL);
	struct tm local;
	char when[32], *file, *path;
	int n;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	for (n = 1;; n++) {
		file = n == 1 ? mp_asprintf("%s-%s%s", name, when, suffix)
			      : mp_asprintf("%s-%s-%d%s", name, when, n, suffix);
		if (mp_draft_keep(file, true) == 0)
			break;
		if (errno != EEXIST)
			mp_die("cannot write '%s/%s': %m", f->path, file);
		free(file);
	}
	path = mp_asprintf("%s/%s", f->path, file);
	free(file);
	return path;
}

/* The configuration of the user whose folder it is, read with that user's privileges. */
static void read_config(struct mp_config *c)
{
	char *home = mp_caller_home(), *before = getenv("HOME") ? mp_strdup(getenv("HOME")) : NULL;

	mp_caller_begin();
	if (home)
		setenv("HOME", home, 1);
	mp_config_read(c);
	if (before)
		setenv("HOME", before, 1);
	mp_caller_end();
	free(before);
	free(home);
}

/* The arguments after --compress, which one of them may override. Freed by the caller. */
static char **compressed(char **argv)
{
	static char option[] = "--compress";
	char **words;
	size_t n = 0;

	while (argv[n])
		n++;
	words = mp_alloc((n + 2) * sizeof(*words));
	words[0] = argv[0];
	words[1] = option;
	memcpy(words + 2, argv + 1, n * sizeof(*words)); /* with the NULL */
	return words;
}

enum mp_status mp_folder_record(char **argv, char **path)
{
	struct mp_config config;
	struct mp_folder f;
	enum mp_status status;
	char *name, **words;
	int fd;

	*path = NULL;
	read_config(&config);
	mp_folder_open(&f);
	mp_children_guard();
	mp_caller_begin();
	fd = mp_draft_open(f.fd, 0600);
	if (fd < 0)
		mp_die("cannot write to '%s': %m", f.path);
	mp_caller_end();
	mp_children_patient(true);
	words = compressed(argv);
	mp_children_start(words, STDIN_FILENO, fd, STDERR_FILENO);
	free(words);
	status = mp_children_wait();
	mp_children_patient(false);
	mp_caller_begin();
	name = status == MP_FAIL ? NULL : read_name(fd);
	if (name)
		*path = keep(&f, name, suffix_for(fd));
	else
		mp_draft_drop();
	mp_caller_end();
	if (name)
		prune(&f, &config);
	close(fd);
	free(name);
	mp_folder_close(&f);
	mp_config_release(&config);
	return status;
}
