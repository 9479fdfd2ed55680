#include "record/script/script_threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

/* A reader of our own memory, which fails so many times, and then has so many frames. */
struct reader {
    struct flm_process_memory memory;
    struct flm_script_threads threads;
    enum flm_script_result failure;
    int failures, reads;
    size_t frames, pages; /* pages: of the thread, when the last read began */
    uint64_t context;     /* the same */
};

static enum flm_script_result read_once(void *opened, const struct flm_script_place *place,
                                        struct flm_script_thread *thread, size_t *count)
{
    struct reader *r = opened;
    uint64_t word, here = (uint64_t)(uintptr_t)r;
    assert_int_equal(*count, 0);
    r->reads++;
    r->pages = thread->page_count;
    r->context = thread->context;
    thread->context = (uint64_t)place->thread;
    assert_true(flm_process_memory_read(&r->memory, here & ~UINT64_C(7), &word, sizeof word));
    *count = r->frames;
    return r->failures-- > 0 ? r->failure : FLM_SCRIPT_FRAMES;
}

static enum flm_script_result run(struct reader *r, int32_t id, size_t *count, bool *is_whole)
{
    struct flm_script_place place = {.thread = id};
    r->reads = 0;
    enum flm_script_result result =
        flm_script_threads_read(&r->threads, &r->memory, &place, read_once, r, count);
    *is_whole = place.is_whole;
    return result;
}

static struct reader *reader_new(void)
{
    struct reader *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->memory.process = getpid();
    r->frames = 3;
    return r;
}

static void reader_free(struct reader *r)
{
    flm_script_threads_clear(&r->threads);
    free(r);
}

static void a_torn_read_is_repeated_once(void **state)
{
    (void)state;
    struct reader *r = reader_new();
    size_t count;
    bool is_whole;
    r->failure = FLM_SCRIPT_TORN;
    r->failures = 1;
    assert_int_equal(run(r, 7, &count, &is_whole), FLM_SCRIPT_FRAMES);
    assert_int_equal(r->reads, 2);
    assert_int_equal(count, 3);
    r->failures = 2;
    assert_int_equal(run(r, 7, &count, &is_whole), FLM_SCRIPT_TORN);
    assert_int_equal(r->reads, 2);
    assert_int_equal(count, 0);
    r->failure = FLM_SCRIPT_MOVED_ON;
    r->failures = 1;
    assert_int_equal(run(r, 7, &count, &is_whole), FLM_SCRIPT_MOVED_ON);
    assert_int_equal(r->reads, 1);
    assert_int_equal(count, 0);
    reader_free(r);
}

static void a_read_that_is_full_is_not_whole(void **state)
{
    (void)state;
    struct reader *r = reader_new();
    size_t count;
    bool is_whole;
    assert_int_equal(run(r, 7, &count, &is_whole), FLM_SCRIPT_FRAMES);
    assert_true(is_whole);
    r->frames = FLM_SCRIPT_DEEPEST;
    assert_int_equal(run(r, 7, &count, &is_whole), FLM_SCRIPT_FRAMES);
    assert_false(is_whole);
    reader_free(r);
}

static void pages_and_context_are_those_of_the_thread(void **state)
{
    (void)state;
    struct reader *r = reader_new();
    size_t count;
    bool is_whole;
    run(r, 7, &count, &is_whole);
    assert_int_equal(r->pages, 0);
    run(r, 8, &count, &is_whole);
    assert_int_equal(r->pages, 0);
    assert_int_equal(r->context, 0);
    run(r, 7, &count, &is_whole);
    assert_int_equal(r->pages, 1);
    assert_int_equal(r->context, 7);
    reader_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torn_read_is_repeated_once),
        cmocka_unit_test(a_read_that_is_full_is_not_whole),
        cmocka_unit_test(pages_and_context_are_those_of_the_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
