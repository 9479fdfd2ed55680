#include "base/core/hash.h"
#include "format/nsight/internal.h"
#include "profile/internal.h"

/* ---- Texts by number ------------------------------------------------------------------------- */

void flm_nsight_add_text(struct flm_nsight *n, struct flm_sqlite_texts *texts, uint64_t key,
                         int64_t priority, struct flm_bytes text)
{
    if (!flm_sqlite_texts_add(texts, &n->db, key, priority, text))
        flm_builder_fail_memory(n->builder);
}

struct flm_bytes flm_nsight_text(const struct flm_sqlite_texts *texts, uint64_t key)
{
    const struct flm_sqlite_text *found = flm_sqlite_texts_find(texts, key);
    return found ? found->text : (struct flm_bytes){0};
}

struct flm_bytes flm_nsight_string(struct flm_nsight *n, const struct flm_sqlite_value *value)
{
    if (value->type == FLM_SQLITE_TEXT)
        return value->bytes;
    if (value->type != FLM_SQLITE_INTEGER)
        return (struct flm_bytes){0};
    const struct flm_sqlite_text *found =
        flm_sqlite_texts_find(&n->strings, (uint64_t)value->integer);
    n->unknown_strings += !found;
    return found ? found->text : (struct flm_bytes){0};
}

static void read_strings(struct flm_nsight *n)
{
    static const char *const wanted[] = {"id", "value", NULL};
    struct flm_sqlite_rows rows;
    flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, "StringIds"), wanted);
    while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder))
        flm_nsight_add_text(n, &n->strings, (uint64_t)rows.value[0].integer, 0,
                            rows.value[1].bytes);
    flm_sqlite_end(&rows);
}

/* A thread may have several names: that of the system (priority 20), one that the profiler knows it
 * by (10), and one that the program gave it through NVTX (0). */
static void read_thread_names(struct flm_nsight *n)
{
    static const char *const wanted[] = {"globalTid", "nameId", "priority", NULL};
    struct flm_sqlite_rows rows;
    flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, "ThreadNames"), wanted);
    while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder))
        flm_nsight_add_text(n, &n->threads, (uint64_t)rows.value[0].integer, rows.value[2].integer,
                            flm_nsight_string(n, &rows.value[1]));
    flm_sqlite_end(&rows);
}

static void read_process_names(struct flm_nsight *n)
{
    static const char *const wanted[] = {"globalPid", "name", NULL};
    struct flm_sqlite_rows rows;
    flm_sqlite_begin(&rows, &n->db, flm_sqlite_table(&n->db, "PROCESSES"), wanted);
    while (flm_sqlite_next(&rows) && !flm_builder_failed(n->builder))
        flm_nsight_add_text(n, &n->processes, flm_nsight_process_of(rows.value[0].integer), 0,
                            rows.value[1].bytes);
    flm_sqlite_end(&rows);
}

void flm_nsight_read_names(struct flm_nsight *n)
{
    read_strings(n);
    read_thread_names(n);
    read_process_names(n);
}

void flm_nsight_clear_names(struct flm_nsight *n)
{
    flm_sqlite_texts_clear(&n->strings);
    flm_sqlite_texts_clear(&n->threads);
    flm_sqlite_texts_clear(&n->processes);
    flm_sqlite_texts_clear(&n->domains);
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

static int64_t number_of(uint64_t process)
{
    return (int64_t)(process & 0xffffff);
}

uint32_t flm_nsight_thread(struct flm_nsight *n, int64_t global_tid)
{
    uint32_t found = flm_gpu_find_track(&n->gpu, (uint64_t)global_tid);
    if (found != FLM_NONE)
        return found;
    uint64_t process = flm_nsight_process_of(global_tid);
    return flm_gpu_add_thread(&n->gpu, (uint64_t)global_tid, number_of(process),
                              flm_nsight_text(&n->processes, process), global_tid & 0xffffff,
                              flm_nsight_text(&n->threads, (uint64_t)global_tid));
}

uint32_t flm_nsight_stream(struct flm_nsight *n, int64_t global_pid, int64_t device, int64_t stream)
{
    uint64_t process = flm_nsight_process_of(global_pid);
    uint64_t key = flm_mix(flm_mix(process, (uint64_t)device + 1), (uint64_t)stream + 3) | 1;
    uint32_t found = flm_gpu_find_track(&n->gpu, key);
    return found != FLM_NONE
               ? found
               : flm_gpu_add_stream(&n->gpu, key, number_of(process),
                                    flm_nsight_text(&n->processes, process), device, stream);
}
