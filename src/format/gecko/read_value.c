#include "format/gecko/read_value.h"

static bool add_text(struct flm_json *json, struct flm_gecko_profile *p, struct flm_bytes text,
                     uint32_t *index)
{
    *index = 0;
    if (p->texts.ends.count == 0 && !flm_gecko_strings_add(&p->texts, (struct flm_bytes){"", 0}))
        return flm_json_fail_memory(json);
    if (text.size == 0)
        return true;
    *index = (uint32_t)p->texts.ends.count;
    return flm_gecko_strings_add(&p->texts, text) || flm_json_fail_memory(json);
}

void flm_gecko_read_text(struct flm_json *json, struct flm_gecko_profile *p, uint32_t *index)
{
    struct flm_bytes text = {"", 0};
    struct flm_json_number number;
    enum flm_json_type type = flm_json_type(json);
    if (type == FLM_JSON_TYPE_STRING)
        flm_json_string(json, &text);
    else if (type == FLM_JSON_TYPE_NUMBER && flm_json_number(json, &number))
        text = number.text;
    if (!json->failed)
        add_text(json, p, text, index);
}

void flm_gecko_read_number(struct flm_json *json, double *value)
{
    if (flm_json_type(json) == FLM_JSON_TYPE_NUMBER)
        flm_json_double(json, value);
}

double flm_gecko_read_cell(struct flm_json *json)
{
    double value = __builtin_nan("");
    bool is_true = false;
    switch (flm_json_type(json)) {
    case FLM_JSON_TYPE_NULL:
        flm_json_skip(json);
        return value;
    case FLM_JSON_TYPE_BOOL:
        flm_json_bool(json, &is_true);
        return is_true;
    default:
        flm_json_double(json, &value);
        return value;
    }
}

bool flm_gecko_enter_if(struct flm_json *json, enum flm_json_type type)
{
    if (flm_json_type(json) != type)
        return false;
    return type == FLM_JSON_TYPE_OBJECT ? flm_json_enter_object(json) : flm_json_enter_array(json);
}

void flm_gecko_copy_text(struct flm_json *json, struct flm_text *out, struct flm_bytes text)
{
    out->size = 0;
    flm_text_add(out, text);
    if (out->failed)
        flm_json_fail_memory(json);
}
