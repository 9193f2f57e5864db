// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/order/order.h"

/* Descriptors for others: the standard ones, the output, temporary files, pipes to read from. */
enum { OTHERS = 32 + MP_ORDER_FAN };

static size_t most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		mp_die("cannot get the limit of open files: %m");
	return limit.rlim_cur > 2 * OTHERS ? limit.rlim_cur - OTHERS
					   : MP_MAX(limit.rlim_cur / 4, (rlim_t)1);
}

static void remove_open(struct mp_order_files *files, struct mp_order_file *f)
{
	*(f->older ? &f->older->newer : &files->oldest) = f->newer;
	*(f->newer ? &f->newer->older : &files->newest) = f->older;
	f->older = f->newer = NULL;
	files->n--;
}

static void add_open(struct mp_order_files *files, struct mp_order_file *f)
{
	f->older = files->newest;
	*(f->older ? &f->older->newer : &files->oldest) = f;
	files->newest = f;
	files->n++;
}

static void close_file(struct mp_order_files *files, struct mp_order_file *f)
{
	f->at = lseek(f->fd, 0, SEEK_CUR);
	remove_open(files, f);
	close(f->fd);
	f->fd = -1;
}

struct mp_order_file *mp_order_file_new(struct mp_order_files *files, const char *path, int fd)
{
	struct mp_order_file *f = mp_zalloc(sizeof(*f));
	struct stat st;

	if (!files->max)
		files->max = most();
	if (fstat(fd, &st) < 0)
		mp_die("cannot read '%s': %m", path);
	*f = (struct mp_order_file){ .path = path, .fd = fd, .dev = st.st_dev, .ino = st.st_ino };
	/* standard input has no name by which it could be opened again */
	if (fd == STDIN_FILENO)
		return f;
	if (files->n == files->max)
		close_file(files, files->oldest);
	add_open(files, f);
	return f;
}

void mp_order_file_free(struct mp_order_files *files, struct mp_order_file *f)
{
	if (f->fd > STDIN_FILENO)
		close_file(files, f);
	free(f);
}

static void reopen(struct mp_order_files *files, struct mp_order_file *f)
{
	struct stat st;

	if (files->n == files->max)
		close_file(files, files->oldest);
	f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0 || fstat(f->fd, &st) < 0)
		mp_die("cannot open '%s' again: %m", f->path);
	if (st.st_dev != f->dev || st.st_ino != f->ino)
		mp_die("cannot read '%s': another file has its name now", f->path);
	if (lseek(f->fd, f->at, SEEK_SET) < 0)
		mp_die("cannot read '%s': %m", f->path);
	add_open(files, f);
}

int mp_order_file_fd(struct mp_order_files *files, struct mp_order_file *f)
{
	if (f->fd < 0) {
		reopen(files, f);
	} else if (f != files->newest && f->fd != STDIN_FILENO) {
		remove_open(files, f);
		add_open(files, f);
	}
	return f->fd;
}
