/* elf_file.h - an ELF file: its segments, sections, build id and symbols, whatever its class and
 * byte order.
 *
 * libelf is made for files that a compiler wrote a moment ago; it takes locks, and copies what it
 * hands out. We read what others hand us, from several threads, and need little of it: so this is a
 * reader of our own over the mapped file. Nothing in it is trusted: offsets and sizes are checked
 * when they are used, and what lies outside of the file is not there. (DWARF is read by libdw, over
 * the same bytes: dwarf_walk.h.)
 *
 *     header ──► program headers   file offset -> address, notes
 *            └─► section headers   symbols, .debug_*, .eh_frame by name; packed ones are unpacked
 *
 * A file is not changed by reading, but for sections that are unpacked when they are first asked
 * for; so one thread at a time asks for sections. */
#ifndef FLAMEL_SYMBOL_ELF_ELF_FILE_H
#define FLAMEL_SYMBOL_ELF_ELF_FILE_H

#include "symbol/elf/build_id.h"

struct flm_code_maker;

struct flm_elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_size, memory_size, alignment;
};

struct flm_elf_section {
    struct flm_bytes name;
    uint32_t type, link, info;
    uint64_t flags, address, offset, size, entry_size, alignment;
    char *unpacked; /* owned; NULL until it is asked for */
    size_t unpacked_size;
};

/* Which file it is, and which state of it: equal ones are the same bytes. All 0: none on disk. */
struct flm_elf_identity {
    uint64_t device, inode, size;
    int64_t changed_ns;
};

struct flm_elf_file {
    struct flm_bytes image;
    struct flm_elf_identity identity;
    bool is_wide;           /* of 64 bits */
    bool swapped;           /* its numbers are the other way round than ours */
    uint16_t type, machine; /* ET_, EM_ of <elf.h> */
    struct flm_build_id build_id;
    struct flm_elf_segment *segments;
    struct flm_elf_section *sections;
    size_t segment_count, section_count;
    void *mapping; /* NULL: the image is the caller's, or `owned` */
    char *owned;
};

/* The file at a path, mapped. NULL, and `why`, when it cannot be read (FLM_ERROR_SYSTEM), is no ELF
 * file (FLM_ERROR_FORMAT), or memory ran out. Only regular files are opened, so none waits. */
struct flm_elf_file *flm_elf_open(const char *path, struct flm_error *why);

/* The same of a descriptor, which stays the caller's; `path` is for messages. */
struct flm_elf_file *flm_elf_open_descriptor(int descriptor, const char *path,
                                             struct flm_error *why);

/* The same of bytes, which outlive it. */
struct flm_elf_file *flm_elf_new(struct flm_bytes image, struct flm_error *why);
void flm_elf_free(struct flm_elf_file *file);

/* Gives the memory that its pages take back to the system: who asks again reads them again, from
 * the file. Nobody may hold a handle of libelf's on it, which writes to them. */
void flm_elf_rest(const struct flm_elf_file *file);

bool flm_elf_is_same(const struct flm_elf_file *a, const struct flm_elf_file *b);

/* The address of a byte of the file, by its PT_LOAD segments. */
bool flm_elf_address(const struct flm_elf_file *file, uint64_t offset, uint64_t *address);

/* The first section of that name; ".debug_info" also finds ".zdebug_info". NULL: there is none. */
struct flm_elf_section *flm_elf_section(const struct flm_elf_file *file, const char *name);

/* What is in a section, unpacked; empty for NULL, for one without bytes, and for one that cannot be
 * read. The bytes are the file's. */
struct flm_bytes flm_elf_bytes(const struct flm_elf_file *file, struct flm_elf_section *section);

/* A number of `size` bytes (1, 2, 4, 8) at a place of the file's, in its byte order. */
uint64_t flm_elf_number(const struct flm_elf_file *file, const char *at, size_t size);

/* The build id among notes that are not in a file, of this machine: /sys/kernel/notes. */
bool flm_elf_notes_build_id(struct flm_bytes notes, struct flm_build_id *id);

/* ---- What it knows about itself -------------------------------------------------------------- */

/* Whether it has .debug_info, or a .symtab, with bytes. */
bool flm_elf_has_debug_info(const struct flm_elf_file *file);
bool flm_elf_has_symbols(const struct flm_elf_file *file);

/* .gnu_debuglink: the name of the file with its debug information, and that one's CRC. */
bool flm_elf_debug_link(const struct flm_elf_file *file, struct flm_bytes *name, uint32_t *crc);

/* .gnu_debugaltlink: the file with what several have in common (dwz), and its build id. */
bool flm_elf_alternate_link(const struct flm_elf_file *file, struct flm_bytes *name,
                            struct flm_build_id *id);

/* ---- Symbols: elf_symbols.c ------------------------------------------------------------------ */

/* Says where the code is, which is where functions end. */
void flm_elf_add_sections(const struct flm_elf_file *file, struct flm_code_maker *maker);

enum flm_elf_table {
    FLM_ELF_SYMTAB, /* all that it defines */
    FLM_ELF_DYNSYM, /* what it exports */
    FLM_ELF_PLT     /* its ways out, named "puts@plt"; x86-64 and arm64 */
};

/* Adds the functions of a table; returns how many. Names are as the file has them. Of symbols that
 * share an address the rank decides as perf does: one with a size, then strong ones, then global
 * ones, then the fewest underscores. */
size_t flm_elf_add_symbols(const struct flm_elf_file *file, enum flm_elf_table table,
                           struct flm_code_maker *maker);

/* .gnu_debugdata: the symbols that Fedora leaves in a stripped file, as a small ELF file packed by
 * xz. NULL where there are none, or nothing that unpacks xz. */
struct flm_elf_file *flm_elf_mini_symbols(const struct flm_elf_file *file);

#endif
