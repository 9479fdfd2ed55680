/* debuginfod.h - files by build id from debuginfod servers, through libdebuginfod.
 *
 *     debug information   GET URL/buildid/BUILDID/debuginfo
 *     program             GET URL/buildid/BUILDID/executable
 *     a source file       GET URL/buildid/BUILDID/source/PATH
 *
 * The library is loaded by the first query, never linked: few runs want it, and with libcurl
 * underneath it adds 20 ms to the start of a program. A downloaded file is treated as any other:
 * its build id is checked, and a wrong one is removed from the cache.
 *
 * The configuration is the environment's, as for gdb, perf and every other program that uses
 * libdebuginfod: DEBUGINFOD_URLS names the servers, DEBUGINFOD_CACHE_PATH the cache, which all
 * these programs share (it also remembers for ten minutes which files no server had), and
 * DEBUGINFOD_TIMEOUT, DEBUGINFOD_MAXSIZE and others limit a transfer. libdebuginfod has no
 * functions for these settings, and reads them at each query. Nothing here writes to the
 * environment, since setenv in one thread is a race with getenv in all others: a program that
 * chooses the servers itself calls setenv before it starts its first thread.
 *
 * All servers are queried at once. A query that receives less than 1 KiB/s for `patience_seconds`
 * is given up, and from then on queries wait a tenth as long: one server that accepts connections
 * and never responds would otherwise delay every file that the others do not have. */
#ifndef FLAMEL_SYMBOL_REGISTRY_DEBUGINFOD_H
#define FLAMEL_SYMBOL_REGISTRY_DEBUGINFOD_H

#include "symbol/elf/elf_file.h"

struct flm_debuginfod;

enum { FLM_DEBUGINFOD_PATIENCE_SECONDS = 20 };

enum flm_debuginfod_kind { FLM_DEBUGINFOD_DEBUGINFO, FLM_DEBUGINFOD_EXECUTABLE };

/* Queries nothing yet. NULL, and `why`, when memory ran out. */
struct flm_debuginfod *flm_debuginfod_new(int patience_seconds, struct flm_error *why);
void flm_debuginfod_free(struct flm_debuginfod *debuginfod);

/* The file, owned by the caller. NULL when no server has it, or the query failed: the counts say
 * which. Any number of threads may call this; they wait for each other. */
struct flm_elf_file *flm_debuginfod_get(struct flm_debuginfod *debuginfod,
                                        const struct flm_build_id *id,
                                        enum flm_debuginfod_kind kind);

/* A descriptor of the source file that the program with this build id was compiled from, for the
 * caller to close; `path` is as debug information has it, absolute and terminated. -1: none, as
 * above. */
int flm_debuginfod_get_source(struct flm_debuginfod *debuginfod, const struct flm_build_id *id,
                              const char *path);

struct flm_debuginfod_counts {
    size_t queried;   /* files that servers were queried for: they were not in the cache */
    size_t found;     /* files that were found, in the cache or by a server */
    size_t failed;    /* no server could be queried, or the file has another build id */
    char reason[200]; /* of the last failure; "" without one */
};
struct flm_debuginfod_counts flm_debuginfod_counts(struct flm_debuginfod *debuginfod);

#endif
