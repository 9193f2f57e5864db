// SPDX-License-Identifier: GPL-2.0-only
/*
 * Splits the text that the kernel's print format made of a tracepoint's fields. Names of threads
 * and files in it may hold any bytes, even " pid=7". Three facts tell them from fields: a thread's
 * name has at most 15 bytes, the number that belongs to it comes next, and no field comes twice.
 */
#include "lib/import/fields.h"

#include "lib/core/syscalls.h"
#include "lib/import/printed.h"
#include "lib/stream/esc.h"
#include "lib/stream/meaning.h"

enum { KEY_MAX = 64 };

static const bool name_byte[256] = {
	['a' ... 'z'] = true,
	['A' ... 'Z'] = true,
	['0' ... '9'] = true,
	['_'] = true,
};

static bool is_name_byte(char c)
{
	return name_byte[(unsigned char)c];
}

/* Length of the name at p that ends before `sign`, or 0 if there is none. */
static size_t key_length(const char *p, const char *end, char sign)
{
	const char *start = p;

	while (p < end && is_name_byte(*p))
		p++;
	if (p == end || *p != sign || p == start || p - start > KEY_MAX || mp_import_digit(*start))
		return 0;
	return p - start;
}

/*
 * The key of the next " key=" at or after p; `end` if there is none. A bracket may precede the key.
 */
static const char *next_key(const char *p, const char *end)
{
	const char *eq = p, *start;

	while ((eq = memchr(eq, '=', end - eq))) {
		for (start = eq; start > p && is_name_byte(start[-1]); start--)
			;
		if (start < eq && start > p && (start[-1] == ' ' || start[-1] == '[') &&
		    !mp_import_digit(*start) && eq - start <= KEY_MAX)
			return start;
		eq++;
	}
	return end;
}

static bool is_comm(struct mp_str key)
{
	return mp_str_ends(key, MP_STR("comm"));
}

static bool has_key(const struct mp_import_pairs *pairs, struct mp_str key)
{
	size_t i;

	for (i = 0; i < pairs->n; i++)
		if (mp_str_eq(pairs->v[i].key, key))
			return true;
	return false;
}

/*
 * Where a thread's name ends that is a value: at the last place within the length of the longest
 * name where a field follows that formats put after names. Returns NULL if there is none.
 */
static const char *comm_end(const struct mp_import_pairs *pairs, struct mp_str key, const char *p,
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

/* If the key already has a value, that field was part of the value before it: merges the two. */
static void merge_twice(struct mp_import_pairs *pairs, struct mp_str key)
{
	struct mp_import_pair *last = &pairs->v[pairs->n - 1];
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

/*
 * Removes the decoration that print formats add to values: "R ==>", "456 [ns]", "[action=TIMER]",
 * "1,".
 */
static void clean_value(struct mp_import_pair *pair)
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
static bool split_pairs(struct mp_import_pairs *pairs, struct mp_str text)
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
		if (pairs->n == MP_IMPORT_PAIRS_MAX ||
		    (pairs->n && mp_str_eq(pairs->v[0].key, key)))
			return false;
		p += n + 1;
		stop = is_comm(key) ? comm_end(pairs, key, p, end) : NULL;
		stop = next_key(stop ? stop : p, end);
		pairs->v[pairs->n++] = (struct mp_import_pair){
			.key = key,
			.value = { p, (stop < end ? stop - 1 : end) - p },
			.bracket = key.p > text.p && key.p[-1] == '[',
		};
		p = stop;
	}
	return pairs->n > 0;
}

/* Splits "fd: 0x00000003, buf: 0x7f00"; ftrace prints small numbers, or all, without 0x. */
static bool split_arguments(struct mp_import_pairs *pairs, struct mp_str text)
{
	const char *p = text.p, *end = text.p + text.len, *stop;
	struct mp_str value;
	size_t n;

	pairs->n = 0;
	while (p < end) {
		n = key_length(p, end, ':');
		stop = memchr(p, ',', end - p);
		if (!stop)
			stop = end;
		if (!n || stop - p < (ptrdiff_t)n + 3 || p[n + 1] != ' ' ||
		    pairs->n == MP_IMPORT_PAIRS_MAX || has_key(pairs, (struct mp_str){ p, n }))
			return false;
		value = (struct mp_str){ p + n + 2, stop - p - n - 2 };
		if (!mp_import_is_hex(value))
			return false;
		pairs->v[pairs->n++] = (struct mp_import_pair){ .key = { p, n },
								.value = value,
								.form = MP_IMPORT_HEX };
		p = stop + (stop < end);
		p += p < end && *p == ' ';
	}
	return pairs->n > 0;
}

