// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/symbol.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/capture/object/elffile.h"
#include "lib/stream/ctl.h"
#include "lib/stream/esc.h"

enum {
	RAW_MAX_BYTES = 8192, /* of a name in its file, where it may have 100 KiB */
	NAME_MAX_BYTES = 512, /* of a frame, before it is escaped */
	MARK_BYTES = 11,      /* "...89abcdef" */
	KERNEL_GAP = 1 << 20, /* an address farther from a kernel symbol is not in its function */
	NAMES_MAX_BYTES = 32 << 20,
};

void mp_symbols_init(struct mp_symbols *s, struct mp_opener *opener)
{
	*s = (struct mp_symbols){ .has_kernel = false };
	s->demangler = mp_demangler_new();
	mp_dsos_init(&s->dsos, opener);
	mp_map_init(&s->names, sizeof(struct mp_str));
	mp_jits_init(&s->jits, opener);
}

void mp_symbols_release(struct mp_symbols *s)
{
	mp_jits_release(&s->jits);
	mp_map_release(&s->names);
	mp_demangler_free(s->demangler);
	mp_buf_release(&s->cut);
	mp_buf_release(&s->modules);
	free(s->kernel_module);
	mp_symtab_release(&s->kernel);
	mp_dsos_release(&s->dsos);
}

struct mp_dso *mp_symbols_dso(void *symbols, const struct mp_proc_map *map, struct mp_tasks *tasks,
			      struct mp_process *process)
{
	struct mp_symbols *s = symbols;
	struct mp_budget_who who;
	bool known;
	struct mp_dso *dso = mp_dsos_find(&s->dsos, map, &known);

	if (known) {
		/* the uid is read if the first user has no share left */
		if (!process->uid_ns && dso && dso->refused)
			mp_tasks_who(tasks, process, map->path);
		if (process->uid_ns && process->uid != MP_BUDGET_UNKNOWN)
			mp_dso_share(&s->dsos, dso, process->uid);
		return dso;
	}
	who = mp_tasks_who(tasks, process, map->path);
	return mp_dsos_get(&s->dsos, map, &who);
}

/* Reads the kernel's symbols when the first of them is needed. It takes 50 ms. */
static void load_kernel(struct mp_symbols *s)
{
	if (!s->has_kernel)
		mp_kallsyms_load(&s->kernel, &s->kernel_text);
	s->has_kernel = true;
}

static void add_frame(struct mp_buf *to, struct mp_str name, enum mp_mark mark)
{
	mp_buf_reserve(to, 4 * name.len + 8);
	to->len = mp_frame_put(to->p + to->len, name, mark) - to->p;
}

/*
 * Truncates a name that is too long. The mark has a hash of the name as it is in the file, so that
 * names with the same beginning remain different.
 */
static struct mp_str cut_name(struct mp_symbols *s, struct mp_str name, struct mp_str raw)
{
	size_t len = NAME_MAX_BYTES - MARK_BYTES;

	if (name.len <= NAME_MAX_BYTES)
		return name;
	while (len > 0 && (name.p[len] & 0xc0) == 0x80) /* not within a character of UTF-8 */
		len--;
	s->cut.len = 0;
	mp_buf_add(&s->cut, name.p, len);
	mp_buf_printf(&s->cut, "...%08x", (uint32_t)mp_hash(raw.p, raw.len, 0));
	return mp_buf_view(&s->cut);
}

/* Appends the frame of a name: demangled, truncated, escaped. Caches the result. */
static void add_name(struct mp_symbols *s, const char *raw, enum mp_mark mark, struct mp_buf *to)
{
	char made_by = (char)mark;
	struct mp_str key[2] = { { raw, strnlen(raw, RAW_MAX_BYTES) }, { &made_by, 1 } };
	struct mp_str *text, name = MP_STR("");
	struct mp_buf frame = { NULL, 0, 0 };
	struct mp_map_entry *e;
	bool fresh;

	if (mp_map_bytes(&s->names) > NAMES_MAX_BYTES)
		mp_map_clear(&s->names);
	e = mp_map_put(&s->names, key, 2, &fresh);
	text = mp_map_value(e);
	if (fresh) {
		if (mark == MP_MARK_NONE)
			name = mp_demangle(s->demangler, raw);
		add_frame(&frame, cut_name(s, name.len ? name : key[0], key[0]), mark);
		*text = mp_arena_str(&s->names.arena, mp_buf_view(&frame));
		mp_buf_release(&frame);
	}
	mp_buf_str(to, *text);
}

