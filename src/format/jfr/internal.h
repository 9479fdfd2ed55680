/* internal.h - JFR, recordings of Java VMs and of async-profiler: chunks, types, constants.
 *
 *     file      chunk chunk ...                    each by itself: ids, clock, types are its own
 *     chunk     header | event event event ...     in any order
 *     event     size | type | fields of the type   the next one begins after `size` bytes
 *     type 0    metadata: the types and their fields, as a tree of elements
 *     type 1    checkpoint: constants, by type and key: stacks, methods, classes, symbols, threads
 *
 * Nothing about a type is known beforehand but names: fields are found by name, and what stands
 * before a field is skipped by the types of the metadata. A type is flattened into a list of
 * operations (values.c): a structure within an event is its fields.
 *
 *     jdk.GCHeapSummary      startTime  gcId  when      heapSpace.start ... heapUsed
 *     operations             long       int   constant  long                long
 *
 * A chunk is read in two passes. The first finds metadata and checkpoints, which may stand behind
 * the events that need them, wherever they are: the offsets of the header are used only when the
 * events cannot be followed. Constants are remembered as the place of their bytes (constants.c:
 * key, type, offset). They become a node, a frame or a thread of the builder (stacks.c) when an
 * event of the second pass needs them (events.c, samples.c, markers.c): most of a recording of a
 * VM is never needed.
 *
 * A file is read chunk by chunk; memory is a chunk, about 40 bytes for each of its constants, and
 * the builder. */
#ifndef FLAMEL_FORMAT_JFR_INTERNAL_H
#define FLAMEL_FORMAT_JFR_INTERNAL_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "format/core/format.h"

/* ---- Bytes ----------------------------------------------------------------------------------- */

struct flm_jfr_cursor {
    const unsigned char *at, *end;
    bool is_fixed; /* integers have their full size, the most significant byte first */
    bool failed;   /* a read went past the end; this read and all later ones give 0 */
};

/* A fixed integer of `size` bytes. */
uint64_t flm_jfr_fixed(struct flm_jfr_cursor *c, size_t size);

/* LEB128 of at most 9 bytes, of which the last one has 8 bits. Longer forms than needed are good:
 * async-profiler writes sizes in four bytes. */
uint64_t flm_jfr_long_varint(struct flm_jfr_cursor *c);

static inline uint64_t flm_jfr_varint(struct flm_jfr_cursor *c)
{
    const unsigned char *at = c->at;
    if (c->end - at >= 2) { /* most have one byte or two */
        if (at[0] < 0x80) {
            c->at = at + 1;
            return at[0];
        }
        if (at[1] < 0x80) {
            c->at = at + 2;
            return (at[0] & 0x7fu) | (uint32_t)at[1] << 7;
        }
    }
    return flm_jfr_long_varint(c);
}

static inline uint64_t flm_jfr_long(struct flm_jfr_cursor *c)
{
    return c->is_fixed ? flm_jfr_fixed(c, 8) : flm_jfr_varint(c);
}

static inline uint32_t flm_jfr_int(struct flm_jfr_cursor *c)
{
    return (uint32_t)(c->is_fixed ? flm_jfr_fixed(c, 4) : flm_jfr_varint(c));
}

static inline unsigned flm_jfr_byte(struct flm_jfr_cursor *c)
{
    if (c->at == c->end) {
        c->failed = true;
        return 0;
    }
    return *c->at++;
}

void flm_jfr_skip_bytes(struct flm_jfr_cursor *c, uint64_t count);
void flm_jfr_skip_string(struct flm_jfr_cursor *c);

/* ---- Types ----------------------------------------------------------------------------------- */

enum flm_jfr_kind {
    FLM_JFR_NOTHING, /* the type does not have this value */
    FLM_JFR_BYTE,    /* also of boolean */
    FLM_JFR_SHORT,
    FLM_JFR_CHAR,
    FLM_JFR_INT,
    FLM_JFR_LONG,
    FLM_JFR_FLOAT,
    FLM_JFR_DOUBLE,
    FLM_JFR_STRING,
    FLM_JFR_CONSTANT,  /* the key of a constant */
    FLM_JFR_STRUCTURES /* always an array */
};

/* The unit of a number, by the annotations of its field. */
enum flm_jfr_unit {
    FLM_JFR_COUNT,
    FLM_JFR_TICKS,
    FLM_JFR_NS,
    FLM_JFR_US,
    FLM_JFR_MS,
    FLM_JFR_S,
    FLM_JFR_BYTES,
    FLM_JFR_SHARE,  /* a fraction of 1 */
    FLM_JFR_ADDRESS /* an address or a point in time: not shown in details of markers */
};

