// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/budget.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/capture/host/proc.h"
#include "lib/core/clock.h"
#include "lib/stream/unit.h"

enum {
	USERS_MAX = 1000,
	SUBUID_MAX_BYTES = 64 << 10,
	LISTED_MAX = 3, /* users in the report */
	JSON_MAX = 20,	/* users in the trailer */
	LATE_NS = 250000000,
	LATE_PART = 8,
};

#define MIB ((uint64_t)1 << 20)
#define SECOND_NS 1000000000ull

/* The total of each kind, and the words for what was refused. */
static const struct kind {
	uint64_t total, period_ns; /* period 0: held until it is given back */
	const char *name;	   /* in the trailer */
	const char *one, *many;	   /* in the report */
} kinds[MP_BUDGET_KINDS] = {
	[MP_BUDGET_TIME] = { 4 * SECOND_NS, 10 * SECOND_NS, "time", "name was not looked up",
			     "names were not looked up" },
	[MP_BUDGET_OUTPUT] = { 256 * MIB, SECOND_NS, "output", "stack was shortened",
			       "stacks were shortened" },
	[MP_BUDGET_TRACK] = { 10 * MIB, 0, "track", "record of a task was dropped",
			      "records of tasks were dropped" },
	[MP_BUDGET_COPIES] = { 0, 0, "copies", "stack was not taken", "stacks were not taken" },
	[MP_BUDGET_OPEN] = { 512, 0, "open", "file was not opened", "files were not opened" },
	[MP_BUDGET_TABLES] = { 128 * MIB, 0, "tables", "file was not read", "files were not read" },
	[MP_BUDGET_JIT] = { 64 * MIB, 0, "jit", "perf map was not read",
			    "perf maps were not read" },
	[MP_BUDGET_MAPPINGS] = { 32 * MIB, 0, "mappings", "mapping was dropped",
				 "mappings were dropped" },
	[MP_BUDGET_TEXTS] = { 32 * MIB, 0, "texts", "text of a stack was not cached",
			      "texts of stacks were not cached" },
	[MP_BUDGET_SUMS] = { 64 * MIB, 0, "sums", "stack of an aggregate was shortened",
			     "stacks of aggregates were shortened" },
	[MP_BUDGET_SPACES] = { 2048, 0, "spaces", "process had no tables for BPF",
			       "processes had no tables for BPF" },
	[MP_BUDGET_ROWS] = { 4 << 20, 10 * SECOND_NS, "rows", "file had no tables for BPF",
			     "files had no tables for BPF" },
};

/* Uids that one user may use, by newuidmap(1). */
struct mp_budget_range {
	uid_t first, last;
};

/* --- users ------------------------------------------------------------------------------------ */

/* Adds the range of a line "NAME:FIRST:COUNT". */
static void add_range(struct mp_budget *b, const char *line)
{
	const char *numbers = strchr(line, ':');
	unsigned first, count;

	if (!numbers || sscanf(numbers, ":%u:%u", &first, &count) != 2 || !first || !count ||
	    first + count - 1 < first)
		return;
	b->ranges = mp_grow(b->ranges, &b->cap_ranges, b->n_ranges + 1, sizeof(*b->ranges));
	b->ranges[b->n_ranges++] = (struct mp_budget_range){ first, first + count - 1 };
}

