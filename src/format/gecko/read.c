#include "format/gecko/read.h"

#include <stdlib.h>

enum {
    MOST_CELLS = 24,           /* of a row: Firefox has 9 */
    MOST_STRING_FIELDS = 1024, /* each marker looks through them; Firefox has 150 */
    MOST_DEPTH = 4,            /* of processes inside processes: Firefox has 1 */
    COLUMN_CHUNK = 512,        /* values that are read at once */
};

/* ---- Small values ---------------------------------------------------------------------------- */

static bool add_text(struct flm_json *json, struct flm_gecko_profile *p, struct flm_bytes text,
                     uint32_t *index)
{
    *index = 0;
    if (p->texts.ends.count == 0 && !flm_gecko_strings_add(&p->texts, (struct flm_bytes){"", 0}))
        return flm_json_fail_memory(json);
    if (text.size == 0)
        return true;
    *index = (uint32_t)p->texts.ends.count;
    return flm_gecko_strings_add(&p->texts, text) || flm_json_fail_memory(json);
}

/* A string, or a number as it is written; anything else is no text. */
static void read_text(struct flm_json *json, struct flm_gecko_profile *p, uint32_t *index)
{
    struct flm_bytes text = {"", 0};
    struct flm_json_number number;
    enum flm_json_type type = flm_json_type(json);
    if (type == FLM_JSON_TYPE_STRING)
        flm_json_string(json, &text);
    else if (type == FLM_JSON_TYPE_NUMBER && flm_json_number(json, &number))
        text = number.text;
    if (!json->failed)
        add_text(json, p, text, index);
}

/* A number; `value` stays as it is for anything else. */
static void read_number(struct flm_json *json, double *value)
{
    if (flm_json_type(json) == FLM_JSON_TYPE_NUMBER)
        flm_json_double(json, value);
}

static void read_uint(struct flm_json *json, uint64_t *value)
{
    double number = 0;
    read_number(json, &number);
    *value = number >= 0 && number < 0x1p63 ? (uint64_t)number : 0;
}

static bool enter_if(struct flm_json *json, enum flm_json_type type)
{
    if (flm_json_type(json) != type)
        return false;
    return type == FLM_JSON_TYPE_OBJECT ? flm_json_enter_object(json) : flm_json_enter_array(json);
}

static void read_strings(struct flm_json *json, struct flm_gecko_strings *strings)
{
    struct flm_bytes text;
    if (!flm_json_enter_array(json))
        return;
    while (flm_json_next_item(json)) {
        text = (struct flm_bytes){"", 0};
        if (flm_json_type(json) != FLM_JSON_TYPE_NULL)
            flm_json_string(json, &text);
        if (!json->failed && !flm_gecko_strings_add(strings, text))
            flm_json_fail_memory(json);
    }
}

/* ---- Columns --------------------------------------------------------------------------------- */

static void add_value(struct flm_json *json, struct flm_gecko_column *column, double value)
{
    if (!flm_gecko_column_add(column, value))
        flm_json_fail_memory(json);
}

/* The item that is next: a number, true or false as 1 or 0, or null. */
static double read_cell(struct flm_json *json)
{
    double value = __builtin_nan("");
    bool is_true = false;
    switch (flm_json_type(json)) {
    case FLM_JSON_TYPE_NULL:
        flm_json_skip(json);
        return value;
    case FLM_JSON_TYPE_BOOL:
        flm_json_bool(json, &is_true);
        return is_true;
    default:
        flm_json_double(json, &value);
        return value;
    }
}

/* An array of numbers, or null where the column is not there. */
static void read_column(struct flm_json *json, struct flm_gecko_column *column, bool has_bools)
{
    double values[COLUMN_CHUNK];
    flm_gecko_column_clear(column);
    if (flm_json_type(json) == FLM_JSON_TYPE_NULL || !flm_json_enter_array(json))
        return;
    if (has_bools) {
        while (flm_json_next_item(json))
            add_value(json, column, read_cell(json));
        return;
    }
    for (size_t count;
         (count = flm_json_next_doubles(json, values, COLUMN_CHUNK, __builtin_nan(""))) > 0;)
        for (size_t i = 0; i < count && !json->failed; i++)
            add_value(json, column, values[i]);
}

