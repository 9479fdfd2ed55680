/* sniff.h - whether a text is that of `perf script`, and where it may be cut. */
#ifndef FLAMEL_FORMAT_PERF_SNIFF_H
#define FLAMEL_FORMAT_PERF_SNIFF_H

#include "base/core/bytes.h"

/* As in struct flm_format. A text may be cut behind a blank line, and in front of a header that has
 * a time, which begins a sample wherever it stands. */
int flm_perf_script_sniff(struct flm_bytes head, bool whole);
size_t flm_perf_script_cut(struct flm_bytes all, size_t wanted);

#endif
