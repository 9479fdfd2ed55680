/* resolve_stacks.c - rows of the tables of frames and stacks into frames and nodes of the builder,
 * each when a sample first needs it. */
#include <stdlib.h>

#include "format/gecko/internal.h"
#include "format/gecko/location.h"

/* Traits of a function: how its frames occur. */
enum { HAS_CALLED = 1, HAS_INLINED = 2, HAS_KERNEL = 4, HAS_OTHER = 8 };

enum { UNKNOWN_CATEGORY = -2 }; /* not looked up yet; -1: it has none */

struct flm_bytes flm_gecko_category_name(const struct flm_gecko_resolving *r, int32_t category)
{
    if (category < 0 || (size_t)category >= r->process->categories.count)
        return (struct flm_bytes){"", 0};
    return flm_gecko_text(r, r->process->categories.at[category].name);
}

void flm_gecko_stacks_clear(struct flm_gecko_stacks *s)
{
    free(s->frames);
    free(s->traits);
    free(s->categories);
    free(s->nodes);
    free(s->rounds);
    *s = (struct flm_gecko_stacks){0};
}

/* Notes for each function in which ways its frames occur. */
static void note_traits(const struct flm_gecko_resolving *r, struct flm_gecko_stacks *s)
{
    const struct flm_gecko_tables *t = s->tables;
    for (size_t i = 0; i < s->frame_count; i++) {
        int32_t func = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FRAME_FUNC), i);
        if (func < 0 || (size_t)func >= s->func_count)
            continue;
        int32_t category = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FRAME_CATEGORY), i);
        bool is_kernel = flm_bytes_are(flm_gecko_category_name(r, category), "Kernel");
        bool is_inlined =
            flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FRAME_INLINE_DEPTH), i) > 0;
        s->traits[func] |= (unsigned char)((is_kernel ? HAS_KERNEL : HAS_OTHER) |
                                           (is_inlined ? HAS_INLINED : HAS_CALLED));
    }
}

bool flm_gecko_stacks_init(struct flm_gecko_resolving *r, struct flm_gecko_stacks *s,
                           const struct flm_gecko_tables *t)
{
    *s = (struct flm_gecko_stacks){.tables = t};
    s->frame_count = flm_gecko_larger(flm_gecko_column_of(t, FLM_GECKO_FRAME_FUNC)->count,
                                      flm_gecko_column_of(t, FLM_GECKO_FRAME_LOCATION)->count);
    s->func_count = flm_gecko_column_of(t, FLM_GECKO_FUNC_NAME)->count;
    s->stack_count = flm_gecko_column_of(t, FLM_GECKO_STACK_FRAME)->count;
    s->frames = malloc((s->frame_count + 1) * sizeof *s->frames);
    s->traits = calloc(s->func_count + 1, 1);
    s->nodes = malloc((s->stack_count + 1) * sizeof *s->nodes);
    s->rounds = calloc(s->stack_count + 1, sizeof *s->rounds);
    s->categories = malloc((s->stack_count + 1) * sizeof *s->categories);
    if (!s->categories || !s->frames || !s->traits || !s->nodes || !s->rounds) {
        flm_gecko_stacks_clear(s);
        return flm_gecko_no_memory(r);
    }
    memset(s->frames, -1, s->frame_count * sizeof *s->frames);
    for (size_t i = 0; i < s->stack_count; i++)
        s->categories[i] = UNKNOWN_CATEGORY;
    note_traits(r, s);
    return true;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static struct flm_bytes file_of(const struct flm_gecko_resolving *r,
                                const struct flm_gecko_tables *t, int32_t func)
{
    int32_t source = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FUNC_SOURCE), (size_t)func);
    int32_t file = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FUNC_FILE), (size_t)func);
    if (source >= 0)
        file = flm_gecko_index(flm_gecko_column_of(&r->process->shared, FLM_GECKO_SOURCE_FILE),
                               (size_t)source);
    return flm_gecko_string(r->strings, file);
}

static uint32_t line_at(const struct flm_gecko_column *lines, size_t i)
{
    int32_t line = flm_gecko_index(lines, i);
    return line > 0 ? (uint32_t)line : 0;
}

/* Where in its function the frame of row `i` is: the line, the column. */
static struct flm_location place_of(const struct flm_gecko_tables *t, size_t i)
{
    return (struct flm_location){
        .line = line_at(flm_gecko_column_of(t, FLM_GECKO_FRAME_LINE), i),
        .column = line_at(flm_gecko_column_of(t, FLM_GECKO_FRAME_COLUMN), i),
    };
}

