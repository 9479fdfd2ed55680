#include "load/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "flamel/page.h"
#include "format/html/html.h"
#include "load/page_assets.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* Without clang there is no viewer; what must be said then is tested instead. */
static bool is_built(void)
{
    struct flm_error why = {0};
    if (flm_page_is_built(&why))
        return true;
    struct flm_page_content page = {.name = {"a"}};
    struct flm_text out = {0};
    assert_false(flm_page_write(&page, &out, NULL));
    assert_non_null(strstr(why.text, "was built without the viewer"));
    assert_int_equal(out.size, 0);
    return false;
}

static struct flm_profile *full_profile(uint64_t random)
{
    return random_profile(&random, &random_full);
}

static struct flm_text page_of(const struct flm_page_content *page)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    if (!flm_page_write(page, &text, &why))
        fail_msg("%s", why.text);
    assert_false(text.failed);
    return text;
}

static bool contains(const struct flm_text *text, const char *words)
{
    return memmem(text->at, text->size, words, strlen(words)) != NULL;
}

static void a_page_holds_its_profiles(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_profile *after = full_profile(3), *before = full_profile(4);
    struct flm_page_content page = {
        .name = {"<app>.flm", "old.flm"},
        .profile = {after, before},
    };
    struct flm_text text = page_of(&page);
    struct flm_error why = {0};
    struct flm_profile *back = flm_page_open((struct flm_bytes){text.at, text.size}, &why);
    if (!back)
        fail_msg("%s", why.text);
    assert_profiles_equal(back, after);
    struct flm_html_part part;
    assert_true(flm_html_part_find((struct flm_bytes){text.at, text.size}, "before", &part));
    assert_true(contains(&text, "<title>&lt;app&gt;.flm against old.flm - flamel</title>"));
    flm_profile_free(back);

    page.profile[FLM_PAGE_BEFORE] = NULL;
    page.name[FLM_PAGE_BEFORE] = NULL;
    struct flm_text one = page_of(&page);
    assert_false(flm_html_part_find((struct flm_bytes){one.at, one.size}, "before", &part));
    flm_text_clear(&one);
    flm_text_clear(&text);
    flm_profile_free(after);
    flm_profile_free(before);
}

static void a_page_may_do_nothing_but_what_it_must(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_text of_one_file = {0}, served = {0}, of_store = {0};
    flm_page_policy_add(FLM_PAGE_OF_ONE_FILE, &of_one_file);
    flm_page_policy_add(FLM_PAGE_SERVED, &served);
    flm_page_policy_add(FLM_PAGE_OF_STORE, &of_store);
    assert_true(contains(&of_store, "connect-src 'self'; base-uri"));
    flm_text_clear(&of_store);
    assert_true(contains(&of_one_file, "default-src 'none'; "));
    assert_true(contains(&of_one_file, "connect-src https: http:;"));
    assert_true(contains(&served, "connect-src 'self' https: http:;"));
    assert_false(contains(&of_one_file, "unsafe-inline"));
    assert_false(contains(&of_one_file, "'unsafe-eval'"));

    struct flm_profile *p = full_profile(3);
    struct flm_page_content page = {.name = {"a"}, .profile = {p}};
    struct flm_text text = page_of(&page);
    flm_text_putc(&of_one_file, 0);
    assert_true(contains(&text, of_one_file.at));
    assert_false(contains(&text, "http://"));
    assert_false(contains(&text, "https://"));
    flm_text_clear(&text);
    flm_text_clear(&of_one_file);
    flm_text_clear(&served);
    flm_profile_free(p);
}

static void the_hashes_are_of_what_stands_in_the_page(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    /* The tests in a browser see whether they are right; here, that they are different. */
    static const enum flm_page_asset hashes[] = {FLM_PAGE_LIVE_HASH, FLM_PAGE_SERVE_HASH,
                                                 FLM_PAGE_STYLE_HASH, FLM_PAGE_START_HASH,
                                                 FLM_PAGE_SCRIPT_HASH};
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++) {
        struct flm_bytes hash = flm_page_asset(hashes[i]);
        assert_int_equal(hash.size, 44);
        assert_int_equal(hash.at[43], '=');
        for (size_t j = 0; j < i; j++)
            assert_false(flm_bytes_equal(hash, flm_page_asset(hashes[j])));
    }
}

