#include "format/flm/packed.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "format/flm/internal.h"

struct packing {
    const struct flm_profile *profile;
    struct flm_text *out;
    struct flm_text section;
    struct flm_error *why;
};

void flm_packed_put_section(struct flm_text *out, const struct flm_text *section)
{
    flm_put_varint(out, section->size);
    flm_text_add(out, (struct flm_bytes){section->at, section->size});
    flm_text_cut(out);
}

static void end_section(struct packing *p)
{
    flm_packed_put_section(p->out, &p->section);
    p->section.size = 0;
}

static void put_column(struct packing *p, const struct flm_packed_column *column)
{
    const char *at;
    uint32_t count, last = 0;
    memcpy(&at, (const char *)p->profile + column->table, sizeof at);
    memcpy(&count, (const char *)&p->profile->sizes + column->count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, at + i * column->item + column->field, sizeof value);
        flm_put_varint(&p->section, value - last);
        if (column->ascends)
            last = value;
    }
}

#define PUT_COLUMNS(p, columns)                                                                    \
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns)[0]; i++)                              \
    put_column(p, &(columns)[i])

static void put_sizes(struct packing *p)
{
    const struct flm_sizes *s = &p->profile->sizes;
    flm_text_add(p->out, (struct flm_bytes){FLM_PACKED_MAGIC, sizeof FLM_PACKED_MAGIC - 1});
    const uint64_t sizes[] = {s->chain_count ? FLM_PACKED_CHAINS_VERSION : FLM_PACKED_VERSION,
                              s->string_count,
                              s->string_bytes,
                              s->frame_count,
                              s->node_count,
                              s->metric_count,
                              s->note_count,
                              s->loss_count,
                              s->label_count,
                              s->label_set_count,
                              s->set_member_count,
                              s->sample_count,
                              s->duration_count,
                              s->marker_count,
                              s->counter_count,
                              s->point_count};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        flm_put_varint(p->out, sizes[i]);
}

static size_t shared_with_last(struct flm_bytes last, struct flm_bytes text)
{
    size_t most = last.size < text.size ? last.size : text.size, shared = 0;
    most = most < FLM_PACKED_LONGEST_SHARED ? most : FLM_PACKED_LONGEST_SHARED;
    while (shared < most && last.at[shared] == text.at[shared])
        shared++;
    return shared;
}

static void put_strings(struct packing *p)
{
    struct flm_text letters = {0};
    struct flm_bytes last = {"", 0};
    for (uint32_t i = 0; i < p->profile->sizes.string_count; i++) {
        struct flm_bytes text = flm_string_bytes(p->profile, i);
        size_t shared = shared_with_last(last, text);
        flm_put_varint(&p->section, shared);
        flm_put_varint(&p->section, text.size - shared);
        flm_text_add(&letters, (struct flm_bytes){text.at + shared, text.size - shared});
        last = text;
    }
    end_section(p);
    flm_packed_put_section(p->out, &letters);
    p->section.failed |= letters.failed;
    flm_text_clear(&letters);
}

