/* What llvm-symbolizer says of every address of programs that are made by several compilers. */
#include "symbol/dwarf/entries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/record/debug_programs.h"

enum { FRAMES = 40, NAME = 600 };

struct frame {
    char name[NAME], location[NAME];
};

/* Addresses in the code of a program, and how often the two said what. */
struct comparison {
    Elf *elf;
    const struct flm_code_table *table;
    const struct debug_build *build;
    FILE *theirs;
    size_t same, nowhere, clones, aliases, unfollowed, different;
};

/* What llvm-symbolizer says of the next address, innermost first; how many there are. */
static size_t read_frames(FILE *in, struct frame *frames)
{
    char line[NAME];
    size_t count = 0;
    while (fgets(line, sizeof line, in) && line[0] != '\n') {
        line[strcspn(line, "\n")] = 0;
        assert_true(count < FRAMES);
        struct frame *frame = &frames[count++];
        snprintf(frame->name, NAME, "%s", line);
        assert_non_null(fgets(frame->location, NAME, in));
        *strrchr(frame->location, ':') = 0; /* the column */
    }
    return count;
}

/* Whether a function has several names. */
struct alias {
    const char *name;
    uint64_t address;
    bool found;
};

static void look_for_alias(void *context, const GElf_Sym *symbol, const char *name)
{
    struct alias *alias = context;
    alias->found |= symbol->st_value == alias->address && strcmp(name, alias->name) == 0;
}

/* Places agree, or neither knows one: it then says ??, or the name of a source without a line. */
static bool locations_agree(const struct flm_code *ours, const struct frame *theirs)
{
    char location[NAME];
    snprintf(location, sizeof location, "%.*s:%u", (int)ours->file.size, ours->file.at, ours->line);
    size_t size = strlen(theirs->location);
    return strcmp(location, theirs->location) == 0 ||
           (ours->file.size == 0 && ours->line == 0 && size > 2 &&
            strcmp(theirs->location + size - 2, ":0") == 0);
}

/* Names agree; of the outermost function it takes the name of a symbol, and which of several. */
static bool names_agree(struct comparison *comparison, const struct flm_code *ours,
                        const struct frame *theirs)
{
    size_t size = strlen(theirs->name);
    if (flm_bytes_equal(ours->function, flm_bytes_of(theirs->name)))
        return true;
    if (ours->inlined)
        return false;
    if (size > ours->function.size && theirs->name[ours->function.size] == '.' &&
        memcmp(theirs->name, ours->function.at, ours->function.size) == 0) {
        comparison->clones++; /* f.cold, f.part.0, f.isra.0 are f */
        return true;
    }
    struct alias alias = {theirs->name, ours->start, false};
    visit_function_symbols(comparison->elf, look_for_alias, &alias);
    comparison->aliases += alias.found;
    return alias.found;
}

/* Of split units of C llvm-symbolizer 14 has lines, but no inlined functions. They are there:
 * inlined_functions_have_the_line_of_their_call. */
static bool is_unfollowed(struct comparison *comparison, const struct flm_code *ours, size_t count,
                          const struct frame *theirs, size_t their_count)
{
    return strstr(comparison->build->flags, "-gsplit-dwarf") && their_count == 1 && count > 1 &&
           locations_agree(&ours[0], &theirs[0]) &&
           names_agree(comparison, &ours[count - 1], &theirs[0]);
}

static void compare_address(struct comparison *comparison, uint64_t address)
{
    static struct frame theirs[FRAMES];
    struct flm_code ours[FRAMES];
    size_t their_count = read_frames(comparison->theirs, theirs);
    size_t count = flm_code_table_lookup(comparison->table, address, ours, FRAMES);
    if (count == 0 && their_count == 1 && strcmp(theirs[0].name, "??") == 0) {
        comparison->nowhere++;
        return;
    }
    if (is_unfollowed(comparison, ours, count, theirs, their_count)) {
        comparison->unfollowed++;
        return;
    }
    bool same = count == their_count;
    for (size_t i = 0; same && i < count; i++)
        same =
            locations_agree(&ours[i], &theirs[i]) && names_agree(comparison, &ours[i], &theirs[i]);
    comparison->same += same;
    if (same || comparison->different++ > 3)
        return;
    print_message("%s, address %llx:\n", comparison->build->name, (unsigned long long)address);
    for (size_t i = 0; i < count; i++)
        print_message("    we    %.*s %.*s:%u\n", (int)ours[i].function.size, ours[i].function.at,
                      (int)ours[i].file.size, ours[i].file.at, ours[i].line);
    for (size_t i = 0; i < their_count; i++)
        print_message("    they  %s %s\n", theirs[i].name, theirs[i].location);
}

static bool is_compared(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
    size_t names = 0;
    if (!gelf_getshdr(section, header) || !(header->sh_flags & SHF_EXECINSTR) ||
        elf_getshdrstrndx(elf, &names) != 0)
        return false;
    return strcmp(elf_strptr(elf, names, header->sh_name), ".text") == 0 ||
           strncmp(elf_strptr(elf, names, header->sh_name), ".text.", 6) == 0;
}

