// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "lib/core/syscalls.h"
#include "lib/import/fields.h"
#include "lib/import/frames.h"
#include "lib/import/guess.h"
#include "lib/import/import.h"
#include "tests/unit/tap.h"

static struct mp_import_options options;

/* Whether each prefix of the text gives the same format as the complete text. */
static bool guessed(const char *text, const struct mp_import_format *format)
{
	size_t len = strlen(text), i;
	struct mp_import_guess got = mp_import_guess(text, len, true), early;
	bool same = got.format == format && !got.undecided;

	for (i = 0; i <= len; i++) {
		early = mp_import_guess(text, i, false);
		same &= early.undecided ||
			(early.format == got.format && early.foreign == got.foreign);
	}
	if (!same)
		printf("# '%.40s': %s\n", text, got.format ? got.format->name : "unknown");
	return same;
}

static void test_guess(void)
{
	ok(guessed("a 1 [000] 1.000001: cycles: \n", &mp_import_perf), "a sample of perf script");
	ok(guessed("# ========\n# hostname : x\n", &mp_import_perf), "a header of perf script");
	ok(guessed("\n\tffffffff821f8b58 schedule\n\n", &mp_import_perf), "frames alone");
	ok(guessed("java 19983 cycles: \nffffffff8103d0ca f ([kernel.kallsyms])\n",
		   &mp_import_perf),
	   "a sample without a time");
	ok(guessed("            perf 25131 \n", &mp_import_perf), "a name and a number in columns");
	ok(guessed("# tracer: nop\n", &mp_import_ftrace), "the trace file");
	ok(guessed("cpus=2\n", &mp_import_ftrace), "trace-cmd report");
	ok(guessed("   x-1     [001]  1.000001: a: b\n", &mp_import_ftrace), "an event of ftrace");
	ok(guessed("1$$$a$$$b\n", &mp_import_marple), "dollars of MARPLE");
	ok(guessed("{\"interface\": \"x\", \"datatype\": \"stack\"}\n1#a\n", &mp_import_marple),
	   "a header of MARPLE");
	ok(guessed("main;f 12\n", &mp_import_folded), "folded text");
	ok(guessed("{\"mp\":1,\"datatype\":\"event\"}\n", &mp_import_stream), "a stream");
	ok(guessed("1,a:b,comm=x\n", &mp_import_stream), "a stream without a header");
	ok(guessed("12#a;b\n", &mp_import_stream), "stacks of a stream");
	ok(guessed("hello world\n", NULL), "prose");
	ok(guessed("main;f 12", &mp_import_folded), "an unfinished line, if there is no other");
	ok(guessed("\n", NULL), "an empty line");
	ok(mp_import_format_find("ftrace") == &mp_import_ftrace && !mp_import_format_find("x"),
	   "formats by name");
	ok(guessed("# a\n# b\n", NULL) && guessed("# a\nmain;f 12\n", &mp_import_folded),
	   "comments say nothing");
	ok(guessed("a 1 [000] 1.000001: x: \na 1 [000] 1.000002: x: \na 1 [000] 1.000003: x: \n"
		   "prose\n",
		   &mp_import_perf),
	   "three samples are enough");
	ok(guessed("MemTotal:       24683676 kB\nMemFree:        21183876 kB\n", NULL),
	   "/proc/meminfo");
	ok(guessed("1,2,3\n4,5,6\n", NULL) && guessed("total 12\n", NULL), "tables");
	ok(guessed("{\"nodes\":[]}\n", NULL), "JSON");
	ok(guessed("   x-1     [001]  1.000001: a: b\na 1 [000] 1.000001: cycles: \n",
		   &mp_import_perf),
	   "as many events of ftrace as samples of perf script");
}

static bool time_is(const char *text, uint64_t wanted)
{
	uint64_t ns = 0;

	return mp_import_time(mp_str(text), &ns) == 0 && ns == wanted;
}

