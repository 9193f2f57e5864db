// SPDX-License-Identifier: GPL-2.0-only
#include "lib/help/complete.h"

#include <ctype.h>
#include <stdlib.h>

#include "lib/core/map.h"
#include "lib/draw/palette.h"
#include "lib/help/index.h"
#include "lib/help/listed.h"
#include "lib/help/program.h"
#include "lib/stream/esc.h"

struct line {
	struct mp_buf *to;
	char **words; /* the first is the program, "mp-fold" */
	size_t n;
	struct mp_str typed;   /* the last word, without a quote at its start */
	struct mp_str head;    /* the part of it that stays: "cpu," of "cpu,co" */
	struct mp_str current; /* the part that is completed */
	struct mp_map offered;
};

/* --- candidates ------------------------------------------------------------------------------- */

enum {
	TYPE_MAX = 255,	     /* of a type of events, see mp-stream(5) */
	OFFERED_MAX = 10000, /* a shell shows them all; a kernel has 2,000 tracepoints */
};

static bool is_harmless(struct mp_str text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (!isalnum((unsigned char)text.p[i]) && !strchr("_.:,/@%+=-", text.p[i]))
			return false;
	return text.len > 0 && text.len <= TYPE_MAX;
}

static void offer(struct line *l, struct mp_str text, struct mp_str about)
{
	bool fresh;

	if (!mp_str_starts(text, l->current) || !is_harmless(text) || l->offered.n == OFFERED_MAX)
		return;
	mp_map_put(&l->offered, &text, 1, &fresh);
	if (!fresh)
		return;
	mp_buf_str(l->to, l->head);
	mp_buf_str(l->to, text);
	if (about.len)
		mp_buf_byte(l->to, '\t');
	mp_esc_terminal(l->to, about);
	mp_buf_byte(l->to, '\n');
}

static void offer_listed(void *line, struct mp_str text, struct mp_str about)
{
	offer(line, text, about);
}

/* Leaves of the last word what follows the last of some separators. */
static void split_last(struct line *l, const char *separators)
{
	size_t n = l->typed.len;

	while (n > 0 && !strchr(separators, l->typed.p[n - 1]))
		n--;
	l->head = (struct mp_str){ l->typed.p, n };
	l->current = mp_str_skip(l->typed, n);
}

/* --- values of options ------------------------------------------------------------------------ */

enum kind {
	WORDS, /* those of the row */
	PALETTES,
	FIELDS, /* of the files on the line */
	EXPRESSION,
	TYPES,	    /* of events, in the files on the line */
	RECORDABLE, /* events */
};

struct value {
	const char *program; /* NULL: any other */
	const char *option;
	enum kind kind;
	const char *words;
};

#define STATISTICS "count sum min mean stddev p50 p90 p99 p99.9 max over over_share"
#define CONTEXT "cpu pid tid comm period addr cgroup nspid nstid"

