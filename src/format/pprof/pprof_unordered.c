/* pprof_unordered.c - profile.proto, as most profilers write it, to a profile that is only added to
 * others (load/unordered.h).
 *
 * A server reads thousands of small files a second. Most of the time went into tables that find
 * each name, frame and node again, and the store that receives the profile looks all of them up in
 * tables of its own. So here nothing is looked up: a string, a location or a stack of the file is
 * made when it is first used. Names and frames that the file has twice are there twice, and nodes
 * are those of one stack after the other, of which each shares the outer locations of the one
 * before. That took a quarter of the time.
 *
 * Files with anything else (addresses without names, values that are negative, ids or lines that
 * are missing, errors) are left to pprof_read.c. */
#include <stdlib.h>

#include "format/pprof/internal.h"

enum { MOST_NODES = 1 << 18, MOST_LINES = 64 };

/* Strings are numbered from 1 on; 0 is "". FLM_NONE: not made yet. */
struct function {
    uint32_t name, file, line;
};

struct module {
    uint32_t path, kind;
};

/* The frames of a location, outermost first; without any it is not made yet. */
struct location {
    uint32_t first, count;
};

/* The location at a depth of the current stack, and how many nodes are open at its end. */
struct level {
    uint64_t id;
    size_t open;
};

struct unordered {
    struct flm_pprof_reading *r;
    uint32_t *strings; /* by index in the file */
    struct FLM_ARRAY(struct flm_bytes) texts;
    size_t text_bytes;
    struct function *functions;
    struct module *modules;
    struct location *locations;
    struct FLM_ARRAY(struct flm_frame_record) frames;

    struct FLM_ARRAY(uint32_t) node_frame, node_end; /* without the root */
    struct FLM_ARRAY(uint32_t) open;                 /* nodes of the current stack */
    struct FLM_ARRAY(struct level) path;
    struct FLM_ARRAY(uint32_t) leaves;     /* nodes, by stack and then by odd sample */
    struct FLM_ARRAY(uint64_t) odd_values; /* by odd sample, by sample type */
};

/* ---- Names ----------------------------------------------------------------------------------- */

static uint32_t string_of(struct unordered *u, uint64_t index)
{
    if (index >= u->r->string_starts.count)
        return index == 0 ? 0 : FLM_NONE;
    if (u->strings[index] != FLM_NONE)
        return u->strings[index];
    struct flm_bytes text = flm_pprof_field(u->r, u->r->string_starts.at[index]).bytes;
    if (text.size == 0)
        return u->strings[index] = 0;
    if (!FLM_ARRAY_ADD(&u->texts, text))
        return FLM_NONE;
    u->text_bytes += text.size;
    return u->strings[index] = (uint32_t)u->texts.count;
}

/* NULL: it is missing, or has no name. */
static const struct function *function_of(struct unordered *u, uint64_t id)
{
    uint32_t index = id == 0 ? FLM_NONE : flm_pprof_find(&u->r->functions, id);
    if (index == FLM_NONE)
        return NULL;
    struct function *function = &u->functions[index];
    if (function->name != FLM_NONE)
        return function;
    struct flm_wire m = flm_pprof_message(u->r, u->r->functions.starts.at[index]);
    uint64_t name = 0, system_name = 0, file = 0, line = 0;
    while (flm_wire_next(&m)) {
        if (m.field == 2)
            name = m.number;
        else if (m.field == 3)
            system_name = m.number;
        else if (m.field == 4)
            file = m.number;
        else if (m.field == 5)
            line = m.number;
    }
    uint32_t made = string_of(u, name);
    if (made == 0)
        made = string_of(u, system_name);
    *function = (struct function){made, string_of(u, file), flm_wire_line(line)};
    return made != 0 && made != FLM_NONE && function->file != FLM_NONE ? function : NULL;
}

