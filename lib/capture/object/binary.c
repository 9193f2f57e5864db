// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/binary.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/host/opener.h"
#include "lib/capture/object/elfimage.h"
#include "lib/core/suggest.h"
#include "lib/stream/glob.h"

enum {
	NT_STAPSDT = 3,
	SUGGESTED_MAX = 256, /* names of this length or more are not compared with a misspelt one */
};

/* --- the file of a name ----------------------------------------------------------------------- */

/* Whether a library's file has this name: libc.so.6 is named by "libc" and by "libc.so.6". */
static bool is_library_name(const char *file, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(file, name, len) != 0 || !strstr(file, ".so"))
		return false;
	return !file[len] ||
	       (strncmp(file + len, ".so", 3) == 0 && (!file[len + 3] || file[len + 3] == '.'));
}

/* Whether a file is an ELF file: in a folder of libraries, libc.so may be a linker script. */
static bool is_elf(const char *path)
{
	char magic[4] = "";
	int fd = mp_open_named(path);
	bool elf = fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, ELFMAG, 4) == 0;

	if (fd >= 0)
		close(fd);
	return elf;
}

/* The shortest name that matches is preferred: libx.so.6, which is a link to libx.so.6.0.30. */
static char *find_in_folder(const char *folder, const char *name)
{
	char *best = NULL, *path;
	struct dirent *d;
	DIR *dir = opendir(folder);

	while (dir && (d = readdir(dir))) {
		if (!is_library_name(d->d_name, name))
			continue;
		path = mp_asprintf("%s/%s", folder, d->d_name);
		if ((best && strlen(best) <= strlen(path)) || !is_elf(path)) {
			free(path);
			continue;
		}
		free(best);
		best = path;
	}
	if (dir)
		closedir(dir);
	return best;
}

static char *find_library(const char *name)
{
	/* %s is the folder of this architecture */
	static const char *const folders[] = {
		"/lib/%s", "/usr/lib/%s", "/lib64",	    "/usr/lib64",
		"/lib",	   "/usr/lib",	  "/usr/local/lib",
	};
	const struct mp_arch *arch = mp_arch_here();
	char *best = NULL, *folder;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(folders) && !best; i++) {
		folder = mp_asprintf(folders[i], arch ? arch->libraries : "");
		best = find_in_folder(folder, name);
		free(folder);
	}
	return best;
}

static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *folders = mp_strdup(path ? path : "/usr/bin:/bin"), *save = NULL, *folder, *full;

	for (folder = strtok_r(folders, ":", &save); folder; folder = strtok_r(NULL, ":", &save)) {
		full = mp_asprintf("%s/%s", folder, name);
		if (access(full, X_OK) == 0 && is_elf(full)) {
			free(folders);
			return full;
		}
		free(full);
	}
	free(folders);
	return NULL;
}

char *mp_binary_path(const char *name, char **error)
{
	char *path;
	uint64_t pid;

	if (strchr(name, '/'))
		path = mp_strdup(name);
	else if (mp_num_u64(mp_str(name), &pid) == 0)
		path = mp_asprintf("/proc/%llu/exe", (unsigned long long)pid);
	else if (!(path = find_library(name)))
		path = find_program(name);
	if (path && access(path, R_OK) == 0)
		return path;
	*error = path ? mp_asprintf("cannot read '%s': %m", path)
		      : mp_asprintf("no library or program '%s'", name);
	free(path);
	return NULL;
}

/* --- ELF -------------------------------------------------------------------------------------- */

struct binary {
	int fd;
	struct mp_limit limit;
	struct mp_elf_image image;
	const char *path;
};

int mp_binary_open(const char *path, char **error)
{
	int fd = mp_open_named(path);

	if (fd < 0)
		*error = errno == EINVAL || errno == EFBIG
				 ? mp_asprintf("'%s' is neither a program nor a library", path)
				 : mp_asprintf("cannot open '%s': %m", path);
	return fd;
}

static int begin(struct binary *b, const struct mp_binary *file, char **error)
{
	*b = (struct binary){ .fd = file->fd, .path = file->path, .limit = MP_LIMIT_INIT };
	if (mp_elf_image_init(&b->image, b->fd, NULL, 0, &b->limit))
		return 0;
	*error = b->limit.reason ? mp_asprintf("'%s' has too many %s", b->path, b->limit.reason)
				 : mp_asprintf("'%s' is neither a program nor a library", b->path);
	return -1;
}

static void end(struct binary *b)
{
	mp_elf_image_release(&b->image);
}

/* Converts an address of a symbol to an offset in the file. */
static bool file_offset(const struct binary *b, uint64_t addr, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < b->image.n_segments; i++) {
		const Elf64_Phdr *ph = &b->image.segments[i];

		if (ph->p_type != PT_LOAD || addr < ph->p_vaddr ||
		    addr - ph->p_vaddr >= ph->p_filesz)
			continue;
		*offset = addr - ph->p_vaddr + ph->p_offset;
		return true;
	}
	return false;
}

