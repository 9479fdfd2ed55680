/* format.h - the formats: one file each, one line each in the table of format.c.
 *
 * A format is recognized by what its files contain, never by their names. A reader fills a builder;
 * its caller makes the profile of it. Readers of independent pieces (lines, blocks) say where
 * a file may be cut, so that pieces can be read side by side and merged. */
#ifndef FLAMEL_FORMAT_CORE_FORMAT_H
#define FLAMEL_FORMAT_CORE_FORMAT_H

#include "base/text/source.h"
#include "base/text/text.h"
#include "flamel/builder.h"

struct flm_read_options {
    bool allow_negative; /* folded: the values may be negative (a difference) */
    bool lenient;        /* skip and count what cannot be used, where it would be refused */
    int columns;         /* folded: 1 or 2 values a line; 0: decided by `prepare` */
    bool keep_times;     /* keep every sample with its time and labels where the input has them */
};

struct flm_write_options {
    struct flm_metric metric; /* of the formats that hold one */
    bool annotate;            /* folded: mark the kinds of frames: _[k] _[j] _[i] ... */
};

struct flm_format {
    const char *name;        /* "folded": what -t takes */
    const char *extensions;  /* ".folded .collapsed": what -o looks at when writing */
    const char *description; /* one line for `flamel formats` */

    /* How sure the beginning of a file (up to 64 KiB; `whole`: it is all of it) makes us: 0 not
     * this format, 100 a magic number. NULL: cannot be read. */
    int (*sniff)(struct flm_bytes head, bool whole);

    /* Settles what must be known before pieces are read side by side. May be NULL. */
    void (*prepare)(struct flm_bytes head, struct flm_read_options *options);

    bool (*read)(struct flm_source *source, const struct flm_read_options *options,
                 struct flm_builder *builder, struct flm_error *why);

    /* Makes a profile of the whole input, without a builder: of formats that are profiles as they
     * lie. It keeps nothing of `all`. */
    struct flm_profile *(*open)(struct flm_bytes all, struct flm_error *why);

    /* Where in `all`, at `wanted` or behind it, a piece may begin; all.size when nowhere. NULL: the
     * format cannot be cut. */
    size_t (*cut)(struct flm_bytes all, size_t wanted);

    bool (*write)(const struct flm_profile *profile, const struct flm_write_options *options,
                  struct flm_text *out, struct flm_error *why); /* NULL: cannot be written */
};

extern const struct flm_format flm_format_flm;
extern const struct flm_format flm_format_packed;
extern const struct flm_format flm_format_html;
extern const struct flm_format flm_format_folded;
extern const struct flm_format flm_format_difffolded;
extern const struct flm_format flm_format_perf_data;
extern const struct flm_format flm_format_perf_script;
extern const struct flm_format flm_format_perf_report;
extern const struct flm_format flm_format_perf_json;

/* All of them, in the order in which they are tried; `count` receives how many. */
const struct flm_format *const *flm_formats(size_t *count);

/* The format of a file that begins so; NULL, and `why` with what it looks like instead. */
const struct flm_format *flm_format_recognize(struct flm_bytes head, bool whole,
                                              struct flm_error *why);

/* Whether there is a reader, a writer: of the table; for pages, in load/page.h; for what `perf
 * record` writes, in record/perf_data/perf_data.h. */
bool flm_format_can_be_read(const struct flm_format *format);
bool flm_format_can_be_written(const struct flm_format *format);

/* Whether it keeps everything that a profile has, single samples too. */
bool flm_format_keeps_all(const struct flm_format *format);

/* By name, or by the end of a file's name; NULL if there is none. */
const struct flm_format *flm_format_named(const char *name);
const struct flm_format *flm_format_for_file(const char *file_name);

#endif
