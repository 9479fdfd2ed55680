/* save.c - flm_save: a profile to a file, which appears only when it is whole, to a sink, or to
 * memory. */
#include "flamel/file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/compare/comparable.h"
#include "base/text/versioned.h"
#include "draw/text/quantity.h"
#include "format/folded/folded.h"
#include "load/all_formats.h"
#include "os/gzip.h"
#include "os/output.h"
#include "os/zstd.h"
#include "profile/columns.h"

struct saving {
    const struct flm_profile *profile;
    const struct flm_format *format;
    struct flm_write_options write;
    bool compress;
    bool gzip; /* the name of the file says so: .pb.gz */
};

/* The metric of that name. A format that compares two columns gets "after", and finds the other by
 * its name; "cpu" is before:cpu and after:cpu there. */
static bool find_metric(const struct flm_profile *p, const char *name,
                        const struct flm_format *format, struct flm_metric *metric,
                        struct flm_error *why)
{
    struct flm_metric_pair pair;
    bool is_own = name && flm_profile_metric_named(p, name).index != FLM_NONE;
    if (format->metrics != FLM_METRICS_PAIR || is_own ||
        !flm_metric_pair_find(p, name, &pair, NULL))
        return flm_metric_find(p, name, metric, why);
    *metric = pair.after;
    return true;
}

/* `path` may be NULL: the options must name a format then. */
static bool begin(struct saving *s, const struct flm_profile *profile, const char *path,
                  const struct flm_save_options *given, struct flm_error *why)
{
    struct flm_save_options o;
    if (!flm_versioned_copy(&o, sizeof o, given, "flm_save_options", why))
        return false;
    if (!path && !o.format)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the options do not say which format to write: {.format = \"flm\"}");
    const struct flm_format *format = flm_format_find_writer(o.format, path, why);
    if (!format)
        return false;
    *s = (struct saving){
        .profile = profile,
        .format = format,
        .write = {.annotate = o.annotate || flm_folded_is_annotated(profile),
                  .picture = o.picture,
                  .name = o.name ? o.name
                          : path ? path
                                 : "profile",
                  .baseline = o.base,
                  .baseline_name = o.base_name},
        .compress = o.compress && format->compressible,
        .gzip = path && flm_bytes_end_with(flm_bytes_of(path), ".gz"),
    };
    return (!o.metric && profile->sizes.metric_count == 0) ||
           find_metric(profile, o.metric, format, &s->write.metric, why);
}

/* ---- What is left out ------------------------------------------------------------------------ */

struct losses {
    const struct saving *s;
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
    const struct flm_profile *p = l->s->profile;
    uint32_t kept = l->s->format->metrics == FLM_METRICS_ALL   ? p->sizes.metric_count
                    : l->s->format->metrics == FLM_METRICS_ONE ? 1
                                                               : 2;
    if (p->sizes.metric_count <= kept)
        return;
    add_loss(l, "", p->sizes.metric_count - kept, "other metric");
    const char *before = " (";
    for (uint32_t m = 0; m < p->sizes.metric_count && kept == 1; m++) {
        if (m == l->s->write.metric.index)
            continue;
        flm_text_puts(l->out, before);
        flm_text_add(l->out, flm_string_bytes(p, p->metrics[m].name));
        before = ", ";
    }
    flm_text_puts(l->out, kept == 1 ? ")" : "");
}

static void add_samples(struct losses *l)
{
    const struct flm_profile *p = l->s->profile;
    const struct flm_format *format = l->s->format;
    uint32_t timed = 0, labeled = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        timed += p->sample_time[i] != FLM_NO_TIME;
        labeled += p->sample_labels[i] != 0;
    }
    if (timed > 0 && !format->has_times)
        add_loss(l, "times of ", timed, "sample");
    if (labeled > 0 && !format->keeps_labels)
        add_loss(l, "labels of ", labeled, "sample");
}

static void add_frames(struct losses *l)
{
    const struct flm_profile *p = l->s->profile;
    unsigned holds = l->s->format->holds;
    uint32_t modules = 0, files = 0, kinds = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        modules += p->frames[i].module != 0;
        files += p->frames[i].file != 0;
        /* The others are what a frame without a mark is. */
        kinds += p->frames[i].kind != FLM_KIND_PLAIN && p->frames[i].kind != FLM_KIND_NATIVE &&
                 p->frames[i].kind != FLM_KIND_LABEL;
    }
    bool has_kinds =
        (holds & FLM_HOLDS_KINDS) || ((holds & FLM_HOLDS_KINDS_ANNOTATED) && l->s->write.annotate);
    if (modules > 0 && !(holds & FLM_HOLDS_MODULES))
        add_loss(l, "modules of ", modules, "frame");
    if (files > 0 && !(holds & FLM_HOLDS_FILES))
        add_loss(l, "files of ", files, "frame");
    if (kinds > 0 && !has_kinds)
        add_loss(l, "kinds of ", kinds, "frame");
}