/* ---- Data of markers ------------------------------------------------------------------------- */

/* What is kept of the data of a marker. */
struct payload {
    double start, end, size; /* NaN: none */
    double stack;            /* of an allocation */
    int interval;            /* of old ones: FLM_GECKO_PHASE_START or _END; 0: none */
    bool is_js_allocation, is_native_allocation;
    struct flm_text type, text;
    int rank;            /* of the main text so far; less is better */
    int32_t text_string; /* the main text is this string of the thread; -1: it is `text` */
};

/* What says most about a marker, of the fields that Firefox and samply write: first ones first. */
static const char *const main_fields[] = {"name",          "message",   "text",    "URI",
                                          "url",           "eventType", "label",   "description",
                                          "filename",      "operation", "reason",  "messageType",
                                          "animationType", "phase",     "category"};
enum { MAIN_FIELDS = sizeof main_fields / sizeof main_fields[0] };

static int rank_of(struct flm_bytes key)
{
    int rank = 0;
    while (rank < MAIN_FIELDS && !flm_bytes_are(key, main_fields[rank]))
        rank++;
    return rank;
}

/* {"samples": {"schema": {"stack": 0, ...}, "data": [[12, 3.5]]}}: the stack of an allocation. */
static void read_payload_stack(struct flm_json *json, struct payload *payload)
{
    struct flm_bytes key;
    double cells[MOST_CELLS], place = 0;
    size_t count = 0;
    while (flm_json_next_key(json, &key)) {
        if (!flm_bytes_are(key, "samples") || !enter_if(json, FLM_JSON_TYPE_OBJECT))
            continue;
        while (flm_json_next_key(json, &key)) {
            bool is_schema = flm_bytes_are(key, "schema");
            if (is_schema && enter_if(json, FLM_JSON_TYPE_OBJECT)) {
                while (flm_json_next_key(json, &key))
                    if (flm_bytes_are(key, "stack"))
                        read_number(json, &place);
            } else if (flm_bytes_are(key, "data") && enter_if(json, FLM_JSON_TYPE_ARRAY)) {
                while (flm_json_next_item(json))
                    if (count == 0 && enter_if(json, FLM_JSON_TYPE_ARRAY))
                        while (flm_json_next_item(json))
                            if (count < MOST_CELLS && flm_json_type(json) == FLM_JSON_TYPE_NUMBER)
                                flm_json_double(json, &cells[count++]);
            }
        }
    }
    if (place >= 0 && place < (double)count)
        payload->stack = cells[(size_t)place];
}

static void set_text(struct flm_json *json, struct flm_text *out, struct flm_bytes text)
{
    out->size = 0;
    flm_text_add(out, text);
    if (out->failed)
        flm_json_fail_memory(json);
}

static void read_payload_text(struct flm_json *json, struct payload *payload, struct flm_bytes key)
{
    struct flm_bytes text;
    if (!flm_json_string(json, &text)) {
        return;
    } else if (flm_bytes_are(key, "type")) {
        payload->is_js_allocation = flm_bytes_are(text, "JS allocation");
        payload->is_native_allocation = flm_bytes_are(text, "Native allocation");
        set_text(json, &payload->type, text);
    } else if (flm_bytes_are(key, "interval")) {
        payload->interval = flm_bytes_are(text, "start") ? FLM_GECKO_PHASE_START
                            : flm_bytes_are(text, "end") ? FLM_GECKO_PHASE_END
                                                         : 0;
    } else if (rank_of(key) < payload->rank && text.size > 0) {
        payload->rank = rank_of(key);
        payload->text_string = -1;
        set_text(json, &payload->text, text);
    }
}

