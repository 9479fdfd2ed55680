/* perf_data.c - recordings of `perf record`, recognized. What they hold depends on files of the
 * machine, so they are read where there is a system: record/perf_data/perf_data.h. */
#include "format/core/format.h"

static int sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "PERFILE2") || flm_bytes_start_with(head, "2ELIFREP") ? 100
                                                                                            : 0;
}

const struct flm_format flm_format_perf_data = {
    .name = "perf-data",
    .extensions = "",
    .description = "perf.data: what perf record and flamel record write, with symbols looked up",
    .sniff = sniff,
};
