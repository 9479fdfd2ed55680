#include "support/gate/verdicts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

enum { RUNS = 8 };

const char verdict_of_odd_names[] = "main;a|b;`c`;<script>&amp;\"q\"';\x01\x1b[31m;\xff\xfe;"
                                    "*bold*_it_[x](y)@user#1 100 200\n"
                                    "main;quiet 1000 1000\n";

static struct table_of_runs table_of(const char *means)
{
    struct flm_text text = {0};
    uint64_t random = 7;
    while (*means) {
        size_t size = strcspn(means, " ");
        char *end;
        double mean[2] = {strtod(means + size, &end), 0};
        mean[1] = strtod(end, &end);
        flm_text_add(&text, (struct flm_bytes){means, size});
        for (uint32_t r = 0; r < 2 * RUNS; r++) {
            double noise = 1 + 0.02 * (random_below(&random, 2001) / 1000.0 - 1);
            flm_text_format(&text, " %u", (unsigned)(mean[r >= RUNS] * noise + 0.5));
        }
        flm_text_putc(&text, '\n');
        means = end + strspn(end, "\n");
    }
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    struct table_of_runs table = runs_table_parse(text.at, RUNS, RUNS, "samples", "samples");
    flm_text_clear(&text);
    return table;
}

void verdict_init(struct verdict *v, const char *means, const struct flm_gate_options *options)
{
    struct flm_error why = {0};
    *v = (struct verdict){.table = table_of(means)};
    v->options = options ? *options : flm_gate_defaults();
    v->runs = runs_of_table(&v->table);
    if (!flm_gate_init(&v->gate, &v->runs, &v->options, &why))
        fail_msg("%s", why.text);
    v->report =
        (struct flm_gate_report){.runs = &v->runs, .options = &v->options, .gate = &v->gate};
}

void verdict_clear(struct verdict *v)
{
    flm_gate_clear(&v->gate);
    flm_runs_clear(&v->runs);
    runs_table_clear(&v->table);
}

static bool into_text(void *text, const void *bytes, size_t size)
{
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return true;
}

char *verdict_written(struct verdict *v, int form)
{
    struct flm_text text = {0};
    if (form == VERDICT_JUNIT) {
        flm_gate_junit(&v->report, &text);
    } else {
        struct flm_report *report = flm_gate_report_make(&v->report, NULL);
        assert_non_null(report);
        assert_true(
            flm_report_write(report, (enum flm_report_form)form, NULL, into_text, &text, NULL));
        flm_report_free(report);
    }
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}
