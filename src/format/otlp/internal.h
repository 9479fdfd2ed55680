/* internal.h - shared by the files that read messages of OTLP.
 *
 *     otlp_read.c           messages: resources, profiles, samples; metrics, notes
 *     otlp_tables.c         the tables of the dictionary: strings, frames of locations, stacks
 *     otlp_attributes.c     values of attributes as texts, and the labels that they become
 *
 * The dictionary comes last in many files, so a message is passed over twice: first for where the
 * entries of its tables are, then for its profiles. An entry is read when the first index refers to
 * it. */
#ifndef FLAMEL_FORMAT_OTLP_INTERNAL_H
#define FLAMEL_FORMAT_OTLP_INTERNAL_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "format/core/location_tables.h"
#include "format/core/mapped.h"
#include "format/otlp/otlp.h"
#include "format/protobuf/wire_read.h"
#include "profile/internal.h"

/* The tables of a dictionary, by the numbers of their fields. */
enum {
    FLM_OTLP_MAPPINGS = 1,
    FLM_OTLP_LOCATIONS,
    FLM_OTLP_FUNCTIONS,
    FLM_OTLP_LINKS,
    FLM_OTLP_STRINGS,
    FLM_OTLP_ATTRIBUTES,
    FLM_OTLP_STACKS,
    FLM_OTLP_TABLES
};

struct flm_otlp_table {
    struct FLM_ARRAY(const unsigned char *) starts; /* of the fields that are its entries */
    /* For each entry the string, index into an array below, or node that was made from it; FLM_NONE
     * until the first use. */
    uint32_t *made;
};

struct flm_otlp_function {
    uint32_t name, file, line;
};

struct flm_otlp_attribute {
    uint32_t key, value; /* strings of the builder; key 0: no attribute. The key is the label's */
};

struct flm_otlp_metric {
    uint32_t name, unit, metric;
};

struct flm_otlp_reading {
    struct flm_wire_input input;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    bool is_json;
    bool failed; /* memory ran out */

    /* Of the current message. */
    bool keeps_samples; /* one by one, with labels and times */
    bool has_dictionary;
    struct flm_otlp_table tables[FLM_OTLP_TABLES];
    struct FLM_ARRAY(struct flm_otlp_function) functions;
    struct FLM_ARRAY(struct flm_mapping) mappings;
    struct FLM_ARRAY(struct flm_otlp_attribute) attributes;
    struct FLM_ARRAY(uint32_t) frames; /* each location: their count, then they, innermost first */

    /* Of all messages. */
    struct FLM_ARRAY(struct flm_otlp_metric) metrics;
    struct FLM_ARRAY(struct flm_mapping) all_mappings;
    size_t profile_count;

    /* key, value, key, value ...: of the current resource, then of the profile, then of the
     * sample. */
    struct FLM_ARRAY(struct flm_string) labels;
    struct FLM_ARRAY(uint64_t) indices;
    struct FLM_ARRAY(int64_t) values, times;
    struct flm_text text;
};

static inline bool flm_otlp_fail_memory(struct flm_otlp_reading *r)
{
    flm_builder_fail_memory(r->builder);
    r->failed = true;
    return false;
}

static inline bool flm_otlp_stopped(const struct flm_otlp_reading *r)
{
    return r->failed || r->input.reason || flm_builder_failed(r->builder);
}

static inline struct flm_bytes flm_otlp_text(struct flm_otlp_reading *r, uint32_t string)
{
    return flm_interner_text(&r->builder->interner, string);
}

/* otlp_tables.c: finds the entries of the current message's tables, and forgets them again. */
void flm_otlp_find_tables(struct flm_otlp_reading *reading, struct flm_wire message);
void flm_otlp_clear_tables(struct flm_otlp_reading *reading);

/* Finds an entry: its item of `made` and, as long as nothing was made of it, its field. NULL for
 * entry 0 and, as an error, for an index beyond the table. `at`: the position of the index; `field`
 * may be NULL. */
uint32_t *flm_otlp_find_entry(struct flm_otlp_reading *reading, int table, uint64_t index,
                              const unsigned char *at, struct flm_wire *field);

/* Strings of the builder: of an entry of the table of strings; of reading->text. */
uint32_t flm_otlp_string(struct flm_otlp_reading *reading, uint64_t index, const unsigned char *at);
uint32_t flm_otlp_text_string(struct flm_otlp_reading *reading);

/* The node of a stack below `parent`, which is that of the empty one; FLM_NONE: it is missing. */
uint32_t flm_otlp_stack(struct flm_otlp_reading *reading, uint64_t index, struct flm_node parent,
                        const unsigned char *at);

/* otlp_attributes.c: reads an attribute, which is a KeyValue or an entry of the table. */
struct flm_otlp_attribute flm_otlp_read_attribute(struct flm_otlp_reading *reading,
                                                  struct flm_wire message);
struct flm_otlp_attribute flm_otlp_attribute(struct flm_otlp_reading *reading, uint64_t index,
                                             const unsigned char *at);

/* Appends a label to those of the current resource, profile or sample. */
void flm_otlp_add_label(struct flm_otlp_reading *reading, struct flm_otlp_attribute attribute);

/* Appends the labels of a list of indices; false: the list is empty. */
bool flm_otlp_add_attributes(struct flm_otlp_reading *reading, const struct flm_wire *indices);

/* The same if labels are not needed: only checks the indices, since older drafts have values in
 * their place. */
bool flm_otlp_check_attributes(struct flm_otlp_reading *reading, const struct flm_wire *indices);

/* Appends the labels of a link: "trace_id" and "span_id". */
void flm_otlp_add_link(struct flm_otlp_reading *reading, uint64_t index, const unsigned char *at);

/* The root, or below it the frame of the current sample's thread, with options->by_thread. */
struct flm_node flm_otlp_thread(struct flm_otlp_reading *reading);

#endif
