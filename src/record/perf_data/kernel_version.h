/* kernel_version.h - whether a recording is of the running kernel, since it was booted.
 *
 * Only then are its symbols valid: another kernel has others, and the same kernel is loaded
 * elsewhere at each boot. */
#ifndef FLAMEL_RECORD_PERF_DATA_KERNEL_VERSION_H
#define FLAMEL_RECORD_PERF_DATA_KERNEL_VERSION_H

#include "symbol/identity/build_id.h"

/* The build id of the running kernel; false if it has none, or hides it. */
bool flm_kernel_build_id(struct flm_build_id *id);

/* `release` is as of uname; `id` the build id of the kernel (size 0: unknown, as in streams and
 * compressed recordings); `start` the address of its text, which differs at each boot (0: unknown,
 * and then it is not ours). */
bool flm_kernel_is_ours(struct flm_bytes release, const struct flm_build_id *id, uint64_t start);

#endif