static int by_first(const void *a, const void *b)
{
	const struct mp_budget_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void read_ranges(struct mp_budget *b, const char *path)
{
	char *text = mp_alloc(SUBUID_MAX_BYTES), *line, *rest = text;

	if (mp_proc_read(path, text, SUBUID_MAX_BYTES) > 0)
		while ((line = strsep(&rest, "\n")))
			add_range(b, line);
	if (b->n_ranges)
		qsort(b->ranges, b->n_ranges, sizeof(*b->ranges), by_first);
	free(text);
}

static void add_user(struct mp_budget *b, uid_t uid)
{
	b->users = mp_grow(b->users, &b->cap_users, b->n_users + 1, sizeof(*b->users));
	b->users[b->n_users++] = (struct mp_budget_user){ .uid = uid };
	mp_intmap_add(&b->by_uid, uid, b->n_users);
}

void mp_budget_init(struct mp_budget *b, const char *subuid)
{
	*b = (struct mp_budget){ .clock = mp_monotonic_ns };
	mp_intmap_init(&b->by_uid);
	if (subuid)
		read_ranges(b, subuid);
	add_user(b, MP_BUDGET_UNKNOWN); /* at index 0 */
}

void mp_budget_release(struct mp_budget *b)
{
	mp_intmap_release(&b->by_uid);
	free(b->users);
	free(b->ranges);
}

uid_t mp_budget_uid(const struct mp_budget *b, uid_t uid)
{
	size_t at = b ? MP_COUNT_FIRST(b->n_ranges, i, b->ranges[i].last < uid) : 0;

	return b && at < b->n_ranges && b->ranges[at].first <= uid ? b->ranges[at].first : uid;
}

static struct mp_budget_user *user_of(struct mp_budget *b, uid_t uid)
{
	uint64_t at;

	uid = mp_budget_uid(b, uid);
	at = mp_intmap_get(&b->by_uid, uid);
	if (!at && b->n_users < USERS_MAX) {
		add_user(b, uid);
		at = b->n_users;
	}
	return &b->users[at ? at - 1 : 0];
}

static bool is_trusted(const struct mp_budget *b, const struct mp_budget_user *u)
{
	return u->uid == 0 || u->uid == b->trusted || u->uid == b->self;
}

/* --- shares ----------------------------------------------------------------------------------- */

void mp_budget_renew(struct mp_budget *b, enum mp_budget_kind kind)
{
	struct mp_budget_pool *p = &b->pools[kind];
	size_t i;

	for (i = 0; i < b->n_users; i++)
		b->users[i].used[kind] = 0;
	*p = (struct mp_budget_pool){ .period = p->period, .competed = p->competing };
}

/* Begins the next period, in which all start with nothing used. */
static void renew(struct mp_budget *b, enum mp_budget_kind kind)
{
	uint64_t period;

	if (!kinds[kind].period_ns)
		return;
	period = b->clock() / kinds[kind].period_ns;
	if (period == b->pools[kind].period)
		return;
	mp_budget_renew(b, kind);
	b->pools[kind].period = period;
}

static bool is_late(const struct mp_budget *b)
{
	return b->handled_ns && *b->handled_ns && b->clock() > *b->handled_ns + LATE_NS;
}

/*
 * The share of one user: an equal part for each user that uses some, with one part kept for a user
 * that may still come.
 */
static uint64_t share(const struct mp_budget *b, enum mp_budget_kind kind,
		      const struct mp_budget_user *u)
{
	const struct mp_budget_pool *p = &b->pools[kind];
	unsigned n = MP_MAX(p->competing + !u->used[kind], p->competed);

	return kinds[kind].total / (MP_MAX(n, 1u) + !b->no_reserve) /
	       (kind == MP_BUDGET_TIME && is_late(b) ? LATE_PART : 1);
}

static bool is_full(const struct mp_budget *b, enum mp_budget_kind kind, uint64_t n)
{
	/* the oldest address spaces give way, so that only their shares are limited */
	return !kinds[kind].period_ns && kind != MP_BUDGET_SPACES &&
	       b->pools[kind].used + n > kinds[kind].total;
}

static bool exceeds_share(const struct mp_budget *b, enum mp_budget_kind kind,
			  const struct mp_budget_user *u, uint64_t n)
{
	return !is_trusted(b, u) && u->used[kind] + n > share(b, kind, u);
}

static void add(struct mp_budget *b, enum mp_budget_kind kind, struct mp_budget_user *u, uint64_t n)
{
	struct mp_budget_pool *p = &b->pools[kind];

	p->competing += n && !u->used[kind] && !is_trusted(b, u);
	u->used[kind] += n;
	p->used += n;
}

static void count_refusal(struct mp_budget_user *u, enum mp_budget_kind kind,
			  const struct mp_budget_who *who, uint64_t n)
{
	size_t i, comm_len = MP_MIN(who->comm.len, sizeof(u->comm) - 1);

	for (i = 0; i < MP_BUDGET_KINDS && !u->dropped[i];)
		i++;
	u->dropped[kind] += n;
	if (i < MP_BUDGET_KINDS) /* not the first refusal */
		return;
	u->pid = who->pid;
	if (comm_len)
		memcpy(u->comm, who->comm.p, comm_len);
	u->comm[comm_len] = '\0';
	snprintf(u->file, sizeof(u->file), "%s", who->file ? who->file : "");
}

bool mp_budget_fits(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n)
{
	const struct mp_budget_user *u;

	if (!b)
		return true;
	u = user_of(b, uid);
	renew(b, kind);
	return !exceeds_share(b, kind, u, n) && !is_full(b, kind, n);
}

bool mp_budget_take(struct mp_budget *b, enum mp_budget_kind kind, const struct mp_budget_who *who,
		    uint64_t n)
{
	struct mp_budget_user *u;

	if (!b)
		return true;
	u = user_of(b, who->uid);
	renew(b, kind);
	if (exceeds_share(b, kind, u, n)) {
		count_refusal(u, kind, who, 1);
		return false;
	}
	if (is_full(b, kind, n)) {
		b->spilled = true;
		count_refusal(u, kind, who, 1);
		return false;
	}
	add(b, kind, u, n);
	return true;
}

void mp_budget_spend(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n)
{
	if (!b)
		return;
	renew(b, kind);
	add(b, kind, user_of(b, uid), n);
}

void mp_budget_give(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n)
{
	struct mp_budget_user *u;

	if (!b)
		return;
	u = user_of(b, uid);
	n = MP_MIN(n, u->used[kind]);
	u->used[kind] -= n;
	b->pools[kind].used -= n;
	b->pools[kind].competing -= n && !u->used[kind] && !is_trusted(b, u);
}

void mp_budget_refuse(struct mp_budget *b, enum mp_budget_kind kind,
		      const struct mp_budget_who *who)
{
	mp_budget_refused(b, kind, who, 1);
}

void mp_budget_refused(struct mp_budget *b, enum mp_budget_kind kind,
		       const struct mp_budget_who *who, uint64_t n)
{
	if (b)
		count_refusal(user_of(b, who->uid), kind, who, n);
}

uid_t mp_budget_victim(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n)
{
	const struct mp_budget_user *u = user_of(b, uid), *most = u;
	size_t i;

	if (exceeds_share(b, kind, u, n))
		return u->uid;
	for (i = 0; i < b->n_users; i++)
		if (b->users[i].used[kind] > most->used[kind])
			most = &b->users[i];
	return most->uid;
}

/* --- report ----------------------------------------------------------------------------------- */

bool mp_budget_is_lossy(const struct mp_budget *b)
{
	return b->spilled;
}

static uint64_t refusals(const struct mp_budget_user *u)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < MP_BUDGET_KINDS; i++)
		n += u->dropped[i];
	return n;
}

