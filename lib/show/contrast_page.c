// SPDX-License-Identifier: GPL-2.0-only
#include "lib/show/contrast_page.h"

#include <stdlib.h>

#include "lib/core/io.h"

static const char *const when[] = { "before", "after" };

void mp_contrast_page_init(struct mp_contrast_page *page, const struct mp_contrast_side *sides)
{
	char *title = mp_asprintf("%s and %s", sides[0].name, sides[1].name);

	*page = (struct mp_contrast_page){ .stem = NULL };
	mp_pipeline_insert(&page->pipeline, 0,
			   (const char *[]){ "mp-page", "--only-parts", "--title", title, NULL });
	free(title);
}

static void forget_base(struct mp_contrast_page *page)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		free(page->base[i]);
		page->base[i] = NULL;
	}
}

void mp_contrast_page_release(struct mp_contrast_page *page)
{
	mp_pipeline_release(&page->pipeline);
	forget_base(page);
}

/* Adds the result of a side, which is shown beside that of the other one. */
static void add_side(struct mp_contrast_page *page, size_t side, const char *path,
		     const char *title, const char *name)
{
	char *text = mp_asprintf("%s, %s: %s", title, when[side], name);

	mp_stage_add_file(&page->pipeline.v[0], side ? "--beside" : "--add", path, text);
	free(text);
}

/* --- running ---------------------------------------------------------------------------------- */

/* The result of the base of a part for a side. */
static char *run_side(struct mp_contrast_page *page, const struct mp_contrast *part, size_t side)
{
	struct mp_recorded *r = page->recorded[side];
	int in = mp_recorded_rewind(r);
	struct mp_pipeline p;
	char *path;

	mp_pipeline_copy(&p, &part->base);
	mp_recorded_head(r, &p, page->select, false);
	if (p.n)
		path = mp_recorded_run(&p, in, part->title, &page->status);
	else if (*r->files[0] == '-')
		path = mp_recorded_pass(in);
	else
		path = mp_strdup(r->files[0]);
	mp_pipeline_release(&p);
	return path;
}

void mp_contrast_page_text(struct mp_contrast_page *page, struct mp_str text, const char *title)
{
	int fd = mp_recorded_temporary();
	struct mp_out out;
	char *path;

	mp_out_init(&out, fd, "a temporary file");
	mp_out_write(&out, text.p, text.len);
	mp_out_flush(&out);
	free(out.buf);
	path = mp_recorded_pass(fd);
	mp_stage_add_file(&page->pipeline.v[0], "--add", path, title);
	free(path);
}

/* Adds the results of both files to the words of the program that compares them. */
static void add_operands(struct mp_pipeline *p, char *const *files)
{
	mp_stage_add(&p->v[0], files[0]);
	mp_stage_add(&p->v[0], files[1]);
}

void mp_contrast_page_add(struct mp_contrast_page *page, const struct mp_contrast *part,
			  const struct mp_contrast_side *sides)
{
	struct mp_pipeline p;
	char *path;
	size_t i;

	if (!part->same_base || !part->compare.n)
		forget_base(page);
	for (i = 0; i < 2; i++)
		if (!page->base[i])
			page->base[i] = run_side(page, part, i);
	if (!part->compare.n) {
		for (i = 0; i < 2; i++)
			if (page->base[i])
				add_side(page, i, page->base[i], part->title, sides[i].name);
		return;
	}
	if (!page->base[0] || !page->base[1])
		return;
	mp_pipeline_copy(&p, &part->compare);
	add_operands(&p, page->base);
	path = mp_recorded_run(&p, mp_recorded_rewind(page->recorded[1]), part->title,
			       &page->status);
	if (path)
		mp_stage_add_file(&page->pipeline.v[0], "--add", path, part->title);
	free(path);
	mp_pipeline_release(&p);
}

/* --- printing --------------------------------------------------------------------------------- */

static void print_line(struct mp_buf *to, const struct mp_pipeline *p, const char *file)
{
	mp_pipeline_print(to, p);
	mp_buf_str(to, MP_STR(" > "));
	mp_pipeline_quote(to, file);
	mp_buf_byte(to, '\n');
}

/* Prints the pipeline of a side, and returns the file of its result, owned by the caller. */
static char *print_side(struct mp_buf *to, const struct mp_contrast_page *page,
			const struct mp_contrast *part, size_t side, const char *file)
{
	const struct mp_recorded *r = page->recorded[side];
	bool direct = !part->base.n && r->n == 1 && !r->imported && page->select->n <= 1;
	struct mp_pipeline p;

	if (direct && part->compare.n)
		return mp_strdup(r->files[0]);
	mp_pipeline_copy(&p, &part->base);
	mp_recorded_head(r, &p, page->select, true);
	print_line(to, &p, file);
	mp_pipeline_release(&p);
	return mp_strdup(file);
}

static void print_part(struct mp_buf *to, struct mp_contrast_page *page,
		       const struct mp_contrast *part, size_t number,
		       const struct mp_contrast_side *sides)
{
	int len = strcspn(part->title, " ,");
	struct mp_pipeline p;
	char *file;
	size_t i;

	if (!part->same_base || !part->compare.n)
		forget_base(page);
	for (i = 0; i < 2; i++) {
		if (page->base[i])
			continue;
		file = part->compare.n ? mp_asprintf("%s-%zu-%s.mp", page->stem, number, when[i])
				       : mp_asprintf("%s-%.*s-%s%s", page->stem, len, part->title,
						     when[i], part->suffix);
		page->base[i] = print_side(to, page, part, i, file);
		free(file);
		if (!part->compare.n)
			add_side(page, i, page->base[i], part->title, sides[i].name);
	}
	if (!part->compare.n)
		return;
	mp_pipeline_copy(&p, &part->compare);
	add_operands(&p, page->base);
	file = mp_asprintf("%s-%.*s%s", page->stem, len, part->title, part->suffix);
	print_line(to, &p, file);
	mp_stage_add_file(&page->pipeline.v[0], "--add", file, part->title);
	free(file);
	mp_pipeline_release(&p);
}

void mp_contrast_page_print(struct mp_buf *to, struct mp_contrast_page *page,
			    const struct mp_contrasts *parts, const struct mp_contrast_side *sides)
{
	char *file = mp_asprintf("%s.html", page->stem);
	size_t i;

	for (i = 0; i < parts->n; i++)
		print_part(to, page, &parts->v[i], i + 1, sides);
	print_line(to, &page->pipeline, file);
	free(file);
	/* names of files are arguments, and may have control bytes */
	for (i = 0; i < to->len; i++)
		if (((unsigned char)to->p[i] < ' ' && to->p[i] != '\n') || to->p[i] == 0x7f)
			to->p[i] = '?';
}
