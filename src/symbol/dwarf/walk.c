#include "symbol/dwarf/walk.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/regular_file.h"
#include "os/thread/threads.h"
#include "symbol/dwarf/entries.h"
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

/* The state of one thread. */
struct walker {
    Dwarf *dwarf, *alternate;
    struct flm_dwarf_entries *entries;
    struct flm_code_maker *maker;
    struct flm_line_files files; /* of the unit */
    struct flm_dwarf_report report;
};

/* ---- Units ----------------------------------------------------------------------------------- */

static struct flm_bytes section_bytes(Elf *elf, const char *wanted)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return (struct flm_bytes){0};
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        /* Older GNU tools named a compressed section .zdebug_line. */
        if (!name || (strcmp(name, wanted) != 0 &&
                      (strncmp(name, ".zdebug", 7) != 0 || strcmp(name + 2, wanted + 1) != 0)))
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf && !(header.sh_flags & SHF_COMPRESSED))
            return (struct flm_bytes){data->d_buf, data->d_size};
    }
    return (struct flm_bytes){0};
}

/* The units of a file, in chunks; shared by all threads, which only read it. */
struct work {
    struct walker **walkers;        /* by thread */
    const Dwarf_Off *units;         /* the first entry of each unit */
    const size_t *chunks;           /* the first unit of each; then the number of units */
    struct flm_code_maker **makers; /* by chunk */
    size_t chunk_count;
    atomic_size_t next_chunk;
    struct flm_line_sections lines;
};

static struct flm_bytes string_of(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    const char *text = dwarf_formstring(dwarf_attr(entry, name, &attribute));
    return text ? flm_bytes_of(text) : (struct flm_bytes){0};
}

/* The name of the file that has the rest of a skeleton. */
static struct flm_bytes split_name(Dwarf_Die *skeleton)
{
    struct flm_bytes name = string_of(skeleton, DW_AT_dwo_name);
    return name.size > 0 ? name : string_of(skeleton, DW_AT_GNU_dwo_name);
}

static void report_missing_split(struct walker *walker, Dwarf_Die *unit)
{
    struct flm_bytes name = split_name(unit);
    char *into = walker->report.missing_name;
    if (walker->report.missing_split++ == 0 && name.size > 0)
        snprintf(into, sizeof walker->report.missing_name, "%s", name.at);
}

static void read_lines(struct walker *walker, const struct work *work, Dwarf_Die *unit,
                       bool files_only)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    walker->files.count = 0;
    if (!dwarf_attr(unit, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &offset) != 0)
        return;
    if (!flm_line_program_read(&work->lines, offset, string_of(unit, DW_AT_comp_dir), files_only,
                               walker->maker, &walker->files))
        walker->report.damaged_lines++;
}

/* A split unit numbers its files by a table of its own, if it has one. */
static void read_split_files(struct walker *walker, Dwarf_Die *skeleton, Dwarf_Die *unit)
{
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(unit->cu));
    struct flm_line_sections sections = {section_bytes(elf, ".debug_line.dwo"),
                                         section_bytes(elf, ".debug_line_str.dwo"),
                                         section_bytes(elf, ".debug_str.dwo")};
    if (sections.line.size > 0)
        flm_line_program_read(&sections, 0, string_of(skeleton, DW_AT_comp_dir), true,
                              walker->maker, &walker->files);
}

/* The split unit of a skeleton; addr is NULL where there is none. libdw opens the file by its name,
 * so it is only asked where that leads to a regular file: a pipe would never come to its end. */
static Dwarf_Die find_split(Dwarf_Die *skeleton)
{
    Dwarf_Die split = {0};
    struct flm_bytes name = split_name(skeleton), dir = string_of(skeleton, DW_AT_comp_dir);
    struct flm_text path = {0};
    bool is_absolute = name.size > 0 && name.at[0] == '/';
    if (!is_absolute) {
        flm_text_add(&path, dir);
        flm_text_putc(&path, '/');
    }
    flm_text_add(&path, name);
    flm_text_putc(&path, 0);
    if (name.size > 0 && !path.failed && flm_is_regular_file(path.at))
        (void)dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
    flm_text_clear(&path);
    return split;
}

