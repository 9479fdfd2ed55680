#include "record/session/session_markers.h"

#include <assert.h>
#include <stdlib.h>

#include "record/session/aggregation.h"
#include "record/session/label_set.h"

enum { MOST_MARKERS = 200000, MOST_POINTS = 200000, MOST_BUCKETS = 4096, MOST_DETAILS = 16 << 20 };

#define LEAST_WIDTH_NS INT64_C(10000000)

void flm_session_markers_clear(struct flm_session_markers *m)
{
    FLM_ARRAY_CLEAR(&m->items);
    flm_text_clear(&m->details);
    FLM_ARRAY_CLEAR(&m->sampled.busy_ns);
    FLM_ARRAY_CLEAR(&m->switched.busy_ns);
    FLM_ARRAY_CLEAR(&m->memory);
    *m = (struct flm_session_markers){0};
}

static bool set_detail(struct flm_session_markers *m, struct flm_session_marker *marker,
                       struct flm_bytes detail)
{
    if (m->details.size + detail.size > MOST_DETAILS) {
        m->details_left_out++;
        detail.size = 0;
    }
    marker->detail_start = m->details.size;
    marker->detail_size = detail.size;
    flm_text_add(&m->details, detail);
    return !m->details.failed;
}

bool flm_session_markers_add(struct flm_session_markers *m, const struct flm_session_marker *marker,
                             struct flm_bytes detail)
{
    if (m->items.count == MOST_MARKERS) {
        m->left_out++;
        return true;
    }
    struct flm_session_marker added = *marker;
    m->exec_without_path += marker->kind == FLM_MARKER_EXEC;
    return set_detail(m, &added, detail) && FLM_ARRAY_ADD(&m->items, added);
}

/* The last marker of a kind that a process has among the last ones; NULL: none. */
static struct flm_session_marker *find_last(struct flm_session_markers *m, int32_t process,
                                            enum flm_session_marker_kind kind, size_t most)
{
    for (size_t i = m->items.count; i-- > 0 && most-- > 0;)
        if (m->items.at[i].kind == kind && m->items.at[i].process == process)
            return &m->items.at[i];
    return NULL;
}

bool flm_session_markers_program(struct flm_session_markers *m, int32_t process,
                                 struct flm_bytes path)
{
    enum { NEAR = 64 };
    if (m->exec_without_path == 0)
        return true;
    struct flm_session_marker *exec = find_last(m, process, FLM_MARKER_EXEC, NEAR);
    if (!exec || (exec->detail_size > 0 && m->details.at[exec->detail_start] == '/'))
        return true;
    m->exec_without_path--;
    return set_detail(m, exec, path);
}

bool flm_session_markers_exit(struct flm_session_markers *m, int32_t process,
                              struct flm_bytes status)
{
    if (m->items.count == MOST_MARKERS)
        return true; /* its marker may be one of those that were left out */
    struct flm_session_marker *exit = find_last(m, process, FLM_MARKER_EXIT, SIZE_MAX);
    return !exit || set_detail(m, exit, status);
}

bool flm_session_markers_memory(struct flm_session_markers *m, int32_t process, int64_t time_ns,
                                double bytes)
{
    /* A counter keeps its value until the next: most processes do not grow in most moments. */
    enum { NEAR = 256 };
    size_t most = NEAR;
    for (size_t i = m->memory.count; i-- > 0 && most-- > 0;)
        if (m->memory.at[i].process == process) {
            if (m->memory.at[i].bytes == bytes)
                return true;
            break;
        }
    if (m->memory.count >= MOST_POINTS && bytes != 0) { /* the end of a process is always told */
        m->left_out++;
        return true;
    }
    return FLM_ARRAY_ADD(&m->memory, (struct flm_session_point){process, time_ns, bytes});
}

bool flm_session_markers_no_memory(struct flm_session_markers *m, int32_t process, int64_t time_ns)
{
    enum { NEAR = 256 };
    size_t most = NEAR;
    for (size_t i = m->memory.count; i-- > 0 && most-- > 0;)
        if (m->memory.at[i].process == process)
            return flm_session_markers_memory(m, process, time_ns, 0);
    return true;
}

/* ---- Busy processors ------------------------------------------------------------------------- */

/* Times beyond are no one's: three hundred years are 9.5e18 ns, and sums of two have to be
 * times. */
#define FARTHEST_NS (INT64_MAX / 4)

static void double_width(struct flm_busy *busy)
{
    size_t count = busy->busy_ns.count;
    for (size_t i = 0; i < count; i += 2)
        busy->busy_ns.at[i / 2] =
            busy->busy_ns.at[i] + (i + 1 < count ? busy->busy_ns.at[i + 1] : 0);
    busy->busy_ns.count = (count + 1) / 2;
    busy->width_ns *= 2;
}

