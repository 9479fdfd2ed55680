/* A line of parameters that a path takes, "from, until", and then those of a request, "a=b&c=d", as
 * they are after decoding: they are taken where each is in the list, and no other is. */
#include <stdlib.h>

#include "serve/core/serving.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A second opinion: "from, until" is from, blank and until. */
static bool is_one_of(struct flm_bytes list, const char *name)
{
    while (list.size > 0) {
        const char *comma = memchr(list.at, ',', list.size);
        struct flm_bytes one = {list.at, comma ? (size_t)(comma - list.at) : list.size};
        list = flm_bytes_from(list, one.size + (comma != NULL));
        while (one.size > 0 && one.at[0] == ' ')
            one = flm_bytes_from(one, 1);
        if (one.size > 0 && flm_bytes_are(one, name))
            return true;
    }
    return false;
}

static bool add_all(struct flm_http_fields *fields, struct flm_bytes text)
{
    while (text.size > 0) {
        const char *end = memchr(text.at, '&', text.size);
        struct flm_bytes pair = {text.at, end ? (size_t)(end - text.at) : text.size};
        const char *equals = pair.size > 0 ? memchr(pair.at, '=', pair.size) : NULL;
        struct flm_bytes name = {pair.at, equals ? (size_t)(equals - pair.at) : pair.size};
        struct flm_bytes value = flm_bytes_from(pair, name.size + (equals != NULL));
        if (!flm_http_field_add(fields, name, value))
            return false;
        text = flm_bytes_from(text, pair.size + (end != NULL));
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *line = size > 0 ? memchr(text, '\n', size) : NULL;
    struct flm_http_request request = {.tenant = ""};
    struct flm_error why = {0};
    if (!line || memchr(text, 0, size))
        return 0;
    struct flm_bytes list = {text, (size_t)(line - text)};
    char *known = strndup(text, list.size);
    if (known &&
        add_all(&request.query, flm_bytes_from((struct flm_bytes){text, size}, list.size + 1))) {
        bool all = true;
        for (size_t i = 0; i < request.query.count; i++)
            all &= is_one_of(list, request.query.at[i].name);
        if (flm_serve_parameters(&request, known, &why) != all)
            abort();
        if (!all && why.kind != FLM_ERROR_USAGE)
            abort();
    }
    free(known);
    flm_http_request_clear(&request);
    return 0;
}
