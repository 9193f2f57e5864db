// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/dso.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	HELD_MAX = 256, /* maximum number of files that are open until their symbols are read */
	CFI_MAX_BYTES = 64 << 20,
};

void mp_dsos_init(struct mp_dsos *d, struct mp_opener *opener)
{
	*d = (struct mp_dsos){ .opener = opener, .cfi_max_bytes = CFI_MAX_BYTES };
	mp_map_init(&d->map, sizeof(struct mp_dso *));
}

static struct mp_dso *new_dso(struct mp_dsos *d)
{
	struct mp_dso *dso = mp_zalloc(sizeof(*dso));

	d->all = mp_grow(d->all, &d->cap_all, d->n_all + 1, sizeof(struct mp_dso *));
	d->all[d->n_all++] = dso;
	dso->number = (uint32_t)d->n_all;
	return dso;
}

struct mp_dso *mp_dsos_numbered(const struct mp_dsos *d, uint32_t number)
{
	return d->all[number - 1];
}

static void free_dso(struct mp_dso *dso)
{
	if (dso->fd >= 0)
		close(dso->fd);
	mp_elfsym_free(dso->symbols);
	mp_cfi_free(dso->cfi);
	mp_segments_release(&dso->segments);
	free(dso->path);
	free(dso->name);
	free(dso);
}

void mp_dsos_release(struct mp_dsos *d)
{
	size_t i;

	for (i = 0; i < d->n_all; i++)
		free_dso(d->all[i]);
	mp_map_release(&d->map);
	free(d->all);
	free(d->held);
	free(d->with_cfi);
}

/* All processes of our architecture have the same vDSO as mp-record. */
static void find_vdso(void *arg, const struct mp_proc_map *map)
{
	struct mp_dso *dso = arg;

	const void *image = (const void *)(uintptr_t)map->start;

	if (strcmp(map->path, "[vdso]") != 0)
		return;
	dso->symbols = mp_elfsym_load_image(image, map->end - map->start);
	dso->cfi = mp_elfcfi_load_image(image, map->end - map->start, &dso->segments);
}

static struct mp_dso *get_vdso(struct mp_dsos *d)
{
	if (d->vdso)
		return d->vdso;
	d->vdso = new_dso(d);
	d->vdso->fd = -1;
	d->vdso->loaded = d->vdso->cfi_loaded = true;
	d->vdso->cfi_id = ++d->cfi_loads;
	d->vdso->path = mp_strdup("[vdso]");
	d->vdso->name = mp_strdup("vdso");
	mp_proc_maps(getpid(), find_vdso, d->vdso);
	return d->vdso;
}

static void hold(struct mp_dsos *d, struct mp_dso *dso)
{
	size_t i, kept = 0;

	for (i = 0; i < d->n_held; i++) /* of these, files whose symbols were read are closed */
		if (d->held[i]->fd >= 0)
			d->held[kept++] = d->held[i];
	d->n_held = kept;
	/* this one will be opened again by its path, if it still exists */
	if (d->n_held == HELD_MAX) {
		close(d->held[0]->fd);
		d->held[0]->fd = -1;
		memmove(d->held, d->held + 1, --d->n_held * sizeof(*d->held));
	}
	d->held = mp_grow(d->held, &d->cap_held, d->n_held + 1, sizeof(*d->held));
	d->held[d->n_held++] = dso;
}

static bool is_file(const char *path)
{
	return path[0] == '/' && strncmp(path, "//anon", 6) != 0 &&
	       strncmp(path, "/dev/zero", 9) != 0 && strncmp(path, "/SYSV", 5) != 0 &&
	       strncmp(path, "/anon_hugepage", 14) != 0;
}

/* "/usr/lib/x.so (deleted)" to "x.so" */
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

struct mp_dso *mp_dsos_get(struct mp_dsos *d, const struct mp_proc_map *map, pid_t pid)
{
	const uint64_t file[2] = { (uint64_t)map->major << 32 | map->minor, map->inode };
	struct mp_str key[2] = { { (const char *)file, sizeof(file) }, mp_str(map->path) };
	struct mp_map_entry *e;
	struct mp_dso *dso;
	bool fresh;

