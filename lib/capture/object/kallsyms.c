// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/kallsyms.h"

#include <errno.h>
#include <unistd.h>

#include "lib/capture/host/proc.h"

struct line {
	uint64_t addr; /* address of the symbol; 0: the kernel hides it */
	char kind;     /* type letter as in nm(1) */
	struct mp_str name;
};

/* Parses a line such as "ffffffff81000000 T _stext" or "... t helper	[module]". */
static bool read_line(struct line *l, struct mp_str line)
{
	const char *end = line.p + line.len, *p = line.p, *tab;

	for (l->addr = 0; p < end && *p != ' '; p++) {
		unsigned char c = *p;

		if (c >= '0' && c <= '9')
			l->addr = l->addr << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			l->addr = l->addr << 4 | (c - 'a' + 10);
		else
			return false;
	}
	if (end - p < 4)
		return false;
	l->kind = p[1];
	p += 3;
	tab = memchr(p, '\t', end - p);
	l->name = (struct mp_str){ p, (tab ? tab : end) - p };
	return true;
}

/* Removes lines from the text up to the next one that can be parsed. Returns false at the end. */
static bool next_line(struct line *l, struct mp_str *text)
{
	while (text->len) {
		const char *lf = memchr(text->p, '\n', text->len);
		struct mp_str line = { text->p, lf ? (size_t)(lf - text->p) : text->len };

		text->p += line.len + (lf != NULL);
		text->len -= line.len + (lf != NULL);
		if (read_line(l, line))
			return true;
	}
	return false;
}

static void note_end(struct mp_kernel_text *kernel, const struct line *l)
{
	if (mp_str_eq(l->name, MP_STR("_stext")))
		kernel->start = l->addr;
	else if (mp_str_eq(l->name, MP_STR("_etext")))
		kernel->end = l->addr;
}

void mp_kallsyms_parse(struct mp_symtab *t, struct mp_kernel_text *kernel, struct mp_str text)
{
	static const uint8_t ranks[128] = {
		['T'] = MP_SYM_GLOBAL,
		['t'] = MP_SYM_LOCAL,
		['W'] = MP_SYM_WEAK,
		['w'] = MP_SYM_WEAK,
	};
	struct line l;

	*kernel = (struct mp_kernel_text){ 0, 0 };
	while (next_line(&l, &text)) {
		uint8_t rank = ranks[l.kind & 127];

		note_end(kernel, &l);
		if (rank && l.addr)
			mp_symtab_add(t, l.addr, 0, l.name, (enum mp_symbol_rank)rank);
	}
}

static struct mp_buf read_all(void)
{
	int fd = mp_proc_open("/proc/kallsyms");
	struct mp_buf text = { NULL, 0, 0 };
	ssize_t n;

	if (fd < 0)
		return text;
	do {
		mp_buf_reserve(&text, 256 << 10);
		n = read(fd, text.p + text.len, text.cap - text.len);
		if (n > 0)
			text.len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(fd);
	return text;
}

void mp_kallsyms_load(struct mp_symtab *t, struct mp_kernel_text *kernel)
{
	struct mp_buf text = read_all();

	mp_kallsyms_parse(t, kernel, mp_buf_view(&text));
	mp_buf_release(&text);
	mp_symtab_sort(t, false);
}

uint64_t mp_kallsyms_address(struct mp_str name)
{
	struct mp_buf buf = read_all();
	struct mp_str text = mp_buf_view(&buf);
	uint64_t found = 0;
	struct line l;

	while (!found && next_line(&l, &text))
		if (mp_str_eq(l.name, name))
			found = l.addr;
	mp_buf_release(&buf);
	return found;
}
