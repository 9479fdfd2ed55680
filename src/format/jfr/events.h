/* events.h - what events become: the state that events.c, samples.c and markers.c share.
 *
 *     events.c     finds out what the events of a type become; makes notes and counts losses
 *     samples.c    the table of samples and their metrics
 *     markers.c    the tables of markers and of counters
 *
 * An event is read into slots, one for each field that is wanted. Each file classifies the types
 * that its tables have, asks for the fields that it needs, and handles the events. */
#ifndef FLAMEL_FORMAT_JFR_EVENTS_H
#define FLAMEL_FORMAT_JFR_EVENTS_H

#include "format/jfr/internal.h"

enum {
    FLM_JFR_SAMPLE_ROWS = 27, /* of the table in samples.c */
    FLM_JFR_NO_ROW = UINT16_MAX,
    FLM_JFR_MOST_WANTED = 24
};

/* What the events of a type become: an index into `handlers` of events.c. */
enum flm_jfr_handling {
    FLM_JFR_HANDLE_IGNORED,
    FLM_JFR_HANDLE_SAMPLE,
    FLM_JFR_HANDLE_MARKER,
    FLM_JFR_HANDLE_COUNTER,
    FLM_JFR_HANDLE_PROCESS,
    FLM_JFR_HANDLE_SETTING,
    FLM_JFR_HANDLE_SYSTEM,
    FLM_JFR_HANDLE_PROCESSOR,
    FLM_JFR_HANDLE_ENVIRONMENT,
    FLM_JFR_HANDLE_LOST,
    FLM_JFR_HANDLE_DATA_LOSS,
    FLM_JFR_HANDLE_FREED,
    FLM_JFR_HANDLINGS
};

/* The slots that fields are read into. */
enum flm_jfr_slot {
    FLM_JFR_SLOT_START,
    FLM_JFR_SLOT_DURATION,
    FLM_JFR_SLOT_THREAD,
    FLM_JFR_SLOT_STACK,
    FLM_JFR_SLOT_STATE,
    FLM_JFR_SLOT_LEAF,
    FLM_JFR_SLOT_FAILED,
    FLM_JFR_SLOT_ADDRESS,
    FLM_JFR_SLOT_SPAN,
    FLM_JFR_SLOT_VALUE, /* of the first row of the type's table; more rows have the next slots */
    FLM_JFR_SLOT_COUNT = FLM_JFR_SLOT_VALUE + 4
};

struct flm_jfr_event_type {
    uint64_t id;
    uint32_t type;    /* its index in flm_jfr_types; FLM_NONE: the chunk does not describe it */
    uint16_t row;     /* the first row of its table; FLM_JFR_HANDLE_IGNORED: of `ignored` */
    uint8_t handling; /* enum flm_jfr_handling */
    uint8_t row_count;
    bool is_duration; /* the value of a sample is its duration */
    struct flm_jfr_plan plan;
};

/* What happened last at an address of native memory: it was allocated, or freed. */
struct flm_jfr_allocation {
    uint64_t address;
    int64_t time_ns;
    double size; /* 0: freed */
    struct flm_node node;
    struct flm_label_set labels;
};

struct flm_jfr_ignored {
    uint32_t name; /* a string of the builder */
    uint64_t count;
};

struct flm_jfr_events {
    const struct flm_read_options *options;
    struct flm_builder *builder;
    struct flm_jfr_stacks stacks;

    struct flm_jfr_constants *constants; /* of the chunk */
    struct flm_jfr_clock clock;
    uint64_t chunk_offset;
    struct FLM_ARRAY(struct flm_jfr_event_type) types; /* those that the chunk has had so far */
    struct flm_index by_id;
    uint32_t last;   /* the type of the last event, looked at first; FLM_NONE: no event yet */
    uint32_t filled; /* the type of the event in `values` */
    struct flm_jfr_value values[FLM_JFR_SLOT_COUNT];
    uint64_t process_type; /* of jdk.JVMInformation; 0: there is none */
    uint64_t process;      /* the pid in the first chunk that has one */
    bool has_processes;    /* this chunk is of another process */

