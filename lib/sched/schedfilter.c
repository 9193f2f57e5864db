// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedfilter.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/stream/glob.h"

/* In this order the result of "and" is the minimum, that of "or" the maximum. */
enum answer { NO, MAYBE, YES };

enum { DEPTH_MAX = 100 };

/* What is known of an event: the two fields that name a task. */
struct about {
	const char *tid_field, *comm_field;
	int32_t tid;
	struct mp_str comm;
};

struct parser {
	const char *p;
	const struct about *about;
	int depth;
	bool bad; /* the filter has a form that this parser does not know */
};

static enum answer any_of(struct parser *f);

static bool accept(struct parser *f, const char *token)
{
	f->p += strspn(f->p, " \t\n");
	if (strncmp(f->p, token, strlen(token)) != 0)
		return false;
	f->p += strlen(token);
	return true;
}

static enum answer bad(struct parser *f)
{
	f->bad = true;
	return MAYBE;
}

/* A name, a number, or a text without its quotes, which is then `quoted`. */
static struct mp_str word(struct parser *f, bool *quoted)
{
	struct mp_str text;
	const char *end;

	f->p += strspn(f->p, " \t\n");
	*quoted = *f->p == '"' || *f->p == '\'';
	if (*quoted) {
		end = strchr(f->p + 1, *f->p);
		text = (struct mp_str){ f->p + 1, end ? end - f->p - 1 : 0 };
		f->bad |= !end;
		f->p = end ? end + 1 : f->p;
		return text;
	}
	text = (struct mp_str){ f->p, strcspn(f->p, " \t\n()&|!=<>~\"'") };
	f->bad |= !text.len;
	f->p += text.len;
	return text;
}

static const char *operator(struct parser *f)
{
	static const char *const all[] = { "==", "!=", "<=", ">=", "<", ">", "~", "&" };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(all); i++)
		if (accept(f, all[i]))
			return all[i];
	return NULL;
}

static enum answer yes(bool is)
{
	return is ? YES : NO;
}

static enum answer compare_tid(struct parser *f, const char *op, struct mp_str value)
{
	char text[24], *end;
	long long v, tid = f->about->tid;

	if (!value.len || value.len >= sizeof(text))
		return bad(f);
	memcpy(text, value.p, value.len);
	text[value.len] = '\0';
	errno = 0;
	v = strtoll(text, &end, 0);
	if (*end || errno)
		return bad(f);
	switch (*op) {
	case '=':
		return yes(tid == v);
	case '!':
		return yes(tid != v);
	case '<':
		return yes(op[1] ? tid <= v : tid < v);
	case '>':
		return yes(op[1] ? tid >= v : tid > v);
	case '&':
		return yes(tid & v);
	}
	return bad(f);
}

static enum answer compare_comm(struct parser *f, const char *op, struct mp_str value)
{
	struct mp_str comm = f->about->comm;
	struct mp_glob glob;

	if (!comm.p || memchr(comm.p, '\\', comm.len))
		return MAYBE;
	switch (*op) {
	case '=':
		return yes(mp_str_eq(comm, value));
	case '!':
		return yes(!mp_str_eq(comm, value));
	case '~':
		mp_glob_init(&glob, value);
		return yes(mp_glob_match(&glob, comm));
	}
	return bad(f);
}

static bool begins_number(struct mp_str text)
{
	return text.len && (*text.p == '-' || (*text.p >= '0' && *text.p <= '9'));
}

static enum answer comparison(struct parser *f)
{
	bool quoted;
	struct mp_str field = word(f, &quoted), value;
	const char *op = operator(f);

	if (!op)
		return bad(f);
	value = word(f, &quoted);
	/* mp-select compares by what is on the right: "07" is not 7, and no name equals a number */
	if (!quoted && mp_str_eq(field, mp_str(f->about->tid_field)))
		return compare_tid(f, op, value);
	if (mp_str_eq(field, mp_str(f->about->comm_field)) && (quoted || !begins_number(value)))
		return compare_comm(f, op, value);
	return MAYBE;
}

static enum answer term(struct parser *f)
{
	enum answer a;

	if (f->bad || f->depth == DEPTH_MAX)
		return bad(f);
	f->depth++;
	if (accept(f, "!")) {
		a = YES - term(f);
	} else if (accept(f, "(")) {
		a = any_of(f);
		f->bad |= !accept(f, ")");
	} else if (accept(f, "?")) {
		a = MAYBE;
	} else {
		a = comparison(f);
	}
	f->depth--;
	return a;
}

static enum answer all_of(struct parser *f)
{
	enum answer a = term(f), b;

	while (accept(f, "&&")) {
		b = term(f);
		a = MP_MIN(a, b);
	}
	return a;
}

static enum answer any_of(struct parser *f)
{
	enum answer a = all_of(f), b;

	while (accept(f, "||")) {
		b = all_of(f);
		a = MP_MAX(a, b);
	}
	return a;
}

/*
 * Whether the filter selects every event with these fields. Returns false if that depends on other
 * fields, or if the parser does not know the form of the filter.
 */
static bool selects(const char *filter, const struct about *about)
{
	struct parser f = { .p = filter, .about = about };
	enum answer a = any_of(&f);

	accept(&f, "");
	return a == YES && !f.bad && !*f.p;
}

/* Whether all events of a kind that name a task in these fields are recorded. */
static bool sees(const struct mp_sched_seen *s, enum mp_sched_what what, const char *tid_field,
		 const char *comm_field, int32_t tid, struct mp_str comm)
{
	struct about about = { tid_field, comm_field, tid, comm };

	return s->recorded[what] && (!s->filters[what] || selects(s->filters[what], &about));
}

bool mp_sched_sees_outs(const struct mp_sched_seen *s, int32_t tid, struct mp_str comm)
{
	return sees(s, MP_SCHED_SWITCH, "prev_pid", "prev_comm", tid, comm);
}

bool mp_sched_sees_ins(const struct mp_sched_seen *s, int32_t tid, struct mp_str comm)
{
	return sees(s, MP_SCHED_SWITCH, "next_pid", "next_comm", tid, comm);
}

bool mp_sched_sees_end(const struct mp_sched_seen *s, enum mp_sched_state state, int32_t tid,
		       struct mp_str comm)
{
	switch (state) {
	case MP_SCHED_RUN:
		return mp_sched_sees_outs(s, tid, comm);
	case MP_SCHED_SLEEP:
	case MP_SCHED_BLOCK:
	case MP_SCHED_STOPPED:
		/* sched_waking may precede the switch, when the task is on its way to sleep */
		return sees(s, MP_SCHED_WAKEUP, "pid", "comm", tid, comm) ||
		       mp_sched_sees_ins(s, tid, comm);
	case MP_SCHED_WAIT:
	case MP_SCHED_PREEMPTED:
	case MP_SCHED_NEW:
		return mp_sched_sees_ins(s, tid, comm);
	default:
		return false;
	}
}
