/* page_formats.c - the table of formats in a page of one file: defines flm_formats_pure in place of
 * src/format/formats.c.
 *
 * Every page carries its own module. The readers of perf report and perf JSON, which hardly anybody
 * has, would make it 8 KB larger, those of GPU profilers' databases and tables 10 KB, so they and
 * those of Android are left out: such a file is recognized, by simpler rules than those of its
 * readers, and refused with the command that opens it. The profiles in pages are packed, and the
 * packed format can be read here but not written. perf.data is not in the table of pure formats,
 * because the library has another entry for it, with symbols.
 *
 * Entries without a title are not listed as formats that can be dropped on the page. */
#include "format/flm/packed.h"
#include "format/formats.h"
#include "format/gecko/write.h"
#include "format/json/json.h"
#include "format/otlp/otlp_write.h"
#include "format/perf/internal.h"
#include "format/perf_data/perf_data_reader.h"
#include "format/pprof/pprof.h"
#include "format/speedscope/internal.h"
#include "format/trace/trace_write.h"
#include "format/valgrind/callgrind_write.h"

static const struct flm_format packed = {
    .name = "packed",
    .extensions = "",
    .description = "flamel's own format in few bytes, as in pages",
    .sniff = flm_packed_sniff,
    .open = flm_profile_unpack,
};

static int sniff_perf(struct flm_bytes head, bool whole)
{
    (void)whole;
    static const char *const has[] = {"# Samples: ", "# Overhead", "# Children",
                                      "\"linux-perf-json-version\""};
    bool is_json = flm_bytes_start_with(head, "{"), is_text = flm_bytes_start_with(head, "#");
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if ((is_text || is_json) && flm_bytes_contain(head, has[i]))
            return FLM_SNIFF_MAGIC;
    return FLM_SNIFF_NO;
}

static bool refuse_perf(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    (void)source, (void)options, (void)builder;
    return flm_error_set(
        why, FLM_ERROR_FORMAT,
        "this is a text of perf report, or JSON of perf data convert, which a page "
        "of one file cannot read: open it with: flamel view FILE");
}

static const struct flm_format perf = {
    .name = "perf",
    .extensions = "",
    .description = "perf report and perf JSON, which are refused",
    .sniff = sniff_perf,
    .read = refuse_perf,
};

static int sniff_rocprof(struct flm_bytes head, bool whole)
{
    (void)whole;
    static const char *const columns[] = {"\"Correlation_Id\"", "\"KernelName\"",
                                          "\"Kernel_Name\""};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (flm_bytes_start_with(head, "\"") && flm_bytes_contain(head, columns[i]))
            return FLM_SNIFF_MAGIC;
    return flm_bytes_start_with(head, "{") && flm_bytes_contain(head, "\"rocprofiler-sdk-tool\"")
               ? FLM_SNIFF_MAGIC
               : FLM_SNIFF_NO;
}

static bool refuse_rocprof(struct flm_source *source, const struct flm_read_options *options,
                           struct flm_builder *builder, struct flm_error *why)
{
    (void)source, (void)options, (void)builder;
    return flm_error_set(why, FLM_ERROR_FORMAT,
                         "this is from rocprof, which a page of one file cannot read: open "
                         "it with: flamel view FILE");
}

static const struct flm_format rocprof = {
    .name = "rocprof",
    .extensions = "",
    .description = "what rocprof writes, which is refused",
    .sniff = sniff_rocprof,
    .read = refuse_rocprof,
};

/* ---- Writers --------------------------------------------------------------------------------- */

/* Those of the entries below, without their code: mk/wasm.mk leaves it out. */
static bool write_nothing(struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_USAGE, "a page of one file cannot write this format");
}

bool flm_callgrind_write(const struct flm_profile *profile, const struct flm_write_options *options,
                         struct flm_text *out, struct flm_error *why)
{
    (void)profile, (void)options, (void)out;
    return write_nothing(why);
}

bool flm_gecko_write(const struct flm_profile *profile, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    (void)profile, (void)options, (void)out;
    return write_nothing(why);
}

bool flm_json_write_profile(const struct flm_profile *profile,
                            const struct flm_write_options *options, struct flm_text *out,
                            struct flm_error *why)
{
    (void)profile, (void)options, (void)out;
    return write_nothing(why);
}

bool flm_pprof_write(const struct flm_profile *profile, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    (void)profile, (void)options, (void)out;
    return write_nothing(why);
}

bool flm_speedscope_write(const struct flm_profile *profile,
                          const struct flm_write_options *options, struct flm_text *out,
                          struct flm_error *why)
{
    (void)profile, (void)options, (void)out;
    return write_nothing(why);
}

bool flm_trace_write(const struct flm_profile *profile, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    (void)profile, (void)options, (void)out;
    return write_nothing(why);
}

bool flm_otlp_write(const struct flm_profile *profile, const struct flm_write_options *options,
                    struct flm_text *out, struct flm_error *why)
{
    (void)profile, (void)options, (void)out;
    return write_nothing(why);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct flm_format *const formats[] = {
    &flm_format_flm,
    &packed,
    &perf,
    &rocprof,
    &flm_format_perf_addresses,
    &flm_format_pprof,
    &flm_format_pprof_legacy,
    &flm_format_otlp,
    &flm_format_gecko,
    &flm_format_speedscope,
    &flm_format_json,
    &flm_format_perf_script,
    &flm_format_bpftrace,
    &flm_format_dtrace,
    &flm_format_gdb,
    &flm_format_trace,
    &flm_format_perfetto,
    &flm_format_cpuprofile,
    &flm_format_heapprofile,
    &flm_format_heaptimeline,
    &flm_format_v8log,
    &flm_format_self_profile,
    &flm_format_safari,
    &flm_format_jfr,
    &flm_format_thread_dump,
    &flm_format_javacore,
    &flm_format_goroutines,
    &flm_format_austin,
    &flm_format_mojo,
    &flm_format_pstats,
    &flm_format_pyinstrument,
    &flm_format_python_dump,
    &flm_format_scalene,
    &flm_format_memray,
    &flm_format_stackprof,
    &flm_format_rbspy,
    &flm_format_rprof,
    &flm_format_ghc,
    &flm_format_ghc_report,
    &flm_format_papyrus,
    &flm_format_callgrind,
    &flm_format_massif,
    &flm_format_dhat,
    &flm_format_heaptrack,
    &flm_format_probe,
    &flm_format_gprof,
    &flm_format_uftrace,
    &flm_format_macos_sample,
    &flm_format_instruments,
    &flm_format_xctrace,
    &flm_format_pmcstat,
    &flm_format_vtune,
    &flm_format_vsprof,
    &flm_format_folded,
    &flm_format_difffolded,
};

const struct flm_formats flm_formats_pure = {NULL, formats, sizeof formats / sizeof formats[0]};