/* Writes "[module]+0xoffset". */
static void add_offset(struct mp_symbols *s, const char *module, uint64_t offset, enum mp_mark mark,
		       struct mp_buf *to)
{
	char number[MP_NUM_MAX];
	struct mp_buf name = { NULL, 0, 0 };

	s->unknown++;
	mp_buf_byte(&name, '[');
	mp_buf_add(&name, module, strlen(module));
	mp_buf_add(&name, "]+", 2);
	mp_buf_add(&name, number, mp_put_hex(number, offset) - number);
	add_frame(to, mp_buf_view(&name), mark);
	mp_buf_release(&name);
}

/* Adds the place of a frame that was just added, before its mark. */
static void add_place(struct mp_buf *to, uint64_t offset, const char *module, enum mp_mark mark)
{
	struct mp_place place = { offset, mp_str(module) };
	struct mp_str frame = mp_buf_view(to);
	char end[8];
	size_t len;

	len = mp_frame_mark(frame, &frame) == mark ? to->len - frame.len : 0;
	memcpy(end, to->p + to->len - len, len);
	to->len -= len;
	mp_buf_reserve(to, place.module.len + 32);
	to->len = mp_frame_put_place(to->p + to->len, &place) - to->p;
	mp_buf_add(to, end, len);
}

/*
 * Makes the name of a module in places, and its control line. `id` is the build id in hexadecimal
 * digits, `path` NULL if there is none.
 */
static char *new_module(struct mp_symbols *s, const char *name, struct mp_str id, const char *path)
{
	size_t len = strlen(name);
	char *module = mp_alloc(4 * len + 12);
	json_t *line;

	*mp_frame_put_module(module, (struct mp_str){ name, len }, id) = '\0';
	line = json_pack("{s:o}", "module", mp_ctl_string(mp_str(module)));
	if (id.len)
		json_object_set_new(line, "build_id", mp_ctl_string(id));
	if (path)
		json_object_set_new(line, "path", mp_ctl_string(mp_str(path)));
	mp_ctl_add(&s->modules, line);
	return module;
}

static const char *module_of(struct mp_symbols *s, struct mp_dso *dso,
			     const struct mp_elfsym *symbols)
{
	struct mp_str id = mp_elfsym_build_id(symbols);
	char hex[2 * MP_BUILD_ID_MAX + 1] = "";
	size_t i;

	for (i = 0; i < id.len; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)id.p[i]);
	if (!dso->module || dso->stream != s->stream) {
		free(dso->module);
		dso->module = new_module(s, dso->name, mp_str(hex),
					 dso->path[0] == '/' ? dso->path : NULL);
		dso->stream = s->stream;
	}
	return dso->module;
}

static void add_kernel_place(struct mp_symbols *s, uint64_t addr, struct mp_buf *to)
{
	if (addr < s->kernel_text.start || addr >= s->kernel_text.end)
		return; /* a module, a BPF program, or hidden */
	if (!s->kernel_module || s->kernel_stream != s->stream) {
		free(s->kernel_module);
		s->kernel_module = new_module(s, "[kernel]", s->kernel_id, NULL);
		s->kernel_stream = s->stream;
	}
	add_place(to, addr - s->kernel_text.start, s->kernel_module, MP_MARK_KERNEL);
}

