/* The store against the plainest model of it: a list of profiles, added up. */
#include "flamel/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/array.h"
#include "base/text/text.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "store/labels/series_labels.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/store/open_store.h"

enum { MINUTE = 60 * 1000, HOUR = 60 * MINUTE };
static const int64_t BEGIN = (int64_t)500000 * HOUR; /* an hour and a day begin here */

/* ---- The model ------------------------------------------------------------------------------- */

struct kept {
    struct flm_profile *profile;
    char service[8], region[8];
    int64_t time_ms;
};
struct FLM_ARRAY(struct kept) kept;

static struct flm_profile *small_profile(uint64_t *random)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metrics[] = {flm_builder_metric(b, "cpu", "ns"),
                                   flm_builder_metric(b, "alloc", "bytes")};
    for (unsigned stacks = 1 + random_below(random, 8); stacks > 0; stacks--) {
        struct flm_node node = flm_builder_root(b);
        for (unsigned depth = 1 + random_below(random, 5); depth > 0; depth--) {
            char name[8];
            snprintf(name, sizeof name, "f%u", random_below(random, 6));
            struct flm_string strings[] = {
                flm_builder_string(b, name, strlen(name)),
                flm_builder_string(b, "app", random_below(random, 2) * 3)};
            struct flm_frame_record record = {.function = strings[0].index,
                                              .module = strings[1].index,
                                              .kind = random_below(random, 3)};
            node = flm_builder_child(b, node, flm_builder_frame(b, &record));
        }
        flm_builder_add(b, node, metrics[random_below(random, 2)],
                        10.0 * (1 + random_below(random, 50)));
    }
    return flm_builder_finish(b, NULL);
}

static void forget_all(void)
{
    for (size_t i = 0; i < kept.count; i++)
        flm_profile_free(kept.at[i].profile);
    FLM_ARRAY_CLEAR(&kept);
}

static struct flm_text bytes_of(struct flm_profile *p)
{
    struct flm_text text = {0};
    assert_non_null(p);
    assert_true(flm_profile_write(p, flm_text_sink, &text));
    flm_profile_free(p);
    return text;
}

/* One metric of a profile, alone. */
static struct flm_profile *metric_alone(const struct flm_profile *p, const char *name)
{
    struct flm_metric metric = flm_profile_metric_named(p, name);
    const struct flm_metric_record *record = flm_profile_metric(p, metric);
    double weights[8] = {0};
    weights[metric.index] = 1;
    char unit[16];
    struct flm_name text = flm_profile_string(p, (struct flm_string){record->unit});
    snprintf(unit, sizeof unit, "%.*s", (int)text.size, text.at);
    const struct flm_combination only = {name, unit, weights};
    return flm_combine(p, &only, 1, NULL);
}

