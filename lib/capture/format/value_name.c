// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/format/value_name.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "lib/stream/esc.h"

static bool add_address(struct mp_buf *to, int family, const void *address)
{
	char text[INET6_ADDRSTRLEN];

	if (!inet_ntop(family, address, text, sizeof(text)))
		return false;
	mp_buf_add(to, text, strlen(text));
	return true;
}

/* Adds "127.0.0.1:80" or "[::1]:80". */
static bool add_socket(struct mp_buf *to, struct mp_str bytes)
{
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;
	sa_family_t family = AF_UNSPEC;

	if (bytes.len >= sizeof(family))
		memcpy(&family, bytes.p, sizeof(family));
	if (family == AF_INET && bytes.len >= sizeof(v4)) {
		memcpy(&v4, bytes.p, sizeof(v4));
		add_address(to, AF_INET, &v4.sin_addr);
		mp_buf_printf(to, ":%u", ntohs(v4.sin_port));
	} else if (family == AF_INET6 && bytes.len >= sizeof(v6)) {
		memcpy(&v6, bytes.p, sizeof(v6));
		mp_buf_byte(to, '[');
		add_address(to, AF_INET6, &v6.sin6_addr);
		mp_buf_printf(to, "]:%u", ntohs(v6.sin6_port));
	} else {
		return false;
	}
	return true;
}

/* Adds the name of a value as it is. Returns false if it has none. */
static bool add_name(struct mp_value_names *v, const struct mp_tp_field *f, struct mp_str bytes,
		     uint64_t number, struct mp_str record)
{
	enum mp_names_kind kind = f->names->v[0].kind;

	switch (kind) {
	case MP_NAMES_IPV4:
		return bytes.len == 4 && add_address(&v->raw, AF_INET, bytes.p);
	case MP_NAMES_IPV6:
		return bytes.len == 16 && add_address(&v->raw, AF_INET6, bytes.p);
	case MP_NAMES_SOCKET:
		return add_socket(&v->raw, bytes);
	case MP_NAMES_SYMBOL:
	case MP_NAMES_FUNCTION:
		return mp_symbols_kernel_name(v->symbols, number, kind == MP_NAMES_SYMBOL, &v->raw);
	default:
		return mp_names_add(&v->raw, f->names, number, record.p, record.len);
	}
}

struct mp_str mp_value_names_text(struct mp_value_names *v, const struct mp_tp_field *f,
				  struct mp_str bytes, uint64_t number, struct mp_str record)
{
	v->raw.len = v->text.len = 0;
	if (!bytes.len || !add_name(v, f, bytes, number, record))
		return (struct mp_str){ "", 0 };
	mp_buf_byte(&v->text, '(');
	mp_esc_add(&v->text, mp_buf_view(&v->raw), MP_ESC_VALUE);
	mp_buf_byte(&v->text, ')');
	return mp_buf_view(&v->text);
}

/* --- the latest texts --------------------------------------------------------------------------- */

enum { SLOTS = 512, SLOT_TEXT = 95 };

/* The text of a field; fields have few values, so that most texts are found in their slot. */
struct mp_value_slot {
	struct mp_value_key key; /* field NULL: the slot is empty */
	uint8_t len;
	char text[SLOT_TEXT];
};

void mp_value_names_init(struct mp_value_names *v, struct mp_symbols *symbols)
{
	*v = (struct mp_value_names){ .symbols = symbols };
	v->slots = mp_zalloc(SLOTS * sizeof(*v->slots));
}

void mp_value_names_release(struct mp_value_names *v)
{
	free(v->slots);
	mp_buf_release(&v->raw);
	mp_buf_release(&v->text);
}

bool mp_value_names_key(struct mp_value_key *key, const struct mp_tp_field *f, struct mp_str bytes,
			struct mp_str record)
{
	*key = (struct mp_value_key){ .field = f, .len = bytes.len };
	if (f->is_array ? bytes.len != 4 && bytes.len != sizeof(key->value)
			: !bytes.len || bytes.len > sizeof(*key->value))
		return false;
	memcpy(key->value, bytes.p, bytes.len);
	return f->is_array || mp_names_condition(f->names, record.p, record.len, &key->value[1]);
}

static struct mp_value_slot *slot_of(struct mp_value_names *v, const struct mp_value_key *key)
{
	uint64_t hash =
		(key->value[0] ^ (key->value[1] + (uintptr_t)key->field) * 0x9e3779b97f4a7c15) *
		0xff51afd7ed558ccd;

	return &v->slots[hash >> 32 & (SLOTS - 1)];
}

struct mp_str mp_value_names_latest(struct mp_value_names *v, const struct mp_value_key *key)
{
	const struct mp_value_slot *slot = slot_of(v, key);

	if (slot->key.field != key->field || slot->key.len != key->len ||
	    slot->key.value[0] != key->value[0] || slot->key.value[1] != key->value[1])
		return (struct mp_str){ "", 0 };
	return (struct mp_str){ slot->text, slot->len };
}

void mp_value_names_keep(struct mp_value_names *v, const struct mp_value_key *key,
			 struct mp_str text)
{
	struct mp_value_slot *slot = slot_of(v, key);

	if (text.len > SLOT_TEXT)
		return;
	slot->key = *key;
	slot->len = (uint8_t)text.len;
	memcpy(slot->text, text.p, text.len);
}
