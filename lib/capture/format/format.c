// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/format/format.h"

#include <stddef.h>
#include <stdlib.h>

#include "bpf/tracing.h"
#include "lib/capture/format/datasrc.h"
#include "lib/core/io.h"
#include "lib/stream/esc.h"

enum {
	/* bytes at the beginning of raw records: u16 type, u8 flags, u8 preempt count, s32 pid */
	COMMON_PID_AT = 4,
	OWN_FRAMES_MAX = 4,
};

/* A cursor over a record. */
struct cursor {
	const char *p, *end;
	bool failed;
};

static uint64_t next_u64(struct cursor *c)
{
	uint64_t v;

	if (c->end - c->p < (ptrdiff_t)sizeof(v)) {
		c->failed = true;
		return 0;
	}
	memcpy(&v, c->p, sizeof(v));
	c->p += sizeof(v);
	return v;
}

static const void *next_bytes(struct cursor *c, uint64_t len)
{
	const char *p = c->p;

	if ((uint64_t)(c->end - c->p) < len) {
		c->failed = true;
		return NULL;
	}
	c->p += len;
	return p;
}

static void parse_raw(struct cursor *c, struct mp_sample *s)
{
	const char *head = next_bytes(c, sizeof(uint32_t));

	if (!head)
		return;
	memcpy(&s->raw_len, head, sizeof(s->raw_len));
	s->raw = next_bytes(c, s->raw_len);
}

static void parse_dump(struct cursor *c, const struct mp_cut_event *e,
		       const struct perf_event_header *h, struct mp_dump *d)
{
	uint64_t size, there;

	d->kernel = (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	d->abi = next_u64(c);
	if (d->abi)
		d->regs = next_bytes(c, 8 * __builtin_popcountll(e->sample_regs_user));
	if (!(e->sample_type & PERF_SAMPLE_STACK_USER))
		return;
	size = next_u64(c);
	if (!size)
		return;
	d->stack = next_bytes(c, size);
	there = next_u64(c);
	d->len = MP_MIN(there, size);
	d->asked = e->sample_stack_user; /* not d->len, since ring.c removed the unused rest */
}

int mp_sample_parse(struct mp_sample *s, const struct mp_cut_event *e,
		    const struct perf_event_header *h)
{
	struct cursor c = { (const char *)(h + 1), (const char *)h + h->size, false };
	uint64_t type = e->sample_type, ids;

	*s = (struct mp_sample){ .period = e->freq ? 1 : e->sample_period };
	next_u64(&c); /* PERF_SAMPLE_IDENTIFIER */
	ids = next_u64(&c);
	s->pid = (int32_t)ids;
	s->tid = (int32_t)(ids >> 32);
	s->time_ns = next_u64(&c);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = next_u64(&c);
	if (type & PERF_SAMPLE_PERIOD)
		s->period = next_u64(&c);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->n_ips = next_u64(&c);
		s->ips = s->n_ips > h->size ? next_bytes(&c, UINT64_MAX)
					    : next_bytes(&c, s->n_ips * 8);
	}
	if (type & PERF_SAMPLE_RAW)
		parse_raw(&c, s);
	if (type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
		    PERF_SAMPLE_CGROUP))
		next_bytes(&c, -(uintptr_t)c.p & 7); /* raw data may end at any byte */
	if (type & PERF_SAMPLE_REGS_USER)
		parse_dump(&c, e, h, &s->dump);
	s->dump.time_ns = s->time_ns;
	if (type & PERF_SAMPLE_WEIGHT)
		s->latency = next_u64(&c);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->source = next_u64(&c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = next_u64(&c);
	return c.failed ? -1 : 0;
}

void mp_formatter_init(struct mp_formatter *f, const struct mp_cut_events *events,
		       struct mp_tasks *tasks, struct mp_chain_texts *stacks,
		       struct mp_unwinder *unwinder)
{
	size_t i;

