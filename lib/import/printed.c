// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/printed.h"

#include "lib/import/text.h"
#include "lib/stream/esc.h"

/*
 * The formats (include/trace/events/ of Linux) of the types with a prefix, the one with the most
 * fields first. {NAME} is a field without blanks, {NAME/s} one that may have any, {NAME/d},
 * {NAME/p}, {NAME/x} and {NAME/X} are a device, a priority and hexadecimal numbers, {NAME/n} is
 * "NAME (NUMBER)"; * is a rest.
 */
static const struct {
	const char *prefix, *format;
} formats[] = {
	{ "raw_syscalls:sys_enter", "NR {id} ({args/X})" },
	{ "raw_syscalls:sys_exit", "NR {id} = {ret}" },
	{ "block:",
	  "{dev/d} {rwbs} {bytes} ({cmd/s}) {sector} + {nr_sector} {ioprio/p} [{comm/s}]" },
	{ "block:", "{dev/d} {rwbs} {bytes} ({cmd/s}) {sector} + {nr_sector} [{comm/s}]" },
	{ "block:", "{dev/d} {rwbs} ({cmd/s}) {sector} + {nr_sector} {ioprio/p} [{error}]" },
	{ "block:", "{dev/d} {rwbs} ({cmd/s}) {sector} + {nr_sector} [{error}]" },
	{ "block:block_bio_complete", "{dev/d} {rwbs} {sector} + {nr_sector} [{error}]" },
	{ "block:", "{dev/d} {rwbs} {sector} + {nr_sector} [{comm/s}]" },
	{ "block:",
	  "{dev/d} {rwbs} {sector} + {nr_sector} <- ({old_dev/d}) {old_sector} {nr_bios}" },
	{ "block:", "{dev/d} {rwbs} {sector} + {nr_sector} <- ({old_dev/d}) {old_sector}" },
	{ "block:", "{dev/d} {rwbs} {sector} / {new_sector} [{comm/s}]" },
	{ "block:", "{dev/d} *" },
	{ "block:block_unplug", "[{comm/s}] {nr_rq}" },
	{ "block:block_plug", "[{comm/s}]" },
	{ "writeback:", "bdi {name}: *" },
	{ "workqueue:", "work struct={work} *" },
	{ "workqueue:", "work struct {work}: function {function}" },
	{ "workqueue:", "work struct {work} *" },
	{ "workqueue:", "work struct {work}" },
	{ "ext4:ext4_es_", "dev {dev/d} ino {ino} es [{lblk}/{len}) mapped {pblk} status {status} "
			   "allocated {lclu_allocated} {end_allocated}" },
	{ "ext4:ext4_es_",
	  "dev {dev/d} ino {ino} es [{lblk}/{len}) mapped {pblk} status {status}" },
	{ "ext4:ext4_es_", "dev {dev/d} ino {ino} es [{lblk}/{len})" },
	{ "ext4:ext4_es_", "dev {dev/d} ino {ino} found {found} [{lblk}/{len}) {pblk} {status}" },
	{ "ext4:ext4_es_", "dev {dev/d} ino {ino} found {found} [{lblk}/{len}) {pblk}" },
	{ "ext4:ext4_es_", "dev {dev/d} ino {ino} es [{lblk}/{len}) mapped {pblk} status" },
	{ "ext4:ext4_ext_map_blocks_enter", "dev {dev/d} ino {ino} lblk {lblk} len {len} flags" },
	{ "ext4:ext4_discard_preallocations", "dev {dev/d} ino {ino} len: {len}" },
	{ "ext4:ext4_da_reserve_space",
	  "dev {dev/d} ino {ino} mode {mode} i_blocks {i_blocks} reserve_blocks "
	  "{reserve_blocks}reserved_data_blocks {reserved_data_blocks}" },
	{ "ext4:ext4_ext_rm_leaf",
	  "dev {dev/d} ino {ino} start_lblk {start} last_extent [{ee_lblk}({ee_pblk}), "
	  "{ee_len}]partial [pclu {pc_pclu} lblk {pc_lblk} state {pc_state}]" },
	{ "ext4:ext4_remove_blocks",
	  "dev {dev/d} ino {ino} extent [{ee_lblk}({ee_pblk}), {ee_len}]from {from} to {to} "
	  "partial [pclu {pc_pclu} lblk {pc_lblk} state {pc_state}]" },
	{ "ext4:ext4_ext_remove_space_done",
	  "dev {dev/d} ino {ino} since {start} end {end} depth {depth} partial [pclu {pc_pclu} "
	  "lblk {pc_lblk} state {pc_state}] remaining_entries {eh_entries}" },
	{ "kvm:kvm_exit",
	  "vcpu {vcpu_id} reason {exit_reason/s} rip {guest_rip} info1 {info1} info2 {info2} "
	  "intr_info {intr_info} error_code {error_code} requests {requests}" },
	{ "kvm:kvm_exit",
	  "vcpu {vcpu_id} reason {exit_reason/s} rip {guest_rip} info1 {info1} info2 {info2} "
	  "intr_info {intr_info} error_code {error_code}" },
	{ "kvm:kvm_exit",
	  "vcpu {vcpu_id} reason {exit_reason/s} rip {guest_rip} info {info1/x} {info2/x}" },
	{ "kvm:kvm_exit", "reason {exit_reason/s} rip {guest_rip} info {info1/x} {info2/x}" },
	{ "kvm:kvm_entry",
	  "vcpu {vcpu_id}, rip {rip} intr_info {intr_info} error_code {error_code}" },
	{ "kvm:kvm_entry", "vcpu {vcpu_id}, rip {rip} intr_info {intr_info} error_code "
			   "{error_code}[immediate exit]" },
	{ "kvm:kvm_entry", "vcpu {vcpu_id}, rip {rip}" },
	{ "kvm:kvm_entry", "vcpu {vcpu_id}" },
	{ "kvm:kvm_userspace_exit", "reason {reason/n}" },
	{ "kvm:kvm_pio", "pio_{rw} at {port} size {size} count {count} val {val} *" },
	{ "kvm:kvm_pio", "pio_{rw} at {port} size {size} count {count} val {val}" },
	{ "kvm:kvm_mmio", "mmio {type} len {len} gpa {gpa} val {val}" },
	{ "kvm:kvm_msr", "msr_{write} {ecx/x} = {data}" },
	{ "kvm:kvm_hypercall", "nr {nr} a0 {a0} a1 {a1} a2 {a2} a3 {a3}" },
	{ "kvm:kvm_page_fault",
	  "vcpu {vcpu_id} rip {guest_rip} address {fault_address} error_code {error_code}" },
	{ "kvmmmu:kvm_mmu_get_page",
	  "sp gen {mmu_valid_gen} gfn {gfn/x} {role/s} root {root_count} {unsync} {created}" },
	{ "kvmmmu:kvm_mmu_get_page", /* by the plugin of libtraceevent */
	  "{created} sp gfn {gfn/x} {role/s} root {root_count} {unsync}" },
	{ "kvmmmu:", "sp gen {mmu_valid_gen} gfn {gfn/x} {role/s} root {root_count} {unsync}" },
	{ "kvmmmu:kvm_mmu_set_spte",
	  "gfn {gfn/x} spte {spte/x} ({access}) level {level} at {sptep/x}" },
	{ "kvmmmu:kvm_mmu_spte_requested", "gfn {gfn/x} pfn {pfn/x} level {level}" },
	{ "kvmmmu:kvm_mmu_split_huge_page",
	  "gfn {gfn/x} spte {spte/x} level {level} errno {errno}" },
	{ "kvmmmu:kvm_tdp_mmu_spte_changed",
	  "as id {as_id} gfn {gfn/x} level {level} old_spte {old_spte/x} new_spte {new_spte/x}" },
	{ "kvmmmu:kvm_mmu_paging_element", "pte {pte/x} level {level}" },
	{ "kvmmmu:fast_page_fault", "vcpu {vcpu_id} gva {cr2_or_gpa/x} error_code {error_code} "
				    "sptep {sptep} old {old_spte} new {new_spte/x} spurious "
				    "{spurious} fixed {fixed}" },
	{ "kvmmmu:", "{role/s} root {root_count} {unsync}" },
	{ "", "({__probe_func/x} <- {__probe_ret_ip/x}) *" },
	{ "", "({__probe_func/x} <- {__probe_ret_ip/x})" },
	{ "", "({__probe_ip/x}) *" },
	{ "", "({__probe_ip/x})" },
};

