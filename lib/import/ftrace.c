// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace: the trace file of tracefs and trace-cmd report, lines "COMM-TID (TGID) [CPU] FLAGS TIME:
 * EVENT: TEXT" (kernel/trace/trace_output.c), parsed from the right like those of perf script.
 * Stacks follow in lines of their own. The text names events without their system; the parser adds
 * it where it knows it, so that they have the names that the other programs know.
 */
#include "lib/import/fields.h"
#include "lib/import/format.h"
#include "lib/import/held.h"

enum { HEAD_MAX = 128 };

struct head {
	struct mp_str comm, tid, tgid, cpu, time, text;
};

struct ftrace {
	struct mp_import *im;
	struct mp_import_frames frames;
	struct mp_import_queue queue;
	/* the event to which the following frames belong; NULL: none */
	struct mp_import_held *event;
	enum mp_import_side side; /* the side of the frames that follow: kernel or user */
	uint64_t lost;		  /* number of events that were overwritten before the first one */
};

/* Removes "[CPU]" and the flags after it, if there are any, from the end of s. */
static bool parse_cpu(struct mp_str *s, struct head *h)
{
	size_t end = mp_import_without_blanks(*s), n = end;

	while (n && s->p[n - 1] != ' ' && s->p[n - 1] != ']')
		n--;
	if (n < end) { /* these characters are flags, not an opening bracket */
		if (end - n > 10)
			return false;
		end = mp_import_without_blanks((struct mp_str){ s->p, n });
	}
	return mp_import_cut_cpu(s, end, &h->cpu);
}

/* Cuts "(TGID)" or "(-------)" off the end of s, if it is there. */
static void parse_tgid(struct mp_str *s, struct head *h)
{
	size_t end = mp_import_without_blanks(*s), n;

	h->tgid = (struct mp_str){ NULL, 0 };
	if (!end || s->p[end - 1] != ')')
		return;
	n = mp_import_digits_start(*s, end - 1);
	if (n < end - 1)
		h->tgid = (struct mp_str){ s->p + n, end - 1 - n };
	while (n && (s->p[n - 1] == ' ' || s->p[n - 1] == '-'))
		n--;
	if (n && s->p[n - 1] == '(')
		s->len = n - 1;
}

static bool parse_left(struct mp_str s, struct head *h)
{
	size_t end, n;

	if (!parse_cpu(&s, h))
		return false;
	parse_tgid(&s, h);
	end = mp_import_without_blanks(s);
	n = mp_import_digits_start(s, end);
	if (n == end || end - n > 10 || !n || s.p[n - 1] != '-')
		return false;
	h->tid = (struct mp_str){ s.p + n, end - n };
	h->comm = (struct mp_str){ s.p, n - 1 };
	if (h->comm.len >= MP_COMM_WIDTH) /* names are padded to this width */
		while (h->comm.len && *h->comm.p == ' ')
			h->comm = mp_str_skip(h->comm, 1);
	return true;
}

/* Whether a time ends at the colon: six or nine digits after a point, or a plain count. */
static bool time_at(struct mp_str line, size_t colon, struct mp_str *time)
{
	size_t n = mp_import_digits_start(line, colon), fraction = colon - n;

	if ((fraction == 6 || fraction == 9) && n && line.p[n - 1] == '.')
		n = mp_import_digits_start(line, n - 1);
	*time = (struct mp_str){ line.p + n, colon - n };
	return time->len && *time->p != '.' && n && line.p[n - 1] == ' ' &&
	       (colon + 1 == line.len || line.p[colon + 1] == ' ');
}

static bool find_head(struct mp_str line, struct head *h)
{
	const char *end = line.p + MP_MIN(line.len, (size_t)HEAD_MAX), *p = line.p;
	struct head candidate = { .tid = { NULL, 0 } };
	bool found = false;

	while ((p = memchr(p, ':', end - p))) {
		if (time_at(line, p - line.p, &candidate.time) &&
		    parse_left((struct mp_str){ line.p, candidate.time.p - line.p }, &candidate)) {
			if (found && candidate.comm.len > MP_COMM_MAX)
				break;
			candidate.text = mp_str_skip(line, p + 1 - line.p);
			*h = candidate;
			found = true;
		}
		p++;
	}
	return found;
}

