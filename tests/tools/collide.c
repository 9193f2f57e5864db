// SPDX-License-Identifier: GPL-2.0-only
/*
 * collide HOW N: N different keys, one to a line, that a hash table without a seed would store
 * close together.
 *   names  begin with "k": the lower bits of XXH3 are small
 *   keys   of mp-pair: the upper bits of the product of their XXH3 with 2^64 / phi are 0
 *   ids    numbers of tasks: the upper bits of their product with 2^64 / phi are 0
 *   any    names like the former, but not chosen
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/map.h"

enum { ROOM = 16 }; /* the keys begin in one of this many equal parts of the table */

/* Whether the number or the name is one of those. `slots`: final size of the table. */
static bool chosen(const char *how, uint32_t slots, uint32_t i, const char *name)
{
	char key[24];

	if (strcmp(how, "names") == 0)
		return mp_hash(name, strlen(name), 0) % slots < slots / ROOM;
	if (strcmp(how, "keys") == 0) {
		snprintf(key, sizeof(key), "A\t%s", name);
		return mp_hash(key, strlen(key), 0) * 0x9e3779b97f4a7c15u < UINT64_MAX / ROOM;
	}
	if (strcmp(how, "ids") == 0)
		return i * 0x9e3779b97f4a7c15u < UINT64_MAX / ROOM;
	return true;
}

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, slots = 1024, i;
	char name[16];

	mp_init("collide");
	while (slots < 2 * n)
		slots *= 2;
	for (i = 1; n; i++) {
		snprintf(name, sizeof(name), "k%08x", i);
		if (!chosen(argv[1], slots, i, name))
			continue;
		if (strcmp(argv[1], "ids") == 0)
			printf("%u\n", i);
		else
			printf("%s\n", name);
		n--;
	}
	return 0;
}
