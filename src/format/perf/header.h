/* header.h - the line that begins a sample in the output of `perf script`.
 *
 *     V8 Worker 24636/25607 [000] 4794564.109216: 104345 cycles:u:  ffffffff816b9733 read (libc.so)
 *     command   PID   TID    CPU  time            period event      rest: a frame, or a
 *                                                                   tracepoint's fields
 *
 * `perf script -F` decides which of these a line has; perf pads them, and a command may contain
 * spaces, digits, slashes, colons and brackets. Only the time can be found with certainty. The part
 * to its left is parsed from right to left, so that the command remains; the part to its right from
 * left to right. A line without a time is a guess, and flm_perf_header_guess rates it. */
#ifndef FLAMEL_FORMAT_PERF_HEADER_H
#define FLAMEL_FORMAT_PERF_HEADER_H

#include "base/core/bytes.h"
#include "flamel/builder.h"

/* All are parts of the line; empty: missing. */
struct flm_perf_header {
    struct flm_bytes origin; /* everything to the left of the time */
    struct flm_bytes command;
    struct flm_bytes process, thread, cpu; /* digits */
    int64_t time_ns;                       /* FLM_NO_TIME: missing */
    struct flm_bytes period;               /* digits */
    struct flm_bytes event; /* "cycles:u"; "PERF_RECORD_COMM" and the like are not samples */
    struct flm_bytes rest;  /* without blanks at either end */
    struct flm_bytes frame; /* of a sample on one line: the end of `rest` */
};

/* False for a line that has no time. */
bool flm_perf_header_parse(struct flm_bytes line, struct flm_perf_header *header);

enum flm_perf_guess {
    FLM_PERF_NONE,   /* a blank line */
    FLM_PERF_WORDS,  /* a header only if frames follow */
    FLM_PERF_NUMBER, /* words and a number: `perf script -F comm,tid,ip,sym` */
    FLM_PERF_EVENT   /* a number and an event, or a number and a frame */
};

/* For a line for which flm_perf_header_parse returned false. */
enum flm_perf_guess flm_perf_header_guess(struct flm_bytes line, struct flm_perf_header *header);

/* The labels "command", "process", "thread" and "cpu" of a sample, those that the header has. */
struct flm_label_set flm_perf_header_labels(struct flm_builder *builder,
                                            const struct flm_perf_header *header);

#endif
