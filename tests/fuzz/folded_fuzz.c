/* Any text, read whole and in windows, strictly and leniently, as one column and as two: always the
 * same. A profile that was read is written, and that text reads back as the same text. */
#include <stdlib.h>

#include "base/core/hash.h"
#include "format/folded/folded.h"
#include "format/formats.h"
#include "profile/columns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

/* Windows that grow by a few bytes, each in a block of its own. */
struct windows {
    struct flm_source source;
    struct flm_bytes left;
    size_t step;
    char *block;
};

static bool more(struct flm_source *source, struct flm_error *why)
{
    (void)why;
    struct windows *w = (struct windows *)source;
    size_t kept = (size_t)(source->end - source->at);
    size_t step = w->step < w->left.size ? w->step : w->left.size;
    char *block = malloc(kept + step + 1);
    promise(block != NULL);
    if (kept)
        memcpy(block, source->at, kept);
    if (step) {
        memcpy(block + kept, w->left.at, step);
        w->left = (struct flm_bytes){w->left.at + step, w->left.size - step};
    }
    source->last = step == 0;
    free(w->block);
    w->block = block;
    source->at = block;
    source->end = block + kept + step;
    return true;
}

static struct flm_profile *read_source(struct flm_source *source,
                                       const struct flm_read_options *options,
                                       struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (flm_format_folded.read(source, options, b, why))
        return flm_builder_finish(b, why);
    flm_builder_free(b);
    return NULL;
}

static struct flm_profile *read_whole(struct flm_bytes text, const struct flm_read_options *options,
                                      struct flm_error *why)
{
    struct flm_source source = flm_source_of(text);
    return read_source(&source, options, why);
}

static bool add_bytes(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

static void promise_same(const struct flm_profile *a, const struct flm_profile *b)
{
    struct flm_text x = {0}, y = {0};
    promise(flm_profile_write(a, add_bytes, &x) && flm_profile_write(b, add_bytes, &y));
    promise(x.size == y.size && memcmp(x.at, y.at, x.size) == 0);
    flm_text_clear(&x);
    flm_text_clear(&y);
}

static struct flm_text write_text(const struct flm_profile *p, bool two)
{
    struct flm_text text = {0};
    bool annotate = false;
    for (uint32_t i = 0; i < p->sizes.note_count; i++)
        annotate |= flm_bytes_are(flm_string_bytes(p, p->notes[i].key), FLM_NOTE_ANNOTATED);
    struct flm_write_options options = {.annotate = annotate};
    struct flm_error why = {0};
    promise(two ? flm_folded_write_difference(p, &options, &text, &why)
                : flm_folded_write(p, &options, &text, &why));
    return text;
}

static void write_and_read(const struct flm_profile *p, struct flm_read_options options)
{
    struct flm_error why = {0};
    struct flm_text text = write_text(p, options.columns == 2);
    struct flm_profile *q = read_whole((struct flm_bytes){text.at, text.size}, &options, &why);
    promise(q != NULL && q->sizes.loss_count == 0);
    struct flm_text again = write_text(q, options.columns == 2);
    promise(text.size == again.size &&
            (text.size == 0 || memcmp(text.at, again.at, text.size) == 0));
    flm_text_clear(&text);
    flm_text_clear(&again);
    flm_profile_free(q);
}

static void read_both_ways(struct flm_bytes text, struct flm_read_options options, size_t step)
{
    struct flm_error why = {0}, why_windows = {0};
    struct windows w = {.source = {.at = "", .more = more}, .left = text, .step = step};
    w.source.end = w.source.at;
    struct flm_profile *p = read_whole(text, &options, &why);
    struct flm_profile *q = read_source(&w.source, &options, &why_windows);
    promise(!p == !q);
    if (p) {
        promise(flm_profile_check(p, NULL));
        promise_same(p, q);
        write_and_read(p, options);
    } else {
        promise(why.kind == FLM_ERROR_FORMAT || why.kind == FLM_ERROR_RANGE);
        promise(why.kind == why_windows.kind && strcmp(why.text, why_windows.text) == 0);
    }
    flm_profile_free(p);
    flm_profile_free(q);
    free(w.block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_bytes text = {(const char *)data, size};
    struct flm_read_options prepared = {0};
    flm_format_folded.sniff(text, true);
    flm_format_folded.sniff(text, false);
    struct flm_text reason = {0};
    flm_format_folded.explain(text, size % 2, &reason);
    promise(reason.size > 0);
    flm_text_clear(&reason);
    flm_format_folded.prepare(text, &prepared);
    promise(prepared.columns == 1 || prepared.columns == 2);
    for (size_t at = 0; at < size; at += 1 + size / 8)
        promise(flm_format_folded.cut(text, at) > at && flm_format_folded.cut(text, at) <= size);
    size_t step = 1 + (size_t)(flm_checksum(data, size) % (size < 64 ? 7 : size / 4));
    for (int columns = 1; columns <= 2; columns++)
        for (int lenient = 0; lenient < 2; lenient++)
            read_both_ways(text,
                           (struct flm_read_options){.columns = columns,
                                                     .lenient = lenient,
                                                     .allow_negative = step % 2,
                                                     .keep_times = size % 2,
                                                     .by_thread = size % 3 == 0},
                           step);
    return 0;
}
