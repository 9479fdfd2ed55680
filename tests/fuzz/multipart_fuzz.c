/* A line that is a Content-Type, and then any bytes as its body: parts are in the body, in order,
 * and none has its boundary. */
#include <stdlib.h>
#include <string.h>

#include "serve/http/multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static bool is_within(struct flm_bytes inner, const char *from, const char *end)
{
    return inner.size == 0 || (inner.at >= from && inner.size <= (size_t)(end - inner.at));
}

static void read_parts(const char *type, struct flm_bytes body)
{
    struct flm_error why = {0};
    struct flm_multipart m;
    struct flm_part part;
    const char *at = body.at, *end = body.at + body.size;
    if (!flm_multipart_init(&m, type, body, &why)) {
        promise(why.kind == FLM_ERROR_FORMAT || why.kind == FLM_ERROR_USAGE);
        return;
    }
    while (flm_multipart_next(&m, &part)) {
        promise(is_within(part.name, at, end) && is_within(part.file_name, at, end));
        promise(part.bytes.at >= at && is_within(part.bytes, at, end));
        at = part.bytes.at + part.bytes.size;
        for (size_t i = 0; i + m.boundary.size + 4 <= part.bytes.size; i++)
            promise(memcmp(part.bytes.at + i, "\r\n--", 4) != 0 ||
                    memcmp(part.bytes.at + i + 4, m.boundary.at, m.boundary.size) != 0);
    }
    promise(!m.failed || why.kind == FLM_ERROR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    if (!line || memchr(data, 0, (size_t)(line - data)))
        return 0;
    size_t head = (size_t)(line - data);
    char *type = malloc(head + 1), *body = malloc(size - head);
    if (type && body) {
        memcpy(type, data, head);
        type[head] = 0;
        memcpy(body, line + 1, size - head - 1); /* a copy: a sanitizer sees what is read beyond */
        read_parts(type, (struct flm_bytes){body, size - head - 1});
    }
    free(type);
    free(body);
    return 0;
}
