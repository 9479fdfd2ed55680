/* What a reader adds to the copy of a running program's file: of this program. */
#include "load/probe/live_facts.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/probe/probe_image.h"

int flm_test_lock;

/* A lock that is a variable of this program, and a thread that is this one. */
static struct flm_text make_copy(void)
{
    struct image *image = make_image();
    struct flm_text copy = {0};
    struct flm_probe_site *site = place(image, SITES);
    site[2] = (struct flm_probe_site){.kind = FLM_PROBE_LOCK,
                                      .address = (uint64_t)(uintptr_t)&flm_test_lock};
    header_of(image)->activity[FLM_PROBE_THREADS].state = FLM_PROBE_ACTIVE;
    thread_of(image)->state = FLM_PROBE_RUNNING;
    thread_of(image)->tid = (uint32_t)syscall(SYS_gettid);
    thread_of(image)->ended.voluntary_switches = (uint64_t)1 << 40;
    flm_text_add(&copy, image_bytes(image));
    free(image);
    return copy;
}

static struct flm_probe_thread *thread_in(const struct flm_text *copy)
{
    return (void *)(copy->at + (size_t)THREAD * FLM_PROBE_UNIT);
}

static void add(struct flm_text *copy, int32_t process)
{
    struct flm_probe_names *names = flm_probe_names_new(NULL);
    flm_probe_names_add_process(names, process);
    flm_live_facts_add(copy, process, names);
    flm_probe_names_free(names);
}

static void locks_have_names(void **state)
{
    (void)state;
    struct flm_text copy = make_copy();
    add(&copy, (int32_t)getpid());
    const struct flm_probe_site *site = (void *)(copy.at + (size_t)SITES * FLM_PROBE_UNIT);
    assert_int_equal(site[2].name_size, strlen("flm_test_lock"));
    assert_memory_equal(copy.at + site[2].name, "flm_test_lock", site[2].name_size);
    assert_int_equal(site[1].name_size, 0); /* it has that of its function */
    flm_text_clear(&copy);
}

static void threads_have_what_the_kernel_says(void **state)
{
    (void)state;
    struct flm_text copy = make_copy();
    add(&copy, (int32_t)getpid());
    assert_int_equal(thread_in(&copy)->doing, 'R');
    assert_true(thread_in(&copy)->kernel.minor_faults > 0);
    assert_true(thread_in(&copy)->kernel.voluntary_switches >= (uint64_t)1 << 40);
    assert_memory_equal(thread_in(&copy)->name, "live_facts_test", 15);
    flm_text_clear(&copy);
}

/* Nothing is known of it: the copy stays as it was. */
static void a_process_that_is_gone_adds_nothing(void **state)
{
    (void)state;
    struct flm_text copy = make_copy(), before = make_copy();
    add(&copy, -1);
    assert_int_equal(copy.size, before.size);
    assert_memory_equal(copy.at, before.at, before.size);
    flm_text_clear(&copy);
    flm_text_clear(&before);
}

static void damaged_files_are_left_to_their_reader(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof(struct image); size += 61) {
        struct flm_text copy = make_copy();
        copy.size = size;
        if (size > sizeof(struct flm_probe_header))
            ((struct flm_probe_header *)(void *)copy.at)->site_count = UINT32_MAX;
        add(&copy, (int32_t)getpid());
        flm_text_clear(&copy);
    }
    struct flm_text copy = make_copy();
    thread_in(&copy)->next = THREAD; /* a list that goes round */
    add(&copy, (int32_t)getpid());
    flm_text_clear(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_have_names),
        cmocka_unit_test(threads_have_what_the_kernel_says),
        cmocka_unit_test(a_process_that_is_gone_adds_nothing),
        cmocka_unit_test(damaged_files_are_left_to_their_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