static struct flm_profile *expected_of(const char *service, const char *region, const char *metric,
                                       int64_t from, int64_t until)
{
    struct flm_profile *parts[2000];
    size_t count = 0;
    for (size_t i = 0; i < kept.count; i++) {
        const struct kept *k = &kept.at[i];
        if ((service && strcmp(service, k->service) != 0) ||
            (region && strcmp(region, k->region) != 0) || k->time_ms < from || k->time_ms >= until)
            continue;
        struct flm_profile *alone = metric_alone(k->profile, metric);
        if (flm_profile_node_count(alone) > 1)
            parts[count++] = alone;
        else
            flm_profile_free(alone);
    }
    if (count == 0)
        return NULL;
    struct flm_profile *sum =
        flm_align((const struct flm_profile *const *)parts, count, FLM_ALIGN_ADD, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        flm_profile_free(parts[i]);
    return sum;
}

/* ---- Using it -------------------------------------------------------------------------------- */

static void append_one(struct flm_store *store, uint64_t *random, int64_t time_ms)
{
    static const char *const services[] = {"api", "web", "job"}, *const regions[] = {"eu", "us"};
    struct kept k = {.profile = small_profile(random), .time_ms = time_ms};
    snprintf(k.service, sizeof k.service, "%s", services[random_below(random, 3)]);
    snprintf(k.region, sizeof k.region, "%s", regions[random_below(random, 2)]);
    const struct flm_store_label_text labels[] = {{"region", k.region}, {"service", k.service}};
    const struct flm_store_batch batch = {k.profile, NULL, labels, 2, time_ms};
    struct flm_error why = {0};
    if (!flm_store_append(store, &batch, 1, &why))
        fail_msg("%s", why.text);
    assert_true(FLM_ARRAY_ADD(&kept, k));
}

/* A group has what a selector for its labels finds. */
struct grouped {
    struct flm_store *store;
    struct flm_store_query query;
    int64_t step;
    double sum;
    size_t groups;
};

static bool check_group(void *context, const char *const *labels, const double *values)
{
    struct grouped *g = context;
    double alone[7] = {0};
    char selector[64];
    struct flm_store_query query = g->query;
    snprintf(selector, sizeof selector, "region=%s none='%s' service=%s", labels[0], labels[1],
             labels[2]);
    query.selector = selector;
    assert_string_equal(labels[1], "");
    assert_true(flm_store_timeline(g->store, &query, g->step, alone, 7, NULL));
    assert_memory_equal(alone, values, sizeof alone);
    for (int i = 0; i < 7; i++)
        g->sum += values[i];
    g->groups++;
    return true;
}

static void check_query(struct flm_store *store, const char *service, const char *region,
                        const char *metric, int64_t from, int64_t until)
{
    char selector[64] = "";
    if (service)
        snprintf(selector, sizeof selector, "service=%s ", service);
    if (region)
        snprintf(selector + strlen(selector), sizeof selector - strlen(selector), "region=~%c.",
                 region[0]);
    struct flm_store_query query = {.size = sizeof query,
                                    .selector = selector,
                                    .type = metric,
                                    .from_ms = from,
                                    .until_ms = until};
    struct flm_error why = {0};
    struct flm_profile *got = flm_store_merge(store, &query, &why);
    struct flm_profile *wanted = expected_of(service, region, metric, from, until);
    if (!got)
        fail_msg("%s", why.text);
    double total = wanted ? flm_profile_total(wanted, (struct flm_metric){0}) : 0, steps[7] = {0},
           sum = 0;
    if (!wanted) {
        assert_int_equal(flm_profile_node_count(got), 1);
        flm_profile_free(got);
    } else {
        struct flm_text a = bytes_of(got), b = bytes_of(wanted);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.at, b.at, a.size);
        flm_text_clear(&a);
        flm_text_clear(&b);
    }
    int64_t step = (until - from) / 7 + 1;
    assert_true(flm_store_timeline(store, &query, step, steps, 7, &why));
    for (int i = 0; i < 7; i++)
        sum += steps[i];
    assert_true(sum == total);
    struct grouped g = {.store = store, .query = query, .step = step};
    static const char *const by[] = {"region", "none", "service_name"};
    assert_true(flm_store_timelines(store, &query, by, 3, step, 7, 6, check_group, &g, &why));
    assert_true(g.sum == total);
    if (g.groups > 1) {
        assert_false(flm_store_timelines(store, &query, by, 3, step, 7, g.groups - 1, check_group,
                                         &g, &why));
        assert_int_equal(why.kind, FLM_ERROR_RANGE);
    }
}