static void each_address(struct comparison *comparison, FILE *list)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(comparison->elf, section));) {
        GElf_Shdr header;
        if (!is_compared(comparison->elf, section, &header))
            continue;
        for (uint64_t i = 0; i < header.sh_size; i++) {
            if (list)
                fprintf(list, "0x%llx\n", (unsigned long long)(header.sh_addr + i));
            else
                compare_address(comparison, header.sh_addr + i);
        }
    }
}

static const char *symbolizer(void)
{
    static const char *const names[] = {"llvm-symbolizer", "llvm-symbolizer-14",
                                        "llvm-symbolizer-16", "llvm-symbolizer-19"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (run_command("command -v %s > /dev/null 2>&1", names[i]))
            return names[i];
    print_message("there is no llvm-symbolizer to compare with\n");
    skip();
    return NULL;
}

static const struct debug_build builds[] = {
    {"gcc-0", "g++", "gcc", "-gdwarf-5 -O0", ""},
    {"gcc-2", "g++", "gcc", "-gdwarf-5 -O2", ""},
    {"gcc-3", "g++", "gcc", "-gdwarf-4 -O3", ""},
    {"gcc-3-dwarf-3", "g++", "gcc", "-gdwarf-3 -O3", ""},
    {"gcc-sections", "g++", "gcc", "-gdwarf-5 -O2 -ffunction-sections", "-Wl,--gc-sections"},
    {"gcc-lto", "g++", "gcc", "-gdwarf-5 -O3 -flto", ""},
    {"gcc-types", "g++", "gcc", "-gdwarf-4 -O2 -fdebug-types-section", ""},
    {"gcc-packed", "g++", "gcc", "-gdwarf-5 -O2 -gz", ""},
    {"gcc-split", "g++", "gcc", "-gdwarf-5 -O2 -gsplit-dwarf", ""},
    {"gcc-split-4", "g++", "gcc", "-gdwarf-4 -O2 -gsplit-dwarf", ""},
    {"clang-0", "clang++", "clang", "-gdwarf-5 -O0", ""},
    {"clang-2", "clang++", "clang", "-gdwarf-5 -O2", ""},
    {"clang-3", "clang++", "clang", "-gdwarf-4 -O3", ""},
    {"clang-lto", "clang++", "clang", "-gdwarf-5 -O3 -flto", "-fuse-ld=lld"},
    {"clang-folded", "clang++", "clang", "-gdwarf-5 -O2 -ffunction-sections",
     "-fuse-ld=lld -Wl,--gc-sections,--icf=all"},
    {"clang-folded-4", "clang++", "clang", "-gdwarf-4 -O2 -ffunction-sections",
     "-fuse-ld=lld -Wl,--gc-sections,--icf=all"},
    {"clang-lines", "clang++", "clang", "-gline-tables-only -O2", ""},
    {"clang-split", "clang++", "clang", "-gdwarf-5 -O2 -gsplit-dwarf", ""},
};

static void compare_build(const struct debug_build *build, const char *tool, struct comparison *sum)
{
    const char *program = make_debug_program(build);
    if (!*program) {
        print_message("%s: cannot be made here\n", build->name);
        return;
    }
    struct open_elf file = open_elf(program);
    struct flm_dwarf_report report;
    struct flm_code_table *table = make_code_table(file.elf, NULL, 2, &report);
    assert_true(report.units >= 1);
    assert_int_equal(report.damaged_units + report.damaged_lines + report.missing_split, 0);
    struct comparison comparison = {.elf = file.elf, .table = table, .build = build};
    char list[300], command[1000];
    snprintf(list, sizeof list, "%s", temporary_path("addresses"));
    FILE *addresses = fopen(list, "w");
    assert_non_null(addresses);
    each_address(&comparison, addresses);
    fclose(addresses);
    snprintf(command, sizeof command,
             "%s --obj=%s --no-demangle --functions=linkage --inlines < %s", tool, program, list);
    comparison.theirs = popen(command, "r");
    assert_non_null(comparison.theirs);
    each_address(&comparison, NULL);
    pclose(comparison.theirs);
    assert_true(comparison.same > 500);
    assert_true(flm_code_table_counts(table).inlined > 0 || strstr(build->flags, "-O0"));
    sum->same += comparison.same;
    sum->nowhere += comparison.nowhere;
    sum->clones += comparison.clones;
    sum->aliases += comparison.aliases;
    sum->unfollowed += comparison.unfollowed;
    sum->different += comparison.different;
    flm_code_table_free(table);
    close_elf(file);
}

static void every_address_is_what_llvm_symbolizer_says(void **state)
{
    (void)state;
    const char *tool = symbolizer();
    struct comparison sum = {0};
    setenv("CCACHE_DISABLE", "1", 1); /* it has objects with paths of other folders */
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++)
        compare_build(&builds[i], tool, &sum);
    print_message("%zu addresses the same (of which %zu in a clone, %zu by another of its names), "
                  "%zu in no function, %zu in copies that it does not see, %zu different\n",
                  sum.same, sum.clones, sum.aliases, sum.nowhere, sum.unfollowed, sum.different);
    assert_int_equal(sum.different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_is_what_llvm_symbolizer_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
