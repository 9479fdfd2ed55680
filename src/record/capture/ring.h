/* ring.h - the ring buffers of the kernel: one mapped ring for each CPU, read in the order of time.
 *
 * Where only some CPUs are asked for, the others have a ring too, of an event without samples: a
 * process that began there is known when it comes to one that is sampled.
 *
 * An event that children inherit must be bound to a CPU, so there is a file for each event, task
 * and CPU; all files of one CPU write to one ring.
 *
 *     CPU 0   [....MMMSSSSSSS]          each ring is in the order of time by itself,
 *     CPU 1   [...SSSSSFS....]          so reading them together is a merge
 *
 * Records are passed to the sink in place, without copying. What one CPU writes now may be older
 * than what another one has written already, so a round passes on only what is older than its own
 * beginning, and leaves the rest for the next round: the rings are the queue. Only a record that
 * wraps around the end of its ring is copied. */
#ifndef FLAMEL_RECORD_CAPTURE_RING_H
#define FLAMEL_RECORD_CAPTURE_RING_H

#include "record/capture/request.h"
#include "record/perf/event.h"

struct flm_rings;

/* Opens the events of `request` for each of `tasks` ({-1}: for everything that runs) on each CPU.
 * Rings have `size` bytes, or as much as may be locked: half of it, and so on down to 64 KiB. Tasks
 * that have ended meanwhile are skipped. NULL, and `why` with what would permit it. */
struct flm_rings *flm_rings_open(struct flm_request *request, const int32_t *tasks,
                                 size_t task_count, size_t size, bool own_tasks,
                                 const struct flm_limits *limits, const struct flm_kernel *kernel,
                                 struct flm_error *why);
void flm_rings_close(struct flm_rings *rings);

size_t flm_rings_size(const struct flm_rings *rings);  /* of each, in bytes */
size_t flm_rings_count(const struct flm_rings *rings); /* CPUs that are sampled */

/* The ids in samples of an event. */
const uint64_t *flm_rings_ids(const struct flm_rings *rings, size_t event, size_t *count);

void flm_rings_start(struct flm_rings *rings);
void flm_rings_stop(struct flm_rings *rings);

/* Whether what is new is read at once, which may be out of order. From the first time on, samples
 * of threads whose events are opened wake us up. With `prompt` both are always so. */
void flm_rings_hurry(struct flm_rings *rings, bool hurried);

/* Sleeps until a ring is a quarter full, `file` (-1: none) is readable, the time is over, or a
 * signal arrived. Returns whether any recorded task may still live. */
bool flm_rings_wait(struct flm_rings *rings, int file, int timeout_ms);

/* The file that becomes readable when one ring is, -1 when it will not any more; and another one,
 * when that only says that its task has ended. */
struct flm_ring;
int flm_rings_file(const struct flm_rings *rings, const struct flm_ring *ring);
void flm_rings_poll_another(struct flm_rings *rings, struct flm_ring *ring);

/* Files and ids of an event of one thread, on every CPU. */
struct flm_thread_files {
    struct FLM_ARRAY(int) files;
    struct FLM_ARRAY(uint64_t) ids;
};

/* Opens an event, whose samples `attr` describes, for a thread that is recorded already: enabled,
 * and in the same rings. At most `most` more files. False, and nothing is open, when it is refused
 * or memory ran out. */
bool flm_rings_open_thread(struct flm_rings *rings, const struct flm_kernel *kernel,
                           const struct perf_event_attr *attr, int32_t thread, size_t most,
                           struct flm_thread_files *files);

/* Ends the sampling; the ids remain, for what is still in the rings. */
void flm_rings_close_thread(struct flm_rings *rings, struct flm_thread_files *files);

/* Open files, without those of single threads. */
size_t flm_rings_files(const struct flm_rings *rings);

/* Receives a record in place, and its event. False stops. */
typedef bool (*flm_record_sink)(void *context, const char *record, size_t size,
                                struct flm_event *event, struct flm_error *why);

/* The kernel takes the time of an event shortly before it appears in the ring: at most an interrupt
 * handler runs in between. */
enum { FLM_RINGS_MOMENT_NS = 1000000 };

/* Reads one round, which began at `now_ns`: what is older than a moment before that or, when
 * hurried, than that. INT64_MAX: also the newest records, once nobody writes any more. False when
 * the sink failed. */
bool flm_rings_read(struct flm_rings *rings, const struct flm_event_layouts *layouts,
                    int64_t now_ns, flm_record_sink sink, void *context, struct flm_error *why);

struct flm_ring_counts {
    uint64_t records, late, damaged; /* passed on; of these out of order; malformed */
    uint64_t lost;                   /* PERF_FORMAT_LOST; 0 before Linux 6.0 */
    double events;                   /* of the first event, counted by the kernel */
    double cpu_s;                    /* how long the first event ran: while its tasks did */
};
struct flm_ring_counts flm_rings_counts(const struct flm_rings *rings);

#endif
