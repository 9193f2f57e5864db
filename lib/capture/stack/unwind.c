// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/unwind.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/capture/object/cfiexpr.h"

enum {
	CACHE_SETS = 1 << 14, /* number of sets of two rows; all sets take 5 MiB */
	CACHE_WAYS = 2,
	STACK_MAX = 8 << 20, /* greatest plausible distance of an address from the stack pointer */
};

/*
 * A cached result of mp_cfi_find(). The key consists of the cfi_id of the file and the offset in
 * it.
 */
struct mp_unwind_row {
	uint64_t cfi_id; /* id of the file's call frame information; 0: the row is empty */
	uint64_t offset;
	int found; /* the result of mp_cfi_find() */
	struct mp_cfi_row row;
};

/* The state of a walk: the registers of the current frame, and how to read the stack. */
struct walk {
	struct mp_unwinder *u;
	const struct mp_space *space;
	const struct mp_dump *dump;
	const struct mp_mapping *mapping; /* mapping of the preceding frame, or NULL */
	uint64_t regs[MP_CFI_REGS];
	uint64_t stack; /* address of the first byte of the copy */
	bool leaf;
	/* the program counter is that of an interrupted instruction, not a return address */
	bool exact;
	bool lost;  /* the program counter is not in code, so it does not belong to a frame */
	bool by_fp; /* some of the steps were along frame pointers */
	enum mp_unwind_end end;
	struct mp_unwind_row jit; /* of code that a just-in-time compiler has logged */
};

const char *mp_unwind_end_name(enum mp_unwind_end end)
{
	static const char *const names[MP_UNWIND_ENDS] = {
		[MP_UNWIND_COMPLETE] = "complete",
		[MP_UNWIND_NO_STACK] = "no-stack",
		[MP_UNWIND_STACK_SIZE] = "stack-size",
		[MP_UNWIND_ABSENT] = "absent",
		[MP_UNWIND_MAX_STACK] = "max-stack",
		[MP_UNWIND_MAPPING] = "mapping",
		[MP_UNWIND_FRAME_POINTER] = "frame-pointer",
		[MP_UNWIND_UNKNOWN] = "unknown",
		[MP_UNWIND_OTHER_STACK] = "other-stack",
		[MP_UNWIND_CFI] = "cfi",
		[MP_UNWIND_ABI] = "abi",
		[MP_UNWIND_NO_TABLES] = "tables",
	};

	return names[end];
}

void mp_unwinder_init(struct mp_unwinder *u, const struct mp_arch *arch, struct mp_dsos *dsos)
{
	*u = (struct mp_unwinder){ .arch = arch, .dsos = dsos };
	u->cache = mp_big_alloc(CACHE_SETS * CACHE_WAYS * sizeof(*u->cache));
	memset(u->cache, 0, CACHE_SETS * CACHE_WAYS * sizeof(*u->cache));
}

void mp_unwinder_release(struct mp_unwinder *u)
{
	if (u->cache)
		mp_big_free(u->cache, CACHE_SETS * CACHE_WAYS * sizeof(*u->cache));
	u->cache = NULL;
}

static int find_row(struct mp_unwinder *u, const struct mp_dso *dso, uint64_t offset,
		    struct mp_cfi_row *row)
{
	int found;

	mp_dso_begin(u->dsos, dso);
	found = mp_cfi_find(dso->cfi, mp_segments_address(&dso->segments, offset), row, &u->steps);
	mp_dso_end(u->dsos);
	return found;
}

