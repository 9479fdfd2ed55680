/* symbol_bench.c - addresses to functions, lines and inlined functions.
 *
 *     symbol_bench cold FILE ADDRESSES [TABLE]   reads the DWARF of an ELF file and looks up each
 *                                                address of a text, one a line; TABLE: keeps it
 *     symbol_bench cached TABLE ADDRESSES        the same with the table that was kept
 *     symbol_bench module FILE ADDRESSES [DIR]   the same through flm_modules, as a recording does
 * it: symbol tables too, names demangled; tables are kept in DIR, and found there the next time
 *     symbol_bench addresses FILE COUNT          as many addresses of its .text, at random
 *
 * Writes what addr2line -f -i writes: for each function of an address, the innermost first, its
 * name and FILE:LINE; an empty line behind each address. What it took goes to stderr. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/thread/threads.h"
#include "symbol/dwarf/walk.h"
#include "symbol/registry/module.h"

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static _Noreturn void give_up(const char *what, const struct flm_error *why)
{
    fprintf(stderr, "symbol_bench: %s: %s\n", what, why ? why->text : "cannot be read");
    exit(1);
}

static void print_counts(const struct flm_code_table *table)
{
    struct flm_code_counts counts = flm_code_table_counts(table);
    fprintf(stderr,
            "%zu functions, %zu inlined copies, %zu symbols, %zu segments, %zu lines\n"
            "ranges: %zu cut, %zu dead; lines: %zu cut, %zu dead\n",
            counts.functions, counts.inlined, counts.symbols, counts.segments, counts.lines,
            counts.cut_ranges, counts.dead_ranges, counts.cut_lines, counts.dead_lines);
}

static struct flm_code_table *make_table(const char *path, const char *keep)
{
    struct flm_error why = {0};
    double start = now_ms();
    elf_version(EV_CURRENT);
    int file = open(path, O_RDONLY);
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    if (file < 0 || !elf)
        give_up(path, NULL);
    struct flm_code_maker *maker = flm_code_maker_new(&why);
    struct flm_dwarf_report report;
    if (!maker || !flm_dwarf_walk(elf, NULL, flm_processor_count(), maker, &report, &why))
        give_up(path, &why);
    double walked = now_ms();
    struct flm_code_table *table = flm_code_maker_finish(maker, &why);
    if (!table)
        give_up(path, &why);
    double finished = now_ms();
    elf_end(elf);
    close(file);
    struct flm_text out = {0};
    flm_code_table_write(table, &out);
    fprintf(stderr, "walk %.1f ms, flatten %.1f ms, %zu bytes\n", walked - start, finished - walked,
            out.size);
    fprintf(stderr, "%zu units; damaged: %zu units, %zu line programs; %zu split missing %s\n",
            report.units, report.damaged_units, report.damaged_lines, report.missing_split,
            report.missing_name);
    print_counts(table);
    FILE *kept = keep ? fopen(keep, "wb") : NULL;
    if (keep && (!kept || fwrite(out.at, 1, out.size, kept) != out.size || fclose(kept) != 0))
        give_up(keep, NULL);
    flm_text_clear(&out);
    return table;
}

static struct flm_code_table *open_table(const char *path)
{
    struct flm_error why = {0};
    double start = now_ms();
    int file = open(path, O_RDONLY);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0)
        give_up(path, NULL);
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED)
        give_up(path, NULL);
    struct flm_code_table *table =
        flm_code_table_open((struct flm_bytes){bytes, (size_t)about.st_size}, &why);
    if (!table)
        give_up(path, &why);
    close(file);
    fprintf(stderr, "open and check %.2f ms\n", now_ms() - start);
    return table;
}

static void list_addresses(const char *path, unsigned long count)
{
    elf_version(EV_CURRENT);
    int file = open(path, O_RDONLY);
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    size_t names;
    if (!elf || elf_getshdrstrndx(elf, &names) != 0)
        give_up(path, NULL);
    uint64_t random = 1;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_size == 0 ||
            strcmp(elf_strptr(elf, names, header.sh_name), ".text") != 0)
            continue;
        for (; count > 0; count--) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            printf("0x%llx\n",
                   (unsigned long long)(header.sh_addr + (random >> 20) % header.sh_size));
        }
    }
    elf_end(elf);
    close(file);
}

static void print_codes(const struct flm_code *code, size_t found, size_t most)
{
    for (size_t i = 0; i < found && i < most; i++)
        printf("%.*s\n%.*s:%u\n", (int)code[i].function.size, code[i].function.at,
               (int)code[i].file.size, code[i].file.at, code[i].line);
    putchar('\n');
}

enum { MOST_CODES = 64 };

static size_t look_up_in_table(void *context, uint64_t address, struct flm_code *code)
{
    return flm_code_table_lookup(context, address, code, MOST_CODES);
}

static size_t look_up_in_module(void *context, uint64_t address, struct flm_code *code)
{
    return flm_module_lookup(context, address, code, MOST_CODES);
}

/* All addresses of a text. */
static void look_up_all(const char *path,
                        size_t (*look_up)(void *context, uint64_t address, struct flm_code *code),
                        void *context)
{
    FILE *addresses = fopen(path, "r");
    if (!addresses)
        give_up(path, NULL);
    double start = now_ms();
    size_t asked = 0;
    char line[64];
    while (fgets(line, sizeof line, addresses)) {
        struct flm_code code[MOST_CODES];
        print_codes(code, look_up(context, strtoull(line, NULL, 16), code), MOST_CODES);
        asked++;
    }
    fprintf(stderr, "%zu addresses %.2f ms\n", asked, now_ms() - start);
    fclose(addresses);
}

static void ask_module(const char *path, const char *addresses, const char *cache_dir)
{
    struct flm_error why = {0};
    double start = now_ms();
    char *whole = realpath(path, NULL);
    struct flm_modules_options options = {.cache_dir = cache_dir};
    struct flm_module_request request = {.path = flm_bytes_of(whole ? whole : path)};
    struct flm_modules *modules = flm_modules_new(&options, &why);
    struct flm_module *module = modules ? flm_modules_get(modules, &request) : NULL;
    if (!module)
        give_up(path, &why);
    flm_modules_prepare(modules, &module, 1);
    fprintf(stderr, "table made or found %.2f ms\n", now_ms() - start);
    look_up_all(addresses, look_up_in_module, module);
    flm_modules_free(modules);
    free(whole);
}

int main(int count, char **arguments)
{
    if (count == 4 && strcmp(arguments[1], "addresses") == 0) {
        list_addresses(arguments[2], strtoul(arguments[3], NULL, 10));
        return 0;
    }
    if (count > 3 && strcmp(arguments[1], "module") == 0) {
        ask_module(arguments[2], arguments[3], count > 4 ? arguments[4] : NULL);
        return 0;
    }
    bool cold = count > 3 && strcmp(arguments[1], "cold") == 0;
    if (count < 4 || (!cold && strcmp(arguments[1], "cached") != 0)) {
        fprintf(stderr, "symbol_bench cold FILE ADDRESSES [TABLE]\n"
                        "symbol_bench cached TABLE ADDRESSES\n"
                        "symbol_bench module FILE ADDRESSES [DIR]\n"
                        "symbol_bench addresses FILE COUNT\n");
        return 2;
    }
    struct flm_code_table *table =
        cold ? make_table(arguments[2], count > 4 ? arguments[4] : NULL) : open_table(arguments[2]);
    look_up_all(arguments[3], look_up_in_table, table);
    flm_code_table_free(table);
    return 0;
}
