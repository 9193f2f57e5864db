// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/jitdump.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/bytes.h"
#include "lib/core/clock.h"

enum {
	MAGIC = 0x4a695444, /* "JiTD", as a number of the machine */
	VERSION = 1,
	HEAD_BYTES = 40, /* of the file */
	TSC_TIMES = 1,	 /* flag: times are those of a counter of the processor */
	RECORD_BYTES = 16,
	LOAD_BYTES = 40, /* of a load, before its name; and of a move */
	MOVE_BYTES = 48,
	UNWINDING_BYTES = 24, /* before the call frame information */
	CHUNK_BYTES = 64 << 10,
	NAME_BYTES = 4096, /* longer names are truncated */
	LOOK_NS = 50000000,
	SLICE_NS = 100000000,
};

enum record_id { LOAD = 0, MOVE = 1, DEBUG_INFO = 2, CLOSE = 3, UNWINDING = 4 };

struct record {
	uint32_t id, size; /* size: in the file, with the head */
	uint64_t time_ns;
};

/* Code that is loaded, or will be: then it waits for the time of its record. */
struct code {
	struct code *next; /* waits after this one */
	uint64_t time_ns;
	uint64_t start, end;
	uint64_t from;	 /* of a move: the old address; 0: a load */
	uint64_t origin; /* address for which the call frame information is */
	struct mp_cfi *cfi;
	size_t cost; /* taken from the limit */
	char name[];
};

struct mp_jitdump {
	const struct mp_arch *arch; /* NULL: the head was not read yet */
	bool bad;		    /* the rest of the file is not used */
	bool untimed;		    /* the times are not those of our clock */
	uint64_t looked_ns;
	uint64_t at;		    /* offset of the next record in the file */
	void *tree;		    /* struct code by address (tsearch(3)); they do not overlap */
	struct code *first, **last; /* those that wait */
	struct mp_cfi *cfi;	    /* of the next load */
	size_t cfi_cost;
	uint64_t changes;
	struct mp_limit limit;
};

/*
 * The address of call frame information for itself: it is relative, and the code that it is for ends
 * there, after up to 7 bytes of padding.
 */
#define CFI_AT (1ull << 32)

static const char *const what = "code of a just-in-time compiler";

bool mp_jitdump_is_name(const char *name)
{
	size_t digits;

	if (strncmp(name, "jit-", 4) != 0)
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && strcmp(name + 4 + digits, ".dump") == 0;
}

struct mp_jitdump *mp_jitdump_new(void)
{
	struct mp_jitdump *d = mp_zalloc(sizeof(*d));

	d->last = &d->first;
	d->limit = MP_LIMIT_INIT;
	return d;
}

size_t mp_jitdump_bytes(const struct mp_jitdump *d)
{
	return sizeof(*d) + MP_LIMIT_BYTES - d->limit.bytes;
}

static void free_code(void *code)
{
	struct code *c = code;

	mp_cfi_free(c->cfi);
	free(c);
}

void mp_jitdump_free(struct mp_jitdump *d)
{
	struct code *next;

	if (!d)
		return;
	tdestroy(d->tree, free_code);
	for (; d->first; d->first = next) {
		next = d->first->next;
		free_code(d->first);
	}
	mp_cfi_free(d->cfi);
	free(d);
}

/* --- code by address -------------------------------------------------------------------------- */

/* NULL: the limit does not allow it. */
static struct code *new_code(struct mp_jitdump *d, const char *name, size_t len)
{
	size_t cost = sizeof(struct code) + len + 1 + 4 * sizeof(void *); /* with its node */
	struct code *c;

	if (!mp_limit_take(&d->limit, cost, what))
		return NULL;
	c = mp_zalloc(sizeof(*c) + len + 1);
	memcpy(c->name, name, len);
	c->cost = cost;
	return c;
}

static void drop_code(struct mp_jitdump *d, struct code *c)
{
	mp_limit_give(&d->limit, c->cost);
	free_code(c);
}

/* Those that overlap are equal. */
static int by_address(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return x->end <= y->start ? -1 : x->start >= y->end;
}

static struct code *overlapping(const struct mp_jitdump *d, const struct code *c)
{
	struct code **found = tfind(c, &d->tree, by_address);

	return found ? *found : NULL;
}

static struct code *code_at(const struct mp_jitdump *d, uint64_t addr)
{
	const struct code key = { .start = addr, .end = addr + 1 };

	return addr + 1 ? overlapping(d, &key) : NULL;
}