	if (strcmp(map->path, "[vdso]") == 0)
		return get_vdso(d);
	if (!is_file(map->path))
		return NULL;
	e = mp_map_put(&d->map, key, 2, &fresh);
	if (!fresh)
		return *(struct mp_dso **)mp_map_value(e);
	dso = new_dso(d);
	dso->path = mp_strdup(map->path);
	dso->name = short_name(map->path);
	dso->uid = mp_proc_uid(pid);
	dso->mapping = (struct mp_open_mapping){
		.pid = pid,
		.start = map->start,
		.end = map->end,
		.major = map->major,
		.minor = map->minor,
		.inode = map->inode,
		.path = dso->path,
	};
	dso->fd = mp_open_code(d->opener, &dso->mapping);
	if (dso->fd >= 0)
		hold(d, dso);
	*(struct mp_dso **)mp_map_value(e) = dso;
	return dso;
}

static bool reopen(struct mp_dsos *d, struct mp_dso *dso)
{
	if (dso->fd < 0)
		dso->fd = mp_open_code(d->opener, &dso->mapping);
	return dso->fd >= 0;
}

/* Closes a file once its symbols and call frame information are read. */
static void close_if_done(struct mp_dso *dso)
{
	if (dso->fd < 0 || !dso->loaded || !dso->cfi_loaded)
		return;
	close(dso->fd);
	dso->fd = -1;
}

void mp_dso_note_limit(struct mp_dsos *d, struct mp_dso *dso, const struct mp_limit *limit)
{
	struct mp_budget_who who = { dso->uid, dso->mapping.pid, MP_STR(""), dso->path };
	char comm[64];
	size_t len;

	if (!limit->reason || dso->limited)
		return;
	dso->limited = limit->reason;
	/* the process may have ended, and its pid be another's */
	if (mp_proc_uid(who.pid) == who.uid && mp_proc_comm(who.pid, who.pid, comm, &len))
		who.comm = (struct mp_str){ comm, len };
	mp_budget_refuse(d->budget, MP_BUDGET_TABLES, &who);
}

struct mp_elfsym *mp_dso_symbols(struct mp_dsos *d, struct mp_dso *dso)
{
	struct mp_limit limit = MP_LIMIT_INIT;

	if (dso->loaded)
		return dso->symbols;
	dso->loaded = true;
	if (!reopen(d, dso))
		return NULL;
	dso->symbols = mp_elfsym_load(dso->fd, d->opener, &dso->mapping, &limit);
	mp_dso_note_limit(d, dso, &limit);
	close_if_done(dso);
	return dso->symbols;
}

/*
 * Frees the call frame information that has not been used for the longest time, except for `kept`,
 * which was just loaded.
 */
static void free_oldest(struct mp_dsos *d, const struct mp_dso *kept)
{
	size_t oldest = SIZE_MAX, i;
	struct mp_dso *dso;

	for (i = 0; i < d->n_with_cfi; i++)
		if (d->with_cfi[i] != kept &&
		    (oldest == SIZE_MAX ||
		     d->with_cfi[i]->cfi_used < d->with_cfi[oldest]->cfi_used))
			oldest = i;
	if (oldest == SIZE_MAX)
		return;
	dso = d->with_cfi[oldest];
	d->with_cfi[oldest] = d->with_cfi[--d->n_with_cfi];
	d->cfi_bytes -= mp_cfi_bytes(dso->cfi);
	mp_cfi_free(dso->cfi);
	dso->cfi = NULL;
	dso->cfi_loaded = false;
}

struct mp_cfi *mp_dso_load_cfi(struct mp_dsos *d, struct mp_dso *dso)
{
	struct mp_limit limit = MP_LIMIT_INIT;

	dso->cfi_loaded = true;
	dso->cfi_id = ++d->cfi_loads;
	if (!reopen(d, dso))
		return NULL;
	mp_segments_release(&dso->segments);
	dso->cfi = mp_elfcfi_load(dso->fd, d->opener, &dso->mapping, &dso->segments, &limit);
	mp_dso_note_limit(d, dso, &limit);
	close_if_done(dso);
	if (!dso->cfi)
		return NULL;
	d->with_cfi =
		mp_grow(d->with_cfi, &d->cap_with_cfi, d->n_with_cfi + 1, sizeof(*d->with_cfi));
	d->with_cfi[d->n_with_cfi++] = dso;
	d->cfi_bytes += mp_cfi_bytes(dso->cfi);
	while (d->cfi_bytes > d->cfi_max_bytes && d->n_with_cfi > 1)
		free_oldest(d, dso);
	return dso->cfi;
}
