// SPDX-License-Identifier: GPL-2.0-only
/*
 * The formats: the first byte chooses one, the rest is its input, and the output is a stream. The
 * parsers of lines get each line as well, in memory of its own size.
 */
#include <fcntl.h>
#include <stdio.h>

#include "lib/import/fields.h"
#include "lib/import/frames.h"
#include "lib/import/guess.h"
#include "lib/import/import.h"
#include "lib/import/perfdata.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks the output, strictly unless it is a copy of a stream. */
static void check_stream(int fd, bool copied)
{
	size_t size;
	char *text = memory_read(fd, &size);
	const char *p = text, *lf, *why;
	struct mp_rec rec;
	struct mp_ctl ctl;

	for (; (lf = memchr(p, '\n', text + size - p)); p = lf + 1) {
		if (lf - p >= MP_LINE_MAX || mp_rec_parse(&rec, p, lf - p, &why) < 0 ||
		    rec.kind == MP_FOLDED)
			abort();
		if (rec.kind == MP_CONTROL) {
			if (mp_ctl_parse(&ctl, rec.line, &why) < 0)
				abort();
			mp_ctl_release(&ctl);
		} else if (!copied && mp_rec_check(&rec, &why) < 0) {
			abort();
		}
	}
	if (p != text + size)
		abort();
	free(text);
}

static void parse_all(const struct mp_import_format *format, const uint8_t *data, size_t size)
{
	struct mp_import_options options = { .clock = NULL };
	int fd = memory_file(data, size), out_fd = memory_file("", 0), copy = dup(out_fd);
	int real = dup(2), null = open("/dev/null", O_WRONLY);
	struct mp_import im;
	struct mp_out out;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	mp_out_init(&out, out_fd, "out");
	mp_import_init(&im, &options, &out);
	dup2(null, 2);
	mp_import_file(&im, path, format);
	mp_import_finish(&im);
	dup2(real, 2);
	mp_import_release(&im);
	mp_out_close(&out);
	check_stream(copy, !format || format == &mp_import_stream);
	close(null);
	close(real);
	close(copy);
	close(fd);
}

static void a_line(struct mp_import *im, struct mp_import_frames *frames, const uint8_t *data,
		   size_t size)
{
	char *text = mp_memdup(data, size ? size : 1); /* so that a read past its end is detected */
	struct mp_str line = { text, size };

	mp_import_guess(text, size, true);
	mp_import_frame(frames, line);
	mp_import_event(im, 1, line);
	mp_import_payload(im, MP_STR("syscalls:sys_enter_x"), line);
	mp_import_payload(im, MP_STR("block:block_rq_issue"), line);
	mp_import_stack(im, frames);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct mp_import_format *const formats[] = {
		NULL,
		&mp_import_perf,
		&mp_import_ftrace,
		&mp_import_marple,
		&mp_import_folded,
		&mp_import_stream,
		&mp_import_bpftrace,
		&mp_import_bcc,
#ifdef MP_HAVE_PROTOBUF
		&mp_import_pprof,
#else
		NULL,
#endif
		&mp_import_strace,
		&mp_import_perf_trace,
		&mp_import_cpuprofile,
		&mp_import_speedscope,
		&mp_import_chrome,
		&mp_import_blkparse,
		&mp_import_graph,
		&mp_import_austin,
		&mp_import_heap,
	};
	struct mp_import_options options = { .clock = NULL };
	struct mp_import_frames frames;
	const uint8_t *end = data + size, *lf;
	struct mp_import im;

	if (!size || mp_import_is_perfdata((const char *)data + 1, size - 1)) /* not: start perf */
		return 0;
	parse_all(formats[*data % MP_ARRAY_SIZE(formats)], data + 1, size - 1);
	mp_import_init(&im, &options, NULL);
	mp_import_frames_init(&frames);
	for (data++; data < end; data = lf + 1) {
		lf = memchr(data, '\n', end - data);
		if (!lf)
			lf = end;
		a_line(&im, &frames, data, lf - data);
	}
	mp_import_frames_release(&frames);
	mp_import_release(&im);
	return 0;
}
