#include "format/nsight/internal.h"
#include "format/rocm/rocpd.h"
#include "profile/internal.h"

/* ---- What is said about the recording -------------------------------------------------------- */

static void add_note(struct flm_nsight *n, const char *key, struct flm_bytes value)
{
    if (value.size > 0)
        flm_builder_note(n->builder, key, value.at, value.size);
}

/* Facts in tables of names and values, under the names that flamel has for them; NULL: a part of
 * the command. Environments are left out: they are nobody's business. */
static void read_facts(struct flm_nsight *n)
{
    static const char *const names[][2] = {{"EXPORT_PRODUCT_VERSION", "producer"},
                                           {"PROCESS_0:COMMAND", NULL},
                                           {"Hostname", "host"},
                                           {"CpuDescription", "cpu"},
                                           {"OsDescription", "os"}};
    static const char *const tables[] = {"META_DATA_EXPORT", "EXPORT_META_DATA",
                                         "META_DATA_CAPTURE", "TARGET_INFO_SYSTEM_ENV"};
    static const char *const wanted[] = {"name", "value", NULL};
    struct flm_text command = {0};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        struct flm_sqlite_rows rows;
        flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, tables[t]), wanted);
        while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder)) {
            struct flm_bytes name = rows.value[0].bytes, value = rows.value[1].bytes;
            bool is_argument = flm_bytes_start_with(name, "PROCESS_0:ARGUMENT_");
            for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                if (!flm_bytes_are(name, names[i][0]))
                    continue;
                is_argument |= !names[i][1];
                if (i > 0 && names[i][1])
                    add_note(n, names[i][1], value);
            }
            if (is_argument && command.size > 0)
                flm_text_putc(&command, ' ');
            if (is_argument)
                flm_text_add(&command, value);
            if (flm_bytes_are(name, names[0][0])) {
                struct flm_text producer = {0};
                flm_text_puts(&producer, "Nsight Systems ");
                flm_text_add(&producer, value);
                if (producer.failed)
                    flm_builder_fail_memory(n->builder);
                else
                    add_note(n, names[0][1], (struct flm_bytes){producer.at, producer.size});
                flm_text_clear(&producer);
            }
        }
        flm_sqlite_end(&rows);
    }
    if (command.failed)
        flm_builder_fail_memory(n->builder);
    else
        add_note(n, "command", (struct flm_bytes){command.at, command.size});
    flm_text_clear(&command);
}

static void read_column(struct flm_nsight *n, const char *table, const char *column,
                        const char *key)
{
    const char *const wanted[] = {column, NULL};
    struct flm_sqlite_rows rows;
    flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, table), wanted);
    if (flm_sqlite_next(&rows))
        add_note(n, key, rows.value[0].bytes);
    flm_sqlite_end(&rows);
}

/* What went wrong while it was recorded: of the levels 2 is a warning, 3 an error. */
static void read_diagnostics(struct flm_nsight *n)
{
    enum { WARNING = 2, ERROR = 3, MOST = 20 };
    static const char *const wanted[] = {"severity", "text", NULL};
    struct flm_sqlite_rows rows;
    unsigned count = 0;
    flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, "DIAGNOSTIC_EVENT"), wanted);
    while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder)) {
        int64_t severity = rows.value[0].integer;
        if (severity != WARNING && severity != ERROR)
            continue;
        if (count == MOST) {
            flm_builder_lost(n->builder, "warnings and errors of the recording, after the 20th", "",
                             0, 1);
            continue;
        }
        char key[40];
        struct flm_text text;
        flm_text_init_fixed(&text, key, sizeof key - 1);
        flm_text_format(&text, "%s %u", severity == ERROR ? "error" : "warning", ++count);
        key[text.size] = 0;
        add_note(n, key, rows.value[1].bytes);
    }
    flm_sqlite_end(&rows);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Tables that are read by name. */
static bool is_read(struct flm_bytes name)
{
    static const char *const tables[] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                         "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
                                         "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_MEMSET",
                                         "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                         "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                         "NVTX_EVENTS",
                                         "COMPOSITE_EVENTS"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (flm_sqlite_is_name(name, flm_bytes_of(tables[i])))
            return true;
    return false;
}

/* Events that have no place in a profile yet: counted by table. */
static void lose_table(struct flm_nsight *n, const struct flm_sqlite_table *table)
{
    static const char *const times[] = {"start", "timestamp", "rawTimestamp"};
    bool has_time = false;
    for (int i = 0; i < 3; i++)
        has_time |= flm_sqlite_has_column(&n->db, table, times[i]);
    uint64_t count = has_time ? flm_sqlite_count(&n->db, table) : 0;
    if (count == 0)
        return;
    char what[100];
    struct flm_text text;
    flm_text_init_fixed(&text, what, sizeof what - 1);
    flm_text_puts(&text, "events of the table ");
    flm_text_add(&text, flm_sqlite_name(&n->db, table->name));
    what[text.size] = 0;
    flm_builder_lost(n->builder, what, "", 0, (double)count);
}

