#include "format/otlp/otlp.h"

#include "format/core/json_head.h"
#include "format/otlp/otlp_write.h"

/* ---- Recognition ----------------------------------------------------------------------------- */

/* A field of a message that may be cut off: by the end of the head. */
struct field {
    uint64_t number;
    unsigned type;
    struct flm_bytes bytes; /* of the type 2: what is there of them */
};

static bool take_varint(struct flm_bytes *from, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && from->size > 0; shift += 7) {
        unsigned char byte = (unsigned char)*from->at;
        *from = flm_bytes_from(*from, 1);
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take_field(struct flm_bytes *from, struct field *field)
{
    uint64_t tag, size = 0;
    if (!take_varint(from, &tag))
        return false;
    field->number = tag >> 3;
    field->type = tag & 7;
    field->bytes = (struct flm_bytes){from->at, 0};
    if (field->type == 0)
        return take_varint(from, &size);
    if (field->type == 2 && !take_varint(from, &size))
        return false;
    size = field->type == 1 ? 8 : field->type == 5 ? 4 : size;
    size_t there = size < from->size ? (size_t)size : from->size;
    field->bytes = (struct flm_bytes){from->at, there};
    *from = flm_bytes_from(*from, there);
    return field->type == 1 || field->type == 2 || field->type == 5;
}

/* Whether fields 1 to `most` are messages and texts, and nothing else is there but fields from 4 on
 * and those in `numbers`; counts field 2, and keeps the first of these. */
static bool holds(struct flm_bytes message, unsigned most, size_t *seconds,
                  struct flm_bytes *second)
{
    struct field field;
    while (message.size > 0 && take_field(&message, &field)) {
        if (field.number == 0 || (field.number <= most && field.type != 2) ||
            (field.number > most && field.number < 1000))
            return false;
        if (field.number == 2 && ++*seconds == 1)
            *second = field.bytes;
    }
    return true;
}

/* Field 1 of a Profile is a message of two numbers, field 2 a sample. */
static bool is_profile(struct flm_bytes message)
{
    struct field field, inner;
    while (message.size > 0 && take_field(&message, &field)) {
        if (field.number == 0 || field.number > 32 || (field.number <= 2 && field.type != 2))
            return false;
        while (field.number == 1 && field.bytes.size > 0 && take_field(&field.bytes, &inner))
            if (inner.number == 0 || inner.number > 3 || inner.type != 0)
                return false;
    }
    return true;
}

/* pprof has numbers in field 1, and lists of numbers in the fields of field 2: no other field than
 * 1 and 2, and a profile four messages deep, is enough to tell. */
static int sniff_message(struct flm_bytes message)
{
    struct field field;
    size_t dictionaries = 0, profiles = 0, scopes = 0;
    while (message.size > 0 && take_field(&message, &field)) {
        struct flm_bytes scope = {0}, profile = {0};
        size_t before = scopes, unused = 0;
        if (field.type != 2 || field.number == 0 || field.number > 2)
            return FLM_SNIFF_NO;
        if (field.number == 2) {
            if (++dictionaries > 1 || !holds(field.bytes, 7, &unused, &profile))
                return FLM_SNIFF_NO;
            continue;
        }
        if (!holds(field.bytes, 3, &scopes, &scope))
            return FLM_SNIFF_NO;
        if (scopes == before || !holds(scope, 3, &profiles, &profile) || !is_profile(profile))
            return scopes == before ? FLM_SNIFF_MIXED : FLM_SNIFF_NO;
    }
    if (profiles > 0)
        return dictionaries > 0 ? FLM_SNIFF_MAGIC : FLM_SNIFF_SURE;
    return dictionaries > 0 ? FLM_SNIFF_LIKELY : FLM_SNIFF_NO;
}

static enum flm_otlp_framing framing_of(struct flm_bytes head)
{
    struct flm_bytes rest = head;
    uint64_t size;
    if (head.size > 4 && *head.at == 0)
        return FLM_OTLP_FIXED;
    if (sniff_message(head) < FLM_SNIFF_LIKELY && take_varint(&rest, &size) && size > 0) {
        rest.size = size < rest.size ? (size_t)size : rest.size;
        if (sniff_message(rest) >= FLM_SNIFF_LIKELY)
            return FLM_OTLP_VARINT;
    }
    return FLM_OTLP_WHOLE;
}

static bool is_json(struct flm_bytes head)
{
    return flm_json_head_begins(head, '{') &&
           (flm_json_head_has(head, "resourceProfiles") ||
            flm_json_head_has(head, "resource_profiles") ||
            (flm_json_head_has(head, "dictionary") &&
             (flm_json_head_has(head, "stringTable") || flm_json_head_has(head, "mappingTable") ||
              flm_json_head_has(head, "locationTable"))));
}

static int sniff(struct flm_bytes head, bool whole)
{
    struct flm_bytes rest = head;
    uint64_t size;
    int certainty;
    if (is_json(head))
        return FLM_SNIFF_SURE;
    switch (framing_of(head)) {
    case FLM_OTLP_FIXED:
        size = 0;
        for (int i = 0; i < 4; i++)
            size = size << 8 | (unsigned char)head.at[i];
        rest = flm_bytes_from(rest, 4);
        break;
    case FLM_OTLP_VARINT:
        take_varint(&rest, &size);
        break;
    default:
        certainty =
            sniff_message(head); /* of a whole file all must be there: blank lines are not */
        return whole && certainty < FLM_SNIFF_LIKELY ? FLM_SNIFF_NO : certainty;
    }
    rest.size = size < rest.size ? (size_t)size : rest.size;
    return sniff_message(rest) >= FLM_SNIFF_LIKELY ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool read_otlp(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    if (!flm_source_fill(source, 1 << 16, why))
        return false;
    struct flm_bytes head = {source->at, (size_t)(source->end - source->at)};
    /* A message may begin with "\n{": field 1, of 123 bytes. */
    if (!flm_json_head_begins(head, '{') || sniff_message(head) >= FLM_SNIFF_LIKELY) {
        if (!flm_source_all(source, why))
            return false;
        struct flm_otlp_input input = {.all = {source->at, (size_t)(source->end - source->at)},
                                       .source = source};
        input.framing = framing_of(
            (struct flm_bytes){input.all.at, input.all.size < 1 << 16 ? input.all.size : 1 << 16});
        bool good = flm_otlp_read(&input, options, builder, why);
        source->at = source->end;
        return good;
    }
    struct flm_text messages = {0};
    bool good = flm_otlp_from_json(source, &messages, why);
    if (good) {
        struct flm_otlp_input input = {
            {messages.at, messages.size}, FLM_OTLP_VARINT, .is_json = true};
        good = flm_otlp_read(&input, options, builder, why);
    }
    flm_text_clear(&messages);
    return good;
}

const struct flm_format flm_format_otlp = {
    .name = "otlp",
    .title = "OpenTelemetry",
    .extensions = ".otlp",
    .description = "profiles of OpenTelemetry (OTLP), of v1development; as JSON too",
    .whole_values = true,
    .also_loses = "notes",
    .holds = FLM_OTLP_HOLDS,
    .has_times = true,
    .keeps_labels = true,
    .needs_symbols = true,
    .sniff = sniff,
    .read = read_otlp,
    .write = flm_otlp_write,
};
