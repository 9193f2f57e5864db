// SPDX-License-Identifier: GPL-2.0-only
/* Messages between the collector and the writer: what is sent arrives, and what is wrong is refused. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/capture/session/message.h"
#include "tests/unit/tap.h"

static struct mp_buf bytes;

static struct mp_str written(void)
{
	struct mp_str all = mp_buf_view(&bytes);

	bytes.len = 0; /* for the next one; the bytes stay until then */
	return all;
}

static void test_socket(void)
{
	const int fds[MP_MESSAGE_FDS] = { 0, 1, 2, 2 };
	struct mp_message m = { .type = 0 };
	uint32_t head[2] = { MP_MESSAGE_ROWS, UINT32_MAX };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		abort();
	ok(mp_message_send(pair[0], MP_MESSAGE_PLAN, MP_STR("body"), fds, MP_MESSAGE_FDS) == 0 &&
		   mp_message_send(pair[0], MP_MESSAGE_STOP, MP_STR(""), NULL, 0) == 0 &&
		   mp_message_receive(pair[1], &m) == 0 && m.type == MP_MESSAGE_PLAN &&
		   mp_str_eq(mp_buf_view(&m.body), MP_STR("body")),
	   "a body");
	ok(m.n_fds == MP_MESSAGE_FDS && fcntl(m.fds[2], F_GETFD) == FD_CLOEXEC, "its descriptors");
	ok(mp_message_receive(pair[1], &m) == 0 && m.type == MP_MESSAGE_STOP && !m.body.len &&
		   !m.n_fds,
	   "no body");
	ok(write(pair[0], head, sizeof(head)) == sizeof(head) &&
		   mp_message_receive(pair[1], &m) < 0,
	   "a body of 4 GiB is refused");
	close(pair[0]);
	ok(mp_message_receive(pair[1], &m) < 0 &&
		   mp_message_send(pair[1], MP_MESSAGE_STOP, MP_STR(""), NULL, 0) < 0,
	   "the other side has ended");
	close(pair[1]);
	mp_message_release(&m);
}

/* Sends one descriptor too many with an empty message, which mp_message_send() does not. */
static void send_too_many(int fd)
{
	const int fds[MP_MESSAGE_FDS + 1] = { 0, 1, 2, 2, 2 };
	uint32_t head[2] = { MP_MESSAGE_STOP, 0 };
	union {
		char bytes[CMSG_SPACE(sizeof(fds))];
		struct cmsghdr align;
	} control = { .bytes = "" };
	struct iovec part = { head, sizeof(head) };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	if (sendmsg(fd, &m, 0) < 0)
		abort();
}

static void test_descriptors(void)
{
	struct mp_message m = { .type = 0 };
	int pair[2], next;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		abort();
	send_too_many(pair[0]);
	ok(mp_message_receive(pair[1], &m) == 0 && m.n_fds == MP_MESSAGE_FDS,
	   "of too many descriptors, those for which there is room");
	next = dup(0);
	ok(next == m.fds[MP_MESSAGE_FDS - 1] + 1, "the others are closed");
	close(next);
	while (m.n_fds)
		close(m.fds[--m.n_fds]);
	close(pair[0]);
	close(pair[1]);
	mp_message_release(&m);
}

/* Sends the bytes of a message one by one, each in time. */
static void test_patience(void)
{
	const uint32_t head[2] = { MP_MESSAGE_STOP, 1 << 20 };
	struct mp_message m = { .patience_s = 1 };
	size_t sent = sizeof(head);
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ||
	    write(pair[0], head, sizeof(head)) != sizeof(head))
		abort();
	pid = fork();
	if (pid == 0) {
		close(pair[1]);
		while (sent++ < 1 << 20 && send(pair[0], "x", 1, MSG_NOSIGNAL) == 1)
			usleep(10000);
		_exit(0);
	}
	ok(mp_message_receive(pair[1], &m) < 0, "a message that comes byte by byte is refused");
	close(pair[1]);
	waitpid(pid, NULL, 0);
	close(pair[0]);
	mp_message_release(&m);
}

static void test_places(void)
{
	const struct mp_cut_place_request asked = { "/bin/x", "main", true, false };
	struct mp_cut_place place = { (char *)"p", (char *)"n", 5, 6, (char *)" arg1=%di:u64" };
	struct mp_cut_places places = { (char *)"/bin/x", &place, 1, 1 }, got;
	struct mp_cut_place_request request;
	char *error;

	mp_message_put_request(&bytes, &asked);
	ok(mp_message_get_request(written(), &request) == 0 && strcmp(request.what, "main") == 0 &&
		   request.markers && !request.entry,
	   "a request for places");
	free((char *)request.file);
	free((char *)request.what);
	mp_message_put_places(&bytes, &places, NULL);
	ok(mp_message_get_places(written(), "/bin/x", &got, &error) == 0 && !error && got.n == 1 &&
		   got.v[0].offset == 5 && strcmp(got.v[0].args, place.args) == 0,
	   "its answer");
	mp_cut_places_release(&got);
	mp_message_put_places(&bytes, &(struct mp_cut_places){ .n = 0 }, "no such file");
	ok(mp_message_get_places(written(), "/bin/x", &got, &error) == 0 &&
		   strcmp(error, "no such file") == 0,
	   "an error");
	mp_cut_places_release(&got);
	free(error);
	place.args = (char *)" arg1=%di:u64\np:x y";
	mp_message_put_places(&bytes, &places, NULL);
	ok(mp_message_get_places(written(), "/bin/x", &got, &error) < 0,
	   "a line in the arguments is refused");
	place.args = NULL;
	place.name = (char *)"n\np:x y";
	mp_message_put_places(&bytes, &places, NULL);
	ok(mp_message_get_places(written(), "/bin/x", &got, &error) < 0, "a line in the name, too");
	place.name = (char *)"n";
	places.path = (char *)"/bin/y";
	mp_message_put_places(&bytes, &places, NULL);
	ok(mp_message_get_places(written(), "/bin/x", &got, &error) < 0,
	   "and places of another file");
}

