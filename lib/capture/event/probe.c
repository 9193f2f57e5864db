// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/probe.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/host/proc.h"

/* A probe that was made in tracefs, and the line that removes it. */
struct mp_probe_made {
	const char *file;
	const char *undo;
};

/* --- names ------------------------------------------------------------------------------------ */

static int fail(char **error, char *text)
{
	*error = text;
	return -1;
}

/*
 * The register with argument `number` (from 1) of a function; NULL: the argument is not in a
 * register.
 */
static const char *argument_register(unsigned number)
{
	const struct mp_arch *arch = mp_arch_here();

	return arch && number >= 1 && number <= arch->n_arg_regs ? arch->arg_regs[number - 1]
								 : NULL;
}

/*
 * Writes a value with argN and retval in the notation of tracefs: "+0(arg1):string" to
 * "+0(%di):string".
 */
static void put_fetch(struct mp_buf *to, struct mp_str text)
{
	size_t i = 0, len;

	while (i < text.len) {
		const char *reg = NULL;

		for (len = 0; i + len < text.len && (isalnum((unsigned char)text.p[i + len]) ||
						     strchr("_%$@", text.p[i + len]));
		     len++)
			;
		if (len == 4 && memcmp(text.p + i, "arg", 3) == 0)
			reg = argument_register(text.p[i + 3] - '0');
		else if (len == 6 && memcmp(text.p + i, "retval", 6) == 0)
			reg = "$retval";
		if (reg)
			mp_buf_str(to, mp_str(reg));
		else
			mp_buf_add(to, text.p + i, len ? len : 1);
		i += len ? len : 1;
	}
}

/*
 * Writes arguments such as "size=arg1:u64,path=+0(arg2):string" in the notation of tracefs; an
 * argument without a name gets the name arg1, arg2, ...
 */
static void put_args(struct mp_buf *to, struct mp_str list)
{
	unsigned number = 1;

	for (; list.len; number++) {
		const char *comma = memchr(list.p, ',', list.len), *eq;
		struct mp_str arg = { list.p, comma ? (size_t)(comma - list.p) : list.len };

		eq = memchr(arg.p, '=', arg.len);
		if (eq)
			mp_buf_printf(to, " %.*s=", (int)(eq - arg.p), arg.p);
		else
			mp_buf_printf(to, " arg%u=", number);
		eq = eq ? eq + 1 : arg.p;
		put_fetch(to, (struct mp_str){ eq, arg.p + arg.len - eq });
		list.p += arg.len + (comma != NULL);
		list.len -= arg.len + (comma != NULL);
	}
}

/* Parses "ADDRESS[/LEN][:rwx]". */
static int parse_memory(struct mp_probe_text *text, const char *rest, char **error)
{
	const char *colon = strrchr(rest, ':'), *slash = strchr(rest, '/');
	const char *end = rest + strlen(rest);
	size_t i;

	snprintf(text->access, sizeof(text->access), "%s", colon ? colon + 1 : "rw");
	for (i = 0; text->access[i]; i++)
		if (!strchr("rwx", text->access[i]))
			break;
	if (text->access[i] || i == 0 || (colon && strlen(colon + 1) > 3))
		return fail(error, mp_asprintf("'%s' after '%s' has other letters than r, w and x",
					       colon ? colon + 1 : "", rest));
	end = colon ? colon : end;
	text->len = strchr(text->access, 'x') && mp_arch_here() ? mp_arch_here()->bp_exec_len : 4;
	if (slash && (mp_num_u64((struct mp_str){ slash + 1, end - slash - 1 }, &text->len) < 0 ||
		      (text->len != 1 && text->len != 2 && text->len != 4 && text->len != 8)))
		return fail(error, mp_asprintf("length of '%s' is not 1, 2, 4 or 8", rest));
	text->what = mp_strndup(rest, (slash ? slash : end) - rest);
	return 0;
}

