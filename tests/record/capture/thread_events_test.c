/* With the events of this kernel, of this process: where they are refused, tests are skipped. */
#include "record/capture/thread_events.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/clock.h"
#include "support/core/failures.h"

struct setup {
    struct flm_limits limits;
    struct flm_request request;
    struct flm_event_layouts layouts;
    struct flm_thread_events events;
};

/* Two events of this thread, with stack dumps of 16 KiB, and of 32 and 64 for single threads. */
static bool open_setup(struct setup *s, struct flm_error *why)
{
    static const char *const names[] = {"cpu-clock:u", "task-clock:u"};
    const struct flm_record_options options = {
        .stacks = FLM_STACK_DUMP, .events = names, .event_count = 2};
    int32_t self = (int32_t)getpid();
    memset(s, 0, sizeof *s);
    flm_limits_read(&s->limits, "");
    if (!flm_request_make(&s->request, &options, &s->limits, &flm_kernel_here, why))
        return false;
    s->events = (struct flm_thread_events){
        .rings =
            flm_rings_open(&s->request, &self, 1, 1 << 20, true, &s->limits, &flm_kernel_here, why),
        .layouts = &s->layouts,
        .request = &s->request,
        .kernel = &flm_kernel_here,
        .sizes = {16384, 32768, 65528},
        .most_files = 1000,
    };
    if (!s->events.rings)
        return false;
    for (size_t i = 0; i < s->request.count; i++) {
        struct flm_event_layout layout;
        size_t count;
        const uint64_t *ids = flm_rings_ids(s->events.rings, i, &count);
        if (!flm_event_layout_init(&layout, &s->request.event[i].attr,
                                   sizeof s->request.event[i].attr, false, why) ||
            !flm_event_layouts_add(&s->layouts, &layout, ids, count, why))
            return false;
    }
    return flm_thread_events_init(&s->events, why);
}

static void close_setup(struct setup *s)
{
    if (s->events.rings)
        flm_thread_events_clear(&s->events);
    flm_rings_close(s->events.rings);
    flm_event_layouts_clear(&s->layouts);
}

static void open_or_skip(struct setup *s)
{
    struct flm_error why;
    if (open_setup(s, &why))
        return;
    print_message("not recorded: %s\n", why.text);
    close_setup(s);
    skip();
}

static volatile uint64_t work_sink;

static void work_for(int64_t ns)
{
    int64_t until = flm_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (flm_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
        for (int i = 0; i < 10000; i++)
            work_sink += (uint64_t)i;
}

/* How many samples there are, by level and event, and the largest record. */
struct seen {
    const struct flm_thread_events *events;
    size_t count[FLM_STACK_SIZES_LEVELS][2], largest[FLM_STACK_SIZES_LEVELS];
};

static bool see(void *context, const char *record, size_t size, struct flm_event *event,
                struct flm_error *why)
{
    struct seen *seen = context;
    size_t number;
    (void)why;
    if (event->kind != FLM_EVENT_SAMPLE)
        return true;
    unsigned level = flm_thread_events_level(seen->events, event->sample.layout, &number);
    assert_true(level < FLM_STACK_SIZES_LEVELS && number < 2);
    seen->count[level][number]++;
    if (size > seen->largest[level])
        seen->largest[level] = size;
    /* A reader that knows the first level alone takes it for one of that. */
    char copy[8 + 48];
    uint64_t id;
    memcpy(copy, record, sizeof copy);
    flm_thread_events_hide(seen->events, copy, sizeof copy);
    memcpy(&id, copy + 8, sizeof id);
    const struct flm_event_layout *layout = flm_event_layouts_find(seen->events->layouts, id);
    assert_true(layout && layout->number == number);
    return true;
}

static struct seen read_all(struct setup *s)
{
    struct seen seen = {.events = &s->events};
    assert_true(flm_rings_read(s->events.rings, &s->layouts, INT64_MAX, see, &seen, NULL));
    return seen;
}

static void levels_are_told_apart(void **state)
{
    (void)state;
    struct setup s;
    open_or_skip(&s);
    struct flm_stack_sizes_events functions = flm_thread_events_functions(&s.events);
    flm_rings_start(s.events.rings);
    size_t ids = s.layouts.ids.count;
    int first = functions.open(functions.context, (int32_t)getpid(), 1);
    int second = functions.open(functions.context, (int32_t)getpid(), 2);
    assert_true(first >= 0 && second >= 0 && first != second);
    assert_int_equal(s.events.open_files, 2 * flm_rings_files(s.events.rings));
    work_for(20000000);
    functions.close(functions.context, second);
    flm_rings_stop(s.events.rings);
    struct seen seen = read_all(&s); /* what was sampled before closing is there */
    for (unsigned level = 0; level < FLM_STACK_SIZES_LEVELS; level++)
        assert_true(seen.count[level][0] > 0 && seen.count[level][1] > 0);
    assert_true(seen.largest[0] > 16384 && seen.largest[1] > 32768);
    assert_true(seen.largest[2] > 65000);
    functions.forget(functions.context, second);
    functions.close(functions.context, first);
    functions.forget(functions.context, first);
    assert_int_equal(s.layouts.ids.count, ids);
    assert_int_equal(s.events.open_files, 0);
    close_setup(&s);
}

static void a_thread_that_is_gone_is_refused(void **state)
{
    (void)state;
    struct setup s;
    open_or_skip(&s);
    struct flm_stack_sizes_events functions = flm_thread_events_functions(&s.events);
    assert_int_equal(functions.open(functions.context, 2147483647, 1), -1);
    assert_int_equal(s.events.open_files, 0);
    close_setup(&s);
}

static void files_are_bounded(void **state)
{
    (void)state;
    struct setup s;
    open_or_skip(&s);
    struct flm_stack_sizes_events functions = flm_thread_events_functions(&s.events);
    size_t ids = s.layouts.ids.count, base = flm_rings_files(s.events.rings);
    s.events.most_files = 2 * base + base / 2; /* one event more, and not the other */
    assert_true(functions.open(functions.context, (int32_t)getpid(), 1) >= 0);
    assert_int_equal(functions.open(functions.context, (int32_t)getpid(), 2), -1);
    assert_int_equal(s.events.open_files, base);
    assert_int_equal(s.layouts.ids.count, ids + base);
    close_setup(&s);
}

static bool use(void *context, struct flm_error *why)
{
    (void)context;
    struct setup s;
    bool good = open_setup(&s, why);
    if (good) {
        struct flm_stack_sizes_events functions = flm_thread_events_functions(&s.events);
        good =
            functions.open(functions.context, (int32_t)getpid(), 1) >= 0 || flm_error_memory(why);
    }
    close_setup(&s);
    return good;
}

static void failed_allocations_are_refusals(void **state)
{
    (void)state;
    struct flm_error why;
    if (!use(NULL, &why)) {
        print_message("not recorded: %s\n", why.text);
        skip();
    }
    assert_true(assert_survives_failures(use, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_told_apart),
        cmocka_unit_test(a_thread_that_is_gone_is_refused),
        cmocka_unit_test(files_are_bounded),
        cmocka_unit_test(failed_allocations_are_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
