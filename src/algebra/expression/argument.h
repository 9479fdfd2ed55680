/* argument.h - what operations take: arguments, each of a type.
 *
 * The type decides how far the text of an argument goes (a '|' in quotes or in a substitution does
 * not end it), what it is parsed into, with which sentence it is refused, and what a viewer offers
 * to complete it.
 *
 *     type          written                   parsed into
 *     pattern       hide:/^parse_(x|y)/       a byte for each frame     operation/pattern.h
 *     selection     collapse:direct,lex,!eval  a byte for each frame: of all, or of what matches
 *                                             one of the patterns, without those after a '!'
 *     substitution  rename:s/old/new/         a rule                    operation/rename.h
 *     choice        by:module                 an index of the list
 *     number        depth:20                  a number from 1
 *     metric        metric:"cpu|wall"         a metric of the profile
 *     label         label:thread=main         key and value; without '=', any value
 *     label key     split:thread              text
 *     threads       thread:http-*,main        text: what operation/thread_filter.h finds
 *     time range    time:1s..2.5s             from and to, in ns
 *     text          from:main;parse           text
 *
 * Where an operation takes several, commas stand between them. */
#ifndef FLAMEL_ALGEBRA_EXPRESSION_ARGUMENT_H
#define FLAMEL_ALGEBRA_EXPRESSION_ARGUMENT_H

#include "algebra/operation/rename.h"
#include "base/text/text.h"
#include "profile/columns.h"

enum flm_argument_type {
    FLM_ARGUMENT_PATTERN,
    FLM_ARGUMENT_SELECTION, /* the last one: it has commas in it */
    FLM_ARGUMENT_SUBSTITUTION,
    FLM_ARGUMENT_CHOICE,
    FLM_ARGUMENT_NUMBER,
    FLM_ARGUMENT_METRIC,
    FLM_ARGUMENT_LABEL,
    FLM_ARGUMENT_LABEL_KEY,
    FLM_ARGUMENT_THREADS,
    FLM_ARGUMENT_TIME_RANGE,
    FLM_ARGUMENT_TEXT,
    FLM_ARGUMENT_TYPE_COUNT
};

struct flm_argument {
    const char *name; /* as help and flamel-expressions(7) show it: "pattern" */
    enum flm_argument_type type;
    bool optional; /* it may be left out, and all after it */

    /* Of a CHOICE: the words, and what each means; NULL after the last. */
    const char *(*choice)(size_t index, const char **description);
};

struct flm_argument_value {
    struct flm_bytes text; /* as written, without blanks around it; empty: it was left out */
    union {
        unsigned char *marks;      /* PATTERN, SELECTION: 1 for the frames that match; owned */
        struct flm_renaming *rule; /* SUBSTITUTION; owned */
        size_t choice;
        uint32_t number;
        struct flm_metric metric;
        struct {
            struct flm_bytes key, value; /* without quotes; no value: "" */
        } label;
        struct {
            double from_ns, to_ns; /* from the first sample on; 1e18: no end */
        } time;
        struct flm_bytes unquoted; /* LABEL_KEY, THREADS, TEXT */
    };
};

/* Parses `text`, which is not empty; `operation` is the one that has the argument. A pattern that
 * matches nothing is no failure: it adds a sentence to `note` where there is none yet. False, and
 * `why` with the offset in `text`, for a malformed one; `value` is to be cleared in any case. */
bool flm_argument_parse(const char *operation, const struct flm_argument *argument,
                        const struct flm_profile *p, struct flm_bytes text,
                        struct flm_argument_value *value, struct flm_text *note,
                        struct flm_error *why);
void flm_argument_clear(const struct flm_argument *argument, struct flm_argument_value *value);

/* The patterns of a selection, one after the other: *pattern receives the one that begins at `at`,
 * without blanks around it and its '!'. Returns where the next one begins: past the end after the
 * last. */
size_t flm_selection_next(struct flm_bytes selection, size_t at, struct flm_bytes *pattern,
                          bool *excluded);

/* Where the argument of that type that begins at `start` ends: at a '|', at a comma where
 * `has_next` says that another argument follows, or with the text. */
size_t flm_argument_end(enum flm_argument_type type, struct flm_bytes text, size_t start,
                        bool has_next);

/* "2.5s" in nanoseconds; also ms, us, ns. False when malformed. */
bool flm_duration_parse(struct flm_bytes text, double *ns);

/* "1s..2.5s": from and to in ns; a side that is left out is 0, or 1e18. False when malformed. */
bool flm_time_range_parse(struct flm_bytes text, double *from_ns, double *to_ns);

#endif
