// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses the frames of perf script. Lines repeat, so a map from the whole line to its frame saves
 * parsing it again. The map's memory is bounded: it is emptied between two samples when it is full.
 */
#include "lib/import/frames.h"

#include <stdlib.h>

enum { SEEN_MAX_BYTES = 24 << 20 };

/* The parts of a frame's line. */
struct frame {
	struct mp_str addr;   /* hexadecimal digits */
	struct mp_str symbol; /* without "+0xOFFSET" */
	struct mp_str dso;    /* p == NULL: the line has none */
	bool inlined;
};

void mp_import_frames_init(struct mp_import_frames *f)
{
	*f = (struct mp_import_frames){ .v = NULL };
	mp_map_init(&f->seen, sizeof(struct mp_str));
}

void mp_import_frames_release(struct mp_import_frames *f)
{
	mp_map_release(&f->seen);
	mp_arena_release(&f->text);
	free(f->v);
}

/* Length of s without "+0xHEX" at its end; s.len if there is none. */
static size_t without_offset(struct mp_str s)
{
	size_t n = s.len;

	while (n && mp_import_hex_digit(s.p[n - 1]))
		n--;
	if (n == s.len || n < 3 || memcmp(s.p + n - 3, "+0x", 3) != 0)
		return s.len;
	return n - 3;
}

/* Where "(DSO)" begins in text that ends with ')': after an offset, else by matching brackets. */
static size_t find_dso(struct mp_str s)
{
	const char *p = s.p, *end = s.p + s.len;
	size_t depth = 0, n;

	while ((p = memmem(p, end - p, "+0x", 3))) {
		for (p += 3; p < end && mp_import_hex_digit(*p); p++)
			;
		if (end - p > 2 && p[0] == ' ' && p[1] == '(')
			return p + 1 - s.p;
	}
	for (n = s.len; n > 0; n--) {
		if (s.p[n - 1] == ')')
			depth++;
		else if (s.p[n - 1] == '(' && --depth == 0)
			break;
	}
	return n && (n == 1 || s.p[n - 2] == ' ') ? n - 1 : s.len;
}

static void parse_frame(struct mp_str text, struct frame *f)
{
	size_t n = 0, at;
	struct mp_str rest;

	*f = (struct frame){ .inlined = false };
	while (n < text.len && mp_import_hex_digit(text.p[n]))
		n++;
	f->addr = (struct mp_str){ text.p, n };
	rest = mp_import_trim((struct mp_str){ text.p + n, text.len - n });
	f->inlined = mp_str_ends(rest, MP_STR(" (inlined)"));
	if (f->inlined) {
		rest.len -= sizeof(" (inlined)") - 1;
	} else if (mp_str_ends(rest, MP_STR(")"))) {
		at = find_dso(rest);
		if (at < rest.len) {
			f->dso = (struct mp_str){ rest.p + at + 1, rest.len - at - 2 };
			rest.len = at;
		}
	}
	f->symbol = mp_import_trim(rest);
	f->symbol.len = without_offset(f->symbol);
}

/* The name of a mapped file without its folder; a name in brackets stays as it is. */
static struct mp_str base_name(struct mp_str dso)
{
	const char *slash;

	if (!dso.len)
		return dso;
	if (mp_str_ends(dso, MP_STR(" (deleted)")))
		dso.len -= sizeof(" (deleted)") - 1;
	slash = memrchr(dso.p, '/', dso.len);
	if (slash && *dso.p != '[') {
		dso.len -= slash + 1 - dso.p;
		dso.p = slash + 1;
	}
	return dso;
}

/* Names in brackets that are parts of a process, not kernel code. */
static bool is_user_bracket(struct mp_str dso)
{
	static const struct mp_str names[] = {
		{ "[unknown]", 9 }, { "[vdso]", 6 },	{ "[vsyscall]", 10 }, { "[heap]", 6 },
		{ "[uprobes]", 9 }, { "[vvar", 5 },	{ "[stack", 6 },      { "[anon", 5 },
		{ "[vectors]", 9 }, { "[sigpage]", 9 }, { "[vdso32]", 8 },    { "[vdsox32]", 9 },
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(names); i++)
		if (mp_str_starts(dso, names[i]))
			return true;
	return false;
}

static bool is_module_file(struct mp_str base)
{
	static const struct mp_str tails[] = {
		{ ".ko", 3 },	  { ".ko.xz", 6 },    { ".ko.gz", 6 },
		{ ".ko.zst", 7 }, { ".ko.debug", 9 },
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(tails); i++)
		if (mp_str_ends(base, tails[i]))
			return true;
	return false;
}

static bool is_kernel(const struct frame *f, struct mp_str base)
{
	bool high = f->addr.len == 16 && memcmp(f->addr.p, "ffff", 4) == 0;

	if (base.len && *base.p == '[' && !mp_str_eq(base, MP_STR("[unknown]")))
		return !is_user_bracket(base);
	return high || is_module_file(base) || mp_str_starts(base, MP_STR("vmlinux")) ||
	       mp_str_starts(base, MP_STR("bpf_prog_"));
}

/*
 * Whether a file belongs to a just-in-time compiler, which writes perf-PID.map, or to perf inject,
 * which writes jitted-PID-N.so.
 */
static bool is_jit(struct mp_str base)
{
	return (mp_str_starts(base, MP_STR("perf-")) && mp_str_ends(base, MP_STR(".map"))) ||
	       (mp_str_starts(base, MP_STR("jitted-")) && mp_str_ends(base, MP_STR(".so")));
}

/*
 * Names code without a symbol: [FILE]+0xADDR if the address is an offset in the file, as perf
 * prints it for user space. An address larger than any file is one in memory, which is useless
 * after the recording.
 */
