// SPDX-License-Identifier: GPL-2.0-only
/* Converts the arguments of static probes from the assembler's notation to that of tracefs. */
#include "lib/capture/object/binary.h"

static bool put_register(struct mp_buf *to, const struct mp_arch *arch, struct mp_str reg)
{
	if (reg.len && reg.p[0] == '%')
		reg.p++, reg.len--;
	return arch && arch->put_register(to, reg);
}

/* Converts a place in memory, such as "-20(%rbp)" or "[sp, 16]". */
static bool put_memory(struct mp_buf *to, const struct mp_arch *arch, struct mp_str place)
{
	const char *open = memchr(place.p, place.p[0] == '[' ? '[' : '(', place.len), *close;
	struct mp_str offset, reg;
	int64_t number = 0;

	if (!open)
		return false;
	close = memchr(open, *open == '[' ? ']' : ')', place.p + place.len - open);
	if (!close)
		return false;
	reg = (struct mp_str){ open + 1, close - open - 1 };
	offset = (struct mp_str){ place.p, open - place.p };
	if (*open == '[') {
		const char *comma = memchr(reg.p, ',', reg.len);

		if (comma) {
			offset = (struct mp_str){ comma + 1, close - comma - 1 };
			while (offset.len && (offset.p[0] == ' ' || offset.p[0] == '#'))
				offset.p++, offset.len--;
			reg.len = comma - reg.p;
		}
	}
	if (offset.len && mp_num_any(offset, &number) < 0)
		return false; /* the offset is a symbol, or a sum */
	mp_buf_printf(to, "%+lld(", (long long)number);
	if (!put_register(to, arch, reg))
		return false;
	mp_buf_byte(to, ')');
	return true;
}

/* Splits "8@%rdi": the size, which is negative for a signed argument, and the place. */
static bool put_arg(struct mp_buf *to, const struct mp_arch *arch, struct mp_str arg,
		    unsigned number)
{
	const char *at = memchr(arg.p, '@', arg.len);
	struct mp_str place;
	int64_t size, constant;
	size_t before = to->len;
	bool good;

	if (!at || mp_num_any((struct mp_str){ arg.p, at - arg.p }, &size) < 0)
		return false;
	if (size != 1 && size != 2 && size != 4 && size != 8 && size != -1 && size != -2 &&
	    size != -4 && size != -8)
		return false;
	place = (struct mp_str){ at + 1, arg.p + arg.len - at - 1 };
	if (!place.len)
		return false;
	mp_buf_printf(to, " arg%u=", number);
	if (place.p[0] == '$' &&
	    mp_num_any((struct mp_str){ place.p + 1, place.len - 1 }, &constant) == 0) {
		mp_buf_printf(to, "\\%lld", (long long)constant);
		good = true;
	} else if (memchr(place.p, '(', place.len) || place.p[0] == '[') {
		good = put_memory(to, arch, place);
	} else {
		good = put_register(to, arch, place);
	}
	if (!good) {
		to->len = before;
		return false;
	}
	mp_buf_printf(to, ":%c%d", size < 0 ? 's' : 'u', (int)(size < 0 ? -size : size) * 8);
	return true;
}

/* An argument ends at a blank that is not within brackets. */
static size_t arg_len(const char *args)
{
	int depth = 0;
	size_t i;

	for (i = 0; args[i]; i++) {
		depth += (args[i] == '[' || args[i] == '(') - (args[i] == ']' || args[i] == ')');
		if (args[i] == ' ' && depth <= 0)
			break;
	}
	return i;
}

size_t mp_usdt_args(struct mp_buf *to, const struct mp_arch *arch, const char *args)
{
	size_t skipped = 0, len;
	unsigned number = 0;

	for (;;) {
		while (*args == ' ')
			args++;
		len = arg_len(args);
		if (!len)
			return skipped;
		number++;
		if (!put_arg(to, arch, (struct mp_str){ args, len }, number))
			skipped++;
		args += len;
	}
}
