/* kernel.h - the functions of the kernel and its modules, as /proc/kallsyms lists them.
 *
 *     ffffffff81000000 T _stext
 *     ffffffffc0a01230 t ext4_find_entry	[ext4]
 *
 * Addresses are those that the kernel runs at. Where it does not show them (kernel.kptr_restrict),
 * each is 0. */
#ifndef FLAMEL_SYMBOL_REGISTRY_KALLSYMS_H
#define FLAMEL_SYMBOL_REGISTRY_KALLSYMS_H

#include "symbol/code/code_table.h"

struct flm_kernel_counts {
    size_t functions; /* added */
    size_t hidden;    /* functions without an address */
};

/* Adds the functions of one module ("ext4"; "": of the kernel itself), each at `base` less than it
 * is listed at; one that begins before `base` is left out. Lines that are none are skipped. */
struct flm_kernel_counts flm_kernel_add_functions(struct flm_bytes list, struct flm_bytes module,
                                                  uint64_t base, struct flm_code_maker *maker);

/* The address of a symbol of the kernel itself; false where it is not listed, or hidden. */
bool flm_kernel_find(struct flm_bytes list, const char *name, uint64_t *address);

#endif
