#include "format/flm/packed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "flamel/file.h"
#include "format/formats.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_text packed_of(const struct flm_profile *p)
{
    struct flm_text packed = {0};
    struct flm_error why = {0};
    if (!flm_profile_pack(p, &packed, &why))
        fail_msg("%s", why.text);
    assert_false(packed.failed);
    return packed;
}

static struct flm_profile *unpacked(struct flm_bytes packed)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_profile_unpack(packed, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

/* Packing and unpacking keeps the profile. Returns the packed size. */
static size_t assert_kept(const struct flm_profile *p)
{
    struct flm_text packed = packed_of(p);
    struct flm_profile *back = unpacked((struct flm_bytes){packed.at, packed.size});
    assert_profiles_equal(back, p);
    flm_profile_free(back);
    size_t size = packed.size;
    flm_text_clear(&packed);
    return size;
}

static struct flm_profile *full_profile(void)
{
    uint64_t random = 31;
    return random_profile(&random, &random_full);
}

static void nothing_is_lost_of_profiles_by_chance(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (unsigned i = 0; i < 300; i++) {
        struct random_shape shape = random_full;
        shape.stacks = random_below(&random, 80);
        shape.deepest = 1 + random_below(&random, 12);
        shape.metrics = 1 + random_below(&random, 4);
        shape.names = 1 + random_below(&random, 12);
        shape.negative = random_below(&random, 2);
        shape.samples = (enum random_samples)random_below(&random, 3);
        struct flm_profile *p = random_profile(&random, &shape);
        assert_kept(p);
        flm_profile_free(p);
    }
}

static void keep_file(const char *path, void *context)
{
    unsigned *kept = context;
    struct flm_profile *p = flm_load(path, NULL, NULL);
    if (p) {
        assert_kept(p);
        ++*kept;
    }
    flm_profile_free(p);
}

static void nothing_is_lost_of_files(void **state)
{
    (void)state;
    unsigned kept = 0;
    each_file("tests/data/flm", ".flm", keep_file, &kept);
    each_file("tests/data/folded", ".folded", keep_file, &kept);
    each_file("tests/data/perf_script", ".txt", keep_file, &kept);
    assert_true(kept > 10);
}

/* What was written once is read as it was, whatever the writer does by now. */
static void assert_still_read(const char *path, char version)
{
    struct flm_text packed = read_file(path);
    struct flm_profile *plain = flm_load("tests/data/packed/v5-lines.flm", NULL, NULL);
    assert_int_equal(packed.at[8], version);
    assert_non_null(plain);
    assert_true(plain->sizes.chain_count > 100 && plain->sizes.shared_count > 10);
    struct flm_profile *back = unpacked((struct flm_bytes){packed.at, packed.size});
    assert_profiles_equal(back, plain);
    flm_profile_free(back);
    flm_profile_free(plain);
    flm_text_clear(&packed);
}

static void files_of_version_5_are_what_they_were(void **state)
{
    (void)state;
    assert_still_read("tests/data/packed/v5-lines.packed", 5);
}

static void files_of_version_6_are_what_they_were(void **state)
{
    (void)state;
    assert_still_read("tests/data/packed/v6-lines.packed", 6);
}

static void the_depth_of_recursion_is_kept(void **state)
{
    (void)state;
    uint64_t random = 32;
    struct random_shape shape = random_full;
    shape.names = 3;
    shape.locations = false;
    struct flm_profile *p = random_profile(&random, &shape);
    struct flm_profile *q = flm_apply(p, "collapse:any", NULL, NULL);
    assert_true(q->sizes.recursion_count > 3);
    assert_kept(q);
    struct flm_text packed = packed_of(q);
    for (size_t size = 8; size < packed.size; size++) {
        struct flm_profile *cut = flm_profile_unpack((struct flm_bytes){packed.at, size}, NULL);
        if (cut) /* all but the last section is a profile without it */
            assert_int_equal(cut->sizes.recursion_count, 0);
        flm_profile_free(cut);
    }
    flm_text_putc(&packed, 0);
    assert_null(flm_profile_unpack((struct flm_bytes){packed.at, packed.size}, NULL));
    flm_text_clear(&packed);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void the_same_profile_gives_the_same_bytes(void **state)
{
    (void)state;
    struct flm_profile *p = full_profile();
    struct flm_text first = packed_of(p);
    struct flm_profile *back = unpacked((struct flm_bytes){first.at, first.size});
    struct flm_text second = packed_of(back);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.at, second.at, first.size);
    flm_text_clear(&first);
    flm_text_clear(&second);
    flm_profile_free(back);
    flm_profile_free(p);
}

/* Values of a profile that is made by hand: builders have rules of their own. */
static struct flm_profile *profile_of_values(const double *values, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "m", "");
    for (size_t i = 0; i < count; i++) {
        char name[32];
        int size = snprintf(name, sizeof name, "f%03zu", i);
        struct flm_frame frame = flm_builder_function(b, name, (size_t)size);
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    memcpy(p->self + 1, values, count * sizeof *values);
    return p;
}

static size_t size_of_values(const double *values, size_t count)
{
    struct flm_profile *p = profile_of_values(values, count);
    size_t size = assert_kept(p);
    flm_profile_free(p);
    return size;
}

static void every_finite_value_is_kept_exactly(void **state)
{
    (void)state;
    static const double columns[][6] = {
        {0, 1, 127, 128, 16384, 9007199254740991},
        {9007199254740992, 1, 2, 3, 4, 5},
        {-1, 1, -64, 64, -9007199254740991, 0},
        {0.5, 0.125, -0.001, 12.345, 1e-9, 3},
        {-0.0, 0, 1, 2, 3, 4},
        {1e300, 5e-324, -1.7976931348623157e308, 0.1, 1.0 / 3, 2},
        {1e15, 0.001, 2, 3, 4, 5},
        {0, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        size_of_values(columns[i], 6);
    uint64_t random = 17;
    for (unsigned i = 0; i < 500; i++) {
        double values[6];
        for (int j = 0; j < 6; j++) {
            uint64_t bits = random_next(&random);
            memcpy(&values[j], &bits, sizeof bits);
            if (!isfinite(values[j]) || i % 2)
                values[j] = (double)(int64_t)(bits >> (bits & 63)) / pow(10, bits % 7);
        }
        size_of_values(values, 6);
    }
}

static void values_of_a_fixed_period_are_counts(void **state)
{
    (void)state;
    double ones[200], periods[200], thousandths[200];
    for (int i = 0; i < 200; i++) {
        ones[i] = i % 100 + 1;
        periods[i] = 10101010.0 * ones[i];
        thousandths[i] = ones[i] / 1000;
    }
    size_t size = size_of_values(ones, 200);
    assert_true(size_of_values(periods, 200) <= size + 4);
    assert_true(size_of_values(thousandths, 200) <= size + 4);
}

/* Deep and wide ones: a chain, siblings, and siblings of one frame that are all called. */
static void trees_of_any_shape_are_packed_into_few_bytes(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "m", "");
    struct flm_node chain = flm_builder_root(b);
    enum { COUNT = 20000 };
    for (int i = 0; i < COUNT; i++) {
        char name[32];
        size_t size = (size_t)snprintf(name, sizeof name, "function%05d", i);
        struct flm_frame frame = flm_builder_function(b, name, size);
        chain = flm_builder_child(b, chain, flm_builder_function(b, "again", 5));
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), metric, 1);
        flm_builder_add(b, flm_builder_child(b, chain, frame), metric, i);
    }
    flm_builder_add(b, chain, metric, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    assert_true(flm_profile_node_count(p) > 2 * COUNT);
    assert_true(assert_kept(p) < 8 * 3 * COUNT);
    flm_profile_free(p);
}

static void long_strings_that_share_more_than_a_byte_can_count_are_kept(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "m", "");
    char name[2000];
    memset(name, 'x', sizeof name);
    for (size_t size = 1; size <= sizeof name; size += size < 300 ? 1 : 97)
        flm_builder_add(
            b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, size)),
            metric, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_kept(p);
    flm_profile_free(p);
}