void flm_busy_begin(struct flm_busy *busy, int64_t from_ns)
{
    if (busy->width_ns != 0 || from_ns < -FARTHEST_NS || from_ns > FARTHEST_NS)
        return;
    busy->width_ns = LEAST_WIDTH_NS;
    busy->first_ns = from_ns;
}

bool flm_busy_add(struct flm_busy *busy, int64_t from_ns, int64_t to_ns)
{
    if (from_ns < -FARTHEST_NS || to_ns > FARTHEST_NS)
        return true; /* a damaged file has such times */
    flm_busy_begin(busy, from_ns);
    from_ns = from_ns < busy->first_ns ? busy->first_ns : from_ns;
    if (to_ns <= from_ns)
        return true;
    int64_t from = from_ns - busy->first_ns, to = to_ns - busy->first_ns;
    while (to / busy->width_ns >= MOST_BUCKETS)
        double_width(busy);
    size_t last = (size_t)((to - 1) / busy->width_ns);
    if (last >= busy->busy_ns.count) {
        size_t more = last + 1 - busy->busy_ns.count;
        if (!FLM_ARRAY_RESERVE(&busy->busy_ns, more))
            return false;
        for (; more > 0; more--)
            busy->busy_ns.at[busy->busy_ns.count++] = 0;
    }
    while (from < to) {
        size_t bucket = (size_t)(from / busy->width_ns);
        int64_t end = (int64_t)(bucket + 1) * busy->width_ns;
        end = end < to ? end : to;
        busy->busy_ns.at[bucket] += (double)(end - from);
        from = end;
    }
    return true;
}

/* A point for each bucket that differs from the one before, and 0 after the last. A bucket holds at
 * least ten samples of one processor, where time comes from samples. */
static void add_busy(const struct flm_busy *busy, double every_ns, struct flm_builder *b)
{
    if (busy->busy_ns.count == 0)
        return;
    struct flm_counter counter =
        flm_builder_counter(b, flm_builder_string(b, "processors busy", 15),
                            flm_builder_string(b, "", 0), (struct flm_label_set){0});
    size_t each = 1, count = busy->busy_ns.count;
    while ((double)busy->width_ns * (double)each < 10 * every_ns && each < count)
        each++;
    double last = -1;
    for (size_t i = 0; i <= count + each - 1; i += each) {
        double sum = 0;
        for (size_t k = i; k < i + each && k < count; k++)
            sum += busy->busy_ns.at[k];
        double value = sum / ((double)busy->width_ns * (double)each);
        if (value != last)
            flm_builder_counter_point(b, counter, busy->first_ns + (int64_t)i * busy->width_ns,
                                      value);
        last = value;
    }
}

/* ---- Into a builder -------------------------------------------------------------------------- */

static struct flm_string text_string(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

static void add_memory(const struct flm_session_markers *m, struct flm_builder *b)
{
    struct flm_string name = text_string(b, "memory"), bytes = text_string(b, "bytes");
    for (size_t i = 0; i < m->memory.count && !flm_builder_failed(b); i++) {
        const struct flm_session_point *point = &m->memory.at[i];
        const struct flm_sample_attributes whose = {
            .process = point->process, .thread = -1, .cpu = UINT32_MAX};
        struct flm_counter counter = flm_builder_counter(
            b, name, bytes, flm_session_label_set(b, &whose, FLM_STATE_RUNNING));
        flm_builder_counter_point(b, counter, point->time_ns, point->bytes);
    }
}

bool flm_session_markers_finish(const struct flm_session_markers *m, struct flm_builder *b)
{
    static const char *const names[FLM_MARKER_KINDS] = {
        "fork", "exec", "exit", "thread start", "thread name", "thread exit"};
    for (size_t i = 0; i < m->items.count && !flm_builder_failed(b); i++) {
        const struct flm_session_marker *marker = &m->items.at[i];
        const struct flm_sample_attributes whose = {.command = marker->command,
                                                    .process = marker->process,
                                                    .thread = marker->thread,
                                                    .cpu = UINT32_MAX};
        struct flm_string detail = flm_builder_string(
            b, m->details.at ? m->details.at + marker->detail_start : "", marker->detail_size);
        flm_builder_marker(b, marker->time_ns, 0, text_string(b, names[marker->kind]), detail,
                           flm_session_label_set(b, &whose, FLM_STATE_RUNNING));
    }
    if (m->switched.busy_ns.count > 0)
        add_busy(&m->switched, 0, b);
    else
        add_busy(&m->sampled, m->sampled_every_ns, b);
    add_memory(m, b);
    if (m->left_out > 0)
        flm_builder_lost(b, "markers and counter values beyond 200,000", "", 0,
                         (double)m->left_out);
    if (m->details_left_out > 0)
        flm_builder_lost(b, "details of markers beyond 16 MiB", "", 0, (double)m->details_left_out);
    return !flm_builder_failed(b);
}
