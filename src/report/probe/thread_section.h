/* thread_section.h - the threads of a program that measured itself, as a section of its report. */
#ifndef FLAMEL_REPORT_PROBE_THREAD_SECTION_H
#define FLAMEL_REPORT_PROBE_THREAD_SECTION_H

#include "report/core/blocks.h"
#include "report/probe/measures.h"

/* At most so many rows; 0: all. */
void flm_report_add_threads(struct flm_report *report, const struct flm_measures *measures,
                            uint32_t rows);

#endif
