// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/work.h"

#include <string.h>

enum { DEATHS_MAX = 3 }; /* at what one user offers, or at unknown steps, before all is avoided */

static void copy(char *to, size_t size, struct mp_str from)
{
	size_t len = MP_MIN(from.len, size - 1);

	if (len)
		memcpy(to, from.p, len);
	to[len] = '\0';
}

void mp_work_begin(struct mp_work *w, enum mp_work_level level, const struct mp_budget_who *who,
		   const struct mp_open_mapping *m)
{
	struct mp_work_step *s = w ? &w->now[level] : NULL;

	if (!s)
		return;
	s->uid = who->uid;
	s->pid = who->pid;
	s->major = m ? m->major : 0;
	s->minor = m ? m->minor : 0;
	s->inode = m ? m->inode : 0;
	copy(s->comm, sizeof(s->comm), who->comm);
	copy(s->file, sizeof(s->file), mp_str(who->file ? who->file : ""));
	__atomic_store_n(&s->busy, 1, __ATOMIC_RELEASE);
}

void mp_work_end(struct mp_work *w, enum mp_work_level level)
{
	if (w)
		__atomic_store_n(&w->now[level].busy, 0, __ATOMIC_RELEASE);
}

bool mp_work_avoids_all(const struct mp_work *w)
{
	size_t i, n = 0;

	for (i = 0; w && i < w->n_avoided; i++)
		n += w->avoided[i].pid == MP_WORK_UNKNOWN.pid;
	return n >= DEATHS_MAX;
}

bool mp_work_avoids_file(const struct mp_work *w, const struct mp_open_mapping *m)
{
	size_t i;

	for (i = 0; w && i < w->n_avoided; i++) {
		const struct mp_work_step *a = &w->avoided[i];

		if (a->inode && a->inode == m->inode && a->major == m->major &&
		    a->minor == m->minor)
			return true;
	}
	return mp_work_avoids_all(w);
}

bool mp_work_avoids_process(const struct mp_work *w, pid_t pid)
{
	size_t i;

	for (i = 0; w && i < w->n_avoided; i++)
		if (!w->avoided[i].inode && w->avoided[i].pid == pid)
			return true;
	return false;
}

bool mp_work_avoids_user(const struct mp_work *w, uid_t uid)
{
	size_t i, n = 0;

	for (i = 0; w && i < w->n_avoided; i++)
		n += w->avoided[i].uid == uid;
	return (uid && uid != MP_BUDGET_UNKNOWN && n >= DEATHS_MAX) || mp_work_avoids_all(w);
}

bool mp_work_found(const struct mp_work_step *now, struct mp_work_step *found)
{
	int level;

	for (level = MP_WORK_LEVELS - 1; level >= 0; level--) {
		if (!__atomic_load_n(&now[level].busy, __ATOMIC_ACQUIRE))
			continue;
		memcpy(found, &now[level], sizeof(*found));
		found->comm[sizeof(found->comm) - 1] = '\0';
		found->file[sizeof(found->file) - 1] = '\0';
		return true;
	}
	return false;
}
