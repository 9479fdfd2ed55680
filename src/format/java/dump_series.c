#include "format/java/dump_series.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/index.h"
#include "format/core/reading.h"
#include "format/java/internal.h"

/* A thread of the system, by its number. */
struct known_thread {
    uint64_t native;
    int64_t cpu_ns; /* since it began, as of the last dump that had it */
};

struct flm_java_series {
    struct flm_read_options options;
    struct flm_builder *builder;
    struct flm_java_threads threads;
    struct flm_metric wall, cpu;
    int64_t time_ns, lasts_ns; /* of the dump that is read */
    uint64_t dumps;            /* before it */
    bool has_cpu;
    int64_t frameless_cpu_ns;
    struct FLM_ARRAY(struct known_thread) known;
    struct flm_index index;
};

struct flm_java_series *flm_java_series_new(const struct flm_read_options *options,
                                            struct flm_error *why)
{
    struct flm_java_series *s = calloc(1, sizeof *s);
    if (!s) {
        flm_error_memory(why);
        return NULL;
    }
    s->options = *options;
    s->options.keep_times = true;
    s->builder = flm_builder_new(why);
    if (!s->builder) {
        free(s);
        return NULL;
    }
    s->builder->locations = flm_reading_locations(&s->options);
    s->wall = flm_builder_metric(s->builder, "wall", "ns");
    s->threads = (struct flm_java_threads){.stack = {.builder = s->builder, .options = &s->options},
                                           .series = s};
    return s;
}

/* All but the builder. */
static void clear(struct flm_java_series *s)
{
    FLM_ARRAY_CLEAR(&s->known);
    flm_index_clear(&s->index);
}

void flm_java_series_free(struct flm_java_series *s)
{
    if (!s)
        return;
    flm_java_end(&s->threads);
    flm_builder_free(s->builder);
    clear(s);
    free(s);
}

static struct known_thread *find_or_add(struct flm_java_series *s, uint64_t native, bool *is_new)
{
    uint32_t hash = (uint32_t)flm_hash(&native, sizeof native);
    *is_new = false;
    for (struct flm_probe at = flm_index_probe(&s->index, hash); flm_index_next(&s->index, &at);)
        if (s->known.at[at.found].native == native)
            return &s->known.at[at.found];
    *is_new = true;
    if (!FLM_ARRAY_ADD(&s->known, (struct known_thread){native, 0}) ||
        !flm_index_add(&s->index, hash, (uint32_t)s->known.count - 1)) {
        flm_builder_fail_memory(s->builder);
        return NULL;
    }
    return &s->known.at[s->known.count - 1];
}

/* What the thread has used since the dump before; all that it has, where it is new; 0 where nobody
 * knows when. A number may be given to another thread, which has used less. */
static int64_t take_cpu_ns(struct flm_java_series *s, const struct flm_java_thread *thread)
{
    bool is_new;
    if (thread->native == 0 || thread->cpu_ns < 0)
        return 0;
    struct known_thread *known = find_or_add(s, thread->native, &is_new);
    if (!known)
        return 0;
    int64_t before = known->cpu_ns;
    known->cpu_ns = thread->cpu_ns;
    s->has_cpu = true;
    if (s->dumps == 0)
        return 0;
    return thread->cpu_ns >= before ? thread->cpu_ns - before : thread->cpu_ns;
}

void flm_java_series_thread(struct flm_java_series *s, struct flm_stack_buffer *stack,
                            const struct flm_java_thread *thread)
{
    int64_t cpu_ns = take_cpu_ns(s, thread);
    if (stack->frames.count == 0)
        s->frameless_cpu_ns += cpu_ns;
    if (stack->frames.count == 0 && !s->options.by_thread)
        return;
    flm_stack_add(stack, FLM_LEAF_FIRST, s->time_ns, s->wall, (double)s->lasts_ns);
    if (flm_builder_failed(s->builder))
        return;
    flm_builder_sample_lasts(s->builder, s->lasts_ns);
    if (cpu_ns > 0) {
        s->cpu = flm_builder_metric(s->builder, "cpu", "ns");
        flm_stack_add_more(stack, s->cpu, (double)cpu_ns);
    }
}

bool flm_java_series_add(struct flm_java_series *s, struct flm_bytes dump, int64_t time_ns,
                         int64_t lasts_ns, struct flm_error *why)
{
    assert(lasts_ns >= 0);
    struct flm_source source = flm_source_of(dump);
    uint64_t count;
    s->time_ns = time_ns;
    s->lasts_ns = lasts_ns;
    if (!flm_java_read_text(&source, &s->threads, &count, why))
        return false;
    s->dumps++;
    if (flm_builder_failed(s->builder))
        return flm_builder_get_error(s->builder, why);
    return count > 0 || flm_error_set(why, FLM_ERROR_FORMAT, "the VM's answer has no threads");
}

int64_t flm_java_series_frameless_cpu_ns(const struct flm_java_series *s)
{
    return s->has_cpu ? s->frameless_cpu_ns : -1;
}

void flm_java_series_note(struct flm_java_series *s, const char *key, const char *value)
{
    flm_builder_note(s->builder, key, value, strlen(value));
}

struct flm_profile *flm_java_series_finish(struct flm_java_series *s, struct flm_error *why)
{
    flm_java_end(&s->threads);
    struct flm_profile *profile = flm_builder_finish(s->builder, why);
    clear(s);
    free(s);
    return profile;
}
