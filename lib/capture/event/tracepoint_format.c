// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/tracepoint_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include "lib/capture/event/constant.h"
#include "lib/stream/meaning.h"

/* --- fields ------------------------------------------------------------------------------------ */

static bool is_number_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/*
 * Whether a field is text. libtraceevent also treats arrays of u8 as strings; they hold addresses
 * and binary commands.
 */
static bool is_text(const struct tep_format_field *f)
{
	return (f->flags & TEP_FIELD_IS_STRING) && strstr(f->type, "char") &&
	       !strstr(f->type, "unsigned char");
}

static struct mp_tp_field convert(const struct tep_format_field *f)
{
	struct mp_tp_field to = { .name = mp_strdup(f->name),
				  .offset = f->offset,
				  .size = f->size };
	bool dynamic = f->flags & TEP_FIELD_IS_DYNAMIC;

	to.place = !dynamic			      ? MP_TP_FIXED
		   : f->flags & TEP_FIELD_IS_RELATIVE ? MP_TP_REL_LOC
						      : MP_TP_DATA_LOC;
	to.elem = f->elementsize;
	to.is_array = dynamic || (f->flags & TEP_FIELD_IS_ARRAY);
	if (!is_number_size(to.elem)) { /* a struct is shown as an array of bytes */
		to.elem = 1;
		to.is_array = true;
	}
	to.kind = f->flags & TEP_FIELD_IS_SIGNED ? MP_TP_SIGNED : MP_TP_UNSIGNED;
	if (f->flags & TEP_FIELD_IS_POINTER && !to.is_array)
		to.kind = MP_TP_HEX;
	else if (is_text(f) && to.is_array)
		to.kind = MP_TP_STRING;
	if (dynamic && strstr(f->type, "cpumask")) {
		to.kind = MP_TP_HEX;
		to.elem = sizeof(long);
	}
	if (!dynamic && !to.is_array)
		to.elem = to.size;
	return to;
}

static struct mp_tp_field *find_field(struct mp_tp *tp, const char *name)
{
	size_t i;

	for (i = 0; name && i < tp->n_fields; i++)
		if (strcmp(tp->fields[i].name, name) == 0)
			return &tp->fields[i];
	return NULL;
}

/* --- numbers of the print format --------------------------------------------------------------- */

static const struct tep_print_arg *uncast(const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg;
}

/* Parses a number as in C. */
static bool parse_constant(const char *text, uint64_t *v)
{
	char *end;

	*v = strtoull(text, &end, 0);
	return end > text && !end[strspn(end, "uUlL")];
}

static bool is_op(const struct tep_print_arg *arg, const char *op)
{
	return arg && arg->type == TEP_PRINT_OP && strcmp(arg->op.op, op) == 0;
}

/* Computes a number in which there is no field. */
static bool constant(const struct tep_print_arg *arg, uint64_t *v)
{
	uint64_t a = 0, b;

	arg = uncast(arg);
	if (!arg)
		return false;
	if (arg->type == TEP_PRINT_ATOM)
		return parse_constant(arg->atom.atom, v);
	if (arg->type != TEP_PRINT_OP || (arg->op.left && !constant(arg->op.left, &a)) ||
	    !constant(arg->op.right, &b))
		return false;
	if (is_op(arg, "<<") || is_op(arg, ">>")) {
		if (b > 63)
			return false;
		*v = is_op(arg, "<<") ? a << b : a >> b;
		return true;
	}
	if (strlen(arg->op.op) != 1)
		return false;
	switch (*arg->op.op) {
	case '+':
		*v = a + b;
		return true;
	case '-':
		*v = a - b;
		return true;
	case '*':
		*v = a * b;
		return true;
	case '|':
		*v = a | b;
		return true;
	case '&':
		*v = a & b;
		return true;
	case '~':
		*v = ~b;
		return true;
	}
	return false;
}

/* Some bits of a field. */
struct number {
	struct mp_tp_field *field;
	uint64_t mask;
};

static bool is_number(struct mp_tp *tp, const struct tep_print_arg *arg, struct number *n)
{
	uint64_t mask;

	arg = uncast(arg);
	if (is_op(arg, "&") && arg->op.left) {
		if (!is_number(tp, arg->op.left, n) || !constant(arg->op.right, &mask))
			return false;
		n->mask &= mask;
		return true;
	}
	if (!arg || arg->type != TEP_PRINT_FIELD)
		return false;
	*n = (struct number){ find_field(tp, arg->field.name), ~0ull };
	return n->field && n->field->kind != MP_TP_STRING && !n->field->is_array;
}

