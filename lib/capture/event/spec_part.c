// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/spec_part.h"

static const struct {
	enum mp_spec_part part;
	const char *refusal;
} refusals[] = {
	{ MP_SPEC_COUNT, "it cannot be counted (events of the kernel and probes can)" },
	{ MP_SPEC_FILTER, "it takes no filter (tracepoints, probes, fentry, fexit and rawtp do; "
			  "mp-select(1) filters events afterwards)" },
	{ MP_SPEC_SPACE, "it takes no modifier u or k (clocks, software and hardware events do)" },
	{ MP_SPEC_PRECISE, "it takes no modifier p or P (hardware events that are sampled do)" },
	{ MP_SPEC_RATE, "it takes no period= or freq= (clocks, software and hardware events, "
			"tracepoints and probes do, where they are recorded)" },
	{ MP_SPEC_STACK, "it has no stack" },
	{ MP_SPEC_METHOD, "its user stacks are unwound by bpf only" },
	{ MP_SPEC_INTERVAL, "interval= is only for stat:* and mem:*" },
	{ MP_SPEC_TOP, "top= is only for mem:*" },
	{ MP_SPEC_MEMORY, "only hardware events that are sampled report accesses to memory" },
	{ MP_SPEC_WHEN, "irqs-off, need-resched and running= are for sampled events, such as "
			"clocks and hardware events" },
	{ MP_SPEC_AGG,
	  "sum=, ask=, got=, freed= and --sum are for samples, uprobes and uretprobes" },
	{ MP_SPEC_HOST, "it takes no modifier H (hardware events do)" },
	{ MP_SPEC_GUEST, "it takes no modifier G (stat: of a hardware event does)" },
};

unsigned mp_spec_parts(const struct mp_spec *s)
{
	unsigned parts = 0;

	parts |= s->count ? MP_SPEC_COUNT : 0;
	parts |= s->filter ? MP_SPEC_FILTER : 0;
	parts |= s->user || s->kernel ? MP_SPEC_SPACE : 0;
	parts |= s->precise || s->most_precise ? MP_SPEC_PRECISE : 0;
	parts |= s->period || s->freq ? MP_SPEC_RATE : 0;
	parts |= s->stack != MP_STACK_UNSET || s->max_stack ? MP_SPEC_STACK : 0;
	parts |= s->method != MP_METHOD_UNSET ? MP_SPEC_STACK | MP_SPEC_METHOD : 0;
	parts |= s->interval_ns ? MP_SPEC_INTERVAL : 0;
	parts |= s->top ? MP_SPEC_TOP : 0;
	parts |= s->memory ? MP_SPEC_MEMORY : 0;
	parts |= mp_when_any(&s->when) ? MP_SPEC_WHEN : 0;
	parts |= s->agg.given ? MP_SPEC_AGG : 0;
	parts |= s->host ? MP_SPEC_HOST : 0;
	parts |= s->guest ? MP_SPEC_GUEST : 0;
	return parts;
}

const char *mp_spec_part_refusal(unsigned parts)
{
	size_t i = 0;

	while (!(refusals[i].part & parts))
		i++;
	return refusals[i].refusal;
}
