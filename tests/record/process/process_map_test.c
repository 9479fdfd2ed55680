#include "record/process/process_map.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "record/symbols/symbolized_session.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/record/records.h"
#include "symbol/elf/elf_file.h"

static bool change(void *context, struct flm_event *event, struct flm_error *why)
{
    return flm_processes_change(context, event) || flm_error_memory(why);
}

struct world {
    struct flm_event_layouts layouts;
    struct flm_modules *modules;
    struct flm_symbolizer *symbolizer;
    struct flm_processes *processes;
    struct records records;
};

static void world_init(struct world *w)
{
    static const struct flm_modules_options modules = {0};
    static const struct flm_processes_options options = {0};
    *w = (struct world){0};
    records_layout(&w->layouts, PERF_TYPE_SOFTWARE, 0, "cpu-clock");
    w->modules = flm_modules_new(&modules, NULL);
    w->symbolizer = flm_modules_symbolizer(w->modules);
    w->processes = flm_processes_new(w->symbolizer, &options, NULL);
    assert_true(w->modules && w->processes);
}

static void world_clear(struct world *w)
{
    flm_processes_free(w->processes);
    w->symbolizer->calls->free(w->symbolizer);
    flm_modules_free(w->modules);
    flm_event_layouts_clear(&w->layouts);
    records_clear(&w->records);
}

static void happen(struct world *w)
{
    records_each(&w->records, &w->layouts, change, w->processes);
    records_clear(&w->records);
}

static const struct flm_mapping *at(struct world *w, int32_t process, uint64_t address)
{
    const struct flm_process *p = flm_processes_get(w->processes, process);
    assert_non_null(p);
    return flm_process_find(p, address);
}

/* Which of some mappings each of 64 pages belongs to, kept page by page. */
static void a_new_mapping_replaces_what_it_covers(void **state)
{
    (void)state;
    enum { PAGES = 64, PAGE = 0x1000 };
    uint64_t random = 1;
    for (int round = 0; round < 200; round++) {
        struct world w;
        world_init(&w);
        uint64_t offset_of[PAGES] = {0};
        bool is_mapped[PAGES] = {false};
        for (int i = 0; i < 12; i++) {
            uint64_t first = random_below(&random, PAGES);
            uint64_t count = 1 + random_below(&random, PAGES - (uint32_t)first);
            uint64_t offset = (uint64_t)PAGE * random_below(&random, 1000);
            put_map(&w.records, 5, 1, first * PAGE, count * PAGE, offset, "//anon");
            for (uint64_t page = first; page < first + count; page++) {
                offset_of[page] = offset + (page - first) * PAGE;
                is_mapped[page] = true;
            }
        }
        happen(&w);
        for (uint64_t page = 0; page < PAGES; page++) {
            uint64_t address = page * PAGE + random_below(&random, PAGE);
            const struct flm_mapping *m = at(&w, 5, address);
            assert_int_equal(m != NULL, is_mapped[page]);
            if (m)
                assert_int_equal(address - m->start + m->file_offset,
                                 offset_of[page] + address % PAGE);
        }
        world_clear(&w);
    }
}

static void a_forked_process_shares_its_parents_mappings_until_one_changes(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    put_name(&w.records, 1, 1, 0, "sh", false);
    put_map(&w.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/sh");
    put_fork(&w.records, 2, 1, 2, 1, 10);
    put_map(&w.records, 1, 11, 0x3000, 0x1000, 0, "/nowhere/parent.so");
    put_map(&w.records, 2, 12, 0x5000, 0x1000, 0, "/nowhere/child.so");
    happen(&w);
    assert_non_null(at(&w, 1, 0x1800));
    assert_ptr_equal(at(&w, 1, 0x1800)->module, at(&w, 2, 0x1800)->module);
    assert_non_null(at(&w, 1, 0x3000));
    assert_null(at(&w, 2, 0x3000));
    assert_null(at(&w, 1, 0x5000));
    assert_non_null(at(&w, 2, 0x5fff));
    assert_null(at(&w, 2, 0x6000));
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 2), "sh"));
    world_clear(&w);
}

