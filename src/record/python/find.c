#include "record/python/find.h"

#include <string.h>

#include "base/core/path_name.h"
#include "record/runtime/cold_part.h"
#include "record/runtime/interpreter_file.h"

/* ---- Symbols --------------------------------------------------------------------------------- */

struct taken {
    struct flm_python_symbols *symbols;
    uint64_t bias;
};

static void take_loop(struct flm_python_symbols *symbols, struct flm_elf_range range)
{
    for (size_t i = 0; i < symbols->loop_count; i++)
        if (symbols->loop[i].start == range.start)
            return;
    if (symbols->loop_count < sizeof symbols->loop / sizeof symbols->loop[0])
        symbols->loop[symbols->loop_count++] = range;
}

static void take(void *context, const struct flm_elf_named *symbol)
{
    static const char loop[] = "_PyEval_EvalFrameDefault";
    const struct taken *t = context;
    struct flm_bytes name = symbol->name;
    struct flm_elf_range range = {symbol->start + t->bias, symbol->end + t->bias};
    if (flm_bytes_are(name, "_PyRuntime"))
        t->symbols->runtime = range.start;
    else if (flm_bytes_are(name, "PyCode_Type"))
        t->symbols->code_type = range.start;
    else if (flm_bytes_are(name, "PyUnicode_Type"))
        t->symbols->text_type = range.start;
    else if (flm_bytes_are(name, "PyBytes_Type"))
        t->symbols->bytes_type = range.start;
    else if (flm_bytes_are(name, "Py_Version"))
        t->symbols->version = range.start;
    else if (flm_bytes_start_with(name, loop) && range.end > range.start &&
             (name.size == sizeof loop - 1 || name.at[sizeof loop - 1] == '.'))
        take_loop(t->symbols, range);
}

/* In a stripped file the part of the loop that the compiler put elsewhere has no symbol. */
static void find_cold(const struct flm_elf_file *file, uint64_t bias,
                      struct flm_python_symbols *symbols)
{
    if (symbols->loop_count != 1 || flm_elf_section(file, ".symtab"))
        return;
    struct flm_elf_range part, loop = {symbols->loop[0].start - bias, symbols->loop[0].end - bias};
    if (flm_cold_part_find(file, loop, &part))
        take_loop(symbols, (struct flm_elf_range){part.start + bias, part.end + bias});
}

bool flm_python_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                             struct flm_python_symbols *symbols)
{
    *symbols = (struct flm_python_symbols){0};
    flm_elf_visit_symbols(file, take, &(struct taken){symbols, bias});
    const struct flm_elf_section *section = flm_elf_section(file, ".PyRuntime");
    if (!symbols->runtime && section && section->address)
        symbols->runtime = section->address + bias;
    find_cold(file, bias, symbols);
    return symbols->runtime != 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool flm_python_is_named(struct flm_bytes path)
{
    return flm_interpreter_is_named(path, "python");
}

/* python3.11, libpython3.8.so.1.0 */
static int minor_of(struct flm_bytes path)
{
    struct flm_bytes name = flm_path_last(path, "/");
    size_t at = flm_bytes_start_with(name, "lib") ? 3 : 0;
    static const char wanted[] = "python3.";
    if (name.size - at < sizeof wanted || memcmp(name.at + at, wanted, sizeof wanted - 1) != 0)
        return 0;
    int minor = 0;
    for (at += sizeof wanted - 1; at < name.size && minor < 100; at++) {
        if (name.at[at] < '0' || name.at[at] > '9')
            break;
        minor = 10 * minor + (name.at[at] - '0');
    }
    return minor;
}

static bool visit(void *context, const struct flm_interpreter_file *file)
{
    struct flm_python_symbols *symbols = context;
    bool found = flm_python_symbols_read(file->elf, file->bias, symbols);
    symbols->named_minor = minor_of(file->path);
    return found;
}

bool flm_python_symbols_find(const struct flm_process *process, struct flm_python_symbols *symbols)
{
    return flm_interpreter_file_find(process, flm_python_is_named, visit, symbols);
}
