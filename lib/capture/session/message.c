// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/message.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/capture/host/cut_code.h"
#include "lib/core/clock.h"

enum {
	BODY_MAX = 256 << 20, /* 4 million rows of a file take 32 MiB */
	PIECE = 64 << 10,     /* memory for a body grows as its bytes come, at least by so much */
	FILES_MAX = 1 << 20,
};

struct head {
	uint32_t type, len;
};

/* Room for the descriptors. */
union control {
	char bytes[CMSG_SPACE(MP_MESSAGE_FDS * sizeof(int))];
	struct cmsghdr align;
};

/* --- messages --------------------------------------------------------------------------------- */

static int send_all(int fd, const char *data, size_t len, int flags)
{
	ssize_t n;

	while (len) {
		n = send(fd, data, len, MSG_NOSIGNAL | flags);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The sandbox of the writer permits send(), but not sendmsg(), which can pass descriptors. */
static int send_head(int fd, const struct head *head, const int *fds, size_t n_fds)
{
	struct iovec part = { (void *)head, sizeof(*head) };
	union control control = { .bytes = "" };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = CMSG_SPACE(n_fds * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	ssize_t n;

	if (!n_fds)
		return send_all(fd, (const char *)head, sizeof(*head), MSG_MORE);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	do
		n = sendmsg(fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == sizeof(*head) ? 0 : -1;
}

int mp_message_send(int fd, enum mp_message_type type, struct mp_str body, const int *fds,
		    size_t n_fds)
{
	struct head head = { type, (uint32_t)body.len };

	return send_head(fd, &head, fds, n_fds) < 0 ? -1 : send_all(fd, body.p, body.len, 0);
}

/* Takes the descriptors. Padding may have room for one too many, which this closes. */
static void take_fds(struct msghdr *m, struct mp_message *to)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	size_t n, i;
	int fd;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
	for (i = 0; i < n; i++) {
		memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
		if (to->n_fds < MP_MESSAGE_FDS)
			to->fds[to->n_fds++] = fd;
		else
			close(fd);
	}
}

/* Whether the rest of a message has taken too long; to be called whenever some of it has come. */
static bool is_late(struct mp_message *m)
{
	uint64_t now;

	if (!m->patience_s)
		return false;
	now = mp_monotonic_ns();
	if (!m->until_ns)
		m->until_ns = now + m->patience_s * 1000000000ull;
	return now > m->until_ns;
}

/* Receives `len` bytes of a message; descriptors may come with the first of them if `with_fds`. */
static int receive_all(int fd, void *data, size_t len, struct mp_message *to, bool with_fds)
{
	union control control;
	ssize_t n;

	while (len) {
		struct iovec part = { data, len };
		struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

		if (with_fds) {
			m.msg_control = control.bytes;
			m.msg_controllen = sizeof(control.bytes);
		}
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		if (with_fds)
			take_fds(&m, to);
		if (is_late(to))
			return -1;
		with_fds = false;
		data = (char *)data + n;
		len -= (size_t)n;
	}
	return 0;
}

int mp_message_receive(int fd, struct mp_message *m)
{
	struct head head;
	size_t piece;

	m->n_fds = 0;
	m->body.len = 0;
	m->until_ns = 0;
	if (receive_all(fd, &head, sizeof(head), m, true) < 0 || head.len > BODY_MAX)
		return -1;
	m->type = head.type;
	mp_buf_reserve(&m->body, 1);
	while (m->body.len < head.len) {
		piece = MP_MIN(head.len - m->body.len, MP_MAX(m->body.cap - m->body.len, PIECE));
		mp_buf_reserve(&m->body, piece);
		if (receive_all(fd, m->body.p + m->body.len, piece, m, false) < 0)
			return -1;
		m->body.len += piece;
	}
	return 0;
}

void mp_message_release(struct mp_message *m)
{
	mp_buf_release(&m->body);
}

/* --- bodies ----------------------------------------------------------------------------------- */

/* Whether everything was read, and nothing remains. */
static bool is_whole(const struct mp_cut_code *c)
{
	return !c->failed && !c->from.len;
}

static void code_request(struct mp_cut_code *c, struct mp_cut_place_request *r)
{
	mp_cut_code_text(c, (char **)&r->file);
	mp_cut_code_text(c, (char **)&r->what);
	MP_CUT_NUMBER(c, r->markers);
	MP_CUT_NUMBER(c, r->entry);
}

void mp_message_put_request(struct mp_buf *to, const struct mp_cut_place_request *request)
{
	struct mp_cut_place_request copy = *request;

	code_request(&(struct mp_cut_code){ .to = to }, &copy);
}

int mp_message_get_request(struct mp_str from, struct mp_cut_place_request *request)
{
	struct mp_cut_code c = { .from = from };

	*request = (struct mp_cut_place_request){ .file = NULL };
	code_request(&c, request);
	if (is_whole(&c) && request->file && request->what)
		return 0;
	free((char *)request->file);
	free((char *)request->what);
	return -1;
}

static void code_places(struct mp_cut_code *c, struct mp_cut_places *p, char **error)
{
	size_t i;

	mp_cut_code_text(c, error);
	mp_cut_code_text(c, &p->path);
	mp_cut_code_list(c, (void **)&p->v, &p->n, sizeof(*p->v));
	p->cap = p->n;
	for (i = 0; i < p->n; i++) {
		mp_cut_code_text(c, &p->v[i].provider);
		mp_cut_code_text(c, &p->v[i].name);
		mp_cut_code_text(c, &p->v[i].args);
		MP_CUT_NUMBER(c, p->v[i].offset);
		MP_CUT_NUMBER(c, p->v[i].semaphore);
	}
}

void mp_message_put_places(struct mp_buf *to, const struct mp_cut_places *places, const char *error)
{
	struct mp_cut_places copy = *places;

	code_places(&(struct mp_cut_code){ .to = to }, &copy, (char **)&error);
}

/* Whether a text can be part of a line that is written to tracefs. */
static bool is_part_of_line(const char *text)
{
	return !text || !strchr(text, '\n');
}

static bool are_places(const struct mp_cut_places *p, const char *file)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (!p->v[i].name || !is_part_of_line(p->v[i].name) ||
		    !is_part_of_line(p->v[i].provider) || !is_part_of_line(p->v[i].args))
			return false;
	return p->path && strcmp(p->path, file) == 0;
}

int mp_message_get_places(struct mp_str from, const char *file, struct mp_cut_places *places,
			  char **error)
{
	struct mp_cut_code c = { .from = from };

	*places = (struct mp_cut_places){ .n = 0 };
	*error = NULL;
	code_places(&c, places, error);
	if (is_whole(&c) && (*error || are_places(places, file)))
		return 0;
	mp_cut_places_release(places);
	free(*error);
	return -1;
}

void mp_message_put_number(struct mp_buf *to, uint64_t number)
{
	mp_cut_code_u64(&(struct mp_cut_code){ .to = to }, &number);
}

int mp_message_get_number(struct mp_str from, uint64_t *number)
{
	struct mp_cut_code c = { .from = from };

	mp_cut_code_u64(&c, number);
	return is_whole(&c) ? 0 : -1;
}

static void code_space(struct mp_cut_code *c, struct mp_cut_space *s)
{
	MP_CUT_NUMBER(c, s->pid);
	MP_CUT_NUMBER(c, s->time_ns);
	MP_CUT_NUMBER(c, s->number);
	MP_CUT_NUMBER(c, s->state);
	mp_cut_code_bytes(c, (void **)&s->v, &s->n, sizeof(*s->v));
}

void mp_message_put_space(struct mp_buf *to, const struct mp_cut_space *space)
{
	struct mp_cut_space copy = *space;

	code_space(&(struct mp_cut_code){ .to = to }, &copy);
}

static bool are_mappings(const struct mp_cut_mapping *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].start > v[i].end || v[i].file > FILES_MAX ||
		    (i && v[i].start < v[i - 1].end))
			return false;
	return true;
}