/* The system of an event, found by the beginning of the event's name. */
static const char *system_of(struct mp_str name)
{
	static const struct {
		const char *head, *system;
	} systems[] = {
		{ "sched_", "sched" },
		{ "sys_enter_", "syscalls" },
		{ "sys_exit_", "syscalls" },
		{ "sys_enter", "raw_syscalls" },
		{ "sys_exit", "raw_syscalls" },
		{ "irq_handler_", "irq" },
		{ "softirq_", "irq" },
		{ "tasklet_", "irq" },
		{ "block_", "block" },
		{ "workqueue_", "workqueue" },
		{ "timer_", "timer" },
		{ "hrtimer_", "timer" },
		{ "itimer_", "timer" },
		{ "tick_stop", "timer" },
		{ "kmalloc", "kmem" },
		{ "kfree", "kmem" },
		{ "kmem_cache_", "kmem" },
		{ "mm_page_", "kmem" },
		{ "rss_stat", "kmem" },
		{ "signal_", "signal" },
		{ "task_newtask", "task" },
		{ "task_rename", "task" },
		{ "page_fault_", "exceptions" },
		{ "cpu_idle", "power" },
		{ "cpu_frequency", "power" },
		{ "kvm_mmu_", "kvmmmu" },
		{ "kvm_tdp_mmu_", "kvmmmu" },
		{ "fast_page_fault", "kvmmmu" },
		{ "mark_mmio_spte", "kvmmmu" },
		{ "check_mmio_spte", "kvmmmu" },
		{ "handle_mmio_page_fault", "kvmmmu" },
		{ "kvm_", "kvm" },
		{ "net_dev_", "net" },
		{ "netif_", "net" },
		{ "napi_poll", "napi" },
		{ "tcp_", "tcp" },
		{ "sock_", "sock" },
		{ "inet_sock_", "sock" },
		{ "writeback_", "writeback" },
		{ "wbc_", "writeback" },
		{ "sb_", "writeback" },
		{ "ext4_", "ext4" },
		{ "jbd2_", "jbd2" },
		{ "xfs_", "xfs" },
		{ "scsi_", "scsi" },
		{ "contention_", "lock" },
		{ "preempt_", "preemptirq" },
		{ "irq_enable", "preemptirq" },
		{ "irq_disable", "preemptirq" },
	};
	size_t i;

	if (mp_str_starts(name, MP_STR("kfree_skb")))
		return "skb";
	for (i = 0; i < MP_ARRAY_SIZE(systems); i++)
		if (name.len && *name.p == *systems[i].head &&
		    mp_str_starts(name, mp_str(systems[i].head)))
			return systems[i].system;
	return NULL;
}

/* Splits "COMM:PID [PRIO]" at the end of s, as trace-cmd prints a task. */
static bool parse_task(struct mp_str s, struct mp_str *comm, struct mp_str *pid,
		       struct mp_str *prio)
{
	size_t end = mp_import_without_blanks(s), n;

	if (!end || s.p[end - 1] != ']')
		return false;
	n = mp_import_digits_start(s, end - 1);
	*prio = (struct mp_str){ s.p + n, end - 1 - n };
	if (!prio->len || n < 2 || s.p[n - 1] != '[' || s.p[n - 2] != ' ')
		return false;
	end = n - 2;
	n = mp_import_digits_start(s, end);
	*pid = (struct mp_str){ s.p + n, end - n };
	if (!pid->len || !n || s.p[n - 1] != ':')
		return false;
	*comm = (struct mp_str){ s.p, n - 1 };
	return true;
}

/* Adds the fields of "COMM:PID [PRIO] STATE ==> COMM:PID [PRIO]". */
static bool add_switch(struct mp_import *im, struct mp_str text)
{
	struct mp_str prev[3], next[3], state, left = text, tail;
	const char *arrow = NULL, *p = text.p, *end = text.p + text.len;

	while ((p = memmem(p, end - p, " ==> ", 5)))
		arrow = p++;
	if (!arrow)
		return false;
	tail = (struct mp_str){ arrow + 5, end - arrow - 5 };
	left.len = arrow - text.p;
	state = left;
	while (left.len && left.p[left.len - 1] != ' ')
		left.len--;
	state = mp_str_skip(state, left.len);
	if (!parse_task(left, &prev[0], &prev[1], &prev[2]) ||
	    !parse_task(tail, &next[0], &next[1], &next[2]))
		return false;
	mp_import_field(im, ".prev_comm", prev[0]);
	mp_import_number(im, ".prev_pid", prev[1]);
	mp_import_number(im, ".prev_prio", prev[2]);
	mp_import_field(im, ".prev_state", state);
	mp_import_field(im, ".next_comm", next[0]);
	mp_import_number(im, ".next_pid", next[1]);
	mp_import_number(im, ".next_prio", next[2]);
	return true;
}

