// SPDX-License-Identifier: GPL-2.0-only
#include "lib/srcline/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/srcline/dwarf.h"

enum { ID_MIN_DIGITS = 8 };

/*
 * Opens a regular file that is not empty, as those of /proc are. Looks before it opens, since
 * opening a device can have effects. Returns -1 with errno.
 */
static int open_regular(const char *path)
{
	struct stat before, st;
	int fd;

	if (stat(path, &before) < 0)
		return -1;
	errno = EINVAL;
	if (!S_ISREG(before.st_mode) || before.st_size == 0)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == before.st_ino &&
	    st.st_dev == before.st_dev)
		return fd;
	close(fd);
	return -1;
}

/* Takes a text off an answer. */
static void next_text(struct mp_str *answer, char *to, size_t size)
{
	size_t len = strnlen(answer->p, answer->len);

	snprintf(to, size, "%.*s", (int)MP_MIN(len, size - 1), answer->p);
	*answer = mp_str_skip(*answer, MP_MIN(len + 1, answer->len));
}

static void probe(int fd, struct mp_srcline_probe *p)
{
	static char answer[MP_JAIL_ANSWER_MAX];
	struct mp_dwarf dwarf = { .fd = fd, .alt = -1 };
	struct mp_str rest = { answer, 0 };
	struct mp_jail jail;
	ssize_t n;

	*p = (struct mp_srcline_probe){ .debug = false };
	if (mp_jail_start(&jail, mp_dwarf_probe, &dwarf) < 0)
		mp_die("cannot start a process: %m");
	n = mp_jail_ask(&jail, "", 1, answer);
	mp_jail_stop(&jail);
	rest.len = MP_MAX(n, 0);
	next_text(&rest, p->id, sizeof(p->id));
	next_text(&rest, p->link, sizeof(p->link));
	next_text(&rest, p->alt, sizeof(p->alt));
	next_text(&rest, p->alt_id, sizeof(p->alt_id));
	p->debug = rest.len && *rest.p;
}

void mp_srcline_places_name(struct mp_srcline_places *p, const char *path)
{
	struct mp_srcline_named *named;

	p->named = mp_grow(p->named, &p->cap_named, p->n_named + 1, sizeof(*p->named));
	named = &p->named[p->n_named++];
	*named = (struct mp_srcline_named){ .path = path, .fd = open_regular(path) };
	if (named->fd < 0)
		mp_die("cannot read '%s': %s", path,
		       errno == EINVAL ? "not a regular file, or empty" : strerror(errno));
	probe(named->fd, &named->probe);
}

void mp_srcline_places_release(struct mp_srcline_places *p)
{
	size_t i;

	for (i = 0; i < p->n_named; i++)
		close(p->named[i].fd);
	for (i = 0; i < p->n_debug_dirs; i++)
		free(p->debug_dirs[i]);
	free(p->named);
	free(p->debug_dirs);
}

/* Whether a path has a part "..", with which it could leave a folder. */
static bool has_parent(const char *path)
{
	const char *p = path;

	while ((p = strstr(p, "..")))
		if ((p == path || p[-1] == '/') && (p[2] == '/' || !p[2]))
			return true;
		else
			p += 2;
	return false;
}

static bool is_build(const struct mp_srcline_search *s, const char *id)
{
	size_t len = strlen(s->id);

	if (!len && s->places->symbols)
		return true;
	/* the short id of a frame is the beginning of the complete one */
	return len >= ID_MIN_DIGITS && strncmp(s->id, id, len) == 0 &&
	       (len == ID_MIN_DIGITS || !id[len]);
}

/* Looks for the file that has what several debug files share (dwz). */
static void search_alt(struct mp_srcline_search *s, const struct mp_srcline_probe *of)
{
	const char *shared = strstr(of->alt, "/.dwz/");
	struct mp_srcline_probe p;
	size_t i;
	int kind;

	for (i = 0; of->alt[0] && i < 2 * s->places->n_debug_dirs; i++) {
		const char *folder = s->places->debug_dirs[i / 2];
		char *path = NULL;

		kind = i % 2;
		if (kind == 0 && strlen(of->alt_id) > 2)
			path = mp_asprintf("%s/.build-id/%.2s/%s.debug", folder, of->alt_id,
					   of->alt_id + 2);
		else if (kind == 1 && shared && !has_parent(shared))
			path = mp_asprintf("%s%s", folder, shared);
		s->alt = path ? open_regular(path) : -1;
		free(path);
		if (s->alt < 0)
			continue;
		probe(s->alt, &p);
		if (strcmp(p.id, of->alt_id) == 0)
			return;
		close(s->alt);
		s->alt = -1;
	}
}

