#include "record/symbols/symbolized_session.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/record/scenario.h"

static uint32_t unsymbolized_frames(const struct flm_profile *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        count += (flm_profile_frame(p, (struct flm_frame){i})->flags & FLM_FRAME_UNSYMBOLIZED) != 0;
    return count;
}

static const uint64_t chain[] = {FLM_CONTEXT_USER, 0x1100, 0x1201, 0x1301};
enum { CHAIN = sizeof chain / sizeof *chain };

static void samples_are_counted_at_their_stacks_below_the_command(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    put_name(&t.records, 1, 1, 0, "app", false);
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0x4000, "/nowhere/app");
    put_sample(&t.records, 1, 1, 10, chain, CHAIN);
    put_sample(&t.records, 1, 1, 20, chain, CHAIN);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "samples", "app+0x4100") == 2);
    assert_true(self_of(p, "cpu-clock", "app+0x4100") == 2000);
    /* A return address stands for the call in front of it. */
    assert_true(self_of(p, "samples", "") == 2);
    assert_int_equal(p->sizes.node_count, 1 + 1 + 3);
    bool has_caller = false;
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        has_caller |= flm_bytes_are(flm_string_bytes(p, i), "app+0x4200");
    assert_true(has_caller);
    assert_true(has_label(p, "command", "app") && has_label(p, "thread", "1"));
    assert_int_equal(unsymbolized_frames(p), 3);
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    scenario_clear(&t);
}

static void an_address_is_resolved_by_the_mappings_at_its_time(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    const uint64_t leaf[] = {FLM_CONTEXT_USER, 0x1100};
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/one");
    put_sample(&t.records, 1, 1, 10, leaf, 2);
    put_map(&t.records, 1, 11, 0x1000, 0x1000, 0, "/nowhere/two");
    put_sample(&t.records, 1, 1, 20, leaf, 2);
    put_sample(&t.records, 1, 1, 30, leaf, 2);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "samples", "one+0x100") == 1);
    assert_true(self_of(p, "samples", "two+0x100") == 2);
    flm_profile_free(p);
    scenario_clear(&t);
}

static void the_first_frame_after_a_marker_is_no_return_address(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    const uint64_t both[] = {FLM_CONTEXT_KERNEL,
                             0xFFFFFFFF81000100,
                             0xFFFFFFFF81000200,
                             FLM_CONTEXT_USER,
                             0x1100,
                             0x1200};
    put_map(&t.records, -1, 0, 0xFFFFFFFF81000000, 0x1000000, 0xFFFFFFFF81000000,
            "[kernel.kallsyms]_text");
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
    put_sample(&t.records, 1, 1, 10, both, 6);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "samples", "[kernel]+0x100") == 1);
    static const char *const names[] = {"[kernel]+0x1ff", "app+0x100", "app+0x1ff"};
    for (size_t n = 0; n < 3; n++) {
        bool found = false;
        for (uint32_t i = 0; i < p->sizes.string_count; i++)
            found |= flm_bytes_are(flm_string_bytes(p, i), names[n]);
        assert_true(found);
    }
    flm_profile_free(p);
    scenario_clear(&t);
}

/* An address of the file, as if all of it were mapped at `BARE`; GNU ld has offsets for addresses.
 */
enum { BARE = 0x10000000 };

static uint64_t symbol_address(const char *file, const char *name)
{
    struct flm_text said = shell_output("nm %s | awk '$3 == \"%s\" { print $1 }'", file, name);
    flm_text_putc(&said, 0);
    uint64_t address = strtoull(said.at, NULL, 16);
    flm_text_clear(&said);
    assert_true(address > 0);
    return address;
}

