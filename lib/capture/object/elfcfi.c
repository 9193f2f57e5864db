// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/elfcfi.h"

#include <stdlib.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/bytes.h"
#include "lib/capture/object/elffile.h"
#include "lib/capture/object/gopclntab.h"

static const char what[] = "call frame information";

/* Adds a section, unpacked. */
static void add_section(struct mp_cfi *c, const struct mp_elf_image *e, const Elf64_Shdr *sh,
			bool eh_frame)
{
	struct mp_elf_data data;

	if (mp_elf_load_unpacked(e, sh, what, &data))
		mp_cfi_give(c, eh_frame, data.p, data.size, sh->sh_addr, e->limit);
}

static const Elf64_Phdr *find_segment(const struct mp_elf_image *e, uint32_t type, uint64_t addr)
{
	size_t i;

	for (i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *ph = &e->segments[i];

		if (ph->p_type == type && (type != PT_LOAD || addr - ph->p_vaddr < ph->p_filesz))
			return ph;
	}
	return NULL;
}

/*
 * For files without section headers: PT_GNU_EH_FRAME leads to .eh_frame_hdr, which has the address
 * of .eh_frame. .eh_frame ends at the end of its segment at the latest.
 */
static void add_by_segment(struct mp_cfi *c, const struct mp_elf_image *e)
{
	enum { ENC_PCREL_SDATA4 = 0x1b, HEAD = 8 };
	const Elf64_Phdr *head = find_segment(e, PT_GNU_EH_FRAME, 0), *load;
	struct mp_elf_data data;
	struct mp_bytes b;
	uint8_t bytes[HEAD];
	uint64_t addr, from_start;

	if (!head || !mp_elf_image_read(e, head->p_offset, bytes, sizeof(bytes)))
		return;
	b = (struct mp_bytes){ bytes, bytes + HEAD, false };
	if (mp_bytes_fixed(&b, 2) != (ENC_PCREL_SDATA4 << 8 | 1))
		return;
	mp_bytes_skip(&b, 2);
	addr = head->p_vaddr + 4 + (uint64_t)mp_bytes_signed(&b, 4);
	load = find_segment(e, PT_LOAD, addr);
	if (!load)
		return;
	from_start = addr - load->p_vaddr;
	if (mp_elf_load_range(e, load->p_offset + from_start, load->p_filesz - from_start, what,
			      &data))
		mp_cfi_give(c, true, data.p, data.size, addr, e->limit);
}

static bool add_debug_frame(void *arg, const struct mp_elf *debug)
{
	if (!debug->debug_frame)
		return false;
	add_section(arg, &debug->image, debug->debug_frame, false);
	return true;
}

/*
 * Loads the table of functions of a Go program. Returns whether it is one; its .debug_frame has
 * less information than the table.
 */
static bool add_go_frames(struct mp_cfi *c, const struct mp_elf *f)
{
	struct mp_limit *limit = f->image.limit;
	struct mp_buf frames = { NULL, 0, 0 };
	size_t before = mp_cfi_count(c);
	struct mp_gopclntab table;
	struct mp_elf_data data;

	if (!mp_elf_gopclntab(f, &data, &table))
		return false;
	mp_gopclntab_frames(&table, mp_cfi_arch(c), &frames, limit->bytes);
	mp_elf_drop(&f->image, &data);
	if (mp_limit_take(limit, frames.len, what))
		mp_cfi_give(c, false, frames.p, frames.len, 0, limit);
	else
		mp_buf_release(&frames);
	return mp_cfi_count(c) > before;
}

/* `m` NULL: there is no debug file. */
static struct mp_cfi *load(const struct mp_elf *f, struct mp_opener *o,
			   const struct mp_open_mapping *m, struct mp_segments *segments)
{
	const struct mp_arch *arch = f->image.wide ? mp_arch_of(f->image.machine) : NULL;
	struct mp_cfi *c;

	if (!arch)
		return NULL;
	mp_elf_segments(f, segments);
	c = mp_cfi_new(arch);
	if (f->eh_frame)
		add_section(c, &f->image, f->eh_frame, true);
	else
		add_by_segment(c, &f->image);
	if (!add_go_frames(c, f)) {
		if (f->debug_frame)
			add_section(c, &f->image, f->debug_frame, false);
		else if (m)
			mp_elf_debug_file(f, o, m, add_debug_frame, c);
	}
	if (mp_cfi_count(c))
		return c;
	mp_cfi_free(c);
	return NULL;
}

struct mp_cfi *mp_elfcfi_load(int fd, struct mp_opener *o, const struct mp_open_mapping *m,
			      struct mp_segments *segments, struct mp_limit *limit)
{
	struct mp_cfi *c = NULL;
	struct mp_elf f;

	if (mp_elf_open(&f, fd, NULL, 0, limit)) {
		c = load(&f, o, m, segments);
		mp_elf_close(&f);
	}
	return c;
}

struct mp_cfi *mp_elfcfi_load_image(const void *image, size_t size, struct mp_segments *segments)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	struct mp_cfi *c = NULL;
	struct mp_elf f;

	if (mp_elf_open(&f, -1, image, size, &limit)) {
		c = load(&f, NULL, NULL, segments);
		mp_elf_close(&f);
	}
	return c;
}