static void add_place(struct mp_cut_places *places, const struct mp_cut_place *place)
{
	places->v = mp_grow(places->v, &places->cap, places->n + 1, sizeof(*place));
	places->v[places->n++] = *place;
}

/* Calls `each` with the functions of both symbol tables. */
typedef void function_fn(void *arg, const char *name, uint64_t addr);

static void each_function(const struct binary *b, function_fn *each, void *arg)
{
	bool seen[2] = { false, false }; /* a file has one table of each kind */
	struct mp_elf_functions it;
	struct mp_str name;
	Elf64_Sym sym;
	size_t i;

	for (i = 0; i < b->image.n_sections; i++) {
		const Elf64_Shdr *sh = &b->image.sections[i];
		char text[MP_ELF_STRING_MAX + 1];

		if ((sh->sh_type != SHT_SYMTAB && sh->sh_type != SHT_DYNSYM) ||
		    seen[sh->sh_type == SHT_DYNSYM])
			continue;
		seen[sh->sh_type == SHT_DYNSYM] = true;
		if (mp_elf_functions_begin(&it, &b->image, sh)) {
			while (mp_elf_functions_next(&it, &sym, &name)) {
				memcpy(text, name.p, name.len);
				text[name.len] = '\0';
				each(arg, text, sym.st_value);
			}
		}
		mp_elf_functions_end(&it);
	}
}

struct search {
	const struct binary *b;
	struct mp_cut_places *places;
	struct mp_suggest suggest;
	const char *glob;
	uint64_t plus;
};

static void add_function(void *arg, const char *name, uint64_t addr)
{
	struct search *s = arg;
	struct mp_cut_place place = { .name = NULL };

	if (!mp_glob_plain(s->glob, name) || !file_offset(s->b, addr + s->plus, &place.offset) ||
	    !mp_limit_take(s->b->image.limit, sizeof(place) + strlen(name), "functions"))
		return;
	place.name = s->plus ? mp_asprintf("%s+0x%llx", name, (unsigned long long)s->plus)
			     : mp_strdup(name);
	add_place(s->places, &place);
}

static void try_function(void *arg, const char *name, uint64_t addr)
{
	struct search *s = arg;

	(void)addr;
	if (strlen(name) < SUGGESTED_MAX)
		mp_suggest_try(&s->suggest, name);
}

