/* Stacks of allocations in the report: which rows, by which names, of one process and several. */
#include "flamel/report.h"

#include <stdio.h>

#include "support/core/failures.h"
#include "support/probe/probe_image.h"

enum { STACK = 560, NEXT = 570, MAPPING = 600, ONE = FLM_PROBE_ALLOCATION_ONE };

/* "get" called by "parse" lost 300 bytes in 3 blocks, called by "main" 50 in 1; and what "parse"
 * allocated itself it has freed. `base` is where the program is. */
static struct image *make_leaks(uint64_t base, uint64_t rate)
{
    struct image *image = make_image();
    header_of(image)->activity[FLM_PROBE_MEMORY] =
        (struct flm_probe_activity){.state = FLM_PROBE_ACTIVE, .rate = rate};
    const struct flm_probe_stack stacks[] = {
        {.next = NEXT,
         .count = 3,
         .thread = THREAD,
         .samples = 4,
         .bytes = 400,
         .allocations = 4 * ONE,
         .live_bytes = 300,
         .live_allocations = 3 * ONE,
         .frame = {base + 0x11, base + 0x21, base + 0x31}},
        {.next = NEXT + 10,
         .count = 2,
         .thread = THREAD,
         .samples = 1,
         .bytes = 50,
         .allocations = ONE,
         .live_bytes = 50,
         .live_allocations = ONE,
         .frame = {base + 0x11, base + 0x31}},
        {.count = 2,
         .thread = THREAD,
         .samples = 1,
         .bytes = 900,
         .allocations = ONE,
         .frame = {base + 0x21, base + 0x31}},
    };
    for (uint32_t i = 0; i < 3; i++)
        memcpy(place(image, STACK + 10 * i), &stacks[i], sizeof stacks[i]);
    header_of(image)->first_stack = STACK;
    return image;
}

/* The second process is elsewhere. */
static enum flm_report_address name_it(void *context, size_t file, uint64_t address, char *name,
                                       size_t room)
{
    static const char *const names[] = {"", "get", "parse", "main"};
    const uint64_t *base = context;
    uint64_t at = (address - base[file]) >> 4;
    if (at < 1 || at > 3)
        return FLM_ADDRESS_UNKNOWN;
    snprintf(name, room, "%s", names[at]);
    return FLM_ADDRESS_FUNCTION;
}

static uint64_t bases[] = {0x1000, 0x2000};

static const struct flm_report_options with_names = {
    .size = sizeof with_names, .name_address = name_it, .name_context = bases};

static struct flm_report *report_of(struct image *const *images, size_t count,
                                    const struct flm_report_options *options)
{
    struct flm_name files[2];
    struct flm_error why = {0};
    for (size_t i = 0; i < count; i++)
        files[i] = (struct flm_name){images[i]->at, sizeof images[i]->at};
    struct flm_report *report = count == 1
                                    ? flm_report_probe(files[0].at, files[0].size, options, &why)
                                    : flm_report_probe_processes(files, count, options, &why);
    if (!report)
        fail_msg("no report: %s", why.text);
    return report;
}

static void assert_row(const struct flm_report *report, const char *table, size_t row,
                       const char *name, double live, double blocks, double allocated)
{
    const struct flm_report_table *t = flm_report_table_named(report, table);
    assert_non_null(t);
    struct flm_name found = flm_report_string(t, row, flm_report_column_named(t, "name"));
    if (found.size != strlen(name) || memcmp(found.at, name, found.size) != 0)
        fail_msg("'%.*s', not '%s'", (int)found.size, found.at, name);
    assert_true(flm_report_number(t, row, flm_report_column_named(t, "live")) == live);
    assert_true(flm_report_number(t, row, flm_report_column_named(t, "blocks")) == blocks);
    assert_true(flm_report_number(t, row, flm_report_column_named(t, "allocated")) == allocated);
}

static bool add_text(void *context, const void *bytes, size_t size)
{
    strncat(context, bytes, size);
    return true;
}

static const char *text_of(const struct flm_report *report, enum flm_report_form form)
{
    static char text[1 << 16];
    text[0] = 0;
    assert_true(flm_report_write(report, form, NULL, add_text, text, NULL));
    return text;
}

static void assert_text(const struct flm_report *report, enum flm_report_form form,
                        const char *part)
{
    const char *text = text_of(report, form);
    if (!strstr(text, part))
        fail_msg("no '%s' in %s", part, text);
}

static void what_is_not_freed_is_a_row(void **state)
{
    (void)state;
    struct image *image = make_leaks(bases[0], 1);
    struct flm_report *report = report_of(&image, 1, &with_names);
    assert_row(report, "leaks", 0, "get < parse < main", 300, 3, 400);
    assert_row(report, "leaks", 1, "get < main", 50, 1, 50);
    assert_int_equal(flm_report_row_count(flm_report_table_named(report, "leaks")), 2);
    assert_text(report, FLM_REPORT_TEXT, "300 B  85.7 %       3  get < parse < main");
    assert_text(report, FLM_REPORT_MARKDOWN, "get < parse < main");
    assert_text(report, FLM_REPORT_JSON, "\"name\": \"get < parse < main\"");
    assert_text(report, FLM_REPORT_CSV, "\nleaks,get < main,,blocks,1\n");
    flm_report_free(report);
    free(image);
}

