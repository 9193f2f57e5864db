// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace: the text of the file trace in tracefs, as kernel/trace/trace_output.c prints it:
 * "COMM-TID (TGID) [CPU] FLAGS TIME: EVENT: NAME=VALUE ...", with a line for each frame of a stack
 * after it. Times have nine decimals, as those of trace-cmd report -t. One pass, no state.
 */
#include "lib/export/ftrace.h"

#include "lib/stream/named.h"

enum { COMM_WIDTH = 16, TID_WIDTH = 7 };

static const char heading[] =
	"# tracer: nop\n"
	"#\n"
	"#                                          _-----=> irqs-off/BH-disabled\n"
	"#                                         / _----=> need-resched\n"
	"#                                        | / _---=> hardirq/softirq\n"
	"#                                        || / _--=> preempt-depth\n"
	"#                                        ||| / _-=> migrate-disable\n"
	"#                                        |||| /     delay\n"
	"#           TASK-PID     TGID     CPU#   |||||  TIMESTAMP  FUNCTION\n"
	"#              | |         |        |    |||||     |         |\n";

struct state {
	struct mp_export *ex;
	struct mp_buf text;    /* what is to be written */
	struct mp_buf head;    /* "COMM-TID (TGID) [CPU] FLAGS TIME: " of the current event */
	struct mp_buf payload; /* " NAME=VALUE ..." */
	struct mp_buf raw;
};

/* The fields of an event that its head has. */
struct event {
	struct mp_str cpu, pid, tid, comm, stack;
};

/* Adds raw text, but control bytes as the stream has them. */
static void add_raw(struct mp_buf *to, struct mp_str raw)
{
	size_t i;

	for (i = 0; i < raw.len; i++) {
		unsigned char c = (unsigned char)raw.p[i];

		if (c < 0x20 || c == 0x7f)
			mp_buf_printf(to, "\\x%02x", c);
		else
			mp_buf_byte(to, (char)c);
	}
}

static void add_text(struct state *s, struct mp_buf *to, struct mp_str text)
{
	add_raw(to, mp_esc_decode(&s->raw, text));
}

/* A value as the kernel prints it: the state of a task by its letter, other numbers as numbers. */
static void add_value(struct state *s, struct mp_str key, struct mp_str value)
{
	if (mp_str_eq(key, MP_STR("prev_state"))) {
		add_text(s, &s->payload, mp_named_name(value));
		mp_buf_str(&s->payload, MP_STR(" ==>"));
		return;
	}
	add_text(s, &s->payload, mp_named_number(value));
}

/* A field of the payload, or one that the head does not have. */
static void add_field(struct state *s, struct mp_str key, struct mp_str value)
{
	if (*key.p == '.')
		key = mp_str_skip(key, 1);
	mp_buf_byte(&s->payload, ' ');
	mp_buf_str(&s->payload, key);
	mp_buf_byte(&s->payload, '=');
	add_value(s, key, value);
}

static void parse(struct state *s, const struct mp_rec *rec, struct event *e)
{
	struct mp_str rest = rec->body, key, value;

	*e = (struct event){ .stack = { NULL, 0 } };
	s->payload.len = 0;
	while (mp_rec_next_field(&rest, &key, &value)) {
		if (mp_str_eq(key, MP_STR("cpu")))
			e->cpu = value;
		else if (mp_str_eq(key, MP_STR("pid")))
			e->pid = value;
		else if (mp_str_eq(key, MP_STR("tid")))
			e->tid = value;
		else if (mp_str_eq(key, MP_STR("comm")))
			e->comm = value;
		else if (mp_str_eq(key, MP_STR("stack")))
			e->stack = value;
		else
			add_field(s, key, value);
	}
}

static uint64_t number(struct mp_str text)
{
	uint64_t v;

	return text.p && mp_num_u64(text, &v) == 0 && v <= INT32_MAX ? v : 0;
}

/* Adds a number, with `fill` before it up to a width. */
static void add_number(struct mp_buf *to, uint64_t v, size_t width, char fill)
{
	char text[MP_NUM_MAX];
	size_t len = mp_put_u64(text, v) - text, pad = len < width ? width - len : 0;

	mp_buf_reserve(to, pad + len);
	memset(to->p + to->len, fill, pad);
	memcpy(to->p + to->len + pad, text, len);
	to->len += pad + len;
}

