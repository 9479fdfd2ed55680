#include "format/pprof/pprof.h"

#include "format/pprof/small_profile.h"
#include "support/core/failures.h"
#include "support/profile/format_laws.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const pprof = &flm_format_pprof;

static const struct flm_read_options keeping = {.keep_times = true};

static void samples_become_stacks_with_inlined_functions_and_all_metrics(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct proto made = small_profile(order, NULL);
        struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
        assert_sound(p);
        assert_metric(p, 0, "cpu", "ns", 600, 2); /* the last type is the default */
        assert_metric(p, 1, "samples", "count", 6, 2);
        assert_folded(p, "main;parse_[i] 100\nmain;parse_[i];0x3000 500\n");
        assert_true(is_string(p, frame_named(p, "main")->module, "/opt/app"));
        assert_true(is_string(p, frame_named(p, "main")->file, "main.c"));
        assert_int_equal(frame_named(p, "main")->line, 10);
        assert_int_equal(frame_named(p, "parse")->line, 20);
        assert_int_equal(frame_named(p, "0x3000")->flags, FLM_FRAME_UNSYMBOLIZED);
        assert_true(frame_named(p, "0x3000")->address == 0x3000);
        assert_int_equal(p->sizes.sample_count, 0); /* no labels: sums say as much */
        assert_note(p, "mapped /opt/app", "1000-9000@1000 id=c0ffee");
        assert_note(p, "drop frames", "secret.*");
        assert_note(p, "comment", "made by hand");
        assert_note(p, "recorded", "2023-11-14T22:13:20Z");
        assert_note(p, "duration_ns", "5000000000");
        assert_note(p, "period", "100 ns");
        assert_note(p, FLM_NOTE_SAMPLE_VALUES, "all metrics");
        flm_profile_free(p);
        proto_clear(&made);
    }
}

static void lines_that_ran_are_there_with_the_option(void **state)
{
    (void)state;
    struct proto made = small_profile(false, NULL);
    struct flm_profile *p = read_bytes(
        pprof, proto_bytes(&made), &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "main")->line, 11);
    assert_int_equal(frame_named(p, "parse")->line, 22);
    flm_profile_free(p);
    proto_clear(&made);
}

/* The same stacks as without them; written and read again, they are the same. */
static void lines_and_addresses_are_locations(void **state)
{
    (void)state;
    static const struct flm_read_options with = {.locations = true};
    struct proto made = small_profile(false, NULL);
    struct flm_profile *plain =
        read_bytes(pprof, proto_bytes(&made), &(struct flm_read_options){0});
    struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &with);
    assert_sound(p);
    assert_int_equal(p->sizes.node_count, plain->sizes.node_count);
    assert_int_equal(p->sizes.frame_count, plain->sizes.frame_count);
    assert_true(p->sizes.location_count > 0 && plain->sizes.location_count == 0);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < p->sizes.location_count; i++)
        seen |= (p->location_line[i] == 11) | (p->location_line[i] == 22) << 1;
    assert_int_equal(seen, 3);
    struct flm_text out = {0};
    assert_true(pprof->write(p, &(struct flm_write_options){0}, &out, NULL));
    struct flm_profile *again = read_bytes(pprof, (struct flm_bytes){out.at, out.size}, &with);
    assert_int_equal(again->sizes.location_count, p->sizes.location_count);
    for (uint32_t i = 0; i < p->sizes.location_count; i++) {
        assert_int_equal(again->location_line[i], p->location_line[i]);
        assert_int_equal(again->location_address[i], p->location_address[i]);
    }
    flm_text_clear(&out);
    flm_profile_free(again);
    flm_profile_free(plain);
    flm_profile_free(p);
    proto_clear(&made);
}

