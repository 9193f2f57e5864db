// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/object/demangle.h"
#include "lib/capture/object/elfsym.h"
#include "lib/capture/object/kallsyms.h"
#include "lib/capture/object/perfmap.h"
#include "lib/capture/stack/dso.h"
#include "lib/capture/stack/task.h"
#include "lib/core/clock.h"
#include "tests/unit/tap.h"

static bool found(const struct mp_symtab *t, uint64_t addr, const char *want)
{
	const struct mp_symbol *s = mp_symtab_find(t, addr);

	return want ? s && strcmp(s->name, want) == 0 : !s;
}

static void test_symtab(void)
{
	struct mp_symtab t = { .v = NULL };

	mp_symtab_add(&t, 100, 10, MP_STR("local"), MP_SYM_LOCAL);
	mp_symtab_add(&t, 100, 10, MP_STR("global"), MP_SYM_GLOBAL);
	mp_symtab_add(&t, 100, 10, MP_STR("weakest_of_all"), MP_SYM_WEAK);
	mp_symtab_add(&t, 200, 10, MP_STR("__short"), MP_SYM_GLOBAL);
	mp_symtab_add(&t, 200, 10, MP_STR("read"), MP_SYM_GLOBAL);
	mp_symtab_add(&t, 300, 100, MP_STR("outer"), MP_SYM_GLOBAL);
	mp_symtab_add(&t, 320, 4, MP_STR("inner"), MP_SYM_LOCAL);
	mp_symtab_add(&t, 500, 0, MP_STR("unsized"), MP_SYM_GLOBAL);
	mp_symtab_add(&t, 600, 10, MP_STR("next"), MP_SYM_GLOBAL);
	mp_symtab_sort(&t, false);
	ok(found(&t, 100, "global") && found(&t, 109, "global"), "global before local before weak");
	ok(found(&t, 205, "read"), "fewer underscores");
	ok(found(&t, 99, NULL) && found(&t, 110, NULL) && found(&t, 610, NULL),
	   "between and after: none");
	ok(found(&t, 321, "inner") && found(&t, 330, "outer"),
	   "a symbol inside another does not hide its rest");
	ok(found(&t, 500, "unsized") && found(&t, 599, "unsized"),
	   "without a size: up to the next");
	mp_symtab_release(&t);
	ok(found(&t, 0, NULL), "an empty table");
}

static void test_kallsyms(void)
{
	struct mp_symtab t = { .v = NULL };
	struct mp_kernel_text kernel;

	mp_kallsyms_parse(&t, &kernel,
			  MP_STR("ffffffff81000000 T _stext\n"
				 "ffffffff81000100 t helper\t[some_module]\n"
				 "ffffffff81000200 D data\n"
				 "ffffffff81000300 W weak_one\n"
				 "nonsense\n\n"
				 "0000000000000000 T hidden\n"
				 "ffffffff81000380 T _etext\n"
				 "ffffffff81000400 T last"));
	mp_symtab_sort(&t, false);
	ok(kernel.start == 0xffffffff81000000 && kernel.end == 0xffffffff81000380,
	   "the kernel's own code");
	ok(t.n == 5 && found(&t, 0xffffffff81000001, "_stext") &&
		   found(&t, 0xffffffff81000150, "helper") &&
		   found(&t, 0xffffffff8100037f, "weak_one") &&
		   found(&t, 0xffffffff81000500, "last"),
	   "functions of the kernel and its modules");
	mp_symtab_release(&t);
}

static void test_perfmap(void)
{
	struct mp_symtab t = { .v = NULL };

	mp_perfmap_parse(&t, MP_STR("1000 10 LazyCompile:~f /app/x.js:1\n"
				    "0x2000 0x20 second\n"
				    "1000 8 newer\n"
				    "zz 10 bad\n"
				    "3000 0 empty\n"
				    "4000\n"));
	mp_symtab_sort(&t, true);
	ok(t.n == 2 && found(&t, 0x1004, "newer") && found(&t, 0x201f, "second") &&
		   found(&t, 0x2020, NULL),
	   "the newest of one address, names with blanks, nonsense skipped");
	mp_symtab_release(&t);
}

