#include "load/sidecar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/core/array.h"
#include "base/core/sort.h"
#include "base/text/json_read.h"
#include "os/input.h"

#define NONE UINT32_MAX

struct place {
    uint32_t function, file, line; /* indices of strings; NONE */
};

struct symbol {
    uint64_t start, limit;
    uint32_t name, module;
    uint32_t first, count; /* places */
};

struct known {
    uint64_t address;
    uint32_t symbol, module; /* the symbol as the module counts them */
};

struct module {
    size_t name, name_size; /* in `text` */
    size_t first_symbol, symbol_count, first_known, known_count;
};

struct flm_sidecar {
    struct flm_text text;                   /* names of modules, and the strings: */
    struct FLM_ARRAY(size_t) starts, sizes; /* in `text` */
    struct FLM_ARRAY(struct module) modules;
    struct FLM_ARRAY(struct symbol) symbols;
    struct FLM_ARRAY(struct place) places;
    struct FLM_ARRAY(struct known) known;

    /* Each table as indices: modules by name, the others by module and address. So the part of a
     * module is where it is in the table itself. */
    uint32_t *module_order, *symbol_order, *known_order;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static uint64_t read_number(struct flm_json *json, uint64_t otherwise)
{
    int64_t value;
    if (flm_json_type(json) != FLM_JSON_TYPE_NUMBER) {
        flm_json_skip(json);
        return otherwise;
    }
    return flm_json_integer(json, &value) && value >= 0 ? (uint64_t)value : otherwise;
}

static uint32_t read_index(struct flm_json *json)
{
    uint64_t value = read_number(json, NONE);
    return value < NONE ? (uint32_t)value : NONE;
}

static void read_strings(struct flm_sidecar *s, struct flm_json *json)
{
    struct flm_bytes text;
    flm_json_enter_array(json);
    while (flm_json_next_item(json))
        if (flm_json_string(json, &text)) {
            if (!FLM_ARRAY_ADD(&s->starts, s->text.size) || !FLM_ARRAY_ADD(&s->sizes, text.size))
                flm_json_fail_memory(json);
            flm_text_add(&s->text, text);
        }
}

static void read_places(struct flm_sidecar *s, struct flm_json *json)
{
    struct flm_bytes key;
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        struct place place = {NONE, NONE, 0};
        flm_json_enter_object(json);
        while (flm_json_next_key(json, &key)) {
            if (flm_bytes_are(key, "function"))
                place.function = read_index(json);
            else if (flm_bytes_are(key, "file"))
                place.file = read_index(json);
            else if (flm_bytes_are(key, "line"))
                place.line = read_index(json);
        }
        if (!FLM_ARRAY_ADD(&s->places, place))
            flm_json_fail_memory(json);
    }
}

static void read_symbols(struct flm_sidecar *s, struct flm_json *json)
{
    struct flm_bytes key;
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        struct symbol symbol = {
            .name = NONE, .module = (uint32_t)s->modules.count, .first = (uint32_t)s->places.count};
        uint64_t size = 0;
        flm_json_enter_object(json);
        while (flm_json_next_key(json, &key)) {
            if (flm_bytes_are(key, "rva"))
                symbol.start = read_number(json, 0);
            else if (flm_bytes_are(key, "size"))
                size = read_number(json, 0);
            else if (flm_bytes_are(key, "symbol"))
                symbol.name = read_index(json);
            else if (flm_bytes_are(key, "frames") && flm_json_type(json) == FLM_JSON_TYPE_ARRAY)
                read_places(s, json);
        }
        symbol.limit = symbol.start + size;
        symbol.count = (uint32_t)s->places.count - symbol.first;
        if (!FLM_ARRAY_ADD(&s->symbols, symbol))
            flm_json_fail_memory(json);
    }
}

static void read_known(struct flm_sidecar *s, struct flm_json *json)
{
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        struct known known = {0, NONE, (uint32_t)s->modules.count};
        flm_json_enter_array(json);
        if (flm_json_next_item(json))
            known.address = read_number(json, 0);
        if (flm_json_next_item(json))
            known.symbol = read_index(json);
        flm_json_leave(json);
        if (!FLM_ARRAY_ADD(&s->known, known))
            flm_json_fail_memory(json);
    }
}

