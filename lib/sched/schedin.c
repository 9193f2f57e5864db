// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedin.h"

#include "lib/core/io.h"
#include "lib/stream/esc.h"
#include "lib/stream/named.h"

enum {
	HEADROOM = 4096, /* bytes reserved in an output line for everything but its stack */
};

static int fail(const char **why, const char *text)
{
	*why = text;
	return -1;
}

enum mp_sched_what mp_sched_what(struct mp_str type)
{
	static const struct {
		struct mp_str name;
		enum mp_sched_what what;
	} whats[] = {
		{ { "sched_switch", 12 }, MP_SCHED_SWITCH },
		{ { "sched_waking", 12 }, MP_SCHED_WAKING },
		{ { "sched_wakeup", 12 }, MP_SCHED_WAKEUP },
		{ { "sched_wakeup_new", 16 }, MP_SCHED_WAKEUP_NEW },
		{ { "sched_migrate_task", 18 }, MP_SCHED_MIGRATE },
		{ { "sched_process_fork", 18 }, MP_SCHED_FORK },
		{ { "sched_process_exit", 18 }, MP_SCHED_EXIT },
		{ { "sched_process_exec", 18 }, MP_SCHED_EXEC },
	};
	size_t i;

	if (mp_str_eq(type, MP_STR("kvm:kvm_entry")))
		return MP_SCHED_KVM_ENTRY;
	if (mp_str_eq(type, MP_STR("kvm:kvm_exit")))
		return MP_SCHED_KVM_EXIT;
	if (type.len > 6 && memcmp(type.p, "sched:", 6) == 0) {
		type.p += 6;
		type.len -= 6;
	}
	if (type.len < 12 || type.len > 18 || memcmp(type.p, "sched_", 6) != 0)
		return MP_SCHED_OTHER;
	for (i = 0; i < MP_ARRAY_SIZE(whats); i++)
		if (mp_str_eq(type, whats[i].name))
			return whats[i].what;
	return MP_SCHED_OTHER;
}

static enum mp_sched_field field_of(enum mp_sched_what what, struct mp_str key)
{
	static const struct {
		const char *key;
		enum mp_sched_field field;
		/* a bit for each kind of event that has the field; 0: all kinds have it */
		unsigned whats;
	} fields[] = {
		{ "host", MP_SCHED_F_HOST, 0 },
		{ "cpu", MP_SCHED_F_CPU, 0 },
		{ "pid", MP_SCHED_F_PID, 0 },
		{ "tid", MP_SCHED_F_TID, 0 },
		{ "comm", MP_SCHED_F_COMM, 0 },
		{ "stack", MP_SCHED_F_STACK, 0 },
		{ ".prev_pid", MP_SCHED_F_TASK, 1 << MP_SCHED_SWITCH },
		{ ".prev_comm", MP_SCHED_F_TASK_COMM, 1 << MP_SCHED_SWITCH },
		{ ".prev_prio", MP_SCHED_F_TASK_PRIO, 1 << MP_SCHED_SWITCH },
		{ ".prev_state", MP_SCHED_F_STATE, 1 << MP_SCHED_SWITCH },
		{ ".next_pid", MP_SCHED_F_NEXT, 1 << MP_SCHED_SWITCH },
		{ ".next_comm", MP_SCHED_F_NEXT_COMM, 1 << MP_SCHED_SWITCH },
		{ ".next_prio", MP_SCHED_F_NEXT_PRIO, 1 << MP_SCHED_SWITCH },
		{ ".child_pid", MP_SCHED_F_TASK, 1 << MP_SCHED_FORK },
		{ ".child_comm", MP_SCHED_F_TASK_COMM, 1 << MP_SCHED_FORK },
		{ ".pid", MP_SCHED_F_TASK, 0 },
		{ ".comm", MP_SCHED_F_TASK_COMM, 0 },
		{ ".prio", MP_SCHED_F_TASK_PRIO, 0 },
		{ ".target_cpu", MP_SCHED_F_TARGET, 0 },
		{ ".dest_cpu", MP_SCHED_F_TARGET, 0 },
		{ ".old_pid", MP_SCHED_F_OLD, 0 },
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(fields); i++)
		if (mp_str_eq(key, mp_str(fields[i].key)))
			return !fields[i].whats || fields[i].whats & 1 << what ? fields[i].field
									       : MP_SCHED_F_NONE;
	return MP_SCHED_F_NONE;
}

