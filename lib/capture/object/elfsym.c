// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/elfsym.h"

#include <lzma.h>
#include <stdlib.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/elffile.h"
#include "lib/capture/object/gopclntab.h"
#include "lib/capture/object/symtab.h"
#include "lib/core/intmap.h"

enum {
	/* limit of an unpacked .gnu_debugdata, which is usually below 1 MiB */
	DEBUGDATA_MAX = 24 << 20,
	DECODER_MAX = 80 << 20, /* memory of the decoder; `xz -9` needs 65 MiB */
	ENTRY_BYTES = 64,	/* an entry point is shorter than this */
	LONG_NAME = 64,	   /* names of this length and more are stored once if they are equal */
	PLT_MAX = 1 << 16, /* stubs in a procedure linkage table */
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
	unsigned char build_id[MP_BUILD_ID_MAX];
	size_t build_id_len;
};

static enum mp_symbol_rank rank_of(const Elf64_Sym *sym)
{
	switch (ELF64_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return MP_SYM_LOCAL;
	case STB_WEAK:
		return MP_SYM_WEAK;
	}
	return MP_SYM_GLOBAL;
}

/* Charges the limit for a symbol and the copy of its name. */
static bool pay(struct mp_limit *limit, size_t name)
{
	return mp_limit_take(limit, sizeof(struct mp_symbol) + (name ? name + 1 : 0), "symbols");
}

/*
 * Adds the functions of a symbol table. Symbols with one long name share one copy: a file may have
 * 2,000 symbols with the same name of 500 KB. False: they are above the limit, and only the first
 * ones were added, or none.
 */
static bool read_symbols(struct mp_elfsym *e, const struct mp_elf_image *image,
			 const Elf64_Shdr *sh)
{
	struct mp_intmap names; /* offset of a long name -> its copy */
	struct mp_elf_functions it;
	bool enough = mp_elf_functions_begin(&it, image, sh);
	struct mp_str name;
	Elf64_Sym sym;

	mp_intmap_init(&names);
	while (enough && mp_elf_functions_next(&it, &sym, &name)) {
		struct mp_intmap_entry *copy = NULL;
		const char *version;

		if (sym.st_value == 0)
			continue;
		if (name.len >= LONG_NAME)
			copy = mp_intmap_find(&names, sym.st_name);
		if (copy && copy->value) {
			enough = pay(image->limit, 0);
			mp_symtab_add_same(&e->symbols, sym.st_value, sym.st_size,
					   (const char *)(uintptr_t)copy->value, rank_of(&sym));
			continue;
		}
		enough = pay(image->limit, name.len);
		/* without the version, as in "memcpy@@GLIBC_2.14" */
		version = memchr(name.p, '@', name.len);
		if (version)
			name.len = (size_t)(version - name.p);
		mp_symtab_add(&e->symbols, sym.st_value, sym.st_size, name, rank_of(&sym));
		if (copy)
			mp_intmap_add(&names, sym.st_name,
				      (uintptr_t)e->symbols.v[e->symbols.n - 1].name);
	}
	mp_intmap_release(&names);
	mp_elf_functions_end(&it);
	return enough;
}

/* Names a stub by the symbol of its relocation. */
static bool add_stub(struct mp_elfsym *e, const struct mp_elf_image *image, uint64_t addr,
		     uint64_t size, struct mp_str name)
{
	char *full;

	if (!pay(image->limit, name.len + 4))
		return false;
	full = mp_asprintf("%.*s@plt", (int)name.len, name.p);
	mp_symtab_add(&e->symbols, addr, size, mp_str(full), MP_SYM_LOCAL);
	free(full);
	return true;
}

/* The number of the symbol of relocation `i`. */
static uint64_t relocated_symbol(const struct mp_elf_image *image, const struct mp_elf_data *rela,
				 size_t i)
{
	Elf64_Rela wide;
	Elf32_Rela narrow;

	if (image->wide) {
		memcpy(&wide, rela->p + i * sizeof(wide), sizeof(wide));
		return ELF64_R_SYM(wide.r_info);
	}
	memcpy(&narrow, rela->p + i * sizeof(narrow), sizeof(narrow));
	return ELF32_R_SYM(narrow.r_info);
}

/*
 * Stubs of the procedure linkage table have no symbols; stub i belongs to relocation i. They are in
 * .plt.sec if there is one (x86-64, IBT), else in .plt.
 */
