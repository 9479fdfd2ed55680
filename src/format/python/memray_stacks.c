#include "base/core/hash.h"
#include "flamel/profile.h"
#include "format/python/line_table.h"
#include "format/python/memray.h"
#include "profile/internal.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

uint32_t flm_memray_thread(struct flm_memray *m, uint64_t id)
{
    uint32_t hash = flm_hash_numbers(id, 0);
    for (struct flm_probe at = flm_index_probe(&m->thread_index, hash);
         flm_index_next(&m->thread_index, &at);)
        if (m->threads.at[at.found].id == id)
            return at.found;
    struct flm_memray_thread thread = {.id = id, .recent = {{0, 0, FLM_NONE}, {0, 0, FLM_NONE}}};
    uint32_t index = (uint32_t)m->threads.count;
    return FLM_ARRAY_ADD(&m->threads, thread) && flm_index_add(&m->thread_index, hash, index)
               ? index
               : FLM_NONE;
}

uint32_t flm_memray_stack(struct flm_memray *m, uint32_t parent, uint32_t frame)
{
    uint32_t hash = flm_hash_numbers(parent, frame);
    for (struct flm_probe at = flm_index_probe(&m->stack_index, hash);
         flm_index_next(&m->stack_index, &at);)
        if (m->stacks.at[at.found].parent == parent && m->stacks.at[at.found].frame == frame)
            return at.found;
    uint32_t index = (uint32_t)m->stacks.count;
    return FLM_ARRAY_ADD(&m->stacks, (struct flm_memray_stack){parent, frame, 0, FLM_NONE}) &&
                   flm_index_add(&m->stack_index, hash, index)
               ? index
               : FLM_NONE;
}

uint32_t flm_memray_location(struct flm_memray *m, uint32_t stack, uint32_t thread)
{
    uint32_t hash = flm_hash_numbers(stack, thread);
    for (struct flm_probe at = flm_index_probe(&m->location_index, hash);
         flm_index_next(&m->location_index, &at);)
        if (m->locations.at[at.found].stack == stack && m->locations.at[at.found].thread == thread)
            return at.found;
    uint32_t index = (uint32_t)m->locations.count;
    struct flm_memray_location location = {.stack = stack, .thread = thread};
    return FLM_ARRAY_ADD(&m->locations, location) && flm_index_add(&m->location_index, hash, index)
               ? index
               : FLM_NONE;
}

uint32_t flm_memray_find(const struct flm_memray *m, uint64_t key, uint64_t offset)
{
    for (struct flm_probe at = flm_index_probe(&m->frame_index, flm_hash_numbers(key, offset));
         flm_index_next(&m->frame_index, &at);)
        if (m->frames.at[at.found].key == key && m->frames.at[at.found].offset == offset)
            return at.found;
    return FLM_NONE;
}

/* A key that is there gets the new frame: so every key is in the index once. */
static uint32_t add_key(struct flm_memray *m, struct flm_memray_frame frame)
{
    uint32_t index = flm_memray_find(m, frame.key, frame.offset);
    if (index != FLM_NONE) {
        m->frames.at[index] = frame;
        return index;
    }
    index = (uint32_t)m->frames.count;
    return FLM_ARRAY_ADD(&m->frames, frame) &&
                   flm_index_add(&m->frame_index, flm_hash_numbers(frame.key, frame.offset), index)
               ? index
               : FLM_NONE;
}

static uint32_t add_frame(struct flm_memray *m, uint64_t key, uint64_t offset,
                          struct flm_frame_record record)
{
    const struct flm_location where = {.line = record.line};
    record.line = 0;
    return add_key(m, (struct flm_memray_frame){
                          key, offset, flm_builder_located(m->builder, &record, where).index});
}

bool flm_memray_number_frame(struct flm_memray *m, uint64_t key, uint64_t offset, uint32_t frame)
{
    return add_key(m, (struct flm_memray_frame){key, offset, m->frames.at[frame].frame}) !=
           FLM_NONE;
}

