// SPDX-License-Identifier: GPL-2.0-only
#include "lib/show/plan.h"

#include <stdlib.h>

#include "lib/definition/definition.h"

enum form { FLAME, TIMELINE, HEAT, STACKPLOT, TREEMAP, TABLE, CPEL, PAGE };

const char *const mp_plan_forms[] = { "flame", "timeline", "heat", "stackplot", "treemap",
				      "table", "cpel",	   "page", NULL };

static const char *const programs[] = {
	[FLAME] = "mp-flame",	      [TIMELINE] = "mp-timeline", [HEAT] = "mp-svg-heatmap",
	[STACKPLOT] = "mp-stackplot", [TREEMAP] = "mp-treemap",	  [TABLE] = "mp-hist",
	[CPEL] = "mp-cpel",	      [PAGE] = "mp-page",
};

/* --- what collectors show --------------------------------------------------------------------- */

/* A `show` line of a collector, without the recorder. */
struct line {
	char *collector;
	struct mp_pipeline pipeline;
};

struct lines {
	struct line *v;
	size_t n, cap;
};

static void release_lines(struct lines *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		free(l->v[i].collector);
		mp_pipeline_release(&l->v[i].pipeline);
	}
	free(l->v);
}

static bool is_recorder(const char *program)
{
	return strcmp(program, "mp-record") == 0 || strcmp(program, "mp") == 0;
}

/* Adds a pipeline whose first program is the recorder, which has recorded. */
static void add_line(struct lines *l, const char *collector, struct mp_str text)
{
	struct mp_pipeline p;
	const char *why;

	if (mp_pipeline_parse(&p, text, &why) < 0)
		return;
	if (p.n < 2 || !is_recorder(p.v[0].argv[0])) {
		mp_pipeline_release(&p);
		return;
	}
	mp_pipeline_remove(&p, 0);
	l->v = mp_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct line){ mp_strdup(collector), p };
}

static void add_collector(struct lines *l, const char *name)
{
	struct mp_str rest, text, key, value;
	struct mp_definition d;
	const char *why;
	char *error;

	if (mp_definition_read(&d, name, &error) < 0) {
		mp_say("%s", error);
		free(error);
		return;
	}
	rest = (struct mp_str){ d.text, d.len };
	while (mp_definition_next(&rest, &text))
		if (mp_definition_line(text, &key, &value, &why) > 0 &&
		    mp_str_eq(key, MP_STR("show")))
			add_line(l, name, value);
	mp_definition_release(&d);
}

static void read_lines(struct lines *l, const struct mp_facts *f)
{
	const struct mp_map_entry *e;

	*l = (struct lines){ NULL, 0, 0 };
	for (e = f->collectors.first; e; e = e->next) {
		char *name = mp_strndup(e->key.p, e->key.len);

		add_collector(l, name);
		free(name);
	}
}

/* --- pipelines by form ------------------------------------------------------------------------ */

static struct mp_stage *last_of(const struct mp_pipeline *p)
{
	return &p->v[p->n - 1];
}

static bool has_form(const struct mp_pipeline *p, enum form form)
{
	const struct mp_stage *s = last_of(p);

	if (form == TABLE && strcmp(s->argv[0], "mp-sched") == 0)
		return mp_stage_has(s, "--table");
	return strcmp(s->argv[0], programs[form]) == 0;
}

static bool makes_spans(const struct mp_pipeline *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (strcmp(p->v[i].argv[0], "mp-pair") == 0 ||
		    strcmp(p->v[i].argv[0], "mp-sched") == 0)
			return true;
	return false;
}

static void add_words(struct mp_stage *s, const char *const *words)
{
	for (; *words; words++)
		mp_stage_add(s, *words);
}

#define ADD(stage, ...) add_words(stage, (const char *const[]){ __VA_ARGS__, NULL })

/* Copies the stages of a line that precede the first one whose output is not a stream. */
static void copy_base(struct mp_pipeline *to, const struct mp_pipeline *from)
{
	size_t i;

	mp_pipeline_copy(to, from);
	for (i = 0; i + 1 < to->n; i++)
		if (strcmp(to->v[i].argv[0], "mp-fold") == 0 ||
		    strcmp(to->v[i].argv[0], programs[TABLE]) == 0)
			break;
	while (to->n > i)
		mp_pipeline_remove(to, to->n - 1);
}

