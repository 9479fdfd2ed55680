/* internal.h - shared by the files that read profile.proto: the tables, and caches of stacks and
 * labels.
 *
 *     pprof_read.c       the fields of the file: metrics, notes; reads all samples
 *     pprof_tables.c     strings, mappings, functions, locations; the frames of a location
 *     pprof_samples.c    a sample: its stack, labels and values
 *     pprof_sums.c       samples of few stacks, added up before the tables are known
 *     pprof_unordered.c  a profile without tables, for a store
 *
 * An entry of a table is read when the first sample refers to it. */
#ifndef FLAMEL_FORMAT_PPROF_INTERNAL_H
#define FLAMEL_FORMAT_PPROF_INTERNAL_H

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "format/core/location_tables.h"
#include "format/core/mapped.h"
#include "format/pprof/pprof.h"
#include "format/protobuf/wire_read.h"
#include "profile/internal.h"

/* The messages of one field that have an id: where they start, and the index of each id. */
struct flm_pprof_table {
    const char *duplicate; /* the error for two messages that have the same id */
    struct FLM_ARRAY(const unsigned char *) starts;
    struct FLM_ARRAY(uint64_t) ids;
    bool is_dense;          /* the ids are 1, 2, 3 ...: no table is needed */
    uint64_t largest;       /* id */
    uint32_t *by_id;        /* index + 1 of each id, if all ids are small numbers */
    size_t by_id_count;     /* 0: ids are found by `index` */
    struct flm_index index; /* by the hashes of the ids */
};

struct flm_pprof_function {
    uint32_t name, file, line; /* name: FLM_NONE until the first use */
};

/* A stack of an earlier sample: the node of the locations that the bytes of its field encode. The
 * stacks are a cache of sets, each a line of the CPU's cache; the hash of the bytes selects the
 * set. */
struct flm_pprof_known_stack {
    const unsigned char *field; /* NULL: free */
    uint32_t node, hash;
};

/* The label set and the time of an earlier sample whose labels had the same bytes. */
struct flm_pprof_known_labels {
    const char *at;
    uint32_t size, label_set;
    int64_t time_ns;
};

/* A sample whose fields are known. */
struct flm_pprof_sample {
    const unsigned char *start; /* its field */
    const unsigned char *ids;   /* the field of its locations; NULL: it has none or several */
    size_t ids_size;
    uint32_t hash;           /* of that field */
    struct flm_bytes labels; /* from the first label to the last, with other fields between */
    size_t first_value;      /* in `values` */
};

enum { FLM_PPROF_BATCH = 16 };

/* Samples that are added up by the bytes of their stacks: pprof_sums.c. */
enum { FLM_PPROF_SUMMED_TYPES = 8 }; /* that many at most */

struct flm_pprof_summed { /* a sample of a batch */
    const unsigned char *start, *ids;
    size_t ids_size;
    uint32_t hash;
    uint64_t values[FLM_PPROF_SUMMED_TYPES];
};

struct flm_pprof_slot {
    const unsigned char *ids; /* the field of its locations; NULL: free */
    uint32_t hash, stack;
};

struct flm_pprof_sums {
    bool ended;                   /* all samples are read in a pass of their own */
    struct flm_pprof_slot *slots; /* `slot_count` of them, a power of two; NULL: no sample yet */
    size_t slot_count, type_count;
    struct FLM_ARRAY(const unsigned char *) stacks; /* their fields, as they came */
    struct FLM_ARRAY(uint64_t) values;              /* stack by stack, by sample type */
    struct FLM_ARRAY(const unsigned char *) odd;    /* fields of samples that are not summed */
    struct flm_pprof_summed batch[FLM_PPROF_BATCH];
    size_t batch_count;
};

/* The name of a sample type, and the number that the next type of this name gets. */
struct flm_pprof_type_name {
    uint32_t name, next;
};

struct flm_pprof_reading {
    struct flm_wire_input input;
    struct flm_builder *builder;
    const struct flm_read_options *options;

    struct FLM_ARRAY(const unsigned char *) string_starts;
    uint32_t *strings; /* of the builder; FLM_NONE until the first use */
    struct flm_pprof_table mappings, locations, functions;
    struct flm_mapping *mapping; /* path: FLM_NONE until the first use */
    struct flm_pprof_function *function;
    uint32_t *location_frames; /* index into `frames`; FLM_NONE until the first use */
    struct FLM_ARRAY(struct flm_frame) frames; /* each location: their count, then they, outermost
                                                  first */

    struct FLM_ARRAY(const unsigned char *) sample_types;
    struct FLM_ARRAY(uint32_t) metrics; /* by sample type */
    struct FLM_ARRAY(struct flm_pprof_type_name) type_names;
    uint64_t inlined_count; /* inlined frames that were added to stacks */
    struct FLM_ARRAY(uint64_t) comments;
    uint64_t drop_frames, keep_frames, default_type, documentation;
    int64_t time_ns, duration_ns, period;
    struct flm_bytes period_type;
    size_t sample_count, reported; /* reported: bytes, of progress */

    struct flm_pprof_sums sums;

    struct flm_pprof_known_stack *stacks; /* `stack_count` of them, a power of two */
    size_t stack_count, known_count;
    struct flm_pprof_known_labels *labels;

    struct flm_pprof_sample batch[FLM_PPROF_BATCH];
    size_t batch_count;