/* The frame of the first node with that name; NULL: none has it. */
static const struct flm_frame_record *frame_named(const struct flm_profile *p, const char *name,
                                                  uint32_t *node)
{
    const uint32_t *frames = flm_profile_frames(p);
    for (*node = 0; *node < flm_profile_node_count(p); ++*node) {
        const struct flm_frame_record *f = flm_profile_frame(p, (struct flm_frame){frames[*node]});
        if (flm_bytes_are(flm_string_bytes(p, f->function), name))
            return f;
    }
    return NULL;
}

static void addresses_of_a_stripped_function_are_one_frame_by_its_start(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    write_small_program();
    shell("gcc -O2 small.c -o named && strip named -o bare");
    uint64_t inner = symbol_address("named", "local_function"),
             outer = symbol_address("named", "main");
    char name[64], caller[64], alone[64] = "bare+0x8";
    snprintf(name, sizeof name, "bare+0x%llx", (unsigned long long)inner);
    snprintf(caller, sizeof caller, "bare+0x%llx", (unsigned long long)outer);
    put_map(&t.records, 1, 0, BARE, 0x100000, 0, temporary_path("bare"));
    for (uint64_t i = 0; i < 6; i++) {
        const uint64_t stack[] = {FLM_CONTEXT_USER, BARE + inner + i, BARE + outer + 1 + i};
        put_sample(&t.records, 1, 1, 10 + i, stack, 3);
    }
    const uint64_t nowhere[] = {FLM_CONTEXT_USER, BARE + 8};
    put_sample(&t.records, 1, 1, 20, nowhere, 2);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "samples", name) == 6);
    assert_true(self_of(p, "samples", alone) == 1);
    assert_int_equal(p->sizes.node_count, 1 + 1 + 3);
    uint32_t node;
    const struct flm_frame_record *frame = frame_named(p, name, &node);
    assert_non_null(frame);
    assert_int_equal(frame->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(frame->address, inner);
    assert_true(flm_bytes_are(flm_string_bytes(p, frame->module), temporary_path("bare")));
    assert_non_null(frame_named(p, caller, &node));
    assert_int_equal(frame_named(p, alone, &node)->address, 8);
    assert_int_equal(unsymbolized_frames(p), 3);
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    scenario_clear(&t);
}

/* "python3.12" is an interpreter whose functions can be shown; where nobody reads them it is said,
 * unless it has hardly run. */
static void what_an_interpreter_runs_is_not_shown(void **state)
{
    (void)state;
    static const struct {
        const char *module;
        bool live, has_runtimes;
        int others; /* samples elsewhere */
        bool is_said;
    } cases[] = {{"/usr/bin/python3.12", true, false, 0, true},
                 {"/usr/lib/libpython3.9.so.1.0", true, false, 50, true},
                 {"/usr/lib/libpython3.9.so.1.0", true, false, 150, false},
                 {"/usr/bin/python3.12", true, true, 0, false},
                 {"/usr/bin/python3.12", false, false, 0, false},
                 {"/usr/bin/perl", true, false, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scenario t;
        scenario_init(&t);
        t.options.live = cases[i].live;
        t.options.has_runtimes = cases[i].has_runtimes;
        const uint64_t leaf[] = {FLM_CONTEXT_USER, 0x1100}, other[] = {FLM_CONTEXT_USER, 0x9100};
        put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, cases[i].module);
        put_map(&t.records, 1, 0, 0x9000, 0x1000, 0, "/nowhere/other");
        put_sample(&t.records, 1, 1, 10, leaf, 2);
        for (int k = 0; k < cases[i].others; k++)
            put_sample(&t.records, 1, 1, 20, other, 2);
        struct flm_profile *p = scenario_profile(&t);
        struct flm_name said = flm_profile_note_named(p, FLM_NOTE_NOT_SHOWN "CPython");
        assert_int_equal(said.at != NULL, cases[i].is_said);
        if (said.at)
            assert_non_null(memmem(said.at, said.size, "--no-runtime", 12));
        flm_profile_free(p);
        scenario_clear(&t);
    }
}