/* NULL: it is missing. */
static const struct module *module_of(struct unordered *u, uint64_t id)
{
    static const struct module none = {0, FLM_KIND_PLAIN};
    if (id == 0)
        return &none;
    uint32_t index = flm_pprof_find(&u->r->mappings, id);
    if (index == FLM_NONE)
        return NULL;
    struct module *module = &u->modules[index];
    if (module->path != FLM_NONE)
        return module;
    const struct flm_mapping *mapping = flm_pprof_mapping(u->r, id); /* for the notes too */
    struct flm_wire m = flm_pprof_message(u->r, u->r->mappings.starts.at[index]);
    uint64_t path = 0;
    while (flm_wire_next(&m))
        if (m.field == 5)
            path = m.number;
    *module = (struct module){string_of(u, path), mapping->kind};
    return module->path != FLM_NONE ? module : NULL;
}

/* ---- Locations ------------------------------------------------------------------------------- */

/* A line of a location; each but the last one is inlined into the next. */
static bool add_frame(struct unordered *u, struct flm_bytes line, const struct module *module,
                      bool is_inlined)
{
    struct flm_wire m = flm_wire_of(&u->r->input, line);
    uint64_t id = 0;
    while (flm_wire_next(&m))
        if (m.field == 1)
            id = m.number;
    const struct function *function = function_of(u, id);
    if (!function)
        return false;
    const struct flm_frame_record record = {.function = function->name,
                                            .module = module->path,
                                            .file = function->file,
                                            .line = function->line,
                                            .kind = is_inlined ? (uint32_t)FLM_KIND_INLINED
                                                               : module->kind};
    return FLM_ARRAY_ADD(&u->frames, record);
}