static void labels_are_texts_or_numbers_with_their_unit(void **state)
{
    (void)state;
    static const struct {
        uint64_t label[4];
        const char *says;
    } labels[] = {{{THREAD, WORKER, 0, 0}, "\"thread\"=\"worker\""},
                  {{ID, 0, 42, 0}, "\"id\"=\"42\""},
                  {{ID, 0, 42, BYTES}, "\"id\"=\"42 bytes\""},
                  {{ID, 0, (uint64_t)-7, 0}, "\"id\"=\"-7\""},
                  {{ID, 0, 0, BYTES}, "\"id\"=\"0 bytes\""}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        struct proto made = small_profile(false, labels[i].label);
        struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
        assert_sound(p);
        assert_int_equal(p->sizes.sample_count, 3);
        char *text = described(p);
        assert_non_null(strstr(text, labels[i].says));
        free(text);
        flm_profile_free(p);
        p = read_bytes(pprof, proto_bytes(&made), &(struct flm_read_options){0});
        assert_int_equal(p->sizes.sample_count, 0);
        flm_profile_free(p);
        proto_clear(&made);
    }
}

static void a_label_of_time_is_the_time_of_the_sample(void **state)
{
    (void)state;
    struct proto made = small_profile(false, NUMBERS(TIME, 0, 1234, 0));
    struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
    assert_int_equal(p->sizes.sample_count, 3);
    assert_true(p->sample_time[2] == 1234);
    assert_true(p->sample_time[0] == FLM_NO_TIME);
    flm_profile_free(p);
    proto_clear(&made);
}

static void threads_are_frames_with_the_option(void **state)
{
    (void)state;
    struct proto made = small_profile(false, NUMBERS(THREAD, WORKER, 0, 0));
    struct flm_profile *p =
        read_bytes(pprof, proto_bytes(&made), &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "main;parse_[i];0x3000 500\nworker;main;parse_[i] 100\n");
    assert_int_equal(frame_named(p, "worker")->kind, FLM_KIND_LABEL);
    flm_profile_free(p);
    proto_clear(&made);
}

static void the_default_type_comes_first(void **state)
{
    (void)state;
    for (uint64_t wanted = 0; wanted < 4; wanted++) {
        struct proto made = small_profile(false, NULL);
        flm_wire_put_number(&made.out, 14, wanted);
        struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
        assert_true(is_string(p, p->metrics[0].name, wanted == SAMPLES ? "samples" : "cpu"));
        flm_profile_free(p);
        proto_clear(&made);
    }
}

static void types_of_one_name_are_metrics_of_their_own(void **state)
{
    (void)state;
    struct proto p = {{0}};
    proto_strings(&p, small_strings);
    proto_message(&p, 1, 2, NUMBERS(CPU, COUNT));
    proto_message(&p, 1, 2, NUMBERS(CPU, NANOSECONDS));
    proto_message(&p, 1, 2, NUMBERS(0, 0));
    proto_location(&p, 1, 0, 0, NULL);
    proto_sample(&p, NUMBERS(1, 0, 0), 3, NUMBERS(5, 6, 7), NULL);
    struct flm_profile *profile = read_bytes(pprof, proto_bytes(&p), &keeping);
    assert_metric(profile, 0, "value", "", 7, 1);
    assert_metric(profile, 1, "cpu", "count", 5, 1);
    assert_metric(profile, 2, "cpu 2", "ns", 6, 1);
    assert_folded(profile, "[unknown] 7\n");
    flm_profile_free(profile);
    proto_clear(&p);
}

