#include "fuzz/one_of_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct flm_format *const formats[] = {
        &flm_format_bpftrace,     &flm_format_gdb,          &flm_format_python_dump,
        &flm_format_goroutines,   &flm_format_macos_sample, &flm_format_instruments,
        &flm_format_dtrace,       &flm_format_pmcstat,      &flm_format_stackprof,
        &flm_format_safari,       &flm_format_ghc,          &flm_format_xctrace,
        &flm_format_ghc_report,   &flm_format_vtune,        &flm_format_vsprof,
        &flm_format_uftrace,      &flm_format_papyrus,      &flm_format_pyinstrument,
        &flm_format_self_profile, &flm_format_gprof,        &flm_format_rbspy,
        &flm_format_rprof,        &flm_format_scalene,
    };
    return read_as_one_of(formats, sizeof formats / sizeof *formats, data, size);
}