bool mp_import_is_hex(struct mp_str s)
{
	size_t i;

	if (mp_str_starts(s, MP_STR("0x")))
		s = mp_str_skip(s, 2);
	for (i = 0; i < s.len; i++)
		if (!mp_import_hex_digit(s.p[i]))
			return false;
	return s.len > 0 && s.len <= 16;
}

/* Whether all numbers of "0, 7f00" are hexadecimal. */
static bool are_hex(struct mp_str list)
{
	size_t n;

	for (; list.len; list = mp_str_skip(list, MP_MIN(n + 1, list.len))) {
		n = mp_import_find(list, ",");
		if (!mp_import_is_hex(mp_import_trim((struct mp_str){ list.p, n })))
			return false;
	}
	return true;
}

/* Parses "8,1" or "8:1"; returns false if the text is neither. */
static bool parse_dev(struct mp_str s, uint64_t *dev)
{
	size_t n = mp_import_digits(s);
	uint64_t major, minor;

	if (n == s.len || (s.p[n] != ',' && s.p[n] != ':') ||
	    mp_num_u64((struct mp_str){ s.p, n }, &major) < 0 ||
	    mp_num_u64(mp_str_skip(s, n + 1), &minor) < 0 || major > UINT32_MAX || minor >= 1 << 20)
		return false;
	*dev = major << 20 | minor;
	return true;
}

