#include "flamel/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "load/unordered.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_bytes bytes(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static struct flm_profile *load(const char *path, const struct flm_load_options *options)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_load(path, options, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

static void loads(struct flm_bytes file, const char *expected)
{
    struct flm_profile *p = load(write_temporary("loaded", file), NULL);
    assert_folded(p, expected);
    flm_profile_free(p);
}

static void refuse(struct flm_bytes file, const struct flm_load_options *options,
                   enum flm_error_kind kind, const char *words)
{
    struct flm_error why = {0};
    const char *path = write_temporary("refused", file);
    struct flm_profile *p = flm_load(path, options, &why);
    if (p)
        fail_msg("it should be refused with '%s'", words);
    if (why.kind != kind || !strstr(why.text, words))
        fail_msg("it says '%s', not '%s'", why.text, words);
    assert_memory_equal(why.text, path, strlen(path)); /* the file's name stands in front */
    assert_memory_equal(why.text + strlen(path), ": ", 2);
    assert_null(flm_load(path, options, NULL));
}

static const char *const folded = "main 2\nmain;read 10\n";

static void a_file_is_recognized_by_its_content(void **state)
{
    (void)state;
    const char *found = NULL;
    struct flm_load_options options = {.size = sizeof options, .found_format = &found};
    struct flm_profile *p = load(write_temporary("app.flm", flm_bytes_of(folded)), &options);
    assert_folded(p, folded);
    assert_string_equal(found, "folded");
    struct flm_text image = bytes_of(p);
    struct flm_profile *q = load(write_temporary("app.folded", bytes(&image)), &options);
    assert_string_equal(found, "flm");
    assert_profiles_equal(p, q);
    flm_text_clear(&image);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void the_format_may_be_given(void **state)
{
    (void)state;
    struct flm_load_options options = {.size = sizeof options, .format = "folded"};
    struct flm_profile *p = load(write_temporary("x", flm_bytes_of("")), &options);
    assert_int_equal(p->sizes.node_count, 1);
    flm_profile_free(p);
    refuse(flm_bytes_of("Dear reader,\nhello\n"), &options, FLM_ERROR_FORMAT, "line 1: no value");
    options.format = "flm";
    refuse(flm_bytes_of(folded), &options, FLM_ERROR_FORMAT, "this is not a .flm file");
    options.format = "difffolded";
    refuse(flm_bytes_of(folded), &options, FLM_ERROR_USAGE,
           "'difffolded' is not a format that can be");
    options.format = "none";
    refuse(flm_bytes_of(folded), &options, FLM_ERROR_USAGE,
           "'none' is not a format that can be read");
}

static void utf16_is_read_in_both_orders_with_and_without_its_mark(void **state)
{
    (void)state;
    const char *text = "main;\xCE\xBB 1\r\nmain;x 2\r\n", *expected = "main;x 2\nmain;\xCE\xBB 1\n";
    loads(flm_bytes_of(text), expected);
    for (int big = 0; big < 2; big++) {
        for (int mark = 0; mark < 2; mark++) {
            struct flm_text wide = {0};
            if (mark)
                flm_text_add(&wide, (struct flm_bytes){big ? "\xFE\xFF" : "\xFF\xFE", 2});
            /* Without a mark it is known by its first 32 characters, which are ASCII mostly. */
            const char *start = mark ? "" : "a_long_name_before_the_other;characters 4\n";
            const char *parts[] = {start, text};
            for (int part = 0; part < 2; part++) {
                for (const char *at = parts[part]; *at; at++) {
                    unsigned unit = (unsigned char)*at;
                    if (unit == 0xCE)
                        unit = 0x3C0 - 0x40 + ((unsigned char)*++at & 0x3F);
                    flm_text_putc(&wide, (char)(big ? unit >> 8 : unit & 255));
                    flm_text_putc(&wide, (char)(big ? unit & 255 : unit >> 8));
                }
            }
            char all[200];
            snprintf(all, sizeof all, "%s%s", start, expected);
            loads(bytes(&wide), all);
            flm_text_clear(&wide);
        }
    }
}

static void a_byte_order_mark_is_no_part_of_a_name(void **state)
{
    (void)state;
    loads(flm_bytes_of("\xEF\xBB\xBFmain;read 10\nmain 2\n"), folded);
    refuse(flm_bytes_of("\xEF\xBB\xBF"), NULL, FLM_ERROR_FORMAT, "the file is empty");
}

static void files_of_other_tools_are_read(void **state)
{
    (void)state;
    static const char *const names[] = {"simple.txt", "simple-crlf.txt", "simple-utf16-le.txt"};
    for (size_t i = 0; i < 3; i++) {
        char path[100];
        snprintf(path, sizeof path, "tests/data/folded/%s", names[i]);
        struct flm_profile *p = load(path, NULL);
        assert_folded(p, "a;b 5\na;b;c 5\na;b;d 4\n");
        flm_profile_free(p);
    }
}

static void read_it(const char *path, void *context)
{
    (void)context;
    struct flm_profile *p = load(path, NULL);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) > 0);
    flm_profile_free(p);
}

