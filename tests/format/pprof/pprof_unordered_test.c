/* A profile that is only added to others adds up to the one that is read in the usual way; what the
 * quick way does not know is left to that. */
#include "format/pprof/internal.h"

#include "format/pprof/proto.h"
#include "store/core/store_head.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/format_laws.h"
#include "support/profile/profiles.h"

static const struct flm_format *const pprof = &flm_format_pprof;
static const struct flm_read_options ordered, unordered = {.unordered = true};
static const char *const strings[] = {"",     "samples", "count", "cpu", "nanoseconds", "/bin/app",
                                      "main", "_Zsys",   "a.c",   "",    "main",        NULL};
enum { SAMPLES = 1, COUNT, CPU, NANOSECONDS, APP, MAIN, SYSTEM, FILE_A, NO_TEXT, MAIN_AGAIN };

static struct flm_profile *read_quickly(struct flm_bytes bytes)
{
    struct flm_source source = flm_source_of(bytes);
    return flm_pprof_read_unordered(&source, &unordered);
}

/* What a store makes of a profile: that of each metric with a value. */
struct kept {
    size_t count;
    struct flm_profile *profiles[4];
};

static struct kept pour(const struct flm_profile *p)
{
    struct flm_head head;
    struct kept kept = {0};
    assert_true(flm_head_init(&head, NULL));
    assert_true(flm_head_add(&head, p, flm_bytes_of("series"), 1, NULL));
    for (size_t i = 0; i < head.batches.count; i++) {
        double *self = calloc(head.nodes.count, sizeof *self);
        assert_true(self && flm_head_sum(&head, &head.batches.at[i], self, NULL));
        kept.profiles[kept.count] = flm_head_profile(
            &head, self, flm_head_type(&head, head.batches.at[i].type), NULL, NULL);
        assert_non_null(kept.profiles[kept.count++]);
        free(self);
    }
    flm_head_clear(&head);
    return kept;
}

static struct flm_bytes note_of(const struct flm_profile *p, const char *key)
{
    struct flm_name note = flm_profile_note_named(p, key);
    return (struct flm_bytes){note.at ? note.at : "", note.size};
}

/* True, where it was read in the quick way. */
static bool assert_adds_up(struct flm_bytes bytes)
{
    static const char *const notes[] = {"period", "period type", "period unit", FLM_NOTE_RECORDED,
                                        FLM_NOTE_TIME};
    struct flm_profile *p = read_quickly(bytes);
    if (!p)
        return false;
    struct flm_profile *expected = read_bytes(pprof, bytes, &ordered);
    struct kept quick = pour(p), usual = pour(expected);
    assert_int_equal(quick.count, usual.count);
    for (size_t i = 0; i < quick.count; i++) {
        assert_profiles_equal(quick.profiles[i], usual.profiles[i]);
        flm_profile_free(quick.profiles[i]);
        flm_profile_free(usual.profiles[i]);
    }
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        assert_true(flm_bytes_equal(note_of(p, notes[i]), note_of(expected, notes[i])));
    flm_profile_free(p);
    flm_profile_free(expected);
    return true;
}

static void files_of_profilers_are_read_quickly(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "tests/data/pprof/go-cpu-labels.pb", "tests/data/pprof/go-heap.pb",
        "tests/data/pprof/node-wall.pb", "tests/data/pprof/speedscope-simple.pb"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct flm_text file = read_file(paths[i]);
        if (!assert_adds_up((struct flm_bytes){file.at, file.size}))
            fail_msg("%s: read in the usual way", paths[i]);
        flm_text_clear(&file);
    }
}

/* ---- Made by hand ---------------------------------------------------------------------------- */

enum { FUNCTIONS = 30, LOCATIONS = 200 };

/* Ids are `step` apart: 1 makes them dense. */
static void put_tables(struct proto *made, uint64_t step, uint64_t *random)
{
    proto_message(made, 3, 5, NUMBERS(3, 0x1000, 0x9000, 0, APP));
    for (uint64_t i = 1; i <= FUNCTIONS; i++) {
        const uint64_t names[] = {MAIN, SYSTEM, MAIN_AGAIN, FILE_A};
        bool is_nameless = i % 5 == 0; /* only the system has a name for it */
        uint64_t name = is_nameless ? NO_TEXT : names[i % 4], file = i % 3 ? FILE_A : 0;
        proto_message(made, 5, 5, NUMBERS(i * step, name, SYSTEM, file, i));
    }
    for (uint64_t i = 1; i <= LOCATIONS; i++) {
        uint64_t first = 1 + random_below(random, FUNCTIONS),
                 second = i % 4 ? 0 : 1 + i % FUNCTIONS;
        proto_location(made, i * step, i % 2 ? 3 : 0, 0x1000 + i,
                       NUMBERS(first * step, i, second * step, 7));
    }
    proto_strings(made, strings);
}

