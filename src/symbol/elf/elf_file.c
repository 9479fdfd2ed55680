#include "symbol/elf/elf_file.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/regular_file.h"
#include "symbol/elf/unpack.h"

static bool is_big_here(void)
{
    const uint16_t one = 1;
    return *(const char *)&one == 0;
}

uint64_t flm_elf_number(const struct flm_elf_file *file, const char *at, size_t size)
{
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t wide;
    switch (size) {
    case 1:
        memcpy(&byte, at, sizeof byte);
        return byte;
    case 2:
        memcpy(&half, at, sizeof half);
        return file->swapped ? __builtin_bswap16(half) : half;
    case 4:
        memcpy(&word, at, sizeof word);
        return file->swapped ? __builtin_bswap32(word) : word;
    default:
        memcpy(&wide, at, sizeof wide);
        return file->swapped ? __builtin_bswap64(wide) : wide;
    }
}

static bool is_inside(const struct flm_elf_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->image.size && size <= file->image.size - offset;
}

/* Reads the fields of a header in order; a word is as wide as an address. */
struct fields {
    const struct flm_elf_file *file;
    const char *at;
};

static uint64_t take(struct fields *fields, size_t size)
{
    const char *at = fields->at;
    fields->at += size;
    return flm_elf_number(fields->file, at, size);
}

static uint64_t take_word(struct fields *fields)
{
    return take(fields, fields->file->is_wide ? 8 : 4);
}

struct tables {
    uint64_t segments, sections, segment_count, section_count, names;
};

static struct flm_elf_section section_at(const struct flm_elf_file *file, uint64_t offset,
                                         uint32_t *name)
{
    struct fields f = {file, file->image.at + offset};
    struct flm_elf_section section = {0};
    *name = (uint32_t)take(&f, 4);
    section.type = (uint32_t)take(&f, 4);
    section.flags = take_word(&f);
    section.address = take_word(&f);
    section.offset = take_word(&f);
    section.size = take_word(&f);
    section.link = (uint32_t)take(&f, 4);
    section.info = (uint32_t)take(&f, 4);
    section.alignment = take_word(&f);
    section.entry_size = take_word(&f);
    return section;
}

static struct flm_elf_segment segment_at(const struct flm_elf_file *file, uint64_t offset)
{
    struct fields f = {file, file->image.at + offset};
    struct flm_elf_segment segment = {.type = (uint32_t)take(&f, 4)};
    if (file->is_wide)
        segment.flags = (uint32_t)take(&f, 4);
    segment.offset = take_word(&f);
    segment.address = take_word(&f);
    take_word(&f); /* the physical address */
    segment.file_size = take_word(&f);
    segment.memory_size = take_word(&f);
    if (!file->is_wide)
        segment.flags = (uint32_t)take(&f, 4);
    segment.alignment = take_word(&f);
    return segment;
}

/* The text at an offset of a string table; "" when that is outside of it. */
static struct flm_bytes text_at(struct flm_bytes texts, uint64_t offset)
{
    if (offset >= texts.size)
        return (struct flm_bytes){"", 0};
    const char *at = texts.at + offset;
    return (struct flm_bytes){at, strnlen(at, texts.size - offset)};
}