static void unknown_name(struct mp_buf *to, const struct frame *f, struct mp_str base, bool kernel)
{
	bool in_file = f->addr.len <= 8 && !kernel;

	if (!base.len || mp_str_eq(base, MP_STR("[unknown]"))) {
		mp_buf_add(to, "[unknown]", 9);
		/* if the line has only an address, the address is an offset in the file */
		in_file = !f->dso.p && !f->symbol.len;
	} else if (*base.p == '[') {
		mp_buf_str(to, base);
	} else {
		mp_buf_byte(to, '[');
		mp_buf_str(to, base);
		mp_buf_byte(to, ']');
	}
	if (in_file) {
		mp_buf_add(to, "+0x", 3);
		mp_buf_str(to, f->addr);
	}
}

/*
 * Maps of just-in-time compilers have "caller->callee" where the callee was inlined: adds two
 * frames for these, root first.
 */
static struct mp_str put_names(struct mp_import_frames *frames, struct mp_str name,
			       enum mp_mark mark)
{
	char *to = mp_arena_alloc(&frames->text, 8 * name.len + 8), *p = to;
	const char *arrow;

	while (mark == MP_MARK_JIT && name.len && (arrow = memmem(name.p, name.len, "->", 2))) {
		p = mp_frame_put(p, (struct mp_str){ name.p, arrow - name.p },
				 p == to ? mark : MP_MARK_INLINED);
		*p++ = ';';
		name.len -= arrow + 2 - name.p;
		name.p = arrow + 2;
	}
	p = mp_frame_put(p, name, p == to ? mark : MP_MARK_INLINED);
	return (struct mp_str){ to, p - to };
}

static struct mp_str make_frame(struct mp_import_frames *frames, struct mp_str text)
{
	struct mp_buf name = { NULL, 0, 0 };
	enum mp_mark mark = MP_MARK_NONE;
	struct mp_str base, made;
	struct frame f;
	bool kernel;

	parse_frame(text, &f);
	base = f.dso;
	base.len = without_offset(base);
	if (base.len != f.dso.len) /* -F dsoff: the address is an offset in the file */
		f.addr = (struct mp_str){ f.dso.p + base.len + 3, f.dso.len - base.len - 3 };
	base = base_name(base);
	kernel = is_kernel(&f, base);
	if (kernel)
		mark = MP_MARK_KERNEL;
	else if (f.inlined)
		mark = MP_MARK_INLINED;
	else if (is_jit(base))
		mark = MP_MARK_JIT;
	if (f.symbol.len && !mp_str_eq(f.symbol, MP_STR("[unknown]")))
		mp_buf_str(&name, f.symbol);
	else
		unknown_name(&name, &f, base, kernel);
	made = put_names(frames, mp_buf_view(&name), mark);
	mp_buf_release(&name);
	return made;
}

static void push(struct mp_import_frames *f, struct mp_str frame)
{
	f->bytes += frame.len + 1;
	if (f->n == f->cap)
		f->v = mp_grow(f->v, &f->cap, f->n + 1, sizeof(*f->v));
	f->v[f->n++] = frame;
}

/*
 * Whether the stack is as long as a line may be; callers beyond that are dropped, so that memory is
 * bounded.
 */
static bool is_full(struct mp_import_frames *f)
{
	f->truncated |= f->bytes > MP_LINE_MAX;
	return f->bytes > MP_LINE_MAX;
}

struct mp_str mp_import_frame_text(struct mp_import_frames *f, struct mp_str text)
{
	struct mp_map_entry *e;
	struct mp_str *frame;
	bool fresh;

	e = mp_map_put(&f->seen, &text, 1, &fresh);
	frame = mp_map_value(e);
	if (fresh)
		*frame = make_frame(f, text);
	return *frame;
}

void mp_import_frame(struct mp_import_frames *f, struct mp_str text)
{
	if (!is_full(f))
		push(f, mp_import_frame_text(f, text));
}

void mp_import_frame_name(struct mp_import_frames *f, struct mp_str name, enum mp_mark mark)
{
	char *p;

	if (is_full(f))
		return;
	p = mp_arena_alloc(&f->text, 4 * name.len + 8);
	push(f, (struct mp_str){ p, mp_frame_put(p, name, mark) - p });
}

void mp_import_stack(struct mp_import *im, struct mp_import_frames *f)
{
	const struct mp_str mark = MP_STR("[truncated]");
	bool field = im->open == MP_EVENT;
	size_t room = MP_LINE_MAX - MP_MIN(im->line.len, (size_t)MP_LINE_MAX), n = 0, bytes = 64;
	struct mp_buf *b = &im->line;
	char *p;

	while (n < f->n && bytes + f->v[n].len + 1 < room)
		bytes += f->v[n++].len + 1;
	if (n < f->n || f->bytes > MP_LINE_MAX) {
		f->truncated = true;
		im->truncated_stacks++;
	}
	if (n || f->truncated) {
		mp_buf_reserve(b, bytes);
		p = b->p + b->len;
		if (field && b->len > im->body)
			*p++ = '\t';
		if (field)
			p = mempcpy(p, "stack=", 6);
		if (f->truncated)
			p = mempcpy(p, mark.p, mark.len);
		if (f->truncated && n)
			*p++ = ';';
		while (n--) {
			p = mempcpy(p, f->v[n].p, f->v[n].len);
			*p++ = ';';
		}
		b->len = p - b->p - (p[-1] == ';');
	}
	f->n = 0;
	f->bytes = 0;
	f->truncated = false;
	if (mp_map_bytes(&f->seen) + f->text.total > SEEN_MAX_BYTES) {
		mp_map_clear(&f->seen);
		mp_arena_release(&f->text);
	}
}