static const struct value values[] = {
	{ "mp-record", "event", RECORDABLE, NULL },
	{ "mp-record", "stat", RECORDABLE, NULL },
	{ "mp-record", "list", RECORDABLE, NULL },
	{ "mp-record", "call-graph", WORDS, "both kernel user none auto cfi bpf fp" },
	{ "mp-record", "fields", WORDS,
	  CONTEXT " +cgroup +nspid +nstid +addr latency op level snoop tlb lock stack dur" },
	{ "mp-record", "exclude-pid", WORDS, "pipeline" },
	{ "mp-record", "sandbox", WORDS, "require" },
	{ "mp-record", "compress", WORDS, "zstd gzip none" },
	{ "mp-order", "compress", WORDS, "zstd gzip none" },
	{ "mp-export", "to", WORDS, "chrome firefox ftrace openmetrics perfetto pprof speedscope" },
	{ "mp-fleet", "engine", WORDS, "parallel clush srun" },
	{ "mp-flame", "colour", WORDS, "kind name library change" },
	{ "mp-flame", "work", TYPES, NULL },
	{ "mp-fold", "sort", WORDS, "name weight" },
	{ "mp-hist", "sort", WORDS,
	  "count sum name min mean stddev p50 p90 p99 p99.9 max over over_share" },
	{ "mp-sched", "sort", WORDS,
	  "run runs gave-up preempted wait-avg wait-max wait-p99 sleep-avg sleep-max sleep-p99 "
	  "migr" },
	{ "mp-hist", "points", WORDS, STATISTICS },
	{ "mp-hist", "count", FIELDS, NULL },
	{ "mp-hist", "sum", FIELDS, NULL },
	{ "mp-import", "from", WORDS,
	  "perf ftrace marple folded stream bpftrace bcc pprof strace perf-trace cpuprofile speedscope chrome blkparse graph austin heap" },
	{ "mp-import", "time-unit", WORDS, "ns us ms s" },
	{ "mp-import", "clock", WORDS, "monotonic realtime" },
	{ "mp-pair", "begin", TYPES, NULL },
	{ "mp-pair", "end", TYPES, NULL },
	{ "mp-pair", "step", TYPES, NULL },
	{ "mp-pair", "policy", WORDS, "replace queue nest" },
	{ "mp-pair", "context", WORDS, "all samecpu samepid sametid" },
	{ "mp-pair", "stack", WORDS, "begin end none" },
	{ "mp-sched", "states", WORDS,
	  "run guest wait preempted sleep block stopped idle unknown" },
	{ "mp-treemap", "colour", FIELDS, NULL },
	{ "mp-stackplot", "missing", WORDS, "zero carry rounds" },
	{ "mp-svg-heatmap", "colour", WORDS, "linear sqrt log" },
	{ "mp-svg-heatmap", "sort", WORDS, "name weight" },
	{ "mp-timeline", "rows", FIELDS, NULL },
	{ "mp-timeline", "order", WORDS, "natural first weight" },
	{ "mp-timeline", "colour", FIELDS, NULL },
	{ "mp-timeline", "counter", FIELDS, NULL },
	{ "mp-show", "as", WORDS, "flame timeline heat stackplot treemap table cpel page" },
	{ "mp-svg-heatmap", "ansi", WORDS, "auto always never" },
	{ "mp-svg-heatmap", "palette", PALETTES, NULL },
	{ "mp-svg-heatmap", "panels", FIELDS, NULL },
	{ "mp-svg-heatmap", "hue", FIELDS, NULL },
	{ "mp-fold", "nested", FIELDS, NULL },
	{ "mp-cpel", "label", FIELDS, NULL },
	{ "mp-cpel", "track", FIELDS, NULL },
	{ NULL, "across", FIELDS, NULL },
	{ NULL, "by", FIELDS, NULL },
	{ NULL, "category", FIELDS, NULL },
	{ NULL, "drop", FIELDS, NULL },
	{ NULL, "each", FIELDS, NULL },
	{ NULL, "event", TYPES, NULL },
	{ NULL, "field", FIELDS, NULL },
	{ NULL, "fields", FIELDS, NULL },
	{ NULL, "filter", EXPRESSION, NULL },
	{ NULL, "key", FIELDS, NULL },
	{ NULL, "unknown", WORDS, "address merge" },
	{ NULL, "weight", FIELDS, NULL },
	{ NULL, "x", FIELDS, NULL },
	{ NULL, "y", FIELDS, NULL },
};

static const struct value *find_value(const char *program, struct mp_str option)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(values); i++)
		if ((!values[i].program || strcmp(values[i].program, program) == 0) &&
		    mp_str_eq(mp_str(values[i].option), option))
			return &values[i];
	return NULL;
}

static void offer_words(struct line *l, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, ", ");

		offer(l, (struct mp_str){ words, len }, MP_STR(""));
		words += len + strspn(words + len, ", ");
	}
}

