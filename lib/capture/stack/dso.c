// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/dso.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/object/walk_rows.h"
#include "lib/core/clock.h"
#include "lib/core/map.h"

enum {
	HELD_MAX = 256, /* files that are open until their symbols are read, without a budget */
	ENTRY_BYTES = sizeof(struct mp_dso) + 64, /* of a file, with its places in the tables */
	STUCK_NS = 100000000, /* how long to wait before eviction is tried again */
};

void mp_dsos_init(struct mp_dsos *d, struct mp_opener *opener)
{
	*d = (struct mp_dsos){ .opener = opener };
	mp_intmap_init(&d->by_hash);
}

static uint32_t new_number(struct mp_dsos *d)
{
	if (d->n_free)
		return d->free_numbers[--d->n_free];
	d->all = mp_grow(d->all, &d->cap_all, d->n_all + 1, sizeof(struct mp_dso *));
	return (uint32_t)++d->n_all;
}

static struct mp_dso *new_dso(struct mp_dsos *d)
{
	struct mp_dso *dso = mp_zalloc(sizeof(*dso));

	dso->number = new_number(d);
	dso->fd = -1;
	d->all[dso->number - 1] = dso;
	return dso;
}

struct mp_dso *mp_dsos_numbered(const struct mp_dsos *d, uint32_t number)
{
	return number - 1 < d->n_all ? d->all[number - 1] : NULL;
}

static void close_file(struct mp_dsos *d, struct mp_dso *dso)
{
	if (dso->fd < 0)
		return;
	close(dso->fd);
	dso->fd = -1;
	mp_budget_give(d->budget, MP_BUDGET_OPEN, dso->uid, 1);
}

static void free_dso(struct mp_dsos *d, struct mp_dso *dso)
{
	close_file(d, dso);
	mp_elfsym_free(dso->symbols);
	mp_cfi_free(dso->cfi);
	mp_jitdump_free(dso->jitdump);
	mp_segments_release(&dso->segments);
	free(dso->path);
	free(dso->name);
	free(dso->module);
	free(dso);
}

void mp_dsos_release(struct mp_dsos *d)
{
	size_t i;

	for (i = 0; i < d->n_all; i++)
		if (d->all[i])
			free_dso(d, d->all[i]);
	mp_intmap_release(&d->by_hash);
	free(d->all);
	free(d->free_numbers);
	free(d->held);
}

/* --- memory ----------------------------------------------------------------------------------- */

static struct mp_budget_who owner_of(const struct mp_dso *dso)
{
	return (struct mp_budget_who){ dso->uid, dso->mapping.pid, mp_str(dso->comm), dso->path };
}

static void give_back(struct mp_dsos *d, struct mp_dso *dso, size_t bytes)
{
	mp_budget_give(d->budget, MP_BUDGET_TABLES, dso->uid, bytes);
	dso->charged -= bytes;
}

/* Frees what was read of a file. */
static void unload(struct mp_dsos *d, struct mp_dso *dso)
{
	size_t cfi_bytes = dso->cfi ? mp_cfi_bytes(dso->cfi) : 0;
	size_t bytes = cfi_bytes + (dso->symbols ? mp_elfsym_bytes(dso->symbols) : 0);

	bytes += dso->jitdump_bytes;
	d->cfi_bytes -= cfi_bytes;
	mp_elfsym_free(dso->symbols);
	mp_cfi_free(dso->cfi);
	mp_jitdump_free(dso->jitdump);
	dso->symbols = NULL;
	dso->cfi = NULL;
	dso->jitdump = NULL;
	dso->jitdump_bytes = 0;
	dso->loaded = dso->cfi_loaded = false;
	give_back(d, dso, bytes);
}

/* Forgets a file that nobody maps. */
static void forget(struct mp_dsos *d, struct mp_dso *dso)
{
	struct mp_intmap_entry *e = mp_intmap_find(&d->by_hash, dso->hash);
	uint32_t number = dso->number;
	size_t i;

	while ((struct mp_dso *)(uintptr_t)e->value != dso)
		e = mp_intmap_next(&d->by_hash, e);
	mp_intmap_remove(&d->by_hash, e);
	for (i = 0; i < d->n_held; i++)
		if (d->held[i] == dso)
			d->held[i--] = d->held[--d->n_held];
	unload(d, dso);
	give_back(d, dso, dso->charged);
	free_dso(d, dso);
	d->all[number - 1] = NULL;
	d->free_numbers =
		mp_grow(d->free_numbers, &d->cap_free, d->n_free + 1, sizeof(*d->free_numbers));
	d->free_numbers[d->n_free++] = number;
	if (d->gone)
		d->gone(d->gone_arg, number);
}

