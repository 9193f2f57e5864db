// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/import.h"

#include <unistd.h>

static void parse(struct mp_import *im, const struct mp_import_format *format)
{
	json_decref(im->origin);
	im->origin = NULL;
	im->truncated = false;
	im->handed_over = false;
	im->last_ns = 0;
	format->parse(im);
	mp_import_end(im);
	if (im->handed_over)
		return;
	mp_in_release(&im->in);
	if (im->in.fd > 0)
		close(im->in.fd);
}

void mp_import_file(struct mp_import *im, const char *path, const struct mp_import_format *format)
{
	struct mp_buf names = { NULL, 0, 0 };
	const char *data;
	size_t len;

	mp_in_init(&im->in, mp_input_open(path), strcmp(path, "-") == 0 ? "stdin" : path, im->out);
	len = mp_in_peek(&im->in, &data);
	if (len == 0 || mp_input_binary_kind(data, len))
		format = &mp_import_stream; /* its reader names what is wrong */
	else if (!format)
		format = mp_import_guess(data, len);
	if (format) {
		parse(im, format);
		return;
	}
	mp_import_format_names(&names);
	mp_say("%s: unknown format: choose %.*s with --from", im->in.name,
	       MP_STR_ARGS(mp_buf_view(&names)));
	mp_buf_release(&names);
	mp_in_release(&im->in);
	im->status = MP_FAIL;
}
