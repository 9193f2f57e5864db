// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/gopclntab.h"

#include "lib/capture/object/bytes.h"
#include "lib/capture/object/cfisection.h"

enum {
	MAGIC_1_18 = 0xf0, /* first byte of a table; three bytes 0xff and two bytes 0 follow */
	MAGIC_1_20 = 0xf1,
	HEAD = 72,
	ALIGN = 8,	 /* alignment of a table that is within other data */
	GROWTH_MAX = 16, /* the generated section may be this many times larger than the table */
	FRAME_MAX = 0x7ffffff0,
	NAME_MAX_BYTES = 4096,
	FUNCTION_MAX_BYTES = 64 << 10, /* of the rules of one function */
};

/* Instructions of call frame information, and numbers in the head of a section. */
enum {
	CFA_ADVANCE = 0x40, /* this instruction has an operand in its low six bits */
	CFA_OFFSET = 0x80,
	CFA_NOP = 0x00,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_OFFSET = 0x0e,
	DATA_ALIGN = 0x78, /* -8 */
};

/* Flags of a function. */
enum { TOP_FRAME = 1, WRITES_SP = 2, ASSEMBLER = 4 };

/* An entry of the table of functions. */
struct function {
	uint64_t start, size;
	const char *name;
	uint32_t steps; /* offset of the steps of its frame size; 0: it has none */
	uint8_t flags;
};

/* The state while the steps of a function are read. */
struct steps {
	int64_t size; /* size of the frame in this step */
	/* `by`: bytes of code of this step; `last`: where the last generated instruction applies */
	uint64_t by, last;
	bool saved; /* the frame pointer is saved in the frame */
};

bool mp_gopclntab_init(struct mp_gopclntab *t, const void *data, size_t size, uint64_t text)
{
	struct mp_bytes b = { data, (const uint8_t *)data + size, false };
	uint64_t magic = mp_bytes_fixed(&b, 4), stated;

	*t = (struct mp_gopclntab){ .data = data, .size = size };
	t->has_start_line = magic == (0xffffff00 | MAGIC_1_20);
	if (!t->has_start_line && magic != (0xffffff00 | MAGIC_1_18))
		return false;
	if (mp_bytes_fixed(&b, 2) != 0)
		return false;
	t->quantum = mp_bytes_fixed(&b, 1);
	if (mp_bytes_fixed(&b, 1) != 8) /* the size of a pointer */
		return false;
	t->n = mp_bytes_fixed(&b, 8);
	mp_bytes_skip(&b, 8); /* skip the number of files */
	stated = mp_bytes_fixed(&b, 8);
	t->text = stated ? stated : text;
	t->names = mp_bytes_fixed(&b, 8);
	mp_bytes_skip(&b, 16); /* skip the offsets of units and files */
	t->steps = mp_bytes_fixed(&b, 8);
	t->functions = mp_bytes_fixed(&b, 8);
	return !b.failed && t->quantum && t->names < size && t->steps < size &&
	       t->functions < size && t->n <= (size - t->functions) / 8;
}

size_t mp_gopclntab_search(const void *data, size_t size)
{
	struct mp_gopclntab t;
	size_t at;

	for (at = 0; at + HEAD <= size; at += ALIGN) {
		const uint8_t *p = (const uint8_t *)data + at;

		if ((p[0] == MAGIC_1_18 || p[0] == MAGIC_1_20) && p[1] == 0xff &&
		    mp_gopclntab_init(&t, p, size - at, 0))
			return at;
	}
	return SIZE_MAX;
}

static struct mp_bytes bytes_at(const struct mp_gopclntab *t, uint64_t at)
{
	at = MP_MIN(at, t->size);
	return (struct mp_bytes){ t->data + at, t->data + t->size, false };
}

/* The NUL-terminated name at an offset in the names; "" if it is damaged. */
static const char *name_at(const struct mp_gopclntab *t, uint64_t offset)
{
	struct mp_bytes b = bytes_at(t, t->names + MP_MIN(offset, t->size));

	return memchr(b.p, '\0', MP_MIN(b.end - b.p, NAME_MAX_BYTES)) ? (const char *)b.p : "";
}

/*
 * Reads a function; addresses ascend, and the entry after the last one is the end of the code.
 * Returns false if it is damaged.
 */