static void read_tables(struct flm_nsight *n)
{
    for (size_t i = 0; i < n->db.tables.count && !flm_builder_failed(n->builder); i++) {
        const struct flm_sqlite_table *table = &n->db.tables.at[i];
        struct flm_bytes name = flm_sqlite_name(&n->db, table->name);
        bool is_about = flm_bytes_start_with(name, "TARGET_INFO") ||
                        flm_bytes_start_with(name, "ENUM_") ||
                        flm_sqlite_is_name(name, flm_bytes_of("DIAGNOSTIC_EVENT"));
        if (is_read(name) || is_about)
            continue;
        if (flm_nsight_has_calls(n, table))
            flm_nsight_read_calls(n, table);
        else
            lose_table(n, table);
    }
}

static bool has_processes(const struct flm_nsight *n)
{
    static const char *const tables[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_MEMSET"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct flm_sqlite_table *table = flm_sqlite_table(&n->db, tables[i]);
        if (table && !flm_sqlite_has_column(&n->db, table, "globalPid"))
            return false;
    }
    return true;
}

static void read_database(struct flm_nsight *n)
{
    n->has_processes = has_processes(n);
    read_facts(n);
    read_column(n, "TARGET_INFO_SESSION_START_TIME", "utcTime", "recorded");
    read_column(n, "TARGET_INFO_GPU", "name", "gpu");
    read_diagnostics(n);
    flm_nsight_read_names(n);
    flm_nsight_read_ranges(n);
    read_tables(n);
    flm_nsight_read_work(n);
    if (!flm_builder_failed(n->builder))
        flm_gpu_finish(&n->gpu);
    flm_nsight_read_samples(n);
    if (n->unknown_strings > 0)
        flm_builder_lost(n->builder, "names that StringIds lacks", "", 0,
                         (double)n->unknown_strings);
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Every export has one of them, and all of today both. */
static bool is_export(const struct flm_sqlite *db)
{
    static const char *const tables[] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                         "CUPTI_ACTIVITY_KIND_RUNTIME",
                                         "COMPOSITE_EVENTS",
                                         "NVTX_EVENTS",
                                         "OSRT_API",
                                         "TARGET_INFO_SYSTEM_ENV",
                                         "SCHED_EVENTS"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (flm_sqlite_table(db, "StringIds") && flm_sqlite_table(db, tables[i]))
            return true;
    return false;
}

static bool read_nsight(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct flm_nsight n = {.builder = builder, .options = options};
    n.gpu.builder = builder;
    n.gpu.options = options;
    if (!flm_source_all(source, why))
        return false;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    bool good = flm_sqlite_open(&n.db, all, why) && flm_sqlite_check(&n.db, options->lenient, why);
    if (good && is_export(&n.db))
        read_database(&n);
    else if (good)
        good = flm_rocpd_is(&n.db) ? flm_rocpd_read(&n.db, options, builder, why)
                                   : flm_sqlite_refuse(&n.db, why);
    good = good && flm_sqlite_report(&n.db, options->lenient, builder, why);
    flm_gpu_clear(&n.gpu);
    flm_nsight_clear_names(&n);
    flm_sqlite_clear(&n.db);
    return good;
}

/* Any database is ours to refuse, by its tables, or to pass on: its beginning need not have their
 * names. */
static int sniff_nsight(struct flm_bytes head, bool whole)
{
    (void)whole;
    /* What the first page is: a leaf of the tree of tables has the names of all of them. */
    enum { FIRST_PAGE = 100, LEAF = 0x0d };
    if (!flm_sqlite_is(head))
        return FLM_SNIFF_NO;
    if (flm_bytes_contain(head, "StringIds"))
        return FLM_SNIFF_MAGIC;
    bool is_leaf = head.size > FIRST_PAGE && head.at[FIRST_PAGE] == LEAF;
    return is_leaf ? FLM_SNIFF_MIXED : FLM_SNIFF_LIKELY;
}

const struct flm_format flm_format_nsight = {
    .name = "nsight",
    .title = "Nsight Systems",
    .extensions = ".sqlite",
    .description =
        "exports of Nsight Systems (nsys export --type sqlite): GPU work, calls, samples",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_nsight,
    .read = read_nsight,
};