static bool demangles(struct mp_demangler *d, const char *name, const char *to)
{
	struct mp_str text = mp_demangle(d, name);
	bool right = mp_str_eq(text, mp_str(to));

	if (!right)
		printf("# %s: %.*s\n", name, MP_STR_ARGS(text));
	return right;
}

/* Repeats a text `n` times between two others. The caller frees it. */
static char *repeat(const char *head, const char *text, int n, const char *tail)
{
	struct mp_buf to = { NULL, 0, 0 };

	mp_buf_add(&to, head, strlen(head));
	while (n--)
		mp_buf_add(&to, text, strlen(text));
	mp_buf_add(&to, tail, strlen(tail) + 1);
	return to.p;
}

/*
 * Whether a name is refused, or truncated, in a time that no usual name takes but a second is
 * enough for.
 */
static bool is_limited(struct mp_demangler *d, char *name)
{
	uint64_t began_ns = mp_clock_thread_ns();
	struct mp_str text = mp_demangle(d, name);
	double ms = (double)(mp_clock_thread_ns() - began_ns) / 1e6;

	printf("# %zu bytes to %zu in %.3f ms\n", strlen(name), text.len, ms);
	free(name);
	return text.len <= 4096 && ms < 1000;
}

static void test_demangle(void)
{
	static const char rust[] =
		"_RINvC1a1fTmmETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_ETBH_BH_ETBP_BP_ETBX_BX_ETB15_B15_ETB1d_B1d_ETB1n_B1n_ETB1x_B1x_ETB1H_B1H_ETB1R_B1R_ETB21_B21_ETB2b_B2b_ETB2l_B2l_ETB2v_B2v_ETB2F_B2F_ETB2P_B2P_ETB2Z_B2Z_ETB39_B39_ETB3j_B3j_ETB3t_B3t_ETB3D_B3D_EE";
	static const char cpp[] =
		"_Z1fI1aIiiES0_IS1_S1_ES0_IS2_S2_ES0_IS3_S3_ES0_IS4_S4_ES0_IS5_S5_ES0_IS6_S6_ES0_IS7_S7_ES0_IS8_S8_ES0_IS9_S9_ES0_ISA_SA_ES0_ISB_SB_ES0_ISC_SC_ES0_ISD_SD_ES0_ISE_SE_ES0_ISF_SF_ES0_ISG_SG_ES0_ISH_SH_ES0_ISI_SI_ES0_ISJ_SJ_ES0_ISK_SK_ES0_ISL_SL_ES0_ISM_SM_ES0_ISN_SN_ES0_ISO_SO_ES0_ISP_SP_EEvv";
	static const char packs[] =
		"_Z1fI1aIJEJEES0_IDpS1_DpS1_ES0_IDpS4_DpS4_ES0_IDpS7_DpS7_ES0_IDpSA_DpSA_ES0_IDpSD_DpSD_ES0_IDpSG_DpSG_ES0_IDpSJ_DpSJ_ES0_IDpSM_DpSM_ES0_IDpSP_DpSP_ES0_IDpSS_DpSS_ES0_IDpSV_DpSV_ES0_IDpSY_DpSY_ES0_IDpS11_DpS11_ES0_IDpS14_DpS14_ES0_IDpS17_DpS17_ES0_IDpS1A_DpS1A_ES0_IDpS1D_DpS1D_ES0_IDpS1G_DpS1G_ES0_IDpS1J_DpS1J_ES0_IDpS1M_DpS1M_ES0_IDpS1P_DpS1P_ES0_IDpS1S_DpS1S_ES0_IDpS1V_DpS1V_ES0_IDpS1Y_DpS1Y_ES0_IDpS21_DpS21_ES0_IDpS24_DpS24_ES0_IDpS27_DpS27_ES0_IDpS2A_DpS2A_ES0_IDpS2D_DpS2D_ES0_IDpS2G_DpS2G_EEvv";
	struct mp_demangler *d = mp_demangler_new();

	ok(demangles(d, "_ZNSt6vectorIiSaIiEE9push_backEOi",
		     "std::vector<int, std::allocator<int> >::push_back"),
	   "C++");
	ok(demangles(d, "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
	   "Rust, legacy");
	ok(demangles(d, "_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example"), "Rust, v0");
	ok(demangles(d, "_RNvC7mycrateu8gdel_5qa",
		     "mycrate::g\xc3\xb6"
		     "del"),
	   "Rust, v0, beyond ASCII");
	ok(demangles(d, "_D3std4math3absFdZd", "std.math.abs") && demangles(d, "_D4main", "") &&
		   demangles(d, "_D3std9__T3absTZd", "") &&
		   demangles(d, "_D999999999999999999999a", ""),
	   "D");
	ok(demangles(d, "main", "") && demangles(d, "_start", "") && demangles(d, "", "") &&
		   demangles(d, "_", "") && demangles(d, "_Z", "") && demangles(d, "_R", ""),
	   "not mangled");
	ok(is_limited(d, mp_strdup(rust)), "a name of Rust with 2^25 parts");
	ok(is_limited(d, mp_strdup("_RMC0FGzzzzzzzzz_EuC0")) &&
		   is_limited(d, mp_strdup("_RMIC0FGzzzzzzzzz_EuEu")) &&
		   is_limited(d, mp_strdup("_RMIC0FGzzzzzzzzz_EuENvC0u1ab")),
	   "names of Rust with 10^16 lifetimes, which are not printed");
	ok(is_limited(d, repeat("_Z", "cvT_ILZ", 60, "1a")), "C++: 60 levels of conversions");
	ok(is_limited(d, mp_strdup(cpp)), "C++: a name of 2^25 parts");
	ok(is_limited(d, mp_strdup(packs)), "C++: 2^30 empty lists");
	ok(is_limited(d, repeat("_Z", "N", 8000, "")) &&
		   is_limited(d, repeat("_Z1fP", "P", 8000, "i")),
	   "C++: 8,000 levels");
	ok(is_limited(d, repeat("_D", "1a", 4000, "F")) &&
		   is_limited(d, repeat("_D", "1aF", 2000, "Z")),
	   "D: 4,000 parts");
	ok(demangles(d, "_ZN1a1bEv", "a::b"), "after all of these it still works");
	mp_demangler_free(d);
}

enum { FILES = 2001 };

static struct mp_dso *fake_dso(void *arg, const struct mp_proc_map *map, struct mp_tasks *tasks,
			       struct mp_process *process)
{
	static struct mp_dso files[FILES];

	(void)arg, (void)tasks, (void)process;
	files[map->inode].number = (uint32_t)map->inode;
	return &files[map->inode];
}

static void map_at(struct mp_tasks *t, pid_t pid, uint64_t start, uint64_t len, uint64_t offset,
		   uint64_t file)
{
	struct mp_proc_map map = {
		.start = start, .end = start + len, .offset = offset, .inode = file, .path = ""
	};

	mp_tasks_mmap(t, pid, pid, &map);
}

/* Tests random operations by comparison with an array of pages. */
static void test_mappings(void)
{
	enum { PAGES = 200, FIRST = 1000000 };
	uint64_t file[PAGES] = { 0 }, offset[PAGES] = { 0 };
	struct mp_tasks t;
	bool same = true;
	int round, i;

	mp_tasks_init(&t, fake_dso, NULL);
	mp_tasks_comm(&t, FIRST, FIRST, MP_STR("x"), true, 0);
	srand(3);
	for (round = 1; round < FILES; round++) {
		const struct mp_space *space;
		int start = rand() % PAGES, len = 1 + rand() % (PAGES - start), at = rand() % 1000;

		map_at(&t, FIRST, start * 4096, len * 4096, at * 4096, round);
		for (i = start; i < start + len; i++) {
			file[i] = round;
			offset[i] = at + i - start;
		}
		space = mp_tasks_find(&t, FIRST)->process->space;
		for (i = 0; i < PAGES; i++) {
			const struct mp_mapping *m = mp_space_find(space, i * 4096 + 5);

			same &= m ? m->dso->number == file[i] &&
						i * 4096 - m->start + m->offset == offset[i] * 4096
				  : file[i] == 0;
		}
	}
	ok(same, "2,000 mappings over each other, against an array of pages");
	mp_tasks_release(&t);
}

static bool named(const struct mp_tasks *t, pid_t tid, const char *comm, pid_t pid)
{
	const struct mp_task *task = mp_tasks_find(t, tid);

	return task && task->comm_len == strlen(comm) &&
	       memcmp(task->comm, comm, task->comm_len) == 0 && task->process->pid == pid;
}

/* Uses pids above the kernel's limit, which /proc never has. */
static void test_tasks(void)
{
	enum { P = 5000000, Q = 5000001, T = 5000002 };
	const struct mp_space *shared;
	struct mp_tasks t;
	uint64_t id;

	mp_tasks_init(&t, fake_dso, NULL);
	mp_tasks_comm(&t, P, P, MP_STR("shell"), true, 0);
	map_at(&t, P, 0x1000, 0x1000, 0, 7);
	mp_tasks_fork(&t, P, T, P, P, 0);
	ok(named(&t, T, "shell", P), "a thread has the name and the process of its parent");
	mp_tasks_fork(&t, Q, Q, P, T, 0);
	shared = mp_tasks_find(&t, Q)->process->space;
	ok(named(&t, Q, "shell", Q) && shared == mp_tasks_find(&t, P)->process->space,
	   "a child shares the address space of its parent");
	id = shared->id;
	map_at(&t, Q, 0x5000, 0x1000, 0, 8);
	ok(mp_tasks_find(&t, Q)->process->space != shared &&
		   mp_tasks_find(&t, P)->process->space->id == id &&
		   mp_space_find(mp_tasks_find(&t, Q)->process->space, 0x1800) &&
		   !mp_space_find(mp_tasks_find(&t, P)->process->space, 0x5800),
	   "until it changes it");
	id = mp_tasks_find(&t, P)->process->space->id;
	map_at(&t, P, 0x7000, 0x1000, 0, 9);
	ok(mp_tasks_find(&t, P)->process->space->id != id &&
		   mp_tasks_find(&t, T)->process->space->id != id,
	   "each change gives it a new id, for all its threads");
	mp_tasks_comm(&t, Q, Q, MP_STR("program"), true, 0);
	ok(named(&t, Q, "program", Q) && mp_tasks_find(&t, Q)->process->space->n == 0,
	   "exec gives a new name and an empty space");
	mp_tasks_comm(&t, P, T, MP_STR("wor\nker"), false, 0);
	ok(named(&t, T, "wor\nker", P) && named(&t, P, "shell", P), "a thread renames itself");
	mp_tasks_exit(&t, Q, 100);
	mp_tasks_prune(&t, 100);
	ok(named(&t, Q, "program", Q), "a dead task is known for a while");
	mp_tasks_prune(&t, 101);
	ok(!mp_tasks_find(&t, Q), "then forgotten");
	mp_tasks_fork(&t, Q, Q, P, P, 0);
	ok(named(&t, Q, "shell", Q) && mp_tasks_find(&t, Q)->dead_ns == 0,
	   "its pid may come again");
	ok(named(&t, mp_tasks_get(&t, 6000000, 6000001)->tid, ":6000001", 6000000),
	   "an unknown task is a number");
	mp_tasks_release(&t);
}

/*
 * Tests libraries of other architectures, made by tests/chain/make. `stubs` is the address that
 * objdump shows for "g@plt".
 */
static void test_plt(const char *path, uint64_t stubs)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct mp_elfsym *e = fd < 0 ? NULL : mp_elfsym_load(fd, NULL, NULL, &limit);
	const char *g, *end_of_g, *h, *before;
	uint64_t start;

	if (!e) {
		ok(false, "%s cannot be read", path);
		return;
	}
	g = mp_elfsym_find(e, stubs, &start);
	end_of_g = mp_elfsym_find(e, stubs + 15, &start);
	h = mp_elfsym_find(e, stubs + 16, &start);
	before = mp_elfsym_find(e, stubs - 1, &start);
	ok(g && end_of_g == g && strcmp(g, "g@plt") == 0 && h && strcmp(h, "h@plt") == 0 && !before,
	   "%s: stubs of the PLT", path);
	mp_elfsym_free(e);
	close(fd);
}

int main(void)
{
	mp_init("unit-symbols");
	test_plt("tests/chain/arm64.so", 0x240);
	test_plt("tests/chain/riscv64.so", 0x250);
	test_symtab();
	test_kallsyms();
	test_perfmap();
	test_demangle();
	test_mappings();
	test_tasks();
	return tap_done();
}
