#include "load/chunks.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "algebra/operation/algebra.h"
#include "base/core/scan.h"
#include "format/core/reading.h"
#include "os/thread/threads.h"
#include "profile/internal.h"

/* A chunk must be worth a thread and the merge after it. */
enum { MOST_CHUNKS = 64, SMALLEST_CHUNK = 4 << 20 };

struct reading {
    struct flm_input *whole;
    const struct flm_format *format;
    const struct flm_read_options *options;
    const struct flm_load_options *load;
    atomic_uint_fast64_t passed; /* bytes, by all chunks together */
    atomic_bool stopped;
    struct chunk {
        struct reading *reading;
        uint64_t start, end;
        uint64_t reported;
        struct flm_profile *profile;
        bool dropped_locations;
        struct flm_error why;
    } chunk[MOST_CHUNKS];
    size_t count;
    int threads;
    pthread_t caller; /* the only thread that calls `progress` */
};

static int thread_count(int wanted)
{
    return wanted > 0 ? wanted : flm_processor_count();
}

size_t flm_chunk_count(uint64_t size, int threads)
{
    uint64_t count = size / SMALLEST_CHUNK, most = (uint64_t)thread_count(threads);
    count = count < most ? count : most;
    return (size_t)(count < MOST_CHUNKS ? count : MOST_CHUNKS);
}

static bool count_lines(struct flm_input *whole, uint64_t before, uint64_t *lines,
                        struct flm_error *why)
{
    struct flm_input *input = flm_input_open_chunk(whole, 0, before, why);
    *lines = 0;
    bool good = input != NULL;
    while (good) {
        struct flm_source *source = flm_input_source(input);
        const char *at = source->at;
        for (; (at = flm_find(at, source->end, '\n')) < source->end; at++)
            ++*lines;
        source->at = source->end;
        if (source->last)
            break;
        good = flm_source_more(source, why);
    }
    flm_input_close(input);
    return good;
}

static bool report_progress(void *context, uint64_t bytes)
{
    struct chunk *chunk = context;
    struct reading *r = chunk->reading;
    uint64_t passed =
        atomic_fetch_add(&r->passed, bytes - chunk->reported) + bytes - chunk->reported;
    chunk->reported = bytes;
    if (r->load->progress && !atomic_load(&r->stopped) &&
        pthread_equal(pthread_self(), r->caller) &&
        !r->load->progress(r->load->progress_context, passed, flm_input_size(r->whole)))
        atomic_store(&r->stopped, true);
    return !atomic_load(&r->stopped);
}

/* Losses and errors name lines, which a chunk counts from its own beginning. */
static bool shift_lines(const struct chunk *chunk, struct flm_builder *builder,
                        struct flm_error *why)
{
    uint64_t before;
    if (chunk->start == 0)
        return true;
    if (builder && flm_builder_has_losses(builder)) {
        if (!count_lines(chunk->reading->whole, chunk->start, &before, why))
            return false;
        flm_builder_lines_before(builder, before);
    } else if (!builder && why->line) {
        struct flm_error ignored;
        if (count_lines(chunk->reading->whole, chunk->start, &before, &ignored))
            flm_error_move_line(why, why->line + before);
    }
    return true;
}

static void read_chunk(void *context, size_t i)
{
    struct chunk *chunk = &((struct reading *)context)->chunk[i];
    struct reading *r = chunk->reading;
    struct flm_error *why = &chunk->why;
    if (atomic_load(&r->stopped)) {
        flm_error_set(why, FLM_ERROR_CANCELED, "stopped");
        return;
    }
    struct flm_input *input = flm_input_open_chunk(r->whole, chunk->start, chunk->end, why);
    struct flm_builder *builder = input ? flm_builder_new(why) : NULL;
    if (builder) {
        builder->locations = flm_reading_locations(r->options);
        struct flm_source *source = flm_input_source(input);
        source->progress = report_progress;
        source->progress_context = chunk;
        bool read = r->format->read(source, r->options, builder, why);
        if (!read)
            shift_lines(chunk, NULL, why);
        if (!read && why->kind == FLM_ERROR_MEMORY)
            flm_builder_out_of_memory(builder, why);
        chunk->dropped_locations = builder->dropped_locations;
        if (read && shift_lines(chunk, builder, why)) {
            chunk->profile = flm_builder_finish_chunk(builder, why);
            builder = NULL;
        }
    }
    flm_builder_free(builder);
    flm_input_close(input);
}

/* The first offset at `wanted` or after it where a chunk may begin: searched in a window that grows
 * until there is one. */
static bool find_cut(struct flm_input *whole, const struct flm_format *format, uint64_t wanted,
                     uint64_t *found, struct flm_error *why)
{
    uint64_t end = flm_input_size(whole);
    struct flm_input *input = flm_input_open_chunk(whole, wanted, end, why);
    bool good = input != NULL;
    *found = end;
    while (good) {
        struct flm_source *source = flm_input_source(input);
        size_t size = (size_t)(source->end - source->at);
        size_t cut = format->cut((struct flm_bytes){source->at, size}, 0);
        if (cut < size)
            *found = wanted + cut;
        if (cut < size || source->last)
            break;
        good = flm_source_more(source, why);
    }
    flm_input_close(input);
    return good;
}

static bool cut(struct reading *r, uint64_t start, size_t count, struct flm_error *why)
{
    uint64_t size = flm_input_size(r->whole);
    for (size_t i = 1; i <= count && start < size; i++) {
        uint64_t end = size;
        if (i < count) {
            uint64_t wanted = size / count * i;
            if (!find_cut(r->whole, r->format, wanted > start ? wanted : start, &end, why))
                return false;
        }
        if (end > start)
            r->chunk[r->count++] = (struct chunk){.reading = r, .start = start, .end = end};
        start = end;
    }
    return true;
}

static struct flm_profile *merge(struct reading *r, struct flm_error *why)
{
    const struct flm_profile *profiles[MOST_CHUNKS];
    for (size_t i = 0; i < r->count; i++) {
        profiles[i] = r->chunk[i].profile;
        if (!profiles[i]) {
            if (why)
                *why = r->chunk[i].why;
            return NULL;
        }
    }
    return flm_align(profiles, r->count, FLM_ALIGN_ADD, NULL, why);
}

struct flm_profile *flm_read_chunks(struct flm_input *whole, uint64_t start, size_t count,
                                    const struct flm_format *format,
                                    const struct flm_read_options *read,
                                    const struct flm_load_options *options, struct flm_error *why)
{
    assert(whole && count > 0 && format && format->cut && read && options);
    struct reading *r = calloc(1, sizeof *r);
    if (!r) {
        flm_error_memory(why);
        return NULL;
    }
    r->whole = whole;
    r->format = format;
    r->options = read;
    r->load = options;
    r->threads = thread_count(options->threads);
    r->caller = pthread_self();
    struct flm_profile *profile = NULL;
    if (cut(r, start, count, why)) {
        flm_threads_run(r->threads, r->count, read_chunk, r);
        profile = merge(r, why);
    }
    for (size_t i = 0; i < r->count; i++) {
        if (options->dropped_locations)
            *options->dropped_locations |= r->chunk[i].dropped_locations;
        flm_profile_free(r->chunk[i].profile);
    }
    free(r);
    return profile;
}
