// SPDX-License-Identifier: GPL-2.0-only
/* Shares of the queue of records of tasks: of processes whose users are known beforehand. */
#include "lib/capture/ring/track_share.h"

#include <string.h>

#include "tests/unit/tap.h"

enum { ALICE = 1000, BOB = 1001, OF_ALICE = 10, OF_BOB = 11, OF_ROOT = 12, CHILD = 13 };
enum { MANY = 1 << 20, WINDOW_NS = 200000000 };

static struct mp_track_share share;

static struct perf_event_header *record(unsigned type, uint32_t pid, uint32_t from)
{
	static char mmap[sizeof(struct mp_record_mmap2) + 56 + sizeof(struct mp_record_id)]
		__attribute__((aligned(8)));
	struct mp_record_mmap2 *r = (struct mp_record_mmap2 *)mmap;
	static struct {
		struct mp_record_fork r;
		struct mp_record_id id;
	} fork;

	r->header = (struct perf_event_header){ .type = type, .size = sizeof(mmap) };
	r->pid = r->tid = pid;
	strcpy(r->filename, "/tmp/x.so");
	fork.r = (struct mp_record_fork){
		{ .type = type, .size = sizeof(fork) }, pid, from, pid, from, 0
	};
	return type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT ? &fork.r.header : &r->header;
}

/* How many of many equal records are admitted. */
static size_t admitted(unsigned type, uint32_t pid, unsigned misc)
{
	size_t n = 0, i;

	for (i = 0; i < MANY; i++) {
		struct perf_event_header *h = record(type, pid, OF_ALICE);

		h->misc = (uint16_t)misc;
		n += mp_track_share_admits(&share, h);
	}
	return n;
}

static void add(uint32_t pid, uint32_t uid)
{
	mp_intmap_add(&share.uids, pid, (uint64_t)uid + 1);
}

static void begin(void)
{
	static uint64_t now = WINDOW_NS;

	mp_track_share_begin(&share, now += WINDOW_NS, 0);
	add(OF_ALICE, ALICE);
	add(OF_BOB, BOB);
	add(OF_ROOT, 0);
}

int main(void)
{
	size_t alice, bob;

	mp_track_share_init(&share, NULL);
	share.budget.trusted = 500;
	begin();
	alice = admitted(PERF_RECORD_MMAP2, OF_ALICE, 0);
	ok(alice && alice < MANY, "a user who floods has a share: %zu", alice);
	bob = admitted(PERF_RECORD_MMAP2, OF_BOB, 0);
	ok(bob && bob < alice, "another has one, too: %zu", bob);
	ok(admitted(PERF_RECORD_MMAP2, OF_ROOT, 0) == MANY, "root has no limit");
	ok(admitted(PERF_RECORD_COMM, OF_ALICE, 0) == 0 &&
		   admitted(PERF_RECORD_COMM, OF_ALICE, PERF_RECORD_MISC_COMM_EXEC) == MANY,
	   "names are refused, too, but not those of execve()");
	ok(admitted(PERF_RECORD_EXIT, OF_BOB, 0) == MANY, "exits are not");
	ok(mp_track_share_admits(&share, record(PERF_RECORD_FORK, CHILD, OF_ALICE)) &&
		   !mp_track_share_admits(&share, record(PERF_RECORD_MMAP2, CHILD, 0)),
	   "a child has the share of its parent");
	ok(share.n_refused == 2 && share.refused[0].uid == ALICE &&
		   share.refused[0].n == MANY - alice + MANY + 1 && share.refused[1].uid == BOB &&
		   share.refused[1].pid == OF_BOB &&
		   strcmp(share.refused[1].file, "/tmp/x.so") == 0,
	   "what was refused is counted for each user, with the first process and file");
	begin();
	ok(mp_track_share_admits(&share, record(PERF_RECORD_MMAP2, OF_ALICE, 0)),
	   "once the queue is handled, the share begins again");
	mp_track_share_release(&share);
	return tap_done();
}
