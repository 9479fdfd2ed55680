/* otlp_json.c - converts OTLP's JSON to messages.
 *
 * A table says for each member of each message which field it becomes, and what the field contains.
 * A list becomes the same field several times. Unknown members are skipped, as unknown fields are.
 * Members have the names of the fields, in camelCase or with underscores; a number may be written
 * as a text. Identifiers are hexadecimal digits; fields of other bytes are not needed. */
#include "base/number/number.h"
#include "base/text/json_read.h"
#include "format/otlp/otlp.h"
#include "format/protobuf/wire_write.h"

enum message {
    NO_MESSAGE,
    DATA,
    RESOURCE_PROFILES,
    RESOURCE,
    SCOPE_PROFILES,
    SCOPE,
    PROFILE,
    VALUE_TYPE,
    SAMPLE,
    DICTIONARY,
    MAPPING,
    LOCATION,
    LINE,
    FUNCTION,
    LINK,
    KEY_VALUE,
    INDEXED_VALUE,
    ANY_VALUE,
    STACK
};

/* What a field contains. DIGITS: bytes, written as hexadecimal digits. OLDER: a member that only
 * older drafts have. */
enum content { NUMBER, FIXED64, DOUBLE, BOOLEAN, TEXT, DIGITS, MESSAGE, OLDER };

static const struct {
    unsigned char of, field, content, message;
    const char *name; /* without underscores, in lower case */
} members[] = {
    {DATA, 1, MESSAGE, RESOURCE_PROFILES, "resourceprofiles"},
    {DATA, 2, MESSAGE, DICTIONARY, "dictionary"},
    {RESOURCE_PROFILES, 1, MESSAGE, RESOURCE, "resource"},
    {RESOURCE_PROFILES, 2, MESSAGE, SCOPE_PROFILES, "scopeprofiles"},
    {RESOURCE, 1, MESSAGE, KEY_VALUE, "attributes"},
    {SCOPE_PROFILES, 1, MESSAGE, SCOPE, "scope"},
    {SCOPE_PROFILES, 2, MESSAGE, PROFILE, "profiles"},
    {SCOPE, 1, TEXT, 0, "name"},
    {SCOPE, 2, TEXT, 0, "version"},
    {PROFILE, 1, MESSAGE, VALUE_TYPE, "sampletype"},
    {PROFILE, 2, MESSAGE, SAMPLE, "samples"},
    {PROFILE, 2, MESSAGE, SAMPLE, "sample"},
    {PROFILE, 3, FIXED64, 0, "timeunixnano"},
    {PROFILE, 4, NUMBER, 0, "durationnano"},
    {PROFILE, 5, MESSAGE, VALUE_TYPE, "periodtype"},
    {PROFILE, 6, NUMBER, 0, "period"},
    {PROFILE, 11, NUMBER, 0, "attributeindices"},
    {PROFILE, 0, OLDER, 0, "stringtable"},
    {PROFILE, 0, OLDER, 0, "locationindices"},
    {VALUE_TYPE, 1, NUMBER, 0, "typestrindex"},
    {VALUE_TYPE, 2, NUMBER, 0, "unitstrindex"},
    {SAMPLE, 1, NUMBER, 0, "stackindex"},
    {SAMPLE, 2, NUMBER, 0, "attributeindices"},
    {SAMPLE, 3, NUMBER, 0, "linkindex"},
    {SAMPLE, 4, NUMBER, 0, "values"},
    {SAMPLE, 5, FIXED64, 0, "timestampsunixnano"},
    {SAMPLE, 0, OLDER, 0, "locationsstartindex"},
    {SAMPLE, 0, OLDER, 0, "locationslength"},
    {DICTIONARY, 1, MESSAGE, MAPPING, "mappingtable"},
    {DICTIONARY, 2, MESSAGE, LOCATION, "locationtable"},
    {DICTIONARY, 3, MESSAGE, FUNCTION, "functiontable"},
    {DICTIONARY, 4, MESSAGE, LINK, "linktable"},
    {DICTIONARY, 5, TEXT, 0, "stringtable"},
    {DICTIONARY, 6, MESSAGE, INDEXED_VALUE, "attributetable"},
    {DICTIONARY, 7, MESSAGE, STACK, "stacktable"},
    {MAPPING, 1, NUMBER, 0, "memorystart"},
    {MAPPING, 2, NUMBER, 0, "memorylimit"},
    {MAPPING, 3, NUMBER, 0, "fileoffset"},
    {MAPPING, 4, NUMBER, 0, "filenamestrindex"},
    {MAPPING, 5, NUMBER, 0, "attributeindices"},
    {LOCATION, 1, NUMBER, 0, "mappingindex"},
    {LOCATION, 2, NUMBER, 0, "address"},
    {LOCATION, 3, MESSAGE, LINE, "lines"},
    {LOCATION, 3, MESSAGE, LINE, "line"},
    {LOCATION, 4, NUMBER, 0, "attributeindices"},
    {LINE, 1, NUMBER, 0, "functionindex"},
    {LINE, 2, NUMBER, 0, "line"},
    {LINE, 3, NUMBER, 0, "column"},
    {FUNCTION, 1, NUMBER, 0, "namestrindex"},
    {FUNCTION, 2, NUMBER, 0, "systemnamestrindex"},
    {FUNCTION, 3, NUMBER, 0, "filenamestrindex"},
    {FUNCTION, 4, NUMBER, 0, "startline"},
    {LINK, 1, DIGITS, 0, "traceid"},
    {LINK, 2, DIGITS, 0, "spanid"},
    {KEY_VALUE, 1, TEXT, 0, "key"},
    {KEY_VALUE, 2, MESSAGE, ANY_VALUE, "value"},
    {KEY_VALUE, 3, NUMBER, 0, "keystrindex"},
    {INDEXED_VALUE, 1, NUMBER, 0, "keystrindex"},
    {INDEXED_VALUE, 2, MESSAGE, ANY_VALUE, "value"},
    {INDEXED_VALUE, 3, NUMBER, 0, "unitstrindex"},
    {ANY_VALUE, 1, TEXT, 0, "stringvalue"},
    {ANY_VALUE, 2, BOOLEAN, 0, "boolvalue"},
    {ANY_VALUE, 3, NUMBER, 0, "intvalue"},
    {ANY_VALUE, 4, DOUBLE, 0, "doublevalue"},
    {ANY_VALUE, 8, NUMBER, 0, "stringvaluestrindex"},
    {STACK, 1, NUMBER, 0, "locationindices"},
};

