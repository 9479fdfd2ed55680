/* json.c - values of JSON files for the readers of this folder, which skip what they do not expect.
 */
#include "base/text/json_read.h"
#include "format/text/internal.h"
#include "profile/internal.h"

void flm_text_json_string(struct flm_json *json, struct flm_builder *builder, struct flm_text *out)
{
    struct flm_bytes text;
    out->size = 0;
    if (flm_json_type(json) == FLM_JSON_TYPE_STRING && flm_json_string(json, &text))
        flm_text_add(out, text);
    else
        flm_json_skip(json);
    if (out->failed)
        flm_builder_fail_memory(builder);
}

double flm_text_json_number(struct flm_json *json)
{
    struct flm_json_number number;
    if (flm_json_type(json) == FLM_JSON_TYPE_NUMBER && flm_json_number(json, &number))
        return number.value;
    flm_json_skip(json);
    return 0;
}

bool flm_text_json_finish(struct flm_json *json, const struct flm_builder *builder)
{
    if (!flm_builder_failed(builder))
        return flm_json_finish(json);
    flm_json_clear(json);
    return true;
}