/* Sorts users by their refusals, most first. */
static int by_refusals(const void *a, const void *b)
{
	const struct mp_budget_user *const *x = a, *const *y = b;
	uint64_t n = refusals(*x), m = refusals(*y);

	return n != m ? (n > m ? -1 : 1) : (*x < *y ? -1 : 1);
}

/* The users that were refused something, the worst first. The caller frees the array. */
static const struct mp_budget_user **offenders(const struct mp_budget *b, size_t *n)
{
	const struct mp_budget_user **v = mp_alloc(b->n_users * sizeof(*v));
	size_t i;

	*n = 0;
	for (i = 0; i < b->n_users; i++)
		if (refusals(&b->users[i]))
			v[(*n)++] = &b->users[i];
	if (*n)
		qsort(v, *n, sizeof(*v), by_refusals);
	return v;
}

/*
 * Prints "limits for uid 1000 took effect: 2 files were not read (the first by pid 71, java, with
 * '/tmp/x.so')".
 */
static void report_user(const struct mp_budget_user *u)
{
	struct mp_buf text = { NULL, 0, 0 };
	const char *comma = "";
	size_t i;

	if (u->uid == MP_BUDGET_UNKNOWN)
		mp_buf_printf(&text, "limits for an unknown uid took effect: ");
	else
		mp_buf_printf(&text, "limits for uid %u took effect: ", u->uid);
	for (i = 0; i < MP_BUDGET_KINDS; i++) {
		if (!u->dropped[i])
			continue;
		mp_buf_printf(&text, "%s%llu %s", comma, (unsigned long long)u->dropped[i],
			      u->dropped[i] == 1 ? kinds[i].one : kinds[i].many);
		comma = ", ";
	}
	mp_buf_printf(&text, " (the first by pid %d%s%s", (int)u->pid, u->comm[0] ? ", " : "",
		      u->comm);
	if (u->file[0])
		mp_buf_printf(&text, ", with '%s'", u->file);
	mp_say("%.*s)", MP_STR_ARGS(mp_buf_view(&text)));
	mp_buf_release(&text);
}

void mp_budget_report(const struct mp_budget *b)
{
	const struct mp_budget_user **v;
	size_t n, i;

	v = offenders(b, &n);
	for (i = 0; i < MP_MIN(n, (size_t)LISTED_MAX); i++)
		report_user(v[i]);
	if (n > LISTED_MAX)
		mp_say("limits for %zu more uid%s took effect", n - LISTED_MAX,
		       mp_plural(n - LISTED_MAX));
	if (b->spilled)
		mp_say("other users may be affected: the total of a limit was reached");
	free(v);
}

static json_t *user_json(const struct mp_budget_user *u)
{
	json_t *user = json_object(), *dropped = json_object();
	size_t i;

	if (u->uid != MP_BUDGET_UNKNOWN)
		json_object_set_new(user, "uid", json_integer(u->uid));
	json_object_set_new(user, "pid", json_integer(u->pid));
	if (u->comm[0])
		json_object_set_new(user, "comm", mp_ctl_string(mp_str(u->comm)));
	if (u->file[0])
		json_object_set_new(user, "file", mp_ctl_string(mp_str(u->file)));
	for (i = 0; i < MP_BUDGET_KINDS; i++)
		if (u->dropped[i])
			json_object_set_new(dropped, kinds[i].name,
					    json_integer((json_int_t)u->dropped[i]));
	json_object_set_new(user, "refused", dropped);
	return user;
}

void mp_budget_json(const struct mp_budget *b, json_t *trailer)
{
	const struct mp_budget_user **v;
	json_t *users = json_array();
	size_t n, i;

	v = offenders(b, &n);
	for (i = 0; i < MP_MIN(n, (size_t)JSON_MAX); i++)
		json_array_append_new(users, user_json(v[i]));
	if (n)
		json_object_set_new(trailer, "limited",
				    json_pack("{s:I, s:O}", "users", (json_int_t)n, "worst",
					      users));
	json_decref(users);
	free(v);
}
