// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/header.h"

#include <stdlib.h>

#include "lib/capture/sandbox/sandbox.h"
#include "lib/capture/session/output.h"

static enum mp_stack_method method_of(const struct mp_event *e)
{
	return e->agg && e->agg->rule.user ? MP_METHOD_BPF : e->method;
}

/* The methods of user stacks: "cfi", or "cfi,fp" if events differ, or "none". */
static char *user_methods(const struct mp_record_plan *p)
{
	char *text = NULL, *more;
	size_t method, i;

	for (method = 0; method < MP_METHODS; method++) {
		for (i = 0; i < p->events.n; i++)
			if (method_of(&p->events.v[i]) == (enum mp_stack_method)method)
				break;
		if (i == p->events.n)
			continue;
		more = mp_asprintf("%s%s%s", text ? text : "", text ? "," : "",
				   mp_stack_method_name(method));
		free(text);
		text = more;
	}
	return text ? text : mp_strdup("none");
}

static json_t *stacks_json(const struct mp_record_plan *p)
{
	char *user = user_methods(p);
	unsigned max = 0;
	json_t *stacks;
	size_t i;

	for (i = 0; i < p->events.n; i++)
		max = MP_MAX(max, p->events.v[i].max_stack);
	stacks = json_pack("{s:s, s:s, s:I}", "kernel", p->kernel_stacks ? "fp" : "none", "user",
			   user, "max", (json_int_t)max);
	free(user);
	return stacks;
}

static bool has_latency(const struct mp_record_plan *p)
{
	size_t i;

	for (i = 0; i < p->events.n; i++)
		if (p->events.v[i].context & MP_CTX_LATENCY)
			return true;
	return false;
}

/* The missing parts of the writer's sandbox, as an array. */
static json_t *missing_json(uint32_t missing)
{
	json_t *parts = json_array();
	char *name;
	int i;

	for (i = 0; i < MP_SANDBOX_PARTS; i++) {
		if (!(missing & 1u << i))
			continue;
		name = mp_sandbox_names(1u << i);
		json_array_append_new(parts, json_string(name));
		free(name);
	}
	return parts;
}

json_t *mp_record_header(const struct mp_record_plan *p, const struct mp_control_started *started)
{
	json_t *header =
		mp_output_header(p->o->argv, p->target.n_cpus, started->clock_ns, started->real_ns);
	json_t *filters;

	if (p->o->collectors)
		json_object_set_new(header, "collectors", mp_output_names(p->o->collectors));
	json_object_set_new(header, "stacks", stacks_json(p));
	if (p->sandbox_missing)
		json_object_set_new(header, "sandbox_missing", missing_json(p->sandbox_missing));
	if (has_latency(p))
		json_object_set_new(header, "units", json_pack("{s:s}", "latency", "cycles"));
	json_object_set_new(header, "events", mp_events_json(&p->events));
	filters = mp_events_filters_json(&p->events);
	if (filters)
		json_object_set_new(header, "filters", filters);
	return header;
}
