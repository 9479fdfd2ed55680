#include "profile/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile/flm_file.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"

static struct flm_builder *b;
static struct flm_metric cpu;

static int set_up(void **state)
{
    (void)state;
    b = flm_builder_new(NULL);
    cpu = flm_builder_metric(b, "cpu", "ns");
    return b ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    flm_builder_free(b);
    b = NULL;
    return 0;
}

static struct flm_profile *finish(void)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_builder_finish(b, &why);
    b = NULL;
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

static struct flm_string string(const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

static struct flm_node node(const char *name)
{
    return flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, strlen(name)));
}

/* "thread=a span=x": the set. */
static struct flm_label_set labels(const char *text)
{
    struct flm_string words[2 * 100];
    size_t count = 0;
    while (*text) {
        size_t key = strcspn(text, "="), value = strcspn(text + key + 1, " ");
        words[2 * count] = flm_builder_string(b, text, key);
        words[2 * count + 1] = flm_builder_string(b, text + key + 1, value);
        count++;
        text += key + 1 + value;
        text += *text == ' ';
    }
    return flm_builder_label_set(b, words, count);
}

static void a_sample_is_a_moment_or_lasts(void **state)
{
    (void)state;
    enum { MANY = 5000 }; /* the columns grow on the way */
    for (int i = 0; i < MANY; i++) {
        flm_builder_sample(b, i, node("run"), labels(""), cpu, 1);
        if (i == 2 || i == MANY - 1)
            flm_builder_sample_lasts(b, i * 10);
    }
    flm_builder_sample(b, FLM_NO_TIME, node("idle"), labels(""), cpu, 1);
    flm_builder_sample_lasts(b, 5); /* without a time it cannot */
    flm_builder_sample(b, INT64_MAX - 3, node("idle"), labels(""), cpu, 1);
    flm_builder_sample_lasts(b, INT64_MAX);
    struct flm_profile *p = finish();
    const int64_t *duration = flm_profile_sample_durations(p);
    assert_int_equal(p->sizes.sample_count, MANY + 2);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(duration[i + 1], i == 2 || i == MANY - 1 ? i * 10 : 0);
    assert_int_equal(duration[0], 0);
    assert_int_equal(duration[MANY + 1], 3);
    flm_profile_free(p);
}

/* Those from 4,294,967,295 ns on are kept in a list. The last duration of a sample counts. */
static void durations_of_any_length_are_kept(void **state)
{
    (void)state;
    enum { MANY = 100 };
    int64_t expected[MANY] = {0};
    for (int i = 0; i < MANY; i++) {
        flm_builder_sample(b, i, node("run"), labels(""), cpu, 1);
        expected[i] = i % 10 == 7 ? 5000000000 + i : i == 40 ? 4294967295 : i % 3 == 0 ? 0 : i;
        flm_builder_sample_lasts(b, i % 4 == 0 ? 6000000000 : 1);
        flm_builder_sample_lasts(b, i % 8 == 0 ? 7000000000 : 2);
        flm_builder_sample_lasts(b, expected[i] > 0 ? expected[i] : 3);
        expected[i] = expected[i] > 0 ? expected[i] : 3;
    }
    struct flm_profile *p = finish();
    assert_memory_equal(flm_profile_sample_durations(p), expected, sizeof expected);
    flm_profile_free(p);
}

static void samples_of_one_time_are_in_order_of_their_duration(void **state)
{
    (void)state;
    static const int64_t given[] = {7, 0, 9, 7, 1};
    for (int i = 0; i < 5; i++) {
        flm_builder_sample(b, 40, node("wait"), labels(""), cpu, 1);
        flm_builder_sample_lasts(b, given[i]);
    }
    struct flm_profile *p = finish();
    assert_memory_equal(p->sample_duration, ((const int64_t[]){0, 1, 7, 7, 9}), 5 * 8);
    flm_profile_free(p);
}

static void without_durations_there_is_no_column(void **state)
{
    (void)state;
    flm_builder_sample(b, 1, node("run"), labels(""), cpu, 1);
    flm_builder_sample_lasts(b, 0);
    struct flm_profile *p = finish();
    assert_null(flm_profile_sample_durations(p));
    assert_int_equal(p->sizes.duration_count, 0);
    flm_profile_free(p);
}

