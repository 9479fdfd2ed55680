/* formats.c - the table of formats. A page of one file has another, shorter one:
 * web/page_formats.c. */
#include "format/core/format.h"

const struct flm_format *const *flm_formats(size_t *count)
{
    static const struct flm_format *const formats[] = {
        &flm_format_flm,       &flm_format_packed,      &flm_format_html,
        &flm_format_perf_data, &flm_format_perf_script, &flm_format_perf_report,
        &flm_format_perf_json, &flm_format_folded,      &flm_format_difffolded,
    };
    *count = sizeof formats / sizeof formats[0];
    return formats;
}
