// SPDX-License-Identifier: GPL-2.0-only
#include "lib/page/page.h"

#include "lib/draw/embed.h"
#include "lib/draw/packed.h"
#include "lib/draw/svg.h"
#include "lib/flame/flamedata.h"
#include "lib/flame/flamehtml.h"
#include "lib/page/columns.h"
#include "lib/stats/compare.h"

/* The script finds the level for 2^i differences at number i. */
enum { LEVELS = 24 };

struct data {
	struct mp_flamedata stacks;
	struct mp_page_columns columns;
	bool coarse; /* bins became wider because of the limit */
};

static void put_all(struct mp_buf *all, const struct data *d)
{
	size_t i;

	all->len = 0;
	for (i = 0; i < MP_FLAMEDATA_PARTS; i++)
		mp_buf_str(all, mp_buf_view(&d->stacks.parts[i]));
	for (i = 0; i < MP_PAGE_COLUMNS; i++)
		mp_buf_str(all, mp_buf_view(&d->columns.parts[i]));
}

/* Packs the data; makes bins wider until they fit, or until there is one bin only. */
static void pack(struct mp_buf *to, const struct mp_page *p, struct data *d, size_t limit)
{
	struct mp_buf all = { NULL, 0, 0 };

	for (;;) {
		mp_page_columns_make(&d->columns, p->cells, p->tree, p->measure.len > 0);
		put_all(&all, d);
		if (mp_packed_put_within(to, mp_buf_view(&all), limit))
			break;
		if (p->cells->first == p->cells->last) {
			mp_packed_put(to, mp_buf_view(&all));
			break;
		}
		d->coarse = true;
		mp_page_columns_release(&d->columns);
		mp_page_cells_coarsen(p->cells);
	}
	mp_buf_release(&all);
}

static void put_names(struct mp_buf *to, const struct mp_page *p)
{
	size_t i;

	mp_buf_printf(to, "by:[");
	for (i = 0; i < p->by->n; i++) {
		mp_svg_json(to, p->by->v[i].name);
		mp_buf_byte(to, ',');
	}
	mp_buf_printf(to, "],measure:");
	mp_svg_json(to, p->measure);
	mp_buf_printf(to, ",measured_unit:");
	mp_svg_json(to, mp_str(p->unit));
	mp_buf_printf(to, ",types:");
	mp_svg_json(to, mp_str(p->types ? p->types : ""));
	mp_buf_printf(to, ",files:[");
	for (i = 0; p->files[i]; i++) {
		mp_svg_json(to, mp_str(p->files[i]));
		mp_buf_byte(to, ',');
	}
	mp_buf_byte(to, ']');
}

/* Writes what is needed to compare ranges; each level is for one number of differences. */
static void put_differences(struct mp_buf *to)
{
	size_t i;

	mp_buf_printf(to, ",differences:{levels:[");
	for (i = 0; i < LEVELS; i++)
		mp_buf_printf(to, "%.6g,",
			      mp_compare_student_t(MP_FLAME_ALPHA / 1.07 / (double)(1 << i), 1e9));
	mp_buf_printf(to, "],");
	mp_flamehtml_changes(to, true);
	mp_buf_byte(to, '}');
}

/* Writes what the script knows before it has unpacked the rest. */
static void put_head(struct mp_buf *to, const struct mp_page *p, const struct data *d)
{
	const struct mp_page_cells *cells = p->cells;
	size_t i;

	mp_buf_printf(to,
		      "var D={nodes:%zu,stacks:%zu,total:%lld,unit:\"\",weighed:%s,bins:%zu,"
		      "width:\"%llu\",first:\"%llu\",coarse:%s,cells:%zu,rows:%zu,buckets:%d,",
		      d->stacks.nodes, d->stacks.stacks, (long long)p->tree->nodes[0].total,
		      p->weighed ? "true" : "false", mp_page_cells_bins(cells),
		      (unsigned long long)cells->width_ns, (unsigned long long)cells->first,
		      d->coarse ? "true" : "false", d->columns.stacks, d->columns.rows,
		      MP_PAGE_BUCKETS);
	put_names(to, p);
	mp_buf_byte(to, ',');
	mp_flamehtml_kinds(to, p->tree);
	put_differences(to);
	mp_buf_printf(to, ",sizes:[");
	for (i = 0; i < MP_FLAMEDATA_PARTS; i++)
		mp_buf_printf(to, "%zu,", d->stacks.parts[i].len);
	for (i = 0; i < MP_PAGE_COLUMNS; i++)
		mp_buf_printf(to, "%zu,", d->columns.parts[i].len);
	mp_buf_printf(to, "],added:");
	mp_page_added_list(to, p->added);
	mp_buf_printf(to, ",only_parts:%s};\n", p->only_parts ? "true" : "false");
}

static MP_EMBED(page, ".incbin \"lib/page/page.html\"\n");
static MP_EMBED(script, ".incbin \"lib/draw/units.js\"\n"
			".incbin \"lib/draw/packed.js\"\n"
			".incbin \"lib/flame/tree.js\"\n"
			".incbin \"lib/draw/words.js\"\n"
			".incbin \"lib/draw/fragment.js\"\n"
			".incbin \"lib/draw/ticks.js\"\n"
			".incbin \"lib/flame/change.js\"\n"
			".incbin \"lib/flame/stacks.js\"\n"
			".incbin \"lib/flame/chart.js\"\n"
			".incbin \"lib/flame/graph.js\"\n"
			".incbin \"lib/flame/table.js\"\n"
			".incbin \"lib/page/choice.js\"\n"
			".incbin \"lib/page/cells.js\"\n"
			".incbin \"lib/page/command.js\"\n"
			".incbin \"lib/page/strip.js\"\n"
			".incbin \"lib/page/lists.js\"\n"
			".incbin \"lib/draw/link.js\"\n"
			".incbin \"lib/page/added.js\"\n"
			".incbin \"lib/page/page.js\"\n");

void mp_page_html(struct mp_buf *to, const struct mp_page *p, size_t limit)
{
	struct mp_flame f = { .tree = p->tree, .unit = "" };
	bool empty = p->tree->nodes[0].total == 0;
	struct data d = { .coarse = false };

	mp_flamedata_make(&d.stacks, &f);
	mp_flamehtml_page(to, page(), p->title, empty ? p->nothing : p->subtitle);
	mp_buf_printf(to, "<script type=\"text/plain\" id=\"data\">");
	pack(to, p, &d, limit);
	mp_buf_printf(to, "</script>\n");
	mp_page_added_data(to, p->added);
	mp_buf_printf(to, "<script>\n");
	put_head(to, p, &d);
	mp_buf_printf(to, "%s</script>\n</body>\n</html>\n", script());
	mp_flamedata_release(&d.stacks);
	mp_page_columns_release(&d.columns);
}
