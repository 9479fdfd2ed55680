/* Any bytes as UTF-16 become UTF-8; any bytes as UTF-8 are sequences or none. */
#include <stdlib.h>

#include "base/text/utf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void convert(struct flm_bytes text, enum flm_utf16 order)
{
    char *to = malloc(flm_utf16_room(text.size));
    promise(to != NULL);
    struct flm_bytes left = {to, flm_utf16_convert(text, order, to)};
    promise(left.size <= flm_utf16_room(text.size));
    while (left.size > 0) {
        uint32_t code = 0;
        size_t step = flm_utf8_sequence(left, &code);
        promise(step >= 1 && step <= 4 && code <= 0x10FFFF);
        left = (struct flm_bytes){left.at + step, left.size - step};
    }
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_bytes text = {(const char *)data, size};
    flm_utf16_detect(text);
    convert(text, FLM_UTF16_LITTLE);
    convert(text, FLM_UTF16_BIG);
    for (struct flm_bytes left = text; left.size > 0;) {
        uint32_t code = UINT32_MAX;
        size_t step = flm_utf8_sequence(left, &code);
        promise(step <= 4 && step <= left.size && (step == 0) == (code == UINT32_MAX));
        left = (struct flm_bytes){left.at + (step ? step : 1), left.size - (step ? step : 1)};
    }
    return 0;
}
