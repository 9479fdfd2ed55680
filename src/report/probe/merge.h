/* merge.h - what several processes measured, as if one had: of a build, one compiler with the calls
 * of all of them.
 *
 *     flm_probe_decode(&all, first, &why);
 *     flm_probe_decode(&next, second, &why);
 *     flm_probe_merge(&all, &next, &why);
 *     flm_probe_decoded_clear(&next);
 *
 * Sites with the same name, place and address are one, threads with the same name are one, and so
 * are paths of the same sites in them. The time that passed is the sum of theirs, so that what a
 * scope took is a share of what its processes took, also where they ran side by side. */
#ifndef FLAMEL_REPORT_PROBE_MERGE_H
#define FLAMEL_REPORT_PROBE_MERGE_H

#include "format/probe/decode.h"

/* False, and `why`: no memory; then `to` is of no use. The bytes of both files must stay as long as
 * `to` is used; names that `from` owns belong to `to` then. */
bool flm_probe_merge(struct flm_probe_decoded *to, struct flm_probe_decoded *from,
                     struct flm_error *why);

#endif
