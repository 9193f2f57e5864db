// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/elffile.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/object/gopclntab.h"

enum { CRC_MAX_BYTES = 256 << 20 }; /* a checksum of this much takes 0.2 s */

static void note_section(struct mp_elf *f, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
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
		f->symtab = scn;
	else if (sh->sh_type == SHT_DYNSYM)
		f->dynsym = scn;
	for (i = 0; name && i < MP_ARRAY_SIZE(known); i++)
		if (strcmp(known[i].name, name) == 0 && sh->sh_type != SHT_NOBITS)
			*(Elf_Scn **)((char *)f + known[i].at) = scn;
}

bool mp_elf_gopclntab(const struct mp_elf *f, struct mp_gopclntab *table)
{
	Elf_Scn *scn = f->gopclntab ? f->gopclntab : f->go_info ? f->go_relro : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr text = { .sh_addr = 0 };
	size_t at = 0;

	if (!data || !data->d_buf)
		return false;
	if (!f->gopclntab)
		at = mp_gopclntab_search(data->d_buf, data->d_size);
	if (f->text)
		gelf_getshdr(f->text, &text);
	return at != SIZE_MAX && mp_gopclntab_init(table, (const char *)data->d_buf + at,
						   data->d_size - at, text.sh_addr);
}

static void read_build_id(struct mp_elf *f, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, next, name, desc;
	GElf_Nhdr nhdr;

	while (data && (next = gelf_getnote(data, at, &nhdr, &name, &desc)) > 0) {
		if (nhdr.n_type == NT_GNU_BUILD_ID && nhdr.n_namesz == 4 &&
		    memcmp((char *)data->d_buf + name, "GNU", 4) == 0 &&
		    nhdr.n_descsz <= MP_BUILD_ID_MAX) {
			f->build_id_len = nhdr.n_descsz;
			memcpy(f->build_id, (char *)data->d_buf + desc, nhdr.n_descsz);
		}
		at = next;
	}
}

Elf *mp_elf_open(int fd)
{
	struct stat st;

	elf_version(EV_CURRENT);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	return elf_begin(fd, ELF_C_READ, NULL);
}

bool mp_elf_begin(struct mp_elf *f, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	*f = (struct mp_elf){ .elf = elf };
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return false;
	if (elf_getshdrstrndx(elf, &names) < 0)
		return true; /* a file without section headers has none of the sections */
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		note_section(f, scn, &sh, elf_strptr(elf, names, sh.sh_name));
		if (sh.sh_type == SHT_NOTE)
			read_build_id(f, scn);
	}
	return true;
}

void mp_elf_segments(Elf *elf, struct mp_segments *segments)
{
	size_t n, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) < 0)
		return;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD)
			mp_segments_add(segments, ph.p_offset, ph.p_vaddr, ph.p_filesz);
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
	Elf *elf;

	if (fd < 0)
		return false;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (mp_elf_begin(&debug, elf)) {
		if (f->build_id_len && debug.build_id_len)
			same = f->build_id_len == debug.build_id_len &&
			       memcmp(f->build_id, debug.build_id, f->build_id_len) == 0;
		else
			same = crc && file_crc(fd, &actual) && actual == *crc;
		same = same && take(arg, &debug);
	}
	elf_end(elf);
	close(fd);
	return same;
}

/* The name in the debuglink, which ends within the section, and the checksum after it; or NULL. */
static const char *debug_link(const struct mp_elf *f, uint32_t *crc)
{
	Elf_Data *data = f->debuglink ? elf_getdata(f->debuglink, NULL) : NULL;
	size_t len;

	if (!data || !data->d_buf)
		return NULL;
	len = strnlen(data->d_buf, data->d_size);
	if (((len + 4) & ~(size_t)3) + sizeof(*crc) > data->d_size)
		return NULL;
	memcpy(crc, (char *)data->d_buf + ((len + 4) & ~(size_t)3), sizeof(*crc));
	return data->d_buf;
}

bool mp_elf_debug_file(const struct mp_elf *f, struct mp_opener *o, const struct mp_open_mapping *m,
		       mp_elf_debug_fn *take, void *arg)
{
	char hex[2 * MP_BUILD_ID_MAX + 1] = "";
	bool found = false;
	const char *link;
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
	return found;
}