static bool is_evictable(const struct mp_dso *dso, const struct mp_dso *kept)
{
	return dso && dso != kept && dso->hash &&
	       (!dso->refs || dso->symbols || dso->cfi || dso->jitdump);
}

static int by_use(const void *a, const void *b)
{
	const struct mp_dso *const *x = a, *const *y = b;

	return (*x)->used < (*y)->used ? -1 : (*x)->used > (*y)->used;
}

/* The files of a user that have something to free, the least recently used first. */
static struct mp_dso **evictable(const struct mp_dsos *d, uid_t uid, const struct mp_dso *kept,
				 size_t *n)
{
	struct mp_dso **v = mp_alloc(d->n_all * sizeof(struct mp_dso *));
	size_t i;

	*n = 0;
	for (i = 0; i < d->n_all; i++)
		if (is_evictable(d->all[i], kept) && d->all[i]->uid == uid)
			v[(*n)++] = d->all[i];
	if (*n)
		qsort(v, *n, sizeof(struct mp_dso *), by_use);
	return v;
}

/* Frees at least `bytes` of a user, if the user has as many, and at least a quarter of all. */
static void evict(struct mp_dsos *d, uid_t uid, size_t bytes, const struct mp_dso *kept)
{
	struct mp_dso **v;
	size_t freed = 0, all = 0, n, i, before;

	v = evictable(d, uid, kept, &n);
	for (i = 0; i < n; i++)
		all += v[i]->charged;
	bytes = MP_MAX(bytes, all / 4);
	for (i = 0; i < n && freed < bytes; i++) {
		before = v[i]->charged;
		unload(d, v[i]);
		freed += before - v[i]->charged;
		if (v[i]->refs)
			continue;
		freed += v[i]->charged;
		forget(d, v[i]);
	}
	free(v);
	if (freed < bytes)
		d->stuck_ns = mp_monotonic_ns();
}

/* Makes room for some bytes of a user; `kept` is in use. */
static void make_room(struct mp_dsos *d, uid_t uid, size_t bytes, const struct mp_dso *kept)
{
	if (!d->budget || mp_budget_fits(d->budget, MP_BUDGET_TABLES, uid, bytes) ||
	    mp_monotonic_ns() - d->stuck_ns < STUCK_NS)
		return;
	evict(d, mp_budget_victim(d->budget, MP_BUDGET_TABLES, uid, bytes), bytes, kept);
}

/* Charges what was read of a file. A single file is within any share. */
static void charge(struct mp_dsos *d, struct mp_dso *dso, size_t bytes)
{
	make_room(d, dso->uid, bytes, dso);
	mp_budget_spend(d->budget, MP_BUDGET_TABLES, dso->uid, bytes);
	dso->charged += bytes;
}

/* --- files ------------------------------------------------------------------------------------ */

/* All processes of our architecture have the same vDSO as mp-record. */
static void load_vdso(struct mp_dso *dso)
{
	const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Phdr) * segments;
	size_t size, i;

	if (!image)
		return;
	segments = (const void *)((const char *)image + image->e_phoff);
	size = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	for (i = 0; i < image->e_phnum; i++)
		size = MP_MAX(size, segments[i].p_offset + segments[i].p_filesz);
	dso->symbols = mp_elfsym_load_image(image, size);
	dso->cfi = mp_elfcfi_load_image(image, size, &dso->segments);
}

static struct mp_dso *new_builtin(struct mp_dsos *d, const char *path, const char *name)
{
	struct mp_dso *dso = new_dso(d);

	dso->loaded = dso->cfi_loaded = true;
	dso->cfi_id = ++d->cfi_loads;
	dso->path = mp_strdup(path);
	dso->name = mp_strdup(name);
	return dso;
}

static struct mp_dso *get_vdso(struct mp_dsos *d)
{
	if (d->vdso)
		return d->vdso;
	d->vdso = new_builtin(d, "[vdso]", "vdso");
	load_vdso(d->vdso);
	return d->vdso;
}

static struct mp_dso *get_other(struct mp_dsos *d)
{
	if (!d->other)
		d->other = new_builtin(d, "[other]", "other");
	return d->other;
}

/* Closes the file of a user that was opened first. It is opened again when it is needed. */
static void close_oldest(struct mp_dsos *d, uid_t uid)
{
	size_t i;

	for (i = 0; i < d->n_held; i++) {
		if (d->held[i]->uid != uid)
			continue;
		close_file(d, d->held[i]);
		memmove(d->held + i, d->held + i + 1, (--d->n_held - i) * sizeof(*d->held));
		return;
	}
}

