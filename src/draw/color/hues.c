#include "draw/color/hues.h"

#include <assert.h>

#include "draw/color/palette.h"

enum { FAR = 2 }; /* hues between which there is another one */

static uint32_t distance(uint32_t a, uint32_t b)
{
    uint32_t apart = a > b ? a - b : b - a;
    return apart < FLM_HUES - apart ? apart : FLM_HUES - apart;
}

/* FAR at most. */
static uint32_t distance_to_nearest(const uint32_t *taken, uint32_t count, uint32_t hue)
{
    uint32_t room = FAR;
    for (uint32_t i = 0; i < count; i++)
        room = distance(taken[i], hue) < room ? distance(taken[i], hue) : room;
    return room;
}

/* The farthest from all that are taken: its own, +1, -1, +2 ... */
static uint32_t nearest_free_hue(const uint32_t *taken, uint32_t count, uint32_t own)
{
    uint32_t best = own, most = distance_to_nearest(taken, count, own);
    for (uint32_t step = 2; step <= FLM_HUES && most < FAR; step++) {
        uint32_t by = step / 2, hue = (own + (step % 2 ? FLM_HUES - by : by)) % FLM_HUES;
        uint32_t room = distance_to_nearest(taken, count, hue);
        if (room > most) {
            most = room;
            best = hue;
        }
    }
    return best;
}

void flm_hues_tell_apart(uint32_t *hue, double *weight, uint32_t count)
{
    assert((hue && weight) || count == 0);
    uint32_t taken[FLM_HUES_APART];
    for (uint32_t found = 0; found < FLM_HUES_APART; found++) {
        uint32_t largest = count;
        for (uint32_t i = 0; i < count; i++)
            if (hue[i] < FLM_HUES && weight[i] > (largest < count ? weight[largest] : 0))
                largest = i;
        if (largest == count)
            return;
        taken[found] = hue[largest] = nearest_free_hue(taken, found, hue[largest]);
        weight[largest] = 0;
    }
}
