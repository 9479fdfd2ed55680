/* file.h - profiles from files, memory and streams, and to them: recognized by content,
 * decompressed, read in parallel.
 *
 *     struct flm_load_options options = {.size = sizeof options, .lenient = true};
 *     struct flm_profile *profile = flm_load("app.folded", &options, &why);
 *     flm_save(profile, "app.svg", NULL, &why);
 *
 * Option structs begin with their size, which the caller sets: so they can get more members, and a
 * program that was compiled with fewer gets the defaults of those it does not know. A size of 0, or
 * one that is larger than this library's, is refused as FLM_ERROR_USAGE. NULL for options is the
 * same as all defaults. What options point to must stay until the call returns. */
#ifndef FLAMEL_FILE_H
#define FLAMEL_FILE_H

#include "flamel/draw.h"
#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading --------------------------------------------------------------------------------- */

/* All zero (but `size`) is a good choice. */
struct flm_load_options {
    size_t size;         /* sizeof (struct flm_load_options) */
    const char *format;  /* by name ("folded"); NULL: recognized by content */
    bool allow_negative; /* folded: values may be negative, as in differences */
    bool lenient;        /* skip and count what would be refused */
    int columns;         /* folded: values per line, 1 or 2; 0: as the first lines have */
    bool drop_times;     /* do not keep single samples with their times and labels */
    int threads;         /* 0: one per processor */

    /* For recordings of addresses (perf.data): where functions and lines are looked up. */
    const char *const *symbol_dirs; /* searched before the paths that the recording names */
    size_t symbol_dir_count;
    const char *perf_dir;  /* where perf keeps files by build id: ~/.debug; NULL: nowhere */
    const char *cache_dir; /* keeps the symbols that were found; NULL: nowhere */
    bool debuginfod;       /* query the servers in the environment's DEBUGINFOD_URLS */
    bool no_inlines;       /* only functions of symbol tables, not inlined ones: fast */
    bool lines;            /* frames have lines, and differ by them */

    /* Called from time to time with the number of bytes that were read, also while names of
     * addresses are looked up; `size` is 0 where it is not known. False stops reading, as
     * FLM_ERROR_CANCELED. */
    bool (*progress)(void *context, uint64_t bytes, uint64_t size);
    void *progress_context;

    const char **found_format; /* receives the name of the format that was read; may be NULL */

    /* For recordings of addresses: clones of a function that the compiler made (lex.constprop.0,
     * lex.part.0) are functions of their own, as in the symbol table. Otherwise they are the
     * function, whose frames have FLM_FRAME_CLONES. */
    bool clones;

    bool by_thread; /* stacks begin with frames for the thread, where the input says which it is
                       (austin, perf, recordings with samples); otherwise it is a label only */

    const char *member; /* of a folder or an archive: only files with this path or name, in which *
                           and ? stand for others (fnmatch); NULL: all */
    bool *dropped_samples; /* is set to true where drop_times left out samples that the input may
                              have; may be NULL */
    bool no_locations; /* do not keep the lines and addresses of frames (flamel/annotate.h), unless
                          `lines` is set: cheaper */
    bool *dropped_locations; /* is set to true where no_locations left some out; may be NULL */
    uint64_t counted_size;   /* inputs of up to so many bytes (all of a folder or an archive
                                together) keep what drop_times and no_locations say, so that
                                flm_save_losses can count it */
};

/* The profile in a file, or on standard input ("-"), in any format that can be read, also
 * compressed with gzip or zstd. A .flm file is mapped and used in place. NULL, and `why` with the
 * file's name in front, when it cannot be read.
 *
 * A path may also be a URL (http, https), or stand for several profiles: a folder, a pattern
 * ("*.pb.gz", where no file has that name), a tar or zip archive. They are merged; files that are
 * no profiles are passed over, and are a loss of the result. */
struct flm_profile *flm_load(const char *path, const struct flm_load_options *options,
                             struct flm_error *why);

/* The same for `size` bytes in memory, which the profile does not need afterwards. (To use a .flm
 * file in memory without a copy: flm_profile_open of profile.h.) */
struct flm_profile *flm_load_memory(const void *bytes, size_t size,
                                    const struct flm_load_options *options, struct flm_error *why);

/* Writes up to `room` bytes (at least 1) to `buffer`, and how many to *size: 0 only at the end of
 * the stream. False when the stream failed. */
typedef bool (*flm_stream_read)(void *context, void *buffer, size_t room, size_t *size);

/* The same for what `read` returns, which is called by this thread only, until the end or an
 * error. Reading is not parallel then. */
