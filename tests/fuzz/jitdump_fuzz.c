#include "fuzz/jit_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_jit_losses losses;
    struct flm_error why = {0};
    struct flm_jit_code *code =
        flm_jitdump_read((struct flm_bytes){(const char *)data, size}, &losses, &why);
    promise((code != NULL) == (why.kind == FLM_ERROR_NONE));
    if (code)
        promise_answers(code);
    for (size_t i = 0; code && i < code->regions.count && i < 64; i++) {
        struct flm_jit_region_code found;
        if (flm_jit_code_find(code, code->regions.at[i].start, INT64_MAX, &found))
            promise(found.offset < size && found.size > 0 && found.size <= size - found.offset);
    }
    flm_jit_code_free(code);
    return 0;
}
