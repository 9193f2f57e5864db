// SPDX-License-Identifier: GPL-2.0-only
#include "lib/definition/definition.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/suggest.h"
#include "lib/stream/glob.h"

enum { FILE_MAX = 64 << 10 };

/* Texts that are freed together. */
struct texts {
	char **v;
	size_t n, cap;
};

static void add_text(struct texts *t, char *text)
{
	t->v = mp_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = text;
}

static void release_texts(struct texts *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	*t = (struct texts){ NULL, 0, 0 };
}

char *mp_definition_config(const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config)
		return mp_asprintf("%s/mp/%s", config, name);
	if (home && *home)
		return mp_asprintf("%s/.config/mp/%s", home, name);
	return NULL;
}

/*
 * Lists the folders of collectors: the user's, the machine's, and the one that came with the
 * program. Of several collectors with the same name, the first one is used.
 */
static void find_folders(struct texts *folders)
{
	char exe[4096], *slash, *config = mp_definition_config("collectors");
	ssize_t n;

	if (getenv("MP_COLLECTORS"))
		add_text(folders, mp_strdup(getenv("MP_COLLECTORS")));
	if (config)
		add_text(folders, config);
	add_text(folders, mp_strdup("/etc/mp/collectors"));
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[MP_MAX(n, 0)] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		add_text(folders,
			 mp_asprintf("%.*s/../share/mp/collectors", (int)(slash - exe), exe));
}

static bool is_name(const char *name)
{
	return *name && name[0] != '.' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")];
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void mp_definitions_each(const char *glob, mp_definition_fn *each, void *arg)
{
	struct texts folders = { NULL, 0, 0 }, names = { NULL, 0, 0 };
	struct dirent *d;
	size_t i;

	find_folders(&folders);
	for (i = 0; i < folders.n; i++) {
		DIR *dir = opendir(folders.v[i]);

		while (dir && (d = readdir(dir)))
			if (is_name(d->d_name) && d->d_type != DT_DIR &&
			    mp_glob_plain(glob, d->d_name))
				add_text(&names, mp_strdup(d->d_name));
		if (dir)
			closedir(dir);
	}
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_text);
	for (i = 0; i < names.n; i++)
		if (i == 0 || strcmp(names.v[i], names.v[i - 1]) != 0)
			each(arg, names.v[i]);
	release_texts(&names);
	release_texts(&folders);
}

/* Reads at most FILE_MAX bytes. NULL with errno. */
static char *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), saved;
	char *text;
	ssize_t n;

	if (fd < 0)
		return NULL;
	text = mp_alloc(FILE_MAX);
	n = read(fd, text, FILE_MAX);
	saved = errno;
	close(fd);
	errno = saved;
	if (n < 0) {
		free(text);
		return NULL;
	}
	*len = n;
	return text;
}

static void try_name(void *arg, const char *name)
{
	mp_suggest_try(arg, name);
}

static char *unknown(const char *name)
{
	struct mp_suggest near;
	char *error;

	mp_suggest_init(&near, name);
	mp_definitions_each("*", try_name, &near);
	error = near.best ? mp_asprintf("no collector '%s'; did you mean '%s'?", name, near.best)
			  : mp_asprintf("no collector '%s' (mp-record -l lists them; a command "
					"goes after --)",
					name);
	mp_suggest_release(&near);
	return error;
}

int mp_definition_read(struct mp_definition *d, const char *name, char **error)
{
	struct texts folders = { NULL, 0, 0 };
	char *file = mp_strndup(name, strcspn(name, ":"));
	size_t i;

	*d = (struct mp_definition){ NULL, NULL, 0 };
	*error = NULL;
	find_folders(&folders);
	for (i = 0; i < folders.n && !d->text && is_name(file); i++) {
		free(d->path);
		d->path = mp_asprintf("%s/%s", folders.v[i], file);
		d->text = read_file(d->path, &d->len);
		if (!d->text && errno != ENOENT && errno != ENOTDIR && !*error)
			*error = mp_asprintf("cannot read '%s': %m", d->path);
	}
	if (d->text) {
		free(*error);
		*error = NULL;
	} else if (!*error) {
		*error = unknown(file);
	}
	free(file);
	release_texts(&folders);
	if (d->text)
		return 0;
	mp_definition_release(d);
	return -1;
}

void mp_definition_release(struct mp_definition *d)
{
	free(d->path);
	free(d->text);
	*d = (struct mp_definition){ NULL, NULL, 0 };
}

bool mp_definition_next(struct mp_str *rest, struct mp_str *line)
{
	const char *lf = rest->len ? memchr(rest->p, '\n', rest->len) : NULL;

	if (!rest->len)
		return false;
	*line = (struct mp_str){ rest->p, lf ? (size_t)(lf - rest->p) : rest->len };
	*rest = mp_str_skip(*rest, line->len + (lf != NULL));
	return true;
}

int mp_definition_line(struct mp_str line, struct mp_str *key, struct mp_str *value,
		       const char **why)
{
	const char *eq;

	line = mp_str_trim(line);
	if (!line.len || line.p[0] == '#')
		return 0;
	if (memchr(line.p, '\0', line.len)) {
		*why = "NUL byte in";
		return -1;
	}
	eq = memchr(line.p, '=', line.len);
	if (!eq) {
		*why = "no '=' in";
		return -1;
	}
	*key = mp_str_trim((struct mp_str){ line.p, eq - line.p });
	*value = mp_str_trim((struct mp_str){ eq + 1, line.p + line.len - eq - 1 });
	return 1;
}
