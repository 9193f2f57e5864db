// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/capture/arch.h"
#include "lib/esc.h"
#include "lib/near.h"

static const struct {
	const char *name;
	enum mp_context bit;
} context_names[] = {
	{ "cpu", MP_CTX_CPU },	     { "pid", MP_CTX_PID },	  { "tid", MP_CTX_TID },
	{ "comm", MP_CTX_COMM },     { "period", MP_CTX_PERIOD }, { "addr", MP_CTX_ADDR },
	{ "cgroup", MP_CTX_CGROUP }, { "stack", MP_CTX_STACK },	  { "latency", MP_CTX_LATENCY },
	{ "op", MP_CTX_OP },	     { "level", MP_CTX_LEVEL },	  { "snoop", MP_CTX_SNOOP },
	{ "tlb", MP_CTX_TLB },	     { "lock", MP_CTX_LOCK },
};

enum { MAX_FRAMES = 1024 }; /* a line has at most 1 MiB: docs of mp-stream(5) */

/* A resolving at work. */
struct resolver {
	struct mp_events *events;
	const struct mp_event_options *options;
	struct mp_tracefs **tracefs;
	const struct mp_spec *spec;
	char **error;
	bool failed;
};

static int fail(struct resolver *r, char *error)
{
	if (r->failed)
		free(error);
	else
		*r->error = error;
	r->failed = true;
	return -1;
}

char *mp_tracefs_advice(int error)
{
	if (error == EACCES || error == EPERM)
		return mp_strdup(
			"cannot read tracefs (/sys/kernel/tracing): permission denied; tracepoints "
			"need root. Without it: -e cpu-clock or -e page-faults of your own "
			"processes (-p PID, -- COMMAND)");
	return mp_asprintf("cannot find tracefs: %s (mount -t tracefs none /sys/kernel/tracing)",
			   strerror(error));
}

unsigned mp_max_stack_limit(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned limit = 127;

	if (f) {
		if (fscanf(f, "%u", &limit) != 1)
			limit = 127;
		fclose(f);
	}
	return limit;
}

/*
 * Copies of stacks are for what is sampled: 1,000 a second cost 20 MB/s. Events that are recorded
 * each time may come 100 times as often.
 */
static enum mp_stack_method choose_method(const struct resolver *r, const struct mp_event *e)
{
	enum mp_stack_method method = r->spec->method;

	if (method == MP_METHOD_UNSET)
		method = r->options->method;
	/* a probe is about the stack of a program, and no raw tracepoint */
	if (method == MP_METHOD_AUTO && (!e->each || mp_spec_is_probe(r->spec->name)) &&
	    mp_arch_here())
		method = MP_METHOD_CFI;
	/*
	 * The kernel drops an event that has a program of its own if it comes within another program
	 * (page faults: 1 of 2,000): it is for the user to ask for that.
	 */
	if (method == MP_METHOD_AUTO)
		method = e->tp ? MP_METHOD_BPF : MP_METHOD_FP;
	/* an event has one program */
	if (method == MP_METHOD_BPF && mp_when_any(&r->spec->when))
		method = mp_arch_here() ? MP_METHOD_CFI : MP_METHOD_FP;
	/* tracepoints of single system calls are none that a program can be put on */
	if (method == MP_METHOD_BPF && (mp_arch_here() != &mp_arch_x86_64 ||
					(e->tp && strcmp(e->tp->system, "syscalls") == 0)))
		method = MP_METHOD_FP;
	return method;
}

