/* format.h - a file format: one entry of a table, in a file of its own.
 *
 *     format/formats.h       the formats of bytes alone: the library, and `flamel view`
 *     load/all_formats.h     those, and formats that need the system: perf.data, pages, pictures
 *     web/module/page_formats.c   those that a page of one file carries
 *
 * A format is recognized by the content of files, never by their names. No code compares an entry
 * or its name to find out which format it has: everything that code needs to know is a member of
 * the entry. So a new format is one file that defines `flm_format_NAME`, and one line in one of the
 * two tables.
 *
 * There are three ways to read, and an entry has at least one of them unless it is only written:
 *
 *     read     from a stream into a builder; its caller makes the profile of it. If the input has
 *              independent chunks (lines, blocks), `cut` finds where a chunk may begin, and chunks
 *              are read in parallel and merged.
 *     open     from the whole input, for formats that are profiles as they are (.flm, packed)
 *     load     from the input and all the caller's options, for formats that need the system */
#ifndef FLAMEL_FORMAT_CORE_FORMAT_H
#define FLAMEL_FORMAT_CORE_FORMAT_H

#include "base/text/source.h"
#include "base/text/text.h"
#include "flamel/builder.h"
#include "flamel/file.h"

struct flm_input;

struct flm_read_options {
    bool allow_negative; /* folded: the values may be negative (a difference) */
    bool lenient;        /* skip and count invalid parts, instead of refusing the file */
    int columns;         /* folded: 1 or 2 values a line; 0: decided by `prepare` */
    bool keep_times;     /* keep every sample with its time and labels, if the input has them */
    bool by_thread;      /* frames for the process and the thread, if the input has them */
    bool
        locations; /* the lines and addresses that frames were at are wanted, or `lines` is: readers
                       give all that they have to flm_builder_located; this is for those to which
                       it is work */
    bool lines;    /* frames differ by the lines that ran: the builder does it
                       (FLM_LOCATIONS_AS_LINES), and traces tell calls apart by their arguments */
    bool unordered; /* strings and frames may stay in the order of their coming: load/unordered.h */
};

struct flm_write_options {
    struct flm_metric metric; /* the one to write, of formats that hold one */
    bool annotate;            /* folded: mark the kinds of frames: _[k] _[j] _[i] ... */

    const struct flm_svg_options *picture; /* of pictures; NULL: the defaults */
    const char *name;                      /* of pages: the name of the profile */
    const struct flm_profile *baseline;    /* of pages: to compare the profile with; NULL: none */
    const char *baseline_name;
    struct flm_bytes code; /* of pages: source and machine code; empty: none */
};

/* The arguments of `load`: more than bytes. */
struct flm_load_request {
    struct flm_source *source;
    const struct flm_input *file; /* the file of `source`, if it can be read at any offset
                                     (os/input.h); NULL: a pipe, or compressed */
    const struct flm_load_options *options;
};

/* How certain a format is, from the beginning of a file, that the file is its own. The most certain
 * one reads it; of several that are equally certain, the first in the table. Values between these
 * are allowed. */
enum flm_sniff {
    FLM_SNIFF_NO = 0,
    FLM_SNIFF_GUESS = 4,     /* up to here: gives way to known other files (a PDF, a zip) */
    FLM_SNIFF_POSSIBLE = 10, /* nothing speaks against it */
    FLM_SNIFF_MIXED = 40,    /* much of it fits, much does not */
    FLM_SNIFF_LIKELY = 60,   /* it has the shape, which other files could have by accident */
    FLM_SNIFF_SURE = 90,     /* nothing else has this shape */
    FLM_SNIFF_MAGIC = 100    /* a magic number */
};

/* The parts of a profile that a file of a format can hold in addition to the names of functions.
 * Times, labels and metrics have members of their own. What a file leaves out, for people
 * (flm_format_add_loses) and of one profile (load/losses.h), is what is not here, and a test writes
 * and reads a file of each format to see that what is here comes back. */