/* The options of a program for values that were counted or polled. */
static void add_values(struct mp_stage *s, enum form form, const struct mp_facts *f)
{
	const struct mp_str memory = MP_STR("mem:");
	bool bytes = f->types.first && mp_str_starts(f->types.first->key, memory);

	if (form == TABLE)
		ADD(s, "-f", bytes ? ".bytes" : ".value", "--by", bytes ? "comm" : "type",
		    "--summary");
	else
		ADD(s, "-y", bytes ? ".bytes" : ".value");
	ADD(s, "-e", bytes ? "mem:*" : "stat:*");
	if (form == STACKPLOT && !bytes)
		ADD(s, "--by", "type");
}

/* The options of a program for events, perhaps spans, of one type or several. */
static void add_events(struct mp_stage *s, enum form form, bool spans, bool several)
{
	switch (form) {
	case FLAME:
	case TREEMAP:
		ADD(s, "-e", "*");
		if (spans)
			ADD(s, "--weight", "dur");
		break;
	case HEAT:
		ADD(s, "-e", "*");
		if (spans)
			ADD(s, "--log");
		else
			ADD(s, "-y", "type");
		break;
	case STACKPLOT:
		ADD(s, "-e", "*", "--by", spans ? "comm" : "type");
		if (spans)
			ADD(s, "--weight", "dur");
		break;
	case TABLE:
		if (spans)
			ADD(s, "-e", "*", "--by", "comm,type", "--summary");
		else
			ADD(s, "--count", "type,comm");
		break;
	case PAGE:
		if (several)
			ADD(s, "--by", "type,comm");
		if (spans)
			ADD(s, "-w", "dur");
		break;
	default:
		break;
	}
}

/* Whether all events have a duration: a picture of durations would leave the others out. */
static bool all_spans(const struct mp_facts *f)
{
	return f->spans && f->spans == f->events;
}

/* Adds the program of a form, with the options that the recording needs. */
static void add_program(struct mp_pipeline *p, enum form form, const struct mp_facts *f)
{
	bool spans = makes_spans(p) || all_spans(f);
	struct mp_stage *s;

	if (form == TABLE && !f->events && !f->points) {
		s = mp_pipeline_insert(p, p->n, NULL);
		ADD(s, "mp-fold", "--sort", "weight");
		return;
	}
	s = mp_pipeline_insert(p, p->n, NULL);
	mp_stage_add(s, programs[form]);
	if (!f->events)
		return;
	if (f->values && !makes_spans(p) && (form == HEAT || form == STACKPLOT || form == TABLE))
		add_values(s, form, f);
	else
		add_events(s, form, spans, f->types.n > 1 && !makes_spans(p));
}

/*
 * The first line of that form, or the first line of all with the form's program in place of its
 * last one.
 */
static void choose_form(struct mp_plan *plan, const struct lines *l, const struct mp_facts *f,
			enum form form, const char *by)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (has_form(&l->v[i].pipeline, form))
			break;
	plan->pipeline = (struct mp_pipeline){ NULL, 0, 0 };
	if (i < l->n) {
		mp_pipeline_copy(&plan->pipeline, &l->v[i].pipeline);
		plan->why = mp_asprintf("%s, as collector %s shows it", by, l->v[i].collector);
		return;
	}
	if (l->n)
		copy_base(&plan->pipeline, &l->v[0].pipeline);
	add_program(&plan->pipeline, form, f);
	plan->why = mp_strdup(by);
}

/* --- the choice ------------------------------------------------------------------------------- */

static bool find_form(const char *word, enum form *form)
{
	size_t i;

	for (i = 0; mp_plan_forms[i]; i++)
		if (strcmp(mp_plan_forms[i], word) == 0) {
			*form = i;
			return true;
		}
	return false;
}

/* Whether a line needs times, which in-kernel aggregation does not record. */
static bool needs_times(const struct mp_pipeline *p)
{
	return has_form(p, PAGE) || has_form(p, TIMELINE) || has_form(p, HEAT);
}