/* The stack comes from elsewhere; with the sample, where the program was. */
static void take_address(struct mp_event *e)
{
	e->attr.sample_type |= PERF_SAMPLE_REGS_USER;
	e->attr.sample_regs_user = mp_arch_here()->perf_pc;
	e->attr.exclude_callchain_user = 1;
	if (e->attr.exclude_callchain_kernel)
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

void mp_event_use_fp(struct mp_event *e)
{
	e->method = MP_METHOD_FP;
	e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
	e->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	e->attr.sample_regs_user = 0;
	e->attr.exclude_callchain_user = 0;
}

static void take_dump(const struct resolver *r, struct mp_event *e)
{
	e->attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	e->attr.sample_regs_user = mp_arch_here()->perf_regs;
	e->attr.sample_stack_user = r->options->stack_size;
	e->attr.exclude_callchain_user = 1;
	if (e->attr.exclude_callchain_kernel)
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

/*
 * How many frames are asked for: one more than is written, where possible, to see that there are
 * more.
 */
static int set_stack(struct resolver *r, struct mp_event *e)
{
	enum mp_stack_part part = r->spec->stack;
	unsigned limit = mp_max_stack_limit(), want = r->spec->max_stack;

	e->method = MP_METHOD_UNSET;
	if (part == MP_STACK_UNSET)
		part = r->options->stack;
	if (!want)
		want = r->options->max_stack;
	if (part == MP_STACK_NONE)
		return 0;
	e->context |= MP_CTX_STACK;
	e->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	e->attr.exclude_callchain_kernel = part == MP_STACK_USER;
	e->attr.exclude_callchain_user = part == MP_STACK_KERNEL;
	if (part & MP_STACK_USER)
		e->method = choose_method(r, e);
	if (e->method == MP_METHOD_CFI && !mp_arch_here())
		return fail(r, mp_asprintf("%s: stacks of this kind of machine cannot be unwound "
					   "(-g fp takes them along frame pointers)",
					   e->type));
	if (e->method == MP_METHOD_CFI) {
		e->max_stack = want ? want : MAX_FRAMES;
		take_dump(r, e);
	} else {
		e->max_stack = want ? MP_MIN(want, limit) : limit;
	}
	if (e->method == MP_METHOD_BPF)
		take_address(e);
	e->attr.sample_max_stack = MP_MIN(e->max_stack + 1, limit);
	return 0;
}

/* How often: its own terms, then the options, then `each` or sampled. */
static void set_rate(struct resolver *r, struct mp_event *e, bool each)
{
	const struct mp_spec *s = r->spec;
	uint64_t period = s->period ? s->period : s->freq ? 0 : r->options->period;

	if (!period && !s->freq && each)
		period = 1;
	if (period) {
		e->attr.sample_period = period;
	} else {
		e->attr.freq = 1;
		e->attr.sample_freq = s->freq ? s->freq : r->options->freq;
	}
	e->each = period == 1;
	e->context |= MP_CTX_PERIOD;
	/*
	 * Some tracepoints count more than 1 each time (sched_stat_runtime: ns). Asked for the
	 * period, the kernel gives one sample with that number; not asked, as many samples. With
	 * another fixed period it must not be asked: it would sample each occurrence.
	 */
	if (e->attr.freq || e->each)
		e->attr.sample_type |= PERF_SAMPLE_PERIOD;
}

/* Owned by the caller. */
static char *type_of(const char *name)
{
	struct mp_buf type = { NULL, 0, 0 };

	mp_esc_add(&type, mp_str(name), MP_ESC_TYPE);
	mp_buf_byte(&type, '\0');
	return type.p;
}

static struct mp_event *add_event(struct resolver *r, const char *name)
{
	struct mp_events *v = r->events;
	struct mp_event *e;

	v->v = mp_grow(v->v, &v->cap, v->n + 1, sizeof(*v->v));
	e = &v->v[v->n++];
	*e = (struct mp_event){ .context = MP_CTX_CPU | MP_CTX_TASK };
	e->type = type_of(name);
	e->attr.size = sizeof(e->attr);
	e->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	e->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	e->attr.disabled = 1;
	e->attr.sample_id_all = 1;
	e->attr.use_clockid = 1;
	e->attr.clockid = CLOCK_MONOTONIC;
	if (r->options->cgroup) {
		e->attr.sample_type |= PERF_SAMPLE_CGROUP;
		e->context |= MP_CTX_CGROUP;
	}
	return e;
}

static struct mp_event *find_known(const struct mp_events *events, const char *name)
{
	struct mp_event *found = NULL;
	char *type = type_of(name);
	size_t i;

	for (i = 0; i < events->n && !found; i++)
		if (!events->v[i].sum && strcmp(events->v[i].type, type) == 0)
			found = &events->v[i];
	free(type);
	return found;
}

/* The parts of the stack are the program's to take, and no sample comes. */
static void use_sum(struct mp_event *e, struct mp_event_sum *sum, enum mp_stack_part part)
{
	e->sum = sum;
	e->sum->rule.kernel = !!(part & MP_STACK_KERNEL);
	e->sum->rule.user = !!(part & MP_STACK_USER);
	e->max_stack = part ? e->max_stack : 0;
	e->attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
					   PERF_SAMPLE_STACK_USER | PERF_SAMPLE_RAW);
	e->attr.sample_max_stack = 0;
	e->attr.sample_stack_user = 0;
	e->attr.sample_regs_user = 0;
	e->context = 0;
	e->method = MP_METHOD_UNSET;
	e->each = false;
}

static enum mp_stack_part stack_part(const struct resolver *r)
{
	return r->spec->stack == MP_STACK_UNSET ? r->options->stack : r->spec->stack;
}

/* NULL, or why an event cannot be added up in the kernel. */
static const char *why_no_sum(const struct resolver *r, const struct mp_event *e)
{
	const struct mp_sum_rule *rule = &r->spec->sum.rule;

	if (e->tp && (e->n_payload || e->filter))
		return mp_spec_is_probe(r->spec->name)
			       ? "a probe that is added up takes neither arguments nor a filter"
			       : "a tracepoint is not added up in the kernel (mp-fold does it)";
	if (strncmp(r->spec->name, "uprobe:", 7) == 0 ||
	    strncmp(r->spec->name, "uretprobe:", 10) == 0)
		return NULL;
	if (mp_when_any(&r->spec->when))
		return "an event has one program: it is added up, or its moments are chosen";
	if (e->attr.bp_type || mp_spec_is_probe(r->spec->name))
		return "only uprobes and sampled events are added up in the kernel";
	if (r->spec->sum.given && rule->weight[0] != MP_SUM_COUNT &&
	    rule->weight[0] != MP_SUM_PERIOD)
		return "samples are added up by count or period";
	return NULL;
}

/* Adds the event up in the kernel, if that is asked for. */
static int set_sum(struct resolver *r, struct mp_event *e)
{
	enum mp_stack_part part = stack_part(r);
	const char *why;

	if (!r->spec->sum.given && !r->options->sum)
		return 0;
	why = why_no_sum(r, e);
	if (why)
		return fail(r, mp_asprintf("%s: %s", e->type, why));
	/* below a trap of a program are frames of the trap alone */
	if (mp_spec_is_probe(r->spec->name))
		part &= ~MP_STACK_KERNEL;
	use_sum(e,
		mp_event_sum_new(r->options->sum_name ? r->options->sum_name : e->type,
				 &r->spec->sum),
		part);
	e->once = mp_spec_is_probe(r->spec->name);
	return 0;
}

/* What the kernel puts before the arguments of a probe is where it stands: known, and no argument. */
static bool is_payload(const struct mp_tp_field *f)
{
	return strncmp(f->name, "__probe_", 8) != 0;
}

/* What only samples have, asked of something that is recorded each time. */
static int refuse_sampling(struct resolver *r, const char *type, bool tracepoint)
{
	if (mp_when_any(&r->spec->when))
		return fail(
			r,
			mp_asprintf("%s: %s chooses samples, of clocks and hardware events%s", type,
				    mp_when_name(&r->spec->when),
				    tracepoint
					    ? "; a tracepoint has the kernel's filter, as in "
					      "'common_flags & 1' (interrupts off; 4: need-resched)"
					    : ""));
	if (r->spec->memory)
		return fail(r, mp_asprintf("%s: only hardware events tell of memory", type));
	return 0;
}

static void load_tracepoint(struct resolver *r, const char *type, const char *system,
			    const char *name)
{
	struct mp_event *e;
	struct mp_tp *tp;
	const char *why;
	size_t i;

	if (refuse_sampling(r, type, true) < 0)
		return;
	tp = mp_tracefs_load(*r->tracefs, system, name, &why);
	if (!tp) {
		fail(r, mp_asprintf("%s: %s", type, why));
		return;
	}
	e = add_event(r, type);
	e->tp = tp;
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->attr.config = tp->id;
	e->attr.sample_type |= PERF_SAMPLE_RAW;
	e->filter = r->spec->filter ? mp_strdup(r->spec->filter) : NULL;
	e->payload = mp_alloc(tp->n_fields * sizeof(*e->payload));
	for (i = 0; i < tp->n_fields; i++)
		if (is_payload(&tp->fields[i]))
			e->payload[e->n_payload++] = &tp->fields[i];
	set_rate(r, e, true);
	set_stack(r, e);
	set_sum(r, e);
}

static void add_tracepoint(void *arg, const char *system, const char *name)
{
	struct resolver *r = arg;
	char *type = mp_asprintf("%s:%s", system, name);

	if (r->failed || find_known(r->events, type)) {
		free(type);
		return;
	}
	load_tracepoint(r, type, system, name);
	free(type);
}

static void near_tracepoint(void *arg, const char *system, const char *name)
{
	char *full = mp_asprintf("%s:%s", system, name);

	mp_near_try(arg, full);
	free(full);
}

static void near_other(void *arg, const char *name, const char *what)
{
	(void)what;
	mp_near_try(arg, name);
}

static int fail_unknown(struct resolver *r, const char *name)
{
	struct mp_near near;
	char *error;

	mp_near_init(&near, name);
	mp_pmu_each("*", near_other, &near);
	if (!*r->tracefs)
		*r->tracefs = mp_tracefs_open();
	if (*r->tracefs)
		mp_tracefs_each(*r->tracefs, "*:*", near_tracepoint, &near);
	if (near.best)
		error = mp_asprintf("no event '%s'; did you mean '%s'?", name, near.best);
	else
		error = mp_asprintf("no event '%s' (mp-record -l lists them)", name);
	mp_near_release(&near);
	return fail(r, error);
}

/* A sum that is no event by itself: an event that never comes holds its place. */
static int resolve_named_sum(struct resolver *r)
{
	const char *name = r->spec->name;
	struct mp_event_sum *sum =
		mp_event_sum_named(name, r->options->sum_name ? r->options->sum_name : name);
	struct mp_event *e;

	if (!sum)
		return fail_unknown(r, name);
	e = add_event(r, name);
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->attr.sample_period = 1;
	e->max_stack = r->spec->max_stack ? (unsigned)r->spec->max_stack : r->options->max_stack;
	use_sum(e, sum, stack_part(r));
	e->once = true;
	return 0;
}

static int resolve_tracepoints(struct resolver *r)
{
	if (!*r->tracefs)
		*r->tracefs = mp_tracefs_open();
	if (!*r->tracefs)
		return fail(r, mp_tracefs_advice(errno));
	if (r->spec->precise || r->spec->most_precise || r->spec->user || r->spec->kernel)
		return fail(r, mp_asprintf("%s: a tracepoint takes no modifiers", r->spec->name));
	if (mp_tracefs_each(*r->tracefs, r->spec->name, add_tracepoint, r) == 0)
		return fail_unknown(r, r->spec->name);
	return r->failed ? -1 : 0;
}

/* Whether the moments that are asked for can be told of this event's samples. */
static int set_when(struct resolver *r, struct mp_event *e, const struct mp_pmu_event *found)
{
	const struct mp_when *when = &r->spec->when;

	if (mp_when_any(when) && e->each)
		return fail(r, mp_asprintf("%s: %s chooses samples, and this is recorded each "
					   "time (freq=HZ or period=N samples it)",
					   e->type, mp_when_name(when)));
	/* the interrupt of a timer comes when they are enabled; other software events do not tell */
	if (when->irqs_off && found->software)
		return fail(r, mp_asprintf("%s: irqs-off: it never happens with interrupts "
					   "disabled; hardware events do, as cycles/irqs-off/",
					   e->type));
	if (when->irqs_off && mp_arch_here() != &mp_arch_x86_64)
		return fail(r,
			    mp_asprintf("%s: irqs-off: samples tell that on x86-64 only", e->type));
	e->when = *when;
	return 0;
}

static int set_memory(struct resolver *r, struct mp_event *e, const struct mp_pmu_event *found)
{
	if (r->spec->memory && found->software)
		return fail(r, mp_asprintf("%s: only hardware events tell of memory", e->type));
	if (found->has_addr || found->memory || r->spec->memory) {
		e->attr.sample_type |= PERF_SAMPLE_ADDR;
		e->context |= MP_CTX_ADDR;
	}
	if (found->memory || r->spec->memory) {
		e->attr.sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
		e->context |= MP_CTX_LATENCY | MP_CTX_SOURCE;
	}
	return 0;
}

static int resolve_pmu(struct resolver *r)
{
	const struct mp_spec *s = r->spec;
	struct mp_pmu_event found;
	struct mp_event *e, *known;
	char *error, *name;

	switch (mp_pmu_find(s->name, s->config, &found, &error)) {
	case 0:
		return fail_unknown(r, s->name);
	case -1:
		return fail(r, error);
	}
	name = s->config ? mp_asprintf("%s/%s/", s->name, s->config) : mp_strdup(s->name);
	known = s->sum.given ? NULL : find_known(r->events, name);
	e = known ? NULL : add_event(r, name);
	free(name);
	if (known && !mp_when_same(&known->when, &s->when))
		return fail(r, mp_asprintf("%s: given twice, for different moments, which the "
					   "stream would not tell apart",
					   known->type));
	if (known)
		return 0;
	e->attr.type = found.type;
	e->attr.config = found.config;
	e->attr.config1 = found.config1;
	e->attr.config2 = found.config2;
	e->attr.exclude_user = r->options->exclude_user || (s->kernel && !s->user);
	e->attr.exclude_kernel = r->options->exclude_kernel || (s->user && !s->kernel);
	e->attr.exclude_hv = e->attr.exclude_kernel;
	e->attr.precise_ip = s->most_precise ? mp_pmu_precision(&e->attr) : s->precise;
	set_rate(r, e, found.each);
	if (set_memory(r, e, &found) < 0 || set_when(r, e, &found) < 0 || set_stack(r, e) < 0)
		return -1;
	return set_sum(r, e);
}

static void add_probe(void *arg, const struct mp_probe *probe)
{
	struct resolver *r = arg;
	struct mp_event *e;

	if (r->failed)
		return;
	if (probe->system) {
		load_tracepoint(r, probe->type, probe->system, probe->name);
		return;
	}
	if (refuse_sampling(r, probe->type, false) < 0)
		return;
	e = add_event(r, probe->type);
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
	set_rate(r, e, true);
	set_stack(r, e);
	set_sum(r, e);
}

static int resolve_probe(struct resolver *r)
{
	const struct mp_spec *s = r->spec;
	bool in_tracefs;
	char *error;

	if (!*r->tracefs)
		*r->tracefs = mp_tracefs_open();
	if (*r->tracefs)
		mp_probes_sweep(*r->tracefs);
	/*
	 * An event of the PMU is not inherited by threads and children, whatever its attr says; and the
	 * program of a sum is for the probe, not for one of its events.
	 */
	in_tracefs = s->filter || s->sum.given || r->options->sum || r->options->inherit;
	if (mp_probes_make(&r->events->probes, *r->tracefs, s->name, in_tracefs, add_probe, r,
			   &error) < 0)
		return fail(r, error);
	return r->failed ? -1 : 0;
}

static int resolve(struct resolver *r)
{
	if (mp_spec_is_probe(r->spec->name))
		return resolve_probe(r);
	if (strncmp(r->spec->name, "sum:", 4) == 0)
		return resolve_named_sum(r);
	return strchr(r->spec->name, ':') ? resolve_tracepoints(r) : resolve_pmu(r);
}

/* Keeps the payload fields that match one of `globs`, which have a dot in front. */
static void choose_payload(struct mp_event *e, char **globs, size_t n, bool *used)
{
	size_t i, j, kept = 0;

	for (i = 0; i < e->n_payload; i++) {
		bool keep = false;

		for (j = 0; j < n; j++) {
			if (fnmatch(globs[j] + 1, e->payload[i]->name, 0) != 0)
				continue;
			keep = true;
			used[j] = true;
		}
		if (keep)
			e->payload[kept++] = e->payload[i];
	}
	e->n_payload = kept;
}

static int context_bit(const char *name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(context_names); i++)
		if (strcmp(context_names[i].name, name) == 0)
			return context_names[i].bit;
	return 0;
}

