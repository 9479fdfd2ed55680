#include "format/gecko/read.h"

#include "format/gecko/read_table.h"
#include "format/gecko/read_value.h"

enum {
    MOST_STRING_FIELDS = 1024, /* each marker looks through them; Firefox has 150 */
    MOST_DEPTH = 4,            /* of processes inside processes: Firefox has 1 */
};

/* ---- Threads, libraries, counters ------------------------------------------------------------ */

static void read_uint(struct flm_json *json, uint64_t *value)
{
    double number = 0;
    flm_gecko_read_number(json, &number);
    *value = number >= 0 && number < 0x1p63 ? (uint64_t)number : 0;
}

static void read_lib(struct flm_json *json, struct flm_gecko_profile *p,
                     struct flm_gecko_libs *libs)
{
    struct flm_bytes key;
    struct flm_gecko_lib lib = {0};
    if (!flm_json_enter_object(json))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "name"))
            flm_gecko_read_text(json, p, &lib.name);
        else if (flm_bytes_are(key, "path"))
            flm_gecko_read_text(json, p, &lib.path);
        else if (flm_bytes_are(key, "debugName") || flm_bytes_are(key, "pdbName"))
            flm_gecko_read_text(json, p, &lib.debug_name);
        else if (flm_bytes_are(key, "debugPath"))
            flm_gecko_read_text(json, p, &lib.debug_path);
        else if (flm_bytes_are(key, "breakpadId"))
            flm_gecko_read_text(json, p, &lib.breakpad_id);
        else if (flm_bytes_are(key, "codeId"))
            flm_gecko_read_text(json, p, &lib.code_id);
        else if (flm_bytes_are(key, "arch"))
            flm_gecko_read_text(json, p, &lib.arch);
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
    if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY))
        return;
    while (flm_json_next_item(json))
        read_lib(json, p, libs);
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
    struct flm_gecko_thread thread = {.name_stack = -1};
    if (!flm_json_enter_object(json))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_gecko_read_tables_member(json, p, &thread, &thread.tables, key))
            continue;
        if (flm_bytes_are(key, "name"))
            flm_gecko_read_text(json, p, &thread.name);
        else if (flm_bytes_are(key, "processName"))
            flm_gecko_read_text(json, p, &thread.process_name);
        else if (flm_bytes_are(key, "processType"))
            flm_gecko_read_text(json, p, &thread.process_type);
        else if (flm_bytes_are(key, "pid"))
            flm_gecko_read_text(json, p, &thread.pid);
        else if (flm_bytes_are(key, "tid"))
            flm_gecko_read_text(json, p, &thread.tid);
        else if (flm_bytes_are(key, "libs"))
            read_libs(json, p, &thread.libs);
        else if (flm_bytes_are(key, "flamelNameIsNoFrame"))
            thread.has_no_name_frame = flm_gecko_read_cell(json) == 1;
        else if (flm_bytes_are(key, "flamelNameStack"))
            thread.name_stack = flm_gecko_read_cell(json);
    }
    if (json->failed || !FLM_ARRAY_ADD(&process->threads, thread)) {
        thread_clear(&thread);
        flm_json_fail_memory(json);
    }
}

/* The samples of a counter: a table, or an array of groups with a table each; the first is read. */
static void read_counter_samples(struct flm_json *json, struct flm_gecko_profile *p,
                                 struct flm_gecko_tables *tables)
{
    struct flm_bytes key;
    if (flm_json_type(json) == FLM_JSON_TYPE_ARRAY && flm_json_enter_array(json)) {
        for (bool is_first = true; flm_json_next_item(json); is_first = false) {
            if (!is_first || !flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
                continue;
            while (flm_json_next_key(json, &key))
                if (flm_bytes_are(key, "samples"))
                    flm_gecko_read_table(json, p, NULL, tables, FLM_GECKO_COUNTS);
        }
    } else {
        flm_gecko_read_table(json, p, NULL, tables, FLM_GECKO_COUNTS);
    }
}

static void read_counter(struct flm_json *json, struct flm_gecko_profile *p,
                         struct flm_gecko_process *process)
{
    struct flm_bytes key;
    struct flm_gecko_counter counter = {0};
    struct flm_gecko_tables tables = {0};
    if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "name")) {
            flm_gecko_read_text(json, p, &counter.name);
        } else if (flm_bytes_are(key, "category")) {
            flm_gecko_read_text(json, p, &counter.category);
        } else if (flm_bytes_are(key, "pid")) {
            flm_gecko_read_text(json, p, &counter.pid);
        } else if (flm_bytes_are(key, "samples") || flm_bytes_are(key, "sample_groups") ||
                   flm_bytes_are(key, "sampleGroups")) {
            read_counter_samples(json, p, &tables);
        } else if (flm_bytes_are(key, "display") &&
                   flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT)) {
            while (flm_json_next_key(json, &key))
                if (flm_bytes_are(key, "unit"))
                    flm_gecko_read_text(json, p, &counter.unit);
                else if (flm_bytes_are(key, "graphType"))
                    flm_gecko_read_text(json, p, &counter.graph);
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
            flm_gecko_read_text(json, p, &category.name);
    if (!json->failed && !FLM_ARRAY_ADD(&process->categories, category))
        flm_json_fail_memory(json);
}

