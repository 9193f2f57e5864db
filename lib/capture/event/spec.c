// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/capture/event/ratio.h"

struct parser {
	const char *at;
	mp_spec_name_fn *parse_name;
	bool count;  /* all events are counted */
	bool halves; /* they are those of a ratio */
	char **error;
};

static int fail(struct parser *p, const char *fmt, ...) MP_PRINTF(2, 3);

static int fail(struct parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*p->error = mp_vasprintf(fmt, ap);
	va_end(ap);
	return -1;
}

static const char *const part_names[] = {
	[MP_STACK_NONE] = "none",
	[MP_STACK_KERNEL] = "kernel",
	[MP_STACK_USER] = "user",
	[MP_STACK_BOTH] = "both",
};

static enum mp_stack_part find_part(struct mp_str name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(part_names); i++)
		if (mp_str_eq(name, mp_str(part_names[i])))
			return (enum mp_stack_part)i;
	return MP_STACK_UNSET;
}

int mp_stack_mode_parse(struct mp_str text, enum mp_stack_part *part, enum mp_stack_method *method)
{
	const char *colon = memchr(text.p, ':', text.len);
	struct mp_str first = { text.p, colon ? (size_t)(colon - text.p) : text.len }, second;
	enum mp_stack_part found = find_part(first);
	enum mp_stack_method by;

	if (found == MP_STACK_UNSET && !colon) { /* the text has a method only */
		by = mp_stack_method_find(first);
		if (by == MP_METHOD_UNSET)
			return -1;
		*method = by;
		return 0;
	}
	by = *method;
	if (colon) {
		second = (struct mp_str){ colon + 1, text.p + text.len - colon - 1 };
		by = mp_stack_method_find(second);
	}
	if (found == MP_STACK_UNSET || (colon && by == MP_METHOD_UNSET))
		return -1;
	*part = found;
	*method = by;
	return 0;
}

bool mp_spec_is_user_probe(const struct mp_spec *spec)
{
	return spec->probe &&
	       (strncmp(spec->name, "uprobe:", 7) == 0 ||
		strncmp(spec->name, "uretprobe:", 10) == 0 || strncmp(spec->name, "usdt:", 5) == 0);
}

size_t mp_spec_span(const char *text, const char *stop)
{
	const char *at;
	int depth = 0;
	char quote = 0;

	for (at = text; *at; at++) {
		char c = *at;

		if (quote) {
			quote = c == quote ? 0 : quote;
			continue;
		}
		if (c == '"' || c == '\'')
			quote = c;
		else if (c == '(')
			depth++;
		else if (c == ')')
			depth--;
		else if (depth <= 0 && strchr(stop, c))
			break;
	}
	return at - text;
}

static struct mp_str token(struct parser *p, const char *stop)
{
	struct mp_str t = { p->at, mp_spec_span(p->at, stop) };

	p->at += t.len;
	return t;
}

static bool all_modifiers(struct mp_str s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!strchr("ukHGhpP", s.p[i]))
			return false;
	return s.len > 0;
}

static int set_modifiers(struct parser *p, struct mp_spec *spec, struct mp_str mods)
{
	size_t i;

	for (i = 0; i < mods.len; i++) {
		switch (mods.p[i]) {
		case 'u':
			spec->user = true;
			break;
		case 'k':
			spec->kernel = true;
			break;
		case 'H':
			spec->host = true;
			break;
		case 'G':
			spec->guest = true;
			break;
		case 'p':
			if (++spec->precise > 3)
				return fail(p, "more than three p after '%s'", spec->name);
			break;
		case 'P':
			spec->most_precise = true;
			break;
		default:
			return fail(p, "unknown modifier '%c' after '%s' (u, k, H, G, p, P)",
				    mods.p[i], spec->name);
		}
	}
	if (spec->most_precise && spec->precise)
		return fail(p, "p and P after '%s' cannot be combined", spec->name);
	return 0;
}

/*
 * Splits a name from the modifiers after its last colon: "cycles:u", but not "sched:sched_switch".
 */
static int set_name(struct parser *p, struct mp_spec *spec, struct mp_str name)
{
	const char *colon = name.len ? memrchr(name.p, ':', name.len) : NULL;
	struct mp_str mods = { "", 0 };

	while (name.len && name.p[name.len - 1] == ' ')
		name.len--;
	if (colon && !spec->probe) {
		struct mp_str after = { colon + 1, name.p + name.len - colon - 1 };

		if (all_modifiers(after)) {
			mods = after;
			name.len = colon - name.p;
		}
	}
	if (name.len == 0)
		return fail(p, "the name of an event is missing");
	spec->name = mp_strndup(name.p, name.len);
	return set_modifiers(p, spec, mods);
}

