// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/object/demangle.h"
#include "lib/capture/object/elfsym.h"
#include "lib/capture/object/kallsyms.h"
#include "lib/capture/object/perfmap.h"
#include "lib/capture/stack/task.h"
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

	mp_kallsyms_parse(&t, MP_STR("ffffffff81000000 T _stext\n"
				     "ffffffff81000100 t helper\t[some_module]\n"
				     "ffffffff81000200 D data\n"
				     "ffffffff81000300 W weak_one\n"
				     "nonsense\n\n"
				     "0000000000000000 T hidden\n"
				     "ffffffff81000400 T last"));
	mp_symtab_sort(&t, false);
	ok(t.n == 4 && found(&t, 0xffffffff81000001, "_stext") &&
		   found(&t, 0xffffffff81000150, "helper") &&
		   found(&t, 0xffffffff810003ff, "weak_one") &&
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

static void test_demangle(void)
{
	char *name = mp_demangle("_ZNSt6vectorIiSaIiEE9push_backEOi");

	ok(name && strcmp(name, "std::vector<int, std::allocator<int> >::push_back") == 0,
	   "C++: %s", name);
	free(name);
	name = mp_demangle("_ZN4core3fmt5write17h0123456789abcdefE");
	ok(name && strcmp(name, "core::fmt::write") == 0, "Rust, legacy: %s", name);
	free(name);
	name = mp_demangle("_RNvCs15kBYyAo9fc_7mycrate7example");
	ok(name && strcmp(name, "mycrate::example") == 0, "Rust, v0: %s", name);
	free(name);
	ok(!mp_demangle(
		   "_RINvC1a1fTmmETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_ETBH_BH_ETBP_BP_ETBX_BX_ETB15_B15_ETB1d_B1d_ETB1n_B1n_ETB1x_B1x_ETB1H_B1H_ETB1R_B1R_ETB21_B21_ETB2b_B2b_ETB2l_B2l_ETB2v_B2v_ETB2F_B2F_ETB2P_B2P_ETB2Z_B2Z_ETB39_B39_ETB3j_B3j_ETB3t_B3t_ETB3D_B3D_EE"),
	   "a name of 2^25 parts");
	ok(!mp_demangle("main") && !mp_demangle("_start") && !mp_demangle("") && !mp_demangle("_"),
	   "not mangled");
}

static struct mp_dso *fake_dso(void *arg, const struct mp_proc_map *map, pid_t pid)
{
	(void)arg;
	(void)pid;
	return (struct mp_dso *)(uintptr_t)map->inode;
}

static void map_at(struct mp_tasks *t, pid_t pid, uint64_t start, uint64_t len, uint64_t offset,
		   uint64_t file)
{
	struct mp_proc_map map = {
		.start = start, .end = start + len, .offset = offset, .inode = file, .path = ""
	};

	mp_tasks_mmap(t, pid, pid, &map);
}

/* Random operations, compared with an array of pages. */
static void test_mappings(void)
{
	enum { PAGES = 200, FIRST = 1000000 };
	uint64_t file[PAGES] = { 0 }, offset[PAGES] = { 0 };
	struct mp_tasks t;
	bool same = true;
	int round, i;

	mp_tasks_init(&t, fake_dso, NULL);
	mp_tasks_comm(&t, FIRST, FIRST, MP_STR("x"), true);
	srand(3);
	for (round = 1; round <= 2000; round++) {
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

			same &= m ? (uintptr_t)m->dso == file[i] &&
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

/* Pids above the kernel's limit, which /proc never has. */
static void test_tasks(void)
{
	enum { P = 5000000, Q = 5000001, T = 5000002 };
	const struct mp_space *shared;
	struct mp_tasks t;
	uint64_t id;

	mp_tasks_init(&t, fake_dso, NULL);
	mp_tasks_comm(&t, P, P, MP_STR("shell"), true);
	map_at(&t, P, 0x1000, 0x1000, 0, 7);
	mp_tasks_fork(&t, P, T, P, P);
	ok(named(&t, T, "shell", P), "a thread has the name and the process of its parent");
	mp_tasks_fork(&t, Q, Q, P, T);
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
	mp_tasks_comm(&t, Q, Q, MP_STR("program"), true);
	ok(named(&t, Q, "program", Q) && mp_tasks_find(&t, Q)->process->space->n == 0,
	   "exec gives a new name and an empty space");
	mp_tasks_comm(&t, P, T, MP_STR("wor\nker"), false);
	ok(named(&t, T, "wor\nker", P) && named(&t, P, "shell", P), "a thread renames itself");
	mp_tasks_exit(&t, Q, 100);
	mp_tasks_prune(&t, 100);
	ok(named(&t, Q, "program", Q), "a dead task is known for a while");
	mp_tasks_prune(&t, 101);
	ok(!mp_tasks_find(&t, Q), "then forgotten");
	mp_tasks_fork(&t, Q, Q, P, P);
	ok(named(&t, Q, "shell", Q) && mp_tasks_find(&t, Q)->dead_ns == 0,
	   "its pid may come again");
	ok(named(&t, mp_tasks_get(&t, 6000000, 6000001)->tid, ":6000001", 6000000),
	   "an unknown task is a number");
	mp_tasks_release(&t);
}

/*
 * Libraries of other architectures, made by tests/chain/make; `stubs`: the address of "g@plt" in
 * objdump.
 */
static void test_plt(const char *path, uint64_t stubs)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct mp_elfsym *e = fd < 0 ? NULL : mp_elfsym_load(fd, NULL, NULL);
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
