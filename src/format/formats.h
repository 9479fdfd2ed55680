/* formats.h - the formats that need no operating system: one line each.
 *
 * An entry `NAME` is flm_format_NAME, which a file in a folder format/FAMILY/ defines
 * (format/core/format.h describes its members). Formats are tried in this order.
 *
 * load/all_formats.h has these and those that need the system. A page of one file has fewer:
 * web/module/page_formats.c defines `flm_formats_pure` for it, and replaces formats.c. */
#ifndef FLAMEL_FORMAT_FORMATS_H
#define FLAMEL_FORMAT_FORMATS_H

#include "format/core/format.h"

/* clang-format off */
#define FLM_FORMATS_PURE(entry)                                                                    \
    entry(flm)                                                                                     \
    entry(packed)                                                                                  \
    entry(pprof)                                                                                   \
    entry(pprof_legacy)                                                                            \
    entry(otlp)                                                                                    \
    entry(otlp_json)                                                                               \
    entry(gecko)                                                                                   \
    entry(speedscope)                                                                              \
    entry(json)                                                                                    \
    entry(d3)                                                                                      \
    entry(perf_script)                                                                             \
    entry(perf_report)                                                                             \
    entry(perf_json)                                                                               \
    entry(simpleperf)                                                                              \
    entry(art)                                                                                     \
    entry(bpftrace)                                                                                \
    entry(dtrace)                                                                                  \
    entry(gdb)                                                                                     \
    entry(trace)                                                                                   \
    entry(perfetto)                                                                                \
    entry(cpuprofile)                                                                              \
    entry(heapprofile)                                                                             \
    entry(heaptimeline)                                                                            \
    entry(v8log)                                                                                   \
    entry(self_profile)                                                                            \
    entry(safari)                                                                                  \
    entry(nsight)                                                                                  \
    entry(rocpd)                                                                                   \
    entry(rocprof_csv)                                                                             \
    entry(rocprof_json)                                                                            \
    entry(jfr)                                                                                     \
    entry(thread_dump)                                                                             \
    entry(javacore)                                                                                \
    entry(goroutines)                                                                              \
    entry(austin)                                                                                  \
    entry(mojo)                                                                                    \
    entry(pstats)                                                                                  \
    entry(pyinstrument)                                                                            \
    entry(scalene)                                                                                 \
    entry(python_dump)                                                                             \
    entry(memray)                                                                                  \
    entry(stackprof)                                                                               \
    entry(rbspy)                                                                                   \
    entry(rprof)                                                                                   \
    entry(ghc)                                                                                     \
    entry(ghc_report)                                                                              \
    entry(papyrus)                                                                                 \
    entry(callgrind)                                                                               \
    entry(massif)                                                                                  \
    entry(dhat)                                                                                    \
    entry(heaptrack)                                                                               \
    entry(probe)                                                                                   \
    entry(gprof)                                                                                   \
    entry(uftrace)                                                                                 \
    entry(macos_sample)                                                                            \
    entry(instruments)                                                                             \
    entry(xctrace)                                                                                 \
    entry(pmcstat)                                                                                 \
    entry(vtune)                                                                                   \
    entry(vsprof)                                                                                  \
    entry(folded)                                                                                  \
    entry(difffolded)
/* clang-format on */

#define FLM_FORMAT_DECLARE(name) extern const struct flm_format flm_format_##name;
#define FLM_FORMAT_ADDRESS(name) &flm_format_##name,

FLM_FORMATS_PURE(FLM_FORMAT_DECLARE)

extern const struct flm_formats flm_formats_pure;

#endif
