// SPDX-License-Identifier: GPL-2.0-only
#include "lib/show/contrast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/esc.h"
#include "lib/stream/unit.h"

enum {
	TYPES_SHOWN = 20,
	LABEL_WIDTH = 12,
	VALUE_WIDTH = 36,
	VALUE_BYTES = 300, /* longer values are truncated */
};

/* windows whose lengths differ by less are called equal */
static const double EQUAL_WINDOWS = 0.05;

/* --- what both have --------------------------------------------------------------------------- */

static bool is_empty(const struct mp_facts *f)
{
	return !f->events && !f->points && !f->stacks;
}

/* Adds the names that both have to a map, if it is given. Returns how many. */
static size_t common(struct mp_map *to, const struct mp_map *a, const struct mp_map *b)
{
	const struct mp_map_entry *e;
	size_t n = 0;

	for (e = a->first; e; e = e->next) {
		if (!mp_map_find(b, &e->key, 1))
			continue;
		if (to)
			mp_map_put(to, &e->key, 1, NULL);
		n++;
	}
	return n;
}

static void check(const struct mp_contrast_side *sides, size_t collectors)
{
	const struct mp_facts *a = sides[0].facts, *b = sides[1].facts;
	const char *why = NULL;

	if (is_empty(a) || is_empty(b))
		return;
	if (a->collectors.n && b->collectors.n && !collectors)
		why = "collector";
	else if (a->events && b->events && !common(NULL, &a->types, &b->types))
		why = "type of events";
	else if ((a->events || b->events) ? !a->events != !b->events : !a->stacks != !b->stacks)
		why = "kind of data";
	if (why)
		mp_die("'%s' and '%s' cannot be compared: they have no %s in common", sides[0].name,
		       sides[1].name, why);
	if (collectors && (collectors < a->collectors.n || collectors < b->collectors.n))
		mp_say("collectors that only one of the recordings has are not shown");
}

static void add_types(struct mp_facts *to, const struct mp_facts *from)
{
	const struct mp_map_entry *e;

	for (e = from->types.first; e; e = e->next) {
		struct mp_type_facts *t = mp_map_value(mp_map_put(&to->types, &e->key, 1, NULL));
		const struct mp_type_facts *more = mp_map_value(e);

		t->n += more->n;
		t->spans += more->spans;
		t->stacks += more->stacks;
		t->values += more->values;
	}
	to->events += from->events;
	to->points += from->points;
	to->stacks += from->stacks;
	to->spans += from->spans;
	to->with_stack += from->with_stack;
	to->values += from->values;
}

void mp_contrast_facts(struct mp_facts *both, const struct mp_contrast_side *sides)
{
	mp_facts_init(both);
	check(sides,
	      common(&both->collectors, &sides[0].facts->collectors, &sides[1].facts->collectors));
	add_types(both, sides[0].facts);
	add_types(both, sides[1].facts);
}

/* --- what differs ----------------------------------------------------------------------------- */

/* Whether both sides have runs of a command and nothing else, which are compared run by run. */
static bool are_runs(const struct mp_contrast_side *sides)
{
	return mp_facts_runs(sides[0].facts) && mp_facts_runs(sides[1].facts);
}

static bool windows_differ(const struct mp_contrast_side *sides)
{
	double a = (double)sides[0].facts->length_ns, b = (double)sides[1].facts->length_ns;

	return fabs(a - b) > EQUAL_WINDOWS * MP_MAX(a, b);
}

/* Adds a line with a value of each side, escaped, which the values that are empty become "-" in. */
static void put_row(struct mp_buf *to, const char *label, const char *const *values, bool differs)
{
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_str value;
	size_t i;

	mp_buf_printf(to, "%s %-*s", differs ? "*" : " ", LABEL_WIDTH, label);
	for (i = 0; i < 2; i++) {
		value = mp_str(*values[i] ? values[i] : "-");
		value.len = MP_MIN(value.len, (size_t)VALUE_BYTES);
		text.len = 0;
		mp_esc_terminal(&text, value);
		mp_buf_byte(&text, '\0');
		if (i || text.len > VALUE_WIDTH)
			mp_buf_printf(to, "%s\n", text.p);
		else
			mp_buf_printf(to, "%-*s", VALUE_WIDTH, text.p);
		if (!i && text.len > VALUE_WIDTH)
			mp_buf_printf(to, "%*s", LABEL_WIDTH + VALUE_WIDTH + 2, "");
	}
	mp_buf_release(&text);
}

