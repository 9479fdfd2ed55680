#include "draw/color/hues.h"

#include <assert.h>

#include "draw/color/palette.h"

enum { FAR = 2 }; /* hues between which there is another one */

static uint32_t distance(uint32_t a, uint32_t b)
{
    uint32_t apart = a > b ? a - b : b - a;
    return apart < FLM_HUES - apart ? apart : FLM_HUES - apart;
}

/* How far it is from the nearest that is taken, FAR at most. */
static uint32_t room_at(const uint32_t *taken, uint32_t count, uint32_t hue)
{
    uint32_t room = FAR;
    for (uint32_t i = 0; i < count; i++)
        room = distance(taken[i], hue) < room ? distance(taken[i], hue) : room;
    return room;
}

/* The nearest with the most room, 0, +1, -1, +2 ... from its own. */
static uint32_t moved(const uint32_t *taken, uint32_t count, uint32_t own)
{
    uint32_t best = own, most = room_at(taken, count, own);
    for (uint32_t step = 2; step <= FLM_HUES && most < FAR; step++) {
        uint32_t by = step / 2, hue = (own + (step % 2 ? FLM_HUES - by : by)) % FLM_HUES;
        uint32_t room = room_at(taken, count, hue);
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
        taken[found] = hue[largest] = moved(taken, found, hue[largest]);
        weight[largest] = 0;
    }
}
