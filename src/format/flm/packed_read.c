#include "format/flm/packed.h"

#include <stdlib.h>

#include "base/core/array.h"
#include "format/core/format.h"
#include "format/flm/internal.h"

uint64_t flm_take_long(struct flm_cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        uint64_t byte = *c->at++;
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    c->bad = true;
    return 0;
}

static struct flm_cursor take_section(struct flm_cursor *c)
{
    uint64_t size = flm_take(c);
    if (size > flm_left(c))
        c->bad = true;
    if (c->bad)
        size = 0;
    struct flm_cursor section = {c->at, c->at + size, c->bad};
    c->at += size;
    return section;
}

struct unpacking {
    struct flm_sizes sizes;
    struct flm_cursor strings, letters, frames, tables, counts, callees, shape, ranks, values,
        samples, markers, recursions; /* the last may be absent: then it is empty, as these */
    struct flm_cursor chains[FLM_PACKED_MOST_CHAIN_SECTIONS];
    bool is_old; /* version 5 */
    struct flm_profile *profile;
    struct flm_error *why;
};

bool flm_packed_damaged(struct flm_error *why, const char *what)
{
    return flm_error_set(why, FLM_ERROR_FORMAT, "the packed profile is damaged: %s", what);
}

static bool damaged(struct unpacking *u, const char *what)
{
    return flm_packed_damaged(u->why, what);
}

static void read_chain_sizes(struct unpacking *u, struct flm_cursor *c)
{
    struct flm_sizes *s = &u->sizes;
    struct flm_cursor sizes = take_section(c);
    s->location_count = flm_take32(&sizes);
    s->column_count = flm_take32(&sizes);
    s->chain_count = flm_take32(&sizes);
    s->shared_count = flm_take32(&sizes);
    c->bad |= sizes.bad || flm_left(&sizes) > 0 || s->chain_count == 0 || s->location_count == 0 ||
              (s->column_count != 0 && s->column_count != s->location_count);
    size_t sections = u->is_old ? FLM_PACKED_MOST_CHAIN_SECTIONS : FLM_PACKED_CHAIN_SECTIONS;
    for (size_t i = 0; i < sections; i++)
        u->chains[i] = take_section(c);
}

/* The values of shared chains are in the file, or are sums of the samples that are. */
static bool check_chain_sizes(const struct unpacking *u)
{
    const struct flm_sizes *s = &u->sizes;
    uint64_t most = FLM_PACKED_MOST_CHAINS * (uint64_t)flm_left(&u->chains[FLM_PACKED_CHAIN_CODES]);
    const struct flm_cursor *values =
        &u->chains[u->is_old ? FLM_PACKED_MOST_CHAIN_SECTIONS - 1 : FLM_PACKED_CHAIN_VALUE];
    bool good = u->is_old ? flm_packed_chain_sizes_v5(s, u->chains)
                          : (uint64_t)s->chain_count + s->location_count <= most;
    return good && s->shared_count <= s->chain_count &&
           (uint64_t)s->shared_count * s->metric_count <=
               flm_left(values) +
                   FLM_PACKED_MOST_SUMS * (uint64_t)s->sample_count * s->metric_count;
}

