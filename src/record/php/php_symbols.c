#include "record/php/php_symbols.h"

#include <string.h>

#include "record/runtime/interpreter_file.h"

/* The version is in the header that PHP sends: "X-Powered-By: PHP/8.2.36". */
static void find_version(const struct flm_elf_file *file, struct flm_php_symbols *symbols)
{
    static const char wanted[] = "X-Powered-By: PHP/";
    struct flm_bytes text = flm_elf_bytes(file, flm_elf_section(file, ".rodata"));
    const char *at = text.size > 0 ? memmem(text.at, text.size, wanted, sizeof wanted - 1) : NULL;
    if (!at)
        return;
    at += sizeof wanted - 1;
    size_t left = text.size - (size_t)(at - text.at);
    if (left < 4 || at[0] < '0' || at[0] > '9' || at[1] != '.' || at[2] < '0' || at[2] > '9' ||
        at[3] != '.')
        return;
    symbols->major = at[0] - '0';
    symbols->minor = at[2] - '0';
}

struct taken {
    struct flm_php_symbols *symbols;
    uint64_t bias;
};

static void take(void *context, const struct flm_elf_named *symbol)
{
    const struct taken *t = context;
    struct flm_elf_range range = {symbol->start + t->bias, symbol->end + t->bias};
    if (flm_bytes_are(symbol->name, "execute_ex"))
        t->symbols->loop = range;
    else if (flm_bytes_are(symbol->name, "execute_ex.cold"))
        t->symbols->cold = range;
    else if (flm_bytes_are(symbol->name, "executor_globals"))
        t->symbols->globals = range.start;
}

bool flm_php_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                          struct flm_php_symbols *symbols)
{
    *symbols = (struct flm_php_symbols){0};
    flm_elf_visit_symbols(file, take, &(struct taken){symbols, bias});
    if (symbols->loop.end <= symbols->loop.start)
        return false;
    find_version(file, symbols);
    return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool flm_php_is_named(struct flm_bytes path)
{
    return flm_interpreter_is_named(path, "php");
}

static bool visit(void *context, const struct flm_interpreter_file *file)
{
    return flm_php_symbols_read(file->elf, file->bias, context);
}

bool flm_php_symbols_find(const struct flm_process *process, struct flm_php_symbols *symbols)
{
    if (!flm_interpreter_file_find(process, flm_php_is_named, visit, symbols))
        return false;
    symbols->code = flm_interpreter_code(process, symbols->loop.start);
    return true;
}