/* With the share, the process, and what makes its runtime name it. */
static void code_without_names_is_said_with_the_remedy(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    const uint64_t jit[] = {FLM_CONTEXT_USER, 0x1100}, other[] = {FLM_CONTEXT_USER, 0x9100};
    put_map(&t.records, 4711, 0, 0x1000, 0x1000, 0, "//anon");
    put_map(&t.records, 4711, 0, 0x9000, 0x1000, 0, "/nowhere/other");
    put_name(&t.records, 4711, 4711, 0, "node", false);
    for (int i = 0; i < 4; i++)
        put_sample(&t.records, 4711, 4711, 10, i < 3 ? jit : other, 2);
    struct flm_profile *p = scenario_profile(&t);
    struct flm_name said = flm_profile_note_named(p, FLM_NOTE_UNSYMBOLIZED "JIT code of node 4711");
    assert_non_null(said.at);
    assert_non_null(memmem(said.at, said.size, "75 % of samples", 15));
    assert_non_null(memmem(said.at, said.size, "--perf-basic-prof", 17));
    flm_profile_free(p);
    scenario_clear(&t);
}

/* Its addresses look like those of JIT code: nothing that it mapped is known. */
static void a_process_whose_start_was_lost_has_no_jit_code(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    put_sample(&t.records, 4711, 4711, 10, chain, 2); /* its first two */
    struct flm_profile *p = scenario_profile(&t);
    struct flm_name said = flm_profile_note_named(p, FLM_NOTE_UNSYMBOLIZED "code of process 4711");
    assert_non_null(said.at);
    assert_non_null(memmem(said.at, said.size, "start was not seen", 18));
    flm_profile_free(p);
    scenario_clear(&t);
}

static void functions_may_be_inlined_into_each_other_by_the_hundred(void **state)
{
    (void)state;
    enum { DEEP = 120 };
    struct scenario t;
    scenario_init(&t);
    struct flm_text source = {0};
    flm_text_puts(&source, "static inline __attribute__((always_inline)) void f0(void)\n"
                           "{ __asm__ volatile(\".globl inner\\ninner: nop\"); }\n");
    for (int i = 1; i < DEEP; i++)
        flm_text_format(&source,
                        "static inline __attribute__((always_inline)) void f%d(void) { f%d(); }\n",
                        i, i - 1);
    flm_text_format(&source, "void outer(void) { f%d(); }\n", DEEP - 1);
    write_temporary("deep.c", (struct flm_bytes){source.at, source.size});
    flm_text_clear(&source);
    shell("gcc -g -O1 -shared -fPIC -nostdlib deep.c -o deep.so");
    put_map(&t.records, 1, 0, BARE, 0x100000, 0, temporary_path("deep.so"));
    const uint64_t stack[] = {FLM_CONTEXT_USER, BARE + symbol_address("deep.so", "inner")};
    put_sample(&t.records, 1, 1, 10, stack, 2);
    struct flm_profile *p = scenario_profile(&t);
    assert_int_equal(p->sizes.node_count, 1 + 1 + 1 + DEEP);
    assert_true(self_of(p, "samples", "f0") == 1);
    flm_profile_free(p);
    scenario_clear(&t);
}

static void threads_may_be_frames_below_their_command(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    t.options.per_thread = true;
    put_name(&t.records, 1, 1, 0, "app", false);
    put_fork(&t.records, 1, 1, 2, 1, 1);
    put_name(&t.records, 1, 2, 2, "worker", false);
    put_sample(&t.records, 1, 2, 10, chain, CHAIN);
    struct flm_profile *p = scenario_profile(&t);
    const uint32_t *frames = flm_profile_frames(p);
    static const char *const expected[] = {"app", "worker 2"};
    for (uint32_t i = 0; i < 2; i++) {
        const struct flm_frame_record *f = flm_profile_frame(p, (struct flm_frame){frames[i + 1]});
        assert_true(flm_bytes_are(flm_string_bytes(p, f->function), expected[i]));
        assert_int_equal(f->kind, FLM_KIND_LABEL);
    }
    flm_profile_free(p);
    scenario_clear(&t);
}

