// SPDX-License-Identifier: GPL-2.0-only
/* Tests that handmade samples become the right lines of the stream. */
#include <arpa/inet.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/capture/format/format.h"
#include "tests/unit/tap.h"

static struct mp_tp_field fields[] = {
	{ "text", MP_TP_STRING, MP_TP_FIXED, 8, 8, 1, true, NULL },
	{ "small", MP_TP_SIGNED, MP_TP_FIXED, 16, 2, 2, false, NULL },
	{ "byte", MP_TP_UNSIGNED, MP_TP_FIXED, 18, 1, 1, false, NULL },
	{ "addr", MP_TP_HEX, MP_TP_FIXED, 24, 8, 8, false, NULL },
	{ "list", MP_TP_UNSIGNED, MP_TP_FIXED, 32, 4, 1, true, NULL },
	{ "dyn", MP_TP_STRING, MP_TP_DATA_LOC, 36, 4, 1, true, NULL },
	{ "rel", MP_TP_SIGNED, MP_TP_REL_LOC, 40, 4, 4, true, NULL },
	{ "wild", MP_TP_STRING, MP_TP_DATA_LOC, 44, 4, 1, true, NULL },
};

/* the common fields: u16, u8, u8, s32 pid */
struct raw {
	uint32_t head;
	int32_t pid;
	char text[8];
	int16_t small;
	uint8_t byte, pad[5];
	uint64_t addr;
	uint8_t list[4];
	uint32_t dyn, rel, wild;
	char tail[16];
} __attribute__((packed));

struct record {
	struct perf_event_header header;
	uint64_t id;
	int32_t pid, tid;
	uint64_t time, period, n_ips, ips[4];
	uint32_t raw_len;
	struct raw raw;
} __attribute__((packed, aligned(8)));

static struct record record;
static struct mp_cut_event event;

static void make(void)
{
	static struct mp_cut_field payload[MP_ARRAY_SIZE(fields)];
	int32_t numbers[2] = { -1, 70000 };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(fields); i++)
		payload[i].at = fields[i];
	event = (struct mp_cut_event){
		.type = "a:b",
		.common = true,
		.payload = payload,
		.n_payload = MP_ARRAY_SIZE(fields),
		.each = true,
		.context = MP_CTX_CPU | MP_CTX_TASK | MP_CTX_PERIOD,
	};
	event.sample_period = 1;
	event.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	record = (struct record){ .header = { PERF_RECORD_SAMPLE, 0, sizeof(record) },
				  .id = 5,
				  .pid = 5000000,
				  .tid = 5000001,
				  .time = 123456789,
				  .period = 1,
				  .n_ips = 4,
				  .ips = { (uint64_t)PERF_CONTEXT_USER, 1, 2, 3 },
				  .raw_len = sizeof(struct raw) };
	record.raw = (struct raw){ .pid = 5000001,
				   .text = "a\tb;",
				   .small = -5,
				   .byte = 200,
				   .addr = 0xffff888000001234,
				   .list = { 127, 0, 0, 1 } };
	record.raw.dyn = 4 << 16 | offsetof(struct raw, tail);
	memcpy(record.raw.tail, "dyn", 4);
	record.raw.rel = 8 << 16 | (offsetof(struct raw, tail) + 4 - 44);
	memcpy(record.raw.tail + 4, numbers, sizeof(numbers));
	record.raw.wild = 100u << 16 | 60000;
}

static struct mp_tasks tasks;
static struct mp_symbols symbols;
static struct mp_chain_texts stacks;