struct flm_jfr_operation {
    uint8_t kind, unit;
    bool is_array, is_unsigned;
    uint32_t type;                 /* of a constant or a structure */
    struct flm_bytes name, within; /* `within`: the field of the structure that has it, or empty */
};

struct flm_jfr_field {
    struct flm_bytes name;
    uint64_t type; /* its id */
    bool is_constant, is_array, is_unsigned;
    uint8_t unit;
};

struct flm_jfr_type {
    uint64_t id;
    struct flm_bytes name; /* jdk.ExecutionSample; names of JDK 9 are replaced by the newer ones */
    uint32_t first_field, field_count;
    uint32_t first_operation, operation_count;
    uint8_t state; /* whether its operations are made: values.c */
    bool is_plain; /* all of them are integers */
};

struct flm_jfr_string {
    size_t start, size;
};

struct flm_jfr_annotation {
    uint32_t field;
    uint64_t type; /* its id */
    struct flm_bytes value;
};

struct flm_jfr_types {
    struct flm_text source; /* the only metadata event that they are of, without its header */
    bool is_fixed;          /* that event's integers are */
    struct flm_text names;  /* all strings of the metadata */
    struct FLM_ARRAY(struct flm_jfr_string) strings;
    struct FLM_ARRAY(struct flm_jfr_type) types;
    struct FLM_ARRAY(struct flm_jfr_field) fields;
    struct FLM_ARRAY(struct flm_jfr_annotation) annotations;
    struct FLM_ARRAY(struct flm_jfr_operation) operations;
    struct flm_index by_id;
    bool no_memory;
};

void flm_jfr_types_clear(struct flm_jfr_types *types); /* {0} is empty */

/* Sets the types to those of all metadata events of a chunk; they stay if these are the same. If a
 * type is described twice, the last description counts. An invalid event is read up to the error.
 * False when memory ran out. */
bool flm_jfr_types_read(struct flm_jfr_types *types, const struct flm_jfr_cursor *events,
                        size_t count);

/* The index of a type; FLM_NONE if there is none. */
uint32_t flm_jfr_type_of(const struct flm_jfr_types *types, uint64_t id);
uint32_t flm_jfr_type_named(const struct flm_jfr_types *types, const char *name);

/* Makes the operations of a type. False where it cannot be read: a field has an unknown type, or it
 * contains itself; or when memory ran out. */
bool flm_jfr_type_prepare(struct flm_jfr_types *types, uint32_t type);

/* Moves behind a value of that type, which is prepared. */
void flm_jfr_skip(struct flm_jfr_cursor *c, const struct flm_jfr_types *types, uint32_t type);

/* ---- Values ---------------------------------------------------------------------------------- */

struct flm_jfr_value {
    uint8_t kind, unit; /* FLM_JFR_NOTHING: there is none */
    bool is_array;      /* `at` is where its count stands */
    uint32_t type;      /* of a constant or a structure */
    union {
        uint64_t number;         /* also the key of a constant; signed ones are extended */
        double real;             /* of FLOAT and DOUBLE */
        const unsigned char *at; /* of STRING and arrays */
    };
};

/* The fields of a type that are wanted: for each operation its slot. */
enum { FLM_JFR_NO_SLOT = 255, FLM_JFR_MOST_FIELDS = 64 };
struct flm_jfr_plan {
    uint32_t type;
    uint8_t operation_count; /* up to the last one that is wanted */
    uint8_t slot[FLM_JFR_MOST_FIELDS];
};

struct flm_jfr_wanted {
    const char *name; /* "weight", "heapSpace.committedSize" */
    uint8_t slot;     /* if several fields have one slot, the first that the type has is read */
};

/* False where the type cannot be read. */
bool flm_jfr_plan_make(struct flm_jfr_plan *plan, struct flm_jfr_types *types, uint32_t type,
                       const struct flm_jfr_wanted *wanted, size_t count);

/* Reads the fields of a value of the plan's type; the others of `values` stay as they are. */
void flm_jfr_plan_read(const struct flm_jfr_plan *plan, const struct flm_jfr_types *types,
                       struct flm_jfr_cursor *c, struct flm_jfr_value *values);

