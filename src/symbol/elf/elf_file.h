/* elf_file.h - an ELF file: its segments, sections, build id and symbols, whatever its class and
 * byte order.
 *
 * libelf is made for files that a compiler has just written; it takes locks and copies what it
 * returns. We read files of any origin, from several threads, and need little of them: so this is a
 * reader of our own over the mapped file. Nothing in it is trusted: offsets and sizes are checked
 * when they are used, and parts outside of the file are treated as missing. (libdw reads the DWARF,
 * over the same bytes: dwarf/walk.h.)
 *
 *     header ──► program headers   file offset -> address, notes
 *            └─► section headers   symbols, .debug_*, .eh_frame by name, decompressed
 *
 * Reading changes a file only in that a section is decompressed by the first access; so only one
 * thread at a time may access the bytes of sections. */
#ifndef FLAMEL_SYMBOL_ELF_ELF_FILE_H
#define FLAMEL_SYMBOL_ELF_ELF_FILE_H

#include "symbol/identity/build_id.h"
#include "symbol/identity/machine.h"

struct flm_code_maker;

struct flm_elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_size, memory_size, alignment;
};

struct flm_elf_section {
    struct flm_bytes name;
    uint32_t type, link, info;
    uint64_t flags, address, offset, size, entry_size, alignment;
    char *unpacked; /* owned; NULL until the first access */
    size_t unpacked_size;
};

/* A file and its version: equal identities are equal bytes. All 0: it is not on disk. */
struct flm_elf_identity {
    uint64_t device, inode, size;
    uint64_t generation; /* of the inode; 0: the file system does not say */
    int64_t changed_ns;
};

struct flm_elf_file {
    struct flm_bytes image;
    struct flm_elf_identity identity;
    bool is_wide;           /* 64 bits */
    bool swapped;           /* its byte order is not this machine's */
    uint16_t type, machine; /* ET_, EM_ of <elf.h> */
    struct flm_build_id build_id;
    struct flm_elf_segment *segments;
    struct flm_elf_section *sections;
    size_t segment_count, section_count;
    void *mapping; /* NULL: the image is the caller's, or `owned` */
    char *owned;
};

/* Maps the file at a path. NULL, and `why`, when it cannot be read (FLM_ERROR_SYSTEM), is not an
 * ELF file (FLM_ERROR_FORMAT), or memory ran out. Never blocks: only regular files are read. */
struct flm_elf_file *flm_elf_open(const char *path, struct flm_error *why);

/* The same for a descriptor, which the caller keeps; `path` is for messages. */
struct flm_elf_file *flm_elf_open_descriptor(int descriptor, const char *path,
                                             struct flm_error *why);

/* The same for bytes in memory, which outlive it. */
struct flm_elf_file *flm_elf_new(struct flm_bytes image, struct flm_error *why);
void flm_elf_free(struct flm_elf_file *file);

/* Returns the memory of its pages to the system; a later access reads them from the file again.
 * There must be no handle of libelf on the file, which writes to the pages. */
void flm_elf_release_pages(const struct flm_elf_file *file);

/* The machine whose code it has. */
enum flm_machine flm_elf_machine(const struct flm_elf_file *file);

bool flm_elf_is_same(const struct flm_elf_file *a, const struct flm_elf_file *b);

/* The address that the PT_LOAD segments give to an offset in the file. False: none. */
bool flm_elf_address(const struct flm_elf_file *file, uint64_t offset, uint64_t *address);

/* The first section with that name; ".debug_info" also finds ".zdebug_info". NULL: none. */
struct flm_elf_section *flm_elf_section(const struct flm_elf_file *file, const char *name);

/* The decompressed contents of a section; empty for NULL, a section without bytes, and one that
 * cannot be read. The file owns the bytes. */
struct flm_bytes flm_elf_bytes(const struct flm_elf_file *file, struct flm_elf_section *section);

/* The number of `size` bytes (1, 2, 4, 8) at `at`, in the byte order of the file. */
uint64_t flm_elf_number(const struct flm_elf_file *file, const char *at, size_t size);

/* The build id in notes that are not in a file, in this machine's byte order: /sys/kernel/notes. */
bool flm_elf_notes_build_id(struct flm_bytes notes, struct flm_build_id *id);

