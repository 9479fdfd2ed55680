/* records.h - records as the kernel writes them, and files of them, made field by field. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_RECORDS_H
#define FLAMEL_TESTS_SUPPORT_RECORD_RECORDS_H

#include "base/text/text.h"
#include "record/perf/event.h"

/* Bytes that grow; numbers are added in our byte order, or turned round. */
struct records {
    struct flm_text bytes;
    bool swapped;
    size_t start; /* of the record that is open */
};

void records_clear(struct records *records);
void put64(struct records *records, uint64_t value);
void put32(struct records *records, uint32_t value);
void put_text(struct records *records, const char *text); /* filled with zeros up to 8 bytes */

/* Begins a record; ends it, and writes its size into its header. */
void record_begin(struct records *records, uint32_t type, uint16_t misc);
void record_end(struct records *records);

/* What samples hold, and their trailers: all that the records below put there. */
#define RECORDS_SAMPLE_TYPE                                                                        \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |                    \
     PERF_SAMPLE_CALLCHAIN)

/* Attributes (of 112 bytes) of an event with that sample type. */
struct flm_text records_attributes(uint32_t type, uint64_t config, uint64_t sample_type,
                                   bool swapped);

/* Whole records, of thread `thread` in process `process`, with a trailer of thread and time. */
void put_map(struct records *r, int process, uint64_t time, uint64_t start, uint64_t size,
             uint64_t offset, const char *path);
void put_name(struct records *r, int process, int thread, uint64_t time, const char *name,
              bool is_exec);
void put_fork(struct records *r, int process, int parent, int thread, int parent_thread,
              uint64_t time);
void put_exit(struct records *r, int process, int thread, uint64_t time);
void put_switch(struct records *r, int process, int thread, uint64_t time, bool out,
                bool preempted);
void put_lost(struct records *r, uint64_t time, uint64_t count);
void put_sample(struct records *r, int process, int thread, uint64_t time, const uint64_t *chain,
                size_t count);
void put_round(struct records *r);

/* One event with that sample type, in `layouts`. */
void records_layout(struct flm_event_layouts *layouts, uint32_t type, uint64_t config,
                    const char *name);

/* All records, decoded one after the other and handed to `sink`. */
void records_each(struct records *r, const struct flm_event_layouts *layouts, flm_event_sink sink,
                  void *context);

#endif