static bool read_header(struct flm_elf_file *file, struct tables *tables, struct flm_error *why)
{
    const char *at = file->image.at;
    if (file->image.size < EI_NIDENT || memcmp(at, ELFMAG, SELFMAG) != 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "not an ELF file");
    file->is_wide = at[EI_CLASS] == ELFCLASS64;
    file->swapped = (at[EI_DATA] == ELFDATA2MSB) != is_big_here();
    if ((at[EI_CLASS] != ELFCLASS64 && at[EI_CLASS] != ELFCLASS32) ||
        (at[EI_DATA] != ELFDATA2MSB && at[EI_DATA] != ELFDATA2LSB))
        return flm_error_set(why, FLM_ERROR_FORMAT, "an ELF file of an unknown class");
    size_t header = file->is_wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    if (file->image.size < header)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the ELF file ends in its header");

    struct fields f = {file, at + EI_NIDENT};
    file->type = (uint16_t)take(&f, 2);
    file->machine = (uint16_t)take(&f, 2);
    take(&f, 4);
    take_word(&f); /* the entry point */
    tables->segments = take_word(&f);
    tables->sections = take_word(&f);
    take(&f, 4);
    take(&f, 2);
    size_t segment_size = take(&f, 2);
    tables->segment_count = take(&f, 2);
    size_t section_size = take(&f, 2);
    tables->section_count = take(&f, 2);
    tables->names = take(&f, 2);

    size_t section_is = file->is_wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    size_t segment_is = file->is_wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (section_size != section_is || tables->sections == 0 ||
        !is_inside(file, tables->sections, section_is))
        tables->section_count = 0;
    else { /* numbers that are too large for the header are in the first section */
        uint32_t name;
        struct flm_elf_section first = section_at(file, tables->sections, &name);
        if (tables->section_count == 0)
            tables->section_count = first.size;
        if (tables->names == SHN_XINDEX)
            tables->names = first.link;
        if (tables->segment_count == PN_XNUM)
            tables->segment_count = first.info;
    }
    /* Headers past the end of the file are left out: a truncated file may still have something. */
    uint64_t room = tables->section_count ? (file->image.size - tables->sections) / section_is : 0;
    if (tables->section_count > room)
        tables->section_count = room;
    if (segment_size != segment_is || tables->segments > file->image.size)
        tables->segment_count = 0;
    room = tables->segment_count ? (file->image.size - tables->segments) / segment_is : 0;
    if (tables->segment_count > room)
        tables->segment_count = room;
    if (tables->section_count == 0 && tables->segment_count == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the ELF file has no segments and no sections");
    return true;
}

static bool read_tables(struct flm_elf_file *file, const struct tables *tables,
                        struct flm_error *why)
{
    size_t section_is = file->is_wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    size_t segment_is = file->is_wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    file->segments = calloc(tables->segment_count + 1, sizeof *file->segments);
    file->sections = calloc(tables->section_count + 1, sizeof *file->sections);
    uint32_t *names = malloc((tables->section_count + 1) * sizeof *names);
    if (!file->segments || !file->sections || !names) {
        free(names);
        return flm_error_memory(why);
    }
    for (uint64_t i = 0; i < tables->segment_count; i++)
        file->segments[file->segment_count++] = segment_at(file, tables->segments + i * segment_is);
    for (uint64_t i = 0; i < tables->section_count; i++)
        file->sections[file->section_count++] =
            section_at(file, tables->sections + i * section_is, &names[i]);
    struct flm_bytes texts = {0};
    if (tables->names < file->section_count)
        texts = flm_elf_bytes(file, &file->sections[tables->names]);
    for (size_t i = 0; i < file->section_count; i++)
        file->sections[i].name = text_at(texts, names[i]);
    free(names);
    return true;
}

/* A note has three numbers (the sizes of name and content, the type), the name, and the content. */
static bool find_build_id(const struct flm_elf_file *file, struct flm_bytes notes,
                          uint64_t alignment, struct flm_build_id *id)
{
    size_t step = alignment == 8 ? 8 : 4;
    while (notes.size >= 12) {
        uint64_t name_size = flm_elf_number(file, notes.at, 4);
        uint64_t size = flm_elf_number(file, notes.at + 4, 4);
        uint64_t kind = flm_elf_number(file, notes.at + 8, 4);
        uint64_t from = (12 + name_size + step - 1) / step * step;
        uint64_t next = (from + size + step - 1) / step * step;
        if (from + size > notes.size)
            return false;
        if (kind == NT_GNU_BUILD_ID && name_size == 4 && memcmp(notes.at + 12, "GNU", 4) == 0 &&
            size > 0 && size <= FLM_BUILD_ID_MOST) {
            *id = (struct flm_build_id){.size = (uint8_t)size};
            memcpy(id->bytes, notes.at + from, size);
            return true;
        }
        if (next >= notes.size)
            return false;
        notes = (struct flm_bytes){notes.at + next, notes.size - next};
    }
    return false;
}

/* Notes are short. A crafted file may declare all of itself as notes many times over. */
static bool is_worth_reading(uint64_t size, uint64_t *left)
{
    if (size > *left)
        return false;
    *left -= size;
    return true;
}

static void read_build_id(struct flm_elf_file *file)
{
    uint64_t left = 1 << 20;
    /* Sections first: the segments of a separate debug file are those of the program. */
    for (size_t i = 0; i < file->section_count; i++) {
        struct flm_elf_section *section = &file->sections[i];
        if (section->type == SHT_NOTE && !(section->flags & SHF_COMPRESSED) &&
            is_worth_reading(section->size, &left) &&
            find_build_id(file, flm_elf_bytes(file, section), section->alignment, &file->build_id))
            return;
    }
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct flm_elf_segment *segment = &file->segments[i];
        if (segment->type == PT_NOTE && is_inside(file, segment->offset, segment->file_size) &&
            is_worth_reading(segment->file_size, &left) &&
            find_build_id(file,
                          (struct flm_bytes){file->image.at + segment->offset, segment->file_size},
                          segment->alignment, &file->build_id))
            return;
    }
}