static int set_count(struct parser *p, struct mp_str key, struct mp_str value, uint64_t max,
		     uint64_t *v)
{
	if (mp_num_u64(value, v) < 0 || *v == 0 || *v > max)
		return fail(p, "%.*s=%.*s: not a number from 1 to %llu", MP_STR_ARGS(key),
			    MP_STR_ARGS(value), (unsigned long long)max);
	return 0;
}

static int set_interval(struct parser *p, struct mp_spec *spec, struct mp_str value)
{
	char *text = mp_strndup(value.p, value.len);
	int result = mp_num_duration(text, &spec->interval_ns);

	free(text);
	if (result < 0 || !spec->interval_ns)
		return fail(p, "interval=%.*s: not a duration such as 1s or 20ms",
			    MP_STR_ARGS(value));
	return 0;
}

/* Parses a range of numbers of tasks: "3", "2-10" or "2-". */
static int set_running(struct parser *p, struct mp_when *when, struct mp_str value)
{
	const char *dash = memchr(value.p, '-', value.len);
	struct mp_str low = { value.p, dash ? (size_t)(dash - value.p) : value.len };
	struct mp_str high = { low.p, low.len };
	uint64_t min, max;

	if (dash)
		high = (struct mp_str){ dash + 1, value.len - low.len - 1 };
	if (mp_num_u64(low, &min) < 0)
		goto bad;
	max = UINT32_MAX;
	if ((high.len && mp_num_u64(high, &max) < 0) || min > max || max > UINT32_MAX)
		goto bad;
	when->running = true;
	when->running_min = (uint32_t)min;
	when->running_max = (uint32_t)max;
	return 0;
bad:
	return fail(p, "running=%.*s: not a number of tasks such as 3, 2-10 or 2-",
		    MP_STR_ARGS(value));
}

static int set_stack(struct parser *p, struct mp_spec *spec, struct mp_str value)
{
	if (mp_stack_mode_parse(value, &spec->stack, &spec->method) == 0)
		return 0;
	return fail(
		p,
		"stack=%.*s: not kernel, user, both or none; auto, cfi, bpf or fp; or one of each "
		"as in user:cfi",
		MP_STR_ARGS(value));
}

static int set_sum(struct parser *p, struct mp_spec *spec, struct mp_str key, struct mp_str value)
{
	const char *why = mp_event_agg_parse_term(&spec->agg, key, value);

	return why ? fail(p, "%.*s=%.*s %s", MP_STR_ARGS(key), MP_STR_ARGS(value), why) : 0;
}

/* Parses "KEY=VALUE" or a word. Returns 1; 0 if it is not a term of mp-record; or -1. */
static int set_term(struct parser *p, struct mp_spec *spec, struct mp_str term)
{
	const char *eq = memchr(term.p, '=', term.len);
	struct mp_str key = { term.p, eq ? (size_t)(eq - term.p) : term.len }, value = { "", 0 };
	uint64_t v;

	if (!eq && mp_str_eq(key, MP_STR("irqs-off")))
		return spec->when.irqs_off = true;
	if (!eq && mp_str_eq(key, MP_STR("need-resched")))
		return spec->when.need_resched = true;
	if (!eq && mp_str_eq(key, MP_STR("memory")))
		return spec->memory = true;
	if (!eq)
		return 0;
	value = (struct mp_str){ eq + 1, term.len - key.len - 1 };
	if (mp_event_agg_is_term(key))
		return set_sum(p, spec, key, value) < 0 ? -1 : 1;
	if (mp_str_eq(key, MP_STR("period")))
		return set_count(p, key, value, INT64_MAX, &spec->period) < 0 ? -1 : 1;
	if (mp_str_eq(key, MP_STR("freq")))
		return set_count(p, key, value, 1000000, &spec->freq) < 0 ? -1 : 1;
	if (mp_str_eq(key, MP_STR("stack")))
		return set_stack(p, spec, value) < 0 ? -1 : 1;
	if (mp_str_eq(key, MP_STR("running")))
		return set_running(p, &spec->when, value) < 0 ? -1 : 1;
	if (mp_str_eq(key, MP_STR("interval")))
		return set_interval(p, spec, value) < 0 ? -1 : 1;
	if (mp_str_eq(key, MP_STR("top"))) {
		if (set_count(p, key, value, 1000000, &v) < 0)
			return -1;
		spec->top = (unsigned)v;
		return 1;
	}
	if (!mp_str_eq(key, MP_STR("max-stack")))
		return 0;
	if (set_count(p, key, value, 1024, &v) < 0)
		return -1;
	spec->max_stack = (int)v;
	return 1;
}

