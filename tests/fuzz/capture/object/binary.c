// SPDX-License-Identifier: GPL-2.0-only
/* Functions and static probes of any file, and arguments of a static probe from any text. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/capture/event/probe.h"
#include "lib/capture/host/archs.h"
#include "lib/capture/object/binary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_file(const uint8_t *data, size_t size)
{
	struct mp_cut_places places = { .n = 0 };
	struct mp_binary file = { "binary", memfd_create("binary", 0) };
	char *error;

	if (write(file.fd, data, size) != (ssize_t)size)
		abort();
	if (mp_binary_functions(&places, &file, "*", &error) < 0)
		free(error);
	mp_cut_places_release(&places);
	if (mp_binary_markers(&places, &file, "*:*", &error) < 0)
		free(error);
	mp_cut_places_release(&places);
	close(file.fd);
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
