/* unsymbolized.h - the symbolizer of a recording that is read where none of its files are: every
 * function is called by its module and its address there, "libc.so.6+0x27b25".
 *
 * It keeps the path of each module, and cannot unwind stack dumps. */
#ifndef FLAMEL_RECORD_PROCESS_UNSYMBOLIZED_H
#define FLAMEL_RECORD_PROCESS_UNSYMBOLIZED_H

#include "record/process/symbolizer.h"

/* NULL, and `why`, when memory ran out. */
struct flm_symbolizer *flm_unsymbolized_new(struct flm_error *why);

#endif