static void check_all(struct flm_store *store, uint64_t *random)
{
    static const char *const services[] = {NULL, "api", "web", "none"}, *const regions[] = {NULL,
                                                                                            "eu"};
    static const char *const metrics[] = {"cpu", "alloc"};
    for (int i = 0; i < 12; i++) {
        int64_t from = BEGIN + (int64_t)random_below(random, 30 * 60) * MINUTE;
        int64_t until = from + (int64_t)random_below(random, 20 * 60) * MINUTE;
        bool all = i % 3 == 0;
        check_query(store, services[random_below(random, 4)], regions[random_below(random, 2)],
                    metrics[random_below(random, 2)], all ? 0 : from, all ? INT64_MAX : until);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void whatever_is_done_meanwhile_queries_are_sums(void **state)
{
    (void)state;
    uint64_t random = 23;
    struct flm_error why = {0};
    uint64_t count;
    struct flm_store *store = open_store("model");
    for (int round = 0; round < 60; round++) {
        for (unsigned i = random_below(&random, 12); i > 0; i--)
            append_one(store, &random,
                       BEGIN + (int64_t)random_below(&random, 30 * 60) * MINUTE +
                           random_below(&random, 3));
        switch (random_below(&random, 5)) {
        case 0:
            assert_true(flm_store_seal(store, &why));
            break;
        case 1:
            assert_true(flm_store_compact(store, BEGIN + (int64_t)random_below(&random, 40) * HOUR,
                                          &count, &why));
            break;
        case 2:
            flm_store_close(store);
            store = open_store("model");
            assert_int_equal(flm_store_recovered(store).damaged_entries, 0);
            assert_int_equal(flm_store_recovered(store).removed_files, 0);
            break;
        default:
            check_all(store, &random);
        }
    }
    assert_true(flm_store_seal(store, &why));
    assert_true(flm_store_compact(store, INT64_MAX, &count, &why));
    check_all(store, &random);
    struct flm_store_stats stats = flm_store_stats(store);
    assert_int_equal(stats.pending_batches, 0);
    assert_int_equal(stats.segments, 2); /* two days */
    assert_true(flm_store_check(store, &why));
    flm_store_close(store);
    forget_all();
}

static bool append_text(void *context, struct flm_name text)
{
    flm_text_format(context, "[%.*s]", (int)text.size, text.at);
    return true;
}

static bool append_typed(void *context, const struct flm_store_label_text *labels, size_t count,
                         struct flm_name type)
{
    assert_int_equal(count, 2);
    assert_string_equal(labels[0].key, "service_name");
    assert_string_equal(labels[1].key, "region");
    flm_text_format(context, "(%s %s %.*s)", labels[0].value, labels[1].value, (int)type.size,
                    type.at);
    return true;
}

static void types_labels_and_series_are_listed(void **state)
{
    (void)state;
    uint64_t random = 29;
    struct flm_store *store = open_store("lists");
    for (int i = 0; i < 60; i++)
        append_one(store, &random, BEGIN + i * MINUTE);
    const struct flm_store_label_text labels[] = {{"service", "hidden"}};
    const struct flm_store_batch other = {kept.at[0].profile, "other", labels, 1, BEGIN};
    assert_true(flm_store_append(store, &other, 1, NULL));
    struct flm_store_query query = {
        .size = sizeof query, .selector = "service=~'a.*|web'", .until_ms = INT64_MAX};
    for (int sealed = 0; sealed < 2; sealed++) {
        struct flm_text text = {0};
        assert_true(flm_store_types(store, &query, append_text, &text, NULL));
        assert_true(flm_store_label_names(store, &query, append_text, &text, NULL));
        assert_true(flm_store_label_values(store, &query, "service", append_text, &text, NULL));
        assert_true(flm_store_series(store, &query, append_text, &text, NULL));
        assert_string_equal((flm_text_putc(&text, 0), text.at),
                            "[alloc:bytes][cpu:ns][region][service_name][api][web]"
                            "[service_name=api region=eu][service_name=api region=us]"
                            "[service_name=web region=eu][service_name=web region=us]");
        text.size = 0;
        struct flm_store_query few = query;
        few.selector = "service!=api region=us";
        few.type = "cpu";
        assert_true(flm_store_typed_series(store, &few, append_typed, &text, NULL));
        assert_true(flm_store_label_values(store, &few, "region", append_text, &text, NULL));
        few.selector = NULL;
        assert_true(flm_store_label_values(store, &few, "service", append_text, &text, NULL));
        few.until_ms = BEGIN;
        assert_true(flm_store_typed_series(store, &few, append_typed, &text, NULL));
        assert_string_equal((flm_text_putc(&text, 0), text.at),
                            "(job us cpu:ns)(web us cpu:ns)[us][api][job][web]");
        flm_text_clear(&text);
        assert_true(flm_store_seal(store, NULL));
    }
    flm_store_close(store);
    forget_all();
}

static bool append_view(void *context, struct flm_name name, struct flm_name text)
{
    flm_text_format(context, "[%.*s %.*s]", (int)name.size, name.at, (int)text.size, text.at);
    return true;
}

static void views_are_kept_by_name(void **state)
{
    (void)state;
    struct flm_store *store = open_store("views");
    const struct flm_name one = {"?1", 2}, two = {"?22", 3};
    struct flm_text text = {0};
    assert_true(flm_store_save_view(store, "t", "b", &one, NULL));
    assert_true(flm_store_save_view(store, "t", "a", &one, NULL));
    assert_true(flm_store_save_view(store, NULL, "c", &one, NULL));
    flm_store_close(store);
    store = open_store("views");
    assert_true(flm_store_save_view(store, "t", "b", &two, NULL));
    assert_true(flm_store_views(store, "t", append_view, &text, NULL));
    assert_true(flm_store_save_view(store, "t", "b", NULL, NULL));
    assert_true(flm_store_views(store, "t", append_view, &text, NULL));
    assert_string_equal((flm_text_putc(&text, 0), text.at), "[a ?1][b ?22][a ?1]");
    flm_text_clear(&text);
    flm_store_close(store);
    forget_all();
}

static void tenants_do_not_see_each_other(void **state)
{
    (void)state;
    uint64_t random = 31;
    struct flm_store *store = open_store("tenants");
    struct flm_profile *p = small_profile(&random);
    const struct flm_store_label_text labels[] = {{"service", "api"}};
    for (int i = 0; i < 3; i++) {
        const struct flm_store_batch batch = {p, i ? "b" : "a", labels, 1, BEGIN + i};
        assert_true(flm_store_append(store, &batch, 1, NULL));
    }
    for (int sealed = 0; sealed < 2; sealed++) {
        for (int i = 0; i < 3; i++) {
            static const char *const tenants[] = {"a", "b", "c"};
            struct flm_store_query query = {
                .size = sizeof query, .tenant = tenants[i], .until_ms = INT64_MAX};
            struct flm_profile *got = flm_store_merge(store, &query, NULL);
            double sum = 0, one = 0;
            for (uint32_t m = 0; m < flm_profile_metric_count(got); m++)
                sum += flm_profile_total(got, (struct flm_metric){m});
            for (uint32_t m = 0; m < flm_profile_metric_count(p); m++)
                one += flm_profile_total(p, (struct flm_metric){m});
            assert_true(sum == (i == 2 ? 0 : (i + 1) * one));
            flm_profile_free(got);
        }
        assert_true(flm_store_seal(store, NULL));
    }
    flm_profile_free(p);
    flm_store_close(store);
}

static void old_segments_are_removed(void **state)
{
    (void)state;
    uint64_t random = 37, removed;
    struct flm_store *store = open_store("old");
    for (int i = 0; i < 5; i++)
        append_one(store, &random, BEGIN + i * HOUR);
    assert_true(flm_store_seal(store, NULL));
    assert_int_equal(flm_store_stats(store).segments, 5);
    assert_true(flm_store_retain(store, BEGIN + 3 * HOUR - 1, &removed, NULL));
    assert_int_equal(removed, 2);
    check_query(store, NULL, NULL, "cpu", BEGIN + 2 * HOUR, INT64_MAX);
    assert_int_equal(flm_store_stats(store).from_ms, BEGIN + 2 * HOUR);
    flm_store_close(store);
    forget_all();
}

static size_t count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t count = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void leftovers_are_removed_and_damage_is_set_aside(void **state)
{
    (void)state;
    uint64_t random = 41;
    struct flm_store *store = open_store("damage");
    for (int i = 0; i < 3; i++)
        append_one(store, &random, BEGIN + i * HOUR);
    assert_true(flm_store_seal(store, NULL));
    flm_store_close(store);
    const char *folder = temporary_path("damage/segments");
    assert_int_equal(count_files(folder), 3);
    write_temporary("damage/segments/77-0.seg", flm_bytes_of("nobody has named it"));
    write_temporary("damage/segments/78-0.seg.new", flm_bytes_of("half"));
    char path[300];
    snprintf(path, sizeof path, "%s", temporary_path("damage/segments/1-1.seg"));
    struct flm_text text = read_file(path);
    text.at[text.size / 2] ^= 4;
    write_temporary("damage/segments/1-1.seg", (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
    store = open_store("damage");
    assert_int_equal(flm_store_recovered(store).removed_files, 2);
    struct flm_error why = {0};
    assert_false(flm_store_check(store, &why));
    assert_non_null(strstr(why.text, "1-1.seg"));
    struct flm_store_query query = {.size = sizeof query, .until_ms = INT64_MAX};
    struct flm_profile *got = flm_store_merge(store, &query, &why);
    assert_int_equal(flm_profile_loss_count(got), 1);
    assert_true(flm_profile_losses(got)[0].count == 1);
    flm_profile_free(got);
    assert_int_equal(flm_store_stats(store).damaged_segments, 1);
    /* The two others have what they had. */
    check_query(store, NULL, NULL, "cpu", BEGIN, BEGIN + HOUR);
    check_query(store, NULL, NULL, "alloc", BEGIN + 2 * HOUR, INT64_MAX);
    flm_store_close(store);
    store = open_store("damage");
    assert_int_equal(flm_store_recovered(store).damaged_segments, 1);
    flm_store_close(store);
    forget_all();
}

/* Bytes of the database that are wrong: the entries of the journal that are hit are counted, and
 * the rest is there. */
static void damage_of_the_journal_is_counted(void **state)
{
    (void)state;
    static const char *const names[] = {"first_function", "second_function", "third_function"};
    struct flm_store *store = open_store("flipped");
    for (int i = 0; i < 3; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric metric = flm_builder_metric(b, "count", "count");
        struct flm_frame frame = flm_builder_function(b, names[i], strlen(names[i]));
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), metric, 1);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        const struct flm_store_batch batch = {p, NULL, NULL, 0, BEGIN};
        assert_true(flm_store_append(store, &batch, 1, NULL));
        flm_profile_free(p);
    }
    flm_store_close(store);
    struct flm_text text = read_file(temporary_path("flipped/catalog.db"));
    char *found = memmem(text.at, text.size, names[1], strlen(names[1]));
    assert_non_null(found);
    found[3] ^= 1;
    write_temporary("flipped/catalog.db", (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
    for (int round = 0; round < 2; round++) {
        store = open_store("flipped");
        /* What follows an entry refers to its names, so it is lost with it. */
        assert_int_equal(flm_store_recovered(store).damaged_entries, round == 0 ? 2 : 0);
        assert_int_equal(flm_store_recovered(store).journal_entries, round == 0 ? 1 : 0);
        struct flm_store_query query = {.size = sizeof query, .until_ms = INT64_MAX};
        struct flm_profile *p = flm_store_merge(store, &query, NULL);
        assert_true(flm_profile_total(p, (struct flm_metric){0}) == 1);
        flm_profile_free(p);
        flm_store_close(store);
    }
}

static void a_store_is_of_one_process_and_of_this_format(void **state)
{
    (void)state;
    struct flm_error why = {0};
    const struct flm_store_options must = {.size = sizeof must, .must_exist = true};
    assert_null(flm_store_open(temporary_path("nothing"), &must, &why));
    assert_non_null(strstr(why.text, "there is no store here"));
    struct flm_store *store = open_store("one");
    assert_null(flm_store_open(temporary_path("one"), NULL, &why));
    assert_non_null(strstr(why.text, "another process has the store open"));
    flm_store_close(store);
    flm_store_close(open_store("one"));
    write_temporary("one/catalog.db", flm_bytes_of("this is no database, however long it may be"));
    assert_null(flm_store_open(temporary_path("one"), NULL, &why));
    assert_non_null(strstr(why.text, "catalog.db"));
}

static void what_cannot_be_appended_says_so(void **state)
{
    (void)state;
    uint64_t random = 43;
    struct flm_error why = {0};
    struct flm_store *store = open_store("refused");
    struct flm_profile *p = small_profile(&random);
    const struct flm_store_label_text good = {"service", "api"}, bad = {"", "x"};
    struct flm_store_batch batches[] = {{p, NULL, &good, 1, BEGIN}, {p, NULL, &bad, 1, BEGIN}};
    assert_false(flm_store_append(store, batches, 2, &why));
    assert_non_null(strstr(why.text, "a label has no name"));
    assert_int_equal(flm_store_stats(store).pending_batches, 0); /* all or none */
    batches[0].time_ms = -1;
    assert_false(flm_store_append(store, batches, 1, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    struct flm_store_query query = {.size = sizeof query, .selector = "service", .until_ms = 1};
    assert_null(flm_store_merge(store, &query, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_profile_free(p);
    flm_store_close(store);
}

static void a_copy_is_a_store(void **state)
{
    (void)state;
    uint64_t random = 47;
    struct flm_error why = {0};
    struct flm_store *store = open_store("original");
    for (int i = 0; i < 9; i++) {
        append_one(store, &random, BEGIN + i * MINUTE);
        if (i == 5)
            assert_true(flm_store_seal(store, NULL));
    }
    char copy[200];
    snprintf(copy, sizeof copy, "%s", temporary_path("copy"));
    if (!flm_store_backup(store, copy, &why))
        fail_msg("%s", why.text);
    assert_false(flm_store_backup(store, copy, &why)); /* it is a store already */
    flm_store_close(store);
    store = open_store("copy");
    check_query(store, NULL, NULL, "cpu", 0, INT64_MAX);
    check_query(store, NULL, NULL, "alloc", 0, INT64_MAX);
    flm_store_close(store);
    forget_all();
}

/* Root may write to any folder but those of a file system that is mounted read-only. */
static void a_folder_that_cannot_be_written_says_so(void **state)
{
    (void)state;
    struct flm_error why = {0};
    if (geteuid() == 0)
        skip();
    flm_store_close(open_store("fixed"));
    const char *folder = temporary_path("fixed");
    assert_int_equal(chmod(folder, 0500), 0);
    struct flm_store *store = flm_store_open(folder, NULL, &why);
    assert_int_equal(chmod(folder, 0700), 0);
    assert_null(store);
    assert_non_null(strstr(why.text, "the store cannot be written: Permission denied"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_done_meanwhile_queries_are_sums),
        cmocka_unit_test(types_labels_and_series_are_listed),
        cmocka_unit_test(views_are_kept_by_name),
        cmocka_unit_test(tenants_do_not_see_each_other),
        cmocka_unit_test(old_segments_are_removed),
        cmocka_unit_test(leftovers_are_removed_and_damage_is_set_aside),
        cmocka_unit_test(damage_of_the_journal_is_counted),
        cmocka_unit_test(a_store_is_of_one_process_and_of_this_format),
        cmocka_unit_test(what_cannot_be_appended_says_so),
        cmocka_unit_test(a_copy_is_a_store),
        cmocka_unit_test(a_folder_that_cannot_be_written_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
