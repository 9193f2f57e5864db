// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist/measure.h"

#include <stdlib.h>

#include "lib/stream/unit.h"

static const struct mp_field x = MP_FIELD_OF(X, "x");

void mp_measure_init(struct mp_measure *m)
{
	*m = (struct mp_measure){ .unit = "", .weight_unit = "" };
	mp_choice_init(&m->choice, "keep them apart with --by type");
}

static bool names_time(const struct mp_field *f)
{
	size_t i;

	for (i = 0; f->computed && i < f->computed->n_fields; i++)
		if (f->computed->fields[i].id == MP_FIELD_TIME)
			return true;
	return false;
}

void mp_measure_start(struct mp_measure *m)
{
	size_t i;

	m->by_dump.v = mp_grow(NULL, &m->by_dump.cap, m->choice.by.n, sizeof(*m->by_dump.v));
	m->by_dump.n = m->choice.by.n;
	for (i = 0; i < m->choice.by.n; i++) {
		m->by_dump.v[i] = m->choice.by.v[i];
		if (m->by_dump.v[i].id != MP_FIELD_COMPUTED)
			m->by_dump.v[i].id = MP_FIELD_KEY;
		m->by_time |= names_time(&m->by_dump.v[i]);
	}
	m->dists.by = &m->choice.by;
	m->units = mp_zalloc((2 + m->dists.sums.n) * sizeof(*m->units));
	m->terms = mp_zalloc((1 + m->dists.sums.n) * sizeof(*m->terms));
	mp_dists_init(&m->dists);
}

static char *refuse_mixture(const struct mp_measure *m)
{
	if (!m->choice.types.mixed && m->kinds == (MP_EVENT | MP_POINT))
		return mp_strdup("the input has events and points: choose events with -e");
	return mp_types_mixture(&m->choice.types);
}

/* How many ns a difference of 1 in x is; 0 if the header does not give x a unit of time. */
static double x_factor(const struct mp_measure *m)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *unit = mp_unit_of(m->header, &x);
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(units); i++)
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].ns;
	return 0;
}

char *mp_measure_header(struct mp_measure *m, const struct mp_ctl *header)
{
	json_decref(m->header);
	m->header = json_incref(header->json);
	m->unit_is_old = true;
	m->x_ns = x_factor(m);
	mp_types_header(&m->choice.types, header->json);
	mp_choice_header(&m->choice, header);
	return refuse_mixture(m);
}

/* Sets the unit of the field or the weight from the header; refuses a change of the unit. */
static char *decide_unit(struct mp_measure *m, size_t i, const struct mp_field *f)
{
	const char *now = f->name.p ? mp_unit_of(m->header, f) : "";

	if (m->units[i] && strcmp(m->units[i], now) != 0)
		return mp_asprintf("the input measures '%.*s' in '%s' and in '%s'",
				   MP_STR_ARGS(f->name), m->units[i], now);
	if (!m->units[i])
		m->units[i] = mp_strdup(now);
	return NULL;
}

static char *decide_units(struct mp_measure *m)
{
	char *refusal;
	size_t len, i;

	if (!m->unit_is_old && m->units[0])
		return NULL;
	m->unit_is_old = false;
	refusal = decide_unit(m, 0, &m->measured);
	if (!refusal)
		refusal = decide_unit(m, 1, &m->weighed);
	for (i = 0; i < m->dists.sums.n && !refusal; i++)
		refusal = decide_unit(m, 2 + i, &m->dists.sums.v[i]);
	if (refusal)
		return refusal;
	m->unit = m->units[0];
	m->weight_unit = m->units[1];
	len = strlen(m->unit);
	m->dists.binary = m->dists.width == 0 && len && m->unit[len - 1] == 'B';
	return NULL;
}

static bool same_name(struct mp_str a, struct mp_str b)
{
	return a.p && b.p ? mp_str_eq(a, b) : a.p == b.p;
}

/* Copies a name, which is needed until the end. */
static void own_field(struct mp_field *to, struct mp_str name)
{
	struct mp_expr_error error;

	if (name.p)
		name.p = mp_strndup(name.p, name.len);
	if (!name.p || mp_expr_field(to, name, &error) < 0)
		*to = (struct mp_field){ .id = MP_FIELD_KEY, .name = name };
}

/*
 * Lets the first record, or line of a dump, decide what is measured, and refuses later ones that
 * differ.
 */
static char *decide_about(struct mp_measure *m, const struct mp_dump_about *about)
{
	if (!m->decided) {
		own_field(&m->measured, about->field);
		own_field(&m->weighed, about->weight);
		m->about = (struct mp_dump_about){ m->measured.name, m->weighed.name };
		m->decided = true;
	}
	if (!same_name(m->about.field, about->field))
		return mp_asprintf("the input has distributions of '%.*s' and of '%.*s'",
				   MP_STR_ARGS(m->about.field), MP_STR_ARGS(about->field));
	if (!same_name(m->about.weight, about->weight))
		return mp_asprintf("the input is weighted by different fields ('%.*s', '%.*s')",
				   MP_STR_ARGS(m->about.weight), MP_STR_ARGS(about->weight));
	return decide_units(m);
}

