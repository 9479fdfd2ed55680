/* kernel_image.h - the memory of the running kernel, as the file /proc/kcore has it: an ELF file
 * whose segments are mapped memory, at the addresses at which the kernel uses it. Root reads it. */
#ifndef FLAMEL_SYMBOL_REGISTRY_KERNEL_IMAGE_H
#define FLAMEL_SYMBOL_REGISTRY_KERNEL_IMAGE_H

#include "base/text/text.h"

/* Appends `size` bytes at an address. False, and `why`: the file cannot be read, or does not have
 * them. */
bool flm_kernel_image_read(const char *path, uint64_t address, size_t size, struct flm_text *out,
                           struct flm_error *why);

#endif