/* n lines of which each of n references makes frames: n * n of them. */
static void frames_stay_in_proportion_to_the_input(void **state)
{
    (void)state;
    enum { LINES = 5000, REFERENCES = 2000 };
    struct proto made = {{0}};
    proto_strings(&made, small_strings);
    proto_message(&made, 1, 2, NUMBERS(SAMPLES, COUNT));
    proto_message(&made, 5, 2, NUMBERS(1, MAIN));
    flm_wire_put_number(&made.message, 1, 7);
    for (int i = 0; i < LINES; i++) {
        flm_wire_put_number(&made.inner, 1, 1);
        flm_wire_put_message(&made.message, 4, &made.inner);
    }
    flm_wire_put_message(&made.out, 4, &made.message);
    for (int i = 0; i < REFERENCES; i++)
        flm_wire_put_varint(&made.inner, 7);
    flm_wire_put_message(&made.message, 1, &made.inner);
    proto_packed(&made.message, 2, &made.inner, 1, NUMBERS(3));
    flm_wire_put_message(&made.out, 2, &made.message);
    struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
    assert_sound(p);
    assert_int_equal(lost(p, "inlined frames of locations with more than 4096", ""), LINES - 4096);
    assert_true(lost(p, "inlined frames, of which there are too many", "") > 1000000);
    assert_true(p->sizes.node_count < (1 << 20) + 9 * made.out.size);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 3);
    flm_profile_free(p);
    proto_clear(&made);
}

static void a_stack_with_only_zeros_was_seen(void **state)
{
    (void)state;
    struct proto made = small_profile(false, NULL);
    proto_sample(&made, NUMBERS(7, 7, 0), 2, NUMBERS(0, 0), NULL);
    struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &(struct flm_read_options){0});
    assert_folded(p, "main;parse_[i] 100\nmain;parse_[i];0x3000 500\n"
                     "main;parse_[i];main;parse_[i] 0\n");
    flm_profile_free(p);
    proto_clear(&made);
}

/* More stacks than are known at first, each again after all the others. */
static void stacks_are_found_again_among_thousands(void **state)
{
    (void)state;
    enum { STACKS = 3000, TURNS = 3 };
    struct proto made = {{0}};
    proto_strings(&made, small_strings);
    proto_message(&made, 1, 2, NUMBERS(SAMPLES, COUNT));
    for (uint64_t i = 0; i < TURNS * STACKS; i++) {
        uint64_t stack = i % STACKS;
        proto_sample(&made, NUMBERS(stack % 100 + 1, stack / 100 + 101, 0), 1, NUMBERS(stack + 1),
                     NULL);
    }
    for (uint64_t i = 1; i <= 130; i++)
        proto_location(&made, i, 0, 0x1000 + i, NULL);
    struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
    assert_sound(p);
    assert_int_equal(flm_profile_node_count(p), 1 + STACKS / 100 + STACKS);
    const double *self = flm_profile_self(p, (struct flm_metric){0});
    uint64_t sum = 0, squares = 0, wanted = 0;
    for (uint32_t i = 0; i < flm_profile_node_count(p); i++) {
        sum += (uint64_t)self[i];
        squares += (uint64_t)(self[i] * self[i]);
    }
    for (uint64_t i = 1; i <= STACKS; i++)
        wanted += TURNS * i * TURNS * i;
    assert_int_equal(sum, TURNS * STACKS * (STACKS + 1) / 2);
    assert_int_equal(squares, wanted);
    flm_profile_free(p);
    proto_clear(&made);
}

static void what_is_missing_is_counted(void **state)
{
    (void)state;
    struct proto made = small_profile(false, NULL);
    proto_sample(&made, NUMBERS(7, 8, 0), 2, NUMBERS(1, 1), NULL); /* no location 8 */
    proto_sample(&made, NUMBERS(0, 0, 0), 2, NUMBERS(1, 1), NULL); /* no stack */
    proto_location(&made, 10, 77, 0x50, NUMBERS(999, 1, 0, 0));    /* no mapping, no function */
    proto_sample(&made, NUMBERS(10, 0, 0), 2, NUMBERS(1, 1), NULL);
    struct flm_profile *p = read_bytes(pprof, proto_bytes(&made), &keeping);
    assert_true(lost(p, "frames whose location is missing", "") == 1);
    assert_true(lost(p, "frames whose function is missing", "") == 1);
    assert_true(lost(p, "locations whose mapping is missing", "") == 1);
    flm_profile_free(p);
    proto_clear(&made);
}