static void hold(struct mp_dsos *d, struct mp_dso *dso)
{
	size_t i, kept = 0;

	for (i = 0; i < d->n_held; i++) /* closes the files whose symbols were read */
		if (d->held[i]->fd >= 0)
			d->held[kept++] = d->held[i];
	d->n_held = kept;
	if (!d->budget ? d->n_held >= HELD_MAX
		       : !mp_budget_fits(d->budget, MP_BUDGET_OPEN, dso->uid, 1))
		close_oldest(d, d->budget ? mp_budget_victim(d->budget, MP_BUDGET_OPEN, dso->uid, 1)
					  : dso->uid);
	mp_budget_spend(d->budget, MP_BUDGET_OPEN, dso->uid, 1);
	d->held = mp_grow(d->held, &d->cap_held, d->n_held + 1, sizeof(*d->held));
	d->held[d->n_held++] = dso;
}

/* Opens a file if its user has time left. */
static bool open_file(struct mp_dsos *d, struct mp_dso *dso)
{
	uint64_t began = mp_monotonic_ns();
	struct stat st;

	if (dso->fd >= 0)
		return true;
	if (!mp_budget_fits(d->budget, MP_BUDGET_TIME, dso->uid, 1))
		return false;
	dso->fd = mp_open_code(d->opener, &dso->mapping);
	mp_budget_spend(d->budget, MP_BUDGET_TIME, dso->uid, mp_monotonic_ns() - began);
	if (dso->fd < 0)
		return false;
	dso->of_root = fstat(dso->fd, &st) == 0 && st.st_uid == 0;
	hold(d, dso);
	return true;
}

static bool is_file(const char *path)
{
	return path[0] == '/' && strncmp(path, "//anon", 6) != 0 &&
	       strncmp(path, "/dev/zero", 9) != 0 && strncmp(path, "/SYSV", 5) != 0 &&
	       strncmp(path, "/anon_hugepage", 14) != 0;
}

/* Shortens "/usr/lib/x.so (deleted)" to "x.so". */
static char *short_name(const char *path)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(name);

	if (len > sizeof(deleted) - 1 && strcmp(name + len - (sizeof(deleted) - 1), deleted) == 0)
		len -= sizeof(deleted) - 1;
	return mp_strndup(name, len);
}

static uint64_t hash_of(const struct mp_proc_map *map)
{
	const uint64_t file[2] = { (uint64_t)map->major << 32 | map->minor, map->inode };
	uint64_t hash = mp_hash(file, sizeof(file), mp_hash_seed());

	return mp_hash(map->path, strlen(map->path), hash) | 1;
}

static bool is_same(const struct mp_dso *dso, const struct mp_proc_map *map)
{
	const struct mp_open_mapping *m = &dso->mapping;

	return m->inode == map->inode && m->major == map->major && m->minor == map->minor &&
	       strcmp(dso->path, map->path) == 0;
}

struct mp_dso *mp_dsos_find(struct mp_dsos *d, const struct mp_proc_map *map, bool *known)
{
	const struct mp_intmap_entry *e;
	struct mp_dso *dso;

	*known = true;
	if (strcmp(map->path, "[vdso]") == 0)
		return get_vdso(d);
	if (!is_file(map->path))
		return NULL;
	for (e = mp_intmap_find(&d->by_hash, hash_of(map)); e->value;
	     e = mp_intmap_next(&d->by_hash, e)) {
		dso = (struct mp_dso *)(uintptr_t)e->value;
		if (is_same(dso, map))
			return dso;
	}
	*known = false;
	return NULL;
}

struct mp_dso *mp_dsos_get(struct mp_dsos *d, const struct mp_proc_map *map,
			   const struct mp_budget_who *who)
{
	size_t bytes = ENTRY_BYTES + 2 * strlen(map->path);
	bool known;
	struct mp_dso *dso = mp_dsos_find(d, map, &known);

	if (known)
		return dso;
	make_room(d, who->uid, bytes, NULL);
	if (!mp_budget_take(d->budget, MP_BUDGET_TABLES, who, bytes))
		return get_other(d);
	dso = new_dso(d);
	dso->charged = bytes;
	dso->hash = hash_of(map);
	dso->used = ++d->clock;
	dso->uid = mp_budget_uid(d->budget, who->uid);
	snprintf(dso->comm, sizeof(dso->comm), "%.*s", MP_STR_ARGS(who->comm));
	dso->path = mp_strdup(map->path);
	dso->name = short_name(map->path);
	dso->is_jitdump = mp_jitdump_is_name(dso->name);
	dso->mapping = (struct mp_open_mapping){
		.pid = who->pid,
		.start = map->start,
		.end = map->end,
		.major = map->major,
		.minor = map->minor,
		.inode = map->inode,
		.path = dso->path,
	};
	open_file(d, dso);
	mp_intmap_add_pointer(&d->by_hash, dso->hash, dso);
	return dso;
}