static bool record_is(const struct perf_event_header *h, const char *want)
{
	struct mp_cut_events events = { .v = &event, .n = 1 };
	struct mp_formatter f;
	struct mp_sample s;
	struct mp_str line;
	bool same = true;
	int i;

	mp_formatter_init(&f, &events, &tasks, &stacks, NULL);
	if (mp_sample_parse(&s, &event, h) < 0)
		return false;
	for (i = 0; i < 2; i++) { /* the second time, names are known */
		line = mp_formatter_line(&f, &event, 0, &s, mp_formatter_task(&f, &event, &s), 3);
		same &= mp_str_eq(line, mp_str(want));
	}
	if (!same)
		printf("# %.*s", MP_STR_ARGS(line));
	mp_formatter_release(&f);
	return same;
}

static bool line_is(const char *want)
{
	return record_is(&record.header, want);
}

#define PAYLOAD                                                                         \
	".text=a\\tb;\t.small=-5\t.byte=200\t.addr=0xffff888000001234\t.list=127,0,0,1" \
	"\t.dyn=dyn\t.rel=-1,70000\t.wild="

static void test_lines(void)
{
	make();
	mp_tasks_comm(&tasks, 5000000, 5000001, MP_STR("odd\n\\name"), false, 0);
	ok(line_is("123456789,a:b,cpu=3\tpid=5000000\ttid=5000001\tcomm=odd\\n\\\\name\t" PAYLOAD
		   "\n"),
	   "every kind of field; one that points outside the record is empty");
	record.period = 7;
	ok(line_is("123456789,a:b,cpu=3\tpid=5000000\ttid=5000001\tcomm=odd\\n\\\\name\tperiod=7"
		   "\t" PAYLOAD "\n"),
	   "a period that is not 1");
	record.period = 1;
	record.pid = record.tid = -1;
	ok(line_is("123456789,a:b,cpu=3\tpid=5000000\ttid=5000001\tcomm=odd\\n\\\\name\t" PAYLOAD
		   "\n"),
	   "an exiting task, by the pid in the raw record");
	record.pid = record.tid = 0;
	event.n_payload = 1;
	ok(line_is("123456789,a:b,cpu=3\tpid=0\ttid=0\tcomm=swapper/3\t.text=a\\tb;\n"),
	   "the idle task of a CPU");
	event.context = 0;
	event.n_payload = 0;
	ok(line_is("123456789,a:b,\n"), "no field at all");
	event.context = MP_CTX_STACK;
	event.max_stack = 10;
	event.sample_max_stack = 11;
	record.pid = record.tid = 5000001;
	ok(line_is("123456789,a:b,stack=[unknown];[unknown];[unknown]\n"), "a stack");
	event.max_stack = 2;
	event.sample_max_stack = 3;
	ok(line_is("123456789,a:b,stack=[truncated];[unknown];[unknown]\n"),
	   "a stack above the limit says so");
}

static struct mp_names_entry entries[] = { { 200, (char *)"a\tb)" } };
static struct mp_names_part parts[] = {
	{ .kind = MP_NAMES_ERROR, .mask = UINT64_MAX },
	{ .kind = MP_NAMES_VALUES, .mask = UINT64_MAX, .v = entries, .n = 1 },
	{ .kind = MP_NAMES_SYMBOL, .mask = UINT64_MAX },
	{ .kind = MP_NAMES_FUNCTION, .mask = UINT64_MAX },
	{ .kind = MP_NAMES_IPV4, .mask = UINT64_MAX },
	{ .kind = MP_NAMES_IPV6, .mask = UINT64_MAX },
	{ .kind = MP_NAMES_SOCKET, .mask = UINT64_MAX },
};

/* Gives the field `i` names of the kind in parts[part]. */
static void give_names(size_t i, size_t part)
{
	static struct mp_names names[MP_ARRAY_SIZE(parts)];

	names[part] = (struct mp_names){ &parts[part], 1 };
	event.payload[i].at.names = &names[part];
}

