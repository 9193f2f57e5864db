// SPDX-License-Identifier: GPL-2.0-only
#include "lib/srcline/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	TEXT_MAX = 512,	    /* of a name or a path */
	NESTED_MAX = 64,    /* namespaces and blocks in each other */
	OVERLAPPED_MAX = 8, /* ranges that are looked at for one address */
};

/* A range of addresses, and the offset of the DIE that has it, or the number of the symbol's name. */
struct range {
	uint64_t start, end;
	Dwarf_Off die;
};

struct ranges {
	struct range *v;
	size_t n, cap;
};

/* The functions of a unit, which are listed when it is first needed. */
struct unit {
	Dwarf_Off die;
	struct ranges functions;
};

struct mp_dwarf_state {
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;
	uint64_t base; /* of addresses */
	struct ranges all;
	struct unit *units; /* in order of their offsets */
	size_t n_units, cap_units;
	struct ranges symbols;
	const char **names; /* of the symbols; borrowed from the file */
	size_t n_names, cap_names;
	struct mp_buf text;
};

/* --- what a file is --------------------------------------------------------------------------- */

static void put_hex(struct mp_buf *to, const unsigned char *p, ssize_t n)
{
	ssize_t i;

	for (i = 0; i < n && i < 64; i++)
		mp_buf_printf(to, "%02x", p[i]);
	mp_buf_byte(to, '\0');
}

static void put_text(struct mp_buf *to, const char *text)
{
	mp_buf_add(to, text, text ? strnlen(text, TEXT_MAX) : 0);
	mp_buf_byte(to, '\0');
}

static size_t answer_with(const struct mp_buf *text, char *answer)
{
	size_t n = MP_MIN(text->len, (size_t)MP_JAIL_ANSWER_MAX);

	memcpy(answer, text->p, n);
	return n;
}

size_t mp_dwarf_probe(void *arg, const void *question, size_t len, char *answer)
{
	const struct mp_dwarf *d = arg;
	struct mp_buf text = { NULL, 0, 0 };
	const void *id = NULL, *alt_id = NULL;
	const char *alt = NULL;
	GElf_Word crc;
	Dwarf *dwarf;
	ssize_t n;
	Elf *elf;

	(void)question;
	(void)len;
	elf_version(EV_CURRENT);
	elf = elf_begin(d->fd, ELF_C_READ_MMAP, NULL);
	n = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	put_hex(&text, id, n);
	put_text(&text, elf ? dwelf_elf_gnu_debuglink(elf, &crc) : NULL);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	n = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &alt, &alt_id) : 0;
	put_text(&text, n > 0 ? alt : NULL);
	put_hex(&text, alt_id, n);
	mp_buf_byte(&text, dwarf ? '\1' : '\0');
	return answer_with(&text, answer);
}

/* --- which function is where ------------------------------------------------------------------ */

