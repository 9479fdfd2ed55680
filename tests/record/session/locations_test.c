#include "record/session/locations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "record/session/session.h"
#include "support/core/failures.h"

static const struct flm_mapping mapped[] = {{.start = 0x1000, .end = 0x2000}};
static const struct flm_process process = {
    .id = 7, .mappings = mapped, .mapping_count = 1, .changed = 3};
static const struct flm_symbolizer_calls no_calls;
static const struct flm_symbolizer symbolizer = {&no_calls};
static const struct flm_process kernel = {.id = -1, .changed = 4};

static void a_return_address_stands_for_the_call_before_it(void **state)
{
    (void)state;
    struct flm_locations p;
    assert_true(flm_locations_init(&p, &symbolizer, NULL));
    uint32_t leaf = flm_locations_find(&p, &process, &kernel, 0x1100, FLM_ROLE_EXACT, 0);
    uint32_t call = flm_locations_find(&p, &process, &kernel, 0x1101, FLM_ROLE_RETURN, 0);
    assert_int_equal(leaf, call);
    assert_int_equal(p.locations.at[leaf].address, 0x1100);
    assert_int_equal(p.owners.at[p.locations.at[leaf].owner].kind, FLM_OWNER_PROCESS);
    assert_int_equal(p.owners.at[p.locations.at[leaf].owner].process, 7);
    flm_locations_clear(&p);
}

static void locations_differ_by_owner(void **state)
{
    (void)state;
    struct flm_locations p;
    assert_true(flm_locations_init(&p, &symbolizer, NULL));
    static const struct {
        uint64_t address;
        uint32_t role, era;
        enum flm_owner_kind kind;
    } cases[] = {
        {0x1100, FLM_ROLE_EXACT, 0, FLM_OWNER_PROCESS},
        {0x1100, FLM_ROLE_EXACT, 9, FLM_OWNER_PROCESS}, /* later: other code may be there */
        {0x1100, FLM_ROLE_KERNEL, 0, FLM_OWNER_KERNEL},
        {0x1100, FLM_ROLE_GUEST, 0, FLM_OWNER_GUEST},
        {FLM_CODE_FIRST + 1, FLM_ROLE_RETURN, 0, FLM_OWNER_CODE},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    uint32_t found[COUNT];
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < COUNT; i++) {
            uint32_t location = flm_locations_find(&p, &process, &kernel, cases[i].address,
                                                   cases[i].role, cases[i].era);
            assert_int_equal(p.owners.at[p.locations.at[location].owner].kind, cases[i].kind);
            if (again)
                assert_int_equal(location, found[i]);
            for (size_t j = 0; j < i; j++)
                assert_int_not_equal(location, found[j]);
            found[i] = location;
        }
    }
    /* A function of an interpreter stands for itself, wherever it is called from. */
    assert_true(p.locations.at[found[4]].address == FLM_CODE_FIRST + 1);
    flm_locations_clear(&p);
}

static bool find_some(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_locations p;
    if (!flm_locations_init(&p, &symbolizer, why))
        return false;
    bool good = true;
    for (uint64_t i = 0; i < 50 && good; i++)
        good =
            flm_locations_find(&p, &process, &kernel, 0x1000 + i, FLM_ROLE_EXACT, 0) != UINT32_MAX;
    flm_locations_clear(&p);
    return good || flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_survives_failures(find_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_return_address_stands_for_the_call_before_it),
        cmocka_unit_test(locations_differ_by_owner),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
