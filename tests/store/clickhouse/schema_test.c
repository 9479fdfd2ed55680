/* Statements that make tables, in the dialect of a server. */
#include "store/clickhouse/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct flm_text statements_of(const char *version, const char *cluster)
{
    struct flm_clickhouse_location at = {.database = "db"};
    struct flm_text out = {0};
    struct flm_clickhouse_dialect dialect = flm_clickhouse_dialect_of(flm_bytes_of(version));
    snprintf(at.cluster, sizeof at.cluster, "%s", cluster);
    flm_clickhouse_schema(&dialect, &at, &out);
    for (size_t i = 0; i < out.size; i++)
        out.at[i] = out.at[i] ? out.at[i] : '\n';
    flm_text_putc(&out, 0);
    return out;
}

static void a_version_says_what_a_server_can_do(void **state)
{
    (void)state;
    struct flm_clickhouse_dialect d = flm_clickhouse_dialect_of(flm_bytes_of("18.16.1\n"));
    assert_int_equal(d.major, 18);
    assert_int_equal(d.minor, 16);
    assert_false(d.has_codecs || d.has_low_cardinality || d.has_fsync || d.has_all_replicas);
    d = flm_clickhouse_dialect_of(flm_bytes_of("19.1.5"));
    assert_true(d.has_codecs && !d.has_low_cardinality && !d.has_fsync);
    d = flm_clickhouse_dialect_of(flm_bytes_of("26.5.3.1"));
    assert_true(d.has_codecs && d.has_low_cardinality && d.has_fsync && d.has_all_replicas);
    assert_int_equal(flm_clickhouse_dialect_of(flm_bytes_of("<html>")).major, 0);
}

static void an_old_server_gets_nothing_that_it_does_not_know(void **state)
{
    (void)state;
    struct flm_text old = statements_of("18.16.1", ""), new = statements_of("26.5.3", "");
    assert_null(strstr(old.at, "CODEC"));
    assert_null(strstr(old.at, "LowCardinality"));
    assert_null(strstr(old.at, "fsync"));
    assert_null(strstr(old.at, "Replicated"));
    assert_non_null(strstr(new.at, "tenant LowCardinality(String) CODEC(ZSTD(1))"));
    assert_non_null(strstr(new.at, "fsync_after_insert = 1"));
    flm_text_clear(&old);
    flm_text_clear(&new);
}

static void a_cluster_has_replicated_tables_and_one_over_them(void **state)
{
    (void)state;
    struct flm_text all = statements_of("18.16.1", "main");
    assert_non_null(strstr(all.at, "CREATE DATABASE IF NOT EXISTS db ON CLUSTER main\n"));
    assert_non_null(strstr(all.at, "CREATE TABLE IF NOT EXISTS db.runs_shard ON CLUSTER main ("));
    assert_non_null(strstr(all.at,
                           "ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/db/runs', "
                           "'{replica}', (total, pointsMap))"));
    assert_non_null(strstr(all.at,
                           "CREATE TABLE IF NOT EXISTS db.runs ON CLUSTER main AS "
                           "db.runs_shard ENGINE = Distributed(main, db, runs_shard, slot)"));
    flm_text_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_says_what_a_server_can_do),
        cmocka_unit_test(an_old_server_gets_nothing_that_it_does_not_know),
        cmocka_unit_test(a_cluster_has_replicated_tables_and_one_over_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
