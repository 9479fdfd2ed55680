#include "serve/http/body.h"

#include "os/input.h"
#include "os/whole_gzip.h"

enum { MOST_LAYERS = 4 };

bool flm_body_is_compressed(struct flm_bytes bytes)
{
    return bytes.size >= 4 &&
           (memcmp(bytes.at, "\x1f\x8b", 2) == 0 || memcmp(bytes.at, "\x28\xb5\x2f\xfd", 4) == 0);
}

static bool take(struct flm_body *body, size_t size)
{
    if (!body->budget)
        return true;
    size_t left = atomic_load(&body->budget->left);
    do
        if (size > left)
            return false;
    while (!atomic_compare_exchange_weak(&body->budget->left, &left, left - size));
    body->taken += size;
    return true;
}

static void give(struct flm_body *body, size_t size)
{
    if (body->budget)
        atomic_fetch_add(&body->budget->left, size);
    body->taken -= body->budget ? size : 0;
}

void flm_body_clear(struct flm_body *body)
{
    give(body, body->taken);
    flm_text_clear(&body->text);
    body->plain = (struct flm_bytes){"", 0};
}

/* At once, where that can be. */
static bool undo_whole(struct flm_body *body, size_t most, struct flm_text *out)
{
    size_t size = flm_whole_gzip_size(body->plain);
    if (size == 0 || size > most || !take(body, size))
        return false;
    if (flm_whole_gzip_add(body->plain, size, out))
        return true;
    give(body, size);
    return false;
}

static bool undo(struct flm_body *body, size_t most, struct flm_text *out, struct flm_error *why)
{
    if (undo_whole(body, most, out))
        return true;
    struct flm_input *input = flm_input_open_memory(body->plain, why);
    if (!input)
        return false;
    struct flm_source *source = flm_input_source(input);
    bool good = true;
    do {
        struct flm_bytes window = {source->at, (size_t)(source->end - source->at)};
        if (window.size > most - out->size)
            good = flm_error_set(why, FLM_ERROR_RANGE,
                                 "this is more than %llu MiB when it is decompressed",
                                 (unsigned long long)(most >> 20));
        else if (!take(body, window.size))
            good = flm_error_set(why, FLM_ERROR_SYSTEM,
                                 "too many bodies are decompressed at once: try again");
        else
            flm_text_add(out, window);
        source->at = source->end;
    } while (good && !out->failed && !source->last && (good = flm_source_more(source, why)));
    flm_input_close(input);
    return good && (!out->failed || flm_error_memory(why));
}

bool flm_body_read(struct flm_body *body, struct flm_bytes bytes, size_t most,
                   struct flm_error *why)
{
    body->plain = bytes;
    for (int layer = 0; flm_body_is_compressed(body->plain); layer++) {
        struct flm_text inner = {0};
        size_t outer = body->taken;
        bool good = layer < MOST_LAYERS
                        ? undo(body, most, &inner, why)
                        : flm_error_set(why, FLM_ERROR_RANGE,
                                        "this is compressed more than %d times", MOST_LAYERS);
        flm_text_clear(&body->text);
        give(body, outer);
        body->text = inner;
        body->plain = (struct flm_bytes){inner.at ? inner.at : "", inner.size};
        if (!good)
            return false;
    }
    if (body->plain.size > most)
        return flm_error_set(why, FLM_ERROR_RANGE, "this is more than %llu MiB",
                             (unsigned long long)(most >> 20));
    return true;
}
