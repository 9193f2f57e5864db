// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/elfcfi.h"

#include "lib/capture/host/archs.h"
#include "lib/capture/object/bytes.h"
#include "lib/capture/object/elffile.h"
#include "lib/capture/object/gopclntab.h"

enum { UNPACKED_MAX = 256 << 20 }; /* maximum size of a .debug_frame that is unpacked */

/* Adds a section. One that is compressed is unpacked first, if its size is plausible. */
static void add_section(struct mp_cfi *c, Elf_Scn *scn, bool eh_frame)
{
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Chdr ch;

	if (!scn || !gelf_getshdr(scn, &sh))
		return;
	if (sh.sh_flags & SHF_COMPRESSED &&
	    (!gelf_getchdr(scn, &ch) || ch.ch_size > UNPACKED_MAX || elf_compress(scn, 0, 0) < 0))
		return;
	data = elf_getdata(scn, NULL);
	if (data && data->d_buf)
		mp_cfi_add(c, eh_frame, data->d_buf, data->d_size, sh.sh_addr);
}

static bool find_segment(Elf *elf, uint32_t type, uint64_t addr, GElf_Phdr *found)
{
	size_t n, i;

	if (elf_getphdrnum(elf, &n) < 0)
		return false;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, found) && found->p_type == type &&
		    (type != PT_LOAD || addr - found->p_vaddr < found->p_filesz))
			return true;
	return false;
}

/*
 * For files without section headers: PT_GNU_EH_FRAME leads to .eh_frame_hdr, which has the address
 * of .eh_frame. .eh_frame ends at the end of its segment at the latest.
 */
static void add_by_segment(struct mp_cfi *c, Elf *elf)
{
	enum { ENC_PCREL_SDATA4 = 0x1b, HEAD = 8 };
	struct mp_bytes b = { NULL, NULL, false };
	GElf_Phdr head, load;
	Elf_Data *data;
	uint64_t addr, from_start;

	if (!find_segment(elf, PT_GNU_EH_FRAME, 0, &head))
		return;
	data = elf_getdata_rawchunk(elf, (int64_t)head.p_offset, HEAD, ELF_T_BYTE);
	if (!data || data->d_size < HEAD)
		return;
	b.p = data->d_buf;
	b.end = b.p + HEAD;
	if (mp_bytes_fixed(&b, 2) != (ENC_PCREL_SDATA4 << 8 | 1))
		return;
	mp_bytes_skip(&b, 2);
	addr = head.p_vaddr + 4 + (uint64_t)mp_bytes_signed(&b, 4);
	if (!find_segment(elf, PT_LOAD, addr, &load))
		return;
	from_start = addr - load.p_vaddr;
	data = elf_getdata_rawchunk(elf, (int64_t)(load.p_offset + from_start),
				    load.p_filesz - from_start, ELF_T_BYTE);
	if (data && data->d_buf)
		mp_cfi_add(c, true, data->d_buf, data->d_size, addr);
}

static bool add_debug_frame(void *arg, const struct mp_elf *debug)
{
	if (!debug->debug_frame)
		return false;
	add_section(arg, debug->debug_frame, false);
	return true;
}

/*
 * Loads the table of functions of a Go program. Returns whether it is one; its .debug_frame has
 * less information than the table.
 */
static bool add_go_frames(struct mp_cfi *c, const struct mp_elf *f)
{
	struct mp_buf frames = { NULL, 0, 0 };
	size_t before = mp_cfi_count(c);
	struct mp_gopclntab table;

	if (mp_elf_gopclntab(f, &table)) {
		mp_gopclntab_frames(&table, mp_cfi_arch(c), &frames);
		mp_cfi_add(c, false, frames.p, frames.len, 0);
	}
	mp_buf_release(&frames);
	return mp_cfi_count(c) > before;
}

/* `m` NULL: there is no debug file. */
static struct mp_cfi *load(Elf *elf, struct mp_opener *o, const struct mp_open_mapping *m,
			   struct mp_segments *segments)
{
	struct mp_cfi *c;
	struct mp_elf f;
	GElf_Ehdr eh;

	if (!mp_elf_begin(&f, elf) || !gelf_getehdr(elf, &eh) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    !mp_arch_of(eh.e_machine))
		return NULL;
	mp_elf_segments(elf, segments);
	c = mp_cfi_new(mp_arch_of(eh.e_machine));
	if (f.eh_frame)
		add_section(c, f.eh_frame, true);
	else
		add_by_segment(c, elf);
	if (!add_go_frames(c, &f)) {
		if (f.debug_frame)
			add_section(c, f.debug_frame, false);
		else if (m)
			mp_elf_debug_file(&f, o, m, add_debug_frame, c);
	}
	if (mp_cfi_count(c))
		return c;
	mp_cfi_free(c);
	return NULL;
}

struct mp_cfi *mp_elfcfi_load(int fd, struct mp_opener *o, const struct mp_open_mapping *m,
			      struct mp_segments *segments)
{
	struct mp_cfi *c;
	Elf *elf = mp_elf_open(fd);

	c = load(elf, o, m, segments);
	elf_end(elf);
	return c;
}

struct mp_cfi *mp_elfcfi_load_image(const void *image, size_t size, struct mp_segments *segments)
{
	struct mp_cfi *c;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image, size);
	c = load(elf, NULL, NULL, segments);
	elf_end(elf);
	return c;
}