/*
 * Takes a file of this build, if it has debug information. `fd` becomes the search's, or is closed.
 */
static bool take(struct mp_srcline_search *s, int fd, const struct mp_srcline_probe *p)
{
	s->matched = true;
	if (strlen(p->id) > strlen(s->id))
		snprintf(s->id, sizeof(s->id), "%s", p->id);
	if (!p->debug) {
		if (s->places->symbols && s->plain < 0)
			s->plain = fd;
		else
			close(fd);
		return false;
	}
	s->fd = fd;
	search_alt(s, p);
	s->partial = p->alt[0] && s->alt < 0;
	return true;
}

/* Looks at a debug file, which need not be there. */
static void search_debug(struct mp_srcline_search *s, char *path)
{
	struct mp_srcline_probe p;
	int fd = s->fd < 0 ? open_regular(path) : -1;

	free(path);
	if (fd < 0)
		return;
	probe(fd, &p);
	if (is_build(s, p.id))
		take(s, fd, &p);
	else
		close(fd);
}

/* Looks for the debug file that a file names, where gdb(1) does. */
static void search_link(struct mp_srcline_search *s, const char *path, const char *link)
{
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash - path) : 0;
	size_t i;

	if (!link[0] || strchr(link, '/') || has_parent(link))
		return;
	search_debug(s, mp_asprintf("%s%.*s/%s", s->places->root, len, path, link));
	search_debug(s, mp_asprintf("%s%.*s/.debug/%s", s->places->root, len, path, link));
	for (i = 0; i < s->places->n_debug_dirs; i++)
		search_debug(s,
			     mp_asprintf("%s%.*s/%s", s->places->debug_dirs[i], len, path, link));
}

static void note_other(struct mp_srcline_search *s, const char *path,
		       const struct mp_srcline_probe *p)
{
	free(s->other);
	s->other = mp_strdup(path);
	snprintf(s->other_id, sizeof(s->other_id), "%.8s", p->id);
}

void mp_srcline_search_path(struct mp_srcline_search *s, const char *path)
{
	char *whole = mp_asprintf("%s%s", s->places->root, path);
	struct mp_srcline_probe p;
	int fd = -1;

	if (s->fd < 0 && (s->id[0] || s->places->symbols) && path[0] == '/' && !has_parent(path))
		fd = open_regular(whole);
	if (fd >= 0) {
		probe(fd, &p);
		if (!is_build(s, p.id)) {
			note_other(s, whole, &p);
			close(fd);
		} else if (!take(s, fd, &p)) {
			search_link(s, path, p.link);
		}
	}
	free(whole);
}

static void search_named(struct mp_srcline_search *s)
{
	size_t i;

	for (i = 0; i < s->places->n_named && s->fd < 0; i++) {
		struct mp_srcline_named *n = &s->places->named[i];
		const char *slash = strrchr(n->path, '/');
		int fd;

		/* a file without a build id belongs to the module of its name that has none */
		if (s->id[0] ? !is_build(s, n->probe.id)
			     : (n->probe.id[0] && !s->places->symbols) ||
				       strcmp(slash ? slash + 1 : n->path, s->name) != 0)
			continue;
		n->used = true;
		fd = fcntl(n->fd, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0)
			take(s, fd, &n->probe);
	}
}

/* Looks in .build-id of a folder; a short id is the beginning of the name of a file there. */
static void search_build_id(struct mp_srcline_search *s, const char *folder)
{
	char *path = mp_asprintf("%s/.build-id/%.2s", folder, s->id);
	size_t len = strlen(s->id) - 2;
	struct dirent *entry;
	DIR *dir;

	if (len + 2 > ID_MIN_DIGITS) {
		search_debug(s, mp_asprintf("%s/%s.debug", path, s->id + 2));
		free(path);
		return;
	}
	dir = opendir(path);
	while (dir && s->fd < 0 && (entry = readdir(dir)))
		if (strncmp(entry->d_name, s->id + 2, len) == 0 &&
		    mp_str_ends(mp_str(entry->d_name), MP_STR(".debug")))
			search_debug(s, mp_asprintf("%s/%s", path, entry->d_name));
	if (dir)
		closedir(dir);
	free(path);
}

void mp_srcline_search_rest(struct mp_srcline_search *s)
{
	size_t i;

	search_named(s);
	for (i = 0; i < s->places->n_debug_dirs && s->fd < 0 && s->id[0]; i++)
		search_build_id(s, s->places->debug_dirs[i]);
}