static void test_time(void)
{
	uint64_t ns;

	ok(time_is("1.000001", 1000001000), "us");
	ok(time_is("1.000000001", 1000000001), "ns");
	ok(time_is("0.999999", 999999000), "below a second");
	ok(time_is("9223372035.999999999", 9223372035999999999), "the largest");
	ok(mp_import_time(MP_STR("9223372036.000000"), &ns) < 0, "one beyond");
	ok(mp_import_time(MP_STR("12"), &ns) < 0, "no point");
	ok(mp_import_time(MP_STR(".5"), &ns) < 0 && mp_import_time(MP_STR("1."), &ns) < 0,
	   "nothing on one side");
}

static bool payload_is(const char *type, const char *text, const char *wanted)
{
	struct mp_import im;
	bool same;

	mp_import_init(&im, &options, NULL);
	mp_import_event(&im, 1, MP_STR("t"));
	mp_import_payload(&im, mp_str(type), mp_str(text));
	same = mp_str_eq((struct mp_str){ im.line.p + im.body, im.line.len - im.body },
			 mp_str(wanted));
	if (!same)
		printf("# %.*s\n", (int)(im.line.len - im.body), im.line.p + im.body);
	mp_import_release(&im);
	return same;
}

static void test_payload(void)
{
	char printed[64], wanted[64];

	ok(payload_is("a:b", "x=1 y=two words z=", ".x=1\t.y=two words\t.z="), "a list");
	ok(payload_is("a:b", "free text", ".text=free text"), "free text");
	ok(payload_is("a:b", "", ""), "none");
	ok(payload_is("a:b", "x=1 x=2", ".text=x=1 x=2"), "a field twice from the start");
	ok(payload_is("a:b", "file=a b=1 b=2", ".file=a b=1\t.b=2"), "a field in a name");
	ok(payload_is("a:b", "comm=x pid=9 pid=3", ".comm=x pid=9\t.pid=3"), "a field in comm");
	ok(payload_is("a:b", "comm=x y=9 pid=3", ".comm=x y=9\t.pid=3"), "another in comm");
	ok(payload_is("a:b", "prev_state=R+ ==> next=1", ".prev_state=R+\t.next=1"), "an arrow");
	ok(payload_is("a:b", "runtime=5 [ns]", ".runtime=5"), "a unit");
	ok(payload_is("a:b", "v=a\tb\\", ".v=a\\tb\\\\"), "escapes");
	ok(payload_is("a:b", "target_cpu=003 name=007", ".target_cpu=3\t.name=007"), "zeros");
	ok(payload_is("syscalls:sys_enter_x", "fd: 0x3, buf: 0x7f", ".fd=0x3\t.buf=0x7f"),
	   "arguments");
	ok(payload_is("syscalls:sys_enter_x", "fd: 3, buf: 7f0a", ".fd=0x3\t.buf=0x7f0a"),
	   "arguments without 0x");
	ok(payload_is("syscalls:sys_enter_x", "fd: 3, name: a", ".fd=0x3\t.name=0xa") &&
		   payload_is("syscalls:sys_enter_x", "fd: 3, x: y", ".text=fd: 3, x: y"),
	   "an argument that is not a number");
	ok(payload_is("syscalls:sys_exit_x", "0x3", ".ret=3") &&
		   payload_is("syscalls:sys_exit_x", "0xfffffffffffffff5", ".ret=-11(EAGAIN)"),
	   "a result");
	ok(payload_is("raw_syscalls:sys_enter", "NR 4000 (b, 1, 559e, 0, 7, b)",
		      ".id=4000\t.args=11,1,21918,0,7,11") &&
		   payload_is("raw_syscalls:sys_exit", "NR -1 = -2", ".id=-1\t.ret=-2(ENOENT)"),
	   "system calls by number");
	snprintf(printed, sizeof(printed), "NR %d = 3", mp_syscall_number("read"));
	snprintf(wanted, sizeof(wanted), ".id=%d(read)\t.ret=3", mp_syscall_number("read"));
	ok(payload_is("raw_syscalls:sys_exit", printed, wanted), "and by name");
	ok(payload_is("signal:signal_generate", "sig=10 errno=0 code=0 comm=a pid=1 grp=0 res=0",
		      ".sig=10(SIGUSR1)\t.errno=0\t.code=0\t.comm=a\t.pid=1\t.grp=0\t.res=0"),
	   "a signal");
	ok(payload_is("block:block_rq_issue", "8,1 WS 4096 () 123 + 8 be,0,4 [a [b]",
		      ".dev=8388609(8:1)\t.rwbs=WS\t.bytes=4096\t.cmd=\t.sector=123\t.nr_sector=8\t"
		      ".ioprio=16388\t.comm=a [b") &&
		   payload_is("block:block_rq_complete", "8,1 R () 123 + 8 0x1,2,3 [0]",
			      ".dev=8388609(8:1)\t.rwbs=R\t.cmd=\t.sector=123\t.nr_sector=8\t"
			      ".ioprio=8211\t.error=0"),
	   "a request");
	ok(payload_is("ext4:ext4_x", "dev 8,1 ino 12 es [0/7) x 1",
		      ".dev=8388609(8:1)\t.ino=12\t.text=es [0/7) x 1"),
	   "a range");
	ok(payload_is(
		   "block:block_rq_issue", "8,1 N 0 (12 00 00) 0 + 0 [a [b]",
		   ".dev=8388609(8:1)\t.rwbs=N\t.bytes=0\t.cmd=12 00 00\t.sector=0\t.nr_sector=0\t"
		   ".comm=a [b"),
	   "a request with a command and without a priority");
	ok(payload_is(
		   "block:block_rq_complete", "8,1 R () 123 + 8 [-5]",
		   ".dev=8388609(8:1)\t.rwbs=R\t.cmd=\t.sector=123\t.nr_sector=8\t.error=-5(EIO)"),
	   "the end of a request");
	ok(payload_is(
		   "block:block_bio_remap", "8,0 R 123 + 8 <- (8,1) 99",
		   ".dev=8388608(8:0)\t.rwbs=R\t.sector=123\t.nr_sector=8\t.old_dev=8388609(8:1)\t"
		   ".old_sector=99"),
	   "a request that moves");
	ok(payload_is("block:block_touch_buffer", "8,1 sector=12 size=4096",
		      ".dev=8388609(8:1)\t.sector=12\t.size=4096"),
	   "a device before a list");
	ok(payload_is("kvm:kvm_userspace_exit", "reason KVM_EXIT_IO (2)",
		      ".reason=2(KVM_EXIT_IO)") &&
		   payload_is("kvm:kvm_userspace_exit", "reason KVM_EXIT_IO (x)",
			      ".text=reason KVM_EXIT_IO (x)") &&
		   payload_is("kvm:kvm_userspace_exit", "reason  (2)", ".text=reason  (2)") &&
		   payload_is("kvm:kvm_userspace_exit", "reason A ()", ".text=reason A ()"),
	   "a number after its name");
	ok(payload_is("kvm:kvm_exit", "reason EPT_VIOLATION X rip 0x1 info 8f 0",
		      ".exit_reason=EPT_VIOLATION X\t.guest_rip=0x1\t.info1=0x8f\t.info2=0x0"),
	   "an exit of an older kernel");
	ok(payload_is("irq:softirq_entry", "vec=1 [action=TIMER]", ".vec=1(TIMER)") &&
		   payload_is("irq:softirq_entry", "vec=x [action=TIMER]",
			      ".vec=x\t.action=TIMER") &&
		   payload_is("irq:softirq_entry", "vec=1 action=TIMER", ".vec=1\t.action=TIMER"),
	   "a softirq");
	ok(payload_is("skb:kfree_skb", "protocol=1 location=f+0x1 reason: A_B",
		      ".protocol=1\t.location=f+0x1\t.reason=A_B") &&
		   payload_is("skb:consume_skb", "location=f+0x1 reason: A_B",
			      ".location=f+0x1 reason: A_B"),
	   "the reason of a discarded packet");
	ok(payload_is("block:block_rq_issue", "new format", ".text=new format"), "a new format");
	ok(payload_is("ext4:ext4_x", "dev 8,1 ino 12 flags  len 4 caller f+0x1 [ext4]",
		      ".dev=8388609(8:1)\t.ino=12\t.flags=\t.len=4\t.caller=f+0x1\t.text=[ext4]"),
	   "names and values");
	ok(payload_is("probe:f", "(ffffffff81000130) a=1 b=2",
		      ".__probe_ip=0xffffffff81000130\t.a=1\t.b=2") &&
		   payload_is("probe:f__return", "(401000 <- 402000) ret=0x1",
			      ".__probe_func=0x401000\t.__probe_ret_ip=0x402000\t.ret=0x1") &&
		   payload_is("a:b", "(some text)", ".text=(some text)"),
	   "probes");
	ok(payload_is("a:b", "fd: 0x3, buf: 0x7f", ".text=fd: 0x3, buf: 0x7f"),
	   "what looks so elsewhere");
}

