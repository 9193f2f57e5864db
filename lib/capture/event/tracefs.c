// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include "lib/stream/glob.h"

struct mp_tracefs {
	char *events; /* path of the folder events/ */
	int mount_fd; /* fd of our own mount; -1 if tracefs was mounted already */
	struct tep_handle *tep;
};

/* From linux/mount.h, which cannot be included together with glibc 2.36's sys/mount.h. */
#ifndef FSCONFIG_CMD_CREATE
#define FSCONFIG_CMD_CREATE 6
#endif

static int sys_fsopen(const char *type)
{
	return syscall(SYS_fsopen, type, 1 /* FSOPEN_CLOEXEC */);
}

/*
 * A mount that is in no namespace: it can only be reached through its fd, and ends when that is
 * closed.
 */
static int mount_detached(void)
{
	int fs = sys_fsopen("tracefs"), fd = -1;

	if (fs < 0)
		return -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = syscall(SYS_fsmount, fs, 1 /* FSMOUNT_CLOEXEC */, 0);
	close(fs);
	return fd;
}

struct mp_tracefs *mp_tracefs_open(void)
{
	static const char *const places[] = {
		"/sys/kernel/tracing/events",
		"/sys/kernel/debug/tracing/events",
	};
	struct mp_tracefs *t = mp_zalloc(sizeof(*t));
	int saved;
	size_t i;

	t->mount_fd = -1;
	for (i = 0; i < MP_ARRAY_SIZE(places) && !t->events; i++)
		if (access(places[i], R_OK | X_OK) == 0)
			t->events = mp_strdup(places[i]);
		else if (errno == EACCES)
			break;
	if (!t->events && errno != EACCES) {
		t->mount_fd = mount_detached();
		if (t->mount_fd >= 0)
			t->events = mp_asprintf("/proc/self/fd/%d/events", t->mount_fd);
	}
	if (!t->events) {
		saved = errno;
		free(t);
		errno = saved;
		return NULL;
	}
	t->tep = tep_alloc();
	if (!t->tep)
		mp_die("out of memory");
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(t->tep, sizeof(long));
	tep_set_page_size(t->tep, getpagesize());
	return t;
}

void mp_tracefs_close(struct mp_tracefs *t)
{
	if (!t)
		return;
	tep_free(t->tep);
	if (t->mount_fd >= 0)
		close(t->mount_fd);
	free(t->events);
	free(t);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the folders in a folder whose names match, sorted. The caller frees the names. */
static char **list_folders(const char *path, const char *glob, size_t *n)
{
	DIR *dir = opendir(path);
	char **names = NULL;
	struct dirent *d;
	size_t cap = 0;

	*n = 0;
	while (dir && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || d->d_name[0] == '.' || !mp_glob_plain(glob, d->d_name))
			continue;
		names = mp_grow(names, &cap, *n + 1, sizeof(*names));
		names[(*n)++] = mp_strdup(d->d_name);
	}
	if (dir)
		closedir(dir);
	if (*n)
		qsort(names, *n, sizeof(*names), by_name);
	return names;
}

static void free_list(char **names, size_t n)
{
	while (n)
		free(names[--n]);
	free(names);
}

static bool is_event(const struct mp_tracefs *t, const char *system, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s/id", t->events, system, name);
	return access(path, F_OK) == 0;
}

size_t mp_tracefs_each(struct mp_tracefs *t, const char *glob, mp_tracefs_fn *each, void *arg)
{
	const char *colon = strchr(glob, ':');
	size_t n_systems, n_names, found = 0, i, j;
	char *system_glob, **systems;

	system_glob = colon ? mp_strndup(glob, colon - glob) : mp_strdup(glob);
	systems = list_folders(t->events, system_glob, &n_systems);
	for (i = 0; i < n_systems; i++) {
		char *path = mp_asprintf("%s/%s", t->events, systems[i]);
		char **names = list_folders(path, colon ? colon + 1 : "*", &n_names);

		for (j = 0; j < n_names; j++) {
			if (!is_event(t, systems[i], names[j]))
				/* skips ftrace/function and similar, which are not perf events */
				continue;
			found++;
			each(arg, systems[i], names[j]);
		}
		free_list(names, n_names);
		free(path);
	}
	free_list(systems, n_systems);
	free(system_glob);
	return found;
}

