#include "record/live/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "flamel/algebra.h"
#include "profile/columns.h"
#include "record/live/bound.h"

void flm_live_window_clear(struct flm_live_window *w)
{
    for (size_t i = 0; i < w->count; i++)
        flm_profile_free(w->chunks[i].profile);
    flm_profile_free(w->older.profile);
    *w = (struct flm_live_window){.most = w->most};
}

static void add_info(struct flm_live_info *sum, const struct flm_live_info *info)
{
    sum->duration_s += info->duration_s;
    sum->own_cpu_s += info->own_cpu_s;
    sum->samples += info->samples;
    sum->lost += info->lost;
}

/* The sum of some chunks, and of `older` if requested. */
static struct flm_profile *sum_of(const struct flm_live_window *w, size_t first, size_t count,
                                  bool with_older, struct flm_live_info *info,
                                  struct flm_error *why)
{
    const struct flm_profile **in = malloc((count + 1) * sizeof(*in));
    size_t in_count = 0;
    if (!in) {
        flm_error_memory(why);
        return NULL;
    }
    *info = (struct flm_live_info){0};
    if (with_older && w->older.profile) {
        in[in_count++] = w->older.profile;
        *info = w->older.info;
    }
    for (size_t i = first; i < first + count; i++) {
        in[in_count++] = w->chunks[i].profile;
        add_info(info, &w->chunks[i].info);
    }
    struct flm_profile *sum = flm_align(in, in_count, FLM_ALIGN_ADD, NULL, why);
    free(in);
    return sum;
}

/* How many of the last chunks make up `most` intervals. */
static size_t chunk_of_window(const struct flm_live_window *w)
{
    size_t chunks = 0, intervals = 0;
    while (chunks < w->count && intervals < w->most)
        intervals += w->chunks[w->count - ++chunks].intervals;
    return chunks;
}

/* Adds the oldest chunks to `older`. */
static bool retire(struct flm_live_window *w, size_t count, struct flm_error *why)
{
    struct flm_live_chunk older = {0};
    older.profile = sum_of(w, 0, count, true, &older.info, why);
    older.profile = flm_live_bound(older.profile, FLM_LIVE_OLDER_STACKS, why);
    if (!older.profile)
        return false;
    flm_profile_free(w->older.profile);
    w->older = older;
    for (size_t i = 0; i < count; i++)
        flm_profile_free(w->chunks[i].profile);
    w->count -= count;
    memmove(w->chunks, w->chunks + count, w->count * sizeof *w->chunks);
    return true;
}

/* Adds an interval to the newest chunk. */
static bool extend(struct flm_live_window *w, struct flm_profile *profile,
                   const struct flm_live_info *info, struct flm_error *why)
{
    struct flm_live_chunk *newest = &w->chunks[w->count - 1];
    const struct flm_profile *both[] = {newest->profile, profile};
    struct flm_profile *sum = flm_align(both, 2, FLM_ALIGN_ADD, NULL, why);
    flm_profile_free(profile);
    sum = flm_live_bound(sum, FLM_LIVE_CHUNK_STACKS, why);
    if (!sum)
        return false;
    flm_profile_free(newest->profile);
    newest->profile = sum;
    newest->intervals++;
    add_info(&newest->info, info);
    return true;
}

bool flm_live_window_take(struct flm_live_window *w, struct flm_profile *profile,
                          const struct flm_live_info *info, struct flm_error *why)
{
    assert(w->most >= 1 && profile && info);
    size_t each = (w->most + FLM_LIVE_WHOLE - 1) / FLM_LIVE_WHOLE;
    if (w->count > 0 && w->chunks[w->count - 1].intervals < each)
        return extend(w, profile, info, why);
    size_t leaving = w->count - chunk_of_window(w);
    if (leaving >= FLM_LIVE_LEAVING && !retire(w, leaving, why)) {
        flm_profile_free(profile);
        return false;
    }
    profile = flm_live_bound(profile, FLM_LIVE_CHUNK_STACKS, why);
    if (!profile)
        return false;
    w->chunks[w->count++] = (struct flm_live_chunk){profile, *info, 1};
    return true;
}

struct flm_profile *flm_live_window_sum(const struct flm_live_window *w, bool all,
                                        struct flm_live_info *info, struct flm_error *why)
{
    assert(w->count > 0 || w->older.profile);
    size_t count = all ? w->count : chunk_of_window(w);
    return sum_of(w, w->count - count, count, all, info, why);
}

double flm_live_processors_busy(const struct flm_profile *p, const struct flm_live_info *info,
                                double hz)
{
    if (!(info->duration_s > 0))
        return -1;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        struct flm_bytes name = flm_string_bytes(p, p->metrics[m].name);
        struct flm_bytes unit = flm_string_bytes(p, p->metrics[m].unit);
        if (flm_bytes_are(unit, "ns") && !flm_bytes_are(name, "off-cpu"))
            return flm_profile_total(p, (struct flm_metric){m}) / 1e9 / info->duration_s;
    }
    /* The kernel keeps the frequency approximately. */
    return hz > 0 ? (double)info->samples / hz / info->duration_s : -1;
}
