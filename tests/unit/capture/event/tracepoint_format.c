// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of numbers in print formats. The folder "formats" has files of tracefs of Linux 6.18
 * on x86-64.
 */
#include "lib/capture/event/tracepoint_format.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/capture/event/constant.h"
#include "tests/unit/tap.h"

static struct mp_tp *tp;

static void load(const char *event)
{
	char path[128], text[8192];
	FILE *f;

	mp_tp_free(tp);
	snprintf(path, sizeof(path), "tests/unit/capture/event/formats/%s", event);
	f = fopen(path, "r");
	if (!f)
		mp_die("cannot open '%s'", path);
	tp = mp_tp_parse((struct mp_str){ text, fread(text, 1, sizeof(text), f) },
			 strtok(strrchr(path, '/') + 1, ":"));
	fclose(f);
}

/* Loads an event with the field "int x" and two others, and this print format. */
static void load_format(const char *format)
{
	char *text = mp_asprintf("name: made\nID: 7\nformat:\n"
				 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				 "\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n"
				 "\tfield:u32 y;\toffset:12;\tsize:4;\tsigned:0;\n"
				 "\tfield:char name[8];\toffset:16;\tsize:8;\tsigned:0;\n"
				 "\nprint fmt: %s\n",
				 format);

	mp_tp_free(tp);
	tp = mp_tp_parse(mp_str(text), "test");
	free(text);
}

static const struct mp_tp_field *field(const char *name)
{
	size_t i;

	for (i = 0; tp && i < tp->n_fields; i++)
		if (strcmp(tp->fields[i].name, name) == 0)
			return &tp->fields[i];
	mp_die("no field '%s'", name);
}

/* Whether a number has this name; NULL: none. In the record, `other` is the u32 at offset 24. */
static bool named_beside(const char *name, uint64_t number, const char *want, uint32_t other)
{
	const struct mp_names *names = field(name)->names;
	struct mp_buf text = { NULL, 0, 0 };
	char raw[64] = "";
	bool has, same;

	memcpy(raw + 24, &other, sizeof(other));
	has = names && mp_names_add(&text, names, number, raw, sizeof(raw));
	same = has ? want && mp_str_eq(mp_buf_view(&text), mp_str(want)) : !want && !text.len;
	mp_buf_release(&text);
	return same;
}

static bool named(const char *name, uint64_t number, const char *want)
{
	return named_beside(name, number, want, 0);
}

/* Whether the name of a number is that of no other one, so that filters can use it. */
static bool both(const char *name, uint64_t number, const char *text)
{
	uint64_t got;

	return named(name, number, text) &&
	       mp_names_number(field(name)->names, mp_str(text), &got) == 0 && got == number;
}

static bool type_is(const char *name, const char *want)
{
	char type[16];

	mp_tp_type_name(field(name), type);
	return strcmp(type, want) == 0;
}

static bool kind_is(const char *name, enum mp_names_kind kind)
{
	return field(name)->names && field(name)->names->v[0].kind == kind;
}

static void test_tables(void)
{
	uint64_t value;

	load("skb:kfree_skb");
	ok(both("reason", 12, "NETFILTER_DROP") && named("reason", 0, NULL) &&
		   named("reason", 9999, NULL) && type_is("reason", "u32()"),
	   "__print_symbolic");
	ok(kind_is("location", MP_NAMES_SYMBOL) && type_is("location", "x64()"), "a symbol");
	ok(!field("skbaddr")->names && type_is("skbaddr", "x64") && !field("protocol")->names,
	   "a pointer and a number");
	load("irq:softirq_entry");
	ok(both("vec", 0, "HI") && both("vec", 9, "RCU"), "softirqs");
	load("kmem:kmalloc");
	ok(both("gfp_flags", 0xcc0, "GFP_KERNEL") && named("gfp_flags", 0, "none") &&
		   both("gfp_flags", 0xdc0, "GFP_KERNEL|__GFP_ZERO"),
	   "__print_flags");
	ok(named("gfp_flags", 1ull << 40 | 0xcc0, "GFP_KERNEL|0x10000000000") &&
		   named("gfp_flags", 1ull << 40, NULL),
	   "bits without a name");
	load("timer:hrtimer_start");
	ok(kind_is("function", MP_NAMES_FUNCTION) && !field("expires")->names, "a function");
	if (mp_constant_find("HRTIMER_MODE_REL_PINNED", &value))
		ok(both("mode", value, "REL|PINNED"), "enumerators without a value");
	else
		ok(!field("mode")->names, "enumerators that nobody knows");
	load_format("\"%s\", __print_symbolic(REC->x, { NO_SUCH_ENUMERATOR, \"a\" })");
	ok(!field("x")->names, "only enumerators that nobody knows");
	load_format(
		"\"%s\", __print_flags((1 << REC->y), \"|\", { 1 << 0, \"a\" }, { 1 << 3, \"b\" })");
	ok(both("y", 0, "a") && both("y", 3, "b") && named("y", 1, NULL), "flags made of a number");
	load("workqueue:workqueue_execute_start");
	ok(kind_is("function", MP_NAMES_FUNCTION), "a function at the end");
}