static void read_modules(struct flm_sidecar *s, struct flm_json *json)
{
    struct flm_bytes key, name;
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        struct module module = {.first_symbol = s->symbols.count, .first_known = s->known.count};
        flm_json_enter_object(json);
        while (flm_json_next_key(json, &key)) {
            if (flm_bytes_are(key, "debug_name") && flm_json_string(json, &name)) {
                module.name = s->text.size;
                module.name_size = name.size;
                flm_text_add(&s->text, name);
            } else if (flm_bytes_are(key, "symbol_table")) {
                read_symbols(s, json);
            } else if (flm_bytes_are(key, "known_addresses")) {
                read_known(s, json);
            }
        }
        module.symbol_count = s->symbols.count - module.first_symbol;
        module.known_count = s->known.count - module.first_known;
        if (!FLM_ARRAY_ADD(&s->modules, module))
            flm_json_fail_memory(json);
    }
}

static struct flm_bytes name_of(const struct flm_sidecar *s, uint32_t module)
{
    const struct module *m = &s->modules.at[module];
    return (struct flm_bytes){m->name_size ? s->text.at + m->name : "", m->name_size};
}

static int by_name(const void *context, uint32_t a, uint32_t b)
{
    return flm_bytes_compare(name_of(context, a), name_of(context, b));
}

static int by_start(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_sidecar *s = context;
    const struct symbol *x = &s->symbols.at[a], *y = &s->symbols.at[b];
    int order = (x->module > y->module) - (x->module < y->module);
    return order ? order : (x->start > y->start) - (x->start < y->start);
}

static int by_address(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_sidecar *s = context;
    const struct known *x = &s->known.at[a], *y = &s->known.at[b];
    int order = (x->module > y->module) - (x->module < y->module);
    return order ? order : (x->address > y->address) - (x->address < y->address);
}

/* NULL when memory ran out. */
static uint32_t *sorted(const struct flm_sidecar *s, size_t count, flm_order order)
{
    uint32_t *items = malloc((count + 1) * sizeof *items);
    uint32_t *scratch = malloc((count + 1) * sizeof *scratch);
    for (size_t i = 0; i < count && items; i++)
        items[i] = (uint32_t)i;
    if (items && scratch) {
        flm_sort(items, count, scratch, order, s);
    } else {
        free(items);
        items = NULL;
    }
    free(scratch);
    return items;
}

static bool sort(struct flm_sidecar *s)
{
    s->module_order = sorted(s, s->modules.count, by_name);
    s->symbol_order = sorted(s, s->symbols.count, by_start);
    s->known_order = sorted(s, s->known.count, by_address);
    return s->module_order && s->symbol_order && s->known_order;
}

static bool read_all(struct flm_sidecar *s, struct flm_source *source, struct flm_error *why)
{
    struct flm_json json;
    struct flm_bytes key;
    flm_json_init(&json, source, why);
    flm_json_enter_object(&json);
    while (flm_json_next_key(&json, &key)) {
        if (flm_bytes_are(key, "string_table"))
            read_strings(s, &json);
        else if (flm_bytes_are(key, "data"))
            read_modules(s, &json);
    }
    return flm_json_finish(&json) && ((!s->text.failed && sort(s)) || flm_error_memory(why));
}

static struct flm_sidecar *open_sidecar(const char *path, struct flm_error *why)
{
    struct flm_input *input = flm_input_open(path, why);
    struct flm_sidecar *s = input ? calloc(1, sizeof *s) : NULL;
    if (input && !s)
        flm_error_memory(why);
    if (s && !read_all(s, flm_input_source(input), why)) {
        flm_error_within(why, path);
        flm_sidecar_free(s);
        s = NULL;
    }
    flm_input_close(input);
    return s;
}

