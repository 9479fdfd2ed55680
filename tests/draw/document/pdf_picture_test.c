/* flm_pdf_write; pdf_test.c has the format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "flamel/draw.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static bool collect(void *context, const void *bytes, size_t size)
{
    struct flm_text *text = context;
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return !text->failed;
}

static struct flm_text pdf_of(const char *folded, struct flm_svg_options options)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_text pdf = {0};
    assert_true(flm_pdf_write(p, &options, collect, &pdf, NULL));
    flm_text_putc(&pdf, 0);
    flm_profile_free(p);
    return pdf;
}

static void labels_and_words_are_text(void **state)
{
    (void)state;
    struct flm_text pdf =
        pdf_of("main;read(int) 3\nmain;write 1\n", (struct flm_svg_options){.title = "Two calls"});
    static const char *const words[] = {"(all) Tj",   "(main) Tj",      "(read\\(int\\)) Tj",
                                        "(write) Tj", "(Two calls) Tj", "(2 stacks) Tj"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_non_null(strstr(pdf.at, words[i]));
    flm_text_clear(&pdf);
}

static void letters_that_the_font_has_not_are_counted_in_the_picture(void **state)
{
    (void)state;
    struct flm_text pdf = pdf_of("main;\xE4\xB8\x80\xE4\xB8\x81 3\n", (struct flm_svg_options){0});
    assert_non_null(strstr(pdf.at, "(?"
                                   "?) Tj"));
    assert_non_null(strstr(pdf.at, "(2 letters are not in the font, and stand as ?) Tj"));
    flm_text_clear(&pdf);
}

static void the_same_profile_is_the_same_bytes(void **state)
{
    (void)state;
    struct flm_text one = pdf_of("main;a 3\n", (struct flm_svg_options){0});
    struct flm_text two = pdf_of("main;a 3\n", (struct flm_svg_options){0});
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.at, two.at, one.size);
    flm_text_clear(&one);
    flm_text_clear(&two);
}

static bool refuse(void *context, const void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return false;
}

static void a_sink_that_refuses_and_options_that_are_wrong(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_svg_options options = {0}, wrong = {.width_px = 1};
    struct flm_error why;
    assert_false(flm_pdf_write(p, &options, refuse, NULL, &why));
    assert_string_equal(why.text, "the output cannot be written");
    struct flm_text pdf = {0};
    assert_false(flm_pdf_write(p, &wrong, collect, &pdf, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_text_clear(&pdf);
    flm_profile_free(p);
}

static bool write_once(void *context, struct flm_error *why)
{
    struct flm_text pdf = {0};
    struct flm_svg_options options = {0};
    bool done = flm_pdf_write(context, &options, collect, &pdf, why);
    /* The test's own text may be what had no memory: the writer then says that the sink refused. */
    if (!done && pdf.failed)
        flm_error_memory(why);
    flm_text_clear(&pdf);
    return done;
}

static void a_pdf_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a\x01_[k] 3\nmain;b 1\n");
    assert_true(assert_survives_failures(write_once, p) > 8);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_and_words_are_text),
        cmocka_unit_test(letters_that_the_font_has_not_are_counted_in_the_picture),
        cmocka_unit_test(the_same_profile_is_the_same_bytes),
        cmocka_unit_test(a_sink_that_refuses_and_options_that_are_wrong),
        cmocka_unit_test(a_pdf_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
