/* probe_report.c - the report of a program that measured itself, of its file. */
#include <assert.h>

#include "base/core/bytes.h"
#include "base/text/versioned.h"
#include "flamel/probe_format.h"
#include "flamel/report.h"
#include "load/probe/probe_names.h"
#include "os/input.h"

static bool is_probe(struct flm_source *source, struct flm_error *why)
{
    return flm_source_fill(source, sizeof FLM_PROBE_MAGIC - 1, why) &&
           flm_bytes_start_with((struct flm_bytes){source->at, (size_t)(source->end - source->at)},
                                FLM_PROBE_MAGIC);
}

/* With the names that this machine's files have, but where the caller has others. */
static struct flm_report *make_report(struct flm_bytes file,
                                      const struct flm_report_options *options,
                                      struct flm_error *why)
{
    struct flm_report_options o;
    struct flm_probe_names *names = NULL;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_report_options", why))
        return NULL;
    if (!o.name_address) {
        names = flm_probe_names_new(why);
        if (!names)
            return NULL;
        flm_probe_names_add_file(names, file);
        o.name_address = flm_probe_names_find;
        o.name_context = names;
    }
    struct flm_report *report = flm_report_probe(file.at, file.size, &o, why);
    if (report && names && !flm_probe_names_check(names, why)) {
        flm_report_free(report);
        report = NULL;
    }
    flm_probe_names_free(names);
    return report;
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
        report = make_report((struct flm_bytes){source->at, (size_t)(source->end - source->at)},
                             options, why);
    if (!report && why->kind != FLM_ERROR_NONE)
        flm_error_within(why, path);
    flm_input_close(input);
    return report;
}
