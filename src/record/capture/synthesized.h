/* synthesized.h - records of what existed before the recording, as the kernel would have written
 * them: names of threads, mapped files, the kernel.
 *
 * They are made from /proc, and treated like all other records: added to the session, and
 * spooled. perf calls them synthesized events. */
#ifndef FLAMEL_RECORD_CAPTURE_SYNTHESIZED_H
#define FLAMEL_RECORD_CAPTURE_SYNTHESIZED_H

#include "base/text/text.h"
#include "flamel/error.h"
#include "symbol/identity/build_id.h"

/* With the fields that end every record: those of sample_id for FLM_STREAM_SAMPLE. */
struct flm_synthesized {
    const char *root; /* of /proc: "" except in tests */
    uint64_t id;      /* of the event that has such records */
    int64_t time_ns;  /* before all recorded events */
    bool (*sink)(void *context, char *record, size_t size, struct flm_error *why);
    void *context;
};

/* A process that ends meanwhile has fewer records; that is no failure. False when the sink
 * failed. */
bool flm_synthesize_process(const struct flm_synthesized *synthesized, int32_t process,
                            struct flm_error *why);
bool flm_synthesize_machine(const struct flm_synthesized *synthesized, struct flm_error *why);

/* The kernel and its modules, if their addresses are not hidden. */
bool flm_synthesize_kernel(const struct flm_synthesized *synthesized, struct flm_error *why);

/* ---- synthesized_build_id.c ------------------------------------------------------------------ */

/* The build id of a file that a process has mapped at `start`, `size` bytes of it. False: it has
 * none, or the process may not be read. */
bool flm_mapped_build_id(int32_t process, uint64_t start, uint64_t size, struct flm_build_id *id);

#endif