static void offer_recordable(struct line *l, bool collectors)
{
	char *argv[] = { "mp-record", "-l", NULL };
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_help_recordable r = { .collector = false };
	struct mp_str rest;

	mp_help_read(argv, &text);
	rest = mp_buf_view(&text);
	while (mp_help_next_recordable(&rest, &r))
		if (r.collector == collectors)
			offer(l, r.name, r.text);
	mp_buf_release(&text);
}

/* Whether what is completed is within the slashes after an event. */
static bool in_slashes(struct mp_str head)
{
	bool within = false;
	size_t i;

	for (i = 0; i < head.len; i++)
		within ^= head.p[i] == '/';
	return within;
}

/* What the list has already is not offered again. */
static void skip_listed(struct line *l)
{
	size_t i, start = 0;

	for (i = 0; i < l->head.len; i++) {
		struct mp_str element = { l->head.p + start, i - start };

		if (!strchr(",=", l->head.p[i]))
			continue;
		if (element.len && is_harmless(element))
			mp_map_put(&l->offered, &element, 1, NULL);
		start = i + 1;
	}
}

static void offer_value(struct line *l, const struct value *v)
{
	split_last(l, v->kind == EXPRESSION ? ",&|(!<>=~+*/- "
		      : v->kind == FIELDS   ? ",=+*/"
					    : ",=");
	if (v->kind != EXPRESSION)
		skip_listed(l);
	switch (v->kind) {
	case WORDS:
		offer_words(l, v->words);
		break;
	case PALETTES:
		offer_words(l, mp_palette_list());
		break;
	case FIELDS:
	case EXPRESSION:
		mp_help_list_fields(l->words + 1, offer_listed, l);
		break;
	case TYPES:
		if (!in_slashes(l->head))
			mp_help_list_types(l->words + 1, offer_listed, l);
		break;
	case RECORDABLE:
		if (!in_slashes(l->head))
			offer_recordable(l, false);
		break;
	}
}

/* --- options ---------------------------------------------------------------------------------- */

static void trim_start(struct mp_str *s)
{
	while (s->len && *s->p == ' ')
		*s = mp_str_skip(*s, 1);
}

/* An option as --help prints it; `about` is the first line of its text. */
struct option_line {
	char letter; /* 0: none */
	struct mp_str name, about;
	bool takes_argument;
};

/* "  -b, --by FIELDS        put FIELDS ...", or "      --weight=FIELD  ..." */
static bool parse_option(struct option_line *o, struct mp_str line)
{
	*o = (struct option_line){ .letter = 0 };
	if (!mp_str_starts(line, MP_STR("  ")))
		return false;
	trim_start(&line);
	if (line.len > 4 && *line.p == '-' && line.p[2] == ',') {
		o->letter = line.p[1];
		line = mp_str_skip(line, 4);
	}
	if (!mp_str_starts(line, MP_STR("--")))
		return false;
	line = mp_str_skip(line, 2);
	o->name.p = line.p;
	while (o->name.len < line.len &&
	       (isalnum((unsigned char)o->name.p[o->name.len]) || o->name.p[o->name.len] == '-'))
		o->name.len++;
	line = mp_str_skip(line, o->name.len);
	o->takes_argument = mp_str_starts(line, MP_STR(" ")) && line.len > 1 && line.p[1] != ' ';
	while (line.len && !mp_str_starts(line, MP_STR("  ")))
		line = mp_str_skip(line, 1);
	o->about = mp_str_trim(line);
	return o->name.len > 0;
}

static bool next_option(struct mp_str *rest, struct option_line *o)
{
	while (rest->len) {
		const char *lf = memchr(rest->p, '\n', rest->len);
		struct mp_str line = { rest->p, lf ? (size_t)(lf - rest->p) : rest->len };

		*rest = mp_str_skip(*rest, lf ? line.len + 1 : line.len);
		if (parse_option(o, line))
			return true;
	}
	return false;
}

static void offer_options(struct line *l, struct mp_str help)
{
	struct option_line o;

	split_last(l, "");
	while (next_option(&help, &o)) {
		char *text = mp_asprintf("--%.*s", MP_STR_ARGS(o.name));

		offer(l, mp_str(text), o.about);
		free(text);
	}
}

