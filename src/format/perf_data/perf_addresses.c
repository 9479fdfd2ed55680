/* perf_addresses.c - perf.data as a format of a page of one file: without the files of the recorded
 * machine, every function is called by its module and its address. */
#include "format/perf_data/perf_data_reader.h"
#include "record/process/unsymbolized.h"

int flm_perf_data_sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    bool is_file = flm_bytes_start_with(head, "PERFILE2");
    return is_file || flm_bytes_start_with(head, "2ELIFREP") ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

static bool read(struct flm_source *source, const struct flm_read_options *options,
                 struct flm_builder *builder, struct flm_error *why)
{
    const struct flm_session_options of_session = {.keep_times = options->keep_times,
                                                   .per_thread = options->by_thread};
    struct flm_symbolizer *none = flm_unsymbolized_new(why);
    struct flm_session *session = none ? flm_session_begin(&of_session, none, why) : NULL;
    bool good = session && flm_perf_data_add(session, source, NULL, why) &&
                flm_session_finish(session, builder, NULL, NULL, why);
    flm_session_free(session);
    return good;
}

const struct flm_format flm_format_perf_addresses = {
    .name = "perf-data",
    .title = "perf.data (addresses)",
    .extensions = "",
    .description = "perf.data: what perf record and flamel record write, without names",
    .has_times = true,
    .keeps_labels = true,
    .sniff = flm_perf_data_sniff,
    .read = read,
};