static void narrow(struct mp_event *e, unsigned context)
{
	if (context & MP_CTX_CGROUP)
		e->attr.sample_type |= PERF_SAMPLE_CGROUP;
	e->context = (e->context | (context & MP_CTX_CGROUP)) & context;
	if (!(e->context & MP_CTX_ADDR))
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_ADDR;
	if (!(e->context & MP_CTX_LATENCY))
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_WEIGHT;
	if (!(e->context & MP_CTX_SOURCE))
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_DATA_SRC;
	if (!(e->context & MP_CTX_STACK)) {
		e->attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
						   PERF_SAMPLE_STACK_USER);
		e->attr.sample_max_stack = 0;
		e->max_stack = 0;
		e->method = MP_METHOD_UNSET;
	}
}

static void fail_field(struct resolver *r, const char *name)
{
	struct mp_near near;
	size_t i, j;

	mp_near_init(&near, name[0] == '.' ? name + 1 : name);
	for (i = 0; i < MP_ARRAY_SIZE(context_names); i++)
		mp_near_try(&near, context_names[i].name);
	for (i = 0; i < r->events->n; i++)
		for (j = 0; r->events->v[i].tp && j < r->events->v[i].tp->n_fields; j++)
			mp_near_try(&near, r->events->v[i].tp->fields[j].name);
	if (near.best)
		fail(r, mp_asprintf("no field '%s'; did you mean '%s%s'?", name,
				    context_bit(near.best) ? "" : ".", near.best));
	else
		fail(r, mp_asprintf("no field '%s' (mp-record -l -v EVENT lists them)", name));
	mp_near_release(&near);
}

