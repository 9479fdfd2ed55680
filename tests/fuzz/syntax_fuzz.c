/* Any bytes as source: the first says which language, the second where lines end, or, if it is 0,
 * that they end as usual; the next four are what the first line begins in. Whatever comes, spans
 * ascend, none is empty, and they lie in their line; and the state is the same without them. */
#include <stdlib.h>

#include "draw/syntax/syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static const struct flm_language *language_of(uint8_t number)
{
    static const char *const names[] = {"a.c",   "a.cc", "a.rs", "a.go", "a.java", "a.kt",
                                        "a.cs",  "a.ts", "a.py", "a.rb", "a.php",  "a.swift",
                                        "a.zig", "a.hs", "a.ml", "a.sh", "a.s"};
    const char *name = names[number % (sizeof names / sizeof names[0])];
    const struct flm_language *language =
        flm_language_of(flm_bytes_of(name), (struct flm_bytes){"", 0});
    promise(language != NULL);
    return language;
}

/* In memory of its own, so that a read behind its end is seen. */
static void read_line(const struct flm_language *language, struct flm_bytes line,
                      flm_syntax_state *state)
{
    enum { MOST = 16 };
    struct flm_syntax_span spans[MOST];
    flm_syntax_state scanned = *state;
    char *copy = malloc(line.size ? line.size : 1);
    promise(copy != NULL);
    if (line.size > 0)
        memcpy(copy, line.at, line.size);
    line.at = copy;
    size_t count = flm_syntax_line(language, line, state, spans, MOST);
    promise(count <= MOST);
    for (size_t i = 0; i < count; i++)
        promise(spans[i].start >= (i > 0 ? spans[i - 1].end : 0) && spans[i].start < spans[i].end &&
                spans[i].end <= line.size && spans[i].kind > FLM_SYNTAX_PLAIN &&
                spans[i].kind < FLM_SYNTAX_COUNT);
    promise(flm_syntax_line(language, line, &scanned, NULL, 0) == 0 && scanned == *state);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 6 };
    if (size < HEAD)
        return 0;
    const struct flm_language *language = language_of(data[0]);
    flm_syntax_state state =
        data[2] | (uint32_t)data[3] << 8 | (uint32_t)data[4] << 16 | (uint32_t)data[5] << 24;
    for (struct flm_bytes rest = {(const char *)data + HEAD, size - HEAD}; rest.size > 0;) {
        const char *stop = memchr(rest.at, '\n', rest.size);
        size_t length = data[1] ? data[1] : stop ? (size_t)(stop - rest.at) : rest.size;
        length = length < rest.size ? length : rest.size;
        read_line(language, (struct flm_bytes){rest.at, length}, &state);
        rest = flm_bytes_from(rest, length + (data[1] == 0 && length < rest.size));
    }
    return 0;
}
