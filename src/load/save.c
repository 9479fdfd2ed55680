/* save.c - flm_save: a profile to a file, which appears only when it is whole, to a sink, or to
 * memory. */
#include "flamel/file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/compare/comparable.h"
#include "base/text/versioned.h"
#include "format/folded/folded.h"
#include "load/all_formats.h"
#include "load/losses.h"
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
    bool is_pair = format->metrics == FLM_METRICS_PAIR && !is_own;
    if (!is_pair || !flm_metric_pair_find(p, name, &pair, NULL))
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
                  .baseline_name = o.base_name,
                  .code = {o.code, o.code ? o.code_size : 0}},
        .compress = o.compress && format->compressible,
        .gzip = path && flm_format_is_gzip_name(path),
    };
    return (!o.metric && profile->sizes.metric_count == 0) ||
           find_metric(profile, o.metric, format, &s->write.metric, why);
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
    flm_losses_add(&text, profile, s.format, &s.write);
    out[text.size] = 0;
    return text.size;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The file is made in memory before it is compressed: files of other formats are smaller than the
 * profile. */
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
    const struct flm_format *format = s->format;
    struct flm_zstd zstd;
    if (!flm_zstd_open(&zstd, out, why))
        return false;
    bool good = (format->write_compressed ? format->write_compressed
                                          : format->write)(s->profile, &s->write, &zstd.text, why);
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
