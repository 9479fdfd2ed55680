/* json_parser.h - a parser of JSON over a text, whole or through windows of `step` bytes. */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_JSON_PARSER_H
#define FLAMEL_TESTS_SUPPORT_CORE_JSON_PARSER_H

#include <stdlib.h>

#include "base/text/json_read.h"
#include "support/profile/format_windows.h"

struct fixture {
    struct flm_json json;
    struct flm_source source;
    struct windows windows;
    struct flm_error why;
};

static inline void start(struct fixture *f, const char *text, size_t step)
{
    *f = (struct fixture){.windows = {.all = flm_bytes_of(text), .step = step}};
    f->source = windows_source(&f->windows);
    flm_json_init(&f->json, &f->source, &f->why);
}

static inline bool finish(struct fixture *f)
{
    bool good = flm_json_finish(&f->json);
    free(f->windows.block);
    return good;
}

#endif