static bool frame_is(const char *text, const char *wanted)
{
	struct mp_import_frames frames;
	bool same = true;
	int i;

	mp_import_frames_init(&frames);
	for (i = 0; i < 2; i++) /* the first pass makes the frame, the second finds it */
		mp_import_frame(&frames, mp_str(text));
	for (i = 0; i < 2; i++)
		same &= mp_str_eq(frames.v[i], mp_str(wanted));
	if (!same)
		printf("# %.*s\n", MP_STR_ARGS(frames.v[0]));
	mp_import_frames_release(&frames);
	return same;
}

static void test_frame(void)
{
	ok(frame_is("1131 main+0x8 (/tmp/a.out)", "main"), "a function");
	ok(frame_is("ffffffff821f8b58 f+0x1 ([kernel.kallsyms])", "f_[k]"), "of the kernel");
	ok(frame_is("ffffffffc05ace93 f ([nf_tables])", "f_[k]"), "of a module");
	ok(frame_is("3d6b4c f (/usr/lib/debug/vmlinux-5.4)", "f_[k]"), "of vmlinux");
	ok(frame_is("ffffffffff600000 f ([vsyscall])", "f"), "of vsyscall");
	ok(frame_is("ffffffff821f8b58 f", "f_[k]"), "of the kernel, by the address");
	ok(frame_is("1131 f", "f"), "without a file");
	ok(frame_is("1131", "[unknown]+0x1131"), "an address alone");
	ok(frame_is("1131 [unknown] (/a/b)", "[b]+0x1131"), "without a symbol");
	ok(frame_is("7f0011223344 [unknown] (/a/b)", "[b]"), "at an address in memory");
	ok(frame_is("1131 [unknown] ([unknown])", "[unknown]"), "nothing known");
	ok(frame_is("1131 f (inlined)", "f_[i]"), "inlined");
	ok(frame_is("1131 f(int (*)(int)) const+0x3 (/a (x)/b)", "f(int (*)(int)) const"),
	   "brackets in both");
	ok(frame_is("1131 f;g+0x1 (/a)", "f\\x3bg"), "a semicolon");
	ok(frame_is("1131 f_[k] (/a)", "f_\\x5bk]"), "a mark of its own");
	ok(frame_is("1131 a->b (/tmp/perf-1.map)", "a_[j];b_[i]"), "inlined by a compiler");
	ok(frame_is("1131 operator->+0x1 (/a)", "operator->"), "an arrow of C++");
}

int main(void)
{
	test_guess();
	test_time();
	test_payload();
	test_frame();
	return tap_done();
}
