// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/journal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/host/memfd.h"

enum { ALIGNMENT = 64 };

/* The beginning of the memory; the buffer, the caller's bytes and the two slots follow. */
struct head {
	uint32_t valid; /* atomic; the number of the valid slot + 1; 0: there is none */
	uint64_t progress;
	struct mp_work_step work[MP_WORK_LEVELS];
};

struct mp_journal {
	struct head *head;
	char *buffer, *more, *slots[2];
	size_t size, slot_bytes;
	int fd; /* -1 in the writer */
};

static size_t aligned(size_t n)
{
	return (n + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static size_t fixed_bytes(size_t more_bytes)
{
	return aligned(sizeof(struct head)) + MP_JOURNAL_BUFFER + aligned(more_bytes);
}

/* The size of the memory is sealed, so it can be trusted, unlike its content. */
static struct mp_journal *map(int fd, size_t size, size_t more_bytes)
{
	struct mp_journal *j = mp_zalloc(sizeof(*j));
	size_t fixed = fixed_bytes(more_bytes);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		mp_die("cannot map the journal of the writer process: %m");
	j->head = (struct head *)p;
	j->buffer = p + aligned(sizeof(struct head));
	j->more = j->buffer + MP_JOURNAL_BUFFER;
	j->slot_bytes = (size - fixed) / 2;
	j->slots[0] = p + fixed;
	j->slots[1] = j->slots[0] + j->slot_bytes;
	j->size = size;
	j->fd = -1;
	return j;
}

struct mp_journal *mp_journal_new(size_t state_bytes, size_t more_bytes)
{
	size_t size = fixed_bytes(more_bytes) + 2 * aligned(state_bytes);
	int fd = mp_memfd_new("mp-record-journal", size, F_SEAL_SEAL);
	struct mp_journal *j = map(fd, size, more_bytes);

	j->fd = fd;
	return j;
}

struct mp_journal *mp_journal_attach(int fd, size_t more_bytes)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		mp_die("cannot map the journal of the writer process: %m");
	return map(fd, (size_t)st.st_size, more_bytes);
}

void mp_journal_free(struct mp_journal *j)
{
	if (!j)
		return;
	munmap(j->head, j->size);
	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

int mp_journal_fd(const struct mp_journal *j)
{
	return j->fd;
}

static size_t total(const struct mp_journal_part *parts, size_t n)
{
	size_t bytes = 0, i;

	for (i = 0; i < n; i++)
		bytes += parts[i].size;
	return bytes;
}

void mp_journal_save(struct mp_journal *j, const struct mp_journal_part *parts, size_t n)
{
	uint32_t slot = __atomic_load_n(&j->head->valid, __ATOMIC_RELAXED) == 1;
	char *to = j->slots[slot];
	size_t i;

	if (total(parts, n) > j->slot_bytes)
		mp_die("the state of the writer process does not fit into its journal");
	for (i = 0; i < n; i++) {
		if (parts[i].size)
			memcpy(to, parts[i].p, parts[i].size);
		to += parts[i].size;
	}
	__atomic_store_n(&j->head->valid, slot + 1, __ATOMIC_RELEASE);
}

bool mp_journal_load(const struct mp_journal *j, const struct mp_journal_part *parts, size_t n)
{
	uint32_t valid = __atomic_load_n(&j->head->valid, __ATOMIC_ACQUIRE);
	const char *from = j->slots[valid == 2];
	size_t i;

	if ((valid != 1 && valid != 2) || total(parts, n) > j->slot_bytes)
		return false;
	for (i = 0; i < n; i++) {
		if (parts[i].size)
			memcpy(parts[i].p, from, parts[i].size);
		from += parts[i].size;
	}
	return true;
}

char *mp_journal_buffer(struct mp_journal *j)
{
	return j->buffer;
}

void *mp_journal_more(struct mp_journal *j)
{
	return j->more;
}

struct mp_work_step *mp_journal_work(struct mp_journal *j)
{
	return j->head->work;
}

void mp_journal_set_progress(struct mp_journal *j, uint64_t progress)
{
	__atomic_store_n(&j->head->progress, progress, __ATOMIC_RELEASE);
}

uint64_t mp_journal_progress(const struct mp_journal *j)
{
	return __atomic_load_n(&j->head->progress, __ATOMIC_ACQUIRE);
}