/*
 * The first line whose programs are all installed, and that the recording suits. Returns false if
 * there is none.
 */
static bool choose_line(struct mp_plan *plan, const struct lines *l, const struct mp_facts *f)
{
	bool timeless = f->stacks && !f->events;
	const char *missing = NULL, *why;
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (timeless && needs_times(&l->v[i].pipeline))
			continue;
		why = mp_pipeline_missing(&l->v[i].pipeline);
		if (!why)
			break;
		missing = missing ? missing : why;
	}
	if (missing)
		plan->note = mp_asprintf("%s is not installed", missing);
	if (i == l->n)
		return false;
	mp_pipeline_copy(&plan->pipeline, &l->v[i].pipeline);
	plan->why = i ? mp_asprintf("choice %zu of collector %s", i + 1, l->v[i].collector)
		      : mp_asprintf("the default of collector %s", l->v[i].collector);
	return true;
}

/* Chooses by what is in the recording. */
static void choose_by_content(struct mp_plan *plan, const struct mp_facts *f)
{
	static const struct lines none = { NULL, 0, 0 };

	if (f->stacks && !f->events)
		choose_form(plan, &none, f, FLAME, "the recording has stacks without times");
	else if (f->points && !f->events)
		choose_form(plan, &none, f, STACKPLOT, "the recording has points");
	else if (f->values)
		choose_form(plan, &none, f, STACKPLOT,
			    "the recording has counters or polled values");
	else if (mp_pipeline_installed(programs[PAGE]))
		choose_form(plan, &none, f, PAGE, "the recording has events");
	else if (all_spans(f))
		choose_form(plan, &none, f, HEAT, "the events have durations");
	else if (f->with_stack)
		choose_form(plan, &none, f, FLAME, "the events have stacks");
	else
		choose_form(plan, &none, f, TABLE, "the events have neither stacks nor durations");
}

/* What the configuration chooses for the first collector that it names. Owned; NULL: nothing. */
static char *find_configured(const struct mp_facts *f, const struct mp_config *c)
{
	const struct mp_map_entry *e;

	for (e = f->collectors.first; e; e = e->next) {
		const char *colon = memchr(e->key.p, ':', e->key.len);
		struct mp_str name = { e->key.p, colon ? (size_t)(colon - e->key.p) : e->key.len };
		const char *shown = mp_config_shown(c, name);

		if (shown)
			return mp_strdup(shown);
	}
	return c->as ? mp_strdup(c->as) : NULL;
}

/* A form or a pipeline of the configuration. */
static void choose_configured(struct mp_plan *plan, const struct lines *l, const struct mp_facts *f,
			      const char *text)
{
	const char *why;
	enum form form;

	if (find_form(text, &form)) {
		choose_form(plan, l, f, form, "the user's configuration");
		return;
	}
	if (mp_pipeline_parse(&plan->pipeline, mp_str(text), &why) < 0)
		mp_die("the pipeline '%s' of the user's configuration has %s", text, why);
	if (is_recorder(plan->pipeline.v[0].argv[0]))
		mp_pipeline_remove(&plan->pipeline, 0);
	if (!plan->pipeline.n)
		mp_die("the pipeline '%s' of the user's configuration shows nothing", text);
	plan->why = mp_strdup("the user's configuration");
}

void mp_plan_choose(struct mp_plan *plan, const struct mp_facts *f, const struct mp_config *c,
		    const char *as)
{
	char *configured = as ? NULL : find_configured(f, c), *by;
	struct lines lines;
	enum form form;

	*plan = (struct mp_plan){ .why = NULL };
	read_lines(&lines, f);
	if (as && find_form(as, &form)) {
		by = mp_asprintf("--as %s", as);
		choose_form(plan, &lines, f, form, by);
		free(by);
	} else if (configured) {
		choose_configured(plan, &lines, f, configured);
	} else if (!choose_line(plan, &lines, f)) {
		choose_by_content(plan, f);
	}
	free(configured);
	release_lines(&lines);
}

/* --- a page ----------------------------------------------------------------------------------- */

