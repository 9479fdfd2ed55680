#include "serve/http/body.h"

#include "os/input.h"

enum { MOST_LAYERS = 4 };

bool flm_body_is_compressed(struct flm_bytes bytes)
{
    return bytes.size >= 4 &&
           (memcmp(bytes.at, "\x1f\x8b", 2) == 0 || memcmp(bytes.at, "\x28\xb5\x2f\xfd", 4) == 0);
}

static bool undo(struct flm_bytes bytes, size_t most, struct flm_text *out, struct flm_error *why)
{
    struct flm_input *input = flm_input_open_memory(bytes, why);
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
        else
            flm_text_add(out, window);
        source->at = source->end;
    } while (good && !source->last && (good = flm_source_more(source, why)));
    flm_input_close(input);
    return good && (!out->failed || flm_error_memory(why));
}

bool flm_body_plain(struct flm_bytes bytes, size_t most, struct flm_text *out,
                    struct flm_bytes *plain, struct flm_error *why)
{
    *plain = bytes;
    for (int layer = 0; flm_body_is_compressed(*plain); layer++) {
        struct flm_text inner = {0};
        bool good = layer < MOST_LAYERS
                        ? undo(*plain, most, &inner, why)
                        : flm_error_set(why, FLM_ERROR_RANGE,
                                        "this is compressed more than %d times", MOST_LAYERS);
        flm_text_clear(out);
        *out = inner;
        if (!good)
            return false;
        *plain = (struct flm_bytes){out->at ? out->at : "", out->size};
    }
    if (plain->size > most)
        return flm_error_set(why, FLM_ERROR_RANGE, "this is more than %llu MiB",
                             (unsigned long long)(most >> 20));
    return true;
}
