// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/elfimage.h"

#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* programs and libraries have some 40 sections and 14 segments */
	SECTIONS_MAX = 4096,
	SEGMENTS_MAX = 256,
	SYMBOLS_MAX = 4 << 20, /* the largest browser has 1,500,000 */
	PART_BYTES = 64 << 10, /* of a symbol table, rounded down to complete symbols */
};

bool mp_elf_image_read(const struct mp_elf_image *e, uint64_t offset, void *to, size_t size)
{
	size_t done = 0;
	ssize_t n;

	if (offset > e->size || size > e->size - offset)
		return false;
	if (e->memory) {
		memcpy(to, e->memory + offset, size);
		return true;
	}
	while (done < size) {
		n = pread(e->fd, (char *)to + done, size - done, (off_t)(offset + done));
		if (n <= 0)
			return false; /* the file was truncated meanwhile */
		done += (size_t)n;
	}
	return true;
}

bool mp_elf_load_range(const struct mp_elf_image *e, uint64_t offset, uint64_t size,
		       const char *what, struct mp_elf_data *data)
{
	*data = (struct mp_elf_data){ NULL, 0 };
	if (!size || offset > e->size || size > e->size - offset ||
	    !mp_limit_take(e->limit, size, what))
		return false;
	data->p = mp_alloc(size);
	data->size = size;
	if (mp_elf_image_read(e, offset, data->p, size))
		return true;
	mp_elf_drop(e, data);
	return false;
}

bool mp_elf_load(const struct mp_elf_image *e, const Elf64_Shdr *sh, const char *what,
		 struct mp_elf_data *data)
{
	*data = (struct mp_elf_data){ NULL, 0 };
	return sh && sh->sh_type != SHT_NOBITS && !(sh->sh_flags & SHF_COMPRESSED) &&
	       mp_elf_load_range(e, sh->sh_offset, sh->sh_size, what, data);
}

void mp_elf_drop(const struct mp_elf_image *e, struct mp_elf_data *data)
{
	mp_limit_give(e->limit, data->size);
	free(data->p);
	*data = (struct mp_elf_data){ NULL, 0 };
}

/*
 * A file with nothing but a compressed section, which libelf can unpack; the data follows these
 * headers.
 */
struct packed {
	Elf64_Ehdr head;
	Elf64_Shdr none, section;
};

static struct packed *pack(const struct mp_elf_image *e, const Elf64_Shdr *sh)
{
	struct packed *p = mp_zalloc(sizeof(*p) + sh->sh_size);

	p->head = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_REL,
		.e_machine = e->machine,
		.e_version = EV_CURRENT,
		.e_shoff = offsetof(struct packed, none),
		.e_ehsize = sizeof(p->head),
		.e_shentsize = sizeof(p->section),
		.e_shnum = 2,
	};
	p->section = (Elf64_Shdr){
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_COMPRESSED,
		.sh_offset = sizeof(*p),
		.sh_size = sh->sh_size,
		.sh_addralign = 8,
	};
	if (mp_elf_image_read(e, sh->sh_offset, p + 1, sh->sh_size))
		return p;
	free(p);
	return NULL;
}

/*
 * Unpacks the section of a packed file; for a short time, it is in memory twice. A few bytes may
 * unpack to a thousand times as many, so that it may take only a quarter of the limit.
 */
static bool unpack(const struct mp_elf_image *e, struct packed *packed, const char *what,
		   struct mp_elf_data *data)
{
	Elf *elf = elf_memory((char *)packed, sizeof(*packed) + packed->section.sh_size);
	Elf_Scn *scn = elf ? elf_getscn(elf, 1) : NULL;
	Elf_Data *unpacked = NULL;
	GElf_Chdr ch;

	if (scn && gelf_getchdr(scn, &ch)) {
		if (ch.ch_size > e->limit->bytes / 4)
			mp_limit_exceed(e->limit, what);
		else if (elf_compress(scn, 0, 0) >= 0)
			unpacked = elf_getdata(scn, NULL);
	}
	if (unpacked && unpacked->d_buf && unpacked->d_size &&
	    mp_limit_take(e->limit, unpacked->d_size, what)) {
		data->p = mp_memdup(unpacked->d_buf, unpacked->d_size);
		data->size = unpacked->d_size;
	}
	elf_end(elf);
	return data->p;
}

bool mp_elf_load_unpacked(const struct mp_elf_image *e, const Elf64_Shdr *sh, const char *what,
			  struct mp_elf_data *data)
{
	struct packed *packed;

	if (!sh || !(sh->sh_flags & SHF_COMPRESSED))
		return mp_elf_load(e, sh, what, data);
	*data = (struct mp_elf_data){ NULL, 0 };
	if (!e->wide || sh->sh_offset > e->size || sh->sh_size > e->size - sh->sh_offset ||
	    !mp_limit_take(e->limit, sh->sh_size, what))
		return false;
	elf_version(EV_CURRENT);
	packed = pack(e, sh);
	if (packed)
		unpack(e, packed, what, data);
	free(packed);
	mp_limit_give(e->limit, sh->sh_size);
	return data->p;
}