static void put_frames(struct packing *p)
{
    PUT_COLUMNS(p, flm_packed_frame_columns);
    uint64_t last = 0;
    for (uint32_t i = 0; i < p->profile->sizes.frame_count; i++) {
        uint64_t address = p->profile->frames[i].address;
        flm_put_varint(&p->section, flm_with_sign((int64_t)(address - last)));
        last = address;
    }
    end_section(p);
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* The nodes sorted by their parent's frame and then by their own: a counting sort by own frame,
 * then a stable one by the parent's. */
struct callees {
    uint32_t *parent;  /* node -> node */
    uint32_t *order;   /* nodes in that order, without the root */
    uint32_t *scratch; /* as many; later: node -> its rank */
    uint32_t *starts;  /* frame -> start of its callees' nodes; one more at the end */
};

static void lay_out(const uint32_t *nodes, size_t count, const uint32_t *frame_of,
                    const uint32_t *parent, uint32_t *starts, uint32_t frame_count, uint32_t *to)
{
    memset(starts, 0, ((size_t)frame_count + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[frame_of[parent ? parent[nodes[i]] : nodes[i]] + 1]++;
    for (uint32_t f = 0; f < frame_count; f++)
        starts[f + 1] += starts[f];
    for (size_t i = 0; i < count; i++)
        to[starts[frame_of[parent ? parent[nodes[i]] : nodes[i]]]++] = nodes[i];
    /* Each start has moved to the beginning of the next one. */
    memmove(starts + 1, starts, frame_count * sizeof *starts);
    starts[0] = 0;
}

/* Ranks the children of the nodes of one frame. Returns its number of callees, or 0 when a list of
 * them does not pay: the rank is then the index of the child's frame itself. */
static uint32_t put_callees_of(struct packing *p, struct callees *c, uint32_t f)
{
    const uint32_t *frame = p->profile->node_frame;
    uint32_t start = c->starts[f], end = c->starts[f + 1], count = 0, last = 0;
    for (uint32_t i = start; i < end; i++) {
        count += frame[c->order[i]] != last;
        last = frame[c->order[i]];
    }
    /* The more often each callee occurs, the more a list saves; a short list costs little, and its
     * zeros compress better. */
    bool listed = count < 16 || count <= (end - start) / 2;
    uint32_t rank = FLM_NONE;
    last = 0;
    for (uint32_t i = start; i < end; i++) {
        uint32_t callee = frame[c->order[i]];
        if (listed && callee != last)
            flm_put_varint(&p->section, callee - last);
        rank += callee != last;
        last = callee;
        c->scratch[c->order[i] - 1] = listed ? rank : callee;
    }
    return listed ? count : 0;
}

static void put_callees(struct packing *p, struct callees *c)
{
    const struct flm_profile *profile = p->profile;
    const uint32_t *frame = profile->node_frame, frames = profile->sizes.frame_count;
    uint32_t nodes = profile->sizes.node_count - 1;
    flm_profile_parents(profile, c->parent);
    for (uint32_t i = 0; i < nodes; i++)
        c->scratch[i] = i + 1;
    lay_out(c->scratch, nodes, frame, NULL, c->starts, frames, c->order);
    memcpy(c->scratch, c->order, nodes * sizeof *c->order);
    lay_out(c->scratch, nodes, frame, c->parent, c->starts, frames, c->order);

    struct flm_text counts = {0};
    for (uint32_t f = 0; f < frames; f++)
        flm_put_varint(&counts, put_callees_of(p, c, f));
    flm_packed_put_section(p->out, &counts);
    p->section.failed |= counts.failed;
    flm_text_clear(&counts);
    end_section(p);
}

static void put_shape(struct packing *p, const uint32_t *parent)
{
    const uint32_t *end = p->profile->node_end, nodes = p->profile->sizes.node_count;
    for (uint32_t i = 0; i < nodes; i += 4) {
        unsigned four = 0;
        for (uint32_t j = i; j < nodes && j < i + 4; j++) {
            unsigned bits = (end[j] > j + 1 ? FLM_PACKED_HAS_CHILD : 0) |
                            (j > 0 && end[j] < end[parent[j]] ? FLM_PACKED_HAS_SIBLING : 0);
            four |= bits << 2 * (j - i);
        }
        flm_text_putc(&p->section, (char)four);
    }
    end_section(p);
}

/* `next`: node -> the lowest rank that its next child may have. */
static void put_ranks(struct packing *p, const struct callees *c, uint32_t *next)
{
    uint32_t nodes = p->profile->sizes.node_count;
    memset(next, 0, nodes * sizeof *next);
    for (uint32_t i = 1; i < nodes; i++) {
        uint32_t rank = c->scratch[i - 1], parent = c->parent[i];
        flm_put_varint(&p->section, rank - next[parent]);
        next[parent] = rank + 1;
    }
    end_section(p);
}

static bool put_tree(struct packing *p)
{
    size_t nodes = p->profile->sizes.node_count;
    struct callees c = {
        .parent = calloc(nodes, sizeof(uint32_t)),
        .order = calloc(nodes, sizeof(uint32_t)),
        .scratch = calloc(nodes, sizeof(uint32_t)),
        .starts = calloc((size_t)p->profile->sizes.frame_count + 1, sizeof(uint32_t)),
    };
    bool good = c.parent && c.order && c.scratch && c.starts;
    if (good) {
        put_callees(p, &c);
        put_shape(p, c.parent);
        put_ranks(p, &c, c.order);
    }
    free(c.parent);
    free(c.order);
    free(c.scratch);
    free(c.starts);
    return good;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The common parts of a column of values: each is times * number / 10^power. */
struct scale {
    enum flm_packed_kind kind;
    uint64_t times;
    int power;
};

static const double powers[FLM_PACKED_LARGEST_POWER + 1] = {1,   1e1, 1e2, 1e3, 1e4,
                                                            1e5, 1e6, 1e7, 1e8, 1e9};

/* `value` times 10^power as a whole number; false where that would not be exact. */
static bool whole_of(double value, int power, int64_t *whole)
{
    double scaled = rint(value * powers[power]);
    if (!(fabs(scaled) < FLM_EXACT_LIMIT) || scaled / powers[power] != value ||
        (value == 0 && signbit(value)))
        return false;
    *whole = (int64_t)scaled;
    return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool scale_with(const double *values, size_t count, int power, struct scale *scale)
{
    *scale = (struct scale){FLM_PACKED_UNSIGNED, 0, power};
    for (size_t i = 0; i < count; i++) {
        int64_t whole = 0;
        if (!whole_of(values[i], power, &whole))
            return false;
        if (whole < 0)
            scale->kind = FLM_PACKED_SIGNED;
        if (scale->times != 1 && whole != 0)
            scale->times = common_divisor((uint64_t)(whole < 0 ? -whole : whole), scale->times);
    }
    return true;
}

static struct scale find_scale(const double *values, size_t count)
{
    struct scale scale;
    for (int power = 0; power <= FLM_PACKED_LARGEST_POWER; power += 3)
        if (scale_with(values, count, power, &scale))
            return scale;
    return (struct scale){FLM_PACKED_BYTES, 0, 0};
}

static void put_value(struct flm_text *out, const struct scale *scale, double value)
{
    int64_t whole = 0, times = scale->times ? (int64_t)scale->times : 1;
    whole_of(value, scale->power, &whole);
    flm_put_varint(out, scale->kind == FLM_PACKED_SIGNED ? flm_with_sign(whole / times)
                                                         : (uint64_t)(whole / times));
}

/* A column: with `node_end` the values of the leaves first, then those of the other nodes. */
void flm_packed_put_values(struct flm_text *out, const double *values, size_t count,
                           const uint32_t *node_end)
{
    struct scale scale = find_scale(values, count);
    flm_put_varint(out, scale.kind);
    if (scale.kind == FLM_PACKED_BYTES) {
        for (unsigned plane = 0; plane < sizeof(double); plane++)
            for (size_t i = 0; i < count; i++)
                flm_text_putc(out, ((const char *)&values[i])[plane]);
        return;
    }
    flm_put_varint(out, scale.times);
    flm_put_varint(out, (uint64_t)scale.power);
    for (int leaves = node_end ? 1 : 0; leaves >= 0; leaves--)
        for (size_t i = 0; i < count; i++)
            if (!node_end || (node_end[i] == i + 1) == leaves)
                put_value(out, &scale, values[i]);
}

static void put_tables(struct packing *p)
{
    PUT_COLUMNS(p, flm_packed_table_columns);
    PUT_COLUMNS(p, flm_packed_set_columns);
    for (uint32_t i = 0; i < p->profile->sizes.loss_count; i++)
        flm_packed_put_values(&p->section, &p->profile->losses[i].count, 1, NULL);
    end_section(p);
}

static void put_self(struct packing *p)
{
    const struct flm_profile *profile = p->profile;
    for (uint32_t m = 0; m < profile->sizes.metric_count; m++)
        flm_packed_put_values(&p->section, flm_self_column(profile, m), profile->sizes.node_count,
                              profile->node_end);
    end_section(p);
}

static void put_samples(struct packing *p)
{
    const struct flm_profile *profile = p->profile;
    uint32_t count = profile->sizes.sample_count;
    uint64_t last = (uint64_t)INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        flm_put_varint(&p->section, (uint64_t)profile->sample_time[i] - last);
        last = (uint64_t)profile->sample_time[i];
    }
    const uint32_t *const columns[] = {profile->sample_node, profile->sample_labels};
    for (int column = 0; column < 2; column++) {
        int64_t before = 0;
        for (uint32_t i = 0; i < count; i++) {
            flm_put_varint(&p->section, flm_with_sign(columns[column][i] - before));
            before = columns[column][i];
        }
    }
    for (uint32_t i = 0; i < profile->sizes.duration_count; i++)
        flm_put_varint(&p->section, (uint64_t)profile->sample_duration[i]);
    double *column = malloc(((size_t)count + 1) * sizeof *column);
    for (uint32_t m = 0; column && m < profile->sizes.metric_count; m++) {
        struct flm_sample_values values = flm_sample_values(profile, m);
        flm_sample_values_expand(&values, 0, count, column);
        flm_packed_put_values(&p->section, column, count, NULL);
    }
    p->section.failed |= !column;
    free(column);
    end_section(p);
}

static void put_markers(struct packing *p)
{
    const struct flm_profile *profile = p->profile;
    PUT_COLUMNS(p, flm_packed_marker_columns);
    uint64_t last = (uint64_t)INT64_MIN;
    for (uint32_t i = 0; i < profile->sizes.marker_count; i++) {
        flm_put_varint(&p->section, (uint64_t)profile->markers[i].time_ns - last);
        flm_put_varint(&p->section, (uint64_t)profile->markers[i].duration_ns);
        last = (uint64_t)profile->markers[i].time_ns;
    }
    /* Signed differences: a counter's first point is usually earlier than the last of the one
     * before it. */
    last = (uint64_t)INT64_MIN;
    for (uint32_t i = 0; i < profile->sizes.point_count; i++) {
        flm_put_varint(&p->section,
                       flm_with_sign((int64_t)((uint64_t)profile->point_time[i] - last)));
        last = (uint64_t)profile->point_time[i];
    }
    uint32_t start = 0;
    for (uint32_t i = 0; i < profile->sizes.counter_count; i++) {
        flm_packed_put_values(&p->section, profile->point_value + start,
                              profile->counters[i].end - start, NULL);
        start = profile->counters[i].end;
    }
    end_section(p);
}

/* This section and the next are left out where there is nothing in them: such profiles are what
 * they were before there were these sections. */
static void put_recursions(struct packing *p)
{
    const struct flm_profile *profile = p->profile;
    uint32_t last = 0;
    flm_put_varint(&p->section, profile->sizes.recursion_count);
    for (uint32_t i = 0; i < profile->sizes.recursion_count; i++) {
        struct flm_recursion_record record = profile->recursions[i];
        flm_put_varint(&p->section, record.node - last);
        flm_put_varint(&p->section, record.least);
        flm_put_varint(&p->section, record.most - record.least);
        last = record.node;
    }
    end_section(p);
}

bool flm_profile_pack(const struct flm_profile *profile, struct flm_text *out,
                      struct flm_error *why)
{
    assert(profile && out);
    struct packing p = {.profile = profile, .out = out, .why = why};
    put_sizes(&p);
    put_strings(&p);
    put_frames(&p);
    put_tables(&p);
    bool good = put_tree(&p);
    put_self(&p);
    put_samples(&p);
    put_markers(&p);
    if (profile->sizes.recursion_count > 0 || profile->sizes.chain_count > 0)
        put_recursions(&p);
    good = good && !p.section.failed;
    flm_text_clear(&p.section);
    if (!good)
        return flm_error_memory(why);
    return profile->sizes.chain_count == 0 || flm_packed_put_chains(profile, out, why);
}
