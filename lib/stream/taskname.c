// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/taskname.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/io.h"
#include "lib/stream/esc.h"
#include "lib/stream/glob.h"

enum {
	COLUMNS_MAX = 8,
	REPORTED_MAX = 5,
	NAMES_MAX = 8, /* the most tasks that one event names */
};

struct mp_tasknames_row {
	const char *pattern; /* a glob over the raw old name */
	struct mp_str name;  /* raw */
};

/*
 * the columns of perfwhiz's table:
 * tid,libvirt-name,task-system-type,uuid,group-type,group-id,task-name
 */
enum { TID, LIBVIRT_NAME, SYSTEM_TYPE, UUID, GROUP_TYPE, GROUP_ID, TASK_NAME, PERFWHIZ_COLUMNS };

void mp_tasknames_init(struct mp_tasknames *n)
{
	*n = (struct mp_tasknames){ .merge_system = false };
	mp_map_init(&n->by_tid, sizeof(struct mp_str));
	mp_map_init(&n->known, sizeof(struct mp_str));
}

void mp_tasknames_release(struct mp_tasknames *n)
{
	free(n->rows);
	mp_map_release(&n->by_tid);
	mp_map_release(&n->known);
	mp_arena_release(&n->texts);
	mp_buf_release(&n->table);
}

/*
 * Splits the next column of a CSV row (RFC 4180) off `*rest`, and adds it to `to`. Returns false if
 * a quote is not closed.
 */
static bool next_column(struct mp_str *rest, struct mp_buf *to)
{
	bool quoted = rest->len && rest->p[0] == '"';
	size_t i;

	for (i = quoted; i < rest->len; i++) {
		if (quoted && rest->p[i] == '"') {
			if (i + 1 < rest->len && rest->p[i + 1] == '"')
				i++; /* two quotes within quotes are one quote */
			else {
				quoted = false;
				continue;
			}
		} else if (!quoted && rest->p[i] == ',') {
			break;
		}
		mp_buf_byte(to, rest->p[i]);
	}
	rest->p += MP_MIN(i, rest->len);
	rest->len -= MP_MIN(i, rest->len);
	return !quoted;
}

/*
 * Splits a row into columns, in `buf`. Returns how many there are, at most COLUMNS_MAX, or -1 if a
 * quote is not closed.
 */
static int split(struct mp_str row, struct mp_str *columns, struct mp_buf *buf)
{
	size_t starts[COLUMNS_MAX + 1], n = 0, i;

	buf->len = 0;
	for (;;) {
		starts[n++] = buf->len;
		if (!next_column(&row, buf))
			return -1;
		if (!row.len || n == COLUMNS_MAX)
			break;
		row.p++, row.len--; /* skip the comma */
	}
	starts[n] = buf->len;
	for (i = 0; i < n; i++)
		columns[i] = mp_str_trim((struct mp_str){ mp_buf_view(buf).p + starts[i],
							  starts[i + 1] - starts[i] });
	return (int)n;
}

/* TASK-NAME.GROUP.TYPE: the group with two digits if it is a number; empty parts are omitted. */
static struct mp_str perfwhiz_name(struct mp_tasknames *n, const struct mp_str *c)
{
	struct mp_buf name = { NULL, 0, 0 };
	struct mp_str kept;
	uint64_t group;

	mp_buf_str(&name, c[TASK_NAME].len ? c[TASK_NAME] : c[LIBVIRT_NAME]);
	if (mp_num_u64(c[GROUP_ID], &group) == 0)
		mp_buf_printf(&name, ".%02llu", (unsigned long long)group);
	else if (c[GROUP_ID].len)
		mp_buf_printf(&name, ".%.*s", MP_STR_ARGS(c[GROUP_ID]));
	if (c[SYSTEM_TYPE].len)
		mp_buf_printf(&name, ".%.*s", MP_STR_ARGS(c[SYSTEM_TYPE]));
	kept = mp_arena_str(&n->texts, mp_buf_view(&name));
	mp_buf_release(&name);
	return kept;
}

