#include "record/runtime/process_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

enum { PAGE = FLM_PROCESS_PAGE };

/* Our own memory, through the kernel. Three pages; the last one cannot be read. */
static char *make_pages(void)
{
    char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    for (size_t i = 0; i < 2 * PAGE; i++)
        pages[i] = (char)(i * 7 + i / PAGE);
    assert_int_equal(mprotect(pages + 2 * PAGE, PAGE, PROT_NONE), 0);
    return pages;
}

static void cached_pages_cost_no_system_call(void **state)
{
    (void)state;
    static struct flm_process_memory m;
    m = (struct flm_process_memory){.process = getpid()};
    char *pages = make_pages(), bytes[300];
    uint64_t at = (uintptr_t)pages, needed[8];
    assert_true(flm_process_memory_read(&m, at + PAGE - 100, bytes, sizeof bytes));
    assert_memory_equal(bytes, pages + PAGE - 100, sizeof bytes);
    assert_int_equal(m.calls, 2);
    assert_true(flm_process_memory_read(&m, at + 5, bytes, sizeof bytes));
    assert_memory_equal(bytes, pages + 5, sizeof bytes);
    assert_int_equal(m.calls, 2);
    assert_int_equal(flm_process_memory_needed(&m, needed, 8), 2);

    /* The next time by one call, and as it is then. */
    pages[PAGE] = 'x';
    flm_process_memory_begin(&m, needed, 2);
    assert_true(flm_process_memory_read(&m, at + PAGE, bytes, 1));
    assert_int_equal(bytes[0], 'x');
    assert_int_equal(m.calls, 3);
    assert_int_equal(flm_process_memory_needed(&m, needed, 8), 1);
    pages[PAGE] = 'y';
    assert_true(flm_process_memory_read(&m, at + PAGE, bytes, 1));
    assert_int_equal(bytes[0], 'x');
    assert_true(flm_process_memory_read_now(&m, at + PAGE, bytes, 1));
    assert_int_equal(bytes[0], 'y');
    munmap(pages, 3 * PAGE);
}

static void unreadable_memory_is_reported(void **state)
{
    (void)state;
    static struct flm_process_memory m;
    m = (struct flm_process_memory){.process = getpid()};
    char *pages = make_pages(), bytes[2 * PAGE];
    uint64_t at = (uintptr_t)pages;
    assert_false(flm_process_memory_read(&m, at + 2 * PAGE - 1, bytes, 2));
    assert_false(flm_process_memory_read(&m, 0, bytes, 8));
    assert_false(flm_process_memory_read(&m, UINT64_MAX - 4, bytes, 8));
    assert_false(flm_process_memory_read(&m, UINT64_C(0x8000000000000000), bytes, 8));
    assert_false(flm_process_memory_is_gone(&m));
    assert_true(flm_process_memory_read(&m, at, bytes, 2 * PAGE));
    assert_memory_equal(bytes, pages, 2 * PAGE);

    /* Pages that are wanted again and are gone: those before them are read all the same. */
    const uint64_t wanted[] = {at, at + 2 * PAGE, at + PAGE};
    flm_process_memory_begin(&m, wanted, 3);
    assert_true(flm_process_memory_read(&m, at + PAGE, bytes, 8));
    assert_memory_equal(bytes, pages + PAGE, 8);
    munmap(pages, 3 * PAGE);
}

static void more_pages_than_there_is_room_for_are_read_one_by_one(void **state)
{
    (void)state;
    static struct flm_process_memory m;
    m = (struct flm_process_memory){.process = getpid()};
    enum { MANY = FLM_PROCESS_PAGES + 10 };
    char *pages =
        mmap(NULL, MANY * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t needed[MANY];
    for (int i = 0; i < MANY; i++) {
        char byte;
        pages[i * PAGE] = (char)i;
        assert_true(flm_process_memory_read(&m, (uintptr_t)pages + (uint64_t)i * PAGE, &byte, 1));
        assert_int_equal(byte, i);
    }
    assert_int_equal(flm_process_memory_needed(&m, needed, MANY), FLM_PROCESS_PAGES);
    munmap(pages, MANY * PAGE);
}

static void a_process_that_does_not_exist_is_gone(void **state)
{
    (void)state;
    static struct flm_process_memory m;
    m = (struct flm_process_memory){.process = 0x3FFFFFFF};
    char byte;
    const uint64_t page = PAGE;
    assert_false(flm_process_memory_read(&m, 2 * PAGE, &byte, 1));
    assert_true(flm_process_memory_is_gone(&m));
    flm_process_memory_begin(&m, &page, 1);
    assert_true(flm_process_memory_is_gone(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cached_pages_cost_no_system_call),
        cmocka_unit_test(unreadable_memory_is_reported),
        cmocka_unit_test(more_pages_than_there_is_room_for_are_read_one_by_one),
        cmocka_unit_test(a_process_that_does_not_exist_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
