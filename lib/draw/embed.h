/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files inside a program, such as the scripts of a picture, which the assembler inserts. The
 * Makefile must say on which files an object depends. Includes nothing.
 */
#ifndef MP_DRAW_EMBED_H
#define MP_DRAW_EMBED_H

/*
 * Defines a function that returns the text of some files, one after the other: for each of them,
 * `files` has a line such as ".incbin \"lib/draw/draw.js\"\n", with the path from the top folder.
 */
#define MP_EMBED(function, files)                                                             \
	const char *function(void)                                                            \
	{                                                                                     \
		extern const char mp_embedded_##function[] __asm__("mp_embedded_" #function); \
                                                                                              \
		return mp_embedded_##function;                                                \
	}                                                                                     \
	__asm__(".pushsection .rodata\nmp_embedded_" #function ":\n" files ".byte 0\n"        \
		".popsection\n")

#endif
