/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A number with its name, as a VALUE of mp-stream(5): "104(NETFILTER_DROP)",
 * "0xffffffff81e4d9c7(nf_hook_slow+0xb7)", "127,0,0,1(127.0.0.1)". The number is what is computed
 * and compared with numbers, the name is what is shown and what keys are made of. Any other value
 * is its own number and its own name. Includes str only.
 */
#ifndef MP_STREAM_NAMED_H
#define MP_STREAM_NAMED_H

#include "lib/core/str.h"

/*
 * Offset of the parenthesis in a number with a name; 0: the text is not one. The text may be
 * escaped or not.
 */
size_t mp_named_paren(struct mp_str text);

/* The number of a value, without its name. */
static inline struct mp_str mp_named_number(struct mp_str value)
{
	size_t at = value.len && value.p[value.len - 1] == ')' ? mp_named_paren(value) : 0;

	return at ? (struct mp_str){ value.p, at } : value;
}

/* The name of a value, escaped as the value is; without a name, the value. */
static inline struct mp_str mp_named_name(struct mp_str value)
{
	size_t at = value.len && value.p[value.len - 1] == ')' ? mp_named_paren(value) : 0;

	return at ? (struct mp_str){ value.p + at + 1, value.len - at - 2 } : value;
}

#endif