static void functions_of_interpreters_have_numbers_instead_of_addresses(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    struct records *r = &t.records;
    record_begin(r, FLM_RECORD_OWN, 0);
    put64(r, 0);
    put64(r, FLM_OWN_MAGIC);
    const struct flm_own_code code = {FLM_OWN_CODE,      12, FLM_KIND_INTERPRETED, 3, 4, 0,
                                      FLM_CODE_FIRST + 5};
    flm_text_add(&r->bytes, (struct flm_bytes){(const char *)&code, sizeof code});
    flm_text_puts(&r->bytes, "runx.py");
    flm_text_putc(&r->bytes, 0);
    record_end(r);
    const uint64_t stack[] = {FLM_CONTEXT_USER, 0x1100, FLM_CODE_FIRST + 5, 0x1201};
    put_sample(r, 1, 1, 10, stack, 4);
    struct flm_profile *p = scenario_profile(&t);
    bool found = false;
    for (uint32_t i = 0; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = flm_profile_frame(p, (struct flm_frame){i});
        found |= flm_bytes_are(flm_string_bytes(p, f->function), "run") &&
                 flm_bytes_are(flm_string_bytes(p, f->file), "x.py") &&
                 f->kind == FLM_KIND_INTERPRETED;
    }
    assert_true(found);
    flm_profile_free(p);
    scenario_clear(&t);
}

static void a_perf_map_names_code_without_a_file(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    char folder[4096];
    const char *path =
        write_temporary("perf-7331.map", flm_bytes_of("1100 80 JS:*fib /app.js:3:13\n"
                                                      "1200 80 JS:~main /app.js:9:1\n"));
    size_t size = strlen(path) - strlen("/perf-7331.map");
    assert_true(size < sizeof folder);
    memcpy(folder, path, size);
    folder[size] = 0;
    const char *folders[] = {folder};
    t.options.symbols.symbol_dirs = folders;
    t.options.symbols.symbol_dir_count = 1;
    put_sample(&t.records, 7331, 7331, 10, chain, CHAIN);
    struct flm_profile *p = scenario_profile(&t);
    bool found = false;
    for (uint32_t i = 0; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = flm_profile_frame(p, (struct flm_frame){i});
        struct flm_bytes name = flm_string_bytes(p, f->function);
        found |= name.size > 0 && memmem(name.at, name.size, "fib", 3) &&
                 !(f->flags & FLM_FRAME_UNSYMBOLIZED);
    }
    assert_true(found);
    assert_int_equal(unsymbolized_frames(p), 1); /* 0x1300 */
    flm_profile_free(p);
    scenario_clear(&t);
}

static void without_times_the_sums_are_the_same(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
    for (uint64_t i = 0; i < 9; i++)
        put_sample(&t.records, 1, (int)i % 2 + 1, i, chain, 2 + i % 3);
    struct flm_profile *with = scenario_profile(&t);
    t.options.keep_times = false;
    struct flm_profile *without = scenario_profile(&t);
    assert_int_equal(without->sizes.sample_count, 0);
    assert_int_equal(with->sizes.sample_count, 9);
    for (uint32_t m = 0; m < 2; m++)
        assert_true(flm_profile_total(with, (struct flm_metric){m}) ==
                    flm_profile_total(without, (struct flm_metric){m}));
    assert_true(self_of(without, "samples", "") == 9);
    flm_profile_free(with);
    flm_profile_free(without);
    scenario_clear(&t);
}

static int rounded(const struct flm_profile *p)
{
    struct flm_name count = flm_profile_note_named(p, FLM_NOTE_ROUNDED);
    return count.size == 1 ? *count.at - '0' : 0;
}

