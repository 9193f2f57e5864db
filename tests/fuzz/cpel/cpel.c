// SPDX-License-Identifier: GPL-2.0-only
/* Any lines as a CPEL file: the output obeys the rules of its readers. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/cpel/cpelmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads a file as cpeldump does, but checks all bounds. */
struct reader {
	const unsigned char *p, *end;
	const unsigned char *texts;
	uint32_t texts_len;
};

static void must(bool condition)
{
	if (!condition)
		abort();
}

static uint32_t take(struct reader *r)
{
	uint32_t v;

	must(r->end - r->p >= 4);
	v = (uint32_t)r->p[0] << 24 | r->p[1] << 16 | r->p[2] << 8 | r->p[3];
	r->p += 4;
	return v;
}

static const char *text(const struct reader *r, uint32_t offset)
{
	const char *s = (const char *)r->texts + offset, *c;

	must(offset < r->texts_len && memchr(s, '\0', r->texts_len - offset));
	for (c = s; *c; c++)
		must(*c >= 0x20 && *c < 0x7f);
	return s;
}

/* Checks that the text has no directives of printf. Returns its length as printed. */
static size_t plain(const char *s)
{
	size_t n = 0;

	for (; *s; s++, n++)
		if (*s == '%')
			must(*++s == '%');
	return n;
}

static uint32_t begin(struct reader *r, uint32_t type, uint32_t more, uint32_t each)
{
	uint32_t len, count;

	must(take(r) == type);
	len = take(r);
	must(r->end - r->p >= 68 && strcmp((const char *)r->p, "FileStrtab") == 0);
	r->p += 64;
	count = take(r);
	must(len == 68 + more + (uint64_t)count * each);
	return count;
}

static void read_texts(struct reader *r)
{
	must(take(r) == 1);
	r->texts_len = take(r);
	r->texts = r->p;
	must(r->texts_len % 8 == 0 && r->texts_len <= r->end - r->p);
	r->p += r->texts_len;
	must(strcmp(text(r, 0), "FileStrtab") == 0);
}

static void check_file(const unsigned char *p, size_t len, size_t least)
{
	uint32_t i, n_events, n_tracks, n;
	struct reader r = { p, p + len, NULL, 0 };
	uint64_t last = 1;

	must(take(&r) == 0x01000004);
	take(&r);
	read_texts(&r);
	n_events = begin(&r, 3, 0, 12);
	for (i = 1; i <= n_events; i++) {
		must(take(&r) == i);
		plain(text(&r, take(&r)));
		must(strcmp(text(&r, take(&r)), "%s") == 0);
	}
	n_tracks = begin(&r, 4, 0, 8);
	for (i = 1; i <= n_tracks; i++) {
		must(take(&r) == i);
		must(plain(text(&r, take(&r))) <= 64);
	}
	n = begin(&r, 5, 4, 20);
	must(n >= least && take(&r) == 1000000000);
	for (i = 0; i < n; i++) {
		uint64_t time = (uint64_t)take(&r) << 32;
		uint32_t track, code;

		time |= take(&r);
		must(i ? time >= last : time == 1);
		last = time;
		track = take(&r);
		code = take(&r);
		must(track >= 1 && track <= n_tracks && code >= 1 && code <= n_events);
		text(&r, take(&r));
	}
	must(r.p == r.end);
}

static void write_and_check(struct mp_cpelmap *m, size_t least)
{
	int fd = memfd_create("cpel", 0);
	struct mp_out out;
	void *map;
	size_t len;

	mp_out_init(&out, fd, "memory");
	mp_cpelmap_write(m, 0, &out);
	mp_out_flush(&out);
	len = lseek(fd, 0, SEEK_END);
	map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	must(map != MAP_FAILED);
	check_file(map, len, least);
	munmap(map, len);
	mp_out_close(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const tracks[] = { "tid", "pid", "cpu", "comm,cpu", "type", "time,.x" };
	struct mp_cpelmap_style style = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	const char *p = (const char *)data, *end = p + size, *lf, *why;
	struct mp_cpelmap m;
	struct mp_rec rec;
	struct mp_str bad;
	uint64_t last = 0;
	size_t n = 0;

	mp_fields_parse(&style.track, tracks[size % MP_ARRAY_SIZE(tracks)], &bad);
	if (size & 64)
		mp_fields_parse(&style.says, "comm,.x,time", &bad);
	mp_cpelmap_init(&m, &style);
	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0 || rec.kind != MP_EVENT ||
		    rec.time_ns < last)
			continue;
		last = rec.time_ns;
		mp_cpelmap_add(&m, &rec);
		n++;
	}
	if (n)
		write_and_check(&m, n);
	mp_cpelmap_release(&m);
	mp_fields_release(&style.track);
	mp_fields_release(&style.says);
	return 0;
}
