// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct parser {
	const char *at;
	char **error;
};

static int fail(struct parser *p, const char *fmt, ...) MP_PRINTF(2, 3);

static int fail(struct parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(p->error, fmt, ap) < 0)
		mp_die("out of memory");
	va_end(ap);
	return -1;
}

static const char *const part_names[] = {
	[MP_STACK_NONE] = "none",
	[MP_STACK_KERNEL] = "kernel",
	[MP_STACK_USER] = "user",
	[MP_STACK_BOTH] = "both",
};

static const char *const method_names[MP_METHODS] = {
	[MP_METHOD_AUTO] = "auto",
	[MP_METHOD_CFI] = "cfi",
	[MP_METHOD_BPF] = "bpf",
	[MP_METHOD_FP] = "fp",
};

const char *mp_stack_method_name(enum mp_stack_method method)
{
	return method_names[method];
}

static int find_name(const char *const *names, size_t n, struct mp_str text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (mp_str_eq(text, mp_str(names[i])))
			return (int)i;
	return -1;
}

int mp_stack_parse(struct mp_str text, enum mp_stack_part *part, enum mp_stack_method *method)
{
	const char *colon = memchr(text.p, ':', text.len);
	struct mp_str first = { text.p, colon ? (size_t)(colon - text.p) : text.len }, second;
	int found = find_name(part_names, MP_ARRAY_SIZE(part_names), first), by;

	if (found < 0 && !colon) { /* a method alone */
		by = find_name(method_names, MP_METHODS, first);
		if (by < 0)
			return -1;
		*method = by;
		return 0;
	}
	by = *method;
	if (colon) {
		second = (struct mp_str){ colon + 1, text.p + text.len - colon - 1 };
		by = find_name(method_names, MP_METHODS, second);
	}
	if (found < 0 || (colon && by < 0))
		return -1;
	*part = found;
	*method = by;
	return 0;
}

/* Up to one of the bytes of `stop`, or the end, outside quotes and parentheses. */
static struct mp_str token(struct parser *p, const char *stop)
{
	struct mp_str t = { p->at, 0 };
	int depth = 0;
	char quote = 0;

	for (; *p->at; p->at++) {
		char c = *p->at;

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
	t.len = p->at - t.p;
	return t;
}

static bool all_modifiers(struct mp_str s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!strchr("ukhp", s.p[i]))
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
		case 'h':
			break;
		case 'p':
			if (++spec->precise > 3)
				return fail(p, "more than three p behind '%s'", spec->name);
			break;
		default:
			return fail(p, "'%c' behind '%s' is no modifier (u, k, p)", mods.p[i],
				    spec->name);
		}
	}
	return 0;
}