/* Adds the ranges of a DIE. What the linker removed is at 0 or at the end of the address space. */
static void add_ranges(struct ranges *to, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start >= end || start == 0 || start >= UINT64_MAX - 1)
			continue;
		to->v = mp_grow(to->v, &to->cap, to->n + 1, sizeof(*to->v));
		to->v[to->n++] = (struct range){ start, end, dwarf_dieoffset(die) };
	}
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The range with an address that begins last; NULL: there is none. */
static const struct range *find_range(const struct ranges *in, uint64_t addr)
{
	size_t low = 0, high = in->n, i;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (in->v[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = 0; i < OVERLAPPED_MAX && low > i; i++)
		if (addr < in->v[low - 1 - i].end)
			return &in->v[low - 1 - i];
	return NULL;
}

/* Adds the functions among the children of a DIE, and of namespaces in it. */
static void add_functions(struct ranges *to, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;

	if (depth == NESTED_MAX || dwarf_child(parent, &child) != 0)
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			if (!dwarf_hasattr(&child, DW_AT_declaration))
				add_ranges(to, &child);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
			add_functions(to, &child, depth + 1);
			break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

static void sort(struct ranges *r)
{
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_start);
}

static void list_units(struct mp_dwarf_state *s)
{
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die;

	while (dwarf_get_units(s->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile)
			continue;
		add_ranges(&s->all, &die);
		s->units = mp_grow(s->units, &s->cap_units, s->n_units + 1, sizeof(*s->units));
		s->units[s->n_units++] = (struct unit){ .die = dwarf_dieoffset(&die) };
	}
	sort(&s->all);
}

static int by_die(const void *key, const void *unit)
{
	const Dwarf_Off *die = key;
	const struct unit *u = unit;

	return *die < u->die ? -1 : *die > u->die;
}

/* The unit with an address; false: there is none. */
static bool find_unit(struct mp_dwarf_state *s, uint64_t addr, Dwarf_Die *die, struct unit **unit)
{
	const struct range *r = find_range(&s->all, addr);

	if (!r || !dwarf_offdie(s->dwarf, r->die, die))
		return false;
	*unit = bsearch(&r->die, s->units, s->n_units, sizeof(*s->units), by_die);
	if (!*unit)
		return false;
	if (!(*unit)->functions.cap) {
		(*unit)->functions.v = mp_grow(NULL, &(*unit)->functions.cap, 1, sizeof(*r));
		add_functions(&(*unit)->functions, die, 0);
		sort(&(*unit)->functions);
	}
	return true;
}

/* The function with an address, and the functions inlined there into each other. */
static size_t find_functions(struct mp_dwarf_state *s, const struct unit *unit, uint64_t addr,
			     Dwarf_Die dies[MP_DWARF_FRAMES_MAX])
{
	const struct range *r = find_range(&unit->functions, addr);
	Dwarf_Die child, parent;
	unsigned depth = 0;
	size_t n = 0;
	int more;

	if (!r || !dwarf_offdie(s->dwarf, r->die, &dies[n++]))
		return 0;
	more = dwarf_child(&dies[0], &child);
	while (more == 0) {
		int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) ||
		    dwarf_haspc(&child, addr) <= 0) {
			more = dwarf_siblingof(&child, &child);
			continue;
		}
		if (n == MP_DWARF_FRAMES_MAX || depth++ == 4 * NESTED_MAX)
			break;
		if (tag == DW_TAG_inlined_subroutine)
			dies[n++] = child;
		parent = child;
		more = dwarf_child(&parent, &child);
	}
	return n;
}

/* --- their names and lines -------------------------------------------------------------------- */

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attr));
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &attr), &value) == 0 ? value : 0;
}

static void put_name(struct mp_buf *to, Dwarf_Die *die)
{
	const char *linked = string_of(die, DW_AT_linkage_name), *name;
	char *plain = NULL;

	if (!linked)
		linked = string_of(die, DW_AT_MIPS_linkage_name);
	if (linked)
		plain = cplus_demangle(linked, DMGL_AUTO);
	name = plain ? plain : dwarf_diename(die);
	put_text(to, name ? name : linked);
	free(plain);
}

static void put_place(struct mp_buf *to, uint64_t line, const char *path)
{
	if (line > INT32_MAX)
		line = 0;
	mp_buf_printf(to, "%u ", (unsigned)line);
	if (path)
		mp_buf_add(to, path, strnlen(path, TEXT_MAX));
	mp_buf_byte(to, '\n');
}

static void put_line(struct mp_buf *to, Dwarf_Die *unit, uint64_t addr)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
	int number = 0;

	if (line && dwarf_lineno(line, &number) != 0)
		number = 0;
	put_place(to, MP_MAX(number, 0), line ? dwarf_linesrc(line, NULL, NULL) : NULL);
}

/* Where the function of a DIE was inlined. */
static void put_call(struct mp_buf *to, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	uint64_t file = number_of(inlined, DW_AT_call_file);
	const char *path = NULL;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n)
		path = dwarf_filesrc(files, file, NULL, NULL);
	put_place(to, number_of(inlined, DW_AT_call_line), path);
}