static void insert(struct mp_jitdump *d, struct code *c)
{
	if (!tsearch(c, &d->tree, by_address))
		mp_die("out of memory");
}

/* Replaces what other code has at the addresses of a piece of code; the rest of it remains. */
static void put(struct mp_jitdump *d, struct code *c)
{
	struct code *old, *tail;

	while ((old = overlapping(d, c))) {
		d->changes++;
		tdelete(old, &d->tree, by_address);
		tail = old->end > c->end ? new_code(d, old->name, strlen(old->name)) : NULL;
		if (tail) {
			tail->start = c->end;
			tail->end = old->end;
			insert(d, tail);
		}
		old->end = c->start;
		if (old->start < old->end)
			insert(d, old);
		else
			drop_code(d, old);
	}
	insert(d, c);
}

/* Moves code from its old address, if it is known; `c` has the new one. */
static void move(struct mp_jitdump *d, struct code *c)
{
	struct code *old = code_at(d, c->from);

	if (old && old->start == c->from) {
		d->changes++;
		tdelete(old, &d->tree, by_address);
		old->start = c->start;
		old->end = c->end;
		put(d, old);
	}
	drop_code(d, c);
}

/* Loads and moves what was loaded and moved up to a time. */
static void advance(struct mp_jitdump *d, uint64_t time_ns)
{
	struct code *c;

	while ((c = d->first) && (d->untimed || c->time_ns <= time_ns)) {
		d->first = c->next;
		if (!d->first)
			d->last = &d->first;
		if (c->from)
			move(d, c);
		else
			put(d, c);
	}
}

const char *mp_jitdump_find(struct mp_jitdump *d, uint64_t addr, uint64_t time_ns)
{
	const struct code *c;

	advance(d, time_ns);
	c = code_at(d, addr);
	return c && *c->name ? c->name : NULL;
}

int mp_jitdump_row(struct mp_jitdump *d, uint64_t addr, uint64_t time_ns, struct mp_cfi_row *row,
		   unsigned *steps)
{
	const struct code *c;

	advance(d, time_ns);
	c = code_at(d, addr);
	return c && c->cfi ? mp_cfi_find(c->cfi, addr - c->start + c->origin, row, steps) : 0;
}

uint64_t mp_jitdump_changes(struct mp_jitdump *d, uint64_t time_ns)
{
	advance(d, time_ns);
	return d->changes;
}

/* --- the file --------------------------------------------------------------------------------- */

static void wait_for_time(struct mp_jitdump *d, struct code *c, uint64_t time_ns)
{
	c->time_ns = time_ns;
	*d->last = c;
	d->last = &c->next;
}

/*
 * Keeps the call frame information for the load that follows. It has a table for searching at its
 * end.
 */
static void read_unwinding(struct mp_jitdump *d, struct mp_bytes b)
{
	uint64_t size = mp_bytes_fixed(&b, 8), table = mp_bytes_fixed(&b, 8);

	mp_bytes_fixed(&b, 8); /* how much memory to map for it */
	mp_limit_give(&d->limit, d->cfi_cost);
	mp_cfi_free(d->cfi);
	d->cfi = NULL;
	d->cfi_cost = 0;
	if (b.failed || size > (size_t)(b.end - b.p) || table >= size)
		return;
	d->cfi_cost = d->limit.bytes;
	d->cfi = mp_cfi_new(d->arch);
	if (mp_limit_take(&d->limit, mp_cfi_bytes(d->cfi) + size - table, what)) {
		mp_cfi_give(d->cfi, true, mp_memdup(b.p, size - table), size - table, CFI_AT,
			    &d->limit);
	}
	d->cfi_cost -= d->limit.bytes;
}

static void read_load(struct mp_jitdump *d, const struct record *r, struct mp_bytes b)
{
	uint64_t start, size;
	struct code *c;

	mp_bytes_skip(&b, 16); /* pid, tid, address in the file */
	start = mp_bytes_fixed(&b, 8);
	size = mp_bytes_fixed(&b, 8);
	mp_bytes_fixed(&b, 8); /* number of the code */
	if (b.failed || !size || start + size <= start)
		return;
	c = new_code(d, (const char *)b.p,
		     strnlen((const char *)b.p, MP_MIN((size_t)(b.end - b.p), (size_t)NAME_BYTES)));
	if (!c)
		return;
	c->start = start;
	c->end = start + size;
	c->cfi = d->cfi;
	c->cost += d->cfi_cost;
	c->origin = CFI_AT - ((size + 7) & ~7ull);
	d->cfi = NULL;
	d->cfi_cost = 0;
	wait_for_time(d, c, r->time_ns);
}

