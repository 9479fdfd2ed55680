/* What was acknowledged is in the store, once: with several threads, after SIGKILL, and when the
 * disk is full. */
#include "flamel/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "flamel/builder.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/store/open_store.h"

static const int64_t BEGIN = (int64_t)500000 * 3600 * 1000;

/* A profile of one function, with the value 1. */
static struct flm_profile *one_of(unsigned number)
{
    char name[16];
    snprintf(name, sizeof name, "f%u", number);
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "count", "count");
    flm_builder_add(
        b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, strlen(name))),
        metric, 1);
    return flm_builder_finish(b, NULL);
}

struct writer {
    struct flm_store *store;
    unsigned first, count;
};

static void *write_many(void *argument)
{
    struct writer *w = argument;
    for (unsigned i = 0; i < w->count; i++) {
        struct flm_profile *p = one_of(w->first + i);
        const struct flm_store_batch batch = {p, NULL, NULL, 0, BEGIN + i};
        if (!flm_store_append(w->store, &batch, 1, NULL))
            w->count = i;
        flm_profile_free(p);
    }
    return NULL;
}

static void threads_append_and_query_at_once(void **state)
{
    (void)state;
    struct flm_store *store = open_store("threads");
    struct writer writers[4];
    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++) {
        writers[i] = (struct writer){store, i * 1000, 200};
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &writers[i]), 0);
    }
    const struct flm_store_query query = {.size = sizeof query, .until_ms = INT64_MAX};
    uint64_t merged;
    double before = 0;
    for (int i = 0; i < 20; i++) {
        struct flm_profile *p = flm_store_merge(store, &query, NULL);
        double total =
            flm_profile_metric_count(p) ? flm_profile_total(p, (struct flm_metric){0}) : 0;
        assert_true(total >= before);
        before = total;
        flm_profile_free(p);
        if (i % 5 == 0)
            assert_true(flm_store_seal(store, NULL) &&
                        flm_store_compact(store, INT64_MAX, &merged, NULL));
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(writers[i].count, 200);
    }
    struct flm_profile *p = flm_store_merge(store, &query, NULL);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 800);
    assert_int_equal(flm_profile_node_count(p), 801);
    flm_profile_free(p);
    flm_store_close(store);
}

/* Appends f0, f1 ... and tells of each through the pipe that it is in; seals and merges
 * meanwhile. Until it is killed. */
static void write_until_killed(const char *folder, unsigned first, int pipe)
{
    struct flm_error why = {0};
    struct flm_store *store = flm_store_open(folder, NULL, &why);
    uint64_t merged;
    bool good = store != NULL;
    for (unsigned i = first; good; i++) {
        struct flm_profile *p = one_of(i);
        const struct flm_store_batch batch = {p, NULL, NULL, 0, BEGIN + i};
        good = flm_store_append(store, &batch, 1, &why) && write(pipe, &i, sizeof i) == sizeof i &&
               (i % 7 != 6 || flm_store_seal(store, &why)) &&
               (i % 21 != 20 || flm_store_compact(store, INT64_MAX, &merged, &why));
        flm_profile_free(p);
    }
    fprintf(stderr, "the writer ended: %s\n", why.text);
    _exit(1);
}

/* What was acknowledged is there once, whenever the process is killed. What was not may be
 * there: once. */
static void nothing_acknowledged_is_lost_or_there_twice(void **state)
{
    (void)state;
    char folder[200];
    snprintf(folder, sizeof folder, "%s", temporary_path("killed"));
    uint64_t random = 53;
    unsigned next = 0;
    static unsigned char acknowledged[100000];
    for (int round = 0; round < 25; round++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            close(ends[0]);
            write_until_killed(folder, next, ends[1]);
        }
        close(ends[1]);
        /* At some write, a little after it. */
        unsigned number, until = 1 + random_below(&random, 40);
        for (unsigned i = 0; i < until && read(ends[0], &number, sizeof number) == sizeof number;
             i++)
            acknowledged[number] = 1;
        usleep(random_below(&random, 3000));
        kill(child, SIGKILL);
        while (read(ends[0], &number, sizeof number) == sizeof number)
            acknowledged[number] = 1;
        close(ends[0]);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        while (acknowledged[next])
            next++;
        next++; /* the one that was being written may be there */
        struct flm_error why = {0};
        struct flm_store *store = flm_store_open(folder, NULL, &why);
        if (!store)
            fail_msg("%s", why.text);
        assert_int_equal(flm_store_recovered(store).damaged_entries, 0);
        const struct flm_store_query query = {.size = sizeof query, .until_ms = INT64_MAX};
        struct flm_profile *p = flm_store_merge(store, &query, &why);
        assert_non_null(p);
        assert_int_equal(flm_profile_loss_count(p), 0);
        unsigned char seen[sizeof acknowledged] = {0};
        for (uint32_t i = 1; i < flm_profile_node_count(p); i++) {
            const struct flm_frame_record *f =
                flm_profile_frame(p, (struct flm_frame){flm_profile_frames(p)[i]});
            struct flm_name name = flm_profile_string(p, (struct flm_string){f->function});
            char text[16];
            snprintf(text, sizeof text, "%.*s", (int)name.size, name.at);
            seen[atoi(text + 1)] = 1;
            assert_true(flm_profile_self(p, (struct flm_metric){0})[i] == 1);
        }
        for (unsigned i = 0; i < next; i++)
            assert_true(seen[i] || !acknowledged[i]);
        flm_profile_free(p);
        flm_store_close(store);
    }
    assert_true(next > 100);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* A disk that is full: the limit on the size of files stands in for it. What is refused is not
 * there, and what follows is. */
static void what_the_disk_refuses_is_not_there(void **state)
{
    (void)state;
    char folder[200];
    snprintf(folder, sizeof folder, "%s", temporary_path("full"));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct flm_store *store = flm_store_open(folder, NULL, NULL);
        unsigned good = 0, bad = 0;
        struct flm_error why = {0};
        signal(SIGXFSZ, SIG_IGN);
        for (unsigned i = 0; store && i < 400 && bad < 5; i++) {
            struct flm_profile *p = one_of(i);
            char id[16];
            snprintf(id, sizeof id, "%u", bad > 0 ? 9999 : i);
            const struct flm_store_batch batch = {p, NULL, NULL, 0, BEGIN + i, id};
            if (i == 20)
                limit_files(200000);
            if (flm_store_append(store, &batch, 1, &why))
                good++;
            else
                bad++;
            flm_profile_free(p);
        }
        limit_files(RLIM_INFINITY);
        struct flm_profile *p = one_of(9999);
        const struct flm_store_batch batch = {p, NULL, NULL, 0, BEGIN, "9999"};
        bool again = flm_store_append(store, &batch, 1, &why);
        flm_profile_free(p);
        const struct flm_store_query query = {.size = sizeof query, .until_ms = INT64_MAX};
        p = flm_store_merge(store, &query, &why);
        double total = flm_profile_total(p, (struct flm_metric){0});
        flm_store_close(store);
        store = flm_store_open(folder, NULL, &why);
        p = store ? flm_store_merge(store, &query, &why) : NULL;
        bool same = p && flm_profile_total(p, (struct flm_metric){0}) == total;
        _exit(bad == 5 && again && total == good + 1 && same ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_append_and_query_at_once),
        cmocka_unit_test(nothing_acknowledged_is_lost_or_there_twice),
        cmocka_unit_test(what_the_disk_refuses_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
