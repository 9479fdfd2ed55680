#include "symbol/identity/build_id.h"

#include "base/number/number.h"

void flm_build_id_print(const struct flm_build_id *id, struct flm_text *out)
{
    for (size_t i = 0; i < id->size && i < FLM_BUILD_ID_MOST; i++) {
        flm_text_putc(out, "0123456789abcdef"[id->bytes[i] >> 4]);
        flm_text_putc(out, "0123456789abcdef"[id->bytes[i] & 15]);
    }
}

bool flm_build_id_parse(struct flm_bytes digits, struct flm_build_id *id)
{
    struct flm_build_id read = {0};
    if (digits.size % 2 || digits.size / 2 > FLM_BUILD_ID_MOST)
        return false;
    for (size_t i = 0; i < digits.size; i += 2) {
        int high = flm_hex_value(digits.at[i]), low = flm_hex_value(digits.at[i + 1]);
        if (high < 0 || low < 0)
            return false;
        read.bytes[read.size++] = (uint8_t)(high << 4 | low);
    }
    *id = read;
    return true;
}