/* Whether a term is "KEY=VALUE" with a plain key; a filter has "==". */
static bool is_own_term(struct mp_str term)
{
	size_t key = 0;

	while (key < term.len && (islower((unsigned char)term.p[key]) || term.p[key] == '-'))
		key++;
	return key && key + 1 < term.len && term.p[key] == '=' && term.p[key + 1] != '=';
}

static void add_own_term(struct mp_spec *spec, struct mp_str term)
{
	char *terms = mp_asprintf("%s%s%.*s", spec->terms ? spec->terms : "",
				  spec->terms ? "," : "", MP_STR_ARGS(term));

	free(spec->terms);
	spec->terms = terms;
}

/*
 * Parses the terms of mp-record, and copies other terms to `rest`. If `rest` is NULL, returns 0 if
 * there are other terms. Returns 1 on success, -1 on error.
 */
static int set_terms(struct parser *p, struct mp_spec *spec, struct mp_str segment,
		     struct mp_buf *rest)
{
	while (segment.len) {
		const char *comma = memchr(segment.p, ',', segment.len);
		size_t len = comma ? (size_t)(comma - segment.p) : segment.len;
		struct mp_str term = { segment.p, len };
		int found = set_term(p, spec, term);

		if (found == 0 && !rest && is_own_term(term)) {
			add_own_term(spec, term);
			found = 1;
		}
		if (found < 0 || (found == 0 && !rest))
			return found;
		if (found == 0) {
			if (rest->len)
				mp_buf_byte(rest, ',');
			mp_buf_str(rest, term);
		}
		segment.p += len + (comma != NULL);
		segment.len -= len + (comma != NULL);
	}
	return 1;
}

/*
 * Parses the segment of a PMU, which may also have terms of mp-record. A segment may be empty, as
 * in "ibs_op//".
 */
static int set_config(struct parser *p, struct mp_spec *spec, struct mp_str segment)
{
	struct mp_buf rest = { NULL, 0, 0 };
	int result = set_terms(p, spec, segment, &rest);
	bool has_one = spec->config && *spec->config;

	if (result > 0 && rest.len && has_one)
		result = fail(p, "'%s' has two events", spec->name);
	if (result > 0 && (rest.len || !segment.len) && !has_one) {
		free(spec->config);
		spec->config = mp_strndup(rest.len ? rest.p : "", rest.len);
	}
	mp_buf_release(&rest);
	return result < 0 ? -1 : 0;
}

static int set_segment(struct parser *p, struct mp_spec *spec, struct mp_str segment)
{
	int terms;

	if (!strchr(spec->name, ':'))
		return set_config(p, spec, segment);
	if (segment.len == 0)
		return 0;
	terms = set_terms(p, spec, segment, NULL);
	if (terms)
		return terms < 0 ? -1 : 0;
	if (spec->filter)
		return fail(p, "'%s' has two filters", spec->name);
	spec->filter = mp_strndup(segment.p, segment.len);
	return 0;
}

static int parse_all(struct parser p, struct mp_specs *specs);

/* Parses the two events of a ratio, which have the interval and the modifiers of the ratio. */
static int parse_ratio(struct parser *p, struct mp_spec *spec, const char *events)
{
	struct parser in = { events, p->parse_name, true, true, p->error };
	struct mp_specs both = { NULL, 0, 0 };
	size_t i;

	if (p->halves)
		return fail(p, "%s: a ratio cannot be in another one", spec->name);
	if (parse_all(in, &both) < 0)
		goto bad;
	if (both.n != 2) {
		fail(p, "%s: a ratio is of two events", spec->name);
		goto bad;
	}
	for (i = 0; i < 2; i++) {
		if (both.v[i].interval_ns) {
			fail(p, "%s: '%s' is in a ratio, which has the interval of both",
			     spec->name, both.v[i].name);
			goto bad;
		}
		both.v[i].interval_ns = spec->interval_ns;
		both.v[i].user |= spec->user;
		both.v[i].kernel |= spec->kernel;
		both.v[i].host |= spec->host;
		both.v[i].guest |= spec->guest;
	}
	spec->ratio = both.v;
	return 0;
bad:
	mp_specs_release(&both);
	return -1;
}

