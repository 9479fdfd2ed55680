/* format.h - what a file format is: one entry of a table, in a file of its own.
 *
 *     format/formats.h       the formats of bytes alone: the library, and `flamel view`
 *     load/all_formats.h     those, and what needs the system: perf.data, pages, pictures
 *     web/page_formats.c     the few that a page of one file carries
 *
 * A format is recognized by what its files contain, never by their names. No code compares an entry
 * or its name to find out which format it has: what it has to know is a member of the entry. So
 * another format is one file that defines `flm_format_NAME`, and one line in one of the two tables.
 *
 * There are three ways to read, and an entry has at least one of them unless it is only written:
 *
 *     read     from a stream into a builder; its caller makes the profile of it. Where the input is
 *              independent pieces (lines, blocks), `cut` says where a piece may begin, and pieces
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
    bool lenient;        /* skip and count what cannot be used, instead of refusing it */
    int columns;         /* folded: 1 or 2 values a line; 0: decided by `prepare` */
    bool keep_times;     /* keep every sample with its time and labels where the input has them */
};

struct flm_write_options {
    struct flm_metric metric; /* the one to write, of formats that hold one */
    bool annotate;            /* folded: mark the kinds of frames: _[k] _[j] _[i] ... */

    const struct flm_svg_options *picture; /* of pictures; NULL: the defaults */
    const char *name;                      /* of pages: what the profile is called */
    const struct flm_profile *baseline;    /* of pages: what it is compared with; NULL: nothing */
    const char *baseline_name;
};

/* What `load` gets: more than bytes. */
struct flm_load_request {
    struct flm_source *source;
    const struct flm_input *file; /* what `source` reads, where any part of it can be read at any
                                     time (os/input.h); NULL: a pipe, or compressed */
    const struct flm_load_options *options;
};

/* How sure the beginning of a file makes a format that the file is its own. The surest one reads
 * it; of several that are equally sure, the first in the table. Values between these are fine. */
enum flm_sniff {
    FLM_SNIFF_NO = 0,
    FLM_SNIFF_GUESS = 4,     /* up to here: gives way to what the file plainly is (a PDF, a zip) */
    FLM_SNIFF_POSSIBLE = 10, /* nothing speaks against it */
    FLM_SNIFF_MIXED = 40,    /* much of it is, much is not */
    FLM_SNIFF_LIKELY = 60,   /* it has the shape, which other files could have by accident */
    FLM_SNIFF_SURE = 90,     /* nothing else has this shape */
    FLM_SNIFF_MAGIC = 100    /* a magic number */
};

/* Whether a file of a format is data for programs, or something to look at. */
enum flm_format_display { FLM_FORMAT_DATA, FLM_FORMAT_VECTORS, FLM_FORMAT_PIXELS, FLM_FORMAT_PAGE };

struct flm_format {
    const char *name;        /* "folded": what -f and -t take */
    const char *title;       /* "Folded stacks": for menus and headings */
    const char *extensions;  /* ".folded .collapsed": what -o goes by. Never for reading */
    const char *description; /* one line for `flamel formats` */
    const char *loses;       /* what of a profile is not in a written file; NULL: nothing is lost */

    enum flm_format_metrics metrics;
    enum flm_format_display display;
    bool has_times;      /* single samples have their times */
    bool keeps_labels;   /* and their labels: thread, process, ... */
    bool needs_symbols;  /* its frames may be addresses that are looked up in files of the machine:
                            see `symbolize` in load/load.c */
    bool needs_system;   /* files or libraries of the machine: it is not in the browser's table */
    bool takes_baseline; /* the writer gets both sides of a comparison as they are, and compares */
    bool compressible;   /* written under zstd where the caller asks for it */

    /* How sure the beginning of a file (up to 64 KiB; `whole`: it is all of it) makes us: see
     * enum flm_sniff. NULL: it is never read. */
    int (*sniff)(struct flm_bytes head, bool whole);

    /* Settles what must be known before pieces are read in parallel. May be NULL. */
    void (*prepare)(struct flm_bytes head, struct flm_read_options *options);

    bool (*read)(struct flm_source *source, const struct flm_read_options *options,
                 struct flm_builder *builder, struct flm_error *why);

    /* Where in `all`, at `wanted` or after it, a piece may begin; all.size when nowhere. NULL: the
     * format cannot be cut. */
    size_t (*cut)(struct flm_bytes all, size_t wanted);

    /* Makes a profile of the whole input, and keeps nothing of `all`. */
    struct flm_profile *(*open)(struct flm_bytes all, struct flm_error *why);

    /* The same without a copy, of bytes that are aligned to 8: the profile keeps them, and calls
     * release(owner) at its end. On failure they are still the caller's. Next to `open`; may be
     * NULL. */
    struct flm_profile *(*adopt)(const void *bytes, size_t size, void (*release)(void *owner),
                                 void *owner, struct flm_error *why);

    struct flm_profile *(*load)(const struct flm_load_request *request, struct flm_error *why);

    /* NULL: it is never written. A failing `out` is for its owner to see. */
    bool (*write)(const struct flm_profile *profile, const struct flm_write_options *options,
                  struct flm_text *out, struct flm_error *why);

    /* False, and `why`, when this library was built without what writing needs. NULL: it can. */
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

/* By name; NULL if there is none. */
const struct flm_format *flm_format_named(const struct flm_formats *formats, const char *name);

/* The format that a file of this name is written in; NULL if there is none. */
const struct flm_format *flm_format_for_file(const struct flm_formats *formats,
                                             const char *file_name);

/* The format of a file that begins so. NULL, and `why` with what the file seems to be instead. */
const struct flm_format *flm_format_recognize(const struct flm_formats *formats,
                                              struct flm_bytes head, bool whole,
                                              struct flm_error *why);

bool flm_format_can_be_read(const struct flm_format *format);

/* False, and `why` with the reason, for a format without a writer, and where the library was built
 * without what the writer needs. */
bool flm_format_can_be_written(const struct flm_format *format, struct flm_error *why);

/* Whether it is something to look at that is drawn, and never read back. */
bool flm_format_is_picture(const struct flm_format *format);

/* Whether single samples are seen in what is written: with their times, or their labels. */
bool flm_format_keeps_samples(const struct flm_format *format);

#endif
