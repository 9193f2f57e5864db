// SPDX-License-Identifier: GPL-2.0-only
/*
 * Splits the text that the kernel's print format made of a tracepoint's fields. Names of threads and
 * files in it may hold any bytes, even " pid=7". Three facts tell them from fields: a thread's name
 * has at most 15 bytes, the number that belongs to it comes next, and no field comes twice.
 */
#include "lib/import/fields.h"

enum { PAIRS_MAX = 64 };

struct pair {
	struct mp_str key, value;
	bool bracket; /* one precedes the key */
};

struct pairs {
	struct pair v[PAIRS_MAX];
	size_t n;
};

static bool is_name_byte(char c)
{
	return mp_import_letter(c) || mp_import_digit(c) || c == '_';
}

/* Length of the name at p that ends before `sign`; 0: there is none. */
static size_t key_length(const char *p, const char *end, char sign)
{
	const char *start = p;

	while (p < end && is_name_byte(*p))
		p++;
	if (p == end || *p != sign || p == start || p - start > 64 || mp_import_digit(*start))
		return 0;
	return p - start;
}

/* The key of the next " key=" at or after p, or end. A bracket may precede it. */
static const char *next_key(const char *p, const char *end)
{
	const char *eq = p, *start;

	while ((eq = memchr(eq, '=', end - eq))) {
		for (start = eq; start > p && is_name_byte(start[-1]); start--)
			;
		if (start < eq && start > p && (start[-1] == ' ' || start[-1] == '[') &&
		    key_length(start, end, '=') == (size_t)(eq - start))
			return start;
		eq++;
	}
	return end;
}

static bool is_comm(struct mp_str key)
{
	return mp_str_ends(key, MP_STR("comm"));
}

static bool has_key(const struct pairs *pairs, struct mp_str key)
{
	size_t i;

	for (i = 0; i < pairs->n; i++)
		if (mp_str_eq(pairs->v[i].key, key))
			return true;
	return false;
}

/*
 * Where the value of a thread's name ends: before a field that formats put after it, the last such
 * place within the length of the longest name. NULL: there is none.
 */
static const char *comm_end(const struct pairs *pairs, struct mp_str key, const char *p,
			    const char *end)
{
	char pid[80];
	size_t n = key.len - 4, i;
	const struct mp_str next[] = {
		{ pid, n + 3 }, MP_STR("newcomm"), MP_STR("clone_flags"), MP_STR("oom_score_adj")
	};
	const char *best = NULL, *limit = MP_MIN(end, p + MP_COMM_MAX + 1), *q;

	memcpy(pid, key.p, n);
	memcpy(pid + n, "pid", 3);
	for (q = p; q < limit; q++)
		for (i = 0; *q == ' ' && i < MP_ARRAY_SIZE(next); i++)
			if (end - q > (ptrdiff_t)next[i].len + 1 &&
			    memcmp(q + 1, next[i].p, next[i].len) == 0 &&
			    q[next[i].len + 1] == '=' && !has_key(pairs, next[i]))
				best = q;
	return best;
}

/* If a field comes twice, the first one was part of the value before it. */
static void merge_twice(struct pairs *pairs, struct mp_str key)
{
	struct pair *last = &pairs->v[pairs->n - 1];
	const char *end = last->value.p + last->value.len;
	size_t i;

	for (i = 1; i < pairs->n; i++) {
		if (!mp_str_eq(pairs->v[i].key, key))
			continue;
		pairs->v[i - 1].value.len = end - pairs->v[i - 1].value.p;
		pairs->n = i;
		return;
	}
}

/* Removes what formats put around values: "R ==>", "456 [ns]", "[action=TIMER]", "1,". */
static void clean_value(struct pair *pair)
{
	struct mp_str v = mp_import_trim(pair->value);

	if (mp_str_ends(v, MP_STR(" ==>")))
		v.len -= 4;
	else if (mp_str_ends(v, MP_STR(" [ns]")))
		v.len -= 5;
	else if ((pair->bracket && mp_str_ends(v, MP_STR("]"))) || mp_str_ends(v, MP_STR(",")))
		v.len--;
	pair->value = v;
}

/* Splits "a=1 b=x y c=2"; false if the text is not such a list. */
static bool split_pairs(struct pairs *pairs, struct mp_str text)
{
	const char *p = text.p, *end = text.p + text.len, *stop;
	struct mp_str key;
	size_t n;

	pairs->n = 0;
	while (p < end) {
		n = key_length(p, end, '=');
		if (!n)
			return false;
		key = (struct mp_str){ p, n };
		if (pairs->n)
			merge_twice(pairs, key);
		if (pairs->n == PAIRS_MAX || (pairs->n && mp_str_eq(pairs->v[0].key, key)))
			return false;
		p += n + 1;
		stop = is_comm(key) ? comm_end(pairs, key, p, end) : NULL;
		stop = next_key(stop ? stop : p, end);
		pairs->v[pairs->n++] = (struct pair){ key,
						      { p, (stop < end ? stop - 1 : end) - p },
						      key.p > text.p && key.p[-1] == '[' };
		p = stop;
	}
	return pairs->n > 0;
}

/* Splits "fd: 0x00000003, buf: 0x7f00". */
static bool split_arguments(struct pairs *pairs, struct mp_str text)
{
	const char *p = text.p, *end = text.p + text.len, *stop;
	size_t n;

	pairs->n = 0;
	while (p < end) {
		n = key_length(p, end, ':');
		if (!n || end - p < (ptrdiff_t)n + 5 || memcmp(p + n, ": 0x", 4) != 0 ||
		    pairs->n == PAIRS_MAX || has_key(pairs, (struct mp_str){ p, n }))
			return false;
		stop = memchr(p, ',', end - p);
		if (!stop)
			stop = end;
		pairs->v[pairs->n++] =
			(struct pair){ { p, n }, { p + n + 2, stop - p - n - 2 }, false };
		p = stop + (stop < end);
		p += p < end && *p == ' ';
	}
	return pairs->n > 0;
}

static void add_pair(struct mp_import *im, const struct pair *pair)
{
	struct mp_str v = pair->value;
	char key[72];

	key[0] = '.';
	memcpy(key + 1, pair->key.p, pair->key.len);
	key[pair->key.len + 1] = '\0';
	if (v.len > 1 && mp_import_digits(v) == v.len && mp_str_ends(pair->key, MP_STR("cpu")))
		mp_import_number(im, key, v); /* target_cpu=003 */
	else
		mp_import_field(im, key, v);
}

void mp_import_payload(struct mp_import *im, struct mp_str type, struct mp_str text)
{
	bool enter = mp_str_starts(type, MP_STR("syscalls:sys_enter_"));
	struct pairs pairs;
	size_t i;

	text = mp_import_trim(text);
	if (!text.len)
		return;
	if (mp_str_starts(type, MP_STR("syscalls:sys_exit_")) && !memchr(text.p, ' ', text.len)) {
		mp_import_field(im, ".ret", text);
		return;
	}
	if (!split_pairs(&pairs, text) && !(enter && split_arguments(&pairs, text))) {
		mp_import_field(im, ".text", text);
		return;
	}
	for (i = 0; i < pairs.n; i++) {
		if (!is_comm(pairs.v[i].key))
			clean_value(&pairs.v[i]);
		add_pair(im, &pairs.v[i]);
	}
}
