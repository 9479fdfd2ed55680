/* internal.h - a Gecko profile while it is resolved: what the files of the resolver share.
 *
 *     resolve.c           processes and threads, their labels and times; notes
 *     resolve_stacks.c    rows of the tables of frames and stacks: frames and nodes
 *     resolve_libs.c      libraries: of which module a frame is, and where names may be found
 *     resolve_samples.c   samples and allocations
 *     resolve_markers.c   markers and counters */
#ifndef FLAMEL_FORMAT_GECKO_INTERNAL_H
#define FLAMEL_FORMAT_GECKO_INTERNAL_H

#include "base/text/text.h"
#include "format/core/format.h"
#include "format/gecko/tables.h"
#include "profile/internal.h"

/* The frames and stacks of one set of tables. A node belongs to the thread of its round. */
struct flm_gecko_stacks {
    const struct flm_gecko_tables *tables;
    uint32_t *frames;      /* the builder's, by row; FLM_NONE: not made yet */
    unsigned char *traits; /* by function */
    int32_t *categories;   /* by stack; -2: not looked up yet */
    uint32_t *nodes;       /* by stack: its node in the thread of `rounds` */
    uint32_t *rounds;      /* by stack; 0: not made yet */
    size_t frame_count, func_count, stack_count;
    uint32_t round; /* counts the threads */
};

/* A library in which a frame without a name is: distinct ones may have the same name. */
struct flm_gecko_mapped {
    const struct flm_gecko_lib *lib;
    uint32_t module; /* a string of the builder: what its frames have */
};

struct flm_gecko_resolving {
    const struct flm_gecko_profile *p;
    const struct flm_gecko_process *process;
    const struct flm_gecko_thread *thread;
    const struct flm_gecko_strings *strings;
    const struct flm_read_options *options;
    struct flm_builder *builder;
    struct flm_error *why;
    struct flm_gecko_stacks *stacks; /* of the thread */
    struct flm_gecko_stacks shared;
    double shift_ms; /* from the clock of the process to that of the first */

    struct FLM_ARRAY(uint32_t) path; /* working memory: stacks up to one whose node is known */
    struct FLM_ARRAY(uint32_t) category_sets; /* label sets by category + 1; FLM_NONE */
    struct FLM_ARRAY(uint32_t) libs;          /* the order of `sorted_libs` by address */
    const struct flm_gecko_lib *sorted_libs;
    struct FLM_ARRAY(struct flm_gecko_mapped) mapped; /* libraries of frames without names */
    struct flm_text name;
    struct flm_metric metrics[3]; /* of the thread's samples: weight, time, CPU */
    bool has[3];
    uint64_t without_stack;
};

static inline struct flm_bytes flm_gecko_text(const struct flm_gecko_resolving *r, uint32_t index)
{
    return flm_gecko_string(&r->p->texts, index);
}

static inline const struct flm_gecko_column *flm_gecko_column_of(
    const struct flm_gecko_tables *tables, enum flm_gecko_column_name name)
{
    return &tables->columns[name];
}

static inline bool flm_gecko_no_memory(struct flm_gecko_resolving *r)
{
    return flm_error_memory(r->why);
}

static inline size_t flm_gecko_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The index of a string in the builder; 0 for an empty one. */
static inline uint32_t flm_gecko_string_of(struct flm_gecko_resolving *r, struct flm_bytes bytes)
{
    return bytes.size > 0 ? flm_builder_string(r->builder, bytes.at, bytes.size).index : 0;
}

/* The times of a table's rows: absolute, or each the difference to the row before. */
struct flm_gecko_clock {
    const struct flm_gecko_column *times, *deltas;
    double sum; /* of the differences so far */
};

/* The time of row `i`; rows are asked for in order. */
static inline double flm_gecko_clock_time(struct flm_gecko_clock *clock, size_t i)
{
    if (clock->times->count > 0)
        return flm_gecko_value(clock->times, i);
    double delta = flm_gecko_value(clock->deltas, i);
    if (delta == delta)
        clock->sum += delta;
    return i < clock->deltas->count ? clock->sum : delta;
}

/* resolve.c */

/* Always false, with an error that names the thread: "thread 'main': frame 12 has ...". */
bool flm_gecko_refuse(struct flm_gecko_resolving *r, const char *what, size_t row,
                      const char *wrong);

/* Milliseconds of the process as nanoseconds of the profile. */
int64_t flm_gecko_time_ns(const struct flm_gecko_resolving *r, double ms);

/* Appends a key and its value to `pairs`, unless the value is empty. */
void flm_gecko_label_add(struct flm_gecko_resolving *r, struct flm_string *pairs, size_t *count,
                         const char *key, struct flm_bytes value);

/* The labels of the thread's samples and markers in a category; -1: in none. */
struct flm_label_set flm_gecko_labels_of(struct flm_gecko_resolving *r, int32_t category);

/* resolve_stacks.c */

bool flm_gecko_stacks_init(struct flm_gecko_resolving *r, struct flm_gecko_stacks *s,
                           const struct flm_gecko_tables *t);
void flm_gecko_stacks_clear(struct flm_gecko_stacks *s);

/* Empty where there is no such category. */
struct flm_bytes flm_gecko_category_name(const struct flm_gecko_resolving *r, int32_t category);

/* Makes the node of a stack, below the thread's node. False, and the error is set, where an index
 * leads out of its table. */
bool flm_gecko_node_of(struct flm_gecko_resolving *r, struct flm_node thread, int32_t stack,
                       struct flm_node *node);

/* The category of a stack whose node was made: that of the innermost frame that has one. */
int32_t flm_gecko_category_of(const struct flm_gecko_stacks *s, int32_t stack);

/* resolve_libs.c */

/* Sets the module: that of the library that the frame names, which is returned (NULL: none). */
const struct flm_gecko_lib *flm_gecko_set_module(struct flm_gecko_resolving *r,
                                                 const struct flm_gecko_tables *t, size_t frame,
                                                 int32_t func, struct flm_frame_record *record);

/* The same by an address, which becomes that in the library. */
void flm_gecko_set_module_at(struct flm_gecko_resolving *r, uint64_t *address,
                             struct flm_frame_record *record);

/* Remembers that a frame without a name is in this library (NULL: in none). A library that has the
 * name of another gets another name, which the frame has then. */
void flm_gecko_want_names(struct flm_gecko_resolving *r, const struct flm_gecko_lib *lib,
                          struct flm_frame_record *record);

/* Adds the notes that say where these libraries were mapped. */
void flm_gecko_note_libs(struct flm_gecko_resolving *r);

/* resolve_samples.c: both add to the stacks below the node `thread`. */

bool flm_gecko_add_samples(struct flm_gecko_resolving *r, struct flm_node thread);

/* `first` is the first of the three columns of the table. */
bool flm_gecko_add_allocations(struct flm_gecko_resolving *r, struct flm_node thread,
                               enum flm_gecko_column_name first, const char *name,
                               const char *freed);

/* resolve_markers.c */

bool flm_gecko_add_markers(struct flm_gecko_resolving *r);
void flm_gecko_add_counter(struct flm_gecko_resolving *r, const struct flm_gecko_counter *c);

#endif
