#include "record/capture/ring.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/clock.h"
#include "support/core/files.h"

enum { PROCESSORS = 2, SIZE = 65536 };

/* A kernel whose rings are files in memory, so that a test can write into them. */
struct fake {
    struct perf_event_mmap_page *page[PROCESSORS];
    char *data[PROCESSORS];
    size_t largest;                          /* that may be locked */
    int refuse;                              /* errno */
    struct perf_event_attr attr[PROCESSORS]; /* as it was opened */
    int files[PROCESSORS];
};

static int open_fake(void *context, const struct perf_event_attr *attr, int32_t task, int cpu)
{
    struct fake *fake = context;
    (void)task;
    fake->attr[cpu] = *attr;
    if (fake->refuse) {
        errno = fake->refuse;
        return -1;
    }
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    int file = memfd_create("ring", MFD_CLOEXEC);
    assert_true(file >= 0 && ftruncate(file, (off_t)(page_size + SIZE)) == 0);
    if (fake->page[cpu])
        munmap(fake->page[cpu], page_size + SIZE);
    void *page = mmap(NULL, page_size + SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(page != MAP_FAILED);
    fake->page[cpu] = page;
    fake->data[cpu] = (char *)page + page_size;
    return file;
}

static struct flm_kernel kernel_of(struct fake *fake)
{
    static char root[300];
    char command[1000];
    if (!root[0]) {
        snprintf(root, sizeof root, "%s", temporary_path("root"));
        snprintf(
            command, sizeof command,
            "mkdir -p %s/sys/devices/system/cpu && echo 0-1 > %s/sys/devices/system/cpu/online",
            root, root);
        assert_int_equal(system(command), 0);
    }
    return (struct flm_kernel){open_fake, fake, root};
}

static struct flm_request request_of_clock(void)
{
    struct flm_request request = {.count = 1};
    request.event[0].attr = (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof request.event[0].attr,
        .sample_type = PERF_SAMPLE_TIME,
        .sample_id_all = 1,
    };
    snprintf(request.event[0].name, sizeof request.event[0].name, "cpu-clock");
    return request;
}

struct rings {
    struct fake fake;
    struct flm_request request;
    struct flm_rings *rings;
    struct flm_event_layouts layouts;
};

static void add_layout(struct rings *r)
{
    struct flm_event_layout layout;
    assert_true(flm_event_layout_init(&layout, &r->request.event[0].attr,
                                      sizeof r->request.event[0].attr, false, NULL));
    layout.name = "cpu-clock";
    assert_true(flm_event_layouts_add(&r->layouts, &layout, NULL, 0, NULL));
}

static void open_rings(struct rings *r)
{
    static const int32_t task = 7;
    static const struct flm_limits limits = {.paranoid = 2, .is_there = true};
    struct flm_error why;
    *r = (struct rings){.request = request_of_clock()};
    struct flm_kernel kernel = kernel_of(&r->fake);
    r->rings = flm_rings_open(&r->request, &task, 1, SIZE, true, &limits, &kernel, &why);
    if (!r->rings)
        fail_msg("%s", why.text);
    assert_int_equal(flm_rings_count(r->rings), PROCESSORS);
    add_layout(r);
}

static void close_rings(struct rings *r)
{
    flm_rings_close(r->rings);
    flm_event_layouts_clear(&r->layouts);
    for (size_t i = 0; i < PROCESSORS; i++)
        munmap(r->fake.page[i], (size_t)sysconf(_SC_PAGESIZE) + SIZE);
}

/* As the kernel writes: over the end of the ring when it must. */
static void write_bytes(struct fake *fake, int cpu, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fake->data[cpu][(fake->page[cpu]->data_head + i) % SIZE] = ((const char *)bytes)[i];
    fake->page[cpu]->data_head += size;
}

/* A name of a thread; `room` makes it longer. */
static void write_name(struct fake *fake, int cpu, int64_t time_ns, uint32_t thread, size_t room)
{
    char record[60000] = {0};
    size_t size = 8 + 8 + 16 + room + 8;
    struct perf_event_header header = {PERF_RECORD_COMM, 0, (uint16_t)size};
    memcpy(record, &header, sizeof header);
    memcpy(record + 8, &thread, sizeof thread);
    memcpy(record + 12, &thread, sizeof thread);
    memcpy(record + 16, "name", 4);
    memcpy(record + size - 8, &time_ns, sizeof time_ns);
    write_bytes(fake, cpu, record, size);
}

struct seen {
    int64_t times[64];
    uint32_t threads[64];
    size_t count, stop_after;
};

static bool see(void *context, const char *record, size_t size, struct flm_event *event,
                struct flm_error *why)
{
    struct seen *seen = context;
    struct perf_event_header header;
    (void)why;
    memcpy(&header, record, sizeof header);
    assert_int_equal(header.size, size);
    assert_int_equal(event->kind, FLM_EVENT_NAME);
    assert_true(flm_bytes_are(event->name.text, "name"));
    assert_true(seen->count < 64);
    seen->times[seen->count] = event->time_ns;
    seen->threads[seen->count++] = (uint32_t)event->thread;
    return seen->count != seen->stop_after;
}

static void rings_are_read_in_the_order_of_time(void **state)
{
    (void)state;
    struct rings r;
    struct seen seen = {.count = 0};
    open_rings(&r);
    static const int64_t times[PROCESSORS][4] = {{1000, 2000, 5000, 5500}, {500, 3000, 3500, 9000}};
    for (int cpu = 0; cpu < PROCESSORS; cpu++)
        for (size_t i = 0; i < 4; i++)
            write_name(&r.fake, cpu, times[cpu][i], (uint32_t)(10 * cpu) + (uint32_t)i, 0);
    assert_true(flm_rings_read(r.rings, &r.layouts, flm_now_ns(), see, &seen, NULL));
    assert_int_equal(seen.count, 8);
    for (size_t i = 1; i < 8; i++)
        assert_true(seen.times[i - 1] <= seen.times[i]);
    /* And their room is the kernel's again. */
    for (int cpu = 0; cpu < PROCESSORS; cpu++)
        assert_int_equal(r.fake.page[cpu]->data_tail, r.fake.page[cpu]->data_head);
    struct flm_ring_counts counts = flm_rings_counts(r.rings);
    assert_int_equal(counts.records, 8);
    assert_int_equal(counts.late, 0);

    write_name(&r.fake, 0, 600, 1, 0); /* older than what was handed out */
    assert_true(flm_rings_read(r.rings, &r.layouts, flm_now_ns(), see, &seen, NULL));
    assert_int_equal(seen.count, 9);
    assert_int_equal(flm_rings_counts(r.rings).late, 1);
    close_rings(&r);
}

static void new_records_stay_for_the_next_round(void **state)
{
    (void)state;
    struct rings r;
    struct seen seen = {.count = 0};
    struct timespec now;
    open_rings(&r);
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    write_name(&r.fake, 0, 1000, 1, 0);
    write_name(&r.fake, 0, now_ns + 3600000000000, 2, 0);
    assert_true(flm_rings_read(r.rings, &r.layouts, flm_now_ns(), see, &seen, NULL));
    assert_int_equal(seen.count, 1);
    assert_true(r.fake.page[0]->data_tail < r.fake.page[0]->data_head);
    assert_true(flm_rings_read(r.rings, &r.layouts, INT64_MAX, see, &seen, NULL));
    assert_int_equal(seen.count, 2);
    close_rings(&r);
}

static void records_that_wrap_around_are_complete(void **state)
{
    (void)state;
    struct rings r;
    open_rings(&r);
    for (uint32_t i = 0; i < 40; i++) {
        struct seen seen = {.count = 0};
        write_name(&r.fake, 1, 1000 + i, i, 30000 + 8 * i);
        write_name(&r.fake, 1, 1000 + i, i, 8);
        assert_true(flm_rings_read(r.rings, &r.layouts, flm_now_ns(), see, &seen, NULL));
        assert_int_equal(seen.count, 2);
        assert_int_equal(seen.threads[0], i);
        assert_int_equal(seen.threads[1], i);
    }
    assert_int_equal(flm_rings_counts(r.rings).damaged, 0);
    close_rings(&r);
}

static void malformed_lines_and_regions_are_counted(void **state)
{
    (void)state;
    struct rings r;
    struct seen seen = {.count = 0};
    open_rings(&r);
    const struct perf_event_header none = {PERF_RECORD_COMM, 0, 0},
                                   torn = {PERF_RECORD_COMM, 0, 800},
                                   small = {PERF_RECORD_MMAP2, 0, 8};
    write_name(&r.fake, 0, 1000, 1, 0);
    write_bytes(&r.fake, 0, &small, sizeof small);
    write_name(&r.fake, 0, 2000, 2, 0);
    assert_true(flm_rings_read(r.rings, &r.layouts, flm_now_ns(), see, &seen, NULL));
    assert_int_equal(seen.count, 2);
    write_bytes(&r.fake, 0, &none, sizeof none);
    assert_true(flm_rings_read(r.rings, &r.layouts, flm_now_ns(), see, &seen, NULL));
    write_bytes(&r.fake, 0, &torn, sizeof torn);
    assert_true(flm_rings_read(r.rings, &r.layouts, flm_now_ns(), see, &seen, NULL));
    assert_int_equal(seen.count, 2);
    assert_int_equal(flm_rings_counts(r.rings).damaged, 3);
    write_name(&r.fake, 0, 3000, 3, 0); /* and it goes on */
    assert_true(flm_rings_read(r.rings, &r.layouts, flm_now_ns(), see, &seen, NULL));
    assert_int_equal(seen.count, 3);
    close_rings(&r);
}

static void a_sink_may_stop(void **state)
{
    (void)state;
    struct rings r;
    struct seen seen = {.stop_after = 1};
    open_rings(&r);
    write_name(&r.fake, 0, 1000, 1, 0);
    write_name(&r.fake, 0, 2000, 2, 0);
    assert_false(flm_rings_read(r.rings, &r.layouts, INT64_MAX, see, &seen, NULL));
    assert_int_equal(seen.count, 1);
    close_rings(&r);
}

/* A process may begin on a CPU that was not asked for, and come to one that was. */
static void what_happens_on_other_processors_is_known(void **state)
{
    (void)state;
    static const int32_t machine = -1;
    static const int chosen[] = {1};
    static const struct flm_limits limits = {.paranoid = -1, .is_there = true};
    struct flm_error why;
    struct rings r = {.request = request_of_clock()};
    struct flm_kernel kernel = kernel_of(&r.fake);
    r.request.event[0].attr.sample_period = 1000;
    r.request.processors = chosen;
    r.request.processor_count = 1;
    r.rings = flm_rings_open(&r.request, &machine, 1, SIZE, false, &limits, &kernel, &why);
    assert_non_null(r.rings);
    assert_int_equal(flm_rings_count(r.rings), 1);
    assert_int_equal(r.fake.attr[1].sample_period, 1000);
    assert_int_equal(r.fake.attr[0].config, PERF_COUNT_SW_DUMMY);
    assert_int_equal(r.fake.attr[0].sample_period, 0);
    assert_int_equal(r.fake.attr[0].sample_type, r.fake.attr[1].sample_type);
    add_layout(&r);

    write_name(&r.fake, 0, 10, 1, 0);
    write_name(&r.fake, 1, 20, 2, 0);
    struct seen seen = {0};
    assert_true(flm_rings_read(r.rings, &r.layouts, INT64_MAX, see, &seen, NULL));
    assert_int_equal(seen.count, 2);
    close_rings(&r);
}

static void refusals_are_explained(void **state)
{
    (void)state;
    static const int32_t task = 7;
    static const struct flm_limits limits = {.paranoid = 2, .is_there = true, .files = 64};
    struct fake fake = {.refuse = EMFILE};
    struct flm_request request = request_of_clock();
    struct flm_kernel kernel = kernel_of(&fake);
    struct flm_error why = {0};
    assert_null(flm_rings_open(&request, &task, 1, SIZE, true, &limits, &kernel, &why));
    assert_non_null(strstr(why.text, "64 may be open"));
    fake.refuse = ESRCH;
    assert_null(flm_rings_open(&request, &task, 1, SIZE, true, &limits, &kernel, &why));
    assert_string_equal(why.text, "there is no process or thread 7");
    fake.refuse = ENODEV; /* on every processor */
    assert_null(flm_rings_open(&request, &task, 1, SIZE, true, &limits, &kernel, &why));
    assert_string_equal(why.text, "this kernel does not have cpu-clock");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_are_read_in_the_order_of_time),
        cmocka_unit_test(new_records_stay_for_the_next_round),
        cmocka_unit_test(records_that_wrap_around_are_complete),
        cmocka_unit_test(malformed_lines_and_regions_are_counted),
        cmocka_unit_test(a_sink_may_stop),
        cmocka_unit_test(what_happens_on_other_processors_is_known),
        cmocka_unit_test(refusals_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
