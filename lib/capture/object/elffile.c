// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/elffile.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/object/gopclntab.h"

enum {
	CRC_MAX_BYTES = 256 << 20, /* a checksum of this much takes 0.2 s */
	/* Some notes are large, but not that with the build id. */
	NOTES_MAX_BYTES = 64 << 10,
	NOTES_MAX = 64, /* sections with notes */
	LINK_MAX_BYTES = 4096,
	SECTION_NAMES_MAX_BYTES = 1 << 20,
};

static void note_section(struct mp_elf *f, const Elf64_Shdr *sh, struct mp_str name)
{
	static const struct {
		const char *name;
		size_t at;
	} known[] = {
		{ ".gnu_debugdata", offsetof(struct mp_elf, debugdata) },
		{ ".gnu_debuglink", offsetof(struct mp_elf, debuglink) },
		{ ".eh_frame_hdr", offsetof(struct mp_elf, eh_frame_hdr) },
		{ ".plt", offsetof(struct mp_elf, plt) },
		{ ".plt.sec", offsetof(struct mp_elf, plt_sec) },
		{ ".rela.plt", offsetof(struct mp_elf, rela_plt) },
		{ ".eh_frame", offsetof(struct mp_elf, eh_frame) },
		{ ".debug_frame", offsetof(struct mp_elf, debug_frame) },
		{ ".text", offsetof(struct mp_elf, text) },
		{ ".gopclntab", offsetof(struct mp_elf, gopclntab) },
		{ ".data.rel.ro.gopclntab", offsetof(struct mp_elf, gopclntab) },
		{ ".data.rel.ro", offsetof(struct mp_elf, go_relro) },
		{ ".go.buildinfo", offsetof(struct mp_elf, go_info) },
	};
	size_t i;

	if (sh->sh_type == SHT_SYMTAB)
		f->symtab = sh;
	else if (sh->sh_type == SHT_DYNSYM)
		f->dynsym = sh;
	for (i = 0; i < MP_ARRAY_SIZE(known); i++)
		if (mp_str_eq(name, mp_str(known[i].name)) && sh->sh_type != SHT_NOBITS)
			*(const Elf64_Shdr **)((char *)f + known[i].at) = sh;
}

bool mp_elf_gopclntab(const struct mp_elf *f, struct mp_elf_data *data, struct mp_gopclntab *table)
{
	const Elf64_Shdr *sh = f->gopclntab ? f->gopclntab : f->go_info ? f->go_relro : NULL;
	size_t at = 0;

	if (!mp_elf_load(&f->image, sh, "table of Go functions", data))
		return false;
	if (!f->gopclntab)
		at = mp_gopclntab_search(data->p, data->size);
	if (at != SIZE_MAX &&
	    mp_gopclntab_init(table, data->p + at, data->size - at, f->text ? f->text->sh_addr : 0))
		return true;
	mp_elf_drop(&f->image, data);
	return false;
}

static void read_build_id(struct mp_elf *f, const Elf64_Shdr *sh)
{
	struct mp_elf_data data;
	struct mp_elf_note note;
	struct mp_bytes b;

	if (sh->sh_size > NOTES_MAX_BYTES || !mp_elf_load(&f->image, sh, "notes", &data))
		return;
	b = (struct mp_bytes){ data.p, data.p + data.size, false };
	while (mp_elf_next_note(&b, sh->sh_addralign, &note)) {
		if (note.type != NT_GNU_BUILD_ID || !mp_str_eq(note.name, MP_STR("GNU")) ||
		    note.desc.len > MP_BUILD_ID_MAX)
			continue;
		f->build_id_len = note.desc.len;
		memcpy(f->build_id, note.desc.p, note.desc.len);
	}
	mp_elf_drop(&f->image, &data);
}