static bool processed_frame(struct flm_gecko_resolving *r, size_t i,
                            struct flm_frame_record *record, struct flm_location *where)
{
    const struct flm_gecko_stacks *s = r->stacks;
    const struct flm_gecko_tables *t = s->tables;
    int32_t func = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FRAME_FUNC), i);
    if (func < 0 || (size_t)func >= s->func_count)
        return flm_gecko_refuse(r, "frame", i,
                                "has a function that is not in the table of functions");
    int32_t name = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FUNC_NAME), (size_t)func);
    if (name < 0 || (size_t)name >= r->strings->ends.count)
        return flm_gecko_refuse(r, "function", (size_t)func,
                                "has a name that is not in the array of strings");
    struct flm_bytes function = flm_gecko_string(r->strings, name);
    bool is_js = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FUNC_IS_JS), (size_t)func) > 0;
    struct flm_bytes file = file_of(r, t, func);
    record->line = line_at(flm_gecko_column_of(t, FLM_GECKO_FUNC_LINE), (size_t)func);
    if (is_js && file.size == 0) {
        /* In the first versions the name contains the file, as in unprocessed profiles. */
        struct flm_gecko_location location;
        flm_gecko_location_parse(function, &location);
        if (location.is_js && location.name.size > 0) {
            function = location.name;
            file = location.file;
            record->line = location.line;
        }
    }
    record->function = flm_gecko_string_of(r, function);
    const struct flm_gecko_lib *lib = flm_gecko_set_module(r, t, i, func, record);
    record->file = flm_gecko_string_of(r, file);
    *where = place_of(t, i);
    unsigned traits = s->traits[func];
    if (!is_js)
        record->kind = (traits & HAS_KERNEL) && !(traits & HAS_OTHER)     ? FLM_KIND_KERNEL
                       : (traits & HAS_INLINED) && !(traits & HAS_CALLED) ? FLM_KIND_INLINED
                       : record->module                                   ? FLM_KIND_NATIVE
                                                                          : FLM_KIND_PLAIN;
    double relative = flm_gecko_value(flm_gecko_column_of(t, FLM_GECKO_FRAME_ADDRESS), i);
    bool is_relative = relative >= 0 && relative < 9223372036854775808.0 && record->module;
    uint64_t address;
    if (flm_gecko_is_address(function, &address)) {
        record->flags = FLM_FRAME_UNSYMBOLIZED;
        record->address = is_relative ? (uint64_t)relative : address;
        flm_gecko_want_names(r, lib, record);
    } else if (is_relative && r->options->locations) {
        where->address = (uint64_t)relative;
        flm_gecko_want_names(r, lib, record); /* the note says which file the address is in */
    } else if (is_relative) {
        r->builder->dropped_locations = true;
    }
    return true;
}

static bool unprocessed_frame(struct flm_gecko_resolving *r, size_t i,
                              struct flm_frame_record *record, struct flm_location *where)
{
    const struct flm_gecko_tables *t = r->stacks->tables;
    struct flm_gecko_location location;
    int32_t index = flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FRAME_LOCATION), i);
    if (index < 0 || (size_t)index >= r->strings->ends.count)
        return flm_gecko_refuse(r, "frame", i,
                                "has a location that is not in the table of strings");
    flm_gecko_location_parse(flm_gecko_string(r->strings, index), &location);
    r->name.size = 0;
    if (location.is_js && location.name.size == 0) {
        flm_text_puts(&r->name, "(root scope) ");
        flm_text_add(&r->name, location.file);
        location.name = (struct flm_bytes){r->name.at, r->name.size};
    }
    if (r->name.failed)
        return flm_gecko_no_memory(r);
    record->function = flm_gecko_string_of(r, location.name);
    record->module = flm_gecko_string_of(r, location.module);
    record->file = flm_gecko_string_of(r, location.file);
    record->line = location.line;
    *where = place_of(t, i);
    if (location.is_address) {
        flm_gecko_set_module_at(r, &location.address, record);
        record->address = location.address;
        record->flags = FLM_FRAME_UNSYMBOLIZED;
    }
    record->kind = record->module ? FLM_KIND_NATIVE : FLM_KIND_PLAIN;
    return true;
}

