#include "fuzz/one_of_formats.h"

static const struct flm_format *const formats[] = {&flm_format_simpleperf, &flm_format_art};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_as_one_of(formats, sizeof formats / sizeof *formats, data, size);
}
