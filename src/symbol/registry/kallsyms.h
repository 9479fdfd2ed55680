/* kallsyms.h - the functions of the kernel and its modules, as /proc/kallsyms lists them.
 *
 *     ffffffff81000000 T _stext
 *     ffffffffc0a01230 t ext4_find_entry	[ext4]
 *
 * Addresses are those at which the kernel runs. If it hides them (kernel.kptr_restrict), all are
 * 0. */
#ifndef FLAMEL_SYMBOL_REGISTRY_KALLSYMS_H
#define FLAMEL_SYMBOL_REGISTRY_KALLSYMS_H

#include "symbol/code/code_table.h"

struct flm_kernel_counts {
    size_t functions; /* added */
    size_t hidden;    /* functions without an address */
};

/* Adds the functions of one module ("ext4"; "": the kernel itself), with addresses relative to
 * `base`; functions before `base` are left out. Malformed lines are skipped. */
struct flm_kernel_counts flm_kernel_add_functions(struct flm_bytes list, struct flm_bytes module,
                                                  uint64_t base, struct flm_code_maker *maker);

/* The address of a symbol of the kernel itself. False when it is not listed, or hidden. */
bool flm_kernel_find(struct flm_bytes list, const char *name, uint64_t *address);

#endif
