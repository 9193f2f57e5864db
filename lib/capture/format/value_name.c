// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/format/value_name.h"

#include <arpa/inet.h>

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

bool mp_value_name_add(struct mp_buf *to, const struct mp_tp_field *f, struct mp_str bytes,
		       uint64_t number, struct mp_str raw, struct mp_symbols *symbols)
{
	switch (f->names->v[0].kind) {
	case MP_NAMES_IPV4:
		return bytes.len == 4 && add_address(to, AF_INET, bytes.p);
	case MP_NAMES_IPV6:
		return bytes.len == 16 && add_address(to, AF_INET6, bytes.p);
	case MP_NAMES_SOCKET:
		return add_socket(to, bytes);
	case MP_NAMES_SYMBOL:
	case MP_NAMES_FUNCTION:
		return mp_symbols_kernel_name(symbols, number,
					      f->names->v[0].kind == MP_NAMES_SYMBOL, to);
	default:
		return mp_names_add(to, f->names, number, raw.p, raw.len);
	}
}