static char *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct mp_buf text = { NULL, 0, 0 };
	ssize_t n;

	if (fd < 0)
		return NULL;
	do {
		mp_buf_reserve(&text, 16 << 10);
		n = read(fd, text.p + text.len, text.cap - text.len - 1);
		if (n > 0)
			text.len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(fd);
	if (n < 0) {
		mp_buf_release(&text);
		return NULL;
	}
	text.p[text.len] = '\0';
	*len = text.len;
	return text.p;
}

char *mp_tracefs_read(struct mp_tracefs *t, const char *file)
{
	char *path = mp_asprintf("%s/../%s", t->events, file), *text;
	size_t len;

	text = read_file(path, &len);
	free(path);
	return text;
}

int mp_tracefs_append(struct mp_tracefs *t, const char *file, struct mp_str line)
{
	char *path = mp_asprintf("%s/../%s", t->events, file);
	/* without O_TRUNC, which would empty it */
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), saved;
	ssize_t n;

	free(path);
	if (fd < 0)
		return -1;
	n = write(fd, line.p, line.len);
	saved = errno;
	close(fd);
	errno = saved;
	return n == (ssize_t)line.len ? 0 : -1;
}

char *mp_tracefs_format(struct mp_tracefs *t, const char *system, const char *name)
{
	char *path = mp_asprintf("%s/%s/%s/format", t->events, system, name), *text;
	size_t len;

	text = read_file(path, &len);
	free(path);
	return text;
}

/*
 * The field that an argument of the print format prints, perhaps through casts; NULL if the
 * argument is computed.
 */
static const char *field_of(const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	if (arg && arg->type == TEP_PRINT_FLAGS)
		return field_of(arg->flags.field);
	return arg && arg->type == TEP_PRINT_FIELD ? arg->field.name : NULL;
}

static void mark_hex(struct mp_tp *tp, const char *name)
{
	size_t i;

	for (i = 0; name && i < tp->n_fields; i++)
		if (strcmp(tp->fields[i].name, name) == 0 && tp->fields[i].kind == MP_TP_UNSIGNED &&
		    !tp->fields[i].is_array)
			tp->fields[i].kind = MP_TP_HEX;
}

/*
 * Walks the conversions of the print format together with its arguments: %x and %p mean
 * hexadecimal. Signed values stay decimal: system calls print their results, -ENOENT and the like,
 * with %lx.
 */
static void find_hex(struct mp_tp *tp, const struct tep_event *event)
{
	const struct tep_print_arg *arg = event->print_fmt.args;
	const char *p = event->print_fmt.format;

	while (p && arg && (p = strchr(p, '%'))) {
		p++;
		if (*p == '%') {
			p++;
			continue;
		}
		while (*p && strchr("-+ #0123456789.*lhqzjtL", *p)) {
			if (*p++ == '*' && arg)
				arg = arg->next;
		}
		if (arg && *p && (strchr("xXp", *p) || arg->type == TEP_PRINT_FLAGS))
			mark_hex(tp, field_of(arg));
		arg = arg ? arg->next : NULL;
	}
}

static bool is_number_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/*
 * Whether a field is text. libtraceevent also treats arrays of u8 as strings; they hold addresses
 * and binary commands.
 */
static bool is_text(const struct tep_format_field *f)
{
	return (f->flags & TEP_FIELD_IS_STRING) && strstr(f->type, "char") &&
	       !strstr(f->type, "unsigned char");
}

static struct mp_tp_field convert(const struct tep_format_field *f)
{
	struct mp_tp_field to = { .name = mp_strdup(f->name),
				  .offset = f->offset,
				  .size = f->size };
	bool dynamic = f->flags & TEP_FIELD_IS_DYNAMIC;

	to.place = !dynamic			      ? MP_TP_FIXED
		   : f->flags & TEP_FIELD_IS_RELATIVE ? MP_TP_REL_LOC
						      : MP_TP_DATA_LOC;
	to.elem = f->elementsize;
	to.is_array = dynamic || (f->flags & TEP_FIELD_IS_ARRAY);
	if (!is_number_size(to.elem)) { /* a struct is shown as an array of bytes */
		to.elem = 1;
		to.is_array = true;
	}
	to.kind = f->flags & TEP_FIELD_IS_SIGNED ? MP_TP_SIGNED : MP_TP_UNSIGNED;
	if (f->flags & TEP_FIELD_IS_POINTER && !to.is_array)
		to.kind = MP_TP_HEX;
	else if (is_text(f) && to.is_array)
		to.kind = MP_TP_STRING;
	if (dynamic && strstr(f->type, "cpumask")) {
		to.kind = MP_TP_HEX;
		to.elem = sizeof(long);
	}
	if (!dynamic && !to.is_array)
		to.elem = to.size;
	return to;
}

