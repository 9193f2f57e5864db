// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/aggregate_spec.h"

#include <ctype.h>
#include <string.h>

#include "bpf/amount.h"

bool mp_event_agg_is_term(struct mp_str key)
{
	return mp_str_eq(key, MP_STR("sum")) || mp_str_eq(key, MP_STR("ask")) ||
	       mp_str_eq(key, MP_STR("into")) || mp_str_eq(key, MP_STR("got")) ||
	       mp_str_eq(key, MP_STR("freed")) || mp_str_eq(key, MP_STR("every"));
}

static enum mp_agg_value find_value(struct mp_str text)
{
	if (text.len == 4 && memcmp(text.p, "arg", 3) == 0 && text.p[3] >= '1' && text.p[3] <= '6')
		return MP_AGG_ARG1 + (text.p[3] - '1');
	if (mp_str_eq(text, MP_STR("retval")))
		return MP_AGG_RETVAL;
	if (mp_str_eq(text, MP_STR("period")))
		return MP_AGG_PERIOD;
	if (mp_str_eq(text, MP_STR("count")))
		return MP_AGG_COUNT;
	return MP_AGG_NONE;
}

static const char *parse_pointer(__u8 *to, struct mp_str value)
{
	*to = find_value(value);
	return *to >= MP_AGG_ARG1 && *to <= MP_AGG_RETVAL ? NULL : "is not arg1 to arg6 or retval";
}

static bool is_name(struct mp_str text, size_t room)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (!isalnum((unsigned char)text.p[i]) && text.p[i] != '_')
			return false;
	return text.len && text.len < room;
}

/* "[NAME:]VALUE[*VALUE]" */
static const char *parse_weight(struct mp_agg_terms *t, __u8 to[2], struct mp_str value)
{
	const char *colon = memchr(value.p, ':', value.len), *times;
	struct mp_str name = value, rest = value, first;

	if (colon) {
		name.len = colon - value.p;
		rest = (struct mp_str){ colon + 1, value.len - name.len - 1 };
		if (!is_name(name, sizeof(t->weight)))
			return "has a name with other characters than letters, digits and _";
	}
	times = memchr(rest.p, '*', rest.len);
	first = times ? (struct mp_str){ rest.p, times - rest.p } : rest;
	to[0] = find_value(first);
	to[1] = MP_AGG_NONE;
	if (times)
		to[1] = find_value((struct mp_str){ times + 1, rest.len - first.len - 1 });
	if (!to[0] || (times && !to[1]))
		return "is not count, period, arg1 to arg6 or retval, nor a product of two";
	if (!colon)
		name = first;
	memcpy(t->weight, name.p, name.len);
	t->weight[name.len] = '\0';
	return NULL;
}

const char *mp_event_agg_parse_term(struct mp_agg_terms *t, struct mp_str key, struct mp_str value)
{
	uint64_t every;

	t->given = true;
	if (mp_str_eq(key, MP_STR("sum")))
		return parse_weight(t, t->rule.weight, value);
	if (mp_str_eq(key, MP_STR("ask")))
		return parse_weight(t, t->rule.ask, value);
	if (mp_str_eq(key, MP_STR("into")))
		return parse_pointer(&t->rule.into, value);
	if (mp_str_eq(key, MP_STR("got")))
		return parse_pointer(&t->rule.got, value);
	if (mp_str_eq(key, MP_STR("freed")))
		return parse_pointer(&t->rule.freed, value);
	if (mp_num_u64(value, &every) < 0 || !every || every > MP_AMOUNT_MEAN_MAX)
		return "is not a number from 1 to 2^40";
	t->rule.every = every;
	return NULL;
}

const char *mp_event_agg_check_terms(const struct mp_agg_terms *t)
{
	const struct mp_agg_rule *r = &t->rule;

	if (!t->given)
		return NULL;
	if (r->weight[0] && (r->ask[0] || r->got || r->freed))
		return "sum= cannot be combined with ask=, got= or freed=";
	if (r->into && !r->ask[0])
		return "into= needs ask=";
	if (r->every && !r->weight[0])
		return "every= needs sum=";
	return NULL;
}
