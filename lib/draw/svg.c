// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/svg.h"

#include <math.h>
#include <stdio.h>

#define ELLIPSIS "\xe2\x80\xa6" /* U+2026 */

/*
 * Whether XML 1.0 forbids the character, or it is not printable: U+FFFE, C1 controls, line
 * separators, bidi controls.
 */
static bool is_unfit(int32_t v)
{
	return v < 0 || (v >= 0x80 && v < 0xa0) || (v & 0xfffe) == 0xfffe ||
	       (v >= 0xfdd0 && v < 0xfdf0) || v == 0x61c || v == 0x200e || v == 0x200f ||
	       (v >= 0x2028 && v < 0x202f) || (v >= 0x2066 && v < 0x206a) || v == 0xfeff;
}

/* Splits the next character off `*s` and returns it cleaned; `hold` has room for its escape. */
static struct mp_str next_clean(struct mp_str *s, char hold[8])
{
	size_t len;
	int32_t v = mp_str_utf8(*s, &len);
	struct mp_str piece = { s->p, len };

	if (is_unfit(v))
		piece = MP_STR(MP_REPLACEMENT);
	else if (v < 0x20 || v == 0x7f)
		piece = (struct mp_str){ hold, snprintf(hold, 8, "\\x%02x", (unsigned)v) };
	s->p += len;
	s->len -= len;
	return piece;
}

void mp_svg_clean(struct mp_buf *to, struct mp_str raw)
{
	char hold[8];

	while (raw.len)
		mp_buf_str(to, next_clean(&raw, hold));
}

static struct mp_str xml_entity(char c)
{
	switch (c) {
	case '&':
		return MP_STR("&amp;");
	case '<':
		return MP_STR("&lt;");
	case '>':
		return MP_STR("&gt;");
	case '"':
		return MP_STR("&quot;");
	case '\'':
		return MP_STR("&#39;");
	}
	return MP_STR("");
}

void mp_svg_text(struct mp_buf *to, struct mp_str raw)
{
	char hold[8];

	while (raw.len) {
		struct mp_str piece = next_clean(&raw, hold), entity = xml_entity(piece.p[0]);

		mp_buf_str(to, entity.len ? entity : piece);
	}
}

void mp_svg_json(struct mp_buf *to, struct mp_str raw)
{
	char hold[8];

	mp_buf_byte(to, '"');
	while (raw.len) {
		struct mp_str piece = next_clean(&raw, hold);
		size_t i;

		for (i = 0; i < piece.len; i++) {
			char c = piece.p[i];

			if (strchr("<>&'\"\\", c) && c)
				mp_buf_printf(to, "\\u%04x", (unsigned)c);
			else
				mp_buf_byte(to, c);
		}
	}
	mp_buf_byte(to, '"');
}

void mp_svg_files(struct mp_buf *to, char *const *operands)
{
	bool named = operands && operands[0];
	size_t i;

	for (i = 0; named && operands[i]; i++)
		named = strcmp(operands[i], "-") != 0;
	mp_buf_printf(to, "\"files\":[");
	for (i = 0; named && operands[i]; i++) {
		if (i)
			mp_buf_byte(to, ',');
		mp_svg_json(to, mp_str(operands[i]));
	}
	mp_buf_byte(to, ']');
}

void mp_svg_num(struct mp_buf *to, double v)
{
	char text[32];
	double hundredths = round(v * 100);
	int len;

	if (!(fabs(hundredths) < 1e12)) /* no picture is so large */
		hundredths = 0;
	len = snprintf(text, sizeof(text), "%.2f", hundredths / 100 + 0.0);
	while (text[len - 1] == '0')
		len--;
	if (text[len - 1] == '.')
		len--;
	if (strncmp(text, "-0", len) == 0)
		mp_buf_byte(to, '0');
	else
		mp_buf_add(to, text, len);
}

/* Hundredths of an em of the characters from blank to tilde. */
static const uint8_t advances[] = {
	32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36,	 32, 34, 64, 64, 64,
	64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
	58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,	 61, 73, 68, 99, 69,
	61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,	 63, 63, 28, 28, 58,
	28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59,	 52, 64, 34, 64, 84,
};

static double advance(unsigned char first)
{
	if (first >= 0x80)
		return (first & 0xc0) == 0x80 ? 0
					      : 1.04; /* later bytes of a character have no width */
	return first < ' ' || first > '~' ? 0 : advances[first - ' '] / 100.0;
}

double mp_svg_width(struct mp_str text, double font_px)
{
	double em = 0;
	size_t i;

	for (i = 0; i < text.len; i++)
		em += advance(text.p[i]);
	return em * font_px;
}

/* How many bytes of a text fit, from its start or its end, as complete characters. */
static size_t fitting(struct mp_str text, double px, double font_px, bool from_end)
{
	size_t good = 0, i;
	double used = 0;

	for (i = 0; i < text.len; i++) {
		size_t at = from_end ? text.len - 1 - i : i;
		bool later = (text.p[at] & 0xc0) == 0x80;

		if (!from_end && !later)
			good = i;
		used += advance(text.p[at]) * font_px;
		if (used > px)
			return good;
		if (from_end && !later)
			good = i + 1;
	}
	return text.len;
}