/* Reads one value, of an operation that is not an array. */
void flm_jfr_value_read(struct flm_jfr_cursor *c, const struct flm_jfr_operation *operation,
                        struct flm_jfr_value *value);
void flm_jfr_operation_skip(struct flm_jfr_cursor *c, const struct flm_jfr_types *types,
                            const struct flm_jfr_operation *operation);

/* ---- Constants ------------------------------------------------------------------------------- */

struct flm_jfr_constant {
    uint64_t key;
    uint32_t type;
    uint32_t offset; /* of its value in the chunk */
    uint32_t made;   /* the index of the node, method or thread made of it, plus 1; 0: none yet */
};

struct flm_jfr_constants {
    struct flm_bytes chunk;
    bool is_fixed;
    struct flm_jfr_types *types;
    struct FLM_ARRAY(struct flm_jfr_constant) items;
    struct flm_index index;
    uint32_t strings, symbols; /* types: java.lang.String, jdk.types.Symbol; FLM_NONE */
    uint32_t classes;          /* java.lang.Class */
    struct flm_jfr_plan class_plan;
    bool no_memory;
    uint64_t unreadable; /* how many checkpoints were not read to their end */
    uint64_t unreadable_offset;
};

void flm_jfr_constants_init(struct flm_jfr_constants *constants, struct flm_bytes chunk,
                            bool is_fixed, struct flm_jfr_types *types);
void flm_jfr_constants_clear(struct flm_jfr_constants *constants);

/* Adds the constants of a checkpoint, of which `event` may be only a part; the last value of a key
 * stays. *delta receives the distance to the checkpoint before it. */
void flm_jfr_constants_read(struct flm_jfr_constants *constants, struct flm_jfr_cursor event,
                            int64_t *delta);

/* NULL: there is none. */
struct flm_jfr_constant *flm_jfr_constant_find(const struct flm_jfr_constants *constants,
                                               uint32_t type, uint64_t key);
struct flm_jfr_cursor flm_jfr_constant_value(const struct flm_jfr_constants *constants,
                                             const struct flm_jfr_constant *constant);

/* These add to `out`; false where there is no text (null, an unknown constant).
 *
 * A string in any of its forms; a constant that has a text: a symbol, a name, the name of a class
 * ("java.lang.Object[]"), the value of an enumeration. */
bool flm_jfr_string_add(const struct flm_jfr_constants *constants, const unsigned char *at,
                        struct flm_text *out);
bool flm_jfr_constant_add(const struct flm_jfr_constants *constants, uint32_t type, uint64_t key,
                          struct flm_text *out);

/* The name of a class as the file has it ("[Ljava/lang/Object;"), and as people read it. */
bool flm_jfr_class_add(const struct flm_jfr_constants *constants, uint64_t key,
                       struct flm_text *out);
void flm_jfr_class_show(struct flm_bytes name, struct flm_text *out);

/* ---- Stacks and threads ---------------------------------------------------------------------- */

/* The state of a thread: the values of the label `state`. */
enum flm_jfr_state {
    FLM_JFR_UNSTATED,
    FLM_JFR_ON_CPU,
    FLM_JFR_SLEEPING,
    FLM_JFR_LOCK,
    FLM_JFR_BLOCKED,
    FLM_JFR_STATES
};

struct flm_jfr_thread {
    uint32_t name, id; /* strings of the builder; 0: unknown */
    uint32_t frame;    /* the label of options->by_thread; 0: not made yet */
    bool has[FLM_JFR_STATES];
    struct flm_label_set labels[FLM_JFR_STATES];
};

struct flm_jfr_method {
    uint32_t name;           /* strings of the builder: "java.lang.String.valueOf" */
    uint32_t native, module; /* as machine code: "malloc" in "libc.so.6" */
    uint32_t file;           /* by its class: "java/lang/String.java" */
    uint32_t frame[2];       /* of Java code, of machine code; 0: not made yet */
    uint32_t native_kind;    /* that the second one has */
};

/* How often a frame was interpreted, compiled, inlined, and compiled by C1: see stacks.c. */
struct flm_jfr_kinds {
    uint32_t count[4];
};

enum { FLM_JFR_KNOWN_KINDS = 32 };