/* --fields: "cpu,comm,.prev_*,stack" */
static void choose_fields(struct resolver *r)
{
	char *list = mp_strdup(r->options->fields), *save = NULL, *name;
	char **globs = NULL;
	size_t n = 0, cap = 0, i;
	unsigned context = 0;
	bool *used;

	for (name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (name[0] == '.') {
			globs = mp_grow(globs, &cap, n + 1, sizeof(*globs));
			globs[n++] = name;
		} else if (context_bit(name)) {
			context |= context_bit(name);
		} else {
			fail_field(r, name);
		}
	}
	used = mp_zalloc(n * sizeof(*used));
	for (i = 0; i < r->events->n; i++) {
		choose_payload(&r->events->v[i], globs, n, used);
		narrow(&r->events->v[i], context);
	}
	for (i = 0; i < n; i++)
		if (!used[i])
			fail_field(r, globs[i]);
	free(used);
	free(globs);
	free(list);
}

int mp_events_resolve(struct mp_events *events, const struct mp_specs *specs,
		      const struct mp_event_options *options, struct mp_tracefs **tracefs,
		      char **error)
{
	struct resolver r = { events, options, tracefs, NULL, error, false };
	size_t i;

	for (i = 0; i < specs->n; i++) {
		r.spec = &specs->v[i];
		if (resolve(&r) < 0)
			return -1;
	}
	if (options->fields)
		choose_fields(&r);
	return r.failed ? -1 : 0;
}

