/* sniff.h - whether a text is the output of `perf script`, and where it may be cut. */
#ifndef FLAMEL_FORMAT_PERF_SNIFF_H
#define FLAMEL_FORMAT_PERF_SNIFF_H

#include "base/core/bytes.h"

/* `sniff` and `cut` of the format. A text may be cut after a blank line, and before a header that
 * has a time, which always begins a sample. */
int flm_perf_script_sniff(struct flm_bytes head, bool whole);
size_t flm_perf_script_cut(struct flm_bytes all, size_t wanted);

#endif
