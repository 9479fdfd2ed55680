#include "load/losses.h"

#include <assert.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "draw/text/quantity.h"
#include "flamel/notes.h"
#include "format/core/whole_values.h"
#include "profile/chains.h"
#include "profile/label_range.h"
#include "profile/sample_span.h"

struct losses {
    const struct flm_profile *p;
    const struct flm_format *format;
    const struct flm_write_options *options;
    struct flm_text *out;
};

/* "modules of 12 frames" */
static void add_loss(struct losses *l, const char *of, double count, const char *what)
{
    flm_text_puts(l->out, l->out->size > 0 ? ", " : "");
    flm_text_puts(l->out, of);
    flm_count_add(l->out, count);
    flm_text_puts(l->out, " ");
    flm_text_puts(l->out, what);
    flm_text_puts(l->out, count == 1 ? "" : "s");
}

/* " (cycles, samples, ...", to be closed where it has names. */
struct name_list {
    size_t start; /* of it in the text */
    size_t count;
    bool is_full;
};

static void add_name(struct losses *l, struct name_list *list, uint32_t string)
{
    enum { MOST_NAMES = 120 }; /* bytes: there is more to tell */
    struct flm_bytes name = flm_string_bytes(l->p, string);
    if (list->is_full)
        return;
    list->is_full = l->out->size - list->start + name.size >= MOST_NAMES;
    flm_text_puts(l->out, list->count++ > 0 ? ", " : " (");
    flm_text_add(l->out, list->is_full ? flm_bytes_of("...") : name);
}

static void add_metrics(struct losses *l)
{
    const struct flm_profile *p = l->p;
    uint32_t kept = l->format->metrics == FLM_METRICS_ALL   ? p->sizes.metric_count
                    : l->format->metrics == FLM_METRICS_ONE ? 1
                                                            : 2;
    if (p->sizes.metric_count <= kept)
        return;
    add_loss(l, "", p->sizes.metric_count - kept, "other metric");
    struct name_list names = {.start = l->out->size};
    for (uint32_t m = 0; m < p->sizes.metric_count && kept == 1; m++)
        if (m != l->options->metric.index)
            add_name(l, &names, p->metrics[m].name);
    flm_text_puts(l->out, names.count > 0 ? ")" : "");
}

/* ---- Samples --------------------------------------------------------------------------------- */

static bool is_in(uint32_t label, struct flm_label_range range)
{
    return label >= range.first && label - range.first < range.count;
}

/* A sample has one name of its thread: of its label "command" nothing is left where the thread has
 * a name too. */
static bool is_label_kept(const struct losses *l, const struct flm_thread_labels *kept,
                          uint32_t set, uint32_t label)
{
    bool has_name = flm_label_in(l->p, set, kept->commands) != FLM_NONE;
    if (is_in(label, kept->threads) || is_in(label, kept->commands) ||
        (is_in(label, kept->unnamed) && !has_name))
        return true;
    return l->format->kept_labels == FLM_LABELS_THREADS_PROCESSES &&
           (is_in(label, kept->processes) ||
            is_in(label, flm_label_range_of(l->p, "process name")));
}

/* Of formats that keep only labels of threads: "labels of 12 samples (state, GIL)". */
static void add_other_labels(struct losses *l)
{
    const struct flm_profile *p = l->p;
    const struct flm_thread_labels kept = flm_thread_labels_of(p);
    enum { KEEPS = 1, LOSES };
    uint32_t samples = 0;
    char *known = calloc(flm_profile_label_set_count(p) + 1, 1); /* of each set */
    bool *is_lost = calloc(p->sizes.label_count + 1, 1);
    l->out->failed |= !known || !is_lost;
    for (uint32_t i = 0; known && is_lost && i < p->sizes.sample_count; i++) {
        uint32_t set = p->sample_labels[i], count;
        if (l->format->metrics == FLM_METRICS_ONE &&
            flm_sample_value(p, l->options->metric.index, i) == 0)
            continue;
        const uint32_t *labels = flm_profile_label_set(p, (struct flm_label_set){set}, &count);
        for (uint32_t k = 0; k < count && known[set] != KEEPS; k++) {
            if (is_label_kept(l, &kept, set, labels[k]))
                continue;
            is_lost[labels[k]] = true;
            known[set] = LOSES;
        }
        known[set] = known[set] == LOSES ? LOSES : KEEPS;
        samples += known[set] == LOSES;
    }
    if (samples > 0) {
        add_loss(l, "labels of ", samples, "sample");
        struct name_list names = {.start = l->out->size};
        uint32_t before = 0; /* labels of a key are consecutive */
        for (uint32_t i = 0; i < p->sizes.label_count; i++) {
            if (!is_lost[i] || p->labels[i].key == before)
                continue;
            before = p->labels[i].key;
            add_name(l, &names, before);
        }
        flm_text_puts(l->out, names.count > 0 ? ")" : "");
    }
    free(known);
    free(is_lost);
}

