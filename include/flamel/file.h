/* file.h - profiles from files and to files: recognized by content, decompressed, read in chunks.
 */
#ifndef FLAMEL_FILE_H
#define FLAMEL_FILE_H

#include "flamel/draw.h"
#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is a good choice. */
struct flm_load_options {
    const char *format;  /* by name ("folded"); NULL: recognized by content */
    bool allow_negative; /* folded: differences */
    bool lenient;        /* skip and count what would be refused */
    int columns;         /* folded: values a line, 1 or 2; 0: found out */
    bool drop_times;     /* do not keep single samples with their times and labels */
    int threads;         /* 0: as many as there are processors */

    /* Of recordings that hold addresses (perf.data): where functions and lines are looked up. */
    const char *const *symbol_dirs; /* searched for files before the places they were recorded at */
    size_t symbol_dir_count;
    const char *perf_dir;  /* where perf keeps files by build id: ~/.debug; NULL: nowhere */
    const char *cache_dir; /* where what was found is kept; NULL: nowhere */
    bool debuginfod;       /* query the servers in the environment's DEBUGINFOD_URLS */
    bool no_inlines;       /* functions of symbol tables alone: quick */
    bool lines;            /* frames have lines, and are told apart by them */

    /* Told now and then how much was read; `size` is 0 where it is not known. False stops. */
    bool (*progress)(void *context, uint64_t bytes, uint64_t size);
    void *progress_context;

    const char **found_format; /* receives the name of the format that it was; may be NULL */
};

/* The profile in a file, or on standard input ("-"): any format that can be read, also compressed
 * with gzip or zstd. A .flm file is mapped and used in place. `options` may be NULL. NULL, and
 * `why` with the file's name in front, when it cannot be read. */
struct flm_profile *flm_load(const char *path, const struct flm_load_options *options,
                             struct flm_error *why);

struct flm_save_options {
    const char *format; /* by name; NULL: by the end of the file's name */
    const char *metric; /* of the formats that hold one; NULL: the first */
    bool annotate;      /* folded: mark the kinds of frames even where the source did not */
    bool compress;      /* .flm: with zstd; many times smaller, but not used in place when opened */
    const struct flm_svg_options *picture; /* of SVG; NULL: the defaults; its metric is not used */
    const char *name; /* of HTML: of the file that it came from; NULL: `path` */

    /* Of HTML: a profile that it is compared with, and that one's name. NULL: none. */
    const struct flm_profile *base;
    const char *base_name;
};

/* Writes the profile to a file, or to standard output ("-"). A file is replaced only when all of
 * it was written. */
bool flm_save(const struct flm_profile *profile, const char *path,
              const struct flm_save_options *options, struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
