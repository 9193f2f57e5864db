// SPDX-License-Identifier: GPL-2.0-only
/* The source of tracefs's events, "SYSTEM:NAME", where both parts may be globs. */
#include <errno.h>
#include <stdlib.h>

#include "lib/capture/event/call.h"
#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"
#include "lib/stream/glob.h"

static void add_tracepoint(void *arg, const char *system, const char *name)
{
	struct mp_resolver *r = arg;
	char *type = mp_asprintf("%s:%s", system, name);
	ptrdiff_t known = mp_resolver_find(r, type);
	size_t n = r->events->n;

	if (!r->failed)
		mp_resolver_add_tracepoint(r, type, system, name);
	if (r->events->n > n)
		mp_resolver_merge_last(r, known);
	free(type);
}

static enum cap_resolved resolve(struct mp_resolver *r)
{
	const struct mp_spec *s = r->spec;
	struct mp_tracefs *tracefs;

	if (!strchr(s->name, ':'))
		return CAP_OTHER;
	tracefs = mp_resolver_tracefs(r);
	if (!tracefs)
		return r->found ? CAP_OTHER : mp_resolver_fail(r, mp_tracefs_advice(errno));
	if (mp_tracefs_each(tracefs, s->name, add_tracepoint, r) == 0)
		return r->found ? CAP_OTHER : CAP_UNKNOWN;
	return r->failed ? CAP_FAILED : CAP_RESOLVED;
}

/*
 * Shows a tracepoint if the glob matches. A glob without a colon has to match the complete name:
 * "sched*" as well as "*switch".
 */
static void show(void *arg, const char *system, const char *name)
{
	struct cap_listing *l = arg;
	struct cap_listed listed = { .filter = true };
	char *full = mp_asprintf("%s:%s", system, name);
	struct mp_tp *tp = NULL;

	if (strchr(l->glob, ':') || mp_glob_plain(l->glob, full)) {
		listed.name = full;
		if (l->fields)
			tp = mp_tracefs_load(*l->tracefs, system, name, &listed.no_fields);
		if (tp) {
			mp_event_call_fields(tp);
			listed.fields = tp->fields;
			listed.n_fields = tp->n_fields;
		}
		l->show(l->arg, &listed);
		mp_tp_free(tp);
	}
	free(full);
}

static bool list(struct cap_listing *l)
{
	if (!*l->tracefs)
		*l->tracefs = mp_tracefs_open();
	if (*l->tracefs)
		mp_tracefs_each(*l->tracefs, strchr(l->glob, ':') ? l->glob : "*:*", show, l);
	else
		l->error = mp_tracefs_advice(errno);
	return false;
}

const struct cap_source mp_event_source_tracepoint = {
	.name = "tracepoint",
	.heading = "Tracepoints",
	.resolve = resolve,
	.list = list,
};
