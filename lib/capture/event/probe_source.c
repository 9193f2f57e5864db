// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on functions and markers of programs and on functions of the kernel, and breakpoints on
 * memory: see probe.h.
 */
#include <ctype.h>
#include <stdlib.h>

#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"

/*
 * The name of a probe has slashes of its own: in its file, and before the length of a breakpoint.
 */
static size_t parse(const char *text)
{
	static const char *const kinds[] = {
		"uprobe:", "uretprobe:", "usdt:", "kprobe:", "kretprobe:", "mem:",
	};
	const char *at, *colon;
	size_t i, len;

	for (i = 0; i < MP_ARRAY_SIZE(kinds); i++) {
		len = strlen(kinds[i]);
		if (strncmp(kinds[i], text, len) == 0)
			break;
	}
	if (i == MP_ARRAY_SIZE(kinds))
		return 0;
	at = text + len;
	if (text[0] == 'm') {
		at += strcspn(at, "/,");
		if (at[0] == '/' && isdigit((unsigned char)at[1]))
			at += 1 + strspn(at + 1, "0123456789:rwx");
		return at - text;
	}
	colon = strchr(at, ':');
	if (text[0] == 'u' && colon)
		at = colon;
	return at + mp_spec_span(at, "/,") - text;
}

static void add_probe(void *arg, const struct mp_probe *probe)
{
	struct mp_resolver *r = arg;
	struct mp_event *e;

	if (r->failed)
		return;
	if (probe->system) {
		mp_resolver_add_tracepoint(r, probe->type, probe->system, probe->name);
		return;
	}
	e = mp_resolver_add(r, probe->type);
	e->attr.type = probe->bp_type ? PERF_TYPE_BREAKPOINT : probe->event.type;
	e->attr.config = probe->event.config;
	e->attr.config1 = probe->event.config1;
	e->attr.config2 = probe->event.config2;
	if (probe->bp_type) {
		e->attr.bp_type = probe->bp_type;
		e->attr.bp_addr = probe->bp_addr;
		e->attr.bp_len = probe->bp_len;
		e->attr.sample_type |= PERF_SAMPLE_ADDR;
		e->context |= MP_CTX_ADDR;
	}
	mp_resolver_set_rate(r, e, true);
	mp_resolver_set_stack(r, e);
	mp_resolver_set_aggregate(r, e);
}

static enum cap_resolved resolve(struct mp_resolver *r)
{
	const struct mp_spec *s = r->spec;
	struct mp_probe_means means;
	char *error;

	if (r->found || !parse(s->name))
		return CAP_OTHER;
	/*
	 * Threads and children do not inherit an event of the PMU, whatever its attr says; and the
	 * program that aggregates is attached to the probe itself, which a tracepoint has, but an
	 * event of the PMU does not.
	 */
	means = (struct mp_probe_means){
		.tracefs = mp_resolver_tracefs(r),
		.tracefs_wanted =
			s->filter || s->agg.given || r->options->aggregate || r->options->inherit,
		.files = r->options->files,
	};
	if (means.tracefs)
		mp_probes_sweep(means.tracefs);
	if (mp_probes_make(&r->events->probes, &means, s->name, add_probe, r, &error) < 0)
		return mp_resolver_fail(r, error);
	return r->failed ? CAP_FAILED : CAP_RESOLVED;
}

/* Lists the places of "usdt:FILE[:GLOB]" or "uprobe:FILE[:GLOB]". */
static void list_places(struct cap_listing *l, const char *kind, const char *rest)
{
	const char *colon = strchr(rest, ':');
	char *file = colon ? mp_strndup(rest, colon - rest) : mp_strdup(rest);
	struct mp_cut_place_request request = {
		.file = file,
		.what = colon ? colon + 1 : "*",
		.markers = strcmp(kind, "usdt") == 0,
	};
	struct mp_cut_places places;
	size_t i;

	l->files->places(&request, &places, &l->error);
	for (i = 0; i < places.n; i++) {
		const struct mp_cut_place *p = &places.v[i];
		char *name = mp_asprintf("%s:%s:%s%s%s", kind, file, p->provider ? p->provider : "",
					 p->provider ? ":" : "", p->name);

		l->show(l->arg,
			&(struct cap_listed){ .name = name, .what = p->args ? p->args : "" });
		free(name);
	}
	mp_cut_places_release(&places);
	free(file);
}

static bool list(struct cap_listing *l)
{
	if (strncmp(l->glob, "usdt:", 5) == 0)
		list_places(l, "usdt", l->glob + 5);
	else if (strncmp(l->glob, "uprobe:", 7) == 0)
		list_places(l, "uprobe", l->glob + 7);
	else
		return false;
	return true;
}

const struct cap_source mp_event_source_probe = {
	.name = "probe",
	.heading = "Probes of a file",
	.parse = parse,
	.resolve = resolve,
	.list = list,
};