static bool read_head(struct unpacking *u, struct flm_cursor *c)
{
    size_t magic_size = sizeof FLM_PACKED_MAGIC - 1;
    if (flm_left(c) < magic_size || memcmp(c->at, FLM_PACKED_MAGIC, magic_size) != 0)
        return flm_error_set(u->why, FLM_ERROR_FORMAT, "this is not a packed profile");
    c->at += magic_size;
    uint64_t version = flm_take(c);
    u->is_old = version == FLM_PACKED_OLD_CHAINS_VERSION;
    bool has_chains = version == FLM_PACKED_CHAINS_VERSION || u->is_old;
    if (version != FLM_PACKED_VERSION && !has_chains && !c->bad)
        return flm_error_set(u->why, FLM_ERROR_FORMAT,
                             "this packed profile has version %llu, and this flamel reads versions "
                             "%d, %d and %d: %s",
                             (unsigned long long)version, FLM_PACKED_VERSION,
                             FLM_PACKED_OLD_CHAINS_VERSION, FLM_PACKED_CHAINS_VERSION,
                             version > FLM_PACKED_CHAINS_VERSION
                                 ? "install a newer flamel"
                                 : "it is of a build between releases, which wrote a form of its "
                                   "own; record again, or make the page again");
    struct flm_sizes *s = &u->sizes;
    s->string_count = flm_take32(c);
    s->string_bytes = flm_take32(c);
    uint32_t *const counts[] = {&s->frame_count,     &s->node_count,       &s->metric_count,
                                &s->note_count,      &s->loss_count,       &s->label_count,
                                &s->label_set_count, &s->set_member_count, &s->sample_count,
                                &s->duration_count,  &s->marker_count,     &s->counter_count,
                                &s->point_count};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        *counts[i] = flm_take32(c);
    struct flm_cursor *const sections[] = {&u->strings, &u->letters, &u->frames, &u->tables,
                                           &u->counts,  &u->callees, &u->shape,  &u->ranks,
                                           &u->values,  &u->samples, &u->markers};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        *sections[i] = take_section(c);
    if (!c->bad && (has_chains || flm_left(c) > 0)) {
        u->recursions = take_section(c);
        s->recursion_count = flm_take32(&u->recursions);
        if (!has_chains && (c->bad || s->recursion_count == 0))
            return damaged(u, "something follows its end");
        if (has_chains)
            read_chain_sizes(u, c);
        if (!c->bad && flm_left(c) > 0)
            return damaged(u, "something follows its end");
    }
    return !c->bad || damaged(u, "it is cut off");
}

/* Every item takes at least a byte of its section, or two bits: a head with higher counts than the
 * sections can hold is refused before memory is allocated for them. */
static bool check_sizes(struct unpacking *u)
{
    const struct flm_sizes *s = &u->sizes;
    uint64_t tables =
        2 * ((uint64_t)s->metric_count + s->note_count + s->loss_count + s->label_count) +
        s->label_set_count + s->set_member_count;
    bool good =
        s->string_count > 0 && s->frame_count > 0 && s->node_count > 0 &&
        s->metric_count <= FLM_MOST_METRICS && s->string_count != FLM_NONE &&
        s->frame_count != FLM_NONE && s->node_count != FLM_NONE && s->sample_count != FLM_NONE &&
        2 * (uint64_t)s->string_count <= flm_left(&u->strings) &&
        s->string_bytes <=
            flm_left(&u->letters) + (uint64_t)s->string_count * FLM_PACKED_LONGEST_SHARED &&
        7 * (uint64_t)s->frame_count <= flm_left(&u->frames) && tables <= flm_left(&u->tables) &&
        s->frame_count <= flm_left(&u->counts) &&
        ((uint64_t)s->node_count + 3) / 4 == flm_left(&u->shape) &&
        s->node_count - 1 <= flm_left(&u->ranks) &&
        (uint64_t)s->node_count * s->metric_count <= flm_left(&u->values) &&
        (s->duration_count == 0 || s->duration_count == s->sample_count) &&
        (uint64_t)s->sample_count * (3 + (uint64_t)s->metric_count) + s->duration_count <=
            flm_left(&u->samples) &&
        s->marker_count != FLM_NONE && s->counter_count != FLM_NONE && s->point_count != FLM_NONE &&
        5 * (uint64_t)s->marker_count + 5 * (uint64_t)s->counter_count +
                2 * (uint64_t)s->point_count <=
            flm_left(&u->markers) &&
        3 * (uint64_t)s->recursion_count <= flm_left(&u->recursions) &&
        (s->chain_count == 0 || check_chain_sizes(u));
    return good || damaged(u, "it is shorter than its header says");
}

static void read_columns(struct unpacking *u, struct flm_cursor *c,
                         const struct flm_packed_column *columns, size_t column_count)
{
    for (const struct flm_packed_column *column = columns; column < columns + column_count;
         column++) {
        char *at;
        uint32_t count, last = 0;
        memcpy(&at, (const char *)u->profile + column->table, sizeof at);
        memcpy(&count, (const char *)&u->sizes + column->count, sizeof count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = flm_take32(c) + last;
            if (column->ascends)
                last = value;
            memcpy(at + i * column->item + column->field, &value, sizeof value);
        }
    }
}