	*f = (struct mp_formatter){
		.tasks = tasks,
		.stacks = stacks,
		.unwinder = unwinder,
		.n_events = events->n,
	};
	mp_value_names_init(&f->names, stacks->symbols);
	mp_pending_stacks_init(&f->chains);
	f->heads = mp_alloc(events->n * sizeof(*f->heads));
	for (i = 0; i < events->n; i++) {
		char *head = mp_asprintf(",%s,", events->v[i].type);

		f->heads[i] = mp_str(head);
	}
}

void mp_formatter_release(struct mp_formatter *f)
{
	size_t i;

	for (i = 0; i < f->n_events; i++)
		free((char *)f->heads[i].p);
	free(f->heads);
	free(f->ips);
	mp_pending_stacks_release(&f->chains);
	mp_late_texts_release(&f->late);
	mp_buf_release(&f->line);
	mp_value_names_release(&f->names);
	mp_cgroup_names_free(f->cgroups);
}

struct mp_task *mp_formatter_task(struct mp_formatter *f, const struct mp_cut_event *e,
				  const struct mp_sample *s)
{
	int32_t tid = s->tid;

	if (tid < 0 && e->common && s->raw && s->raw_len >= COMMON_PID_AT + sizeof(tid))
		memcpy(&tid, s->raw + COMMON_PID_AT, sizeof(tid));
	return mp_tasks_get(f->tasks, s->pid, tid);
}

static char *put_bytes(char *to, const void *data, size_t len)
{
	memcpy(to, data, len);
	return to + len;
}

#define PUT_LITERAL(to, literal) put_bytes(to, literal, sizeof(literal) - 1)

/* Writes "pid=1\ttid=2\tcomm=x\t" to task->text; events copy the parts that they need. */
static void make_task_text(struct mp_task *task)
{
	char *p = task->text;

	p = mp_put_i64(PUT_LITERAL(p, "pid="), task->process->pid);
	*p++ = '\t';
	task->pid_len = p - task->text;
	p = mp_put_i64(PUT_LITERAL(p, "tid="), task->tid);
	*p++ = '\t';
	task->tid_end = p - task->text;
	p = mp_esc_put(PUT_LITERAL(p, "comm="), (struct mp_str){ task->comm, task->comm_len },
		       MP_ESC_VALUE);
	*p++ = '\t';
	task->text_len = p - task->text;
}

/*
 * Writes the task with id 0: the idle task of a CPU, or, in an inner pid namespace, a task outside
 * it.
 */
static char *put_nobody(char *p, unsigned context, int cpu, bool inner)
{
	if (context & MP_CTX_PID)
		p = PUT_LITERAL(p, "pid=0\t");
	if (context & MP_CTX_TID)
		p = PUT_LITERAL(p, "tid=0\t");
	if (!(context & MP_CTX_COMM))
		return p;
	if (inner)
		return PUT_LITERAL(p, "comm=[outside]\t");
	p = mp_put_i64(PUT_LITERAL(p, "comm=swapper/"), cpu);
	*p++ = '\t';
	return p;
}

static char *put_task(char *p, unsigned context, struct mp_task *task, int cpu, bool inner)
{
	if (!(context & MP_CTX_TASK))
		return p;
	if (task->tid == 0)
		return put_nobody(p, context, cpu, inner);
	if (!task->text_len)
		make_task_text(task);
	if ((context & MP_CTX_TASK) == MP_CTX_TASK)
		return put_bytes(p, task->text, task->text_len);
	if (context & MP_CTX_PID)
		p = put_bytes(p, task->text, task->pid_len);
	if (context & MP_CTX_TID)
		p = put_bytes(p, task->text + task->pid_len, task->tid_end - task->pid_len);
	if (context & MP_CTX_COMM)
		p = put_bytes(p, task->text + task->tid_end, task->text_len - task->tid_end);
	return p;
}