static void name_plt(struct mp_elfsym *e, const struct mp_elf *f)
{
	const struct mp_elf_image *image = &f->image;
	const struct mp_arch *arch = mp_arch_of(image->machine);
	const Elf64_Shdr *plt = f->plt_sec ? f->plt_sec : f->plt;
	struct mp_elf_data rela = { NULL, 0 }, symbols = rela, strings = rela;
	uint64_t addr, n, i;
	Elf64_Sym sym;

	if (!arch || !plt || !f->dynsym)
		return;
	if (mp_elf_load(image, f->rela_plt, "relocations", &rela) &&
	    mp_elf_load(image, f->dynsym, "symbols", &symbols) &&
	    mp_elf_load(image, mp_elf_section(image, f->dynsym->sh_link), "names of symbols",
			&strings)) {
		addr = plt->sh_addr + (f->plt_sec ? 0 : arch->plt_head);
		n = MP_MIN(rela.size / (image->wide ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela)),
			   (size_t)PLT_MAX);
		for (i = 0; i < n && addr < plt->sh_addr + plt->sh_size;
		     i++, addr += arch->plt_entry) {
			struct mp_str name;

			if (!mp_elf_symbol(image, &symbols, relocated_symbol(image, &rela, i),
					   &sym))
				continue;
			name = mp_elf_string(&strings, sym.st_name);
			if (name.len && !add_stub(e, image, addr, arch->plt_entry, name))
				break;
		}
	}
	mp_elf_drop(image, &rela);
	mp_elf_drop(image, &symbols);
	mp_elf_drop(image, &strings);
}