/* Parses "be,0,4", or "0x2,0,4", as perf prints it; returns false if the text is neither. */
static bool parse_ioprio(struct mp_str s, uint64_t *ioprio)
{
	static const char *const classes[] = { "none", "rt", "be", "idle" };
	size_t n = mp_import_find(s, ","), m, i;
	struct mp_str class = { s.p, n }, rest = mp_str_skip(s, MP_MIN(n + 1, s.len));
	uint64_t hint, level;

	for (i = 0; i < MP_ARRAY_SIZE(classes); i++)
		if (mp_str_eq(class, mp_str(classes[i])) ||
		    (class.len == 3 && mp_str_starts(class, MP_STR("0x")) &&
		     (size_t)(class.p[2] - '0') == i))
			break;
	m = mp_import_find(rest, ",");
	if (i == MP_ARRAY_SIZE(classes) || mp_num_u64((struct mp_str){ rest.p, m }, &hint) < 0 ||
	    mp_num_u64(mp_str_skip(rest, MP_MIN(m + 1, rest.len)), &level) < 0 || hint >= 1 << 10 ||
	    level >= 1 << 3)
		return false;
	*ioprio = i << 13 | hint << 3 | level;
	return true;
}

/* Splits "KVM_EXIT_IO (2)"; returns false if that is not a constant and its number. */
static bool split_named(struct mp_str s, struct mp_str *name, struct mp_str *number)
{
	size_t n = mp_import_find(s, " ("), i;

	if (n == s.len || !mp_str_ends(s, MP_STR(")")))
		return false;
	*name = (struct mp_str){ s.p, n };
	*number = (struct mp_str){ s.p + n + 2, s.len - n - 3 };
	for (i = 0; i < n; i++)
		if (s.p[i] != '_' && !mp_import_digit(s.p[i]) && (s.p[i] < 'A' || s.p[i] > 'Z'))
			return false;
	return n && number->len && mp_import_digits(*number) == number->len;
}

/*
 * Sets the form of a value from the letter in the table; false if the value does not have that
 * form.
 */
static bool set_form(struct mp_import_pair *pair, char form)
{
	struct mp_str name, number;
	uint64_t n;

	switch (form) {
	case 's':
		return true;
	case 'd':
		pair->form = MP_IMPORT_DEV;
		return parse_dev(pair->value, &n);
	case 'p':
		pair->form = MP_IMPORT_IOPRIO;
		return parse_ioprio(pair->value, &n);
	case 'n':
		pair->form = MP_IMPORT_NAMED;
		return split_named(pair->value, &name, &number);
	case 'x':
		pair->form = MP_IMPORT_HEX;
		return mp_import_is_hex(pair->value);
	case 'X':
		pair->form = MP_IMPORT_HEXES;
		return are_hex(pair->value);
	}
	return pair->value.len && !memchr(pair->value.p, ' ', pair->value.len) &&
	       *pair->value.p != '[';
}

/* Splits "{NAME/FORM}" at *format; the value ends where the text matches the rest of the format. */
static bool match_field(struct mp_import_pair *pair, const char **format, struct mp_str *text)
{
	const char *name = *format + 1, *end = strchr(name, '}'), *next = strchrnul(end, '{');
	const char *slash = memchr(name, '/', end - name);
	char literal[24];
	size_t n;

	*pair = (struct mp_import_pair){ .key = { name, (slash ? slash : end) - name } };
	*format = end + 1;
	next = memchr(*format, '*', next - *format) ? next - 1 : next;
	n = MP_MIN((size_t)(next - *format), sizeof(literal) - 1);
	memcpy(literal, *format, n);
	literal[n] = '\0';
	if (*next)
		n = n ? mp_import_find(*text, literal) : text->len;
	else if (text->len < n || !mp_str_ends(*text, mp_str(literal)))
		return false;
	else
		n = text->len - n; /* the last field takes the rest of the text */
	pair->value = (struct mp_str){ text->p, n };
	*text = mp_str_skip(*text, n);
	return set_form(pair, slash ? slash[1] : '\0');
}

