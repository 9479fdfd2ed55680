#include "store/clickhouse/schema.h"

struct column {
    const char *name, *type, *codec; /* codec NULL: ZSTD(1) */
};

struct table {
    const char *name;
    const char *engine;     /* the family, without Replicated */
    const char *parameters; /* of the engine; "": none */
    const char *partition, *order;
    const struct column *columns; /* the last has no name */
};

/* Names repeat in rows that are next to each other. */
#define NAME "LowCardinality(String)"

static const struct column runs[] = {
    {"tenant", NAME, NULL},
    {"service", NAME, NULL},
    {"type", NAME, NULL},
    {"hour", "DateTime('UTC')", NULL},
    {"stack", "FixedString(16)", NULL},
    {"series", "UInt64", NULL},
    {"slot", "UInt8", NULL},
    {"total", "Float64", NULL},
    {"`pointsMap.ms`", "Array(UInt32)", "Delta(4), ZSTD(1)"},
    {"`pointsMap.value`", "Array(Float64)", NULL},
    {NULL, NULL, NULL},
};

static const struct column stacks[] = {
    {"tenant", NAME, NULL},
    {"id", "FixedString(16)", NULL},
    {"day", "Date", NULL},
    {"slot", "UInt8", NULL},
    {"functions", "Array(String)", NULL},
    {"modules", "Array(String)", NULL},
    {"files", "Array(String)", NULL},
    {"lines", "Array(UInt32)", NULL},
    {"addresses", "Array(UInt64)", NULL},
    {"kinds", "Array(UInt8)", NULL},
    {"flags", "Array(UInt8)", NULL},
    {NULL, NULL, NULL},
};

static const struct column series[] = {
    {"tenant", NAME, NULL},   {"key", NAME, NULL},   {"value", "String", NULL},
    {"text", "String", NULL}, {"day", "Date", NULL}, {"slot", "UInt8", NULL},
    {NULL, NULL, NULL},
};

static const struct column views[] = {
    {"tenant", "String", NULL},  {"name", "String", NULL}, {"text", "String", NULL},
    {"version", "UInt64", NULL}, {"slot", "UInt8", NULL},  {NULL, NULL, NULL},
};

static const struct table tables[] = {
    {"runs", "SummingMergeTree", "(total, pointsMap)", "toDate(hour)",
     "tenant, service, type, hour, stack, series", runs},
    {"stacks", "ReplacingMergeTree", "", "day", "tenant, id", stacks},
    {"series", "ReplacingMergeTree", "", "day", "tenant, key, value, text", series},
    {"views", "ReplacingMergeTree", "version", "tuple()", "tenant, name", views},
};

struct flm_clickhouse_dialect flm_clickhouse_dialect_of(struct flm_bytes version)
{
    unsigned numbers[2] = {0, 0};
    size_t at = 0;
    for (int i = 0; i < 2; i++, at++)
        for (; at < version.size && version.at[at] >= '0' && version.at[at] <= '9'; at++)
            if (numbers[i] < 100000)
                numbers[i] = 10 * numbers[i] + (unsigned)(version.at[at] - '0');
    unsigned combined = 100 * numbers[0] + (numbers[1] < 100 ? numbers[1] : 99);
    return (struct flm_clickhouse_dialect){.major = numbers[0],
                                           .minor = numbers[1],
                                           .has_codecs = combined >= 1901,
                                           .has_low_cardinality = combined >= 1903,
                                           .has_fsync = combined >= 2011,
                                           .has_all_replicas = combined >= 2001};
}

const char *flm_clickhouse_local(const struct flm_clickhouse_location *location)
{
    return location->cluster[0] ? "_shard" : "";
}

void flm_clickhouse_on_cluster(const struct flm_clickhouse_location *location, struct flm_text *sql)
{
    if (location->cluster[0])
        flm_text_format(sql, " ON CLUSTER %s", location->cluster);
}

static void put_columns(const struct flm_clickhouse_dialect *dialect, const struct column *column,
                        struct flm_text *sql)
{
    for (bool first = true; column->name; column++, first = false) {
        bool is_name = strcmp(column->type, NAME) == 0;
        flm_text_format(sql, "%s%s %s", first ? "" : ", ", column->name,
                        is_name && !dialect->has_low_cardinality ? "String" : column->type);
        if (dialect->has_codecs)
            flm_text_format(sql, " CODEC(%s)", column->codec ? column->codec : "ZSTD(1)");
    }
}

static void put_table(const struct flm_clickhouse_dialect *dialect,
                      const struct flm_clickhouse_location *location, const struct table *table,
                      struct flm_text *sql)
{
    const char *database = location->database;
    bool is_replicated = location->cluster[0] != 0;
    flm_text_format(sql, "CREATE TABLE IF NOT EXISTS %s.%s%s", database, table->name,
                    flm_clickhouse_local(location));
    flm_clickhouse_on_cluster(location, sql);
    flm_text_puts(sql, " (");
    put_columns(dialect, table->columns, sql);
    flm_text_format(sql, ") ENGINE = %s%s(", is_replicated ? "Replicated" : "", table->engine);
    if (is_replicated)
        flm_text_format(sql, "'/clickhouse/tables/{shard}/%s/%s', '{replica}'%s", database,
                        table->name, *table->parameters ? ", " : "");
    flm_text_format(sql, "%s) PARTITION BY %s ORDER BY (%s) SETTINGS index_granularity = 8192",
                    table->parameters, table->partition, table->order);
    if (is_replicated)
        flm_text_puts(sql, ", replicated_deduplication_window = 10000");
    if (dialect->has_fsync)
        flm_text_puts(sql, ", fsync_after_insert = 1, fsync_part_directory = 1");
    flm_text_putc(sql, 0);
    if (!is_replicated)
        return;
    flm_text_format(sql, "CREATE TABLE IF NOT EXISTS %s.%s", database, table->name);
    flm_clickhouse_on_cluster(location, sql);
    flm_text_format(sql, " AS %s.%s_shard ENGINE = Distributed(%s, %s, %s_shard, slot)", database,
                    table->name, location->cluster, database, table->name);
    flm_text_putc(sql, 0);
}

void flm_clickhouse_schema(const struct flm_clickhouse_dialect *dialect,
                           const struct flm_clickhouse_location *location,
                           struct flm_text *statements)
{
    flm_text_format(statements, "CREATE DATABASE IF NOT EXISTS %s", location->database);
    flm_clickhouse_on_cluster(location, statements);
    flm_text_putc(statements, 0);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        put_table(dialect, location, &tables[i], statements);
}