/* The clock of four samples that have that period, with their times and without. */
static void assert_clock(uint64_t period, double expected, int rounded_count)
{
    enum { PERIOD = 32 }; /* behind header, address, process, thread and time */
    struct scenario t;
    scenario_init(&t);
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
    for (uint64_t i = 0; i < 4; i++) {
        size_t at = t.records.bytes.size;
        put_sample(&t.records, 1, 1, i, chain, 2);
        memcpy(t.records.bytes.at + at + PERIOD, &period, sizeof period);
    }
    for (int keep_times = 0; keep_times < 2; keep_times++) {
        t.options.keep_times = keep_times;
        struct flm_profile *p = scenario_profile(&t);
        assert_true(lost(p, "samples with a period that cannot be used") == 0);
        assert_true(self_of(p, "cpu-clock", "") == expected);
        assert_int_equal(rounded(p), rounded_count);
        flm_profile_free(p);
    }
    scenario_clear(&t);
}

static void periods_of_64_bits_are_summed_and_rounded_once(void **state)
{
    (void)state;
    assert_clock(1000, 4000, 0);
    assert_clock((1ull << 63) + 1024, 0x1p65, 4); /* each is read as 2^63 */
    assert_clock((1ull << 63) + 2048, 0x1p65 + 8192, 0);
    assert_clock((1ull << 53) + 2, 0x1p55 + 8, 0);
    assert_clock(UINT64_MAX, 0x1p66, 4);
}

static void an_unwound_stack_is_a_chain_with_markers(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    const uint64_t both[] = {FLM_CONTEXT_KERNEL, 0xFFFFFFFF81000100, FLM_CONTEXT_USER, 0x1100};
    put_sample(&t.records, 1, 1, 10, both, 4);
    struct flm_session *s = flm_session_new(&t.options, NULL);
    struct flm_event event;
    assert_true(
        flm_event_decode(&t.layouts, t.records.bytes.at, t.records.bytes.size, 0, &event, NULL));
    struct flm_stack stack = flm_session_unwind(s, &event);
    assert_int_equal(stack.count, 2);
    assert_true(stack.addresses[0] == FLM_CONTEXT_USER && stack.addresses[1] == 0x1100);
    flm_session_free(s);
    scenario_clear(&t);
}

static void a_truncated_stack_has_a_frame_that_says_so(void **state)
{
    (void)state;
    static const char loss[] =
        "outer frames of truncated stacks (not unwound to the end when recorded)";
    struct scenario t;
    scenario_init(&t);
    const uint64_t cut[] = {FLM_CONTEXT_USER, 0x1100, 0x1201, FLM_CODE_TRUNCATED};
    put_name(&t.records, 1, 1, 0, "app", false);
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0x4000, "/nowhere/app");
    put_sample(&t.records, 1, 1, 10, cut, 4);
    put_sample(&t.records, 1, 1, 20, chain, CHAIN);
    struct flm_profile *p = scenario_profile(&t);
    uint32_t node;
    const struct flm_frame_record *frame = frame_named(p, FLM_TRUNCATED_STACK, &node);
    assert_non_null(frame);
    assert_int_equal(frame->kind, FLM_KIND_LABEL);
    assert_int_equal(frame->flags, 0);
    assert_int_equal(flm_profile_node_count(p), 1 + 1 + 3 + 3); /* two stacks below "app" */
    const uint32_t *frames = flm_profile_frames(p);
    frame = flm_profile_frame(p, (struct flm_frame){frames[node + 1]});
    assert_true(flm_bytes_are(flm_string_bytes(p, frame->function), "app+0x4200"));
    assert_true(lost(p, loss) == 1);
    flm_profile_free(p);
    t.options.live = true; /* who unwinds has counted it already */
    p = scenario_profile(&t);
    assert_non_null(frame_named(p, FLM_TRUNCATED_STACK, &node));
    assert_true(lost(p, loss) == 0);
    flm_profile_free(p);
    scenario_clear(&t);
}