static uint64_t load(const char *p, uint32_t size)
{
	uint64_t v = 0;

	memcpy(&v, p, size); /* little-endian: the low bytes */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v >>= 64 - 8 * size;
#endif
	return v;
}

/* A number of a field, extended to 64 bits with its sign. */
static uint64_t number_at(const struct mp_tp_field *f, const char *at)
{
	uint64_t v = load(at, f->elem);
	unsigned unused = 64 - 8 * f->elem;

	return f->kind == MP_TP_SIGNED ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

static char *put_number(char *to, const struct mp_tp_field *f, const char *at)
{
	uint64_t v = number_at(f, at);

	switch (f->kind) {
	case MP_TP_SIGNED:
		return mp_put_i64(to, (int64_t)v);
	case MP_TP_HEX:
		return mp_put_hex(to, v);
	case MP_TP_UNSIGNED:
	case MP_TP_STRING:
		break;
	}
	return mp_put_u64(to, v);
}

/* The bytes of a field; len 0 if they are outside the record. */
static struct mp_str field_bytes(const struct mp_tp_field *f, const struct mp_sample *s)
{
	struct mp_str bytes = { "", 0 };
	uint32_t loc, at, len;

	if ((uint64_t)f->offset + f->size > s->raw_len)
		return bytes;
	if (f->place == MP_TP_FIXED)
		return (struct mp_str){ s->raw + f->offset, f->size };
	memcpy(&loc, s->raw + f->offset, sizeof(loc));
	at = loc & 0xffff;
	len = loc >> 16;
	if (f->place == MP_TP_REL_LOC)
		at += f->offset + f->size;
	if ((uint64_t)at + len > s->raw_len)
		return bytes;
	return (struct mp_str){ s->raw + at, len };
}

/*
 * Writes the value of a field. `to` has room for MP_NUM_MAX bytes and 4 times (for a string) or 24
 * times (for an array) the size of the field.
 */
static char *put_value(char *to, const struct mp_tp_field *f, struct mp_str bytes)
{
	size_t i;

	if (f->kind == MP_TP_STRING) {
		bytes.len = strnlen(bytes.p, bytes.len);
		return mp_esc_put(to, bytes, MP_ESC_VALUE);
	}
	for (i = 0; i + f->elem <= bytes.len; i += f->elem) {
		if (i)
			*to++ = ',';
		to = put_number(to, f, bytes.p + i);
	}
	return to;
}

/* Makes room for `room` more bytes of the line at `p`. */
static char *reserve(struct mp_formatter *f, char *p, size_t room)
{
	if (f->line.p + f->line.cap - p >= (ptrdiff_t)room)
		return p;
	f->line.len = p - f->line.p;
	mp_buf_reserve(&f->line, room);
	return f->line.p + f->line.len;
}

/* Writes the name of a value in parentheses, if it has one; leaves room for a TAB after it. */
static char *put_name(struct mp_formatter *f, char *p, const struct mp_tp_field *field,
		      struct mp_str bytes, const struct mp_sample *s)
{
	struct mp_str record = { s->raw, s->raw_len }, text;
	uint64_t number = 0;

	if (!field->is_array && bytes.len >= field->elem)
		number = number_at(field, bytes.p);
	text = mp_value_names_text(&f->names, field, bytes, number, record);
	return put_bytes(reserve(f, p, text.len + 1), text.p, text.len);
}

/* Writes ".x=1(NAME)\t". */
static char *put_field(struct mp_formatter *f, char *p, const struct mp_tp_field *field,
		       struct mp_str bytes, const struct mp_sample *s)
{
	size_t name = strlen(field->name), room = name + 4 + MP_NUM_MAX + MP_NUM_MAX * bytes.len;

	p = reserve(f, p, room);
	*p++ = '.';
	p = put_bytes(p, field->name, name);
	*p++ = '=';
	p = put_value(p, field, bytes);
	if (field->names)
		p = put_name(f, p, field, bytes, s);
	*p++ = '\t';
	return p;
}

static char *put_payload(struct mp_formatter *f, char *p, const struct mp_tp_field *field,
			 const struct mp_sample *s)
{
	struct mp_str bytes = field_bytes(field, s), text;
	struct mp_value_key key;
	size_t start;

	if (!field->names ||
	    !mp_value_names_key(&key, field, bytes, (struct mp_str){ s->raw, s->raw_len }))
		return put_field(f, p, field, bytes, s);
	text = mp_value_names_latest(&f->names, &key);
	if (text.len)
		return put_bytes(reserve(f, p, text.len), text.p, text.len);
	start = p - f->line.p;
	p = put_field(f, p, field, bytes, s);
	text = (struct mp_str){ f->line.p + start, p - f->line.p - start };
	mp_value_names_keep(&f->names, &key, text);
	return p;
}

/*
 * Whether a record has a field. Those of tracepoints are always present. The record of a polled
 * value may end before it, and a BPF program may have failed to read its memory.
 */
static bool is_given(const struct mp_cut_event *e, const struct mp_cut_field *field,
		     const struct mp_sample *s)
{
	__typeof__(((struct mp_tracing_record *)0)->unread) unread;

	if (e->program && s->raw_len >= e->program_bytes) {
		memcpy(&unread, s->raw + offsetof(struct mp_tracing_record, unread),
		       sizeof(unread));
		return !(unread >> field->number & 1);
	}
	return !e->own || (uint64_t)field->at.offset + field->at.size <= s->raw_len;
}

/*
 * Writes the pointer to a text that a BPF program could not read, if the record has the pointer.
 */
static char *put_pointer(struct mp_formatter *f, char *p, const struct mp_tp_field *field,
			 const struct mp_sample *s)
{
	struct mp_tp_field pointer = *field;

	pointer.kind = MP_TP_HEX;
	pointer.place = MP_TP_FIXED;
	pointer.size = pointer.elem = sizeof(uint64_t);
	if (field->kind != MP_TP_STRING || field->offset + sizeof(uint64_t) > s->raw_len ||
	    !load(s->raw + field->offset, sizeof(uint64_t)))
		return p;
	f->pointers++;
	return put_payload(f, p, &pointer, s);
}

static char *put_cgroup(struct mp_formatter *f, char *p, uint64_t id)
{
	struct mp_str path;

	path = mp_str(mp_cgroup_name(f->cgroups, id));
	f->line.len = p - f->line.p;
	mp_buf_reserve(&f->line, 4 * path.len + 64);
	p = PUT_LITERAL(f->line.p + f->line.len, "cgroup=");
	p = mp_esc_put(p, path, MP_ESC_VALUE);
	*p++ = '\t';
	return p;
}

/*
 * Writes the name of a task; writes nothing for a task that ended before its first event was
 * written.
 */
static char *put_inner(char *p, unsigned context, struct mp_task *task)
{
	if (!task->inner_pid && task->tid)
		mp_proc_inner_ids(task->tid, &task->inner_pid, &task->inner_tid);
	if (context & MP_CTX_NSPID && task->inner_pid > 0) {
		p = mp_put_i64(PUT_LITERAL(p, "nspid="), task->inner_pid);
		*p++ = '\t';
	}
	if (context & MP_CTX_NSTID && task->inner_tid > 0) {
		p = mp_put_i64(PUT_LITERAL(p, "nstid="), task->inner_tid);
		*p++ = '\t';
	}
	return p;
}

static char *put_context(struct mp_formatter *f, char *p, const struct mp_cut_event *e,
			 const struct mp_sample *s, struct mp_task *task, int cpu)
{
	if (e->context & MP_CTX_CPU) {
		p = mp_put_i64(PUT_LITERAL(p, "cpu="), cpu);
		*p++ = '\t';
	}
	p = put_task(p, e->context, task, cpu, f->inner);
	if (e->context & MP_CTX_PERIOD && (s->period != 1 || !e->each)) {
		p = mp_put_u64(PUT_LITERAL(p, "period="), s->period);
		*p++ = '\t';
	}
	if (e->context & MP_CTX_ADDR) {
		p = mp_put_hex(PUT_LITERAL(p, "addr="), s->addr);
		*p++ = '\t';
	}
	if (e->context & MP_CTX_CGROUP)
		p = put_cgroup(f, p, s->cgroup);
	return e->context & MP_CTX_INNER ? put_inner(p, e->context, task) : p;
}

/* Writes the fields of an access to memory that the processor reported. */
static char *put_memory(char *p, unsigned context, const struct mp_sample *s)
{
	if (context & MP_CTX_LATENCY && s->latency) {
		p = mp_put_u64(PUT_LITERAL(p, "latency="), s->latency);
		*p++ = '\t';
	}
	if (context & MP_CTX_OP)
		p = mp_datasrc_op_put(p, s->source);
	if (context & MP_CTX_LEVEL)
		p = mp_datasrc_level_put(p, s->source);
	if (context & MP_CTX_SNOOP)
		p = mp_datasrc_snoop_put(p, s->source);
	if (context & MP_CTX_TLB)
		p = mp_datasrc_tlb_put(p, s->source);
	if (context & MP_CTX_LOCK)
		p = mp_datasrc_lock_put(p, s->source);
	return p;
}

/* How the kernel's walk along frame pointers ended. */
static enum mp_unwind_end end_of_chain(struct mp_formatter *f, const struct mp_cut_event *e,
				       const struct mp_sample *s, const struct mp_space *space)
{
	size_t i = s->n_ips, last = i, frames = 0;

	while (i && s->ips[i - 1] != (uint64_t)PERF_CONTEXT_USER)
		i--;
	if (!i || i == s->n_ips)
		return MP_UNWIND_NO_STACK;
	/*
	 * the kernel does not recognize the root, beyond which there are values such as the number
	 * of arguments
	 */
	while (last > i && !mp_space_find(space, s->ips[last - 1]))
		last--;
	if (last > i &&
	    mp_unwind_is_root(f->unwinder, space, s->ips[last - 1] - (last > i + 1), last == i + 1))
		return MP_UNWIND_COMPLETE;
	for (i = 0; i < s->n_ips; i++)
		frames += s->ips[i] < (uint64_t)PERF_CONTEXT_MAX;
	return frames == e->sample_max_stack ? MP_UNWIND_MAX_STACK : MP_UNWIND_FRAME_POINTER;
}

/*
 * Unwinds a copy of the stack, which was made because the BPF program had no tables. By now the
 * mappings are known.
 */
static enum mp_unwind_end unwind_copy(struct mp_formatter *f, const struct mp_bpf_copy *copy,
				      uint64_t time_ns, const struct mp_space *space, uint64_t *ips,
				      size_t max, size_t *n)
{
	struct mp_dump dump = {
		.abi = copy->abi,
		.regs = (const uint64_t *)copy->regs,
		.stack = copy->stack,
		.len = copy->len,
		.asked = copy->asked,
		.kernel = true,
		.time_ns = time_ns,
	};

	f->unwound.copies++;
	return mp_unwind(f->unwinder, space, &dump, ips, max, n);
}

enum mp_unwind_end mp_formatter_copied(struct mp_formatter *f, pid_t tid, uint64_t time_ns,
				       const struct mp_space *space, uint64_t *ips, size_t max,
				       size_t *n)
{
	const struct mp_bpf_copy *copy = mp_pending_stacks_copy(&f->chains, tid, time_ns);

	*n = 0;
	return copy ? unwind_copy(f, copy, time_ns, space, ips, max, n) : MP_UNWIND_NO_TABLES;
}

/* Publishes that the writer unwinds the stack of a process. False: it must not. */
static bool begin_unwinding(struct mp_formatter *f, struct mp_process *process)
{
	struct mp_work *work = f->stacks->symbols->dsos.work;
	struct mp_budget_who who;

	if (!work)
		return true;
	if (mp_work_avoids_process(work, process->pid))
		return false;
	who = mp_tasks_who(f->tasks, process, NULL);
	who.uid = mp_budget_uid(f->tasks->budget, who.uid);
	mp_work_begin(work, MP_WORK_PROCESS, &who, NULL);
	return true;
}

static void end_unwinding(struct mp_formatter *f)
{
	mp_work_end(f->stacks->symbols->dsos.work, MP_WORK_PROCESS);
}

/*
 * Gets the user stack that the BPF program took for this event; if there is none, only the program
 * counter.
 */
static enum mp_unwind_end bpf_chain(struct mp_formatter *f, const struct mp_cut_event *e,
				    size_t event, const struct mp_sample *s,
				    struct mp_process *process, uint64_t *ips, size_t max,
				    size_t *n)
{
	struct mp_pending_want want = {
		.tid = s->tid, .time_ns = s->time_ns, .event = event, .after = e->stack_after
	};
	const struct mp_pending_stack *c;
	enum mp_unwind_end end;

	*n = 0;
	if (s->dump.abi == PERF_SAMPLE_REGS_ABI_NONE || s->tid <= 0)
		return MP_UNWIND_NO_STACK;
	want.sp = s->dump.regs[0];
	want.ip = s->dump.regs[1];
	c = mp_pending_stacks_take(&f->chains, &want);
	if (c && !c->copy) {
		*n = MP_MIN(c->n, max);
		memcpy(ips, c->ips, *n * sizeof(*ips));
		return c->n > max
			       ? MP_UNWIND_MAX_STACK
			       : mp_unwind_check_root(f->unwinder, process->space, ips, *n, c->end);
	}
	mp_walk_tables_update(f->tables, process, s->time_ns);
	if (c && begin_unwinding(f, process)) {
		end = unwind_copy(f, c->copy, s->time_ns, process->space, ips, max, n);
		end_unwinding(f);
		return end;
	}
	ips[(*n)++] = want.ip;
	return MP_UNWIND_NO_TABLES;
}

/*
 * The number of leaf frames that belong to the BPF program on a function, and to the kernel's code
 * that called it.
 */
static size_t own_frames(struct mp_formatter *f, const struct mp_cut_event *e,
			 const struct mp_sample *s)
{
	size_t i;

	if (!e->function || !s->n_ips || s->ips[0] != (uint64_t)PERF_CONTEXT_KERNEL)
		return 0;
	for (i = 1; i < s->n_ips && i <= OWN_FRAMES_MAX; i++)
		if (mp_symbols_kernel_is(f->stacks->symbols, s->ips[i], e->function))
			return i - 1;
	return 0;
}

/*
 * Copies the chain of a sample to f->ips, without the `own` frames of the tracing itself, and
 * leaves `room` after it.
 */
static size_t copy_chain(struct mp_formatter *f, const struct mp_sample *s, size_t own, size_t room)
{
	f->ips = mp_grow(f->ips, &f->cap_ips, s->n_ips + room, sizeof(*f->ips));
	if (!s->n_ips)
		return 0;
	f->ips[0] = s->ips[0];
	memcpy(f->ips + 1, s->ips + 1 + own, (s->n_ips - 1 - own) * sizeof(*f->ips));
	return s->n_ips - own;
}

/* Makes a chain: the kernel's part, and then the frames of the user stack. */
static struct mp_chain unwound_chain(struct mp_formatter *f, const struct mp_cut_event *e,
				     size_t event, const struct mp_sample *s,
				     struct mp_process *process)
{
	struct mp_chain chain = { .max = e->max_stack };
	size_t n = copy_chain(f, s, own_frames(f, e, s), e->max_stack + 4), user = 0;
	enum mp_unwind_end end = MP_UNWIND_NO_STACK;

	if (s->n_ips > e->sample_max_stack) /* n_ips includes a marker */
		f->ips[n++] = MP_CONTEXT_CUT;
	f->ips[n] = (uint64_t)PERF_CONTEXT_USER;
	if (e->method == MP_METHOD_BPF) {
		end = bpf_chain(f, e, event, s, process, f->ips + n + 1, e->max_stack, &user);
	} else if (begin_unwinding(f, process)) {
		end = mp_unwind(f->unwinder, process->space, &s->dump, f->ips + n + 1, e->max_stack,
				&user);
		end_unwinding(f);
	}
	f->unwound.ends[e->method][end]++;
	if (user)
		n += 1 + user;
	if (end != MP_UNWIND_COMPLETE && end != MP_UNWIND_NO_STACK)
		f->ips[n++] = MP_CONTEXT_CUT;
	chain.ips = f->ips;
	chain.n = n;
	return chain;
}

static void add_stack(struct mp_formatter *f, const struct mp_cut_event *e, size_t event,
		      const struct mp_sample *s, const struct mp_task *task)
{
	struct mp_chain chain = { s->ips, s->n_ips, e->max_stack, e->sample_max_stack };
	const struct mp_space *space = task->process->space;
	struct mp_str text;
	size_t own;

	if (e->sample_type & PERF_SAMPLE_REGS_USER) {
		chain = unwound_chain(f, e, event, s, task->process);
	} else {
		if (e->method != MP_METHOD_UNSET)
			f->unwound.ends[e->method][end_of_chain(f, e, s, space)]++;
		own = own_frames(f, e, s);
		if (own) {
			chain.n = copy_chain(f, s, own, 0);
			chain.ips = f->ips;
			chain.asked -= MP_MIN(chain.asked, own);
		}
	}
	if (!chain.n)
		return;
	text = mp_chain_texts_text(f->stacks, task->process, &chain, s->time_ns);
	mp_buf_add(&f->line, "stack=", 6);
	if (f->line.len + text.len + 2 < MP_LINE_MAX)
		mp_buf_str(&f->line, text);
	else
		mp_buf_str(&f->line, MP_STR("[truncated]"));
	mp_buf_byte(&f->line, '\t');
}

struct mp_str mp_formatter_line(struct mp_formatter *f, const struct mp_cut_event *e, size_t event,
				const struct mp_sample *s, struct mp_task *task, int cpu)
{
	char *p;
	size_t i;

	f->line.len = 0;
	mp_buf_reserve(&f->line, f->heads[event].len + sizeof(task->text) + 8 * (MP_NUM_MAX + 8));
	p = mp_put_u64(f->line.p, s->time_ns);
	p = put_bytes(p, f->heads[event].p, f->heads[event].len);
	p = put_context(f, p, e, s, task, cpu);
	for (i = 0; i < e->n_payload; i++)
		if (is_given(e, &e->payload[i], s))
			p = put_payload(f, p, &e->payload[i].at, s);
		else if (e->program)
			p = put_pointer(f, p, &e->payload[i].at, s);
	f->line.len = p - f->line.p;
	if (e->context & (MP_CTX_LATENCY | MP_CTX_SOURCE)) {
		mp_buf_reserve(&f->line, MP_NUM_MAX + 16 + MP_DATA_SOURCE_MAX);
		p = f->line.p + f->line.len;
		f->line.len = put_memory(p, e->context, s) - f->line.p;
	}
	if (e->context & MP_CTX_DUR)
		mp_buf_printf(&f->line, "dur=%llu\t", (unsigned long long)s->dur_ns);
	if (e->context & MP_CTX_STACK)
		add_stack(f, e, event, s, task);
	/* removes the last TAB; without fields, the comma after the type remains */
	if (f->line.p[f->line.len - 1] == '\t')
		f->line.len--;
	mp_buf_byte(&f->line, '\n');
	return mp_buf_view(&f->line);
}
