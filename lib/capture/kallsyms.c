// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* "ffffffff81000000 T _stext" or "... t helper	[module]" */
static void parse_line(struct mp_symtab *t, struct mp_str line)
{
	const char *end = line.p + line.len, *p = line.p, *name, *tab;
	enum mp_symbol_rank rank;
	uint64_t addr = 0;

	for (; p < end && *p != ' '; p++) {
		unsigned char c = *p;

		if (c >= '0' && c <= '9')
			addr = addr << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			addr = addr << 4 | (c - 'a' + 10);
		else
			return;
	}
	if (end - p < 4 || addr == 0)
		return;
	switch (p[1]) {
	case 'T':
		rank = MP_SYM_GLOBAL;
		break;
	case 't':
		rank = MP_SYM_LOCAL;
		break;
	case 'W':
	case 'w':
		rank = MP_SYM_WEAK;
		break;
	default:
		return;
	}
	name = p + 3;
	tab = memchr(name, '\t', end - name);
	mp_symtab_add(t, addr, 0, (struct mp_str){ name, (tab ? tab : end) - name }, rank);
}

void mp_kallsyms_parse(struct mp_symtab *t, struct mp_str text)
{
	while (text.len) {
		const char *lf = memchr(text.p, '\n', text.len);
		struct mp_str line = { text.p, lf ? (size_t)(lf - text.p) : text.len };

		parse_line(t, line);
		text.p += line.len + (lf != NULL);
		text.len -= line.len + (lf != NULL);
	}
}

void mp_kallsyms_load(struct mp_symtab *t)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct mp_buf text = { NULL, 0, 0 };
	ssize_t n;

	if (fd < 0)
		return;
	do {
		mp_buf_reserve(&text, 256 << 10);
		n = read(fd, text.p + text.len, text.cap - text.len);
		if (n > 0)
			text.len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(fd);
	mp_kallsyms_parse(t, mp_buf_view(&text));
	mp_buf_release(&text);
	mp_symtab_sort(t, false);
}
