/* junit.c - the verdict as JUnit XML: a test case for the total, and one for each change that
 * fails. Where none does there is one that passes for all frames, so that a page which counts test
 * cases shows that frames were tested. What could not be decided is an error, not a failure.
 *
 * Of the many forms of JUnit XML this is what Jenkins, GitLab and GitHub's actions all read:
 * <testsuites>, <testsuite>, <properties>, <testcase>, <failure>, <error>. */
#include "draw/text/visible.h"
#include "profile/columns.h"
#include "report/gate/gate_report.h"
#include "report/gate/internal.h"

/* What the documents of all methods say. */
struct writing {
    const struct flm_runs *runs;
    enum flm_verdict verdict;
    const char *method; /* NULL: the usual one */
    double alpha, base_total, new_total;
    bool total_fails;
    double total_p;
    unsigned failing_count; /* of changes */
    struct flm_text *out;
    struct flm_text sentence;       /* of the verdict */
    struct flm_text message, plain; /* scratch */
};

/* Adds `message`, escaped for XML, also for an attribute, and empties it. */
static void add_message(struct writing *w)
{
    struct flm_text *out = w->out;
    flm_xml_add(out, flm_plain((struct flm_bytes){w->message.at, w->message.size}, &w->plain));
    out->failed = out->failed || w->message.failed || w->plain.failed;
    w->message.size = 0;
}

static void begin_case(struct writing *w)
{
    flm_text_puts(w->out, "    <testcase classname=\"flamel.gate\" name=\"");
    add_message(w);
    flm_text_puts(w->out, "\" time=\"0\"");
}

/* The rest of a case with a failure or an error, and its message. */
static void end_case(struct writing *w, const char *element, const char *type)
{
    flm_text_format(w->out, ">\n      <%s type=\"%s\" message=\"", element, type);
    add_message(w);
    flm_text_format(w->out, "\"></%s>\n    </testcase>\n", element);
}

static void add_total(struct writing *w)
{
    flm_text_puts(&w->message, "total");
    begin_case(w);
    if (w->verdict == FLM_VERDICT_INCONCLUSIVE) {
        flm_text_add(&w->message, flm_text_bytes(&w->sentence));
        end_case(w, "error", "inconclusive");
    } else if (w->total_fails) {
        flm_format_totals(&w->message, w->runs, w->base_total, w->new_total);
        flm_text_puts(&w->message, ", p ");
        flm_format_rounded(&w->message, w->total_p, 2);
        end_case(w, "failure", "regression");
    } else {
        flm_text_puts(w->out, "/>\n");
    }
}

static void add_property(struct writing *w, const char *name)
{
    flm_text_format(w->out, "      <property name=\"%s\" value=\"", name);
    add_message(w);
    flm_text_puts(w->out, "\"/>\n");
}

static void add_properties(struct writing *w)
{
    const struct flm_profile *tree = w->runs->tree;
    flm_text_puts(w->out, "    <properties>\n");
    flm_text_puts(&w->message, flm_verdict_name(w->verdict));
    add_property(w, "verdict");
    flm_text_add(&w->message, flm_text_bytes(&w->sentence));
    add_property(w, "sentence");
    if (w->method) {
        flm_text_puts(&w->message, w->method);
        add_property(w, "method");
    }
    flm_text_add(&w->message, flm_string_bytes(tree, tree->metrics[w->runs->metric.index].name));
    add_property(w, "metric");
    flm_format_rounded(&w->message, w->alpha, 3);
    add_property(w, "alpha");
    flm_format_totals(&w->message, w->runs, w->base_total, w->new_total);
    add_property(w, "total");
    flm_text_puts(w->out, "    </properties>\n");
}

static void begin_suite(const struct writing *w, const char *element)
{
    bool is_error = w->verdict == FLM_VERDICT_INCONCLUSIVE;
    flm_text_format(w->out,
                    "<%s name=\"flamel gate\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
                    "time=\"0\">\n",
                    element, 1 + (w->failing_count > 0 ? w->failing_count : 1),
                    w->failing_count + w->total_fails, is_error ? 1u : 0u);
}

