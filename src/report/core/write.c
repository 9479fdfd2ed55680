/* write.c - the public door to the writers: any form, into a sink. */
#include <assert.h>

#include "report/core/blocks.h"

struct flm_table_style flm_report_table_style(const struct flm_report_style *style)
{
    struct flm_report_style s;
    flm_options_copy(&s, sizeof s, style);
    return (struct flm_table_style){s.width, (enum flm_charset)s.charset, s.colors};
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
    if (form == FLM_REPORT_CSV && !flm_report_csv_table(report))
        return flm_error_set(why, FLM_ERROR_USAGE, "this report has no table for CSV");
    struct flm_table_style table_style = flm_report_table_style(style);
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
