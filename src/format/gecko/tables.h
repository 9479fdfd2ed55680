/* tables.h - what a Gecko profile holds, as it is read: columns, compactly, before any of it is
 * resolved.
 *
 * The profiles of Firefox and samply are tables of numbers that refer to each other:
 *
 *     samples.stack[i] -> stackTable.frame -> frameTable.func -> funcTable.name -> stringArray
 *                         stackTable.prefix (the caller; or prefixOffset, its distance)
 *                         frameTable.lib, or funcTable.resource -> resourceTable.lib -> libs
 *
 * Members come in any order, samples before the stacks that they refer to, and later versions keep
 * the tables of all threads in one place at the end. So everything is stored, and resolved when all
 * is there (resolve.c). A column is 2 bytes a value while all are whole numbers of 16 bits, 4 while
 * they are some of 32 bits, and 8 from the first other one on; that is less than the text of them.
 *
 *     processed    meta.preprocessedProfileVersion; columns are arrays: {"frame": [0, 1, 2], ...}
 *     unprocessed  as Firefox collects it: rows, and the places of the columns in them:
 *                  {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]}
 *
 * Both become the same columns; an unprocessed frame has a `location` in place of a `func`. */
#ifndef FLAMEL_FORMAT_GECKO_TABLES_H
#define FLAMEL_FORMAT_GECKO_TABLES_H

#include "base/core/array.h"
#include "base/core/bytes.h"

struct flm_gecko_column {
    int16_t *narrow; /* one of these has `count` values */
    int32_t *whole;
    double *any;
    size_t count, capacity;
};

#define FLM_GECKO_NARROW_NULL INT16_MIN /* null among whole numbers of 16 bits */
#define FLM_GECKO_WHOLE_NULL INT32_MIN  /* of 32 bits */

/* Add a value, or many; NaN is null. False when memory ran out. */
bool flm_gecko_column_add(struct flm_gecko_column *column, double value);
bool flm_gecko_column_append(struct flm_gecko_column *column, const double *values, size_t count);
void flm_gecko_column_clear(struct flm_gecko_column *column);

/* The value at `i`; NaN where there is none, or null. */
static inline double flm_gecko_value(const struct flm_gecko_column *column, size_t i)
{
    if (i >= column->count)
        return __builtin_nan("");
    if (column->any)
        return column->any[i];
    if (column->whole)
        return column->whole[i] == FLM_GECKO_WHOLE_NULL ? __builtin_nan("")
                                                        : (double)column->whole[i];
    return column->narrow[i] == FLM_GECKO_NARROW_NULL ? __builtin_nan("")
                                                      : (double)column->narrow[i];
}

/* The same as an index: -1 where there is none, or null, or it is not a whole number of 31 bits. */
static inline int32_t flm_gecko_index(const struct flm_gecko_column *column, size_t i)
{
    if (i >= column->count)
        return -1;
    if (column->whole)
        return column->whole[i] < 0 ? -1 : column->whole[i];
    if (column->narrow)
        return column->narrow[i] < 0 ? -1 : column->narrow[i];
    double value = column->any[i];
    return value >= 0 && value <= INT32_MAX && (double)(int32_t)value == value ? (int32_t)value
                                                                               : -1;
}

/* Strings, one after another. */
struct flm_gecko_strings {
    struct FLM_ARRAY(char) bytes;
    struct FLM_ARRAY(size_t) ends;
};

bool flm_gecko_strings_add(struct flm_gecko_strings *strings, struct flm_bytes text);
void flm_gecko_strings_clear(struct flm_gecko_strings *strings);

/* Empty where there is none. */
struct flm_bytes flm_gecko_string(const struct flm_gecko_strings *strings, int64_t i);

enum flm_gecko_table {
    FLM_GECKO_STACKS,
    FLM_GECKO_FRAMES,
    FLM_GECKO_FUNCS,
    FLM_GECKO_RESOURCES,
    FLM_GECKO_SOURCES,
    FLM_GECKO_SAMPLES,
    FLM_GECKO_JS_ALLOCATIONS,
    FLM_GECKO_NATIVE_ALLOCATIONS,
    FLM_GECKO_MARKERS,
    FLM_GECKO_COUNTS, /* the samples of a counter */
    FLM_GECKO_TABLE_COUNT
};

