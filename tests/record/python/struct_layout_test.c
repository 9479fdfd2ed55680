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
    static const uint64_t words[][2] = {
        {1, 0x030D00F0}, {5, 632},   {8, 7264}, {9, 7344}, {14, 16}, {15, 5000},
        {17, 5016},      {18, 5008}, {21, 8},   {22, 16},  {23, 72}, {24, 152},
        {25, 160},       {28, 80},   {29, 8},   {31, 56},  {32, 72}, {33, 70},
        {35, 112},       {36, 120},  {37, 128}, {38, 136}, {39, 68}, {43, 200},
        {45, 8},         {65, 16},   {66, 32},  {68, 32},  {69, 16}, {70, 40},
    };
    struct offsets o = {{0}};
    memcpy(&o.word[0], "xdebugpy", 8);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        o.word[words[i][0]] = words[i][1];
    return o;
}

/* As the headers of 3.14.10 have them without the lock: objects have twice as large a head. */
static struct offsets free_threaded_offsets(void)
{
    static const uint64_t words[][2] = {
        {1, 0x030E0AF0}, {2, 1},     {5, 816},  {8, 7272}, {9, 7344}, {15, 16},  {16, 7808},
        {18, 7832},      {19, 7824}, {24, 8},   {25, 16},  {26, 72},  {27, 152}, {28, 160},
        {31, 88},        {32, 8},    {33, 0},   {34, 56},  {36, 78},  {37, 64},  {38, 72},
        {39, 240},       {40, 128},  {42, 144}, {43, 152}, {44, 84},  {48, 232}, {49, 224},
        {51, 24},        {75, 32},   {76, 48},  {78, 48},  {79, 32},  {80, 56},
    };
    struct offsets o = {{0}};
    memcpy(&o.word[0], "xdebugpy", 8);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        o.word[words[i][0]] = words[i][1];
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
    assert_int_equal(layout.gil_holder, 8);
    assert_int_equal(layout.gil_locked, 16);
    assert_int_equal(layout.text_shift, 2);
    assert_int_equal(layout.code_copies, 0);
    assert_false(layout.is_free_threaded);
}

static void free_threaded_interpreters_have_larger_objects(void **state)
{
    (void)state;
    struct flm_python_layout layout;
    struct offsets o = free_threaded_offsets();
    assert_true(read_offsets(&o, &layout, NULL));
    assert_int_equal(layout.minor, 14);
    assert_true(layout.is_free_threaded);
    assert_int_equal(layout.object_type, 24);
    assert_int_equal(layout.text_shift, 8);
    assert_int_equal(layout.text_compact, 72);
    assert_int_equal(layout.code_copies, 224);
    assert_int_equal(layout.frame_copy, 72);
    assert_int_equal(layout.gil_holder, 16);
    assert_int_equal(layout.gil_locked, 24);
}

static void offsets_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct flm_python_layout layout;
    struct flm_error why = {0};
    static const size_t fields[] = {5,  8,  9,  14, 17, 18, 21, 22, 23, 24, 25, 29, 30,
                                    31, 33, 35, 37, 38, 39, 43, 45, 65, 66, 68, 69, 70};
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
    o.word[1] = 0x031000F0;
    assert_false(read_offsets(&o, &layout, &why));
    assert_string_equal(why.text, "unknown version 3.16 of the debug offsets");
    assert_false(flm_python_layout_read((const char *)&o, 64, &layout, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_that_are_known_have_layouts),
        cmocka_unit_test(version_3_13_has_a_table_of_offsets),
        cmocka_unit_test(free_threaded_interpreters_have_larger_objects),
        cmocka_unit_test(offsets_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
