// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/cfi.h"

#include <stdlib.h>

#include "lib/capture/host/arch.h"
#include "lib/capture/object/cfisection.h"

enum {
	SECTIONS_MAX = 4,
	SAVED_MAX = 8,
	/*
	 * Steps of all functions of a file; the 5,000,000 rows of a large browser take as many.
	 * Some steps count as several:
	 */
	ALL_STEPS = 1u << 27,
	STATE_STEPS = 8, /* a state is copied */
	ROW_STEPS = 16,	 /* a row is made */
};

/* Instructions (DWARF 5, table 7.29, and extensions that compilers use). */
enum {
	/* this and the following two have an operand in their low six bits */
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct mp_cfi {
	const struct mp_arch *arch;
	struct mp_cfi_section sections[SECTIONS_MAX + 1]; /* the last one is never in use */
	size_t n_sections;
};

struct rule {
	uint8_t kind;
	int32_t value;
};

struct state {
	struct rule regs[MP_CFI_REGS];
	int32_t cfa_value;
	uint8_t cfa_reg;
	bool cfa_expr;
	bool ra_signed;
};

/* A program (a sequence of instructions of call frame information) while it is executed. */
struct run {
	const struct mp_cfi_section *s;
	struct mp_cfi_cie cie;
	struct mp_bytes b;
	uint64_t loc, end; /* where the current row begins, and where the function ends */
	struct state now, initial, saved[SAVED_MAX];
	size_t n_saved;
	unsigned *steps; /* steps that are left */
};

static const char what[] = "call frame information";

struct mp_cfi *mp_cfi_new(const struct mp_arch *arch)
{
	struct mp_cfi *c = mp_zalloc(sizeof(*c));

	c->arch = arch;
	return c;
}

const struct mp_arch *mp_cfi_arch(const struct mp_cfi *c)
{
	return c->arch;
}

void mp_cfi_free(struct mp_cfi *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->n_sections; i++) {
		free(c->sections[i].data);
		free(c->sections[i].fdes);
	}
	free(c);
}

void mp_cfi_give(struct mp_cfi *c, bool eh_frame, void *data, size_t size, uint64_t addr,
		 struct mp_limit *limit)
{
	struct mp_cfi_section *s = &c->sections[c->n_sections];

	*s = (struct mp_cfi_section){
		.arch = c->arch,
		.data = data,
		.size = size,
		.addr = addr,
		.eh_frame = eh_frame,
	};
	if (c->n_sections == SECTIONS_MAX || size == 0 || size > INT32_MAX) {
		free(data);
		return;
	}
	s->cap = mp_cfi_section_count(s);
	if (!mp_limit_take(limit, s->cap * sizeof(*s->fdes), what)) {
		free(data);
		return;
	}
	s->fdes = mp_alloc(s->cap * sizeof(*s->fdes));
	c->n_sections++;
	mp_cfi_section_index(s);
	if (s->limited)
		mp_limit_exceed(limit, what);
}

void mp_cfi_add(struct mp_cfi *c, bool eh_frame, const void *data, size_t size, uint64_t addr)
{
	struct mp_limit limit = { .bytes = SIZE_MAX };

	mp_cfi_give(c, eh_frame, mp_memdup(data, size), size, addr, &limit);
}

size_t mp_cfi_count(const struct mp_cfi *c)
{
	size_t n = 0, i;

	for (i = 0; i < c->n_sections; i++)
		n += c->sections[i].n;
	return n;
}

size_t mp_cfi_bytes(const struct mp_cfi *c)
{
	size_t n = sizeof(*c), i;

	for (i = 0; i < c->n_sections; i++)
		n += c->sections[i].size + c->sections[i].cap * sizeof(struct mp_cfi_fde);
	return n;
}

/* --- programs --------------------------------------------------------------------------------- */

/* Counts steps; fails if fewer are left. */
static void count_steps(struct run *r, unsigned n)
{
	r->b.failed |= *r->steps < n;
	*r->steps -= MP_MIN(*r->steps, n);
}

static void set_rule(struct run *r, uint64_t reg, enum mp_cfi_kind kind, int64_t value)
{
	if (value < INT32_MIN || value > INT32_MAX)
		r->b.failed = true;
	/* registers with higher numbers are for floating point */
	else if (reg < r->s->arch->cfi_regs)
		r->now.regs[reg] = (struct rule){ kind, (int32_t)value };
}

static void restore_rule(struct run *r, uint64_t reg)
{
	if (reg < r->s->arch->cfi_regs)
		r->now.regs[reg] = r->initial.regs[reg];
}

