/* otlp_json_write.c - a profile as OTLP's JSON: the message of otlp_write.c, field by field.
 *
 * A table says how each field is called and what its value looks like, by the JSON mapping of
 * Protocol Buffers: numbers of 64 bits are texts, since many readers of JSON have doubles. What may
 * be repeated is an array; the message has all entries of one field behind each other. Fields are
 * left out where they are 0, as in the message. */
#include "base/text/json_write.h"
#include "format/core/format.h"
#include "format/otlp/otlp_write.h"
#include "format/protobuf/wire_read.h"

enum message {
    DATA,
    RESOURCE_PROFILES,
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
    ATTRIBUTE,
    ANY_VALUE,
    STACK,
    ENTRY /* of a table that has no fields which are written */
};

/* INT32: a number; the others: a text of digits. FIXED64: of 8 bytes each, packed. */
enum content { INT32, INT64, UINT64, FIXED64, TEXT, MESSAGE };
enum { ONE, SEVERAL };

static const struct member {
    unsigned char of, field, content, is_repeated, message;
    const char *name;
} members[] = {
    {DATA, 1, MESSAGE, SEVERAL, RESOURCE_PROFILES, "resourceProfiles"},
    {DATA, 2, MESSAGE, ONE, DICTIONARY, "dictionary"},
    {RESOURCE_PROFILES, 2, MESSAGE, SEVERAL, SCOPE_PROFILES, "scopeProfiles"},
    {SCOPE_PROFILES, 1, MESSAGE, ONE, SCOPE, "scope"},
    {SCOPE_PROFILES, 2, MESSAGE, SEVERAL, PROFILE, "profiles"},
    {SCOPE, 1, TEXT, ONE, 0, "name"},
    {PROFILE, 1, MESSAGE, ONE, VALUE_TYPE, "sampleType"},
    {PROFILE, 2, MESSAGE, SEVERAL, SAMPLE, "samples"},
    {PROFILE, 3, UINT64, ONE, 0, "timeUnixNano"},
    {PROFILE, 4, UINT64, ONE, 0, "durationNano"},
    {PROFILE, 5, MESSAGE, ONE, VALUE_TYPE, "periodType"},
    {PROFILE, 6, INT64, ONE, 0, "period"},
    {PROFILE, 11, INT32, SEVERAL, 0, "attributeIndices"},
    {VALUE_TYPE, 1, INT32, ONE, 0, "typeStrindex"},
    {VALUE_TYPE, 2, INT32, ONE, 0, "unitStrindex"},
    {SAMPLE, 1, INT32, ONE, 0, "stackIndex"},
    {SAMPLE, 2, INT32, SEVERAL, 0, "attributeIndices"},
    {SAMPLE, 4, INT64, SEVERAL, 0, "values"},
    {SAMPLE, 5, FIXED64, SEVERAL, 0, "timestampsUnixNano"},
    {DICTIONARY, 1, MESSAGE, SEVERAL, MAPPING, "mappingTable"},
    {DICTIONARY, 2, MESSAGE, SEVERAL, LOCATION, "locationTable"},
    {DICTIONARY, 3, MESSAGE, SEVERAL, FUNCTION, "functionTable"},
    {DICTIONARY, 4, MESSAGE, SEVERAL, ENTRY, "linkTable"},
    {DICTIONARY, 5, TEXT, SEVERAL, 0, "stringTable"},
    {DICTIONARY, 6, MESSAGE, SEVERAL, ATTRIBUTE, "attributeTable"},
    {DICTIONARY, 7, MESSAGE, SEVERAL, STACK, "stackTable"},
    {MAPPING, 1, UINT64, ONE, 0, "memoryStart"},
    {MAPPING, 2, UINT64, ONE, 0, "memoryLimit"},
    {MAPPING, 3, UINT64, ONE, 0, "fileOffset"},
    {MAPPING, 4, INT32, ONE, 0, "filenameStrindex"},
    {MAPPING, 5, INT32, SEVERAL, 0, "attributeIndices"},
    {LOCATION, 1, INT32, ONE, 0, "mappingIndex"},
    {LOCATION, 2, UINT64, ONE, 0, "address"},
    {LOCATION, 3, MESSAGE, SEVERAL, LINE, "lines"},
    {LOCATION, 4, INT32, SEVERAL, 0, "attributeIndices"},
    {LINE, 1, INT32, ONE, 0, "functionIndex"},
    {LINE, 2, INT64, ONE, 0, "line"},
    {LINE, 3, INT64, ONE, 0, "column"},
    {FUNCTION, 1, INT32, ONE, 0, "nameStrindex"},
    {FUNCTION, 3, INT32, ONE, 0, "filenameStrindex"},
    {FUNCTION, 4, INT64, ONE, 0, "startLine"},
    {ATTRIBUTE, 1, INT32, ONE, 0, "keyStrindex"},
    {ATTRIBUTE, 2, MESSAGE, ONE, ANY_VALUE, "value"},
    {ATTRIBUTE, 3, INT32, ONE, 0, "unitStrindex"},
    {ANY_VALUE, 1, TEXT, ONE, 0, "stringValue"},
    {ANY_VALUE, 3, INT64, ONE, 0, "intValue"},
    {STACK, 1, INT32, SEVERAL, 0, "locationIndices"},
};