/* Whether the field is a string by the schema; where there is none yet, by its name. */
static bool is_string_field(const struct flm_gecko_profile *p, const struct payload *payload,
                            struct flm_bytes key, int rank)
{
    const int surely_text = 5;
    struct flm_bytes type = {payload->type.at, payload->type.size};
    for (size_t i = 0; i < p->string_fields.count; i++)
        if (flm_bytes_equal(flm_gecko_string(&p->texts, p->string_fields.at[i].type), type) &&
            flm_bytes_equal(flm_gecko_string(&p->texts, p->string_fields.at[i].key), key))
            return true;
    return p->string_fields.count == 0 && rank < surely_text;
}

static void read_payload_number(struct flm_json *json, const struct flm_gecko_profile *p,
                                struct payload *payload, struct flm_bytes key)
{
    double number;
    int rank = rank_of(key);
    if (!flm_json_double(json, &number))
        return;
    if (flm_bytes_are(key, "startTime")) {
        payload->start = number;
    } else if (flm_bytes_are(key, "endTime")) {
        payload->end = number;
    } else if (flm_bytes_are(key, "size")) {
        payload->size = number;
    } else if (rank < payload->rank && number >= 0 && number < INT32_MAX &&
               is_string_field(p, payload, key, rank)) {
        payload->rank = rank;
        payload->text_string = (int32_t)number;
    }
}

static void read_payload(struct flm_json *json, const struct flm_gecko_profile *p,
                         struct payload *payload)
{
    struct flm_bytes key;
    struct flm_text type = payload->type, text = payload->text;
    type.size = text.size = 0;
    *payload = (struct payload){.start = __builtin_nan(""),
                                .end = __builtin_nan(""),
                                .size = __builtin_nan(""),
                                .stack = __builtin_nan(""),
                                .type = type,
                                .text = text,
                                .rank = MAIN_FIELDS + 1,
                                .text_string = -1};
    if (!enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        enum flm_json_type next = flm_json_type(json);
        if (next == FLM_JSON_TYPE_STRING)
            read_payload_text(json, payload, key);
        else if (next == FLM_JSON_TYPE_NUMBER)
            read_payload_number(json, p, payload, key);
        else if (flm_bytes_are(key, "stack") && enter_if(json, FLM_JSON_TYPE_OBJECT))
            read_payload_stack(json, payload);
    }
}

