/* profile_module.h - the file with the code of a frame, by what its profile says of the module:
 * notes (format/core/mapped.h) with its build id, and what addresses are relative to. */
#ifndef FLAMEL_CODE_FIND_PROFILE_MODULE_H
#define FLAMEL_CODE_FIND_PROFILE_MODULE_H

#include "profile/columns.h"
#include "symbol/registry/module.h"

struct flm_profile_module {
    struct flm_module *module; /* NULL: it is no file, or another one than the profile's */
    struct flm_bytes note;     /* "": there is none */
    bool is_known_build;       /* the file has the build id that the profile says */
    uint64_t kernel_start;     /* of the kernel: what addresses are relative to; else 0 */
};

/* False when memory ran out. */
bool flm_profile_module_find(struct flm_modules *modules, const struct flm_profile *p,
                             uint32_t module, struct flm_profile_module *found);

/* The address in the file of one that frames or locations have. False: its file does not have
 * it. */
bool flm_profile_module_address(const struct flm_profile_module *module, uint64_t address,
                                uint64_t *in_file);

#endif