/* Whether events with changing values, many more than are kept, have their own names each. */
static bool each_has_its_name(void)
{
	struct mp_cut_events events = { .v = &event, .n = 1 };
	struct mp_formatter f;
	bool same = true;
	int i;

	mp_formatter_init(&f, &events, &tasks, &stacks, NULL);
	for (i = 0; i < 4000; i++) {
		const char *error = i % 133 ? strerrorname_np(i % 133) : NULL;
		struct mp_sample s;
		struct mp_task *task;
		char want[128];

		record.raw.small = (int16_t) - (i % 133);
		record.raw.byte = i % 256;
		record.raw.addr = 0xffff888000001200 + i % 251;
		snprintf(want, sizeof(want),
			 "123456789,a:b,.small=%d%s%s%s\t.byte=%d%s\t.addr=0x%llx(made)\n",
			 record.raw.small, error ? "(" : "", error ? error : "", error ? ")" : "",
			 i % 256, i % 256 == 200 ? "(a\\tb))" : "",
			 (unsigned long long)record.raw.addr);
		same &= mp_sample_parse(&s, &event, &record.header) == 0;
		task = mp_formatter_task(&f, &event, &s);
		same &= mp_str_eq(mp_formatter_line(&f, &event, 0, &s, task, 3), mp_str(want));
	}
	mp_formatter_release(&f);
	return same;
}

/* A dynamic array whose first bytes are the same. */
static bool lengths_differ(void)
{
	static const char bytes[16] = { 1, 2, 3, 4 };
	struct mp_names names = { &parts[4], 1 };
	struct mp_tp_field field = { .elem = 1, .is_array = true, .names = &names };
	struct mp_value_names all;
	struct mp_value_key key;
	bool differ;

	mp_value_names_init(&all, &symbols);
	differ = mp_value_names_key(&key, &field, (struct mp_str){ bytes, 4 }, MP_STR(""));
	mp_value_names_keep(&all, &key, MP_STR("four"));
	differ &= mp_str_eq(mp_value_names_latest(&all, &key), MP_STR("four"));
	differ &= mp_value_names_key(&key, &field, (struct mp_str){ bytes, 16 }, MP_STR("")) &&
		  mp_value_names_latest(&all, &key).len == 0;
	mp_value_names_release(&all);
	return differ;
}

/* A name that depends on the first byte of the record. */
static bool condition_counts(void)
{
	struct mp_names_part part = { .kind = MP_NAMES_VALUES, .when = { .size = 1 } };
	struct mp_names names = { &part, 1 };
	struct mp_tp_field field = { .elem = 1, .names = &names };
	struct mp_str bytes = MP_STR("x");
	struct mp_value_names all;
	struct mp_value_key key;
	bool counts;

	mp_value_names_init(&all, &symbols);
	counts = mp_value_names_key(&key, &field, bytes, MP_STR("1"));
	mp_value_names_keep(&all, &key, MP_STR("one"));
	counts &= mp_value_names_key(&key, &field, bytes, MP_STR("2")) &&
		  mp_value_names_latest(&all, &key).len == 0;
	counts &= mp_value_names_key(&key, &field, bytes, MP_STR("1")) &&
		  mp_str_eq(mp_value_names_latest(&all, &key), MP_STR("one"));
	counts &= !mp_value_names_key(&key, &field, bytes, MP_STR(""));
	mp_value_names_release(&all);
	return counts;
}

