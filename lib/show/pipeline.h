/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pipelines of programs, as collectors show them: parsed, printed, and run without a shell.
 * Includes str.
 */
#ifndef MP_SHOW_PIPELINE_H
#define MP_SHOW_PIPELINE_H

#include "lib/core/str.h"

struct mp_stage {
	char **argv; /* ends with NULL */
	size_t n, cap;
};

struct mp_pipeline {
	struct mp_stage *v;
	size_t n, cap;
};

/*
 * Parses "PROGRAM ARGUMENT... | PROGRAM ... > FILE" with the quotes of a shell; FILE is dropped.
 * Whatever else a shell would act on is refused. Returns 0, or -1 with `*why`.
 */
int mp_pipeline_parse(struct mp_pipeline *p, struct mp_str text, const char **why);
void mp_pipeline_release(struct mp_pipeline *p);

/* Adds a stage of these words, which end with NULL, before the stage `at`; returns it. */
struct mp_stage *mp_pipeline_insert(struct mp_pipeline *p, size_t at, const char *const *words);
void mp_pipeline_remove(struct mp_pipeline *p, size_t at);
void mp_pipeline_copy(struct mp_pipeline *to, const struct mp_pipeline *from);

void mp_stage_add(struct mp_stage *s, const char *word);
/* Adds what lets mp-page show a file: "--add PATH=TITLE", or another option. */
void mp_stage_add_file(struct mp_stage *s, const char *option, const char *path, const char *title);
bool mp_stage_has(const struct mp_stage *s, const char *word);

/* Writes it as a user would type it in a shell. */
void mp_pipeline_print(struct mp_buf *to, const struct mp_pipeline *p);
void mp_pipeline_quote(struct mp_buf *to, const char *word);

/* The first of its programs that is neither beside this one nor on PATH; NULL: all are. */
const char *mp_pipeline_missing(const struct mp_pipeline *p);
bool mp_pipeline_installed(const char *program);

/*
 * Runs it with these fds as its input and output, and waits. Then prints its messages, without
 * those that an earlier pipeline has printed as well. Returns the worst status.
 */
enum mp_status mp_pipeline_run(const struct mp_pipeline *p, int in, int out);

#endif
