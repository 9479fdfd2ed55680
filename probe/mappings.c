/* mappings.c - which file is mapped where: readers find names of addresses by it. Runs inside
 * malloc, but for flm_mappings_add.
 *
 * All that are mapped are added when measuring begins and whenever the file is written: a program
 * that is killed cannot do it later. Not when a forked child begins: that may be inside malloc, and
 * a thread of its parent may have had a lock of the dynamic linker. Others are added when their
 * code is first seen in a stack, so one that is unloaded later is known. */
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "mappings.h"

enum { MOST_KNOWN = 1024, PAGE = 4096 };

/* Of a program with more, the rest is not known. */
static struct {
    uint32_t run, count;
    struct {
        uintptr_t start;
        uint64_t name;
    } file[MOST_KNOWN];
} known;

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 1;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return hash;
}

static void read_build_id(uintptr_t at, uintptr_t end, struct flm_probe_mapping *mapping)
{
    enum { ALIGNMENT = 4 };
    while (end - at > sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at; // NOLINT(performance-no-int-to-ptr)
        uintptr_t name = at + sizeof *note;
        uintptr_t text = name + (note->n_namesz + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        uintptr_t next = text + (note->n_descsz + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (next > end || next <= at)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            memcmp((const void *)name, "GNU", 4) == 0 && // NOLINT(performance-no-int-to-ptr)
            note->n_descsz <= sizeof mapping->build_id) {
            memcpy(mapping->build_id, (const void *)text, note->n_descsz); // NOLINT
            mapping->build_id_size = note->n_descsz;
        }
        at = next;
    }
}

static void add(const struct flm_probe_mapping *mapping, const char *path)
{
    struct flm_arena *arena = &flm_run.arena;
    size_t size = strlen(path);
    uint64_t text = flm_arena_add_text(arena, path, size);
    uint32_t place = text > 0 ? flm_arena_take(arena, sizeof *mapping) : 0;
    if (place == 0)
        return;
    struct flm_probe_mapping *to = flm_arena_at(arena, place);
    *to = *mapping;
    to->path = text;
    to->path_size = (uint32_t)size;
    to->next = arena->header->first_mapping;
    __atomic_store_n(&arena->header->first_mapping, place, __ATOMIC_RELEASE);
}

/* Its segments with code; the build id is that of the file. */
static void add_file(const unsigned char *start, const char *path)
{
    const ElfW(Ehdr) *head = (const void *)start;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phentsize != sizeof(ElfW(Phdr)) ||
        head->e_phoff + head->e_phnum * sizeof(ElfW(Phdr)) > PAGE)
        return;
    const ElfW(Phdr) *part = (const void *)(start + head->e_phoff);
    struct flm_probe_mapping mapping = {0};
    uintptr_t bias = 0;
    bool has_bias = false;
    for (int i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_LOAD && !has_bias) {
            bias = (uintptr_t)start - part[i].p_vaddr / PAGE * PAGE;
            has_bias = true;
        }
    for (int i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_NOTE && mapping.build_id_size == 0)
            read_build_id(bias + part[i].p_vaddr, bias + part[i].p_vaddr + part[i].p_memsz,
                          &mapping);
    for (int i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_LOAD && (part[i].p_flags & PF_X)) {
            mapping.start = bias + part[i].p_vaddr / PAGE * PAGE;
            mapping.end = bias + part[i].p_vaddr + part[i].p_memsz;
            mapping.offset = part[i].p_offset / PAGE * PAGE;
            add(&mapping, path);
        }
}

void flm_mapping_of(const void *start, const char *name)
{
    char program[FLM_MOST_PATH];
    uint64_t hash = hash_of(name);
    flm_lock();
    if (known.run != flm_run.number) {
        known.run = flm_run.number;
        known.count = 0;
    }
    for (uint32_t i = 0; i < known.count; i++)
        if (known.file[i].start == (uintptr_t)start && known.file[i].name == hash) {
            flm_unlock();
            return;
        }
    if (known.count == MOST_KNOWN) {
        flm_unlock();
        return;
    }
    known.file[known.count].start = (uintptr_t)start;
    known.file[known.count++].name = hash;
    ssize_t size = *name ? 0 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (size > 0) {
        program[size] = 0;
        name = program;
    }
    add_file(start, name);
    flm_unlock();
}

static int add_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr / PAGE * PAGE;
            flm_mapping_of((const void *)start, info->dlpi_name); // NOLINT
            break;
        }
    return 0;
}

void flm_mappings_add(void)
{
    dl_iterate_phdr(add_loaded, NULL);
}