/* --- names of numbers --------------------------------------------------------------------------- */

/* The names that a text in the print format gives to the numbers of a field. */
struct text {
	struct mp_tp *tp;
	struct mp_tp_field *field; /* NULL: not known yet */
	struct mp_names *names;
};

static struct mp_names_part *add_part(struct text *t, struct mp_tp_field *field,
				      struct mp_names_part part)
{
	struct mp_names *n = t->names;

	if ((t->field && t->field != field) || n->n == MP_NAMES_PARTS_MAX)
		return NULL;
	t->field = field;
	n->v = mp_realloc(n->v, (n->n + 1) * sizeof(*n->v));
	n->v[n->n] = part;
	return &n->v[n->n++];
}

/* A copy of a name, without the blanks that separate it from other text. */
static char *copy_name(const char *text)
{
	size_t len;

	text += strspn(text, " ");
	len = strnlen(text, MP_NAMES_TEXT_MAX);
	while (len && text[len - 1] == ' ')
		len--;
	return mp_strndup(text, len);
}

static void add_entry(struct mp_names_part *p, uint64_t value, const char *text)
{
	p->v = mp_realloc(p->v, (p->n + 1) * sizeof(*p->v));
	p->v[p->n++] = (struct mp_names_entry){ value, copy_name(text) };
}

/* Whether flags are made of a number, "1 << number", as if several were possible. */
static bool is_shifted(struct mp_tp *tp, const struct tep_print_arg *arg, struct number *n)
{
	uint64_t one;

	arg = uncast(arg);
	return is_op(arg, "<<") && constant(arg->op.left, &one) && one == 1 &&
	       is_number(tp, arg->op.right, n);
}

/* Adds the entries of a table, for the numbers of its bits if these are made of a number. */
static void add_entries(struct mp_names_part *p, const struct tep_print_flag_sym *s, bool flags,
			bool shifted)
{
	uint64_t value;

	for (; s && p->n < MP_NAMES_ENTRIES_MAX; s = s->next) {
		if (!parse_constant(s->value, &value) && !mp_constant_find(s->value, &value))
			continue;
		if (shifted && value)
			add_entry(p, __builtin_ctzll(value), s->str);
		else if (value || !flags) /* a flag without bits is an end mark */
			add_entry(p, value, s->str);
	}
}

/* Adds __print_symbolic() or __print_flags(). */
static struct mp_names_part *add_table(struct text *t, const struct tep_print_arg *arg,
				       struct mp_names_when when)
{
	bool flags = arg->type == TEP_PRINT_FLAGS;
	const struct tep_print_flag_sym *s = flags ? arg->flags.flags : arg->symbol.symbols;
	struct mp_names_part *p, part = { .kind = flags ? MP_NAMES_FLAGS : MP_NAMES_VALUES };
	struct number n;
	bool shifted = flags && is_shifted(t->tp, arg->flags.field, &n);

	if (!shifted && !is_number(t->tp, flags ? arg->flags.field : arg->symbol.field, &n))
		return NULL;
	if (shifted)
		part.kind = MP_NAMES_VALUES;
	part.when = when;
	part.mask = n.mask;
	p = add_part(t, n.field, part);
	if (!p)
		return NULL;
	if (flags && !shifted)
		p->delim = mp_strdup(arg->flags.delim ? arg->flags.delim : "");
	add_entries(p, s, flags, shifted);
	if (p->n)
		return p;
	free(p->delim);
	t->names->n--;
	return NULL;
}

static bool is_table(const struct tep_print_arg *arg)
{
	return arg && (arg->type == TEP_PRINT_FLAGS || arg->type == TEP_PRINT_SYMBOL);
}

static bool is_string(const struct tep_print_arg *arg)
{
	return arg && arg->type == TEP_PRINT_ATOM;
}

/* A condition, brought into the form "number == value ? same : other". */
struct choice {
	struct number number;
	uint64_t value;
	const struct tep_print_arg *same, *other;
};

static bool is_choice(struct mp_tp *tp, const struct tep_print_arg *arg, struct choice *c)
{
	const struct tep_print_arg *condition = uncast(arg->op.left);
	bool equal = is_op(condition, "==");

	c->same = uncast(arg->op.right->op.left);
	c->other = uncast(arg->op.right->op.right);
	c->value = 0;
	if (equal || is_op(condition, "!=")) {
		if (!is_number(tp, condition->op.left, &c->number) ||
		    !constant(condition->op.right, &c->value))
			return false;
	} else if (!is_number(tp, condition, &c->number)) {
		return false;
	}
	if (!equal) { /* "number != 0 ? other : same" */
		const struct tep_print_arg *swapped = c->same;

		c->same = c->other;
		c->other = swapped;
	}
	return true;
}