static void payload_clear(struct payload *payload)
{
    flm_text_clear(&payload->type);
    flm_text_clear(&payload->text);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Sets the value of row `i`, which no later one precedes. Null is what a column has where it has
 * nothing. */
static void set_value(struct flm_json *json, struct flm_gecko_column *column, size_t i,
                      double value)
{
    if (value != value)
        return;
    while (column->count < i && !json->failed)
        add_value(json, column, __builtin_nan(""));
    add_value(json, column, value);
}

/* Rows whose columns are not known before their schema. */
struct rows {
    struct flm_gecko_column cells[MOST_CELLS];
    size_t count;
    int places[FLM_GECKO_COLUMN_COUNT]; /* of a column in a row; -1: none */
};

static void read_schema(struct flm_json *json, enum flm_gecko_table table, struct rows *rows)
{
    struct flm_bytes key;
    int64_t place;
    if (!flm_json_enter_object(json))
        return;
    while (flm_json_next_key(json, &key)) {
        enum flm_gecko_column_name column = flm_gecko_column_named(table, key);
        if (column != FLM_GECKO_COLUMN_COUNT && flm_json_integer(json, &place) && place >= 0 &&
            place < MOST_CELLS)
            rows->places[column] = (int)place;
    }
}

/* The data of the marker that is row `i`; false for an allocation, which is a row elsewhere. */
static bool keep_payload(struct flm_json *json, struct flm_gecko_thread *thread,
                         const struct payload *payload, size_t i)
{
    struct flm_gecko_column *columns = thread->tables.columns;
    if (payload->text_string >= 0) {
        set_value(json, &columns[FLM_GECKO_MARKER_DETAIL], i, -1.0 - payload->text_string);
    } else if (payload->text.size > 0) {
        set_value(json, &columns[FLM_GECKO_MARKER_DETAIL], i, (double)thread->details.ends.count);
        if (!flm_gecko_strings_add(&thread->details,
                                   (struct flm_bytes){payload->text.at, payload->text.size}))
            flm_json_fail_memory(json);
    }
    set_value(json, &columns[FLM_GECKO_MARKER_DATA_START], i, payload->start);
    set_value(json, &columns[FLM_GECKO_MARKER_DATA_END], i, payload->end);
    if (payload->interval)
        set_value(json, &columns[FLM_GECKO_MARKER_INTERVAL], i, payload->interval);
    return !json->failed;
}

/* An allocation, which unprocessed profiles have among the markers. */
static void keep_allocation(struct flm_json *json, struct flm_gecko_thread *thread,
                            const struct payload *payload, double time)
{
    enum flm_gecko_column_name first =
        payload->is_js_allocation ? FLM_GECKO_JS_STACK : FLM_GECKO_NATIVE_STACK;
    struct flm_gecko_column *columns = &thread->tables.columns[first];
    add_value(json, &columns[0], payload->stack);
    add_value(json, &columns[1], time);
    add_value(json, &columns[2], payload->size);
}

/* A row of numbers; the data of a marker are an object in it. */
static void read_row(struct flm_json *json, const struct flm_gecko_profile *p,
                     struct flm_gecko_thread *thread, struct rows *rows, struct payload *payload)
{
    double cells[MOST_CELLS];
    size_t count = 0;
    bool has_payload = false;
    if (!flm_json_enter_array(json))
        return;
    while (flm_json_next_item(json)) {
        enum flm_json_type type = flm_json_type(json);
        double cell = __builtin_nan("");
        if (thread && type == FLM_JSON_TYPE_OBJECT) {
            read_payload(json, p, payload);
            has_payload = true;
        } else if (type == FLM_JSON_TYPE_NUMBER || type == FLM_JSON_TYPE_BOOL) {
            cell = read_cell(json);
        }
        if (count < MOST_CELLS)
            cells[count++] = cell;
    }
    if (has_payload && (payload->is_js_allocation || payload->is_native_allocation)) {
        /* The time follows the name, in every version. */
        keep_allocation(json, thread, payload, count > 1 ? cells[1] : __builtin_nan(""));
        return;
    }
    if (has_payload)
        keep_payload(json, thread, payload, rows->count);
    for (size_t i = 0; i < count; i++)
        set_value(json, &rows->cells[i], rows->count, cells[i]);
    rows->count++;
}

/* "data": rows, or what belongs to processed markers (objects and nulls). The thread is that of
 * markers; NULL: of other tables. */
static void read_data(struct flm_json *json, const struct flm_gecko_profile *p,
                      struct flm_gecko_thread *thread, struct rows *rows)
{
    struct payload payload = {0};
    if (!enter_if(json, FLM_JSON_TYPE_ARRAY))
        return;
    for (size_t i = 0; flm_json_next_item(json); i++) {
        if (flm_json_type(json) == FLM_JSON_TYPE_ARRAY) {
            read_row(json, p, thread, rows, &payload);
        } else if (thread && flm_json_type(json) == FLM_JSON_TYPE_OBJECT) {
            read_payload(json, p, &payload);
            keep_payload(json, thread, &payload, i);
        }
    }
    payload_clear(&payload);
}

/* Gives the cells to the columns that the schema names. */
static void take_rows(struct flm_gecko_tables *tables, struct rows *rows)
{
    for (int i = 0; i < FLM_GECKO_COLUMN_COUNT; i++) {
        struct flm_gecko_column *cells =
            rows->places[i] >= 0 ? &rows->cells[rows->places[i]] : NULL;
        if (cells && cells->count > 0) {
            flm_gecko_column_clear(&tables->columns[i]);
            tables->columns[i] = *cells;
            *cells = (struct flm_gecko_column){0};
        }
    }
    for (int i = 0; i < MOST_CELLS; i++)
        flm_gecko_column_clear(&rows->cells[i]);
}

/* A table of either kind; of samples and markers, that of the thread. */
static void read_table(struct flm_json *json, struct flm_gecko_profile *p,
                       struct flm_gecko_thread *thread, struct flm_gecko_tables *tables,
                       enum flm_gecko_table table)
{
    struct flm_bytes key;
    struct rows rows = {.count = 0};
    memset(rows.places, -1, sizeof rows.places);
    if (!enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        enum flm_gecko_column_name column = flm_gecko_column_named(table, key);
        if (column != FLM_GECKO_COLUMN_COUNT)
            read_column(json, &tables->columns[column], column == FLM_GECKO_FUNC_IS_JS);
        else if (flm_bytes_are(key, "schema"))
            read_schema(json, table, &rows);
        else if (flm_bytes_are(key, "data"))
            read_data(json, p, table == FLM_GECKO_MARKERS ? thread : NULL, &rows);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "weightType"))
            read_text(json, p, &thread->weight_type);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "length"))
            read_number(json, &thread->promised_samples);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "flamelMetric"))
            read_text(json, p, &thread->metric);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "flamelUnit"))
            read_text(json, p, &thread->unit);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "flamelScale"))
            read_number(json, &thread->scale);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "flamelHasNoTimes"))
            thread->has_no_times = read_cell(json) == 1;
    }
    take_rows(tables, &rows);
}

