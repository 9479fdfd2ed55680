#include "fuzz/jit_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_jit_losses losses;
    struct flm_jit_code *code =
        flm_perf_map_read((struct flm_bytes){(const char *)data, size}, &losses);
    promise(code && losses.regions + flm_jit_code_count(code) <= size);
    promise_answers(code);
    flm_jit_code_free(code);
    return 0;
}