static const char *add_tid(struct mp_tasknames *n, const struct mp_str *c)
{
	struct mp_str key;
	char number[MP_NUM_MAX];
	uint64_t tid;

	if (mp_num_u64(c[TID], &tid) < 0)
		return mp_str_eq(c[TID], MP_STR("tid")) ? NULL : "tid is not a number";
	if (!c[TASK_NAME].len && !c[LIBVIRT_NAME].len)
		return "row without a name";
	key = (struct mp_str){ number, mp_put_u64(number, tid) - number };
	*(struct mp_str *)mp_map_value(mp_map_put(&n->by_tid, &key, 1, NULL)) = perfwhiz_name(n, c);
	return NULL;
}

static const char *add_pattern(struct mp_tasknames *n, const struct mp_str *c)
{
	if (!c[0].len || !c[1].len)
		return "row without a pattern or without a name";
	if (memchr(c[0].p, '\0', c[0].len))
		return "pattern with a NUL byte";
	n->rows = mp_grow(n->rows, &n->cap_rows, n->n_rows + 1, sizeof(*n->rows));
	n->rows[n->n_rows++] = (struct mp_tasknames_row){
		mp_arena_str(&n->texts, c[0]).p,
		mp_arena_str(&n->texts, c[1]),
	};
	return NULL;
}

const char *mp_tasknames_row(struct mp_tasknames *n, struct mp_str row)
{
	const char *why = "row needs 2 columns (pattern,name) or 7 (tid,...,task-name)";
	struct mp_str columns[COLUMNS_MAX];
	struct mp_buf buf = { NULL, 0, 0 };

	row = mp_str_trim(row);
	if (!row.len || row.p[0] == '#')
		return NULL;
	switch (split(row, columns, &buf)) {
	case PERFWHIZ_COLUMNS:
		why = add_tid(n, columns);
		break;
	case 2:
		why = add_pattern(n, columns);
		break;
	case -1:
		why = "quote is not closed";
		break;
	}
	mp_buf_release(&buf);
	return why;
}

void mp_tasknames_load(struct mp_tasknames *n, const char *path)
{
	struct mp_in in;
	const char *why;
	char *text;
	size_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		mp_die("cannot open '%s': %m", path);
	mp_in_init(&in, fd, path, NULL);
	while (mp_in_line(&in, &text, &len)) {
		why = in.overlong ? "line longer than 1 MiB"
				  : mp_tasknames_row(n, (struct mp_str){ text, len });
		if (why && n->bad++ < REPORTED_MAX)
			mp_say("%s:%llu: %s", path, (unsigned long long)in.line, why);
		if (why)
			continue;
		mp_buf_add(&n->table, text, len);
		mp_buf_byte(&n->table, '\n');
	}
	if (mp_in_fault(&in)) {
		n->bad++;
		mp_say("%s: %s", path, mp_in_fault(&in));
	}
	mp_in_release(&in);
	close(fd);
}

/* The length of a kernel thread's name without its CPU and number: "kworker/0:1H" to "kworker". */
static size_t system_len(struct mp_str name)
{
	static const char *const slashed[] = {
		"swapper",     "ksoftirqd", "kworker",	   "migration",	   "cpuhp",   "watchdog",
		"idle_inject", "rcuop",	    "rcuos",	   "rcuog",	   "rcuob",   "rcuc",
		"rcub",	       "irq_work",  "posixcputmr", "backlog_napi", "ktimers", "stopper",
	};
	static const char *const numbered[] = { "kswapd", "kcompactd", "kdamond." };
	size_t i, len;

	for (i = 0; i < MP_ARRAY_SIZE(slashed); i++) {
		len = strlen(slashed[i]);
		if (name.len > len && name.p[len] == '/' && memcmp(name.p, slashed[i], len) == 0)
			return len;
	}
	for (i = 0; i < MP_ARRAY_SIZE(numbered); i++) {
		len = strlen(numbered[i]);
		if (name.len > len && isdigit((unsigned char)name.p[len]) &&
		    memcmp(name.p, numbered[i], len) == 0)
			return len - (name.p[len - 1] == '.');
	}
	return name.len;
}

