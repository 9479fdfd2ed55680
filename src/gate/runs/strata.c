#include "gate/runs/strata.h"

#include <assert.h>

#include "algebra/compare/comparable.h"
#include "profile/columns.h"

uint32_t flm_strata_find(const struct flm_profile *const *profiles, uint32_t count, uint32_t *block)
{
    assert((profiles && block) || count == 0);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct flm_bytes session = flm_profile_note(profiles[i], FLM_NOTE_GATE_SESSION);
        struct flm_bytes number = flm_profile_note(profiles[i], FLM_NOTE_GATE_BLOCK);
        uint32_t same = 0;
        while (
            same < i &&
            !(flm_bytes_equal(session, flm_profile_note(profiles[same], FLM_NOTE_GATE_SESSION)) &&
              flm_bytes_equal(number, flm_profile_note(profiles[same], FLM_NOTE_GATE_BLOCK))))
            same++;
        block[i] = same < i ? block[same] : found++;
    }
    return found;
}
