// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/cfiexpr.h"

#include "lib/capture/object/bytes.h"

enum { DEPTH_MAX = 32 };

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,	 /* the first of OP_LIT0 to OP_LIT31 */
	OP_BREG0 = 0x70, /* the first of OP_BREG0 to OP_BREG31 */
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

struct eval {
	const struct mp_cfi_machine *m;
	const uint8_t *begin;
	struct mp_bytes b;
	uint64_t stack[DEPTH_MAX];
	size_t n;
	enum mp_cfi_result result;
};

static void fail(struct eval *e, enum mp_cfi_result why)
{
	if (e->result == MP_CFI_DONE)
		e->result = why;
}

static void push(struct eval *e, uint64_t v)
{
	if (e->n == DEPTH_MAX)
		fail(e, MP_CFI_BAD);
	else
		e->stack[e->n++] = v;
}

static uint64_t pop(struct eval *e)
{
	if (e->n == 0) {
		fail(e, MP_CFI_BAD);
		return 0;
	}
	return e->stack[--e->n];
}

/* Pushes a copy of the element at `depth` below the top of the stack. */
static void pick(struct eval *e, size_t depth)
{
	if (depth >= e->n)
		fail(e, MP_CFI_BAD);
	else
		push(e, e->stack[e->n - 1 - depth]);
}

static void push_reg(struct eval *e, uint64_t reg)
{
	int64_t offset = mp_bytes_sleb(&e->b);

	if (reg >= e->m->n_regs)
		fail(e, MP_CFI_BAD);
	else
		push(e, e->m->regs[reg] + (uint64_t)offset);
}

static void deref(struct eval *e, uint64_t size)
{
	uint64_t v = 0;

	if (size == 0 || size > sizeof(v))
		fail(e, MP_CFI_BAD);
	else if (!e->m->read(e->m->arg, pop(e), size, &v))
		fail(e, MP_CFI_NO_DATA);
	push(e, v);
}

static void jump(struct eval *e, bool taken)
{
	int64_t by = mp_bytes_signed(&e->b, 2), at = e->b.p - e->begin + by;

	if (!taken)
		return;
	if (at < 0 || at > e->b.end - e->begin)
		fail(e, MP_CFI_BAD);
	else
		e->b.p = e->begin + at;
}

/* Computes an operation on two elements; `a` was below `b` on the stack. */
static uint64_t two(struct eval *e, unsigned op, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OP_AND:
		return a & b;
	case OP_DIV:
	case OP_MOD:
		if (b == 0 || (sa == INT64_MIN && sb == -1)) {
			fail(e, MP_CFI_BAD);
			return 0;
		}
		return op == OP_MOD ? a % b : (uint64_t)(sa / sb);
	case OP_MINUS:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_OR:
		return a | b;
	case OP_PLUS:
		return a + b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR:
		return b < 64 ? a >> b : 0;
	case OP_SHRA:
		return (uint64_t)(sa >> MP_MIN(b, 63u));
	case OP_XOR:
		return a ^ b;
	case OP_EQ:
		return a == b;
	case OP_GE:
		return sa >= sb;
	case OP_GT:
		return sa > sb;
	case OP_LE:
		return sa <= sb;
	case OP_LT:
		return sa < sb;
	case OP_NE:
		return a != b;
	}
	fail(e, MP_CFI_BAD);
	return 0;
}

/* Pushes a constant; false if the operation is not a constant. */
static bool constant(struct eval *e, unsigned op)
{
	struct mp_bytes *b = &e->b;

	if (op >= OP_LIT0 && op < OP_LIT0 + 32) {
		push(e, op - OP_LIT0);
		return true;
	}
	switch (op) {
	case OP_ADDR:
	case OP_CONST8U:
	case OP_CONST8S:
		push(e, mp_bytes_fixed(b, 8));
		break;
	case OP_CONST1U:
	case OP_CONST2U:
	case OP_CONST4U:
		push(e, mp_bytes_fixed(b, (size_t)1 << (op - OP_CONST1U) / 2));
		break;
	case OP_CONST1S:
	case OP_CONST2S:
	case OP_CONST4S:
		push(e, mp_bytes_signed(b, (size_t)1 << (op - OP_CONST1S) / 2));
		break;
	case OP_CONSTU:
		push(e, mp_bytes_uleb(b));
		break;
	case OP_CONSTS:
		push(e, mp_bytes_sleb(b));
		break;
	default:
		return false;
	}
	return true;
}

/* Moves elements of the stack; false if it is another operation. */
static bool shuffle(struct eval *e, unsigned op)
{
	uint64_t a, b, c;

	switch (op) {
	case OP_DUP:
		pick(e, 0);
		break;
	case OP_DROP:
		pop(e);
		break;
	case OP_OVER:
		pick(e, 1);
		break;
	case OP_PICK:
		pick(e, mp_bytes_fixed(&e->b, 1));
		break;
	case OP_SWAP:
		b = pop(e);
		a = pop(e);
		push(e, b);
		push(e, a);
		break;
	case OP_ROT: /* moves the top element below the next two */
		c = pop(e);
		b = pop(e);
		a = pop(e);
		push(e, c);
		push(e, a);
		push(e, b);
		break;
	default:
		return false;
	}
	return true;
}

static void step(struct eval *e)
{
	unsigned op = mp_bytes_fixed(&e->b, 1);
	uint64_t v;

	if (constant(e, op) || shuffle(e, op))
		return;
	if (op >= OP_BREG0 && op < OP_BREG0 + 32) {
		push_reg(e, op - OP_BREG0);
		return;
	}
	switch (op) {
	case OP_NOP:
		break;
	case OP_BREGX:
		push_reg(e, mp_bytes_uleb(&e->b));
		break;
	case OP_DEREF:
		deref(e, sizeof(uint64_t));
		break;
	case OP_DEREF_SIZE:
		deref(e, mp_bytes_fixed(&e->b, 1));
		break;
	case OP_ABS:
		v = pop(e);
		push(e, (int64_t)v < 0 ? -v : v);
		break;
	case OP_NEG:
		push(e, -pop(e));
		break;
	case OP_NOT:
		push(e, ~pop(e));
		break;
	case OP_PLUS_UCONST:
		v = mp_bytes_uleb(&e->b);
		push(e, pop(e) + v);
		break;
	case OP_SKIP:
		jump(e, true);
		break;
	case OP_BRA:
		jump(e, pop(e) != 0);
		break;
	default:
		v = pop(e);
		push(e, two(e, op, pop(e), v));
	}
}

enum mp_cfi_result mp_cfi_eval(const uint8_t *expr, size_t len, const struct mp_cfi_machine *m,
			       const uint64_t *cfa, uint64_t *result)
{
	struct eval e = { .m = m, .begin = expr, .b = { expr, expr + len, false } };

	if (cfa)
		push(&e, *cfa);
	while (e.b.p < e.b.end && e.result == MP_CFI_DONE) {
		if (!*m->steps) {
			fail(&e, MP_CFI_BAD);
			break;
		}
		--*m->steps;
		step(&e);
		if (e.b.failed)
			fail(&e, MP_CFI_BAD);
	}
	*result = pop(&e);
	return e.result;
}
