// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/intake.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/io.h"
#include "lib/order/sections.h"

enum { RING = 8 }; /* maximum number of buffers in use */

/* The queues between the thread and its user: empty buffers and full ones. */
struct mp_intake_ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct mp_intake_buffer *empty[RING], *full[RING];
	size_t n_empty, n_full;
	bool stop;
};

static void add_line(struct mp_intake_buffer *b, struct mp_intake_line line)
{
	b->lines = mp_grow(b->lines, &b->cap_lines, b->n + 1, sizeof(line));
	b->lines[b->n++] = line;
}

static struct mp_intake_line parse_line(const char *text, size_t offset, size_t len)
{
	struct mp_intake_line line = { .offset = (uint32_t)offset, .len = (uint32_t)len };
	struct mp_rec rec;

	if (len >= MP_LINE_MAX)
		line.why = "line longer than 1 MiB";
	else if (mp_rec_parse(&rec, text, len, &line.why) == 0) {
		line.why = NULL;
		line.kind = rec.kind;
		line.time_ns = rec.kind == MP_EVENT ? rec.time_ns : 0;
	}
	return line;
}

static void scan(struct mp_intake *in, struct mp_intake_buffer *b)
{
	const char *lf;

	while ((lf = memchr(b->data + b->scanned, '\n', b->used - b->scanned))) {
		size_t len = lf - b->data - b->scanned;

		if (in->overlong)
			add_line(b, (struct mp_intake_line){ .why = "line longer than 1 MiB" });
		else
			add_line(b, parse_line(b->data + b->scanned, b->scanned, len));
		in->overlong = false;
		b->scanned += len + 1;
	}
}

/* An mp_unpack_read_fn. */
static size_t read_file(void *arg, char *to, size_t len)
{
	struct mp_intake *in = arg;
	ssize_t n;

	do
		n = read(in->fd, to, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		mp_die("cannot read '%s': %m", in->name);
	return n;
}

bool mp_intake_unpack(struct mp_intake *in)
{
	char first[MP_UNPACK_MAGIC];
	off_t at = lseek(in->fd, 0, SEEK_CUR);
	size_t n = mp_sections_read_at(in->fd, first, sizeof(first), at, in->name);

	if (n == sizeof(first) && mp_unpack_is_packed(first, n))
		in->unpack = mp_unpack_begin(read_file, in, first, n, &n);
	return in->unpack;
}

static size_t read_range(struct mp_intake *in, char *to, size_t room)
{
	room = MP_MIN(room, (size_t)(in->end - in->offset));
	if (room)
		room = mp_sections_read_at(in->fd, to, room, in->offset, in->name);
	in->offset += room;
	return room;
}

static size_t read_some(struct mp_intake *in, char *to, size_t room)
{
	size_t n;

	if (in->live && !in->begun) {
		in->begun = true;
		in->unpack = mp_unpack_begin(read_file, in, to, room, &n);
		if (!in->unpack)
			return n;
	}
	if (in->unpack)
		return mp_unpack_read(in->unpack, read_file, in, to, room);
	return in->live ? read_file(in, to, room) : read_range(in, to, room);
}

void mp_intake_read(struct mp_intake *in, struct mp_intake_buffer *b)
{
	size_t n = read_some(in, b->data + b->used, b->cap - b->used);

	b->n = 0;
	b->used += n;
	b->end = n == 0 || (!in->live && !in->unpack && in->offset == in->end);
	scan(in, b);
}

bool mp_intake_pending(const struct mp_intake *in)
{
	return in->unpack && mp_unpack_pending(in->unpack);
}

const char *mp_intake_fault(const struct mp_intake *in)
{
	return in->unpack ? mp_unpack_fault(in->unpack) : NULL;
}

void mp_intake_release(struct mp_intake *in)
{
	mp_unpack_free(in->unpack);
	in->unpack = NULL;
}

void mp_intake_continue(struct mp_intake *in, const struct mp_intake_buffer *full,
			struct mp_intake_buffer *b)
{
	size_t kept = full->used - full->scanned;

	if (kept >= MP_LINE_MAX) {
		in->overlong = true;
		kept = 0;
	}
	memcpy(b->data, full->data + full->scanned, kept);
	b->used = kept;
	b->scanned = 0;
}

static struct mp_intake_buffer *wait_for(struct mp_intake_ahead *a, struct mp_intake_buffer **v,
					 size_t *n)
{
	struct mp_intake_buffer *b = NULL;

	pthread_mutex_lock(&a->lock);
	while (*n == 0 && !a->stop)
		pthread_cond_wait(&a->changed, &a->lock);
	if (*n) {
		b = v[0];
		memmove(v, v + 1, --*n * sizeof(*v));
	}
	pthread_mutex_unlock(&a->lock);
	return b;
}

static void hand_over(struct mp_intake_ahead *a, struct mp_intake_buffer **v, size_t *n,
		      struct mp_intake_buffer *b)
{
	pthread_mutex_lock(&a->lock);
	v[(*n)++] = b;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

/* Copies the unfinished line of a buffer before the buffer goes to the user. */
static void keep_rest(struct mp_intake *in, struct mp_intake_buffer *rest,
		      struct mp_intake_buffer *b)
{
	mp_intake_continue(in, b, rest);
	b->used = b->scanned;
}

static void *run(void *arg)
{
	struct mp_intake *in = arg;
	struct mp_intake_ahead *a = in->ahead;
	struct mp_intake_buffer rest = { .data = mp_alloc(MP_LINE_MAX) }, *b;
	bool end = false;

	while (!end && (b = wait_for(a, a->empty, &a->n_empty))) {
		mp_intake_continue(in, &rest, b);
		mp_intake_read(in, b);
		end = b->end;
		if (!end)
			keep_rest(in, &rest, b);
		hand_over(a, a->full, &a->n_full, b);
	}
	free(rest.data);
	return NULL;
}

void mp_intake_start(struct mp_intake *in)
{
	struct mp_intake_ahead *a = mp_zalloc(sizeof(*a));

	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	in->ahead = a;
	if (pthread_create(&a->thread, NULL, run, in))
		mp_die("cannot start a thread");
}

void mp_intake_give(struct mp_intake *in, struct mp_intake_buffer *b)
{
	hand_over(in->ahead, in->ahead->empty, &in->ahead->n_empty, b);
}

struct mp_intake_buffer *mp_intake_take(struct mp_intake *in)
{
	return wait_for(in->ahead, in->ahead->full, &in->ahead->n_full);
}

void mp_intake_stop(struct mp_intake *in)
{
	struct mp_intake_ahead *a = in->ahead;

	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	free(a);
	in->ahead = NULL;
}
