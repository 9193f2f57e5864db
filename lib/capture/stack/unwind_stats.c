// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/unwind_stats.h"

#include "lib/stream/unit.h"

/* Number of user stacks by a method, excluding those of exiting tasks, which have none. */
static uint64_t stacks_by(const struct mp_unwind_stats *u, size_t method)
{
	uint64_t n = 0;
	size_t end;

	for (end = 0; end < MP_UNWIND_ENDS; end++)
		if (end != MP_UNWIND_NO_STACK)
			n += u->ends[method][end];
	return n;
}

static bool is_reason(size_t end)
{
	return end != MP_UNWIND_COMPLETE && end != MP_UNWIND_NO_STACK;
}

void mp_unwind_stats_json(const struct mp_unwind_stats *u, json_t *trailer)
{
	json_t *all = json_object(), *one, *reasons;
	size_t method, end;

	for (method = 0; method < MP_METHODS; method++) {
		uint64_t n = stacks_by(u, method);

		if (n == 0)
			continue;
		reasons = json_object();
		for (end = 0; end < MP_UNWIND_ENDS; end++)
			if (is_reason(end) && u->ends[method][end])
				json_object_set_new(reasons, mp_unwind_end_name(end),
						    json_integer((json_int_t)u->ends[method][end]));
		one = json_pack("{s:I, s:I, s:o, s:I}", "stacks", (json_int_t)n, "whole",
				(json_int_t)u->ends[method][MP_UNWIND_COMPLETE], "reasons", reasons,
				"none", (json_int_t)u->ends[method][MP_UNWIND_NO_STACK]);
		if (method == MP_METHOD_BPF)
			json_object_set_new(one, "copies", json_integer((json_int_t)u->copies));
		json_object_set_new(all, mp_stack_method_name(method), one);
	}
	if (json_object_size(all))
		json_object_set_new(trailer, "unwound", all);
	else
		json_decref(all);
}

/* The reason for the end of a walk, and the option that helps. */
static const char *advice(enum mp_stack_method method, enum mp_unwind_end end)
{
	if (method == MP_METHOD_FP && end == MP_UNWIND_FRAME_POINTER)
		return "in code without frame pointers (-g cfi, or for frequent events -g bpf)";
	switch (end) {
	case MP_UNWIND_STACK_SIZE:
		return "beyond the copied part of the stack (--stack-size)";
	case MP_UNWIND_ABSENT:
		return "at a page of the stack that was not in memory";
	case MP_UNWIND_MAX_STACK:
		return "at --max-stack";
	case MP_UNWIND_MAPPING:
		return "at an address without a mapping of code";
	case MP_UNWIND_FRAME_POINTER:
		return "in code without frame pointers";
	case MP_UNWIND_UNKNOWN:
		return "at a frame pointer of 0, in code that is not known to be a root";
	case MP_UNWIND_OTHER_STACK:
		return method == MP_METHOD_BPF
			       ? "where Go switches to the stack of its runtime or of C"
			       : "where Go switches to the stack of its runtime or of C (-g bpf)";
	case MP_UNWIND_CFI:
		return "at wrong call frame information";
	case MP_UNWIND_ABI:
		return "at the first frame, in 32-bit programs";
	case MP_UNWIND_NO_TABLES:
		return "at the first frame, for lack of the record of the BPF program (--realtime)";
	case MP_UNWIND_COMPLETE:
	case MP_UNWIND_NO_STACK:
	case MP_UNWIND_ENDS:
		break;
	}
	return "";
}

void mp_unwind_stats_report(const struct mp_unwind_stats *u)
{
	struct mp_buf text = { NULL, 0, 0 };
	size_t method, end;

	for (method = 0; method < MP_METHODS; method++) {
		uint64_t n = stacks_by(u, method), complete = u->ends[method][MP_UNWIND_COMPLETE];

		if (n == 0)
			continue;
		text.len = 0;
		/* rounds down, so that 100 % means all stacks */
		mp_buf_printf(&text, "%llu user stack%s by %s, %llu.%02llu %% complete",
			      (unsigned long long)n, mp_plural(n), mp_stack_method_name(method),
			      (unsigned long long)(complete * 100 / n),
			      (unsigned long long)(complete * 10000 / n % 100));
		if (method == MP_METHOD_BPF && u->copies)
			mp_buf_printf(&text, ", %llu of them from copies",
				      (unsigned long long)u->copies);
		for (end = 0; end < MP_UNWIND_ENDS; end++)
			if (is_reason(end) && u->ends[method][end])
				mp_buf_printf(&text, "; %llu end%s %s",
					      (unsigned long long)u->ends[method][end],
					      u->ends[method][end] == 1 ? "s" : "",
					      advice(method, end));
		mp_say("%.*s", (int)text.len, text.p);
	}
	mp_buf_release(&text);
}
