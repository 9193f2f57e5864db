// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/elffile.h"

#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/object/gopclntab.h"

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

static uint32_t file_crc(int fd)
{
	char *buf = mp_alloc(64 << 10);
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, 64 << 10, at)) > 0) {
		crc = lzma_crc32((const uint8_t *)buf, n, crc);
		at += n;
	}
	free(buf);
	return crc;
}

/*
 * Whether a debug file belongs to `f`: their build ids are equal, or, without build ids, the
 * checksum of the debuglink is right.
 */
static bool try_debug_file(const struct mp_elf *f, const char *path, const uint32_t *crc,
			   mp_elf_debug_fn *take, void *arg)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
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
			same = crc && file_crc(fd) == *crc;
		same = same && take(arg, &debug);
	}
	elf_end(elf);
	close(fd);
	return same;
}

static bool find_by_build_id(const struct mp_elf *f, const char *root, mp_elf_debug_fn *take,
			     void *arg)
{
	char hex[2 * MP_BUILD_ID_MAX + 1], *path;
	bool found;
	size_t i;

	if (f->build_id_len < 2)
		return false;
	for (i = 0; i < f->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", f->build_id[i]);
	path = mp_asprintf("%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, hex, hex + 2);
	found = try_debug_file(f, path, NULL, take, arg);
	free(path);
	return found;
}

static bool find_by_debuglink(const struct mp_elf *f, const char *root, const char *path,
			      mp_elf_debug_fn *take, void *arg)
{
	static const char *const places[] = { "%s%.*s/%s", "%s%.*s/.debug/%s",
					      "%s/usr/lib/debug%.*s/%s" };
	Elf_Data *data = f->debuglink ? elf_getdata(f->debuglink, NULL) : NULL;
	const char *slash = strrchr(path, '/'), *name;
	bool found = false;
	uint32_t crc;
	size_t len, i;

	if (!data || !data->d_buf || !slash)
		return false;
	name = data->d_buf;
	len = strnlen(name, data->d_size);
	if (len == 0 || ((len + 4) & ~(size_t)3) + sizeof(crc) > data->d_size ||
	    memchr(name, '/', len))
		return false;
	memcpy(&crc, name + ((len + 4) & ~(size_t)3), sizeof(crc));
	for (i = 0; i < MP_ARRAY_SIZE(places) && !found; i++) {
		char candidate[4096];

		/* the format strings are the three above */
		snprintf(candidate, sizeof(candidate), places[i], root, (int)(slash - path), path,
			 name);
		found = try_debug_file(f, candidate, &crc, take, arg);
	}
	return found;
}

bool mp_elf_debug_file(const struct mp_elf *f, const char *root, const char *path,
		       mp_elf_debug_fn *take, void *arg)
{
	if (!path)
		return false;
	return find_by_build_id(f, root, take, arg) ||
	       (*root && find_by_build_id(f, "", take, arg)) ||
	       find_by_debuglink(f, root, path, take, arg);
}