enum flm_format_part {
    FLM_HOLDS_STACKS = 1,      /* whole ones, not only pairs of caller and callee */
    FLM_HOLDS_VALUES = 2,      /* of moments: not only how long they are */
    FLM_HOLDS_SUMS = 4,        /* of what is no single sample with a time */
    FLM_HOLDS_EMPTY_STACK = 8, /* samples without a stack */
    FLM_HOLDS_MODULES = 16,
    FLM_HOLDS_FILES = 32, /* and lines */
    FLM_HOLDS_KINDS = 64, /* of frames: kernel, inlined, ... */
    FLM_HOLDS_MARKERS = 128,
    FLM_HOLDS_COUNTERS = 256,
    FLM_HOLDS_DURATIONS = 512, /* of samples */
    FLM_HOLDS_ALL = 1023,
    FLM_HOLDS_LOCATIONS = 8192, /* lines and addresses of frames: profile/chains.h */
    FLM_HOLDS_LINES = 16384,    /* of these only the lines */
    FLM_HOLDS_NOTES = 32768,    /* that people write: flamel/notes.h */
    FLM_HOLDS_WEIGHTS = FLM_HOLDS_STACKS | FLM_HOLDS_VALUES | FLM_HOLDS_SUMS,
    FLM_HOLDS_KINDS_ANNOTATED = 1024, /* kinds, but only with the option `annotate` */
    FLM_HOLDS_KERNEL_INLINED = 2048,  /* of the kinds only these two */
    FLM_HOLDS_INLINED = 4096          /* or only that of inlined functions */
};

/* Which labels of single samples a format keeps (`keeps_labels`). */
enum flm_format_labels {
    FLM_LABELS_ALL,
    FLM_LABELS_THREADS_PROCESSES, /* of threads and processes, and their names */
    FLM_LABELS_THREADS            /* of threads, and their names */
};

/* Whether files of a format are data for programs, or pictures and pages for people. */
enum flm_format_display { FLM_FORMAT_DATA, FLM_FORMAT_VECTORS, FLM_FORMAT_PIXELS, FLM_FORMAT_PAGE };

struct flm_format {
    const char *name;  /* "folded": the argument of -f and -t */
    const char *title; /* "Folded stacks": for menus and headings */
    const char
        *extensions; /* ".folded .collapsed": -o chooses by them, and the page's file dialog shows
                                such files. Reading does not look at them */
    const char *description; /* one line for `flamel formats` */
    const char *also_loses;  /* what a written file lacks, apart from the parts that `holds` leaves
                                out; for pictures, everything it lacks. NULL: nothing more */

    enum flm_format_metrics metrics;
    enum flm_format_display display;
    unsigned holds;    /* enum flm_format_part */
    bool has_times;    /* single samples with their times */
    bool keeps_labels; /* single samples with their labels: thread, process, ... */
    bool only_spans;   /* has_times: of samples whose metric is a time. Others are moments, of
                            which it has the order */
    enum flm_format_labels kept_labels;
    bool needs_symbols;  /* its frames may be addresses that are looked up in files of the machine:
                            see `symbolize` in load/load.c */
    bool needs_system;   /* needs files or libraries: not in the browser's table */
    bool takes_baseline; /* the writer gets both sides of a comparison, and compares */
    bool compressible;   /* may be written under zstd, if the caller wants */

    /* The certainty by the beginning of a file (up to 64 KiB; `whole`: this is the whole file): see
     * enum flm_sniff. NULL: the format is never read. */
    int (*sniff)(struct flm_bytes head, bool whole);

    /* Of a format of text without a magic number: adds why a text that no format takes is not of
     * this one, as part of a sentence. May be NULL. */
    void (*explain)(struct flm_bytes head, bool whole, struct flm_text *out);

    /* Decides options that must be known before chunks are read in parallel. May be NULL. */
    void (*prepare)(struct flm_bytes head, struct flm_read_options *options);

    bool (*read)(struct flm_source *source, const struct flm_read_options *options,
                 struct flm_builder *builder, struct flm_error *why);

    /* A profile that is only added to others (load/unordered.h), of the whole input that the source
     * has; NULL: it is read by `read`, which reports errors. May be NULL. */
    struct flm_profile *(*read_unordered)(struct flm_source *source,
                                          const struct flm_read_options *options);