static void test_choices(void)
{
	load("sched:sched_switch");
	ok(named("prev_state", 0, "R") && named("prev_state", 256, "R+") &&
		   named("prev_state", 2, "D") && named("prev_state", 258, "D+") &&
		   named("prev_state", 3, "S|D") && named("prev_state", 1024, NULL),
	   "the state of a task is two texts");
	ok(both("prev_state", 1, "S") && both("prev_state", 0, "R") && both("prev_state", 3, "S|D"),
	   "and the other way");
	load("irq:irq_handler_exit");
	ok(named("ret", 0, "unhandled") && named("ret", 1, "handled") && named("ret", 2, "handled"),
	   "two strings");
	load("kvm:kvm_exit");
	ok(named_beside("exit_reason", 12, "HLT", 1) &&
		   named_beside("exit_reason", 0x78, "hlt", 2) &&
		   named_beside("exit_reason", 12, NULL, 2),
	   "the exits of Intel and AMD");
	ok(named_beside("exit_reason", 0x8000000c, NULL, 1),
	   "bits that the first text does not have");
	load("kvm:kvm_userspace_exit");
	ok(both("reason", 5, "KVM_EXIT_HLT"), "a table on another condition");
	ok(named("errno", -4, "EINTR") && type_is("errno", "s32"), "and an error");
}

static void test_kinds(void)
{
	load("block:block_rq_issue");
	ok(both("dev", 8 << 20, "8:0") && both("dev", 259 << 20 | 1048575, "259:1048575") &&
		   type_is("dev", "u32()"),
	   "a device");
	ok(!field("ioprio")->names && !field("rwbs")->names, "a part of a number is not its name");
	load("sock:inet_sock_set_state");
	ok(kind_is("saddr", MP_NAMES_IPV4) && type_is("saddr", "u8[]()") &&
		   kind_is("daddr_v6", MP_NAMES_IPV6) && !field("sport")->names,
	   "addresses");
	load("tcp:tcp_probe");
	ok(kind_is("daddr", MP_NAMES_SOCKET) && both("family", 10, "AF_INET6"), "with a port");
	load("raw_syscalls:sys_exit");
	ok(both("id", 0, "read") && named("id", 100000, NULL) && named("id", -1, NULL), "calls");
	ok(both("ret", -2, "ENOENT") && both("ret", -512, "ERESTARTSYS") && named("ret", 0, NULL) &&
		   named("ret", 2, NULL) && named("ret", -4000, NULL) &&
		   named("ret", 1ull << 63, NULL) && type_is("ret", "s64"),
	   "and their errors");
	load("syscalls:sys_exit_openat");
	ok(!field("__syscall_nr")->names && both("ret", -13, "EACCES"),
	   "an event of one call has its name already");
	load("signal:signal_generate");
	ok(both("sig", 9, "SIGKILL") && named("sig", 0, NULL) && named("sig", 1000, NULL),
	   "signals");
}

static void test_made(void)
{
	load_format("\"%s\", REC->x ? \" yes \" : \" no\"");
	ok(named("x", 1, "yes") && named("x", 0, "no"), "blanks around names");
	load_format("\"%s %s\", REC->x & 1 ? \"odd\" : \"even\", REC->x & 2 ? \"a\" : \"b\"");
	ok(named("x", 1, "odd") && named("x", 0, "even") && named("x", 2, NULL),
	   "only texts without text between them are one name");
	load_format("\"%s%s\", REC->x == 3 ? \"three\" : \"\", REC->y != 1 ? \"a\" : \"b\"");
	ok(named("x", 3, "three") && named("x", 4, NULL) && named("y", 1, "b") &&
		   named("y", 0, "a"),
	   "of one field");
	load_format("\"%*s %% %s\", 3, REC->name, __print_symbolic(REC->y, { 1 << 2, \"four\" }, "
		    "{ NONE, \"none\" }, { ~0x0f & 0xff, \"f0\" })");
	ok(named("y", 4, "four") && named("y", 0xf0, "f0") && named("y", 0, NULL),
	   "a width, a percent sign, computed values");
	load_format("\"%s\", __print_symbolic(unknown(REC->y), { 1, \"one\" })");
	ok(tp && tp->n_fields == 3 && !field("y")->names, "an unknown function");
	load_format("\"%s %d\", __print_symbolic(REC->y, { 1, \"one\" }), unknown(REC->x)");
	ok(named("y", 1, "one"), "after a table");
	load_format("\"%s\", REC->name");
	ok(!field("name")->names && type_is("name", "str"), "a text");
	load_format("\"%s\", __print_flags(REC->name, \"|\", { 1, \"one\" })");
	ok(!field("name")->names, "flags of a text");
	load_format("\"%pI4 %pS %s\", &REC->x, REC->name, __get_str(x)");
	ok(tp && tp->n_fields == 3, "fields that do not fit");
}

/* Formats that are truncated at each byte (run under ASan). */
static void test_truncated(void)
{
	static const char whole[] = "\"%s%s %pS\", (REC->x & 3) ? __print_flags(REC->x & 3, \"|\", "
				    "{ 1, \"a\" }) : \"R\", REC->y == 1 ? \"+\" : \"\", REC->y";
	size_t i, read = 0;

	for (i = 0; i < sizeof(whole); i++) {
		char *text = mp_strndup(whole, i);

		load_format(text);
		read += tp && tp->n_fields == 3;
		free(text);
	}
	ok(read == sizeof(whole), "truncated formats leave the fields");
	mp_tp_free(tp);
	tp = mp_tp_parse(MP_STR(""), "test");
	ok(!tp, "nothing");
	tp = mp_tp_parse(MP_STR("name: x\nID: 1\nformat:\n"), "test");
	ok(!tp || tp->n_fields == 0, "no fields");
}

int main(void)
{
	test_tables();
	test_choices();
	test_kinds();
	test_made();
	test_truncated();
	mp_tp_free(tp);
	mp_constant_forget();
	return tap_done();
}
