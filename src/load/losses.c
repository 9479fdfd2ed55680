#include "load/losses.h"

#include <assert.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "draw/text/quantity.h"
#include "flamel/notes.h"
#include "format/core/whole_values.h"
#include "profile/chains.h"
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

static void add_metrics(struct losses *l)
{
    const struct flm_profile *p = l->p;
    uint32_t kept = l->format->metrics == FLM_METRICS_ALL   ? p->sizes.metric_count
                    : l->format->metrics == FLM_METRICS_ONE ? 1
                                                            : 2;
    if (p->sizes.metric_count <= kept)
        return;
    add_loss(l, "", p->sizes.metric_count - kept, "other metric");
    enum { MOST_NAMES = 120 }; /* bytes: there is more to tell */
    const char *before = " (";
    size_t start = l->out->size;
    for (uint32_t m = 0; m < p->sizes.metric_count && kept == 1; m++) {
        struct flm_bytes name = flm_string_bytes(p, p->metrics[m].name);
        bool fits = l->out->size - start + name.size < MOST_NAMES;
        if (m == l->options->metric.index)
            continue;
        flm_text_puts(l->out, before);
        flm_text_add(l->out, fits ? name : flm_bytes_of("..."));
        before = ", ";
        if (!fits)
            break;
    }
    flm_text_puts(l->out, kept == 1 ? ")" : "");
}

static void add_samples(struct losses *l)
{
    const struct flm_profile *p = l->p;
    uint32_t timed = 0, labeled = 0, lasting = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        timed += p->sample_time[i] != FLM_NO_TIME;
        labeled += p->sample_labels[i] != 0;
        lasting += flm_sample_duration(p, i) > 0;
    }
    if (timed > 0 && !l->format->has_times)
        add_loss(l, "times of ", timed, "sample");
    if (labeled > 0 && !l->format->keeps_labels)
        add_loss(l, "labels of ", labeled, "sample");
    if (lasting > 0 && l->format->has_times && !(l->format->holds & FLM_HOLDS_DURATIONS))
        add_loss(l, "durations of ", lasting, "sample");
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
