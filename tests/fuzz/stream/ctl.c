// SPDX-License-Identifier: GPL-2.0-only
/* Control lines: whatever is accepted can be written, and is accepted again. */
#include <stdlib.h>

#include "lib/stream/ctl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_str line = { (const char *)data, size };
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_ctl ctl, again;
	const char *why;
	json_t *string;

	if (mp_ctl_parse(&ctl, line, &why) == 0 && ctl.json) {
		mp_ctl_add(&text, json_incref(ctl.json));
		if (memchr(text.p, '\n', text.len) != text.p + text.len - 1)
			abort(); /* not one line */
		if (mp_ctl_parse(&again, (struct mp_str){ text.p, text.len - 1 }, &why) < 0 ||
		    again.what != ctl.what || again.time_ns != ctl.time_ns ||
		    again.lost != ctl.lost)
			abort();
		mp_ctl_release(&again);
	}
	mp_ctl_release(&ctl);
	string = mp_ctl_string(line); /* any bytes become UTF-8 */
	if (!string)
		abort();
	json_decref(string);
	mp_buf_release(&text);
	return 0;
}
