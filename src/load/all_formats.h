/* all_formats.h - all formats: those of bytes alone (format/formats.h), and then those of folders
 * below: one line each.
 *
 * An entry `NAME` is flm_format_NAME (format/core/format.h says what is in it): of perf.data in
 * record/perf_data/format.c, of pages and pictures, which are drawn and packed here, in
 * load/all_formats.c. */
#ifndef FLAMEL_LOAD_ALL_FORMATS_H
#define FLAMEL_LOAD_ALL_FORMATS_H

#include "format/formats.h"

/* Where there are no symbols of a system, perf.data has addresses. */
#ifdef __wasi__
#define FLM_FORMATS_PERF_DATA(entry) entry(perf_addresses)
#else
#define FLM_FORMATS_PERF_DATA(entry) entry(perf_data)
#endif

/* clang-format off */
#define FLM_FORMATS_SYSTEM(entry)                                                                  \
    entry(html)                                                                                    \
    FLM_FORMATS_PERF_DATA(entry)                                                                            \
    entry(svg)                                                                                     \
    entry(png)                                                                                     \
    entry(pdf)
/* clang-format on */

FLM_FORMATS_SYSTEM(FLM_FORMAT_DECLARE)

extern const struct flm_formats flm_formats_all;

/* The entry that flm_save writes; see flm_format_to_save of flamel/file.h. NULL, and `why`, if
 * there is none. */
const struct flm_format *flm_format_find_writer(const char *name, const char *path,
                                                struct flm_error *why);

#endif