static void a_sample_counts_in_its_stack_and_is_kept(void **state)
{
    (void)state;
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    flm_builder_add(b, node("main"), cpu, 1);
    flm_builder_sample(b, 70, node("main"), labels("thread=a"), cpu, 10);
    flm_builder_sample_add(b, bytes, 4096);
    flm_builder_sample_add(b, cpu, 5);
    flm_builder_sample(b, 60, node("idle"), labels(""), cpu, 20);
    struct flm_profile *p = finish();
    char *text = described(p);
    assert_string_equal(text, "metric \"cpu\" in \"ns\"\n"
                              "metric \"alloc\" in \"bytes\"\n"
                              "node 0 \"\" plain flags 2 0 0\n"
                              "node 1   \"idle\" plain 20 0\n"
                              "node 2   \"main\" plain 16 4096\n"
                              "sample at 60 ns of node 1: 20 0\n"
                              "sample at 70 ns of node 2: 15 4096 \"thread\"=\"a\"\n"
                              "9 strings, 3 frames, 1 labels, 2 label sets\n");
    free(text);
    flm_profile_free(p);
}

static void equal_label_sets_are_one_in_any_order(void **state)
{
    (void)state;
    uint32_t set = labels("thread=a span=x").index;
    assert_int_equal(labels("span=x thread=a").index, set);
    assert_int_equal(labels("span=x thread=a span=x").index, set);
    assert_true(labels("thread=a").index != set);
    assert_true(labels("thread=x span=a").index != set);
    assert_int_equal(labels("").index, 0);
    assert_int_equal(flm_builder_label_set(b, NULL, 0).index, 0);
}

static void a_key_may_repeat_with_other_values(void **state)
{
    (void)state;
    flm_builder_sample(b, 1, node("main"), labels("tag=b tag=a"), cpu, 1);
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.label_count, 2);
    assert_int_equal(p->sizes.set_member_count, 2);
    flm_profile_free(p);
}

static void labels_beyond_64_are_counted_as_lost(void **state)
{
    (void)state;
    struct flm_string words[2 * 200];
    for (int i = 0; i < 200; i++) {
        char text[16];
        words[2 * i] = string("key");
        words[2 * i + 1] = flm_builder_string(b, text, (size_t)sprintf(text, "v%d", i % 100));
    }
    uint32_t set = flm_builder_label_set(b, words, 64).index;
    assert_false(flm_builder_has_losses(b));
    assert_int_equal(flm_builder_label_set(b, words, 200).index, set);
    assert_true(flm_builder_has_losses(b));
    flm_builder_sample(b, 1, node("main"), (struct flm_label_set){set}, cpu, 1);
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.label_count, 64);
    assert_int_equal(p->sizes.loss_count, 1);
    assert_true(
        flm_bytes_are(flm_string_bytes(p, p->losses[0].what), "labels beyond 64 of one sample"));
    assert_true(p->losses[0].count >= 36);
    flm_profile_free(p);
}

static void labels_that_no_sample_has_are_left_out(void **state)
{
    (void)state;
    labels("never=used");
    flm_builder_sample(b, 1, node("main"), labels("thread=a"), cpu, 1);
    labels("thread=a never=used");
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.label_count, 1);
    assert_int_equal(p->sizes.label_set_count, 2);
    flm_profile_free(p);
}

static void labels_without_any_sample_are_none(void **state)
{
    (void)state;
    labels("thread=a");
    flm_builder_add(b, node("main"), cpu, 1);
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.label_count, 0);
    assert_int_equal(p->sizes.label_set_count, 0);
    assert_int_equal(p->sizes.string_count, 4); /* "", cpu, main, ns */
    flm_profile_free(p);
}

