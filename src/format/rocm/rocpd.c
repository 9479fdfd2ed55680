/* rocpd.c - rocpd, the databases that rocprofv3 writes from ROCm 7 on.
 *
 *     rocpd_string_UUID           texts by number
 *     rocpd_event_UUID            of each of the following: its correlation (stack_id), category
 *     rocpd_region_UUID           calls of HIP, HSA, RCCL; ranges of roctx: "event time"
 *     rocpd_kernel_dispatch_UUID  "GPU time", below the call with the same correlation
 *     rocpd_memory_copy_UUID      likewise, and "copied"
 *     rocpd_info_..._UUID         processes, threads, devices (agents), kernels
 *
 * The tables of each process end with an identifier of the run, and several runs may be in one
 * database; views without it put them together, for people who ask by SQL. */
#include "format/rocm/rocpd.h"

#include "base/core/hash.h"
#include "base/text/json_read.h"
#include "format/gpu/gpu.h"
#include "format/sqlite/texts.h"
#include "profile/internal.h"

struct rocpd {
    struct flm_sqlite *db;
    struct flm_gpu gpu;
    struct flm_builder *builder;
    const struct flm_read_options *options;

    /* Of one run. */
    uint64_t run;
    struct flm_bytes suffix;
    struct flm_sqlite_texts strings, threads, processes, agents, kernels;
    struct flm_sqlite_texts events, categories; /* the message and correlation; the category */
    uint64_t unknown_events;
};

/* ---- Tables of a run ------------------------------------------------------------------------- */

static const char region_table[] = "rocpd_region", dispatch_table[] = "rocpd_kernel_dispatch";

/* "rocpd_region" and the run's suffix. */
static const struct flm_sqlite_table *find_table(const struct rocpd *r, const char *name)
{
    char full[200];
    struct flm_text text;
    flm_text_init_fixed(&text, full, sizeof full - 1);
    flm_text_puts(&text, name);
    flm_text_add(&text, r->suffix);
    full[text.size] = 0;
    return flm_sqlite_table(r->db, full);
}

static void begin_rows(struct rocpd *r, struct flm_sqlite_rows *rows, const char *table,
                       const char *const *wanted)
{
    flm_sqlite_begin(rows, r->db, find_table(r, table), wanted);
}

static bool next_row(struct rocpd *r, struct flm_sqlite_rows *rows)
{
    return !flm_builder_failed(r->builder) && flm_sqlite_next(rows);
}

static void add_text(struct rocpd *r, struct flm_sqlite_texts *texts, int64_t key, int64_t number,
                     struct flm_bytes text)
{
    if (!flm_sqlite_texts_add(texts, r->db, (uint64_t)key, number, text))
        flm_builder_fail_memory(r->builder);
}

static const struct flm_sqlite_text *find_text(const struct flm_sqlite_texts *texts,
                                               const struct flm_sqlite_value *key)
{
    static const struct flm_sqlite_text none = {0};
    const struct flm_sqlite_text *found = key->type == FLM_SQLITE_INTEGER
                                              ? flm_sqlite_texts_find(texts, (uint64_t)key->integer)
                                              : NULL;
    return found ? found : &none;
}

/* Tables of a number, another number, and one text or, where that is empty, another. */
static void read_texts(struct rocpd *r, const char *table, const char *const *wanted,
                       struct flm_sqlite_texts *texts)
{
    struct flm_sqlite_rows rows;
    begin_rows(r, &rows, table, wanted);
    while (next_row(r, &rows)) {
        bool has_first = rows.value[2].bytes.size > 0 || !wanted[3];
        add_text(r, texts, rows.value[0].integer, rows.value[1].integer,
                 rows.value[has_first ? 2 : 3].bytes);
    }
    flm_sqlite_end(&rows);
}

/* {"message":"step"}: the name of a range. */
static struct flm_bytes message_of(struct flm_bytes data, struct flm_json *json)
{
    struct flm_bytes key, text = {0};
    if (flm_json_type(json) != FLM_JSON_TYPE_OBJECT || data.size < 3)
        return text;
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key))
        if (flm_bytes_are(key, "message") && flm_json_type(json) == FLM_JSON_TYPE_STRING) {
            bool good = flm_json_string(json, &text);
            return good ? text : (struct flm_bytes){0};
        }
    return (struct flm_bytes){0};
}