/* `made` is refused with that sentence; frees it. */
static void assert_bad(struct proto *made, const char *says)
{
    struct flm_error why = {0};
    struct flm_profile *p = try_bytes(pprof, proto_bytes(made), &keeping, &why);
    assert_null(p);
    if (!strstr(why.text, says))
        fail_msg("the error is '%s', not '%s'", why.text, says);
    proto_clear(made);
}

static void what_cannot_be_true_is_refused(void **state)
{
    (void)state;
    struct proto p = small_profile(false, NULL);
    proto_sample(&p, NUMBERS(7, 0, 0), 1, NUMBERS(1), NULL);
    struct flm_profile *lenient =
        read_bytes(pprof, proto_bytes(&p), &(struct flm_read_options){.lenient = true});
    assert_metric(lenient, 0, "cpu", "ns", 600, 2);
    flm_profile_free(lenient);
    assert_bad(&p, "a sample has another number of values than there are sample types");
    p = small_profile(false, NULL);
    proto_location(&p, 7, 0, 1, NULL);
    assert_bad(&p, "two locations have the same id");
    p = small_profile(false, NULL);
    proto_message(&p, 5, 2, NUMBERS(500, MAIN));
    assert_bad(&p, "two functions have the same id");
    p = small_profile(false, NULL);
    proto_message(&p, 3, 2, NUMBERS(4, 1));
    assert_bad(&p, "two mappings have the same id");
    p = small_profile(false, NULL);
    proto_message(&p, 1, 2, NUMBERS(100, 0));
    assert_bad(&p, "the index of a string is beyond the table of strings");
    p = (struct proto){{0}};
    proto_sample(&p, NUMBERS(7, 0, 0), 1, NUMBERS(1), NULL);
    assert_bad(&p, "byte 0: it has samples, but no sample types");
    p = (struct proto){{0}};
    proto_strings(&p, small_strings + 1);
    assert_bad(&p, "byte 0: the first string of the table is not empty, as it has to be");
}

/* Ids that are far apart, unpacked lists, and negative values. */
static void ids_are_any_numbers_and_values_may_be_negative(void **state)
{
    (void)state;
    for (uint64_t step = 1; step < UINT64_MAX / 5; step = step * 1000 + 1) {
        struct proto p = {{0}};
        proto_message(&p, 1, 2, NUMBERS(CPU, COUNT));
        for (uint64_t i = 1; i < 4; i++)
            proto_location(&p, i * step, 0, 0x10 * i, NULL);
        flm_wire_put_number(&p.message, 1, 3 * step);
        flm_wire_put_number(&p.message, 2, (uint64_t)-5);
        flm_wire_put_number(&p.message, 1, step);
        flm_wire_put_message(&p.out, 2, &p.message);
        proto_sample(&p, NUMBERS(3 * step, 2 * step, 0), 1, NUMBERS(7), NULL);
        proto_sample(&p, NUMBERS(3 * step, step, 0), 1, NUMBERS(2), NULL);
        proto_strings(&p, small_strings);
        struct flm_profile *profile = read_bytes(pprof, proto_bytes(&p), &keeping);
        assert_folded(profile, "0x10;0x30 -3\n0x20;0x30 7\n");
        flm_profile_free(profile);
        proto_clear(&p);
    }
}

static void values_that_a_double_cannot_hold_are_counted(void **state)
{
    (void)state;
    struct proto p = small_profile(false, NULL);
    proto_sample(&p, NUMBERS(9, 0, 0), 2, NUMBERS(((uint64_t)1 << 53) + 1, 0), NULL);
    struct flm_profile *profile = read_bytes(pprof, proto_bytes(&p), &keeping);
    assert_rounded(profile, "1");
    flm_profile_free(profile);
    proto_clear(&p);
}