/* ---- Debug information ----------------------------------------------------------------------- */

/* Whether it has a .debug_info, or a .symtab, that is not empty. */
bool flm_elf_has_debug_info(const struct flm_elf_file *file);
bool flm_elf_has_symbols(const struct flm_elf_file *file);

/* .gnu_debuglink: the name and the CRC of the separate debug file. */
bool flm_elf_debug_link(const struct flm_elf_file *file, struct flm_bytes *name, uint32_t *crc);

/* .gnu_debugaltlink: the file that dwz moved common parts of several debug files to, and its build
 * id. */
bool flm_elf_alternate_link(const struct flm_elf_file *file, struct flm_bytes *name,
                            struct flm_build_id *id);

/* ---- Symbols: elf_symbols.c ------------------------------------------------------------------ */

/* Adds the executable sections, at whose ends functions end. */
void flm_elf_add_sections(const struct flm_elf_file *file, struct flm_code_maker *maker);

enum flm_elf_table {
    FLM_ELF_SYMTAB, /* all functions that it defines */
    FLM_ELF_DYNSYM, /* those that it exports */
    FLM_ELF_PLT     /* stubs of the procedure linkage table, "puts@plt"; x86-64 and arm64 */
};

/* Adds the functions of a table, with mangled names and without versions; returns how many. Of
 * symbols that share an address code_table.h selects one. */
size_t flm_elf_add_symbols(const struct flm_elf_file *file, enum flm_elf_table table,
                           struct flm_code_maker *maker);

/* Finds functions by their names in .symtab, or in .dynsym if it was stripped: `found` receives for
 * each name its range, {0, 0} if there is none. A function without a size has `least` bytes. */
struct flm_elf_range {
    uint64_t start, end;
};
void flm_elf_find_functions(const struct flm_elf_file *file, const char *const *names, size_t count,
                            uint64_t least, struct flm_elf_range *found);

/* The ranges of all functions in these tables, in an array that the caller frees; those without a
 * size are empty. NULL when there are none, or memory ran out. */
struct flm_elf_range *flm_elf_list_functions(const struct flm_elf_file *file, size_t *count);

/* Functions and variables with their names, by address, in an array that the caller frees, NULL
 * where there are none; the names are the file's, mangled. False: memory ran out. */
struct flm_elf_named {
    uint64_t start, end; /* equal: its size is not known */
    struct flm_bytes name;
    bool is_function;
};
bool flm_elf_list_symbols(const struct flm_elf_file *file, struct flm_elf_named **symbols,
                          size_t *count);

/* The same, one after the other, without an array: first those that are exported, then all. One
 * that is in both tables comes twice. */
typedef void (*flm_elf_visit)(void *context, const struct flm_elf_named *symbol);
void flm_elf_visit_symbols(const struct flm_elf_file *file, flm_elf_visit visit, void *context);

/* ---- Go: what its runtime knows, stripped or not --------------------------------------------- */

/* Whether it was made by the Go compiler: go_table.c. */
bool flm_elf_is_go(const struct flm_elf_file *file);

/* From its first function to the end of its last one: there may be C before and after. False when
 * there are none. */
bool flm_elf_go_range(const struct flm_elf_file *file, struct flm_elf_range *range);

/* Adds its functions; with flm_elf_add_go_code also their lines and what is inlined into them, of
 * programs of Go 1.16 (lines) and 1.18 (inlined). Both return how many. */
size_t flm_elf_add_go_functions(const struct flm_elf_file *file, struct flm_code_maker *maker);
size_t flm_elf_add_go_code(const struct flm_elf_file *file, struct flm_code_maker *maker);

/* Appends a .debug_frame of its functions, as Go's linker makes it: x86-64 and arm64, Go 1.16 and
 * newer. False: there is none, or memory ran out. */
struct flm_text;
bool flm_elf_add_go_frames(const struct flm_elf_file *file, struct flm_text *out);

/* ---- Symbols in a stripped file -------------------------------------------------------------- */

/* .gnu_debugdata: the symbols that Fedora leaves in a stripped file, as a small ELF file in xz.
 * NULL when there is none, or liblzma is missing. */
struct flm_elf_file *flm_elf_mini_symbols(const struct flm_elf_file *file);

#endif
