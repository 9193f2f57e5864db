// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_files.h"

#include <stdlib.h>

#include "lib/core/clock.h"

void mp_writer_files_init(struct mp_writer_files *f)
{
	f->earlier_cpus = mp_zalloc(f->plan->n_rings * sizeof(*f->earlier_cpus));
}

void mp_writer_files_release(struct mp_writer_files *f)
{
	free(f->earlier_cpus);
}

static uint64_t begin_ns(const struct mp_writer_files *f)
{
	return MP_MAX(f->window->from_ns, f->earlier.until_ns);
}

bool mp_writer_files_is_full(const struct mp_writer_files *f)
{
	const struct mp_cut_plan *p = f->plan;
	uint64_t now = f->window->watermark_ns, begin = begin_ns(f);

	return now > begin && f->window->stop_ns == UINT64_MAX &&
	       ((p->rotate_ns && now - begin >= p->rotate_ns) ||
		(p->rotate_bytes && f->output->bytes - f->earlier.bytes >= p->rotate_bytes));
}

/* Subtracts numbers; none becomes less than 0 if the counters of the kernel are wrong. */
static void subtract(void *from, const void *earlier, size_t bytes)
{
	const uint64_t *b = earlier;
	uint64_t *a = from;
	size_t i;

	for (i = 0; i < bytes / sizeof(*a); i++)
		a[i] -= MP_MIN(a[i], b[i]);
}

/* Adds "fired", "excluded", "late" and "cpus". */
static void add_account(const struct mp_writer_files *f, const struct mp_account *a,
			const struct mp_writer_totals *all, json_t *trailer)
{
	size_t n = f->plan->n_rings, i;
	struct mp_account part = { .cpus = mp_memdup(a->cpus, n * sizeof(*a->cpus)) };

	subtract(part.cpus, f->earlier_cpus, n * sizeof(*part.cpus));
	for (i = 0; i < n; i++)
		part.fired += part.cpus[i].fired;
	mp_account_json(&part, f->plan, all, trailer);
	free(part.cpus);
}

json_t *mp_writer_files_trailer(const struct mp_writer_files *f, const struct mp_account *a,
				uint64_t until_ns)
{
	uint64_t bytes = f->output->bytes - f->earlier.bytes;
	uint64_t truncated = f->formatter->stacks->truncated - f->earlier_truncated;
	uint64_t pointers = f->formatter->pointers - f->earlier.pointers;
	struct mp_unwind_stats unwound = f->formatter->unwound;
	struct mp_writer_totals all = f->counts->all;
	json_t *trailer;

	subtract(&all, &f->earlier.all, sizeof(all));
	subtract(&unwound, &f->earlier.unwound, sizeof(unwound));
	trailer = mp_ctl_trailer(MP_EVENT, all.written, all.lost);
	json_object_set_new(trailer, "bytes", json_integer((json_int_t)bytes));
	json_object_set_new(trailer, "time", json_integer((json_int_t)until_ns));
	add_account(f, a, &all, trailer);
	if (truncated)
		json_object_set_new(trailer, "truncated", json_integer((json_int_t)truncated));
	if (pointers)
		json_object_set_new(trailer, "pointers", json_integer((json_int_t)pointers));
	mp_unwind_stats_json(&unwound, trailer);
	return trailer;
}

/* The header of a file that begins at a time of CLOCK_MONOTONIC. The clocks are read again. */
static json_t *make_header(const json_t *first, uint64_t begin_ns)
{
	json_t *header = json_deep_copy(first), *times;
	uint64_t clock_ns, real_ns;

	mp_clock_pair(&clock_ns, &real_ns);
	times = mp_ctl_header(MP_EVENT, "mp-record", "monotonic", begin_ns,
			      real_ns - (clock_ns - begin_ns));
	json_object_update_existing(header, times);
	json_decref(times);
	return header;
}

void mp_writer_files_next(struct mp_writer_files *f)
{
	uint64_t until_ns = f->window->watermark_ns;
	struct mp_account known;

	mp_account_known(&known, f->plan, f->counts);
	mp_writer_put_json(f->output, mp_writer_files_trailer(f, &known, until_ns));
	f->earlier = (struct mp_writer_earlier){ .files = f->earlier.files + 1,
						 .until_ns = until_ns,
						 .bytes = f->output->bytes,
						 .pointers = f->formatter->pointers,
						 .all = f->counts->all,
						 .unwound = f->formatter->unwound };
	f->earlier_truncated = f->formatter->stacks->truncated;
	memcpy(f->earlier_cpus, known.cpus, f->plan->n_rings * sizeof(*known.cpus));
	mp_account_release(&known);
	f->formatter->stacks->symbols->stream++;
	mp_writer_put_json(f->output, make_header(f->header, until_ns));
}