/* Whether its time can be written: of formats with `only_spans`, by a value that is a time. */
static bool is_span(const struct flm_profile *p, uint32_t sample)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_time_unit_ns(flm_string_bytes(p, p->metrics[m].unit)) > 0 &&
            flm_sample_value(p, m, sample) != 0)
            return true;
    return false;
}

static void add_samples(struct losses *l)
{
    const struct flm_profile *p = l->p;
    uint32_t timed = 0, labeled = 0, lasting = 0, moments = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        timed += p->sample_time[i] != FLM_NO_TIME;
        moments += l->format->only_spans && p->sample_time[i] != FLM_NO_TIME && !is_span(p, i);
        labeled += p->sample_labels[i] != 0;
        lasting += flm_sample_duration(p, i) > 0;
    }
    if (timed > 0 && !l->format->has_times)
        add_loss(l, "times of ", timed, "sample");
    else if (moments > 0)
        add_loss(l, "times of ", moments, "sample");
    if (labeled > 0 && !l->format->keeps_labels)
        add_loss(l, "labels of ", labeled, "sample");
    else if (labeled > 0 && l->format->kept_labels != FLM_LABELS_ALL)
        add_other_labels(l);
    if (lasting > 0 && l->format->has_times && !(l->format->holds & FLM_HOLDS_DURATIONS))
        add_loss(l, "durations of ", lasting, "sample");
}

/* Which stacks cannot be told from those that other callers of a function have: of pairs of caller
 * and callee, those below a function with several callers. */
static void add_stacks(struct losses *l)
{
    const struct flm_profile *p = l->p;
    const uint32_t several = FLM_NONE - 1;
    uint32_t nodes = p->sizes.node_count, stacks = 0;
    uint32_t *parent = NULL, *caller = NULL;
    bool *is_below = NULL;
    if (l->format->holds & FLM_HOLDS_STACKS)
        return;
    parent = malloc(nodes * sizeof *parent);
    caller = malloc(p->sizes.frame_count * sizeof *caller);
    is_below = calloc(nodes, sizeof *is_below);
    l->out->failed |= !parent || !caller || !is_below;
    if (!l->out->failed) {
        flm_profile_parents(p, parent);
        for (uint32_t i = 0; i < p->sizes.frame_count; i++)
            caller[i] = FLM_NONE;
        for (uint32_t i = 1; i < nodes; i++) {
            uint32_t of = parent[i] == 0 ? 0 : p->node_frame[parent[i]];
            uint32_t *known = &caller[p->node_frame[i]];
            *known = *known == FLM_NONE || *known == of ? of : several;
        }
        for (uint32_t i = 1; i < nodes; i++) {
            bool has_value = false;
            is_below[i] = parent[i] != 0 &&
                          (is_below[parent[i]] || caller[p->node_frame[parent[i]]] == several);
            for (uint32_t m = 0; m < p->sizes.metric_count; m++)
                has_value |= flm_self_column(p, m)[i] != 0;
            stacks += is_below[i] && has_value;
        }
    }
    if (stacks > 0)
        add_loss(l, "exact callers of ", stacks, "stack");
    free(parent);
    free(caller);
    free(is_below);
}

static void add_value(struct losses *l, double value, const char *what)
{
    const struct flm_profile *p = l->p;
    flm_text_puts(l->out, l->out->size > 0 ? ", " : "");
    flm_quantity_add(l->out, value, flm_string_bytes(p, p->metrics[l->options->metric.index].unit));
    flm_text_puts(l->out, what);
}

/* Where samples are spans of time: what has no time, and values that are not how long it was. */
static void add_weights(struct losses *l)
{
    const struct flm_profile *p = l->p;
    unsigned holds = l->format->holds;
    if (p->sizes.metric_count == 0 || (holds & FLM_HOLDS_WEIGHTS) == FLM_HOLDS_WEIGHTS)
        return;
    struct flm_metric metric = l->options->metric;
    double unit_ns = flm_time_unit_ns(flm_string_bytes(p, p->metrics[metric.index].unit));
    double left = flm_profile_total(p, metric) - flm_self_column(p, metric.index)[0];
    uint32_t others = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        double value = flm_sample_value(p, metric.index, i);
        if (value == 0 || p->sample_time[i] == FLM_NO_TIME)
            continue;
        left -= p->sample_node[i] == 0 ? 0 : value;
        others += unit_ns == 0 || value * unit_ns != (double)flm_sample_duration(p, i);
    }
    if (!(holds & FLM_HOLDS_SUMS) && left > 0)
        add_value(l, left, " without a time");
    if (!(holds & FLM_HOLDS_VALUES) && others > 0)
        add_loss(l, "values of ", others, "sample");
}