/* --- headers ---------------------------------------------------------------------------------- */

static Elf64_Shdr widen_section(const Elf32_Shdr *s)
{
	return (Elf64_Shdr){
		.sh_name = s->sh_name,
		.sh_type = s->sh_type,
		.sh_flags = s->sh_flags,
		.sh_addr = s->sh_addr,
		.sh_offset = s->sh_offset,
		.sh_size = s->sh_size,
		.sh_link = s->sh_link,
		.sh_info = s->sh_info,
		.sh_addralign = s->sh_addralign,
		.sh_entsize = s->sh_entsize,
	};
}

static Elf64_Phdr widen_segment(const Elf32_Phdr *s)
{
	return (Elf64_Phdr){
		.p_type = s->p_type,
		.p_flags = s->p_flags,
		.p_offset = s->p_offset,
		.p_vaddr = s->p_vaddr,
		.p_filesz = s->p_filesz,
		.p_memsz = s->p_memsz,
		.p_align = s->p_align,
	};
}

static bool read_section(const struct mp_elf_image *e, uint64_t offset, Elf64_Shdr *to)
{
	Elf32_Shdr narrow;

	if (e->wide)
		return mp_elf_image_read(e, offset, to, sizeof(*to));
	if (!mp_elf_image_read(e, offset, &narrow, sizeof(narrow)))
		return false;
	*to = widen_section(&narrow);
	return true;
}

static bool read_segment(const struct mp_elf_image *e, uint64_t offset, Elf64_Phdr *to)
{
	Elf32_Phdr narrow;

	if (e->wide)
		return mp_elf_image_read(e, offset, to, sizeof(*to));
	if (!mp_elf_image_read(e, offset, &narrow, sizeof(narrow)))
		return false;
	*to = widen_segment(&narrow);
	return true;
}

static bool read_head(const struct mp_elf_image *e, Elf64_Ehdr *to)
{
	Elf32_Ehdr narrow;

	if (e->wide)
		return mp_elf_image_read(e, 0, to, sizeof(*to));
	if (!mp_elf_image_read(e, 0, &narrow, sizeof(narrow)))
		return false;
	*to = (Elf64_Ehdr){
		.e_machine = narrow.e_machine,
		.e_entry = narrow.e_entry,
		.e_phoff = narrow.e_phoff,
		.e_shoff = narrow.e_shoff,
		.e_phentsize = narrow.e_phentsize,
		.e_phnum = narrow.e_phnum,
		.e_shentsize = narrow.e_shentsize,
		.e_shnum = narrow.e_shnum,
		.e_shstrndx = narrow.e_shstrndx,
	};
	return true;
}

/* The section headers; if they are beyond the end of the file, as after `strip`, there are none. */
static bool read_sections(struct mp_elf_image *e, const Elf64_Ehdr *head)
{
	size_t size = e->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), i;
	uint64_t n = head->e_shnum;
	Elf64_Shdr first;

	if (!head->e_shoff || head->e_shentsize != size || !read_section(e, head->e_shoff, &first))
		return true;
	if (!n) /* more than fit into the field */
		n = first.sh_size;
	if (n > SECTIONS_MAX) {
		mp_limit_exceed(e->limit, "sections");
		return false;
	}
	e->sections = mp_alloc((n + 1) * sizeof(*e->sections));
	for (i = 0; i < n && read_section(e, head->e_shoff + i * size, &e->sections[i]); i++)
		;
	e->n_sections = i == n ? n : 0;
	e->names = head->e_shstrndx;
	return true;
}

static bool read_segments(struct mp_elf_image *e, const Elf64_Ehdr *head)
{
	size_t size = e->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), i;

	if (!head->e_phoff || head->e_phentsize != size)
		return true;
	if (head->e_phnum > SEGMENTS_MAX) {
		mp_limit_exceed(e->limit, "segments");
		return false;
	}
	e->segments = mp_alloc((head->e_phnum + 1) * sizeof(*e->segments));
	for (i = 0; i < head->e_phnum; i++)
		if (!read_segment(e, head->e_phoff + i * size, &e->segments[i]))
			break;
	e->n_segments = i;
	return true;
}

bool mp_elf_image_init(struct mp_elf_image *e, int fd, const void *memory, size_t size,
		       struct mp_limit *limit)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Ehdr head;
	struct stat st;

	*e = (struct mp_elf_image){ .fd = fd, .memory = memory, .size = size, .limit = limit };
	if (!memory) {
		if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
			return false;
		e->size = (uint64_t)st.st_size;
	}
	if (!mp_elf_image_read(e, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != ELFDATA2LSB)
		return false;
	e->wide = ident[EI_CLASS] == ELFCLASS64;
	if ((!e->wide && ident[EI_CLASS] != ELFCLASS32) || !read_head(e, &head))
		return false;
	e->machine = head.e_machine;
	e->entry = head.e_entry;
	if (read_sections(e, &head) && read_segments(e, &head))
		return true;
	mp_elf_image_release(e);
	return false;
}

