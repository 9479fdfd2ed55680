/* top.c - the functions with the largest self or total. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/versioned.h"
#include "draw/text/quantity.h"
#include "report/profile/internal.h"

struct top {
    struct flm_report *report;
    const struct flm_report_source *source;
    enum flm_function_order sort;
    const uint32_t *order;
    uint32_t count, shown;
    double hidden; /* self of those that are not shown */
};

static const struct flm_function *function_of(const struct top *top, uint32_t row)
{
    return &top->source->functions.function[top->order[row]];
}

/* The kinds of the frames of a function, unless all are native: "kernel", "inlined+native". */
static void add_kinds(const struct flm_profile *p, const struct flm_function *function,
                      struct flm_text *out)
{
    unsigned kinds = 0;
    for (uint32_t i = 0; i < function->frame_count; i++)
        kinds |= 1u << p->frames[function->first_frame + i].kind;
    kinds &= ~(1u << FLM_KIND_PLAIN);
    if (kinds == 1u << FLM_KIND_NATIVE)
        return;
    const char *between = "";
    for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++)
        if (kinds & 1u << kind) {
            flm_text_puts(out, between);
            flm_text_puts(out, flm_kind_name(kind));
            between = "+";
        }
}

static bool any_kinds(const struct top *top)
{
    struct flm_text kinds = {0};
    for (uint32_t i = 0; i < top->shown && kinds.size == 0; i++)
        add_kinds(top->source->profile, function_of(top, i), &kinds);
    bool any = kinds.size > 0;
    flm_text_clear(&kinds);
    return any;
}

static bool any_modules(const struct top *top)
{
    for (uint32_t i = 0; i < top->shown; i++)
        if (flm_report_module(top->source, function_of(top, i)).size > 0)
            return true;
    return false;
}

enum {
    FUNCTION,
    MODULE,
    FILE_NAME,
    SELF,
    SELF_PERCENT,
    TOTAL,
    TOTAL_PERCENT,
    CLONES,
    KINDS,
    SEEN_MODULE
};

static void add_columns(const struct top *top)
{
    flm_report_add_function_columns(top->report);
    flm_report_add_column(top->report, "self", FLM_IN_PROGRAMS);
    flm_report_add_percent_column(top->report, "self_percent", FLM_IN_CSV);
    flm_report_add_column(top->report, "total", FLM_IN_PROGRAMS);
    flm_report_add_percent_column(top->report, "total_percent", FLM_IN_CSV);
    flm_report_add_clones_column(top->report);
    flm_report_add_column(top->report, "kinds", 0);
    flm_report_add_column(top->report, "seen_module", 0);
}

/* The value and its percentage; behind the value that the table is sorted by, a bar. */
static void add_value_views(const struct top *top, size_t column, bool is_sorted, double largest)
{
    enum { LEAVE_BAR = 6, LEAVE_OTHERS = 3 };
    const struct flm_report_source *s = top->source;
    bool is_self = column == SELF;
    /* Self and its percentage are never left out together: by total the percentage goes, the total
     * of a table by self goes after its percentage. */
    flm_report_add_view(top->report, (struct flm_report_view){
                                         .heading = is_self ? "self" : "total",
                                         .column = column,
                                         .format = FLM_VIEW_AS_QUANTITY,
                                         .kind = FLM_COLUMN_NUMBER,
                                         .leave_out = is_self || is_sorted ? 0 : LEAVE_OTHERS - 1,
                                         .whole = s->whole,
                                         .unit = s->unit});
    flm_report_add_view(top->report,
                        (struct flm_report_view){.heading = "",
                                                 .column = column,
                                                 .format = FLM_VIEW_AS_PERCENT,
                                                 .kind = FLM_COLUMN_NUMBER,
                                                 .leave_out = is_sorted ? 0 : LEAVE_OTHERS,
                                                 .whole = s->whole});
    if (is_sorted)
        flm_report_add_view(top->report, (struct flm_report_view){.heading = "",
                                                                  .column = column,
                                                                  .format = FLM_VIEW_AS_BAR,
                                                                  .kind = FLM_COLUMN_BAR,
                                                                  .leave_out = LEAVE_BAR,
                                                                  .whole = largest});
}

