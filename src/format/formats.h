/* formats.h - the formats that need no operating system: one line each.
 *
 * An entry `NAME` is flm_format_NAME, which a file in a folder format/FAMILY/ defines
 * (format/core/format.h describes its members). Formats are tried in this order.
 *
 * load/all_formats.h has these and those that need the system. A page of one file has fewer:
 * web/page_formats.c defines `flm_formats_pure` for it, and replaces formats.c. */
#ifndef FLAMEL_FORMAT_FORMATS_H
#define FLAMEL_FORMAT_FORMATS_H

#include "format/core/format.h"

/* clang-format off */
#define FLM_FORMATS_PURE(entry)                                                                    \
    entry(flm)                                                                                     \
    entry(packed)                                                                                  \
    entry(pprof)                                                                                   \
    entry(otlp)                                                                                    \
    entry(perfetto)                                                                                \
    entry(pprof_legacy)                                                                            \
    entry(perf_script)                                                                             \
    entry(perf_report)                                                                             \
    entry(perf_json)                                                                               \
    entry(gecko)                                                                                   \
    entry(speedscope)                                                                              \
    entry(thread_dump)                                                                             \
    entry(javacore)                                                                                \
    entry(austin)                                                                                  \
    entry(mojo)                                                                                    \
    entry(d3)                                                                                      \
    entry(json)                                                                                    \
    entry(jfr)                                                                                     \
    entry(cpuprofile)                                                                          \
    entry(heapprofile)                                                                         \
    entry(heaptimeline)                                                                        \
    entry(v8log)                                                                               \
    entry(trace)                                                                               \
    entry(callgrind)                                                                               \
    entry(massif)                                                                                  \
    entry(dhat)                                                                                    \
    entry(rocprof_csv)                                                                             \
    entry(rocpd)                                                                                   \
    entry(nsight)                                                                                  \
    entry(memray)                                                                                  \
    entry(heaptrack)                                                                               \
    entry(bpftrace)                                                                                \
    entry(pstats)                                                                                  \
    entry(gdb)                                                                                     \
    entry(python_dump)                                                                             \
    entry(goroutines)                                                                              \
    entry(macos_sample)                                                                            \
    entry(instruments)                                                                             \
    entry(xctrace)                                                                                 \
    entry(dtrace)                                                                                  \
    entry(pmcstat)                                                                                 \
    entry(pyinstrument)                                                                            \
    entry(stackprof)                                                                               \
    entry(safari)                                                                                  \
    entry(ghc)                                                                                     \
    entry(ghc_report)                                                                              \
    entry(vtune)                                                                                   \
    entry(vsprof)                                                                                  \
    entry(uftrace)                                                                                 \
    entry(self_profile)                                                                            \
    entry(papyrus)                                                                                 \
    entry(folded)                                                                                  \
    entry(difffolded)
/* clang-format on */

#define FLM_FORMAT_DECLARE(name) extern const struct flm_format flm_format_##name;
#define FLM_FORMAT_ADDRESS(name) &flm_format_##name,

FLM_FORMATS_PURE(FLM_FORMAT_DECLARE)

extern const struct flm_formats flm_formats_pure;

#endif
