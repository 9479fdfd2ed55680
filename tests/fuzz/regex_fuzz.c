/* The first byte is the size of the pattern; then come the pattern and the text. */
#include <stdlib.h>

#include "base/regex/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t pattern_size = data[0] < size ? data[0] : size - 1;
    struct flm_bytes pattern = {(const char *)data + 1, pattern_size};
    struct flm_bytes text = {pattern.at + pattern_size, size - 1 - pattern_size};

    struct flm_error why = {0};
    struct flm_regex *regex = flm_regex_new(pattern, &why);
    if (!regex) {
        promise(why.kind == FLM_ERROR_FORMAT && why.offset <= pattern_size);
        return 0;
    }
    struct flm_regex_scratch *scratch = flm_regex_scratch_new(regex, &why);
    promise(scratch != NULL);

    size_t start = 0, end = 0, start_again, end_again;
    bool found = flm_regex_find_by_threads(regex, scratch, text, &start, &end);
    promise(start <= end && end <= text.size);

    /* The second time the automaton knows its way. */
    promise(flm_regex_search(regex, scratch, text) == found);
    promise(flm_regex_find(regex, scratch, text, &start_again, &end_again) == found);
    if (found)
        promise(start_again == start && end_again == end);
    promise(flm_regex_visits(scratch) <= 4 * regex->code.count * (text.size + 1));

    flm_regex_scratch_free(scratch);
    flm_regex_free(regex);
    return 0;
}
