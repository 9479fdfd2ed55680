/* code_finder.h - source files and machine code of the functions of a profile: found on this
 * machine, and put into a store (code/code_store.h).
 *
 *     flm_code_finder_function(finder, "parse", "/usr/bin/app", store, &why)
 *
 *     source        the files that frames and locations of the function name, and those of what was
 *                   inlined at its addresses: source/find_source.h
 *     machine code  of the ELF file with the build id that the profile says, else at its path;
 *                   each part of the function with an address that the profile has; with lines,
 *                   inlined calls and names of called functions from its symbols
 *
 * What cannot be found is no error: the store then has a sentence that says why. Names are of a
 * file that anybody may have made: only what the profile names is looked for, nothing is run, and
 * files are read as source/find_source.h and symbol/ read them.
 *
 * 1 MB of code takes half a second; it is cut at FLM_CODE_FINDER_MOST bytes. */
#ifndef FLAMEL_CODE_FIND_CODE_FINDER_H
#define FLAMEL_CODE_FIND_CODE_FINDER_H

#include "code/code_store.h"
#include "flamel/annotate.h"
#include "source/find_source.h"
#include "symbol/disassembly/disassembly.h"
#include "symbol/identity/module_request.h"

struct flm_code_finder;

enum { FLM_CODE_FINDER_MOST = 4 << 20, FLM_CODE_FINDER_MOST_PARTS = 64 };

struct flm_code_finder_options {
    struct flm_modules_options symbols;
    struct flm_source_places sources; /* when it was recorded is asked of the profile */
    enum flm_assembly_syntax syntax;
    bool no_source, no_assembly;
    bool only_sources; /* of files that are in no folder of `sources`: only those with the name of a
                          source file, or below /usr: what a profile names is shown to others */
};

/* As places of a report's sources say it: all but what is left out. */
struct flm_code_finder_options flm_code_finder_options_of(const struct flm_sources_options *places);

/* The profile, and what the options point to, must stay. NULL, and `why`, if memory ran out. */
struct flm_code_finder *flm_code_finder_new(const struct flm_profile *profile,
                                            const struct flm_code_finder_options *options,
                                            struct flm_error *why);
void flm_code_finder_free(struct flm_code_finder *finder);

/* Adds what there is of the functions with this name and module. Files that the store has already
 * are not read again. False, and `why`, if memory ran out. */
bool flm_code_finder_function(struct flm_code_finder *finder, struct flm_bytes name,
                              struct flm_bytes module, struct flm_code_store *store,
                              struct flm_error *why);

/* Adds a source file, or where it was looked for; nothing, if the profile does not name it. */
bool flm_code_finder_file(struct flm_code_finder *finder, struct flm_bytes name,
                          struct flm_code_store *store, struct flm_error *why);

#endif