void mp_symbols_kernel(struct mp_symbols *s, uint64_t addr, struct mp_buf *to)
{
	const struct mp_symbol *symbol;

	load_kernel(s);
	s->frames++;
	symbol = mp_symtab_find(&s->kernel, addr);
	if (symbol && addr - symbol->start < KERNEL_GAP)
		add_name(s, symbol->name, MP_MARK_KERNEL, to);
	else
		add_offset(s, "kernel", addr, MP_MARK_KERNEL, to);
	if (s->places)
		add_kernel_place(s, addr, to);
}

bool mp_symbols_kernel_name(struct mp_symbols *s, uint64_t addr, bool offset, struct mp_buf *to)
{
	const struct mp_symbol *symbol;
	char number[MP_NUM_MAX];

	load_kernel(s);
	symbol = mp_symtab_find(&s->kernel, addr);
	if (!symbol || addr - symbol->start >= KERNEL_GAP)
		return false;
	mp_buf_add(to, symbol->name, MP_MIN(symbol->len, NAME_MAX_BYTES));
	if (offset) {
		mp_buf_byte(to, '+');
		mp_buf_add(to, number, mp_put_hex(number, addr - symbol->start) - number);
	}
	return true;
}

bool mp_symbols_kernel_is(struct mp_symbols *s, uint64_t addr, const char *name)
{
	const struct mp_symbol *symbol;

	load_kernel(s);
	symbol = mp_symtab_find(&s->kernel, addr);
	return symbol && strcmp(symbol->name, name) == 0;
}

static void add_file_frame(struct mp_symbols *s, const struct mp_elfsym *symbols,
			   const struct mp_mapping *m, uint64_t addr, struct mp_buf *to)
{
	uint64_t at = mp_elfsym_address(symbols, addr - m->start + m->offset), start;
	const char *name;

	mp_dso_begin(&s->dsos, m->dso);
	name = mp_elfsym_find(symbols, at, &start);
	if (name)
		add_name(s, name, MP_MARK_NONE, to);
	else
		add_offset(s, m->dso->name, start ? start : at, MP_MARK_NONE, to);
	if (s->places)
		add_place(to, at, module_of(s, m->dso, symbols), MP_MARK_NONE);
	mp_dso_end(&s->dsos);
}

static void add_bare(struct mp_symbols *s, const struct mp_mapping *m, uint64_t addr,
		     struct mp_buf *to)
{
	if (m && m->dso) {
		add_offset(s, m->dso->name, addr - m->start + m->offset, MP_MARK_NONE, to);
	} else {
		s->unknown++;
		mp_buf_str(to, MP_STR("[unknown]"));
	}
}

bool mp_symbols_user(struct mp_symbols *s, struct mp_process *process, uint64_t addr,
		     uint64_t now_ns, struct mp_buf *to)
{
	const struct mp_mapping *m = mp_space_find(process->space, addr);
	struct mp_elfsym *symbols = m && m->dso ? mp_dso_symbols(&s->dsos, m->dso) : NULL;
	struct mp_jitdump *dump;
	const char *name;

	s->frames++;
	if (symbols) {
		add_file_frame(s, symbols, m, addr, to);
		return true;
	}
	/*
	 * Handles anonymous memory, or a file that is not a program, since some compilers write
	 * their code to a file and map it.
	 */
	dump = mp_dso_jitdump(&s->dsos, process->space->jitdump, now_ns);
	name = dump ? mp_jitdump_find(dump, addr, now_ns) : NULL;
	if (!name && m)
		name = mp_jits_find(&s->jits, process, addr, now_ns);
	if (name)
		add_name(s, name, MP_MARK_JIT, to);
	else
		add_bare(s, m, addr, to);
	return false;
}

uint64_t mp_symbols_changes(struct mp_symbols *s, const struct mp_space *space, uint64_t now_ns)
{
	struct mp_jitdump *dump = mp_dso_jitdump(&s->dsos, space->jitdump, now_ns);

	return dump ? mp_jitdump_changes(dump, now_ns) : 0;
}

void mp_symbols_bare(struct mp_symbols *s, const struct mp_process *process, uint64_t addr,
		     struct mp_buf *to)
{
	s->frames++;
	add_bare(s, mp_space_find(process->space, addr), addr, to);
}
