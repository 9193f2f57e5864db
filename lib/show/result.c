// SPDX-License-Identifier: GPL-2.0-only
#include "lib/show/result.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/io.h"
#include "lib/draw/media.h"
#include "lib/recordings/draft.h"

enum { CPEL_FORMAT = 0x01, CPEL_LITTLE_ENDIAN = 0x80 };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Opens the folder of the output file. */
static int open_folder(const char *path)
{
	char *folder = mp_strndup(path, base_of(path) - path);
	int fd = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		mp_die("cannot open '%s': %m", *folder ? folder : ".");
	free(folder);
	return fd;
}

/* Whether it exists and is a device, a FIFO or the like, which a file cannot replace. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

void mp_result_open(struct mp_result *r)
{
	struct stat st;

	r->owned = -1;
	r->draft = false;
	if (r->output && strcmp(r->output, "-") == 0) {
		r->fd = STDOUT_FILENO;
		return;
	}
	if (r->output && is_special(r->output)) {
		r->fd = open(r->output, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (r->fd < 0 || fstat(r->fd, &st) < 0)
			mp_die("cannot open '%s': %m", r->output);
		if (S_ISREG(st.st_mode))
			mp_die("'%s' was replaced while it was opened", r->output);
		return;
	}
	if (r->output)
		r->owned = open_folder(r->output);
	r->fd = mp_draft_open(r->output ? r->owned : r->folder, 0666);
	if (r->fd < 0)
		mp_die("cannot write to the folder %s'%s': %m%s", r->output ? "of " : "",
		       r->output	 ? r->output
		       : *r->folder_path ? r->folder_path
					 : ".",
		       r->output ? "" : " (give -o FILE)");
	r->draft = true;
}

/* The end of a file's name, by what is in it; NULL: it is text for people. */
static const char *suffix_of(int fd)
{
	char head[MP_MEDIA_HEAD];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	static const char *const suffixes[] = {
		[MP_MEDIA_TEXT] = NULL, [MP_MEDIA_HTML] = ".html", [MP_MEDIA_SVG] = ".svg"
	};

	if (n > 1 && ((unsigned char)head[0] & ~CPEL_LITTLE_ENDIAN) == CPEL_FORMAT && !head[1])
		return ".cpel";
	return suffixes[mp_media_of((struct mp_str){ head, MP_MAX(n, 0) })];
}

static void print_text(int fd)
{
	static char data[1 << 16];
	struct mp_out out;
	ssize_t n;

	mp_draft_drop();
	if (lseek(fd, 0, SEEK_SET) < 0)
		mp_die("cannot read the result: %m");
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	while ((n = read(fd, data, sizeof(data))) > 0)
		mp_out_write(&out, data, n);
	mp_out_flush(&out);
	free(out.buf);
}

static void close_files(struct mp_result *r)
{
	if (r->fd != STDOUT_FILENO && close(r->fd) < 0)
		mp_die("cannot write '%s': %m", r->output ? r->output : r->folder_path);
	if (r->owned >= 0)
		close(r->owned);
}

char *mp_result_keep(struct mp_result *r)
{
	const char *suffix;
	char *path = NULL, *name;

	if (!r->draft) {
		close_files(r);
		return r->output && strcmp(r->output, "-") != 0 ? mp_strdup(r->output) : NULL;
	}
	suffix = suffix_of(r->fd);
	if (!r->output && !suffix) {
		print_text(r->fd);
		close_files(r);
		return NULL;
	}
	name = r->output ? mp_strdup(base_of(r->output)) : mp_asprintf("%s%s", r->stem, suffix);
	path = r->output	 ? mp_strdup(r->output)
	       : *r->folder_path ? mp_asprintf("%s/%s", r->folder_path, name)
				 : mp_strdup(name);
	if (mp_draft_keep(name, false) < 0)
		mp_die("cannot write '%s': %m", path);
	free(name);
	close_files(r);
	return path;
}

void mp_result_drop(struct mp_result *r)
{
	if (r->draft)
		mp_draft_drop();
	close_files(r);
}
