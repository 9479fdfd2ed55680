#include "symbol/dwarf/dwarf_walk.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/threads.h"
#include "symbol/dwarf/dwarf_entries.h"
#include <dwarf.h>

/* A thread's. */
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
        /* .zdebug_line is what GNU tools called it when it was compressed. */
        if (!name || (strcmp(name, wanted) != 0 &&
                      (strncmp(name, ".zdebug", 7) != 0 || strcmp(name + 2, wanted + 1) != 0)))
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf && !(header.sh_flags & SHF_COMPRESSED))
            return (struct flm_bytes){data->d_buf, data->d_size};
    }
    return (struct flm_bytes){0};
}

/* The units of a file, and what all threads read. */
struct work {
    struct walker **walkers;        /* by thread */
    const Dwarf_Off *units;         /* the entry that each unit begins with */
    const size_t *pieces;           /* the first unit of each, and the number of units */
    struct flm_code_maker **makers; /* by piece */
    size_t piece_count;
    atomic_size_t next_piece;
    struct flm_line_sections lines;
};

static struct flm_bytes string_of(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    const char *text = dwarf_formstring(dwarf_attr(entry, name, &attribute));
    return text ? flm_bytes_of(text) : (struct flm_bytes){0};
}

static void note_missing_split(struct walker *walker, Dwarf_Die *unit)
{
    struct flm_bytes name = string_of(unit, DW_AT_dwo_name);
    if (name.size == 0)
        name = string_of(unit, DW_AT_GNU_dwo_name);
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

/* A split unit counts its files in a table of its own, if it has one. */
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

static void walk_unit(struct walker *walker, const struct work *work, Dwarf_Off offset)
{
    Dwarf_Die unit, split = {0};
    uint8_t type = 0;
    bool good = true;
    if (!dwarf_offdie(walker->dwarf, offset, &unit) ||
        dwarf_cu_info(unit.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) != 0) {
        walker->report.damaged_units++;
        return;
    }
    if (type == DW_UT_type || type == DW_UT_split_type)
        return;
    read_lines(walker, work, &unit, dwarf_tag(&unit) == DW_TAG_partial_unit);
    if (type == DW_UT_skeleton) {
        if (split.addr) {
            read_split_files(walker, &unit, &split);
            good = flm_dwarf_entries_walk(walker->entries, &split, &walker->files);
        } else {
            note_missing_split(walker, &unit);
        }
    }
    good = flm_dwarf_entries_walk(walker->entries, &unit, &walker->files) && good;
    walker->report.units++;
    walker->report.damaged_units += !good;
}

/* A thread: takes the next piece until there is none. */
static void walk_pieces(void *context, size_t thread)
{
    struct work *work = context;
    struct walker *walker = work->walkers[thread];
    for (size_t piece; (piece = atomic_fetch_add(&work->next_piece, 1)) < work->piece_count;) {
        walker->maker = work->makers[piece];
        flm_dwarf_entries_begin(walker->entries, walker->maker);
        for (size_t i = work->pieces[piece]; i < work->pieces[piece + 1]; i++)
            walk_unit(walker, work, work->units[i]);
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

/* NULL, and `why`, when the file has no DWARF that can be read, or memory ran out. */
static struct walker *walker_new(Elf *elf, Elf *alternate, struct flm_error *why)
{
    struct walker *walker = calloc(1, sizeof *walker);
    if (!walker || !(walker->entries = flm_dwarf_entries_new())) {
        walker_free(walker);
        flm_error_memory(why);
        return NULL;
    }
    walker->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (!walker->dwarf) {
        flm_error_set(why, FLM_ERROR_FORMAT, "no debug information that can be read: %s",
                      dwarf_errmsg(-1));
        walker_free(walker);
        return NULL;
    }
    if (alternate)
        walker->alternate = dwarf_begin_elf(alternate, DWARF_C_READ, NULL);
    if (walker->alternate)
        dwarf_setalt(walker->dwarf, walker->alternate);
    return walker;
}

/* ---- A file ---------------------------------------------------------------------------------- */

/* Where its units begin, cut into pieces of some size; the last of both is where they end. */
struct plan {
    Dwarf_Off *units;
    size_t *pieces;
    size_t unit_count, unit_capacity, piece_count, piece_capacity;
};

static bool plan_add(struct plan *plan, Dwarf_Off unit, bool new_piece)
{
    void *units = plan->units, *pieces = plan->pieces;
    bool room = flm_grow(&units, &plan->unit_capacity, plan->unit_count + 1, sizeof *plan->units);
    plan->units = units;
    room = room &&
           flm_grow(&pieces, &plan->piece_capacity, plan->piece_count + 2, sizeof *plan->pieces);
    plan->pieces = pieces;
    if (!room)
        return false;
    if (new_piece)
        plan->pieces[plan->piece_count++] = plan->unit_count;
    plan->units[plan->unit_count++] = unit;
    plan->pieces[plan->piece_count] = plan->unit_count;
    return true;
}

/* False when memory ran out. `*damaged`: there are more, which cannot be found. */
static bool make_plan(struct plan *plan, Dwarf *dwarf, uint64_t piece_size, bool *damaged)
{
    uint64_t piece_end = 0;
    Dwarf_Off offset = 0, next;
    size_t header_size;
    int found;
    while ((found = dwarf_next_unit(dwarf, offset, &next, &header_size, NULL, NULL, NULL, NULL,
                                    NULL, NULL)) == 0) {
        bool new_piece = offset >= piece_end;
        if (new_piece)
            piece_end = offset + piece_size;
        if (!plan_add(plan, offset + header_size, new_piece))
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

/* With as many threads as there are walkers, each piece into a maker of its own. */
static bool run(struct work *work, size_t thread_count, struct flm_code_maker *maker,
                struct flm_error *why)
{
    struct flm_code_maker **makers = calloc(work->piece_count + 1, sizeof(struct flm_code_maker *));
    bool enough = makers != NULL;
    for (size_t i = 0; enough && i < work->piece_count; i++)
        enough = (makers[i] = flm_code_maker_new(why)) != NULL;
    if (enough) {
        work->makers = makers;
        flm_threads_run((int)thread_count, thread_count, walk_pieces, work);
    }
    for (size_t i = 0; makers && i < work->piece_count; i++) {
        if (enough)
            flm_code_maker_join(maker, makers[i]);
        else
            flm_code_maker_free(makers[i]);
    }
    free(makers);
    return enough || flm_error_memory(why);
}

/* Smaller pieces are not worth a maker of their own. */
enum { LEAST_PIECE = 1 << 18 };

static bool walk_file(Elf *elf, Elf *alternate, struct walker **walkers, size_t threads,
                      struct flm_code_maker *maker, struct flm_dwarf_report *report,
                      struct flm_error *why)
{
    walkers[0] = walker_new(elf, alternate, why);
    if (!walkers[0])
        return false;
    uint64_t size = section_bytes(elf, ".debug_info").size, piece_size = size / (4 * threads) + 1;
    struct plan plan = {0};
    bool damaged = false;
    bool done = make_plan(&plan, walkers[0]->dwarf,
                          piece_size > LEAST_PIECE ? piece_size : LEAST_PIECE, &damaged);
    if (!done) {
        flm_error_memory(why);
    } else if (plan.unit_count > 0) {
        /* A second handle finds the sections unpacked, so `elf` is only read from here on. */
        size_t count = 1;
        while (count < threads && count < plan.piece_count &&
               (walkers[count] = walker_new(elf, alternate, NULL)))
            count++;
        struct work work = {.walkers = walkers,
                            .units = plan.units,
                            .pieces = plan.pieces,
                            .piece_count = plan.piece_count,
                            .lines = {section_bytes(elf, ".debug_line"),
                                      section_bytes(elf, ".debug_line_str"),
                                      section_bytes(elf, ".debug_str")}};
        add_sections(elf, maker);
        done = run(&work, count, maker, why);
        for (size_t i = 0; i < count; i++)
            add_report(report, &walkers[i]->report);
    }
    report->damaged_units += damaged;
    free(plan.units);
    free(plan.pieces);
    return done;
}

enum { MOST_THREADS = 16 };

bool flm_dwarf_walk(Elf *elf, Elf *alternate, int threads, struct flm_code_maker *maker,
                    struct flm_dwarf_report *report, struct flm_error *why)
{
    *report = (struct flm_dwarf_report){0};
    GElf_Ehdr header;
    if (!gelf_getehdr(elf, &header))
        return flm_error_set(why, FLM_ERROR_FORMAT, "not an ELF file that can be read");
    if (header.e_type == ET_REL)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "an object file that is not linked: its addresses are not known");
    if (header.e_ident[EI_DATA] != ELFDATA2LSB)
        return flm_error_set(why, FLM_ERROR_FORMAT, "a file for big-endian machines");
    struct walker *walkers[MOST_THREADS] = {0};
    size_t most = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : (size_t)threads;
    bool done = walk_file(elf, alternate, walkers, most, maker, report, why);
    for (size_t i = 0; i < most; i++)
        walker_free(walkers[i]);
    return done;
}
