#include "os/file_bytes.h"

#include <assert.h>

#include "os/input.h"
#include "os/output.h"

bool flm_file_read(const char *path, struct flm_text *text, struct flm_error *why)
{
    assert(path && text);
    struct flm_input *input = flm_input_open(path, why);
    bool good = input && flm_source_all(flm_input_source(input), why);
    if (good) {
        const struct flm_source *source = flm_input_source(input);
        flm_text_add(text, (struct flm_bytes){source->at, (size_t)(source->end - source->at)});
        good = !text->failed || flm_error_memory(why);
    }
    flm_input_close(input);
    return good || flm_error_within(why, path);
}

bool flm_file_write(const char *path, struct flm_bytes bytes, struct flm_error *why)
{
    assert(path && (bytes.at || bytes.size == 0));
    struct flm_output output;
    if (!flm_output_open(&output, path, why))
        return false;
    flm_text_add(&output.text, bytes);
    return flm_output_close(&output, true, why);
}
