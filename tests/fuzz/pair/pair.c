// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pairing of any lines, with options from the first byte: every span is a line of the stream, its
 * dur is not negative, and all begins are accounted for.
 */
#include "lib/pair/pair.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int status)
{
	if (status < 0)
		abort();
}

static void set_specs(struct mp_pair_specs *s, uint8_t how, struct mp_pair_options *o)
{
	char *error;

	o->n_steps = how & 1 ? 3 : 2;
	must(mp_pair_specs_step(s, 0, how & 2 ? "a*,b/.v>1/" : "a", &error));
	must(mp_pair_specs_step(s, 1, how & 2 ? "b,a" : "b", &error));
	if (how & 1)
		must(mp_pair_specs_step(s, 2, "c,a", &error));
	must(mp_pair_specs_key(s, how & 4 ? "cpu,.v=.w" : "tid", &error));
	if (how & 8 && how & 1)
		must(mp_pair_specs_key(s, "time", &error));
	if (how & 16)
		must(mp_pair_specs_fields(s, "tid,end:.v,x=begin:.v,end:cpu,t=end:type", &error));
}

static void feed(struct mp_pair *p, const char *at, const char *end, bool with_events)
{
	uint64_t last = 0, n = 0;
	const char *lf, *why;
	struct mp_rec rec;
	struct mp_ctl ctl;

	for (; at < end && (lf = memchr(at, '\n', end - at)); at = lf + 1) {
		if (mp_rec_parse(&rec, at, lf - at, &why) < 0)
			continue;
		if (rec.kind == MP_EVENT && rec.time_ns >= last) {
			last = rec.time_ns;
			mp_pair_event(p, &rec, &why);
			n++;
		} else if (rec.kind == MP_CONTROL) {
			bool good = mp_ctl_parse(&ctl, rec.line, &why) == 0;

			if (good && ctl.what == MP_CTL_LOST && mp_pair_concerns(p, &ctl))
				mp_pair_lost(p, &ctl);
			else if (good && ctl.what == MP_CTL_HEADER && with_events)
				json_decref(mp_pair_events(p, json_object_get(ctl.json, "events")));
			mp_ctl_release(&ctl);
		}
	}
	mp_pair_end_section(p, last);
	if (mp_pair_counts(p)->open + mp_pair_counts(p)->forgotten + mp_pair_counts(p)->replaced >
	    n)
		abort();
}

static void check_output(struct mp_out *out)
{
	size_t len;
	char *text = memory_out_close(out, &len), *p = text, *lf;
	struct mp_field dur;
	struct mp_rec rec;
	const char *why;
	double v;

	must(mp_field_parse(&dur, MP_STR("dur")));
	for (; p < text + len; p = lf + 1) {
		lf = memchr(p, '\n', text + len - p);
		if (!lf || mp_rec_parse(&rec, p, lf - p, &why) < 0 || rec.kind != MP_EVENT)
			abort();
		if (mp_rec_number(&rec, &dur, &v) == 1 && v < 0 && memchr(p, '>', lf - p))
			abort();
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_pair_specs *specs = mp_zalloc(sizeof(*specs));
	uint8_t how = size ? data[0] : 0, more = size > 1 ? data[1] : 0;
	struct mp_pair_options o = { .specs = specs,
				     .policy = more % 3,
				     .stack = more / 4 % 3,
				     .under_ns = UINT64_MAX,
				     .context = more & 64 ? 1u << more / 16 % 4 : 0,
				     .open = !(more & 64) && more & 128,
				     .max_open = how & 32 ? 3 : 1000000,
				     .memory = how & 64 ? 20000 : 1 << 20 };
	struct mp_relay relay;
	struct mp_pair *pair;
	struct mp_out out;

	set_specs(specs, how, &o);
	memory_out_init(&out);
	mp_relay_init(&relay, &out, NULL, NULL);
	pair = mp_pair_new(&o, &relay);
	if (size > 2)
		feed(pair, (const char *)data + 2, (const char *)data + size, size & 1);
	check_output(&out);
	mp_pair_free(pair);
	mp_relay_release(&relay);
	mp_pair_specs_release(specs);
	free(specs);
	return 0;
}
