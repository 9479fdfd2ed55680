#include "record/ruby/ruby_symbols.h"

#include <elf.h>

#include "record/runtime/interpreter_file.h"

static void find_data(const struct flm_elf_file *file, uint64_t bias, struct flm_elf_range *data)
{
    enum { MOST = 8 << 20 };
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct flm_elf_segment *segment = &file->segments[i];
        if (segment->type == PT_LOAD && segment->flags & PF_W && segment->memory_size <= MOST)
            *data = (struct flm_elf_range){segment->address + bias,
                                           segment->address + bias + segment->memory_size};
    }
}

struct taken {
    struct flm_ruby_symbols *symbols;
    uint64_t bias;
};

static void take(void *context, const struct flm_elf_named *symbol)
{
    const struct taken *t = context;
    struct flm_elf_range range = {symbol->start + t->bias, symbol->end + t->bias};
    if (flm_bytes_are(symbol->name, "rb_vm_exec"))
        t->symbols->exec = range;
    else if (flm_bytes_are(symbol->name, "vm_exec_core"))
        t->symbols->core = range;
    else if (flm_bytes_are(symbol->name, "rb_cObject"))
        t->symbols->object_class = range.start;
    else if (flm_bytes_are(symbol->name, "ruby_version"))
        t->symbols->version = range.start;
    else if (flm_bytes_are(symbol->name, "ruby_global_symbols"))
        t->symbols->identifiers = range.start + 16;
}

bool flm_ruby_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                           struct flm_ruby_symbols *symbols)
{
    *symbols = (struct flm_ruby_symbols){0};
    flm_elf_visit_symbols(file, take, &(struct taken){symbols, bias});
    find_data(file, bias, &symbols->data);
    return symbols->exec.end > symbols->exec.start && symbols->version != 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool flm_ruby_is_named(struct flm_bytes path)
{
    return flm_interpreter_is_named(path, "ruby");
}

static bool visit(void *context, const struct flm_interpreter_file *file)
{
    return flm_ruby_symbols_read(file->elf, file->bias, context);
}

bool flm_ruby_symbols_find(const struct flm_process *process, struct flm_ruby_symbols *symbols)
{
    if (!flm_interpreter_file_find(process, flm_ruby_is_named, visit, symbols))
        return false;
    symbols->code = flm_interpreter_code(process, symbols->exec.start);
    return true;
}
