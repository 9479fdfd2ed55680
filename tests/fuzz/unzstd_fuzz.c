/* Any bytes as zstd, whole and in small windows: always the same. What libzstd reads too, it reads
 * as the same bytes. */
#include <stdlib.h>
#include <zstd.h>

#include "base/text/text.h"
#include "base/zstd/unzstd.h"

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
    char *block;
};

static bool more(struct flm_source *source, struct flm_error *why)
{
    (void)why;
    struct windows *w = (struct windows *)source;
    size_t kept = (size_t)(source->end - source->at), step = w->left.size < 7 ? w->left.size : 7;
    char *block = malloc(kept + step + 1);
    promise(block != NULL);
    if (kept)
        memcpy(block, source->at, kept);
    if (step)
        memcpy(block + kept, w->left.at, step);
    w->left = flm_bytes_from(w->left, step);
    free(w->block);
    w->block = block;
    source->at = block;
    source->end = block + kept + step;
    source->last = step == 0;
    return true;
}

enum { MOST_OUTPUT = 4 << 20 };

/* What can be decoded, MOST_OUTPUT of it at most. */
static bool decode(struct flm_source *source, struct flm_text *out, struct flm_error *why)
{
    struct flm_unzstd *unzstd = flm_unzstd_new(source, why);
    struct flm_bytes bytes;
    bool good = unzstd != NULL;
    while (out->size < MOST_OUTPUT && (good = good && flm_unzstd_next(unzstd, &bytes, why)) &&
           bytes.size > 0)
        flm_text_add(out, bytes);
    flm_unzstd_free(unzstd);
    promise(!out->failed);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_text out = {0}, again = {0};
    struct flm_error why = {0}, other = {0};
    struct flm_source all = flm_source_of((struct flm_bytes){(const char *)data, size});
    struct windows windows = {.source = {.at = "", .end = "", .more = more},
                              .left = {(const char *)data, size}};
    windows.source.end = windows.source.at;
    bool good = decode(&all, &out, &why);
    promise(good == decode(&windows.source, &again, &other));
    promise(good || (why.text[0] != 0 && strcmp(why.text, other.text) == 0));
    promise(out.size == again.size && (out.size == 0 || memcmp(out.at, again.at, out.size) == 0));
    if (good && out.size < MOST_OUTPUT) {
        char *expected = malloc(out.size + 1);
        promise(expected != NULL);
        size_t made = ZSTD_decompress(expected, out.size + 1, data, size);
        if (!ZSTD_isError(made))
            promise(made == out.size && (made == 0 || memcmp(expected, out.at, made) == 0));
        free(expected);
    }
    flm_text_clear(&out);
    flm_text_clear(&again);
    free(windows.block);
    return 0;
}