/* Fractions of times are kept, in nanoseconds. */
static void add_fractions(struct losses *l)
{
    static const char *const times[] = {"us", "ms", "s"};
    const struct flm_profile *p = l->s->profile;
    uint32_t rounded = 0;
    for (uint32_t m = 0; m < p->sizes.metric_count && l->s->format->whole_values; m++) {
        bool is_time = false;
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            is_time = is_time || flm_bytes_are(flm_string_bytes(p, p->metrics[m].unit), times[i]);
        for (uint32_t i = 0; i < p->sizes.node_count && !is_time; i++) {
            double value = flm_self_column(p, m)[i];
            rounded += value < 9007199254740992.0 && value > -9007199254740992.0 &&
                       (double)(int64_t)value != value;
        }
    }
    if (rounded > 0)
        add_loss(l, "fractions of ", rounded, "value");
}

size_t flm_save_losses(const struct flm_profile *profile, const char *path,
                       const struct flm_save_options *options, char out[FLM_SAVE_LOSSES_SIZE])
{
    assert(profile && out);
    struct saving s;
    struct flm_text text;
    out[0] = 0;
    if (!begin(&s, profile, path, options, NULL) || flm_format_is_picture(s.format))
        return 0;
    flm_text_init_fixed(&text, out, FLM_SAVE_LOSSES_SIZE - 1);
    struct losses l = {&s, &text};
    add_metrics(&l);
    add_samples(&l);
    if (profile->sizes.marker_count > 0 && !(s.format->holds & FLM_HOLDS_MARKERS))
        add_loss(&l, "", profile->sizes.marker_count, "marker");
    if (profile->sizes.counter_count > 0 && !(s.format->holds & FLM_HOLDS_COUNTERS))
        add_loss(&l, "", profile->sizes.counter_count, "counter");
    add_frames(&l);
    add_fractions(&l);
    out[text.size] = 0;
    return text.size;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* What other programs read under gzip has a size that is small beside the profile's. */
static bool write_gzip(const struct saving *s, struct flm_text *out, struct flm_error *why)
{
    enum { LEVEL = 6 };
    struct flm_text plain = {0};
    bool good = s->format->write(s->profile, &s->write, &plain, why);
    if (good && plain.failed)
        good = flm_error_memory(why);
    good = good && flm_gzip((struct flm_bytes){plain.at, plain.size}, LEVEL, out, why);
    flm_text_clear(&plain);
    return good;
}

static bool write(const struct saving *s, struct flm_text *out, struct flm_error *why)
{
    if (s->gzip)
        return write_gzip(s, out, why);
    if (!s->compress)
        return s->format->write(s->profile, &s->write, out, why);
    struct flm_zstd zstd;
    if (!flm_zstd_open(&zstd, out, why))
        return false;
    bool good = s->format->write(s->profile, &s->write, &zstd.text, why);
    return flm_zstd_close(&zstd, why) && good;
}

bool flm_save(const struct flm_profile *profile, const char *path,
              const struct flm_save_options *options, struct flm_error *why)
{
    assert(profile && path);
    struct saving s;
    struct flm_output output;
    if (!begin(&s, profile, path, options, why) || !flm_output_open(&output, path, why))
        return false;
    bool good = write(&s, &output.text, why);
    return flm_output_close(&output, good, why) && good;
}

/* Between the text and the caller's sink: remembers whether it was the sink that failed. */
struct callers_sink {
    flm_profile_sink sink;
    void *context;
    bool refused;
};

static bool hand_on(void *context, const void *bytes, size_t size)
{
    struct callers_sink *to = context;
    to->refused = to->refused || !to->sink(to->context, bytes, size);
    return !to->refused;
}

bool flm_save_stream(const struct flm_profile *profile, flm_profile_sink sink, void *context,
                     const struct flm_save_options *options, struct flm_error *why)
{
    assert(profile && sink);
    struct saving s;
    struct callers_sink to = {sink, context, false};
    struct flm_text out;
    if (!begin(&s, profile, NULL, options, why))
        return false;
    flm_text_init(&out, hand_on, &to);
    bool good = write(&s, &out, why);
    bool flushed = flm_text_flush(&out);
    flm_text_clear(&out);
    if (to.refused)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "the sink refused the bytes");
    return flushed ? good : flm_error_memory(why);
}

void *flm_save_memory(const struct flm_profile *profile, size_t *size,
                      const struct flm_save_options *options, struct flm_error *why)
{
    assert(profile && size);
    struct saving s;
    struct flm_text out = {0};
    *size = 0;
    if (!begin(&s, profile, NULL, options, why))
        return NULL;
    bool good = write(&s, &out, why);
    if (!flm_text_reserve(&out, 0)) /* an empty text has memory as well; a failed one has not */
        good = flm_error_memory(why);
    if (!good) {
        flm_text_clear(&out);
        return NULL;
    }
    *size = out.size;
    return out.at;
}
