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

enum { MOST_NUMBER = 80 };

static struct flm_bytes print(char *buffer, const char *format, int64_t a, int64_t b)
{
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, MOST_NUMBER);
    flm_text_format(&text, format, (long long)a, (long long)b);
    return (struct flm_bytes){text.at, text.size};
}

static struct flm_bytes process_number(char *buffer, uint64_t process)
{
    int64_t number = (int64_t)(process & 0xffffff);
    return number > 0 ? print(buffer, "%lld", number, 0) : (struct flm_bytes){0};
}

uint32_t flm_nsight_thread(struct flm_nsight *n, int64_t global_tid)
{
    uint32_t found = flm_gpu_find_track(&n->gpu, (uint64_t)global_tid);
    if (found != FLM_NONE)
        return found;
    char process[MOST_NUMBER], thread[MOST_NUMBER];
    uint64_t global_pid = flm_nsight_process_of(global_tid);
    struct flm_gpu_names names = {
        .process = process_number(process, global_pid),
        .process_name = flm_nsight_text(&n->processes, global_pid),
        .thread = print(thread, "%lld", global_tid & 0xffffff, 0),
        .thread_name = flm_nsight_text(&n->threads, (uint64_t)global_tid),
    };
    return flm_gpu_add_track(&n->gpu, (uint64_t)global_tid, &names);
}

/* Processes number their streams alike, so that of the process is part of the name. */
uint32_t flm_nsight_stream(struct flm_nsight *n, int64_t global_pid, int64_t device, int64_t stream)
{
    uint64_t process = flm_nsight_process_of(global_pid);
    uint64_t key = flm_mix(flm_mix(process, (uint64_t)device + 1), (uint64_t)stream + 3) | 1;
    uint32_t found = flm_gpu_find_track(&n->gpu, key);
    if (found != FLM_NONE)
        return found;
    char process_text[MOST_NUMBER], device_text[MOST_NUMBER], stream_text[MOST_NUMBER];
    char name[2 * MOST_NUMBER];
    struct flm_gpu_names names = {
        .process = process_number(process_text, process),
        .process_name = flm_nsight_text(&n->processes, process),
        .device = print(device_text, "%lld", device, 0),
        .queue = print(stream_text, "%lld", stream, 0),
        .queue_key = "stream",
    };
    names.thread = print(name, "GPU %lld stream %lld", device, stream);
    if (names.process.size > 0) {
        struct flm_text text;
        flm_text_init_fixed(&text, name, sizeof name);
        text.size = names.thread.size;
        flm_text_puts(&text, " of process ");
        flm_text_add(&text, names.process);
        names.thread.size = text.size;
    }
    return flm_gpu_add_track(&n->gpu, key, &names);
}