static bool make_location(struct unordered *u, uint32_t index)
{
    struct flm_wire m = flm_pprof_message(u->r, u->r->locations.starts.at[index]);
    struct flm_bytes lines[MOST_LINES];
    uint32_t count = 0;
    uint64_t mapping = 0;
    while (flm_wire_next(&m)) {
        if (m.field == 2) {
            mapping = m.number;
        } else if (m.field == 4) {
            if (m.type != FLM_WIRE_BYTES || count == MOST_LINES)
                return false;
            /* Copying `m.bytes` waits until its two halves are stored: a third of this. */
            lines[count++] =
                (struct flm_bytes){(const char *)m.at - (size_t)m.number, (size_t)m.number};
        }
    }
    const struct module *module = module_of(u, mapping);
    u->locations[index] = (struct location){(uint32_t)u->frames.count, count};
    bool good = count > 0 && module;
    for (uint32_t i = count; good && i-- > 0;)
        good = add_frame(u, lines[i], module, i + 1 < count);
    return good;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static void close_nodes(struct unordered *u, size_t open)
{
    while (u->open.count > open)
        u->node_end.at[u->open.at[--u->open.count]] = (uint32_t)u->node_frame.count;
}

static bool push_location(struct unordered *u, uint64_t id)
{
    uint32_t index = id == 0 ? FLM_NONE : flm_pprof_find(&u->r->locations, id);
    if (index == FLM_NONE || (u->locations[index].count == 0 && !make_location(u, index)))
        return false;
    struct location location = u->locations[index];
    if (u->node_frame.count + location.count > MOST_NODES)
        return false;
    for (uint32_t i = 0; i < location.count; i++)
        if (!FLM_ARRAY_ADD(&u->open, (uint32_t)u->node_frame.count) ||
            !FLM_ARRAY_ADD(&u->node_frame, location.first + i) || !FLM_ARRAY_ADD(&u->node_end, 0))
            return false;
    return FLM_ARRAY_ADD(&u->path, (struct level){id, u->open.count});
}

/* The locations in r->ids, leaf first. */
static bool add_stack(struct unordered *u)
{
    const struct flm_pprof_reading *r = u->r;
    size_t count = r->ids.count, shared = 0;
    while (shared < count && shared < u->path.count &&
           u->path.at[shared].id == r->ids.at[count - 1 - shared])
        shared++;
    u->path.count = shared;
    close_nodes(u, shared > 0 ? u->path.at[shared - 1].open : 0);
    bool good = count > 0;
    for (size_t i = shared; good && i < count; i++)
        good = push_location(u, r->ids.at[count - 1 - i]);
    return good && FLM_ARRAY_ADD(&u->leaves, u->open.at[u->open.count - 1]);
}

static bool add_ids(struct unordered *u, const struct flm_wire *field)
{
    struct flm_pprof_reading *r = u->r;
    if (!FLM_ARRAY_RESERVE(&r->ids, flm_wire_most_numbers(field)))
        return false;
    r->ids.count += flm_wire_unpack(field, r->ids.at + r->ids.count);
    return true;
}

static bool add_summed(struct unordered *u, const unsigned char *start)
{
    struct flm_wire field = flm_pprof_field(u->r, start);
    u->r->ids.count = 0;
    return add_ids(u, &field) && add_stack(u);
}

/* A sample in another encoding, as Go has them for stacks of one or two locations. */
static bool add_odd(struct unordered *u, const unsigned char *start)
{
    struct flm_pprof_reading *r = u->r;
    struct flm_wire m = flm_pprof_message(r, start);
    size_t types = r->sums.type_count, before = u->odd_values.count;
    uint64_t any = 0;
    r->ids.count = 0;
    while (flm_wire_next(&m)) {
        if (m.field == 1 && !add_ids(u, &m))
            return false;
        if (m.field != 2)
            continue;
        struct flm_wire numbers = flm_wire_numbers(&m);
        for (uint64_t value; flm_wire_next_number(&numbers, &value); any |= value)
            if (!FLM_ARRAY_ADD(&u->odd_values, value))
                return false;
    }
    if (u->odd_values.count != before + types)
        return false;
    if (any != 0)
        return add_stack(u);
    u->odd_values.count = before; /* nothing to add, as Go has in profiles of the heap */
    return true;
}

/* ---- The profile ----------------------------------------------------------------------------- */

/* Whether the sum of no sample type is rounded, however stacks are added: `values` are by stack. */
static bool has_exact_sums(const struct unordered *u, const uint64_t *values, size_t count)
{
    const uint64_t most = (uint64_t)1 << 52; /* twice: of stacks and of odd samples */
    size_t types = u->r->sums.type_count;
    for (size_t type = 0; type < types; type++)
        for (uint64_t sum = 0, i = 0; i < count; i++) {
            uint64_t value = values[i * types + type];
            if (value > most || (sum += value) > most)
                return false;
        }
    return true;
}

static bool collect(struct unordered *u)
{
    struct flm_pprof_reading *r = u->r;
    if (!flm_pprof_prepare_tables(r))
        return false;
    u->strings = flm_pprof_new_marks(r->string_starts.count, sizeof *u->strings);
    u->functions = flm_pprof_new_marks(r->functions.ids.count, sizeof *u->functions);
    u->modules = flm_pprof_new_marks(r->mappings.ids.count, sizeof *u->modules);
    u->locations = calloc(r->locations.ids.count + 1, sizeof *u->locations);
    bool good = u->strings && u->functions && u->modules && u->locations && string_of(u, 0) == 0;
    for (size_t i = 0; good && i < r->sums.stacks.count; i++)
        good = add_summed(u, r->sums.stacks.at[i]);
    for (size_t i = 0; good && i < r->sums.odd.count; i++)
        good = add_odd(u, r->sums.odd.at[i]);
    if (good)
        close_nodes(u, 0);
    return good && !flm_pprof_stopped(r) &&
           has_exact_sums(u, r->sums.values.at, r->sums.stacks.count) &&
           has_exact_sums(u, u->odd_values.at, u->leaves.count - r->sums.stacks.count);
}

static void write_strings(const struct unordered *u, uint32_t first, struct flm_profile *p)
{
    uint32_t end = p->string_ends[first - 1];
    for (size_t i = 0; i < u->texts.count; i++) {
        memcpy(p->string_bytes + end, u->texts.at[i].at, u->texts.at[i].size);
        p->string_ends[first + i] = end += (uint32_t)u->texts.at[i].size;
    }
}

static void write_tree(const struct unordered *u, uint32_t first_string, struct flm_profile *p)
{
    const struct flm_pprof_sums *sums = &u->r->sums;
    for (size_t i = 0; i < u->frames.count; i++) {
        struct flm_frame_record record = u->frames.at[i];
        record.function += record.function ? first_string - 1 : 0;
        record.module += record.module ? first_string - 1 : 0;
        record.file += record.file ? first_string - 1 : 0;
        p->frames[i + 1] = record;
    }
    p->node_end[0] = (uint32_t)u->node_frame.count + 1;
    for (size_t i = 0; i < u->node_frame.count; i++) {
        p->node_frame[i + 1] = u->node_frame.at[i] + 1;
        p->node_end[i + 1] = u->node_end.at[i] + 1;
    }
    for (size_t type = 0; type < sums->type_count; type++) {
        double *self = flm_self_column(p, u->r->metrics.at[type]);
        for (size_t i = 0; i < u->leaves.count; i++) {
            const uint64_t *values =
                i < sums->stacks.count
                    ? sums->values.at + i * sums->type_count
                    : u->odd_values.at + (i - sums->stacks.count) * sums->type_count;
            self[u->leaves.at[i] + 1] += (double)values[type];
        }
    }
}

/* With the metrics and the notes of `heading`, which has nothing else. */
static struct flm_profile *write_profile(const struct unordered *u,
                                         const struct flm_profile *heading)
{
    struct flm_sizes sizes = heading->sizes;
    uint32_t first_string = sizes.string_count;
    sizes.string_count += (uint32_t)u->texts.count;
    sizes.string_bytes += u->text_bytes;
    sizes.frame_count += (uint32_t)u->frames.count;
    sizes.node_count += (uint32_t)u->node_frame.count;
    struct flm_profile *p = flm_profile_allocate(&sizes, NULL);
    if (!p)
        return NULL;
    memcpy(p->string_ends, heading->string_ends, first_string * sizeof *p->string_ends);
    memcpy(p->string_bytes, heading->string_bytes, heading->sizes.string_bytes);
    memcpy(p->metrics, heading->metrics, sizes.metric_count * sizeof *p->metrics);
    memcpy(p->notes, heading->notes, sizes.note_count * sizeof *p->notes);
    p->frames[0] = heading->frames[0];
    write_strings(u, first_string, p);
    write_tree(u, first_string, p);
    return p;
}

static void clear(struct unordered *u)
{
    free(u->strings);
    free(u->functions);
    free(u->modules);
    free(u->locations);
    FLM_ARRAY_CLEAR(&u->texts);
    FLM_ARRAY_CLEAR(&u->frames);
    FLM_ARRAY_CLEAR(&u->node_frame);
    FLM_ARRAY_CLEAR(&u->node_end);
    FLM_ARRAY_CLEAR(&u->open);
    FLM_ARRAY_CLEAR(&u->path);
    FLM_ARRAY_CLEAR(&u->leaves);
    FLM_ARRAY_CLEAR(&u->odd_values);
}

struct flm_profile *flm_pprof_make_unordered(struct flm_pprof_reading *r)
{
    struct unordered u = {.r = r};
    bool good = !r->sums.ended && collect(&u);
    if (good) {
        flm_pprof_make_metrics(r);
        good = !flm_pprof_stopped(r);
    }
    if (good) {
        flm_pprof_add_notes(r);
        good = !flm_pprof_stopped(r);
    }
    struct flm_profile *heading = NULL, *p = NULL;
    if (good)
        heading = flm_builder_finish(r->builder, NULL);
    else
        flm_builder_free(r->builder);
    r->builder = NULL;
    if (heading && heading->sizes.frame_count == 1 && heading->sizes.node_count == 1 &&
        heading->sizes.loss_count == 0)
        p = write_profile(&u, heading);
    flm_profile_free(heading);
    clear(&u);
    return p;
}