static void a_chain_at_the_kernels_depth_limit_is_possibly_truncated(void **state)
{
    (void)state;
    enum { DEEPEST = 127, KERNEL = 3 };
    uint64_t deep[2 + DEEPEST + 1];
    for (size_t count = DEEPEST - 1; count <= DEEPEST; count++) {
        struct scenario t;
        scenario_init(&t);
        size_t at = 0;
        deep[at++] = FLM_CONTEXT_KERNEL;
        for (size_t i = 0; i < count; i++) {
            if (i == KERNEL)
                deep[at++] = FLM_CONTEXT_USER;
            deep[at++] = i < KERNEL ? 0xFFFFFFFF81000000 + i : 0x1000 + i;
        }
        put_sample(&t.records, 1, 1, 10, deep, at);
        for (uint32_t limited = 0; limited < 2; limited++) {
            uint32_t node;
            bool is_cut = limited && count == DEEPEST;
            t.layouts.items.at[0].deepest_chain = limited ? DEEPEST : 0;
            struct flm_profile *p = scenario_profile(&t);
            assert_int_equal(frame_named(p, FLM_TRUNCATED_STACK, &node) != NULL, is_cut);
            assert_true(lost(p, "outer frames of stacks as deep as kernel.perf_event_max_stack") ==
                        is_cut);
            assert_int_equal(flm_profile_node_count(p), 1 + 1 + count + is_cut);
            flm_profile_free(p);
        }
        scenario_clear(&t);
    }
}