/* Adds the fields of "COMM:PID [PRIO] success=1 CPU:003". */
static bool add_wakeup(struct mp_import *im, struct mp_str text)
{
	struct mp_str task[3], cpu = { NULL, 0 };
	size_t end = mp_import_without_blanks(text), n = mp_import_digits_start(text, end);

	if (n < 5 || n == end || memcmp(text.p + n - 5, " CPU:", 5) != 0)
		return false;
	cpu = (struct mp_str){ text.p + n, end - n };
	text.len = n - 5;
	if (text.len > 10 && memcmp(text.p + text.len - 10, " success=", 9) == 0)
		text.len -= 10;
	if (!parse_task(text, &task[0], &task[1], &task[2]))
		return false;
	mp_import_field(im, ".comm", task[0]);
	mp_import_number(im, ".pid", task[1]);
	mp_import_number(im, ".prio", task[2]);
	mp_import_number(im, ".target_cpu", cpu);
	return true;
}

/* Adds the fields of "ksys_read <-do_syscall_64", where trace-cmd prints "<--". */
static bool add_function(struct mp_import *im, struct mp_str text)
{
	const char *arrow = memmem(text.p, text.len, " <-", 3);
	struct mp_str parent;

	if (!arrow)
		return false;
	parent = (struct mp_str){ arrow + 3, text.p + text.len - arrow - 3 };
	if (parent.len && *parent.p == '-')
		parent = mp_str_skip(parent, 1);
	mp_import_field(im, ".ip", mp_import_trim((struct mp_str){ text.p, arrow - text.p }));
	mp_import_field(im, ".parent_ip", mp_import_trim(parent));
	return true;
}

static void add_payload(struct mp_import *im, struct mp_str type, struct mp_str text)
{
	bool done = false;

	if (mp_str_eq(type, MP_STR("sched:sched_switch")))
		done = !mp_str_starts(text, MP_STR("prev_comm=")) && add_switch(im, text);
	else if (mp_str_starts(type, MP_STR("sched:sched_wak")))
		done = !mp_str_starts(text, MP_STR("comm=")) && add_wakeup(im, text);
	else if (mp_str_eq(type, MP_STR("ftrace:function")))
		done = add_function(im, text);
	if (!done)
		mp_import_payload(im, type, text);
}

/*
 * Splits what the kernel prints for system calls, "sys_read(fd: 3, count: 0x10)" and "sys_read ->
 * 0x10", into name and text. Returns the beginning of the name of their events, or NULL.
 */
static const char *split_syscall(struct mp_str *name, struct mp_str *text)
{
	size_t n = 4;

	if (!mp_str_starts(*text, MP_STR("sys_")))
		return NULL;
	while (n < text->len &&
	       (mp_import_letter(text->p[n]) || mp_import_digit(text->p[n]) || text->p[n] == '_'))
		n++;
	*name = (struct mp_str){ text->p + 4, n - 4 };
	if (mp_str_starts(mp_str_skip(*text, n), MP_STR(" -> "))) {
		*text = mp_str_skip(*text, n + 4);
		return "syscalls:sys_exit_";
	}
	if (n == text->len || text->p[n] != '(' || text->p[text->len - 1] != ')')
		return NULL;
	*text = (struct mp_str){ text->p + n + 1, text->len - n - 2 };
	return "syscalls:sys_enter_";
}

/* Writes HEAD, MORE and NAME to `to`; returns NAME alone if `to` is too small. */
static struct mp_str join(char *to, size_t size, const char *head, const char *more,
			  struct mp_str name)
{
	if (name.len + strlen(head) + strlen(more) + 1 > size)
		return name;
	return (struct mp_str){
		to, (char *)mempcpy(stpcpy(stpcpy(to, head), more), name.p, name.len) - to
	};
}

/*
 * The type of an event, and its text: "EVENT: TEXT", or what the tracers print without a name. The
 * type has length 0 if the text is none of these.
 */
static struct mp_str event_type(struct mp_str *text, char *to, size_t size)
{
	struct mp_str name = mp_import_trim(*text), call;
	const char *colon = memchr(name.p, ':', name.len), *system;
	const char *blank = name.len ? memchr(name.p, ' ', name.len) : NULL;

