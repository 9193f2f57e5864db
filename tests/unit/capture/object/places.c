// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the answers to requests of the kernel side: places of functions and static probes in libc.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/object/binary.h"
#include "lib/capture/object/kallsyms.h"
#include "lib/capture/object/places.h"
#include "tests/unit/tap.h"

static bool ask(const struct mp_cut_place_request *request, struct mp_cut_places *places)
{
	char *error = NULL, *path = mp_binary_path(request->file, &error);
	int fd = path ? mp_binary_open(path, &error) : -1;
	struct mp_cut_place_request by_path = *request;
	bool found;

	*places = (struct mp_cut_places){ .n = 0 };
	by_path.file = path;
	found = fd >= 0 && mp_binary_places(&by_path, fd, places, &error) == 0;
	if (fd >= 0)
		close(fd);
	free(path);
	if (!found)
		printf("# %s\n", error);
	free(error);
	return found;
}

static void test_functions(void)
{
	struct mp_cut_place_request request = { .file = "libc", .what = "mallo[c]" };
	struct mp_cut_places places, entry;

	ok(ask(&request, &places) && places.n == 1 && strstr(places.path, "/libc.so"),
	   "a function of a library, by a glob");
	ok(strcmp(places.v[0].name, "malloc") == 0 && !places.v[0].provider && !places.v[0].args,
	   "is no static probe");
	request.entry = true;
	ok(ask(&request, &entry) && entry.n == 1 && entry.v[0].offset >= places.v[0].offset &&
		   entry.v[0].offset < places.v[0].offset + 16,
	   "its entry is there, or shortly after");
	mp_cut_places_release(&entry);
	request = (struct mp_cut_place_request){ .file = "libc", .what = "malloc+0x4" };
	ok(ask(&request, &entry) && entry.n == 1 && entry.v[0].offset == places.v[0].offset + 4,
	   "a place within it");
	mp_cut_places_release(&entry);
	mp_cut_places_release(&places);
}

/* A static probe of this program, as <sys/sdt.h> makes it: UNIT:PROBE with the argument 8@$7. */
__asm__(".pushsection .text\n"
	"unit_probe: nop\n"
	".popsection\n"
	".pushsection .note.stapsdt, \"\", %note\n"
	".balign 4\n"
	".4byte 8, 2f - 1f, 3\n"
	".asciz \"stapsdt\"\n"
	"1: .8byte unit_probe, 0, 0\n"
	".asciz \"unit\"\n"
	".asciz \"probe\"\n"
	".asciz \"8@$7\"\n"
	"2: .balign 4\n"
	".popsection\n");

static void test_markers(void)
{
	struct mp_cut_place_request request = {
		.file = "/proc/self/exe",
		.what = "unit:prob?",
		.markers = true,
	};
	struct mp_cut_places places;

	ok(ask(&request, &places) && places.n == 1 && strcmp(places.v[0].provider, "unit") == 0 &&
		   strcmp(places.v[0].name, "probe") == 0 && places.v[0].semaphore == 0,
	   "a static probe");
	ok(places.n == 1 && strcmp(places.v[0].args, " arg1=\\7:u64") == 0,
	   "has its arguments as tracefs wants them");
	mp_cut_places_release(&places);
}

static void test_errors(void)
{
	struct mp_cut_place_request no_file = { .file = "/nowhere", .what = "f" };
	struct mp_cut_place_request no_function = { .file = "libc", .what = "no_such_function" };
	struct mp_cut_places places;

	ok(!ask(&no_file, &places) && !places.n && !places.path, "no such file");
	mp_cut_places_release(&places);
	ok(!ask(&no_function, &places) && !places.n, "no such function");
	mp_cut_places_release(&places);
	ok(mp_kallsyms_address(MP_STR("no_such_symbol")) == 0, "no such symbol of the kernel");
}

int main(void)
{
	mp_init("unit-places");
	test_functions();
	test_markers();
	test_errors();
	return tap_done();
}
