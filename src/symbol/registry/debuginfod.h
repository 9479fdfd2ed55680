/* debuginfod.h - asks servers for files by build id, as debuginfod(8) serves them.
 *
 *     GET URL/buildid/BUILDID/debuginfo     the separate debug information
 *     GET URL/buildid/BUILDID/executable    the file itself
 *
 * libcurl is opened when the first question is asked, never linked: few want this, and it costs a
 * program 20 ms to start with it. What a server answers is a file like any other: it is checked
 * against the build id. It is kept in the cache, and so is, for ten minutes, that no server had it.
 * A server that cannot be reached is not asked again. */
#ifndef FLAMEL_SYMBOL_REGISTRY_DEBUGINFOD_H
#define FLAMEL_SYMBOL_REGISTRY_DEBUGINFOD_H

#include "symbol/elf/elf_file.h"

struct flm_debuginfod;

/* `urls` are separated by blanks. NULL, and `why`, when memory ran out. Nothing is asked yet. */
struct flm_debuginfod *flm_debuginfod_new(const char *urls, const char *cache_dir,
                                          struct flm_error *why);
void flm_debuginfod_free(struct flm_debuginfod *servers);

/* `kind`: "debuginfo", "executable". NULL where no server has it, or none can be asked. May be
 * called by several threads. */
struct flm_elf_file *flm_debuginfod_get(struct flm_debuginfod *servers,
                                        const struct flm_build_id *id, const char *kind);

struct flm_debuginfod_counts {
    size_t asked, found, failed; /* files; failed: a server could not be asked, or sent rubbish */
    char reason[200];            /* of the last failure, "" */
};
struct flm_debuginfod_counts flm_debuginfod_counts(struct flm_debuginfod *servers);

#endif