static void put_window(struct mp_buf *to, const struct mp_contrast_side *sides)
{
	char text[2][MP_UNIT_MAX];
	size_t i;

	for (i = 0; i < 2; i++) {
		text[i][0] = '\0';
		if (sides[i].facts->length_ns)
			mp_unit_put(text[i], "ns", (double)sides[i].facts->length_ns);
	}
	put_row(to, "window", (const char *[]){ text[0], text[1] }, windows_differ(sides));
}

static void put_lost(struct mp_buf *to, const struct mp_contrast_side *sides)
{
	char text[2][MP_NUM_MAX + 1];
	size_t i;

	for (i = 0; i < 2; i++)
		*mp_put_u64(text[i], sides[i].facts->lost) = '\0';
	put_row(to, "lost events", (const char *[]){ text[0], text[1] },
		sides[0].facts->lost != sides[1].facts->lost);
}

/* A value of a header as text, which the caller frees; "" if there is none. */
static char *text_of(const json_t *value)
{
	if (json_is_string(value))
		return mp_strdup(json_string_value(value));
	if (!value)
		return mp_strdup("");
	return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
}

static void put_key(struct mp_buf *to, const struct mp_contrast_side *sides, const char *key,
		    const char *label)
{
	const json_t *a = json_object_get(sides[0].facts->header, key);
	const json_t *b = json_object_get(sides[1].facts->header, key);
	char *x = text_of(a), *y = text_of(b);

	if (a || b)
		put_row(to, label, (const char *[]){ x, y },
			strcmp(key, "start") != 0 && !json_equal(a, b));
	free(x);
	free(y);
}

/* What there is of a type on a side: the number, and that per second. */
static void put_type_side(struct mp_buf *to, const struct mp_facts *f, struct mp_str type)
{
	const struct mp_map_entry *e = mp_map_find(&f->types, &type, 1);
	uint64_t n = e ? ((const struct mp_type_facts *)mp_map_value(e))->n : 0;

	mp_buf_printf(to, "%13llu", (unsigned long long)n);
	if (f->length_ns)
		mp_buf_printf(to, " %12.5g", (double)n / ((double)f->length_ns / 1e9));
	else
		mp_buf_printf(to, " %12s", "-");
}

static void put_type(struct mp_buf *to, const struct mp_contrast_side *sides, struct mp_str type)
{
	bool on_both = mp_map_find(&sides[0].facts->types, &type, 1) &&
		       mp_map_find(&sides[1].facts->types, &type, 1);
	struct mp_buf name = { NULL, 0, 0 };

	mp_esc_terminal(&name, type);
	mp_buf_byte(&name, '\0');
	mp_buf_printf(to, "%s ", on_both ? " " : "*");
	put_type_side(to, sides[0].facts, type);
	put_type_side(to, sides[1].facts, type);
	mp_buf_printf(to, "  %s\n", name.p);
	mp_buf_release(&name);
}

static void put_types(struct mp_buf *to, const struct mp_contrast_side *sides)
{
	const struct mp_map_entry *e;
	size_t n = 0, side;

	if (!sides[0].facts->events && !sides[1].facts->events)
		return;
	mp_buf_printf(to, "\n  %13s %12s%13s %12s  events\n", "before", "per second", "after",
		      "per second");
	for (side = 0; side < 2; side++)
		for (e = sides[side].facts->types.first; e; e = e->next) {
			if (side && mp_map_find(&sides[0].facts->types, &e->key, 1))
				continue;
			if (n++ < TYPES_SHOWN)
				put_type(to, sides, e->key);
		}
	if (n > TYPES_SHOWN)
		mp_buf_printf(to, "  %zu more types\n", n - TYPES_SHOWN);
}