static void what_surrounds_a_profile_is_small(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_page_content page = {.name = {"a"}, .profile = {p}};
    struct flm_text text = {0};
    assert_true(flm_page_write(&page, &text, NULL));
    /* 338,000 until the module could read the formats of all other tools; at most 120,000 more with
     * them, 10,000 for lines and addresses (profile/chains.h), 40,000 for the view of code
     * (listings, stores, the lexer of 17 languages, 250 lines of script), 6,000 for programs that
     * measure themselves (their files, and pages that are renewed while they run), 3,000 for code
     * that was compiled at run time, 4,000 for pprof that is summed up while it is read, recordings
     * of rbspy, and listings that split one function of a profile, 1,000 for what more files are
     * that people drop there, and are no profiles, 6,000 for states of threads and stages of GPUs
     * in traces of Perfetto, and filters by thread and state, and 6,000 for chains that are
     * foreseen (format/flm/chain_walk.h), what they save in one of 1,500 nodes, and for two dropped
     * files (viewer/take.c), 2,000 for what is pressed while the page changes (web/dom.js), 2,500
     * for a coder of bits, by which lines and addresses take a third less (format/flm/bit_coder.h),
     * and chains as they were, and 1,000 for selects that stay open (web/dom.js) and for colors of
     * interpreters (draw/color/frame_group.h), and 4,200 for CPU profiles in traces of Perfetto,
     * files of more tools that are named, and what a sentence says where memory ends
     * (profile/builder.c), and 2,500 for the first picture, which is there before the viewer is
     * (viewer/paint/first_picture.h), with its style and the script around it, and 700 for hues of
     * interpreters (draw/color/frame_group.h) and chips of collapses, and 2,800 for what
     * comparisons and labels need in narrow windows, words of the palette, names that are
     * suggested, and profiles that are cut to a number of nodes (algebra/operation/), and 2,700 for
     * profiles of R, stacks of eu-stack, more files that are named, columns of one value
     * (base/text/json_read_numbers.c), texts found at 16 places, and samples in batches, and 3,500
     * for threads that share rows, tables sorted by the names that are shown, lines by self values
     * alone (algebra/aggregate/line_costs.h), and colors of terminals in stacks, and 1,100 for long
     * headings that keep their function, patterns that nearly match, and formats that are asked
     * when a file was not read, 7,500 for the heatmap: its cells (layout/heatmap.h), how it is
     * painted, ranges of it, and its pane in pictures, 1,300 for legends by what is seen
     * (draw/color/color_mode.h), processes and commands, and threads that are completed
     * (viewer/query/complete.c), and 4,600 for values of samples in few bytes (profile/values/),
     * columns that are moved, heaps of jemalloc, and profiles with their symbols, and 8,500 for
     * notes that people write: JSON that is read by the viewer itself, actions, marks, and their
     * sheet, and 7,200 for sanitizing: algebra/sanitize/ among the readers, and its sheet, and
     * 3,000 for columns of 16 bits (format/gecko/), long durations apart (profile/values/), and
     * pprof with values first, and 700 for notes in pictures and in three formats, and a page that
     * asks before it is closed with notes that are not saved, and 4,000 for programs of different
     * names that are compared (algebra/compare/renamed_paths.h), fractions that are carried on
     * (format/core/whole_values.h), folded stacks between other lines, and scalene, and 1,600 for
     * pages that are saved (web/share/html.js), and 800 for short names of closures and inner
     * classes (base/text/function_name.h). */
    assert_in_range(text.size, 1, 598400);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void a_page_has_a_picture_that_needs_no_script(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_profile *after = full_profile(3), *before = full_profile(4);
    struct flm_page_content page = {.name = {"<app>.flm"}, .profile = {after}};
    struct flm_text one = page_of(&page);
    assert_true(contains(&one, "aria-label=\"Flame graph of &lt;app&gt;.flm\"><svg "));
    page.profile[FLM_PAGE_BEFORE] = before;
    page.name[FLM_PAGE_BEFORE] = "old.flm";
    struct flm_text two = page_of(&page);
    assert_true(
        contains(&two, "aria-label=\"Flame graph of &lt;app&gt;.flm, compared with old.flm\""));
    assert_true(contains(&two, "id=\"flamel-first\" role=\"img\" class=\"compared\""));
    struct flm_page_content served = {.name = {"app.flm"},
                                      .module_from = "flamel.wasm",
                                      .from = {"after.flm"},
                                      .profile = {after}};
    struct flm_text fetched = page_of(&served);
    assert_true(contains(&fetched, "aria-label=\"Flame graph of app.flm\"><svg "));
    served.live_from = "live"; /* it is another one by the time that it is seen */
    struct flm_text none = page_of(&served);
    assert_false(contains(&none, "aria-label=\"Flame graph"));
    flm_text_clear(&one);
    flm_text_clear(&fetched);
    flm_text_clear(&two);
    flm_text_clear(&none);
    flm_profile_free(after);
    flm_profile_free(before);
}

static void a_served_page_has_no_bytes_in_it(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_page_content page = {
        .name = {"a\".flm"}, .module_from = "flamel.wasm", .from = {"after"}};
    struct flm_text text = page_of(&page);
    assert_true(contains(&text, "id=\"flamel-module\" data-from=\"flamel.wasm\"></script>"));
    assert_true(contains(&text, "id=\"flamel-after\" data-from=\"after\" "
                                "data-name=\"a&quot;.flm\"></script>"));
    struct flm_error why = {0};
    assert_null(flm_page_open((struct flm_bytes){text.at, text.size}, &why));
    assert_non_null(strstr(why.text, "saved while it was served"));
    flm_text_clear(&text);
}

static const struct flm_page_file *file_named(const struct flm_served_page *page, const char *path)
{
    size_t count;
    const struct flm_page_file *files = flm_served_page_files(page, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    return NULL;
}

static void a_served_page_names_its_files_and_they_are_those_of_the_profiles(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_profile *after = full_profile(3), *before = full_profile(4);
    struct flm_page_options options = {
        .size = sizeof options, .profile = after, .name = "new.flm", .before = before};
    struct flm_error why = {0};
    struct flm_served_page *page = flm_served_page_new(&options, &why);
    if (!page)
        fail_msg("%s", why.text);
    const struct flm_page_file *html = file_named(page, ""), *old = file_named(page, "before.flm");
    assert_non_null(html);
    assert_non_null(old);
    assert_string_equal(html->type, "text/html; charset=utf-8");
    assert_non_null(memmem(html->bytes, html->size, "data-from=\"after.flm\"", 21));
    assert_non_null(memmem(html->bytes, html->size, "id=\"flamel-first\"", 17));
    assert_non_null(memmem(html->bytes, html->size, "new.flm against before - ", 25));
    struct flm_profile *back = flm_profile_open(old->bytes, old->size, NULL, NULL, &why);
    assert_non_null(back);
    assert_profiles_equal(back, before);
    flm_profile_free(back);
    assert_memory_equal(file_named(page, "flamel.wasm")->bytes, "\0asm", 4);
    assert_non_null(strstr(flm_served_page_policy(page), "frame-ancestors 'none'"));
    flm_served_page_free(page);

    options.before = NULL;
    page = flm_served_page_new(&options, &why);
    assert_non_null(page);
    assert_null(file_named(page, "before.flm"));
    assert_non_null(file_named(page, "after.flm"));
    flm_served_page_free(page);

    options.profile = NULL;
    assert_null(flm_served_page_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_profile_free(after);
    flm_profile_free(before);
}

static bool serve(void *context, struct flm_error *why)
{
    struct flm_page_options options = {.size = sizeof options, .profile = context};
    struct flm_served_page *page = flm_served_page_new(&options, why);
    flm_served_page_free(page);
    return page != NULL;
}

static void pages_are_written_and_read_as_files(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_profile *p = full_profile(3), *base = full_profile(4);
    const char *path = temporary_path("page.html");
    struct flm_save_options options = {
        .size = sizeof options, .name = "app.perf", .base = base, .base_name = "old.perf"};
    assert_true(flm_save(p, path, &options, NULL));
    const char *format = NULL;
    struct flm_load_options load = {.size = sizeof load, .found_format = &format};
    struct flm_profile *back = flm_load(path, &load, NULL);
    assert_non_null(back);
    assert_string_equal(format, "html");
    assert_profiles_equal(back, p);
    flm_profile_free(back);
    flm_profile_free(base);
    flm_profile_free(p);
}

static void every_cut_and_damaged_page_is_refused(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_profile *p = full_profile(3);
    struct flm_page_content page = {.name = {"a"}, .profile = {p}};
    struct flm_text text = page_of(&page);
    struct flm_html_part part;
    assert_true(flm_html_part_find((struct flm_bytes){text.at, text.size}, "after", &part));
    size_t start = (size_t)(part.base91.at - text.at), end = start + part.base91.size;
    for (size_t size = start - 200; size < end + 9; size++) {
        struct flm_error why = {0};
        assert_null(flm_page_open((struct flm_bytes){text.at, size}, &why));
        assert_non_null(strstr(why.text, "not all of it"));
    }
    for (size_t i = start; i < end; i++) {
        static const char others[] = {'<', 'a', 'b'};
        for (size_t j = 0; j < sizeof others; j++) {
            char kept = text.at[i];
            struct flm_error why = {0};
            text.at[i] = others[j];
            struct flm_profile *back = flm_page_open((struct flm_bytes){text.at, text.size}, &why);
            /* The head of gzip has a few bits that mean nothing. */
            assert_true(back ? profiles_equal(back, p) : why.kind == FLM_ERROR_FORMAT);
            assert_true(!back || j > 0);
            flm_profile_free(back);
            text.at[i] = kept;
        }
    }
    flm_text_clear(&text);
    flm_profile_free(p);
}

static bool write_and_open(void *context, struct flm_error *why)
{
    struct flm_page_content page = {.name = {"a"}, .profile = {context}};
    struct flm_text text = {0};
    struct flm_profile *back = NULL;
    bool good = flm_page_write(&page, &text, why) && (!text.failed || flm_error_memory(why));
    if (good)
        back = flm_page_open((struct flm_bytes){text.at, text.size}, why);
    flm_profile_free(back);
    flm_text_clear(&text);
    return back != NULL;
}

static void writing_and_opening_survive_failed_allocations(void **state)
{
    (void)state;
    if (!is_built())
        skip();
    struct flm_profile *p = full_profile(3);
    assert_true(assert_survives_failures(write_and_open, p) > 20);
    assert_true(assert_survives_failures(serve, p) > 2);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_holds_its_profiles),
        cmocka_unit_test(a_page_may_do_nothing_but_what_it_must),
        cmocka_unit_test(the_hashes_are_of_what_stands_in_the_page),
        cmocka_unit_test(what_surrounds_a_profile_is_small),
        cmocka_unit_test(a_page_has_a_picture_that_needs_no_script),
        cmocka_unit_test(a_served_page_has_no_bytes_in_it),
        cmocka_unit_test(a_served_page_names_its_files_and_they_are_those_of_the_profiles),
        cmocka_unit_test(pages_are_written_and_read_as_files),
        cmocka_unit_test(every_cut_and_damaged_page_is_refused),
        cmocka_unit_test(writing_and_opening_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
