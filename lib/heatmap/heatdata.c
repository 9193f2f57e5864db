// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/heatdata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/draw/embed.h"
#include "lib/draw/svg.h"
#include "lib/stream/esc.h"

/*
 * The data of the script are D, which is JSON:
 *	x, y: field, name (of the field), n, px: [edges], edge: ["numbers"], unit, zero (of a time
 *	  axis), time, offset: true, names: [...], conds: {index: expression}, below, above:
 *	  [px, px] of the bins n and n + 1
 *	cells: "row;row;...", each "sum,sum,...": bins of x in order, n + 2 of them; a 0 is empty,
 *	  and the zeros at the end of a row, and the empty rows at the end, are omitted
 *	before, sides: of a comparison: the part of cells that is before, and the sums of both sides
 *	panels: {field, names, conds, step}: the cells are those of the panels one after the other,
 *	  which are `step` px apart; the last name is null if it is that of the rest
 *	hues: {field, names, cells: [as cells]}: the parts of the cells, by hue
 *	lost: {bin of x: "events"}, weight, unit, spread, events, files
 */
MP_EMBED(mp_heat_script, ".incbin \"lib/draw/units.js\"\n"
			 ".incbin \"lib/draw/draw.js\"\n"
			 ".incbin \"lib/draw/command.js\"\n"
			 ".incbin \"lib/draw/link.js\"\n"
			 ".incbin \"lib/heatmap/heatmap.js\"\n");

static void add_key(struct mp_buf *to, const char *key, struct mp_str value)
{
	mp_buf_printf(to, ",\"%s\":", key);
	mp_svg_json(to, value);
}

/* Adds the comma between two elements of a list. */
static void add_comma(struct mp_buf *to)
{
	if (!strchr("[{", to->p[to->len - 1]))
		mp_buf_byte(to, ',');
}

/*
 * Adds a glob: quoted text in an expression has no escapes, so '?' replaces a byte that needs one.
 */
static void add_glob(struct mp_buf *to, struct mp_str raw)
{
	size_t i;

	for (i = 0; i < raw.len; i++) {
		char c = raw.p[i];

		mp_buf_byte(to, c >= ' ' && c <= '~' && !strchr("\"'*?[\\", c) ? c : '?');
	}
}

/*
 * Adds the expression that selects a name; in the grid, names have the escapes of the stream. Adds
 * nothing if the script can make it from the name as shown: printable ASCII without quotes.
 */
static void add_condition(struct mp_buf *to, size_t i, const char *field, struct mp_str name)
{
	struct mp_buf raw = { NULL, 0, 0 }, expr = { NULL, 0, 0 };
	struct mp_field plain;
	int64_t number;
	size_t k;

	if (mp_esc_undo(&raw, name) < 0)
		mp_buf_str(&raw, name);
	for (k = 0; k < raw.len && raw.p[k] >= ' ' && raw.p[k] <= '~' && raw.p[k] != '"' &&
		    raw.p[k] != '\\';)
		k++;
	if (mp_num_i64(name, &number) == 0 && (*name.p != '0' || name.len == 1) && *name.p != '+')
		mp_buf_printf(&expr, "%s==%lld", field, (long long)number);
	/* a computed field: all its values are numbers */
	else if (mp_field_parse(&plain, mp_str(field)) < 0)
		mp_buf_printf(&expr, "%s==%.*s", field, MP_STR_ARGS(name));
	else if (name.len == MP_GRID_NAME_MAX)
		mp_buf_printf(&expr, "%s~\"", field);
	else if (k < raw.len || name.len != raw.len)
		mp_buf_printf(&expr, "%s~\"", field);
	if (expr.len && expr.p[expr.len - 1] == '"') {
		add_glob(&expr, mp_buf_view(&raw));
		mp_buf_printf(&expr, name.len == MP_GRID_NAME_MAX ? "*\"" : "\"");
	}
	if (expr.len) {
		add_comma(to);
		mp_buf_printf(to, "\"%zu\":", i);
		mp_svg_json(to, mp_buf_view(&expr));
	}
	mp_buf_release(&raw);
	mp_buf_release(&expr);
}

/* Adds the groups: null is the name of the rest. */
static void add_groups(struct mp_buf *to, const struct mp_heat *h)
{
	size_t i;

	mp_buf_printf(to, "\"names\":[");
	for (i = 0; i < h->n_panes; i++) {
		add_comma(to);
		if (h->panes[i].name.p)
			mp_svg_json(to, h->panes[i].name);
		else
			mp_buf_printf(to, "null");
	}
	mp_buf_printf(to, "],\"conds\":{");
	for (i = 0; i < h->n_panes; i++)
		if (h->panes[i].name.p)
			add_condition(to, i, h->info->group, h->panes[i].name);
	mp_buf_printf(to, "}");
}

static void add_names(struct mp_buf *to, const struct mp_bins *b, const char *field)
{
	size_t i;

	mp_buf_printf(to, ",\"names\":[");
	for (i = 0; i < b->n; i++) {
		add_comma(to);
		mp_svg_json(to, b->name[i]);
	}
	mp_buf_printf(to, "],\"conds\":{");
	for (i = 0; i < b->n; i++)
		add_condition(to, i, field, b->name[i]);
	mp_buf_printf(to, "}");
}

