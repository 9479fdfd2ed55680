/* write.c - the public door to the writers: any form, into a sink. */
#include <assert.h>

#include "report/core/blocks.h"

static bool has_csv(const struct flm_report *report)
{
    for (size_t i = 0; i < report->tables.count; i++)
        if (report->tables.at[i]->forms & FLM_IN_CSV)
            return true;
    return false;
}

struct guarded {
    flm_profile_sink sink;
    void *context;
    bool failed;
};

static bool hand_on(void *context, const void *bytes, size_t size)
{
    struct guarded *to = context;
    to->failed = !to->sink(to->context, bytes, size);
    return !to->failed;
}

bool flm_report_write(const struct flm_report *report, enum flm_report_form form,
                      const struct flm_report_style *style, flm_profile_sink sink, void *context,
                      struct flm_error *why)
{
    assert(report && sink);
    struct flm_report_style of;
    flm_options_copy(&of, sizeof of, style);
    if (form == FLM_REPORT_CSV && !has_csv(report))
        return flm_error_set(why, FLM_ERROR_USAGE, "this report has no table for CSV");
    struct flm_table_style table_style = {of.width, (enum flm_charset)of.charset, of.colors};
    struct guarded to = {sink, context, false};
    struct flm_text out;
    flm_text_init(&out, hand_on, &to);
    switch (form) {
    case FLM_REPORT_TEXT:
        flm_report_to_text(report, &table_style, &out);
        break;
    case FLM_REPORT_MARKDOWN:
        flm_report_to_markdown(report, &out);
        break;
    case FLM_REPORT_JSON:
        flm_report_to_json(report, &out);
        break;
    case FLM_REPORT_CSV:
        flm_report_to_csv(report, &out);
        break;
    }
    bool good = flm_text_flush(&out);
    flm_text_clear(&out);
    if (!good && to.failed)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "the report could not be written");
    return good || flm_error_memory(why);
}
