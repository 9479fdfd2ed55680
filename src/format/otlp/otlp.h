/* otlp.h - profiles of OpenTelemetry (OTLP, opentelemetry.proto.profiles.v1development).
 *
 *     ProfilesData
 *         1 ResourceProfiles, each: a resource (its attributes), scopes, and in these
 *             2 Profile    one sample type, a time, a period; samples: a stack, attributes, values,
 *                          times
 *         2 dictionary     tables that all of it refers to by index; entry 0 of each means "none"
 *             mappings, locations, functions, links, strings, attributes, stacks (leaf first)
 *
 * What becomes what:
 *
 *     the type of a Profile           a metric; Profiles of one type and unit are added
 *     the values of a sample          their sum; where there are none, the number of its times
 *     times                           of single samples, each with its value
 *     attributes of the resource,     labels: "thread name" for thread.name, and so on; others
 *     the profile, the sample; links  under their own names
 *     profile.frame.type              the kind of a frame
 *     mappings                        modules; notes for frames without names, as of pprof
 *
 * A file is one message, or several behind each other, each after its size: a varint, or 4 bytes
 * as the collector writes them. Or it is JSON, one value or several, whose members have the names
 * of the fields: it is turned into messages (otlp_json.c), so there is one reader.
 *
 * Drafts up to release 1.9 of opentelemetry-proto number their fields in another way, without
 * saying so: in 1.9, field 2 of a sample has its values, and field 3 the attributes. They are
 * refused where that shows: in the type of a field, in an index beyond its table, in a sample
 * without values. */
#ifndef FLAMEL_FORMAT_OTLP_OTLP_H
#define FLAMEL_FORMAT_OTLP_OTLP_H

#include "format/core/format.h"

#define FLM_OTLP_OLDER                                                                             \
    "this is an older draft of OTLP profiles: write it with a newer version of its program "       \
    "(OTLP 1.10 or later)"

/* How messages are separated. */
enum flm_otlp_framing {
    FLM_OTLP_WHOLE,  /* there is one */
    FLM_OTLP_VARINT, /* each begins with its size, a varint */
    FLM_OTLP_FIXED   /* the size has 4 bytes, the highest first */
};

struct flm_otlp_input {
    struct flm_bytes all;
    enum flm_otlp_framing framing;
    bool is_json;              /* `all` was made from JSON: offsets in it say nothing */
    struct flm_source *source; /* for the progress; NULL: none */
};

bool flm_otlp_read(const struct flm_otlp_input *input, const struct flm_read_options *options,
                   struct flm_builder *builder, struct flm_error *why);

/* Appends the values of a JSON source to `out` as messages, each after its size, a varint. */
bool flm_otlp_from_json(struct flm_source *source, struct flm_text *out, struct flm_error *why);

#endif