static void walk_unit(struct walker *walker, const struct work *work, Dwarf_Off offset)
{
    Dwarf_Die unit;
    uint8_t type = 0;
    bool good = true;
    if (!dwarf_offdie(walker->dwarf, offset, &unit) ||
        dwarf_cu_info(unit.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0) {
        walker->report.damaged_units++;
        return;
    }
    if (type == DW_UT_type || type == DW_UT_split_type)
        return;
    read_lines(walker, work, &unit, dwarf_tag(&unit) == DW_TAG_partial_unit);
    if (type == DW_UT_skeleton) {
        Dwarf_Die split = find_split(&unit);
        if (split.addr) {
            read_split_files(walker, &unit, &split);
            good = flm_dwarf_entries_walk(walker->entries, &split, &walker->files);
        } else {
            report_missing_split(walker, &unit);
        }
    }
    good = flm_dwarf_entries_walk(walker->entries, &unit, &walker->files) && good;
    walker->report.units++;
    walker->report.go_units += dwarf_srclang(&unit) == DW_LANG_Go;
    walker->report.damaged_units += !good;
}

/* libdw ends the process where it finds no memory, by an assertion or by exit, so it is not called
 * where there is little: a unit needs its abbreviations, of which even large ones take less. */
static bool has_room(void)
{
    enum { MOST_OF_A_UNIT = 16 << 20 };
    void *room =
        mmap(NULL, MOST_OF_A_UNIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, MOST_OF_A_UNIT) == 0;
}

/* Runs in each thread: takes the next chunk until there is none. */
static void walk_chunks(void *context, size_t thread)
{
    struct work *work = context;
    struct walker *walker = work->walkers[thread];
    for (size_t chunk; (chunk = atomic_fetch_add(&work->next_chunk, 1)) < work->chunk_count;) {
        walker->maker = work->makers[chunk];
        flm_dwarf_entries_begin(walker->entries, walker->maker);
        for (size_t i = work->chunks[chunk]; i < work->chunks[chunk + 1]; i++) {
            if (!has_room()) {
                flm_code_maker_out_of_memory(walker->maker);
                return;
            }
            walk_unit(walker, work, work->units[i]);
        }
    }
}

static void walker_free(struct walker *walker)
{
    if (!walker)
        return;
    dwarf_end(walker->dwarf);
    dwarf_end(walker->alternate);
    flm_dwarf_entries_free(walker->entries);
    flm_line_files_clear(&walker->files);
    free(walker);
}

/* Whether the file names something as its alternate (what dwz has taken out) that is there and no
 * regular file: libdw would open it, and wait. There is no way to forbid that, but to have another
 * alternate: then strings of such a file are wrong, as it is. */
static bool names_no_file(Dwarf *dwarf)
{
    const char *name;
    const void *id;
    return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0 && name[0] == '/' &&
           access(name, F_OK) == 0 && !flm_is_regular_file(name);
}

/* NULL, and `why`, when the file has no readable DWARF, or memory ran out. */
/* libdw decompresses all sections that it knows, needed or not: of libc's debug information a sixth
 * is about variables. Not those whose headers say that they have no bytes. */
static void hide_unneeded(Elf *elf)
{
    static const char *const unneeded[] = {".debug_loc",   ".debug_loclists", ".debug_aranges",
                                           ".debug_macro", ".debug_macinfo",  ".debug_names"};
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        for (size_t i = 0; name && i < sizeof unneeded / sizeof *unneeded; i++)
            if (strcmp(name, unneeded[i]) == 0 && header.sh_flags & SHF_COMPRESSED) {
                header.sh_type = SHT_NOBITS;
                gelf_update_shdr(section, &header);
            }
    }
}

static struct walker *walker_new(Elf *elf, Elf *alternate, struct flm_error *why)
{
    struct walker *walker = calloc(1, sizeof *walker);
    if (!walker || !(walker->entries = flm_dwarf_entries_new())) {
        walker_free(walker);
        flm_error_memory(why);
        return NULL;
    }
    if (!has_room()) {
        walker_free(walker);
        flm_error_memory(why);
        return NULL;
    }
    walker->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (!walker->dwarf) {
        flm_error_set(why, FLM_ERROR_FORMAT, "no debug information that libdw can read: %s",
                      dwarf_errmsg(-1));
        walker_free(walker);
        return NULL;
    }
    if (alternate)
        walker->alternate = dwarf_begin_elf(alternate, DWARF_C_READ, NULL);
    if (walker->alternate)
        dwarf_setalt(walker->dwarf, walker->alternate);
    else if (names_no_file(walker->dwarf))
        dwarf_setalt(walker->dwarf, walker->dwarf);
    return walker;
}

/* ---- A file ---------------------------------------------------------------------------------- */

/* The first entries of all units, and chunks of similar size: the first unit of each, then the
 * number of units. */
struct plan {
    struct FLM_ARRAY(Dwarf_Off) units;
    struct FLM_ARRAY(size_t) chunks; /* at[count] is the number of units */
};

static bool plan_add(struct plan *plan, Dwarf_Off unit, bool new_chunk)
{
    if (!FLM_ARRAY_RESERVE(&plan->chunks, 2) || !FLM_ARRAY_ADD(&plan->units, unit))
        return false;
    if (new_chunk)
        plan->chunks.at[plan->chunks.count++] = plan->units.count - 1;
    plan->chunks.at[plan->chunks.count] = plan->units.count;
    return true;
}

/* False when memory ran out. `*damaged`: the list of units could not be read to its end. */
static bool make_plan(struct plan *plan, Dwarf *dwarf, uint64_t chunk_size, bool *damaged)
{
    uint64_t chunk_end = 0;
    Dwarf_Off offset = 0, next;
    size_t header_size;
    int found;
    while ((found = dwarf_next_unit(dwarf, offset, &next, &header_size, NULL, NULL, NULL, NULL,
                                    NULL, NULL)) == 0) {
        bool new_chunk = offset >= chunk_end;
        if (new_chunk)
            chunk_end = offset + chunk_size;
        if (!plan_add(plan, offset + header_size, new_chunk))
            return false;
        if (next <= offset)
            break;
        offset = next;
    }
    *damaged = found < 0;
    return true;
}