/* ---- Threads, libraries, counters ------------------------------------------------------------ */

static void read_lib(struct flm_json *json, struct flm_gecko_profile *p,
                     struct flm_gecko_libs *libs)
{
    struct flm_bytes key;
    struct flm_gecko_lib lib = {0};
    if (!flm_json_enter_object(json))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "name"))
            read_text(json, p, &lib.name);
        else if (flm_bytes_are(key, "path"))
            read_text(json, p, &lib.path);
        else if (flm_bytes_are(key, "debugName") || flm_bytes_are(key, "pdbName"))
            read_text(json, p, &lib.debug_name);
        else if (flm_bytes_are(key, "debugPath"))
            read_text(json, p, &lib.debug_path);
        else if (flm_bytes_are(key, "breakpadId"))
            read_text(json, p, &lib.breakpad_id);
        else if (flm_bytes_are(key, "codeId"))
            read_text(json, p, &lib.code_id);
        else if (flm_bytes_are(key, "arch"))
            read_text(json, p, &lib.arch);
        else if (flm_bytes_are(key, "start"))
            read_uint(json, &lib.start);
        else if (flm_bytes_are(key, "end"))
            read_uint(json, &lib.end);
        else if (flm_bytes_are(key, "offset"))
            read_uint(json, &lib.offset);
    }
    if (!json->failed && !FLM_ARRAY_ADD(libs, lib))
        flm_json_fail_memory(json);
}

static void read_libs(struct flm_json *json, struct flm_gecko_profile *p,
                      struct flm_gecko_libs *libs)
{
    if (!enter_if(json, FLM_JSON_TYPE_ARRAY))
        return;
    while (flm_json_next_item(json))
        read_lib(json, p, libs);
}

