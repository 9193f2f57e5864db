// SPDX-License-Identifier: GPL-2.0-only
/* mp-svg-heatmap: draw a heat map: counts or sums of a weight over two axes. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/heatmap/build.h"
#include "lib/heatmap/caption.h"
#include "lib/heatmap/heatascii.h"
#include "lib/heatmap/heatsvg.h"
#include "lib/stream/choice.h"

enum {
	OPT_ANSI = MP_OPT_LONG,
	OPT_ASCII,
	OPT_CATEGORY,
	OPT_COLOUR,
	OPT_COLUMNS,
	OPT_DIFF,
	OPT_DUMP,
	OPT_HUE,
	OPT_LOG,
	OPT_LOG_X,
	OPT_OVERFLOW,
	OPT_PALETTE,
	OPT_PANELS,
	OPT_SIDES,
	OPT_PERCENTILES,
	OPT_ROWS,
	OPT_SORT,
	OPT_SUBSECOND,
	OPT_TITLE,
};

enum { MAX_PERCENTILES = 16, TRIES = 4, TOP = 12, TOP_MAX = MP_SLOTS };

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is drawn" },
	{ 'x', "x", "FIELD", "horizontal axis (default: time; of points: x)" },
	{ 'y', "y", "FIELD", "vertical axis (default: dur; of points: y)" },
	{ OPT_CATEGORY, "category", "FIELDS",
	  "show these as names, even if they look like numbers (cpu, pid, tid and text always "
	  "are)" },
	{ OPT_SUBSECOND, "subsecond", NULL,
	  "a column for each second; rows are the time within "
	  "the second" },
	{ OPT_PANELS, "panels", "FIELD",
	  "a map for each value of FIELD, one below the other, with the same axes and colours" },
	{ OPT_HUE, "hue", "FIELD",
	  "a hue for each value of FIELD; a cell has that of the value that is most of it" },
	{ 'n', "top", "N",
	  "panels or hues of the N heaviest values, and one of the rest (default: 12)" },
	{ OPT_SIDES, "sides", NULL,
	  "a map for each of two FILEs, before and after, with the same axes and colours" },
	{ OPT_DIFF, "diff", NULL,
	  "compare two FILEs: blue is less in the second one, orange is more" },
	MP_CHOICE_EVENT(MP_CHOICE_ADDED),
	MP_CHOICE_WEIGHT("add up FIELD, such as dur or .bytes (default: 1 for each); "
			 "dur over time by names: spread over the time it covers"),
	{ 0, NULL, NULL, "How it is drawn" },
	{ OPT_LOG, "log", NULL, "logarithmic vertical axis" },
	{ OPT_LOG_X, "log-x", NULL, "logarithmic horizontal axis (not of times)" },
	{ OPT_OVERFLOW, "overflow", "N%",
	  "move at most N percent at either end of an axis to an overflow row, if that doubles "
	  "the room for the rest (default: 1%)" },
	{ OPT_COLUMNS, "columns", "N", "about N columns; of names at most (default: 150)" },
	{ OPT_ROWS, "rows", "N", "about N rows; of names at most (default: 64)" },
	{ OPT_SORT, "sort", "ORDER",
	  "order of rows of names, and of panels: name (default) or weight" },
	{ OPT_COLOUR, "colour", "SCALE", "linear, sqrt (default) or log" },
	{ OPT_PALETTE, "palette", "NAME", "viridis (default), cividis, magma, inferno, grey" },
	{ OPT_PERCENTILES, "percentiles", "LIST",
	  "lines of percentiles of each column, as in 50,90,99" },
	{ OPT_TITLE, "title", "TEXT", "instead of the names of the fields" },
	{ 0, NULL, NULL, "Output" },
	{ OPT_ASCII, "ascii", NULL, "draw text for the terminal" },
	{ OPT_ANSI, "ansi", "WHEN",
	  "colours of the text: auto (default: on a terminal that has them), always, never" },
	{ OPT_DUMP, "dump", NULL,
	  "write the cells, as mp-grid(5); dumps can be read like any input, and add up to one "
	  "picture" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-svg-heatmap",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Draw a heat map of events, spans or points as one SVG file.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-svg-heatmap --log disk.mp > disk.svg\n"
		    "  mp-svg-heatmap -y .bytes -e 'block:*issue' blocks.mp > size.svg\n"
		    "  mp-sched -s run sched.mp | mp-svg-heatmap -y cpu --weight dur > busy.svg\n"
		    "  mp-svg-heatmap --ascii --log disk.mp\n"
		    "  mp-svg-heatmap --diff --log web1.mp web2.mp > change.svg\n",
};

static struct {
	struct mp_heat_wish wish;
	struct mp_heat_style style;
	double percentiles[MAX_PERCENTILES];
	const struct mp_palette *palette;
	const char *title;
	struct mp_buf globs;
	bool ascii, dump, diff;
	enum { ANSI_AUTO, ANSI_ALWAYS, ANSI_NEVER } ansi;
} options;

static struct mp_heat_reader reader;

static double share_option(int code, const char *arg)
{
	size_t len = strlen(arg);
	double v;

	if (len && arg[len - 1] == '%')
		len--;
	if (mp_num_decimal((struct mp_str){ arg, len }, &v) < 0 || v < 0 || v > 50)
		mp_opt_bad(&program, code, arg, "a percentage from 0 to 50");
	return v / 100;
}

static void add_percentiles(const char *arg)
{
	size_t *n = &options.style.n_percentiles;
	const char *p = arg;
	double v;

	for (;;) {
		size_t len = strcspn(p, ",");

		if (mp_num_decimal((struct mp_str){ p, len }, &v) < 0 || v < 0 || v > 100 ||
		    *n == MAX_PERCENTILES)
			mp_opt_bad(&program, OPT_PERCENTILES, arg,
				   "a list of at most 16 percentages, as in 50,90,99");
		options.percentiles[(*n)++] = v / 100;
		if (!p[len])
			break;
		p += len + 1;
	}
	options.style.percentiles = options.percentiles;
}

static void set_how(int code, const char *arg)
{
	static const char *const scales[] = { "linear", "sqrt", "log", NULL };
	static const char *const orders[] = { "name", "weight", NULL };
	static const char *const whens[] = { "auto", "always", "never", NULL };

	switch (code) {
	case OPT_LOG:
		options.style.log_y = true;
		break;
	case OPT_LOG_X:
		options.style.log_x = true;
		break;
	case OPT_OVERFLOW:
		options.style.overflow = share_option(code, arg);
		break;
	case OPT_COLUMNS:
		options.style.columns = mp_opt_number(&program, code, arg, 1, MP_GRID_COLUMNS);
		break;
	case OPT_ROWS:
		options.style.rows = mp_opt_number(&program, code, arg, 1, MP_GRID_ROWS);
		break;
	case OPT_SORT:
		options.style.rows_by_weight = mp_opt_word(&program, code, arg, orders) == 1;
		break;
	case OPT_COLOUR:
		options.style.colour = mp_opt_word(&program, code, arg, scales);
		break;
	case OPT_PALETTE:
		options.palette = mp_palette_find(arg);
		if (!options.palette)
			mp_usage("unknown palette '%s' (%s)", arg, mp_palette_list());
		break;
	case OPT_PERCENTILES:
		add_percentiles(arg);
		break;
	case OPT_TITLE:
		options.title = arg;
		break;
	case OPT_ANSI:
		options.ansi = mp_opt_word(&program, code, arg, whens);
		break;
	}
}

static void set_option(int code, const char *arg)
{
	if (mp_choice_option(&reader.choice, &program, code, arg) && code != 'e')
		return;
	switch (code) {
	case 'x':
		options.wish.x = mp_choice_field(&program, code, arg);
		mp_choice_name(&reader.choice, &options.wish.x, "-x", MP_CHOICE_NUMBER);
		break;
	case 'y':
		options.wish.y = mp_choice_field(&program, code, arg);
		mp_choice_name(&reader.choice, &options.wish.y, "-y", MP_CHOICE_NUMBER);
		break;
	case 'e':
		mp_buf_printf(&options.globs, "%s%s", options.globs.len ? "," : "", arg);
		break;
	case OPT_HUE:
	case OPT_PANELS:
		if (options.wish.group.name.p && options.style.hue != (code == OPT_HUE))
			mp_usage("--panels cannot be combined with --hue");
		options.style.hue = code == OPT_HUE;
		options.wish.group = mp_choice_field(&program, code, arg);
		mp_choice_name(&reader.choice, &options.wish.group,
			       options.style.hue ? "--hue" : "--panels", MP_CHOICE_KEY);
		break;
	case 'n':
		options.style.top = mp_opt_number(&program, code, arg, 1, TOP_MAX);
		break;
	case OPT_CATEGORY:
		mp_choice_fields(&options.wish.names, arg, &reader.choice.names, "--category");
		break;
	case OPT_SUBSECOND:
		options.wish.subsecond = true;
		break;
	case OPT_ASCII:
		options.ascii = true;
		break;
	case OPT_SIDES:
		options.wish.sides = true;
		break;
	case OPT_DIFF:
		options.diff = true;
		break;
	case OPT_DUMP:
		options.dump = true;
		break;
	default:
		set_how(code, arg);
	}
}

static bool is_type(const struct mp_field *f)
{
	return f->name.p && f->id == MP_FIELD_TYPE;
}

static void check_group(void)
{
	const char *option = options.style.hue ? "--hue" : "--panels";

	if (options.dump || options.ascii || options.diff)
		mp_usage("%s cannot be combined with --dump, --ascii or --diff", option);
	if (options.style.hue && options.style.n_percentiles)
		mp_usage("--hue cannot be combined with --percentiles");
}

static void check_diff(int n_files)
{
	if (n_files != 2)
		mp_usage("--diff compares two FILEs");
	if (options.dump || options.ascii || options.wish.subsecond || options.style.n_percentiles)
		mp_usage("--diff cannot be combined with --dump, --ascii, --subsecond or "
			 "--percentiles");
	options.palette = NULL;
}

static void check_sides(int n_files)
{
	if (n_files != 2)
		mp_usage("--sides shows two FILEs");
	if (options.dump || options.ascii || options.diff || options.wish.subsecond ||
	    options.wish.group.name.p)
		mp_usage("--sides cannot be combined with --diff, --panels, --hue, --subsecond, "
			 "--dump or --ascii");
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	options.palette = mp_palette_find("viridis");
	options.style.colour = MP_HEAT_SQRT;
	options.style.overflow = 0.01;
	options.style.top = TOP;
	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	if (options.dump && options.ascii)
		mp_usage("--dump cannot be combined with --ascii");
	if (options.wish.group.name.p)
		check_group();
	if (options.diff)
		check_diff(argc - optind);
	if (options.wish.sides)
		check_sides(argc - optind);
	if (options.wish.subsecond && (options.wish.x.name.p || options.wish.y.name.p))
		mp_usage("--subsecond cannot be combined with -x or -y");
	if (is_type(&options.wish.x) || is_type(&options.wish.y) || is_type(&options.wish.group))
		reader.choice.types.mixed = true;
}

/* The size of the terminal in columns and lines; 80 and 24 if there is no terminal. */
static void terminal_size(size_t *width, size_t *height)
{
	struct winsize size;

	*width = 80;
	*height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		*width = size.ws_col;
		*height = size.ws_row;
	}
}