/* The value of samples without a stack. */
static void add_empty_stack(struct losses *l)
{
    const struct flm_profile *p = l->p;
    if (p->sizes.metric_count == 0 || (l->format->holds & FLM_HOLDS_EMPTY_STACK))
        return;
    uint32_t metric = l->options->metric.index;
    double value = flm_self_column(p, metric)[0];
    if (value == 0)
        return;
    add_value(l, value, " without a stack");
}

/* Marks the inlined frames that are below a frame of another module, or of none, or of another
 * address: no lines of one location, so they become functions as any other. False: memory ran
 * out. */
static bool mark_apart(const struct flm_profile *p, bool *is_apart)
{
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    if (!parent)
        return false;
    flm_profile_parents(p, parent);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        const struct flm_frame_record *frame = &p->frames[p->node_frame[i]],
                                      *caller = &p->frames[p->node_frame[parent[i]]];
        bool has_caller =
            parent[i] != 0 && frame->module == caller->module &&
            (frame->address == 0 || caller->address == 0 || frame->address == caller->address);
        is_apart[p->node_frame[i]] |= frame->kind == FLM_KIND_INLINED && !has_caller;
    }
    free(parent);
    return true;
}

static void add_frames(struct losses *l)
{
    const struct flm_profile *p = l->p;
    unsigned holds = l->format->holds;
    uint32_t modules = 0, files = 0, kinds = 0, addresses = 0;
    bool *is_apart = (holds & FLM_HOLDS_INLINED) ? calloc(p->sizes.frame_count, 1) : NULL;
    if (is_apart && !mark_apart(p, is_apart))
        l->out->failed = true;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        modules += p->frames[i].module != 0;
        files += p->frames[i].file != 0;
        uint32_t kind = p->frames[i].kind;
        bool is_held = kind == FLM_KIND_INLINED
                           ? (holds & FLM_HOLDS_KERNEL_INLINED) || (is_apart && !is_apart[i])
                           : kind == FLM_KIND_KERNEL && (holds & FLM_HOLDS_KERNEL_INLINED);
        /* The others are what a frame without a mark is. */
        kinds +=
            kind != FLM_KIND_PLAIN && kind != FLM_KIND_NATIVE && kind != FLM_KIND_LABEL && !is_held;
    }
    free(is_apart);
    bool has_kinds =
        (holds & FLM_HOLDS_KINDS) || ((holds & FLM_HOLDS_KINDS_ANNOTATED) && l->options->annotate);
    if (modules > 0 && !(holds & FLM_HOLDS_MODULES))
        add_loss(l, "modules of ", modules, "frame");
    for (uint32_t i = 0; i < p->sizes.location_count && holds & FLM_HOLDS_LINES; i++)
        addresses += p->location_address[i] != 0;
    if (addresses > 0)
        add_loss(l, "addresses of ", addresses, "location");
    if (flm_has_chains(p) && !flm_format_keeps_lines(l->format))
        add_loss(l, "lines and addresses of ", p->sizes.location_count, "location");
    if (files > 0 && !(holds & FLM_HOLDS_FILES))
        add_loss(l, "files of ", files, "frame");
    if (kinds > 0 && !has_kinds)
        add_loss(l, "kinds of ", kinds, "frame");
}

/* Times in milliseconds, say, are written in nanoseconds: what is a fraction then is rounded. */
static void add_fractions(struct losses *l)
{
    double rounded = 0;
    for (uint32_t m = 0; m < l->p->sizes.metric_count && l->format->whole_values; m++) {
        uint32_t of_metric;
        flm_whole_factor(l->p, m, &of_metric);
        rounded += of_metric;
    }
    if (rounded > 0)
        add_loss(l, "fractions of ", rounded, "value");
}

static void add_notes(struct losses *l)
{
    const struct flm_profile *p = l->p;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        count += flm_note_is_written((struct flm_name){key.at, key.size});
    }
    if (count > 0 && !(l->format->holds & FLM_HOLDS_NOTES))
        add_loss(l, "", count, "note");
}

void flm_losses_add(struct flm_text *out, const struct flm_profile *p,
                    const struct flm_format *format, const struct flm_write_options *options)
{
    assert(out && p && format && options);
    struct losses l = {p, format, options, out};
    add_metrics(&l);
    add_stacks(&l);
    add_samples(&l);
    add_weights(&l);
    add_empty_stack(&l);
    if (p->sizes.marker_count > 0 && !(format->holds & FLM_HOLDS_MARKERS))
        add_loss(&l, "", p->sizes.marker_count, "marker");
    if (p->sizes.counter_count > 0 && !(format->holds & FLM_HOLDS_COUNTERS))
        add_loss(&l, "", p->sizes.counter_count, "counter");
    add_frames(&l);
    add_fractions(&l);
    add_notes(&l);
}