enum flm_gecko_column_name {
    FLM_GECKO_STACK_FRAME,
    FLM_GECKO_STACK_PREFIX,
    FLM_GECKO_STACK_PREFIX_OFFSET,
    FLM_GECKO_FRAME_FUNC,
    FLM_GECKO_FRAME_LOCATION,
    FLM_GECKO_FRAME_ADDRESS,
    FLM_GECKO_FRAME_LINE,
    FLM_GECKO_FRAME_COLUMN,
    FLM_GECKO_FRAME_INLINE_DEPTH,
    FLM_GECKO_FRAME_CATEGORY,
    FLM_GECKO_FRAME_LIB,
    FLM_GECKO_FUNC_NAME,
    FLM_GECKO_FUNC_IS_JS,
    FLM_GECKO_FUNC_RESOURCE,
    FLM_GECKO_FUNC_SOURCE,
    FLM_GECKO_FUNC_FILE,
    FLM_GECKO_FUNC_LINE,
    FLM_GECKO_RESOURCE_LIB,
    FLM_GECKO_RESOURCE_NAME,
    FLM_GECKO_RESOURCE_TYPE,
    FLM_GECKO_SOURCE_FILE,
    FLM_GECKO_SAMPLE_STACK,
    FLM_GECKO_SAMPLE_TIME,
    FLM_GECKO_SAMPLE_TIME_DELTA,
    FLM_GECKO_SAMPLE_WEIGHT,
    FLM_GECKO_SAMPLE_CPU,
    FLM_GECKO_JS_STACK, /* stack, time, weight: in this order for both kinds of allocations */
    FLM_GECKO_JS_TIME,
    FLM_GECKO_JS_WEIGHT,
    FLM_GECKO_NATIVE_STACK,
    FLM_GECKO_NATIVE_TIME,
    FLM_GECKO_NATIVE_WEIGHT,
    FLM_GECKO_MARKER_NAME,
    FLM_GECKO_MARKER_START,
    FLM_GECKO_MARKER_END,
    FLM_GECKO_MARKER_TIME, /* before there were phases */
    FLM_GECKO_MARKER_PHASE,
    FLM_GECKO_MARKER_CATEGORY,
    FLM_GECKO_MARKER_DETAIL,     /* from the data: a string of `details`; -1 - i: string i of the
                                    thread; null: none */
    FLM_GECKO_MARKER_DATA_START, /* likewise; old markers have their times there */
    FLM_GECKO_MARKER_DATA_END,
    FLM_GECKO_MARKER_INTERVAL, /* likewise: a phase */
    FLM_GECKO_COUNT_TIME,
    FLM_GECKO_COUNT_TIME_DELTA,
    FLM_GECKO_COUNT_VALUE,
    FLM_GECKO_COLUMN_COUNT
};

enum flm_gecko_phase {
    FLM_GECKO_PHASE_INSTANT,
    FLM_GECKO_PHASE_INTERVAL,
    FLM_GECKO_PHASE_START,
    FLM_GECKO_PHASE_END
};

/* The column of that name in a file's table; FLM_GECKO_COLUMN_COUNT: one that is not read. */
enum flm_gecko_column_name flm_gecko_column_named(enum flm_gecko_table table,
                                                  struct flm_bytes name);

/* The tables of one thread, or of all. */
struct flm_gecko_tables {
    struct flm_gecko_column columns[FLM_GECKO_COLUMN_COUNT];
    struct flm_gecko_strings strings;
    bool has_stacks, has_strings;
};

void flm_gecko_tables_clear(struct flm_gecko_tables *tables);

/* A library; numbers are indices of the profile's `texts`, 0: an empty one. */
struct flm_gecko_lib {
    uint32_t name, path, debug_name, debug_path, breakpad_id, code_id, arch;
    uint64_t start, end, offset; /* unprocessed: where it was mapped */
};

struct flm_gecko_libs FLM_ARRAY(struct flm_gecko_lib);

struct flm_gecko_thread {
    struct flm_gecko_tables tables;
    struct flm_gecko_strings details;                    /* of markers */
    struct flm_gecko_libs libs;                          /* before version 41 */
    uint32_t name, process_name, process_type, pid, tid; /* texts */
    uint32_t weight_type;
    uint32_t metric, unit; /* texts: of a file that flamel wrote, whose weights are divided by: */
    double scale;
    bool has_no_times;       /* likewise: its times are only what a sample must have */
    bool has_no_name_frame;  /* likewise: no frame stands for the thread's name */
    double name_stack;       /* likewise: the stack that is that frame alone; -1: none is */
    double promised_samples; /* the table's length, as it says itself */
};

struct flm_gecko_counter {
    struct flm_gecko_column columns[3]; /* time, time delta, value */
    uint32_t name, category, unit, graph, pid;
};

struct flm_gecko_category {
    uint32_t name;
};

/* One process of an unprocessed profile, or all of a processed one. */
struct flm_gecko_process {
    struct FLM_ARRAY(struct flm_gecko_thread) threads;
    struct FLM_ARRAY(struct flm_gecko_counter) counters;
    struct FLM_ARRAY(struct flm_gecko_category) categories;
    struct flm_gecko_libs libs;
    struct flm_gecko_tables shared;
    double start_time, interval; /* ms */
    uint32_t cpu_unit, product, platform, oscpu, abi, arguments;
    int64_t version, processed_version;
    bool is_processed;
};

/* A field of a kind of markers that refers to a string. */
struct flm_gecko_string_field {
    uint32_t type, key;
};

/* A note that a person wrote (flamel/notes.h): texts. */
struct flm_gecko_note {
    uint32_t key, value;
};

struct flm_gecko_profile {
    struct FLM_ARRAY(struct flm_gecko_process) processes; /* the last has the others */
    struct flm_gecko_strings texts;                       /* the first is empty */
    struct FLM_ARRAY(struct flm_gecko_string_field) string_fields;
    struct FLM_ARRAY(struct flm_gecko_note) notes;
    uint64_t deeper_processes; /* left out */
};

void flm_gecko_process_clear(struct flm_gecko_process *process);
void flm_gecko_profile_clear(struct flm_gecko_profile *profile);

#endif