static enum mp_ansi ansi(void)
{
	enum mp_ansi has = mp_heat_ansi_of(getenv("TERM"), getenv("COLORTERM"));

	if (options.ansi == ANSI_ALWAYS)
		return MP_MAX(has, MP_ANSI_256);
	return options.ansi == ANSI_NEVER || !isatty(STDOUT_FILENO) ? MP_ANSI_NONE : has;
}

/* Draws as text with this many bins. Returns the number of columns beyond the grid's range. */
static size_t try_text(struct mp_buf *to, const struct mp_heat_style *style, struct mp_str title,
		       size_t width)
{
	struct mp_heat heat;
	size_t beyond = 0;

	to->len = 0;
	if (!reader.sums.begun ||
	    !mp_heat_make(&heat, &reader.sums.grid, &reader.sums.info, style)) {
		mp_buf_printf(to, "nothing to draw\n");
		return 0;
	}
	mp_heat_ascii(to, &heat, title, ansi(), options.palette, width);
	beyond = (mp_heat_column(&heat, heat.x.n) > 0) + (mp_heat_column(&heat, heat.x.n + 1) > 0);
	mp_heat_release(&heat);
	return beyond;
}

static size_t count_lines(const struct mp_buf *text)
{
	size_t n = 0, i;

	for (i = 0; i < text->len; i++)
		n += text->p[i] == '\n';
	return n;
}

