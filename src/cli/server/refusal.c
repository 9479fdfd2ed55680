#include "cli/server/refusal.h"

#include <stdio.h>

#include "base/text/json_read.h"

/* {"error": "..."}; false: it is something else. */
static bool read_error(struct flm_bytes body, struct flm_text *out)
{
    struct flm_source source = flm_source_of(body);
    struct flm_error why;
    struct flm_json json;
    struct flm_bytes key, text;
    flm_json_init(&json, &source, &why);
    if (body.size > 0 && body.at[0] == '{') {
        flm_json_enter_object(&json);
        while (flm_json_next_key(&json, &key))
            if (flm_bytes_are(key, "error") && flm_json_string(&json, &text))
                flm_text_add(out, text);
    }
    bool good = flm_json_finish(&json);
    return good && !out->failed && out->size > 0;
}

void flm_refusal_reason(const struct flm_http_reply *reply, char line[200])
{
    struct flm_text error = {0};
    struct flm_bytes body = {reply->body.at ? reply->body.at : "", reply->body.size};
    if (read_error(body, &error))
        body = (struct flm_bytes){error.at, error.size};
    size_t size = 0;
    while (size < 199 && size < body.size && (unsigned char)body.at[size] >= ' ')
        size++;
    bool is_page = size > 0 && body.at[0] == '<';
    if (size == 0 || is_page)
        snprintf(line, 200, "it does not say why");
    else
        snprintf(line, 200, "%.*s", (int)size, body.at);
    flm_text_clear(&error);
}
