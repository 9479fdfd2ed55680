#include "record/capture/thread_events.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

struct flm_thread_handle {
    unsigned level;
    struct flm_thread_files of_event[FLM_REQUEST_MOST_EVENTS];
};

static struct perf_event_attr attributes_of(const struct flm_thread_events *e, size_t event,
                                            unsigned level)
{
    struct perf_event_attr attr = e->request->event[event].attr;
    attr.sample_stack_user = (uint32_t)e->sizes[level];
    return attr;
}

bool flm_thread_events_init(struct flm_thread_events *e, struct flm_error *why)
{
    assert(e->rings && e->layouts && e->request && e->kernel);
    assert(e->layouts->items.count == e->request->count);
    for (unsigned level = 1; level < FLM_STACK_SIZES_LEVELS; level++)
        for (size_t event = 0; event < e->request->count; event++) {
            struct flm_event_layout layout = e->layouts->items.at[event];
            if (!flm_event_layouts_add(e->layouts, &layout, NULL, 0, why))
                return false;
        }
    return true;
}

static uint32_t layout_of(const struct flm_thread_events *e, unsigned level, size_t event)
{
    return (uint32_t)(level * e->request->count + event);
}

unsigned flm_thread_events_level(const struct flm_thread_events *e,
                                 const struct flm_event_layout *layout, size_t *event)
{
    *event = layout->number;
    if (layout->number < e->request->count)
        return 0; /* nearly always, and a division takes as long as all else here */
    *event = layout->number % e->request->count;
    return (unsigned)(layout->number / e->request->count);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static void end_sampling(struct flm_thread_events *e, struct flm_thread_handle *handle)
{
    for (size_t event = 0; event < e->request->count; event++) {
        e->open_files -= handle->of_event[event].files.count;
        flm_rings_close_thread(e->rings, &handle->of_event[event]);
    }
}

static void free_handle(struct flm_thread_events *e, struct flm_thread_handle *handle)
{
    if (!handle)
        return;
    end_sampling(e, handle);
    for (size_t event = 0; event < e->request->count; event++) {
        flm_event_layouts_remove_ids(e->layouts, handle->of_event[event].ids.at,
                                     handle->of_event[event].ids.count);
        FLM_ARRAY_CLEAR(&handle->of_event[event].ids);
    }
    free(handle);
}

static bool open_events(struct flm_thread_events *e, struct flm_thread_handle *handle,
                        int32_t thread)
{
    for (size_t event = 0; event < e->request->count; event++) {
        struct perf_event_attr attr = attributes_of(e, event, handle->level);
        struct flm_thread_files *files = &handle->of_event[event];
        size_t used = flm_rings_files(e->rings) + e->open_files;
        if (!(attr.sample_type & PERF_SAMPLE_STACK_USER))
            continue;
        if (!flm_rings_open_thread(e->rings, e->kernel, &attr, thread,
                                   used < e->most_files ? e->most_files - used : 0, files))
            return false;
        e->open_files += files->files.count;
        if (!flm_event_layouts_add_ids(e->layouts, layout_of(e, handle->level, event),
                                       files->ids.at, files->ids.count))
            return false;
    }
    return true;
}

static int open_thread(void *context, int32_t thread, unsigned level)
{
    struct flm_thread_events *e = context;
    size_t at = 0;
    while (at < e->handles.count && e->handles.at[at])
        at++;
    if (at == e->handles.count && !FLM_ARRAY_ADD(&e->handles, NULL))
        return -1;
    struct flm_thread_handle *handle = calloc(1, sizeof *handle);
    if (!handle)
        return -1;
    handle->level = level;
    if (!open_events(e, handle, thread)) {
        free_handle(e, handle);
        return -1;
    }
    e->handles.at[at] = handle;
    return (int)at;
}

static void close_thread(void *context, int handle)
{
    struct flm_thread_events *e = context;
    end_sampling(e, e->handles.at[handle]);
}

static void forget_thread(void *context, int handle)
{
    struct flm_thread_events *e = context;
    free_handle(e, e->handles.at[handle]);
    e->handles.at[handle] = NULL;
}

struct flm_stack_sizes_events flm_thread_events_functions(struct flm_thread_events *e)
{
    return (struct flm_stack_sizes_events){e, open_thread, close_thread, forget_thread};
}

void flm_thread_events_clear(struct flm_thread_events *e)
{
    for (size_t i = 0; i < e->handles.count; i++)
        free_handle(e, e->handles.at[i]);
    FLM_ARRAY_CLEAR(&e->handles);
}

/* ---- Records --------------------------------------------------------------------------------- */

void flm_thread_events_hide(const struct flm_thread_events *e, char *record, size_t size)
{
    struct perf_event_header header;
    uint64_t id;
    size_t event, count;
    memcpy(&header, record, sizeof header);
    /* PERF_SAMPLE_IDENTIFIER is the first word of a sample, and the last one of other records. */
    char *at = header.type == PERF_RECORD_SAMPLE ? record + sizeof header : record + size - 8;
    memcpy(&id, at, sizeof id);
    const struct flm_event_layout *layout = flm_event_layouts_find(e->layouts, id);
    if (!layout || flm_thread_events_level(e, layout, &event) == 0)
        return;
    const uint64_t *ids = flm_rings_ids(e->rings, event, &count);
    if (count > 0)
        memcpy(at, &ids[0], sizeof *ids);
}
