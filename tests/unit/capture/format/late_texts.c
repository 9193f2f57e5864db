// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/format/late_texts.h"

#include <stdio.h>
#include <string.h>

#include "bpf/calls.h"
#include "tests/unit/tap.h"

static struct mp_tracing_record records[2];

static struct mp_str make(struct mp_tracing_record *r, uint16_t late, uint64_t stamp)
{
	*r = (struct mp_tracing_record){ .late = late, .unread = late ? 0 : 2 };
	r->values[MP_CALL_STAMP] = stamp;
	return (struct mp_str){ (const char *)r, sizeof(*r) };
}

static bool applies(const struct mp_late_texts *l, int32_t tid, uint64_t stamp)
{
	struct mp_str raw = mp_late_texts_of(l, tid, make(&records[0], 0, stamp));

	return raw.p != (const char *)&records[0] &&
	       memcmp(raw.p, &records[1], sizeof(records[1])) == 0;
}

int main(void)
{
	struct mp_late_texts l = { NULL };
	struct mp_str second = make(&records[1], 1, 1000);
	uint64_t stamp;

	ok(!applies(&l, 7, 1000), "nothing was noted");
	ok(mp_late_texts_is(second), "a second record");
	mp_late_texts_note(&l, 7, second);
	ok(applies(&l, 7, 1000), "it has the texts of the first one");
	ok(!applies(&l, 8, 1000), "not those of another thread");
	ok(!applies(&l, 7, 1001), "nor those of another call");
	second.len = 20;
	ok(!mp_late_texts_is(second), "a short record is none");
	mp_late_texts_note(&l, 7, second);
	for (stamp = 1; stamp < 100000; stamp++) {
		second = make(&records[1], 1, stamp);
		mp_late_texts_note(&l, 7, second);
	}
	ok(applies(&l, 7, 99999), "many calls: the latest ones are kept");
	mp_late_texts_release(&l);
	return tap_done();
}