static void set_cfa(struct run *r, uint64_t reg, int64_t value)
{
	r->b.failed |= reg >= r->s->arch->cfi_regs || value < INT32_MIN || value > INT32_MAX;
	r->now.cfa_reg = (uint8_t)reg;
	r->now.cfa_value = (int32_t)value;
	r->now.cfa_expr = false;
}

/* Skips an expression. Returns the section offset of its length field, which precedes its bytes. */
static int64_t next_block(struct run *r)
{
	int64_t at = r->b.p - r->s->data;

	mp_bytes_skip(&r->b, mp_bytes_uleb(&r->b));
	return at;
}

static void set_cfa_expr(struct run *r)
{
	/* no overflow, since a section is smaller than 2 GiB */
	r->now.cfa_value = (int32_t)next_block(r);
	r->now.cfa_expr = true;
}

static void remember(struct run *r)
{
	count_steps(r, STATE_STEPS);
	if (r->n_saved == SAVED_MAX)
		r->b.failed = true;
	else
		r->saved[r->n_saved++] = r->now;
}

static void recall(struct run *r)
{
	count_steps(r, STATE_STEPS);
	if (r->n_saved == 0)
		r->b.failed = true;
	else
		r->now = r->saved[--r->n_saved];
}

/* Converts an offset, whose unit is the data alignment, to bytes. Hostile offsets wrap around. */
static int64_t scaled(const struct run *r, uint64_t v)
{
	return (int64_t)(v * (uint64_t)r->cie.data_align);
}

/*
 * Executes an instruction that sets the rule of a register. Returns false if it is another
 * instruction.
 */