static void refuse(struct flm_bytes packed, const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_profile_unpack(packed, &why);
    if (p)
        fail_msg("it should be refused with '%s'", words);
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    if (!strstr(why.text, words))
        fail_msg("it says '%s', not '%s'", why.text, words);
}

static void every_shortened_copy_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = full_profile();
    struct flm_text packed = packed_of(p);
    for (size_t size = 0; size < packed.size; size++) {
        char *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, packed.at, size);
        refuse((struct flm_bytes){copy, size}, size < 8 ? "not a packed profile" : "cut off");
        free(copy);
    }
    flm_text_putc(&packed, 0);
    refuse((struct flm_bytes){packed.at, packed.size}, "follows its end");
    flm_text_clear(&packed);
    flm_profile_free(p);
}

/* There are no checksums in it: a changed byte is seen, or another sound profile. */
static void a_changed_byte_is_refused_or_harmless(void **state)
{
    (void)state;
    struct flm_profile *p = full_profile();
    struct flm_text packed = packed_of(p);
    unsigned refused = 0;
    for (size_t i = 0; i < packed.size; i++) {
        /* Each bit, and all of them 0: a count of none where others are of some. */
        for (int bit = 0; bit < 9; bit++) {
            struct flm_error why = {0};
            char kept = packed.at[i];
            packed.at[i] = bit == 8 ? 0 : (char)(kept ^ 1 << bit);
            struct flm_profile *other =
                flm_profile_unpack((struct flm_bytes){packed.at, packed.size}, &why);
            packed.at[i] = kept;
            if (other)
                assert_true(flm_profile_check(other, NULL));
            else
                assert_true(why.kind == FLM_ERROR_FORMAT && why.text[0]);
            refused += !other;
            flm_profile_free(other);
        }
    }
    assert_true(refused > packed.size);
    flm_text_clear(&packed);
    flm_profile_free(p);
}