/* The row of an offset in a file. A new row replaces the older one of the two in its set. */
static const struct mp_unwind_row *cached_row(struct mp_unwinder *u, const struct mp_dso *dso,
					      uint64_t offset)
{
	uint64_t hash = (offset + dso->cfi_id * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
	struct mp_unwind_row *set = &u->cache[(hash >> 50) % CACHE_SETS * CACHE_WAYS];

	u->looked_up++;
	if (set[0].offset == offset && set[0].cfi_id == dso->cfi_id)
		return &set[0];
	if (set[1].offset == offset && set[1].cfi_id == dso->cfi_id)
		return &set[1];
	u->missed++;
	set[1] = set[0];
	set[0].cfi_id = dso->cfi_id;
	set[0].offset = offset;
	set[0].found = find_row(u, dso, offset, &set[0].row);
	if (!u->steps) /* another walk may find it */
		set[0].cfi_id = 0;
	return &set[0];
}

static const struct mp_unwind_row *row_at(struct mp_unwinder *u, const struct mp_mapping *m,
					  uint64_t addr)
{
	if (!m || !m->dso)
		return NULL;
	if (!mp_dso_cfi(u->dsos, m->dso))
		return NULL;
	return cached_row(u, m->dso, addr - m->start + m->offset);
}

/* Whether the symbol of code without call frame information shows that it is a root. */
static bool is_root_symbol(struct mp_unwinder *u, const struct mp_mapping *m, uint64_t addr,
			   bool leaf)
{
	const struct mp_elfsym *symbols = m && m->dso ? mp_dso_symbols(u->dsos, m->dso) : NULL;

	return symbols &&
	       mp_elfsym_is_root(symbols, mp_elfsym_address(symbols, addr - m->start + m->offset),
				 leaf);
}

bool mp_unwind_is_root(struct mp_unwinder *u, const struct mp_space *space, uint64_t addr,
		       bool leaf)
{
	const struct mp_mapping *m = mp_space_find(space, addr);
	const struct mp_unwind_row *row;

	u->steps = MP_CFI_STEPS;
	row = row_at(u, m, addr);
	if (row && row->found > 0)
		return row->row.ra_kind == MP_CFI_UNDEFINED;
	return is_root_symbol(u, m, addr, leaf);
}

enum mp_unwind_end mp_unwind_check_root(struct mp_unwinder *u, const struct mp_space *space,
					const uint64_t *ips, size_t n, enum mp_unwind_end end)
{
	if (end != MP_UNWIND_UNKNOWN && end != MP_UNWIND_FRAME_POINTER)
		return end;
	return n && mp_unwind_is_root(u, space, ips[n - 1] - (n > 1), n == 1) ? MP_UNWIND_COMPLETE
									      : end;
}

/* --- a walk ----------------------------------------------------------------------------------- */

/* Reads from the copy of the stack. If the address is beyond its end, sets w->end to the reason. */
static bool read_stack(void *arg, uint64_t addr, size_t size, uint64_t *value)
{
	struct walk *w = arg;
	uint64_t at = addr - w->stack;

	*value = 0;
	if (at < w->dump->len && w->dump->len - at >= size) {
		memcpy(value, w->dump->stack + at, size);
		return true;
	}
	if (addr >= w->stack && at < STACK_MAX)
		w->end = at < w->dump->asked ? MP_UNWIND_ABSENT : MP_UNWIND_STACK_SIZE;
	return false;
}

static bool eval(struct walk *w, const struct mp_cfi_row *row, int32_t value, const uint64_t *cfa,
		 uint64_t *result)
{
	struct mp_cfi_machine m = { w->regs, MP_CFI_REGS, read_stack, w, &w->u->steps };
	size_t len;
	const uint8_t *expr = mp_cfi_expr(row, value, &len);

	return expr && mp_cfi_eval(expr, len, &m, cfa, result) == MP_CFI_DONE;
}

/*
 * Reads a saved register. In the middle of an epilogue, the tables may still give the place where a
 * register was saved, although it was popped: that place is below the stack pointer, and the
 * register has its value already.
 */
static bool read_saved(struct walk *w, uint8_t reg, uint64_t addr, uint64_t *value)
{
	if (addr < w->stack && reg != w->u->arch->pc) {
		*value = w->regs[reg];
		return true;
	}
	return read_stack(w, addr, sizeof(*value), value);
}

/* Finds the caller's value of a register. */
static bool apply_rule(struct walk *w, const struct mp_cfi_row *row, const struct mp_cfi_rule *rule,
		       uint64_t cfa, uint64_t *value)
{
	switch ((enum mp_cfi_kind)rule->kind) {
	case MP_CFI_AT:
		return read_saved(w, rule->reg, cfa + (int64_t)rule->value, value);
	case MP_CFI_VALUE:
		*value = cfa + (int64_t)rule->value;
		return true;
	case MP_CFI_REGISTER:
		if (rule->value < 0 || rule->value >= MP_CFI_REGS)
			return false;
		*value = w->regs[rule->value];
		return true;
	case MP_CFI_AT_EXPR:
		return eval(w, row, rule->value, &cfa, value) &&
		       read_saved(w, rule->reg, *value, value);
	case MP_CFI_VALUE_EXPR:
		return eval(w, row, rule->value, &cfa, value);
	case MP_CFI_SAME:
	case MP_CFI_UNDEFINED:
		break;
	}
	*value = w->regs[rule->reg];
	return true;
}

static bool apply_rules(struct walk *w, const struct mp_cfi_row *row,
			const struct mp_cfi_rule *rules, size_t n, uint64_t cfa)
{
	uint64_t next[MP_CFI_REGS];
	size_t i;

	for (i = 0; i < n; i++)
		if (!apply_rule(w, row, &rules[i], cfa, &next[i]))
			return false;
	w->regs[w->u->arch->sp] = cfa;
	/* changes all registers at the end, since rules refer to their values in this frame */
	for (i = 0; i < n; i++)
		w->regs[rules[i].reg] = next[i];
	return true;
}

/*
 * Applies all rules. A signal frame of x86-64 restores all registers; a row has no room for them.
 */
static bool apply_full(struct walk *w, const struct mp_unwind_row *r, uint64_t cfa)
{
	struct mp_cfi_full full;

	/* every address within the row has the same rules */
	return mp_cfi_find_full(r->row.cfi, r->row.start, &full, &w->u->steps) > 0 &&
	       apply_rules(w, &r->row, full.rules, full.n, cfa);
}

/*
 * Steps to the caller by call frame information. Returns false if the walk ends; then w->end says
 * why.
 */
static bool step_cfi(struct walk *w, const struct mp_unwind_row *r)
{
	const struct mp_arch *arch = w->u->arch;
	const struct mp_cfi_row *row = &r->row;
	uint64_t sp = w->regs[arch->sp], pc = w->regs[arch->pc], cfa, next;

	if (row->ra_kind == MP_CFI_UNDEFINED) {
		w->end = MP_UNWIND_COMPLETE;
		return false;
	}
	w->end = row->other_stack ? MP_UNWIND_OTHER_STACK : MP_UNWIND_CFI;
	if (row->other_stack)
		return false;
	if (!row->cfa_expr)
		cfa = w->regs[row->cfa_reg] + (int64_t)row->cfa_value;
	else if (!eval(w, row, row->cfa_value, NULL, &cfa))
		return false;
	if (row->overflow ? !apply_full(w, r, cfa)
			  : !apply_rules(w, row, row->rules, row->n_rules, cfa))
		return false;
	if (row->ra_kind == MP_CFI_SAME && !arch->link_register)
		return false;
	next = w->regs[row->ra_reg];
	w->regs[arch->pc] = row->ra_signed ? next & arch->code_mask : next;
	if (!row->signal &&
	    (w->regs[arch->sp] < sp || (w->regs[arch->sp] == sp && w->regs[arch->pc] == pc)))
		return false; /* the walk would make no progress toward the root */
	w->exact = row->signal;
	return true;
}

/*
 * Steps to the caller by the frame record, which all just-in-time compilers lay out alike: the
 * caller's frame pointer and the return address. Threads begin with a frame pointer of 0, but code
 * that uses the register for something else may have 0 in it, too.
 */
static bool step_frame_pointer(struct walk *w)
{
	const struct mp_arch *arch = w->u->arch;
	uint64_t fp = w->regs[arch->fp], next, pc;

	w->end = fp ? MP_UNWIND_FRAME_POINTER : MP_UNWIND_UNKNOWN;
	if (fp == 0)
		return false;
	if (fp & 7 || fp < w->regs[arch->sp] || !read_stack(w, fp + arch->record_fp, 8, &next) ||
	    !read_stack(w, fp + arch->record_ra, 8, &pc))
		return false;
	w->regs[arch->sp] = fp + arch->record_cfa;
	w->regs[arch->fp] = next;
	w->regs[arch->pc] = pc & arch->code_mask;
	w->exact = false;
	w->by_fp = true;
	return true;
}

/*
 * Steps from code that has no row and keeps no frame pointer, if its return address is `offset`
 * bytes after the stack pointer, and there is a row for that.
 */
static bool step_bare(struct walk *w, unsigned offset)
{
	const struct mp_arch *arch = w->u->arch;
	const struct mp_unwind_row *caller;
	uint64_t pc;

	if (arch->link_register || !read_stack(w, w->regs[arch->sp] + offset, 8, &pc) || pc == 0)
		return false;
	caller = row_at(w->u, mp_space_find(w->space, pc - 1), pc - 1);
	if (!caller || caller->found <= 0)
		return false;
	w->regs[arch->sp] += offset + 8;
	w->regs[arch->pc] = pc;
	w->exact = false;
	w->end = MP_UNWIND_CFI;
	return true;
}

/* Whether there is code at the return address of the frame record. */
static bool has_frame_record(struct walk *w)
{
	const struct mp_arch *arch = w->u->arch;
	uint64_t fp = w->regs[arch->fp], pc;

	return fp && !(fp & 7) && fp >= w->regs[arch->sp] &&
	       read_stack(w, fp + arch->record_ra, 8, &pc) &&
	       mp_space_find(w->space, (pc & arch->code_mask) - 1);
}

/*
 * Steps from code without call frame information. The instructions around a system call that
 * returns twice (vfork) have no row in the tables of their file, and their return address is at the
 * stack pointer. The functions that Python 3.12 makes for its own functions on x86-64 only call the
 * interpreter, after they have moved the stack pointer by 8 bytes.
 */
static bool step_without_cfi(struct walk *w, const struct mp_mapping *m, bool has_tables)
{
	if (w->leaf && has_tables && step_bare(w, 0))
		return true;
	if (!w->leaf && !m->dso && !has_frame_record(w) && step_bare(w, 8))
		return true;
	return step_frame_pointer(w);
}

/* The row of code that a just-in-time compiler has logged; NULL: there is none. */
static const struct mp_unwind_row *jit_row(struct walk *w, uint64_t addr)
{
	struct mp_dso *dso = w->space->jitdump;
	uint64_t time_ns = w->dump->time_ns;
	struct mp_jitdump *d = mp_dso_jitdump(w->u->dsos, dso, time_ns);

	if (!d)
		return NULL;
	mp_dso_begin(w->u->dsos, dso);
	w->jit.found = mp_jitdump_row(d, addr, time_ns, &w->jit.row, &w->u->steps);
	mp_dso_end(w->u->dsos);
	return w->jit.found > 0 ? &w->jit : NULL;
}

/* Whether this is the frame that the kernel made for a signal handler, which returns to `pc`. */
static bool is_signal_frame(const struct walk *w, const struct mp_mapping *m, uint64_t pc)
{
	const struct mp_dso *vdso = w->u->dsos->vdso;
	const char *wanted = w->u->arch->signal_return, *name;
	uint64_t addr, start;

	if (!wanted || !m || !vdso || m->dso != vdso || !vdso->symbols)
		return false;
	addr = mp_elfsym_address(vdso->symbols, pc - m->start + m->offset);
	name = mp_elfsym_find(vdso->symbols, addr, &start);
	return name && strcmp(name, wanted) == 0;
}

/* Steps to the interrupted code: the kernel saved all its registers in the frame. */
static bool step_signal(struct walk *w)
{
	const struct mp_arch *arch = w->u->arch;
	uint64_t at = w->regs[arch->sp] + arch->signal_regs, next[MP_CFI_REGS] = { 0 };
	size_t i;

	w->end = MP_UNWIND_CFI;
	for (i = 0; i < arch->n_regs; i++)
		if (!read_stack(w, at + i * 8, 8, &next[arch->dwarf[i]]))
			return false;
	memcpy(w->regs, next, sizeof(w->regs));
	w->exact = true;
	return true;
}

/*
 * The row of the last instruction of a signal frame's function: in the system call that returns
 * from a handler, the address is already beyond the function.
 */
static const struct mp_unwind_row *returning_row(struct walk *w, const struct mp_mapping *m,
						 uint64_t pc)
{
	const struct mp_unwind_row *row = row_at(w->u, m, pc - 1);

	return row && row->found > 0 && row->row.signal ? row : NULL;
}

static const struct mp_mapping *mapping_at(struct walk *w, uint64_t addr)
{
	if (!w->mapping || addr - w->mapping->start >= w->mapping->end - w->mapping->start)
		w->mapping = mp_space_find(w->space, addr);
	return w->mapping;
}

/*
 * Steps to the caller; `*ip` gets the address of the current frame. A return address may be after
 * the end of its function, if the call never returns; the call itself is at the address before.
 */
static bool step(struct walk *w, uint64_t *ip)
{
	uint64_t pc = w->regs[w->u->arch->pc], addr = w->exact ? pc : pc - 1;
	const struct mp_mapping *m = mapping_at(w, addr);
	const struct mp_unwind_row *row = row_at(w->u, m, addr);

	if (m && !row)
		row = jit_row(w, addr);
	*ip = w->exact && !w->leaf ? pc + 1 : pc;
	if (!m) {
		/*
		 * a walk by frame pointers may have followed a wrong one, but an address found by
		 * call frame information should be right
		 */
		if (w->end != MP_UNWIND_FRAME_POINTER)
			w->end = MP_UNWIND_MAPPING;
		w->lost = !w->leaf;
		return false;
	}
	if (is_signal_frame(w, m, pc)) {
		*ip = w->leaf ? pc : pc + 1;
		return step_signal(w);
	}
	if (w->leaf && row && row->found <= 0 && returning_row(w, m, pc))
		return step_cfi(w, returning_row(w, m, pc));
	if (!row || row->found <= 0)
		return step_without_cfi(w, m, row);
	if (row->row.signal && !w->leaf)
		/* signal handlers return to this address, which does not follow a call */
		*ip = pc + 1;
	return step_cfi(w, row);
}

static void load_registers(struct walk *w)
{
	const struct mp_arch *arch = w->u->arch;
	size_t i;

	memset(w->regs, 0, sizeof(w->regs));
	for (i = 0; i < arch->n_regs; i++)
		w->regs[arch->dwarf[i]] = w->dump->regs[i];
	w->stack = w->regs[arch->sp];
}

enum mp_unwind_end mp_unwind(struct mp_unwinder *u, const struct mp_space *space,
			     const struct mp_dump *dump, uint64_t *ips, size_t max, size_t *n)
{
	struct walk w = { .u = u, .space = space, .dump = dump, .leaf = true, .exact = true };
	bool more = true;

	*n = 0;
	u->steps = MP_CFI_STEPS;
	if (dump->abi == PERF_SAMPLE_REGS_ABI_NONE || (dump->kernel && dump->len == 0))
		return MP_UNWIND_NO_STACK;
	load_registers(&w);
	if (dump->abi != PERF_SAMPLE_REGS_ABI_64) {
		ips[(*n)++] = w.regs[u->arch->pc];
		return MP_UNWIND_ABI;
	}
	while (more && *n < max) {
		more = step(&w, &ips[*n]);
		++*n;
		w.leaf = false;
		if (more && w.regs[u->arch->pc] == 0) {
			/*
			 * the first function of a thread may have the return address 0, but other
			 * memory often is 0, too
			 */
			w.end = w.by_fp ? MP_UNWIND_UNKNOWN : MP_UNWIND_COMPLETE;
			more = false;
		}
	}
	*n -= w.lost;
	return more ? MP_UNWIND_MAX_STACK : mp_unwind_check_root(u, space, ips, *n, w.end);
}
