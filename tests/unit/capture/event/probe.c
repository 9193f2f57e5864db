// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/event/probe.h"
#include "lib/capture/host/archs.h"
#include "lib/capture/object/binary.h"
#include "tests/unit/tap.h"

static bool usdt(const struct mp_arch *arch, const char *note, const char *expected, size_t skipped)
{
	struct mp_buf to = { NULL, 0, 0 };
	size_t n = mp_usdt_args(&to, arch, note);
	bool same = n == skipped && mp_str_eq(mp_buf_view(&to), mp_str(expected));

	if (!same)
		printf("# %s: %.*s, %zu skipped\n", note, MP_STR_ARGS(mp_buf_view(&to)), n);
	mp_buf_release(&to);
	return same;
}

static bool probe(const char *name, const char *kind, const char *file, const char *what,
		  const char *args)
{
	struct mp_probe_text t;
	char *error;
	bool same;

	if (mp_probe_parse(&t, name, &error) < 0) {
		printf("# %s\n", error);
		free(error);
		return false;
	}
	same = strcmp(t.kind, kind) == 0 &&
	       (file ? t.file && strcmp(t.file, file) == 0 : !t.file) &&
	       strcmp(t.what, what) == 0 && (args ? t.args && strcmp(t.args, args) == 0 : !t.args);
	if (!same)
		printf("# %s %s %s '%s'\n", t.kind, t.file ? t.file : "-", t.what,
		       t.args ? t.args : "-");
	mp_probe_text_release(&t);
	return same;
}

static bool refused(const char *name)
{
	struct mp_probe_text t;
	char *error;

	if (mp_probe_parse(&t, name, &error) == 0) {
		mp_probe_text_release(&t);
		return false;
	}
	free(error);
	return true;
}

/*
 * Tests the arguments of a definition, in which each %s stands for the register of the second
 * argument.
 */
static bool probe_args(const char *name, const char *kind, const char *file, const char *what,
		       const char *args)
{
	char *own = mp_asprintf(args, mp_arch_here()->arg_regs[1]);
	bool same = probe(name, kind, file, what, own);

	free(own);
	return same;
}

/* The offset at which an x86-64 function that begins with these bytes is probed. */
static size_t cheap(const char *bytes, size_t len)
{
	uint8_t code[16] = "";

	memcpy(code, bytes, len);
	return mp_arch_x86_64.cheap_place(code, sizeof(code));
}

#define CHEAP(bytes) cheap(bytes, sizeof(bytes) - 1)

static void test_cheap(void)
{
	static const char file[32] = "...\x48\x85\xff\x0f\x84\xbf\0\0\0\x55";
	char path[] = "/tmp/mp-unit.XXXXXX";
	int fd = mkstemp(path);

	ok(CHEAP("\x48\x85\xff\x0f\x84\xbf\0\0\0\x55") == 3, "free of glibc: after its test");
	ok(CHEAP("\x85\xc0\x74\x05") == 2 && CHEAP("\x4d\x85\xe4\x55") == 3, "others like it");
	ok(CHEAP("\x48\x85\xff\x48\x89\xe5") == 0, "the next instruction would be stepped, too");
	ok(CHEAP("\x48\x85\x3f\x74\x05") == 0, "a test of memory");
	ok(CHEAP("\x55\x48\x89\xe5") == 0 && CHEAP("\xc3") == 0, "others begin at their beginning");
	ok(mp_arch_x86_64.cheap_place((const uint8_t *)"\x85\xc0\x74", 3) == 0,
	   "the end of a file");

	ok(fd >= 0 && write(fd, file, sizeof(file)) == sizeof(file) &&
		   mp_binary_cheap_place(fd, 3) == (mp_arch_here()->cheap_place ? 6 : 3),
	   "a function in a file");
	close(fd);
	unlink(path);
	ok(mp_binary_cheap_place(-1, 7) == 7, "no file");
}

int main(void)
{
	ok(usdt(&mp_arch_x86_64, "8@%rdi -4@%esi 1@%al -2@%r8w 8@%r15",
		" arg1=%di:u64 arg2=%si:s32 arg3=%ax:u8 arg4=%r8:s16 arg5=%r15:u64", 0),
	   "registers of x86");
	ok(usdt(&mp_arch_x86_64, "-4@-20(%rbp) 8@16(%rsp) 8@(%rax)",
		" arg1=-20(%bp):s32 arg2=+16(%sp):u64 arg3=+0(%ax):u64", 0),
	   "memory of x86");
	ok(usdt(&mp_arch_x86_64, "8@$5 -4@$-1", " arg1=\\5:u64 arg2=\\-1:s32", 0), "constants");
	ok(usdt(&mp_arch_arm64, "8@x0 4@w1 8@[sp, 16] 8@[x19]",
		" arg1=%x0:u64 arg2=%x1:u32 arg3=+16(%sp):u64 arg4=+0(%x19):u64", 0),
	   "registers and memory of arm64");
	ok(usdt(&mp_arch_riscv64, "8@a0 -4@s11 8@-20(s0) 1@8(sp) 8@zero 8@a 8@f10 8@t6x",
		" arg1=%a0:u64 arg2=%s11:s32 arg3=-20(%s0):u64 arg4=+8(%sp):u8", 4),
	   "registers and memory of riscv64");
	ok(usdt(&mp_arch_x86_64, "8@(%rax,%rbx,8) 8@%rdi 4@sym(%rip) 4@-4+sym(%rip)",
		" arg2=%di:u64", 3),
	   "what the kernel cannot fetch is skipped, numbers stay");
	ok(usdt(&mp_arch_x86_64, "", "", 0) &&
		   usdt(&mp_arch_x86_64, "garbage 9@%rdi 8@ @%rdi 8@%zz", "", 5),
	   "damaged");

	ok(probe("uprobe:libc:malloc", "uprobe", "libc", "malloc", ""), "a function");
	ok(probe_args("uprobe:/a/b:f+0x10(arg2:u64)", "uprobe", "/a/b", "f+0x10", " arg1=%s:u64"),
	   "arguments get names");
	ok(probe_args("uretprobe:x:f(r=retval:s32,s=+0(arg2):string)", "uretprobe", "x", "f",
		      " r=$retval:s32 s=+0(%s):string"),
	   "the return value, a string");
	ok(probe("uprobe:x:f(arg22=%di:u64,xarg2=@myarg2)", "uprobe", "x", "f",
		 " arg22=%di:u64 xarg2=@myarg2"),
	   "only whole words are replaced");
	ok(probe("usdt:python3:python:gc__start", "usdt", "python3", "python:gc__start", ""),
	   "a static probe with its provider");
	ok(probe("kprobe:do_sys_open+4", "kprobe", NULL, "do_sys_open+4", ""), "the kernel");
	ok(probe("mem:0x1000/8:rw", "mem", NULL, "0x1000", NULL) &&
		   probe("mem:jiffies", "mem", NULL, "jiffies", NULL),
	   "memory");
	ok(refused("uprobe:malloc") && refused("uprobe::f") && refused("uprobe:x:") &&
		   refused("uprobe:x:f(a") && refused("usdt:x:y(z)") && refused("mem:0x1/3:r") &&
		   refused("mem:0x1:q") && refused("mem:0x1:rwxr") && refused("kprobe:"),
	   "what is refused");
	test_cheap();
	return tap_done();
}
