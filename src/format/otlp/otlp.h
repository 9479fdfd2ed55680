/* otlp.h - profiles of OpenTelemetry (OTLP, opentelemetry.proto.profiles.v1development).
 *
 *     ProfilesData
 *         1 ResourceProfiles, each: a resource (its attributes), scopes, and in each scope
 *             2 Profile    one sample type, a time, a period; samples: a stack, attributes, values,
 *                          times
 *         2 dictionary     tables whose entries are referred to by index; entry 0 means "none"
 *             mappings, locations, functions, links, strings, attributes, stacks (leaf first)
 *
 * What becomes what:
 *
 *     the type of a Profile           a metric; Profiles of the same type and unit are added up
 *     the values of a sample          their sum; where there are none, the number of its times
 *     the times of a sample           one sample for each time, with its value
 *     attributes of the resource,     labels: "thread name" for thread.name, and so on; others
 *     the profile, the sample; links  under their own names
 *     "note 3f2a91c0" of the profile  a note that a person wrote (flamel/notes.h)
 *     profile.frame.type              the kind of a frame
 *     mappings                        modules; notes for frames without names, as for pprof
 *
 * A file is one message, or several in a row, each after its size: a varint, or 4 bytes as the
 * collector writes them. Or it is JSON, one value or several, whose members have the names of the
 * fields: otlp_json.c converts it to messages, so that there is one reader.
 *
 * Drafts up to release 1.9 of opentelemetry-proto use the same field numbers for other fields: in
 * 1.9, field 2 of a sample is its values, and field 3 its attributes. A file does not say which
 * draft it follows. One of an older draft is refused when a field has another type, an index is
 * beyond its table, or a sample has no values. */
#ifndef FLAMEL_FORMAT_OTLP_OTLP_H
#define FLAMEL_FORMAT_OTLP_OTLP_H

#include "format/core/format.h"

#define FLM_OTLP_OLDER                                                                             \
    "this is an older draft of OTLP profiles: write it with a newer version of its program "       \
    "(OTLP 1.10 or later)"

/* How a file is divided into messages. */
enum flm_otlp_framing {
    FLM_OTLP_WHOLE,  /* it is one message */
    FLM_OTLP_VARINT, /* each begins with its size, a varint */
    FLM_OTLP_FIXED   /* each begins with its size, 4 bytes, the highest first */
};

struct flm_otlp_input {
    struct flm_bytes all;
    enum flm_otlp_framing framing;
    bool is_json;              /* `all` was made from JSON: errors name no offsets */
    struct flm_source *source; /* told the progress; may be NULL */
};

bool flm_otlp_read(const struct flm_otlp_input *input, const struct flm_read_options *options,
                   struct flm_builder *builder, struct flm_error *why);

/* Appends the values of a JSON source to `out` as messages, each after its size, a varint. */
bool flm_otlp_from_json(struct flm_source *source, struct flm_text *out, struct flm_error *why);

#endif
