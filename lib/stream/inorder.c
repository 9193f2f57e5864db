// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/inorder.h"

void mp_inorder_init(struct mp_inorder *o, struct mp_input *in)
{
	*o = (struct mp_inorder){ .in = in };
}

static void begin(struct mp_inorder *o)
{
	o->last_ns = o->watermark_ns = 0;
	o->has_watermark = false;
	o->input = o->in->next;
}

void mp_inorder_control(struct mp_inorder *o, const struct mp_ctl *ctl)
{
	if (o->input != o->in->next || (ctl->what == MP_CTL_HEADER && ctl->datatype == MP_EVENT))
		begin(o);
	if (ctl->what != MP_CTL_WATERMARK)
		return;
	o->watermark_ns = MP_MAX(o->watermark_ns, ctl->time_ns);
	o->has_watermark = true;
}

bool mp_inorder_event(struct mp_inorder *o, const struct mp_rec *rec)
{
	if (o->input != o->in->next)
		begin(o);
	if (rec->time_ns >= o->last_ns) {
		o->last_ns = rec->time_ns;
		return true;
	}
	if (!o->has_watermark || rec->time_ns >= o->watermark_ns)
		mp_die("%s:%llu: events are not in order of time (put mp-order in front)",
		       o->in->name, (unsigned long long)o->in->in.line);
	o->late++;
	return false;
}

enum mp_status mp_inorder_finish(const struct mp_inorder *o)
{
	mp_say_count(o->late, "event came too late and was skipped",
		     "events came too late and were skipped");
	return o->late ? MP_LOSSY : MP_OK;
}
