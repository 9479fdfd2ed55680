/* synthesized.h - records of what was there before recording began, as the kernel would have
 * written them: names of threads, files that are mapped, the kernel itself.
 *
 * They are made of /proc and go the way of all other records: into the session, and onto disk. */
#ifndef FLAMEL_RECORD_CAPTURE_SYNTHESIZED_H
#define FLAMEL_RECORD_CAPTURE_SYNTHESIZED_H

#include "base/text/text.h"
#include "flamel/error.h"

/* What every record ends with: the fields of sample_id for FLM_STREAM_SAMPLE. */
struct flm_synthesized {
    const char *root; /* of /proc: "" but in tests */
    uint64_t id;      /* of the event that carries such records */
    int64_t time_ns;  /* before everything that is recorded */
    bool (*sink)(void *context, char *record, size_t size, struct flm_error *why);
    void *context;
};

/* A process that goes away meanwhile leaves fewer records, and is no failure. False when the sink
 * said so. */
bool flm_synthesize_process(const struct flm_synthesized *synthesized, int32_t process,
                            struct flm_error *why);
bool flm_synthesize_machine(const struct flm_synthesized *synthesized, struct flm_error *why);

/* The kernel and its modules, where their addresses may be seen. */
bool flm_synthesize_kernel(const struct flm_synthesized *synthesized, struct flm_error *why);

#endif