void mp_contrast_print(struct mp_buf *to, const struct mp_contrast_side *sides)
{
	static const struct {
		const char *key, *label;
	} keys[] = {
		{ "start", "start" },	  { "host", "host" },	    { "kernel", "kernel" },
		{ "machine", "machine" }, { "cpus", "CPUs" },	    { "collectors", "collectors" },
		{ "command", "command" }, { "filters", "filters" }, { "stacks", "stacks" },
	};
	size_t i;

	put_row(to, "", (const char *[]){ "before", "after" }, false);
	put_row(to, "recording", (const char *[]){ sides[0].name, sides[1].name }, false);
	put_window(to, sides);
	put_lost(to, sides);
	for (i = 0; i < MP_ARRAY_SIZE(keys); i++)
		put_key(to, sides, keys[i].key, keys[i].label);
	put_types(to, sides);
	mp_buf_printf(to, "\n* differs\n");
	for (i = 0; i < 2; i++)
		if (is_empty(sides[i].facts))
			mp_buf_printf(to, "the recording %s is empty: nothing is compared\n",
				      i ? "after" : "before");
	if (are_runs(sides))
		mp_buf_printf(to, "both are of commands that ended: changes are per run\n");
	else if (sides[0].facts->length_ns && sides[1].facts->length_ns && windows_differ(sides))
		mp_buf_printf(to,
			      "the windows differ: compare numbers per second; what is shown of "
			      "one recording is of all its window, and not scaled\n");
}

/* --- parts of the page ------------------------------------------------------------------------ */

static struct mp_stage *last_of(const struct mp_pipeline *p)
{
	return &p->v[p->n - 1];
}

static bool ends_with(const struct mp_pipeline *p, const char *program)
{
	return strcmp(last_of(p)->argv[0], program) == 0;
}

/* Adds a part, which takes over `compare`, and whose base has all stages but the last one. */
static void add(struct mp_contrasts *c, const struct mp_pipeline *p, struct mp_pipeline compare,
		const char *title, const char *suffix)
{
	struct mp_contrast part = { .compare = compare, .title = title, .suffix = suffix };

	mp_pipeline_copy(&part.base, p);
	if (compare.n)
		mp_pipeline_remove(&part.base, part.base.n - 1);
	c->v = mp_grow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
	c->v[c->n++] = part;
}

/* A program with these words, which end with NULL, and then the arguments of a stage. */
static struct mp_pipeline program(const char *const *words, const struct mp_stage *like)
{
	struct mp_pipeline p = { NULL, 0, 0 };
	struct mp_stage *s = mp_pipeline_insert(&p, 0, words);
	size_t i;

	for (i = 1; like && i < like->n; i++)
		mp_stage_add(s, like->argv[i]);
	return p;
}

/* The value of an option of a stage, or NULL. */
static const char *value_of(const struct mp_stage *s, const char *name, const char *other)
{
	size_t i;

	for (i = 1; i + 1 < s->n; i++)
		if (strcmp(s->argv[i], name) == 0 || strcmp(s->argv[i], other) == 0)
			return s->argv[i + 1];
	return NULL;
}

/* Adds the comparison of the distributions of a weight: each side has a dump of mp-hist. */
static void add_distributions(struct mp_contrasts *c, const struct mp_pipeline *p)
{
	const struct mp_stage *s = last_of(p);
	const char *weight = value_of(s, "-w", "--weight"), *by = value_of(s, "-b", "--by");
	const char *event = value_of(s, "-e", "--event");
	struct mp_pipeline *base;

	if (!weight || !ends_with(p, "mp-page") || !mp_pipeline_installed("mp-hist") ||
	    !mp_pipeline_installed("mp-diff"))
		return;
	add(c, p, program((const char *[]){ "mp-diff", NULL }, NULL), "distributions", ".txt");
	base = &c->v[c->n - 1].base;
	mp_pipeline_insert(base, base->n,
			   (const char *[]){ "mp-hist", "--dump", "-e", event ? event : "*", "-f",
					     weight, by ? "--by" : NULL, by, NULL });
}

/* How weights of both sides are compared. */
struct measure {
	char *work; /* "N,N", by which they are divided; NULL: shares are compared */
	const char *changes, *graph; /* titles */
};

static struct measure choose_measure(const struct mp_contrast_side *sides)
{
	const struct mp_facts *a = sides[0].facts, *b = sides[1].facts;
	struct measure m = { NULL, "changes of shares", "differential flame graph, of shares" };