static void exec_removes_all_mappings(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    put_map(&w.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/sh");
    put_fork(&w.records, 2, 1, 2, 1, 10);
    put_name(&w.records, 2, 2, 11, "ls", true);
    put_map(&w.records, 2, 12, 0x8000, 0x1000, 0, "/nowhere/ls");
    happen(&w);
    assert_null(at(&w, 2, 0x1000));
    assert_non_null(at(&w, 2, 0x8000));
    assert_non_null(at(&w, 1, 0x1000));
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 2), "ls"));
    world_clear(&w);
}

/* Of the command of a recording there is no fork. Perf maps that are older are of others. */
static void a_process_starts_with_its_last_fork_or_exec(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    put_name(&w.records, 1, 1, 7, "command", true);
    put_map(&w.records, 1, 8, 0x1000, 0x1000, 0, "/nowhere/command");
    put_fork(&w.records, 2, 1, 2, 1, 10);
    put_map(&w.records, 3, 11, 0x1000, 0x1000, 0, "/nowhere/there");
    put_name(&w.records, 3, 3, 12, "there", false);
    happen(&w);
    assert_int_equal(flm_processes_get(w.processes, 1)->started_ns, 7);
    assert_int_equal(flm_processes_get(w.processes, 2)->started_ns, 10);
    assert_true(flm_processes_get(w.processes, 3)->started_ns == FLM_NO_TIME);
    put_name(&w.records, 2, 2, 20, "other", true);
    happen(&w);
    assert_int_equal(flm_processes_get(w.processes, 1)->started_ns, 7);
    assert_int_equal(flm_processes_get(w.processes, 2)->started_ns, 20);
    world_clear(&w);
}

static void threads_share_their_process(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    put_name(&w.records, 1, 1, 0, "app", false);
    put_map(&w.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
    put_fork(&w.records, 1, 1, 7, 1, 10);
    put_name(&w.records, 1, 7, 11, "worker", false);
    happen(&w);
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 7), "worker"));
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 1), "app"));
    assert_int_equal(flm_thread_name(w.processes, 99).size, 0);
    assert_non_null(at(&w, 1, 0x1000));
    world_clear(&w);
}

