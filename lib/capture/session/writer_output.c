// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_output.h"

#include "lib/stream/ctl.h"
#include "lib/stream/show.h"

void mp_writer_output_release(struct mp_writer_output *o)
{
	mp_buf_release(&o->text);
	mp_buf_release(&o->renamed);
}

void mp_writer_put(struct mp_writer_output *o, struct mp_str text)
{
	o->bytes += text.len;
	mp_out_write(o->out, text.p, text.len);
}

/* Writes a line (with its LF), with task names from the user's table. */
static struct mp_str rename_tasks(struct mp_writer_output *o, struct mp_str line)
{
	struct mp_str renamed;
	struct mp_rec rec;
	const char *why;

	if (mp_rec_parse(&rec, line.p, line.len - 1, &why) < 0)
		return line;
	renamed = mp_tasknames_apply(o->names, &rec, &o->renamed);
	if (renamed.p == line.p)
		return line;
	mp_buf_byte(&o->renamed, '\n');
	return mp_buf_view(&o->renamed);
}

void mp_writer_put_line(struct mp_writer_output *o, struct mp_str line)
{
	if (o->names)
		line = rename_tasks(o, line);
	if (o->live)
		mp_live_add(o->live, line);
	else
		mp_writer_put(o, o->readable ? mp_show_line(&o->text, line) : line);
}

void mp_writer_put_control(struct mp_writer_output *o, struct mp_str line)
{
	if (!o->readable && !o->silent)
		mp_writer_put(o, line);
}

void mp_writer_put_json(struct mp_writer_output *o, json_t *object)
{
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, object);
	if (!o->readable)
		mp_writer_put(o, mp_buf_view(&line));
	mp_buf_release(&line);
}

void mp_writer_put_modules(struct mp_writer_output *o)
{
	if (o->modules->len && !o->readable)
		mp_writer_put(o, mp_buf_view(o->modules));
	o->modules->len = 0;
}

void mp_writer_stop(struct mp_writer_output *o)
{
	if (!o->stopping)
		o->stop(o->arg);
	o->stopping = true;
}