static void samples_stand_in_the_order_of_time(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int i = 0; i < 3000; i++)
        flm_builder_sample(b, i % 97 ? (int64_t)(random_next(&random) >> 40) - 5000 : FLM_NO_TIME,
                           node(i % 3 ? "main" : "idle"), labels(i % 5 ? "cpu=1" : "cpu=0"), cpu,
                           random_below(&random, 4));
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.sample_count, 3000);
    assert_true(p->sample_time[0] == FLM_NO_TIME);
    assert_true(unsampled(p) == 0);
    flm_profile_free(p);
}

/* As recordings have them: a run for each thread. */
static void samples_of_many_threads_stand_in_the_order_of_time(void **state)
{
    (void)state;
    enum { THREADS = 7, SAMPLES = 100 };
    for (int thread = 0; thread < THREADS; thread++)
        for (int i = 0; i < SAMPLES - thread; i++)
            flm_builder_sample(b, 10 * i + (i % 3 ? thread : 0), node("main"),
                               labels(thread % 2 ? "cpu=1" : "cpu=0"), cpu, 100 * thread + i);
    struct flm_profile *p = finish();
    const double *values = flm_profile_sample_values(p, (struct flm_metric){0});
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++, count++) {
        int thread = (int)values[i] / 100, at = (int)values[i] % 100;
        assert_true(p->sample_time[i] == 10 * at + (at % 3 ? thread : 0));
        assert_true(i == 0 || p->sample_time[i] >= p->sample_time[i - 1]);
    }
    assert_int_equal(count, THREADS * SAMPLES - THREADS * (THREADS - 1) / 2);
    flm_profile_free(p);
}

static void a_stack_with_a_sample_of_nothing_stays(void **state)
{
    (void)state;
    flm_builder_add(b, node("main"), cpu, 0);
    flm_builder_sample(b, 1, node("idle"), labels(""), cpu, 0);
    flm_builder_sample(b, 2, node("wait"), labels(""), cpu, 0);
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.node_count, 3);
    assert_int_equal(p->sizes.sample_count, 2);
    assert_int_equal(p->sample_node[1], 2);
    flm_profile_free(p);
}

static void a_sample_may_be_of_the_empty_stack(void **state)
{
    (void)state;
    flm_builder_sample(b, 1, flm_builder_root(b), labels("cpu=0"), cpu, 3);
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.node_count, 1);
    assert_int_equal(p->sample_node[0], 0);
    assert_true(p->self[0] == 3);
    flm_profile_free(p);
}

static void the_last_value_of_a_note_stays(void **state)
{
    (void)state;
    flm_builder_note(b, "host", "a", 1);
    flm_builder_note(b, "command", "app -v", 3);
    flm_builder_note(b, "host", "b", 1);
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.note_count, 2);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->notes[0].key), "command"));
    assert_true(flm_bytes_are(flm_string_bytes(p, p->notes[0].value), "app"));
    assert_true(flm_bytes_are(flm_string_bytes(p, p->notes[1].value), "b"));
    flm_profile_free(p);
}

static void notes_that_disagree_go(void **state)
{
    (void)state;
    uint32_t host = string("host").index, a = string("a").index, other = string("b").index;
    flm_builder_agree_note(b, host, a);
    flm_builder_agree_note(b, host, a);
    flm_builder_agree_note(b, a, other);
    flm_builder_agree_note(b, a, host);
    flm_builder_agree_note(b, a, other); /* it does not come back */
    struct flm_profile *p = finish();
    assert_int_equal(p->sizes.note_count, 1);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->notes[0].key), "host"));
    flm_profile_free(p);
}

static void losses_are_added_up_and_say_where_the_first_was(void **state)
{
    (void)state;
    assert_false(flm_builder_has_losses(b));
    flm_builder_lost(b, "malformed lines", "line", 12, 1);
    flm_builder_lost(b, "unknown events", "", 0, 2.5);
    flm_builder_lost(b, "malformed lines", "line", 90, 3);
    flm_builder_lost(b, "bad blocks", "byte", 4096, 1);
    assert_true(flm_builder_has_losses(b));
    flm_builder_lines_before(b, 1000);
    struct flm_profile *p = finish();
    static const struct {
        const char *what, *where;
        double count;
    } expected[] = {{"bad blocks", "byte 4096", 1},
                    {"malformed lines", "line 1012", 4},
                    {"unknown events", "", 2.5}};
    assert_int_equal(p->sizes.loss_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(flm_bytes_are(flm_string_bytes(p, p->losses[i].what), expected[i].what));
        assert_true(flm_bytes_are(flm_string_bytes(p, p->losses[i].where), expected[i].where));
        assert_true(p->losses[i].count == expected[i].count);
    }
    flm_profile_free(p);
}