static void refuse_it(const char *path, void *context)
{
    (void)context;
    struct flm_error why = {0};
    assert_null(flm_load(path, NULL, &why));
    assert_true(why.kind == FLM_ERROR_FORMAT || why.kind == FLM_ERROR_RANGE);
    assert_memory_equal(why.text, path, strlen(path));
}

static void good_files_are_read_and_bad_ones_refused(void **state)
{
    (void)state;
    assert_true(each_file("tests/data/folded", "8.folded", read_it, NULL) > 0);
    assert_true(each_file("tests/data/folded", "nul.folded", read_it, NULL) > 0);
    assert_true(each_file("tests/data/folded", "injection.folded", read_it, NULL) > 0);
    assert_true(each_file("tests/data/folded", "without_mark.folded", read_it, NULL) > 0);
    static const char *const refused[] = {"negative", "overflow", "no_values", "newlines"};
    for (size_t i = 0; i < 4; i++)
        assert_true(each_file("tests/data/folded", refused[i], refuse_it, NULL) == 1);
}

static void two_columns_are_found(void **state)
{
    (void)state;
    struct flm_profile *p = load(write_temporary("two", flm_bytes_of("a 1 2\nb 3 4\n")), NULL);
    assert_int_equal(p->sizes.metric_count, 2);
    flm_profile_free(p);
    struct flm_load_options one = {.size = sizeof one, .columns = 1};
    p = load(write_temporary("two", flm_bytes_of("a 1 2\nb 3 4\n")), &one);
    assert_folded(p, "a 1 2\nb 3 4\n"); /* names are "a 1" and "b 3" then */
    assert_int_equal(p->sizes.metric_count, 1);
    flm_profile_free(p);
}

static void options_reach_the_reader(void **state)
{
    (void)state;
    struct flm_bytes text = flm_bytes_of("a;b 1\na;c -2\n");
    refuse(text, NULL, FLM_ERROR_RANGE, "line 2: the value '-2' is negative");
    struct flm_load_options negative = {.size = sizeof negative, .allow_negative = true},
                            lenient = {.size = sizeof lenient, .lenient = true};
    struct flm_profile *p = load(write_temporary("n", text), &negative);
    assert_folded(p, "a;b 1\na;c -2\n");
    flm_profile_free(p);
    p = load(write_temporary("n", text), &lenient);
    assert_folded(p, "a;b 1\n");
    assert_int_equal(p->sizes.loss_count, 1);
    flm_profile_free(p);
}

static struct flm_text gzipped(struct flm_bytes content)
{
    struct flm_text text = {0};
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, content.size);
    z.next_out = (Bytef *)flm_text_reserve(&text, room);
    z.next_in = (Bytef *)(uintptr_t)content.at;
    z.avail_in = (uInt)content.size;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    text.size = room - z.avail_out;
    deflateEnd(&z);
    return text;
}

static void compressed_files_are_files(void **state)
{
    (void)state;
    uint64_t random = 1;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_text image = bytes_of(p), packed = gzipped(bytes(&image));
    struct flm_profile *q = load(write_temporary("p.gz", bytes(&packed)), NULL);
    assert_profiles_equal(p, q); /* a copy that is aligned */
    flm_text_clear(&packed);
    flm_text_clear(&image);
    flm_profile_free(p);
    flm_profile_free(q);
    packed = gzipped(flm_bytes_of(folded));
    loads(bytes(&packed), folded);
    struct flm_text twice = gzipped(bytes(&packed));
    refuse(bytes(&twice), NULL, FLM_ERROR_FORMAT, "compressed with gzip twice");
    packed.size -= 9;
    refuse(bytes(&packed), NULL, FLM_ERROR_FORMAT, "the gzip data ends too early");
    flm_text_clear(&packed);
    flm_text_clear(&twice);
}