/* The builder's frame of row `i`, or FLM_NONE. */
static uint32_t frame_of(struct flm_gecko_resolving *r, int32_t i)
{
    struct flm_gecko_stacks *s = r->stacks;
    if (s->frames[i] == FLM_NONE) {
        struct flm_frame_record record = {0};
        struct flm_location where = {0};
        bool is_processed = flm_gecko_column_of(s->tables, FLM_GECKO_FRAME_FUNC)->count > 0;
        if (!(is_processed ? processed_frame(r, (size_t)i, &record, &where)
                           : unprocessed_frame(r, (size_t)i, &record, &where)))
            return FLM_NONE;
        s->frames[i] = flm_builder_located(r->builder, &record, where).index;
    }
    return s->frames[i];
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* The caller of a stack; -1: it has none, -2: it is not in the table. */
static int32_t prefix_of(const struct flm_gecko_stacks *s, int32_t stack)
{
    const struct flm_gecko_column *offsets =
        flm_gecko_column_of(s->tables, FLM_GECKO_STACK_PREFIX_OFFSET);
    const struct flm_gecko_column *prefixes =
        flm_gecko_column_of(s->tables, FLM_GECKO_STACK_PREFIX);
    if (offsets->count > 0) {
        double offset = flm_gecko_value(offsets, (size_t)stack);
        if (!(offset != 0))
            return -1;
        return offset > 0 && offset <= stack && (double)(int32_t)offset == offset
                   ? stack - (int32_t)offset
                   : -2;
    }
    double prefix = flm_gecko_value(prefixes, (size_t)stack);
    if (prefix != prefix || prefix == -1)
        return -1;
    int32_t index = flm_gecko_index(prefixes, (size_t)stack);
    return index >= 0 && (size_t)index < s->stack_count ? index : -2;
}

bool flm_gecko_node_of(struct flm_gecko_resolving *r, struct flm_node thread, int32_t stack,
                       struct flm_node *node)
{
    struct flm_gecko_stacks *s = r->stacks;
    r->path.count = 0;
    *node = thread;
    for (int32_t at = stack, prefix; at >= 0; at = prefix) {
        if (s->rounds[at] == s->round) {
            *node = (struct flm_node){s->nodes[at]};
            break;
        }
        prefix = prefix_of(s, at);
        if (r->path.count > s->stack_count)
            return flm_gecko_refuse(r, "stack", (size_t)stack, "is its own caller");
        if (prefix == -2)
            return flm_gecko_refuse(r, "stack", (size_t)at,
                                    "has a caller that is not in the table of stacks");
        if (!FLM_ARRAY_ADD(&r->path, (uint32_t)at))
            return flm_gecko_no_memory(r);
    }
    while (r->path.count > 0) {
        uint32_t at = r->path.at[--r->path.count];
        int32_t row = flm_gecko_index(flm_gecko_column_of(s->tables, FLM_GECKO_STACK_FRAME), at);
        if (row < 0 || (size_t)row >= s->frame_count)
            return flm_gecko_refuse(r, "stack", at,
                                    "has a frame that is not in the table of frames");
        uint32_t frame = frame_of(r, row);
        if (frame == FLM_NONE)
            return false;
        if (at != r->thread->name_stack)
            *node = flm_builder_child(r->builder, *node, (struct flm_frame){frame});
        s->nodes[at] = node->index;
        s->rounds[at] = s->round;
    }
    return true;
}

/* The category is stored for all stacks on the way, so that each is visited once. */
int32_t flm_gecko_category_of(const struct flm_gecko_stacks *s, int32_t stack)
{
    int32_t at = stack, category = -1;
    for (; at >= 0 && s->categories[at] == UNKNOWN_CATEGORY; at = prefix_of(s, at)) {
        int32_t frame =
            flm_gecko_index(flm_gecko_column_of(s->tables, FLM_GECKO_STACK_FRAME), (size_t)at);
        category = flm_gecko_index(flm_gecko_column_of(s->tables, FLM_GECKO_FRAME_CATEGORY),
                                   (size_t)frame);
        if (category >= 0)
            break;
        category = -1;
    }
    if (at >= 0 && s->categories[at] != UNKNOWN_CATEGORY)
        category = s->categories[at];
    for (int32_t i = stack; i >= 0 && s->categories[i] == UNKNOWN_CATEGORY; i = prefix_of(s, i)) {
        s->categories[i] = category;
        if (i == at)
            break;
    }
    return category;
}
