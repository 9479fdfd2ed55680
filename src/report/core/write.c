/* write.c - the public door to the writers: any form, into a sink. */
#include <assert.h>

#include "base/text/versioned.h"
#include "report/core/blocks.h"

bool flm_report_table_style(const struct flm_report_style *style, struct flm_table_style *read,
                            struct flm_error *why)
{
    struct flm_report_style s;
    if (!flm_versioned_copy(&s, sizeof s, style, "flm_report_style", why))
        return false;
    *read = (struct flm_table_style){s.width, (enum flm_charset)s.charset, s.colors};
    return true;
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
    struct flm_table_style table_style;
    if (!flm_report_table_style(style, &table_style, why))
        return false;
    if (form == FLM_REPORT_CSV && !flm_report_csv_table(report))
        return flm_error_set(why, FLM_ERROR_USAGE, "this report has no table for CSV");
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