static void every_change_of_mappings_invalidates_caches(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    uint64_t before = flm_processes_get(w.processes, 1)->changed;
    assert_int_equal(flm_processes_get(w.processes, 1)->changed, before);
    put_map(&w.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
    happen(&w);
    assert_int_not_equal(flm_processes_get(w.processes, 1)->changed, before);
    assert_int_not_equal(flm_processes_get(w.processes, 2)->changed,
                         flm_processes_get(w.processes, 1)->changed);
    world_clear(&w);
}

static void memory_without_a_file_has_no_module_and_the_kernel_is_everybodys(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    put_map(&w.records, 1, 0, 0x1000, 0x1000, 0, "//anon");
    put_map(&w.records, -1, 0, 0xFFFFFFFF81000000, 0x1000000, 0xFFFFFFFF81000000,
            "[kernel.kallsyms]_text");
    happen(&w);
    assert_non_null(at(&w, 1, 0x1000));
    assert_null(at(&w, 1, 0x1000)->module);
    assert_non_null(at(&w, -1, 0xFFFFFFFF81234567));
    assert_true(at(&w, -1, 0xFFFFFFFF81234567)->in_kernel);
    assert_true(flm_processes_kernel_start(w.processes) == 0xFFFFFFFF81000000);
    world_clear(&w);
}

static enum flm_module_state vdso_state(struct world *w, uint64_t start)
{
    put_map(&w->records, 1, 0, start, 0x2000, 0, "[vdso]");
    happen(w);
    assert_non_null(at(w, 1, start));
    return flm_module_state(at(w, 1, start)->module);
}

static void the_vdso_is_ours_where_the_kernel_or_the_build_id_is(void **state)
{
    (void)state;
    const uint64_t low = 0x10000;
    const uint64_t high = UINT64_C(0x7ffc00000000);
    struct flm_elf_file *own = flm_elf_new(flm_own_vdso(), NULL);
    if (!own || own->build_id.size == 0)
        skip();
    struct flm_build_id id = own->build_id;
    flm_elf_free(own);
    for (int other = 0; other < 2; other++, id.bytes[0] ^= 1) {
        struct world w;
        world_init(&w);
        assert_int_equal(vdso_state(&w, high), FLM_MODULE_MISSING); /* of any kernel */
        flm_processes_kernel(w.processes, true);
        assert_true(vdso_state(&w, high) >= FLM_MODULE_EXPORTS);
        assert_int_equal(vdso_state(&w, low), FLM_MODULE_MISSING); /* of 32 bits */
        flm_processes_kernel(w.processes, false);
        assert_true(flm_processes_build_id(w.processes, flm_bytes_of("[vdso]"), &id));
        if (other)
            assert_true(vdso_state(&w, high) < FLM_MODULE_BARE);
        else
            assert_true(vdso_state(&w, high) >= FLM_MODULE_EXPORTS);
        world_clear(&w);
    }
}

static void mappings_that_wrap_around_are_ignored(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    put_map(&w.records, 1, 0, UINT64_MAX - 10, 100, 0, "//anon");
    put_map(&w.records, 1, 0, 0x1000, 0, 0, "//anon");
    happen(&w);
    assert_int_equal(flm_processes_get(w.processes, 1)->mapping_count, 0);
    world_clear(&w);
}

/* ---- Forgetting ------------------------------------------------------------------------------ */

/* As a shell starts a compiler: a fork, an exec, mappings, the end. */
static void run_process(struct world *w, int id, uint64_t time, const char *name)
{
    put_fork(&w->records, id, 1, id, 1, time);
    put_name(&w->records, id, id, time + 1, name, true);
    put_map(&w->records, id, time + 2, 0x1000, 0x1000, 0, "/nowhere/cc");
    put_map(&w->records, id, time + 3, 0x9000, 0x1000, 0, "/nowhere/libc.so");
    put_exit(&w->records, id, id, time + 4);
}

static void start_shell(struct world *w)
{
    put_name(&w->records, 1, 1, 0, "sh", false);
    put_map(&w->records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/sh");
    happen(w);
}

static void of_many_short_processes_only_the_last_are_kept(void **state)
{
    (void)state;
    enum { COUNT = 2000, EACH = 100 };
    struct world w;
    world_init(&w);
    start_shell(&w);
    for (int i = 0; i < COUNT; i++) {
        uint64_t time = 1000 + (uint64_t)i * EACH;
        char name[16];
        snprintf(name, sizeof name, "cc%d", i);
        run_process(&w, 100 + i, time, name);
        happen(&w);
        assert_true(flm_processes_forget(w.processes, (int64_t)(time - 5 * EACH)));
        assert_true(flm_processes_forget_names(w.processes));
        struct flm_processes_counts counts = flm_processes_counts(w.processes);
        assert_true(counts.processes <= 1 + 6);
        assert_true(counts.threads <= 1 + 6);
        assert_true(counts.names <= 1 + 6);
    }
    assert_non_null(at(&w, 1, 0x1000));
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 1), "sh"));
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 100 + COUNT - 1), "cc1999"));
    assert_int_equal(flm_modules_counts(w.modules).modules, 3);
    world_clear(&w);
}

static void a_process_that_just_ended_still_has_its_mappings(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    start_shell(&w);
    run_process(&w, 7, 1000, "cc");
    happen(&w);
    assert_true(flm_processes_forget(w.processes, 1004));
    assert_non_null(at(&w, 7, 0x9000));
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 7), "cc"));
    assert_true(flm_processes_forget(w.processes, 1005));
    assert_false(flm_processes_know(w.processes, 7));
    assert_null(at(&w, 7, 0x9000));
    world_clear(&w);
}

