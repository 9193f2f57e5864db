// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recordings/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/core/io.h"
#include "lib/definition/definition.h"

enum { KEEP = 30, KEEP_DAYS = 30, KEEP_MAX = 100000, DAYS_MAX = 36500 };

#define DAY_NS (86400 * MP_NS_PER_SEC)

static uint64_t number(const char *place, struct mp_str value, uint64_t max)
{
	uint64_t v;

	if (mp_num_u64(value, &v) < 0 || v < 1 || v > max)
		mp_die("%s: not a number from 1 to %llu: '%.*s'", place, (unsigned long long)max,
		       MP_STR_ARGS(value));
	return v;
}

static bool yes(const char *place, struct mp_str value)
{
	if (!mp_str_eq(value, MP_STR("yes")) && !mp_str_eq(value, MP_STR("no")))
		mp_die("%s: not yes or no: '%.*s'", place, MP_STR_ARGS(value));
	return mp_str_eq(value, MP_STR("yes"));
}

static void set_shown(struct mp_config *c, struct mp_str collector, struct mp_str value)
{
	char **shown = mp_map_value(mp_map_put(&c->shown, &collector, 1, NULL));

	free(*shown);
	*shown = mp_strndup(value.p, value.len);
}

static void set(struct mp_config *c, const char *place, struct mp_str key, struct mp_str value)
{
	const struct mp_str show = MP_STR("show.");

	if (mp_str_eq(key, MP_STR("keep"))) {
		c->keep = number(place, value, KEEP_MAX);
	} else if (mp_str_eq(key, MP_STR("keep-days"))) {
		c->keep_ns = number(place, value, DAYS_MAX) * DAY_NS;
	} else if (mp_str_eq(key, MP_STR("open"))) {
		c->open = yes(place, value);
	} else if (mp_str_eq(key, MP_STR("as"))) {
		free(c->as);
		c->as = mp_strndup(value.p, value.len);
	} else if (mp_str_starts(key, show) && key.len > show.len) {
		set_shown(c, mp_str_skip(key, show.len), value);
	} else {
		mp_die("%s: no such key '%.*s' (as, keep, keep-days, open, show.COLLECTOR)", place,
		       MP_STR_ARGS(key));
	}
}

static void read_lines(struct mp_config *c, struct mp_in *in)
{
	struct mp_str key, value;
	const char *why;
	char *text, *place;
	size_t len;
	int found;

	while (mp_in_line(in, &text, &len)) {
		found = mp_definition_line((struct mp_str){ text, len }, &key, &value, &why);
		place = mp_asprintf("%s:%llu", in->name, (unsigned long long)in->line);
		if (found < 0)
			mp_die("%s: %s '%s'", place, why, text);
		if (found)
			set(c, place, key, value);
		free(place);
	}
}

void mp_config_read(struct mp_config *c)
{
	char *path = mp_definition_config("show");
	struct mp_in in;
	int fd;

	*c = (struct mp_config){ .keep = KEEP, .keep_ns = KEEP_DAYS * DAY_NS };
	mp_map_init(&c->shown, sizeof(char *));
	fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd >= 0) {
		mp_in_init(&in, fd, path, NULL);
		read_lines(c, &in);
		mp_in_release(&in);
		close(fd);
	} else if (path && errno != ENOENT && errno != ENOTDIR) {
		mp_say("cannot read '%s': %m", path);
	}
	free(path);
}

void mp_config_release(struct mp_config *c)
{
	const struct mp_map_entry *e;

	for (e = c->shown.first; e; e = e->next)
		free(*(char **)mp_map_value(e));
	mp_map_release(&c->shown);
	free(c->as);
}

const char *mp_config_shown(const struct mp_config *c, struct mp_str collector)
{
	const struct mp_map_entry *e = mp_map_find(&c->shown, &collector, 1);

	return e ? *(char **)mp_map_value(e) : NULL;
}