/* ---- A pipe, and standard input -------------------------------------------------------------- */

struct writer {
    int file;
    struct flm_bytes content;
};

static void *write_all(void *argument)
{
    struct writer *w = argument;
    for (size_t at = 0; at < w->content.size;) {
        ssize_t written = write(w->file, w->content.at + at, w->content.size - at);
        if (written <= 0)
            break;
        at += (size_t)written;
    }
    close(w->file);
    return NULL;
}

static struct flm_profile *load_from_pipe(struct flm_bytes content, struct flm_error *why)
{
    int ends[2], before = dup(STDIN_FILENO);
    pthread_t thread;
    assert_int_equal(pipe(ends), 0);
    struct writer w = {ends[1], content};
    assert_int_equal(pthread_create(&thread, NULL, write_all, &w), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    struct flm_profile *p = flm_load("-", NULL, why);
    dup2(before, STDIN_FILENO);
    close(before);
    pthread_join(thread, NULL);
    return p;
}

static void a_minus_is_standard_input(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_profile *p = load_from_pipe(flm_bytes_of(folded), &why);
    assert_non_null(p);
    assert_folded(p, folded);
    struct flm_text image = bytes_of(p);
    struct flm_profile *q = load_from_pipe(bytes(&image), &why);
    assert_profiles_equal(p, q);
    flm_text_clear(&image);
    flm_profile_free(p);
    flm_profile_free(q);
    assert_null(load_from_pipe(flm_bytes_of("a;b\n"), &why));
    assert_non_null(strstr(why.text, "standard input: line 1: no value"));
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void what_is_no_profile_is_refused(void **state)
{
    (void)state;
    refuse(flm_bytes_of(""), NULL, FLM_ERROR_FORMAT, "the file is empty");
    refuse(flm_bytes_of("\n\n"), NULL, FLM_ERROR_FORMAT, "only blank lines");
    refuse((struct flm_bytes){"\x7f"
                              "ELF\2\1\1\0\0",
                              9},
           NULL, FLM_ERROR_FORMAT, "(ELF)");
    refuse(flm_bytes_of("a;b\n"), NULL, FLM_ERROR_FORMAT, "line 1: no value after the stack");
    struct flm_error why = {0};
    assert_null(flm_load("/absent/file", NULL, &why));
    assert_string_equal(why.text, "/absent/file: cannot be opened: No such file or directory");
    assert_null(flm_load("/sys", NULL, &why));
    assert_string_equal(why.text, "/sys: there is no file in this folder");
}

static void every_shortened_flm_file_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(folded);
    struct flm_text image = bytes_of(p);
    for (size_t size = 8; size < image.size; size += 13) {
        struct flm_error why = {0};
        assert_null(
            flm_load(write_temporary("cut", (struct flm_bytes){image.at, size}), NULL, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    }
    flm_text_clear(&image);
    flm_profile_free(p);
}

struct told {
    uint64_t last, size;
    int calls, stop_after;
};

static bool tell(void *context, uint64_t at, uint64_t size)
{
    struct told *told = context;
    assert_true(at >= told->last);
    told->last = at;
    told->size = size;
    return ++told->calls != told->stop_after;
}

static void progress_is_in_bytes_of_the_file(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (int i = 0; text.size < 10000000; i++)
        flm_text_format(&text, "main;f%d 1\n", i % 100);
    struct told told = {0};
    struct flm_load_options options = {
        .size = sizeof options, .progress = tell, .progress_context = &told, .threads = 1};
    const char *path = write_temporary("big", bytes(&text));
    struct flm_profile *p = load(path, &options);
    flm_profile_free(p);
    assert_true(told.calls >= 2);
    assert_int_equal(told.size, text.size);
    assert_true(told.last <= text.size && told.last > text.size / 2);

    struct flm_text packed = gzipped(bytes(&text));
    told = (struct told){0};
    p = load(write_temporary("big.gz", bytes(&packed)), &options);
    flm_profile_free(p);
    assert_int_equal(told.size, packed.size);
    assert_true(told.last <= packed.size);

    struct flm_error why = {0};
    told = (struct told){.stop_after = 2};
    assert_null(flm_load(write_temporary("big", bytes(&text)), &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_int_equal(told.calls, 2);
    flm_text_clear(&packed);
    flm_text_clear(&text);
}

/* perf.data: names are looked up after the file was read, which takes longer, module by module. */
static void looking_up_names_can_be_stopped(void **state)
{
    (void)state;
    struct told told = {0};
    struct flm_load_options options = {
        .size = sizeof options, .progress = tell, .progress_context = &told, .threads = 1};
    struct flm_profile *p = load("tests/data/perf_data/fp.data", &options);
    flm_profile_free(p);
    assert_true(told.calls >= 2);
    for (int stop = told.calls; stop > 0; stop--) {
        struct flm_error why = {0};
        told = (struct told){.stop_after = stop};
        assert_null(flm_load("tests/data/perf_data/fp.data", &options, &why));
        assert_int_equal(why.kind, FLM_ERROR_CANCELED);
        assert_int_equal(told.calls, stop);
    }
}

struct file {
    const char *path;
};

static bool load_it(void *context, struct flm_error *why)
{
    struct flm_load_options options = {.size = sizeof options, .threads = 1, .by_thread = true};
    struct flm_profile *p = flm_load(((struct file *)context)->path, &options, why);
    flm_profile_free(p);
    return p != NULL;
}

static void loading_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 1;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_text image = bytes_of(p);
    struct flm_text packed = gzipped(flm_bytes_of(folded));
    static const char wide[] = "m\0a\0i\0n\0 \0"
                               "1\0\n\0";
    struct file files[] = {{write_temporary("1", bytes(&image))},
                           {write_temporary("2", bytes(&packed))},
                           {write_temporary("3", (struct flm_bytes){wide, sizeof wide - 1})}};
    for (int i = 0; i < 3; i++)
        assert_true(assert_survives_failures(load_it, &files[i]) > 2);
    flm_text_clear(&image);
    flm_text_clear(&packed);
    flm_profile_free(p);
}

/* What it is good for: added to another one, it is what the ordered one is. */
static void an_unordered_profile_adds_up_to_the_ordered_one(void **state)
{
    (void)state;
    static const char *const formats[] = {"folded", "pprof", "speedscope"};
    uint64_t random = 37;
    for (int round = 0; round < 60; round++) {
        const struct random_shape shape = {
            .stacks = 40, .names = 30, .deepest = 9, .metrics = 1, .modules = round % 2};
        const struct flm_save_options save = {.size = sizeof save, .format = formats[round % 3]};
        const struct flm_load_options options = {.size = sizeof options,
                                                 .format = formats[round % 3],
                                                 .drop_times = true,
                                                 .no_locations = true};
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_error why = {0};
        size_t size;
        void *file = flm_save_memory(p, &size, &save, &why);
        assert_non_null(file);
        struct flm_profile *ordered = flm_load_memory(file, size, &options, &why);
        struct flm_profile *unordered = flm_load_unordered(file, size, &options, &why);
        if (!ordered || !unordered)
            fail_msg("%s", why.text);
        struct flm_profile *sum = poured(unordered, &random);
        assert_profiles_equal(sum, ordered);
        free(file);
        flm_profile_free(p);
        flm_profile_free(ordered);
        flm_profile_free(unordered);
        flm_profile_free(sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_recognized_by_its_content),
        cmocka_unit_test(the_format_may_be_given),
        cmocka_unit_test(utf16_is_read_in_both_orders_with_and_without_its_mark),
        cmocka_unit_test(a_byte_order_mark_is_no_part_of_a_name),
        cmocka_unit_test(files_of_other_tools_are_read),
        cmocka_unit_test(good_files_are_read_and_bad_ones_refused),
        cmocka_unit_test(two_columns_are_found),
        cmocka_unit_test(options_reach_the_reader),
        cmocka_unit_test(compressed_files_are_files),
        cmocka_unit_test(a_minus_is_standard_input),
        cmocka_unit_test(what_is_no_profile_is_refused),
        cmocka_unit_test(every_shortened_flm_file_is_refused),
        cmocka_unit_test(progress_is_in_bytes_of_the_file),
        cmocka_unit_test(looking_up_names_can_be_stopped),
        cmocka_unit_test(loading_survives_failed_allocations),
        cmocka_unit_test(an_unordered_profile_adds_up_to_the_ordered_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