/* The string fields of one type of markers; the name of the type may follow them. */
static void read_marker_schema(struct flm_json *json, struct flm_gecko_profile *p)
{
    struct flm_bytes key, format;
    uint32_t type = 0, field_key;
    size_t first = p->string_fields.count;
    if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "name")) {
            flm_gecko_read_text(json, p, &type);
        } else if ((flm_bytes_are(key, "fields") || flm_bytes_are(key, "data")) &&
                   flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY)) {
            while (flm_json_next_item(json)) {
                bool is_string = false;
                field_key = 0;
                if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
                    continue;
                while (flm_json_next_key(json, &key))
                    if (flm_bytes_are(key, "key"))
                        flm_gecko_read_text(json, p, &field_key);
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

/* [["note 3f2a91c0", "{...}"], ...] */
static void read_notes(struct flm_json *json, struct flm_gecko_profile *p)
{
    while (flm_json_next_item(json)) {
        struct flm_gecko_note note = {0, 0};
        if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY))
            continue;
        for (uint32_t i = 0; flm_json_next_item(json); i++)
            if (i < 2)
                flm_gecko_read_text(json, p, i == 0 ? &note.key : &note.value);
        if (!json->failed && !FLM_ARRAY_ADD(&p->notes, note))
            flm_json_fail_memory(json);
    }
}

static void read_meta(struct flm_json *json, struct flm_gecko_profile *p,
                      struct flm_gecko_process *process)
{
    struct flm_bytes key;
    double number = 0;
    if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "preprocessedProfileVersion")) {
            flm_gecko_read_number(json, &number);
            process->processed_version = number >= 0 && number < 1e6 ? (int64_t)number : 0;
            process->is_processed = true;
        } else if (flm_bytes_are(key, "version")) {
            flm_gecko_read_number(json, &number);
            process->version = number >= 0 && number < 1e6 ? (int64_t)number : 0;
        } else if (flm_bytes_are(key, "startTime")) {
            flm_gecko_read_number(json, &process->start_time);
        } else if (flm_bytes_are(key, "interval")) {
            flm_gecko_read_number(json, &process->interval);
        } else if (flm_bytes_are(key, "product")) {
            flm_gecko_read_text(json, p, &process->product);
        } else if (flm_bytes_are(key, "platform")) {
            flm_gecko_read_text(json, p, &process->platform);
        } else if (flm_bytes_are(key, "oscpu")) {
            flm_gecko_read_text(json, p, &process->oscpu);
        } else if (flm_bytes_are(key, "abi")) {
            flm_gecko_read_text(json, p, &process->abi);
        } else if (flm_bytes_are(key, "arguments")) {
            flm_gecko_read_text(json, p, &process->arguments);
        } else if (flm_bytes_are(key, "sampleUnits") &&
                   flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT)) {
            while (flm_json_next_key(json, &key))
                if (flm_bytes_are(key, "threadCPUDelta"))
                    flm_gecko_read_text(json, p, &process->cpu_unit);
        } else if (flm_bytes_are(key, "categories") &&
                   flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY)) {
            process->categories.count = 0;
            while (flm_json_next_item(json))
                read_category(json, p, process);
        } else if (flm_bytes_are(key, "flamelNotes") &&
                   flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY)) {
            read_notes(json, p);
        } else if (flm_bytes_are(key, "markerSchema") &&
                   flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY)) {
            while (flm_json_next_item(json))
                read_marker_schema(json, p);
        }
    }
}

/* ---- Processes ------------------------------------------------------------------------------- */

static void read_process(struct flm_json *json, struct flm_gecko_profile *p, int depth);

/* Before version 5, the profile of another process is JSON inside a string. */
static void read_process_text(struct flm_json *json, struct flm_gecko_profile *p, int depth)
{
    struct flm_bytes text;
    if (!flm_json_string(json, &text))
        return;
    struct flm_text copy = {0};
    flm_gecko_copy_text(json, &copy, text);
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
    if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY))
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
    } else if (flm_bytes_are(key, "shared") && flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT)) {
        while (flm_json_next_key(json, &key))
            flm_gecko_read_tables_member(json, p, NULL, &process->shared, key);
    } else if (flm_bytes_are(key, "counters") && flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY)) {
        while (flm_json_next_item(json))
            read_counter(json, p, process);
    } else if (flm_bytes_are(key, "processes") && flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY)) {
        while (flm_json_next_item(json))
            read_process(json, p, depth + 1);
    } else if (depth == 0 && flm_bytes_are(key, "profile") &&
               flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT)) {
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