static uint32_t interned(struct flm_memray *m, const struct flm_text *text)
{
    return flm_builder_string(m->builder, text->at ? text->at : "", text->size).index;
}

bool flm_memray_add_frame(struct flm_memray *m, uint64_t key, uint32_t line)
{
    struct flm_frame_record record = {
        .function = interned(m, &m->name), .file = interned(m, &m->file), .line = line};
    return add_frame(m, key, 0, record) != FLM_NONE;
}

static struct flm_memray_code *find_code(struct flm_memray *m, uint64_t key)
{
    for (struct flm_probe at = flm_index_probe(&m->code_index, flm_hash_numbers(key, 0));
         flm_index_next(&m->code_index, &at);)
        if (m->codes.at[at.found].key == key)
            return &m->codes.at[at.found];
    return NULL;
}

bool flm_memray_add_code(struct flm_memray *m, uint64_t key, uint32_t first_line,
                         struct flm_bytes lines)
{
    struct flm_memray_code code = {.key = key,
                                   .function = interned(m, &m->name),
                                   .file = interned(m, &m->file),
                                   .first_line = first_line,
                                   .lines = m->tables.size,
                                   .lines_size = lines.size};
    flm_text_add(&m->tables, lines);
    struct flm_memray_code *old = find_code(m, key);
    if (old)
        *old = code;
    if (old || m->tables.failed)
        return !m->tables.failed;
    return FLM_ARRAY_ADD(&m->codes, code) &&
           flm_index_add(&m->code_index, flm_hash_numbers(key, 0), (uint32_t)m->codes.count - 1);
}

bool flm_memray_code_frame(struct flm_memray *m, uint64_t key, uint64_t offset, uint32_t *frame)
{
    *frame = flm_memray_find(m, key, offset);
    if (*frame != FLM_NONE)
        return true;
    const struct flm_memray_code *code = find_code(m, key);
    if (!code)
        return flm_error_byte(m->why, FLM_ERROR_FORMAT, m->offset,
                              "a call refers to a function that is not in the file before it");
    enum flm_python_lines kind = m->python_version < 0x030a0000   ? FLM_PYTHON_LNOTAB
                                 : m->python_version < 0x030b0000 ? FLM_PYTHON_LINETABLE
                                                                  : FLM_PYTHON_LOCATIONS;
    struct flm_bytes table = {m->tables.at ? m->tables.at + code->lines : "", code->lines_size};
    struct flm_frame_record record = {.function = code->function, .file = code->file};
    if (m->options->locations)
        record.line = flm_python_line(kind, table, code->first_line, (int64_t)offset);
    else
        m->builder->dropped_locations |= table.size > 0;
    *frame = add_frame(m, key, offset, record);
    return *frame != FLM_NONE || flm_error_memory(m->why);
}

/* ---- The profile ----------------------------------------------------------------------------- */

static void thread_name(struct flm_memray *m, const struct flm_memray_thread *thread)
{
    m->file.size = 0;
    flm_text_format(&m->file, "0x%llx", (unsigned long long)thread->id);
    m->name.size = 0;
    if (thread->name)
        flm_text_add(&m->name, flm_interner_text(&m->builder->interner, thread->name));
    else if (thread->id == m->main_thread)
        flm_text_puts(&m->name, "MainThread");
    if (m->name.failed || m->file.failed)
        flm_builder_fail_memory(m->builder);
}

static struct flm_label_set labels_of(struct flm_memray *m)
{
    struct flm_builder *b = m->builder;
    struct flm_string labels[4] = {flm_builder_string(b, "thread", 6),
                                   {interned(m, &m->file)},
                                   flm_builder_string(b, "thread name", 11),
                                   {interned(m, &m->name)}};
    return flm_builder_label_set(b, labels, m->name.size > 0 ? 2 : 1);
}

/* Stacks remember their node below the last root, so that of a stack only the part that is new is
 * walked. */