int mp_message_get_space(struct mp_str from, struct mp_cut_space *space)
{
	struct mp_cut_code c = { .from = from };

	*space = (struct mp_cut_space){ .n = 0 };
	code_space(&c, space);
	if (is_whole(&c) && space->number && are_mappings(space->v, space->n))
		return 0;
	free((void *)space->v);
	return -1;
}

void mp_message_put_rows(struct mp_buf *to, const struct mp_cut_rows *rows)
{
	struct mp_cut_rows copy = *rows;

	mp_cut_code_bytes(&(struct mp_cut_code){ .to = to }, (void **)&copy.v, &copy.n,
			  sizeof(*copy.v));
}

int mp_message_get_rows(struct mp_str from, struct mp_cut_rows *rows)
{
	struct mp_cut_code c = { .from = from };
	bool ordered = true;
	size_t i;

	mp_cut_code_bytes(&c, (void **)&rows->v, &rows->n, sizeof(*rows->v));
	for (i = 1; i < rows->n; i++)
		ordered &= rows->v[i].pc >= rows->v[i - 1].pc;
	if (is_whole(&c) && ordered)
		return 0;
	free(rows->v);
	return -1;
}

static void code_start(struct mp_cut_code *c, struct mp_message_start *s)
{
	MP_CUT_NUMBER(c, s->from_ns);
	mp_cut_code_text(c, &s->header);
	MP_CUT_NUMBER(c, s->again);
	MP_CUT_NUMBER(c, s->written);
	mp_cut_code_bytes(c, (void **)&s->avoided, &s->n_avoided, sizeof(*s->avoided));
}

void mp_message_put_start(struct mp_buf *to, const struct mp_message_start *start)
{
	struct mp_message_start copy = *start;

	code_start(&(struct mp_cut_code){ .to = to }, &copy);
}

int mp_message_get_start(struct mp_str from, struct mp_message_start *start)
{
	struct mp_cut_code c = { .from = from };

	*start = (struct mp_message_start){ .header = NULL };
	code_start(&c, start);
	if (is_whole(&c) && start->header)
		return 0;
	free(start->header);
	free(start->avoided);
	return -1;
}

static void code_alive(struct mp_cut_code *c, struct mp_message_alive *a)
{
	MP_CUT_NUMBER(c, a->written);
	MP_CUT_NUMBER(c, a->lost);
}

void mp_message_put_alive(struct mp_buf *to, const struct mp_message_alive *alive)
{
	struct mp_message_alive copy = *alive;

	code_alive(&(struct mp_cut_code){ .to = to }, &copy);
}

int mp_message_get_alive(struct mp_str from, struct mp_message_alive *alive)
{
	struct mp_cut_code c = { .from = from };

	*alive = (struct mp_message_alive){ .written = 0 };
	code_alive(&c, alive);
	return is_whole(&c) ? 0 : -1;
}

static void code_done(struct mp_cut_code *c, struct mp_message_done *d)
{
	MP_CUT_NUMBER(c, d->error);
	MP_CUT_NUMBER(c, d->lossy);
}

void mp_message_put_done(struct mp_buf *to, const struct mp_message_done *done)
{
	struct mp_message_done copy = *done;

	code_done(&(struct mp_cut_code){ .to = to }, &copy);
}

int mp_message_get_done(struct mp_str from, struct mp_message_done *done)
{
	struct mp_cut_code c = { .from = from };

	*done = (struct mp_message_done){ .error = 0 };
	code_done(&c, done);
	return is_whole(&c) ? 0 : -1;
}
