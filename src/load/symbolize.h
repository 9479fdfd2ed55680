/* symbolize.h - names for frames that are addresses of known modules.
 *
 * Formats without the system's help (pprof, gperftools' texts) leave such frames with the flag
 * FLM_FRAME_UNSYMBOLIZED, and notes that say where their modules were mapped
 * (format/core/mapped.h). Here the files are searched as those of perf.data are: by build id in the
 * folders of the options, perf's cache and debuginfod, then by path. A file with another build id
 * is not used. What is inlined becomes frames of its own, so the tree is made anew; samples and
 * their labels follow. A frame that no symbol is found for stays as it is.
 *
 * The address of a caller is that of its call, as these formats have it. */
#ifndef FLAMEL_LOAD_SYMBOLIZE_H
#define FLAMEL_LOAD_SYMBOLIZE_H

#include "flamel/file.h"

/* Takes the profile, which is returned itself where there is nothing to look up. NULL, and `why`,
 * if memory ran out. */
struct flm_profile *flm_symbolize(struct flm_profile *profile,
                                  const struct flm_load_options *options, struct flm_error *why);

/* Looks up the frames of a recording that have addresses and no lines, in files that have the build
 * id of the module: debug information that was not there when it was recorded. Takes the profile;
 * NULL, and `why`, if memory ran out. */
struct flm_profile *flm_symbolize_again(struct flm_profile *profile,
                                        const struct flm_load_options *options,
                                        struct flm_error *why);

/* Looks up addresses that are relative to their modules in the file of symbols that was saved with
 * the profile (load/sidecar.h), if one of the folders for symbols has it. `path` is the profile's.
 * A broken file of symbols is an error. */
struct flm_profile *flm_symbolize_from_sidecar(struct flm_profile *profile, const char *path,
                                               const struct flm_load_options *options,
                                               struct flm_error *why);

#endif
