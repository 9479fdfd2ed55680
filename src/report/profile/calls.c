/* calls.c - trees of calls: from the root, the callers or the callees of a function. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/aggregate/call_table.h"
#include "algebra/operation/pattern.h"
#include "base/text/versioned.h"
#include "draw/text/quantity.h"
#include "report/profile/internal.h"

struct tree {
    struct flm_report *report;
    const struct flm_report_source *source;
    const struct flm_report_options *options;
    struct flm_calls_options how;
    struct flm_calls calls;
    uint32_t function_count; /* that the pattern matches */
    double whole; /* what percentages are of: the profile, or the functions asked for: whoever asks
                     for the callers of a function with 2 % wants to know their shares of it */

    /* The callers whose branches are being added, the outermost first, and their hidden branches:
     * rows below `level` may follow. The first one stands for those of level 0. */
    struct FLM_ARRAY(struct caller) callers;
};

struct caller {
    uint32_t level; /* of what it calls */
    uint32_t hidden_count;
    double hidden;
};

enum {
    LEVEL,
    FUNCTION,
    MODULE,
    FILE_NAME,
    TOTAL,
    TOTAL_PERCENT,
    SELF,
    HIDDEN_BRANCHES,
    HIDDEN_TOTAL,
    CLONES,
    SEEN_MODULE,
    SEEN_NAME
};

static bool any_modules(const struct tree *tree)
{
    const struct flm_report_source *s = tree->source;
    for (size_t i = 0; i < tree->calls.count; i++)
        if (flm_report_module(s, &s->functions.function[tree->calls.call[i].function]).size > 0)
            return true;
    return false;
}

static void add_columns(const struct tree *tree)
{
    struct flm_report *report = tree->report;
    flm_report_add_column(report, "level", FLM_IN_PROGRAMS);
    flm_report_add_function_columns(report);
    flm_report_add_column(report, "total", FLM_IN_PROGRAMS);
    flm_report_add_percent_column(report, "total_percent", FLM_IN_CSV);
    flm_report_add_column(report, "self", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "hidden.branches", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "hidden.total", FLM_IN_PROGRAMS);
    flm_report_add_clones_column(report);
    flm_report_add_column(report, "seen_module", 0);
    flm_report_add_column(report, "seen_name", 0);
}

static void add_view(const struct tree *tree, const char *heading, size_t column,
                     enum flm_view_format format, enum flm_column_kind kind, int leave_out)
{
    flm_report_add_view(tree->report, (struct flm_report_view){.heading = heading,
                                                               .column = column,
                                                               .format = format,
                                                               .kind = kind,
                                                               .leave_out = leave_out,
                                                               .whole = tree->whole,
                                                               .unit = tree->source->unit});
}