static void a_process_lives_as_long_as_one_of_its_threads(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    start_shell(&w);
    put_fork(&w.records, 1, 1, 8, 1, 10); /* a thread */
    put_exit(&w.records, 1, 1, 20);
    happen(&w);
    assert_true(flm_processes_forget(w.processes, 1000));
    assert_non_null(at(&w, 1, 0x1000));
    assert_int_equal(flm_processes_counts(w.processes).threads, 1);
    put_exit(&w.records, 1, 8, 2000);
    happen(&w);
    assert_true(flm_processes_forget(w.processes, 2000));
    assert_true(flm_processes_know(w.processes, 1));
    assert_true(flm_processes_forget(w.processes, 3000));
    assert_false(flm_processes_know(w.processes, 1));
    world_clear(&w);
}

/* Another thread execs: it becomes the first one, and of the others' end nothing is said. */
static void exec_ends_the_other_threads(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    start_shell(&w);
    put_fork(&w.records, 1, 1, 8, 1, 10);
    put_fork(&w.records, 1, 1, 9, 1, 11);
    put_exit(&w.records, 1, 1, 20);
    put_name(&w.records, 1, 1, 21, "next", true);
    happen(&w);
    assert_true(flm_processes_forget(w.processes, 1000));
    assert_int_equal(flm_processes_counts(w.processes).threads, 1);
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 1), "next"));
    put_exit(&w.records, 1, 1, 2000);
    happen(&w);
    assert_true(flm_processes_forget(w.processes, 3000));
    assert_int_equal(flm_processes_counts(w.processes).processes, 0);
    world_clear(&w);
}

/* A mapping of a file, with its inode; as put_map otherwise. */
static void put_file(struct world *w, uint64_t start, uint64_t inode, const char *path)
{
    struct records *r = &w->records;
    record_begin(r, PERF_RECORD_MMAP2, 0);
    put32(r, 5);
    put32(r, 5);
    put64(r, start);
    put64(r, 0x1000);
    put64(r, 0);
    put64(r, 0); /* the device */
    put64(r, inode);
    put64(r, 0);
    put64(r, 5);
    put_text(r, path);
    put32(r, 5);
    put32(r, 5);
    put64(r, 1);
    record_end(r);
}

static void two_files_of_one_path_are_two_modules(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    put_file(&w, 0x10000, 7, "/gone/lib.so (deleted)");
    put_file(&w, 0x20000, 8, "/gone/lib.so");
    put_file(&w, 0x30000, 8, "/gone/lib.so");
    happen(&w);
    struct flm_module *old = at(&w, 5, 0x10000)->module, *new = at(&w, 5, 0x20000)->module;
    assert_true(flm_bytes_are(flm_module_path(old), "/gone/lib.so"));
    assert_true(flm_bytes_are(flm_module_path(new), "/gone/lib.so"));
    assert_ptr_equal(at(&w, 5, 0x30000)->module, new);
    world_clear(&w);
}

static void a_reused_process_number_is_another_process(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    start_shell(&w);
    run_process(&w, 7, 1000, "cc");
    put_fork(&w.records, 7, 1, 7, 1, 1100);
    happen(&w);
    assert_true(flm_processes_forget(w.processes, 5000));
    assert_non_null(at(&w, 7, 0x1000)); /* what the shell has */
    assert_null(at(&w, 7, 0x9000));
    assert_true(flm_bytes_are(flm_thread_name(w.processes, 7), "sh"));
    world_clear(&w);
}