static void add_edges(struct mp_buf *to, const struct mp_bins *b)
{
	size_t i;

	mp_buf_printf(to, ",\"edge\":[");
	for (i = 0; i <= b->n; i++) {
		char text[32];
		int digits = 1;

		add_comma(to);
		if (b->whole) {
			mp_buf_printf(to, "\"%lld\"", (long long)b->whole[i]);
			continue;
		}
		if (b->edge[i] == floor(b->edge[i]) && fabs(b->edge[i]) < 1e15)
			snprintf(text, sizeof(text), "%.0f", b->edge[i]);
		else /* writes as few digits as give the same number */
			do
				snprintf(text, sizeof(text), "%.*g", digits++, b->edge[i]);
			while (digits <= 17 && strtod(text, NULL) != b->edge[i]);
		mp_buf_printf(to, "\"%s\"", text);
	}
	mp_buf_printf(to, "]");
}

static void add_axis(struct mp_buf *to, const char *key, const struct mp_bins *b,
		     const struct mp_heat_axis *axis, const double *px, double below, double above,
		     double beyond)
{
	size_t i;

	mp_buf_printf(to, "\"%s\":{\"n\":%zu", key, b->n);
	add_key(to, "field", mp_str(axis->field));
	add_key(to, "name", mp_str(axis->name ? axis->name : axis->field));
	mp_buf_printf(to, ",\"px\":[");
	for (i = 0; i <= b->n; i++) {
		add_comma(to);
		mp_svg_num(to, px[i]);
	}
	mp_buf_printf(to, "]");
	if (b->names) {
		add_names(to, b, axis->field);
	} else {
		add_edges(to, b);
		add_key(to, "unit", mp_str(axis->unit));
	}
	if (axis->what == MP_HEAT_TIME || axis->what == MP_HEAT_SECOND)
		mp_buf_printf(to, ",\"time\":true,\"zero\":\"%lld\"", (long long)b->zero);
	if (axis->what == MP_HEAT_OFFSET)
		mp_buf_printf(to, ",\"offset\":true");
	if (below > 0)
		mp_buf_printf(to, ",\"below\":[%g,%g]", below, below + beyond);
	if (above > 0)
		mp_buf_printf(to, ",\"above\":[%g,%g]", above, above + beyond);
	mp_buf_printf(to, "},\n");
}

/* Adds the rows of one table; `rows` is the number of empty rows before it. Returns that after it. */
static size_t add_rows(struct mp_buf *to, const struct mp_heat *h, const uint64_t *cells,
		       size_t rows)
{
	size_t x, y, owed;
	char digits[MP_NUM_MAX];

	/* separators of zeros (`owed`) are written only before the next sum */
	for (y = 0; y < h->y.n + 2; y++) {
		for (x = 0, owed = 0; x < h->x.n + 2; x++, owed++) {
			uint64_t v = cells[y * (h->x.n + 2) + x];

			if (!v)
				continue;
			for (; rows; rows--)
				mp_buf_byte(to, ';');
			for (; owed; owed--)
				mp_buf_byte(to, ',');
			mp_buf_add(to, digits, mp_put_u64(digits, v) - digits);
		}
		rows++;
	}
	return rows;
}

static void add_cells(struct mp_buf *to, const struct mp_heat *h, const uint64_t *cells)
{
	mp_buf_byte(to, '"');
	add_rows(to, h, cells, 0);
	mp_buf_printf(to, "\"");
}

static void add_panels(struct mp_buf *to, const struct mp_heat *h, double step)
{
	size_t i, rows = 0;

	mp_buf_byte(to, '"');
	for (i = 0; i < h->n_panes; i++)
		rows = add_rows(to, h, h->panes[i].cells, rows);
	mp_buf_printf(to, "\",\n\"panels\":{\"step\":%g", step);
	add_key(to, "field", mp_str(h->info->group));
	mp_buf_byte(to, ',');
	add_groups(to, h);
	mp_buf_printf(to, "}");
}

static void add_hues(struct mp_buf *to, const struct mp_heat *h)
{
	size_t i;

	add_cells(to, h, h->cells);
	mp_buf_printf(to, ",\n\"hues\":{");
	add_groups(to, h);
	add_key(to, "field", mp_str(h->info->group));
	mp_buf_printf(to, ",\"cells\":[");
	for (i = 0; i < h->n_panes; i++) {
		add_comma(to);
		add_cells(to, h, h->panes[i].cells);
	}
	mp_buf_printf(to, "]}");
}

void mp_heat_data(struct mp_buf *to, const struct mp_heat *h, const struct mp_heat_layout *l,
		  const char *events, char *const *files)
{
	mp_buf_printf(to, "var D={");
	add_axis(to, "x", &h->x, &h->info->x, l->x_px, l->below_x, l->above_x, l->beyond);
	add_axis(to, "y", &h->y, &h->info->y, l->y_px, l->below_y, l->above_y, l->beyond);
	mp_buf_printf(to, "\"cells\":");
	if (!h->info->group)
		add_cells(to, h, h->cells);
	else if (h->hue)
		add_hues(to, h);
	else
		add_panels(to, h, l->step);
	mp_buf_printf(to, ",\n");
	if (h->before) {
		mp_buf_printf(to, "\"before\":");
		add_cells(to, h, h->before);
		mp_buf_printf(to, ",\n\"sides\":[\"%llu\",\"%llu\"],\n",
			      (unsigned long long)h->sum_before, (unsigned long long)h->sum_after);
	}
	mp_buf_printf(to, "\"lost\":");
	mp_lossbins_json(&h->losses, to);
	add_key(to, "weight", mp_str(h->info->weight));
	add_key(to, "unit", mp_str(h->info->unit));
	if (events)
		add_key(to, "events", mp_str(events));
	mp_buf_byte(to, ',');
	mp_svg_files(to, files);
	mp_buf_printf(to, ",\"two\":%s,\"spread\":%s};",
		      h->before || h->info->panel_sides ? "true" : "false",
		      h->info->spread ? "true" : "false");
}