	*text = name;
	if (mp_str_starts(name, MP_STR("<stack trace")))
		return MP_STR("ftrace:kernel_stack");
	if (mp_str_starts(name, MP_STR("<user stack trace")))
		return MP_STR("ftrace:user_stack");
	system = split_syscall(&call, text);
	if (system)
		return join(to, size, system, "", call);
	if (!colon || (blank && blank < colon))
		return memmem(name.p, name.len, " <-", 3) ? MP_STR("ftrace:function") : MP_STR("");
	name.len = colon - name.p;
	*text = mp_import_trim(mp_str_skip(*text, name.len + 1));
	if (mp_str_eq(name, MP_STR("function")) || mp_str_eq(name, MP_STR("kernel_stack")) ||
	    mp_str_eq(name, MP_STR("user_stack")) || mp_str_starts(name, MP_STR("funcgraph_")))
		system = "ftrace";
	else if (mp_str_eq(name, MP_STR("tracing_mark_write")) || mp_str_eq(name, MP_STR("print")))
		return MP_STR("ftrace:print");
	else
		system = system_of(name);
	return system ? join(to, size, system, ":", name) : name;
}

/* Attaches the frames that were read to their event. */
static void end_stack(struct ftrace *f)
{
	if (f->event)
		mp_import_queue_stack(&f->queue, f->event, f->side, &f->frames);
	f->event = NULL;
}

static int time_of(struct mp_str text, uint64_t *time_ns)
{
	if (memchr(text.p, '.', text.len))
		return mp_import_time(text, time_ns);
	return mp_num_u64(text, time_ns) < 0 || *time_ns > INT64_MAX ? -1 : 0;
}

/* Finds the event that a stack belongs to; false if this type is not a stack. */
static bool is_stack(struct ftrace *f, struct mp_str type, uint64_t cpu, uint64_t tid)
{
	if (!mp_str_eq(type, MP_STR("ftrace:kernel_stack")) &&
	    !mp_str_eq(type, MP_STR("ftrace:user_stack")))
		return false;
	f->side = mp_str_eq(type, MP_STR("ftrace:user_stack")) ? MP_IMPORT_USER : MP_IMPORT_KERNEL;
	f->event = mp_import_queue_find(&f->queue, cpu, tid, f->side);
	return true;
}

static void handle_event(struct ftrace *f, const struct head *h)
{
	struct mp_str type, text = h->text;
	struct mp_import *im = f->im;
	uint64_t time_ns, cpu, tid;
	char name[256];
	bool stack;

	if (time_of(h->time, &time_ns) < 0 || mp_num_u64(h->cpu, &cpu) < 0 ||
	    mp_num_u64(h->tid, &tid) < 0) {
		mp_import_bad(im, "time is out of range");
		return;
	}
	type = event_type(&text, name, sizeof(name));
	if (!type.len) {
		mp_import_bad(im, "event without a name");
		return;
	}
	stack = is_stack(f, type, cpu, tid);
	if (stack && f->event)
		return;
	mp_import_begin(im, MP_EVENT, "ftrace");
	if (f->lost)
		mp_import_lost(im, f->lost, time_ns, -1);
	f->lost = 0;
	mp_import_event(im, time_ns, type);
	mp_import_number(im, "cpu", h->cpu);
	if (h->tgid.p)
		mp_import_number(im, "pid", h->tgid);
	mp_import_number(im, "tid", h->tid);
	mp_import_field(im, "comm", h->comm);
	if (!stack) {
		add_payload(im, type, text);
		f->side = MP_IMPORT_KERNEL;
	}
	f->event = mp_import_queue_add(&f->queue, cpu, tid);
}

/*
 * Handles the frame of " => do_wait", " => do_wait+0x10/0x20", "=> do_wait (ffffffff81...)",
 * " =>  libc.so.6[+0x27]", or, as mp-export prints user code that has a name, " =>  main".
 */
static void handle_frame(struct ftrace *f, struct mp_str text)
{
	const char *at = memmem(text.p, text.len, "+0x", 3), *blank;
	struct mp_buf name = { NULL, 0, 0 };

	text = mp_import_trim(text);
	if (!f->event) {
		mp_import_bad(f->im, "frame outside an event");
		return;
	}
	if (f->side == MP_IMPORT_USER) {
		const char *slash;

		if (!at || at[-1] != '[' || text.p[text.len - 1] != ']') {
			if (!text.len || *text.p == '<' || mp_str_eq(text, MP_STR("??")))
				text = MP_STR("[unknown]");
			mp_import_frame_name(&f->frames, text, MP_MARK_NONE);
			return;
		}
		slash = memrchr(text.p, '/', at - 1 - text.p);
		if (slash)
			text = mp_str_skip(text, slash + 1 - text.p);
		mp_buf_printf(&name, "[%.*s]%.*s", (int)(at - 1 - text.p), text.p,
			      (int)(text.p + text.len - 1 - at), at);
		mp_import_frame_name(&f->frames, mp_buf_view(&name), MP_MARK_NONE);
		mp_buf_release(&name);
		return;
	}
	blank = text.len ? memchr(text.p, ' ', text.len) : NULL;
	if (at && (!blank || at < blank))
		blank = at;
	if (blank)
		text.len = blank - text.p;
	mp_import_frame_name(&f->frames, text, MP_MARK_KERNEL);
}