static void make_head(struct state *s, const struct mp_rec *rec, const struct event *e)
{
	struct mp_buf *to = &s->head;
	size_t pad, end;

	to->len = 0;
	add_text(s, to, e->comm.p ? e->comm : MP_STR("<...>"));
	pad = to->len < COMM_WIDTH ? COMM_WIDTH - to->len : 0;
	mp_buf_reserve(to, pad);
	memmove(to->p + pad, to->p, to->len);
	memset(to->p, ' ', pad);
	to->len += pad;
	mp_buf_byte(to, '-');
	end = to->len + TID_WIDTH;
	add_number(to, number(e->tid.p ? e->tid : e->pid), 0, ' ');
	while (to->len <= end)
		mp_buf_byte(to, ' ');
	if (e->pid.p) {
		mp_buf_byte(to, '(');
		add_number(to, number(e->pid), TID_WIDTH, ' ');
		mp_buf_str(to, MP_STR(") ["));
	} else {
		mp_buf_str(to, MP_STR("(-------) ["));
	}
	add_number(to, number(e->cpu), 3, '0');
	mp_buf_str(to, MP_STR("] ..... "));
	add_number(to, rec->time_ns / 1000000000, 5, ' ');
	mp_buf_byte(to, '.');
	add_number(to, rec->time_ns % 1000000000, 9, '0');
	mp_buf_str(to, MP_STR(": "));
}

/*
 * A frame. The kernel prints that of user code without a symbol, "[FILE]+0xOFFSET", as
 * "FILE[+0xOFFSET]", and unknown code as "??".
 */
static void add_frame(struct state *s, const struct mp_frame *frame)
{
	struct mp_str name = frame->name;
	const char *end = memmem(name.p, name.len, "]+0x", 4);
	struct mp_buf *to = &s->text;

	if (frame->mark == MP_MARK_KERNEL) {
		mp_buf_str(to, MP_STR(" => "));
		add_raw(to, name);
	} else if (end && *name.p == '[') {
		mp_buf_str(to, MP_STR(" =>  "));
		add_raw(to, (struct mp_str){ name.p + 1, end - name.p - 1 });
		mp_buf_byte(to, '[');
		add_raw(to, (struct mp_str){ end + 1, name.p + name.len - end - 1 });
		mp_buf_byte(to, ']');
	} else {
		mp_buf_str(to, MP_STR(" =>  "));
		add_raw(to, mp_str_eq(name, MP_STR("[unknown]")) ? MP_STR("??") : name);
	}
	mp_buf_byte(to, '\n');
}

/* The frames of one side, kernel or user, the leaf first. */
static void add_side(struct state *s, const struct mp_frame *frames, size_t n, bool kernel,
		     const char *title)
{
	bool any = false;
	size_t i;

	for (i = n; i-- > 0;) {
		if ((frames[i].mark == MP_MARK_KERNEL) != kernel)
			continue;
		if (!any) {
			mp_buf_str(&s->text, mp_buf_view(&s->head));
			mp_buf_str(&s->text, mp_str(title));
			any = true;
		}
		add_frame(s, &frames[i]);
	}
}

static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct state *s = arg;

	(void)weight;
	add_side(s, frames, n, true, "<stack trace>\n");
	add_side(s, frames, n, false, "<user stack trace>\n");
}

static void handle_event(struct state *s, const struct mp_rec *rec)
{
	const char *colon = memrchr(rec->type.p, ':', rec->type.len), *why;
	struct mp_str name = rec->type;
	struct mp_export *ex = s->ex;
	struct event e;

	if (colon)
		name = mp_str_skip(name, colon + 1 - name.p);
	parse(s, rec, &e);
	make_head(s, rec, &e);
	mp_buf_str(&s->text, mp_buf_view(&s->head));
	add_text(s, &s->text, name);
	mp_buf_byte(&s->text, ':');
	mp_buf_str(&s->text, mp_buf_view(&s->payload));
	mp_buf_byte(&s->text, '\n');
	if (e.stack.p &&
	    mp_fold_pass(&ex->reader.fold, &ex->reader.style, rec, add_stack, s, &why) < 0) {
		s->text.len = 0;
		mp_input_bad(&ex->in, why);
	}
}

/* The kernel prints losses of a CPU, no others. */
static void handle_lost(struct state *s, const struct mp_ctl *ctl)
{
	if (ctl->cpu >= 0)
		mp_buf_printf(&s->text, "CPU:%d [LOST %llu EVENTS]\n", ctl->cpu,
			      (unsigned long long)ctl->lost);
	else
		mp_buf_printf(&s->text, "# %llu events were lost\n", (unsigned long long)ctl->lost);
}

void mp_export_ftrace(struct mp_export *ex)
{
	struct state s = { .ex = ex };
	struct mp_rec rec;

	ex->reader.choice.by.n = 0; /* stacks are those of the events */
	mp_buf_str(&s.text, mp_str(heading));
	while (mp_export_next(ex, &rec)) {
		if (rec.kind == MP_EVENT)
			handle_event(&s, &rec);
		else if (mp_export_lost(ex))
			handle_lost(&s, &ex->in.ctl);
		else
			continue;
		mp_out_write(&ex->out, s.text.p, s.text.len);
		s.text.len = 0;
		ex->begun = true;
	}
	if (!mp_export_none(ex))
		mp_out_write(&ex->out, s.text.p, s.text.len);
	mp_buf_release(&s.text);
	mp_buf_release(&s.head);
	mp_buf_release(&s.payload);
	mp_buf_release(&s.raw);
}
