#include "record/java/methods.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "format/java/java_file.h"

void flm_java_methods_clear(struct flm_java_methods *m)
{
    for (size_t i = 0; i < m->methods.count; i++) {
        flm_text_clear(&m->methods.at[i].text);
        free(m->methods.at[i].lines);
    }
    for (size_t i = 0; i < m->names.count; i++)
        flm_text_clear(&m->names.at[i].text);
    FLM_ARRAY_CLEAR(&m->methods);
    FLM_ARRAY_CLEAR(&m->codes);
    FLM_ARRAY_CLEAR(&m->code_numbers);
    FLM_ARRAY_CLEAR(&m->names);
    flm_index_clear(&m->method_index);
    flm_index_clear(&m->code_index);
    flm_index_clear(&m->name_index);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool begins(struct flm_bytes text, size_t at, const char *with)
{
    size_t size = strlen(with);
    return text.size - at >= size && memcmp(text.at + at, with, size) == 0;
}

/* The address of a hidden class; in JDK 8, a number. */
static bool is_address(struct flm_bytes name, size_t at)
{
    if (begins(name, at, "0x"))
        return true;
    size_t end = at;
    while (end < name.size && is_digit(name.at[end]))
        end++;
    return end > at && end == name.size;
}

/* The number and the address of a hidden class are new in each run. */
static void add_class(struct flm_text *out, struct flm_bytes name)
{
    for (size_t i = 0; i < name.size;) {
        if ((name.at[i] == '.' || name.at[i] == '/' || name.at[i] == '+') &&
            is_address(name, i + 1))
            return;
        flm_text_putc(out, name.at[i] == '/' ? '.' : name.at[i]);
        if (begins(name, i, "$$Lambda")) {
            flm_text_puts(out, "$Lambda");
            i += strlen("$$Lambda");
            if (i + 1 < name.size && name.at[i] == '$' && is_digit(name.at[i + 1]))
                for (i++; i < name.size && is_digit(name.at[i]); i++)
                    ;
            continue;
        }
        i++;
    }
}

void flm_java_class_name(struct flm_text *out, struct flm_bytes signature)
{
    static const struct {
        char code;
        const char *name;
    } primitives[] = {{'Z', "boolean"}, {'B', "byte"}, {'C', "char"},  {'S', "short"},
                      {'I', "int"},     {'J', "long"}, {'F', "float"}, {'D', "double"}};
    size_t arrays = 0;
    while (arrays < signature.size && signature.at[arrays] == '[')
        arrays++;
    struct flm_bytes rest = flm_bytes_from(signature, arrays);
    if (rest.size > 1 && rest.at[0] == 'L') {
        size_t end = rest.at[rest.size - 1] == ';' ? rest.size - 1 : rest.size;
        add_class(out, (struct flm_bytes){rest.at + 1, end - 1});
    } else {
        const char *name = NULL;
        for (size_t i = 0; i < sizeof primitives / sizeof *primitives && rest.size == 1; i++)
            if (primitives[i].code == rest.at[0])
                name = primitives[i].name;
        if (name)
            flm_text_puts(out, name);
        else
            flm_text_add(out, rest);
    }
    for (size_t i = 0; i < arrays; i++)
        flm_text_puts(out, "[]");
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* The index of a method, added when it is new; UINT32_MAX when memory ran out. */
static uint32_t find_method(struct flm_java_methods *m, uint64_t vm, uint64_t method)
{
    uint32_t hash = flm_hash_numbers(vm, method);
    for (struct flm_probe at = flm_index_probe(&m->method_index, hash);
         flm_index_next(&m->method_index, &at);)
        if (m->methods.at[at.found].method == method && m->methods.at[at.found].vm == vm)
            return at.found;
    if (!FLM_ARRAY_RESERVE(&m->methods, 1) ||
        !flm_index_add(&m->method_index, hash, (uint32_t)m->methods.count))
        return UINT32_MAX;
    m->methods.at[m->methods.count] = (struct flm_java_method_item){.vm = vm, .method = method};
    return (uint32_t)m->methods.count++;
}

uint64_t flm_java_methods_frame(struct flm_java_methods *m, uint64_t vm,
                                const struct flm_java_frame *frame)
{
    uint32_t method = find_method(m, vm, frame->method);
    uint32_t hash =
        flm_hash_numbers((uint64_t)method << 8 | frame->kind, (uint64_t)(uint32_t)frame->bytecode);
    if (method == UINT32_MAX)
        return 0;
    for (struct flm_probe at = flm_index_probe(&m->code_index, hash);
         flm_index_next(&m->code_index, &at);) {
        const struct flm_java_code_item *code = &m->codes.at[at.found];
        if (code->method == method && code->bytecode == frame->bytecode &&
            code->kind == frame->kind)
            return m->code_numbers.at[at.found];
    }
    if (!FLM_ARRAY_RESERVE(&m->codes, 1) || !FLM_ARRAY_RESERVE(&m->code_numbers, 1) ||
        !flm_index_add(&m->code_index, hash, (uint32_t)m->codes.count))
        return 0;
    m->codes.at[m->codes.count++] =
        (struct flm_java_code_item){method, frame->bytecode, frame->kind, false};
    m->code_numbers.at[m->code_numbers.count++] = m->first_code + m->next_code;
    return m->first_code + m->next_code++;
}

bool flm_java_methods_learn(struct flm_java_methods *m, uint64_t vm,
                            const struct flm_java_method *r)
{
    uint64_t left = r->record.size - sizeof *r;
    uint64_t texts = (uint64_t)r->class_size + r->name_size + r->signature_size + r->file_size;
    if (r->record.size < sizeof *r || flm_java_aligned(texts) > left ||
        r->line_count > (left - flm_java_aligned(texts)) / sizeof(struct flm_java_line))
        return true;
    uint32_t index = find_method(m, vm, r->method);
    if (index == UINT32_MAX)
        return false;
    struct flm_java_method_item *item = &m->methods.at[index];
    if (item->is_known)
        return true;
    const char *at = (const char *)(r + 1), *name = at + r->class_size;
    const char *file = name + r->name_size + r->signature_size;
    struct flm_text class_name = {0};
    flm_java_class_name(&class_name, (struct flm_bytes){at, r->class_size});
    flm_text_add(&item->text, (struct flm_bytes){class_name.at, class_name.size});
    flm_text_putc(&item->text, '.');
    flm_text_add(&item->text, (struct flm_bytes){name, r->name_size});
    item->function_size = item->text.size;
    if (r->file_size > 0)
        flm_java_file_add(&item->text, (struct flm_bytes){class_name.at, class_name.size},
                          (struct flm_bytes){file, r->file_size});
    bool good = !class_name.failed && !item->text.failed;
    flm_text_clear(&class_name);
    item->lines = malloc((r->line_count + 1) * sizeof *item->lines);
    if (!good || !item->lines)
        return false;
    memcpy(item->lines, at + flm_java_aligned(texts), r->line_count * sizeof *item->lines);
    item->line_count = r->line_count;
    item->is_known = true;
    return true;
}

/* The line of a bytecode: tables need not be in order. */
static uint32_t line_of(const struct flm_java_method_item *item, int32_t bytecode)
{
    uint32_t line = 0, nearest = 0;
    for (uint32_t i = 0; i < item->line_count; i++) {
        uint32_t from = item->lines[i].from;
        if (bytecode >= 0 && from <= (uint32_t)bytecode && (line == 0 || from >= nearest)) {
            nearest = from;
            line = item->lines[i].line;
        }
    }
    return line;
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static uint32_t kind_of(uint32_t compiled)
{
    switch (compiled) {
    case FLM_JAVA_INTERPRETED:
        return FLM_KIND_INTERPRETED;
    case FLM_JAVA_C1:
        return FLM_KIND_JIT_TIER1;
    case FLM_JAVA_C2:
        return FLM_KIND_JIT;
    case FLM_JAVA_INLINED:
        return FLM_KIND_INLINED;
    case FLM_JAVA_NATIVE_METHOD:
        return FLM_KIND_NATIVE;
    default:
        return FLM_KIND_PLAIN;
    }
}

static bool define_name(uint64_t code, struct flm_bytes function, struct flm_bytes file,
                        uint32_t line, uint32_t kind, flm_event_sink define, void *context,
                        struct flm_error *why)
{
    struct flm_event event = {.kind = FLM_EVENT_CODE,
                              .process = -1,
                              .thread = -1,
                              .time_ns = FLM_NO_TIME,
                              .cpu = UINT32_MAX,
                              .code = {.address = code,
                                       .function = function,
                                       .file = file,
                                       .module = {"", 0},
                                       .line = line,
                                       .frame_kind = kind}};
    return define(context, &event, why);
}

uint64_t flm_java_methods_name(struct flm_java_methods *m, struct flm_bytes name, uint32_t kind,
                               flm_event_sink define, void *context, struct flm_error *why)
{
    uint32_t hash = (uint32_t)flm_hash(name.at, name.size) + kind;
    for (struct flm_probe at = flm_index_probe(&m->name_index, hash);
         flm_index_next(&m->name_index, &at);) {
        const struct flm_java_name_item *item = &m->names.at[at.found];
        if (item->kind == kind &&
            flm_bytes_equal((struct flm_bytes){item->text.at, item->text.size}, name))
            return item->code;
    }
    struct flm_java_name_item item = {.kind = kind, .code = m->first_code + m->next_code};
    flm_text_add(&item.text, name);
    if (item.text.failed || !FLM_ARRAY_RESERVE(&m->names, 1) ||
        !flm_index_add(&m->name_index, hash, (uint32_t)m->names.count)) {
        flm_text_clear(&item.text);
        flm_error_memory(why);
        return 0;
    }
    m->names.at[m->names.count++] = item;
    m->next_code++;
    return define_name(item.code, name, (struct flm_bytes){"", 0}, 0, kind, define, context, why)
               ? item.code
               : 0;
}

static bool define_code(struct flm_java_methods *m, size_t index, flm_event_sink define,
                        void *context, struct flm_error *why)
{
    struct flm_java_code_item *code = &m->codes.at[index];
    const struct flm_java_method_item *item = &m->methods.at[code->method];
    struct flm_bytes function = {item->text.at, item->function_size};
    struct flm_bytes file = {item->text.at + item->function_size,
                             item->text.size - item->function_size};
    if (!item->is_known) {
        function = flm_bytes_of("[unloaded Java method]");
        file = (struct flm_bytes){"", 0};
        m->unnamed++;
    }
    code->is_defined =
        define_name(m->code_numbers.at[index], function, file, line_of(item, code->bytecode),
                    kind_of(code->kind), define, context, why);
    return code->is_defined;
}

bool flm_java_methods_define(struct flm_java_methods *m, bool all, flm_event_sink define,
                             void *context, struct flm_error *why)
{
    bool in_order = true;
    for (size_t i = m->defined; i < m->codes.count; i++) {
        const struct flm_java_code_item *code = &m->codes.at[i];
        if (!code->is_defined && (all || m->methods.at[code->method].is_known) &&
            !define_code(m, i, define, context, why))
            return false;
        in_order = in_order && code->is_defined;
        if (in_order)
            m->defined = i + 1;
    }
    return true;
}

bool flm_java_methods_end_vm(struct flm_java_methods *m, uint64_t vm, flm_event_sink define,
                             void *context, struct flm_error *why)
{
    for (size_t i = m->defined; i < m->codes.count; i++)
        if (!m->codes.at[i].is_defined && m->methods.at[m->codes.at[i].method].vm == vm &&
            !define_code(m, i, define, context, why))
            return false;
    for (size_t i = 0; i < m->methods.count; i++) {
        struct flm_java_method_item *item = &m->methods.at[i];
        if (item->vm != vm)
            continue;
        flm_text_clear(&item->text);
        free(item->lines);
        item->lines = NULL;
        item->line_count = 0;
        item->function_size = 0;
    }
    return true;
}
