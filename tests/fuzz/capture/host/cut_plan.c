// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of a plan: they are refused, or become a plan that has the same bytes. */
#include <stdlib.h>

#include "lib/capture/host/cut_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct mp_str bytes = { (const char *)data, size };
	struct mp_buf again = { NULL, 0, 0 };
	struct mp_cut_plan plan;
	struct mp_cut_end end;

	if (mp_cut_plan_get(&plan, bytes) == 0) {
		mp_cut_plan_put(&plan, &again);
		if (!mp_str_eq(mp_buf_view(&again), bytes))
			abort();
		mp_cut_plan_release(&plan);
	}
	if (mp_cut_end_get(&end, 1, bytes) == 0)
		mp_cut_end_release(&end);
	mp_buf_release(&again);
	return 0;
}
