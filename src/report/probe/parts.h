/* parts.h - the report of a program that measured itself, as a part of one about several. */
#ifndef FLAMEL_REPORT_PROBE_PARTS_H
#define FLAMEL_REPORT_PROBE_PARTS_H

#include "report/core/blocks.h"
#include "report/probe/allocated_stacks.h"
#include "report/probe/measures.h"

/* All but CSV: its head, and a section for each signal. What is given is borrowed as long as the
 * call takes. False, and `why`: no memory. */
bool flm_report_add_probe(struct flm_report *report, const struct flm_measures *measures,
                          const struct flm_probe_stacks *stacks,
                          const struct flm_report_options *options, bool is_first,
                          struct flm_error *why);

/* The table of CSV, and rows of it: a row for each number. `first` is the name of a column in
 * front, and `command` what is in it; NULL: there is none. */
void flm_report_begin_probe_csv(struct flm_report *report, const char *first);
bool flm_report_add_probe_csv(struct flm_report *report, const struct flm_measures *measures,
                              const struct flm_probe_stacks *stacks,
                              const struct flm_report_options *options, const char *command,
                              struct flm_error *why);

#endif
