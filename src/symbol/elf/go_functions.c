/* go_functions.c - the functions of a Go program, stripped or not. */
#include "symbol/code/code_table.h"
#include "symbol/elf/go_table.h"

size_t flm_elf_add_go_functions(const struct flm_elf_file *file, struct flm_code_maker *maker)
{
    struct flm_go_table table;
    struct flm_go_function function;
    size_t added = 0;
    if (!flm_go_table_open(&table, file))
        return 0;
    flm_go_find_module(&table);
    for (uint64_t i = 0; i < table.count; i++)
        if (flm_go_function_at(&table, i, &function)) {
            flm_code_maker_symbol(maker, function.start, function.end - function.start,
                                  flm_code_maker_text(maker, function.name), 0);
            added++;
        }
    return added;
}

bool flm_elf_go_range(const struct flm_elf_file *file, struct flm_elf_range *range)
{
    struct flm_go_table table;
    struct flm_go_function function;
    *range = (struct flm_elf_range){UINT64_MAX, 0};
    if (!flm_go_table_open(&table, file))
        return false;
    flm_go_find_module(&table);
    for (uint64_t i = 0; i < table.count; i++)
        if (flm_go_function_at(&table, i, &function)) {
            range->start = function.start < range->start ? function.start : range->start;
            range->end = function.end > range->end ? function.end : range->end;
        }
    return range->end > 0;
}
