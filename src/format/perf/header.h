/* header.h - the line with which `perf script` begins a sample.
 *
 *     V8 Worker 24636/25607 [000] 4794564.109216: 104345 cycles:u:  ffffffff816b9733 read (libc.so)
 *     command   PID   TID    CPU  time            period event      rest: a frame, or a
 *                                                                   tracepoint's fields
 *
 * Which of these there are is for `perf script -F` to say; perf pads them, and a command may hold
 * spaces, digits, slashes, colons and brackets. What stands out in the line is the time. What is
 * left of it is taken apart from the right, so that all that remains is the command; what is right
 * of it from the left. A line without a time is a guess, and says how good a one. */
#ifndef FLAMEL_FORMAT_PERF_HEADER_H
#define FLAMEL_FORMAT_PERF_HEADER_H

#include "base/core/bytes.h"
#include "flamel/builder.h"

/* All are parts of the line; empty: not there. */
struct flm_perf_header {
    struct flm_bytes origin; /* all that is left of the time */
    struct flm_bytes command;
    struct flm_bytes process, thread, cpu; /* digits */
    int64_t time_ns;                       /* FLM_NO_TIME: not there */
    struct flm_bytes period;               /* digits */
    struct flm_bytes event; /* "cycles:u"; "PERF_RECORD_COMM" and its kin are no samples */
    struct flm_bytes rest;  /* without blanks at its ends */
    struct flm_bytes frame; /* that of a sample on one line: in `rest`, up to its end */
};

/* False for a line that has no time. */
bool flm_perf_header_parse(struct flm_bytes line, struct flm_perf_header *header);

enum flm_perf_guess {
    FLM_PERF_NONE,   /* nothing but blanks */
    FLM_PERF_WORDS,  /* a header only if frames follow */
    FLM_PERF_NUMBER, /* words and a number: `perf script -F comm,tid,ip,sym` */
    FLM_PERF_EVENT   /* a number and an event, or a number and a frame */
};

/* For a line that flm_perf_header_parse declined. */
enum flm_perf_guess flm_perf_header_guess(struct flm_bytes line, struct flm_perf_header *header);

/* The labels "command", "process", "thread" and "cpu" of a sample, as far as they are there. */
struct flm_label_set flm_perf_header_labels(struct flm_builder *builder,
                                            const struct flm_perf_header *header);

#endif
