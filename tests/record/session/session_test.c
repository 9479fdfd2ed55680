/* Sessions without symbols. With those of a machine: record/symbols/symbols_test.c. */
#include "record/session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "profile/columns.h"
#include "record/perf/kernel_abi.h"
#include "support/core/failures.h"
#include "support/record/scenario.h"

static const uint64_t chain[] = {
    FLM_CONTEXT_KERNEL, 0xffff800000001100, FLM_CONTEXT_USER, 0x1101, 0x1301, 0x9999999};
enum { CHAIN = sizeof chain / sizeof *chain };

static void tell_all(struct scenario *t)
{
    scenario_init(t);
    put_map(&t->records, -1, 0, 0xffff800000001000, 0x100000, 0xffff800000001000,
            "[kernel.kallsyms]_text");
    put_name(&t->records, 1, 1, 0, "app", false);
    put_map(&t->records, 1, 0, 0x1000, 0x1000, 0x4000, "/nowhere/app");
    put_sample(&t->records, 1, 1, 10, chain, CHAIN);
    put_fork(&t->records, 2, 1, 2, 1, 15);
    put_sample(&t->records, 2, 2, 20, chain + 2, 2);
    put_map(&t->records, 1, 25, 0x1000, 0x1000, 0, "/nowhere/other.so");
    put_sample(&t->records, 1, 1, 30, chain, CHAIN);
    put_switch(&t->records, 1, 1, 1000, true, false);
    put_switch(&t->records, 1, 1, 2000, false, false);
    put_exit(&t->records, 2, 2, 2500);
    put_lost(&t->records, 3000, 12);
}

static void functions_are_called_by_their_modules(void **state)
{
    (void)state;
    struct scenario t;
    tell_all(&t);
    t.is_unsymbolized = true;
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "samples", "app+0x4101") == 1);
    assert_true(self_of(p, "samples", "[kernel]+0x100") == 2);
    assert_true(self_of(p, "cpu-clock", "[kernel]+0x100") == 2000);
    assert_true(has_label(p, "process", "2"));
    assert_true(lost(p, "events (ring buffer full)") == 12);
    flm_profile_free(p);
    scenario_clear(&t);
}

/* Of files that are not there, symbols say nothing either; only the notes differ. */
static void stacks_are_those_of_a_session_with_symbols(void **state)
{
    (void)state;
    struct flm_profile *p[2];
    for (int i = 0; i < 2; i++) {
        struct scenario t;
        tell_all(&t);
        t.is_unsymbolized = i;
        p[i] = scenario_profile(&t);
        scenario_clear(&t);
    }
    assert_int_equal(p[0]->sizes.sample_count, p[1]->sizes.sample_count);
    assert_int_equal(flm_profile_node_count(p[0]), flm_profile_node_count(p[1]));
    const uint32_t *a = flm_profile_frames(p[0]), *b = flm_profile_frames(p[1]);
    for (uint32_t i = 0; i < flm_profile_node_count(p[0]); i++) {
        const struct flm_frame_record *x = flm_profile_frame(p[0], (struct flm_frame){a[i]}),
                                      *y = flm_profile_frame(p[1], (struct flm_frame){b[i]});
        assert_true(flm_bytes_equal(flm_string_bytes(p[0], x->function),
                                    flm_string_bytes(p[1], y->function)));
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->flags, y->flags);
        assert_true(x->address == y->address);
    }
    flm_profile_free(p[0]);
    flm_profile_free(p[1]);
}

/* A sample with a stack dump, as perf record --call-graph dwarf has it: the chain ends in the
 * kernel. */
static void put_dump(struct records *r, uint64_t time)
{
    record_begin(r, FLM_PERF_RECORD_SAMPLE, FLM_PERF_RECORD_MISC_KERNEL);
    put64(r, chain[1]);
    put32(r, 1);
    put32(r, 1);
    put64(r, time);
    put64(r, 1000);
    put64(r, 2);
    put64(r, chain[0]);
    put64(r, chain[1]);
    put64(r, 2); /* 64 bits */
    put64(r, 0x1101);
    put64(r, 16);
    put64(r, 1);
    put64(r, 2);
    put64(r, 16);
    record_end(r);
}

static void stack_dumps_are_truncated_stacks(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    t.is_unsymbolized = true;
    struct flm_event_layout *layout = &t.layouts.items.at[0];
    layout->sample_type |= FLM_PERF_SAMPLE_REGS_USER | FLM_PERF_SAMPLE_STACK_USER;
    layout->user_registers = 1;
    layout->deepest_chain = 0;
    put_name(&t.records, 1, 1, 0, "app", false);
    put_dump(&t.records, 10);
    put_dump(&t.records, 20);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "samples", "[kernel]") == 2);
    assert_int_equal(flm_profile_node_count(p), 4); /* root, command, truncated stack, kernel */
    assert_true(lost(p, "user frames of stack dumps, which are unwound where they were recorded "
                        "(run 'flamel view FILE' there)") == 2);
    flm_profile_free(p);
    scenario_clear(&t);
}

static unsigned count_with_label(const struct flm_profile *p, const char *key, const char *value)
{
    unsigned found = 0;
    for (uint32_t sample = 0; sample < p->sizes.sample_count; sample++) {
        uint32_t count;
        const uint32_t *set = flm_profile_label_set(
            p, (struct flm_label_set){flm_profile_sample_label_sets(p)[sample]}, &count);
        for (uint32_t i = 0; i < count; i++)
            found += flm_bytes_are(flm_string_bytes(p, p->labels[set[i]].key), key) &&
                     flm_bytes_are(flm_string_bytes(p, p->labels[set[i]].value), value);
    }
    return found;
}

/* A thread whose name is learned when samples have its number: all of them have the name. */
static void a_name_that_is_learned_later_stands_instead_of_a_value(void **state)
{
    (void)state;
    for (int is_named = 0; is_named < 2; is_named++) {
        struct scenario t;
        tell_all(&t);
        t.is_unsymbolized = true;
        t.label = (struct flm_runtime_label){"virtual thread", flm_bytes_of("#22"), NULL};
        t.later_name = is_named ? "writer" : NULL;
        struct flm_profile *p = scenario_profile(&t);
        assert_int_equal(count_with_label(p, "virtual thread", "#22"), is_named ? 0 : 3);
        assert_int_equal(count_with_label(p, "virtual thread", "writer"), is_named ? 3 : 0);
        assert_int_equal(has_label(p, "virtual thread", "#22"), !is_named);
        flm_profile_free(p);
        scenario_clear(&t);
    }
}

static bool tell(void *context, struct flm_error *why)
{
    struct flm_profile *p = scenario_try(context, why);
    bool good = p != NULL;
    flm_profile_free(p);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct scenario t;
    tell_all(&t);
    t.is_unsymbolized = true;
    assert_survives_failures(tell, &t);
    scenario_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_called_by_their_modules),
        cmocka_unit_test(stacks_are_those_of_a_session_with_symbols),
        cmocka_unit_test(stack_dumps_are_truncated_stacks),
        cmocka_unit_test(a_name_that_is_learned_later_stands_instead_of_a_value),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
