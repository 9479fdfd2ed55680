#include "draw/color/state_tones.h"

/* Text on a box is the page's own: dark on pale, and light on dark (tests/draw/color/). */
const struct flm_state_tone flm_state_tones[FLM_THREAD_STATES] = {
    [FLM_THREAD_ON_CPU] =
        {0x5B8DEF, 0x4F86EE, FLM_TEXTURE_NONE, {0xD6E3FB, 0x2A3C5E, FLM_INK_PAGE}, 0x2584, '#'},
    [FLM_THREAD_RUNNABLE] =
        {0xDFA53A, 0xD79A33, FLM_TEXTURE_RISING, {0xF3E2BC, 0x57431C, FLM_INK_PAGE}, 0x2592, 'r'},
    [FLM_THREAD_BLOCKED] =
        {0xA085D2, 0x8C6CC9, FLM_TEXTURE_DOTS, {0xE2D8F3, 0x453663, FLM_INK_PAGE}, 0x2593, 'b'},
    [FLM_THREAD_LOCK] =
        {0xDB7A6B, 0xC65F50, FLM_TEXTURE_FALLING, {0xF4D3CD, 0x62352F, FLM_INK_PAGE}, 0x2573, 'l'},
    [FLM_THREAD_SLEEPING] =
        {0xD3D2CD, 0x44474D, FLM_TEXTURE_NONE, {0xF1F0ED, 0x24262B, FLM_INK_PAGE}, 0xB7, '.'},
    [FLM_THREAD_OFF_CPU] =
        {0xB4B3AD, 0x63666D, FLM_TEXTURE_GRID, {0xE9E8E4, 0x2E3137, FLM_INK_PAGE}, 0x2500, '-'},
};
