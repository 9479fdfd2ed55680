#include "format/v8/profile.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "profile/internal.h"

void flm_v8_clear(struct flm_v8_profile *p)
{
    FLM_ARRAY_CLEAR(&p->nodes);
    FLM_ARRAY_CLEAR(&p->edges);
    FLM_ARRAY_CLEAR(&p->ticks);
    FLM_ARRAY_CLEAR(&p->samples);
    FLM_ARRAY_CLEAR(&p->deltas);
    FLM_ARRAY_CLEAR(&p->lines);
    flm_index_clear(&p->by_id);
    p->indexed = p->dense = 0;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static struct flm_bytes text_of(const struct flm_builder *b, uint32_t string)
{
    return flm_interner_text(&b->interner, string);
}

struct flm_frame flm_v8_frame(struct flm_builder *b, uint32_t function, uint32_t url, int64_t line,
                              int64_t shown)
{
    struct flm_frame_record frame = {.function = function, .file = url};
    frame.line = line >= 0 && line < UINT32_MAX - 1 ? (uint32_t)line + 1 : 0;
    if (text_of(b, function).size == 0) {
        struct flm_bytes file = text_of(b, url);
        size_t slash = file.size;
        while (slash > 0 && file.at[slash - 1] != '/')
            slash--;
        struct flm_text name = {0};
        flm_text_puts(&name, "(anonymous");
        if (file.size > 0) {
            flm_text_putc(&name, ' ');
            flm_text_add(&name, flm_bytes_from(file, slash));
            flm_text_format(&name, ":%lld", (long long)shown);
        }
        flm_text_putc(&name, ')');
        if (name.failed)
            flm_builder_fail_memory(b);
        else
            frame.function = flm_builder_string(b, name.at, name.size).index;
        flm_text_clear(&name);
    }
    return flm_builder_frame(b, &frame);
}

static struct flm_frame frame_of(struct flm_v8_profile *p, const struct flm_v8_node *node,
                                 bool is_heap)
{
    int64_t line = node->line >= 0 ? node->line - p->lines_from_1 : -1;
    return flm_v8_frame(p->builder, node->function, node->url, line,
                        is_heap ? node->line : line + 1);
}

/* The index of the node with that id; FLM_NONE. */
static uint32_t find_node(const struct flm_v8_profile *p, uint32_t id)
{
    if (id == FLM_NONE)
        return FLM_NONE;
    if (id - 1 < p->dense)
        return id - 1;
    struct flm_probe at = flm_index_probe(&p->by_id, flm_hash_numbers(id, 0));
    while (flm_index_next(&p->by_id, &at))
        if (p->nodes.at[at.found].id == id)
            return at.found;
    return FLM_NONE;
}

static bool index_nodes(struct flm_v8_profile *p)
{
    for (; p->indexed < p->nodes.count; p->indexed++) {
        uint32_t id = p->nodes.at[p->indexed].id;
        if (p->dense == p->indexed && id == p->indexed + 1)
            p->dense++;
        else if (id != FLM_NONE && find_node(p, id) == FLM_NONE &&
                 !flm_index_add(&p->by_id, flm_hash_numbers(id, 0), (uint32_t)p->indexed)) {
            flm_builder_fail_memory(p->builder);
            return false;
        }
    }
    return true;
}

static void find_parents(struct flm_v8_profile *p)
{
    for (size_t i = 0; i < p->edges.count; i++) {
        const struct flm_v8_edge *edge = &p->edges.at[i];
        uint32_t other = find_node(p, edge->to);
        if (other == FLM_NONE)
            continue;
        if (edge->is_parent)
            p->nodes.at[edge->from].parent = other;
        else
            p->nodes.at[other].parent = edge->from;
    }
}

enum role { ROLE_FRAME, ROLE_NONE, ROLE_INTERRUPTS };

static enum role role_of(const struct flm_v8_profile *p, const struct flm_v8_node *node)
{
    struct flm_bytes name = text_of(p->builder, node->function);
    if (flm_bytes_are(name, "(root)") || flm_bytes_are(name, "(idle)") ||
        flm_bytes_are(text_of(p->builder, node->url), "native dummy.js"))
        return ROLE_NONE;
    if (flm_bytes_are(name, "(garbage collector)") || flm_bytes_are(name, "(program)"))
        return ROLE_INTERRUPTS;
    return ROLE_FRAME;
}

#define IN_PROGRESS (FLM_NONE - 1)

/* Makes the stack of a node and of those of its ancestors that have none yet, the outermost first:
 * `path` holds them. */
static bool make_stack(struct flm_v8_profile *p, uint32_t i, struct flm_node root, bool is_heap,
                       uint32_t *path, struct flm_error *why)
{
    size_t count = 0;
    struct flm_node node = root;
    for (; i != FLM_NONE; i = p->nodes.at[i].parent) {
        struct flm_v8_node *at = &p->nodes.at[i];
        if (at->node == IN_PROGRESS)
            return flm_error_set(why, FLM_ERROR_FORMAT,
                                 "the nodes are in a circle: node %u is its own caller", at->id);
        if (at->node != FLM_NONE) {
            node.index = at->node;
            break;
        }
        at->node = IN_PROGRESS;
        path[count++] = i;
    }
    while (count > 0 && !flm_builder_failed(p->builder)) {
        struct flm_v8_node *at = &p->nodes.at[path[--count]];
        at->role = role_of(p, at);
        if (!is_heap && at->role == ROLE_NONE)
            node = root;
        else
            node = flm_builder_child(p->builder, node, frame_of(p, at, is_heap));
        at->node = node.index;
    }
    return true;
}

bool flm_v8_make_stacks(struct flm_v8_profile *p, struct flm_node root, bool is_heap,
                        struct flm_error *why)
{
    if (!index_nodes(p))
        return true;
    find_parents(p);
    uint32_t *path = malloc((p->nodes.count + 1) * sizeof *path);
    if (!path) {
        flm_builder_fail_memory(p->builder);
        return true;
    }
    bool good = true;
    for (size_t i = 0; i < p->nodes.count && good && !flm_builder_failed(p->builder); i++)
        good = make_stack(p, (uint32_t)i, root, is_heap, path, why);
    free(path);
    return good;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* What is on top of the stack of a sample: the nodes that interrupted it. */
enum { MOST_INTERRUPTS = 8, FEW_SAMPLES = 1 << 16 };

struct sampling {
    struct flm_v8_profile *p;
    const struct flm_read_options *options;
    struct flm_metric metric;
    struct flm_label_set labels;
    struct flm_node root;

    struct flm_node stack; /* with the interrupts */
    uint32_t interrupts[MOST_INTERRUPTS];
    struct flm_node interrupted[MOST_INTERRUPTS];
    size_t interrupt_count;
    double began, latest;
    bool has_stack;
    uint32_t last_id, last_line;
    uint64_t without_time;
    struct flm_sample_batch batch;
};

static int64_t time_ns(const struct sampling *s, double elapsed_us)
{
    double ns = (s->p->start_us + elapsed_us) * 1000;
    return ns > -4611686018427387904.0 && ns < 4611686018427387904.0 ? (int64_t)ns : FLM_NO_TIME;
}

/* The stack so far ends; another one begins. */
static void change_stack(struct sampling *s, double at_us)
{
    if (at_us < s->latest)
        at_us = s->latest;
    s->latest = at_us;
    double value = at_us - s->began;
    if (s->has_stack && value > 0 && s->stack.index != s->root.index) {
        if (s->options->keep_times) {
            int64_t from = time_ns(s, s->began), to = time_ns(s, at_us);
            bool has_times = from != FLM_NO_TIME && to != FLM_NO_TIME;
            struct flm_sample_batch *batch = &s->batch;
            uint32_t at = batch->count++;
            batch->time_ns[at] = from;
            batch->duration_ns[at] = has_times ? to - from : 0;
            batch->node[at] = s->stack.index;
            batch->label_set[at] = s->labels.index;
            batch->values[0][at] = value;
            s->without_time += !has_times;
            if (batch->count == FLM_SAMPLE_BATCH)
                flm_builder_add_samples(s->p->builder, batch);
        } else {
            flm_builder_add(s->p->builder, s->stack, s->metric, value);
        }
    }
    s->began = at_us;
    s->has_stack = true;
}

static void interrupt(struct sampling *s, uint32_t node)
{
    for (size_t i = 0; i < s->interrupt_count; i++) {
        if (s->interrupts[i] == node) {
            s->interrupt_count = i + 1;
            s->stack = s->interrupted[i];
            return;
        }
    }
    struct flm_v8_profile *p = s->p;
    if (s->interrupt_count == MOST_INTERRUPTS)
        s->stack = s->interrupted[--s->interrupt_count - 1];
    s->stack = flm_builder_child(p->builder, s->stack, frame_of(p, &p->nodes.at[node], false));
    s->interrupts[s->interrupt_count] = node;
    s->interrupted[s->interrupt_count++] = s->stack;
}

/* The stack of a node, its innermost frame at that line (0: that of the function). */
static struct flm_node stack_at_line(struct sampling *s, struct flm_v8_node *node, uint32_t line)
{
    struct flm_builder *b = s->p->builder;
    struct flm_node stack = {node->node};
    if (line == 0 || stack.index == s->root.index || flm_builder_failed(b))
        return stack;
    if (line == node->line_taken)
        return (struct flm_node){node->line_node};
    struct flm_frame frame = {b->nodes[stack.index].frame};
    const struct flm_location where = {.file = b->interner.frames[frame.index].file, .line = line};
    stack.index = b->nodes[stack.index].parent;
    stack = flm_builder_child(b, stack, flm_builder_frame_at(b, frame, &where));
    node->line_taken = line;
    node->line_node = stack.index;
    return stack;
}

static void begin_sample(struct sampling *s, uint32_t id, uint32_t line)
{
    struct flm_v8_profile *p = s->p;
    uint32_t index = find_node(p, id);
    if (index != FLM_NONE && p->nodes.at[index].role == ROLE_INTERRUPTS) {
        interrupt(s, index);
        return;
    }
    if (index == FLM_NONE) { /* Chrome drops nodes; speedscope goes on with the stack before */
        flm_builder_lost(p->builder, "stacks of samples, which are shown as the one before", "", 0,
                         1);
        return;
    }
    s->interrupt_count = 0;
    s->stack = stack_at_line(s, &p->nodes.at[index], line);
}

/* Whether a sample of that node can be at a line: stack_at_line leaves out those of no function. */
static bool can_have_line(const struct sampling *s, uint32_t index)
{
    const struct flm_builder *b = s->p->builder;
    const struct flm_v8_node *node = index == FLM_NONE ? NULL : &s->p->nodes.at[index];
    return node && node->role != ROLE_INTERRUPTS && node->node != s->root.index &&
           b->interner.frames[b->nodes[node->node].frame].file != 0;
}

static bool has_lines(const struct sampling *s)
{
    struct flm_v8_profile *p = s->p;
    for (size_t i = 0; i < p->lines.count && i < p->samples.count; i++)
        if (p->lines.at[i] != FLM_NONE && p->lines.at[i] > 0 &&
            can_have_line(s, find_node(p, p->samples.at[i])))
            return true;
    for (uint32_t i = 0; i < p->nodes.count && p->ticks.count > 0; i++)
        if (p->nodes.at[i].tick_count > 0 && can_have_line(s, i))
            return true;
    return false;
}

/* The line that a sample ran; 0: not known. Where a node has counts of its lines, its samples are
 * given to them in order. */
static uint32_t take_line(struct flm_v8_profile *p, size_t sample)
{
    if (sample < p->lines.count)
        return p->lines.at[sample] == FLM_NONE ? 0 : p->lines.at[sample];
    uint32_t index = find_node(p, p->samples.at[sample]);
    if (index == FLM_NONE)
        return 0;
    struct flm_v8_node *node = &p->nodes.at[index];
    while (node->tick_count > 0 && p->ticks.at[node->ticks].count == 0) {
        node->ticks++;
        node->tick_count--;
    }
    if (node->tick_count == 0)
        return 0;
    struct flm_v8_tick *tick = &p->ticks.at[node->ticks];
    tick->count--;
    return tick->line == FLM_NONE ? 0 : tick->line;
}

/* Frees the first `count` items of an array, of those that it has. */
static void drop_first(void **at, size_t *have, size_t *capacity, size_t count, size_t size)
{
    size_t left = *have > count ? *have - count : 0;
    if (left > 0)
        memmove(*at, (char *)*at + count * size, left * size);
    void *smaller = left > 0 ? realloc(*at, left * size) : NULL;
    if (left == 0)
        free(*at);
    if (smaller || left == 0) {
        *at = smaller;
        *capacity = left;
    }
    *have = left;
}

/* Frees what was read of the first samples: the builder has as much for them as that, and both were
 * there to the end. */
static void drop_samples(struct flm_v8_profile *p, size_t count)
{
    void *samples = p->samples.at, *lines = p->lines.at, *deltas = p->deltas.at;
    drop_first(&samples, &p->samples.count, &p->samples.capacity, count, sizeof *p->samples.at);
    drop_first(&lines, &p->lines.count, &p->lines.capacity, count, sizeof *p->lines.at);
    drop_first(&deltas, &p->deltas.count, &p->deltas.capacity, count, sizeof *p->deltas.at);
    p->samples.at = samples;
    p->lines.at = lines;
    p->deltas.at = deltas;
}

void flm_v8_add_samples(struct flm_v8_profile *p, struct flm_node root, struct flm_metric metric,
                        const struct flm_read_options *options, struct flm_label_set labels)
{
    struct sampling s = {.p = p,
                         .options = options,
                         .metric = metric,
                         .labels = labels,
                         .root = root,
                         .stack = root,
                         .last_id = FLM_NONE,
                         .batch = {.metric_count = 1, .metrics = {metric}}};
    if (!index_nodes(p))
        return;
    p->builder->dropped_locations |= p->builder->locations == FLM_LOCATIONS_DROPPED &&
                                     !flm_builder_failed(p->builder) && has_lines(&s);
    double elapsed = p->deltas.count > 0 ? p->deltas.at[0] : 0;
    s.latest = elapsed;
    size_t backward = 0, without_delta = 0;
    if (p->deltas.count < p->samples.count)
        without_delta = p->samples.count - p->deltas.count;
    /* The first half, then half of the rest ...: what is moved is no more than what there is. */
    for (bool is_first = true; p->samples.count > 0 && !flm_builder_failed(p->builder);) {
        size_t count = p->samples.count > FEW_SAMPLES ? p->samples.count / 2 : p->samples.count;
        for (size_t i = 0; i < count && !flm_builder_failed(p->builder); i++) {
            uint32_t id = p->samples.at[i], line = options->locations ? take_line(p, i) : 0;
            if (!is_first && i < p->deltas.count) {
                elapsed += p->deltas.at[i];
                backward += p->deltas.at[i] < 0;
            }
            if (is_first || id != s.last_id || line != s.last_line) {
                change_stack(&s, elapsed);
                begin_sample(&s, id, line);
                s.last_id = id;
                s.last_line = line;
            }
            is_first = false;
        }
        drop_samples(p, count);
    }
    change_stack(&s, elapsed);
    flm_builder_add_samples(p->builder, &s.batch);
    if (backward > 0)
        flm_builder_lost(p->builder, "samples that are earlier than the one before them", "", 0,
                         (double)backward);
    if (s.without_time > 0)
        flm_builder_lost(p->builder, "times that are more than 146 years from the clock's begin",
                         "", 0, (double)s.without_time);
    if (without_delta > 0)
        flm_builder_lost(p->builder, "samples without a time", "", 0, (double)without_delta);
}

void flm_v8_add_hits(struct flm_v8_profile *p, struct flm_metric metric)
{
    for (size_t i = 0; i < p->nodes.count && !flm_builder_failed(p->builder); i++) {
        const struct flm_v8_node *node = &p->nodes.at[i];
        if (node->hits > 0 && node->node < IN_PROGRESS)
            flm_builder_add(p->builder, (struct flm_node){node->node}, metric, node->hits);
    }
}
