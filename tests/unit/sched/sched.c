// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedin.h"
#include "tests/unit/tap.h"

static int state_of(const char *text, bool exiting)
{
	enum mp_sched_state state;

	return mp_sched_prev_state(mp_str(text), exiting, &state) < 0 ? -1 : (int)state;
}

static void states(void)
{
	ok(state_of("0", false) == MP_SCHED_PREEMPTED &&
		   state_of("256", false) == MP_SCHED_PREEMPTED,
	   "runnable, and preempted since 4.14");
	ok(state_of("4096", false) == MP_SCHED_PREEMPTED &&
		   state_of("2048", false) == MP_SCHED_PREEMPTED,
	   "preempted before 4.14");
	ok(state_of("1", false) == MP_SCHED_SLEEP && state_of("128", false) == MP_SCHED_SLEEP,
	   "S and I");
	ok(state_of("2", false) == MP_SCHED_BLOCK && state_of("130", false) == MP_SCHED_BLOCK,
	   "D, also a killable one of before 4.14");
	ok(state_of("1026", false) == MP_SCHED_SLEEP, "idle sleep of before 4.14");
	ok(state_of("4", false) == MP_SCHED_STOPPED && state_of("0x8", false) == MP_SCHED_STOPPED,
	   "T and t");
	ok(state_of("16", false) == MP_SCHED_DEAD && state_of("32", false) == MP_SCHED_DEAD,
	   "X and Z");
	ok(state_of("64", false) == MP_SCHED_STOPPED && state_of("64", true) == MP_SCHED_DEAD,
	   "0x40 is parked, or dead once it exits");
	ok(state_of("512", false) == MP_SCHED_STOPPED, "parked before 4.14");
	ok(state_of("R+", false) == MP_SCHED_PREEMPTED &&
		   state_of("D|K", false) == MP_SCHED_BLOCK &&
		   state_of("D|N", false) == MP_SCHED_SLEEP &&
		   state_of("x", false) == MP_SCHED_DEAD,
	   "letters");
	ok(state_of("", false) == -1 && state_of("?", false) == -1 && state_of("1x", false) == -1,
	   "neither");
}

static int read_line(struct mp_sched_reader *r, const char *line, struct mp_sched_event *e)
{
	struct mp_rec rec;
	const char *why = "";

	if (mp_rec_parse(&rec, line, strlen(line), &why) < 0)
		return -2;
	return mp_sched_read(r, mp_sched_what(rec.type), &rec, e, &why);
}

static void fields(void)
{
	struct mp_sched_reader r = { 0 };
	struct mp_sched_event e;

	ok(mp_sched_what(mp_str("sched:sched_switch")) == MP_SCHED_SWITCH &&
		   mp_sched_what(mp_str("sched_switch")) == MP_SCHED_SWITCH &&
		   mp_sched_what(mp_str("sched:sched_stat_wait")) == MP_SCHED_OTHER,
	   "types");
	ok(read_line(
		   &r,
		   "7,sched:sched_switch,cpu=1\ttid=5\t.prev_pid=5\t.prev_prio=-1\t.prev_state=1\t"
		   ".next_pid=6\tstack=a=b;c\td",
		   &e) == -1,
	   "a TAB in a stack is bad");
	ok(read_line(
		   &r,
		   "7,sched:sched_switch,cpu=1\ttid=5\t.prev_pid=5\t.prev_prio=-1\t.prev_state=1\t"
		   ".next_pid=6\tstack=a=b;c",
		   &e) == 0 &&
		   e.cpu == 1 && e.tid == 5 && e.pid == -1 && e.task == 5 && e.next == 6 &&
		   e.task_prio == -1 && e.next_prio == MP_SCHED_NO_PRIO && !e.comm.p &&
		   mp_str_eq(e.stack, mp_str("a=b;c")),
	   "fields of a switch");
	ok(read_line(&r,
		     "8,sched:sched_switch,.next_pid=4\t.x=9\tcpu=0\t.prev_state=R\tcomm="
		     "\t.prev_pid=3",
		     &e) == 0 &&
		   e.cpu == 0 && e.task == 3 && e.next == 4 && e.comm.p && e.comm.len == 0 &&
		   !e.stack.p,
	   "in another order than the one before");
	ok(read_line(&r, "9,sched:sched_process_fork,.parent_pid=3\t.child_pid=4\t.child_comm=x",
		     &e) == 0 &&
		   e.task == 4 && mp_str_eq(e.task_comm, mp_str("x")) && e.cpu == -1,
	   "a fork is about the child");
	ok(read_line(&r, "9,sched:sched_waking,.pid=1234567890", &e) == -1, "too large a number");
}

int main(void)
{
	states();
	fields();
	return tap_done();
}
