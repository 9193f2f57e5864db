// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/elfsym.h"

#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/elffile.h"
#include "lib/capture/object/gopclntab.h"
#include "lib/capture/object/symtab.h"

enum {
	/* limit of an unpacked .gnu_debugdata, which is usually below 1 MiB */
	DEBUGDATA_MAX = 64 << 20,
	NAMES_LEAST = 8 << 20,
	ENTRY_BYTES = 64, /* an entry point is shorter than this */
};

/* A section with code. */
struct range {
	uint64_t start, end;
};

struct mp_elfsym {
	struct mp_symtab symbols;
	struct mp_segments segments;
	uint64_t entry; /* entry point of a program or of the dynamic linker; 0: none */
	/* beginnings of functions, from .eh_frame_hdr, and of sections, ascending */
	uint64_t *functions;
	size_t n_functions;
};

static enum mp_symbol_rank rank_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return MP_SYM_LOCAL;
	case STB_WEAK:
		return MP_SYM_WEAK;
	}
	return MP_SYM_GLOBAL;
}

/*
 * Up to how many bytes the names may grow with those of `n` symbols. Some symbols share a name, but
 * a file in which 30,000 symbols share one of 1 MiB was made to use up the memory.
 */
static size_t names_limit(const struct mp_elfsym *e, Elf *elf, size_t strings, size_t n)
{
	Elf_Scn *scn = elf_getscn(elf, strings);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return e->symbols.names.total + 64 * n + 4 * (data ? data->d_size : 0) + NAMES_LEAST;
}

static void read_symbols(struct mp_elfsym *e, Elf *elf, Elf_Scn *scn)
{
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const char *name;
	size_t limit, i;
	GElf_Shdr sh;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(scn, &sh) || sh.sh_entsize == 0)
		return;
	limit = names_limit(e, elf, sh.sh_link, data->d_size / sh.sh_entsize);
	for (i = 0; i < data->d_size / sh.sh_entsize && e->symbols.names.total <= limit; i++) {
		if (!gelf_getsym(data, (int)i, &sym))
			break;
		if ((GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC) ||
		    sym.st_shndx == SHN_UNDEF || sym.st_value == 0)
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		/* without the version, as in "memcpy@@GLIBC_2.14" */
		mp_symtab_add(&e->symbols, sym.st_value, sym.st_size,
			      (struct mp_str){ name, strcspn(name, "@") }, rank_of(&sym));
	}
}

/*
 * Stubs of the procedure linkage table have no symbols; stub i belongs to relocation i. They are in
 * .plt.sec if there is one (x86-64, IBT), else in .plt.
 */