/* The correlation that links a dispatch to a call is the internal one, which is called stack_id;
 * correlation_id is what the program may set. */
static void read_events(struct rocpd *r)
{
    static const char *const wanted[] = {"id", "stack_id", "extdata", "category_id", NULL};
    struct flm_sqlite_rows rows;
    begin_rows(r, &rows, "rocpd_event", wanted);
    while (next_row(r, &rows)) {
        struct flm_bytes data = rows.value[2].bytes, message = {0};
        struct flm_source source = flm_source_of(data);
        struct flm_json json;
        if (data.size > 2) {
            flm_json_init(&json, &source, NULL);
            message = message_of(data, &json);
        }
        add_text(r, &r->events, rows.value[0].integer, rows.value[1].integer, message);
        add_text(r, &r->categories, rows.value[0].integer, 0,
                 find_text(&r->strings, &rows.value[3])->text);
        if (data.size > 2)
            flm_json_clear(&json);
    }
    flm_sqlite_end(&rows);
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

static uint32_t thread_of(struct rocpd *r, const struct flm_sqlite_value *process,
                          const struct flm_sqlite_value *thread)
{
    uint64_t key = flm_mix(r->run + 1, (uint64_t)thread->integer + 2) << 1;
    uint32_t found = flm_gpu_find_track(&r->gpu, key);
    if (found != FLM_NONE)
        return found;
    const struct flm_sqlite_text *p = find_text(&r->processes, process);
    const struct flm_sqlite_text *t = find_text(&r->threads, thread);
    return flm_gpu_add_thread(&r->gpu, key, p->number, p->text, t->number, t->text);
}

static uint32_t stream_of(struct rocpd *r, const struct flm_sqlite_value *process,
                          const struct flm_sqlite_value *agent,
                          const struct flm_sqlite_value *stream)
{
    uint64_t key = flm_mix(flm_mix(r->run + 1, (uint64_t)process->integer + 2),
                           flm_mix((uint64_t)agent->integer + 3, (uint64_t)stream->integer + 4))
                       << 1 |
                   1;
    uint32_t found = flm_gpu_find_track(&r->gpu, key);
    if (found != FLM_NONE)
        return found;
    const struct flm_sqlite_text *p = find_text(&r->processes, process);
    return flm_gpu_add_stream(&r->gpu, key, p->number, p->text,
                              find_text(&r->agents, agent)->number, stream->integer);
}

/* ---- Events ---------------------------------------------------------------------------------- */

enum { START, END, PROCESS, EVENT, FIRST };

#define COMMON "start", "end", "pid", "event_id"

static uint64_t group_of(const struct rocpd *r, const struct flm_sqlite_value *value)
{
    return flm_mix(r->run + 1, (uint64_t)value[PROCESS].integer + 2);
}

/* 0 is none: copies that no call asked for. */
static int64_t correlation_of(struct rocpd *r, const struct flm_sqlite_value *value)
{
    const struct flm_sqlite_text *event = find_text(&r->events, &value[EVENT]);
    r->unknown_events += event->key == 0 && value[EVENT].integer != 0;
    return event->number > 0 ? event->number : -1;
}

static void add_marker(struct rocpd *r, const struct flm_sqlite_value *value, uint32_t track,
                       struct flm_bytes name)
{
    if (track != FLM_NONE && r->options->keep_times)
        flm_builder_marker(r->builder, value[START].integer, 0,
                           flm_builder_string(r->builder, name.at, name.size),
                           (struct flm_string){0}, r->gpu.tracks.at[track].labels);
}

static void read_regions(struct rocpd *r)
{
    static const char *const wanted[] = {COMMON, "tid", "name_id", NULL};
    struct flm_sqlite_rows rows;
    begin_rows(r, &rows, region_table, wanted);
    while (next_row(r, &rows)) {
        const struct flm_sqlite_value *value = rows.value;
        struct flm_bytes message = find_text(&r->events, &value[EVENT])->text;
        struct flm_bytes category = find_text(&r->categories, &value[EVENT])->text;
        bool is_range = message.size > 0;
        uint32_t track = thread_of(r, &value[PROCESS], &value[FIRST]);
        if (is_range && value[START].integer == value[END].integer) {
            add_marker(r, value, track, message);
            continue;
        }
        char module[64];
        struct flm_text text;
        flm_text_init_fixed(&text, module, sizeof module - 1);
        flm_text_add(&text, category);
        module[text.size] = 0;
        struct flm_bytes name =
            is_range ? message : find_text(&r->strings, &value[FIRST + 1])->text;
        struct flm_gpu_call call = {
            .group = group_of(r, value),
            .correlation = correlation_of(r, value),
            .frame = flm_gpu_frame(r->builder, name, is_range ? "roctx" : module,
                                   is_range ? FLM_KIND_PLAIN : FLM_KIND_NATIVE),
            .is_range = is_range,
        };
        flm_gpu_add_call(&r->gpu, track, value[START].integer, value[END].integer, &call);
    }
    flm_sqlite_end(&rows);
}

static void add_work(struct rocpd *r, const struct flm_sqlite_value *value,
                     const struct flm_sqlite_text *name, const char *module, uint64_t bytes)
{
    struct flm_gpu_work work = {
        .group = group_of(r, value),
        .correlation = correlation_of(r, value),
        .time_ns = value[START].integer,
        .bytes = bytes,
        .frame = flm_gpu_frame(r->builder, name->text, module, FLM_KIND_GPU),
        .track = stream_of(r, &value[PROCESS], &value[FIRST], &value[FIRST + 1]),
    };
    flm_gpu_add_work(&r->gpu, value[END].integer, &work);
}

static void read_work(struct rocpd *r)
{
    static const char *const dispatch[] = {COMMON, "agent_id", "stream_id", "kernel_id", NULL};
    static const char *const copy[] = {COMMON,    "dst_agent_id", "stream_id",
                                       "name_id", "size",         NULL};
    struct flm_sqlite_rows rows;
    begin_rows(r, &rows, dispatch_table, dispatch);
    while (next_row(r, &rows))
        add_work(r, rows.value, find_text(&r->kernels, &rows.value[FIRST + 2]), "kernel", 0);
    flm_sqlite_end(&rows);
    begin_rows(r, &rows, "rocpd_memory_copy", copy);
    while (next_row(r, &rows)) {
        int64_t size = rows.value[FIRST + 3].integer;
        add_work(r, rows.value, find_text(&r->strings, &rows.value[FIRST + 2]), "memcpy",
                 size > 0 ? (uint64_t)size : 0);
    }
    flm_sqlite_end(&rows);
}

/* What has no place in a profile yet. */
static void count_others(struct rocpd *r)
{
    static const char *const tables[][2] = {{"rocpd_pmc_event", "values of hardware counters"},
                                            {"rocpd_sample", "samples without a stack"},
                                            {"rocpd_memory_allocate", "allocations of GPU memory"}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct flm_sqlite_table *table = find_table(r, tables[i][0]);
        uint64_t count = table ? flm_sqlite_count(r->db, table) : 0;
        if (count > 0)
            flm_builder_lost(r->builder, tables[i][1], "", 0, (double)count);
    }
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void add_note(struct rocpd *r, const char *key, const char *table, const char *column)
{
    const char *const wanted[] = {column, NULL};
    struct flm_sqlite_rows rows;
    begin_rows(r, &rows, table, wanted);
    if (next_row(r, &rows) && rows.value[0].bytes.size > 0)
        flm_builder_note(r->builder, key, rows.value[0].bytes.at, rows.value[0].bytes.size);
    flm_sqlite_end(&rows);
}

static void clear_run(struct rocpd *r)
{
    flm_sqlite_texts_clear(&r->strings);
    flm_sqlite_texts_clear(&r->threads);
    flm_sqlite_texts_clear(&r->processes);
    flm_sqlite_texts_clear(&r->agents);
    flm_sqlite_texts_clear(&r->kernels);
    flm_sqlite_texts_clear(&r->events);
    flm_sqlite_texts_clear(&r->categories);
}

static void read_run(struct rocpd *r)
{
    static const char *const string[] = {"id", "none", "string", NULL};
    static const char *const thread[] = {"id", "tid", "name", NULL};
    static const char *const process[] = {"id", "pid", "name", "command", NULL};
    static const char *const agent[] = {"id", "type_index", "name", NULL};
    static const char *const kernel[] = {"id", "none", "display_name", "kernel_name", NULL};
    read_texts(r, "rocpd_string", string, &r->strings);
    read_texts(r, "rocpd_info_thread", thread, &r->threads);
    read_texts(r, "rocpd_info_process", process, &r->processes);
    read_texts(r, "rocpd_info_agent", agent, &r->agents);
    read_texts(r, "rocpd_info_kernel_symbol", kernel, &r->kernels);
    read_events(r);
    read_regions(r);
    read_work(r);
    count_others(r);
    add_note(r, "host", "rocpd_info_node", "hostname");
    for (size_t i = 0; i < r->processes.items.count && !flm_builder_failed(r->builder); i++) {
        struct flm_bytes command = r->processes.items.at[i].text;
        if (command.size > 0)
            flm_builder_note(r->builder, "command", command.at, command.size);
    }
    clear_run(r);
}

/* A table of a name and a suffix: the suffix; false for others. */
static bool has_prefix(const struct flm_sqlite *db, const struct flm_sqlite_table *table,
                       const char *prefix, struct flm_bytes *suffix)
{
    struct flm_bytes name = flm_sqlite_name(db, table->name);
    size_t size = strlen(prefix);
    if (!flm_bytes_start_with(name, prefix) || (name.size > size && name.at[size] != '_'))
        return false;
    *suffix = flm_bytes_from(name, size);
    return true;
}

bool flm_rocpd_is(const struct flm_sqlite *db)
{
    struct flm_bytes suffix;
    for (size_t i = 0; i < db->tables.count; i++)
        if (has_prefix(db, &db->tables.at[i], "rocpd_event", &suffix))
            return true;
    return false;
}

static bool check_columns(const struct flm_sqlite *db, struct flm_error *why)
{
    static const char *const tables[] = {region_table, dispatch_table};
    struct flm_bytes suffix;
    for (size_t i = 0; i < 2 * db->tables.count; i++) {
        const struct flm_sqlite_table *table = &db->tables.at[i / 2];
        if (has_prefix(db, table, tables[i % 2], &suffix) &&
            !flm_sqlite_has_column(db, table, "start"))
            return flm_error_set(why, FLM_ERROR_FORMAT,
                                 "this database is of a rocprofv3 before ROCm 7.0, whose tables "
                                 "were others: 'rocpd convert -i FILE -f csv' makes tables that "
                                 "flamel reads");
    }
    return true;
}

bool flm_rocpd_read(struct flm_sqlite *db, const struct flm_read_options *options,
                    struct flm_builder *builder, struct flm_error *why)
{
    struct rocpd r = {.db = db, .builder = builder, .options = options};
    if (!check_columns(db, why))
        return false;
    r.gpu.builder = builder;
    r.gpu.options = options;
    flm_builder_note(builder, "producer", "rocprofv3", 9);
    for (size_t i = 0; i < db->tables.count && !flm_builder_failed(builder); i++)
        if (has_prefix(db, &db->tables.at[i], "rocpd_event", &r.suffix)) {
            read_run(&r);
            r.run++;
        }
    if (!flm_builder_failed(builder))
        flm_gpu_finish(&r.gpu);
    if (r.unknown_events > 0)
        flm_builder_lost(builder, "correlations of calls and GPU work", "", 0,
                         (double)r.unknown_events);
    clear_run(&r);
    flm_gpu_clear(&r.gpu);
    return true;
}

static bool read_rocpd(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    struct flm_sqlite db = {0};
    if (!flm_source_all(source, why))
        return false;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    bool good = flm_sqlite_open(&db, all, why) && flm_sqlite_check(&db, options->lenient, why) &&
                (flm_rocpd_is(&db) || flm_sqlite_refuse(&db, why)) &&
                flm_rocpd_read(&db, options, builder, why) &&
                flm_sqlite_report(&db, options->lenient, builder, why);
    flm_sqlite_clear(&db);
    return good;
}

static int sniff_rocpd(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_sqlite_is(head) && flm_bytes_contain(head, "rocpd_") ? FLM_SNIFF_MAGIC
                                                                    : FLM_SNIFF_NO;
}

const struct flm_format flm_format_rocpd = {
    .name = "rocpd",
    .title = "rocpd",
    .extensions = ".db",
    .description = "databases of rocprofv3 (ROCm 7): GPU work, calls of HIP and HSA, roctx ranges",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_rocpd,
    .read = read_rocpd,
};