static bool register_instruction(struct run *r, unsigned op)
{
	struct mp_bytes *b = &r->b;
	uint64_t reg;

	if (op < CFA_OFFSET_EXTENDED || op == CFA_REMEMBER_STATE || op == CFA_RESTORE_STATE)
		return false;
	reg = mp_bytes_uleb(b);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(r, reg, MP_CFI_AT, scaled(r, mp_bytes_uleb(b)));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(r, reg, MP_CFI_AT, scaled(r, mp_bytes_sleb(b)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_rule(r, reg, MP_CFI_AT, scaled(r, -mp_bytes_uleb(b)));
		break;
	case CFA_VAL_OFFSET:
		set_rule(r, reg, MP_CFI_VALUE, scaled(r, mp_bytes_uleb(b)));
		break;
	case CFA_VAL_OFFSET_SF:
		set_rule(r, reg, MP_CFI_VALUE, scaled(r, mp_bytes_sleb(b)));
		break;
	case CFA_RESTORE_EXTENDED:
		restore_rule(r, reg);
		break;
	case CFA_UNDEFINED:
		set_rule(r, reg, MP_CFI_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set_rule(r, reg, MP_CFI_SAME, 0);
		break;
	case CFA_REGISTER:
		set_rule(r, reg, MP_CFI_REGISTER, (int64_t)mp_bytes_uleb(b));
		break;
	case CFA_EXPRESSION:
		set_rule(r, reg, MP_CFI_AT_EXPR, next_block(r));
		break;
	case CFA_VAL_EXPRESSION:
		set_rule(r, reg, MP_CFI_VALUE_EXPR, next_block(r));
		break;
	default:
		return false;
	}
	return true;
}

/* Executes an instruction that sets the CFA or the complete state. */
static void state_instruction(struct run *r, unsigned op)
{
	struct mp_bytes *b = &r->b;
	uint64_t reg;

	switch (op) {
	case CFA_NOP:
		break;
	case CFA_REMEMBER_STATE:
		remember(r);
		break;
	case CFA_RESTORE_STATE:
		recall(r);
		break;
	case CFA_DEF_CFA:
		reg = mp_bytes_uleb(b);
		set_cfa(r, reg, (int64_t)mp_bytes_uleb(b));
		break;
	case CFA_DEF_CFA_SF:
		reg = mp_bytes_uleb(b);
		set_cfa(r, reg, scaled(r, mp_bytes_sleb(b)));
		break;
	case CFA_DEF_CFA_REGISTER:
		set_cfa(r, mp_bytes_uleb(b), r->now.cfa_value);
		break;
	case CFA_DEF_CFA_OFFSET:
		set_cfa(r, r->now.cfa_reg, (int64_t)mp_bytes_uleb(b));
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		set_cfa(r, r->now.cfa_reg, scaled(r, mp_bytes_sleb(b)));
		break;
	case CFA_DEF_CFA_EXPRESSION:
		set_cfa_expr(r);
		break;
	case CFA_GNU_ARGS_SIZE:
		mp_bytes_uleb(b);
		break;
	default:
		b->failed = true;
	}
}

static bool is_cfa_instruction(unsigned op)
{
	return op < CFA_OFFSET_EXTENDED || op == CFA_REMEMBER_STATE || op == CFA_RESTORE_STATE ||
	       (op >= CFA_DEF_CFA && op <= CFA_DEF_CFA_EXPRESSION) || op == CFA_DEF_CFA_SF ||
	       op == CFA_DEF_CFA_OFFSET_SF || op == CFA_GNU_ARGS_SIZE;
}

/*
 * Executes up to the next advance of the location, or to the end. Returns the size of the advance.
 */
static uint64_t next_advance(struct run *r)
{
	struct mp_bytes *b = &r->b;

	while (b->p < b->end && !b->failed) {
		unsigned op = mp_bytes_fixed(b, 1), operand = op & 0x3f;
		uint64_t by = 0;

		count_steps(r, 1);
		switch (op & 0xc0 ? op & 0xc0 : op) {
		case CFA_ADVANCE_LOC:
			by = operand * r->cie.code_align;
			break;
		case CFA_OFFSET:
			set_rule(r, operand, MP_CFI_AT, scaled(r, mp_bytes_uleb(b)));
			continue;
		case CFA_RESTORE:
			restore_rule(r, operand);
			continue;
		case CFA_SET_LOC:
			by = mp_cfi_next_pointer(b, r->s, r->cie.encoding, true) - r->loc;
			break;
		case CFA_ADVANCE_LOC1:
			by = mp_bytes_fixed(b, 1) * r->cie.code_align;
			break;
		case CFA_ADVANCE_LOC2:
			by = mp_bytes_fixed(b, 2) * r->cie.code_align;
			break;
		case CFA_ADVANCE_LOC4:
			by = mp_bytes_fixed(b, 4) * r->cie.code_align;
			break;
		default:
			if (op && op == r->s->arch->cfa_sign)
				r->now.ra_signed = !r->now.ra_signed;
			else if (is_cfa_instruction(op))
				state_instruction(r, op);
			else if (!register_instruction(r, op))
				b->failed = true;
			continue;
		}
		if (by)
			return by;
	}
	return r->end - r->loc;
}

/*
 * Prepares to execute the program of a function. `r` may be that of the preceding function; if both
 * have the same CIE, its instructions are not executed again.
 */
static bool begin(struct run *r, const struct mp_cfi_section *s, const struct mp_cfi_fde *f)
{
	struct mp_bytes all = { s->data + f->at, s->data + s->size, false }, b;
	size_t executed = r->s == s ? r->cie.at : SIZE_MAX;
	uint64_t start, size;
	bool wide;

	r->s = s;
	r->cie.at = executed;
	r->n_saved = 0;
	if (!mp_cfi_next_entry(&all, &b, &wide) ||
	    !mp_cfi_parse_fde(s, &b, wide, &r->cie, &start, &size))
		return false;
	r->loc = start;
	r->end = start + size;
	if (r->cie.at != executed) {
		memset(&r->now, 0, sizeof(r->now));
		r->b = (struct mp_bytes){ r->cie.code, r->cie.code_end, false };
		next_advance(r);
		r->initial = r->now;
		if (r->b.failed) {
			r->cie.at = SIZE_MAX;
			return false;
		}
	}
	r->now = r->initial;
	r->b = b;
	return true;
}

static void make_row(const struct mp_cfi *c, const struct run *r, uint64_t end,
		     struct mp_cfi_row *row)
{
	size_t i;

	*row = (struct mp_cfi_row){
		.start = r->loc,
		.end = end,
		.cfi = c,
		.cfa_value = r->now.cfa_value,
		.cfa_reg = r->now.cfa_reg,
		.cfa_expr = r->now.cfa_expr,
		.signal = r->cie.signal,
		.other_stack = r->cie.other_stack,
		.ra_signed = r->now.ra_signed,
		.section = r->s - c->sections,
		.ra_reg = r->cie.ra_reg,
		.ra_kind = r->now.regs[r->cie.ra_reg].kind,
	};
	for (i = 0; i < c->arch->cfi_regs; i++) {
		const struct rule *rule = &r->now.regs[i];

		if (rule->kind == MP_CFI_SAME)
			continue;
		if (row->n_rules == MP_CFI_RULES) {
			row->overflow = true;
			break;
		}
		row->rules[row->n_rules++] = (struct mp_cfi_rule){ i, rule->kind, rule->value };
	}
}

/*
 * Executes the program up to the row of an address. Returns the end of the row, or 0 if there is
 * none or the program is damaged.
 */
static uint64_t run_to(struct run *r, uint64_t addr)
{
	uint64_t by;

	for (;;) {
		by = next_advance(r);
		if (r->b.failed)
			return 0;
		if (addr - r->loc < by)
			return r->loc + by;
		if (r->b.p == r->b.end || r->loc + by < r->loc)
			return 0;
		r->loc += by;
	}
}

static int find(const struct mp_cfi *c, uint64_t addr, struct run *r, uint64_t *end,
		unsigned *steps)
{
	const struct mp_cfi_fde *f = NULL;
	size_t i;

	for (i = 0; i < c->n_sections; i++) {
		f = mp_cfi_section_find(&c->sections[i], addr);
		if (f)
			break;
	}
	if (!f)
		return 0;
	r->s = NULL;
	r->steps = steps;
	if (!begin(r, &c->sections[i], f))
		return -1;
	*end = run_to(r, addr);
	return *end ? 1 : -1;
}

int mp_cfi_find(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_row *row, unsigned *steps)
{
	struct run r;
	uint64_t end;
	int found = find(c, addr, &r, &end, steps);

	if (found > 0)
		make_row(c, &r, end, row);
	return found;
}

int mp_cfi_find_full(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_full *full,
		     unsigned *steps)
{
	struct run r;
	uint64_t end;
	int found = find(c, addr, &r, &end, steps);
	size_t i;

	full->n = 0;
	for (i = 0; found > 0 && i < c->arch->cfi_regs; i++) {
		const struct rule *rule = &r.now.regs[i];

		if (rule->kind != MP_CFI_SAME)
			full->rules[full->n++] = (struct mp_cfi_rule){ i, rule->kind, rule->value };
	}
	return found;
}

static void each_of_function(const struct mp_cfi *c, struct run *r, const struct mp_cfi_section *s,
			     const struct mp_cfi_fde *f, mp_cfi_fn *each, void *arg)
{
	struct mp_cfi_row row;
	uint64_t by;

	if (!begin(r, s, f))
		return;
	do {
		by = next_advance(r);
		count_steps(r, ROW_STEPS);
		if (r->b.failed || by > r->end - r->loc)
			return;
		make_row(c, r, r->loc + by, &row);
		each(arg, &row);
		r->loc += by;
	} while (r->loc < r->end);
}

/* Whether a section that is searched before this one has the address. */
static bool is_hidden(const struct mp_cfi *c, size_t section, uint64_t addr)
{
	size_t i;

	for (i = 0; i < section; i++)
		if (mp_cfi_section_find(&c->sections[i], addr))
			return true;
	return false;
}

/*
 * The section whose next function has the lowest address; n_sections if there are no more
 * functions.
 */
static size_t next_section(const struct mp_cfi *c, const size_t *at)
{
	size_t best = c->n_sections, i;

	for (i = 0; i < c->n_sections; i++) {
		const struct mp_cfi_section *s = &c->sections[i];

		if (at[i] < s->n && (best == c->n_sections ||
				     s->fdes[at[i]].start < c->sections[best].fdes[at[best]].start))
			best = i;
	}
	return best;
}

bool mp_cfi_each(const struct mp_cfi *c, mp_cfi_fn *each, void *arg)
{
	unsigned steps = ALL_STEPS;
	struct run r = { .s = NULL, .steps = &steps };
	size_t at[SECTIONS_MAX] = { 0 }, i;

	while (steps && (i = next_section(c, at)) < c->n_sections) {
		const struct mp_cfi_fde *f = &c->sections[i].fdes[at[i]++];

		if (!is_hidden(c, i, f->start))
			each_of_function(c, &r, &c->sections[i], f, each, arg);
	}
	return steps > 0;
}

const uint8_t *mp_cfi_expr(const struct mp_cfi_row *row, int32_t value, size_t *len)
{
	const struct mp_cfi_section *s = &row->cfi->sections[row->section];
	struct mp_bytes b = { s->data + value, s->data + s->size, false };

	if (value < 0 || (size_t)value >= s->size)
		return NULL;
	*len = mp_bytes_uleb(&b);
	return b.failed || *len > (size_t)(b.end - b.p) ? NULL : b.p;
}
