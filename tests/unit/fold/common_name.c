// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/common_name.h"

#include "tests/unit/tap.h"

static bool becomes(const char *name, const char *wanted)
{
	return mp_str_eq(mp_fold_common_name(mp_str(name)), mp_str(wanted));
}

static void test_clones(void)
{
	ok(becomes("f.isra.0", "f") && becomes("f.constprop.12", "f") && becomes("f.part.3", "f") &&
		   becomes("f.llvm.1234567890123", "f") && becomes("f.lto_priv.0", "f") &&
		   becomes("f.__uniq.3141592653589793238462", "f"),
	   "clones");
	ok(becomes("f.cold", "f") && becomes("f.cold.7", "f") && becomes("f.localalias", "f") &&
		   becomes("f.localalias.1", "f"),
	   "endings without a number");
	ok(becomes("f.isra.0.part.1.cold", "f"), "several endings");
	ok(becomes("f.isra", "f.isra") && becomes("f.isra.", "f.isra.") &&
		   becomes("f.isra.x", "f.isra.x") && becomes("f.1", "f.1") &&
		   becomes("fcold", "fcold") && becomes("main._omp_fn.0", "main._omp_fn.0"),
	   "what only resembles them stays");
}

static void test_notes(void)
{
	ok(becomes("a::f(int) [clone .isra.0]", "a::f(int)") &&
		   becomes("f() [clone .isra.0] [clone .cold]", "f()") &&
		   becomes("f() [clone .isra.0.cold]", "f()"),
	   "notes of libiberty");
	ok(becomes("f() (.isra.0)", "f()") && becomes("f() (.llvm.77)", "f()"), "notes of LLVM");
	ok(becomes("f() [clone .resume]", "f() [clone .resume]") &&
		   becomes("f() [clone ]", "f() [clone ]") && becomes("f (int)", "f (int)") &&
		   becomes("f()", "f()") && becomes("f ()", "f ()") && becomes("]", "]"),
	   "other brackets stay");
}

static void test_hashes(void)
{
	ok(becomes("core::fmt::write::h0123456789abcdef", "core::fmt::write") &&
		   becomes("f::h0123456789abcdef.llvm.99", "f"),
	   "hashes of Rust");
	ok(becomes("f::h0123456789abcde", "f::h0123456789abcde") &&
		   becomes("f::h00123456789abcdef", "f::h00123456789abcdef") &&
		   becomes("f::h0123456789abcdeF", "f::h0123456789abcdeF"),
	   "what has another length or other digits stays");
}

static void test_offsets(void)
{
	ok(becomes("[libc.so.6]+0x2a1c4", "[libc.so.6]") && becomes("f+0x1f", "f") &&
		   becomes("[nf_tables]+0x0", "[nf_tables]"),
	   "offsets");
	ok(becomes("f+0x", "f+0x") && becomes("f+12", "f+12") && becomes("f+0xq", "f+0xq"),
	   "what is not an offset stays");
}

static void test_empty(void)
{
	ok(becomes("", "") && becomes(".cold", ".cold") && becomes("+0x12", "+0x12") &&
		   becomes("::h0123456789abcdef", "::h0123456789abcdef") &&
		   becomes(".cold.isra.0", ".cold") && becomes("0", "0") && becomes(".0", ".0") &&
		   becomes(" (.cold)", " (.cold)"),
	   "a name never becomes empty");
}

int main(void)
{
	test_clones();
	test_notes();
	test_hashes();
	test_offsets();
	test_empty();
	return tap_done();
}
