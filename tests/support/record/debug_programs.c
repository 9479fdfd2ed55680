#include "support/record/debug_programs.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"

bool run_command(const char *format, ...)
{
    char command[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return system(command) == 0;
}

const char *make_debug_program(const struct debug_build *build)
{
    static char program[300];
    snprintf(program, sizeof program, "%s", temporary_path(build->name));
    bool made = run_command("{ d=$PWD/tests/data/dwarf_walk && %s %s -c $d/first.cpp -o %s-1.o && "
                            "%s %s -c $d/second.cpp -o %s-2.o && %s %s -c $d/plain.c -o %s-3.o && "
                            "%s %s %s %s-1.o %s-2.o %s-3.o -o %s; } > /dev/null 2>&1",
                            build->cpp, build->flags, program, build->cpp, build->flags, program,
                            build->c, build->flags, program, build->cpp, build->flags,
                            build->link_flags, program, program, program, program);
    return made ? program : "";
}

struct open_elf open_elf(const char *path)
{
    elf_version(EV_CURRENT);
    struct open_elf file = {open(path, O_RDONLY), NULL};
    assert_true(file.descriptor >= 0);
    file.elf = elf_begin(file.descriptor, ELF_C_READ_MMAP, NULL);
    assert_non_null(file.elf);
    return file;
}

void close_elf(struct open_elf file)
{
    elf_end(file.elf);
    close(file.descriptor);
}

void visit_function_symbols(Elf *elf,
                            void (*visit)(void *context, const GElf_Sym *symbol, const char *name),
                            void *context)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
            !(data = elf_getdata(section, NULL)))
            continue;
        for (int i = 0; i < (int)(header.sh_size / header.sh_entsize); i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, i, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
                symbol.st_shndx != SHN_UNDEF)
                visit(context, &symbol, elf_strptr(elf, header.sh_link, symbol.st_name));
        }
    }
}

static void add_symbol(void *context, const GElf_Sym *symbol, const char *name)
{
    struct flm_code_maker *maker = context;
    flm_code_maker_symbol(maker, symbol->st_value, symbol->st_size,
                          flm_code_maker_text(maker, flm_bytes_of(name)),
                          GELF_ST_BIND(symbol->st_info) == STB_GLOBAL ? 2 : 1);
}

struct flm_code_table *make_code_table(Elf *elf, Elf *alternate, int threads,
                                       struct flm_dwarf_report *report)
{
    struct flm_error why = {0};
    struct flm_code_maker *maker = flm_code_maker_new(&why);
    assert_non_null(maker);
    if (!flm_dwarf_walk(elf, alternate, threads, maker, report, &why))
        fail_msg("%s", why.text);
    visit_function_symbols(elf, add_symbol, maker);
    struct flm_code_table *table = flm_code_maker_finish(maker, &why);
    if (!table)
        fail_msg("%s", why.text);
    return table;
}
