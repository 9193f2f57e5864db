// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/weights.h"

#include <stdlib.h>

#include "lib/stream/unit.h"

static void set_second(struct mp_flame_weights *w, struct mp_fold_reader *r,
		       const struct mp_program *program, const char *name)
{
	w->second = mp_choice_field(program, 'w', name);
	/* an event without `period` has a period of 1 */
	if (strcmp(name, "count") != 0 && strcmp(name, "period") != 0)
		mp_choice_name(&r->choice, &w->second, "the second --weight", MP_CHOICE_NUMBER);
	if (strcmp(name, "count") == 0)
		w->second = (struct mp_field){ .name = { NULL, 0 } };
}

static void add_field(struct mp_flame_weights *w, struct mp_fold_reader *r,
		      const struct mp_program *program, const char *name)
{
	if (w->n == MP_FLAME_WEIGHTS || strchr(name, ','))
		mp_usage("--weight has at most two fields");
	if (w->n++)
		set_second(w, r, program, name);
	else
		mp_choice_option(&r->choice, program, 'w', name);
}

void mp_flame_weights_option(struct mp_flame_weights *w, struct mp_fold_reader *r,
			     const struct mp_program *program, const char *arg)
{
	char *list = mp_strdup(arg), *comma = strchr(list, ',');

	w->lists[w->n ? 1 : 0] = list;
	if (comma)
		*comma = '\0';
	add_field(w, r, program, list);
	if (comma)
		add_field(w, r, program, comma + 1);
}

void mp_flame_weights_begin(struct mp_flame_weights *w, const struct mp_fold_reader *r)
{
	mp_fold_init(&w->fold, &r->choice.by);
}

void mp_flame_weights_release(struct mp_flame_weights *w)
{
	size_t i;

	mp_fold_release(&w->fold);
	mp_field_release(&w->second);
	for (i = 0; i < MP_FLAME_WEIGHTS; i++)
		free(w->lists[i]);
	*w = (struct mp_flame_weights){ .n = 0 };
}

int mp_flame_weights_add(struct mp_flame_weights *w, struct mp_fold_reader *r,
			 const struct mp_rec *rec, int taken, int64_t weight, const char **why)
{
	const char *second_why;
	int64_t second;

	if (taken == 0)
		return 0;
	if (taken == 1 && mp_fold_add(&r->fold, rec, weight, why) < 0)
		return -1;
	if (mp_choice_weight(&w->second, rec, &second, &second_why) != 1 ||
	    mp_fold_add(&w->fold, rec, second, &second_why) < 0) {
		*why = second_why;
		return -1;
	}
	return taken == 1 ? 0 : -1;
}

struct mp_str mp_flame_weights_name(const struct mp_flame_weights *w,
				    const struct mp_fold_reader *r, size_t i)
{
	if (i == 0)
		return mp_fold_reader_weight(r);
	return w->second.name.p ? w->second.name : MP_STR("count");
}

const char *mp_flame_weights_unit(const struct mp_flame_weights *w, const struct mp_fold_reader *r,
				  size_t i)
{
	struct mp_field f = w->second;

	if (i == 0)
		return mp_fold_reader_unit(r);
	return f.name.p ? mp_unit_of(r->origin, &f) : "";
}
