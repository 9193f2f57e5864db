// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/relay.h"

void mp_relay_init(struct mp_relay *r, struct mp_out *out,
		   void (*change)(void *arg, json_t *header), void *arg)
{
	*r = (struct mp_relay){ .out = out, .change = change, .arg = arg };
}

void mp_relay_release(struct mp_relay *r)
{
	mp_buf_release(&r->buf);
}

static void write_object(struct mp_relay *r, json_t *object)
{
	r->buf.len = 0;
	mp_ctl_add(&r->buf, object);
	mp_out_write(r->out, r->buf.p, r->buf.len);
}

static void relay_header(struct mp_relay *r, const json_t *from)
{
	json_t *header = json_deep_copy(from);

	r->records = 0;
	if (r->change)
		r->change(r->arg, header);
	write_object(r, header);
}

/*
 * Removes the members that are true of the input but not of the output, and sets the count of
 * records.
 */
static void relay_end(struct mp_relay *r, const json_t *from)
{
	json_t *trailer = json_copy((json_t *)from);

	json_object_set_new(trailer, "records", json_integer((json_int_t)r->records));
	json_object_del(trailer, "bytes");
	write_object(r, trailer);
	r->records = 0;
}

void mp_relay_control(struct mp_relay *r, const struct mp_rec *rec, const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_HEADER && ctl->datatype == MP_EVENT) {
		relay_header(r, ctl->json);
	} else if (ctl->what == MP_CTL_END && ctl->datatype == MP_EVENT) {
		relay_end(r, ctl->json);
	} else {
		mp_out_write(r->out, rec->line.p, rec->line.len);
		mp_out_write(r->out, "\n", 1);
	}
}

void mp_relay_loss(struct mp_relay *r, const struct mp_ctl *ctl)
{
	struct mp_ctl loss = *ctl;

	loss.type = NULL;
	r->buf.len = 0;
	mp_ctl_add_lost(&r->buf, &loss);
	mp_out_write(r->out, r->buf.p, r->buf.len);
}

/* Keeps the filters of the events that the stream still has. */
static void restrict_filters(json_t *header, const json_t *events)
{
	json_t *kept = json_object(), *value;
	const char *type;

	json_object_foreach (json_object_get(header, "filters"), type, value)
		if (strcmp(type, "*") == 0 || json_object_get(events, type))
			json_object_set(kept, type, value);
	json_object_del(header, "filters");
	if (json_object_size(kept))
		json_object_set(header, "filters", kept);
	json_decref(kept);
}

void mp_relay_rename(json_t *header, const char *interface, json_t *events)
{
	json_t *before = json_copy(header), *sections = json_object_get(header, "sections");

	json_object_del(before, "sections");
	json_object_del(before, "events");
	sections = sections ? json_incref(sections) : json_array();
	json_array_append_new(sections, before);
	json_object_set_new(header, "sections", sections);
	json_object_set_new(header, "interface", json_string(interface));
	json_object_del(header, "command");
	if (!events)
		return;
	json_object_set_new(header, "events", events);
	restrict_filters(header, events);
}
