// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/rotation.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/host/thread.h"
#include "lib/capture/session/message.h"
#include "lib/capture/session/output.h"
#include "lib/core/clock.h"
#include "lib/core/pack.h"

enum {
	STAMP = sizeof("20261123T182056.123Z") - 1,
	TRIES = 1000, /* names that somebody else may have taken */
};

/* The time in a name. */
struct stamp {
	char text[STAMP + 1];
};

struct mp_rotation {
	char *name, *ending; /* "NAME-" and ".mp.zst" */
	int folder, socket;
	size_t max;
	struct stamp *kept; /* of the files in the folder, oldest first */
	size_t n_kept, cap_kept;
	uint64_t last_ms; /* time in the last name */
	uint64_t files;	  /* atomic; how many have begun */
	pthread_t thread;
};

/* False: the year has more than four digits. */
static bool make_stamp(struct stamp *to, uint64_t realtime_ms)
{
	char text[MP_RFC3339_MAX];

	/* 2026-11-23T18:20:56.123000000+00:00 */
	mp_rfc3339(text, realtime_ms * 1000000, false);
	snprintf(to->text, sizeof(to->text), "%.4s%.2s%.5s%.2s%.6sZ", text, text + 5, text + 8,
		 text + 14, text + 17);
	return text[4] == '-';
}

/* Parses the time of a name; false: there is something else. */
static bool parse_stamp(const char *text, uint64_t *realtime_ms)
{
	char full[MP_RFC3339_MAX];
	struct stamp again;
	uint64_t ns;

	snprintf(full, sizeof(full), "%.4s-%.2s-%.5s:%.2s:%.6sZ", text, text + 4, text + 6,
		 text + 11, text + 13);
	if (mp_rfc3339_parse(full, &ns) < 0)
		return false;
	*realtime_ms = ns / 1000000;
	return make_stamp(&again, *realtime_ms) && memcmp(again.text, text, STAMP) == 0;
}

/* Whether a file is one of ours. */
static bool is_ours(const struct mp_rotation *r, const char *file, uint64_t *realtime_ms)
{
	size_t len = strlen(r->name);
	struct stat st;

	return strlen(file) == len + STAMP + strlen(r->ending) && memcmp(file, r->name, len) == 0 &&
	       strcmp(file + len + STAMP, r->ending) == 0 && parse_stamp(file + len, realtime_ms) &&
	       fstatat(r->folder, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid();
}

static int by_text(const void *a, const void *b)
{
	return memcmp(a, b, STAMP);
}

/* Lists the files. Returns 0, or an errno. */
static int list(struct mp_rotation *r)
{
	int fd = openat(r->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t ms;

	if (!d)
		return errno;
	r->n_kept = 0;
	while ((entry = readdir(d))) {
		if (!is_ours(r, entry->d_name, &ms))
			continue;
		r->kept = mp_grow(r->kept, &r->cap_kept, r->n_kept + 1, sizeof(*r->kept));
		memcpy(r->kept[r->n_kept].text, entry->d_name + strlen(r->name), STAMP);
		r->kept[r->n_kept++].text[STAMP] = '\0';
		r->last_ms = MP_MAX(r->last_ms, ms);
	}
	closedir(d);
	if (r->n_kept)
		qsort(r->kept, r->n_kept, sizeof(*r->kept), by_text);
	return 0;
}

static char *path_of(const struct mp_rotation *r, const struct stamp *stamp)
{
	return mp_asprintf("%s%s%s", r->name, stamp->text, r->ending);
}

/* Makes room for another file. Returns 0, or an errno. */
static int delete_oldest(struct mp_rotation *r)
{
	int error = 0;
	size_t i;

	for (i = 0; r->max && !error && i + r->max <= r->n_kept; i++) {
		char *path = path_of(r, &r->kept[i]);

		if (unlinkat(r->folder, path, 0) < 0 && errno != ENOENT) {
			error = errno;
			mp_say("cannot delete '%s': %m", path);
		}
		free(path);
	}
	return error;
}

/* Returns the descriptor of a new file, or -1 with errno. */
static int create(struct mp_rotation *r)
{
	uint64_t clock_ns, real_ns;
	int fd = -1, tries = TRIES;
	struct stamp stamp;
	char *path;

	mp_clock_pair(&clock_ns, &real_ns);
	r->last_ms = MP_MAX(real_ns / 1000000, r->last_ms + 1);
	errno = EEXIST;
	while (fd < 0 && errno == EEXIST && tries-- && make_stamp(&stamp, r->last_ms)) {
		path = path_of(r, &stamp);
		fd = openat(r->folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		free(path);
		r->last_ms += fd < 0;
	}
	return fd;
}

/* Returns the descriptor of the next file, or -1 with an errno in `*error`. */
static int next_file(struct mp_rotation *r, int *error)
{
	int fd = -1;

	*error = list(r);
	if (!*error)
		*error = delete_oldest(r);
	if (!*error) {
		fd = create(r);
		*error = fd < 0 ? errno : 0;
	}
	return fd;
}

static void *run(void *arg)
{
	struct mp_rotation *r = arg;
	struct mp_message in = { .n_fds = 0 };
	struct mp_buf body = { NULL, 0, 0 };
	int fd, error;

	while (mp_message_receive(r->socket, &in) == 0 && in.type == MP_MESSAGE_FILE) {
		fd = next_file(r, &error);
		body.len = 0;
		mp_message_put_number(&body, (uint64_t)error);
		if (fd >= 0)
			__atomic_add_fetch(&r->files, 1, __ATOMIC_RELAXED);
		mp_message_send(r->socket, MP_MESSAGE_FILE, mp_buf_view(&body), &fd, fd >= 0);
		if (fd >= 0)
			close(fd);
	}
	mp_buf_release(&body);
	mp_message_release(&in);
	return NULL;
}

/* Splits the path, and opens the folder. */
static void open_folder(struct mp_rotation *r, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot, *end;
	char *folder = mp_output_folder(path);

	end = base + strlen(base);
	if (mp_pack_of_path(path) != MP_PACK_NONE)
		end = strrchr(base, '.');
	dot = memrchr(base, '.', end - base);
	if (!dot)
		dot = end;
	if (dot == base)
		mp_die("--rotate needs the name of a file, as in -o cpu.mp");
	r->name = mp_asprintf("%.*s-", (int)(dot - base), base);
	r->ending = mp_strdup(dot);
	r->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->folder < 0 || faccessat(r->folder, ".", R_OK | W_OK | X_OK, AT_EACCESS) < 0)
		mp_die("cannot write to folder '%s': %m", folder);
	free(folder);
}

struct mp_rotation *mp_rotation_start(const char *path, size_t max, int *socket, int *tid)
{
	struct mp_rotation *r = mp_zalloc(sizeof(*r));
	int ends[2];

	r->max = max;
	open_folder(r, path);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		mp_die("cannot make a socket: %m");
	r->socket = ends[0];
	*socket = ends[1];
	mp_thread_start(&r->thread, run, r, 0, tid);
	return r;
}

uint64_t mp_rotation_files(const struct mp_rotation *r)
{
	return r ? __atomic_load_n(&r->files, __ATOMIC_RELAXED) : 0;
}

void mp_rotation_end(struct mp_rotation *r)
{
	if (!r)
		return;
	pthread_join(r->thread, NULL);
	close(r->socket);
	close(r->folder);
	free(r->kept);
	free(r->name);
	free(r->ending);
	free(r);
}