static void begin(struct writing *w)
{
    flm_text_puts(w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    begin_suite(w, "testsuites");
    flm_text_puts(w->out, "  ");
    begin_suite(w, "testsuite");
    add_properties(w);
    add_total(w);
}

/* The case of a change that fails: its message is what kind it is, add_change, and more. */
static void begin_change(struct writing *w, uint32_t node)
{
    flm_format_stack(&w->message, w->runs->tree, node);
    begin_case(w);
}

static void add_change(struct writing *w, double change)
{
    flm_text_puts(&w->message, ": ");
    flm_format_signed(&w->message, w->runs, change);
    flm_text_puts(&w->message, " (");
    flm_format_share(&w->message, change, w->base_total);
    flm_text_puts(&w->message, " of base)");
}

static void end(struct writing *w)
{
    if (w->failing_count == 0) {
        flm_text_puts(&w->message, "frames");
        begin_case(w);
        flm_text_puts(w->out, "/>\n");
    }
    flm_text_puts(w->out, "  </testsuite>\n</testsuites>\n");
    w->out->failed |= w->sentence.failed;
    flm_text_clear(&w->sentence);
    flm_text_clear(&w->message);
    flm_text_clear(&w->plain);
}

/* ---- The usual method ------------------------------------------------------------------------ */

static void add_item(struct writing *w, const struct flm_gate_report *r,
                     const struct flm_item *item)
{
    begin_change(w, item->node);
    flm_gate_add_kind(&w->message, r, item);
    add_change(w, item->change);
    if (item->scope != FLM_ITEM_REST && !r->options->exact) {
        flm_text_puts(&w->message, ", interval ");
        flm_gate_add_interval(&w->message, r, item);
    }
    if (!r->options->exact) {
        flm_text_puts(&w->message, ", p ");
        flm_format_rounded(&w->message, r->gate->column[item->column].p, 2);
    }
    end_case(w, "failure", "regression");
}

void flm_gate_junit(const struct flm_gate_report *r, struct flm_text *out)
{
    const struct flm_gate *gate = r->gate;
    struct writing w = {.runs = r->runs,
                        .verdict = gate->verdict,
                        .alpha = r->options->alpha,
                        .base_total = gate->total.base_mean,
                        .new_total = gate->total.new_mean,
                        .total_fails = gate->total.is_failing,
                        .total_p = gate->total.p,
                        .out = out};
    if (gate->verdict == FLM_VERDICT_FAIL)
        w.failing_count = gate->failing_count;
    flm_gate_add_verdict(&w.sentence, r);
    begin(&w);
    for (uint32_t i = 0; w.failing_count > 0 && i < gate->found.count; i++)
        if (gate->found.item[i].is_failing)
            add_item(&w, r, &gate->found.item[i]);
    end(&w);
}

/* ---- The test of the paper ------------------------------------------------------------------- */

static void add_stack(struct writing *w, const struct flm_paper_stack *stack)
{
    begin_change(w, stack->node);
    flm_text_puts(&w->message, flm_part_name(stack->part));
    add_change(w, stack->difference);
    flm_text_puts(&w->message, ", interval ");
    if (stack->is_constant) {
        flm_text_puts(&w->message, "exactly");
    } else {
        flm_text_puts(&w->message, "+- ");
        flm_format_quantity(&w->message, w->runs, stack->half_width);
    }
    end_case(w, "failure", "regression");
}

void flm_paper_junit(const struct flm_runs *runs, const struct flm_paper *paper,
                     const struct flm_paper_options *options, struct flm_text *out)
{
    struct writing w = {.runs = runs,
                        .verdict = paper->verdict,
                        .method = "paper",
                        .alpha = options->alpha,
                        .base_total = paper->base_total,
                        .new_total = paper->new_total,
                        .failing_count = paper->failing_count,
                        .out = out};
    flm_paper_add_verdict(&w.sentence, paper, options);
    begin(&w);
    for (uint32_t i = 0; i < paper->stack_count; i++)
        if (paper->stack[i].is_failing)
            add_stack(&w, &paper->stack[i]);
    end(&w);
}