/* The table of that name, of those that may be shared; FLM_GECKO_TABLE_COUNT for others. */
static enum flm_gecko_table table_named(struct flm_bytes key)
{
    static const struct {
        const char *name;
        enum flm_gecko_table table;
    } tables[] = {{"stackTable", FLM_GECKO_STACKS},
                  {"frameTable", FLM_GECKO_FRAMES},
                  {"funcTable", FLM_GECKO_FUNCS},
                  {"resourceTable", FLM_GECKO_RESOURCES},
                  {"sources", FLM_GECKO_SOURCES},
                  {"samples", FLM_GECKO_SAMPLES},
                  {"markers", FLM_GECKO_MARKERS},
                  {"jsAllocations", FLM_GECKO_JS_ALLOCATIONS},
                  {"nativeAllocations", FLM_GECKO_NATIVE_ALLOCATIONS}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (flm_bytes_are(key, tables[i].name))
            return tables[i].table;
    return FLM_GECKO_TABLE_COUNT;
}

/* A member of a thread, or of what threads share, that is a table or the strings. */
static bool read_tables_member(struct flm_json *json, struct flm_gecko_profile *p,
                               struct flm_gecko_thread *thread, struct flm_gecko_tables *tables,
                               struct flm_bytes key)
{
    enum flm_gecko_table table = table_named(key);
    if (flm_bytes_are(key, "stringArray") || flm_bytes_are(key, "stringTable")) {
        flm_gecko_strings_clear(&tables->strings);
        read_strings(json, &tables->strings);
        tables->has_strings = true;
    } else if (table != FLM_GECKO_TABLE_COUNT) {
        read_table(json, p, thread, tables, table);
        tables->has_stacks |= table == FLM_GECKO_STACKS;
    } else {
        return false;
    }
    return true;
}

static void thread_clear(struct flm_gecko_thread *thread)
{
    flm_gecko_tables_clear(&thread->tables);
    flm_gecko_strings_clear(&thread->details);
    FLM_ARRAY_CLEAR(&thread->libs);
}

static void read_thread(struct flm_json *json, struct flm_gecko_profile *p,
                        struct flm_gecko_process *process)
{
    struct flm_bytes key;
    struct flm_gecko_thread thread = {0};
    if (!flm_json_enter_object(json))
        return;
    while (flm_json_next_key(json, &key)) {
        if (read_tables_member(json, p, &thread, &thread.tables, key))
            continue;
        if (flm_bytes_are(key, "name"))
            read_text(json, p, &thread.name);
        else if (flm_bytes_are(key, "processName"))
            read_text(json, p, &thread.process_name);
        else if (flm_bytes_are(key, "processType"))
            read_text(json, p, &thread.process_type);
        else if (flm_bytes_are(key, "pid"))
            read_text(json, p, &thread.pid);
        else if (flm_bytes_are(key, "tid"))
            read_text(json, p, &thread.tid);
        else if (flm_bytes_are(key, "libs"))
            read_libs(json, p, &thread.libs);
        else if (flm_bytes_are(key, "flamelNameIsNoFrame"))
            thread.has_no_name_frame = read_cell(json) == 1;
    }
    if (json->failed || !FLM_ARRAY_ADD(&process->threads, thread)) {
        thread_clear(&thread);
        flm_json_fail_memory(json);
    }
}

/* Samples of a counter, in all of their forms: columns, rows, groups of either. */
static void read_counter_samples(struct flm_json *json, struct flm_gecko_profile *p,
                                 struct flm_gecko_tables *tables)
{
    struct flm_bytes key;
    if (flm_json_type(json) == FLM_JSON_TYPE_ARRAY && flm_json_enter_array(json)) {
        for (bool is_first = true; flm_json_next_item(json); is_first = false) {
            if (!is_first || !enter_if(json, FLM_JSON_TYPE_OBJECT))
                continue;
            while (flm_json_next_key(json, &key))
                if (flm_bytes_are(key, "samples"))
                    read_table(json, p, NULL, tables, FLM_GECKO_COUNTS);
        }
    } else {
        read_table(json, p, NULL, tables, FLM_GECKO_COUNTS);
    }
}

static void read_counter(struct flm_json *json, struct flm_gecko_profile *p,
                         struct flm_gecko_process *process)
{
    struct flm_bytes key;
    struct flm_gecko_counter counter = {0};
    struct flm_gecko_tables tables = {0};
    if (!enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "name")) {
            read_text(json, p, &counter.name);
        } else if (flm_bytes_are(key, "category")) {
            read_text(json, p, &counter.category);
        } else if (flm_bytes_are(key, "pid")) {
            read_text(json, p, &counter.pid);
        } else if (flm_bytes_are(key, "samples") || flm_bytes_are(key, "sample_groups") ||
                   flm_bytes_are(key, "sampleGroups")) {
            read_counter_samples(json, p, &tables);
        } else if (flm_bytes_are(key, "display") && enter_if(json, FLM_JSON_TYPE_OBJECT)) {
            while (flm_json_next_key(json, &key))
                if (flm_bytes_are(key, "unit"))
                    read_text(json, p, &counter.unit);
                else if (flm_bytes_are(key, "graphType"))
                    read_text(json, p, &counter.graph);
        }
    }
    for (int i = 0; i < 3; i++) {
        counter.columns[i] = tables.columns[FLM_GECKO_COUNT_TIME + i];
        tables.columns[FLM_GECKO_COUNT_TIME + i] = (struct flm_gecko_column){0};
    }
    flm_gecko_tables_clear(&tables);
    if (json->failed || !FLM_ARRAY_ADD(&process->counters, counter)) {
        for (int i = 0; i < 3; i++)
            flm_gecko_column_clear(&counter.columns[i]);
        flm_json_fail_memory(json);
    }
}

