#include "format/flm/chain_coder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/random.h"
#include "support/profile/random_profile.h"

/* The locations of a profile are given by hand: frame, caller (an earlier location) and where. */
struct given {
    uint32_t frame, caller;
    struct flm_location at;
};

enum { MOST = 4000 };

static struct flm_chain_walk walk_of(const struct given *given, uint32_t count)
{
    struct flm_chain_walk walk = {.location_frame = malloc(MOST * sizeof(uint32_t)),
                                  .location_caller = malloc(MOST * sizeof(uint32_t))};
    assert_true(walk.location_frame && walk.location_caller);
    for (uint32_t i = 0; i < count; i++) {
        walk.location_frame[i] = given[i].frame;
        walk.location_caller[i] = given[i].caller;
    }
    return walk;
}

/* Frames 1 and 2 are functions, 3 is inlined; sizes are those of the locations. */
static struct flm_profile *functions(uint32_t count, bool columns)
{
    const struct flm_sizes sizes = {.string_count = 4,
                                    .string_bytes = 8,
                                    .frame_count = 4,
                                    .node_count = 1,
                                    .location_count = count,
                                    .column_count = columns ? count : 0,
                                    .chain_count = 1};
    struct flm_profile *p = flm_profile_allocate(&sizes, NULL);
    assert_non_null(p);
    p->frames[2].file = 1;
    p->frames[2].address = 0x400000;
    p->frames[3].kind = FLM_KIND_INLINED;
    return p;
}

/* Bytes of the locations, which come back as they were. */
static size_t assert_kept(const struct given *given, uint32_t count, bool columns)
{
    struct flm_profile *p = functions(count, columns);
    struct flm_chain_walk walk = walk_of(given, count);
    struct flm_location *all = calloc(MOST, sizeof *all);
    struct flm_chain_coder coder;
    struct flm_text out = {0};
    assert_true(flm_chain_coder_init(&coder, &out, NULL));
    for (uint32_t i = 0; i < count; i++)
        all[i] = given[i].at;
    assert_true(flm_chain_coder_locations(&coder, p, &walk, all));
    flm_bit_writer_finish(&coder.bits);
    flm_chain_coder_clear(&coder);

    struct flm_cursor in = {(const unsigned char *)out.at, (const unsigned char *)out.at + out.size,
                            false};
    memset(all, 0, MOST * sizeof *all);
    assert_true(flm_chain_coder_init(&coder, NULL, &in));
    assert_true(flm_chain_coder_locations(&coder, p, &walk, all));
    assert_false(coder.damaged || in.bad);
    assert_ptr_equal(in.at, in.end);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(all[i].address, given[i].at.address);
        assert_int_equal(all[i].file, given[i].at.file);
        assert_int_equal(all[i].line, given[i].at.line);
        assert_int_equal(all[i].column, columns ? given[i].at.column : 0);
    }
    size_t size = out.size;
    flm_chain_coder_clear(&coder);
    flm_text_clear(&out);
    free(walk.location_frame);
    free(walk.location_caller);
    free(all);
    flm_profile_free(p);
    return size;
}

static void locations_are_kept(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (unsigned round = 0; round < 200; round++) {
        static struct given given[MOST];
        uint32_t count = 1 + random_below(&random, 300);
        for (uint32_t i = 0; i < count; i++)
            given[i] = (struct given){
                1 + random_below(&random, 3),
                i > 0 && random_below(&random, 2) ? random_below(&random, i) : FLM_NONE,
                {.address = random_next(&random) >> random_below(&random, 64),
                 .file = random_below(&random, 4),
                 .line = (uint32_t)random_next(&random) >> random_below(&random, 32),
                 .column = (uint32_t)random_next(&random) >> random_below(&random, 32)}};
        assert_kept(given, count, round % 2);
    }
}

static void inlined_code_is_at_the_address_of_its_caller(void **state)
{
    (void)state;
    static struct given given[MOST];
    uint64_t random = 5;
    size_t sizes[2];
    for (unsigned inlined = 0; inlined < 2; inlined++) {
        for (uint32_t i = 0; i < 2000; i += 2) {
            given[i] = (struct given){
                1, FLM_NONE, {.address = 0x1000 + random_below(&random, 1 << 20), .line = 3}};
            given[i + 1] = (struct given){
                3,
                i,
                {.address = inlined ? given[i].at.address : 0x1000 + random_below(&random, 1 << 20),
                 .line = 3}};
        }
        sizes[inlined] = assert_kept(given, 2000, false);
    }
    /* 20 bits each, and what the differences to the one before cost more. */
    assert_true(sizes[0] > 4900 && sizes[0] < 5500);
    assert_true(sizes[1] > 2450 && sizes[1] < 2750);
}

static void lines_near_each_other_are_those_of_near_addresses(void **state)
{
    (void)state;
    static struct given given[MOST];
    uint64_t random = 7;
    size_t sizes[2];
    for (unsigned near = 0; near < 2; near++) {
        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t at = random_below(&random, 4096);
            given[i] =
                (struct given){1,
                               FLM_NONE,
                               {.address = 0x1000 + at,
                                .line = 100 + (near ? at : random_below(&random, 4096)) / 8}};
        }
        sizes[near] = assert_kept(given, 1000, false);
    }
    assert_true(sizes[1] + 500 < sizes[0]);
}

static void strings_that_are_not_there_are_damage(void **state)
{
    (void)state;
    const struct given given[1] = {{1, FLM_NONE, {.address = 1, .line = 1}}};
    struct flm_profile *p = functions(1, false);
    struct flm_chain_walk walk = walk_of(given, 1);
    struct flm_location all[1] = {{.address = 1, .line = 1}};
    p->frames[2].file = 77;
    struct flm_text out = {0};
    struct flm_chain_coder coder;
    assert_true(flm_chain_coder_init(&coder, &out, NULL));
    assert_true(flm_chain_coder_locations(&coder, p, &walk, all));
    assert_true(coder.damaged);
    flm_chain_coder_clear(&coder);
    flm_text_clear(&out);
    free(walk.location_frame);
    free(walk.location_caller);
    flm_profile_free(p);
}

static void any_bytes_are_locations_or_damage(void **state)
{
    (void)state;
    static struct given given[MOST];
    uint64_t random = 9;
    unsigned damaged = 0;
    for (uint32_t i = 0; i < 200; i++)
        given[i] = (struct given){1 + i % 3, i > 0 && i % 3 == 2 ? i - 1 : FLM_NONE, {0}};
    for (unsigned round = 0; round < 300; round++) {
        unsigned char bytes[300];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)random_next(&random);
        struct flm_profile *p = functions(200, round % 2);
        struct flm_chain_walk walk = walk_of(given, 200);
        struct flm_location *all = calloc(200, sizeof *all);
        struct flm_cursor in = {bytes, bytes + random_below(&random, sizeof bytes), false};
        struct flm_chain_coder coder;
        assert_true(flm_chain_coder_init(&coder, NULL, &in));
        assert_true(flm_chain_coder_locations(&coder, p, &walk, all));
        damaged += coder.damaged || in.bad;
        flm_chain_coder_clear(&coder);
        free(walk.location_frame);
        free(walk.location_caller);
        free(all);
        flm_profile_free(p);
    }
    assert_true(damaged > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locations_are_kept),
        cmocka_unit_test(inlined_code_is_at_the_address_of_its_caller),
        cmocka_unit_test(lines_near_each_other_are_those_of_near_addresses),
        cmocka_unit_test(strings_that_are_not_there_are_damage),
        cmocka_unit_test(any_bytes_are_locations_or_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
