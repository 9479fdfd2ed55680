#include "format/core/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "load/all_formats.h"

static void every_format_has_its_own_name_and_a_description(void **state)
{
    (void)state;
    const struct flm_format *format;
    size_t count = 0;
    for (; (format = flm_formats_at(&flm_formats_all, count)) != NULL; count++) {
        assert_true(strlen(format->name) > 0 && strlen(format->title) > 0);
        assert_true(strlen(format->description) > 0);
        assert_non_null(format->extensions);
        assert_ptr_equal(flm_format_named(&flm_formats_all, format->name), format);
        for (size_t k = 0; k < count; k++)
            assert_string_not_equal(format->name, flm_formats_at(&flm_formats_all, k)->name);
    }
    assert_true(count >= 12);
    assert_null(flm_formats_at(&flm_formats_all, count + 1000));
    assert_null(flm_format_named(&flm_formats_all, "none"));
    assert_null(flm_format_named(&flm_formats_all, ""));
}

/* The functions of an entry and its description are consistent. */
static void entries_are_consistent(void **state)
{
    (void)state;
    const struct flm_format *f;
    for (size_t i = 0; (f = flm_formats_at(&flm_formats_all, i)) != NULL; i++) {
        bool reads = flm_format_can_be_read(f);
        assert_true(reads || f->write);
        assert_int_equal(reads, f->sniff != NULL);
        assert_true(!!f->read + !!f->open + !!f->load <= 1);
        assert_true(!f->cut || f->read);
        assert_true(!f->prepare || f->read);
        assert_true(!f->adopt || f->open);
        assert_true(!f->load || f->needs_system);
        assert_true(!f->can_write || f->write);
        assert_true(f->write || (!f->also_loses && !f->compressible));
        /* A format without losses can be read back, and a picture cannot be read. */
        assert_true(!f->write || reads || f->also_loses || f->holds != FLM_HOLDS_ALL);
        assert_false(flm_format_is_picture(f) && reads);
        if (f->write)
            assert_ptr_equal(flm_format_for_file(&flm_formats_all, f->extensions), f);
    }
}

static void what_is_lost_is_what_is_not_held(void **state)
{
    (void)state;
    const unsigned all = FLM_HOLDS_ALL | FLM_HOLDS_LOCATIONS | FLM_HOLDS_NOTES;
    struct flm_format f = {.name = "f", .holds = all, .has_times = true, .keeps_labels = true};
    struct flm_text out = {0};
    flm_format_add_loses(&f, &out);
    assert_int_equal(out.size, 0);
    f.holds = all & ~(unsigned)(FLM_HOLDS_MODULES | FLM_HOLDS_MARKERS);
    f.metrics = FLM_METRICS_ONE;
    f.also_loses = "notes";
    flm_format_add_loses(&f, &out);
    assert_true(flm_bytes_are((struct flm_bytes){out.at, out.size},
                              "other metrics, markers, modules, notes"));
    out.size = 0;
    f.display = FLM_FORMAT_VECTORS; /* nobody looks for its parts */
    flm_format_add_loses(&f, &out);
    assert_true(flm_bytes_are((struct flm_bytes){out.at, out.size}, "notes"));
    flm_text_clear(&out);
}

static void the_name_of_a_file_says_the_format_by_its_longest_extension(void **state)
{
    (void)state;
    assert_string_equal(flm_format_for_file(&flm_formats_all, "a.json")->name, "json");
    assert_string_equal(flm_format_for_file(&flm_formats_all, "a.trace.json")->name, "trace");
    assert_string_equal(flm_format_for_file(&flm_formats_all, "a.trace.json.gz")->name, "trace");
    assert_string_equal(flm_format_for_file(&flm_formats_all, "a.pb.gz")->name, "pprof");
    assert_string_equal(flm_format_for_file(&flm_formats_all, "A.PB.GZ")->name, "pprof");
    assert_string_equal(flm_format_for_file(&flm_formats_all, "A.Folded.Gz")->name, "folded");
    assert_string_equal(flm_format_for_file(&flm_formats_all, "a.svg.gz")->name, "svg");
    assert_string_equal(flm_format_for_file(&flm_formats_all, "a.svgz")->name, "svg");
    assert_null(flm_format_for_file(&flm_formats_all, "a.png.gz"));
    assert_null(flm_format_for_file(&flm_formats_all, ".gz"));
    assert_null(flm_format_for_file(&flm_formats_all, "a.none"));
}

static void the_pure_formats_need_no_system_and_come_first(void **state)
{
    (void)state;
    size_t i = 0;
    const struct flm_format *f;
    for (; (f = flm_formats_at(&flm_formats_pure, i)) != NULL; i++) {
        assert_false(f->needs_system);
        assert_null(f->load);
        assert_ptr_equal(f, flm_formats_at(&flm_formats_all, i));
    }
    assert_int_equal(i, flm_formats_pure.count);
    assert_null(flm_format_named(&flm_formats_pure, "perf-data"));
}

