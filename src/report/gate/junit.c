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

struct writing {
    const struct flm_gate_report *r;
    struct flm_text *out;
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
    const struct flm_gate_report *r = w->r;
    flm_text_puts(&w->message, "total");
    begin_case(w);
    if (r->gate->verdict == FLM_VERDICT_INCONCLUSIVE) {
        flm_gate_add_verdict(&w->message, r);
        end_case(w, "error", "inconclusive");
    } else if (r->gate->total.is_failing) {
        flm_format_totals(&w->message, r->runs, r->gate->total.base_mean, r->gate->total.new_mean);
        flm_text_puts(&w->message, ", p ");
        flm_format_rounded(&w->message, r->gate->total.p, 2);
        end_case(w, "failure", "regression");
    } else {
        flm_text_puts(w->out, "/>\n");
    }
}

static void add_item(struct writing *w, const struct flm_item *item)
{
    const struct flm_gate_report *r = w->r;
    flm_format_stack(&w->message, r->runs->tree, item->node);
    begin_case(w);
    flm_gate_add_kind(&w->message, r, item);
    flm_text_puts(&w->message, ": ");
    flm_format_signed(&w->message, r->runs, item->change);
    flm_text_puts(&w->message, " (");
    flm_format_share(&w->message, item->change, r->gate->total.base_mean);
    flm_text_puts(&w->message, " of base)");
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

static void add_property(struct writing *w, const char *name)
{
    flm_text_format(w->out, "      <property name=\"%s\" value=\"", name);
    add_message(w);
    flm_text_puts(w->out, "\"/>\n");
}

static void add_properties(struct writing *w)
{
    const struct flm_gate_report *r = w->r;
    const struct flm_profile *tree = r->runs->tree;
    flm_text_puts(w->out, "    <properties>\n");
    flm_text_puts(&w->message, flm_verdict_name(r->gate->verdict));
    add_property(w, "verdict");
    flm_gate_add_verdict(&w->message, r);
    add_property(w, "sentence");
    flm_text_add(&w->message, flm_string_bytes(tree, tree->metrics[r->runs->metric.index].name));
    add_property(w, "metric");
    flm_format_rounded(&w->message, r->options->alpha, 3);
    add_property(w, "alpha");
    flm_format_totals(&w->message, r->runs, r->gate->total.base_mean, r->gate->total.new_mean);
    add_property(w, "total");
    flm_text_puts(w->out, "    </properties>\n");
}

static void begin(const struct writing *w, const char *element, unsigned cases, unsigned failures)
{
    bool is_error = w->r->gate->verdict == FLM_VERDICT_INCONCLUSIVE;
    flm_text_format(w->out,
                    "<%s name=\"flamel gate\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
                    "time=\"0\">\n",
                    element, cases, failures, is_error ? 1u : 0u);
}

void flm_gate_junit(const struct flm_gate_report *r, struct flm_text *out)
{
    struct writing w = {.r = r, .out = out};
    const struct flm_gate *gate = r->gate;
    unsigned items = gate->verdict == FLM_VERDICT_FAIL ? gate->failing_count : 0;
    unsigned cases = 1 + (items > 0 ? items : 1);
    unsigned failures = items + gate->total.is_failing;
    flm_text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    begin(&w, "testsuites", cases, failures);
    flm_text_puts(out, "  ");
    begin(&w, "testsuite", cases, failures);
    add_properties(&w);
    add_total(&w);
    for (uint32_t i = 0; items > 0 && i < gate->found.count; i++)
        if (gate->found.item[i].is_failing)
            add_item(&w, &gate->found.item[i]);
    if (items == 0) {
        flm_text_puts(&w.message, "frames");
        begin_case(&w);
        flm_text_puts(out, "/>\n");
    }
    flm_text_puts(out, "  </testsuite>\n</testsuites>\n");
    flm_text_clear(&w.message);
    flm_text_clear(&w.plain);
}
