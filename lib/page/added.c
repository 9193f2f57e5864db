// SPDX-License-Identifier: GPL-2.0-only
#include "lib/page/added.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/draw/packed.h"
#include "lib/draw/svg.h"

enum { STEP = 1 << 16 };

/* Reads the whole file, or one byte more than it may have. */
static void read_file(struct mp_buf *to, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;

	if (fd < 0)
		mp_die("cannot open '%s': %m", path);
	while (n && to->len <= MP_PAGE_ADDED_MAX) {
		mp_buf_reserve(to, STEP);
		n = read(fd, to->p + to->len, MP_MIN(STEP, MP_PAGE_ADDED_MAX + 1 - (int)to->len));
		if (n < 0 && errno != EINTR)
			mp_die("cannot read '%s': %m", path);
		to->len += MP_MAX(n, 0);
	}
	close(fd);
}

/* The "=" before the title: the first one, unless only a longer text is the name of a file. */
static const char *find_title(const char *arg)
{
	const char *first = strchr(arg, '='), *equals;

	for (equals = first; equals; equals = strchr(equals + 1, '=')) {
		char *path = mp_strndup(arg, equals - arg);
		bool is_file = access(path, F_OK) == 0;

		free(path);
		if (is_file)
			return equals;
	}
	return access(arg, F_OK) == 0 ? NULL : first;
}

int mp_page_added_read(struct mp_page_added *a, const char *arg, bool beside)
{
	const char *equals = find_title(arg);
	char *path = mp_strndup(arg, equals ? (size_t)(equals - arg) : strlen(arg));
	struct mp_page_part part = { .title = mp_str(equals ? equals + 1 : arg), .beside = beside };
	bool fits;

	read_file(&part.content, path);
	fits = part.content.len <= MP_PAGE_ADDED_MAX;
	if (fits) {
		part.media = mp_media_of(mp_buf_view(&part.content));
		a->v = mp_grow(a->v, &a->cap, a->n + 1, sizeof(*a->v));
		a->v[a->n++] = part;
	} else {
		mp_say("'%s' has more than %d MiB and is not on the page", part.title.p,
		       MP_PAGE_ADDED_MAX >> 20);
		mp_buf_release(&part.content);
	}
	free(path);
	return fits ? 0 : -1;
}

void mp_page_added_release(struct mp_page_added *a)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		mp_buf_release(&a->v[i].content);
	free(a->v);
}

void mp_page_added_data(struct mp_buf *to, const struct mp_page_added *a)
{
	size_t i;

	for (i = 0; i < a->n; i++) {
		mp_buf_printf(to, "<script type=\"text/plain\" id=\"added-%zu\">", i);
		mp_packed_put(to, mp_buf_view(&a->v[i].content));
		mp_buf_str(to, MP_STR("</script>\n"));
	}
}

void mp_page_added_list(struct mp_buf *to, const struct mp_page_added *a)
{
	static const char *const types[] = {
		[MP_MEDIA_TEXT] = "",
		[MP_MEDIA_HTML] = "text/html",
		[MP_MEDIA_SVG] = "image/svg+xml",
	};
	size_t i;

	mp_buf_byte(to, '[');
	for (i = 0; i < a->n; i++) {
		mp_buf_printf(to, "{type:\"%s\",size:%zu,beside:%s,title:", types[a->v[i].media],
			      a->v[i].content.len, i && a->v[i].beside ? "true" : "false");
		mp_svg_json(to, a->v[i].title);
		mp_buf_str(to, MP_STR("},"));
	}
	mp_buf_byte(to, ']');
}