/* Finds what is measured in a record that is not a line of a dump. */
static struct mp_dump_about about_of(const struct mp_measure *m, const struct mp_rec *rec)
{
	struct mp_dump_about about = { m->field.name, m->choice.weight.name };

	if (m->dists.counting)
		about.field.p = NULL;
	else if (!m->field.name.p)
		about.field = rec->kind == MP_POINT ? MP_STR("y") : MP_STR("dur");
	return about;
}

static bool is_selected(struct mp_measure *m, const struct mp_rec *rec, bool point)
{
	if (point && m->choice.types.n_globs)
		return false;
	if (!point && !mp_types_take(&m->choice.types, rec))
		return false;
	m->kinds |= point ? MP_POINT : MP_EVENT;
	return true;
}

/* Refuses a line of a dump that counted with another threshold. */
static char *refuse_over(const struct mp_measure *m, const struct mp_rec *rec)
{
	double over;

	if (!mp_dump_over(rec, &over) || over == m->dists.over)
		return NULL;
	return mp_asprintf("a dump was made with the threshold %.15g, not %.15g (make it with the "
			   "same --over)",
			   over, m->dists.over);
}

enum mp_measure_look mp_measure_look(struct mp_measure *m, struct mp_rec *rec, const char **why,
				     char **refusal)
{
	struct mp_dump_about about;
	struct mp_str type = rec->type;
	bool point = rec->kind == MP_POINT;

	m->is_dump = mp_dump_is(rec);
	if (m->is_dump) {
		mp_dump_read_about(rec, &about, &type);
		point = !type.p;
	} else {
		about = about_of(m, rec);
	}
	rec->type = type;
	if (!is_selected(m, rec, point))
		return MP_MEASURE_SKIP;
	*refusal = refuse_mixture(m);
	if (*refusal)
		return MP_MEASURE_REFUSE;
	if (m->field.name.p && !same_name(m->field.name, about.field)) {
		*why = "dump line with the distribution of another field";
		return MP_MEASURE_BAD;
	}
	*refusal = m->is_dump && m->dists.has_over ? refuse_over(m, rec) : NULL;
	if (!*refusal)
		*refusal = decide_about(m, &about);
	return *refusal ? MP_MEASURE_REFUSE : MP_MEASURE_ADD;
}

bool mp_measure_time(const struct mp_measure *m, const struct mp_rec *rec, uint64_t *time_ns)
{
	double v;

	*time_ns = rec->time_ns;
	if (rec->kind == MP_EVENT)
		return true;
	if (m->x_ns == 0 || mp_num_decimal(rec->x, &v) < 0)
		return false;
	v *= m->x_ns;
	if (!(v >= 0 && v < 0x1p63))
		return false;
	*time_ns = (uint64_t)v;
	return true;
}

static int weight_of(const struct mp_measure *m, const struct mp_rec *rec, uint64_t *weight,
		     const char **why)
{
	int64_t v;

	if (mp_choice_weight(&m->weighed, rec, &v, why) < 1)
		return -1;
	*why = "weight is negative";
	if (v < 0)
		return -1;
	*weight = (uint64_t)v;
	return 0;
}

/* As mp_rec_number(), but the y of a point is always a decimal number. */
static int number_of(const struct mp_measure *m, const struct mp_rec *rec, double *v)
{
	*v = 0;
	if (m->dists.counting)
		return 1;
	if (m->measured.id == MP_FIELD_Y && rec->kind == MP_POINT)
		return mp_num_decimal(rec->y, v) == 0 ? 1 : -1;
	return mp_rec_number(rec, &m->measured, v);
}

/* Finds the terms of the sums; a record without a field adds nothing to its sum. */
static int read_terms(struct mp_measure *m, const struct mp_rec *rec, const char **why)
{
	const struct mp_fields *sums = &m->dists.sums;
	size_t i;

	for (i = 0; i < sums->n; i++) {
		m->terms[i] = 0;
		*why = mp_field_why(&sums->v[i], "the field of a sum is not a number");
		if (mp_rec_number(rec, &sums->v[i], &m->terms[i]) < 0)
			return -1;
	}
	return 0;
}

int mp_measure_add(struct mp_measure *m, const struct mp_rec *rec, const char **why)
{
	struct mp_dist *dist;
	uint64_t weight;
	double v;
	int got;

	mp_field_check_record(&m->choice.names, rec,
			      m->is_dump ? MP_CHOICE_KEY : MP_CHOICE_KEY | MP_CHOICE_NUMBER);
	*why = "dump line, which has no sums";
	if (m->is_dump && m->dists.sums.n)
		return -1;
	*why = "dump line, which has no times to compute the key of";
	if (m->is_dump)
		return m->by_time ? -1 : mp_dump_add(&m->dists, rec, &m->by_dump, why);
	got = number_of(m, rec, &v);
	*why = mp_field_why(&m->measured, got ? "the measured field is not a number"
					      : "record without the measured field");
	if (got < 1 || weight_of(m, rec, &weight, why) < 0 || read_terms(m, rec, why) < 0)
		return -1;
	dist = mp_dists_at(&m->dists, rec, &m->choice.by, why);
	if (!dist)
		return -1;
	mp_dist_add(&m->dists, dist, v, m->terms, weight);
	return 0;
}