static void put_frames(struct mp_dwarf_state *s, uint64_t addr)
{
	Dwarf_Die die, dies[MP_DWARF_FRAMES_MAX];
	struct unit *unit;
	size_t n, i;

	if (!find_unit(s, addr, &die, &unit))
		return;
	n = find_functions(s, unit, addr, dies);
	for (i = 0; i + 1 < n; i++) {
		put_call(&s->text, &die, &dies[i + 1]);
		put_name(&s->text, &dies[i]);
	}
	put_line(&s->text, &die, addr);
	if (n)
		put_name(&s->text, &dies[n - 1]);
	else
		mp_buf_byte(&s->text, '\0');
}

/* The value of _stext in the symbol table; 0: there is none. */
static uint64_t find_stext(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data = elf_getdata(section, NULL);
		int i;

		if (!gelf_getshdr(section, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		for (i = 0; gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, sh.sh_link, sym.st_name);

			if (name && strcmp(name, "_stext") == 0)
				return sym.st_value;
		}
	}
	return 0;
}

/* --- symbols ---------------------------------------------------------------------------------- */

static void add_symbols(struct mp_dwarf_state *s, Elf_Scn *section, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(section, NULL);
	struct ranges *to = &s->symbols;
	const char *name;
	GElf_Sym sym;
	int i;

	for (i = 0; gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(s->elf, sh->sh_link, sym.st_name);
		if (!name || !*name || sym.st_shndx == SHN_UNDEF || !sym.st_size ||
		    (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC) ||
		    sym.st_value + sym.st_size < sym.st_value)
			continue;
		s->names = mp_grow(s->names, &s->cap_names, s->n_names + 1, sizeof(*s->names));
		s->names[s->n_names] = name;
		to->v = mp_grow(to->v, &to->cap, to->n + 1, sizeof(*to->v));
		to->v[to->n++] =
			(struct range){ sym.st_value, sym.st_value + sym.st_size, s->n_names++ };
	}
}

/* Lists the functions of the symbol tables. */
static void list_symbols(struct mp_dwarf_state *s)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	while ((section = elf_nextscn(s->elf, section)))
		if (gelf_getshdr(section, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			add_symbols(s, section, &sh);
	sort(&s->symbols);
}

/* Puts the name that the symbol table has for an address. */
static void put_symbol(struct mp_dwarf_state *s, uint64_t addr)
{
	const struct range *r = find_range(&s->symbols, addr);
	char *plain;

	if (!r)
		return;
	plain = cplus_demangle(s->names[r->die], DMGL_AUTO);
	put_place(&s->text, 0, NULL);
	put_text(&s->text, plain ? plain : s->names[r->die]);
	free(plain);
}

/* --- files ------------------------------------------------------------------------------------ */

static struct mp_dwarf_state *open_files(const struct mp_dwarf *d)
{
	struct mp_dwarf_state *s = mp_zalloc(sizeof(*s));

	elf_version(EV_CURRENT);
	s->elf = elf_begin(d->fd, ELF_C_READ_MMAP, NULL);
	s->dwarf = s->elf ? dwarf_begin_elf(s->elf, DWARF_C_READ, NULL) : NULL;
	if (s->elf && d->symbols && !d->kernel)
		list_symbols(s);
	if (!s->dwarf)
		return s;
	if (d->alt >= 0) {
		s->alt_elf = elf_begin(d->alt, ELF_C_READ_MMAP, NULL);
		s->alt = s->alt_elf ? dwarf_begin_elf(s->alt_elf, DWARF_C_READ, NULL) : NULL;
		if (s->alt)
			dwarf_setalt(s->dwarf, s->alt);
	}
	if (d->kernel)
		s->base = find_stext(s->elf);
	if (!d->kernel || s->base)
		list_units(s);
	return s;
}

size_t mp_dwarf_lines(void *arg, const void *question, size_t len, char *answer)
{
	struct mp_dwarf *d = arg;
	uint64_t addr = 0;

	memcpy(&addr, question, MP_MIN(len, sizeof(addr)));
	if (!d->state)
		d->state = open_files(d);
	d->state->text.len = 0;
	if (d->state->dwarf)
		put_frames(d->state, d->state->base + addr);
	if (!d->state->text.len)
		put_symbol(d->state, addr);
	if (!d->state->text.len || d->state->text.len > MP_JAIL_ANSWER_MAX) {
		answer[0] = '\0';
		return 1;
	}
	return answer_with(&d->state->text, answer);
}