static bool read_function(const struct mp_gopclntab *t, uint64_t i, struct function *f)
{
	struct mp_bytes b = bytes_at(t, t->functions + 8 * i);
	uint32_t start = mp_bytes_fixed(&b, 4), at = mp_bytes_fixed(&b, 4);
	uint32_t end = mp_bytes_fixed(&b, 4);

	if (b.failed || end <= start)
		return false;
	b = bytes_at(t, t->functions + at);
	mp_bytes_skip(&b, 4); /* skip the address, which is known */
	*f = (struct function){ .start = t->text + start, .size = end - start };
	f->name = name_at(t, mp_bytes_fixed(&b, 4));
	mp_bytes_skip(&b, 8); /* skip the size of arguments and the deferred return */
	f->steps = mp_bytes_fixed(&b, 4);
	/* skip files, lines, number of data, unit, start line, kind */
	mp_bytes_skip(&b, 17 + 4 * t->has_start_line);
	f->flags = mp_bytes_fixed(&b, 1);
	return !b.failed;
}

void mp_gopclntab_each(const struct mp_gopclntab *t, mp_gopclntab_fn *each, void *arg)
{
	struct function f;
	uint64_t i;

	for (i = 0; i < t->n; i++)
		if (read_function(t, i, &f) && *f.name && !each(arg, f.start, f.size, f.name))
			break;
}

/* --- frames ----------------------------------------------------------------------------------- */

static void put_fixed(struct mp_buf *to, uint64_t v, size_t size)
{
	mp_buf_add(to, &v, size);
}

static void put_uleb(struct mp_buf *to, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		mp_buf_byte(to, (char)(v | 0x80));
	mp_buf_byte(to, (char)v);
}

/* Writes an instruction with a register. */
static void put_register(struct mp_buf *to, uint8_t op, uint8_t reg)
{
	mp_buf_byte(to, (char)op);
	put_uleb(to, reg);
}

static void put_cfa(struct mp_buf *to, uint8_t reg, uint64_t offset)
{
	put_register(to, CFA_DEF_CFA, reg);
	put_uleb(to, offset);
}

static size_t begin_entry(struct mp_buf *to, uint32_t cie)
{
	size_t at = to->len;

	put_fixed(to, 0, 4);
	put_fixed(to, cie, 4);
	return at;
}

static void end_entry(struct mp_buf *to, size_t at)
{
	uint32_t len;

	while (to->len % 8)
		mp_buf_byte(to, CFA_NOP);
	len = (uint32_t)(to->len - at - 4);
	memcpy(to->p + at, &len, sizeof(len));
}

/* Writes the rule that a register is saved `words` below the CFA. */
static void put_saved(struct mp_buf *to, uint8_t reg, uint64_t words)
{
	mp_buf_byte(to, (char)(CFA_OFFSET | reg));
	put_uleb(to, words);
}

/*
 * Writes the part that functions have in common: a call pushes the return address, or leaves it in
 * a register.
 */
static uint32_t put_cie(struct mp_buf *to, const struct mp_arch *arch, const char *letters)
{
	size_t at = begin_entry(to, UINT32_MAX);

	mp_buf_byte(to, 1); /* the version */
	mp_buf_add(to, letters, strlen(letters) + 1);
	mp_buf_byte(to, 1); /* the code alignment */
	mp_buf_byte(to, DATA_ALIGN);
	mp_buf_byte(to, (char)arch->ra);
	if (*letters)
		put_uleb(to, 0); /* no data for the augmentation */
	put_cfa(to, arch->sp, arch->link_register ? 0 : 8);
	if (!arch->link_register)
		put_saved(to, arch->ra, 1);
	end_entry(to, at);
	return (uint32_t)at;
}

static void put_advance(struct mp_buf *to, uint32_t by)
{
	if (by < 0x40) {
		mp_buf_byte(to, (char)(CFA_ADVANCE | by));
		return;
	}
	mp_buf_byte(to, by <= UINT8_MAX	   ? CFA_ADVANCE1
			: by <= UINT16_MAX ? CFA_ADVANCE2
					   : CFA_ADVANCE4);
	put_fixed(to, by, by <= UINT8_MAX ? 1 : by <= UINT16_MAX ? 2 : 4);
}

/*
 * Writes the rules from the current address on, in a function whose frame has `size` bytes at this
 * address.
 */
static void put_frame(struct mp_buf *to, const struct mp_arch *arch, uint64_t size)
{
	mp_buf_byte(to, CFA_DEF_CFA_OFFSET);
	put_uleb(to, arch->link_register ? size : size + 8);
	if (!arch->link_register)
		return;
	if (size) /* the return address is at the stack pointer */
		put_saved(to, arch->ra, size / 8);
	else
		put_register(to, CFA_SAME_VALUE, arch->ra);
}

/*
 * Writes the rules of a function that sets the stack pointer, since it switches to the stack of the
 * runtime or of C. The frame pointer leads back, since the function leaves it unchanged or saves
 * it. Two functions end the walk: mcall, where the stack of the runtime begins, since the goroutine
 * may run on another thread by now; and morestack, which is called before its caller has a frame.
 */
