/* A text as JSON, in one window and in small ones: the same values, or the same error. */
#include "base/number/double.h"
#include "base/text/json_read.h"

#include "fuzz/perf_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was found, as a sum in which the order counts. */
static uint64_t mix(uint64_t sum, struct flm_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        sum = (sum ^ (unsigned char)bytes.at[i]) * 0x100000001B3u;
    return sum * 31 + bytes.size;
}

/* The array that was entered, as numbers. */
static uint64_t read_numbers(struct flm_json *json, uint64_t sum)
{
    double doubles[3];
    int64_t integers[3];
    bool is_whole = sum % 2 == 0;
    for (size_t count = 1; count > 0;) {
        count = is_whole ? flm_json_next_integers(json, integers, 3, -1)
                         : flm_json_next_doubles(json, doubles, 3, -1);
        for (size_t i = 0; i < count; i++)
            sum = sum * 31 + (is_whole ? (uint64_t)integers[i] : flm_double_bits(doubles[i]));
    }
    return sum;
}

static uint64_t read_value(struct flm_json *json, uint64_t sum)
{
    struct flm_bytes text;
    struct flm_json_number number;
    int64_t whole;
    bool value;
    switch (flm_json_type(json)) {
    case FLM_JSON_TYPE_STRING:
        return flm_json_string(json, &text) ? mix(sum, text) : sum;
    case FLM_JSON_TYPE_NUMBER:
        if (sum % 4 == 0)
            return flm_json_integer(json, &whole) ? sum + (uint64_t)whole : sum;
        return flm_json_number(json, &number) ? mix(sum, number.text) : sum;
    case FLM_JSON_TYPE_BOOL:
        return flm_json_bool(json, &value) ? sum + value + 1 : sum;
    case FLM_JSON_TYPE_OBJECT:
        flm_json_enter_object(json);
        return sum * 5;
    case FLM_JSON_TYPE_ARRAY:
        flm_json_enter_array(json);
        return sum % 3 == 0 ? read_numbers(json, sum) : sum * 7;
    default:
        flm_json_skip(json);
        return sum * 3;
    }
}

/* Reads most of it, skips some, leaves some. */
static uint64_t walk(struct flm_json *json)
{
    struct flm_bytes key;
    uint64_t sum = read_value(json, 1);
    while (json->depth > 0 && !json->failed) {
        bool in_object = json->is_object.at[(json->depth - 1) / 8] >> (json->depth - 1) % 8 & 1;
        if (sum % 29 == 0) {
            flm_json_leave(json);
            sum++;
        } else if (in_object ? flm_json_next_key(json, &key) : flm_json_next_item(json)) {
            if (in_object)
                sum = mix(sum, key);
            if (sum % 13 != 0)
                sum = read_value(json, sum);
            else
                sum++;
        } else {
            sum++;
        }
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_bytes all = {size > 0 ? (const char *)data : "", size}; /* no file is NULL */
    struct flm_error why[2] = {{0}, {0}};
    struct flm_json json;
    struct flm_source source = flm_source_of(all);
    flm_json_init(&json, &source, &why[0]);
    uint64_t sum = walk(&json);
    bool good = flm_json_finish(&json);
    promise(good || why[0].kind == FLM_ERROR_FORMAT);
    promise(good || why[0].offset <= size);

    struct windows w = {.all = all, .step = 1 + size % 37};
    source = windows_source(&w);
    flm_json_init(&json, &source, &why[1]);
    promise(walk(&json) == sum);
    promise(flm_json_finish(&json) == good);
    promise(strcmp(why[0].text, why[1].text) == 0);
    free(w.block);
    return 0;
}
