// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/constant.h"

#include <bpf/btf.h>

#include "lib/core/map.h"
#include "lib/core/str.h"

static struct mp_map values; /* name -> uint64_t */
static bool is_read;

static void add(const char *name, uint64_t value)
{
	struct mp_str key = mp_str(name);
	bool fresh;
	struct mp_map_entry *e = mp_map_put(&values, &key, 1, &fresh);

	if (fresh)
		*(uint64_t *)mp_map_value(e) = value;
}

static void add_enum(const struct btf *btf, const struct btf_type *type)
{
	const struct btf_enum *small = btf_enum(type);
	const struct btf_enum64 *large = btf_enum64(type);
	uint16_t i;

	for (i = 0; i < btf_vlen(type); i++) {
		if (btf_is_enum(type))
			add(btf__name_by_offset(btf, small[i].name_off),
			    btf_kflag(type) ? (uint64_t)small[i].val : (uint32_t)small[i].val);
		else
			add(btf__name_by_offset(btf, large[i].name_off),
			    btf_enum64_value(&large[i]));
	}
}

static void read_all(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	uint32_t id;

	mp_map_init(&values, sizeof(uint64_t));
	is_read = true;
	for (id = 1; btf && id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_any_enum(type))
			add_enum(btf, type);
	}
	btf__free(btf);
}

bool mp_constant_find(const char *name, uint64_t *value)
{
	struct mp_str key = mp_str(name);
	struct mp_map_entry *e;

	if (!is_read)
		read_all();
	e = mp_map_find(&values, &key, 1);
	if (e)
		*value = *(uint64_t *)mp_map_value(e);
	return e;
}

void mp_constant_forget(void)
{
	if (is_read)
		mp_map_release(&values);
	is_read = false;
}