static void name_plt(struct mp_elfsym *e, const struct mp_elf *f)
{
	Elf_Data *data = f->rela_plt ? elf_getdata(f->rela_plt, NULL) : NULL;
	Elf_Data *symbols = f->dynsym ? elf_getdata(f->dynsym, NULL) : NULL;
	const struct mp_arch *arch;
	GElf_Shdr plt, rela, dynsym;
	size_t limit, i;
	uint64_t addr;
	GElf_Ehdr eh;

	if (!data || !symbols || (!f->plt && !f->plt_sec) || !gelf_getehdr(f->elf, &eh) ||
	    !gelf_getshdr(f->plt_sec ? f->plt_sec : f->plt, &plt) ||
	    !gelf_getshdr(f->rela_plt, &rela) || !gelf_getshdr(f->dynsym, &dynsym) ||
	    rela.sh_entsize == 0)
		return;
	arch = mp_arch_of(eh.e_machine);
	if (!arch)
		return;
	addr = plt.sh_addr + (f->plt_sec ? 0 : arch->plt_head);
	limit = names_limit(e, f->elf, dynsym.sh_link, data->d_size / rela.sh_entsize);
	for (i = 0; i < data->d_size / rela.sh_entsize && addr < plt.sh_addr + plt.sh_size &&
		    e->symbols.names.total <= limit;
	     i++, addr += arch->plt_entry) {
		const char *name;
		GElf_Rela r;
		GElf_Sym sym;
		char *full;

		if (!gelf_getrela(data, (int)i, &r) ||
		    !gelf_getsym(symbols, (int)GELF_R_SYM(r.r_info), &sym))
			continue;
		name = elf_strptr(f->elf, dynsym.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		full = mp_asprintf("%s@plt", name);
		mp_symtab_add(&e->symbols, addr, arch->plt_entry, mp_str(full), MP_SYM_LOCAL);
		free(full);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int by_range(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The sections with code, sorted by address; the caller frees them. */
static struct range *code_sections(Elf *elf, size_t *n)
{
	struct range *v = NULL;
	Elf_Scn *scn = NULL;
	size_t cap = 0;
	GElf_Shdr sh;

	*n = 0;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR) ||
		    sh.sh_addr + sh.sh_size <= sh.sh_addr)
			continue;
		v = mp_grow(v, &cap, *n + 1, sizeof(*v));
		v[(*n)++] = (struct range){ sh.sh_addr, sh.sh_addr + sh.sh_size };
	}
	if (*n)
		qsort(v, *n, sizeof(*v), by_range);
	return v;
}

/* A symbol without a size reaches to the next one, but not into another section. */
static void end_with_sections(struct mp_symtab *t, const struct range *sections, size_t n)
{
	size_t i, at = 0;

	for (i = 0; i < t->n; i++) {
		while (at < n && sections[at].end <= t->v[i].start)
			at++;
		if (at < n && sections[at].start <= t->v[i].start)
			t->v[i].end = MP_MIN(t->v[i].end, sections[at].end);
	}
}

/*
 * Reads the search table of .eh_frame_hdr (Linux Standard Base, "Exception Frames"): where
 * functions begin, as 32-bit offsets from the section. All linkers write this form.
 */
static void read_functions(struct mp_elfsym *e, const struct mp_elf *f,
			   const struct range *sections, size_t n_sections)
{
	enum { ENC_UDATA4 = 0x03, ENC_DATAREL_SDATA4 = 0x3b, HEAD = 12, ENTRY = 8 };
	Elf_Data *data = f->eh_frame_hdr ? elf_getdata(f->eh_frame_hdr, NULL) : NULL;
	const unsigned char *p;
	uint32_t count;
	GElf_Shdr sh;
	int32_t start;
	size_t i;

	if (!data || !data->d_buf || data->d_size < HEAD || !gelf_getshdr(f->eh_frame_hdr, &sh))
		return;
	p = data->d_buf;
	if (p[0] != 1 || p[2] != ENC_UDATA4 || p[3] != ENC_DATAREL_SDATA4)
		return;
	memcpy(&count, p + 8, sizeof(count));
	count = MP_MIN(count, (data->d_size - HEAD) / ENTRY);
	e->functions = mp_alloc((count + n_sections + 1) * sizeof(*e->functions));
	for (i = 0; i < count; i++) {
		memcpy(&start, p + HEAD + i * ENTRY, sizeof(start));
		e->functions[i] = sh.sh_addr + (int64_t)start;
	}
	for (i = 0; i < n_sections; i++)
		e->functions[count + i] = sections[i].start;
	e->n_functions = count + n_sections;
	qsort(e->functions, e->n_functions, sizeof(*e->functions),
	      by_value); /* a hostile file may have another order */
}

/* Unpacks xz data, whose size is not known in advance. NULL if it is damaged or too large. */
static void *unpack(const Elf_Data *data, size_t *size)
{
	size_t cap = MP_MAX(data->d_size, (size_t)4096) * 4, in = 0, out = 0;
	uint64_t limit = 256 << 20;
	char *buf = mp_alloc(cap);
	lzma_ret ret;

	for (;;) {
		in = out = 0;
		ret = lzma_stream_buffer_decode(&limit, 0, NULL, data->d_buf, &in, data->d_size,
						(uint8_t *)buf, &out, cap);
		if (ret != LZMA_BUF_ERROR || cap >= DEBUGDATA_MAX)
			break;
		cap *= 2;
		buf = mp_realloc(buf, cap);
	}
	*size = out;
	if (ret == LZMA_OK)
		return buf;
	free(buf);
	return NULL;
}

/* .gnu_debugdata: an ELF file in xz with the local symbols that .dynsym lacks ("MiniDebugInfo"). */
static void read_debugdata(struct mp_elfsym *e, const struct mp_elf *f)
{
	Elf_Data *data = f->debugdata ? elf_getdata(f->debugdata, NULL) : NULL;
	struct mp_elf mini;
	size_t size;
	char *image;
	Elf *elf;

	if (!data || !data->d_buf)
		return;
	image = unpack(data, &size);
	if (!image)
		return;
	elf = elf_memory(image, size);
	if (mp_elf_begin(&mini, elf))
		read_symbols(e, elf, mini.symtab);
	elf_end(elf);
	free(image);
}

static void add_go_function(void *arg, uint64_t start, uint64_t size, const char *name)
{
	struct mp_elfsym *e = arg;

	mp_symtab_add(&e->symbols, start, size, mp_str(name), MP_SYM_LOCAL);
}

static bool read_debug_symbols(void *arg, const struct mp_elf *debug)
{
	if (!debug->symtab)
		return false;
	read_symbols(arg, debug->elf, debug->symtab);
	return true;
}

/* `m` NULL: there is no debug file. */
static struct mp_elfsym *load(Elf *elf, struct mp_opener *o, const struct mp_open_mapping *m)
{
	GElf_Ehdr eh;
	struct mp_gopclntab go;
	struct range *sections;
	struct mp_elfsym *e;
	struct mp_elf f;
	size_t n;

	if (!mp_elf_begin(&f, elf))
		return NULL;
	e = mp_zalloc(sizeof(*e));
	if (gelf_getehdr(elf, &eh))
		e->entry = eh.e_entry;
	sections = code_sections(elf, &n);
	mp_elf_segments(elf, &e->segments);
	if (f.symtab) {
		read_symbols(e, elf, f.symtab);
	} else {
		read_symbols(e, elf, f.dynsym);
		read_debugdata(e, &f);
		if (mp_elf_gopclntab(&f, &go))
			mp_gopclntab_each(&go, add_go_function, e);
		if (m)
			mp_elf_debug_file(&f, o, m, read_debug_symbols, e);
	}
	name_plt(e, &f);
	mp_symtab_sort(&e->symbols, false);
	end_with_sections(&e->symbols, sections, n);
	read_functions(e, &f, sections, n);
	free(sections);
	return e;
}

struct mp_elfsym *mp_elfsym_load(int fd, struct mp_opener *o, const struct mp_open_mapping *m)
{
	struct mp_elfsym *e;
	Elf *elf = mp_elf_open(fd);

	e = load(elf, o, m);
	elf_end(elf);
	return e;
}

struct mp_elfsym *mp_elfsym_load_image(const void *image, size_t size)
{
	struct mp_elfsym *e;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image, size);
	e = load(elf, NULL, NULL);
	elf_end(elf);
	return e;
}

