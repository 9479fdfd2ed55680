/* safepoints.h - how long a HotSpot VM stood still, as it counts it itself.
 *
 * A VM keeps counters in a file below its /tmp (-XX:+UsePerfData, the default):
 *
 *     hsperfdata_USER/7    header     magic, byte order, size, offset and number of the entries
 *                          entries    name, type, offset of the value: sun.rt.safepointTime ...
 *
 * Values are read where the VM updates them, which costs it nothing. Reading before and after a
 * command says what the command stopped, and whatever else stopped the VM meanwhile. */
#ifndef FLAMEL_RECORD_JAVA_SAFEPOINTS_H
#define FLAMEL_RECORD_JAVA_SAFEPOINTS_H

#include "record/java/attach.h"

struct flm_safepoints;

/* NULL: the VM has no such file that can be trusted, or it lacks a counter. */
struct flm_safepoints *flm_safepoints_open(const struct flm_java_vm_identity *vm);
void flm_safepoints_close(struct flm_safepoints *safepoints); /* NULL: nothing */

/* Since the VM was started: the time from the request to stop until all threads run again. False:
 * the file cannot be read. */
struct flm_stopped {
    uint64_t count;
    int64_t ns;
};
bool flm_safepoints_read(const struct flm_safepoints *safepoints, struct flm_stopped *stopped);

/* Whether the VM has come to the end of its beginning. */
bool flm_safepoints_vm_has_begun(const struct flm_safepoints *safepoints);

#endif
