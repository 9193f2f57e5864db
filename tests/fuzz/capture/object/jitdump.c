// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs of just-in-time compilers: any file, read in two parts, and what is at the addresses that its
 * bytes contain, at rising times.
 */
#include "lib/capture/object/jitdump.h"

#include <string.h>

#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STRIDE = 8, LOOKUPS = 200 };

static void look(struct mp_jitdump *d, uint64_t addr, uint64_t time_ns)
{
	unsigned steps = MP_CFI_STEPS;
	struct mp_cfi_row row;
	const char *name = mp_jitdump_find(d, addr, time_ns);

	if (name && !*name)
		abort();
	if (mp_jitdump_row(d, addr, time_ns, &row, &steps) > 0 && row.n_rules > MP_CFI_RULES)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_jitdump *d = mp_jitdump_new();
	int fd = memory_file(data, size / 2);
	uint64_t addr;
	size_t i;

	mp_jitdump_read(d, fd, 1);
	if (pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	mp_jitdump_read(d, fd, 2);
	for (i = 0; i + sizeof(addr) <= size && i < STRIDE * LOOKUPS; i += STRIDE) {
		memcpy(&addr, data + i, sizeof(addr));
		look(d, addr, i);
		look(d, addr + 4, UINT64_MAX);
	}
	if (mp_jitdump_bytes(d) > 200 * size + 4096)
		abort();
	close(fd);
	mp_jitdump_free(d);
	return 0;
}
