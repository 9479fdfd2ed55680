/* kernel_version.h - the kernel that runs here, and whether a recording is of it, since it was
 * started.
 *
 * Only then do its symbols mean anything: another kernel has others, and the same one lies
 * elsewhere each time that it starts. */
#ifndef FLAMEL_RECORD_PERF_DATA_KERNEL_VERSION_H
#define FLAMEL_RECORD_PERF_DATA_KERNEL_VERSION_H

#include "symbol/elf/build_id.h"

/* The build id of the kernel that runs here; false where it has none, or does not show it. */
bool flm_kernel_build_id(struct flm_build_id *id);

/* `release` as uname has it; the build id of the kernel (size 0: streams and compressed recordings
 * do not tell it), and where its text begins, which is another location at each start (0: not
 * known: then it is not ours). */
bool flm_kernel_is_ours(struct flm_bytes release, const struct flm_build_id *id, uint64_t start);

#endif