static const struct member *find_member(enum message of, uint32_t field)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].of == of && members[i].field == field)
            return &members[i];
    return NULL;
}

static void add_number(struct flm_json_writer *json, const char *key, const struct member *m,
                       uint64_t number)
{
    char digits[24];
    struct flm_text text;
    if (m->content == INT32) {
        flm_json_add_integer(json, key, (int64_t)number);
        return;
    }
    flm_text_init_fixed(&text, digits, sizeof digits);
    if (m->content == INT64 && (int64_t)number < 0) {
        flm_text_putc(&text, '-');
        number = 0 - number;
    }
    flm_text_uint(&text, number);
    flm_json_add_text(json, key, (struct flm_bytes){text.at, text.size});
}

/* One packed field. */
static void add_numbers(struct flm_json_writer *json, const struct member *m,
                        const struct flm_wire *wire)
{
    struct flm_wire packed = flm_wire_numbers(wire);
    uint64_t number;
    while (m->content == FIXED64 ? flm_wire_next_fixed64(&packed, &number)
                                 : flm_wire_next_number(&packed, &number))
        add_number(json, NULL, m, number);
}

static void add_message(struct flm_json_writer *json, const char *key, enum message message,
                        struct flm_wire wire);

static void add_value(struct flm_json_writer *json, const struct member *m,
                      const struct flm_wire *wire)
{
    const char *key = m->is_repeated ? NULL : m->name;
    struct flm_wire inner;
    if (m->content == MESSAGE) {
        if (flm_wire_enter(wire, &inner))
            add_message(json, key, (enum message)m->message, inner);
    } else if (m->content == TEXT) {
        flm_json_add_text(json, key, wire->bytes);
    } else if (m->is_repeated) {
        add_numbers(json, m, wire);
    } else {
        add_number(json, key, m, wire->number);
    }
}

/* Samples and entries of tables are a line each. */
static bool is_line(enum message message)
{
    return message >= VALUE_TYPE && message != DICTIONARY;
}

/* No message of the table contains itself: the depth of the table limits the recursion. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void add_message(struct flm_json_writer *json, const char *key, enum message message,
                        struct flm_wire wire)
{
    const struct member *array = NULL; /* that is open */
    flm_json_begin(json, key, is_line(message) ? FLM_JSON_OBJECT_LINE : FLM_JSON_OBJECT);
    while (flm_wire_next(&wire) && !json->out->failed) {
        const struct member *m = find_member(message, wire.field);
        if (array && array != m)
            flm_json_end(json);
        if (m && m->is_repeated && array != m)
            flm_json_begin(json, m->name, is_line(message) ? FLM_JSON_ARRAY_LINE : FLM_JSON_ARRAY);
        array = m && m->is_repeated ? m : NULL;
        if (m)
            add_value(json, m, &wire);
    }
    if (array)
        flm_json_end(json);
    flm_json_end(json);
}

static bool write_json(const struct flm_profile *profile, const struct flm_write_options *options,
                       struct flm_text *out, struct flm_error *why)
{
    struct flm_text message = {0};
    bool good = flm_otlp_write(profile, options, &message, why);
    if (good && !message.failed) {
        struct flm_wire_input input =
            flm_wire_input_of((struct flm_bytes){message.at, message.size});
        struct flm_json_writer json = {.out = out};
        add_message(&json, NULL, DATA, flm_wire_all(&input));
    }
    out->failed |= message.failed;
    flm_text_clear(&message);
    return good;
}

const struct flm_format flm_format_otlp_json = {
    .name = "otlp-json",
    .title = "OpenTelemetry JSON",
    .extensions = ".otlp.json",
    .description = "profiles of OpenTelemetry (OTLP), of v1development, as JSON: otlp reads them",
    .whole_values = true,
    .also_loses = "notes",
    .holds = FLM_OTLP_HOLDS,
    .has_times = true,
    .keeps_labels = true,
    .write = write_json,
};
