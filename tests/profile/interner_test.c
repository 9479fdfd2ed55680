#include "profile/interner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"

static uint32_t add(struct flm_interner *v, const char *text)
{
    return flm_interner_string(v, flm_bytes_of(text));
}

static void a_interner_begins_with_the_empty_string_and_the_root(void **state)
{
    (void)state;
    struct flm_interner v;
    assert_true(flm_interner_init(&v, NULL));
    assert_int_equal(v.string_count, 1);
    assert_int_equal(v.frame_count, 1);
    assert_int_equal(v.frames[0].flags, FLM_FRAME_ROOT);
    assert_int_equal(add(&v, ""), 0);
    assert_int_equal(flm_interner_string(&v, (struct flm_bytes){NULL, 0}), 0);
    flm_interner_clear(&v);
}

static void equal_texts_are_one_string(void **state)
{
    (void)state;
    struct flm_interner v;
    assert_true(flm_interner_init(&v, NULL));
    uint32_t a = add(&v, "main"), b = add(&v, "Main");
    uint32_t c = flm_interner_string(&v, (struct flm_bytes){"main\0", 5});
    assert_true(a != b && b != c && a != c);
    assert_int_equal(add(&v, "main"), a);
    assert_int_equal(flm_interner_string(&v, (struct flm_bytes){"main\0x", 5}), c);
    assert_true(flm_bytes_are(flm_interner_text(&v, b), "Main"));
    assert_int_equal(flm_interner_text(&v, c).size, 5);
    flm_interner_clear(&v);
}

static void frames_that_differ_in_anything_are_different(void **state)
{
    (void)state;
    struct flm_interner v;
    assert_true(flm_interner_init(&v, NULL));
    uint32_t a = add(&v, "a"), b = add(&v, "b");
    const struct flm_frame_record records[] = {
        {.function = a},
        {.function = b},
        {.function = a, .module = b},
        {.function = a, .file = b},
        {.function = a, .line = 1},
        {.function = a, .address = 1},
        {.function = a, .address = (uint64_t)1 << 32},
        {.function = a, .kind = FLM_KIND_KERNEL},
        {.function = a, .flags = FLM_FRAME_UNSYMBOLIZED},
        {.function = 0},
    };
    enum { COUNT = sizeof records / sizeof records[0] };
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(flm_interner_frame(&v, &records[i]), i + 1);
    flm_interner_clear(&v);
}

/* They say something about the function: a clone that the compiler made is no other frame. */
static void flags_of_clones_are_joined(void **state)
{
    (void)state;
    struct flm_interner v;
    assert_true(flm_interner_init(&v, NULL));
    uint32_t a = add(&v, "a");
    struct flm_frame_record record = {.function = a, .flags = FLM_FRAME_COLD};
    assert_int_equal(flm_interner_frame(&v, &record), 1);
    record.flags = 0;
    assert_int_equal(flm_interner_frame(&v, &record), 1);
    record.flags = FLM_FRAME_CONSTPROP | FLM_FRAME_PART;
    assert_int_equal(flm_interner_frame(&v, &record), 1);
    assert_int_equal(v.frames[1].flags, FLM_FRAME_COLD | FLM_FRAME_CONSTPROP | FLM_FRAME_PART);
    assert_int_equal(flm_interner_function(&v, flm_bytes_of("a"), FLM_KIND_PLAIN), 1);
    record.flags |= FLM_FRAME_UNSYMBOLIZED;
    assert_int_equal(flm_interner_frame(&v, &record), 2);
    flm_interner_clear(&v);
}

static void the_quick_way_makes_the_same_frames(void **state)
{
    (void)state;
    struct flm_interner v;
    assert_true(flm_interner_init(&v, NULL));
    uint32_t name = add(&v, "read");
    uint32_t plain = flm_interner_function(&v, flm_bytes_of("read"), FLM_KIND_PLAIN);
    uint32_t kernel = flm_interner_function(&v, flm_bytes_of("read"), FLM_KIND_KERNEL);
    struct flm_frame_record record = {.function = name};
    assert_true(plain != kernel);
    for (int i = 0; i < 3; i++) {
        record.kind = FLM_KIND_PLAIN;
        assert_int_equal(flm_interner_frame(&v, &record), plain);
        assert_int_equal(flm_interner_function(&v, flm_bytes_of("read"), FLM_KIND_PLAIN), plain);
        assert_int_equal(flm_interner_function(&v, flm_bytes_of("read"), FLM_KIND_KERNEL), kernel);
        record.kind = FLM_KIND_KERNEL;
        assert_int_equal(flm_interner_frame(&v, &record), kernel);
    }
    assert_true(flm_interner_function(&v, flm_bytes_of(""), FLM_KIND_PLAIN) > 0);
    flm_interner_clear(&v);
}

/* Ranks with these marks, of exactly as many bytes as are needed. */
static struct flm_ranking rank(const struct flm_interner *v, const char *used_frames)
{
    struct flm_ranking ranking;
    unsigned char *strings = calloc(v->string_count, 1), *frames = calloc(v->frame_count, 1);
    assert_non_null(strings);
    assert_non_null(frames);
    for (size_t i = 0; i < v->frame_count; i++)
        frames[i] = used_frames[i] == 'x';
    assert_true(flm_interner_rank(v, strings, frames, &ranking, NULL));
    free(strings);
    free(frames);
    return ranking;
}