static void test_names(void)
{
	make();
	event.context = 0;
	memcpy(record.raw.text, "7(x)", 5);
	give_names(1, 0);
	give_names(2, 1);
	give_names(3, 2);
	give_names(4, 4);
	give_names(7, 6);
	mp_symtab_add(&symbols.kernel, 0xffff888000001200, 0x100, MP_STR("made"), MP_SYM_GLOBAL);
	mp_symtab_sort(&symbols.kernel, false);
	symbols.has_kernel = true;
	ok(line_is("123456789,a:b,.text=7\\x28x)\t.small=-5(EIO)\t.byte=200(a\\tb))\t"
		   ".addr=0xffff888000001234(made+0x34)\t.list=127,0,0,1(127.0.0.1)\t"
		   ".dyn=dyn\t.rel=-1,70000\t.wild=\n"),
	   "names; text that looks like a number with a name");
	give_names(3, 3);
	record.raw.small = 5;
	record.raw.byte = 201;
	event.n_payload = 4;
	ok(line_is("123456789,a:b,.text=7\\x28x)\t.small=5\t.byte=201\t"
		   ".addr=0xffff888000001234(made)\n"),
	   "numbers without a name");
	record.raw.addr = 0x1234;
	ok(line_is("123456789,a:b,.text=7\\x28x)\t.small=5\t.byte=201\t.addr=0x1234\n"),
	   "an address that is not in the kernel");
	event.payload++;
	event.n_payload = 3;
	ok(each_has_its_name(), "each of many values has its own name");
	ok(lengths_differ(), "arrays of different lengths have names of their own");
	ok(condition_counts(), "a name that depends on another number is kept with that number");
}

static bool address_is(size_t part, const void *bytes, size_t len, const char *want)
{
	struct mp_names names = { &parts[part], 1 };
	struct mp_tp_field field = { .elem = 1, .is_array = true, .names = &names };
	struct mp_value_names all;
	bool same;

	mp_value_names_init(&all, &symbols);
	same = mp_str_eq(mp_value_names_text(&all, &field, (struct mp_str){ bytes, len }, 0,
					     MP_STR("")),
			 mp_str(want));
	mp_value_names_release(&all);
	return same;
}

static void test_addresses(void)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(65535) };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct sockaddr_storage other = { .ss_family = AF_UNIX };

	v6.sin6_addr.s6_addr[15] = 1;
	v4.sin_addr.s_addr = htonl(0x0a000001);
	ok(address_is(4, &v4.sin_addr, 4, "(10.0.0.1)") && address_is(4, &v4.sin_addr, 3, ""),
	   "IPv4");
	ok(address_is(5, &v6.sin6_addr, 16, "(::1)") && address_is(5, &v6.sin6_addr, 4, ""),
	   "IPv6");
	ok(address_is(6, &v4, sizeof(v4), "(10.0.0.1:80)") &&
		   address_is(6, &v6, sizeof(v6), "([::1]:65535)"),
	   "with a port");
	ok(address_is(6, &v6, sizeof(v6) - 1, "") && address_is(6, &v4, 15, "") &&
		   address_is(6, &other, sizeof(other), "") && address_is(6, "", 0, ""),
	   "too short, or of another family");
}

/* A memory access, after the copy of a stack and before the cgroup. */
struct access {
	struct perf_event_header header;
	uint64_t id;
	int32_t pid, tid;
	uint64_t time, addr, period, abi, pc, stack_size, stack[2], stack_filled;
	uint64_t latency, source, cgroup;
} __attribute__((aligned(8)));

static struct access access_record;

static void make_access(uint64_t latency, uint64_t source)
{
	event = (struct mp_cut_event){
		.type = "cpu/mem-loads/",
		.context = MP_CTX_CPU | MP_CTX_ADDR | MP_CTX_LATENCY | MP_CTX_SOURCE,
	};
	event.sample_regs_user = 1 << 8;
	event.sample_stack_user = 16;
	event.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER |
			    PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
			    PERF_SAMPLE_CGROUP;
	access_record = (struct access){
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(access_record) },
		.id = 5,
		.pid = 7,
		.tid = 7,
		.time = 1000,
		.addr = 0xdead,
		.period = 1009,
		.abi = PERF_SAMPLE_REGS_ABI_64,
		.pc = 0x1234,
		.stack_size = 16,
		.stack_filled = 8,
		.latency = latency,
		.source = source,
		.cgroup = 77,
	};
}

static bool access_is(const char *rest)
{
	char *want = mp_asprintf("1000,cpu/mem-loads/,cpu=3\taddr=0xdead%s%s\n", *rest ? "\t" : "",
				 rest);
	bool same = record_is(&access_record.header, want);

	free(want);
	return same;
}

