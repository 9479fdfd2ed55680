/* probe_report.c - the report of a program that measured itself, of its file. */
#include <assert.h>

#include "base/core/bytes.h"
#include "flamel/probe_format.h"
#include "flamel/report.h"
#include "os/input.h"

static bool is_probe(struct flm_source *source, struct flm_error *why)
{
    return flm_source_fill(source, sizeof FLM_PROBE_MAGIC - 1, why) &&
           flm_bytes_start_with((struct flm_bytes){source->at, (size_t)(source->end - source->at)},
                                FLM_PROBE_MAGIC);
}

struct flm_report *flm_report_probe_file(const char *path, const struct flm_report_options *options,
                                         struct flm_error *why)
{
    assert(path);
    struct flm_report *report = NULL;
    why->kind = FLM_ERROR_NONE;
    struct flm_input *input = flm_input_open(path, why);
    if (!input) {
        flm_error_within(why, path);
        return NULL;
    }
    struct flm_source *source = flm_input_source(input);
    if (is_probe(source, why) && flm_source_all(source, why))
        report = flm_report_probe(source->at, (size_t)(source->end - source->at), options, why);
    if (!report && why->kind != FLM_ERROR_NONE)
        flm_error_within(why, path);
    flm_input_close(input);
    return report;
}
