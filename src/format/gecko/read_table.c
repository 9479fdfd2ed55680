#include "format/gecko/read_table.h"

#include "format/gecko/read_payload.h"
#include "format/gecko/read_value.h"

enum {
    MOST_CELLS = 24,    /* of a row: Firefox has 9 */
    COLUMN_CHUNK = 512, /* values that are read at once */
};

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

/* An array of numbers, or null for a column that the table lacks. */
static void read_column(struct flm_json *json, struct flm_gecko_column *column, bool has_bools)
{
    double values[COLUMN_CHUNK];
    flm_gecko_column_clear(column);
    if (flm_json_type(json) == FLM_JSON_TYPE_NULL || !flm_json_enter_array(json))
        return;
    if (has_bools) {
        while (flm_json_next_item(json))
            add_value(json, column, flm_gecko_read_cell(json));
        return;
    }
    for (size_t count;
         (count = flm_json_next_doubles(json, values, COLUMN_CHUNK, __builtin_nan(""))) > 0;)
        if (!flm_gecko_column_append(column, values, count))
            flm_json_fail_memory(json);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Sets the value of row `i`; rows come in order. A null is not stored: a row without a value has
 * null. */
static void set_value(struct flm_json *json, struct flm_gecko_column *column, size_t i,
                      double value)
{
    if (value != value)
        return;
    while (column->count < i && !json->failed)
        add_value(json, column, __builtin_nan(""));
    add_value(json, column, value);
}

/* Rows as they are read: which column a cell belongs to is known when the schema is. */
struct rows {
    struct flm_gecko_column cells[MOST_CELLS];
    size_t count;
    int places[FLM_GECKO_COLUMN_COUNT]; /* by column: its position in a row; -1: none */
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

/* Stores the data of the marker in row `i`. */
static bool keep_payload(struct flm_json *json, struct flm_gecko_thread *thread,
                         const struct flm_gecko_payload *payload, size_t i)
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

/* Stores an allocation; in unprocessed profiles it is one of the markers. */
static void keep_allocation(struct flm_json *json, struct flm_gecko_thread *thread,
                            const struct flm_gecko_payload *payload, double time)
{
    enum flm_gecko_column_name first =
        payload->is_js_allocation ? FLM_GECKO_JS_STACK : FLM_GECKO_NATIVE_STACK;
    struct flm_gecko_column *columns = &thread->tables.columns[first];
    add_value(json, &columns[0], payload->stack);
    add_value(json, &columns[1], time);
    add_value(json, &columns[2], payload->size);
}

/* A row of numbers; in the row of a marker, its data is an object. */
static void read_row(struct flm_json *json, const struct flm_gecko_profile *p,
                     struct flm_gecko_thread *thread, struct rows *rows,
                     struct flm_gecko_payload *payload)
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
            flm_gecko_payload_read(json, p, payload);
            has_payload = true;
        } else if (type == FLM_JSON_TYPE_NUMBER || type == FLM_JSON_TYPE_BOOL) {
            cell = flm_gecko_read_cell(json);
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

/* "data": rows, or the data of processed markers, which are objects and nulls. `thread` is the thread
 * of the markers; NULL for other tables. */
static void read_data(struct flm_json *json, const struct flm_gecko_profile *p,
                      struct flm_gecko_thread *thread, struct rows *rows)
{
    struct flm_gecko_payload payload = {0};
    if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY))
        return;
    for (size_t i = 0; flm_json_next_item(json); i++) {
        if (flm_json_type(json) == FLM_JSON_TYPE_ARRAY) {
            read_row(json, p, thread, rows, &payload);
        } else if (thread && flm_json_type(json) == FLM_JSON_TYPE_OBJECT) {
            flm_gecko_payload_read(json, p, &payload);
            keep_payload(json, thread, &payload, i);
        }
    }
    flm_gecko_payload_clear(&payload);
}

/* Moves the cells to the columns that the schema names. */
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

/* ---- Tables ---------------------------------------------------------------------------------- */

void flm_gecko_read_table(struct flm_json *json, struct flm_gecko_profile *p,
                          struct flm_gecko_thread *thread, struct flm_gecko_tables *tables,
                          enum flm_gecko_table table)
{
    struct flm_bytes key;
    struct rows rows = {.count = 0};
    memset(rows.places, -1, sizeof rows.places);
    if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
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
            flm_gecko_read_text(json, p, &thread->weight_type);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "length"))
            flm_gecko_read_number(json, &thread->promised_samples);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "flamelMetric"))
            flm_gecko_read_text(json, p, &thread->metric);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "flamelUnit"))
            flm_gecko_read_text(json, p, &thread->unit);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "flamelScale"))
            flm_gecko_read_number(json, &thread->scale);
        else if (table == FLM_GECKO_SAMPLES && thread && flm_bytes_are(key, "flamelHasNoTimes"))
            thread->has_no_times = flm_gecko_read_cell(json) == 1;
    }
    take_rows(tables, &rows);
}

/* The table of that name; FLM_GECKO_TABLE_COUNT where there is none. */
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

bool flm_gecko_read_tables_member(struct flm_json *json, struct flm_gecko_profile *p,
                                  struct flm_gecko_thread *thread, struct flm_gecko_tables *tables,
                                  struct flm_bytes key)
{
    enum flm_gecko_table table = table_named(key);
    if (flm_bytes_are(key, "stringArray") || flm_bytes_are(key, "stringTable")) {
        flm_gecko_strings_clear(&tables->strings);
        read_strings(json, &tables->strings);
        tables->has_strings = true;
    } else if (table != FLM_GECKO_TABLE_COUNT) {
        flm_gecko_read_table(json, p, thread, tables, table);
        tables->has_stacks |= table == FLM_GECKO_STACKS;
    } else {
        return false;
    }
    return true;
}