static void put_switch(struct mp_buf *to, const struct mp_arch *arch, const char *name)
{
	if (arch->link_register || strncmp(name, "runtime.mcall", 13) == 0) {
		put_register(to, CFA_UNDEFINED, arch->ra);
	} else if (strncmp(name, "runtime.morestack", 17) == 0) {
		put_register(to, CFA_SAME_VALUE, arch->ra);
	} else {
		put_cfa(to, arch->fp, 16);
		put_saved(to, arch->fp, 2);
	}
}

/*
 * Finds where the frame pointer is saved. This is needed on x86-64, where code that Go calls may
 * use the register. Either a function allocates its frame in one step, and its next instruction, of
 * 5 or 8 bytes, stores the frame pointer; or (from Go 1.21 on) its first step pushes the frame
 * pointer. Functions in assembler push other registers, too.
 */
static void put_saved_fp(struct mp_buf *to, const struct mp_gopclntab *t,
			 const struct mp_arch *arch, const struct function *f, struct steps *s)
{
	enum { STORED = 8 };

	if (arch->link_register || f->flags & ASSEMBLER)
		return;
	if (s->size == 0 && s->saved) {
		put_register(to, CFA_SAME_VALUE, arch->fp);
		s->saved = false;
	} else if (s->size == 8 && t->has_start_line && !s->saved) {
		put_saved(to, arch->fp, 2);
		s->saved = true;
	} else if (s->size > 8 && !s->saved && s->by > STORED) {
		put_advance(to, STORED);
		s->last += STORED;
		put_saved(to, arch->fp, 2);
		s->saved = true;
	}
}

/*
 * Writes the instructions for the steps of the frame size. Returns for how many bytes of the
 * function they are valid.
 */
static uint64_t put_steps(struct mp_buf *to, const struct mp_gopclntab *t,
			  const struct mp_arch *arch, const struct function *f)
{
	struct mp_bytes b = bytes_at(t, t->steps + f->steps);
	struct steps s = { .size = -1 };
	size_t begin = to->len;
	uint64_t at;
	uint32_t delta;

	for (at = 0; at < f->size && to->len - begin < FUNCTION_MAX_BYTES; at += s.by) {
		delta = (uint32_t)mp_bytes_uleb(&b);
		if (!delta && at)
			return f->size;
		s.size += delta & 1 ? ~(int64_t)(delta >> 1) : (int64_t)(delta >> 1);
		s.by = mp_bytes_uleb(&b) * t->quantum;
		if (b.failed || s.size < 0 || s.size > FRAME_MAX || s.size % 8 || !s.by ||
		    s.by > f->size - at)
			return at;
		if (at > s.last)
			put_advance(to, (uint32_t)(at - s.last));
		s.last = at;
		put_frame(to, arch, (uint64_t)s.size);
		put_saved_fp(to, t, arch, f, &s);
	}
	return at;
}

/* Adds the rules of a function, up to the first damaged step. */
static void put_function(struct mp_buf *to, const struct mp_gopclntab *t,
			 const struct mp_arch *arch, const struct function *f, uint32_t switches)
{
	bool other_stack = !(f->flags & TOP_FRAME) && f->flags & WRITES_SP;
	size_t at = begin_entry(to, other_stack ? switches : 0), size_at;
	uint64_t size = f->size;

	put_fixed(to, f->start, 8);
	size_at = to->len;
	put_fixed(to, size, 8);
	if (other_stack)
		put_uleb(to, 0);
	if (f->flags & TOP_FRAME)
		put_register(to, CFA_UNDEFINED, arch->ra);
	else if (other_stack)
		put_switch(to, arch, f->name);
	else
		size = put_steps(to, t, arch, f);
	memcpy(to->p + size_at, &size, sizeof(size));
	end_entry(to, at); /* an empty function is skipped */
}

void mp_gopclntab_frames(const struct mp_gopclntab *t, const struct mp_arch *arch,
			 struct mp_buf *to, size_t max)
{
	const char letters[] = { 'z', MP_CFI_OTHER_STACK, '\0' };
	struct function f;
	uint32_t switches;
	uint64_t i;

	to->len = 0;
	put_cie(to, arch, "");
	switches = put_cie(to, arch, letters);
	max = MP_MIN(max, (t->size + 1) * GROWTH_MAX);
	for (i = 0; i < t->n && to->len <= max; i++)
		if (read_function(t, i, &f) && (f.steps || f.flags & (TOP_FRAME | WRITES_SP)))
			put_function(to, t, arch, &f, switches);
}
