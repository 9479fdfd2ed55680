/* state_tones.h - the colors of what a thread does (layout/thread_states.h): of the strip above its
 * stacks, and of the boxes of stacks that are not on a processor, which are paler. A texture says
 * the same, for eyes and printers that do not tell the colors apart; in a terminal a character. */
#ifndef FLAMEL_DRAW_COLOR_STATE_TONES_H
#define FLAMEL_DRAW_COLOR_STATE_TONES_H

#include "draw/color/marks.h"
#include "draw/color/palette.h"
#include "layout/thread_states.h"

struct flm_state_tone {
    uint32_t light, dark;     /* of the strip */
    enum flm_texture texture; /* on it */
    struct flm_tone box;      /* of its stacks; on-CPU they have the colors of their functions */
    uint32_t character;       /* of the strip in a terminal; and in one that has only ASCII */
    char letter;
};

extern const struct flm_state_tone flm_state_tones[FLM_THREAD_STATES];

#endif