#define READ_COLUMNS(u, cursor, columns)                                                           \
    read_columns(u, cursor, columns, sizeof(columns) / sizeof(columns)[0])

static bool read_strings(struct unpacking *u)
{
    struct flm_cursor *lengths = &u->strings, *letters = &u->letters;
    struct flm_profile *p = u->profile;
    uint64_t at = 0, last = 0; /* offsets of this string and of the one before */
    for (uint32_t i = 0; i < u->sizes.string_count; i++) {
        uint64_t shared = flm_take(lengths), size = flm_take(lengths);
        if (shared > FLM_PACKED_LONGEST_SHARED || shared > at - last || size > flm_left(letters) ||
            shared + size > u->sizes.string_bytes - at)
            return damaged(u, "its strings have another size than its header says");
        memcpy(p->string_bytes + at, p->string_bytes + last, (size_t)shared);
        memcpy(p->string_bytes + at + shared, letters->at, (size_t)size);
        letters->at += size;
        last = at;
        at += shared + size;
        p->string_ends[i] = (uint32_t)at;
    }
    return true;
}

static void read_addresses(struct unpacking *u)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < u->sizes.frame_count; i++)
        u->profile->frames[i].address = last += (uint64_t)flm_take_signed(&u->frames);
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* The frames of the children of each frame. */
struct callees {
    uint32_t *starts; /* frame -> index of its first in `frames`; one more at the end */
    uint32_t *frames;
};

static bool read_callees(struct unpacking *u, struct callees *to)
{
    uint32_t frames = u->sizes.frame_count;
    uint64_t count = 0;
    to->starts = malloc(((size_t)frames + 1) * sizeof *to->starts);
    if (!to->starts)
        return flm_error_memory(u->why);
    for (uint32_t f = 0; f < frames; f++) {
        to->starts[f] = (uint32_t)count;
        count += flm_take32(&u->counts);
        if (count > flm_left(&u->callees))
            return damaged(u, "the number of callees is not the one in its header");
    }
    to->starts[frames] = (uint32_t)count;
    to->frames = malloc((size_t)(count ? count : 1) * sizeof *to->frames);
    if (!to->frames)
        return flm_error_memory(u->why);
    for (uint32_t f = 0; f < frames; f++) {
        uint32_t last = 0;
        for (uint32_t i = to->starts[f]; i < to->starts[f + 1]; i++)
            to->frames[i] = last += flm_take32(&u->callees);
    }
    return true;
}

/* A node whose children are being read. */
struct open_node {
    uint32_t node;
    uint32_t next, count;    /* of its frame's callees: the first that the next child may have */
    const uint32_t *callees; /* NULL: every frame */
    bool has_sibling;
};

struct open_nodes FLM_ARRAY(struct open_node);

static bool open_node(struct unpacking *u, struct open_nodes *open, struct open_node node)
{
    return FLM_ARRAY_ADD(open, node) || flm_error_memory(u->why);
}

