// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/prototype.h"

#include <bpf/btf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/core/suggest.h"
#include "lib/stream/glob.h"

enum { WORD = 8, MODULES_MAX = 256 };

#define POINT_PREFIX "btf_trace_"

static int fail(char **error, char *text)
{
	*error = text;
	return -1;
}

/* --- the kernel's types ----------------------------------------------------------------------- */

/*
 * The types of the kernel, kept for the next call since reading them takes 50 ms. Each module has
 * types of its own.
 */
static struct btf *kernel, *modules[MODULES_MAX];
static size_t n_modules;
static bool modules_read;

static struct btf *kernel_types(void)
{
	if (!kernel)
		kernel = btf__load_vmlinux_btf();
	return kernel;
}

static void read_modules(void)
{
	DIR *d = modules_read ? NULL : opendir("/sys/kernel/btf");
	struct dirent *entry;

	modules_read = true;
	while (d && n_modules < MODULES_MAX && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "vmlinux") == 0)
			continue;
		modules[n_modules] = btf__load_module_btf(entry->d_name, kernel);
		n_modules += modules[n_modules] != NULL;
	}
	if (d)
		closedir(d);
}

void mp_prototypes_forget(void)
{
	while (n_modules)
		btf__free(modules[--n_modules]);
	modules_read = false;
	btf__free(kernel);
	kernel = NULL;
}

/* The type that has the parameters of a function or tracepoint. */
struct prototype {
	const struct btf *btf;
	const struct btf_type *type; /* type of a function; NULL: there is none */
	/* index of the first parameter that programs get, which is 1 for a tracepoint */
	uint32_t first;
};

static const struct btf_type *function_of(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);

	return id > 0 ? btf__type_by_id(btf, btf__type_by_id(btf, id)->type) : NULL;
}

/*
 * Finds the prototype of a tracepoint. It has the names of the parameters if the kernel has the
 * type of the function that declares them.
 */
