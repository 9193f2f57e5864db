/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares of users, so that what one user offers (files, names, mappings, processes) costs that user
 * and nobody else. A user is a uid, not a process, since fork() makes processes for nothing. Meant
 * for cache misses, not for each event. Not thread-safe: each thread has its own. The functions
 * that charge accept NULL, which means no limits. Includes intmap, str, ctl.
 */
#ifndef MP_CAPTURE_HOST_BUDGET_H
#define MP_CAPTURE_HOST_BUDGET_H

#include <sys/types.h>

#include "lib/core/intmap.h"
#include "lib/core/str.h"
#include "lib/stream/ctl.h"

/* What is shared; budget.c has the total of each. */
enum mp_budget_kind {
	/* amounts per time, which come back by themselves */
	MP_BUDGET_TIME,	  /* ns of parsing files and finding names; in a period of 10 s */
	MP_BUDGET_OUTPUT, /* bytes of long stacks; in a period of 1 s */
	MP_BUDGET_ROWS,	  /* rows that are made for the tables for BPF; in a period of 10 s */
	/* amounts that are held until mp_budget_give() */
	MP_BUDGET_COPIES,   /* stacks and copies of them, whose share the BPF program knows */
	MP_BUDGET_TRACK,    /* bytes of records of tasks and mappings that wait to be handled */
	MP_BUDGET_OPEN,	    /* open files */
	MP_BUDGET_TABLES,   /* bytes of memory for the tables of files: symbols, CFI */
	MP_BUDGET_JIT,	    /* bytes of memory for perf maps */
	MP_BUDGET_MAPPINGS, /* bytes of memory for address spaces */
	MP_BUDGET_TEXTS,    /* bytes of memory for the texts of stacks */
	MP_BUDGET_SUMS,	    /* bytes of memory for long stacks of aggregates */
	MP_BUDGET_SPACES,   /* address spaces that have tables for BPF */
	MP_BUDGET_KINDS,
};

/*
 * The uid of a process that ended before its uid was read, and of all users beyond the first 1,000.
 */
#define MP_BUDGET_UNKNOWN ((uid_t)-1)

/* Who is charged. */
struct mp_budget_who {
	uid_t uid;
	pid_t pid;	    /* 0: unknown */
	struct mp_str comm; /* not escaped; may be empty */
	const char *file;   /* NULL: no file is involved */
};

/* A user. Without pointers. */
struct mp_budget_user {
	uid_t uid; /* of a range in /etc/subuid, the first one */
	uint64_t used[MP_BUDGET_KINDS];
	uint64_t dropped[MP_BUDGET_KINDS]; /* how many things were refused */
	/* the first thing that was refused, for the report */
	pid_t pid;
	char comm[64], file[256];
};

struct mp_budget {
	/* set by the caller */
	uid_t trusted;	 /* this user and root are limited only by the totals of what is held */
	uid_t self;	 /* uid of this process if no user has it; treated as `trusted` */
	bool no_reserve; /* the user named what is recorded: no share is kept for others */
	uint64_t (*clock)(void); /* mp_monotonic_ns(), or that of a test */
	/*
	 * time up to which events were handled, or 0, or NULL; while that is long ago, events of
	 * others wait, and the shares of time are an eighth
	 */
	const uint64_t *handled_ns;
	/* private */
	struct mp_intmap by_uid; /* -> index in `users`, + 1 */
	struct mp_budget_user *users;
	size_t n_users, cap_users;
	struct mp_budget_range *ranges; /* of /etc/subuid, in order */
	size_t n_ranges, cap_ranges;
	struct mp_budget_pool {
		uint64_t used;	    /* by all users */
		uint64_t period;    /* number of the current period */
		unsigned competing; /* users, without the trusted ones, that use some of it */
		unsigned competed;  /* the same in the previous period */
	} pools[MP_BUDGET_KINDS];
	bool spilled; /* a user within its share was refused something */
};

/*
 * `subuid` is the file with ranges of uids that one user has, or NULL; at most 64 KiB of it are
 * read.
 */
void mp_budget_init(struct mp_budget *b, const char *subuid);
void mp_budget_release(struct mp_budget *b);

/*
 * Takes `n` of a kind. False: less than that is left of the user's share or of the total. Then
 * nothing is taken, one more refusal is counted, and the caller does without.
 */
bool mp_budget_take(struct mp_budget *b, enum mp_budget_kind kind, const struct mp_budget_who *who,
		    uint64_t n);

/* Whether `n` could be taken, without counting a refusal. */
bool mp_budget_fits(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n);

/* Takes what has been used already, such as time, even if it is more than the share. */
void mp_budget_spend(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n);

/* Gives back what was taken. */
void mp_budget_give(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n);

/* Gives back everything of a kind. */
void mp_budget_renew(struct mp_budget *b, enum mp_budget_kind kind);

/*
 * Counts a refusal for a reason other than a share: one file, line or name is too large by itself.
 */
void mp_budget_refuse(struct mp_budget *b, enum mp_budget_kind kind,
		      const struct mp_budget_who *who);

/* Counts refusals that another budget has counted. */
void mp_budget_refused(struct mp_budget *b, enum mp_budget_kind kind,
		       const struct mp_budget_who *who, uint64_t n);

/*
 * The user whose things to evict first, so that `uid` may take `n`: that user itself if its share
 * is used up, otherwise the one that uses the most. For a cache that holds what was taken.
 */
uid_t mp_budget_victim(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n);

/*
 * The user that a uid belongs to: the first uid of its range in /etc/subuid. It is equal for uids
 * that have one share together. If `b` is NULL, the uid itself.
 */
uid_t mp_budget_uid(const struct mp_budget *b, uid_t uid);

/* Whether data of users within their shares may be affected, so that the exit status is 1. */
bool mp_budget_is_lossy(const struct mp_budget *b);

/* Prints a line for each user that was refused something, at most three, on stderr. */
void mp_budget_report(const struct mp_budget *b);

/* Adds "limited" to a trailer, if a user was refused something. */
void mp_budget_json(const struct mp_budget *b, json_t *trailer);

#endif
