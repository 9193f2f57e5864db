// SPDX-License-Identifier: GPL-2.0-only
/* Functions and static probes of any file, and arguments of a static probe from any text. */
#include <stdlib.h>

#include "lib/capture/event/probe.h"
#include "lib/capture/host/archs.h"
#include "lib/capture/object/binary.h"
#include "lib/capture/object/places.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find(int fd, const char *what, bool markers)
{
	const struct mp_cut_place_request request = { "binary", what, markers, true };
	struct mp_cut_places places;
	char *error = NULL;

	if (mp_binary_places(&request, fd, &places, &error) < 0 && (!error || !*error))
		abort();
	mp_cut_places_release(&places);
	free(error);
}

/* The last bytes of the file are also what to find. */
static void read_file(const uint8_t *data, size_t size)
{
	const size_t len = MP_MIN(size, (size_t)16);
	char *what = mp_strndup((const char *)data + size - len, len);
	int fd = memory_file(data, size);

	find(fd, "*", false);
	find(fd, "*:*", true);
	find(fd, what, size % 2);
	close(fd);
	free(what);
}

static void read_text(const uint8_t *data, size_t size)
{
	char *text = mp_strndup((const char *)data, size), *name, *error;
	struct mp_buf to = { NULL, 0, 0 };
	struct mp_probe_text probe;

	mp_usdt_args(&to, &mp_arch_x86_64, text);
	mp_usdt_args(&to, &mp_arch_arm64, text);
	mp_usdt_args(&to, &mp_arch_riscv64, text);
	mp_buf_release(&to);
	name = mp_asprintf("%s:%s", size & 1 ? "uprobe" : "mem", text);
	if (mp_probe_parse(&probe, name, &error) == 0)
		mp_probe_text_release(&probe);
	else
		free(error);
	free(name);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 4 && data[0] == 0x7f)
		read_file(data, size);
	else
		read_text(data, size);
	return 0;
}
