/* SPDX-License-Identifier: GPL-2.0-only */
/* The type of a span, composed of the types of its begin and its end. Includes str. */
#ifndef MP_PAIR_SPAN_NAME_H
#define MP_PAIR_SPAN_NAME_H

#include "lib/core/str.h"

/*
 * Adds the type of a span to `text`. Where the types differ in one word only, which is "enter",
 * "entry", "begin" or "start" in the begin and "exit" or "end" in the end, it is the type without
 * that word: "irq:softirq" of "irq:softirq_entry" and "irq:softirq_exit". A system call is called
 * by its name alone, "write". Of all other types it is "BEGIN=>END", of at most 255 bytes.
 */
void mp_span_name_add(struct mp_buf *text, struct mp_str begin, struct mp_str end);

/* The name of the spans of raw_syscalls, whose events have the call in their field .id only. */
#define MP_SPAN_RAW_CALLS MP_STR("raw_syscalls:sys")

/*
 * The name of a system call in a value "1(write)" of that field, a part of it; empty if the value has
 * no name that a type may have.
 */
struct mp_str mp_span_name_call(struct mp_str id);

#endif