static int by_offset(const void *a, const void *b)
{
	const struct mp_cut_place *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	const struct mp_cut_place *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Removes all but one name of each place, so that a hit counts once. */
static void keep_each_once(struct mp_cut_places *places)
{
	size_t i, kept = 0;

	if (!places->n)
		return;
	qsort(places->v, places->n, sizeof(*places->v), by_offset);
	for (i = 0; i < places->n; i++) {
		if (kept && places->v[kept - 1].offset == places->v[i].offset)
			free(places->v[i].name);
		else
			places->v[kept++] = places->v[i];
	}
	places->n = kept;
	qsort(places->v, places->n, sizeof(*places->v), by_name);
}

static int no_function(struct search *s, const char *path, const char *name, char **error)
{
	if (s->b->limit.reason) {
		*error = mp_asprintf("'%s' has too many %s", path, s->b->limit.reason);
		return -1;
	}
	mp_suggest_init(&s->suggest, name);
	each_function(s->b, try_function, s);
	*error = s->suggest.best ? mp_asprintf("no function '%s' in '%s'; did you mean '%s'?", name,
					       path, s->suggest.best)
				 : mp_asprintf("no function '%s' in '%s'", name, path);
	mp_suggest_release(&s->suggest);
	return -1;
}

static int add_address(struct mp_cut_places *places, const struct binary *b, const char *what,
		       int64_t addr, char **error)
{
	struct mp_cut_place place = { .name = NULL };

	if (!file_offset(b, (uint64_t)addr, &place.offset)) {
		*error = mp_asprintf("%s is not in '%s'", what, b->path);
		return -1;
	}
	place.name = mp_strdup(what);
	add_place(places, &place);
	return 0;
}

int mp_binary_functions(struct mp_cut_places *places, const struct mp_binary *file,
			const char *what, char **error)
{
	const char *plus = strrchr(what, '+');
	struct search s = { .places = places };
	struct binary b;
	int64_t number;
	char *name;
	int result = 0;

	if (begin(&b, file, error) < 0)
		return -1;
	s.b = &b;
	if (strncmp(what, "0x", 2) == 0 && mp_num_any(mp_str(what), &number) == 0) {
		result = add_address(places, &b, what, number, error);
		end(&b);
		return result;
	}
	if (plus && mp_num_any(mp_str(plus + 1), &number) == 0 && number >= 0)
		s.plus = number;
	else
		plus = NULL;
	name = plus ? mp_strndup(what, plus - what) : mp_strdup(what);
	s.glob = name;
	each_function(&b, add_function, &s);
	keep_each_once(places);
	if (!places->n)
		result = no_function(&s, file->path, name, error);
	free(name);
	end(&b);
	return result;
}

uint64_t mp_binary_cheap_place(int fd, uint64_t offset)
{
	const struct mp_arch *arch = mp_arch_here();
	uint8_t code[16];
	ssize_t n;

	if (!arch || !arch->cheap_place)
		return offset;
	n = pread(fd, code, sizeof(code), (off_t)offset);
	return n > 0 ? offset + arch->cheap_place(code, (size_t)n) : offset;
}

/* --- static probes ---------------------------------------------------------------------------- */

static uint64_t section_address(const struct binary *b, const char *wanted)
{
	const struct mp_elf_image *e = &b->image;
	struct mp_elf_data names;
	uint64_t addr = 0;
	size_t i;

	if (!mp_elf_load(e, mp_elf_section(e, e->names), "sections", &names))
		return 0;
	for (i = 0; i < e->n_sections && !addr; i++)
		if (mp_str_eq(mp_elf_string(&names, e->sections[i].sh_name), mp_str(wanted)))
			addr = e->sections[i].sh_addr;
	mp_elf_drop(e, &names);
	return addr;
}

/* The next string of a note; NULL if its NUL is not within the note. */
static const char *next_string(const char **at, const char *end_of_note)
{
	const char *text = *at, *nul = memchr(text, '\0', end_of_note - text);

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

static bool marker_matches(const char *what, const char *provider, const char *name)
{
	char *full = mp_asprintf("%s:%s", provider, name);
	bool match = mp_glob_plain(what, strchr(what, ':') ? full : name);

	free(full);
	return match;
}

/*
 * A note has the addresses of the probe, of .stapsdt.base and of the semaphore, then three strings.
 */
static void handle_note(const struct binary *b, struct mp_cut_places *places, const char *what,
			uint64_t base, struct mp_str desc)
{
	size_t word = b->image.wide ? 8 : 4, i;
	uint64_t addr[3] = { 0, 0, 0 }, moved = 0;
	const char *at = desc.p + 3 * word, *end_of_note = desc.p + desc.len;
	const char *provider, *name, *args;
	struct mp_cut_place place = { .name = NULL };

	if (desc.len < 3 * word)
		return;
	for (i = 0; i < 3; i++)
		memcpy(&addr[i], desc.p + i * word, word); /* the byte order is ours */
	provider = next_string(&at, end_of_note);
	name = provider ? next_string(&at, end_of_note) : NULL;
	args = name ? next_string(&at, end_of_note) : NULL;
	if (!args || !marker_matches(what, provider, name))
		return;
	if (base) /* prelink moves sections, but does not change notes */
		moved = base - addr[1];
	if (!file_offset(b, addr[0] + moved, &place.offset))
		return;
	if (addr[2] && !file_offset(b, addr[2] + moved, &place.semaphore))
		return;
	if (!mp_limit_take(b->image.limit, sizeof(place) + desc.len, "static probes"))
		return;
	place.provider = mp_strdup(provider);
	place.name = mp_strdup(name);
	place.args = mp_strdup(args);
	add_place(places, &place);
}

static void read_notes(const struct binary *b, struct mp_cut_places *places, const char *what,
		       uint64_t base, const Elf64_Shdr *sh)
{
	struct mp_elf_data data;
	struct mp_elf_note note;
	struct mp_bytes bytes;

	/* sections of one file may overlap, so each is charged, although it is dropped */
	if (!mp_elf_load(&b->image, sh, "static probes", &data))
		return;
	bytes = (struct mp_bytes){ data.p, data.p + data.size, false };
	while (mp_elf_next_note(&bytes, sh->sh_addralign, &note))
		if (note.type == NT_STAPSDT && mp_str_eq(note.name, MP_STR("stapsdt")))
			handle_note(b, places, what, base, note.desc);
	free(data.p);
}

int mp_binary_markers(struct mp_cut_places *places, const struct mp_binary *file, const char *what,
		      char **error)
{
	struct binary b;
	uint64_t base;
	size_t i;

	if (begin(&b, file, error) < 0)
		return -1;
	base = section_address(&b, ".stapsdt.base");
	for (i = 0; i < b.image.n_sections; i++)
		if (b.image.sections[i].sh_type == SHT_NOTE)
			read_notes(&b, places, what, base, &b.image.sections[i]);
	end(&b);
	if (places->n)
		return 0;
	*error =
		b.limit.reason
			? mp_asprintf("'%s' has too many %s", b.path, b.limit.reason)
			: mp_asprintf(
				  "no static probe '%s' in '%s' (mp-record -l 'usdt:%s' lists them)",
				  what, b.path, b.path);
	return -1;
}