/* Splits "NAME=(EVENT,EVENT)", which is the name so far, or finds the ratio of a plain name. */
static int set_ratio(struct parser *p, struct mp_spec *spec)
{
	char *open = strstr(spec->name, "=("), *events;
	const char *known = spec->count ? mp_ratio_find(spec->name) : NULL;
	size_t len;
	int result;

	if (known)
		return parse_ratio(p, spec, known);
	if (!open || spec->probe || strcspn(spec->name, ":/(") < (size_t)(open - spec->name))
		return 0;
	len = strlen(open + 2);
	if (!len || open[1 + len] != ')')
		return fail(p, "'%s': the ratio does not end with ')'", spec->name);
	if (!spec->count)
		return fail(p, "'%s': a ratio is of counters: stat:%s", spec->name, spec->name);
	if (open == spec->name)
		return fail(p, "'stat:%s': the ratio has no name", spec->name);
	events = mp_strndup(open + 2, len - 1);
	*open = '\0';
	result = parse_ratio(p, spec, events);
	free(events);
	return result;
}

static int parse_one(struct parser *p, struct mp_spec *spec)
{
	struct mp_str part = { NULL, 0 };

	spec->count = p->count;
	if (strncmp(p->at, "stat:", 5) == 0) {
		spec->count = true;
		p->at += 5;
	}
	part.p = p->at;
	part.len = p->parse_name(p->at);
	spec->probe = part.len > 0;
	if (spec->probe)
		p->at += part.len;
	else
		part = token(p, "/,");
	if (set_name(p, spec, part) < 0)
		return -1;
	while (*p->at == '/') {
		p->at++;
		part = token(p, "/,");
		if (*p->at == '/') {
			if (set_segment(p, spec, part) < 0)
				return -1;
			continue;
		}
		if (part.len && !all_modifiers(part)) { /* a segment may have commas */
			p->at = part.p;
			part = token(p, "/");
			if (*p->at != '/')
				return fail(p, "'/' is missing at the end of '%.40s'", part.p);
			if (set_segment(p, spec, part) < 0)
				return -1;
			continue;
		}
		return set_modifiers(p, spec, part);
	}
	return 0;
}

static void release(struct mp_spec *spec)
{
	size_t i;

	for (i = 0; spec->ratio && i < 2; i++)
		release(&spec->ratio[i]);
	free(spec->ratio);
	free(spec->name);
	free(spec->filter);
	free(spec->config);
	free(spec->terms);
}

bool mp_spec_next_term(const char **terms, struct mp_str *key, struct mp_str *value)
{
	const char *at = *terms, *eq = at && *at ? strchr(at, '=') : NULL;
	size_t len;

	if (!eq)
		return false;
	len = strcspn(eq + 1, ",");
	*key = (struct mp_str){ at, eq - at };
	*value = (struct mp_str){ eq + 1, len };
	*terms = eq + 1 + len + (eq[1 + len] == ',');
	return true;
}

/* Appends the specifications in the parser's text. */
static int parse_all(struct parser p, struct mp_specs *specs)
{
	for (;;) {
		struct mp_spec spec = { .stack = MP_STACK_UNSET, .method = MP_METHOD_UNSET };
		const char *why;

		while (*p.at == ' ')
			p.at++;
		if (parse_one(&p, &spec) < 0 || set_ratio(&p, &spec) < 0) {
			release(&spec);
			return -1;
		}
		why = mp_event_agg_check_terms(&spec.agg);
		if (why) {
			fail(&p, "%s: %s", spec.name, why);
			release(&spec);
			return -1;
		}
		specs->v = mp_grow(specs->v, &specs->cap, specs->n + 1, sizeof(spec));
		specs->v[specs->n++] = spec;
		if (*p.at != ',')
			break;
		p.at++;
	}
	if (*p.at)
		return fail(&p, "unexpected '%.40s'", p.at);
	return 0;
}

int mp_specs_parse(struct mp_specs *specs, const char *text, mp_spec_name_fn *parse_name,
		   char **error)
{
	return parse_all((struct parser){ text, parse_name, false, false, error }, specs);
}

int mp_specs_parse_counts(struct mp_specs *specs, const char *text, mp_spec_name_fn *parse_name,
			  char **error)
{
	return parse_all((struct parser){ text, parse_name, true, false, error }, specs);
}

bool mp_when_any(const struct mp_when *when)
{
	return when->irqs_off || when->need_resched || when->running;
}

const char *mp_when_name(const struct mp_when *when)
{
	return when->irqs_off ? "irqs-off" : when->need_resched ? "need-resched" : "running=";
}

bool mp_when_same(const struct mp_when *a, const struct mp_when *b)
{
	return a->irqs_off == b->irqs_off && a->need_resched == b->need_resched &&
	       a->running == b->running && a->running_min == b->running_min &&
	       a->running_max == b->running_max;
}

void mp_specs_release(struct mp_specs *specs)
{
	size_t i;

	for (i = 0; i < specs->n; i++)
		release(&specs->v[i]);
	free(specs->v);
	*specs = (struct mp_specs){ NULL, 0, 0 };
}
