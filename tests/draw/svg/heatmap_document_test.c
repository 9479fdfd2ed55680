#include "draw/svg/pictures.h"

#include <stdio.h>
#include <string.h>

#include "support/core/failures.h"
#include "support/profile/timed.h"
#include "support/profile/xml.h"

static struct flm_profile *of_seconds(int seconds)
{
    static char lines[100000];
    size_t size = 0;
    for (int second = 0; second <= seconds; second++)
        size +=
            (size_t)snprintf(lines + size, sizeof lines - size, "1 1 - %d 0 main\n", second * 1000);
    return profile_of_threads(lines);
}

static void a_heatmap_says_how_long_its_cells_are(void **state)
{
    (void)state;
    static const struct {
        int seconds;
        double column_ns;
        const char *cells;
    } cases[] = {{30, 0, "cells of 1 s by 20 ms"},
                 {3600, 0, "cells of 10 s by 200 ms"},
                 {30, 2e9, "cells of 2 s by 40 ms"},
                 {3600, 1e9, "cells of 10 s by 200 ms"}}; /* there is no room for its 3,600 */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_profile *p = of_seconds(cases[i].seconds);
        struct flm_svg_options options = {
            .size = sizeof options, .heatmap = true, .heatmap_column_ns = cases[i].column_ns};
        struct flm_text out = drawn(p, &options);
        assert_xml((struct flm_bytes){out.at, out.size});
        assert_holds(&out, cases[i].cells);
        assert_holds(&out, "Heatmap");
        assert_lacks(&out, "<script");
        flm_text_clear(&out);
        flm_profile_free(p);
    }
}

static void pdf_has_the_same_texts(void **state)
{
    (void)state;
    struct flm_profile *p = of_seconds(30);
    struct flm_svg_options options = {.size = sizeof options, .heatmap = true, .dark = true};
    struct flm_text out = {0};
    assert_true(flm_pdf_write(p, &options, keep, &out, NULL));
    assert_true(flm_bytes_start_with((struct flm_bytes){out.at, out.size}, "%PDF"));
    assert_holds(&out, "(Heatmap) Tj");
    assert_holds(&out, "(cells of 1 s by 20 ms");
    assert_holds(&out, "(10 s) Tj");
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void without_times_there_is_none(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    struct flm_svg_options options = {.size = sizeof options, .heatmap = true};
    struct flm_error why = {0};
    struct flm_text out = {0};
    assert_false(flm_svg_write(p, &options, keep, &out, &why));
    assert_non_null(strstr(why.text, "no sample of this profile has a time"));
    flm_text_clear(&out);
    flm_profile_free(p);
}

static bool draw(void *context, struct flm_error *why)
{
    struct flm_svg_options options = {.size = sizeof options, .heatmap = true};
    struct flm_text out = {0};
    bool good = flm_svg_write(context, &options, keep, &out, why);
    flm_text_clear(&out);
    return good;
}

static void it_survives_memory_that_runs_out(void **state)
{
    (void)state;
    struct flm_profile *p = of_seconds(3);
    assert_true(assert_survives_failures(draw, p) > 3);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heatmap_says_how_long_its_cells_are),
        cmocka_unit_test(pdf_has_the_same_texts),
        cmocka_unit_test(without_times_there_is_none),
        cmocka_unit_test(it_survives_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