static void files_of_several_programs_have_their_totals(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(pprof, pprof_files[0]);
    assert_sound(p);
    assert_metric(p, 0, "cpu", "ns", 860000000, 35);
    flm_profile_free(p);
    p = profile_of_file(pprof, pprof_files[1]);
    assert_metric(p, 0, "inuse_space", "bytes", 9116905, 4);
    assert_metric(p, 2, "alloc_space", "bytes", 399046182, 11);
    flm_profile_free(p);
    p = profile_of_file(pprof, pprof_files[2]);
    assert_metric(p, 0, "wall", "ns", 607476000, 23);
    flm_profile_free(p);
    p = profile_of_file(pprof, pprof_files[3]);
    assert_metric(p, 0, "cpu", "ns", 1500000000, 9);
    flm_profile_free(p);
}

static void files_are_recognized_by_their_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pprof_files / sizeof *pprof_files; i++) {
        struct flm_bytes all = file_bytes(pprof_files[i]);
        assert_int_equal(pprof->sniff(all, true), FLM_SNIFF_SURE);
        assert_true(pprof->sniff((struct flm_bytes){all.at, 400}, false) >= FLM_SNIFF_LIKELY);
        free((void *)all.at);
    }
    static const char *const others[] = {"",           "main;a 1\n",   "\n\n\n",
                                         "{\"a\": 1}", "\x0a\x02\x0a", "#!/bin/sh\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(pprof->sniff(flm_bytes_of(others[i]), true), FLM_SNIFF_NO);
    struct proto made = small_profile(true, NULL); /* strings first */
    assert_int_equal(pprof->sniff(proto_bytes(&made), true), FLM_SNIFF_SURE);
    proto_clear(&made);
}

static void every_beginning_of_a_file_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pprof_files / sizeof *pprof_files; i++) {
        struct flm_bytes all = file_bytes(pprof_files[i]);
        for (size_t size = 0; size < all.size; size += 1 + size / 300) {
            char *block = malloc(size ? size : 1);
            memcpy(block, all.at, size);
            struct flm_error why = {0};
            struct flm_profile *p =
                try_bytes(pprof, (struct flm_bytes){block, size}, &keeping, &why);
            assert_true(p || why.kind == FLM_ERROR_FORMAT);
            pprof->sniff((struct flm_bytes){block, size}, true);
            flm_profile_free(p);
            free(block);
        }
        free((void *)all.at);
    }
}

static bool read_with_little_memory(void *context, struct flm_error *why)
{
    struct proto *made = context;
    struct flm_profile *p = try_bytes(pprof, proto_bytes(made), &keeping, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct proto made = small_profile(false, NUMBERS(ID, 0, 42, BYTES));
    assert_true(assert_survives_failures(read_with_little_memory, &made) > 30);
    proto_clear(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_become_stacks_with_inlined_functions_and_all_metrics),
        cmocka_unit_test(lines_that_ran_are_there_with_the_option),
        cmocka_unit_test(lines_and_addresses_are_locations),
        cmocka_unit_test(labels_are_texts_or_numbers_with_their_unit),
        cmocka_unit_test(a_label_of_time_is_the_time_of_the_sample),
        cmocka_unit_test(threads_are_frames_with_the_option),
        cmocka_unit_test(the_default_type_comes_first),
        cmocka_unit_test(types_of_one_name_are_metrics_of_their_own),
        cmocka_unit_test(frames_stay_in_proportion_to_the_input),
        cmocka_unit_test(a_stack_with_only_zeros_was_seen),
        cmocka_unit_test(stacks_are_found_again_among_thousands),
        cmocka_unit_test(what_is_missing_is_counted),
        cmocka_unit_test(what_cannot_be_true_is_refused),
        cmocka_unit_test(ids_are_any_numbers_and_values_may_be_negative),
        cmocka_unit_test(values_that_a_double_cannot_hold_are_counted),
        cmocka_unit_test(files_of_several_programs_have_their_totals),
        cmocka_unit_test(files_are_recognized_by_their_fields),
        cmocka_unit_test(every_beginning_of_a_file_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