    /* The first offset in `all`, at `wanted` or after it, at which a chunk may begin; all.size:
     * none. NULL: the format cannot be cut. */
    size_t (*cut)(struct flm_bytes all, size_t wanted);

    /* Makes a profile of the whole input, and keeps no pointer into `all`. */
    struct flm_profile *(*open)(struct flm_bytes all, struct flm_error *why);

    /* The same without a copy, from bytes that are aligned to 8: the profile keeps them, and calls
     * release(owner) when it is freed. On failure they remain the caller's. In addition to `open`;
     * may be NULL. */
    struct flm_profile *(*adopt)(const void *bytes, size_t size, void (*release)(void *owner),
                                 void *owner, struct flm_error *why);

    struct flm_profile *(*load)(const struct flm_load_request *request, struct flm_error *why);

    bool whole_values; /* values are written as whole numbers: fractions of ms, us and s in ns */

    /* NULL: it is never written. The owner of `out` checks whether that failed. */
    bool (*write)(const struct flm_profile *profile, const struct flm_write_options *options,
                  struct flm_text *out, struct flm_error *why);

    /* The same where the bytes are compressed afterward. NULL: what `write` writes. */
    bool (*write_compressed)(const struct flm_profile *profile,
                             const struct flm_write_options *options, struct flm_text *out,
                             struct flm_error *why);

    /* False, and `why`, if this library was built without a library that writing needs. NULL:
     * writing always works. */
    bool (*can_write)(struct flm_error *why);
};

/* A table of formats, in the order in which they are tried: the entries of `base` (NULL: none),
 * then its own. */
struct flm_formats {
    const struct flm_formats *base;
    const struct flm_format *const *at;
    size_t count;
};

/* The i-th entry; NULL after the last one. */
const struct flm_format *flm_formats_at(const struct flm_formats *formats, size_t i);

/* The format with that name; NULL if there is none. */
const struct flm_format *flm_format_named(const struct flm_formats *formats, const char *name);

/* The format that a file of this name is written in; NULL if there is none. */
const struct flm_format *flm_format_for_file(const struct flm_formats *formats,
                                             const char *file_name);

/* Whether a file of this name is written under gzip: .gz, .svgz; in capitals too. */
bool flm_format_is_gzip_name(const char *file_name);

/* The format of a file with that beginning. NULL, and `why` with what the file seems to be
 * instead. */
const struct flm_format *flm_format_recognize(const struct flm_formats *formats,
                                              struct flm_bytes head, bool whole,
                                              struct flm_error *why);

/* For a file with that beginning, which was read as `format`: what else it could be, as an addition
 * to an error: " (read as perf-script; it could also be folded: -f folded)". Nothing where there is
 * nothing else, and where a magic number leaves no doubt. */
void flm_format_others(const struct flm_formats *formats, const struct flm_format *format,
                       struct flm_bytes head, bool whole, struct flm_text *out);

/* What there is instead of a format that can be read, or be written, after a name that is none:
 * ": did you mean folded? ('flamel formats' lists them)". */
void flm_formats_suggest(const struct flm_formats *formats, const char *asked, bool to_write,
                         struct flm_text *out);

bool flm_format_can_be_read(const struct flm_format *format);

/* False, and `why` with the reason, for a format without a writer, and if the library was built
 * without a library that the writer needs. */
bool flm_format_can_be_written(const struct flm_format *format, struct flm_error *why);

/* Appends what a written file leaves out of a profile: "single samples, modules, files and lines".
 * Nothing where that is nothing. */
void flm_format_add_loses(const struct flm_format *format, struct flm_text *out);

/* Whether files of the format are drawn pictures, which are never read back. */
bool flm_format_is_picture(const struct flm_format *format);

/* Whether written files have the lines that ran, next to the frames. */
bool flm_format_keeps_lines(const struct flm_format *format);

/* Whether written files have single samples, with their times or their labels. */
bool flm_format_keeps_samples(const struct flm_format *format);

#endif