/* Parses the number before `text` in s; -1 if there is none. */
static int number_before(struct mp_str s, const char *text, uint64_t *v)
{
	const char *at = memmem(s.p, s.len, text, strlen(text));
	size_t end, start;

	if (!at)
		return -1;
	end = at - s.p;
	start = mp_import_digits_start(s, end);
	return mp_num_u64((struct mp_str){ s.p + start, end - start }, v);
}

/* Handles "CPU:1 [LOST 12 EVENTS]", which trace-cmd prints as "CPU:1 [12 EVENTS DROPPED]". */
static void handle_loss(struct ftrace *f, struct mp_str line)
{
	struct mp_str digits = mp_str_skip(line, 4);
	uint64_t lost, cpu;

	digits.len = mp_import_digits(digits);
	if (mp_num_u64(digits, &cpu) < 0 || cpu > INT32_MAX ||
	    (number_before(line, " EVENTS]", &lost) < 0 &&
	     number_before(line, " EVENTS DROPPED]", &lost) < 0) ||
	    lost > INT64_MAX) {
		mp_import_bad(f->im, "loss without a number of events");
		return;
	}
	mp_import_begin(f->im, MP_EVENT, "ftrace");
	mp_import_queue_flush(&f->queue);
	mp_import_lost(f->im, lost, f->im->last_ns, (int)cpu);
}

/*
 * Handles a comment. After "# entries-in-buffer/entries-written: 3/10 #P:2" the entries that were
 * overwritten are lost.
 */
static void handle_comment(struct ftrace *f, struct mp_str line)
{
	const char head[] = "# entries-in-buffer/entries-written: ";
	struct mp_str s;
	uint64_t kept, written;
	const char *slash;

	if (!mp_str_starts(line, mp_str(head)))
		return;
	s = mp_str_skip(line, sizeof(head) - 1);
	slash = memchr(s.p, '/', s.len);
	if (!slash || mp_num_u64((struct mp_str){ s.p, slash - s.p }, &kept) < 0)
		return;
	s = mp_str_skip(s, slash + 1 - s.p);
	s.len = mp_import_digits(s);
	if (mp_num_u64(s, &written) == 0 && written > kept && written <= INT64_MAX)
		f->lost = written - kept;
}

static void handle_line(struct ftrace *f, struct mp_str line)
{
	struct head h;

	if (mp_str_starts(line, MP_STR(" => ")) || mp_str_starts(line, MP_STR("=> "))) {
		handle_frame(f, mp_str_skip(line, 3 + (*line.p == ' ')));
		return;
	}
	end_stack(f);
	if (find_head(line, &h))
		handle_event(f, &h);
	else if (*line.p == '#')
		handle_comment(f, line);
	else if (mp_str_starts(line, MP_STR("CPU:")))
		handle_loss(f, line);
	else if (!mp_str_starts(line, MP_STR("cpus=")) &&
		 !mp_str_starts(line, MP_STR("version = ")) &&
		 !(mp_str_starts(line, MP_STR("CPU ")) && memmem(line.p, line.len, " is empty", 9)))
		mp_import_bad(f->im, "not a line of ftrace");
}

static void parse(struct mp_import *im)
{
	struct ftrace f = { .im = im, .queue = { .im = im } };
	struct mp_str line;

	im->source = "ftrace";
	mp_import_frames_init(&f.frames);
	while (mp_import_line(im, &line)) {
		if (line.len)
			handle_line(&f, line);
		else
			end_stack(&f);
	}
	f.frames.truncated |= f.event && f.frames.n && im->truncated;
	end_stack(&f);
	mp_import_queue_flush(&f.queue);
	mp_import_begin(im, MP_EVENT, "ftrace");
	if (f.lost)
		mp_import_lost(im, f.lost, 0, -1);
	mp_import_queue_release(&f.queue);
	mp_import_frames_release(&f.frames);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	struct head h;

	if (first &&
	    (mp_str_starts(line, MP_STR("# tracer: ")) || mp_str_starts(line, MP_STR("cpus="))))
		return MP_IMPORT_DISTINCT;
	if (find_head(line, &h) && h.comm.len <= MP_COMM_MAX)
		return MP_IMPORT_DISTINCT;
	return *line.p == '#' || mp_str_starts(line, MP_STR(" => ")) ? MP_IMPORT_POSSIBLE
								     : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_ftrace = { "ftrace", looks_like, NULL, parse };
