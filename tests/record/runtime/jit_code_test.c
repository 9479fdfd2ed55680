#include "record/runtime/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

static void add(struct flm_jit_code *code, uint64_t start, uint64_t size, int64_t time_ns,
                const char *name)
{
    flm_jit_code_add(code, start, size, time_ns, flm_jit_code_text(code, flm_bytes_of(name)));
}

static void assert_at(const struct flm_jit_code *code, uint64_t address, int64_t time_ns,
                      const char *name)
{
    struct flm_jit_frame frame;
    size_t count = flm_jit_code_lookup(code, address, time_ns, &frame, 1);
    assert_int_equal(count, name != NULL);
    if (name && !flm_bytes_are(frame.function, name))
        fail_msg("%.*s, not %s", (int)frame.function.size, frame.function.at, name);
}

static void the_last_code_made_before_the_time_is_found(void **state)
{
    (void)state;
    struct flm_jit_code *code = flm_jit_code_new();
    add(code, 0x1000, 0x100, 10, "first");
    add(code, 0x1080, 0x100, 30, "third");
    add(code, 0x1000, 0x100, 20, "second");
    code = flm_jit_code_finish(code);
    assert_int_equal(flm_jit_code_count(code), 3);
    assert_at(code, 0x10A0, 10, "first");
    assert_at(code, 0x10A0, 19, "first");
    assert_at(code, 0x10A0, 20, "second");
    assert_at(code, 0x10A0, INT64_MAX, "third");
    assert_at(code, 0x1000, INT64_MAX, "second");
    assert_at(code, 0x117F, 5, "third"); /* nothing else was ever there */
    assert_at(code, 0x1010, 5, "first");
    assert_at(code, 0xFFF, 10, NULL);
    assert_at(code, 0x1180, 10, NULL);
    flm_jit_code_free(code);
}

static void code_at_the_end_of_the_address_space_is_cut(void **state)
{
    (void)state;
    struct flm_jit_code *code = flm_jit_code_new();
    add(code, UINT64_MAX - 10, 100, 0, "last");
    add(code, 0, 0, 0, "without a size");
    code = flm_jit_code_finish(code);
    assert_at(code, UINT64_MAX, 0, "last");
    assert_at(code, 0, 0, "without a size");
    assert_at(code, 1, 0, NULL);
    flm_jit_code_free(code);
}

static void lines_go_with_the_code_when_it_moves(void **state)
{
    (void)state;
    struct flm_jit_code *code = flm_jit_code_new();
    struct flm_jit_text file = flm_jit_code_text(code, flm_bytes_of("a.js"));
    flm_jit_code_line(code, 16, file, 8);
    flm_jit_code_line(code, 4, file, 7);
    add(code, 0x1000, 0x100, 10, "moves");
    flm_jit_code_move(code, 0, 0x5000, 0x100, 20);
    code = flm_jit_code_finish(code);
    struct flm_jit_frame frame;
    const uint64_t starts[] = {0x1000, 0x5000};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(flm_jit_code_lookup(code, starts[i] + 3, 30, &frame, 1), 1);
        assert_int_equal(frame.line, 0);
        assert_int_equal(flm_jit_code_lookup(code, starts[i] + 15, 30, &frame, 1), 1);
        assert_int_equal(frame.line, 7);
        assert_true(flm_bytes_are(frame.file, "a.js"));
        assert_false(frame.line_is_first);
        assert_int_equal(flm_jit_code_lookup(code, starts[i] + 16, 30, &frame, 1), 1);
        assert_int_equal(frame.line, 8);
    }
    flm_jit_code_free(code);
}

static void lookups_find_the_same_region_as_a_linear_search(void **state)
{
    (void)state;
    enum { PIECES = 300, SPACE = 2000 };
    uint64_t random = 7;
    for (int round = 0; round < 20; round++) {
        struct region {
            uint64_t start, size;
            int64_t time;
            char name[8];
        } regions[PIECES];
        struct flm_jit_code *code = flm_jit_code_new();
        for (size_t i = 0; i < PIECES; i++) {
            regions[i] = (struct region){.start = random_below(&random, SPACE),
                                         .size = 1 + random_below(&random, 40),
                                         .time = (int64_t)random_below(&random, 50)};
            regions[i].name[0] = (char)('a' + i % 26);
            regions[i].name[1] = (char)('a' + i / 26);
            add(code, regions[i].start, regions[i].size, regions[i].time, regions[i].name);
        }
        code = flm_jit_code_finish(code);
        for (uint64_t address = 0; address < SPACE + 50; address++) {
            int64_t time = (int64_t)random_below(&random, 60);
            const struct region *before = NULL, *after = NULL;
            for (const struct region *p = regions; p < regions + PIECES; p++) {
                if (address < p->start || address >= p->start + p->size)
                    continue;
                if (p->time <= time && (!before || p->time >= before->time))
                    before = p;
                if (p->time > time && (!after || p->time < after->time))
                    after = p;
            }
            assert_at(code, address, time, before ? before->name : after ? after->name : NULL);
        }
        flm_jit_code_free(code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_code_made_before_the_time_is_found),
        cmocka_unit_test(code_at_the_end_of_the_address_space_is_cut),
        cmocka_unit_test(lines_go_with_the_code_when_it_moves),
        cmocka_unit_test(lookups_find_the_same_region_as_a_linear_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