static int by_range(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The sections with code, sorted by address; the caller frees them. */
static struct range *code_sections(const struct mp_elf_image *image, size_t *n)
{
	struct range *v = mp_alloc((image->n_sections + 1) * sizeof(*v));
	size_t i;

	*n = 0;
	for (i = 0; i < image->n_sections; i++) {
		const Elf64_Shdr *sh = &image->sections[i];

		if (sh->sh_flags & SHF_EXECINSTR && sh->sh_addr + sh->sh_size > sh->sh_addr)
			v[(*n)++] = (struct range){ sh->sh_addr, sh->sh_addr + sh->sh_size };
	}
	qsort(v, *n, sizeof(*v), by_range);
	return v;
}

/* Limits symbols without a size, which reach to the next symbol, to their section. */
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
 * Adds the beginnings of the functions that a search table has, and of sections. The table is
 * ascending, as all linkers write it, or else none of it is used.
 */
static void merge_functions(struct mp_elfsym *e, const uint8_t *table, size_t count, uint64_t base,
			    const struct range *sections, size_t n_sections)
{
	uint64_t *to = mp_alloc((count + n_sections + 1) * sizeof(*to)), start = 0, last = 0;
	size_t n = 0, s = 0, i;
	int32_t offset;

	for (i = 0; i < count; i++, last = start) {
		memcpy(&offset, table + i * 8, sizeof(offset));
		start = base + (uint64_t)(int64_t)offset;
		if (start < last)
			break;
		while (s < n_sections && sections[s].start <= start)
			to[n++] = sections[s++].start;
		to[n++] = start;
	}
	if (i < count)
		n = s = 0;
	while (s < n_sections)
		to[n++] = sections[s++].start;
	e->functions = to;
	e->n_functions = n;
}

/*
 * Reads the search table of .eh_frame_hdr (Linux Standard Base, "Exception Frames"): where
 * functions begin, as 32-bit offsets from the section. All linkers write this form.
 */
static void read_functions(struct mp_elfsym *e, const struct mp_elf *f,
			   const struct range *sections, size_t n_sections)
{
	enum { ENC_UDATA4 = 0x03, ENC_DATAREL_SDATA4 = 0x3b, HEAD = 12, ENTRY = 8 };
	static const char what[] = "table of functions";
	struct mp_limit *limit = f->image.limit;
	struct mp_elf_data data;
	const uint8_t *p;
	uint32_t count;

	if (!mp_elf_load(&f->image, f->eh_frame_hdr, what, &data))
		return;
	p = data.p;
	if (data.size >= HEAD && p[0] == 1 && p[2] == ENC_UDATA4 && p[3] == ENC_DATAREL_SDATA4) {
		memcpy(&count, p + 8, sizeof(count));
		count = MP_MIN(count, (data.size - HEAD) / ENTRY);
		if (mp_limit_take(limit, (count + n_sections) * sizeof(*e->functions), what))
			merge_functions(e, p + HEAD, count, f->eh_frame_hdr->sh_addr, sections,
					n_sections);
	}
	mp_elf_drop(&f->image, &data);
}

/*
 * Decodes xz data to a buffer, which grows with what comes, up to `max` bytes. In one pass: a few
 * bytes may unpack to as much.
 */
static lzma_ret decode(lzma_stream *xz, uint8_t **buf, size_t max)
{
	size_t cap = MP_MIN(MP_MAX(xz->avail_in, (size_t)4096) * 4, max);
	lzma_ret ret;

	*buf = mp_alloc(cap);
	xz->next_out = *buf;
	xz->avail_out = cap;
	while ((ret = lzma_code(xz, LZMA_FINISH)) == LZMA_OK) {
		if (xz->avail_out || cap == max)
			continue; /* LZMA_BUF_ERROR follows unless it can continue */
		cap = MP_MIN(cap * 2, max);
		*buf = mp_realloc(*buf, cap);
		xz->next_out = *buf + xz->total_out;
		xz->avail_out = cap - xz->total_out;
	}
	return ret;
}

/*
 * Unpacks xz data, whose size is not known in advance. NULL if it is damaged or too large, which
 * `limit` notes. The caller gives back `*size`.
 */
static uint8_t *unpack(const struct mp_elf_data *data, struct mp_limit *limit, size_t *size)
{
	size_t max = MP_MIN(limit->bytes, (size_t)DEBUGDATA_MAX);
	lzma_stream xz = LZMA_STREAM_INIT;
	uint8_t *buf = NULL;
	lzma_ret ret;

	if (lzma_stream_decoder(&xz, DECODER_MAX, 0) != LZMA_OK)
		return NULL;
	xz.next_in = data->p;
	xz.avail_in = data->size;
	ret = decode(&xz, &buf, max);
	*size = xz.total_out;
	lzma_end(&xz);
	if (ret == LZMA_STREAM_END && mp_limit_take(limit, *size, "packed symbols"))
		return buf;
	if (*size == max || ret == LZMA_MEMLIMIT_ERROR)
		mp_limit_exceed(limit, "packed symbols");
	free(buf);
	return NULL;
}

/* .gnu_debugdata: an ELF file in xz with the local symbols that .dynsym lacks ("MiniDebugInfo"). */
static void read_debugdata(struct mp_elfsym *e, const struct mp_elf *f)
{
	struct mp_limit *limit = f->image.limit;
	struct mp_elf_data data;
	struct mp_elf mini;
	size_t size;
	uint8_t *image;

	if (!mp_elf_load(&f->image, f->debugdata, "packed symbols", &data))
		return;
	image = unpack(&data, limit, &size);
	mp_elf_drop(&f->image, &data);
	if (!image)
		return;
	if (mp_elf_open(&mini, -1, image, size, limit)) {
		read_symbols(e, &mini.image, mini.symtab);
		mp_elf_close(&mini);
	}
	mp_limit_give(limit, size);
	free(image);
}

/* The destination of the functions of a Go program. */
struct go_functions {
	struct mp_elfsym *e;
	struct mp_limit *limit;
};

static bool add_go_function(void *arg, uint64_t start, uint64_t size, const char *name)
{
	struct go_functions *go = arg;
	struct mp_str text = mp_str(name);

	if (!pay(go->limit, text.len))
		return false;
	mp_symtab_add(&go->e->symbols, start, size, text, MP_SYM_LOCAL);
	return true;
}

static void read_go_functions(struct mp_elfsym *e, const struct mp_elf *f)
{
	struct go_functions go = { e, f->image.limit };
	struct mp_gopclntab table;
	struct mp_elf_data data;

	if (!mp_elf_gopclntab(f, &data, &table))
		return;
	mp_gopclntab_each(&table, add_go_function, &go);
	mp_elf_drop(&f->image, &data);
}

static bool read_debug_symbols(void *arg, const struct mp_elf *debug)
{
	return debug->symtab && read_symbols(arg, &debug->image, debug->symtab);
}

/* `m` NULL: there is no debug file. */
static struct mp_elfsym *load(const struct mp_elf *f, struct mp_opener *o,
			      const struct mp_open_mapping *m)
{
	struct mp_elfsym *e = mp_zalloc(sizeof(*e));
	struct range *sections;
	size_t n;

	e->entry = f->image.entry;
	e->build_id_len = f->build_id_len;
	memcpy(e->build_id, f->build_id, f->build_id_len);
	sections = code_sections(&f->image, &n);
	mp_elf_segments(f, &e->segments);
	if (!f->symtab || !read_symbols(e, &f->image, f->symtab)) {
		read_symbols(e, &f->image, f->dynsym);
		read_debugdata(e, f);
		read_go_functions(e, f);
		if (m)
			mp_elf_debug_file(f, o, m, read_debug_symbols, e);
	}
	name_plt(e, f);
	mp_symtab_sort(&e->symbols, false);
	end_with_sections(&e->symbols, sections, n);
	read_functions(e, f, sections, n);
	free(sections);
	return e;
}

struct mp_elfsym *mp_elfsym_load(int fd, struct mp_opener *o, const struct mp_open_mapping *m,
				 struct mp_limit *limit)
{
	struct mp_elfsym *e = NULL;
	struct mp_elf f;

	if (mp_elf_open(&f, fd, NULL, 0, limit)) {
		e = load(&f, o, m);
		mp_elf_close(&f);
	}
	return e;
}

struct mp_elfsym *mp_elfsym_load_image(const void *image, size_t size)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	struct mp_elfsym *e = NULL;
	struct mp_elf f;

	if (mp_elf_open(&f, -1, image, size, &limit)) {
		e = load(&f, NULL, NULL);
		mp_elf_close(&f);
	}
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

struct mp_str mp_elfsym_build_id(const struct mp_elfsym *e)
{
	return (struct mp_str){ (const char *)e->build_id, e->build_id_len };
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

size_t mp_elfsym_bytes(const struct mp_elfsym *e)
{
	return sizeof(*e) + e->symbols.cap * sizeof(*e->symbols.v) + e->symbols.names.total +
	       e->n_functions * sizeof(*e->functions) + e->segments.cap * sizeof(*e->segments.v);
}