	if (are_runs(sides)) {
		m.work = mp_asprintf("%llu,%llu", (unsigned long long)mp_facts_runs(a),
				     (unsigned long long)mp_facts_runs(b));
		m.changes = "changes, per run";
		m.graph = "differential flame graph, per run";
	} else if (a->length_ns && b->length_ns) {
		m.work = mp_asprintf("%.9g,%.9g", (double)a->length_ns / 1e9,
				     (double)b->length_ns / 1e9);
		m.changes = "changes, per second";
		m.graph = "differential flame graph, per second";
	}
	return m;
}

/* Adds comparisons of a page or a flame graph. */
static void add_changes(struct mp_contrasts *c, const struct mp_pipeline *p,
			const struct mp_contrast_side *sides)
{
	struct measure m = choose_measure(sides);
	const struct mp_stage *s = last_of(p);
	const char *option = m.work ? "--work" : NULL;
	bool stacks = ends_with(p, "mp-page") || ends_with(p, "mp-flame");

	if (stacks && mp_pipeline_installed("mp-diff"))
		add(c, p, program((const char *[]){ "mp-diff", option, m.work, NULL }, s),
		    m.changes, ".txt");
	if (stacks && mp_pipeline_installed("mp-flame"))
		add(c, p,
		    program((const char *[]){ "mp-flame", "--diff", "--icicle", option, m.work,
					      NULL },
			    s),
		    m.graph, ".html");
	free(m.work);
}

/* Whether heat maps of two recordings can be compared. */
static bool is_comparable_heat(const struct mp_pipeline *p)
{
	const struct mp_stage *s = last_of(p);

	return ends_with(p, "mp-svg-heatmap") && !value_of(s, "--panels", "--hue") &&
	       !mp_stage_has(s, "--subsecond");
}

/* Adds heat maps of both with the same axes and colours, and of their difference. */
static void add_heat(struct mp_contrasts *c, const struct mp_pipeline *p)
{
	const struct mp_stage *s = last_of(p);

	add(c, p, program((const char *[]){ "mp-svg-heatmap", "--sides", NULL }, s),
	    "heat maps, one scale", ".svg");
	add(c, p, program((const char *[]){ "mp-svg-heatmap", "--diff", NULL }, s),
	    "change of heat maps", ".svg");
}

static void mark_bases(struct mp_contrasts *c)
{
	struct mp_buf last = { NULL, 0, 0 }, base = last;
	size_t i;

	for (i = 0; i < c->n; i++) {
		base.len = 0;
		mp_pipeline_print(&base, &c->v[i].base);
		c->v[i].same_base = i && mp_str_eq(mp_buf_view(&base), mp_buf_view(&last));
		last.len = 0;
		mp_buf_str(&last, mp_buf_view(&base));
	}
	mp_buf_release(&base);
	mp_buf_release(&last);
}

void mp_contrasts_make(struct mp_contrasts *c, const struct mp_plans *plans,
		       const struct mp_contrast_side *sides)
{
	bool compare = !is_empty(sides[0].facts) && !is_empty(sides[1].facts);
	size_t i;

	*c = (struct mp_contrasts){ NULL, 0, 0 };
	if (compare)
		add_changes(c, &plans->v[0].pipeline, sides);
	for (i = 0; compare && i < plans->n; i++)
		if (is_comparable_heat(&plans->v[i].pipeline))
			add_heat(c, &plans->v[i].pipeline);
	if (compare)
		add_distributions(c, &plans->v[0].pipeline);
	for (i = 0; i < plans->n; i++) {
		const struct mp_plan *plan = &plans->v[i];

		if (!compare || !is_comparable_heat(&plan->pipeline))
			add(c, &plan->pipeline, (struct mp_pipeline){ NULL, 0, 0 },
			    plan->title ? plan->title : "picture",
			    plan->suffix ? plan->suffix : ".html");
	}
	mark_bases(c);
}

void mp_contrasts_release(struct mp_contrasts *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		mp_pipeline_release(&c->v[i].base);
		mp_pipeline_release(&c->v[i].compare);
	}
	free(c->v);
}
