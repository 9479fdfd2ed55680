#include "fuzz/one_of_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct flm_format *const formats[] = {
        &flm_format_austin,
        &flm_format_mojo,
    };
    return read_as_one_of(formats, sizeof formats / sizeof *formats, data, size);
}