static void add_views(const struct top *top)
{
    enum { LEAVE_KINDS = 5, LEAVE_MODULE = 4 };
    bool by_total = top->sort == FLM_FUNCTIONS_BY_TOTAL;
    double largest = 0;
    for (uint32_t i = 0; i < top->shown; i++) {
        const struct flm_function *f = function_of(top, i);
        largest = fmax(largest, fabs(by_total ? f->total : f->self));
    }
    add_value_views(top, SELF, !by_total, largest);
    add_value_views(top, TOTAL, by_total, largest);
    if (any_kinds(top))
        flm_report_add_view(top->report, (struct flm_report_view){.heading = "kind",
                                                                  .column = KINDS,
                                                                  .kind = FLM_COLUMN_TEXT,
                                                                  .leave_out = LEAVE_KINDS});
    if (any_modules(top))
        flm_report_add_view(top->report, (struct flm_report_view){.heading = "module",
                                                                  .column = SEEN_MODULE,
                                                                  .kind = FLM_COLUMN_PATH,
                                                                  .leave_out = LEAVE_MODULE});
    flm_report_add_view(top->report, (struct flm_report_view){.heading = "function",
                                                              .column = FUNCTION,
                                                              .kind = FLM_COLUMN_NAME});
}

static void add_rows(const struct top *top)
{
    const struct flm_report_source *s = top->source;
    for (uint32_t i = 0; i < top->shown; i++) {
        const struct flm_function *f = function_of(top, i);
        flm_report_begin_row(top->report, 0, FLM_IN_ALL);
        flm_report_cell_function(top->report, s, f);
        flm_report_cell_number(top->report, f->self);
        flm_report_cell_number(top->report, flm_report_percent(s, f->self));
        flm_report_cell_number(top->report, f->total);
        flm_report_cell_number(top->report, flm_report_percent(s, f->total));
        flm_report_cell_clones(top->report, s, f);
        add_kinds(s->profile, f, flm_report_cell_text(top->report));
        flm_report_cell_bytes(top->report, flm_report_module(s, f));
    }
}

static void add_hidden(const struct top *top)
{
    flm_report_begin(top->report, "hidden", FLM_JSON_OBJECT_LINE);
    flm_report_add_number(top->report, "functions", top->count - top->shown);
    flm_report_add_number(top->report, "self", top->hidden);
    flm_report_end(top->report);
    if (top->shown == top->count)
        return;
    struct flm_text *line = flm_report_add_line(top->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED);
    flm_text_puts(line, "and ");
    flm_count_add(line, top->count - top->shown);
    flm_text_puts(line, " more, ");
    flm_percent_add(line, top->hidden, top->source->whole);
    flm_text_puts(line, " of self");
}

static struct flm_report *make(struct top *top, struct flm_error *why)
{
    static const char *const keys[] = {"self", "total", "name"};
    top->report = flm_report_new(why);
    if (!top->report)
        return NULL;
    flm_report_add_source(top->report, top->source, "top");
    flm_report_add_text(top->report, "sort", flm_bytes_of(keys[top->sort]));
    /* An empty profile is a line for people, and an empty table for programs. */
    flm_report_begin_table(top->report, "functions", top->count > 0 ? FLM_IN_ALL : FLM_IN_PROGRAMS,
                           true);
    add_columns(top);
    add_views(top);
    add_rows(top);
    add_hidden(top);
    flm_report_add_written(top->report, top->source->profile);
    return flm_report_finish(top->report, why);
}

struct flm_report *flm_report_top(const struct flm_profile *profile,
                                  const struct flm_report_options *options, struct flm_error *why)
{
    assert(profile);
    struct flm_report_options o;
    struct flm_report_source source;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_report_options", why))
        return NULL;
    struct flm_report *report = NULL;
    if (flm_report_source_init(&source, profile, &o, why)) {
        uint32_t *order = malloc(source.functions.count * sizeof *order);
        struct top top = {
            .source = &source, .sort = (enum flm_function_order)o.sort, .order = order};
        top.count = order ? flm_functions_sort(&source.functions, top.sort, order) : FLM_NONE;
        if (top.count == FLM_NONE) {
            flm_error_memory(why);
        } else {
            top.shown = o.rows > 0 && o.rows < top.count ? o.rows : top.count;
            for (uint32_t i = top.shown; i < top.count; i++)
                top.hidden += function_of(&top, i)->self;
            report = make(&top, why);
        }
        free(order);
    }
    flm_report_source_clear(&source);
    return report;
}