/* Adds "x == 1 ? "yes" : "no"". */
static bool add_strings(struct text *t, const struct choice *c)
{
	struct mp_names_part part = { .kind = MP_NAMES_VALUES, .mask = c->number.mask };
	struct mp_names_part *p = add_part(t, c->number.field, part);

	if (!p)
		return false;
	add_entry(p, c->value, c->same->atom.atom);
	p->other = copy_name(c->other->atom.atom);
	return true;
}

/* Adds "x ? __print_flags(x, ...) : "none"": a table that lacks the name of one value. */
static bool add_exception(struct text *t, const struct choice *c)
{
	struct mp_names_part *p = add_table(t, c->other, (struct mp_names_when){ .size = 0 });

	if (!p || t->field != c->number.field)
		return false;
	add_entry(p, c->value, c->same->atom.atom);
	return true;
}

/* Adds "y == 1 ? __print_symbolic(x, ...) : __print_symbolic(x, ...)", or one of them. */
static bool add_tables(struct text *t, const struct choice *c)
{
	struct mp_names_when when = {
		.offset = c->number.field->offset,
		.size = c->number.field->size,
		.value = c->value,
		.equal = true,
	};
	bool some = false;

	if (c->number.mask != ~0ull || c->number.field->place != MP_TP_FIXED)
		return false;
	if (is_table(c->same))
		some |= add_table(t, c->same, when) != NULL;
	when.equal = false;
	if (is_table(c->other))
		some |= add_table(t, c->other, when) != NULL;
	return some;
}

static bool reads_field(struct mp_tp *tp, const struct tep_print_arg *table,
			const struct mp_tp_field *field)
{
	struct number n;

	return is_number(tp,
			 table->type == TEP_PRINT_FLAGS ? table->flags.field : table->symbol.field,
			 &n) &&
	       n.field == field;
}

static bool add_choice(struct text *t, const struct tep_print_arg *arg)
{
	const struct tep_print_arg *yes = uncast(arg->op.right->op.left);
	const struct tep_print_arg *no = uncast(arg->op.right->op.right);
	struct choice c;

	if (!is_choice(t->tp, arg, &c)) /* another condition: the table is right where it applies */
		return is_table(yes) != is_table(no) &&
		       add_table(t, is_table(yes) ? yes : no, (struct mp_names_when){ .size = 0 });
	if (is_string(c.same) && is_string(c.other))
		return add_strings(t, &c);
	if (is_string(c.same) && is_table(c.other) && reads_field(t->tp, c.other, c.number.field))
		return add_exception(t, &c);
	return add_tables(t, &c);
}

/* Adds what a text argument says; returns false if it cannot be understood. */
static bool add_text(struct text *t, const struct tep_print_arg *arg)
{
	arg = uncast(arg);
	if (is_table(arg))
		return add_table(t, arg, (struct mp_names_when){ .size = 0 });
	return is_op(arg, "?") && is_op(arg->op.right, ":") && add_choice(t, arg);
}

/* Gives a field names of a kind, unless it has some. */
static void set_kind(struct mp_tp_field *field, enum mp_names_kind kind)
{
	struct mp_names_part part = { .kind = kind, .mask = ~0ull };

	if (!field || field->names)
		return;
	field->names = mp_zalloc(sizeof(*field->names));
	field->names->v = mp_memdup(&part, sizeof(part));
	field->names->n = 1;
}

/* --- the print format --------------------------------------------------------------------------- */

/* A conversion of the print format, with its argument. */
struct conversion {
	const char *p; /* its letter, "s" or "pS" */
	const struct tep_print_arg *arg;
	bool adjacent;			      /* there is no text before it */
	const char *rest;		      /* what follows it */
	const struct tep_print_arg *next_arg; /* argument of the next one */
};

static bool next_conversion(struct conversion *c)
{
	const char *p = c->rest;

	while (p && (p = strchr(p, '%')) && p[1] == '%')
		p += 2;
	if (!p || !c->next_arg)
		return false;
	c->adjacent = p == c->rest;
	for (p++; *p && strchr("-+ #0123456789.*lhqzjtL", *p); p++)
		if (*p == '*' && c->next_arg)
			c->next_arg = c->next_arg->next;
	c->p = p;
	c->arg = c->next_arg;
	c->next_arg = c->arg ? c->arg->next : NULL;
	c->rest = p + !!*p;
	while (*p == 'p' && ((*c->rest | 0x20) >= 'a' && (*c->rest | 0x20) <= 'z'))
		c->rest++;
	return c->arg && *p;
}