/* Whether a word is this option, "--by", "-b", or "-qb" */
static bool is_option(const char *word, const struct option_line *o)
{
	size_t len = strlen(word);

	if (word[0] != '-' || len < 2)
		return false;
	if (word[1] != '-')
		return o->letter && word[len - 1] == o->letter;
	return mp_str_eq(mp_str(word + 2), o->name);
}

/* The name of the option that takes the last word as its argument; empty: none. */
static struct mp_str option_before(const struct line *l, struct mp_str help)
{
	struct option_line o;

	while (l->n >= 3 && next_option(&help, &o))
		if (o.takes_argument && is_option(l->words[l->n - 2], &o))
			return o.name;
	return MP_STR("");
}

/* The name of the option if the last word is "--by=co"; empty: it is not. */
static struct mp_str option_within(const struct line *l)
{
	const char *equals = memchr(l->typed.p, '=', l->typed.len);

	if (!mp_str_starts(l->typed, MP_STR("--")) || !equals)
		return MP_STR("");
	return (struct mp_str){ l->typed.p + 2, equals - l->typed.p - 2 };
}

/* --- the line --------------------------------------------------------------------------------- */

static bool has_word(const struct line *l, const char *word)
{
	size_t i;

	for (i = 1; i + 1 < l->n; i++)
		if (strcmp(l->words[i], word) == 0)
			return true;
	return false;
}

static void complete_program(struct line *l)
{
	char *argv[] = { l->words[0], "--help", NULL };
	struct mp_buf text = { NULL, 0, 0 };
	const struct value *v;
	struct mp_str option;

	if (has_word(l, "--"))
		return; /* a command, or files */
	mp_help_read(argv, &text);
	option = option_before(l, mp_buf_view(&text));
	if (!option.len)
		option = option_within(l);
	v = option.len ? find_value(l->words[0], option) : NULL;
	if (v)
		offer_value(l, v);
	else if (!option.len && mp_str_starts(l->typed, MP_STR("-")))
		offer_options(l, mp_buf_view(&text));
	else if (!option.len && strcmp(l->words[0], "mp-record") == 0)
		offer_recordable(l, !has_word(l, "-l") && !has_word(l, "--list"));
	mp_buf_release(&text);
}

static void offer_programs(struct line *l)
{
	struct mp_str rest = mp_help_index();
	struct mp_help_line line;

	while (mp_help_next(&rest, &line))
		if (line.what == MP_HELP_MEMBER)
			offer(l, mp_str_skip(line.fields[0], strlen("mp-")),
			      mp_help_about(line.fields[0]));
	offer(l, MP_STR("help"), MP_STR("find programs, collectors and events by words"));
}

/* The program of the line: words[0], or the one that mp runs. Owned by the caller. */
static char *find_program(struct line *l)
{
	const char *slash = strrchr(l->words[0], '/'), *name = slash ? slash + 1 : l->words[0];

	if (strcmp(name, "mp") != 0 || l->n == 2)
		return mp_strdup(name);
	l->words++;
	l->n--;
	return mp_asprintf("mp-%s", l->words[0]);
}

void mp_help_complete(struct mp_buf *to, char **words)
{
	struct line l = { .to = to, .words = words };
	char *program;

	while (words[l.n])
		l.n++;
	if (l.n < 2)
		return;
	program = find_program(&l);
	l.words[0] = program;
	l.typed = mp_str(l.words[l.n - 1]);
	if (l.typed.len && strchr("'\"", *l.typed.p))
		l.typed = mp_str_skip(l.typed, 1);
	l.current = l.typed;
	mp_map_init(&l.offered, 0);
	if (strcmp(program, "mp") == 0 && !mp_str_starts(l.typed, MP_STR("-")))
		offer_programs(&l);
	else if (mp_help_about(mp_str(program)).len)
		complete_program(&l);
	mp_map_release(&l.offered);
	free(program);
}
