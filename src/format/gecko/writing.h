/* writing.h - a profile while the Gecko format is written: what the files of the writer share.
 *
 *     write.c            the whole: what the profile is, and the order of its parts
 *     write_items.c      what is written: the samples of each thread, modules
 *     write_tables.c     stacks, frames, functions, libraries
 *     write_threads.c    threads with their samples and markers; counters */
#ifndef FLAMEL_FORMAT_GECKO_WRITING_H
#define FLAMEL_FORMAT_GECKO_WRITING_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/json_write.h"
#include "profile/label_range.h"

/* The indices of the categories that write.c writes. */
enum {
    FLM_GECKO_CATEGORY_OTHER,
    FLM_GECKO_CATEGORY_USER,
    FLM_GECKO_CATEGORY_KERNEL,
    FLM_GECKO_CATEGORY_JIT,
    FLM_GECKO_CATEGORY_GPU
};

/* A thread of the file: the samples of one process and thread below one root frame. */
struct flm_gecko_group {
    uint32_t root;            /* the frame at the root, if it is a label; FLM_NONE */
    uint32_t process, thread; /* label values; FLM_NONE */
    uint32_t process_name, thread_name;
    uint32_t count, first; /* of its items */
};

/* What the profile says to be the time between samples: the last of a thread lasts as long. */
enum { FLM_GECKO_INTERVAL_MS = 1 };

struct flm_gecko_item {
    double time, duration, value, cpu; /* times in ms; a duration of 0 is unknown */
    uint32_t node, group;
};

struct flm_gecko_writing {
    const struct flm_profile *p; /* each location is a frame (profile/chains.h) */
    struct flm_location *place;  /* by frame: its line that ran, and its address */
    uint32_t *func_of;           /* by frame: the number of its function */
    bool lines_ran;              /* those of frames, which are no part of functions then */
    struct flm_json_writer json;
    uint32_t metric, cpu;   /* cpu: the metric of that name, or FLM_NONE */
    bool has_times;         /* of the profile, not invented */
    double scale;           /* values are divided by it */
    const char *type;       /* weightType */
    uint32_t *parent, *top; /* by node: its caller, and its outermost caller */
    struct FLM_ARRAY(struct flm_gecko_group) groups;
    struct flm_index group_index;
    struct FLM_ARRAY(struct flm_gecko_item) items; /* by group, then time */
    struct FLM_ARRAY(uint32_t) modules;            /* strings, each once */
    uint32_t *module_of;                           /* by frame: of `modules`; FLM_NONE */
    bool failed;
};

static inline bool flm_gecko_is_label(const struct flm_gecko_writing *w, uint32_t node)
{
    return node != 0 && w->p->frames[w->p->node_frame[node]].kind == FLM_KIND_LABEL;
}

/* Of a line that ran, which may be in another file than its function. */
static inline uint32_t flm_gecko_file_of(const struct flm_gecko_writing *w, uint32_t frame)
{
    return w->place[frame].file ? w->place[frame].file : w->p->frames[frame].file;
}

static inline double flm_gecko_milliseconds(int64_t ns)
{
    return (double)ns / 1e6;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static inline void flm_gecko_put_object(struct flm_gecko_writing *w, const char *key)
{
    flm_json_begin(&w->json, key, FLM_JSON_OBJECT);
}

static inline void flm_gecko_put_column(struct flm_gecko_writing *w, const char *key)
{
    flm_json_begin(&w->json, key, FLM_JSON_ARRAY_LINE);
}

static inline void flm_gecko_put_end(struct flm_gecko_writing *w)
{
    flm_json_end(&w->json);
}

static inline void flm_gecko_put_number(struct flm_gecko_writing *w, const char *key, double value)
{
    flm_json_add_number(&w->json, key, value);
}

static inline void flm_gecko_put_text(struct flm_gecko_writing *w, const char *key,
                                      const char *value)
{
    flm_json_add_text(&w->json, key, flm_bytes_of(value));
}

static inline void flm_gecko_put_or_null(struct flm_gecko_writing *w, bool is_there, double value)
{
    if (is_there)
        flm_gecko_put_number(w, NULL, value);
    else
        flm_json_add_null(&w->json, NULL);
}

/* write.c: a column of `count` times the same value: "null", "false" or a digit. */
void flm_gecko_put_constants(struct flm_gecko_writing *w, const char *key, size_t count,
                             const char *value);

/* ---- What is written ------------------------------------------------------------------------- */

/* write_items.c */

/* The value that a label set has for a key: a string, or FLM_NONE. */
uint32_t flm_gecko_label_value(const struct flm_gecko_writing *w, uint32_t set,
                               struct flm_label_range range);
void flm_gecko_find_items(struct flm_gecko_writing *w);
void flm_gecko_sort_items(struct flm_gecko_writing *w);
void flm_gecko_find_modules(struct flm_gecko_writing *w);

/* write_tables.c */

void flm_gecko_find_functions(struct flm_gecko_writing *w);
void flm_gecko_write_libs(struct flm_gecko_writing *w);
void flm_gecko_write_shared(struct flm_gecko_writing *w);

/* write_threads.c */

/* For each marker the group that it belongs to: the first with its labels, else the first of all.
 * The caller frees it; NULL if memory ran out. */
uint32_t *flm_gecko_find_marker_groups(struct flm_gecko_writing *w);
void flm_gecko_write_thread(struct flm_gecko_writing *w, uint32_t index,
                            const uint32_t *marker_groups);
void flm_gecko_write_counters(struct flm_gecko_writing *w);

#endif