struct flm_sidecar *flm_sidecar_find(const char *path, const struct flm_load_options *options,
                                     struct flm_error *why)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    struct flm_text candidate = {0};
    struct flm_sidecar *found = NULL;
    bool is_there = false;
    for (size_t i = 0; i < options->symbol_dir_count && !is_there; i++) {
        size_t size = strlen(base);
        for (int cut = 0; cut < 2 && !is_there; cut++) {
            while (size > 0 && base[size - 1] != '.')
                size--;
            if (size < 2)
                break;
            size--;
            candidate.size = 0;
            flm_text_puts(&candidate, options->symbol_dirs[i]);
            flm_text_putc(&candidate, '/');
            flm_text_add(&candidate, (struct flm_bytes){base, size});
            flm_text_puts(&candidate, ".syms.json");
            flm_text_putc(&candidate, 0);
            is_there = candidate.failed || access(candidate.at, R_OK) == 0;
        }
    }
    if (candidate.failed)
        flm_error_memory(why);
    else if (is_there)
        found = open_sidecar(candidate.at, why);
    flm_text_clear(&candidate);
    return found;
}

void flm_sidecar_free(struct flm_sidecar *s)
{
    if (!s)
        return;
    flm_text_clear(&s->text);
    FLM_ARRAY_CLEAR(&s->starts);
    FLM_ARRAY_CLEAR(&s->sizes);
    FLM_ARRAY_CLEAR(&s->modules);
    FLM_ARRAY_CLEAR(&s->symbols);
    FLM_ARRAY_CLEAR(&s->places);
    FLM_ARRAY_CLEAR(&s->known);
    free(s->module_order);
    free(s->symbol_order);
    free(s->known_order);
    free(s);
}

/* ---- Looking up ------------------------------------------------------------------------------ */

static struct flm_bytes string_at(const struct flm_sidecar *s, uint32_t index)
{
    return index < s->sizes.count && s->sizes.at[index] > 0
               ? (struct flm_bytes){s->text.at + s->starts.at[index], s->sizes.at[index]}
               : (struct flm_bytes){"", 0};
}

/* NULL: the address is not known. */
static const struct symbol *symbol_at(const struct flm_sidecar *s, const struct module *m,
                                      uint64_t address)
{
    const uint32_t *order = s->known_order + m->first_known;
    size_t from = 0, to = m->known_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct known *known = &s->known.at[order[middle]];
        if (known->address == address && known->symbol < m->symbol_count)
            return &s->symbols.at[m->first_symbol + known->symbol];
        if (known->address < address)
            from = middle + 1;
        else
            to = middle;
    }
    order = s->symbol_order + m->first_symbol;
    for (from = 0, to = m->symbol_count; from < to;) {
        size_t middle = from + (to - from) / 2;
        if (s->symbols.at[order[middle]].start <= address)
            from = middle + 1;
        else
            to = middle;
    }
    const struct symbol *symbol = from > 0 ? &s->symbols.at[order[from - 1]] : NULL;
    return symbol && address < symbol->limit ? symbol : NULL;
}

static size_t functions_of(const struct flm_sidecar *s, const struct symbol *symbol,
                           struct flm_code *code)
{
    size_t count = 0;
    for (uint32_t i = 0; i < symbol->count && count < FLM_CODE_MOST; i++) {
        const struct place *place = &s->places.at[symbol->first + i];
        bool is_last = i + 1 == symbol->count;
        struct flm_bytes name = string_at(s, place->function);
        if (name.size == 0 && is_last)
            name = string_at(s, symbol->name);
        if (name.size > 0)
            code[count++] = (struct flm_code){.function = name,
                                              .file = string_at(s, place->file),
                                              .line = place->line == NONE ? 0 : place->line,
                                              .inlined = !is_last};
    }
    struct flm_bytes name = string_at(s, symbol->name);
    if (count == 0 && name.size > 0)
        code[count++] = (struct flm_code){.function = name, .file = {"", 0}};
    return count;
}

size_t flm_sidecar_lookup(const struct flm_sidecar *s, struct flm_bytes module, uint64_t address,
                          struct flm_code *code)
{
    size_t from = 0, to = s->modules.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (flm_bytes_compare(name_of(s, s->module_order[middle]), module) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == s->modules.count || !flm_bytes_equal(name_of(s, s->module_order[from]), module))
        return 0;
    const struct symbol *symbol = symbol_at(s, &s->modules.at[s->module_order[from]], address);
    return symbol ? functions_of(s, symbol, code) : 0;
}
