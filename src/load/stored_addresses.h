/* stored_addresses.h - frames without symbols in a store, which are named by queries.
 *
 * A profile of a process without symbols has addresses of that process, and notes that say which
 * file was mapped where (format/core/mapped.h). A store keeps no notes, and the next process has
 * the same code at other addresses. So before it is stored such a frame becomes
 *
 *     module    /usr/bin/app (build 1f0c...)       the file, and the build id that the note has
 *     address   0x1234                             from the beginning of the file
 *     module    app (build 1f0c..., addresses)     where the format has the file's own addresses
 *
 * which is the same in every process; people see whose symbols are missing. When a sum is asked
 * for, files are looked for by build id, and where there is one the frame becomes the functions at
 * that address, with what is inlined, of the module /usr/bin/app. */
#ifndef FLAMEL_LOAD_STORED_ADDRESSES_H
#define FLAMEL_LOAD_STORED_ADDRESSES_H

#include "base/text/text.h"
#include "flamel/profile.h"

/* Takes a profile and returns it as it is to be stored. NULL: memory ran out. */
struct flm_profile *flm_addresses_keep(struct flm_profile *profile, struct flm_error *why);

/* Appends the module's name for a frame with an address of the file itself. */
void flm_addresses_module(struct flm_text *out, struct flm_bytes path, struct flm_bytes build_id);

/* Where files are (symbol/registry/find_debug.h): FOLDER/.build-id/1f/0c... and 0c....debug; and
 * the servers of DEBUGINFOD_URLS. */
struct flm_addresses_options {
    const char *folder;    /* NULL: nowhere */
    const char *cache_dir; /* keeps symbols that were found; NULL: nowhere */
    bool debuginfod;
};

/* Takes a sum and returns it with the names that are known now. NULL: memory ran out. */
struct flm_profile *flm_addresses_name(struct flm_profile *profile,
                                       const struct flm_addresses_options *options,
                                       struct flm_error *why);

#endif