static bool has_payload(const struct mp_event *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->n_payload; i++)
		if (strcmp(e->payload[i]->name, name) == 0)
			return true;
	return false;
}

/* A filter stays only if both have it, or each its own. */
static void unite_filters(struct mp_event *to, const struct mp_event *from)
{
	char *both = NULL;

	if (to->filter && from->filter)
		both = strcmp(to->filter, from->filter) == 0
			       ? mp_strdup(to->filter)
			       : mp_asprintf("(%s) || (%s)", to->filter, from->filter);
	free(to->filter);
	to->filter = both;
}

enum { STACK_BITS = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER };

static void take_user_stack(struct mp_event *to, const struct mp_event *from)
{
	to->method = from->method;
	to->attr.exclude_callchain_user = from->attr.exclude_callchain_user;
	to->attr.sample_regs_user = from->attr.sample_regs_user;
	to->attr.sample_stack_user = from->attr.sample_stack_user;
	to->attr.sample_type |= from->attr.sample_type & STACK_BITS;
}

/* The parts of both; where both have a user part, that of `to`. */
static void unite_stacks(struct mp_event *to, const struct mp_event *from)
{
	if (!from->max_stack)
		return;
	if (!to->max_stack) {
		to->attr.exclude_callchain_kernel = from->attr.exclude_callchain_kernel;
		take_user_stack(to, from);
	} else {
		to->attr.exclude_callchain_kernel &= from->attr.exclude_callchain_kernel;
		if (to->method == MP_METHOD_UNSET)
			take_user_stack(to, from);
		to->attr.sample_type |= from->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	}
	to->attr.sample_max_stack = MP_MAX(to->attr.sample_max_stack, from->attr.sample_max_stack);
	to->max_stack = MP_MAX(to->max_stack, from->max_stack);
}

