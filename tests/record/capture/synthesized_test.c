#include "record/capture/synthesized.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/events/perf_stream.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/elf/elf_file.h"

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

/* What there is of a file in the memory of this process. */
struct mapped {
    struct flm_event_layouts layouts;
    const char *path;
    size_t count;
    struct flm_build_id id;
    struct flm_mapped_file file;
    bool is_named_deleted;
};

static bool see_mapped(void *context, char *record, size_t size, struct flm_error *why)
{
    struct mapped *mapped = context;
    struct flm_event event;
    assert_true(flm_event_decode(&mapped->layouts, record, size, 0, &event, why));
    if (event.kind != FLM_EVENT_MAP || !flm_bytes_start_with(event.map.path, mapped->path))
        return true;
    mapped->count++;
    mapped->id = event.map.build_id;
    mapped->file = event.map.file;
    mapped->is_named_deleted = flm_bytes_end_with(event.map.path, " (deleted)");
    return true;
}

static struct mapped synthesize_mapped(const char *path)
{
    struct flm_synthesized synthesized;
    struct seen *seen = new_seen(&synthesized);
    struct mapped mapped = {.layouts = seen->layouts, .path = path};
    synthesized.root = "";
    synthesized.sink = see_mapped;
    synthesized.context = &mapped;
    assert_true(flm_synthesize_process(&synthesized, (int32_t)getpid(), NULL));
    free_seen(seen);
    return mapped;
}

static void *map_file(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    void *at = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    assert_true(at != MAP_FAILED);
    close(file);
    return at;
}

static void a_deleted_file_is_known_by_its_build_id_in_memory(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s", temporary_path("deleted-program"));
    shell("cp /proc/%d/exe %s", (int)getpid(), path);
    struct flm_elf_file *elf = flm_elf_open(path, NULL);
    assert_non_null(elf);
    void *at = map_file(path);
    struct mapped mapped = synthesize_mapped(path);
    assert_int_equal(mapped.count, 1);
    assert_true(mapped.file.inode != 0); /* it is still there */
    assert_int_equal(unlink(path), 0);
    mapped = synthesize_mapped(path);
    assert_int_equal(mapped.count, 1);
    if (elf->build_id.size == 0)
        print_message("this program has no build id\n");
    else
        assert_true(mapped.id.size > 0 && flm_build_id_equal(&mapped.id, &elf->build_id) &&
                    !mapped.is_named_deleted);
    munmap(at, 65536);
    flm_elf_free(elf);
}

/* Neither programs, nor whole, nor of this machine. */
static void other_deleted_files_keep_their_inodes(void **state)
{
    (void)state;
    static const char *const make[] = {
        "head -c 65536 /dev/zero > other",
        "(head -c 64 /proc/self/exe; head -c 65536 /dev/urandom) > other",
        "(printf '\\177ELF\\001'; tail -c +6 /proc/self/exe | head -c 65536) > other",
        "head -c 65536 /dev/urandom > other",
    };
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s", temporary_path("other"));
        shell("%s", make[i]);
        void *at = map_file(path);
        assert_int_equal(unlink(path), 0);
        struct mapped mapped = synthesize_mapped(path);
        assert_int_equal(mapped.count, 1);
        assert_true(mapped.id.size == 0 && mapped.file.inode != 0 && mapped.is_named_deleted);
        munmap(at, 65536);
    }
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
        cmocka_unit_test(a_deleted_file_is_known_by_its_build_id_in_memory),
        cmocka_unit_test(other_deleted_files_keep_their_inodes),
        cmocka_unit_test(the_whole_machine_is_all_processes),
        cmocka_unit_test(the_kernel_is_mapped_with_its_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
