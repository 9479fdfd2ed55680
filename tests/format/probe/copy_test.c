#include "format/probe/copy.h"

#include "support/probe/probe_image.h"

/* The file as it is when it is read again; NULL: it cannot be. */
static bool read_image(void *context, uint64_t offset, void *to, size_t size)
{
    const struct image *file = context;
    if (!file)
        return false;
    memcpy(to, file->at + offset, size);
    return true;
}

/* parse, in main, was open when its thread was copied. */
static struct image *copy_with_open(uint64_t main_began, uint64_t parse_began)
{
    struct image *image = make_image();
    thread_of(image)->open[1] = (struct flm_probe_open){.node = node_place(1), .start = main_began};
    thread_of(image)->open[2] =
        (struct flm_probe_open){.node = node_place(2), .start = parse_began};
    return image;
}

static void settle(struct image *copy, struct image *file)
{
    flm_probe_copy_settle(copy->at, sizeof copy->at, 1000, read_image, file);
}

static void a_scope_that_ended_meanwhile_is_not_open(void **state)
{
    (void)state;
    struct image *copy = copy_with_open(100, 200), *file = copy_with_open(100, 0);
    node_of(file, 2)->calls = 5;
    node_of(file, 2)->total = 600 + 1300;
    settle(copy, file);
    assert_int_equal(thread_of(copy)->open[1].start, 100);
    assert_int_equal(thread_of(copy)->open[2].start, 0);
    assert_int_equal(node_of(copy, 2)->calls, 5);
    assert_int_equal(node_of(copy, 2)->total, 1900);
    assert_int_equal(node_of(copy, 1)->total, 1000); /* it is open still */
    free(copy);
    free(file);
}

static void a_scope_that_began_again_has_ended_too(void **state)
{
    (void)state;
    struct image *copy = copy_with_open(100, 200), *file = copy_with_open(1100, 1200);
    node_of(file, 1)->calls = 2;
    node_of(file, 2)->calls = 5;
    settle(copy, file);
    assert_int_equal(thread_of(copy)->open[1].start, 0);
    assert_int_equal(node_of(copy, 1)->calls, 2);
    assert_int_equal(node_of(copy, 2)->calls, 5);
    free(copy);
    free(file);
}

/* They begin later, by what the library did meanwhile. */
static void scopes_that_are_open_still_stay_open(void **state)
{
    (void)state;
    struct image *copy = copy_with_open(100, 200), *file = copy_with_open(130, 230);
    node_of(file, 2)->calls = 5;
    settle(copy, file);
    assert_int_equal(thread_of(copy)->open[1].start, 100);
    assert_int_equal(thread_of(copy)->open[2].start, 200);
    assert_int_equal(node_of(copy, 2)->calls, 4);
    settle(copy, NULL);
    assert_int_equal(thread_of(copy)->open[2].start, 200);
    free(copy);
    free(file);
}

/* Not inlined: the compiler takes the bytes for those of the magic number alone. */
static __attribute__((noinline)) void damage(char *at, uint32_t where, uint32_t value)
{
    memcpy(at + where, &value, sizeof value);
}

static void damaged_copies_are_left_to_their_reader(void **state)
{
    (void)state;
    uint32_t x = 1;
    struct image *file = copy_with_open(100, 0);
    for (int round = 0; round < 3000; round++) {
        struct image *copy = copy_with_open(100, 200);
        for (int i = 0; i < 2; i++) {
            x = x * 1664525 + 1013904223;
            uint32_t where = 8 + (x >> 8) % (sizeof copy->at - 12);
            damage(copy->at, where, x);
        }
        settle(copy, file);
        free(copy);
    }
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scope_that_ended_meanwhile_is_not_open),
        cmocka_unit_test(a_scope_that_began_again_has_ended_too),
        cmocka_unit_test(scopes_that_are_open_still_stay_open),
        cmocka_unit_test(damaged_copies_are_left_to_their_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
