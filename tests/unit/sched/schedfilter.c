// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedfilter.h"

#include "tests/unit/tap.h"

static const struct mp_str no_name;

static bool outs(const char *filter, int32_t tid, struct mp_str comm)
{
	struct mp_sched_seen seen = { .recorded = { [MP_SCHED_SWITCH] = true } };

	seen.filters[MP_SCHED_SWITCH] = filter;
	return mp_sched_sees_outs(&seen, tid, comm);
}

static void numbers(void)
{
	ok(outs(NULL, 7, no_name), "no filter: all");
	ok(outs("prev_pid==7", 7, no_name) && !outs("prev_pid==7", 8, no_name), "==");
	ok(outs("prev_pid != 7", 8, no_name) && !outs("prev_pid!=7", 7, no_name), "!=");
	ok(outs("prev_pid<8&&prev_pid>=7", 7, no_name) && !outs("prev_pid<=6", 7, no_name) &&
		   outs("prev_pid>6", 7, no_name),
	   "order");
	ok(outs("prev_pid & 0x4", 7, no_name) && !outs("prev_pid&8", 7, no_name), "bits");
}

static void logic(void)
{
	ok(outs("prev_pid==7 || next_pid==7", 7, no_name), "another field does not matter");
	ok(outs("prev_pid==7 || ?", 7, no_name) && !outs("prev_pid==7 && ?", 7, no_name) &&
		   !outs("!(?)", 7, no_name),
	   "an unknown condition");
	ok(!outs("prev_pid==7 && prev_state==2", 7, no_name), "another field matters");
	ok(!outs("prev_state==2 || !(prev_state==2)", 7, no_name),
	   "no other logic than that of the parts");
	ok(outs("!(prev_pid==8 || prev_pid==9)", 7, no_name), "! of a group");
	ok(outs("prev_pid==7 || prev_state==1 && next_prio<100", 7, no_name) &&
		   !outs("(prev_pid==7 || prev_state==1) && next_prio<100", 7, no_name),
	   "&& binds more tightly than ||");
}

static void names(void)
{
	ok(outs("prev_comm==\"a b\"", 7, MP_STR("a b")) && outs("prev_comm == x", 7, MP_STR("x")),
	   "a name, quoted or not");
	ok(outs("prev_comm ~ \"post*\"", 7, MP_STR("postgres")) &&
		   !outs("prev_comm ~ 'post*'", 7, MP_STR("nginx")),
	   "a glob");
	ok(!outs("prev_comm==\"x\"", 7, no_name) && !outs("prev_comm!=\"x\"", 7, no_name),
	   "an unknown name");
	ok(!outs("prev_comm!=\"x\"", 7, MP_STR("\\x0a")), "an escaped name is not compared");
	ok(!outs("prev_comm!=5", 7, MP_STR("x")) && !outs("prev_pid==\"7\"", 7, no_name),
	   "nor a name with a number, nor an id with a text");
}

static void not_understood(void)
{
	static const char *const filters[] = {
		"",
		"prev_pid",
		"prev_pid==",
		"prev_pid==7 ||",
		"(prev_pid==7",
		"prev_pid==7)",
		"prev_pid==7x",
		"prev_pid in 7",
		"prev_pid==\"7",
		"prev_pid~7",
		"prev_pid==7 next_pid==7",
	};
	char deep[300];
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(filters); i++)
		ok(!outs(filters[i], 7, no_name), "not understood: %s", filters[i]);
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	ok(!outs(deep, 7, no_name), "too deep");
}

static void ends(void)
{
	struct mp_sched_seen seen = {
		.recorded = { [MP_SCHED_SWITCH] = true, [MP_SCHED_WAKING] = true },
		.filters = { [MP_SCHED_SWITCH] = "prev_state==2" },
	};

	ok(!mp_sched_sees_end(&seen, MP_SCHED_BLOCK, 7, no_name),
	   "sched_waking may come before the switch that it follows");
	seen.recorded[MP_SCHED_WAKEUP] = true;
	ok(mp_sched_sees_end(&seen, MP_SCHED_BLOCK, 7, no_name), "sched_wakeup ends a sleep");
	ok(!mp_sched_sees_end(&seen, MP_SCHED_RUN, 7, no_name) &&
		   !mp_sched_sees_end(&seen, MP_SCHED_WAIT, 7, no_name),
	   "it does not end a run or a wait");
	seen.filters[MP_SCHED_WAKEUP] = "pid==8";
	ok(!mp_sched_sees_end(&seen, MP_SCHED_BLOCK, 7, no_name), "unless it has a filter");
	seen.filters[MP_SCHED_SWITCH] = "next_pid==7";
	ok(mp_sched_sees_end(&seen, MP_SCHED_BLOCK, 7, no_name) &&
		   mp_sched_sees_end(&seen, MP_SCHED_PREEMPTED, 7, no_name),
	   "a switch to the task ends all but a run");
}

int main(void)
{
	numbers();
	logic();
	names();
	not_understood();
	ends();
	return tap_done();
}