enum { MEMBERS = sizeof members / sizeof *members };

struct conversion {
    struct flm_json json;
    struct flm_text *out;
};

static bool is_named(struct flm_bytes key, const char *name)
{
    for (size_t i = 0; i < key.size; i++) {
        char byte = key.at[i];
        if (byte == '_')
            continue;
        byte = byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
        if (*name == 0 || byte != *name++) /* a key may contain a NUL */
            return false;
    }
    return *name == 0;
}

static size_t find_member(enum message message, struct flm_bytes key)
{
    size_t i = 0;
    while (i < MEMBERS && (members[i].of != message || !is_named(key, members[i].name)))
        i++;
    return i;
}

/* A number, or a text that is one: all 64 bits, with or without a sign. */
static bool read_number(struct flm_json *json, uint64_t *value)
{
    struct flm_json_number number = {0};
    if (flm_json_type(json) == FLM_JSON_TYPE_STRING ? !flm_json_string(json, &number.text)
                                                    : !flm_json_number(json, &number))
        return false;
    struct flm_bytes text = number.text;
    bool is_negative = flm_bytes_start_with(text, "-");
    if (!flm_number_parse_uint(flm_bytes_from(text, is_negative), value)) {
        double real;
        if (flm_number_parse(text, &real) == FLM_NUMBER_NONE || !(real >= -9223372036854775808.0) ||
            real >= 9223372036854775808.0)
            return flm_json_fail(json, "a number that is not one of 64 bits");
        *value = (uint64_t)(int64_t)real;
        return true;
    }
    *value = is_negative ? 0 - *value : *value;
    return true;
}

static void put_tag(struct flm_text *out, uint32_t field, unsigned type)
{
    flm_wire_put_varint(out, (uint64_t)field << 3 | type);
}

static void put_fixed64(struct flm_text *out, uint32_t field, uint64_t value)
{
    put_tag(out, field, 1);
    for (int i = 0; i < 8; i++)
        flm_text_putc(out, (char)(value >> (8 * i)));
}

