// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/perfmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/clock.h"

enum {
	LOOK_NS = 50000000,
	DELAY_MAX = 4, /* LOOK_NS << DELAY_MAX is the longest time between two looks */
	SLICE_NS = 100000000,
	CHUNK_BYTES = 64 << 10,
	AGAIN_FACTOR = 200, /* a refused file is tried again after this many times LOOK_NS */
	NAME_BYTES = 4096,  /* longer names are truncated */
};

void mp_perfmap_init(struct mp_perfmap *m, struct mp_opener *opener, pid_t pid)
{
	*m = (struct mp_perfmap){ .opener = opener, .pid = pid };
}

void mp_perfmap_name(const struct mp_perfmap *m, char name[MP_PERFMAP_NAME_MAX])
{
	snprintf(name, MP_PERFMAP_NAME_MAX, "/tmp/perf-%d.map", (int)m->pid);
}

void mp_perfmap_release(struct mp_perfmap *m)
{
	mp_symtab_release(&m->symbols);
}

void mp_perfmap_clear(struct mp_perfmap *m)
{
	mp_symtab_release(&m->symbols);
	m->inode = 0;
	m->read = 0;
	m->n_last = 0;
	m->refused = false;
}

/* Splits a hexadecimal number, with or without 0x, and the blank after it off the text. */
static bool next_hex(struct mp_str *line, uint64_t *v)
{
	const char *blank = memchr(line->p, ' ', line->len);
	struct mp_str number = { line->p, blank ? (size_t)(blank - line->p) : 0 };
	char text[24];
	int64_t n;

	if (number.len > 2 && number.p[0] == '0' && (number.p[1] | 0x20) == 'x') {
		number.p += 2;
		number.len -= 2;
	}
	if (number.len == 0 || number.len > 16)
		return false;
	memcpy(text, "0x", 2);
	memcpy(text + 2, number.p, number.len);
	if (mp_num_any((struct mp_str){ text, number.len + 2 }, &n) < 0)
		return false;
	*v = (uint64_t)n;
	line->len -= blank + 1 - line->p;
	line->p = blank + 1;
	return true;
}

void mp_perfmap_parse(struct mp_symtab *symbols, struct mp_str text)
{
	uint64_t start, size;

	while (text.len) {
		const char *lf = memchr(text.p, '\n', text.len);
		struct mp_str line = { text.p, lf ? (size_t)(lf - text.p) : text.len };

		text.len -= line.len + (lf != NULL);
		text.p += line.len + (lf != NULL);
		if (!next_hex(&line, &start) || !next_hex(&line, &size) || !size || !line.len)
			continue;
		line.len = MP_MIN(line.len, (size_t)NAME_BYTES);
		mp_symtab_add(symbols, start, size, line, MP_SYM_GLOBAL);
	}
}

/* Remembers the bytes before m->read, which are at the end of `text`. */
static void remember_last(struct mp_perfmap *m, const char *text, size_t len)
{
	m->n_last = MP_MIN(len, sizeof(m->last));
	memcpy(m->last, text + len - m->n_last, m->n_last);
}

/*
 * Whether the file still has what was read last. A program may write its map again in the same
 * file.
 */
static bool is_same(const struct mp_perfmap *m, int fd)
{
	char now[sizeof(m->last)];

	return pread(fd, now, m->n_last, m->read - (off_t)m->n_last) == (ssize_t)m->n_last &&
	       memcmp(now, m->last, m->n_last) == 0;
}

/*
 * Reads up to the last LF: the last line may be incomplete. Returns 1 if there may be more, 0 at
 * the end, -1 if no line ends here.
 */
static int read_chunk(struct mp_perfmap *m, int fd, char *text)
{
	ssize_t n = pread(fd, text, CHUNK_BYTES, m->read);
	char *lf = n > 0 ? memrchr(text, '\n', n) : NULL;

	if (!lf)
		return n == CHUNK_BYTES ? -1 : 0;
	mp_perfmap_parse(&m->symbols, (struct mp_str){ text, lf + 1 - text });
	m->read += lf + 1 - text;
	remember_last(m, text, lf + 1 - text);
	return n == CHUNK_BYTES;
}

static bool read_more(struct mp_perfmap *m, int fd,
		      bool (*has_room)(void *arg, struct mp_perfmap *m), void *arg)
{
	uint64_t began_ns = mp_monotonic_ns();
	char *text = mp_alloc(CHUNK_BYTES);
	size_t before = m->symbols.n;
	int more = 1;

	while (more > 0 && mp_monotonic_ns() - began_ns < SLICE_NS) {
		m->refused = !has_room(arg, m);
		more = m->refused ? 0 : read_chunk(m, fd, text);
	}
	m->refused |= more < 0;
	free(text);
	if (m->symbols.n > before) {
		mp_symtab_sort(&m->symbols, true);
		mp_symtab_trim(&m->symbols);
	}
	return !m->refused;
}

bool mp_perfmap_is_due(const struct mp_perfmap *m, uint64_t now_ns)
{
	return !m->looked_ns || now_ns - m->looked_ns > (uint64_t)LOOK_NS << m->delay;
}

bool mp_perfmap_update(struct mp_perfmap *m, uint64_t now_ns,
		       bool (*has_room)(void *arg, struct mp_perfmap *m), void *arg)
{
	int fd = mp_open_perfmap(m->opener, m->pid);
	bool accepted = true, again;
	struct stat st;

	m->looked_ns = now_ns;
	if (fd < 0 || fstat(fd, &st) < 0) {
		m->delay = MP_MIN(m->delay + 1, (unsigned)DELAY_MAX);
		return true;
	}
	if (m->refused && now_ns - m->refused_ns > (uint64_t)AGAIN_FACTOR * LOOK_NS)
		m->refused = false;
	/* the file belongs to another process with this pid, or was written again */
	again = st.st_ino != m->inode || st.st_size < m->read || !is_same(m, fd);
	m->delay = again && m->read ? MP_MIN(m->delay + 1, (unsigned)DELAY_MAX) : 0;
	if (again)
		mp_perfmap_clear(m);
	m->inode = st.st_ino;
	if (st.st_size > m->read && !m->refused)
		accepted = read_more(m, fd, has_room, arg);
	if (!accepted)
		m->refused_ns = now_ns;
	close(fd);
	return accepted;
}

const char *mp_perfmap_find(const struct mp_perfmap *m, uint64_t addr)
{
	const struct mp_symbol *s = mp_symtab_find(&m->symbols, addr);

	return s ? s->name : NULL;
}

size_t mp_perfmap_bytes(const struct mp_perfmap *m)
{
	return m->symbols.n * sizeof(*m->symbols.v) + m->symbols.names.total;
}
