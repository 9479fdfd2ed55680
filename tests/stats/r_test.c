/* Everything that R computes too, for random arguments; where R is installed. R is asked once: its
 * questions are written to a file, and what we say is kept until it has answered. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "stats/distribution.h"
#include "stats/hotelling.h"
#include "stats/welch.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/core/random.h"
#include "support/profile/groups.h"

enum { MOST_ANSWERS = 100000 };

struct answers {
    FILE *questions;
    double *ours;
    double *relative; /* error that is allowed */
    const char **what;
    size_t count;
};

static void answer(struct answers *a, const char *what, double ours, double relative)
{
    assert_true(a->count < MOST_ANSWERS);
    a->ours[a->count] = ours;
    a->relative[a->count] = relative;
    a->what[a->count++] = what;
}

/* Between the two, of any magnitude alike. */
static double random_between(double low, double high, uint64_t *random)
{
    double share = (double)(random_next(random) >> 11) / 0x1p53;
    return low * pow(high / low, share);
}

static void ask_distributions(struct answers *a, uint64_t *random)
{
    for (int i = 0; i < 1500; i++) {
        double d1 = random_between(0.5, 1e5, random), d2 = random_between(0.5, 1e5, random);
        double f = i % 2 ? random_between(1e-3, 1e3, random)
                         : exp(random_noise(random) * 3 * sqrt(2 / d1 + 2 / d2));
        double tail = flm_f_tail(f, d1, d2);
        double log10_tail = flm_f_log10_tail(f, d1, d2);
        if (tail > 1e-290 && log10_tail < -1e-200) { /* where R's are right, too */
            fprintf(a->questions, "f %.17g %.17g %.17g\n", f, d1, d2);
            answer(a, "P(F > f)", tail, 1e-10);
            answer(a, "log10 P(F > f)", log10_tail, 1e-10);
        }
        double nu = random_between(0.5, 1e6, random), s = random_between(1e-3, 60, random);
        if (flm_t_two_sided(s, nu) > 1e-290) {
            fprintf(a->questions, "t %.17g %.17g\n", s, nu);
            answer(a, "P(|t| > s)", flm_t_two_sided(s, nu), 1e-10);
        }
        /* R's quantile of F is itself wrong far out with many degrees of freedom. */
        double p = random_between(1e-5, 0.9, random);
        d1 = random_between(1, 500, random);
        d2 = random_between(1, 500, random);
        fprintf(a->questions, "fq %.17g %.17g %.17g\n", p, d1, d2);
        answer(a, "quantile of F", flm_f_quantile(p, d1, d2), 1e-9);
        fprintf(a->questions, "tq %.17g %.17g\n", p, nu);
        answer(a, "quantile of t", flm_t_quantile(p, nu), 1e-9);
        double z = 6 * random_noise(random);
        fprintf(a->questions, "normal %.17g\n", z);
        answer(a, "P(Z > z)", flm_normal_tail(z), 1e-11);
        fprintf(a->questions, "nq %.17g\n", p);
        answer(a, "quantile of Z", flm_normal_quantile(p), 1e-11);
    }
}

static void write_values(FILE *file, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(file, " %.17g", value[i]);
    fputc('\n', file);
}

static void ask_welch(struct answers *a, uint64_t *random)
{
    for (int i = 0; i < 300; i++) {
        struct groups g =
            groups_of_noise(2 + random_below(random, 30), 2 + random_below(random, 30), 1,
                            random_between(1e-3, 1e6, random), random);
        for (uint32_t r = 0; r < g.base_count; r++)
            g.matrix.value[r] *= 1.5;
        fprintf(a->questions, "welch %u %u", g.base_count, g.new_count);
        write_values(a->questions, g.matrix.value, g.matrix.run_count);
        struct flm_welch w = flm_welch_test(g.matrix.value, g.matrix.run_count, g.is_new, 0);
        answer(a, "Welch's t", w.t, 1e-9);
        answer(a, "Welch's degrees of freedom", w.nu, 1e-9);
        answer(a, "Welch's p", w.p, 1e-9);
        groups_clear(&g);
    }
}

