/* split.c - stacks kept apart by a label: threads, requests, spans. Each sample's stack is moved
 * below a frame that is the value of its label. A stack that has samples of several values is there
 * several times, so samples are moved, not nodes. Samples of one value follow one another, and
 * share the nodes that were already moved. */
#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/copy_metadata.h"
#include "algebra/operation/operations.h"
#include "base/text/text.h"

struct splitting {
    const struct flm_profile *p;
    struct flm_builder *b;
    struct flm_carried carried;
    uint32_t *parent;   /* by node */
    uint32_t *value_of; /* by label set: the string that is its value of the key; FLM_NONE: none */
    uint32_t *by_value; /* samples, those of one value together */
    uint32_t *moved;    /* by node: where it is below the current value */
    uint32_t *stamp;    /* by node: for which value `moved` holds, from 1 */
    uint32_t *new_node; /* by sample */
    uint32_t *path;     /* working memory: a stack, as deep as the deepest one */
};

static bool allocate(struct splitting *s, struct flm_error *why)
{
    const struct flm_sizes *sizes = &s->p->sizes;
    uint32_t depth;
    if (!flm_profile_depth(s->p, &depth, why))
        return false;
    s->parent = malloc(sizes->node_count * sizeof *s->parent);
    s->value_of = malloc((sizes->label_set_count + 1) * sizeof *s->value_of);
    s->by_value = malloc(sizes->sample_count * sizeof *s->by_value);
    s->moved = malloc(sizes->node_count * sizeof *s->moved);
    s->stamp = calloc(sizes->node_count, sizeof *s->stamp);
    s->new_node = malloc(sizes->sample_count * sizeof *s->new_node);
    s->path = malloc((depth + 1) * sizeof *s->path);
    if (!s->parent || !s->value_of || !s->by_value || !s->moved || !s->stamp || !s->new_node ||
        !s->path)
        return flm_error_memory(why);
    flm_profile_parents(s->p, s->parent);
    return true;
}

static void clear(struct splitting *s)
{
    free(s->parent);
    free(s->value_of);
    free(s->by_value);
    free(s->moved);
    free(s->stamp);
    free(s->new_node);
    free(s->path);
    flm_carried_clear(&s->carried);
}

/* False when no label set has the key. Of several values of one key the first counts. */
static bool find_values(struct splitting *s, struct flm_bytes key)
{
    const struct flm_profile *p = s->p;
    bool found = false;
    for (uint32_t set = 0; set < p->sizes.label_set_count; set++) {
        uint32_t start = set ? p->label_set_ends[set - 1] : 0;
        s->value_of[set] = FLM_NONE;
        for (uint32_t i = p->label_set_ends[set]; i-- > start;) {
            struct flm_label_record label = p->labels[p->set_members[i]];
            if (!flm_bytes_equal(flm_string_bytes(p, label.key), key))
                continue;
            s->value_of[set] = label.value;
            found = true;
        }
    }
    return found;
}

/* A counting sort by value; those without one come last. */
static bool sort_samples(struct splitting *s, struct flm_error *why)
{
    const struct flm_profile *p = s->p;
    uint32_t values = p->sizes.string_count + 1;
    uint32_t *start = calloc((size_t)values + 1, sizeof *start);
    if (!start)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        uint32_t value = s->value_of[p->sample_labels[i]];
        start[(value == FLM_NONE ? values - 1 : value) + 1]++;
    }
    for (uint32_t value = 0; value < values; value++)
        start[value + 1] += start[value];
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        uint32_t value = s->value_of[p->sample_labels[i]];
        s->by_value[start[value == FLM_NONE ? values - 1 : value]++] = i;
    }
    free(start);
    return true;
}

/* The frame of a value: "1234", or "(no tid)". */
static uint32_t value_frame(struct splitting *s, uint32_t value, struct flm_bytes key)
{
    struct flm_frame_record record = {.function = value, .kind = FLM_KIND_LABEL};
    if (value == FLM_NONE) {
        struct flm_text text = {0};
        flm_text_puts(&text, "(no ");
        flm_text_add(&text, key);
        flm_text_putc(&text, ')');
        if (text.failed)
            flm_builder_fail_memory(s->b);
        else
            record.function = flm_builder_string(s->b, text.at, text.size).index;
        flm_text_clear(&text);
    }
    return flm_builder_frame(s->b, &record).index;
}

/* The new node of an old one, below `top`: climbs to the first node that has a new one, and adds
 * those below it. */
static uint32_t move(struct splitting *s, uint32_t node, uint32_t top, uint32_t stamp)
{
    uint32_t count = 0;
    for (; node != 0 && s->stamp[node] != stamp; node = s->parent[node])
        s->path[count++] = node;
    struct flm_node at = {node == 0 ? top : s->moved[node]};
    while (count-- > 0) {
        node = s->path[count];
        at = flm_builder_child(s->b, at, (struct flm_frame){s->p->node_frame[node]});
        s->moved[node] = at.index;
        s->stamp[node] = stamp;
    }
    return at.index;
}

static void move_samples(struct splitting *s, struct flm_bytes key)
{
    const struct flm_profile *p = s->p;
    uint32_t stamp = 0, top = 0, last = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count && !flm_builder_failed(s->b); i++) {
        uint32_t sample = s->by_value[i], value = s->value_of[p->sample_labels[sample]];
        if (stamp == 0 || value != last) {
            struct flm_frame frame = {value_frame(s, value, key)};
            top = flm_builder_child(s->b, flm_builder_root(s->b), frame).index;
            last = value;
            stamp++;
        }
        struct flm_node node = {move(s, p->sample_node[sample], top, stamp)};
        s->new_node[sample] = node.index;
        for (uint32_t m = 0; m < p->sizes.metric_count && !flm_builder_failed(s->b); m++)
            flm_builder_add(s->b, node, (struct flm_metric){s->carried.metric_map[m]},
                            flm_sample_value(p, m, sample));
    }
}

/* The strings and frames of the profile keep their indices in the new builder (copy_metadata.h). */
struct flm_profile *flm_split(const struct flm_profile *p, struct flm_bytes key,
                              struct flm_error *why)
{
    assert(p && (key.at || key.size == 0));
    struct splitting s = {.p = p};
    struct flm_profile *result = NULL;
    if (!flm_is_sampled(p, "label", why))
        return NULL;
    bool good = allocate(&s, why) && (s.b = flm_builder_new(why)) != NULL;
    if (good && !find_values(&s, key))
        good = flm_error_byte(why, FLM_ERROR_USAGE, 0,
                              "no sample has a label '%.*s' ('flamel info' lists them)",
                              (int)key.size, key.at);
    good = good && sort_samples(&s, why);
    if (good && !flm_copy_strings(s.b, p, &s.carried))
        good = flm_error_memory(why);
    if (good && flm_copy_metrics(s.b, p, &s.carried, why)) {
        flm_copy_notes(s.b, p, &s.carried);
        move_samples(&s, key);
        flm_copy_mapped_samples(s.b, p, &s.carried, s.new_node);
        result = flm_builder_finish(s.b, why);
    } else {
        flm_builder_free(s.b);
    }
    clear(&s);
    return result;
}