bool mp_elf_open(struct mp_elf *f, int fd, const void *memory, size_t size, struct mp_limit *limit)
{
	const struct mp_elf_image *e = &f->image;
	struct mp_elf_data names = { NULL, 0 };
	const Elf64_Shdr *sh;
	size_t i, notes = 0;

	*f = (struct mp_elf){ .symtab = NULL };
	if (!mp_elf_image_init(&f->image, fd, memory, size, limit))
		return false;
	sh = mp_elf_section(e, e->names);
	if (sh && sh->sh_size <= SECTION_NAMES_MAX_BYTES)
		mp_elf_load(e, sh, "names of sections", &names);
	for (i = 0; i < e->n_sections; i++) {
		sh = &e->sections[i];
		note_section(f, sh, mp_elf_string(&names, sh->sh_name));
		if (sh->sh_type == SHT_NOTE && notes++ < NOTES_MAX)
			read_build_id(f, sh);
	}
	mp_elf_drop(e, &names);
	return true;
}

void mp_elf_close(struct mp_elf *f)
{
	mp_elf_image_release(&f->image);
}

void mp_elf_segments(const struct mp_elf *f, struct mp_segments *segments)
{
	size_t i;

	for (i = 0; i < f->image.n_segments; i++) {
		const Elf64_Phdr *ph = &f->image.segments[i];

		if (ph->p_type == PT_LOAD)
			mp_segments_add(segments, ph->p_offset, ph->p_vaddr, ph->p_filesz);
	}
}

/* The checksum of a file; false if that would take long. */
static bool file_crc(int fd, uint32_t *crc)
{
	char *buf = mp_alloc(64 << 10);
	off_t at = 0;
	ssize_t n;

	*crc = 0;
	while (at <= CRC_MAX_BYTES && (n = pread(fd, buf, 64 << 10, at)) > 0) {
		*crc = lzma_crc32((const uint8_t *)buf, n, *crc);
		at += n;
	}
	free(buf);
	return at <= CRC_MAX_BYTES;
}

/*
 * Whether a debug file belongs to `f`: their build ids are equal, or, without build ids, the
 * checksum of the debuglink is right. Closes the file.
 */
static bool try_debug_file(const struct mp_elf *f, int fd, const uint32_t *crc,
			   mp_elf_debug_fn *take, void *arg)
{
	uint32_t actual;
	bool same = false;
	struct mp_elf debug;

	if (fd < 0)
		return false;
	if (mp_elf_open(&debug, fd, NULL, 0, f->image.limit)) {
		if (f->build_id_len && debug.build_id_len)
			same = f->build_id_len == debug.build_id_len &&
			       memcmp(f->build_id, debug.build_id, f->build_id_len) == 0;
		else
			same = crc && file_crc(fd, &actual) && actual == *crc;
		same = same && take(arg, &debug);
		mp_elf_close(&debug);
	}
	close(fd);
	return same;
}

/*
 * The name in the debuglink, which ends within the section, and the checksum after it; or NULL. The
 * caller frees the name.
 */
static char *debug_link(const struct mp_elf *f, uint32_t *crc)
{
	struct mp_elf_data data;
	char *name = NULL;
	size_t len, at;

	if (!f->debuglink || f->debuglink->sh_size > LINK_MAX_BYTES ||
	    !mp_elf_load(&f->image, f->debuglink, "debuglink", &data))
		return NULL;
	len = strnlen((const char *)data.p, data.size);
	at = (len + 4) & ~(size_t)3;
	if (at + sizeof(*crc) <= data.size) {
		memcpy(crc, data.p + at, sizeof(*crc));
		name = mp_strndup((const char *)data.p, len);
	}
	mp_elf_drop(&f->image, &data);
	return name;
}

bool mp_elf_debug_file(const struct mp_elf *f, struct mp_opener *o, const struct mp_open_mapping *m,
		       mp_elf_debug_fn *take, void *arg)
{
	char hex[2 * MP_BUILD_ID_MAX + 1] = "";
	bool found = false;
	char *link;
	uint32_t crc;
	size_t i;
	int place;

	for (i = 0; i < f->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", f->build_id[i]);
	for (place = 0; *hex && place < MP_OPEN_BESIDE && !found; place++)
		found = try_debug_file(f, mp_open_debug(o, m, place, hex), NULL, take, arg);
	link = found ? NULL : debug_link(f, &crc);
	for (place = MP_OPEN_BESIDE; link && place < MP_OPEN_PLACES && !found; place++)
		found = try_debug_file(f, mp_open_debug(o, m, place, link), &crc, take, arg);
	free(link);
	return found;
}