    /* The location ids of the current sample and of the sample before it, leaf first. */
    struct FLM_ARRAY(uint64_t) ids, previous;
    struct FLM_ARRAY(uint32_t) previous_nodes; /* [i]: of the i + 1 outermost ids of `previous` */
    struct FLM_ARRAY(uint32_t) ends;           /* in `path`, of the locations that were pushed */
    struct FLM_ARRAY(uint64_t) values;         /* of the samples of the batch */
    struct FLM_ARRAY(struct flm_frame) path;
    struct FLM_ARRAY(struct flm_string) pairs; /* labels: key, value, key, value ... */
    struct FLM_ARRAY(uint32_t) numeric; /* strings: keys of labels whose values are numbers */
    struct flm_text text;
    bool has_labels; /* a sample has labels, and they are kept */
    bool failed;     /* memory ran out */
};

/* The index of the message with that id; FLM_NONE: there is none. It is inline because every
 * location of every new stack is looked up. */
static inline uint32_t flm_pprof_find(const struct flm_pprof_table *t, uint64_t id)
{
    if (t->is_dense)
        return id - 1 < t->ids.count ? (uint32_t)(id - 1) : FLM_NONE;
    if (t->by_id_count)
        return id < t->by_id_count ? t->by_id[id] - 1 : FLM_NONE;
    for (struct flm_probe at = flm_index_probe(&t->index, flm_hash_numbers(id, 0));
         flm_index_next(&t->index, &at);)
        if (t->ids.at[at.found] == id)
            return at.found;
    return FLM_NONE;
}

static inline bool flm_pprof_fail_memory(struct flm_pprof_reading *r)
{
    flm_builder_fail_memory(r->builder);
    r->failed = true;
    return false;
}

static inline bool flm_pprof_stopped(const struct flm_pprof_reading *r)
{
    return r->failed || r->input.reason || flm_builder_failed(r->builder);
}

/* pprof_tables.c: adds a message to its table; after the last one, flm_pprof_table_finish makes ids
 * findable. False when memory ran out; two messages with one id are an error of the input. */
bool flm_pprof_table_add(struct flm_pprof_table *table, const struct flm_wire *field);
bool flm_pprof_table_finish(struct flm_pprof_table *table, struct flm_wire_input *input);
void flm_pprof_table_clear(struct flm_pprof_table *table);

/* The field that starts there, and its content, a message. */
static inline struct flm_wire flm_pprof_field(struct flm_pprof_reading *reading,
                                              const unsigned char *start)
{
    struct flm_wire m = flm_wire_all(&reading->input);
    m.at = start;
    flm_wire_next(&m);
    return m;
}

static inline struct flm_wire flm_pprof_message(struct flm_pprof_reading *reading,
                                                const unsigned char *start)
{
    return flm_wire_of(&reading->input, flm_pprof_field(reading, start).bytes);
}

/* The string with that index: its bytes, and as a string of the builder. `at`: the position of the
 * index, for errors. */
struct flm_bytes flm_pprof_bytes(struct flm_pprof_reading *reading, uint64_t index,
                                 const unsigned char *at);
uint32_t flm_pprof_string(struct flm_pprof_reading *reading, uint64_t index,
                          const unsigned char *at);

/* The mapping with that id; NULL: there is none. */
const struct flm_mapping *flm_pprof_mapping(struct flm_pprof_reading *reading, uint64_t id);

/* Makes the frames of a location and appends them to `frames`. Returns their index there; FLM_NONE
 * when reading stopped. */
uint32_t flm_pprof_make_location(struct flm_pprof_reading *reading, uint32_t index);

/* pprof_samples.c: allocates the caches of stacks and labels; false when memory ran out. Then reads
 * one sample after the other: metrics and tables must be complete. */
bool flm_pprof_prepare_samples(struct flm_pprof_reading *reading);
void flm_pprof_read_sample(struct flm_pprof_reading *reading, const struct flm_wire *field);
void flm_pprof_use_samples(struct flm_pprof_reading *reading); /* after the last one */

/* The node of the stack whose locations are packed in that field. */
struct flm_node flm_pprof_find_stack(struct flm_pprof_reading *reading, const unsigned char *field);

/* pprof_sums.c: adds up a sample while the tables are collected. False where it was not added: it
 * is read later, or with all of them, and nobody has looked into it yet. After the last one,
 * flm_pprof_sum_batch; then, where that has not ended, flm_pprof_use_sums makes the stacks: metrics
 * and tables must be complete. */
bool flm_pprof_sum_sample(struct flm_pprof_reading *reading, const struct flm_wire *field);
void flm_pprof_sum_batch(struct flm_pprof_reading *reading);
void flm_pprof_use_sums(struct flm_pprof_reading *reading);
void flm_pprof_sums_clear(struct flm_pprof_sums *sums);

/* pprof_read.c: `count` items and one, all bits of which are set: FLM_NONE. NULL when memory ran
 * out. */
void *flm_pprof_new_marks(size_t count, size_t size);

/* pprof_read.c: what makes mappings, locations and functions findable by their ids. False when
 * memory ran out. */
bool flm_pprof_prepare_tables(struct flm_pprof_reading *reading);

/* pprof_read.c: the metrics of the sample types, and the notes, once all fields were collected. */
void flm_pprof_make_metrics(struct flm_pprof_reading *reading);
void flm_pprof_add_notes(struct flm_pprof_reading *reading);

/* pprof_unordered.c: the profile of what was collected; takes the builder. NULL where the file has
 * to be read in the usual way, which reports errors. */
struct flm_profile *flm_pprof_make_unordered(struct flm_pprof_reading *reading);

#endif