/* Whether the text says that it is from a machine whose system calls have other numbers. */
static bool has_other_calls(const struct mp_import *im)
{
	const char *machine = json_string_value(json_object_get(im->origin, "machine"));

	return machine && strcmp(machine, mp_syscall_machine()) != 0;
}

/* Adds "(NAME)" to the value at `from` in the line, if it is a number that means something. */
static void add_meaning(struct mp_import *im, struct mp_str type, struct mp_str key, size_t from)
{
	enum mp_meaning meaning = mp_meaning_of(type, key);
	size_t paren = im->line.len;
	int64_t number;

	if (meaning == MP_MEANING_NONE || (meaning == MP_MEANING_SYSCALL && has_other_calls(im)) ||
	    mp_num_i64((struct mp_str){ im->line.p + from, im->line.len - from }, &number) < 0)
		return;
	mp_buf_byte(&im->line, '(');
	if (mp_meaning_add(&im->line, meaning, (uint64_t)number))
		mp_buf_byte(&im->line, ')');
	else
		im->line.len = paren;
}

static void add_pair(struct mp_import *im, struct mp_str type, const struct mp_import_pair *pair)
{
	struct mp_str v = pair->value;
	char key[KEY_MAX + 2];
	size_t from;

	key[0] = '.';
	memcpy(key + 1, pair->key.p, pair->key.len);
	key[pair->key.len + 1] = '\0';
	if (v.len > 1 && mp_import_digits(v) == v.len && mp_str_ends(pair->key, MP_STR("cpu")))
		mp_import_number(im, key, v); /* it may have leading zeros: target_cpu=003 */
	else {
		mp_import_field(im, key, MP_STR(""));
		from = im->line.len;
		mp_import_put_value(&im->line, pair);
		add_meaning(im, type, pair->key, from);
	}
}

/* Whether the second is the name of the number of the first: "vec=1 [action=TIMER]". */
static bool names_softirq(const struct mp_import_pair *number, const struct mp_import_pair *name)
{
	return name->bracket && mp_str_eq(name->key, MP_STR("action")) &&
	       mp_str_eq(number->key, MP_STR("vec")) &&
	       mp_import_digits(number->value) == number->value.len;
}

static void add_pairs(struct mp_import *im, struct mp_str type, struct mp_import_pairs *pairs)
{
	size_t i;

	for (i = 0; i < pairs->n; i++) {
		if (!is_comm(pairs->v[i].key))
			clean_value(&pairs->v[i]);
		if (!i || !names_softirq(&pairs->v[i - 1], &pairs->v[i])) {
			add_pair(im, type, &pairs->v[i]);
			continue;
		}
		mp_buf_byte(&im->line, '(');
		mp_esc_add(&im->line, pairs->v[i].value, MP_ESC_VALUE);
		mp_buf_byte(&im->line, ')');
	}
}

/* Cuts " reason: NAME" from the end of the text of a discarded packet; returns the name. */
static struct mp_str cut_reason(struct mp_str type, struct mp_str *text)
{
	const struct mp_str sign = MP_STR(" reason: ");
	struct mp_str name = { "", 0 };
	size_t n = mp_import_find(*text, sign.p);

	if (n < text->len && mp_str_eq(type, MP_STR("skb:kfree_skb"))) {
		name = mp_import_trim(mp_str_skip(*text, n + sign.len));
		text->len = n;
	}
	return name;
}

void mp_import_payload(struct mp_import *im, struct mp_str type, struct mp_str text)
{
	struct mp_import_pair ret = { .key = MP_STR("ret"), .form = MP_IMPORT_SIGNED };
	struct mp_import_pairs pairs, more;
	struct mp_str rest, reason;
	bool twice = false;
	size_t i;

	reason = cut_reason(type, &text);
	text = mp_import_trim(text);
	if (!text.len)
		return;
	if (mp_str_starts(type, MP_STR("syscalls:sys_exit_")) && mp_import_is_hex(text)) {
		ret.value = text;
		add_pair(im, type, &ret);
		return;
	}
	if (split_pairs(&pairs, text) ||
	    (mp_str_starts(type, MP_STR("syscalls:sys_enter_")) && split_arguments(&pairs, text))) {
		add_pairs(im, type, &pairs);
		if (reason.len)
			mp_import_field(im, ".reason", reason);
		return;
	}
	if (mp_import_printed(&pairs, type, text, &rest)) {
		add_pairs(im, type, &pairs);
		text = mp_import_trim(rest);
		if (text.len && split_pairs(&more, text)) {
			for (i = 0; i < more.n; i++)
				twice |= has_key(&pairs, more.v[i].key);
			if (!twice) {
				add_pairs(im, type, &more);
				return;
			}
		}
	}
	if (text.len)
		mp_import_field(im, ".text", text);
	if (reason.len)
		mp_import_field(im, ".reason", reason);
}