bool flm_elf_notes_build_id(struct flm_bytes notes, struct flm_build_id *id)
{
    const struct flm_elf_file ours = {0};
    return find_build_id(&ours, notes, 4, id);
}

struct flm_elf_file *flm_elf_new(struct flm_bytes image, struct flm_error *why)
{
    struct flm_elf_file *file = calloc(1, sizeof *file);
    struct tables tables = {0};
    if (!file) {
        flm_error_memory(why);
        return NULL;
    }
    assert(image.at || image.size == 0);
    file->image = image;
    if (!read_header(file, &tables, why) || !read_tables(file, &tables, why)) {
        flm_elf_free(file);
        return NULL;
    }
    read_build_id(file);
    return file;
}

static uint64_t find_generation(int descriptor)
{
    int generation = 0; /* the kernel writes an int, whatever the macro says */
    return ioctl(descriptor, FS_IOC_GETVERSION, &generation) == 0 ? (unsigned)generation : 0;
}

struct flm_elf_file *flm_elf_open_descriptor(int descriptor, const char *path,
                                             struct flm_error *why)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "%s: not a regular file", path);
        return NULL;
    }
    if (status.st_size == 0) {
        flm_error_set(why, FLM_ERROR_FORMAT, "%s: not an ELF file", path);
        return NULL;
    }
    size_t size = (size_t)status.st_size;
    /* Private and writable: libelf marks the sections that it has decompressed. */
    void *mapping =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    if (mapping == MAP_FAILED) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct flm_elf_file *file = flm_elf_new((struct flm_bytes){mapping, size}, why);
    if (file) {
        file->mapping = mapping;
        file->identity = (struct flm_elf_identity){
            .device = status.st_dev,
            .inode = status.st_ino,
            .generation = find_generation(descriptor),
            .size = size,
            .changed_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec};
    } else {
        munmap(mapping, size);
        flm_error_within(why, path);
    }
    return file;
}

struct flm_elf_file *flm_elf_open(const char *path, struct flm_error *why)
{
    int descriptor = flm_regular_file_open(path);
    if (descriptor < 0) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path,
                      errno == EINVAL ? "not a regular file" : strerror(errno));
        return NULL;
    }
    struct flm_elf_file *file = flm_elf_open_descriptor(descriptor, path, why);
    close(descriptor);
    return file;
}

void flm_elf_free(struct flm_elf_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->section_count; i++)
        free(file->sections[i].unpacked);
    if (file->mapping)
        munmap(file->mapping, file->image.size);
    free(file->owned);
    free(file->segments);
    free(file->sections);
    free(file);
}

void flm_elf_release_pages(const struct flm_elf_file *file)
{
    if (file->mapping)
        madvise(file->mapping, file->image.size, MADV_DONTNEED);
}

enum flm_machine flm_elf_machine(const struct flm_elf_file *file)
{
    return !file->is_wide                ? FLM_MACHINE_OTHER
           : file->machine == EM_X86_64  ? FLM_MACHINE_X86_64
           : file->machine == EM_AARCH64 ? FLM_MACHINE_ARM64
                                         : FLM_MACHINE_OTHER;
}

