/* record_threads.h - `flamel record --threads-of`: thread dumps of a Java VM at an interval, from
 * the first one to the file. */
#ifndef FLAMEL_CLI_COMMAND_RECORD_THREADS_H
#define FLAMEL_CLI_COMMAND_RECORD_THREADS_H

#include <stdint.h>

#include "cli/record/record_filters.h"

struct flm_record_threads {
    const char *process, *interval; /* as given; the interval NULL: 100 ms */
    int64_t duration_ns;            /* 0: until the VM ends, or Ctrl-C */
    const char *output;
    const struct flm_record_filters *filters;
    bool per_thread, spares_previous, quiet, json;
};

/* False, and `why`, where nothing could be recorded or written. *written receives whether the
 * output is of now. */
bool flm_record_threads(const struct flm_record_threads *options, bool *written,
                        struct flm_error *why);

#endif
