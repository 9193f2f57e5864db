// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of both directions: the first byte says whether the rest is sent over a socket, or is a
 * body, and of which type. A body is refused, or becomes a struct that has the same bytes, and of
 * which everything holds that message.h promises.
 */
#include "lib/capture/session/message.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mp_buf again;

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void try_socket(struct mp_str bytes)
{
	struct mp_message m = { .type = 0 };
	int pair[2], enough = 1 << 20;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		abort();
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &enough, sizeof(enough));
	check(send(pair[0], bytes.p, bytes.len, 0) == (ssize_t)bytes.len);
	close(pair[0]);
	while (mp_message_receive(pair[1], &m) == 0)
		check(m.body.len <= bytes.len && !m.n_fds);
	mp_message_release(&m);
	close(pair[1]);
}

static void try_request(struct mp_str from)
{
	struct mp_cut_place_request r;

	if (mp_message_get_request(from, &r) < 0)
		return;
	check(r.file && r.what);
	mp_message_put_request(&again, &r);
	free((char *)r.file);
	free((char *)r.what);
}

static void try_places(struct mp_str from)
{
	struct mp_cut_places p;
	char *error;
	size_t i;

	if (mp_message_get_places(from, "/bin/x", &p, &error) < 0)
		return;
	check(error || strcmp(p.path, "/bin/x") == 0);
	for (i = 0; i < p.n && !error; i++)
		check(p.v[i].name && !strchr(p.v[i].name, '\n'));
	mp_message_put_places(&again, &p, error);
	mp_cut_places_release(&p);
	free(error);
}

static void try_number(struct mp_str from)
{
	uint64_t number;

	if (mp_message_get_number(from, &number) == 0)
		mp_message_put_number(&again, number);
}

static void try_space(struct mp_str from)
{
	struct mp_cut_space s;
	size_t i;

	if (mp_message_get_space(from, &s) < 0)
		return;
	check(s.number);
	for (i = 0; i < s.n; i++)
		check(s.v[i].start <= s.v[i].end && (!i || s.v[i].start >= s.v[i - 1].end) &&
		      s.v[i].file <= 1 << 20);
	mp_message_put_space(&again, &s);
	free((void *)s.v);
}

static void try_rows(struct mp_str from)
{
	struct mp_cut_rows rows;
	size_t i;

	if (mp_message_get_rows(from, &rows) < 0)
		return;
	for (i = 1; i < rows.n; i++)
		check(rows.v[i].pc >= rows.v[i - 1].pc);
	mp_message_put_rows(&again, &rows);
	free(rows.v);
}

static void try_start(struct mp_str from)
{
	struct mp_message_start s;

	if (mp_message_get_start(from, &s) < 0)
		return;
	check(s.header);
	mp_message_put_start(&again, &s);
	free(s.header);
	free(s.avoided);
}

static void try_alive(struct mp_str from)
{
	struct mp_message_alive a;

	if (mp_message_get_alive(from, &a) == 0)
		mp_message_put_alive(&again, &a);
}

static void try_done(struct mp_str from)
{
	struct mp_message_done d;

	if (mp_message_get_done(from, &d) == 0)
		mp_message_put_done(&again, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(struct mp_str) = { try_socket, try_request, try_places,
							try_number, try_space,	 try_rows,
							try_start,  try_alive,	 try_done };
	struct mp_str body = { (const char *)data + 1, size - 1 };

	if (size == 0)
		return 0;
	again.len = 0;
	tries[data[0] % MP_ARRAY_SIZE(tries)](body);
	check(!again.len || mp_str_eq(mp_buf_view(&again), body));
	mp_buf_release(&again);
	return 0;
}
