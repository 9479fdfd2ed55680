/* code_numbers.h - numbers for functions that have no address: in the stacks of samples they stand
 * where addresses do, and the session learns once what each is (FLM_EVENT_CODE).
 *
 * A key tells functions apart. Numbers are never used again, whatever becomes of a process. */
#ifndef FLAMEL_RECORD_RUNTIME_CODE_NUMBERS_H
#define FLAMEL_RECORD_RUNTIME_CODE_NUMBERS_H

#include "base/core/index.h"
#include "record/runtime/runtime.h"

struct flm_code_key {
    uint64_t interpreter; /* unique among all interpreters that were found */
    uint64_t function;    /* unique in it, also among later functions at its place */
    uint64_t variant;     /* of the function: a line, or a kind of frame */
};

struct flm_code_numbers {
    uint64_t first;
    struct FLM_ARRAY(struct flm_code_key) keys; /* the nth has the number first + n */
    struct flm_index index;
};

void flm_code_numbers_clear(struct flm_code_numbers *numbers);

/* Where what is defined goes. */
struct flm_code_sink {
    flm_event_sink define;
    void *context;
    struct flm_error *why;
};

/* The number of a function; one without a number gets it, and is defined as this, of which the
 * address is set here. 0, and `why`: memory ran out, or `define` failed. */
uint64_t flm_code_number(struct flm_code_numbers *numbers, struct flm_code_key key, int32_t process,
                         const struct flm_event_code *as, const struct flm_code_sink *sink);

#endif
