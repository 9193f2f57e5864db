// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/arrow.h"

enum { BEGUN_MAX = 100000 }; /* keys of pairs; arrows of more are not drawn */

struct mp_arrow_rule {
	struct mp_str type;
	/* the fields with which the payload names the other row: pairs of names, ends with NULL */
	const char *names[8];
	/* the field with the key of two events that are the ends of an arrow; p == NULL: none */
	struct mp_field key;
	bool begins; /* the first of two events */
};

/* mp-stream(5) lists these */
#define WAKES .names = { "tid", ".pid", "comm", ".comm", "cpu", ".target_cpu" }

static const struct mp_arrow_rule rules[] = {
	{ .type = MP_STR("sched:sched_waking"), WAKES },
	{ .type = MP_STR("sched:sched_wakeup"), WAKES },
	{ .type = MP_STR("sched:sched_wakeup_new"), WAKES },
	{ .type = MP_STR("sched:sched_process_fork"),
	  .names = { "tid", ".child_pid", "comm", ".child_comm" } },
	{ .type = MP_STR("task:fork"), .names = { "tid", ".tid", "pid", ".pid", "comm", "comm" } },
	{ .type = MP_STR("sock:sk_data_ready"),
	  .key = MP_FIELD_OF(KEY, ".skaddr"),
	  .begins = true },
	{ .type = MP_STR("sock:sock_recv_length"), .key = MP_FIELD_OF(KEY, ".sk") },
};

const struct mp_arrow_rule *mp_arrow_rule(struct mp_str type)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(rules); i++)
		if (mp_str_eq(rules[i].type, type))
			return &rules[i];
	return NULL;
}

/* The value of the field that consists of two texts. */
static bool get(const struct mp_rec *rec, const char *before, struct mp_str name,
		struct mp_str *value)
{
	char text[64];
	struct mp_field f = { MP_FIELD_KEY, { text, strlen(before) + name.len }, NULL };

	if (f.name.len > sizeof(text))
		return false;
	memcpy(text, before, strlen(before));
	memcpy(text + strlen(before), name.p, name.len);
	return mp_rec_name(rec, &f, value);
}

/* Reads the row that fields with a prefix name. */
static bool get_row(const struct mp_rec *rec, const char *prefix, const struct mp_fields *rows,
		    struct mp_arrow_end *end)
{
	size_t i;

	for (i = 0; i < rows->n; i++)
		if (!get(rec, prefix, rows->v[i].name, &end->row[i]))
			return false;
	return true;
}

/* Reads the row that the payload names. */
static bool get_payload(const struct mp_arrow_rule *rule, const struct mp_rec *rec,
			const struct mp_fields *rows, struct mp_arrow_end *end)
{
	const char *const *name;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		for (name = rule->names; *name; name += 2)
			if (mp_str_eq(rows->v[i].name, mp_str(*name)))
				break;
		if (!*name || !get(rec, name[1], MP_STR(""), &end->row[i]))
			return false;
	}
	return true;
}

bool mp_arrow_read(const struct mp_arrow_rule *rule, const struct mp_rec *rec,
		   const struct mp_fields *rows, uint64_t begin_ns, struct mp_arrow_end *end)
{
	static const struct {
		const char *prefix;
		bool leads;
	} ends[] = { { "waker_", false },
		     { "sender_", false },
		     { "parent_", false },
		     { "receiver_", true },
		     { "child_", true } };
	struct mp_str text;
	size_t i;

	if (!rows->n || rows->n > MP_ARROW_FIELDS_MAX)
		return false;
	for (i = 0; i < MP_ARRAY_SIZE(ends); i++) {
		if (!get_row(rec, ends[i].prefix, rows, end))
			continue;
		end->leads = ends[i].leads;
		end->time_ns = end->leads ? rec->time_ns : begin_ns;
		if (get(rec, ends[i].prefix, MP_STR("time"), &text))
			return mp_num_u64(text, &end->time_ns) == 0 && end->time_ns <= INT64_MAX;
		return true;
	}
	if (!rule || !rule->names[0] || !get_payload(rule, rec, rows, end))
		return false;
	end->leads = true;
	end->time_ns = rec->time_ns;
	return true;
}

const struct mp_arrow_begun *mp_arrow_pair(struct mp_arrow_pairs *p,
					   const struct mp_arrow_rule *rule,
					   const struct mp_rec *rec, uint32_t row)
{
	struct mp_arrow_begun *begun;
	struct mp_map_entry *e;
	struct mp_str key;

	if (!rule->key.name.p || !mp_rec_name(rec, &rule->key, &key))
		return NULL;
	if (!p->has)
		mp_map_init(&p->begun, sizeof(struct mp_arrow_begun));
	p->has = true;
	if (rule->begins) {
		if (p->begun.n >= BEGUN_MAX && !mp_map_find(&p->begun, &key, 1))
			return NULL;
		begun = mp_map_value(mp_map_put(&p->begun, &key, 1, NULL));
		if (!begun->open)
			*begun = (struct mp_arrow_begun){ rec->time_ns, row, true };
		return NULL;
	}
	e = mp_map_find(&p->begun, &key, 1);
	begun = e ? mp_map_value(e) : NULL;
	if (!begun || !begun->open)
		return NULL;
	begun->open = false;
	return begun;
}

bool mp_arrow_begins(const struct mp_arrow_rule *rule)
{
	return rule->begins;
}

void mp_arrow_pairs_release(struct mp_arrow_pairs *p)
{
	if (p->has)
		mp_map_release(&p->begun);
}