static void put_types(struct proto *made)
{
    proto_message(made, 1, 2, NUMBERS(SAMPLES, COUNT));
    proto_message(made, 1, 2, NUMBERS(CPU, NANOSECONDS));
}

static void put_stacks(struct proto *made, uint64_t step, uint64_t *random)
{
    uint64_t ids[40];
    for (size_t k = 0; k < 40; k++)
        ids[k] = (1 + random_below(random, LOCATIONS)) * step;
    for (int i = 0; i < 60; i++) {
        size_t depth = 1 + random_below(random, 40), shared = random_below(random, 40);
        for (size_t k = 0; k < depth; k++) /* leaf first */
            if (depth - k > shared)
                ids[k] = (1 + random_below(random, LOCATIONS)) * step;
        proto_packed(&made->message, 1, &made->inner, depth, ids);
        proto_packed(&made->message, 2, &made->inner, 2, NUMBERS(1, random_below(random, 1000)));
        flm_wire_put_message(&made->out, 2, &made->message);
    }
}

static void names_and_stacks_that_are_there_twice_add_up(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (uint64_t step = 1; step <= 5; step += 2) {
        struct proto made = {{0}};
        put_types(&made);
        put_stacks(&made, step, &random);
        put_tables(&made, step, &random);
        flm_wire_put_number(&made.out, 9, 1700000000000000000);
        flm_wire_put_number(&made.out, 12, 10000000);
        assert_true(assert_adds_up(proto_bytes(&made)));
        proto_clear(&made);
    }
}

/* Everything that follows changes one thing of a file that is read quickly. */
struct change {
    const char *what;
    uint64_t location, mapping, function, name, id, value;
    bool is_quick;
};

static void what_is_rare_is_left_to_the_usual_way(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"nothing", 1, 1, 1, MAIN, 1, 5, true},
        {"a location that is missing", 2, 1, 1, MAIN, 1, 5, false},
        {"location 0", 0, 1, 1, MAIN, 1, 5, false},
        {"a mapping that is missing", 1, 2, 1, MAIN, 1, 5, false},
        {"no mapping", 1, 0, 1, MAIN, 1, 5, true},
        {"a function that is missing", 1, 1, 2, MAIN, 1, 5, false},
        {"no line", 1, 1, 0, MAIN, 1, 5, false},
        {"a function without a name", 1, 1, 1, 0, 1, 5, false},
        {"a string that is missing", 1, 1, 1, 77, 1, 5, false},
        {"an id that is far from the others", 1000000, 1, 1, MAIN, 1000000, 5, true},
        {"a negative value", 1, 1, 1, MAIN, 1, (uint64_t)-5, false},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *c = &changes[i];
        struct proto made = {{0}};
        proto_message(&made, 1, 2, NUMBERS(CPU, NANOSECONDS));
        proto_packed(&made.message, 1, &made.inner, 1, &c->location);
        proto_packed(&made.message, 2, &made.inner, 1, &c->value);
        flm_wire_put_message(&made.out, 2, &made.message);
        proto_message(&made, 3, 5, NUMBERS(1, 0x1000, 0x9000, 0, APP));
        proto_location(&made, c->id, c->mapping, 0x2000, NUMBERS(c->function, 1, 0, 0));
        proto_message(&made, 5, 2, NUMBERS(1, c->name));
        proto_strings(&made, strings);
        if (assert_adds_up(proto_bytes(&made)) != c->is_quick)
            fail_msg("%s", c->what);
        proto_clear(&made);
    }
}

/* Of each shortened file that is read quickly, the usual way reads the same. */
static void shortened_files_are_no_exception(void **state)
{
    (void)state;
    struct flm_text file = read_file("tests/data/pprof/node-wall.pb");
    for (size_t size = 0; size < file.size; size += 1 + size / 200)
        assert_adds_up((struct flm_bytes){file.at, size});
    flm_text_clear(&file);
}

static void reading_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct proto made = {{0}};
    put_types(&made);
    put_stacks(&made, 3, &random);
    put_tables(&made, 3, &random);
    struct reader_work work = {pprof, proto_bytes(&made), &unordered};
    assert_true(assert_survives_failures(reader_reads, &work) > 20);
    proto_clear(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_profilers_are_read_quickly),
        cmocka_unit_test(names_and_stacks_that_are_there_twice_add_up),
        cmocka_unit_test(what_is_rare_is_left_to_the_usual_way),
        cmocka_unit_test(shortened_files_are_no_exception),
        cmocka_unit_test(reading_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