/* How many times a type "const char *" is a pointer; 0: it is another type. */
static unsigned count_stars(const char *type)
{
	unsigned n = 0;

	if (strncmp(type, "const char ", 11) != 0)
		return 0;
	for (type += 11; *type; type++)
		n += *type == '*';
	return n;
}

/*
 * Finds the arguments of a system call that point to texts. A buffer, whose size is the next
 * argument, is not a text. Environments, which programs keep secrets in, are not read.
 */
static void find_texts(struct mp_tp *tp, const struct tep_event *event)
{
	const struct tep_format_field *f;
	size_t i = 0;

	if (strcmp(tp->system, "syscalls") != 0)
		return;
	for (f = event->format.fields; f && i < 32; f = f->next, i++) {
		unsigned stars = count_stars(f->type);

		if (stars < 1 || stars > 2 || strcmp(f->name, "envp") == 0 ||
		    (f->next && strcmp(f->next->type, "size_t") == 0))
			continue;
		tp->texts |= 1u << i;
		tp->arrays |= (uint32_t)(stars == 2) << i;
	}
}

static struct mp_tp *build(const struct tep_event *event, const char *system)
{
	struct mp_tp *tp = mp_zalloc(sizeof(*tp));
	const struct tep_format_field *f;
	size_t cap = 0;

	tp->system = mp_strdup(system);
	tp->name = mp_strdup(event->name);
	tp->id = event->id;
	for (f = event->format.fields; f; f = f->next) {
		tp->fields = mp_grow(tp->fields, &cap, tp->n_fields + 1, sizeof(*tp->fields));
		tp->fields[tp->n_fields++] = convert(f);
		tp->size = MP_MAX(tp->size, (uint32_t)(f->offset + f->size));
	}
	find_hex(tp, event);
	find_texts(tp, event);
	return tp;
}

struct mp_tp *mp_tracefs_load(struct mp_tracefs *t, const char *system, const char *name,
			      const char **why)
{
	char *path = mp_asprintf("%s/%s/%s/format", t->events, system, name);
	struct tep_event *event;
	struct mp_tp *tp = NULL;
	size_t len;
	char *text = read_file(path, &len);

	free(path);
	if (!text) {
		*why = strerror(errno);
		return NULL;
	}
	/* an error in the print format alone leaves the fields usable */
	tep_parse_event(t->tep, text, len, system);
	event = tep_find_event_by_name(t->tep, system, name);
	if (event)
		tp = build(event, system);
	else
		*why = "its format cannot be parsed";
	free(text);
	return tp;
}

void mp_tp_free(struct mp_tp *tp)
{
	size_t i;

	if (!tp)
		return;
	for (i = 0; i < tp->n_fields; i++)
		free(tp->fields[i].name);
	free(tp->fields);
	free(tp->system);
	free(tp->name);
	free(tp);
}

void mp_tp_type_name(const struct mp_tp_field *f, char name[16])
{
	static const char letters[] = {
		[MP_TP_UNSIGNED] = 'u', [MP_TP_SIGNED] = 's', [MP_TP_HEX] = 'x'
	};

	if (f->kind == MP_TP_STRING)
		snprintf(name, 16, "str");
	else
		snprintf(name, 16, "%c%u%s", letters[f->kind], f->elem * 8,
			 f->is_array ? "[]" : "");
}

char *mp_tracefs_advice(int error)
{
	if (error == EACCES || error == EPERM)
		return mp_strdup(
			"cannot read tracefs (/sys/kernel/tracing): permission denied; tracepoints "
			"need root. Without it: -e cpu-clock or -e page-faults of your own "
			"processes (-p PID, -- COMMAND)");
	return mp_asprintf("cannot find tracefs: %s (mount -t tracefs none /sys/kernel/tracing)",
			   strerror(error));
}
