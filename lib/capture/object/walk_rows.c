// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/walk_rows.h"

#include <string.h>

#include "lib/capture/object/bytes.h"

enum { OP_BREG0 = 0x70, OP_DEREF = 0x06 };

struct table {
	struct mp_bpf_row *v;
	size_t n, cap;
	uint64_t end; /* end of the preceding row; 0: there is none */
	struct mp_limit *limit;
};

static const char what[] = "call frame information";

static const struct mp_cfi_rule *rule_of(const struct mp_cfi_row *row, uint8_t reg)
{
	size_t i;

	for (i = 0; i < row->n_rules; i++)
		if (row->rules[i].reg == reg)
			return &row->rules[i];
	return NULL;
}

/*
 * Whether an expression begins with "frame pointer + offset"; `rest` gets the operations after
 * that.
 */
static bool is_by_fp(const struct mp_arch *arch, const uint8_t *expr, size_t len, int64_t *offset,
		     struct mp_bytes *rest)
{
	*rest = (struct mp_bytes){ expr, expr + len, false };
	if (mp_bytes_fixed(rest, 1) != OP_BREG0 + (uint64_t)arch->fp)
		return false;
	*offset = mp_bytes_sleb(rest);
	return !rest->failed;
}

static bool set_cfa(struct mp_bpf_row *to, enum mp_bpf_kind kind, int64_t offset)
{
	to->kind = kind;
	to->cfa = (int16_t)(offset / 8);
	return offset % 8 == 0 && offset / 8 == to->cfa;
}

/* Recognizes the two expressions that occur: for PLT stubs, and for realigned frames. */
static bool set_cfa_expr(struct mp_bpf_row *to, const struct mp_cfi_row *row)
{
	const struct mp_arch *arch = mp_cfi_arch(row->cfi);
	const struct mp_arch_bpf *bpf = arch->bpf;
	struct mp_bytes rest;
	int64_t offset;
	size_t len;
	const uint8_t *expr = mp_cfi_expr(row, row->cfa_value, &len);

	if (!expr)
		return false;
	if (len == bpf->plt_cfa_len && memcmp(expr, bpf->plt_cfa, len) == 0)
		return set_cfa(to, MP_BPF_PLT, 0);
	return is_by_fp(arch, expr, len, &offset, &rest) && rest.end - rest.p == 1 &&
	       rest.p[0] == OP_DEREF && set_cfa(to, MP_BPF_FP_DEREF, offset);
}

static bool set_fp(struct mp_bpf_row *to, const struct mp_cfi_row *row)
{
	const struct mp_arch *arch = mp_cfi_arch(row->cfi);
	const struct mp_cfi_rule *rule = rule_of(row, arch->fp);
	struct mp_bytes rest;
	const uint8_t *expr;
	int64_t offset;
	size_t len;

	if (!rule)
		return true;
	if (rule->kind == MP_CFI_AT && rule->value < 0) {
		to->fp = (int8_t)(rule->value / 8);
		return rule->value % 8 == 0 && rule->value / 8 == to->fp;
	}
	expr = rule->kind == MP_CFI_AT_EXPR ? mp_cfi_expr(row, rule->value, &len) : NULL;
	to->fp = 1;
	return expr && is_by_fp(arch, expr, len, &offset, &rest) && rest.p == rest.end &&
	       offset == 0;
}

static struct mp_bpf_row convert(const struct mp_cfi_row *row)
{
	struct mp_bpf_row to = { .pc = (uint32_t)row->start }, other = to;
	const struct mp_cfi_rule *ra = rule_of(row, row->ra_reg);
	const struct mp_arch *arch = mp_cfi_arch(row->cfi);
	bool known;

	other.kind = MP_BPF_OTHER;
	to.kind = row->ra_kind == MP_CFI_UNDEFINED ? MP_BPF_ROOT : MP_BPF_SIGNAL;
	if (row->signal || row->ra_kind == MP_CFI_UNDEFINED)
		return to;
	if (row->cfa_expr)
		known = set_cfa_expr(&to, row);
	else if (row->cfa_reg == arch->sp || row->cfa_reg == arch->fp)
		known = set_cfa(&to, row->cfa_reg == arch->sp ? MP_BPF_SP : MP_BPF_FP,
				row->cfa_value);
	else
		known = false;
	if (known && to.kind == MP_BPF_SP && ra && ra->kind == MP_CFI_REGISTER &&
	    ra->value == arch->bpf->ra_copy) {
		to.kind = MP_BPF_RA_DI;
		return to;
	}
	known = known && ra && ra->kind == MP_CFI_AT && ra->value == -8 && set_fp(&to, row);
	if (known && to.kind == MP_BPF_FP && row->other_stack)
		to.kind = MP_BPF_SWITCH;
	return known ? to : other;
}

static void add(struct table *t, struct mp_bpf_row row)
{
	const struct mp_bpf_row *last = t->n ? &t->v[t->n - 1] : NULL;

	if (last && last->kind == row.kind && last->cfa == row.cfa && last->fp == row.fp)
		return;
	if (!mp_limit_take(t->limit, sizeof(row), what))
		return;
	t->v = mp_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = row;
}

static void add_gap(struct table *t, uint64_t pc)
{
	add(t, (struct mp_bpf_row){ .pc = (uint32_t)pc, .kind = MP_BPF_NOTHING });
}

/* Adds a row. If functions overlap, the first one is used. */
static void add_cfi_row(void *arg, const struct mp_cfi_row *row)
{
	struct table *t = arg;

	if (row->start < t->end || row->end > UINT32_MAX)
		return;
	if (t->n && row->start > t->end)
		add_gap(t, t->end);
	add(t, convert(row));
	t->end = row->end;
}

struct mp_bpf_row *mp_cfi_walk_rows(const struct mp_cfi *c, size_t *n, struct mp_limit *limit)
{
	struct table t = { .limit = limit };

	if (mp_cfi_arch(c)->bpf && !mp_cfi_each(c, add_cfi_row, &t))
		mp_limit_exceed(limit, what);
	if (t.n)
		add_gap(&t, t.end);
	*n = t.n;
	return t.v;
}

uint64_t mp_cfi_walk_rows_room(const struct mp_bpf_row *rows, size_t n)
{
	uint64_t pages = n ? (rows[n - 1].pc - rows[0].pc) >> MP_BPF_PAGE_SHIFT : 0;

	return MP_MAX((uint64_t)n, (pages + 2) * MP_BPF_ROWS_A_PAGE);
}