static struct flm_node node_of(struct flm_memray *m, const struct flm_memray_location *location)
{
    struct flm_builder *b = m->builder;
    struct flm_node node = flm_builder_root(b);
    if (m->options->by_thread && location->thread != FLM_NONE) {
        const struct flm_text *name = m->name.size > 0 ? &m->name : &m->file;
        struct flm_frame_record record = {.kind = FLM_KIND_LABEL, .function = interned(m, name)};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    }
    uint32_t root = node.index;
    m->path.count = 0;
    for (uint32_t s = location->stack; s != 0; s = m->stacks.at[s].parent) {
        const struct flm_memray_stack *at = &m->stacks.at[s];
        if (at->root == root && at->node != FLM_NONE) {
            node.index = at->node;
            break;
        }
        if (!FLM_ARRAY_ADD(&m->path, s)) {
            flm_builder_fail_memory(b);
            return node;
        }
    }
    while (m->path.count > 0) {
        struct flm_memray_stack *at = &m->stacks.at[m->path.at[--m->path.count]];
        node = flm_builder_child(b, node, (struct flm_frame){at->frame});
        at->root = root;
        at->node = node.index;
    }
    return node;
}

enum { PEAK, LEAKED, ALLOCATIONS, ALLOCATED, TEMPORARY, METRICS };

void flm_memray_add_values(struct flm_memray *m)
{
    static const char *const names[METRICS][2] = {{"peak", "bytes"},
                                                  {"leaked", "bytes"},
                                                  {"allocations", "count"},
                                                  {"allocated", "bytes"},
                                                  {"temporary", "count"}};
    struct flm_builder *b = m->builder;
    struct flm_metric metrics[METRICS];
    int count = m->is_aggregated ? ALLOCATIONS : METRICS;
    for (int i = 0; i < count; i++)
        metrics[i] = flm_builder_metric(b, names[i][0], names[i][1]);
    for (size_t l = 0; l < m->locations.count && !flm_builder_failed(b); l++) {
        struct flm_memray_location *location = &m->locations.at[l];
        flm_memray_keep_peak(m, location);
        uint64_t values[METRICS] = {location->at_peak, location->bytes, location->allocations,
                                    location->allocated, location->temporary};
        if (location->thread != FLM_NONE)
            thread_name(m, &m->threads.at[location->thread]);
        struct flm_node node = node_of(m, location);
        bool has_sample = !m->options->keep_times || location->thread == FLM_NONE;
        struct flm_label_set labels = {0};
        if (!has_sample)
            labels = labels_of(m);
        for (int i = 0; i < count; i++) {
            double value = (double)values[i];
            flm_builder_rounded(b, flm_uint_is_rounded(values[i]));
            if (value == 0)
                continue;
            if (!m->options->keep_times || location->thread == FLM_NONE)
                flm_builder_add(b, node, metrics[i], value);
            else if (has_sample)
                flm_builder_sample_add(b, metrics[i], value);
            else
                flm_builder_sample(b, FLM_NO_TIME, node, labels, metrics[i], value);
            has_sample = true;
        }
    }
}

void flm_memray_clear(struct flm_memray *m)
{
    for (size_t i = 0; i < m->threads.count; i++)
        FLM_ARRAY_CLEAR(&m->threads.at[i].stacks);
    FLM_ARRAY_CLEAR(&m->codes);
    FLM_ARRAY_CLEAR(&m->frames);
    FLM_ARRAY_CLEAR(&m->stacks);
    FLM_ARRAY_CLEAR(&m->threads);
    FLM_ARRAY_CLEAR(&m->locations);
    FLM_ARRAY_CLEAR(&m->ranges);
    FLM_ARRAY_CLEAR(&m->numbered);
    FLM_ARRAY_CLEAR(&m->path);
    free(m->blocks);
    flm_index_clear(&m->code_index);
    flm_index_clear(&m->frame_index);
    flm_index_clear(&m->stack_index);
    flm_index_clear(&m->thread_index);
    flm_index_clear(&m->location_index);
    flm_text_clear(&m->tables);
    flm_text_clear(&m->name);
    flm_text_clear(&m->file);
}