struct flm_jfr_stacks {
    const struct flm_read_options *options;
    struct flm_builder *builder;
    struct flm_jfr_constants *constants; /* of the current chunk, as all that follows */
    uint32_t stack_type, thread_type, state_type, frame_type, method_type;
    struct flm_jfr_plan stack_plan, frame_plan, method_plan, thread_plan;
    bool has_stacks, has_methods, has_threads;
    bool has_native; /* Native, C++ and Kernel are machine code: the file is async-profiler's */
    uint8_t kind_of[FLM_JFR_KNOWN_KINDS]; /* by the key of a constant, below `kind_count` */
    size_t kind_count;
    struct FLM_ARRAY(struct flm_jfr_method) methods;
    struct FLM_ARRAY(struct flm_jfr_thread) threads; /* [0]: unknown */
    size_t last_thread; /* the thread that was looked up last; 0: none */
    uint64_t last_thread_key;
    struct flm_text process, process_name; /* labels; empty: unknown */

    struct FLM_ARRAY(struct flm_frame) frames; /* working memory */
    struct flm_text text, text2, file;
    bool is_truncated;                            /* the stack in `frames` */
    struct FLM_ARRAY(struct flm_jfr_kinds) kinds; /* by frame, of all chunks */
    uint64_t truncated, unknown_stacks;           /* samples, of all chunks */
    uint64_t unknown_methods;                     /* frames of different stacks */
    bool no_memory;
};

/* Begins a chunk: `constants` are complete, `process` is known. */
void flm_jfr_stacks_begin(struct flm_jfr_stacks *stacks, struct flm_jfr_constants *constants);
void flm_jfr_stacks_clear(struct flm_jfr_stacks *stacks);

/* The thread with that key; threads.at[0] if it is unknown. Good until the next call. */
struct flm_jfr_thread *flm_jfr_thread_of(struct flm_jfr_stacks *stacks, uint64_t key);
struct flm_label_set flm_jfr_labels(struct flm_jfr_stacks *stacks, struct flm_jfr_thread *thread,
                                    enum flm_jfr_state state);

/* The state that a constant of type jdk.types.ThreadState stands for. */
enum flm_jfr_state flm_jfr_state_of(struct flm_jfr_stacks *stacks, uint64_t key);

/* The node of a stack; that of [unknown stack] if the chunk does not have the stack. `thread` gives
 * the frame of options->by_thread. */
struct flm_node flm_jfr_stack_node(struct flm_jfr_stacks *stacks, uint64_t key,
                                   struct flm_jfr_thread *thread);

/* The child of a node for the class of an object, which is a label, or for a method. */
struct flm_node flm_jfr_leaf_node(struct flm_jfr_stacks *stacks, struct flm_node node,
                                  const struct flm_jfr_value *leaf);

/* "java.lang.String.valueOf"; false: unknown. */
bool flm_jfr_method_add(struct flm_jfr_stacks *stacks, uint64_t key, struct flm_text *out);

/* Gives each frame of Java code the kind that it had most often, and counts losses. */
void flm_jfr_stacks_finish(struct flm_jfr_stacks *stacks);

/* ---- Events ---------------------------------------------------------------------------------- */

struct flm_jfr_clock {
    int64_t start_ns;
    uint64_t start_ticks, ticks_per_second; /* 0: the times of this chunk are unknown */
};

struct flm_jfr_events;

/* NULL when memory ran out. */
struct flm_jfr_events *flm_jfr_events_new(const struct flm_read_options *options,
                                          struct flm_builder *builder);
void flm_jfr_events_free(struct flm_jfr_events *events);

/* Begins a chunk; `offset` is its place in the file. */
void flm_jfr_events_begin(struct flm_jfr_events *events, struct flm_jfr_constants *constants,
                          const struct flm_jfr_clock *clock, uint64_t offset);

/* Ends it: `constants` may go. */
void flm_jfr_events_end(struct flm_jfr_events *events);

/* Takes the process of this chunk, for the labels of its samples, from the event
 * jdk.JVMInformation. False if the event is not that one. */
bool flm_jfr_events_process(struct flm_jfr_events *events, uint64_t type,
                            struct flm_jfr_cursor fields);

/* Reads an event of a type. `fields` ends where the event ends. */
void flm_jfr_events_add(struct flm_jfr_events *events, uint64_t type, uint64_t offset,
                        struct flm_jfr_cursor fields);

/* Memory ran out, or the builder failed: nothing more is to be read. */
bool flm_jfr_events_failed(const struct flm_jfr_events *events);

/* Ends the recording: adds leaks, notes and losses, and orders the metrics. False when memory ran
 * out. */
bool flm_jfr_events_finish(struct flm_jfr_events *events);

#endif