static void read_move(struct mp_jitdump *d, const struct record *r, struct mp_bytes b)
{
	uint64_t from, to, size;
	struct code *c;

	mp_bytes_skip(&b, 16);
	from = mp_bytes_fixed(&b, 8);
	to = mp_bytes_fixed(&b, 8);
	size = mp_bytes_fixed(&b, 8);
	if (b.failed || !from || !size || to + size <= to)
		return;
	c = new_code(d, "", 0);
	if (!c)
		return;
	c->from = from;
	c->start = to;
	c->end = to + size;
	wait_for_time(d, c, r->time_ns);
}

/*
 * How much of a record is used at most, without its head; machine code and lines of the source are
 * not.
 */
static size_t used_bytes(const struct record *r)
{
	size_t max = 0;

	if (r->id == LOAD)
		max = LOAD_BYTES + NAME_BYTES;
	else if (r->id == MOVE)
		max = MOVE_BYTES;
	else if (r->id == UNWINDING)
		max = CHUNK_BYTES - RECORD_BYTES;
	return MP_MIN(max, (size_t)r->size - RECORD_BYTES);
}

/* Whether the used part of a record is among the bytes that were read. */
static bool is_there(const struct record *r, const struct mp_bytes *b)
{
	size_t n = b->end - b->p;

	return n >= used_bytes(r) ||
	       (r->id == LOAD && n > LOAD_BYTES && memchr(b->p + LOAD_BYTES, 0, n - LOAD_BYTES));
}

static void read_record(struct mp_jitdump *d, const struct record *r, struct mp_bytes b)
{
	if (r->id == LOAD)
		read_load(d, r, b);
	else if (r->id == MOVE)
		read_move(d, r, b);
	else if (r->id == UNWINDING)
		read_unwinding(d, b);
}

/* Reads the head of the file. */
static void read_head(struct mp_jitdump *d, struct mp_bytes b)
{
	uint32_t magic = mp_bytes_fixed(&b, 4), version = mp_bytes_fixed(&b, 4);
	uint32_t size = mp_bytes_fixed(&b, 4), machine = mp_bytes_fixed(&b, 4);

	mp_bytes_skip(&b, 16); /* pid, time */
	d->untimed = mp_bytes_fixed(&b, 8) & TSC_TIMES;
	d->arch = machine ? mp_arch_of(machine) : mp_arch_here(); /* Python 3.13 names none */
	d->bad = magic != MAGIC || version != VERSION || size < HEAD_BYTES || !d->arch;
	d->at = size;
}

/*
 * Reads the records in the bytes of the file from d->at on. A record whose used part has not been
 * written yet is read later.
 */
static void read_records(struct mp_jitdump *d, struct mp_bytes b)
{
	struct mp_bytes record;
	struct record r;

	while (b.end - b.p >= RECORD_BYTES) {
		record = b;
		r.id = mp_bytes_fixed(&record, 4);
		r.size = mp_bytes_fixed(&record, 4);
		r.time_ns = mp_bytes_fixed(&record, 8);
		d->bad = r.size < RECORD_BYTES;
		if (d->bad || !is_there(&r, &record))
			return;
		d->at += r.size;
		mp_bytes_skip(&b, r.size);
		record.end = MP_MIN(record.end, record.p + used_bytes(&r));
		read_record(d, &r, record);
	}
}

bool mp_jitdump_is_due(const struct mp_jitdump *d, uint64_t now_ns)
{
	return !d->looked_ns || now_ns - d->looked_ns > LOOK_NS;
}

const char *mp_jitdump_read(struct mp_jitdump *d, int fd, uint64_t now_ns)
{
	uint64_t began_ns = mp_monotonic_ns(), before = UINT64_MAX;
	uint8_t *chunk = mp_alloc(CHUNK_BYTES);
	struct mp_bytes b;
	ssize_t n;

	d->looked_ns = now_ns;
	while (!d->bad && d->at != before && mp_monotonic_ns() - began_ns < SLICE_NS) {
		before = d->at;
		n = d->at < INT64_MAX ? pread(fd, chunk, CHUNK_BYTES, (off_t)d->at) : 0;
		b = (struct mp_bytes){ chunk, chunk + MP_MAX(n, 0), false };
		if (d->arch)
			read_records(d, b);
		else if (n >= HEAD_BYTES)
			read_head(d, b);
	}
	free(chunk);
	return d->limit.reason;
}