bool mp_spec_is_probe(const char *name)
{
	static const char *const kinds[] = {
		"uprobe:", "uretprobe:", "usdt:", "kprobe:", "kretprobe:", "mem:",
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kinds); i++)
		if (strncmp(kinds[i], name, strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* The name of a probe has slashes of its own: in its file, and before the length of memory. */
static struct mp_str probe_name(struct parser *p)
{
	const char *start = p->at, *colon;

	if (strncmp(start, "mem:", 4) == 0) {
		p->at += strcspn(start, "/,");
		if (p->at[0] == '/' && isdigit((unsigned char)p->at[1]))
			p->at += 1 + strspn(p->at + 1, "0123456789:rwx");
	} else {
		colon = strchr(strchr(start, ':') + 1, ':');
		if (start[0] == 'u' && colon)
			p->at = colon;
		token(p, "/,");
	}
	return (struct mp_str){ start, p->at - start };
}

/*
 * A name, with the modifiers behind its last colon cut off: "cycles:u", but not
 * "sched:sched_switch".
 */
static int set_name(struct parser *p, struct mp_spec *spec, struct mp_str name)
{
	const char *colon = name.len ? memrchr(name.p, ':', name.len) : NULL;
	struct mp_str mods = { "", 0 };

	while (name.len && name.p[name.len - 1] == ' ')
		name.len--;
	if (colon && !mp_spec_is_probe(name.p)) {
		struct mp_str behind = { colon + 1, name.p + name.len - colon - 1 };

		if (all_modifiers(behind)) {
			mods = behind;
			name.len = colon - name.p;
		}
	}
	if (name.len == 0)
		return fail(p, "name of an event is missing");
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

static int set_term(struct parser *p, struct mp_spec *spec, struct mp_str key, struct mp_str value)
{
	uint64_t v;

	if (mp_str_eq(key, MP_STR("period")))
		return set_count(p, key, value, INT64_MAX, &spec->period);
	if (mp_str_eq(key, MP_STR("freq")))
		return set_count(p, key, value, 1000000, &spec->freq);
	if (mp_str_eq(key, MP_STR("max-stack"))) {
		if (set_count(p, key, value, 1024, &v) < 0)
			return -1;
		spec->max_stack = (int)v;
		return 0;
	}
	if (mp_str_eq(key, MP_STR("top"))) {
		if (set_count(p, key, value, 1000000, &v) < 0)
			return -1;
		spec->top = (unsigned)v;
		return 0;
	}
	if (mp_str_eq(key, MP_STR("interval")))
		return set_interval(p, spec, value);
	if (mp_stack_parse(value, &spec->stack, &spec->method) < 0)
		return fail(p,
			    "stack=%.*s: not kernel, user, both or none, nor auto, cfi, bpf or fp, "
			    "nor one of each as in user:cfi",
			    MP_STR_ARGS(value));
	return 0;
}

static bool is_term(struct mp_str key)
{
	return mp_str_eq(key, MP_STR("period")) || mp_str_eq(key, MP_STR("freq")) ||
	       mp_str_eq(key, MP_STR("stack")) || mp_str_eq(key, MP_STR("max-stack")) ||
	       mp_str_eq(key, MP_STR("interval")) || mp_str_eq(key, MP_STR("top"));
}

/* "key=value,key=value" with keys of ours: 1, or 0 if the segment is something else. */
static int set_terms(struct parser *p, struct mp_spec *spec, struct mp_str segment)
{
	while (segment.len) {
		const char *comma = memchr(segment.p, ',', segment.len);
		size_t len = comma ? (size_t)(comma - segment.p) : segment.len;
		const char *eq = memchr(segment.p, '=', len);
		struct mp_str key = { segment.p, eq ? (size_t)(eq - segment.p) : 0 }, value;

		if (!eq || !is_term(key))
			return 0;
		value = (struct mp_str){ eq + 1, segment.p + len - eq - 1 };
		if (set_term(p, spec, key, value) < 0)
			return -1;
		segment.p += len + (comma != NULL);
		segment.len -= len + (comma != NULL);
	}
	return 1;
}

static int set_segment(struct parser *p, struct mp_spec *spec, struct mp_str segment)
{
	char **to = strchr(spec->name, ':') ? &spec->filter : &spec->config;
	int terms;

	if (segment.len == 0)
		return 0;
	terms = set_terms(p, spec, segment);
	if (terms)
		return terms < 0 ? -1 : 0;
	if (*to)
		return fail(p, "'%s' has two filters", spec->name);
	*to = mp_strndup(segment.p, segment.len);
	return 0;
}

static int parse_one(struct parser *p, struct mp_spec *spec)
{
	struct mp_str part;

	if (strncmp(p->at, "stat:", 5) == 0) {
		spec->count = true;
		p->at += 5;
	}
	if (set_name(p, spec, mp_spec_is_probe(p->at) ? probe_name(p) : token(p, "/,")) < 0)
		return -1;
	while (*p->at == '/') {
		p->at++;
		part = token(p, "/,");
		if (*p->at == '/') {
			if (set_segment(p, spec, part) < 0)
				return -1;
			continue;
		}
		if (part.len && !all_modifiers(part)) { /* commas belong to the segment */
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
	free(spec->name);
	free(spec->filter);
	free(spec->config);
}

int mp_specs_parse(struct mp_specs *specs, const char *text, char **error)
{
	struct parser p = { text, error };

	for (;;) {
		struct mp_spec spec = { .stack = MP_STACK_UNSET, .method = MP_METHOD_UNSET };

		while (*p.at == ' ')
			p.at++;
		if (parse_one(&p, &spec) < 0) {
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
		return fail(&p, "what is '%.40s'?", p.at);
	return 0;
}

void mp_specs_release(struct mp_specs *specs)
{
	size_t i;

	for (i = 0; i < specs->n; i++)
		release(&specs->v[i]);
	free(specs->v);
	*specs = (struct mp_specs){ NULL, 0, 0 };
}