static void samples_are_sorted_by_what_was_allocated(void **state)
{
    (void)state;
    struct image *image = make_leaks(bases[0], 4096);
    struct flm_report *report = report_of(&image, 1, &with_names);
    assert_null(flm_report_table_named(report, "leaks"));
    assert_row(report, "stacks", 0, "parse < main", 0, 0, 900);
    assert_text(report, FLM_REPORT_TEXT,
                "6 samples, one of 4 KiB, which are few to compare by; FLAMEL=leaks");
    if (strstr(text_of(report, FLM_REPORT_TEXT), "66.7 %")) /* 900 of 1,350 */
        fail_msg("shares of a few samples: %s", text_of(report, FLM_REPORT_TEXT));
    flm_report_free(report);
    struct flm_report_options options = with_names;
    options.for_command = true;
    options.rows = 1;
    report = report_of(&image, 1, &options);
    assert_text(report, FLM_REPORT_TEXT, "; --with leaks has");
    assert_text(report, FLM_REPORT_TEXT, "(all with --rows 0)");
    flm_report_free(report);
    free(image);
}

static void rows_that_are_not_shown_are_summed(void **state)
{
    (void)state;
    struct image *image = make_leaks(bases[0], 1);
    struct flm_report_options options = with_names;
    options.rows = 1;
    struct flm_report *report = report_of(&image, 1, &options);
    assert_text(report, FLM_REPORT_TEXT, "1 more stack with 50 B");
    flm_report_free(report);
    free(image);
}

/* Each has its own addresses; the names are the same. */
static void stacks_of_several_processes_are_one(void **state)
{
    (void)state;
    struct image *images[] = {make_leaks(bases[0], 1), make_leaks(bases[1], 1)};
    struct flm_report *report = report_of(images, 2, &with_names);
    assert_row(report, "leaks", 0, "get < parse < main", 600, 6, 800);
    assert_row(report, "leaks", 1, "get < main", 100, 2, 100);
    flm_report_free(report);
    free(images[0]);
    free(images[1]);
}

/* Says that the file `path` was mapped there, from its byte 0x500 on. */
static void map(struct image *image, const char *path, uint64_t start, uint64_t end)
{
    size_t size = strlen(path);
    memcpy((char *)place(image, TEXTS) + 20, path, size);
    const struct flm_probe_mapping mapping = {.start = start,
                                              .end = end,
                                              .offset = 0x500,
                                              .path = TEXTS * FLM_PROBE_UNIT + 20,
                                              .path_size = (uint32_t)size};
    memcpy(place(image, MAPPING), &mapping, sizeof mapping);
    header_of(image)->first_mapping = MAPPING;
}

/* A function of the probe that calls the one that it measures, and has the same name. */
static void frames_of_the_probe_are_left_out(void **state)
{
    (void)state;
    struct image *image = make_leaks(bases[0], 1);
    map(image, "/usr/lib/libflamel-probe.so.0", bases[0] + 0x20, bases[0] + 0x30);
    struct flm_report *report = report_of(&image, 1, &with_names);
    assert_row(report, "leaks", 0, "get < main", 350, 4, 450);
    assert_int_equal(flm_report_row_count(flm_report_table_named(report, "leaks")), 1);
    flm_report_free(report);
    free(image);
}

/* Nobody knows symbols: the file says where its code was mapped. */
static void without_names_they_are_places(void **state)
{
    (void)state;
    struct image *image = make_leaks(bases[0], 1);
    map(image, "/usr/bin/app", bases[0], bases[0] + 0x28);
    struct flm_report *report = report_of(&image, 1, NULL);
    assert_row(report, "leaks", 0, "app+0x510 < app+0x520 < 0x1030", 300, 3, 400);
    flm_report_free(report);
    free(image);
}

/* One that has no name yet, of a program that was killed. */
static void locks_get_names(void **state)
{
    (void)state;
    struct image *image = make_leaks(bases[0], 1);
    struct flm_probe_site *site = place(image, SITES);
    site[2] =
        (struct flm_probe_site){.kind = FLM_PROBE_LOCK, .address = bases[0] + 0x21, .operation = 1};
    struct flm_report *report = report_of(&image, 1, &with_names);
    assert_text(report, FLM_REPORT_TEXT, "made in parse");
    flm_report_free(report);
    report = report_of(&image, 1, NULL);
    assert_text(report, FLM_REPORT_TEXT, "0x1021");
    flm_report_free(report);
    free(image);
}

static void a_list_without_an_end_is_refused(void **state)
{
    (void)state;
    struct image *image = make_leaks(bases[0], 1);
    struct flm_error why = {0};
    ((struct flm_probe_stack *)place(image, NEXT))->next = STACK;
    assert_null(flm_report_probe(image->at, sizeof image->at, NULL, &why));
    assert_non_null(strstr(why.text, "a stack of allocations is not where it should be"));
    free(image);
}

static bool makes_a_report(void *context, struct flm_error *why)
{
    struct image *const *images = context;
    const struct flm_name files[] = {{images[0]->at, sizeof images[0]->at},
                                     {images[1]->at, sizeof images[1]->at}};
    struct flm_report *report = flm_report_probe_processes(files, 2, &with_names, why);
    flm_report_free(report);
    return report != NULL;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct image *images[] = {make_leaks(bases[0], 1), make_leaks(bases[1], 1)};
    struct flm_probe_site *site = place(images[1], SITES);
    site[2] =
        (struct flm_probe_site){.kind = FLM_PROBE_LOCK, .address = bases[1] + 0x21, .operation = 1};
    assert_survives_failures(makes_a_report, images);
    free(images[0]);
    free(images[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_freed_is_a_row),
        cmocka_unit_test(samples_are_sorted_by_what_was_allocated),
        cmocka_unit_test(rows_that_are_not_shown_are_summed),
        cmocka_unit_test(stacks_of_several_processes_are_one),
        cmocka_unit_test(frames_of_the_probe_are_left_out),
        cmocka_unit_test(without_names_they_are_places),
        cmocka_unit_test(locks_get_names),
        cmocka_unit_test(a_list_without_an_end_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