static void ask_hotelling(struct answers *a, uint64_t *random)
{
    for (int i = 0; i < 200; i++) {
        uint32_t n1 = 2 + random_below(random, 30), n2 = 2 + random_below(random, 30);
        uint32_t p = 1 + random_below(random, n1 + n2 - 2);
        struct groups g = groups_of_noise(n1, n2, p, 10, random);
        for (uint32_t k = p; k-- > 0;) {
            double unit = random_between(1e-4, 1e4, random), share = i % 3 ? 0.5 : 0;
            double *column = flm_matrix_column(&g.matrix, k);
            for (uint32_t r = 0; r < n1 + n2; r++)
                column[r] =
                    (column[r] + share * g.matrix.value[r] + (r >= n1 ? 0.2 * (i % 4) : 0)) * unit;
        }
        struct flm_hotelling h;
        assert_int_equal(flm_hotelling_init(&h, &g.matrix, g.is_new, NULL), FLM_HOTELLING_DONE);
        fprintf(a->questions, "hotelling %u %u %u", n1, n2, p);
        write_values(a->questions, g.matrix.value, (size_t)p * (n1 + n2));
        /* Nearly as many columns as runs: what any way of computing it loses. */
        answer(a, "T2", h.t2, 1e-7);
        answer(a, "F of T2", h.f, 1e-7);
        answer(a, "log10 p of T2", h.log10_p, 1e-7);
        flm_hotelling_clear(&h);
        groups_clear(&g);
    }
}

static void ask_adjusted(struct answers *a, uint64_t *random)
{
    for (uint32_t i = 0; i < 60; i++) {
        double p[200], adjusted[200];
        uint32_t order[400], count = 1 + random_below(random, 200);
        for (uint32_t k = 0; k < count; k++) /* some are equal */
            p[k] = k > 0 && random_below(random, 5) == 0 ? p[random_below(random, k)]
                                                         : random_between(1e-6, 1, random);
        fprintf(a->questions, "adjust");
        write_values(a->questions, p, count);
        flm_adjust_benjamini_hochberg(p, adjusted, order, count);
        for (uint32_t k = 0; k < count; k++)
            answer(a, "p of Benjamini and Hochberg", adjusted[k], 1e-12);
        flm_adjust_holm(p, adjusted, order, count);
        for (uint32_t k = 0; k < count; k++)
            answer(a, "p of Holm", adjusted[k], 1e-12);
    }
}

static void random_arguments_have_the_answers_of_r(void **state)
{
    (void)state;
    uint64_t random = 61;
    struct answers a = {
        .ours = calloc(MOST_ANSWERS, sizeof *a.ours),
        .relative = calloc(MOST_ANSWERS, sizeof *a.relative),
        .what = calloc(MOST_ANSWERS, sizeof *a.what),
    };
    assert_true(a.ours && a.relative && a.what);
    a.questions = fopen(temporary_path("questions"), "w");
    assert_non_null(a.questions);
    ask_distributions(&a, &random);
    ask_welch(&a, &random);
    ask_hotelling(&a, &random);
    ask_adjusted(&a, &random);
    assert_int_equal(fclose(a.questions), 0);

    char here[1000];
    assert_non_null(getcwd(here, sizeof here));
    struct flm_text theirs =
        shell_output("Rscript --vanilla '%s/tests/stats/oracle.R' questions 2> warnings", here);
    flm_text_putc(&theirs, 0);
    const char *at = theirs.at;
    size_t different = 0;
    for (size_t i = 0; i < a.count; i++) {
        char *end;
        double expected = strtod(at, &end);
        assert_true(end > at && *end == '\n');
        at = end;
        if (!(fabs(a.ours[i] - expected) <= a.relative[i] * fabs(expected))) {
            different++;
            print_message("%s, answer %zu: ours is %.17g, that of R %.17g\n", a.what[i], i,
                          a.ours[i], expected);
        }
    }
    assert_int_equal(strspn(at, "\n"), strlen(at));
    assert_int_equal(different, 0);
    print_message("%zu numbers are those of R\n", a.count);
    flm_text_clear(&theirs);
    free(a.ours);
    free(a.relative);
    free(a.what);
}

int main(void)
{
    if (!has_command("Rscript")) {
        puts("R is not installed: there is nothing to compare with");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arguments_have_the_answers_of_r),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
