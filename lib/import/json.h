/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON of any size: hands out the values at some paths, one after the other, and skips all others.
 * Memory is that of one value, at most MP_LINE_MAX bytes of text. Includes record.
 */
#ifndef MP_IMPORT_JSON_H
#define MP_IMPORT_JSON_H

#include "lib/import/record.h"

struct mp_import_path {
	/* ".a.b" is a member of an object, "[]" each element of an array, as in ".nodes[]" */
	const char *path;
	/* Gets a value, and may keep a reference; of a path with "}" after it NULL, at its end. */
	void (*take)(void *arg, json_t *value);
};

/* Reads the input to its end. Data that is not JSON, or ends early, is reported. */
void mp_import_json(struct mp_import *im, const struct mp_import_path *paths, size_t n, void *arg);

/* The bytes of a string; empty if the value is none. */
struct mp_str mp_import_json_text(const json_t *value);

/* A number times `scale`, rounded; 0 if the value is none, or out of range. */
int64_t mp_import_json_scaled(const json_t *value, double scale);

#endif