    uint32_t metrics[FLM_JFR_SAMPLE_ROWS]; /* of the builder; FLM_NONE: not added yet */
    struct FLM_ARRAY(struct flm_jfr_allocation) allocations;
    struct flm_index allocation_index;
    int64_t first_allocation_ns, last_allocation_ns;
    bool has_freed; /* the recording has events profiler.Free */

    struct FLM_ARRAY(struct flm_jfr_ignored) ignored;
    uint64_t marker_count, point_count, left_out, malformed, malformed_offset;
    uint64_t unsampled; /* events jdk.CPUTimeSample for which the VM could not read a stack */
    size_t detail_size;
    struct flm_text text, value;
    bool no_memory;
};

typedef void flm_jfr_handler(struct flm_jfr_events *e, const struct flm_jfr_event_type *type,
                             const struct flm_jfr_value *values, struct flm_jfr_cursor fields);

/* ---- Values: events.c ------------------------------------------------------------------------ */

/* Ticks in nanoseconds, at most what a time can hold. */
int64_t flm_jfr_ticks_ns(const struct flm_jfr_events *e, int64_t ticks);

/* The time of an event by its field startTime. FLM_NO_TIME if the chunk has no clock, or the event
 * has no such field. */
int64_t flm_jfr_time_of(const struct flm_jfr_events *e, const struct flm_jfr_value *start);

/* A number in the unit of its field; times are in nanoseconds. */
double flm_jfr_number_of(const struct flm_jfr_events *e, const struct flm_jfr_value *value);

static inline bool flm_jfr_is_number(const struct flm_jfr_value *value)
{
    return value->kind >= FLM_JFR_BYTE && value->kind <= FLM_JFR_DOUBLE && !value->is_array;
}

/* Appends a string, or the text of a constant. False if the value has no text. */
bool flm_jfr_text_add(struct flm_jfr_events *e, const struct flm_jfr_value *value,
                      struct flm_text *out);

static inline struct flm_bytes flm_jfr_bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at ? text->at : "", text->size};
}

static inline struct flm_string flm_jfr_string_of(struct flm_jfr_events *e, struct flm_bytes text)
{
    return flm_builder_string(e->builder, text.at, text.size);
}

/* Asks for a field: it will be read into that slot. */
static inline void flm_jfr_want(struct flm_jfr_wanted *wanted, size_t *count, const char *name,
                                unsigned slot)
{
    wanted[(*count)++] = (struct flm_jfr_wanted){name, (uint8_t)slot};
}

/* ---- Samples: samples.c ---------------------------------------------------------------------- */

/* Sets what events of a type become, if the table of samples has the name of the type. */
void flm_jfr_classify_sample(struct flm_jfr_event_type *type, struct flm_bytes name);
void flm_jfr_want_sample(const struct flm_jfr_event_type *type, struct flm_jfr_wanted *wanted,
                         size_t *count);

/* Whether the value of these samples is their duration. */
bool flm_jfr_sample_lasts(const struct flm_jfr_event_type *type);

flm_jfr_handler flm_jfr_handle_sample, flm_jfr_handle_freed;

/* At the end of the recording: adds the leaks, names metrics, and puts them into their order. */
void flm_jfr_count_leaks(struct flm_jfr_events *e);
void flm_jfr_name_allocations(struct flm_jfr_events *e);
void flm_jfr_order_metrics(struct flm_jfr_events *e);

/* ---- Markers and counters: markers.c --------------------------------------------------------- */

/* As for samples, with the tables of markers and of counters. */
void flm_jfr_classify_marker(struct flm_jfr_event_type *type, struct flm_bytes name);
void flm_jfr_want_counter(const struct flm_jfr_event_type *type, struct flm_jfr_wanted *wanted,
                          size_t *count);

flm_jfr_handler flm_jfr_handle_marker, flm_jfr_handle_counter;

#endif