static void charge_user(struct mp_dsos *d, struct mp_dso *dso, uid_t uid)
{
	mp_budget_give(d->budget, MP_BUDGET_TABLES, dso->uid, dso->charged);
	mp_budget_spend(d->budget, MP_BUDGET_TABLES, uid, dso->charged);
	if (dso->fd >= 0) {
		mp_budget_give(d->budget, MP_BUDGET_OPEN, dso->uid, 1);
		mp_budget_spend(d->budget, MP_BUDGET_OPEN, uid, 1);
	}
	dso->uid = uid;
	dso->refused = false;
}

void mp_dso_share(struct mp_dsos *d, struct mp_dso *dso, uid_t uid)
{
	size_t i;

	if (!dso || !dso->uid || !dso->hash) /* without a hash it is no single file */
		return;
	if (!uid) {
		charge_user(d, dso, 0);
		return;
	}
	for (i = 0; i < dso->n_others && dso->others[i] != uid; i++)
		;
	if (uid != dso->uid && i == dso->n_others && i < MP_ARRAY_SIZE(dso->others))
		dso->others[dso->n_others++] = uid;
}

/* Charges a file to another user who maps it and has time left; false: there is none. */
static bool find_payer(struct mp_dsos *d, struct mp_dso *dso)
{
	size_t i;

	for (i = 0; i < dso->n_others; i++) {
		uid_t uid = dso->others[i];

		if (!mp_budget_fits(d->budget, MP_BUDGET_TIME, uid, 1) ||
		    !mp_budget_fits(d->budget, MP_BUDGET_TABLES, uid, dso->charged))
			continue;
		dso->others[i] = dso->uid;
		charge_user(d, dso, uid);
		return true;
	}
	return false;
}

/* --- what is in them -------------------------------------------------------------------------- */

/* Closes a file once its symbols and call frame information are read. */
static void close_if_done(struct mp_dsos *d, struct mp_dso *dso)
{
	if (dso->loaded && dso->cfi_loaded)
		close_file(d, dso);
}

void mp_dso_begin(struct mp_dsos *d, const struct mp_dso *dso)
{
	const struct mp_budget_who who = owner_of(dso);

	mp_work_begin(d->work, MP_WORK_FILE, &who, &dso->mapping);
}

void mp_dso_end(struct mp_dsos *d)
{
	mp_work_end(d->work, MP_WORK_FILE);
}

/* Whether a file may have been made to end the writer: system libraries are everybody's. */
static bool is_avoided(const struct mp_dsos *d, const struct mp_dso *dso)
{
	return mp_work_avoids_file(d->work, &dso->mapping) ||
	       (!dso->of_root && mp_work_avoids_user(d->work, dso->uid));
}

/* Whether a file can be read, and its user has time left; it is read later otherwise. */
static bool may_read(struct mp_dsos *d, struct mp_dso *dso)
{
	const struct mp_budget_who who = owner_of(dso);

	if (is_avoided(d, dso))
		return false;
	if (mp_budget_fits(d->budget, MP_BUDGET_TIME, dso->uid, 1) || find_payer(d, dso))
		return true;
	if (!dso->refused)
		mp_budget_refuse(d->budget, MP_BUDGET_TIME, &who);
	dso->refused = true;
	return false;
}

/* Notes the first thing in a file that was above a limit, and charges its user with a refusal. */
static void note_limit(struct mp_dsos *d, struct mp_dso *dso, const struct mp_limit *limit)
{
	const struct mp_budget_who who = owner_of(dso);

	if (!limit->reason || dso->limited)
		return;
	dso->limited = limit->reason;
	mp_budget_refuse(d->budget, MP_BUDGET_TABLES, &who);
}