int mp_probe_parse(struct mp_probe_text *text, const char *name, char **error)
{
	const char *rest = strchr(name, ':') + 1, *colon, *open;
	struct mp_buf args = { NULL, 0, 0 };

	*text = (struct mp_probe_text){ .file = NULL };
	snprintf(text->kind, sizeof(text->kind), "%.*s", (int)(rest - 1 - name), name);
	if (strcmp(text->kind, "mem") == 0)
		return parse_memory(text, rest, error);
	if (text->kind[0] == 'u') {
		colon = strchr(rest, ':');
		if (!colon || colon == rest)
			return fail(error,
				    mp_asprintf("'%s': expected %s:FILE:%s", name, text->kind,
						text->kind[1] == 's' ? "NAME" : "FUNCTION"));
		text->file = mp_strndup(rest, colon - rest);
		rest = colon + 1;
	}
	open = strchr(rest, '(');
	text->what = open ? mp_strndup(rest, open - rest) : mp_strdup(rest);
	if (open && rest[strlen(rest) - 1] == ')' && strcmp(text->kind, "usdt") != 0) {
		put_args(&args, (struct mp_str){ open + 1, strlen(open) - 2 });
	} else if (open) {
		mp_probe_text_release(text);
		return fail(error, mp_asprintf("'%s': unexpected '%s'", name, open));
	}
	mp_buf_byte(&args, '\0');
	text->args = args.p;
	if (*text->what)
		return 0;
	mp_probe_text_release(text);
	return fail(error, mp_asprintf("'%s': the name of the function is missing", name));
}

void mp_probe_text_release(struct mp_probe_text *text)
{
	free(text->file);
	free(text->what);
	free(text->args);
	*text = (struct mp_probe_text){ .file = NULL };
}

/* --- making them ------------------------------------------------------------------------------ */

struct maker {
	struct mp_probes *p;
	struct mp_tracefs *t;
	const struct mp_cut_files *files;
	const struct mp_probe_text *text;
	const char *path; /* path of the file */
	bool tracefs_wanted;
	mp_probe_fn *each;
	void *arg;
	char **error;
};