static bool read_nodes(struct unpacking *u, const struct callees *callees, struct open_nodes *open)
{
    struct flm_profile *p = u->profile;
    const unsigned char *shape = u->shape.at;
    for (uint32_t i = 0; i < u->sizes.node_count; i++) {
        uint32_t frame = 0;
        unsigned bits = shape[i / 4] >> i % 4 * 2 & 3;
        bool has_sibling = bits & FLM_PACKED_HAS_SIBLING;
        if (i > 0) {
            if (open->count == 0)
                return damaged(u, "there are nodes after the last one");
            struct open_node *parent = &open->at[open->count - 1];
            uint64_t skipped = flm_take(&u->ranks);
            if (skipped >= parent->count - parent->next)
                return damaged(u, "a node is not one of its parent's callees");
            frame = parent->next + (uint32_t)skipped;
            parent->next = frame + 1;
            if (parent->callees)
                frame = parent->callees[frame];
        } else if (has_sibling) {
            return damaged(u, "there are two roots");
        }
        p->node_frame[i] = frame;
        if (bits & FLM_PACKED_HAS_CHILD) {
            if (frame >= u->sizes.frame_count)
                return damaged(u, "a node refers to a frame that does not exist");
            uint32_t start = callees->starts[frame], count = callees->starts[frame + 1] - start;
            struct open_node node = {i, 0, count, callees->frames + start, has_sibling};
            if (count == 0) {
                node.count = u->sizes.frame_count;
                node.callees = NULL;
            }
            if (!open_node(u, open, node))
                return false;
            continue;
        }
        p->node_end[i] = i + 1;
        while (!has_sibling && open->count > 0) {
            const struct open_node *done = &open->at[--open->count];
            p->node_end[done->node] = i + 1;
            has_sibling = done->has_sibling;
        }
    }
    return open->count == 0 || damaged(u, "nodes are missing");
}

static bool read_tree(struct unpacking *u)
{
    struct callees callees = {0};
    struct open_nodes open = {0};
    bool good = read_callees(u, &callees) && read_nodes(u, &callees, &open);
    free(callees.starts);
    free(callees.frames);
    FLM_ARRAY_CLEAR(&open);
    return good;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool read_planes(struct flm_cursor *c, double *values, size_t count, struct flm_error *why)
{
    if (flm_left(c) / sizeof *values < count)
        return flm_packed_damaged(why, "values are missing");
    for (unsigned plane = 0; plane < sizeof *values; plane++)
        for (size_t i = 0; i < count; i++)
            ((unsigned char *)&values[i])[plane] = *c->at++;
    return true;
}

bool flm_packed_take_values(struct flm_cursor *c, double *values, size_t count,
                            const uint32_t *node_end, struct flm_error *why)
{
    uint64_t kind = flm_take(c);
    if (kind == FLM_PACKED_BYTES)
        return read_planes(c, values, count, why);
    uint64_t times = flm_take(c), power = flm_take(c);
    if (kind > FLM_PACKED_SIGNED || power > FLM_PACKED_LARGEST_POWER)
        return flm_packed_damaged(why, "the kind of its values is unknown");
    double divisor = 1;
    for (uint64_t i = 0; i < power; i++)
        divisor *= 10;
    for (int leaves = node_end ? 1 : 0; leaves >= 0; leaves--) {
        for (size_t i = 0; i < count; i++) {
            if (node_end && (node_end[i] == i + 1) != leaves)
                continue;
            int64_t number = kind == FLM_PACKED_SIGNED ? flm_take_signed(c) : (int64_t)flm_take(c);
            values[i] = (double)(int64_t)((uint64_t)number * times) / divisor;
        }
    }
    return true;
}

static bool read_values(struct unpacking *u, struct flm_cursor *c, double *values, size_t count,
                        const uint32_t *node_end)
{
    return flm_packed_take_values(c, values, count, node_end, u->why);
}

static bool read_tables(struct unpacking *u)
{
    READ_COLUMNS(u, &u->tables, flm_packed_table_columns);
    READ_COLUMNS(u, &u->tables, flm_packed_set_columns);
    for (uint32_t i = 0; i < u->sizes.loss_count; i++)
        if (!read_values(u, &u->tables, &u->profile->losses[i].count, 1, NULL))
            return false;
    return true;
}

static bool read_self(struct unpacking *u)
{
    struct flm_profile *p = u->profile;
    for (uint32_t m = 0; m < u->sizes.metric_count; m++)
        if (!read_values(u, &u->values, flm_self_column(p, m), u->sizes.node_count, p->node_end))
            return false;
    return true;
}

static bool read_samples(struct unpacking *u)
{
    struct flm_profile *p = u->profile;
    uint32_t count = u->sizes.sample_count;
    uint64_t time = (uint64_t)INT64_MIN;
    for (uint32_t i = 0; i < count; i++)
        p->sample_time[i] = (int64_t)(time += flm_take(&u->samples));
    uint32_t *const columns[] = {p->sample_node, p->sample_labels};
    for (int column = 0; column < 2; column++) {
        uint64_t value = 0;
        for (uint32_t i = 0; i < count; i++)
            columns[column][i] = (uint32_t)(value += (uint64_t)flm_take_signed(&u->samples));
    }
    for (uint32_t i = 0; i < u->sizes.duration_count; i++)
        p->sample_duration[i] = (int64_t)flm_take(&u->samples);
    for (uint32_t m = 0; m < u->sizes.metric_count; m++)
        if (!read_values(u, &u->samples, flm_sample_column(p, m), count, NULL))
            return false;
    return true;
}

static bool read_markers(struct unpacking *u)
{
    struct flm_profile *p = u->profile;
    READ_COLUMNS(u, &u->markers, flm_packed_marker_columns);
    uint64_t time = (uint64_t)INT64_MIN;
    for (uint32_t i = 0; i < u->sizes.marker_count; i++) {
        p->markers[i].time_ns = (int64_t)(time += flm_take(&u->markers));
        p->markers[i].duration_ns = (int64_t)flm_take(&u->markers);
    }
    time = (uint64_t)INT64_MIN;
    for (uint32_t i = 0; i < u->sizes.point_count; i++)
        p->point_time[i] = (int64_t)(time += (uint64_t)flm_take_signed(&u->markers));
    uint32_t start = 0;
    for (uint32_t i = 0; i < u->sizes.counter_count; i++) {
        uint32_t end = p->counters[i].end;
        if (end < start || end > u->sizes.point_count)
            return damaged(u, "a counter has points that do not exist");
        if (!read_values(u, &u->markers, p->point_value + start, end - start, NULL))
            return false;
        start = end;
    }
    return true;
}

static void read_recursions(struct unpacking *u)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < u->sizes.recursion_count; i++) {
        node += flm_take32(&u->recursions);
        uint32_t least = flm_take32(&u->recursions);
        u->profile->recursions[i] =
            (struct flm_recursion_record){node, least, least + flm_take32(&u->recursions)};
    }
}