void mp_elf_image_release(struct mp_elf_image *e)
{
	free(e->sections);
	free(e->segments);
	e->sections = NULL;
	e->segments = NULL;
	e->n_sections = e->n_segments = 0;
}

const Elf64_Shdr *mp_elf_section(const struct mp_elf_image *e, uint64_t number)
{
	return number < e->n_sections ? &e->sections[number] : NULL;
}

/* --- what sections contain -------------------------------------------------------------------- */

struct mp_str mp_elf_string(const struct mp_elf_data *strings, uint64_t offset)
{
	const char *text = "";

	if (offset >= strings->size)
		return (struct mp_str){ text, 0 };
	text = (const char *)strings->p + offset;
	return (struct mp_str){ text,
				strnlen(text, MP_MIN(strings->size - offset, MP_ELF_STRING_MAX)) };
}

static size_t symbol_size(const struct mp_elf_image *e)
{
	return e->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

bool mp_elf_symbol(const struct mp_elf_image *e, const struct mp_elf_data *table, uint64_t i,
		   Elf64_Sym *sym)
{
	size_t size = symbol_size(e);
	Elf32_Sym narrow;

	if (i >= table->size / size)
		return false;
	if (e->wide) {
		memcpy(sym, table->p + i * size, size);
		return true;
	}
	memcpy(&narrow, table->p + i * size, size);
	*sym = (Elf64_Sym){
		.st_name = narrow.st_name,
		.st_info = narrow.st_info,
		.st_other = narrow.st_other,
		.st_shndx = narrow.st_shndx,
		.st_value = narrow.st_value,
		.st_size = narrow.st_size,
	};
	return true;
}

bool mp_elf_functions_begin(struct mp_elf_functions *it, const struct mp_elf_image *e,
			    const Elf64_Shdr *sh)
{
	*it = (struct mp_elf_functions){ .e = e };
	if (!sh || sh->sh_type == SHT_NOBITS || sh->sh_flags & SHF_COMPRESSED ||
	    sh->sh_offset > e->size || sh->sh_size > e->size - sh->sh_offset)
		return false;
	if (sh->sh_size / symbol_size(e) > SYMBOLS_MAX) {
		mp_limit_exceed(e->limit, "symbols");
		return false;
	}
	it->at = sh->sh_offset;
	it->end = sh->sh_offset + sh->sh_size;
	return mp_elf_load(e, mp_elf_section(e, sh->sh_link), "names of symbols", &it->strings);
}

/* Reads the next part of the table; the complete table may be large. */
static bool read_part(struct mp_elf_functions *it)
{
	size_t whole = PART_BYTES / symbol_size(it->e) * symbol_size(it->e);
	uint64_t size = MP_MIN(it->end - it->at, whole);

	mp_elf_drop(it->e, &it->part);
	it->next = 0;
	if (!mp_elf_load_range(it->e, it->at, size, "symbols", &it->part))
		return false;
	it->at += size;
	return true;
}

bool mp_elf_functions_next(struct mp_elf_functions *it, Elf64_Sym *sym, struct mp_str *name)
{
	for (;;) {
		unsigned type;

		if (!mp_elf_symbol(it->e, &it->part, it->next++, sym)) {
			if (!read_part(it))
				return false;
			continue;
		}
		type = ELF64_ST_TYPE(sym->st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym->st_shndx == SHN_UNDEF)
			continue;
		*name = mp_elf_string(&it->strings, sym->st_name);
		if (name->len)
			return true;
	}
}

void mp_elf_functions_end(struct mp_elf_functions *it)
{
	mp_elf_drop(it->e, &it->part);
	mp_elf_drop(it->e, &it->strings);
}

bool mp_elf_next_note(struct mp_bytes *b, uint64_t align, struct mp_elf_note *note)
{
	uint64_t name = mp_bytes_fixed(b, 4), desc = mp_bytes_fixed(b, 4);
	uint64_t mask = align == 8 ? 7 : 3, head = 12, padded;
	const char *at;

	note->type = (uint32_t)mp_bytes_fixed(b, 4);
	at = (const char *)b->p;
	padded = ((head + name + mask) & ~mask) - head;
	mp_bytes_skip(b, padded);
	note->name = (struct mp_str){ at, name ? strnlen(at, b->failed ? 0 : name) : 0 };
	note->desc = (struct mp_str){ (const char *)b->p, desc };
	if (b->failed || desc > (uint64_t)(b->end - b->p))
		return false;
	mp_bytes_skip(b, MP_MIN((desc + mask) & ~mask, (uint64_t)(b->end - b->p)));
	return true;
}