static void the_first_metric_is_the_first_requested_event(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    records_layout(&t.layouts, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults");
    records_layout(&t.layouts, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "never");
    put_sample(&t.records, 1, 1, 10, chain, CHAIN);
    struct flm_session *s = flm_session_new(&t.options, NULL);
    struct flm_event event;
    assert_true(
        flm_event_decode(&t.layouts, t.records.bytes.at, t.records.bytes.size, 0, &event, NULL));
    for (size_t i = 2; i-- > 0; event.time_ns++) {
        event.sample.layout = &t.layouts.items.at[i];
        assert_true(flm_session_add(s, &event, NULL));
    }
    struct flm_builder *b = flm_builder_new(NULL);
    assert_true(flm_session_finish(s, b, NULL, NULL, NULL));
    struct flm_profile *p = flm_builder_finish(b, NULL);
    static const char *const expected[] = {"cpu-clock", "page-faults", "samples"};
    assert_int_equal(p->sizes.metric_count, 3); /* none of what never happened */
    for (uint32_t i = 0; i < 3; i++)
        assert_true(flm_bytes_are(flm_string_bytes(p, p->metrics[i].name), expected[i]));
    flm_profile_free(p);
    flm_session_free(s);
    scenario_clear(&t);
}

/* As a recording from another machine, whose kernel perf has kept in ~/.debug. */
static void another_kernel_is_symbolized_from_the_cache_of_perf(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    char *perf = strdup(temporary_path("perf"));
    shell("mkdir -p 'perf/[kernel.kallsyms]/abcdef' && printf '%s' > "
          "'perf/[kernel.kallsyms]/abcdef/kallsyms'",
          "ffffffff81000000 T _text\\nffffffff81000100 t work\\nffffffff81000200 T other\\n");
    t.options.symbols.perf_dir = perf;
    const struct flm_build_id id = {.size = 3, .bytes = {0xab, 0xcd, 0xef}};
    const uint64_t in_kernel[] = {FLM_CONTEXT_KERNEL, 0xFFFFFFFF92000110};
    put_map(&t.records, -1, 0, 0xFFFFFFFF92000000, 0x1000000, 0xFFFFFFFF92000000,
            "[kernel.kallsyms]_text");
    put_sample(&t.records, 1, 1, 10, in_kernel, 2);
    t.kernel_id = &id;
    struct flm_profile *p = scenario_profile(&t);
    uint32_t node;
    const struct flm_frame_record *frame = frame_named(p, "work", &node);
    assert_non_null(frame);
    assert_int_equal(frame->kind, FLM_KIND_KERNEL);
    assert_true(flm_bytes_are(flm_string_bytes(p, frame->module), "[kernel.kallsyms]"));
    flm_profile_free(p);
    free(perf);
    scenario_clear(&t);
}

static bool tell(void *context, struct flm_error *why)
{
    struct flm_profile *p = scenario_try(context, why);
    flm_profile_free(p);
    return p;
}

/* ---- Clones that the compiler made ----------------------------------------------------------- */

enum { MAIN = 16, LEX = 32, CONSTPROP = 48, PART = 64, COLD = 80, HELPER = 96 };

/* Samples in "main", "lex", its clones and "helper.0", at these addresses above BARE. */
static struct flm_profile *profile_of_clones(const uint64_t (*chains)[4], size_t count, bool apart)
{
    static const char source[] =
        ".text\n.macro function name\n.p2align 4\n.type \\name,@function\n\\name:\n"
        ".rept 16\nnop\n.endr\n.size \\name,.-\\name\n.endm\n.globl main\n"
        "function before\nfunction main\nfunction lex\nfunction lex.constprop.0\n"
        "function lex.part.0\nfunction lex.cold\nfunction helper.0\n";
    struct scenario t;
    scenario_init(&t);
    t.options.clones = apart;
    write_temporary("clones.s", flm_bytes_of(source));
    shell("gcc -shared -nostdlib clones.s -o clones.so");
    uint64_t before = symbol_address("clones.so", "before");
    assert_int_equal(symbol_address("clones.so", "helper.0"), before + HELPER);
    put_map(&t.records, 1, 0, BARE, 0x100000, 0, temporary_path("clones.so"));
    for (size_t i = 0; i < count; i++) {
        uint64_t stack[5] = {FLM_CONTEXT_USER};
        size_t size = 1;
        for (; size < 5 && chains[i][size - 1]; size++)
            stack[size] = BARE + before + chains[i][size - 1] + 4;
        put_sample(&t.records, 1, 1, 10 + i, stack, size);
    }
    struct flm_profile *p = scenario_profile(&t);
    scenario_clear(&t);
    return p;
}

/* The names from below the command to the node with the self value. */
static void assert_only_stack(const uint64_t chain_of_it[4], bool apart, const char *expected)
{
    struct flm_profile *p = profile_of_clones((const uint64_t(*)[4])chain_of_it, 1, apart);
    struct flm_text stack = {0};
    for (uint32_t i = 2; i < p->sizes.node_count; i++) {
        flm_text_puts(&stack, i > 2 ? ";" : "");
        flm_text_add(&stack, flm_string_bytes(p, p->frames[p->node_frame[i]].function));
    }
    flm_text_putc(&stack, 0);
    assert_string_equal(stack.at, expected);
    assert_true(flm_profile_self(p, (struct flm_metric){0})[p->sizes.node_count - 1] > 0);
    flm_text_clear(&stack);
    flm_profile_free(p);
}

static void clones_are_the_function(void **state)
{
    (void)state;
    static const uint64_t chains[][4] = {
        {LEX, MAIN}, {CONSTPROP, MAIN}, {PART, MAIN}, {COLD, MAIN}};
    struct flm_profile *p = profile_of_clones(chains, 4, false);
    uint32_t node;
    assert_int_equal(p->sizes.node_count, 1 + 1 + 2); /* the command, main, lex */
    assert_int_equal(frame_named(p, "lex", &node)->flags,
                     FLM_FRAME_CONSTPROP | FLM_FRAME_PART | FLM_FRAME_COLD);
    assert_int_equal(frame_named(p, "main", &node)->flags, 0);
    flm_profile_free(p);
    p = profile_of_clones(chains, 4, true);
    assert_int_equal(p->sizes.node_count, 1 + 1 + 5);
    assert_int_equal(frame_named(p, "lex.part.0", &node)->flags, 0);
    flm_profile_free(p);
}

static void a_part_on_its_function_is_the_same_call(void **state)
{
    (void)state;
    static const uint64_t split[][4] = {{PART, LEX, MAIN}};
    struct flm_profile *p = profile_of_clones(split, 1, false);
    uint32_t node;
    assert_int_equal(frame_named(p, "lex", &node)->flags, FLM_FRAME_PART);
    flm_profile_free(p);
    assert_only_stack((const uint64_t[4]){PART, LEX, MAIN}, false, "main;lex");
    assert_only_stack((const uint64_t[4]){PART, LEX, MAIN}, true, "main;lex;lex.part.0");
    assert_only_stack((const uint64_t[4]){HELPER, PART, LEX, MAIN}, false, "main;lex;helper.0");
    assert_only_stack((const uint64_t[4]){PART, CONSTPROP, MAIN}, false, "main;lex");
    assert_only_stack((const uint64_t[4]){PART, HELPER, LEX, MAIN}, false, "main;lex;helper.0;lex");
    /* These calls are in the source: recursion. */
    assert_only_stack((const uint64_t[4]){PART, PART, MAIN}, false, "main;lex;lex");
    assert_only_stack((const uint64_t[4]){LEX, PART, MAIN}, false, "main;lex;lex");
    assert_only_stack((const uint64_t[4]){CONSTPROP, LEX, MAIN}, false, "main;lex;lex");
    assert_only_stack((const uint64_t[4]){LEX, LEX, MAIN}, false, "main;lex;lex");
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    put_name(&t.records, 1, 1, 0, "app", false);
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
    put_fork(&t.records, 2, 1, 2, 1, 5);
    put_sample(&t.records, 1, 1, 10, chain, CHAIN);
    put_sample(&t.records, 2, 2, 20, chain, CHAIN - 1);
    put_switch(&t.records, 1, 1, 1000, true, false);
    put_switch(&t.records, 1, 1, 2000, false, false);
    put_lost(&t.records, 3000, 12);
    assert_survives_failures(tell, &t);
    scenario_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_counted_at_their_stacks_below_the_command),
        cmocka_unit_test(an_address_is_resolved_by_the_mappings_at_its_time),
        cmocka_unit_test(the_first_frame_after_a_marker_is_no_return_address),
        cmocka_unit_test(addresses_of_a_stripped_function_are_one_frame_by_its_start),
        cmocka_unit_test(what_an_interpreter_runs_is_not_shown),
        cmocka_unit_test(code_without_names_is_said_with_the_remedy),
        cmocka_unit_test(a_process_whose_start_was_lost_has_no_jit_code),
        cmocka_unit_test(functions_may_be_inlined_into_each_other_by_the_hundred),
        cmocka_unit_test(threads_may_be_frames_below_their_command),
        cmocka_unit_test(functions_of_interpreters_have_numbers_instead_of_addresses),
        cmocka_unit_test(a_perf_map_names_code_without_a_file),
        cmocka_unit_test(without_times_the_sums_are_the_same),
        cmocka_unit_test(periods_of_64_bits_are_summed_and_rounded_once),
        cmocka_unit_test(an_unwound_stack_is_a_chain_with_markers),
        cmocka_unit_test(a_truncated_stack_has_a_frame_that_says_so),
        cmocka_unit_test(a_chain_at_the_kernels_depth_limit_is_possibly_truncated),
        cmocka_unit_test(the_first_metric_is_the_first_requested_event),
        cmocka_unit_test(another_kernel_is_symbolized_from_the_cache_of_perf),
        cmocka_unit_test(clones_are_the_function),
        cmocka_unit_test(a_part_on_its_function_is_the_same_call),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