/* Whether every section was read exactly to its end. */
static bool all_used(struct unpacking *u)
{
    const struct flm_cursor *const sections[] = {
        &u->strings, &u->letters, &u->frames,  &u->tables,  &u->counts,    &u->callees,
        &u->ranks,   &u->values,  &u->samples, &u->markers, &u->recursions};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (sections[i]->bad || flm_left(sections[i]) > 0)
            return damaged(u, "the size of a section is wrong");
    for (size_t i = 0; i < FLM_PACKED_MOST_CHAIN_SECTIONS; i++)
        if (u->chains[i].bad || flm_left(&u->chains[i]) > 0)
            return damaged(u, "the size of a section of chains is wrong");
    return true;
}

static bool read_profile(struct unpacking *u)
{
    READ_COLUMNS(u, &u->frames, flm_packed_frame_columns);
    read_addresses(u);
    read_recursions(u);
    return read_strings(u) && read_tables(u) && read_tree(u) && read_self(u) && read_samples(u) &&
           read_markers(u) &&
           (u->sizes.chain_count == 0 ||
            (u->is_old ? flm_packed_take_chains_v5 : flm_packed_take_chains)(u->profile, u->chains,
                                                                             u->why)) &&
           all_used(u) && flm_profile_check(u->profile, u->why);
}

struct flm_profile *flm_profile_unpack(struct flm_bytes packed, struct flm_error *why)
{
    struct flm_cursor all = {(const unsigned char *)packed.at,
                             (const unsigned char *)packed.at + packed.size, false};
    struct unpacking u = {.why = why};
    if (!read_head(&u, &all))
        return NULL;
    if (flm_left(&all) > 0) {
        damaged(&u, "something follows its end");
        return NULL;
    }
    if (!check_sizes(&u))
        return NULL;
    u.profile = flm_profile_allocate(&u.sizes, why);
    if (u.profile && !read_profile(&u)) {
        flm_profile_free(u.profile);
        return NULL;
    }
    return u.profile;
}

int flm_packed_sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, FLM_PACKED_MAGIC) ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}
