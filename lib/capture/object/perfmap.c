// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/perfmap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_NS = 50000000 };

void mp_perfmap_init(struct mp_perfmap *m, struct mp_opener *opener, pid_t pid)
{
	*m = (struct mp_perfmap){ .opener = opener, .pid = pid };
}

void mp_perfmap_release(struct mp_perfmap *m)
{
	mp_symtab_release(&m->symbols);
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
		if (next_hex(&line, &start) && next_hex(&line, &size) && size && line.len)
			mp_symtab_add(symbols, start, size, line, MP_SYM_GLOBAL);
	}
}

/* Reads up to the last LF of the file: the last line may be incomplete. */
static void read_more(struct mp_perfmap *m, int fd, off_t size)
{
	size_t len = size - m->read, done = 0;
	char *text = mp_alloc(len), *lf;
	ssize_t n;

	while (done < len && (n = pread(fd, text + done, len - done, m->read + done)) > 0)
		done += n;
	lf = done ? memrchr(text, '\n', done) : NULL;
	if (lf) {
		mp_perfmap_parse(&m->symbols, (struct mp_str){ text, lf + 1 - text });
		m->read += lf + 1 - text;
		mp_symtab_sort(&m->symbols, true);
	}
	free(text);
}

static void look(struct mp_perfmap *m)
{
	int fd = mp_open_perfmap(m->opener, m->pid);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0) {
		if (st.st_ino != m->inode ||
		    st.st_size < m->read) { /* the file belongs to another process with this pid */
			mp_symtab_release(&m->symbols);
			m->read = 0;
			m->inode = st.st_ino;
		}
		if (st.st_size > m->read)
			read_more(m, fd, st.st_size);
	}
	close(fd);
}

const char *mp_perfmap_find(struct mp_perfmap *m, uint64_t addr, uint64_t now_ns)
{
	const struct mp_symbol *s;

	if (!m->looked_ns || now_ns - m->looked_ns > LOOK_NS) {
		look(m);
		m->looked_ns = now_ns;
	}
	s = mp_symtab_find(&m->symbols, addr);
	return s ? s->name : NULL;
}