/* ---- Meta ------------------------------------------------------------------------------------ */

static void read_category(struct flm_json *json, struct flm_gecko_profile *p,
                          struct flm_gecko_process *process)
{
    struct flm_bytes key;
    struct flm_gecko_category category = {0};
    if (!flm_json_enter_object(json))
        return;
    while (flm_json_next_key(json, &key))
        if (flm_bytes_are(key, "name"))
            read_text(json, p, &category.name);
    if (!json->failed && !FLM_ARRAY_ADD(&process->categories, category))
        flm_json_fail_memory(json);
}

/* The fields of a kind of markers; `type` may come behind them. */
static void read_marker_schema(struct flm_json *json, struct flm_gecko_profile *p)
{
    struct flm_bytes key, format;
    uint32_t type = 0, field_key;
    size_t first = p->string_fields.count;
    if (!enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "name")) {
            read_text(json, p, &type);
        } else if ((flm_bytes_are(key, "fields") || flm_bytes_are(key, "data")) &&
                   enter_if(json, FLM_JSON_TYPE_ARRAY)) {
            while (flm_json_next_item(json)) {
                bool is_string = false;
                field_key = 0;
                if (!enter_if(json, FLM_JSON_TYPE_OBJECT))
                    continue;
                while (flm_json_next_key(json, &key))
                    if (flm_bytes_are(key, "key"))
                        read_text(json, p, &field_key);
                    else if (flm_bytes_are(key, "format") &&
                             flm_json_type(json) == FLM_JSON_TYPE_STRING &&
                             flm_json_string(json, &format))
                        is_string = flm_bytes_are(format, "unique-string");
                const struct flm_gecko_string_field field = {0, field_key};
                if (is_string && !json->failed && p->string_fields.count < MOST_STRING_FIELDS &&
                    !FLM_ARRAY_ADD(&p->string_fields, field))
                    flm_json_fail_memory(json);
            }
        }
    }
    for (size_t i = first; i < p->string_fields.count; i++)
        p->string_fields.at[i].type = type;
}

static void read_meta(struct flm_json *json, struct flm_gecko_profile *p,
                      struct flm_gecko_process *process)
{
    struct flm_bytes key;
    double number = 0;
    if (!enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "preprocessedProfileVersion")) {
            read_number(json, &number);
            process->processed_version = number >= 0 && number < 1e6 ? (int64_t)number : 0;
            process->is_processed = true;
        } else if (flm_bytes_are(key, "version")) {
            read_number(json, &number);
            process->version = number >= 0 && number < 1e6 ? (int64_t)number : 0;
        } else if (flm_bytes_are(key, "startTime")) {
            read_number(json, &process->start_time);
        } else if (flm_bytes_are(key, "interval")) {
            read_number(json, &process->interval);
        } else if (flm_bytes_are(key, "product")) {
            read_text(json, p, &process->product);
        } else if (flm_bytes_are(key, "platform")) {
            read_text(json, p, &process->platform);
        } else if (flm_bytes_are(key, "oscpu")) {
            read_text(json, p, &process->oscpu);
        } else if (flm_bytes_are(key, "abi")) {
            read_text(json, p, &process->abi);
        } else if (flm_bytes_are(key, "arguments")) {
            read_text(json, p, &process->arguments);
        } else if (flm_bytes_are(key, "sampleUnits") && enter_if(json, FLM_JSON_TYPE_OBJECT)) {
            while (flm_json_next_key(json, &key))
                if (flm_bytes_are(key, "threadCPUDelta"))
                    read_text(json, p, &process->cpu_unit);
        } else if (flm_bytes_are(key, "categories") && enter_if(json, FLM_JSON_TYPE_ARRAY)) {
            process->categories.count = 0;
            while (flm_json_next_item(json))
                read_category(json, p, process);
        } else if (flm_bytes_are(key, "markerSchema") && enter_if(json, FLM_JSON_TYPE_ARRAY)) {
            while (flm_json_next_item(json))
                read_marker_schema(json, p);
        }
    }
}