static void add_plan(struct mp_plans *plans, struct mp_plan *plan)
{
	plans->v = mp_grow(plans->v, &plans->cap, plans->n + 1, sizeof(*plans->v));
	plans->v[plans->n++] = *plan;
}

/*
 * Adds a part of the page, which takes over `plan`, unless there is one of this form. The form CPEL
 * stands for anything else that a user's own collector shows.
 */
static void add_part(struct mp_plans *plans, struct mp_plan *plan, enum form form)
{
	static const struct {
		const char *title, *suffix;
	} parts[] = {
		[FLAME] = { "flame graph", ".html" }, [TIMELINE] = { "timeline", ".html" },
		[HEAT] = { "heat map", ".svg" },      [STACKPLOT] = { "areas", ".svg" },
		[TREEMAP] = { "treemap", ".svg" },    [TABLE] = { "table", ".txt" },
		[CPEL] = { "result", ".txt" },
	};
	size_t i;

	for (i = 0; i < plans->n && plans->v[i].title != parts[form].title;)
		i++;
	if (i < plans->n || mp_pipeline_missing(&plan->pipeline)) {
		mp_plan_release(plan);
		return;
	}
	plan->title = parts[form].title;
	plan->suffix = parts[form].suffix;
	add_plan(plans, plan);
}

/* The form of a part of a page that a pipeline makes. Returns false if it makes none. */
static bool find_part(const struct mp_pipeline *p, enum form *form)
{
	for (*form = FLAME; *form < CPEL; ++*form)
		if (has_form(p, *form))
			return true;
	return false;
}

/* Whether a recording with these lines has events, where nothing else is known of it. */
static bool shows_events(const struct lines *l)
{
	size_t i;
	enum form form;

	for (i = 0; i < l->n; i++)
		if (has_form(&l->v[i].pipeline, PAGE) ||
		    (find_part(&l->v[i].pipeline, &form) && form != FLAME))
			return true;
	return false;
}

/* Excludes what a recording has beside events, which has pictures of its own. */
static void only_events(struct mp_plan *plan, const struct mp_facts *f)
{
	if (f->events && (f->points || f->stacks))
		ADD(mp_pipeline_insert(&plan->pipeline, 0, NULL), "mp-select", "-f", "time >= 0");
}

/* Adds a picture of what a recording has beside events, and of which a condition selects all. */
static void add_others(struct mp_plans *plans, enum form form, const char *all, const char *why)
{
	struct mp_plan plan = { .why = mp_strdup(why) };

	ADD(mp_pipeline_insert(&plan.pipeline, 0, NULL), "mp-select", "-f", all);
	mp_stage_add(mp_pipeline_insert(&plan.pipeline, 1, NULL), programs[form]);
	add_part(plans, &plan, form);
}

/*
 * Adds what the recording is shown by without a page, what the collectors show, each form once, and
 * a table. The page itself has a flame graph.
 */
static void add_parts(struct mp_plans *plans, const struct lines *l, const struct mp_facts *f)
{
	struct mp_plan plan = { .why = NULL };
	enum form form;
	size_t i;

	if (!choose_line(&plan, l, f))
		choose_by_content(&plan, f);
	if (has_form(&plan.pipeline, PAGE) || has_form(&plan.pipeline, CPEL)) {
		mp_plan_release(&plan);
	} else {
		find_part(&plan.pipeline, &form);
		add_part(plans, &plan, form);
	}
	for (i = 0; i < l->n; i++) {
		if (!find_part(&l->v[i].pipeline, &form) || form == FLAME)
			continue;
		plan = (struct mp_plan){ .why = mp_asprintf("as collector %s shows it",
							    l->v[i].collector) };
		mp_pipeline_copy(&plan.pipeline, &l->v[i].pipeline);
		add_part(plans, &plan, form);
	}
	if (!f->events)
		return;
	if (f->points)
		add_others(plans, STACKPLOT, "x >= 0 || x < 0", "the points");
	if (f->stacks)
		add_others(plans, FLAME, "weight >= 0 || weight < 0", "the stacks");
	plan = (struct mp_plan){ .why = NULL };
	choose_form(&plan, l, f, TABLE, "the events");
	only_events(&plan, f);
	add_part(plans, &plan, TABLE);
}

