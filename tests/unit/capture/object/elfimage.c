// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of an ELF file: what it states is checked against its size and the limit before it is
 * read.
 */
#include "lib/capture/object/elfimage.h"

#include "tests/unit/tap.h"

enum { SECTIONS = 4, SIZE = 4096, STRINGS = 512 };

/* A file with an empty section, a section of 64 bytes, one with strings, and one with notes. */
struct image {
	Elf64_Ehdr head;
	Elf64_Shdr sections[SECTIONS];
	char rest[SIZE];
};

static struct image make(void)
{
	struct image m = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_machine = EM_X86_64,
			.e_shoff = offsetof(struct image, sections),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = SECTIONS,
		},
	};

	m.sections[1] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				      .sh_offset = offsetof(struct image, rest),
				      .sh_size = 64 };
	m.sections[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct image, rest),
				      .sh_size = STRINGS };
	memcpy(m.rest, "\0name", 5);
	memset(m.rest + 100, 'x', STRINGS - 100);
	return m;
}

static bool load(const struct image *m, size_t number, size_t bytes, struct mp_limit *limit)
{
	struct mp_elf_image e;
	struct mp_elf_data data;
	bool loaded;

	*limit = (struct mp_limit){ .bytes = bytes };
	if (!mp_elf_image_init(&e, -1, m, sizeof(*m), limit))
		return false;
	loaded = mp_elf_load(&e, mp_elf_section(&e, number), "what", &data);
	mp_elf_drop(&e, &data);
	mp_elf_image_release(&e);
	return loaded && limit->bytes == bytes;
}

static void test_sizes(void)
{
	struct image m = make();
	struct mp_limit limit;

	ok(load(&m, 1, 64, &limit) && !limit.reason,
	   "a section within the limit, which is given back");
	ok(!load(&m, 1, 63, &limit) && limit.reason && limit.bytes == 63, "one above the limit");
	ok(!load(&m, 0, 64, &limit) && !load(&m, SECTIONS, 64, &limit) && !limit.reason,
	   "one that is empty, or does not exist");
	m.sections[1].sh_size = SIZE + 1;
	ok(!load(&m, 1, SIZE * 2, &limit) && !limit.reason, "one that is longer than the file");
	m.sections[1].sh_offset = UINT64_MAX - 10;
	ok(!load(&m, 1, SIZE * 2, &limit), "one beyond the file");
	m.head.e_shnum = 5000;
	ok(!load(&m, 1, SIZE * 2, &limit) && limit.reason, "too many sections");
	m.head.e_shnum = 0;
	m.sections[0].sh_size = 1u << 31;
	ok(!load(&m, 1, SIZE * 2, &limit) && limit.reason,
	   "too many sections for the field of the header");
	m.head.e_shnum = 0xff;
	ok(!load(&m, 1, SIZE * 2, &limit) && !limit.reason,
	   "section headers beyond the file are none");
	m.head.e_ident[EI_DATA] = ELFDATA2MSB;
	ok(!load(&m, 1, 64, &limit), "of another byte order");
}

static void test_strings(void)
{
	struct image m = make();
	struct mp_elf_data strings = { (uint8_t *)m.rest, STRINGS }, none = { NULL, 0 };

	ok(mp_str_eq(mp_elf_string(&strings, 1), MP_STR("name")), "a string");
	ok(mp_elf_string(&strings, 200).len == STRINGS - 200,
	   "one without NUL ends with its section");
	ok(mp_elf_string(&strings, STRINGS).len == 0 && mp_elf_string(&none, 7).len == 0,
	   "one beyond its section is empty");
}

static void test_notes(void)
{
	static const char notes[] =
		"\4\0\0\0\3\0\0\0\3\0\0\0GNU\0abc\0\4\0\0\0\377\377\377\377\3\0\0\0GNU\0abc";
	struct mp_bytes b = { (const uint8_t *)notes, (const uint8_t *)notes + sizeof(notes) - 1,
			      false };
	struct mp_elf_note note;

	ok(mp_elf_next_note(&b, 4, &note) && note.type == 3 &&
		   mp_str_eq(note.name, MP_STR("GNU")) && mp_str_eq(note.desc, MP_STR("abc")),
	   "a note");
	ok(!mp_elf_next_note(&b, 4, &note), "one that is longer than its section");
}

int main(void)
{
	mp_init("unit-elfimage");
	test_sizes();
	test_strings();
	test_notes();
	return tap_done();
}
