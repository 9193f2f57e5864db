// SPDX-License-Identifier: GPL-2.0-only
/* Copies text that already is a stream of mp-stream(5). */
#include "lib/import/format.h"

static void copy_line(struct mp_import *im, struct mp_str line)
{
	mp_out_write(im->out, line.p, line.len);
	mp_out_write(im->out, "\n", 1);
}

/*
 * Writes a trailer with the number of records that were copied, which is less than in the input if
 * bad lines were skipped.
 */
static void copy_trailer(struct mp_import *im, const struct mp_ctl *ctl, struct mp_str line,
			 const uint64_t *records)
{
	json_t *trailer;

	if (!ctl->datatype || records[ctl->datatype] == ctl->records) {
		copy_line(im, line);
		return;
	}
	trailer = json_copy(ctl->json);
	json_object_set_new(trailer, "records", json_integer((json_int_t)records[ctl->datatype]));
	json_object_del(trailer, "bytes");
	mp_import_control(im, trailer);
}

static void parse(struct mp_import *im)
{
	uint64_t records[MP_FOLDED] = { 0 };
	struct mp_input input;
	enum mp_status status;
	struct mp_rec rec;

	im->handed_over = true;
	mp_input_adopt(&input, &im->in, MP_CONTROL | MP_EVENT | MP_POINT | MP_STACK);
	input.places = true;
	while (mp_input_next(&input, &rec)) {
		if (rec.kind == MP_CONTROL && input.ctl.what == MP_CTL_END) {
			copy_trailer(im, &input.ctl, rec.line, records);
			continue;
		}
		if (rec.kind != MP_CONTROL)
			records[rec.kind]++;
		else if (input.ctl.what == MP_CTL_HEADER)
			records[input.ctl.datatype] = 0;
		copy_line(im, rec.line);
	}
	status = mp_input_finish(&input);
	im->status = MP_MAX(im->status, status);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	struct mp_rec rec;
	const char *why;

	if (first && *line.p == '{' && mp_import_find(line, "\"mp\":") < line.len)
		return MP_IMPORT_CERTAIN;
	if (mp_rec_parse(&rec, line.p, line.len, &why) < 0 || rec.kind == MP_FOLDED ||
	    mp_rec_check(&rec, &why) < 0)
		return MP_IMPORT_UNLIKE;
	/* any table may have numbers between commas */
	return rec.kind == MP_STACK || (rec.kind == MP_EVENT && rec.body.len) ? MP_IMPORT_LIKE
									      : MP_IMPORT_POSSIBLE;
}

const struct mp_import_format mp_import_stream = { "stream", looks_like, NULL, parse };
