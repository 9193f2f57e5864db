// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/import.h"

#include <unistd.h>

#include "lib/import/guess.h"
#include "lib/import/perfdata.h"

static void parse(struct mp_import *im, const struct mp_import_format *format)
{
	json_decref(im->origin);
	im->origin = NULL;
	im->truncated = im->refused = false;
	im->handed_over = false;
	im->last_ns = im->written = 0;
	format->parse(im);
	mp_import_end(im);
	if (im->handed_over)
		return;
	if (mp_in_fault(&im->in)) {
		mp_say("%s: %s", im->in.name, mp_in_fault(&im->in));
		im->status = MP_MAX(im->status, MP_LOSSY);
	}
	mp_in_release(&im->in);
	if (im->in.fd > 0)
		close(im->in.fd);
}

/* Guesses the format as soon as enough lines are there. */
static struct mp_import_guess guess(struct mp_import *im)
{
	size_t wanted = 1, len;
	struct mp_import_guess guess;
	const char *data;

	do {
		len = mp_in_peek(&im->in, wanted, &data);
		guess = mp_import_guess(data, len, len < wanted);
		wanted = len + 1;
	} while (guess.undecided);
	return guess;
}

static void refuse(struct mp_import *im, const struct mp_import_foreign *foreign)
{
	if (foreign && foreign->remedy)
		mp_say("%s: this is %s, which mp-import does not read (%s)", im->in.name,
		       foreign->name, foreign->remedy);
	else if (foreign)
		mp_say("%s: this is %s, which mp-import does not read", im->in.name, foreign->name);
	else
		mp_say("%s: unknown format: choose one with --from (--help lists them)",
		       im->in.name);
	mp_in_release(&im->in);
	im->status = MP_FAIL;
}

/* Reads perf.data through perf script; `im->in` has been opened. */
static void parse_perfdata(struct mp_import *im)
{
	struct mp_import_perfdata perf;
	const char *why = mp_import_perfdata_begin(&perf, im->in.fd), *name = im->in.name;
	int file = im->in.fd;

	mp_in_release(&im->in);
	if (why) {
		mp_say("%s: this is %s", name, why);
		im->status = MP_FAIL;
	} else {
		mp_in_init(&im->in, perf.fd, name, im->out);
		parse(im, &mp_import_perf);
		if (!mp_import_perfdata_end(&perf) && !im->refused) {
			mp_say("%s: perf script failed ('perf script -i' says why)", name);
			im->status = MP_FAIL;
		}
	}
	if (file > 0)
		close(file);
}

/* Whether bytes are none of a text: if so, more of them are needed to see what it is. */
static bool has_control(const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)data[i] < ' ' && !memchr("\t\n\r\33", data[i], 4))
			return true;
	return false;
}

void mp_import_file(struct mp_import *im, const char *path, const struct mp_import_format *format)
{
	struct mp_import_guess guessed;
	const char *data;
	size_t len;

	mp_in_init(&im->in, mp_input_open(path), strcmp(path, "-") == 0 ? "stdin" : path, im->out);
	len = mp_in_peek(&im->in, MP_MAGIC_MAX, &data);
	if (!format && has_control(data, len))
		len = mp_in_peek(&im->in, MP_IMPORT_HEAD, &data);
	if (!format)
		format = mp_import_format_of(data, len);
	if (mp_import_is_perfdata(data, len) && (!format || format == &mp_import_perf)) {
		parse_perfdata(im);
		return;
	}
	if (len == 0 || (!(format && format->is_binary) && mp_input_binary_kind(data, len)))
		/* the reader of streams will report what is wrong */
		format = &mp_import_stream;
	if (!format) {
		guessed = guess(im);
		len = mp_in_peek(&im->in, 1, &data);
		format = mp_input_binary_kind(data, len) ? &mp_import_stream : guessed.format;
		if (!format) {
			refuse(im, guessed.foreign);
			return;
		}
	}
	parse(im, format);
}