static void put_digits(struct conversion *c, uint32_t field, struct flm_bytes digits)
{
    put_tag(c->out, field, 2);
    flm_wire_put_varint(c->out, digits.size / 2);
    for (size_t i = 0; i + 1 < digits.size; i += 2) {
        int high = flm_hex_value(digits.at[i]), low = flm_hex_value(digits.at[i + 1]);
        if (high < 0 || low < 0) {
            flm_json_fail(&c->json, "an identifier that is not hexadecimal");
            return;
        }
        flm_text_putc(c->out, (char)(high << 4 | low));
    }
}

/* Inserts, at `start`, the size of what follows it. */
static void put_size(struct flm_text *out, size_t start)
{
    char size[10];
    struct flm_text text;
    if (out->failed)
        return;
    flm_text_init_fixed(&text, size, sizeof size);
    flm_wire_put_varint(&text, out->size - start);
    if (!flm_text_reserve(out, text.size))
        return;
    memmove(out->at + start + text.size, out->at + start, out->size - start);
    memcpy(out->at + start, text.at, text.size);
    out->size += text.size;
}

/* The bits of a number, as a varint or fixed64 has them. */
static bool read_bits(struct flm_json *json, enum content content, uint64_t *bits)
{
    bool is_true = false;
    double value = 0;
    switch (content) {
    case BOOLEAN:
        if (!flm_json_bool(json, &is_true))
            return false;
        *bits = is_true;
        return true;
    case DOUBLE:
        if (flm_json_type(json) != FLM_JSON_TYPE_NUMBER || !flm_json_double(json, &value))
            return false; /* the text "NaN" is no value */
        memcpy(bits, &value, sizeof *bits);
        return true;
    default:
        return read_number(json, bits);
    }
}

static void put_message(struct conversion *c, enum message message);

static void put_value(struct conversion *c, size_t i)
{
    struct flm_text *out = c->out;
    enum content content = (enum content)members[i].content;
    uint32_t field = members[i].field;
    uint64_t bits = 0;
    struct flm_bytes text;
    size_t start;
    if (flm_json_type(&c->json) == FLM_JSON_TYPE_NULL)
        return; /* a value that is not read is skipped */
    switch (content) {
    case NUMBER:
    case BOOLEAN:
        if (read_bits(&c->json, content, &bits)) {
            put_tag(out, field, 0);
            flm_wire_put_varint(out, bits);
        }
        break;
    case FIXED64:
    case DOUBLE:
        if (read_bits(&c->json, content, &bits))
            put_fixed64(out, field, bits);
        break;
    case TEXT:
        if (flm_json_string(&c->json, &text))
            flm_wire_put_bytes(out, field, text);
        break;
    case DIGITS:
        if (flm_json_string(&c->json, &text))
            put_digits(c, field, text);
        break;
    case MESSAGE:
        put_tag(out, field, 2);
        start = out->size;
        put_message(c, (enum message)members[i].message);
        put_size(out, start);
        break;
    case OLDER:
        flm_json_fail(&c->json, FLM_OTLP_OLDER);
        break;
    }
}

/* No message of the table contains itself: the depth of the table limits the recursion. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_message(struct conversion *c, enum message message)
{
    struct flm_bytes key;
    flm_json_enter_object(&c->json);
    while (!c->out->failed && flm_json_next_key(&c->json, &key)) {
        size_t i = find_member(message, key);
        if (i == MEMBERS)
            continue;
        if (flm_json_type(&c->json) != FLM_JSON_TYPE_ARRAY) {
            put_value(c, i);
            continue;
        }
        flm_json_enter_array(&c->json);
        while (!c->out->failed && flm_json_next_item(&c->json))
            put_value(c, i);
    }
}

/* Whether another value follows; `good` becomes false where reading failed. */
static bool has_value(struct flm_source *source, bool *good, struct flm_error *why)
{
    for (;;) {
        if (source->at < source->end) {
            if (!flm_is_space(*source->at) && *source->at != '\r')
                return true;
            source->at++;
        } else if (source->last) {
            return false;
        } else if (!flm_source_more(source, why)) {
            *good = false;
            return false;
        }
    }
}

bool flm_otlp_from_json(struct flm_source *source, struct flm_text *out, struct flm_error *why)
{
    struct conversion c = {.out = out};
    bool good = true;
    while (good && has_value(source, &good, why)) {
        size_t start = out->size;
        flm_json_init(&c.json, source, why);
        put_message(&c, DATA);
        good = !c.json.failed && !out->failed;
        flm_json_clear(&c.json);
        put_size(out, start);
    }
    return out->failed ? flm_error_memory(why) : good;
}
