#include <stdlib.h>

#include "algebra/operation/operations.h"
#include "algebra/operation/rebuild.h"
#include "profile/chains.h"

/* By frame of the split form: the frame of its line. False if memory ran out. */
static bool find_frames(struct flm_rebuild *r, uint32_t *frame_of)
{
    const struct flm_profile *p = r->p;
    struct flm_builder *b = r->builder;
    b->locations = FLM_LOCATIONS_AS_LINES;
    for (uint32_t i = 0; i < p->sizes.frame_count; i++) {
        frame_of[i] = i; /* strings and frames have their old indices */
        uint32_t location = flm_frame_location(&p->frames[i]);
        if (location == 0)
            continue;
        const struct flm_frame_record record = flm_frame_located(&p->frames[i], 0);
        frame_of[i] = flm_builder_located(b, &record, flm_location_at(p, location - 1)).index;
    }
    return !b->failed;
}

static struct flm_profile *by_line(const struct flm_profile *split, struct flm_error *why)
{
    struct flm_rebuild r;
    if (!flm_rebuild_start(&r, split, why))
        return NULL;
    uint32_t *frame_of = malloc(split->sizes.frame_count * sizeof *frame_of);
    bool good = frame_of && find_frames(&r, frame_of);
    for (uint32_t i = 1; good && i < split->sizes.node_count; i++)
        r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], frame_of[split->node_frame[i]]);
    free(frame_of);
    if (good)
        return flm_rebuild_finish(&r, why);
    flm_rebuild_clear(&r);
    flm_error_memory(why);
    return NULL;
}

struct flm_profile *flm_by_line(const struct flm_profile *p, struct flm_error *why)
{
    struct flm_profile *split = flm_profile_split(p, why);
    struct flm_profile *result = split ? by_line(split, why) : NULL;
    flm_profile_free(split);
    return result;
}