/* ---- Processes ------------------------------------------------------------------------------- */

static void read_process(struct flm_json *json, struct flm_gecko_profile *p, int depth);

/* JSON inside a string: versions before 5 have the profiles of other processes so. */
static void read_process_text(struct flm_json *json, struct flm_gecko_profile *p, int depth)
{
    struct flm_bytes text;
    if (!flm_json_string(json, &text))
        return;
    struct flm_text copy = {0};
    set_text(json, &copy, text);
    struct flm_source source = flm_source_of((struct flm_bytes){copy.at, copy.size});
    struct flm_json inner;
    flm_json_init(&inner, &source, NULL);
    if (!json->failed) {
        read_process(&inner, p, depth);
        if (!flm_json_finish(&inner))
            flm_json_fail(json, "the string before this is not the JSON of a process");
    }
    flm_text_clear(&copy);
}

static void read_threads(struct flm_json *json, struct flm_gecko_profile *p,
                         struct flm_gecko_process *process, int depth)
{
    if (!enter_if(json, FLM_JSON_TYPE_ARRAY))
        return;
    while (flm_json_next_item(json)) {
        if (flm_json_type(json) == FLM_JSON_TYPE_STRING)
            read_process_text(json, p, depth + 1);
        else
            read_thread(json, p, process);
    }
}

static void read_member(struct flm_json *json, struct flm_gecko_profile *p,
                        struct flm_gecko_process *process, struct flm_bytes key, int depth)
{
    if (flm_bytes_are(key, "meta")) {
        read_meta(json, p, process);
    } else if (flm_bytes_are(key, "libs")) {
        read_libs(json, p, &process->libs);
    } else if (flm_bytes_are(key, "threads")) {
        read_threads(json, p, process, depth);
    } else if (flm_bytes_are(key, "shared") && enter_if(json, FLM_JSON_TYPE_OBJECT)) {
        while (flm_json_next_key(json, &key))
            read_tables_member(json, p, NULL, &process->shared, key);
    } else if (flm_bytes_are(key, "counters") && enter_if(json, FLM_JSON_TYPE_ARRAY)) {
        while (flm_json_next_item(json))
            read_counter(json, p, process);
    } else if (flm_bytes_are(key, "processes") && enter_if(json, FLM_JSON_TYPE_ARRAY)) {
        while (flm_json_next_item(json))
            read_process(json, p, depth + 1);
    } else if (depth == 0 && flm_bytes_are(key, "profile") &&
               enter_if(json, FLM_JSON_TYPE_OBJECT)) {
        while (flm_json_next_key(json, &key))
            read_member(json, p, process, key, depth + 1);
    }
}

static void read_process(struct flm_json *json, struct flm_gecko_profile *p, int depth)
{
    struct flm_bytes key;
    struct flm_gecko_process process = {0};
    if (depth > MOST_DEPTH) {
        p->deeper_processes++;
        flm_json_skip(json);
        return;
    }
    if (!flm_json_enter_object(json))
        return;
    while (flm_json_next_key(json, &key))
        read_member(json, p, &process, key, depth);
    if (!FLM_ARRAY_ADD(&p->processes, process)) {
        flm_gecko_process_clear(&process);
        flm_json_fail_memory(json);
    }
}

void flm_gecko_read(struct flm_json *json, struct flm_gecko_profile *profile)
{
    read_process(json, profile, 0);
}