bool flm_elf_is_same(const struct flm_elf_file *a, const struct flm_elf_file *b)
{
    const struct flm_elf_identity *x = &a->identity, *y = &b->identity;
    return x->size > 0 && x->device == y->device && x->inode == y->inode &&
           x->generation == y->generation && x->size == y->size && x->changed_ns == y->changed_ns;
}

bool flm_elf_address(const struct flm_elf_file *file, uint64_t offset, uint64_t *address)
{
    bool found = false;
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct flm_elf_segment *segment = &file->segments[i];
        if (segment->type != PT_LOAD || offset < segment->offset ||
            offset - segment->offset >= segment->file_size)
            continue;
        /* Two segments may share a page of the file: prefer the one with code. */
        if (!found || segment->flags & PF_X)
            *address = segment->address + (offset - segment->offset);
        found = true;
        if (segment->flags & PF_X)
            break;
    }
    return found;
}

struct flm_elf_section *flm_elf_section(const struct flm_elf_file *file, const char *name)
{
    for (size_t i = 0; i < file->section_count; i++) {
        struct flm_bytes here = file->sections[i].name;
        if (flm_bytes_are(here, name))
            return &file->sections[i];
        if (flm_bytes_start_with(here, ".zdebug_") &&
            flm_bytes_start_with(flm_bytes_of(name), ".debug_") &&
            flm_bytes_are((struct flm_bytes){here.at + 2, here.size - 2}, name + 1))
            return &file->sections[i];
    }
    return NULL;
}

struct flm_bytes flm_elf_bytes(const struct flm_elf_file *file, struct flm_elf_section *section)
{
    const struct flm_bytes nothing = {"", 0};
    if (!section || section->type == SHT_NOBITS || section->type == SHT_NULL ||
        !is_inside(file, section->offset, section->size))
        return nothing;
    struct flm_bytes bytes = {file->image.at + section->offset, section->size};
    bool is_old = flm_bytes_start_with(section->name, ".zdebug_");
    if (!(section->flags & SHF_COMPRESSED) && !is_old)
        return bytes;
    if (!section->unpacked)
        section->unpacked = flm_elf_unpack(file, bytes, is_old, &section->unpacked_size);
    return section->unpacked ? (struct flm_bytes){section->unpacked, section->unpacked_size}
                             : nothing;
}

static bool has_bytes(const struct flm_elf_file *file, const struct flm_elf_section *section)
{
    return section && section->type != SHT_NOBITS && section->size > 0 &&
           is_inside(file, section->offset, section->size);
}

bool flm_elf_has_debug_info(const struct flm_elf_file *file)
{
    return has_bytes(file, flm_elf_section(file, ".debug_info"));
}

bool flm_elf_has_symbols(const struct flm_elf_file *file)
{
    for (size_t i = 0; i < file->section_count; i++)
        if (file->sections[i].type == SHT_SYMTAB && has_bytes(file, &file->sections[i]))
            return true;
    return false;
}

bool flm_elf_debug_link(const struct flm_elf_file *file, struct flm_bytes *name, uint32_t *crc)
{
    struct flm_bytes bytes = flm_elf_bytes(file, flm_elf_section(file, ".gnu_debuglink"));
    size_t size = strnlen(bytes.at, bytes.size), from = (size + 4) / 4 * 4;
    if (size == 0 || from + 4 > bytes.size)
        return false;
    *name = (struct flm_bytes){bytes.at, size};
    *crc = (uint32_t)flm_elf_number(file, bytes.at + from, 4);
    return true;
}

bool flm_elf_alternate_link(const struct flm_elf_file *file, struct flm_bytes *name,
                            struct flm_build_id *id)
{
    struct flm_bytes bytes = flm_elf_bytes(file, flm_elf_section(file, ".gnu_debugaltlink"));
    size_t size = strnlen(bytes.at, bytes.size);
    if (size == 0 || size + 1 >= bytes.size || bytes.size - size - 1 > FLM_BUILD_ID_MOST)
        return false;
    *name = (struct flm_bytes){bytes.at, size};
    *id = (struct flm_build_id){.size = (uint8_t)(bytes.size - size - 1)};
    memcpy(id->bytes, bytes.at + size + 1, id->size);
    return true;
}
