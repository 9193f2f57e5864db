// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/core/clock.h"

enum {
	COLUMNS = 80, /* of a terminal that does not know its size */
	ROWS = 24,
	COST = 10, /* pictures take at most one part in this many of the time */
};

void mp_screen_init(struct mp_screen *s, struct mp_out *out)
{
	*s = (struct mp_screen){ .out = out };
}

void mp_screen_size(const struct mp_screen *s, size_t *columns, size_t *rows)
{
	struct winsize size = { .ws_col = 0 };

	ioctl(s->out->fd, TIOCGWINSZ, &size);
	*columns = MP_MAX(size.ws_col ? size.ws_col : COLUMNS, 2) - 1;
	*rows = MP_MAX(size.ws_row ? size.ws_row : ROWS, 2) - 1;
}

void mp_screen_cut(struct mp_buf *to, struct mp_str text, size_t columns, bool pad)
{
	size_t i = 0, end, width;

	while (i < text.len) {
		width = (unsigned char)text.p[i] < 0xe1 ? 1 : 2;
		if (width > columns)
			break;
		columns -= width;
		for (end = i + 1; end < text.len && (text.p[end] & 0xc0) == 0x80;)
			end++;
		i = end;
	}
	mp_buf_add(to, text.p, i);
	if (pad && columns)
		mp_buf_printf(to, "%*s", (int)columns, "");
}

/*
 * Clears the picture. Where the width of the terminal has changed, nobody knows how many of its
 * lines the picture has now: clears all of it.
 */
static void add_clear(struct mp_buf *to, struct mp_screen *s, size_t columns)
{
	if (s->height && s->columns != columns)
		mp_buf_str(to, MP_STR("\033[H\033[J"));
	else if (s->height)
		mp_buf_printf(to, "\r\033[%zuA\033[J", s->height);
	s->height = 0;
	s->columns = columns;
}

static void add_lines(struct mp_buf *to, struct mp_screen *s, struct mp_str text, size_t rows)
{
	const char *lf;

	for (; text.len && s->height < rows; s->height++) {
		lf = memchr(text.p, '\n', text.len);
		if (!lf)
			lf = text.p + text.len;
		mp_screen_cut(to, (struct mp_str){ text.p, lf - text.p }, s->columns, false);
		mp_buf_byte(to, '\n');
		text.len -= MP_MIN((size_t)(lf + 1 - text.p), text.len);
		text.p = lf + 1;
	}
}

void mp_screen_show(struct mp_screen *s, struct mp_str text)
{
	struct mp_buf b = { NULL, 0, 0 };
	size_t columns, rows;

	mp_screen_size(s, &columns, &rows);
	add_clear(&b, s, columns);
	add_lines(&b, s, text, rows);
	mp_out_write(s->out, b.p, b.len);
	mp_out_flush(s->out);
	mp_buf_release(&b);
}

static void refresh(struct mp_screen *s)
{
	uint64_t before = mp_monotonic_ns(), now;
	size_t columns, rows;
	struct mp_out text;

	mp_out_memory(&text);
	mp_screen_size(s, &columns, &rows);
	s->draw(s->arg, &text, columns, rows);
	mp_screen_show(s, (struct mp_str){ text.buf, text.len });
	mp_out_close(&text);
	now = mp_monotonic_ns();
	s->next_ns = now + MP_MAX(s->every_ns, (now - before) * COST);
}

/* Shows pictures until a read of `fd` need not wait. */
static void wait_for_input(void *arg, int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct mp_screen *s = arg;
	uint64_t now;

	for (;;) {
		now = mp_monotonic_ns();
		if (now >= s->next_ns) {
			refresh(s);
			now = mp_monotonic_ns();
		}
		/* rounds up, or it would poll again and again in the last millisecond */
		if (poll(&pfd, 1, now >= s->next_ns ? 0 : (int)((s->next_ns - now) / 1000000 + 1)) >
		    0)
			return;
	}
}

static void say(void *arg, const char *text)
{
	struct mp_screen *s = arg;

	mp_screen_show(s, MP_STR(""));
	mp_say_by(NULL, NULL);
	mp_say("%s", text);
	mp_say_by(say, s);
}

void mp_screen_begin(struct mp_screen *s, uint64_t every_ns,
		     void (*draw)(void *arg, struct mp_out *to, size_t columns, size_t rows),
		     void *arg)
{
	if (!isatty(s->out->fd))
		mp_usage("--live needs a terminal as standard output");
	s->draw = draw;
	s->arg = arg;
	s->every_ns = MP_MIN(every_ns, (uint64_t)INT32_MAX * 1000);
	s->next_ns = mp_monotonic_ns() + s->every_ns;
	s->out->before_read = wait_for_input;
	s->out->before_read_arg = s;
	mp_say_by(say, s);
}

void mp_screen_end(struct mp_screen *s)
{
	s->out->before_read = NULL;
	mp_say_by(NULL, NULL);
	if (s->height)
		mp_out_write(s->out, "\n", 1);
	s->height = 0;
}