struct mp_elfsym *mp_dso_symbols(struct mp_dsos *d, struct mp_dso *dso)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	uint64_t began;

	dso->used = ++d->clock;
	if (dso->loaded || dso->is_jitdump || !may_read(d, dso))
		return dso->symbols;
	dso->loaded = true;
	if (!open_file(d, dso))
		return NULL;
	began = mp_monotonic_ns();
	mp_dso_begin(d, dso);
	dso->symbols = mp_elfsym_load(dso->fd, d->opener, &dso->mapping, &limit);
	mp_dso_end(d);
	note_limit(d, dso, &limit);
	mp_budget_spend(d->budget, MP_BUDGET_TIME, dso->uid, mp_monotonic_ns() - began);
	if (dso->symbols)
		charge(d, dso, mp_elfsym_bytes(dso->symbols));
	close_if_done(d, dso);
	return dso->symbols;
}

struct mp_cfi *mp_dso_load_cfi(struct mp_dsos *d, struct mp_dso *dso)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	uint64_t began;

	if (dso->is_jitdump || !may_read(d, dso))
		return NULL;
	dso->cfi_loaded = true;
	dso->cfi_id = ++d->cfi_loads;
	if (!open_file(d, dso))
		return NULL;
	began = mp_monotonic_ns();
	give_back(d, dso, dso->segments.n * sizeof(*dso->segments.v));
	mp_segments_release(&dso->segments);
	mp_dso_begin(d, dso);
	dso->cfi = mp_elfcfi_load(dso->fd, d->opener, &dso->mapping, &dso->segments, &limit);
	mp_dso_end(d);
	note_limit(d, dso, &limit);
	mp_budget_spend(d->budget, MP_BUDGET_TIME, dso->uid, mp_monotonic_ns() - began);
	if (dso->cfi) {
		d->cfi_bytes += mp_cfi_bytes(dso->cfi);
		charge(d, dso, mp_cfi_bytes(dso->cfi));
	}
	charge(d, dso, dso->segments.n * sizeof(*dso->segments.v));
	close_if_done(d, dso);
	return dso->cfi;
}

/* Charges a user for what a log takes now. */
static void settle_jitdump(struct mp_dsos *d, struct mp_dso *dso)
{
	size_t bytes = mp_jitdump_bytes(dso->jitdump), before = dso->jitdump_bytes;

	dso->jitdump_bytes = bytes;
	if (bytes > before)
		charge(d, dso, bytes - before);
	else
		give_back(d, dso, before - bytes);
}

struct mp_jitdump *mp_dso_jitdump(struct mp_dsos *d, struct mp_dso *dso, uint64_t now_ns)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	uint64_t began;

	if (!dso)
		return NULL;
	dso->used = ++d->clock;
	if ((dso->jitdump && !mp_jitdump_is_due(dso->jitdump, now_ns)) || !may_read(d, dso))
		return dso->jitdump;
	if (!dso->jitdump)
		dso->jitdump = mp_jitdump_new();
	open_file(d, dso); /* if that fails, it is tried again when the log is due */
	began = mp_monotonic_ns();
	mp_dso_begin(d, dso);
	limit.reason = mp_jitdump_read(dso->jitdump, dso->fd, now_ns);
	mp_dso_end(d);
	note_limit(d, dso, &limit);
	mp_budget_spend(d->budget, MP_BUDGET_TIME, dso->uid, mp_monotonic_ns() - began);
	settle_jitdump(d, dso);
	return dso->jitdump;
}

/*
 * Charges a user for the room that the rows of a file take, but not again for a file whose rows
 * have to be made again. The files of the system are everybody's.
 */
static bool take_room(struct mp_dsos *d, struct mp_dso *dso, const struct mp_bpf_row *rows,
		      size_t n)
{
	struct mp_budget_who who = owner_of(dso);
	uint64_t room = mp_cfi_walk_rows_room(rows, n);

	if (dso->of_root)
		who.uid = 0;
	if (room <= dso->rows)
		return true;
	if (!mp_budget_take(d->budget, MP_BUDGET_ROWS, &who, room - dso->rows))
		return false;
	dso->rows = room;
	return true;
}

struct mp_bpf_row *mp_dso_walk_rows(struct mp_dsos *d, struct mp_dso *dso, size_t *n)
{
	struct mp_cfi *cfi = mp_dso_cfi(d, dso);
	struct mp_limit limit = MP_LIMIT_INIT;
	struct mp_bpf_row *rows;
	uint64_t began;

	*n = 0;
	if (!cfi)
		return NULL;
	began = mp_monotonic_ns();
	mp_dso_begin(d, dso);
	rows = mp_cfi_walk_rows(cfi, n, &limit);
	mp_dso_end(d);
	note_limit(d, dso, &limit);
	mp_budget_spend(d->budget, MP_BUDGET_TIME, dso->uid, mp_monotonic_ns() - began);
	if (take_room(d, dso, rows, *n))
		return rows;
	free(rows);
	*n = 0;
	return NULL;
}