/*
 * Looks up a key that the layout does not have at this position, and stores it for the next event.
 */
static enum mp_sched_field learn(struct mp_sched_layout *l, size_t i, enum mp_sched_what what,
				 struct mp_str key)
{
	enum mp_sched_field field = field_of(what, key);

	if (i >= MP_ARRAY_SIZE(l->v) || key.len + 1 > sizeof(l->v[i].key))
		return field;
	memcpy(l->v[i].key, key.p, key.len);
	l->v[i].key[key.len] = '=';
	l->v[i].len = key.len + 1;
	l->v[i].field = field;
	return field;
}

/* Splits all fields in one pass, without a search for '=' where they are as in the layout. */
static void split_fields(struct mp_sched_layout *l, enum mp_sched_what what, struct mp_str body,
			 struct mp_str *texts)
{
	const char *p = body.p, *end = body.p + body.len, *tab, *value;
	enum mp_sched_field field;
	size_t i;

	for (i = 0; p < end; i++, p = tab + 1) {
		if (i < MP_ARRAY_SIZE(l->v) && l->v[i].len && (size_t)(end - p) >= l->v[i].len &&
		    memcmp(p, l->v[i].key, l->v[i].len) == 0) {
			field = l->v[i].field;
			value = p + l->v[i].len;
		} else {
			struct mp_str rest = { p, end - p }, key, text;

			mp_rec_next_field(&rest, &key, &text);
			field = learn(l, i, what, key);
			value = text.p;
		}
		tab = field == MP_SCHED_F_STACK ? NULL : memchr(value, '\t', end - value);
		if (!tab)
			tab = end;
		texts[field] = (struct mp_str){ value, tab - value };
	}
}

/* Parses a number of at most 9 digits; `missing` is the value if there is no text. */
static int parse_number(struct mp_str text, int32_t missing, int32_t *v)
{
	const char *p = text.p, *end;
	bool negative;
	int32_t n = 0;

	*v = missing;
	if (!p)
		return 0;
	end = p + text.len;
	negative = p < end && *p == '-';
	p += negative;
	if (p == end || end - p > 9)
		return -1;
	for (; p < end; p++) {
		unsigned d = (unsigned char)*p - '0';

		if (d > 9)
			return -1;
		n = n * 10 + (int32_t)d;
	}
	*v = negative ? -n : n;
	return 0;
}

static int parse_numbers(struct mp_sched_event *e, const struct mp_str *texts)
{
	return parse_number(texts[MP_SCHED_F_CPU], -1, &e->cpu) |
	       parse_number(texts[MP_SCHED_F_PID], -1, &e->pid) |
	       parse_number(texts[MP_SCHED_F_TID], -1, &e->tid) |
	       parse_number(texts[MP_SCHED_F_TASK], -1, &e->task) |
	       parse_number(texts[MP_SCHED_F_TASK_PRIO], MP_SCHED_NO_PRIO, &e->task_prio) |
	       parse_number(texts[MP_SCHED_F_NEXT], -1, &e->next) |
	       parse_number(texts[MP_SCHED_F_NEXT_PRIO], MP_SCHED_NO_PRIO, &e->next_prio) |
	       parse_number(texts[MP_SCHED_F_TARGET], -1, &e->target_cpu) |
	       parse_number(texts[MP_SCHED_F_OLD], -1, &e->old);
}

/* Most names are plain: only one with a special byte needs the full check. */
static bool is_valid_comm(struct mp_str comm)
{
	size_t i;

	if (comm.len > MP_SCHED_COMM_MAX)
		return false;
	for (i = 0; i < comm.len; i++) {
		unsigned char c = comm.p[i];

		if (c < ' ' || c == '\\' || c == 0x7f)
			return mp_esc_check(comm) == 0;
	}
	return true;
}