bool mp_plans_page(struct mp_plans *plans, const struct mp_facts *f, const struct mp_config *c)
{
	char *configured = find_configured(f, c);
	struct mp_plan page = { .title = "page" };
	struct lines lines;
	bool suits;

	*plans = (struct mp_plans){ NULL, 0, 0 };
	if (configured || !mp_pipeline_installed(programs[PAGE])) {
		free(configured);
		return false;
	}
	read_lines(&lines, f);
	suits = f->events || (!f->stacks && !f->points && shows_events(&lines));
	if (suits) {
		choose_form(&page, &lines, f, PAGE,
			    f->points || f->stacks ? "the events" : "all of the recording");
		only_events(&page, f);
		add_plan(plans, &page);
		add_parts(plans, &lines, f);
	}
	release_lines(&lines);
	return suits;
}

/* --- text ------------------------------------------------------------------------------------- */

static void add_pipeline(struct mp_plans *plans, const struct mp_pipeline *p)
{
	add_plan(plans, &(struct mp_plan){ .pipeline = *p });
}

/* Makes the last program write text. Returns false if it cannot. */
static bool make_text(struct mp_pipeline *p)
{
	struct mp_stage *s = last_of(p);
	const char *name = s->argv[0];

	if (strcmp(name, programs[FLAME]) == 0 && !mp_stage_has(s, "--text"))
		mp_stage_add(s, "--text");
	else if (strcmp(name, programs[HEAT]) == 0 && !mp_stage_has(s, "--ascii"))
		mp_stage_add(s, "--ascii");
	else
		return strcmp(name, programs[TIMELINE]) != 0 &&
		       strcmp(name, programs[STACKPLOT]) != 0 &&
		       strcmp(name, programs[TREEMAP]) != 0 && strcmp(name, programs[CPEL]) != 0 &&
		       strcmp(name, programs[PAGE]) != 0 && strcmp(name, "flamegraph.pl") != 0;
	return true;
}

static bool has_program(const struct mp_plans *plans, const char *program)
{
	size_t i;

	for (i = 0; i < plans->n; i++)
		if (strcmp(last_of(&plans->v[i].pipeline)->argv[0], program) == 0)
			return true;
	return false;
}

/* Adds a form that no collector shows, after the first programs of its first line. */
static void add_text_form(struct mp_plans *plans, const struct lines *l, const struct mp_facts *f,
			  enum form form)
{
	struct mp_pipeline p = { NULL, 0, 0 };

	if (has_program(plans, programs[form]))
		return;
	if (l->n && form != FLAME)
		copy_base(&p, &l->v[0].pipeline);
	add_program(&p, form, f);
	make_text(&p);
	add_pipeline(plans, &p);
}

void mp_plans_text(struct mp_plans *plans, const struct mp_facts *f)
{
	struct mp_pipeline p;
	struct lines lines;
	bool spans = f->spans;
	size_t i;

	*plans = (struct mp_plans){ NULL, 0, 0 };
	read_lines(&lines, f);
	for (i = 0; i < lines.n; i++) {
		spans |= makes_spans(&lines.v[i].pipeline);
		mp_pipeline_copy(&p, &lines.v[i].pipeline);
		if (make_text(&p) && !mp_pipeline_missing(&p))
			add_pipeline(plans, &p);
		else
			mp_pipeline_release(&p);
	}
	if (f->with_stack || f->stacks)
		add_text_form(plans, &lines, f, FLAME);
	if (spans)
		add_text_form(plans, &lines, f, HEAT);
	if (!plans->n || (f->events && !has_program(plans, programs[TABLE])))
		add_text_form(plans, &lines, f, TABLE);
	release_lines(&lines);
}

void mp_plan_release(struct mp_plan *plan)
{
	mp_pipeline_release(&plan->pipeline);
	free(plan->why);
	free(plan->note);
}

void mp_plans_release(struct mp_plans *plans)
{
	size_t i;

	for (i = 0; i < plans->n; i++)
		mp_plan_release(&plans->v[i]);
	free(plans->v);
}