bool mp_svg_fit(struct mp_buf *to, struct mp_str text, double px, double font_px)
{
	double room = px - mp_svg_width(MP_STR(ELLIPSIS), font_px);
	struct mp_str tail;
	size_t head;

	if (mp_svg_width(text, font_px) <= px) {
		mp_buf_str(to, text);
		return false;
	}
	head = fitting(text, room * 0.6, font_px, false);
	tail = (struct mp_str){ text.p + head, text.len - head };
	room -= mp_svg_width((struct mp_str){ text.p, head }, font_px);
	tail.len = fitting(tail, room, font_px, true);
	tail.p = text.p + text.len - tail.len;
	mp_buf_add(to, text.p, head);
	mp_buf_str(to, MP_STR(ELLIPSIS));
	mp_buf_str(to, tail);
	return true;
}

void mp_svg_label(struct mp_buf *to, double x, double y, const char *attrs, struct mp_str raw,
		  double max_px, double font_px)
{
	struct mp_buf clean = { NULL, 0, 0 }, shown = { NULL, 0, 0 };
	bool cut;

	mp_svg_clean(&clean, raw);
	cut = mp_svg_fit(&shown, mp_buf_view(&clean), max_px > 0 ? max_px : HUGE_VAL, font_px);
	mp_buf_printf(to, "<text x=\"");
	mp_svg_num(to, x);
	mp_buf_printf(to, "\" y=\"");
	mp_svg_num(to, y);
	mp_buf_printf(to, "\"%s%s>", *attrs ? " " : "", attrs);
	if (cut) {
		mp_buf_str(to, MP_STR("<title>"));
		mp_svg_text(to, mp_buf_view(&clean));
		mp_buf_str(to, MP_STR("</title>"));
	}
	mp_svg_text(to, mp_buf_view(&shown));
	mp_buf_str(to, MP_STR("</text>\n"));
	mp_buf_release(&clean);
	mp_buf_release(&shown);
}

static const char common_css[] =
	"svg{color-scheme:light dark}\n"
	"text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328;"
	"font-variant-numeric:tabular-nums;white-space:pre}\n"
	"text.title{font-size:16px;font-weight:600}\n"
	"text.dim{fill:#59636e}\n"
	"text.mono{font-family:ui-monospace,'DejaVu Sans Mono',monospace}\n"
	".paper{fill:#fff}.axis{stroke:#818b98;fill:none}.grid{stroke:#818b98;stroke-opacity:.25;"
	"fill:none}\n"
	".box{fill:#fff;fill-opacity:.96;stroke:#818b98}\n"
	".lost{fill:#d1242f;fill-opacity:.2;pointer-events:none}.mark{fill:#d1242f}\n";

static const char common_dark_css[] =
	"text{fill:#e6edf3}text.dim{fill:#9198a1}.paper{fill:#0d1117}.axis{stroke:#7d8590}"
	".grid{stroke:#7d8590}.box{fill:#161b22;stroke:#7d8590}\n"
	".lost{fill:#f85149;fill-opacity:.28}.mark{fill:#f85149}\n";

void mp_svg_begin(struct mp_buf *to, const struct mp_svg_doc *doc)
{
	mp_buf_printf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
	mp_svg_num(to, doc->width);
	mp_buf_printf(to, "\" height=\"");
	mp_svg_num(to, doc->height);
	mp_buf_printf(to, "\" viewBox=\"0 0 ");
	mp_svg_num(to, doc->width);
	mp_buf_byte(to, ' ');
	mp_svg_num(to, doc->height);
	mp_buf_printf(to, "\" style=\"max-width:100%%;height:auto\" "
			  "role=\"graphics-document document\" aria-labelledby=\"mp-title\" "
			  "aria-describedby=\"mp-desc\">\n<title id=\"mp-title\">");
	mp_svg_text(to, doc->title);
	mp_buf_printf(to, "</title>\n<desc id=\"mp-desc\">");
	mp_svg_text(to, doc->desc);
	mp_buf_printf(to,
		      "</desc>\n<style>\n%s%s@media (prefers-color-scheme:dark){\n%s%s}\n"
		      "</style>\n",
		      common_css, doc->css ? doc->css : "", common_dark_css,
		      doc->dark_css ? doc->dark_css : "");
	mp_buf_printf(to, "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n");
}

void mp_svg_fill_rule(struct mp_buf *css, struct mp_buf *dark_css, const char *class,
		      const struct mp_rgb colours[MP_PAPERS])
{
	char text[MP_RGB_TEXT];

	mp_rgb_put(text, colours[MP_LIGHT]);
	mp_buf_printf(css, ".%s{fill:%s}\n", class, text);
	mp_rgb_put(text, colours[MP_DARK]);
	mp_buf_printf(dark_css, ".%s{fill:%s}\n", class, text);
}

void mp_svg_script(struct mp_buf *to, struct mp_str data, const char *code)
{
	mp_buf_printf(to, "<script>//<![CDATA[\n");
	mp_buf_str(to, data);
	mp_buf_printf(to, "\n%s//]]></script>\n", code);
}

void mp_svg_end(struct mp_buf *to)
{
	mp_buf_str(to, MP_STR("</svg>\n"));
}