static void add_views(const struct tree *tree)
{
    enum { LEAVE_SELF = 4, LEAVE_MODULE, LEAVE_BAR };
    add_view(tree, "total", TOTAL, FLM_VIEW_AS_QUANTITY, FLM_COLUMN_NUMBER, 0);
    add_view(tree, "", TOTAL, FLM_VIEW_AS_PERCENT, FLM_COLUMN_NUMBER, 0);
    add_view(tree, "", TOTAL, FLM_VIEW_AS_BAR, FLM_COLUMN_BAR, LEAVE_BAR);
    if (tree->how.view != FLM_CALLS_CALLERS)
        add_view(tree, "self", SELF, FLM_VIEW_AS_QUANTITY, FLM_COLUMN_NUMBER, LEAVE_SELF);
    if (any_modules(tree))
        add_view(tree, "module", SEEN_MODULE, FLM_VIEW_AS_TEXT, FLM_COLUMN_PATH, LEAVE_MODULE);
    add_view(tree, "function", SEEN_NAME, FLM_VIEW_AS_TEXT, FLM_COLUMN_NAME, 0);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* For people: "(3 more)", where they are worth a row together. Programs have the numbers with the
 * caller. */
static void add_hidden_row(struct tree *tree, const struct caller *caller)
{
    struct flm_report *report = tree->report;
    flm_report_begin_row(report, caller->level, FLM_IN_PEOPLES);
    for (int i = LEVEL; i < TOTAL; i++)
        flm_report_cell_absent(report);
    flm_report_cell_number(report, caller->hidden);
    for (int i = TOTAL_PERCENT; i < SEEN_NAME; i++)
        flm_report_cell_absent(report);
    struct flm_text *name = flm_report_cell_text(report);
    flm_text_putc(name, '(');
    flm_count_add(name, caller->hidden_count);
    flm_text_puts(name, caller->level < tree->how.levels ? " more)" : " deeper)");
    flm_report_cell_tone(report, FLM_TONE_MUTED);
}

/* Ends the callers whose rows are at `level` or deeper, each with a row for its hidden branches. */
static void close_callers(struct tree *tree, uint32_t level)
{
    while (tree->callers.count > 0 && tree->callers.at[tree->callers.count - 1].level >= level) {
        struct caller caller = tree->callers.at[--tree->callers.count];
        if (caller.hidden_count > 0 && fabs(caller.hidden) >= tree->how.cut && caller.hidden != 0)
            add_hidden_row(tree, &caller);
    }
}

static void add_row(struct tree *tree, const struct flm_call *call)
{
    struct flm_report *report = tree->report;
    const struct flm_report_source *s = tree->source;
    const struct flm_function *f = &s->functions.function[call->function];
    flm_report_begin_row(report, call->level, FLM_IN_ALL);
    flm_report_cell_number(report, call->level);
    flm_report_cell_function(report, s, f);
    flm_report_cell_number(report, call->total);
    flm_report_cell_number(report, tree->whole != 0 ? 100 * call->total / tree->whole : 0);
    flm_report_cell_number(report, call->self);
    flm_report_cell_number(report, call->hidden_count);
    flm_report_cell_number(report, call->hidden);
    flm_report_cell_clones(report, s, f);
    flm_report_cell_bytes(report, flm_report_module(s, f));
    flm_report_cell_bytes(report, flm_string_bytes(s->profile, f->name));
}

static void add_rows(struct tree *tree)
{
    const struct flm_calls *calls = &tree->calls;
    struct caller top = {0, calls->hidden_top_count, calls->hidden_top};
    bool good = FLM_ARRAY_ADD(&tree->callers, top);
    for (size_t i = 0; good && i < calls->count; i++) {
        const struct flm_call *call = &calls->call[i];
        close_callers(tree, call->level + 1);
        add_row(tree, call);
        good = FLM_ARRAY_ADD(&tree->callers,
                             (struct caller){call->level + 1, call->hidden_count, call->hidden});
    }
    close_callers(tree, 0);
    tree->report->failed |= !good;
    FLM_ARRAY_CLEAR(&tree->callers);
}

/* ---- Lines and facts ------------------------------------------------------------------------- */

/* "callers of *alloc*: 3 functions, 181 M samples, 25.2 %" */
static void add_subject(const struct tree *tree, const char *view)
{
    struct flm_text *line =
        flm_report_add_line(tree->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_text_format(line, "%s of %s: ", view, tree->options->function);
    if (tree->function_count > 1) {
        flm_count_add(line, tree->function_count);
        flm_text_puts(line, " functions, ");
    }
    flm_report_add_quantity(tree->source, line, tree->calls.total);
    flm_text_puts(line, ", ");
    flm_percent_add(line, tree->calls.total, tree->source->whole);
    flm_text_puts(line, " of the profile");
}

static void add_hidden_line(const struct tree *tree, uint32_t count, double total,
                            const char *where, double limit, const char *unit)
{
    if (count == 0)
        return;
    struct flm_text *line =
        flm_report_add_line(tree->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED);
    flm_text_puts(line, "not shown: ");
    flm_count_add(line, count);
    flm_text_format(line, " %s %s ", count == 1 ? "branch" : "branches", where);
    flm_quantity_add_exact(line, limit, flm_bytes_of(unit));
    flm_text_puts(line, ", ");
    flm_percent_add(line, total, tree->whole);
    flm_text_puts(line, count == 1 ? "" : " together");
}

static void add_hidden(const struct tree *tree)
{
    const struct flm_calls *calls = &tree->calls;
    flm_report_begin(tree->report, "hidden", FLM_JSON_OBJECT_LINE);
    flm_report_add_number(tree->report, "branches", calls->hidden_count);
    flm_report_add_number(tree->report, "total", calls->hidden);
    flm_report_end(tree->report);
    add_hidden_line(tree, calls->hidden_count - calls->deeper_count, calls->hidden - calls->deeper,
                    "below", tree->options->min_percent, "%");
    add_hidden_line(tree, calls->deeper_count, calls->deeper, "deeper than level",
                    (double)tree->how.levels, "");
}

static struct flm_report *make(struct tree *tree, struct flm_error *why)
{
    static const char *const views[] = {[FLM_CALLS_FROM_ROOT] = "tree",
                                        [FLM_CALLS_CALLEES] = "callees",
                                        [FLM_CALLS_CALLERS] = "callers"};
    bool is_about_some = tree->how.view != FLM_CALLS_FROM_ROOT;
    bool is_empty = tree->source->whole == 0;
    struct flm_report *report = tree->report = flm_report_new(why);
    if (!report)
        return NULL;
    flm_report_add_source(report, tree->source, views[tree->how.view]);
    if (is_about_some) {
        if (!is_empty)
            add_subject(tree, views[tree->how.view]);
        flm_report_add_text(report, "pattern", flm_bytes_of(tree->options->function));
    }
    flm_report_add_number(report, "view_total", tree->calls.total);
    flm_report_add_number(report, "min_percent", tree->options->min_percent);
    struct flm_report_table *table =
        flm_report_begin_table(report, "rows", is_empty ? FLM_IN_PROGRAMS : FLM_IN_ALL, true);
    if (table)
        table->is_tree = true;
    add_columns(tree);
    add_views(tree);
    add_rows(tree);
    add_hidden(tree);
    flm_report_add_written(report, tree->source->profile);
    return flm_report_finish(report, why);
}

/* The total of the functions that are marked: that of the topmost rows. */
static bool measure(struct tree *tree, struct flm_error *why)
{
    struct flm_calls_options how = tree->how;
    struct flm_calls top;
    how.cut = INFINITY;
    how.levels = 1;
    if (!flm_calls_init(&top, tree->source->profile, &tree->source->functions, &how, why))
        return false;
    tree->whole = top.total;
    flm_calls_clear(&top);
    return true;
}

/* ---- Functions of a pattern ------------------------------------------------------------------ */

/* Which frames the pattern means. NULL, and `why`, when it means none. */
static unsigned char *mark_frames(const struct flm_profile *p, const char *pattern,
                                  struct flm_error *why)
{
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    uint32_t matched = 0;
    if (!marks) {
        flm_error_memory(why);
        return NULL;
    }
    bool good = flm_pattern_mark(p, flm_bytes_of(pattern), marks, &matched, why);
    if (!good)
        flm_error_within(why, "function");
    if (good && matched > 0)
        return marks;
    free(marks);
    if (good) {
        struct flm_text names = {0};
        flm_pattern_suggest(p, flm_bytes_of(pattern), NULL, &names);
        flm_error_set(why, FLM_ERROR_USAGE, "function: none is called '%s'%.*s", pattern,
                      (int)names.size, names.at ? names.at : "");
        flm_text_clear(&names);
    }
    return NULL;
}

static uint32_t count_functions(const struct flm_report_source *s, const unsigned char *marks)
{
    uint32_t count = 0;
    for (uint32_t i = 1, last = 0; i < s->profile->sizes.frame_count; i++)
        if (marks[i] && s->functions.of_frame[i] != last) {
            last = s->functions.of_frame[i];
            count++;
        }
    return count;
}

static struct flm_report *make_calls(const struct flm_profile *profile,
                                     const struct flm_report_options *options,
                                     enum flm_calls_view view, struct flm_error *why)
{
    assert(profile);
    struct flm_report_options o;
    struct flm_report_source source;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_report_options", why))
        return NULL;
    bool is_about_some = view != FLM_CALLS_FROM_ROOT;
    unsigned char *marks = NULL;
    struct flm_report *report = NULL;
    if (is_about_some && !o.function)
        flm_error_set(why, FLM_ERROR_USAGE, "callers and callees need a function");
    if (is_about_some && !o.function)
        return NULL;
    bool good = flm_report_source_init(&source, profile, &o, why);
    if (good && is_about_some)
        good = (marks = mark_frames(profile, o.function, why)) != NULL;
    struct tree tree = {.source = &source,
                        .options = &o,
                        .how = {.view = view,
                                .metric = source.metric,
                                .marks = marks,
                                .levels = o.levels > 0 ? o.levels : UINT32_MAX}};
    tree.whole = source.whole;
    if (good && marks)
        tree.function_count = count_functions(&source, marks);
    /* Of a difference the total may be next to nothing: its parts are shares of all changes. */
    if (good && marks && source.whole == fabs(source.total))
        good = measure(&tree, why);
    tree.how.cut = fabs(tree.whole) * o.min_percent / 100;
    if (good && flm_calls_init(&tree.calls, profile, &source.functions, &tree.how, why)) {
        report = make(&tree, why);
        flm_calls_clear(&tree.calls);
    }
    free(marks);
    flm_report_source_clear(&source);
    return report;
}

struct flm_report *flm_report_tree(const struct flm_profile *profile,
                                   const struct flm_report_options *options, struct flm_error *why)
{
    return make_calls(profile, options, FLM_CALLS_FROM_ROOT, why);
}

struct flm_report *flm_report_callees(const struct flm_profile *profile,
                                      const struct flm_report_options *options,
                                      struct flm_error *why)
{
    return make_calls(profile, options, FLM_CALLS_CALLEES, why);
}

struct flm_report *flm_report_callers(const struct flm_profile *profile,
                                      const struct flm_report_options *options,
                                      struct flm_error *why)
{
    return make_calls(profile, options, FLM_CALLS_CALLERS, why);
}