/* 3,000 samples with and without times and durations, of two metrics, by one of both ways. */
static struct flm_profile *many_samples(bool in_batches)
{
    enum { MANY = 3000 };
    uint64_t random = 11;
    struct flm_metric walls = flm_builder_metric(b, "wall", "ns");
    struct flm_sample_batch *batch = calloc(1, sizeof *batch);
    *batch = (struct flm_sample_batch){.metric_count = 2, .metrics = {cpu, walls}};
    for (int i = 0; i < MANY; i++) {
        int64_t time = i % 50 == 49 ? FLM_NO_TIME : i % 1000 == 500 ? INT64_MAX - 3 : i * 7 % 900;
        int64_t lasts = i < 700 ? 0 : i < 2000 ? i % 5 : i % 3 ? 5000000000 : 0;
        const char *names[] = {"run", "wait", "idle"};
        struct flm_node at = node(names[random_below(&random, 3)]);
        struct flm_label_set set = labels(i % 2 ? "thread=a" : "thread=b");
        double values[] = {i % 3, i < 1500 ? 1 : 0.5};
        if (in_batches) {
            uint32_t n = batch->count++;
            batch->time_ns[n] = time;
            batch->duration_ns[n] = lasts;
            batch->node[n] = at.index;
            batch->label_set[n] = set.index;
            batch->values[0][n] = values[0];
            batch->values[1][n] = values[1];
            if (batch->count == FLM_SAMPLE_BATCH || random_below(&random, 40) == 0)
                flm_builder_add_samples(b, batch);
        } else {
            flm_builder_sample(b, time, at, set, cpu, values[0]);
            flm_builder_sample_lasts(b, lasts);
            flm_builder_sample_add(b, walls, values[1]);
            random_below(&random, 40);
        }
    }
    flm_builder_add_samples(b, batch);
    assert_int_equal(batch->count, 0);
    free(batch);
    return finish();
}

static void samples_in_batches_are_as_one_after_the_other(void **state)
{
    struct flm_profile *batches = many_samples(true);
    set_up(state);
    struct flm_profile *singles = many_samples(false);
    assert_int_equal(batches->sizes.sample_count, singles->sizes.sample_count);
    struct flm_bytes file = flm_profile_seal(batches), other = flm_profile_seal(singles);
    assert_int_equal(file.size, other.size);
    assert_memory_equal(file.at, other.at, file.size);
    flm_profile_free(batches);
    flm_profile_free(singles);
}

int main(void)
{
#define with_builder(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        with_builder(a_sample_counts_in_its_stack_and_is_kept),
        with_builder(a_sample_is_a_moment_or_lasts),
        with_builder(durations_of_any_length_are_kept),
        with_builder(samples_in_batches_are_as_one_after_the_other),
        with_builder(samples_of_one_time_are_in_order_of_their_duration),
        with_builder(without_durations_there_is_no_column),
        with_builder(equal_label_sets_are_one_in_any_order),
        with_builder(a_key_may_repeat_with_other_values),
        with_builder(labels_beyond_64_are_counted_as_lost),
        with_builder(labels_that_no_sample_has_are_left_out),
        with_builder(labels_without_any_sample_are_none),
        with_builder(samples_stand_in_the_order_of_time),
        with_builder(samples_of_many_threads_stand_in_the_order_of_time),
        with_builder(a_stack_with_a_sample_of_nothing_stays),
        with_builder(a_sample_may_be_of_the_empty_stack),
        with_builder(the_last_value_of_a_note_stays),
        with_builder(notes_that_disagree_go),
        with_builder(losses_are_added_up_and_say_where_the_first_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