static const struct btf_type *tracepoint_of(const struct btf *btf, const char *name)
{
	char *known = mp_asprintf(POINT_PREFIX "%s", name),
	     *named = mp_asprintf("__traceiter_%s", name);
	int id = btf__find_by_name_kind(btf, known, BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? function_of(btf, named) : NULL;

	if (id > 0 && !type) {
		type = btf__type_by_id(btf, btf__resolve_type(btf, id));
		type = btf_is_ptr(type) ? btf__type_by_id(btf, type->type) : NULL;
	}
	free(known);
	free(named);
	return type && btf_is_func_proto(type) ? type : NULL;
}

static struct prototype find_in(const struct btf *btf, enum mp_traced traced, const char *name)
{
	bool point = traced == MP_TRACED_POINT;

	return (struct prototype){
		.btf = btf,
		.type = point ? tracepoint_of(btf, name) : function_of(btf, name),
		.first = point,
	};
}

static struct prototype find(enum mp_traced traced, const char *name)
{
	struct prototype p = find_in(kernel, traced, name);
	size_t i;

	if (p.type)
		return p;
	read_modules();
	for (i = 0; i < n_modules && !p.type; i++)
		p = find_in(modules[i], traced, name);
	return p;
}

/* --- a field ---------------------------------------------------------------------------------- */

/* The state while a field's text is parsed: the type and the place reached so far. */
struct path {
	const struct prototype *proto;
	struct mp_tracing_field *f;
	struct mp_tp_field *field;
	const struct btf_type *type;
	uint32_t bits, bit_at; /* size and offset in bits of a bit field, else 0 */
	char **error;
};

static const struct btf_type *bare(const struct btf *btf, uint32_t id)
{
	int resolved = btf__resolve_type(btf, id);

	return resolved < 0 ? btf__type_by_id(btf, 0) : btf__type_by_id(btf, resolved);
}

static uint32_t size_of(const struct btf_type *type)
{
	if (btf_is_ptr(type))
		return WORD;
	return btf_is_int(type) || btf_is_any_enum(type) || btf_is_composite(type) ? type->size : 0;
}

static uint32_t words_of(const struct prototype *p, uint32_t id)
{
	uint32_t size = size_of(bare(p->btf, id));

	return size > WORD ? 2 : 1;
}

static bool is_number(const struct btf_type *type)
{
	return (btf_is_int(type) && type->size <= WORD) || btf_is_any_enum(type) ||
	       btf_is_ptr(type);
}

static bool is_char(const struct btf_type *type)
{
	return btf_is_int(type) && type->size == 1;
}

static bool is_text(const struct btf *btf, const struct btf_type *type)
{
	return btf_is_array(type) && is_char(bare(btf, btf_array(type)->type));
}

/* Finds a member, which may be in an unnamed struct or union; `*at` gets its offset in bits. */
static const struct btf_member *find_member(const struct btf *btf, const struct btf_type *in,
					    struct mp_str name, uint32_t *at, uint32_t *bits)
{
	const struct btf_member *m = btf_members(in), *found;
	uint32_t i;

	for (i = 0; i < btf_vlen(in); i++) {
		const char *is = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *type = bare(btf, m[i].type);
		uint32_t offset = btf_member_bit_offset(in, i);

		if (mp_str_eq(name, mp_str(is))) {
			*at = offset;
			*bits = btf_member_bitfield_size(in, i);
			return &m[i];
		}
		found = !*is && btf_is_composite(type) ? find_member(btf, type, name, at, bits)
						       : NULL;
		if (found) {
			*at += offset;
			return found;
		}
	}
	return NULL;
}

/* Adds a step that follows a pointer. */
static int follow(struct path *p, uint32_t offset)
{
	if (p->f->n_reads == MP_TRACING_READS)
		return fail(p->error,
			    mp_asprintf("more than %u pointers to follow", MP_TRACING_READS));
	p->f->offsets[p->f->n_reads++] = offset;
	return 0;
}

static int step_to(struct path *p, struct mp_str name)
{
	const struct btf *btf = p->proto->btf;
	bool points = btf_is_ptr(p->type);
	const struct btf_type *in = points ? bare(btf, p->type->type) : p->type;
	const struct btf_member *m;
	uint32_t at = 0;

	if (!btf_is_composite(in) || (!points && !p->f->n_reads) || p->bits)
		return fail(p->error,
			    mp_asprintf("'%.*s' is a member of something that has no members",
					MP_STR_ARGS(name)));
	m = find_member(btf, in, name, &at, &p->bits);
	if (!m)
		return fail(p->error,
			    mp_asprintf("%s %s has no member '%.*s'",
					btf_is_union(in) ? "union" : "struct",
					btf__name_by_offset(btf, in->name_off), MP_STR_ARGS(name)));
	p->type = bare(btf, m->type);
	p->bit_at = at % 8;
	if (points)
		return follow(p, at / 8);
	p->f->offsets[p->f->n_reads - 1] += at / 8;
	return 0;
}

static struct mp_str next_name(struct mp_str *rest)
{
	struct mp_str name = { rest->p, 0 };

	while (name.len < rest->len && (isalnum((unsigned char)name.p[name.len]) ||
					name.p[name.len] == '_' || name.p[name.len] == '$'))
		name.len++;
	rest->p += name.len;
	rest->len -= name.len;
	return name;
}

static bool take(struct mp_str *rest, const char *what)
{
	size_t len = strlen(what);

	if (rest->len < len || memcmp(rest->p, what, len) != 0)
		return false;
	rest->p += len;
	rest->len -= len;
	return true;
}

/* The index of a parameter by its name or as "arg2"; -1 if there is none. */
static int64_t number_of(const struct prototype *p, struct mp_str name)
{
	const struct btf_param *params = btf_params(p->type);
	uint32_t n = btf_vlen(p->type), i;
	uint64_t number;

	for (i = p->first; i < n; i++)
		if (mp_str_eq(name, mp_str(btf__name_by_offset(p->btf, params[i].name_off))))
			return i;
	if (name.len < 4 || memcmp(name.p, "arg", 3) != 0 ||
	    mp_num_u64((struct mp_str){ name.p + 3, name.len - 3 }, &number) < 0 || !number ||
	    number > n - p->first)
		return -1;
	return (int64_t)(number - 1 + p->first);
}

/* The index of the first 64-bit word of a parameter. */
static uint32_t word_of(const struct prototype *p, uint32_t number)
{
	uint32_t words = 0, i;

	for (i = p->first; i < number; i++)
		words += words_of(p, btf_params(p->type)[i].type);
	return words;
}

/*
 * Finds where a field begins: at an argument, or at the return value. Returns -1 if there is no
 * such parameter.
 */
static int find_parameter(struct path *p, enum mp_traced traced, struct mp_str name)
{
	const struct prototype *proto = p->proto;
	const struct btf_type *type = proto->type;
	int64_t number = number_of(proto, name);
	uint32_t word = word_of(proto, number >= 0 ? (uint32_t)number : btf_vlen(type));

	p->f->arg = MP_MIN(word, MP_TRACING_ARGS);
	if (number >= 0) {
		p->type = bare(proto->btf, btf_params(type)[number].type);
		return word < MP_TRACING_ARGS ? 0 : -1;
	}
	p->type = bare(proto->btf, type->type);
	if (traced != MP_TRACED_EXIT || !is_number(p->type))
		return -1;
	return mp_str_eq(name, MP_STR("retval")) || mp_str_eq(name, MP_STR("$retval")) ? 0 : -1;
}

/* Extends a member, which is some bits of a word that is read or passed, to 64 bits. */
static void set_bits(struct path *p, uint32_t bits, uint32_t at, bool sign)
{
	p->f->left = 64 - bits - at;
	p->f->right = 64 - bits;
	p->f->has_sign = sign;
}

static void set_number(struct path *p)
{
	uint32_t size = size_of(p->type);
	bool sign = (btf_is_int(p->type) && btf_int_encoding(p->type) & BTF_INT_SIGNED) ||
		    (btf_is_any_enum(p->type) && btf_kflag(p->type));

	p->field->kind = btf_is_ptr(p->type) ? MP_TP_HEX : sign ? MP_TP_SIGNED : MP_TP_UNSIGNED;
	p->f->size = p->bits ? WORD : size;
	p->field->size = p->field->elem = p->f->size;
	if (p->bits)
		set_bits(p, p->bits, p->bit_at, sign);
	else
		set_bits(p, 8 * size, 0, sign);
}

static void set_text(struct path *p, enum mp_tracing_kind kind)
{
	p->f->kind = kind;
	p->field->kind = MP_TP_STRING;
	p->field->place = MP_TP_DATA_LOC;
	p->field->size = sizeof(uint32_t);
	p->field->elem = 1;
	p->field->is_array = true;
}

/* Casts the value to a type such as u32. */
static int set_number_type(struct path *p, struct mp_str type)
{
	static const char kinds[] = {
		[MP_TP_UNSIGNED] = 'u', [MP_TP_SIGNED] = 's', [MP_TP_HEX] = 'x'
	};
	const char *kind = type.len ? memchr(kinds, type.p[0], sizeof(kinds)) : NULL;
	uint64_t bits;

	if (!kind || mp_num_u64((struct mp_str){ type.p + 1, type.len - 1 }, &bits) < 0 ||
	    (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return fail(
			p->error,
			mp_asprintf("unknown type '%.*s' (u, s or x and 8 to 64, string, ustring)",
				    MP_STR_ARGS(type)));
	p->field->kind = (enum mp_tp_kind)(kind - kinds);
	if (p->bits)
		return 0;
	if (bits / 8 <= p->f->size) { /* otherwise the value is extended already */
		p->f->size = bits / 8;
		set_bits(p, bits, 0, p->field->kind == MP_TP_SIGNED);
	}
	p->field->size = p->field->elem = bits / 8;
	return 0;
}

static int set_type(struct path *p, struct mp_str type)
{
	bool user = mp_str_eq(type, MP_STR("ustring"));

	if (user || mp_str_eq(type, MP_STR("string"))) {
		if (!btf_is_ptr(p->type) && !is_text(p->proto->btf, p->type))
			return fail(p->error,
				    mp_asprintf("'%s' does not point to a text", p->field->name));
		/* if the pointer itself is in memory, it has to be read first */
		if (btf_is_ptr(p->type) && p->f->n_reads && follow(p, 0) < 0)
			return -1;
		set_text(p, user ? MP_TRACING_TEXT_USER : MP_TRACING_TEXT_KERNEL);
		return 0;
	}
	if (is_text(p->proto->btf, p->type) && !type.len) {
		set_text(p, MP_TRACING_TEXT_KERNEL);
		return 0;
	}
	if (!is_number(p->type))
		return fail(p->error,
			    mp_asprintf("'%s' is neither a number nor a text%s", p->field->name,
					btf_is_composite(p->type) ? ": name a member of it" : ""));
	set_number(p);
	return type.len ? set_number_type(p, type) : 0;
}

static int resolve_path(struct path *p, enum mp_traced traced, struct mp_str text)
{
	struct mp_str rest = text, name = next_name(&rest), type = { "", 0 };

	if (!name.len)
		return fail(p->error, mp_asprintf("'%.*s' is not a field", MP_STR_ARGS(text)));
	if (find_parameter(p, traced, name) < 0)
		return fail(p->error, mp_asprintf("there is no '%.*s' (mp-record -l -v shows what "
						  "there is)",
						  MP_STR_ARGS(name)));
	while (take(&rest, "->") || take(&rest, ".")) {
		name = next_name(&rest);
		if (!name.len)
			return fail(p->error,
				    mp_asprintf("'%.*s': a name is missing", MP_STR_ARGS(text)));
		if (step_to(p, name) < 0)
			return -1;
	}
	if (!p->field->name)
		p->field->name =
			mp_strndup(name.p + (name.p[0] == '$'), name.len - (name.p[0] == '$'));
	if (take(&rest, ":")) {
		type = rest;
		rest.len = 0;
	}
	if (rest.len)
		return fail(p->error, mp_asprintf("'%.*s': unexpected '%.*s'", MP_STR_ARGS(text),
						  MP_STR_ARGS(rest)));
	return set_type(p, type);
}

/* --- all of them ------------------------------------------------------------------------------ */

struct finder {
	const struct prototype *proto;
	enum mp_traced traced;
	struct mp_tracing_setup *setup;
	struct mp_tp *tp;
	char **error;
};

uint32_t mp_tracing_offset(size_t field)
{
	return offsetof(struct mp_tracing_record, values) + field * WORD;
}

static bool is_taken(const struct mp_tp *tp)
{
	size_t i;

	for (i = 0; i + 1 < tp->n_fields; i++)
		if (strcmp(tp->fields[i].name, tp->fields[tp->n_fields - 1].name) == 0)
			return true;
	return false;
}

static size_t count_texts(const struct mp_tp *tp)
{
	size_t n = 0, i;

	for (i = 0; i < tp->n_fields; i++)
		n += tp->fields[i].kind == MP_TP_STRING;
	return n;
}

static bool is_name(const char *text)
{
	struct mp_str rest = mp_str(text), name = next_name(&rest);

	return name.len && !rest.len && !memchr(name.p, '$', name.len) &&
	       !isdigit((unsigned char)name.p[0]);
}

static int add_field(struct finder *f, struct mp_str text)
{
	const char *equals = memchr(text.p, '=', text.len);
	uint32_t number = f->setup->n_fields;
	struct mp_tp_field *field;
	struct path path = { .proto = f->proto, .f = &f->setup->fields[number], .error = f->error };

	if (number == MP_TRACING_FIELDS)
		return fail(f->error, mp_asprintf("more than %u fields", MP_TRACING_FIELDS));
	field = path.field = &f->tp->fields[f->tp->n_fields++];
	field->offset = mp_tracing_offset(number);
	f->setup->n_fields++;
	if (equals) {
		field->name = mp_strndup(text.p, equals - text.p);
		if (!is_name(field->name))
			return fail(f->error, mp_asprintf("'%s' is not a name", field->name));
		text.len -= equals + 1 - text.p;
		text.p = equals + 1;
	}
	if (resolve_path(&path, f->traced, text) < 0)
		return -1;
	if (is_taken(f->tp))
		return fail(f->error,
			    mp_asprintf("two fields are called '%s' (NAME=... renames one)",
					field->name));
	if (count_texts(f->tp) > MP_TRACING_TEXTS)
		return fail(f->error, mp_asprintf("more than %u texts", MP_TRACING_TEXTS));
	return 0;
}

static int add_list(struct finder *f, const char *list)
{
	struct mp_str rest = mp_str(list), one;
	const char *comma;

	while (rest.len) {
		comma = memchr(rest.p, ',', rest.len);
		one = (struct mp_str){ rest.p, comma ? (size_t)(comma - rest.p) : rest.len };
		rest.p += one.len + (comma != NULL);
		rest.len -= one.len + (comma != NULL);
		while (one.len && one.p[0] == ' ') {
			one.p++;
			one.len--;
		}
		if (add_field(f, one) < 0)
			return -1;
	}
	return 0;
}

static int add_parameters(struct finder *f)
{
	const struct prototype *p = f->proto;
	const struct btf_param *params = btf_params(p->type);
	bool taken = number_of(p, MP_STR("retval")) >= 0;
	char number[16];
	uint32_t i;

	for (i = p->first; i < btf_vlen(p->type); i++) {
		const char *name = btf__name_by_offset(p->btf, params[i].name_off);

		if (!is_number(bare(p->btf, params[i].type)) || word_of(p, i) >= MP_TRACING_ARGS)
			continue;
		snprintf(number, sizeof(number), "arg%u", i + 1 - p->first);
		if (add_field(f, mp_str(*name ? name : number)) < 0)
			return -1;
	}
	if (f->traced != MP_TRACED_EXIT || !is_number(bare(p->btf, p->type->type)))
		return 0;
	return add_field(f, mp_str(taken ? "returned=$retval" : "retval"));
}

static void near_name(void *arg, const char *name)
{
	mp_suggest_try(arg, name);
}

static int fail_unknown(enum mp_traced traced, const char *name, char **error)
{
	const char *what = traced == MP_TRACED_POINT ? "raw tracepoint" : "function";
	struct mp_suggest near;

	mp_suggest_init(&near, name);
	mp_prototypes_each(traced, "*", near_name, &near);
	*error = mp_asprintf("the kernel has no %s '%s'%s%s%s", what, name,
			     near.best ? "; did you mean '" : "", near.best ? near.best : "",
			     near.best ? "'?" : "");
	mp_suggest_release(&near);
	return -1;
}

int mp_prototype_find(struct mp_prototype *p, enum mp_traced traced, const char *name,
		      const char *list, char **error)
{
	struct prototype proto;
	struct finder f = { &proto, traced, &p->setup, NULL, error };
	int result;

	*p = (struct mp_prototype){ .tp = NULL };
	if (!kernel_types())
		return fail(error, mp_asprintf("this kernel has no type information (BTF): %m"));
	proto = find(traced, name);
	if (!proto.type)
		return fail_unknown(traced, name, error);
	f.tp = p->tp = mp_zalloc(sizeof(*p->tp));
	p->tp->fields = mp_zalloc(MP_TRACING_FIELDS * sizeof(*p->tp->fields));
	p->tp->size = offsetof(struct mp_tracing_record, texts);
	p->setup.n_args = MP_MIN(word_of(&proto, btf_vlen(proto.type)), MP_TRACING_ARGS);
	result = list ? add_list(&f, list) : add_parameters(&f);
	if (result == 0)
		return 0;
	mp_tp_free(p->tp);
	p->tp = NULL;
	return -1;
}

static size_t each_in(const struct btf *btf, uint32_t from, enum mp_traced traced, const char *glob,
		      mp_prototype_fn *each, void *arg)
{
	uint32_t kind = traced == MP_TRACED_POINT ? BTF_KIND_TYPEDEF : BTF_KIND_FUNC, i;
	const char *prefix = traced == MP_TRACED_POINT ? POINT_PREFIX : "";
	size_t n = 0;

	for (i = from; i < btf__type_cnt(btf); i++) {
		const struct btf_type *type = btf__type_by_id(btf, i);
		const char *name;

		if (btf_kind(type) != kind)
			continue;
		name = btf__name_by_offset(btf, type->name_off);
		if (strncmp(name, prefix, strlen(prefix)) != 0)
			continue;
		name += strlen(prefix);
		if (!mp_glob_plain(glob, name))
			continue;
		each(arg, name);
		n++;
	}
	return n;
}

size_t mp_prototypes_each(enum mp_traced traced, const char *glob, mp_prototype_fn *each, void *arg)
{
	size_t n, i;

	if (!kernel_types())
		return 0;
	n = each_in(kernel, 1, traced, glob, each, arg);
	read_modules();
	for (i = 0; i < n_modules; i++)
		n += each_in(modules[i], btf__type_cnt(kernel), traced, glob, each, arg);
	return n;
}
