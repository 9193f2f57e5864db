// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/event.h"

#include <stdlib.h>

const struct mp_tp_field *mp_event_fields(const struct mp_event *e, size_t *n)
{
	*n = e->own ? e->own->n_fields : e->tp ? e->tp->n_fields : 0;
	return e->own ? e->own->fields : e->tp ? e->tp->fields : NULL;
}

bool mp_events_any_aggregated(const struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (events->v[i].agg)
			return true;
	return false;
}

bool mp_events_all_aggregated(const struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (!events->v[i].agg)
			return false;
	return true;
}

void mp_event_release(struct mp_event *e)
{
	size_t i;

	for (i = 0; e->ratio && i < 2; i++)
		mp_event_release(&e->ratio[i]);
	free(e->ratio);
	mp_event_agg_free(e->agg);
	free(e->type);
	free(e->filter);
	free(e->payload);
	mp_tp_free(e->tp);
	mp_tracing_free(e->tracing);
}

void mp_events_release(struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		mp_event_release(&events->v[i]);
	free(events->v);
	*events = (struct mp_events){ .v = NULL };
}

json_t *mp_events_json(const struct mp_events *events)
{
	json_t *all = json_object(), *fields, *type;
	char name[16], *key;
	size_t i, j;

	for (i = 0; i < events->n; i++) {
		const struct mp_event *e = &events->v[i];

		if (e->agg)
			continue;
		fields = json_object();
		for (j = 0; j < e->n_payload; j++) {
			mp_tp_type_name(e->payload[j], name);
			key = mp_asprintf(".%s", e->payload[j]->name);
			json_object_set_new(fields, key, json_string(name));
			free(key);
		}
		type = mp_ctl_string(mp_str(e->type)); /* the name may have a path of any bytes */
		json_object_set_new(all, json_string_value(type), fields);
		json_decref(type);
	}
	return all;
}

/*
 * The filter of a type's events, "(A) || (B)" if the type was given twice; NULL if all events are
 * recorded.
 */
static char *filters_of(const struct mp_events *events, const char *type)
{
	char *text = NULL, *more;
	size_t i, n = 0;

	for (i = 0; i < events->n; i++) {
		const struct mp_event *e = &events->v[i];

		if (e->agg || strcmp(e->type, type) != 0)
			continue;
		if (!e->filter) {
			free(text);
			return NULL;
		}
		more = n ? mp_asprintf(n == 1 ? "(%s) || (%s)" : "%s || (%s)", text, e->filter)
			 : mp_strdup(e->filter);
		free(text);
		text = more;
		n++;
	}
	return text;
}

json_t *mp_events_filters_json(const struct mp_events *events)
{
	json_t *all = NULL, *type, *filter;
	char *text;
	size_t i;

	for (i = 0; i < events->n; i++) {
		text = filters_of(events, events->v[i].type);
		if (!text)
			continue;
		type = mp_ctl_string(mp_str(events->v[i].type));
		filter = mp_ctl_string(mp_str(text));
		if (!all)
			all = json_object();
		json_object_set_new(all, json_string_value(type), filter);
		json_decref(type);
		free(text);
	}
	return all;
}