static void errors_say_why_a_format_cannot_be_written(void **state)
{
    (void)state;
    struct flm_error why = {0};
    const struct flm_format *perf = flm_format_named(&flm_formats_all, "perf-data");
    assert_false(flm_format_can_be_written(perf, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "'perf-data' can be read, but not written"));
    assert_true(flm_format_can_be_written(flm_format_named(&flm_formats_all, "flm"), &why));
    assert_false(flm_format_keeps_samples(flm_format_named(&flm_formats_all, "folded")));
    assert_true(flm_format_keeps_samples(flm_format_named(&flm_formats_all, "html")));
}

static void recognized(const char *head, size_t size, const char *name)
{
    struct flm_error why = {0};
    const struct flm_format *format =
        flm_format_recognize(&flm_formats_all, (struct flm_bytes){head, size}, true, &why);
    if (!format)
        fail_msg("%s: %s", name, why.text);
    assert_string_equal(format->name, name);
}

static void files_are_recognized_by_their_content(void **state)
{
    (void)state;
    recognized("FLAMEL\x1A\n\1\0\0\0", 12, "flm");
    recognized("main;read 10\nmain 2\n", 20, "folded");
    recognized("main;read 10 12\n", 16, "folded");
    recognized("idle 7\n", 7, "folded");
    recognized("PERFILE2h\0\0\0", 12, "perf-data");
    recognized("a;b\n", 4, "folded"); /* its reader says which line has no value */
    recognized("main;\x01\x02\x03 10\n", 12, "folded");
}

static void refused(const char *head, size_t size, const char *words)
{
    struct flm_error why = {0};
    const struct flm_format *format =
        flm_format_recognize(&flm_formats_all, (struct flm_bytes){head, size}, true, &why);
    if (format)
        fail_msg("'%s' is said to be %s", head, format->name);
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    if (!strstr(why.text, words))
        fail_msg("'%s': %s", head, why.text);
    assert_null(flm_format_recognize(&flm_formats_all, (struct flm_bytes){head, size}, true, NULL));
}

static void other_kinds_of_files_are_named(void **state)
{
    (void)state;
    refused("", 0, "the file is empty");
    refused("\n \r\n\t\n", 6, "only blank lines");
    refused("\x7f"
            "ELF\2\1\1\0\0\0\0\0",
            12, "a program or a library (ELF)");
    refused("PK\x03\x04\x14\0\0\0", 8, "a zip archive");
    refused("\x1f\x8b\x08\0\0\0\0\0", 8, "compressed with gzip twice");
    refused("\x28\xb5\x2f\xfd\x04\0\0\0", 8, "compressed with zstd twice");
    refused("\xfd"
            "7zXZ\0\0\4",
            8, "compressed with xz");
    refused("BZh91AY&SY\0", 11, "compressed with bzip2");
    refused("\x89PNG\r\n\x1a\n", 8, "a PNG picture");
    refused("%PDF-1.4\n", 9, "a PDF document");
    refused("<svg xmlns='x'>\n", 16, "an SVG picture");
    refused("<!DOCTYPE html>\n", 16, "a web page");
    refused("\1\2\3\4\5\6\7\0", 8, "not a profile that flamel knows");
    refused("Dear reader,\nnothing here\n", 26, "folded lines end in a number");
    refused("Dear \x1B[1mreader\x1B[0m,\nnothing here\n", 34, "folded lines end in a number");
}

static void names_of_files_say_how_to_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *file, *format;
    } known[] = {
        {"app.flm", "flm"},    {"/tmp/x.y/app.folded", "folded"}, {"app.collapsed", "folded"},
        {"app.txt", "folded"}, {"a.difffolded", "difffolded"},    {".flm", "flm"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct flm_format *format = flm_format_for_file(&flm_formats_all, known[i].file);
        assert_non_null(format);
        assert_string_equal(format->name, known[i].format);
    }
    static const char *const unknown[] = {"",           "-",        "app",  "flm", "app.fl",
                                          "app.flm.gz", "app.FLMX", "svgz", ".gz"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_null(flm_format_for_file(&flm_formats_all, unknown[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_its_own_name_and_a_description),
        cmocka_unit_test(entries_are_consistent),
        cmocka_unit_test(what_is_lost_is_what_is_not_held),
        cmocka_unit_test(the_name_of_a_file_says_the_format_by_its_longest_extension),
        cmocka_unit_test(the_pure_formats_need_no_system_and_come_first),
        cmocka_unit_test(errors_say_why_a_format_cannot_be_written),
        cmocka_unit_test(files_are_recognized_by_their_content),
        cmocka_unit_test(other_kinds_of_files_are_named),
        cmocka_unit_test(names_of_files_say_how_to_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