static void unite_payload(struct mp_event *to, const struct mp_event *from)
{
	size_t n = to->tp ? to->tp->n_fields : 0, kept = 0, i;
	const struct mp_tp_field **payload = mp_alloc(n * sizeof(*payload));

	for (i = 0; i < n; i++)
		if (has_payload(to, to->tp->fields[i].name) ||
		    has_payload(from, to->tp->fields[i].name))
			payload[kept++] = &to->tp->fields[i];
	free(to->payload);
	to->payload = payload;
	to->n_payload = kept;
}

/* `to` becomes an event that serves both. */
static void unite(struct mp_event *to, const struct mp_event *from)
{
	unite_payload(to, from);
	unite_filters(to, from);
	unite_stacks(to, from);
	if (!mp_when_same(&to->when, &from->when)) /* all samples serve both */
		to->when = (struct mp_when){ .irqs_off = false };
	to->context |= from->context;
	to->attr.sample_type |= from->attr.sample_type & ~(uint64_t)STACK_BITS;
	if (from->each && !to->each) { /* each occurrence serves those who want a sample of them */
		to->attr.freq = 0;
		to->attr.sample_period = 1;
		to->each = true;
	}
}

static void release_event(struct mp_event *e)
{
	mp_event_sum_free(e->sum);
	free(e->type);
	free(e->filter);
	free(e->payload);
	mp_tp_free(e->tp);
}