static void words_in_use_are_ranked_by_bytes(void **state)
{
    (void)state;
    struct flm_interner v;
    assert_true(flm_interner_init(&v, NULL));
    static const char *const names[] = {"zebra", "main", "unused", "mai", "\xCE\xBB", "main.c"};
    for (size_t i = 0; i < 6; i++)
        flm_interner_function(&v, flm_bytes_of(names[i]), FLM_KIND_PLAIN);
    struct flm_ranking r = rank(&v, "xxx-xxx");
    assert_int_equal(r.string_count, 6);
    assert_int_equal(r.frame_count, 6);
    assert_int_equal(r.string_bytes, 5 + 4 + 3 + 2 + 6);
    static const char *const expected[] = {"", "mai", "main", "main.c", "zebra", "\xCE\xBB"};
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(flm_bytes_are(flm_interner_text(&v, r.strings[i]), expected[i]));
        assert_int_equal(r.string_rank[r.strings[i]], i);
        assert_int_equal(r.frame_rank[r.frames[i]], i);
    }
    assert_int_equal(r.string_rank[add(&v, "unused")], FLM_NONE);
    assert_int_equal(r.frame_rank[3], FLM_NONE);
    flm_ranking_clear(&r);
    flm_interner_clear(&v);
}

static void frames_are_ranked_by_names_before_numbers(void **state)
{
    (void)state;
    struct flm_interner v;
    assert_true(flm_interner_init(&v, NULL));
    uint32_t b = add(&v, "b"), a = add(&v, "a");
    /* In canonical order; added the other way round. */
    const struct flm_frame_record records[] = {
        {.function = 0, .line = 9},
        {.function = a},
        {.function = a, .flags = FLM_FRAME_UNSYMBOLIZED},
        {.function = a, .kind = 1},
        {.function = a, .address = 1},
        {.function = a, .line = 1},
        {.function = a, .file = a},
        {.function = a, .module = a},
        {.function = a, .module = b},
        {.function = b},
    };
    enum { COUNT = sizeof records / sizeof records[0] };
    for (uint32_t i = COUNT; i-- > 0;)
        flm_interner_frame(&v, &records[i]);
    struct flm_ranking r = rank(&v, "xxxxxxxxxxx");
    assert_int_equal(r.frames[0], 0);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_memory_equal(&v.frames[r.frames[i + 1]], &records[i], sizeof records[i]);
    flm_ranking_clear(&r);
    flm_interner_clear(&v);
}

static void names_with_equal_beginnings_and_zeros_are_ranked_by_bytes(void **state)
{
    (void)state;
    struct flm_interner v;
    uint64_t random = 11;
    assert_true(flm_interner_init(&v, NULL));
    for (int i = 0; i < 2000; i++) {
        char name[24];
        size_t size = random_below(&random, sizeof name);
        for (size_t k = 0; k < size; k++)
            name[k] =
                k < 7 && random_below(&random, 9) ? 's' : "ab\0\xFF"[random_below(&random, 4)];
        flm_interner_function(&v, (struct flm_bytes){name, size}, FLM_KIND_PLAIN);
    }
    unsigned char *strings = calloc(v.string_count, 1), *frames = malloc(v.frame_count);
    assert_non_null(strings);
    assert_non_null(frames);
    memset(frames, 1, v.frame_count);
    struct flm_ranking r;
    assert_true(flm_interner_rank(&v, strings, frames, &r, NULL));
    assert_int_equal(r.string_count, v.string_count);
    for (uint32_t i = 1; i < r.string_count; i++)
        assert_true(flm_bytes_compare(flm_interner_text(&v, r.strings[i - 1]),
                                      flm_interner_text(&v, r.strings[i])) < 0);
    free(strings);
    free(frames);
    flm_ranking_clear(&r);
    flm_interner_clear(&v);
}

static bool collect_and_rank(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_interner v;
    if (!flm_interner_init(&v, why))
        return false;
    bool good = true;
    for (int i = 0; i < 100 && good; i++) {
        char name[40];
        int size = snprintf(name, sizeof name, "a function with number %d", i);
        good = flm_interner_function(&v, (struct flm_bytes){name, (size_t)size}, 0) != FLM_NONE ||
               flm_error_memory(why);
    }
    unsigned char strings[200] = {0}, frames[200];
    memset(frames, 1, sizeof frames);
    struct flm_ranking r = {0};
    good = good && flm_interner_rank(&v, strings, frames, &r, why);
    flm_ranking_clear(&r);
    flm_interner_clear(&v);
    return good;
}

static void a_interner_survives_failed_allocations(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(collect_and_rank, NULL) > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_interner_begins_with_the_empty_string_and_the_root),
        cmocka_unit_test(equal_texts_are_one_string),
        cmocka_unit_test(frames_that_differ_in_anything_are_different),
        cmocka_unit_test(flags_of_clones_are_joined),
        cmocka_unit_test(the_quick_way_makes_the_same_frames),
        cmocka_unit_test(words_in_use_are_ranked_by_bytes),
        cmocka_unit_test(frames_are_ranked_by_names_before_numbers),
        cmocka_unit_test(names_with_equal_beginnings_and_zeros_are_ranked_by_bytes),
        cmocka_unit_test(a_interner_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
