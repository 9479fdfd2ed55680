#include "record/python/struct_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void versions_that_are_known_have_layouts(void **state)
{
    (void)state;
    for (int minor = 0; minor < 20; minor++) {
        const struct flm_python_layout *layout = flm_python_layout_of(3, minor);
        assert_int_equal(layout != NULL, minor >= 8 && minor <= 12);
        if (layout)
            assert_int_equal(layout->minor, minor);
    }
    assert_null(flm_python_layout_of(2, 11));
}

struct offsets {
    uint64_t word[FLM_PYTHON_OFFSETS / 8];
};

/* As 3.13.0 has them. */
static struct offsets real_offsets(void)
{
    struct offsets o = {{0}};
    memcpy(&o.word[0], "xdebugpy", 8);
    o.word[1] = 0x030D00F0;
    o.word[5] = 632;
    o.word[8] = 7264;
    o.word[9] = 7344;
    o.word[21] = 8;
    o.word[23] = 72;
    o.word[24] = 152;
    o.word[25] = 160;
    o.word[28] = 80;
    o.word[29] = 8;
    o.word[31] = 56;
    o.word[33] = 70;
    o.word[35] = 112;
    o.word[36] = 120;
    o.word[37] = 128;
    o.word[38] = 136;
    o.word[39] = 68;
    o.word[43] = 200;
    return o;
}

static bool read_offsets(const struct offsets *o, struct flm_python_layout *l,
                         struct flm_error *why)
{
    return flm_python_layout_read((const char *)o, sizeof *o, l, why);
}

static void version_3_13_has_a_table_of_offsets(void **state)
{
    (void)state;
    struct flm_python_layout layout;
    struct offsets o = real_offsets();
    assert_true(read_offsets(&o, &layout, NULL));
    assert_int_equal(layout.minor, 13);
    assert_int_equal(layout.thread_frame, 72);
    assert_false(layout.has_loop);
    assert_int_equal(layout.interpreter_threads, 7344);
    assert_int_equal(layout.code_name, 128);
    assert_int_equal(layout.code_instructions, 200);
}

static void offsets_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct flm_python_layout layout;
    struct flm_error why = {0};
    static const size_t fields[] = {5, 8, 9, 21, 23, 24, 25, 29, 30, 31, 33, 35, 37, 38, 39, 43};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct offsets o = real_offsets();
        o.word[fields[i]] = UINT64_MAX - 7;
        assert_false(read_offsets(&o, &layout, &why));
        assert_string_equal(why.text, "implausible debug offsets");
    }
    /* What a frame has behind what is read of one. */
    static const size_t in_frames[] = {29, 30, 31};
    for (size_t i = 0; i < sizeof in_frames / sizeof in_frames[0]; i++) {
        struct offsets o = real_offsets();
        o.word[in_frames[i]] = o.word[33] + 1;
        assert_false(read_offsets(&o, &layout, &why));
        assert_string_equal(why.text, "implausible debug offsets");
    }
    struct offsets o = real_offsets();
    o.word[0]++;
    assert_false(read_offsets(&o, &layout, &why));
    assert_string_equal(why.text, "no debug offsets in _PyRuntime");
    o = real_offsets();
    o.word[1] = 0x030E00F0;
    assert_false(read_offsets(&o, &layout, &why));
    assert_string_equal(why.text, "unknown version 3.14 of the debug offsets");
    o = real_offsets();
    o.word[2] = 1;
    assert_false(read_offsets(&o, &layout, &why));
    assert_string_equal(why.text, "free-threaded builds are not supported");
    assert_false(flm_python_layout_read((const char *)&o, 64, &layout, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_that_are_known_have_layouts),
        cmocka_unit_test(version_3_13_has_a_table_of_offsets),
        cmocka_unit_test(offsets_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