/* Draws as many rows and columns as fit; what is around them depends on what is in them. */
static void draw_text(struct mp_buf *to, struct mp_heat_style *style, struct mp_str title)
{
	size_t width, height, columns, rows, beyond, lines, tries;
	bool any_columns = !style->columns, any_rows = !style->rows;

	terminal_size(&width, &height);
	mp_heat_ascii_bins(width, height, &columns, &rows);
	style->columns = any_columns ? columns : style->columns;
	style->rows = any_rows ? rows : style->rows;
	for (tries = 0; tries < TRIES; tries++) {
		beyond = try_text(to, style, title, width);
		lines = count_lines(to);
		if ((!any_columns || style->columns + 2 * beyond <= columns) &&
		    (!any_rows || lines < height))
			break;
		if (any_columns)
			style->columns = MP_MIN(style->columns, columns - 2 * beyond);
		if (any_rows && lines >= height)
			style->rows -= MP_MIN(lines - height + 1, style->rows - 1);
	}
}

static void draw_svg(struct mp_buf *to, struct mp_heat_style *style, struct mp_str title,
		     char *const *files)
{
	struct mp_heat_look look = { title, options.palette, options.percentiles,
				     options.globs.len ? options.globs.p : NULL,
				     reader.kind ? files : NULL /* a dump has no records */ };
	struct mp_heat heat;

	style->columns = style->columns ? style->columns : 150;
	if (!style->rows)
		style->rows = reader.sums.info.group && !style->hue ? 24 : 64;
	if (reader.sums.begun && mp_heat_make(&heat, &reader.sums.grid, &reader.sums.info, style)) {
		mp_heat_svg(to, &heat, &look);
		mp_heat_release(&heat);
	} else {
		mp_heat_svg_empty(to, &look);
	}
}

