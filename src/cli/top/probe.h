/* probe.h - `flamel top` of a program that measures itself: what it says, not samples. */
#ifndef FLAMEL_CLI_TOP_PROBE_H
#define FLAMEL_CLI_TOP_PROBE_H

#include "cli/top/top.h"
#include "load/probe/attached.h"

/* Shows it until the user quits, or prints as many tables as are asked for. Takes the attached.
 * `top` has no recording. */
bool flm_top_probe(const struct flm_top *top, int32_t process, struct flm_attached *attached,
                   int64_t interval_ns, bool is_screen, struct flm_error *why);

/* The same of the file that a program has left: one look. */
bool flm_top_post_mortem(const struct flm_top *top, const char *path, bool is_screen,
                         struct flm_error *why);

#endif
