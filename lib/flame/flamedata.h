/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names and stacks of a flame graph as bytes, which lib/flame/tree.js and
 * tests/tools/flame.py read. Includes flame.
 *
 * There are nine parts:
 *
 *	names    a JSON array of strings, in the order of their bytes
 *	looks    a byte for each name: MP_FLAME_COLOURS * kind + its colour by name
 *	up       for each stack: how many frames of the stack before it does not have
 *	down     for each stack: how many frames it has after those
 *	weights  the weights of the stacks; if there are two sides, the weights before; if two weights, the first
 *	calls    for each of the frames that `down` counts: which call it is
 *	callees  for each call that is new: the number of the name that is called
 *	after    if there are two sides, the weights after; if two weights, the second
 *	library  for each name: the number of its library; empty if libraries are not known
 *
 * In a flame chart, stacks are in the order of tasks and of time, and a weight is the time for
 * which the task had this stack; a stack may follow itself. The last name is that of gaps. A gap is
 * the time between two samples of a task, or the time that a frame itself takes between two that it
 * calls.
 *
 * The last seven parts are numbers: seven bits in each byte, the lowest ones first; the eighth bit
 * is set if a byte follows. Stacks are in the order of their names. A call is a pair of names: of a
 * frame, or of the root, and of the frame after it. The calls of a name have the numbers 1, 2, ...
 * in the order in which they occur, and 0 is written where one occurs for the first time. Most
 * functions call few others, so that most of these numbers are small and compress well.
 */
#ifndef MP_FLAME_FLAMEDATA_H
#define MP_FLAME_FLAMEDATA_H

#include "lib/flame/flame.h"

enum { MP_FLAMEDATA_PARTS = 9 };

struct mp_flamedata {
	struct mp_buf parts[MP_FLAMEDATA_PARTS];
	size_t nodes; /* including the root */
	size_t stacks;
};

void mp_flamedata_make(struct mp_flamedata *d, const struct mp_flame *f);
void mp_flamedata_release(struct mp_flamedata *d);

#endif