int mp_sched_read(struct mp_sched_reader *r, enum mp_sched_what what, const struct mp_rec *rec,
		  struct mp_sched_event *e, const char **why)
{
	struct mp_str texts[MP_SCHED_FIELDS] = { { NULL, 0 } };

	split_fields(&r->layouts[what], what, rec->body, texts);
	e->what = what;
	e->time_ns = rec->time_ns;
	e->host = texts[MP_SCHED_F_HOST];
	e->comm = texts[MP_SCHED_F_COMM];
	e->task_comm = texts[MP_SCHED_F_TASK_COMM];
	e->next_comm = texts[MP_SCHED_F_NEXT_COMM];
	e->stack = texts[MP_SCHED_F_STACK];
	if (parse_numbers(e, texts) < 0)
		return fail(why, "a field of a scheduler event is not a number");
	if (what == MP_SCHED_KVM_ENTRY || what == MP_SCHED_KVM_EXIT)
		e->task = e->tid;
	if (e->task < 0)
		return fail(why, "scheduler event without a task");
	if (e->cpu > MP_SCHED_CPU_MAX || e->target_cpu > MP_SCHED_CPU_MAX)
		return fail(why, "CPU number above 65535");
	if (!is_valid_comm(e->comm) || !is_valid_comm(e->task_comm) || !is_valid_comm(e->next_comm))
		return fail(why, "bad task name: control byte, bad escape, or more than 255 bytes");
	if (e->stack.len > MP_LINE_MAX - HEADROOM)
		return fail(why, "stack too long");
	if (e->stack.p && mp_esc_check(e->stack) < 0)
		return fail(why, "bad escape or control byte in a stack");
	if (what != MP_SCHED_SWITCH)
		return 0;
	e->state = texts[MP_SCHED_F_STATE];
	if (e->cpu < 0 || e->next < 0 || !e->state.p)
		return fail(why, "sched_switch without cpu, .prev_state or .next_pid");
	return 0;
}

static int letter_state(struct mp_str text, enum mp_sched_state *state)
{
	switch (text.len ? *text.p : 0) {
	case 'R':
		*state = MP_SCHED_PREEMPTED;
		return 0;
	case 'D': /* D|N: before 4.14, the idle sleep of a kernel thread */
		*state = memchr(text.p, 'N', text.len) ? MP_SCHED_SLEEP : MP_SCHED_BLOCK;
		return 0;
	case 'S':
	case 'I':
		*state = MP_SCHED_SLEEP;
		return 0;
	case 'T':
	case 't':
	case 'P':
		*state = MP_SCHED_STOPPED;
		return 0;
	case 'X':
	case 'x':
	case 'Z':
		*state = MP_SCHED_DEAD;
		return 0;
	}
	return -1;
}

int mp_sched_prev_state(struct mp_str text, bool exiting, enum mp_sched_state *state)
{
	enum {
		S = 1,
		D = 2,
		T = 4 | 8,
		X = 0x30,
		P = 0x40,
		I = 0x80,
		P_OLD = 0x200,
		N_OLD = 0x400
	};
	int64_t v;

	if (mp_num_any(mp_named_number(text), &v) < 0)
		return letter_state(text, state);
	if (v & D)
		*state = v & N_OLD ? MP_SCHED_SLEEP : MP_SCHED_BLOCK;
	else if (v & S)
		*state = MP_SCHED_SLEEP;
	else if (v & T)
		*state = MP_SCHED_STOPPED;
	else if (v & X || (v & P && exiting))
		*state = MP_SCHED_DEAD;
	else if (v & (P | P_OLD))
		*state = MP_SCHED_STOPPED;
	else if (v & I)
		*state = MP_SCHED_SLEEP;
	else
		*state = MP_SCHED_PREEMPTED;
	return 0;
}