/* Two sums are the same if they have one name, and the event is. */
static bool is_same(const struct mp_event *a, const struct mp_event *b)
{
	if (!a->sum != !b->sum || strcmp(a->type, b->type) != 0)
		return false;
	return !a->sum || strcmp(a->sum->name, b->sum->name) == 0;
}

bool mp_events_all_sums(const struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (!events->v[i].sum)
			return false;
	return true;
}

void mp_events_merge(struct mp_events *to, struct mp_events *from)
{
	size_t i, j;

	for (i = 0; i < from->n; i++) {
		for (j = 0; j < to->n && !is_same(&to->v[j], &from->v[i]); j++)
			;
		if (j < to->n) {
			if (!to->v[j].sum)
				unite(&to->v[j], &from->v[i]);
			release_event(&from->v[i]);
			continue;
		}
		to->v = mp_grow(to->v, &to->cap, to->n + 1, sizeof(*to->v));
		to->v[to->n++] = from->v[i];
	}
	from->n = 0;
	mp_probes_merge(&to->probes, &from->probes);
}

void mp_events_release(struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		release_event(&events->v[i]);
	free(events->v);
	*events = (struct mp_events){ .v = NULL };
}

json_t *mp_events_json(const struct mp_events *events)
{
	json_t *all = json_object(), *fields;
	char name[16], *key;
	size_t i, j;

	for (i = 0; i < events->n; i++) {
		const struct mp_event *e = &events->v[i];

		if (e->sum)
			continue;
		fields = json_object();
		for (j = 0; j < e->n_payload; j++) {
			mp_tp_type_name(e->payload[j], name);
			key = mp_asprintf(".%s", e->payload[j]->name);
			json_object_set_new(fields, key, json_string(name));
			free(key);
		}
		json_object_set_new(all, e->type, fields);
	}
	return all;
}