static void a_small_file_cannot_ask_for_much_memory(void **state)
{
    (void)state;
    /* Version, then the counts: strings, their bytes, frames, nodes ... */
    refuse(flm_bytes_of(FLM_PACKED_MAGIC "\3\1\1\1\xFF\xFF\xFF\xFF\x0F\1\1\1\1\1\1\1\1\1\1\1"
                                         "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"),
           "shorter than its header says");
    refuse(flm_bytes_of(FLM_PACKED_MAGIC "\3\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1"), "cut off");
    refuse(flm_bytes_of(FLM_PACKED_MAGIC "\7"), "install a newer flamel");
    refuse(flm_bytes_of(FLM_PACKED_MAGIC "\2"), "make the page again");
    refuse(flm_bytes_of(FLM_PACKED_MAGIC "\4"), "make the page again");
}

static bool pack_and_unpack(void *context, struct flm_error *why)
{
    struct flm_text packed = {0};
    struct flm_profile *p = NULL;
    bool good = flm_profile_pack(context, &packed, why);
    if (good && packed.failed)
        good = flm_error_memory(why);
    if (good)
        p = flm_profile_unpack((struct flm_bytes){packed.at, packed.size}, why);
    if (p)
        assert_int_equal(flm_profile_node_count(p), flm_profile_node_count(context));
    flm_profile_free(p);
    flm_text_clear(&packed);
    return p != NULL;
}

static void packing_and_unpacking_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = full_profile();
    assert_true(assert_survives_failures(pack_and_unpack, p) > 10);
    flm_profile_free(p);
}

static void it_is_a_format(void **state)
{
    (void)state;
    struct flm_profile *p = full_profile();
    struct flm_text packed = packed_of(p), written = {0};
    struct flm_write_options options = {0};
    struct flm_bytes bytes = {packed.at, packed.size};
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, NULL),
                     &flm_format_packed);
    assert_ptr_equal(flm_format_for_file(&flm_formats_pure, "a.packed"), &flm_format_packed);
    assert_true(flm_format_packed.write(p, &options, &written, NULL));
    assert_true(flm_bytes_equal(bytes, (struct flm_bytes){written.at, written.size}));
    flm_text_clear(&packed);
    flm_text_clear(&written);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_of_profiles_by_chance),
        cmocka_unit_test(nothing_is_lost_of_files),
        cmocka_unit_test(files_of_version_5_are_what_they_were),
        cmocka_unit_test(files_of_version_6_are_what_they_were),
        cmocka_unit_test(the_depth_of_recursion_is_kept),
        cmocka_unit_test(the_same_profile_gives_the_same_bytes),
        cmocka_unit_test(every_finite_value_is_kept_exactly),
        cmocka_unit_test(values_of_a_fixed_period_are_counts),
        cmocka_unit_test(trees_of_any_shape_are_packed_into_few_bytes),
        cmocka_unit_test(long_strings_that_share_more_than_a_byte_can_count_are_kept),
        cmocka_unit_test(every_shortened_copy_is_refused),
        cmocka_unit_test(a_changed_byte_is_refused_or_harmless),
        cmocka_unit_test(a_small_file_cannot_ask_for_much_memory),
        cmocka_unit_test(packing_and_unpacking_survive_failed_allocations),
        cmocka_unit_test(it_is_a_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