/* The name that the table gives to a task; raw. `old` is raw and ends with NUL. */
static struct mp_str table_name(const struct mp_tasknames *n, struct mp_str tid, struct mp_str old)
{
	const struct mp_map_entry *e = tid.p ? mp_map_find(&n->by_tid, &tid, 1) : NULL;
	size_t i;

	if (e)
		return *(struct mp_str *)mp_map_value(e);
	for (i = 0; i < n->n_rows; i++)
		if (mp_glob_plain(n->rows[i].pattern, old.p))
			return n->rows[i].name;
	if (n->merge_system)
		old.len = system_len(old);
	return old;
}

static struct mp_str make_name(struct mp_tasknames *n, struct mp_str tid, struct mp_str old)
{
	struct mp_buf raw = { NULL, 0, 0 }, text = { NULL, 0, 0 };
	struct mp_str kept = old;

	if (mp_esc_undo(&raw, old) == 0) {
		mp_buf_byte(&raw, '\0');
		mp_esc_add(&text, table_name(n, tid, (struct mp_str){ raw.p, raw.len - 1 }),
			   MP_ESC_VALUE);
		if (n->append_tid && tid.p && !mp_str_eq(tid, MP_STR("0")))
			mp_buf_printf(&text, ":%.*s", MP_STR_ARGS(tid));
		kept = mp_buf_view(&text);
	}
	kept = mp_arena_str(&n->texts, kept);
	mp_buf_release(&raw);
	mp_buf_release(&text);
	return kept;
}

struct mp_str mp_tasknames_name(struct mp_tasknames *n, struct mp_str tid, struct mp_str old)
{
	struct mp_str parts[2] = { tid.p ? tid : MP_STR(""), old };
	struct mp_map_entry *e;
	bool fresh;

	e = mp_map_put(&n->known, parts, 2, &fresh);
	if (fresh)
		*(struct mp_str *)mp_map_value(e) = make_name(n, tid, old);
	return *(struct mp_str *)mp_map_value(e);
}

/* The name of a task in a line, and its tid. */
struct found {
	struct mp_str prefix, name, tid;
};

static bool ends_in(struct mp_str key, const char *end3_or_4, struct mp_str *prefix)
{
	size_t len = strlen(end3_or_4);

	if (key.len < len || memcmp(key.p + key.len - len, end3_or_4, len) != 0)
		return false;
	*prefix = (struct mp_str){ key.p, key.len - len };
	return true;
}

static size_t find_names(struct mp_str body, struct found *found)
{
	struct mp_str rest = body, key, value, prefix;
	size_t n = 0, i;

	while (mp_rec_next_field(&rest, &key, &value) && n < NAMES_MAX)
		if (ends_in(key, "comm", &prefix))
			found[n++] = (struct found){ prefix, value, { NULL, 0 } };
	rest = body;
	while (n && mp_rec_next_field(&rest, &key, &value)) {
		bool tid = ends_in(key, "tid", &prefix);

		if (!tid && !ends_in(key, "pid", &prefix))
			continue;
		for (i = 0; i < n; i++)
			if (mp_str_eq(found[i].prefix, prefix) && (tid || !found[i].tid.p))
				found[i].tid = value;
	}
	return n;
}

struct mp_str mp_tasknames_apply(struct mp_tasknames *n, const struct mp_rec *rec,
				 struct mp_buf *buf)
{
	struct found found[NAMES_MAX];
	size_t count = find_names(rec->body, found), i;
	const char *at = rec->line.p;
	bool changed = false;

	buf->len = 0;
	for (i = 0; i < count; i++) {
		struct mp_str name = mp_tasknames_name(n, found[i].tid, found[i].name);

		changed |= !mp_str_eq(name, found[i].name);
		mp_buf_add(buf, at, found[i].name.p - at);
		mp_buf_str(buf, name);
		at = found[i].name.p + found[i].name.len;
	}
	if (!changed)
		return rec->line;
	mp_buf_add(buf, at, rec->line.p + rec->line.len - at);
	return mp_buf_view(buf);
}
