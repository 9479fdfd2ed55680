#include "record/capture/synthesized.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "record/perf/perf_stream.h"
#include "support/core/files.h"

/* The system with one process of two threads. */
static const char *make_root(void)
{
    static char root[300];
    char path[800], command[1500];
    if (root[0])
        return root;
    snprintf(root, sizeof root, "%s", temporary_path("root"));
    snprintf(command, sizeof command,
             "cd %s && echo app > proc/7/task/7/comm && echo worker > proc/7/task/8/comm && "
             "echo 'ext4 1000 1 - Live 0xffffffffc0000000' > proc/modules && "
             "printf '0000000000000000 A fixed\\nffffffff81000000 T _text\\n"
             "ffffffff81000100 T start\\n' > proc/kallsyms",
             root);
    snprintf(path, sizeof path, "mkdir -p %s/proc/7/task/7 %s/proc/7/task/8", root, root);
    assert_int_equal(system(path), 0);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/proc/7/maps", root);
    FILE *maps = fopen(path, "w");
    assert_non_null(maps);
    fputs("00400000-00401000 r--p 00000000 fd:01 42                 /usr/bin/app\n"
          "00401000-00403000 r-xp 00001000 fd:01 42                 /usr/bin/app\n"
          "7f0000000000-7f0000010000 rwxp 00000000 00:00 0 \n"
          "7f0000020000-7f0000021000 r-xp 00000000 08:02 9  /opt/with blank/lib.so (deleted)\n"
          "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0          [vdso]\n"
          "7ffd00100000-7ffd00200000 rw-p 00000000 00:00 0          [stack]\n"
          "this is no mapping\n",
          maps);
    fclose(maps);
    return root;
}

struct seen {
    struct flm_event_layouts layouts;
    struct flm_event events[16];
    char records[16][4400];
    size_t count, stop_after;
};

static bool see(void *context, char *record, size_t size, struct flm_error *why)
{
    struct seen *seen = context;
    assert_true(seen->count < 16 && size % 8 == 0 && size <= sizeof seen->records[0]);
    memcpy(seen->records[seen->count], record, size);
    assert_true(flm_event_decode(&seen->layouts, seen->records[seen->count], size, 0,
                                 &seen->events[seen->count], why));
    return ++seen->count != seen->stop_after;
}

static struct seen *new_seen(struct flm_synthesized *synthesized)
{
    static const struct perf_event_attr attr = {
        .size = sizeof attr, .sample_type = FLM_STREAM_SAMPLE, .sample_id_all = 1};
    static const uint64_t id = 5;
    struct seen *seen = calloc(1, sizeof *seen);
    struct flm_event_layout layout;
    assert_true(seen && flm_event_layout_init(&layout, &attr, sizeof attr, false, NULL));
    layout.name = "cpu-clock";
    assert_true(flm_event_layouts_add(&seen->layouts, &layout, &id, 1, NULL));
    *synthesized = (struct flm_synthesized){
        .root = make_root(), .id = id, .time_ns = 1234, .sink = see, .context = seen};
    return seen;
}

static void free_seen(struct seen *seen)
{
    flm_event_layouts_clear(&seen->layouts);
    free(seen);
}

static void assert_map(const struct flm_event *event, uint64_t start, uint64_t size,
                       uint64_t offset, const char *path)
{
    assert_int_equal(event->kind, FLM_EVENT_MAP);
    assert_true(event->map.start == start && event->map.size == size);
    assert_true(event->map.file_offset == offset && event->map.is_code);
    if (!flm_bytes_are(event->map.path, path))
        fail_msg("'%.*s' is not %s", (int)event->map.path.size, event->map.path.at, path);
    assert_int_equal(event->time_ns, 1234);
}

static void a_process_is_synthesized_with_its_threads_and_mappings(void **state)
{
    (void)state;
    struct flm_synthesized synthesized;
    struct seen *seen = new_seen(&synthesized);
    assert_true(flm_synthesize_process(&synthesized, 7, NULL));
    assert_int_equal(seen->count, 6);
    assert_int_equal(seen->events[0].kind, FLM_EVENT_NAME);
    assert_true(seen->events[0].process == 7 && seen->events[0].thread == 7);
    assert_true(flm_bytes_are(seen->events[0].name.text, "app"));
    assert_true(seen->events[1].process == 7 && seen->events[1].thread == 8);
    assert_true(flm_bytes_are(seen->events[1].name.text, "worker"));
    assert_false(seen->events[1].name.is_exec);
    assert_map(&seen->events[2], 0x401000, 0x2000, 0x1000, "/usr/bin/app");
    assert_map(&seen->events[3], 0x7f0000000000, 0x10000, 0, "//anon");
    assert_map(&seen->events[4], 0x7f0000020000, 0x1000, 0, "/opt/with blank/lib.so (deleted)");
    assert_map(&seen->events[5], 0x7ffd00000000, 0x2000, 0, "[vdso]");
    free_seen(seen);
}

static void the_whole_machine_is_all_processes(void **state)
{
    (void)state;
    struct flm_synthesized synthesized;
    struct seen *seen = new_seen(&synthesized);
    assert_true(flm_synthesize_machine(&synthesized, NULL));
    assert_int_equal(seen->count, 6);
    assert_true(flm_synthesize_process(&synthesized, 12345, NULL)); /* it went away */
    assert_int_equal(seen->count, 6);
    free_seen(seen);
    seen = new_seen(&synthesized);
    seen->stop_after = 3;
    assert_false(flm_synthesize_machine(&synthesized, NULL));
    assert_int_equal(seen->count, 3);
    free_seen(seen);
}

static void the_kernel_is_mapped_with_its_modules(void **state)
{
    (void)state;
    struct flm_synthesized synthesized;
    struct seen *seen = new_seen(&synthesized);
    assert_true(flm_synthesize_kernel(&synthesized, NULL));
    assert_int_equal(seen->count, 2);
    const uint64_t start = UINT64_C(0xffffffff81000000);
    assert_map(&seen->events[0], start, UINT64_MAX - start, start, "[kernel.kallsyms]_text");
    assert_map(&seen->events[1], UINT64_C(0xffffffffc0000000), 1000, 0, "[ext4]");
    assert_true(seen->events[0].map.in_kernel && seen->events[1].map.in_kernel);
    synthesized.root = "/nonexistent"; /* addresses may be hidden */
    assert_true(flm_synthesize_kernel(&synthesized, NULL));
    assert_int_equal(seen->count, 2);
    free_seen(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_synthesized_with_its_threads_and_mappings),
        cmocka_unit_test(the_whole_machine_is_all_processes),
        cmocka_unit_test(the_kernel_is_mapped_with_its_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
