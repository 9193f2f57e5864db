/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses a data line of mp-stream(5) or mp-folded(5), and finds its fields by name. Includes
 * number, str.
 */
#ifndef MP_STREAM_REC_H
#define MP_STREAM_REC_H

#include "lib/core/number.h"
#include "lib/core/str.h"

/* Bits, so that a reader can state the kinds that it accepts. */
enum mp_kind {
	MP_CONTROL = 1,
	MP_EVENT = 2,
	MP_POINT = 4,
	MP_STACK = 8,
	/* mp-folded(5): not a datatype of the stream, but recognized without a header */
	MP_FOLDED = 16,
	MP_DATA = MP_EVENT | MP_POINT | MP_STACK | MP_FOLDED,
};

/* The name of a kind: "event", "point", "stack", "folded text" or "control line". */
const char *mp_kind_name(enum mp_kind kind);

/* A record; its slices point into the line and are valid as long as the line. */
struct mp_rec {
	enum mp_kind kind;
	struct mp_str line; /* the line without its LF */
	uint64_t time_ns;   /* time of an event */
	struct mp_str time; /* the time of an event, as text */
	struct mp_str type; /* the type of an event, escaped */
	struct mp_str x, y; /* X and Y of a point, as text */
	double x_value, y_value;
	int64_t weight; /* weight of a stack or of folded text */
	/* fields of an event; INFO of a point; frames of a stack or folded text; a control line */
	struct mp_str body;
	/* set by input.h: that of the header, escaped as a VALUE, or p == NULL */
	struct mp_str host;
};

/*
 * Parses a line quickly: checks the structure and parses numbers, but does not check names. Returns
 * 0, or -1 with `*why` (static text) set. Control lines are not parsed here, see ctl.h.
 */
int mp_rec_parse(struct mp_rec *rec, const char *text, size_t len, const char **why);

/* Checks everything else that mp-stream(5) demands of a data line. Returns 0, or -1 with `*why`. */
int mp_rec_check(const struct mp_rec *rec, const char **why);

/* A field named by the user; the name is borrowed. */
enum mp_field_id {
	MP_FIELD_TIME,
	MP_FIELD_TYPE,
	MP_FIELD_STACK, /* event */
	MP_FIELD_X,
	MP_FIELD_Y,
	MP_FIELD_INFO,	 /* INFO of a point */
	MP_FIELD_WEIGHT, /* weight of a stack or of folded text */
	MP_FIELD_KEY,	 /* any other field of an event, by its key */
	MP_FIELD_COMPUTED,
};

/* A field that the user named. `name` of a computed one is its text. */
struct mp_field {
	enum mp_field_id id;
	struct mp_str name;
	struct mp_computed *computed;
};

/* Initializer of a field: MP_FIELD_OF(KEY, "cpu"). */
#define MP_FIELD_OF(id, name)                                   \
	{                                                       \
		MP_FIELD_##id, { name, sizeof(name) - 1 }, NULL \
	}

/* A number computed from fields; expr.h makes it. */
struct mp_computed {
	/*
	 * returns 1; 0 if a field is missing; -1 if there is no result, for the reason `why`
	 * (static text)
	 */
	int (*number)(struct mp_computed *c, const struct mp_rec *rec, struct mp_number *n);
	const char *why;
	void (*release)(struct mp_computed *c);
	const struct mp_field *fields; /* the fields that it needs, each once */
	size_t n_fields;
	char text[MP_NUMBER_MAX]; /* the latest value */
};

/*
 * The field with the value of a counter in events of this type, as mp-record names them; name.p ==
 * NULL: they are not counters.
 */
struct mp_field mp_field_counter(struct mp_str type);

struct mp_fields {
	struct mp_field *v;
	size_t n;
	size_t cap;
};

/* Returns 0, or -1 if the text is not a field name. */
int mp_field_parse(struct mp_field *f, struct mp_str name);

/*
 * Appends the fields of a comma-separated list, which may be empty. Returns 0, or -1 with `*bad`
 * set to the text that is not a field name.
 */
int mp_fields_parse(struct mp_fields *fields, const char *list, struct mp_str *bad);
void mp_fields_release(struct mp_fields *fields);

/* Only a computed field owns memory. */
static inline void mp_field_release(struct mp_field *f)
{
	if (f->computed)
		f->computed->release(f->computed);
	f->computed = NULL;
}

/*
 * The value of a field, escaped as in the line; that of a computed one is valid until it is
 * computed again. A `host` that the record lacks is that of its header. Returns false if the record
 * has no such field. mp_rec_stack() is the quick way to the frames of an event (its last field) or
 * of a stack.
 */
bool mp_rec_get(const struct mp_rec *rec, const struct mp_field *f, struct mp_str *value);
bool mp_rec_stack(const struct mp_rec *rec, struct mp_str *frames);

/* The host of the header, as the value of a field of this name: false if that is not `host`. */
bool mp_rec_host(const struct mp_rec *rec, struct mp_str name, struct mp_str *value);

/*
 * The values of fields as keys have them, and as people read them: as mp_rec_get(), but of a number
 * with a name (named.h) only the name. mp_rec_names() gets those of a list, which names each field
 * once, in one pass; a missing one has p == NULL. It returns how many there were.
 */
bool mp_rec_name(const struct mp_rec *rec, const struct mp_field *f, struct mp_str *value);
size_t mp_rec_names(const struct mp_rec *rec, const struct mp_fields *fields,
		    struct mp_str *values);

/*
 * Reads the value of a field as a number: decimal, 0x, or with a fraction, without its name. Returns 1; 0 if the
 * record has no such field; -1 if it is not a finite number.
 */
int mp_rec_number(const struct mp_rec *rec, const struct mp_field *f, double *v);

/* The reason why the latest value of a computed field is missing; `why` for another field. */
static inline const char *mp_field_why(const struct mp_field *f, const char *why)
{
	return f->computed && f->computed->why ? f->computed->why : why;
}

/*
 * The next field of an event: splits it off `*rest`, which begins as rec->body. Returns false at
 * the end.
 */
bool mp_rec_next_field(struct mp_str *rest, struct mp_str *key, struct mp_str *value);

/*
 * The next frame, as mp_rec_next_field(); do not begin without a stack, since an empty text has one
 * empty frame.
 */
bool mp_rec_next_frame(struct mp_str *rest, struct mp_str *frame);

#endif