static void write_picture(struct mp_out *out, char *const *files)
{
	struct mp_buf title = { NULL, 0, 0 }, text = { NULL, 0, 0 };

	if (options.title)
		mp_buf_str(&title, mp_str(options.title));
	else if (reader.sums.begun)
		mp_heat_title(&title, &reader.sums.info);
	else
		mp_buf_printf(&title, "nothing to draw");
	if (options.diff && !options.title && reader.sums.begun)
		mp_buf_printf(&title, ", change");
	mp_buf_byte(&options.globs, '\0');
	options.globs.len--;
	if (options.ascii)
		draw_text(&text, &options.style, mp_buf_view(&title));
	else
		draw_svg(&text, &options.style, mp_buf_view(&title), files);
	mp_out_write(out, text.p, text.len);
	mp_buf_release(&title);
	mp_buf_release(&text);
}

static enum mp_status report(enum mp_status status)
{
	enum mp_status named = mp_field_check_report(&reader.choice.names);

	status = MP_MAX(status, named);
	if (!reader.sums.begun)
		mp_types_report(&reader.choice.types);
	if (reader.sums.begun && reader.sums.grid.overflow) {
		mp_say("a sum exceeds 63 bits and was held at the limit");
		status = MP_MAX(status, MP_LOSSY);
	}
	if (reader.sums.info.groups.merged) {
		mp_say("more than %d values of '%s': %llu of the lighter ones were merged into "
		       "'other' while reading",
		       MP_GROUPS_MAX, reader.sums.info.group,
		       (unsigned long long)reader.sums.info.groups.merged);
		status = MP_MAX(status, MP_LOSSY);
	}
	return status;
}

int main(int argc, char **argv)
{
	enum mp_status status;
	struct mp_input in;
	const char *why;
	struct mp_rec rec;
	struct mp_out out;

	mp_init("mp-svg-heatmap");
	mp_heat_reader_init(&reader, &options.wish);
	parse_options(argc, argv);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_input_init(&in, argv + optind, MP_CONTROL | MP_EVENT | MP_POINT | MP_STACK, &out);
	in.concerns = mp_choice_concerns;
	in.arg = &reader.choice.types;
	while (mp_input_next(&in, &rec)) {
		if ((options.diff || options.wish.sides) && !reader.after && mp_input_index(&in))
			mp_heat_after(&reader);
		if (rec.kind == MP_CONTROL)
			mp_heat_control(&reader, &in);
		else if (mp_heat_record(&reader, &rec, &why) < 0)
			mp_input_bad(&in, why);
	}
	status = mp_input_finish(&in);
	if (options.diff && !reader.after)
		mp_heat_after(&reader);
	mp_heat_finish(&reader);
	if (options.dump && reader.sums.begun)
		mp_heat_dump(&reader.sums, &out);
	else if (!options.dump && (reader.sums.begun || status == MP_OK))
		write_picture(&out, argv + optind);
	status = report(status);
	mp_out_close(&out);
	mp_heat_reader_release(&reader);
	mp_fields_release(&options.wish.names);
	mp_buf_release(&options.globs);
	return status;
}
