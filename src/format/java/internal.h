/* internal.h - shared by the readers of Java's thread dumps: what a thread is, as they all say it.
 *
 * A dump is the threads of a Java VM at one moment. Each thread that has frames is one sample, with
 * the value 1 in the metric "threads": so the samples of many dumps add up to a profile of the
 * elapsed time of every thread, whatever it did. Without frames (the VM's own threads, and those
 * that have not run Java code) it is counted in a note, and with options->by_thread it is a stack
 * of its name alone.
 *
 *     label          in a dump
 *     thread name    "main"
 *     thread         31675: nid, the number of the system's thread; #27: the VM's, of threads that
 *                    have no other (virtual ones, and where only that is written)
 *     state          RUNNABLE, BLOCKED, WAITING, TIMED_WAITING ... of java.lang.Thread.State
 *     lock           what it waits for: <0x000000069ec18258> (a java.lang.Object)
 *     daemon         yes
 *     virtual        yes
 *     carrier        the thread that a virtual one is mounted on
 *     container      dump_to_file: the container of the thread, such as an executor
 *     process        jcmd: 31673
 *
 * Dumps of a running VM are a series, with other metrics: dump_series.h. */
#ifndef FLAMEL_FORMAT_JAVA_INTERNAL_H
#define FLAMEL_FORMAT_JAVA_INTERNAL_H

#include "format/core/date.h"
#include "format/core/stack_buffer.h"

struct flm_java_series;

struct flm_java_threads {
    struct flm_stack_buffer stack; /* the frames of the current thread, leaf first */
    struct flm_metric metric;
    struct flm_java_series *series; /* NULL: dumps in a file */
    struct flm_text line_file;      /* of the current frame, with the folders of its package */
    uint64_t dumps, frameless, deadlocks;
};

/* A thread of a dump; its frames are in flm_java_threads. Members that the dump does not give are
 * empty. */
struct flm_java_thread {
    struct flm_bytes name, id, state, lock, process, carrier, container;
    bool is_daemon, is_virtual;
    uint64_t native; /* the number of the system's thread that it runs on; 0: not known */
    int64_t cpu_ns;  /* what that has used since it began; -1: not known */
};

/* A copied part of a line as bytes. The line itself is overwritten when the next one is read. */
static inline struct flm_bytes flm_java_kept(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static inline void flm_java_keep(struct flm_text *kept, struct flm_bytes text)
{
    kept->size = 0;
    flm_text_add(kept, text);
}

void flm_java_begin(struct flm_java_threads *threads, struct flm_builder *builder,
                    const struct flm_read_options *options);

/* Adds a frame of the current thread: "java.util.Arrays.sort(java.base@17.0.15/Arrays.java:99)", of
 * a dump that goes to a file "java.base/java.util.Arrays.sort(Arrays.java:99)". `is_internal`: the
 * class has its name of class files, "java/util/Arrays.sort", which stays as it is. */
void flm_java_frame(struct flm_java_threads *threads, struct flm_bytes text, bool is_internal);

/* Adds the thread, with the frames that it has; the next one has none yet. */
void flm_java_thread(struct flm_java_threads *threads, const struct flm_java_thread *thread,
                     int64_t time_ns);

/* Makes the notes, and frees what there is. */
void flm_java_end(struct flm_java_threads *threads);

/* Reads text, of one dump or many, to its end. *count receives how many threads it has. */
bool flm_java_read_text(struct flm_source *source, struct flm_java_threads *threads,
                        uint64_t *count, struct flm_error *why);

/* Adds the thread to its series, with the frames and labels that the stack has. */
void flm_java_series_thread(struct flm_java_series *series, struct flm_stack_buffer *stack,
                            const struct flm_java_thread *thread);

/* Thread dumps in JSON, a part of the format of thread dumps. */
int flm_java_sniff_json(struct flm_bytes head);
bool flm_java_read_json(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why);

#endif