#define HIT(level) (PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, level))
#define MISS(level) (PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVL, level))
#define TLB_HIT (PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2))

static void test_accesses(void)
{
	struct mp_sample s;

	make_access(0, PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) |
			       PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA));
	ok(access_is(""), "nothing is known of it");
	ok(mp_sample_parse(&s, &event, (void *)&access_record) == 0 && s.cgroup == 77 &&
		   s.dump.len == 8,
	   "what is before and after it");
	make_access(312, PERF_MEM_S(OP, LOAD) | HIT(L3) | PERF_MEM_S(SNOOP, HITM) | TLB_HIT |
				 PERF_MEM_S(LOCK, LOCKED));
	ok(access_is("latency=312\top=load\tlevel=L3\tsnoop=hitm\ttlb=L1/L2\tlock=1"),
	   "by the bits of older kernels");
	make_access(0,
		    PERF_MEM_S(OP, STORE) | MISS(L1) | PERF_MEM_S(TLB, MISS) | PERF_MEM_S(TLB, L2));
	ok(access_is("op=store\tlevel=L1-miss\ttlb=L2-miss"), "a store that missed");
	make_access(700, PERF_MEM_S(OP, LOAD) | HIT(REM_RAM1) | PERF_MEM_S(LVLNUM, RAM) |
				 PERF_MEM_S(REMOTE, REMOTE) | PERF_MEM_S(SNOOPX, FWD) |
				 PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, WK));
	ok(access_is("latency=700\top=load\tlevel=remote-RAM\tsnoop=forward\ttlb=walk"),
	   "by number, of another node");
	make_access(1, PERF_MEM_S(OP, PFETCH) | HIT(REM_CCE2) | PERF_MEM_S(SNOOP, MISS));
	ok(access_is("latency=1\top=prefetch\tlevel=remote-cache\tsnoop=miss"),
	   "a cache of another node");
	make_access(9, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVLNUM, LFB));
	event.context = MP_CTX_CPU | MP_CTX_ADDR | MP_CTX_LEVEL;
	ok(access_is("level=LFB"), "only the fields that are wanted");
	make_access(UINT64_MAX, UINT64_MAX);
	ok(access_is("latency=18446744073709551615\top=load\tlevel=L1\tsnoop=forward\t"
		     "tlb=L1/L2/walk/fault\tlock=1"),
	   "all bits at once stay within bounds");
	access_record.header.size -= 8;
	ok(mp_sample_parse(&s, &event, (void *)&access_record) < 0, "a shorter one is refused");
}

/* Tests that each shorter record is refused or parsed within its bounds (run it under ASan). */
static void test_short_records(void)
{
	struct mp_sample s;
	bool right = true;
	size_t size;

	make();
	for (size = sizeof(record.header); size <= sizeof(record); size++) {
		struct perf_event_header *h = malloc(size);

		memcpy(h, &record, size);
		h->size = size;
		right &= (mp_sample_parse(&s, &event, h) == 0) ==
			 (size >= offsetof(struct record, raw) + sizeof(struct raw));
		free(h);
	}
	ok(right, "every shorter record is refused");
	record.n_ips = UINT64_MAX / 4;
	ok(mp_sample_parse(&s, &event, (void *)&record) < 0, "a chain longer than its record");
	make();
	record.raw_len = UINT32_MAX;
	ok(mp_sample_parse(&s, &event, (void *)&record) < 0, "raw data longer than its record");
}

int main(void)
{
	mp_init("unit-format");
	mp_symbols_init(&symbols, NULL);
	mp_chain_texts_init(&stacks, &symbols);
	mp_tasks_init(&tasks, NULL, NULL);
	test_lines();
	test_names();
	test_addresses();
	test_accesses();
	test_short_records();
	mp_tasks_release(&tasks);
	mp_chain_texts_release(&stacks);
	mp_symbols_release(&symbols);
	return tap_done();
}
