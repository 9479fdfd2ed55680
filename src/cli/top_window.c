#include "cli/top_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "flamel/algebra.h"

void flm_top_window_clear(struct flm_top_window *w)
{
    for (size_t i = 0; i < w->count; i++)
        flm_profile_free(w->pieces[i].profile);
    flm_profile_free(w->older.profile);
    free(w->pieces);
    *w = (struct flm_top_window){.most = w->most};
}

static void add_facts(struct flm_top_facts *sum, const struct flm_top_facts *facts)
{
    sum->duration_s += facts->duration_s;
    sum->own_cpu_s += facts->own_cpu_s;
    sum->samples += facts->samples;
    sum->lost += facts->lost;
}

/* Some pieces, behind `older` where that is wanted, as one. */
static struct flm_profile *sum_of(const struct flm_top_window *w, size_t first, size_t count,
                                  bool with_older, struct flm_top_facts *facts,
                                  struct flm_error *why)
{
    const struct flm_profile **in = malloc((count + 1) * sizeof(*in));
    size_t in_count = 0;
    if (!in) {
        flm_error_memory(why);
        return NULL;
    }
    *facts = (struct flm_top_facts){0};
    if (with_older && w->older.profile) {
        in[in_count++] = w->older.profile;
        *facts = w->older.facts;
    }
    for (size_t i = first; i < first + count; i++) {
        in[in_count++] = w->pieces[i].profile;
        add_facts(facts, &w->pieces[i].facts);
    }
    struct flm_profile *sum = flm_align(in, in_count, FLM_ALIGN_ADD, NULL, why);
    free(in);
    return sum;
}

/* The oldest pieces, as many as a window has, become a part of `older`. */
static bool settle(struct flm_top_window *w, struct flm_error *why)
{
    struct flm_top_piece older;
    older.profile = sum_of(w, 0, w->most, true, &older.facts, why);
    if (!older.profile)
        return false;
    flm_profile_free(w->older.profile);
    w->older = older;
    for (size_t i = 0; i < w->most; i++)
        flm_profile_free(w->pieces[i].profile);
    w->count -= w->most;
    memmove(w->pieces, w->pieces + w->most, w->count * sizeof *w->pieces);
    return true;
}

bool flm_top_window_take(struct flm_top_window *w, struct flm_profile *profile,
                         const struct flm_top_facts *facts, struct flm_error *why)
{
    void *pieces = w->pieces;
    if (!flm_grow(&pieces, &w->capacity, w->count + 1, sizeof *w->pieces)) {
        flm_profile_free(profile);
        return flm_error_memory(why);
    }
    w->pieces = pieces;
    w->pieces[w->count++] = (struct flm_top_piece){profile, *facts};
    return w->count < 2 * w->most || settle(w, why);
}

struct flm_profile *flm_top_window_sum(const struct flm_top_window *w, bool all,
                                       struct flm_top_facts *facts, struct flm_error *why)
{
    size_t count = all || w->count < w->most ? w->count : w->most;
    return sum_of(w, w->count - count, count, all, facts, why);
}
