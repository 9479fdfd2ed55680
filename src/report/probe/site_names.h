/* site_names.h - names of what the file of a program has only an address of: locks and functions
 * of one that runs or was killed, frames of stacks. Who makes the report asks a function of the
 * options (flm_report_options), which knows the symbols. What it does not know is "app+0x1234". */
#ifndef FLAMEL_REPORT_PROBE_SITE_NAMES_H
#define FLAMEL_REPORT_PROBE_SITE_NAMES_H

#include "base/text/text.h"
#include "flamel/report.h"
#include "format/probe/decode.h"

/* Appends the name of an address; `file` is the index of the process. */
enum flm_report_address flm_probe_name_address(const struct flm_probe_decoded *decoded,
                                               const struct flm_report_options *options,
                                               size_t file, uint64_t address,
                                               struct flm_text *name);

/* Gives a name to each site that has an address and none. False, and `why`: no memory. */
bool flm_probe_name_sites(struct flm_probe_decoded *decoded,
                          const struct flm_report_options *options, size_t file,
                          struct flm_error *why);

#endif
