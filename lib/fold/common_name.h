/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of frames that are the same in each build of a program, so that two builds can be compared,
 * and names of unknown frames. Includes str only.
 */
#ifndef MP_FOLD_COMMON_NAME_H
#define MP_FOLD_COMMON_NAME_H

#include "lib/core/str.h"

/*
 * A name without what the compiler or the linker appended in one build: suffixes of clones and
 * parts (".isra.0", ".cold", also as " [clone .isra.0]" and " (.isra.0)"), the hash of a Rust
 * function, an offset. The result is the beginning of the name, and not empty unless this is. A
 * name may be escaped or raw.
 */
struct mp_str mp_fold_common_name(struct mp_str name);

/*
 * Whether a name is that of an unknown frame, "[module]+0xoffset"; then `*module` becomes
 * "[module]".
 */
bool mp_fold_is_unknown(struct mp_str name, struct mp_str *module);

#endif
