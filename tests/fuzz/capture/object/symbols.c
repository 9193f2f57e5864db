// SPDX-License-Identifier: GPL-2.0-only
/* Symbol tables of all kinds: the first byte says which. */
#include <stdlib.h>

#include "lib/capture/object/demangle.h"
#include "lib/capture/object/elfsym.h"
#include "lib/capture/object/kallsyms.h"
#include "lib/capture/object/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct mp_symtab *t)
{
	uint64_t addr;

	for (addr = 1; addr; addr <<= 4) {
		const struct mp_symbol *s = mp_symtab_find(t, addr);

		if (s && (addr < s->start || addr >= s->end))
			abort();
	}
}

static void try_elf(const char *image, size_t size)
{
	void *copy = mp_memdup(image, size); /* libelf needs it aligned */
	struct mp_elfsym *e = mp_elfsym_load_image(copy, size);
	uint64_t start, offset;

	for (offset = 0; e && offset < 1 << 20; offset += 997)
		mp_elfsym_find(e, mp_elfsym_address(e, offset), &start);
	mp_elfsym_free(e);
	free(copy);
}

static void try_demangle(const char *name, size_t len)
{
	static struct mp_demangler *demangler;
	char *text = mp_strndup(name, len);

	if (!demangler)
		demangler = mp_demangler_new();
	mp_demangle(demangler, text);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_str text = { (const char *)data + 1, size - 1 };
	struct mp_symtab t = { .v = NULL };
	struct mp_kernel_text kernel;

	if (size == 0)
		return 0;
	switch (data[0] & 3) {
	case 0:
		mp_kallsyms_parse(&t, &kernel, text);
		mp_symtab_sort(&t, false);
		break;
	case 1:
		mp_perfmap_parse(&t, text);
		mp_symtab_sort(&t, true);
		break;
	case 2:
		try_elf(text.p, text.len);
		break;
	case 3:
		try_demangle(text.p, text.len);
		break;
	}
	look_up(&t);
	mp_symtab_release(&t);
	return 0;
}