static bool space_is_read(struct mp_cut_mapping *v, size_t n)
{
	const struct mp_cut_space space = { 7, 8, 9, 10, v, n };
	struct mp_cut_space got;

	mp_message_put_space(&bytes, &space);
	if (mp_message_get_space(written(), &got) < 0)
		return false;
	free((void *)got.v);
	return got.pid == 7 && got.time_ns == 8 && got.number == 9 && got.state == 10 && got.n == n;
}

static void test_spaces(void)
{
	struct mp_cut_mapping v[2] = { { 1, 2, 0, 1 }, { 2, 3, 0, 2 } };
	struct mp_cut_space got;

	ok(space_is_read(v, 2) && space_is_read(NULL, 0), "mappings");
	v[1].start = 0;
	ok(!space_is_read(v, 2), "in another order they are refused");
	v[1] = (struct mp_cut_mapping){ 9, 8, 0, 0 };
	ok(!space_is_read(v, 2), "one that ends before it begins, too");
	v[1] = (struct mp_cut_mapping){ 8, 9, 0, UINT32_MAX };
	ok(!space_is_read(v, 2), "and the number of a file that takes much memory");
	v[1] = (struct mp_cut_mapping){ 1, 3, 0, 0 };
	ok(!space_is_read(v, 2), "and one that overlaps with the preceding one");
	mp_message_put_space(&bytes, &(struct mp_cut_space){ .pid = 7 });
	ok(mp_message_get_space(written(), &got) < 0, "the address space has a number");
}

static bool rows_are_read(struct mp_bpf_row *v, size_t n)
{
	struct mp_cut_rows got;

	mp_message_put_rows(&bytes, &(struct mp_cut_rows){ v, n });
	if (mp_message_get_rows(written(), &got) < 0)
		return false;
	free(got.v);
	return got.n == n;
}

static void test_rows(void)
{
	struct mp_bpf_row v[2] = { { .pc = 4 }, { .pc = 8 } };

	ok(rows_are_read(v, 2) && rows_are_read(NULL, 0), "rows");
	v[1].pc = 3;
	ok(!rows_are_read(v, 2), "in another order they are refused");
}

static void test_rest(void)
{
	const struct mp_message_done end = { .error = 32, .lossy = true };
	struct mp_work_step step = { .uid = 1000, .file = "/x" };
	struct mp_message_start start = {
		.from_ns = 5,
		.header = (char *)"{}",
		.again = true,
		.written = 7,
		.avoided = &step,
		.n_avoided = 1,
	};
	const struct mp_message_alive alive = { 3, 1 };
	struct mp_message_alive got = { .written = 0 };
	struct mp_message_done done;
	uint64_t number;

	mp_message_put_number(&bytes, UINT64_MAX);
	ok(mp_message_get_number(written(), &number) == 0 && number == UINT64_MAX &&
		   mp_message_get_number(MP_STR("1234567"), &number) < 0,
	   "a number of 8 bytes");
	mp_message_put_start(&bytes, &start);
	ok(mp_message_get_start(written(), &start) == 0 && start.from_ns == 5 &&
		   strcmp(start.header, "{}") == 0 && start.again && start.written == 7 &&
		   start.n_avoided == 1 && memcmp(start.avoided, &step, sizeof(step)) == 0,
	   "the start");
	free(start.header);
	free(start.avoided);
	mp_message_put_alive(&bytes, &alive);
	ok(mp_message_get_alive(written(), &got) == 0 && got.written == 3 && got.lost == 1,
	   "the number of events so far");
	mp_message_put_done(&bytes, &end);
	ok(mp_message_get_done(written(), &done) == 0 && done.error == 32 && done.lossy, "the end");
	mp_message_put_number(&bytes, 0);
	mp_message_put_number(&bytes, 2);
	ok(mp_message_get_done(written(), &done) < 0, "a truth value of 2 is refused");
}

int main(void)
{
	mp_init("unit-message");
	test_socket();
	test_descriptors();
	test_patience();
	test_places();
	test_spaces();
	test_rows();
	test_rest();
	mp_buf_release(&bytes);
	return tap_done();
}
