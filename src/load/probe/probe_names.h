/* probe_names.h - names of addresses of programs that measure themselves, from the symbols of the
 * files that they have mapped: for flm_report_options.
 *
 *     struct flm_probe_names *names = flm_probe_names_new(&why);
 *     flm_probe_names_add_process(names, 4711);             or, of a file that it left,
 *     flm_probe_names_add_file(names, file);                one for each index of a process
 *     options.name_address = flm_probe_names_find;
 *     options.name_context = names;
 *
 * Of a file with a build id another one is not used. Symbols are read when the first address in a
 * file is looked up, and kept: a program is looked at every second. */
#ifndef FLAMEL_LOAD_PROBE_NAMES_H
#define FLAMEL_LOAD_PROBE_NAMES_H

#include "base/core/bytes.h"
#include "flamel/report.h"

struct flm_probe_names;

/* NULL, and `why`: no memory. Free accepts NULL. */
struct flm_probe_names *flm_probe_names_new(struct flm_error *why);
void flm_probe_names_free(struct flm_probe_names *names);

/* A running process, and the file that one left, each the next index. Where memory ran out,
 * or nothing is there, its addresses stay addresses. */
void flm_probe_names_add_process(struct flm_probe_names *names, int32_t process);
void flm_probe_names_add_file(struct flm_probe_names *names, struct flm_bytes file);

/* As flm_report_options has it; `context` are the names. */
enum flm_report_address flm_probe_names_find(void *context, size_t file, uint64_t address,
                                             char *name, size_t room);

/* False, and `why`: memory ran out, so something may have no name that has one. */
bool flm_probe_names_check(const struct flm_probe_names *names, struct flm_error *why);

#endif