/* The field that an argument prints, perhaps through casts; NULL if the argument is computed. */
static struct mp_tp_field *field_of(struct mp_tp *tp, const struct tep_print_arg *arg)
{
	arg = uncast(arg);
	if (arg && arg->type == TEP_PRINT_FLAGS)
		return field_of(tp, arg->flags.field);
	if (arg && arg->type == TEP_PRINT_DYNAMIC_ARRAY && arg->dynarray.field)
		return find_field(tp, arg->dynarray.field->name);
	return arg && arg->type == TEP_PRINT_FIELD ? find_field(tp, arg->field.name) : NULL;
}

/*
 * %x and %p mean hexadecimal, and so do flags. Signed values stay decimal: system calls print their
 * results, -ENOENT and the like, with %lx.
 */
static void mark_hex(struct mp_tp *tp, const struct conversion *c)
{
	struct mp_tp_field *f = NULL;

	if (strchr("xXp", *c->p) || c->arg->type == TEP_PRINT_FLAGS)
		f = field_of(tp, c->arg);
	if (f && f->kind == MP_TP_UNSIGNED && !f->is_array)
		f->kind = MP_TP_HEX;
}

/* Names by an extension of %p. */
static void name_pointer(struct mp_tp *tp, const struct conversion *c)
{
	struct mp_tp_field *f = field_of(tp, c->arg);
	const char *p = c->p + 1;

	if (!f || f->kind == MP_TP_STRING)
		return;
	if (!f->is_array && strchr("SFB", *p) && *p)
		set_kind(f, MP_NAMES_SYMBOL);
	else if (!f->is_array && (*p == 's' || *p == 'f'))
		set_kind(f, MP_NAMES_FUNCTION);
	else if (f->elem == 1 && (*p | 0x20) == 'i' && p[1] == '4')
		set_kind(f, MP_NAMES_IPV4);
	else if (f->elem == 1 && (*p | 0x20) == 'i' && p[1] == '6')
		set_kind(f, MP_NAMES_IPV6);
	else if (f->elem == 1 && strncmp(p, "ISp", 3) == 0)
		set_kind(f, MP_NAMES_SOCKET);
}

/* The device of "%d,%d", which is printed as dev >> 20 and dev & 0xfffff. */
static void name_device(struct mp_tp *tp, const struct conversion *c)
{
	const struct tep_print_arg *major = uncast(c->arg);
	struct number high, low;
	uint64_t bits;

	if (is_op(major, ">>") && constant(major->op.right, &bits) && bits == 20 &&
	    is_number(tp, major->op.left, &high) && is_number(tp, c->next_arg, &low) &&
	    high.field == low.field && low.mask == 0xfffff)
		set_kind(high.field, MP_NAMES_DEVICE);
}

/*
 * Names by a text. `open` is the field that the text before named, if this one may add to that
 * name, as in "%s%s". Returns the same for the next one.
 */
static struct mp_tp_field *name_text(struct mp_tp *tp, const struct conversion *c,
				     struct mp_tp_field *open)
{
	struct mp_names *fresh = mp_zalloc(sizeof(*fresh));
	struct text t = { tp, NULL, fresh };

	if (open && c->adjacent) {
		t.field = open;
		t.names = open->names;
		if (add_text(&t, c->arg)) {
			mp_names_free(fresh);
			return open;
		}
		t = (struct text){ tp, NULL, fresh };
	}
	if (add_text(&t, c->arg) && !t.field->names) {
		t.field->names = fresh;
		return t.field;
	}
	mp_names_free(fresh);
	return NULL;
}

/* Names that a field has by its meaning, which the print format does not say. */
static void name_by_meaning(struct mp_tp_field *f, struct mp_str type)
{
	static const enum mp_names_kind kinds[] = {
		[MP_MEANING_SYSCALL] = MP_NAMES_SYSCALL,
		[MP_MEANING_SIGNAL] = MP_NAMES_SIGNAL,
		[MP_MEANING_ERROR] = MP_NAMES_ERROR,
	};
	enum mp_meaning meaning = mp_meaning_of(type, mp_str(f->name));

	if (meaning == MP_MEANING_NONE || f->is_array || f->kind == MP_TP_STRING ||
	    (meaning == MP_MEANING_ERROR && f->kind != MP_TP_SIGNED))
		return;
	set_kind(f, kinds[meaning]);
}