static void a_thread_whose_end_is_unknown_is_kept(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    put_map(&w.records, 5, 0, 0x1000, 0x1000, 0, "/nowhere/app"); /* no name, no fork */
    happen(&w);
    flm_processes_get(w.processes, 6); /* a sample, and nothing else */
    assert_true(flm_processes_forget(w.processes, INT64_MAX));
    assert_non_null(at(&w, 5, 0x1000));
    assert_false(flm_processes_know(w.processes, 6));
    put_exit(&w.records, 5, 5, 100);
    happen(&w);
    assert_true(flm_processes_forget(w.processes, 101));
    assert_false(flm_processes_know(w.processes, 5));
    world_clear(&w);
}

struct history {
    struct flm_event_layouts layouts;
    struct records records;
};

static bool live_through(void *context, struct flm_error *why)
{
    struct history *h = context;
    static const struct flm_modules_options options = {0};
    static const struct flm_processes_options process_options = {0};
    static const struct flm_build_id id = {.size = 2, .bytes = {1, 2}};
    struct flm_modules *modules = flm_modules_new(&options, why);
    struct flm_symbolizer *symbolizer = modules ? flm_modules_symbolizer(modules) : NULL;
    struct flm_processes *p =
        symbolizer ? flm_processes_new(symbolizer, &process_options, why) : NULL;
    if (!p)
        flm_error_memory(why);
    bool good = p && (flm_processes_build_id(p, flm_bytes_of("/nowhere/app"), &id) ||
                      flm_error_memory(why));
    for (size_t offset = 0; good && offset < h->records.bytes.size;) {
        char *record = h->records.bytes.at + offset;
        struct flm_event event;
        size_t size = flm_record_header(record, false).size;
        assert_true(flm_event_decode(&h->layouts, record, size, 0, &event, NULL));
        good = flm_processes_change(p, &event) || flm_error_memory(why);
        offset += size;
    }
    good = good && ((flm_processes_forget(p, 1000) && flm_processes_forget_names(p)) ||
                    flm_error_memory(why));
    flm_processes_free(p);
    if (symbolizer)
        symbolizer->calls->free(symbolizer);
    flm_modules_free(modules);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct history h = {0};
    records_layout(&h.layouts, PERF_TYPE_SOFTWARE, 0, "cpu-clock");
    put_name(&h.records, 1, 1, 0, "app", false);
    put_map(&h.records, 1, 0, 0x1000, 0x9000, 0, "/nowhere/app");
    put_map(&h.records, 1, 0, 0x3000, 0x1000, 0, "//anon");
    put_fork(&h.records, 2, 1, 2, 1, 10);
    put_map(&h.records, 2, 0, 0x5000, 0x1000, 0, "/nowhere/b.so");
    put_name(&h.records, 1, 1, 20, "other", true);
    put_exit(&h.records, 2, 2, 30);
    assert_survives_failures(live_through, &h);
    records_clear(&h.records);
    flm_event_layouts_clear(&h.layouts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_mapping_replaces_what_it_covers),
        cmocka_unit_test(a_forked_process_shares_its_parents_mappings_until_one_changes),
        cmocka_unit_test(exec_removes_all_mappings),
        cmocka_unit_test(a_process_starts_with_its_last_fork_or_exec),
        cmocka_unit_test(threads_share_their_process),
        cmocka_unit_test(every_change_of_mappings_invalidates_caches),
        cmocka_unit_test(memory_without_a_file_has_no_module_and_the_kernel_is_everybodys),
        cmocka_unit_test(the_vdso_is_ours_where_the_kernel_or_the_build_id_is),
        cmocka_unit_test(mappings_that_wrap_around_are_ignored),
        cmocka_unit_test(of_many_short_processes_only_the_last_are_kept),
        cmocka_unit_test(a_process_that_just_ended_still_has_its_mappings),
        cmocka_unit_test(a_process_lives_as_long_as_one_of_its_threads),
        cmocka_unit_test(exec_ends_the_other_threads),
        cmocka_unit_test(two_files_of_one_path_are_two_modules),
        cmocka_unit_test(a_reused_process_number_is_another_process),
        cmocka_unit_test(a_thread_whose_end_is_unknown_is_kept),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