static void add_sections(Elf *elf, struct flm_code_maker *maker)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
            header.sh_flags & SHF_ALLOC && header.sh_addr + header.sh_size > header.sh_addr)
            flm_code_maker_section(maker, header.sh_addr, header.sh_addr + header.sh_size);
    }
}

static void add_report(struct flm_dwarf_report *sum, const struct flm_dwarf_report *part)
{
    if (sum->missing_split == 0)
        memcpy(sum->missing_name, part->missing_name, sizeof sum->missing_name);
    sum->units += part->units;
    sum->damaged_units += part->damaged_units;
    sum->damaged_lines += part->damaged_lines;
    sum->go_units += part->go_units;
    sum->missing_split += part->missing_split;
}

bool flm_dwarf_exists(Elf *elf)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS
                               ? elf_strptr(elf, names, header.sh_name)
                               : NULL;
        if (name && (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
            return true;
    }
    return false;
}

/* Each chunk goes into a maker of its own; they are joined in the order of the file. */
static bool run(struct work *work, size_t thread_count, struct flm_code_maker *maker,
                struct flm_error *why)
{
    struct flm_code_maker **makers = calloc(work->chunk_count + 1, sizeof(struct flm_code_maker *));
    bool enough = makers != NULL;
    for (size_t i = 0; enough && i < work->chunk_count; i++)
        enough = (makers[i] = flm_code_maker_new(why)) != NULL;
    if (enough) {
        work->makers = makers;
        flm_threads_run((int)thread_count, thread_count, walk_chunks, work);
    }
    for (size_t i = 0; makers && i < work->chunk_count; i++) {
        if (enough)
            flm_code_maker_join(maker, makers[i]);
        else
            flm_code_maker_free(makers[i]);
    }
    free(makers);
    return enough || flm_error_memory(why);
}

/* Bytes of .debug_info. A smaller chunk is not worth a maker of its own. */
enum { LEAST_CHUNK = 1 << 18 };

static bool walk_file(Elf *elf, Elf *alternate, struct walker **walkers, size_t threads,
                      struct flm_code_maker *maker, struct flm_dwarf_report *report,
                      struct flm_error *why)
{
    hide_unneeded(elf);
    walkers[0] = walker_new(elf, alternate, why);
    if (!walkers[0])
        return false;
    uint64_t size = section_bytes(elf, ".debug_info").size, chunk_size = size / (4 * threads) + 1;
    struct plan plan = {0};
    bool damaged = false;
    bool done = make_plan(&plan, walkers[0]->dwarf,
                          chunk_size > LEAST_CHUNK ? chunk_size : LEAST_CHUNK, &damaged);
    if (!done) {
        flm_error_memory(why);
    } else if (plan.units.count > 0) {
        /* The first handle has decompressed the sections: from here on `elf` is only read. */
        size_t count = 1;
        while (count < threads && count < plan.chunks.count &&
               (walkers[count] = walker_new(elf, alternate, NULL)))
            count++;
        struct work work = {.walkers = walkers,
                            .units = plan.units.at,
                            .chunks = plan.chunks.at,
                            .chunk_count = plan.chunks.count,
                            .lines = {section_bytes(elf, ".debug_line"),
                                      section_bytes(elf, ".debug_line_str"),
                                      section_bytes(elf, ".debug_str")}};
        add_sections(elf, maker);
        done = run(&work, count, maker, why);
        for (size_t i = 0; i < count; i++)
            add_report(report, &walkers[i]->report);
    }
    report->damaged_units += damaged;
    FLM_ARRAY_CLEAR(&plan.units);
    FLM_ARRAY_CLEAR(&plan.chunks);
    return done;
}

enum { MOST_THREADS = 16 };

bool flm_dwarf_walk(Elf *elf, Elf *alternate, int threads, struct flm_code_maker *maker,
                    struct flm_dwarf_report *report, struct flm_error *why)
{
    assert(elf && maker && report);
    *report = (struct flm_dwarf_report){0};
    GElf_Ehdr header;
    if (!gelf_getehdr(elf, &header))
        return flm_error_set(why, FLM_ERROR_FORMAT, "not an ELF file, or a damaged one");
    if (header.e_type == ET_REL)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "an object file, which has no addresses yet: it is not linked");
    if (header.e_ident[EI_DATA] != ELFDATA2LSB)
        return flm_error_set(why, FLM_ERROR_FORMAT, "big-endian files are not supported");
    struct walker *walkers[MOST_THREADS] = {0};
    size_t most = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : (size_t)threads;
    bool done = walk_file(elf, alternate, walkers, most, maker, report, why);
    for (size_t i = 0; i < most; i++)
        walker_free(walkers[i]);
    return done;
}