/* Walks the conversions of the print format together with its arguments. */
static void read_print_format(struct mp_tp *tp, const struct tep_event *event)
{
	struct conversion c = { .rest = event->print_fmt.format,
				.next_arg = event->print_fmt.args };
	struct mp_tp_field *open = NULL;
	char *type;
	size_t i;

	while (next_conversion(&c)) {
		mark_hex(tp, &c);
		open = *c.p == 's' ? name_text(tp, &c, open) : NULL;
		if (*c.p == 'p')
			name_pointer(tp, &c);
		else if (*c.p == 'd' || *c.p == 'u')
			name_device(tp, &c);
	}
	type = mp_asprintf("%s:%s", tp->system, tp->name);
	for (i = 0; i < tp->n_fields; i++)
		name_by_meaning(&tp->fields[i], mp_str(type));
	free(type);
}

/* --- tracepoints -------------------------------------------------------------------------------- */

/* How many times a type "const char *" or "char *" is a pointer; 0: it is another type. */
static unsigned count_stars(const char *type)
{
	unsigned n = 0;

	if (strncmp(type, "const ", 6) == 0)
		type += 6;
	if (strncmp(type, "char ", 5) != 0)
		return 0;
	for (type += 5; *type; type++)
		n += *type == '*';
	return n;
}

/* Whether memory that is not "const" is a name and not a buffer to be filled. */
static bool is_name(const char *name)
{
	return mp_str_ends(mp_str(name), MP_STR("name")) || strcmp(name, "type") == 0;
}

/* Whether a field is the size of the buffer before it. */
static bool is_buffer_size(const struct tep_format_field *f)
{
	return f && (strcmp(f->type, "size_t") == 0 || strcmp(f->name, "len") == 0);
}

/*
 * Finds the arguments of a system call that point to texts. A buffer, whose size is the next
 * argument, is not a text. Environments, which programs keep secrets in, are not read.
 */
static void find_texts(struct mp_tp *tp, const struct tep_event *event)
{
	const struct tep_format_field *f;
	size_t i = 0;

	if (strcmp(tp->system, "syscalls") != 0)
		return;
	for (f = event->format.fields; f && i < 32; f = f->next, i++) {
		unsigned stars = count_stars(f->type);

		if (stars < 1 || stars > 2 || strcmp(f->name, "envp") == 0 ||
		    is_buffer_size(f->next) ||
		    (strncmp(f->type, "const ", 6) != 0 && !is_name(f->name)))
			continue;
		tp->texts |= 1u << i;
		tp->arrays |= (uint32_t)(stars == 2) << i;
	}
}

static struct mp_tp *build(const struct tep_event *event, const char *system)
{
	struct mp_tp *tp = mp_zalloc(sizeof(*tp));
	const struct tep_format_field *f;
	size_t cap = 0;

	tp->system = mp_strdup(system);
	tp->name = mp_strdup(event->name);
	tp->id = event->id;
	for (f = event->format.fields; f; f = f->next) {
		tp->fields = mp_grow(tp->fields, &cap, tp->n_fields + 1, sizeof(*tp->fields));
		tp->fields[tp->n_fields++] = convert(f);
		tp->size = MP_MAX(tp->size, (uint32_t)(f->offset + f->size));
	}
	read_print_format(tp, event);
	find_texts(tp, event);
	return tp;
}

struct mp_tp *mp_tp_parse(struct mp_str text, const char *system)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	struct mp_tp *tp;

	if (!tep)
		mp_die("out of memory");
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, sizeof(long));
	tep_set_page_size(tep, getpagesize());
	/* an error in the print format alone leaves the fields usable */
	tep_parse_event(tep, text.p, text.len, system);
	event = tep_get_first_event(tep);
	tp = event ? build(event, system) : NULL;
	tep_free(tep);
	return tp;
}

void mp_tp_free(struct mp_tp *tp)
{
	size_t i;

	if (!tp)
		return;
	for (i = 0; i < tp->n_fields; i++) {
		free(tp->fields[i].name);
		mp_names_free(tp->fields[i].names);
	}
	free(tp->fields);
	free(tp->system);
	free(tp->name);
	free(tp);
}

void mp_tp_type_name(const struct mp_tp_field *f, char name[16])
{
	static const char letters[] = {
		[MP_TP_UNSIGNED] = 'u', [MP_TP_SIGNED] = 's', [MP_TP_HEX] = 'x'
	};

	if (f->kind == MP_TP_STRING)
		snprintf(name, 16, "str");
	else
		snprintf(name, 16, "%c%u%s%s", letters[f->kind], f->elem * 8,
			 f->is_array ? "[]" : "", mp_names_usual(f->names) ? "()" : "");
}