/* Keeps a string as long as the probes. */
static const char *keep(struct mp_probes *p, char *text)
{
	p->texts = mp_grow(p->texts, &p->cap_texts, p->n_texts + 1, sizeof(*p->texts));
	return p->texts[p->n_texts++] = text;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_return(const struct maker *m)
{
	return strstr(m->text->kind, "ret") != NULL;
}

static void note_made(struct mp_probes *p, const char *file, const char *group, const char *name)
{
	p->made = mp_grow(p->made, &p->cap_made, p->n_made + 1, sizeof(*p->made));
	p->made[p->n_made++] = (struct mp_probe_made){
		file,
		keep(p, mp_asprintf("-:%s/%s\n", group, name)),
	};
}

static int explain(struct maker *m, const char *file, const char *definition)
{
	if (errno == ENOENT && file[0] == 'k')
		return fail(m->error, mp_strdup("this kernel has no kprobes"));
	if (errno == EACCES || errno == EPERM)
		return fail(m->error, mp_strdup("probes with arguments or filters need root"));
	if (errno == ENOENT || errno == EINVAL || errno == EILSEQ)
		return fail(m->error, mp_asprintf("the kernel refuses the probe '%s': %m",
						  strchr(definition, ' ') + 1));
	return fail(m->error, mp_asprintf("cannot make a probe: %m"));
}

static bool is_taken(struct mp_tracefs *t, const char *system, const char *name)
{
	char *format = mp_tracefs_format(t, system, name);

	free(format);
	return format != NULL;
}

/*
 * The first free name: probes of several collectors share a group, and a second one of the same
 * name would be added to the first.
 */
static const char *free_name(struct maker *m, const char *system)
{
	size_t number = m->p->n_made;
	char *name = mp_asprintf("p%zu", number);

	while (is_taken(m->t, system, name)) {
		free(name);
		name = mp_asprintf("p%zu", ++number);
	}
	return keep(m->p, name);
}

/*
 * Makes the name of the group. It has the pid namespace, too, since all namespaces share tracefs,
 * and a pid may be used in several of them.
 */
static char *group_name(pid_t pid)
{
	uint32_t namespace = mp_proc_inner_namespace();

	return namespace ? mp_asprintf("mp_%d_%x", (int)pid, namespace)
			 : mp_asprintf("mp_%d", (int)pid);
}

/* Makes a probe in tracefs at `where`: PATH:OFFSET, or FUNCTION. */
static int make_in_tracefs(struct maker *m, const char *type, const char *where, const char *args)
{
	const char *file = m->text->kind[0] == 'k' ? "kprobe_events" : "uprobe_events";
	struct mp_probe probe = { .type = type };
	char *line;
	int result = 0;

	if (!m->t)
		return fail(m->error, mp_strdup("probes with arguments or filters need tracefs"));
	probe.system = keep(m->p, group_name(getpid()));
	probe.name = free_name(m, probe.system);
	line = mp_asprintf("%c:%s/%s %s%s\n", is_return(m) ? 'r' : 'p', probe.system, probe.name,
			   where, args);
	if (mp_tracefs_append(m->t, file, mp_str(line)) < 0) {
		result = explain(m, file, line);
	} else {
		note_made(m->p, file, probe.system, probe.name);
		m->each(m->arg, &probe);
	}
	free(line);
	return result;
}

/*
 * Linux, include/uapi/linux/perf_event.h: config bit 0 is the return probe, bits 32 to 63 the
 * semaphore; config1 points to the path or the function, config2 is the offset.
 */
static void make_of_pmu(struct maker *m, const char *type, uint32_t pmu, const char *target,
			uint64_t offset, uint64_t semaphore)
{
	struct mp_probe probe = { .type = type };

	probe.event = (struct mp_pmu_event){
		.type = pmu,
		.config = is_return(m) | semaphore << 32,
		.config1 = (uintptr_t)keep(m->p, mp_strdup(target)),
		.config2 = offset,
		.each = true,
	};
	m->each(m->arg, &probe);
}

static int make_user(struct maker *m, const struct mp_cut_place *place)
{
	char *args = mp_asprintf("%s%s", place->args ? place->args : "", m->text->args);
	uint32_t pmu = mp_pmu_type("uprobe");
	const char *type;
	char *where;
	int result = 0;

	type = keep(m->p, place->provider ? mp_asprintf("usdt:%s:%s", place->provider, place->name)
					  : mp_asprintf("%s:%s:%s", m->text->kind,
							base_name(m->path), place->name));
	if (pmu && !args[0] && !m->tracefs_wanted && place->semaphore < 1ull << 32) {
		make_of_pmu(m, type, pmu, m->path, place->offset, place->semaphore);
	} else {
		where = mp_asprintf("%s:0x%llx", m->path, (unsigned long long)place->offset);
		if (place->semaphore) {
			char *both = mp_asprintf("%s(0x%llx)", where,
						 (unsigned long long)place->semaphore);

			free(where);
			where = both;
		}
		result = make_in_tracefs(m, type, where, args);
		free(where);
	}
	free(args);
	return result;
}

static int make_users(struct maker *m)
{
	const char *what = m->text->what;
	struct mp_cut_place_request request = {
		.file = m->text->file,
		.what = what,
		.markers = strcmp(m->text->kind, "usdt") == 0,
		.entry = !strchr(what, '+') && strncmp(what, "0x", 2) != 0 && !is_return(m),
	};
	struct mp_cut_places places;
	int result = m->files->places(&request, &places, m->error);
	size_t i;

	m->path = places.path;
	if (places.path && strpbrk(places.path, " \t\n"))
		m->tracefs_wanted = false; /* tracefs accepts no path with a blank */
	for (i = 0; i < places.n && result == 0; i++)
		result = make_user(m, &places.v[i]);
	mp_cut_places_release(&places);
	return result;
}

static int make_kernel(struct maker *m)
{
	const char *what = m->text->what, *plus = strchr(what, '+');
	uint32_t pmu = mp_pmu_type("kprobe");
	const char *type = keep(m->p, mp_asprintf("%s:%s", m->text->kind, what));
	int64_t offset = 0;
	char *name;

	if (!pmu && !m->t)
		return fail(m->error, mp_strdup("this kernel has no kprobes"));
	if (!pmu || *m->text->args || m->tracefs_wanted)
		return make_in_tracefs(m, type, what, m->text->args);
	if (plus && mp_num_any(mp_str(plus + 1), &offset) < 0)
		return fail(m->error, mp_asprintf("'%s' is not an offset", plus + 1));
	name = plus ? mp_strndup(what, plus - what) : mp_strdup(what);
	make_of_pmu(m, type, pmu, name, (uint64_t)offset, 0);
	free(name);
	return 0;
}

static int make_memory(struct maker *m)
{
	const char *what = m->text->what;
	struct mp_probe probe = { .bp_len = m->text->len };
	int64_t addr;

	if (mp_num_any(mp_str(what), &addr) == 0)
		probe.bp_addr = (uint64_t)addr;
	else
		probe.bp_addr = m->files->kernel_address(what);
	if (!probe.bp_addr)
		return fail(m->error, mp_asprintf("'%s' is neither an address nor a symbol of the "
						  "kernel",
						  what));
	if (strchr(m->text->access, 'r'))
		probe.bp_type |= HW_BREAKPOINT_R;
	if (strchr(m->text->access, 'w'))
		probe.bp_type |= HW_BREAKPOINT_W;
	if (strchr(m->text->access, 'x'))
		probe.bp_type |= HW_BREAKPOINT_X;
	probe.type = keep(m->p, mp_asprintf("mem:%s/%llu:%s", what,
					    (unsigned long long)probe.bp_len, m->text->access));
	m->each(m->arg, &probe);
	return 0;
}

int mp_probes_make(struct mp_probes *p, const struct mp_probe_means *means, const char *name,
		   mp_probe_fn *each, void *arg, char **error)
{
	struct mp_probe_text text;
	struct maker m = {
		.p = p,
		.t = means->tracefs,
		.files = means->files,
		.text = &text,
		.tracefs_wanted = means->tracefs_wanted,
		.each = each,
		.arg = arg,
		.error = error,
	};
	int result;

	if (mp_probe_parse(&text, name, error) < 0)
		return -1;
	if (strcmp(text.kind, "mem") == 0)
		result = make_memory(&m);
	else if (text.file)
		result = make_users(&m);
	else
		result = make_kernel(&m);
	mp_probe_text_release(&text);
	return result;
}

/* Removes a probe. Where a task inherited an event of it, the kernel closes that a little later. */
static int remove_probe(struct mp_tracefs *t, const char *file, const char *undo)
{
	static const struct timespec moment = { 0, 10 * 1000 * 1000 };
	int result, tries = 50;

	while ((result = mp_tracefs_append(t, file, mp_str(undo))) < 0 && errno == EBUSY && --tries)
		nanosleep(&moment, NULL);
	return result;
}

void mp_probes_remove(struct mp_probes *p, struct mp_tracefs *t)
{
	size_t i;

	for (i = 0; i < p->n_made; i++)
		if (remove_probe(t, p->made[i].file, p->made[i].undo) < 0)
			mp_say("cannot remove a probe: %m");
	for (i = 0; i < p->n_texts; i++)
		free(p->texts[i]);
	free(p->made);
	free(p->texts);
	*p = (struct mp_probes){ .made = NULL };
}

void mp_probes_merge(struct mp_probes *to, struct mp_probes *from)
{
	size_t i;

	for (i = 0; i < from->n_made; i++) {
		to->made = mp_grow(to->made, &to->cap_made, to->n_made + 1, sizeof(*to->made));
		to->made[to->n_made++] = from->made[i];
	}
	for (i = 0; i < from->n_texts; i++)
		keep(to, from->texts[i]);
	free(from->made);
	free(from->texts);
	*from = (struct mp_probes){ .made = NULL };
}

/* Whether no recording has this process id: it is that of another program, or of none. */
static bool is_gone(int pid)
{
	struct mp_str comm;
	char name[64];

	if (!mp_proc_comm(pid, pid, name, &comm.len))
		return true;
	comm.p = name;
	return !mp_str_eq(comm, MP_STR("mp-record"));
}

static bool is_in_group(const char *name, const char *group)
{
	size_t len = strlen(group);

	return strncmp(name, group, len) == 0 && name[len] == '/';
}

static void sweep_file(struct mp_tracefs *t, const char *file)
{
	char *text = mp_tracefs_read(t, file), *save = NULL, *line, *command, *group;
	int pid;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *colon = strchr(line, ':');

		if (!colon || sscanf(colon + 1, "mp_%d", &pid) != 1)
			continue;
		group = group_name(pid);
		if (is_in_group(colon + 1, group) && is_gone(pid)) {
			command = mp_asprintf("-:%.*s\n", (int)strcspn(colon + 1, " "), colon + 1);
			mp_tracefs_append(t, file, mp_str(command));
			free(command);
		}
		free(group);
	}
	free(text);
}

void mp_probes_sweep(struct mp_tracefs *t)
{
	sweep_file(t, "uprobe_events");
	sweep_file(t, "kprobe_events");
}