void mp_elfsym_free(struct mp_elfsym *e)
{
	if (!e)
		return;
	mp_symtab_release(&e->symbols);
	mp_segments_release(&e->segments);
	free(e->functions);
	free(e);
}

uint64_t mp_elfsym_address(const struct mp_elfsym *e, uint64_t offset)
{
	return mp_segments_address(&e->segments, offset);
}

const char *mp_elfsym_find(const struct mp_elfsym *e, uint64_t addr, uint64_t *start)
{
	const struct mp_symbol *s = mp_symtab_find(&e->symbols, addr);
	size_t n;

	*start = 0;
	if (s)
		return s->name;
	n = MP_COUNT_FIRST(e->n_functions, i, e->functions[i] <= addr);
	if (n > 0)
		*start = e->functions[n - 1];
	return NULL;
}

bool mp_elfsym_is_root(const struct mp_elfsym *e, uint64_t addr, bool leaf)
{
	/* used by glibc, musl and Go, whose assembler functions may end in ".abi0" */
	static const char *const processes[] = { "_start", "_start_c", "_dl_start_user",
						 "runtime.rt0_go" };
	static const char *const threads[] = { "clone",		 "__clone",	  "clone3",
					       "__clone3",	 "thread_start",  "__thread_start",
					       "runtime.goexit", "runtime.mstart" };
	const struct mp_symbol *s = mp_symtab_find(&e->symbols, addr);
	size_t i, len;

	/*
	 * at the entry of a stripped file: _start, and in the dynamic linker the function after it
	 */
	if (!s)
		return e->entry && addr - e->entry < ENTRY_BYTES;
	len = strlen(s->name);
	if (len > 5 && strcmp(s->name + len - 5, ".abi0") == 0)
		len -= 5;
	for (i = 0; i < MP_ARRAY_SIZE(processes); i++)
		if (strlen(processes[i]) == len && memcmp(processes[i], s->name, len) == 0)
			return true;
	for (i = 0; i < MP_ARRAY_SIZE(threads) && !leaf; i++)
		if (strlen(threads[i]) == len && memcmp(threads[i], s->name, len) == 0)
			return true;
	return false;
}

size_t mp_elfsym_count(const struct mp_elfsym *e)
{
	return e->symbols.n;
}