static bool match(struct mp_import_pairs *pairs, const char *format, struct mp_str text,
		  struct mp_str *rest)
{
	pairs->n = 0;
	while (*format && *format != '*') {
		if (*format == '{') {
			if (!match_field(&pairs->v[pairs->n], &format, &text))
				return false;
			pairs->n++;
		} else if (text.len && *text.p == *format) {
			format++;
			text = mp_str_skip(text, 1);
		} else {
			return false;
		}
	}
	*rest = text;
	return *format == '*' || !text.len;
}

/* Splits "dev 8,1 ino 12 len 4096", which file systems print, as far as it is names and values. */
static bool split_words(struct mp_import_pairs *pairs, struct mp_str text, struct mp_str *rest)
{
	struct mp_str key, value;
	size_t n, i;

	pairs->n = 0;
	*rest = text;
	while (pairs->n < MP_IMPORT_PAIRS_MAX) {
		key = *rest;
		for (n = 0; n < key.len && (mp_import_letter(key.p[n]) || key.p[n] == '_'); n++)
			;
		if (!n || n == key.len || key.p[n] != ' ')
			break;
		value = mp_str_skip(key, n + 1);
		key.len = n;
		for (i = 0; i < pairs->n; i++)
			if (mp_str_eq(pairs->v[i].key, key))
				return pairs->n > 1;
		n = mp_import_find(value, " "); /* flags may be absent */
		pairs->v[pairs->n] = (struct mp_import_pair){ .key = key, .value = { value.p, n } };
		if (n && *value.p == '[')
			break; /* the value is a range or a list, which has blanks */
		if (!set_form(&pairs->v[pairs->n], pairs->n ? 's' : 'd'))
			break;
		pairs->n++;
		*rest = mp_import_trim(mp_str_skip(value, n));
	}
	return pairs->n > 1;
}

bool mp_import_printed(struct mp_import_pairs *pairs, struct mp_str type, struct mp_str text,
		       struct mp_str *rest)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(formats); i++)
		if ((*formats[i].format == '{' || *formats[i].format == *text.p) &&
		    mp_str_starts(type, mp_str(formats[i].prefix)) &&
		    match(pairs, formats[i].format, text, rest))
			return true;
	return mp_str_starts(text, MP_STR("dev ")) && split_words(pairs, text, rest);
}

static uint64_t hex_value(struct mp_str s)
{
	uint64_t v = 0;
	size_t i;

	for (i = mp_str_starts(s, MP_STR("0x")) ? 2 : 0; i < s.len; i++)
		v = v << 4 | (mp_import_digit(s.p[i]) ? s.p[i] - '0' : (s.p[i] | 0x20) - 'a' + 10);
	return v;
}

static void put_hexes(struct mp_buf *to, struct mp_str list)
{
	while (list.len) {
		size_t n = mp_import_find(list, ",");

		mp_buf_printf(to, "%llu",
			      (unsigned long long)hex_value(
				      mp_import_trim((struct mp_str){ list.p, n })));
		list = mp_str_skip(list, MP_MIN(n + 1, list.len));
		if (list.len)
			mp_buf_byte(to, ',');
	}
}

void mp_import_put_value(struct mp_buf *to, const struct mp_import_pair *pair)
{
	struct mp_str v = pair->value, name, number;
	uint64_t n;

	if (pair->form == MP_IMPORT_DEV && parse_dev(v, &n)) {
		mp_buf_printf(to, "%llu(%llu:%llu)", (unsigned long long)n,
			      (unsigned long long)n >> 20, (unsigned long long)n & 0xfffff);
	} else if (pair->form == MP_IMPORT_IOPRIO && parse_ioprio(v, &n)) {
		mp_buf_printf(to, "%llu", (unsigned long long)n);
	} else if (pair->form == MP_IMPORT_NAMED && split_named(v, &name, &number)) {
		mp_buf_printf(to, "%.*s(%.*s)", MP_STR_ARGS(number), MP_STR_ARGS(name));
	} else if (pair->form == MP_IMPORT_SIGNED && mp_import_is_hex(v)) {
		mp_buf_printf(to, "%lld", (long long)hex_value(v));
	} else if (pair->form == MP_IMPORT_HEXES) {
		put_hexes(to, v);
	} else {
		if (pair->form == MP_IMPORT_HEX && !mp_str_starts(v, MP_STR("0x")))
			mp_buf_add(to, "0x", 2);
		mp_esc_add(to, v, MP_ESC_VALUE);
	}
}