struct flm_profile *flm_load_stream(flm_stream_read read, void *context,
                                    const struct flm_load_options *options, struct flm_error *why);

/* ---- Writing --------------------------------------------------------------------------------- */

struct flm_save_options {
    size_t size;        /* sizeof (struct flm_save_options) */
    const char *format; /* by name; NULL: by the extension of the file's name */
    const char *metric; /* for formats that hold one; NULL: the first */
    bool annotate;      /* folded: mark the kinds of frames even where the source did not */
    bool compress;      /* .flm: packed, and with zstd; many times smaller, not used in place */
    const struct flm_svg_options *picture; /* of pictures; NULL: the defaults; its metric is not
                                              used */
    const char *name; /* HTML: what the profile is called; NULL: the path, "profile" without one */

    /* HTML: a profile to compare with, and what that one is called. NULL: none. */
    const struct flm_profile *base;
    const char *base_name;

    /* HTML: source and machine code that the page shows, as the bytes of a store
     * (src/code/code_store.h). NULL: none. */
    const void *code;
    size_t code_size;
};

/* Writes the profile to a file, or to standard output ("-"). An existing file is replaced only when
 * the new one is complete. */
bool flm_save(const struct flm_profile *profile, const char *path,
              const struct flm_save_options *options, struct flm_error *why);

/* The same bytes for `sink`, in chunks; false from it stops writing, as FLM_ERROR_SYSTEM. The
 * options must have a format. */
bool flm_save_stream(const struct flm_profile *profile, flm_profile_sink sink, void *context,
                     const struct flm_save_options *options, struct flm_error *why);

/* The same bytes in memory: *size of them, which the caller frees with free(). NULL, and `why`,
 * when they cannot be written. */
void *flm_save_memory(const struct flm_profile *profile, size_t *size,
                      const struct flm_save_options *options, struct flm_error *why);

/* What flm_save leaves out of this profile, because the format cannot hold it, as a list for
 * people:
 *
 *     "2 other metrics (cycles, samples), times of 482 samples, modules of 60 frames"
 *
 * At most FLM_SAVE_LOSSES_SIZE bytes into `out`, with the zero at the end. Returns the size of the
 * text: 0 when nothing is lost, of pictures, and where flm_save fails. */
#define FLM_SAVE_LOSSES_SIZE 400
size_t flm_save_losses(const struct flm_profile *profile, const char *path,
                       const struct flm_save_options *options, char out[FLM_SAVE_LOSSES_SIZE]);

/* ---- Formats --------------------------------------------------------------------------------- */

/* How many metrics a file of a format holds. */
enum flm_format_metrics {
    FLM_METRICS_ALL, /* as many as the profile has */
    FLM_METRICS_ONE,
    FLM_METRICS_PAIR /* one, or before and after of a comparison */
};

#define FLM_FORMAT_LOSES_SIZE 320

/* What a format can. Texts live as long as the library. */
struct flm_format_info {
    size_t size;       /* sizeof (struct flm_format_info), set by the caller */
    const char *name;  /* "folded": for the `format` of options */
    const char *title; /* "Folded stacks" */
    const char
        *extensions; /* of files to write, with blanks between: ".folded .collapsed"; or "" */
    const char *description; /* one line */
    char
        loses[FLM_FORMAT_LOSES_SIZE]; /* what a written file leaves out of a profile; "": nothing */
    bool reads, writes; /* whether this library can; `writes` depends on how it was built */
    bool is_picture;    /* drawn for people, and never read back */
    bool has_times;     /* keeps single samples with their times */
    bool keeps_labels;  /* keeps the labels of samples: thread, process ... */
    enum flm_format_metrics metrics; /* how many a file holds */
    bool needs_symbols;              /* frames may be addresses, which reading looks up in files */
    bool takes_baseline; /* writes `base` of the options too: both profiles, to be compared */
    bool keeps_lines;    /* keeps the lines that ran, next to the frames: flamel/annotate.h */
};

/* Fills *info for format `index`, counted from 0, in the order in which formats are tried. False
 * after the last one, and where info->size is 0 or larger than this library's. */
bool flm_format_at(size_t index, struct flm_format_info *info);

/* The format that flm_save writes: the one called `format`, or, where that is NULL, the one with
 * the extension of `path`. False, and `why`, where there is no such format that can be written
 * (FLM_ERROR_USAGE), and where this library was built without something that it needs
 * (FLM_ERROR_SYSTEM). */
bool flm_format_to_save(const char *format, const char *path, struct flm_format_info *info,
                        struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
