/* gate_ab.c - cli/gate/gate_ab.h where no command can be started. */
#include "cli/gate/gate_ab.h"

bool flm_gate_ab_is_given(const struct flm_gate_ab_fields *fields)
{
    return fields->runs >= 0 || fields->warm_up >= 0 || fields->looks >= 0 || fields->sequential ||
           fields->folder || fields->processors || fields->duration;
}

bool flm_gate_ab_open(struct flm_gate_ab *gate, const struct flm_gate_ab_fields *fields,
                      const struct flm_load_fields *load, double alpha, bool allows_failed,
                      struct flm_error *why)
{
    (void)fields, (void)load, (void)alpha, (void)allows_failed;
    *gate = (struct flm_gate_ab){0};
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "--ab records commands, which takes flamel for Linux: give recorded runs "
                         "instead (--base FILE... --new FILE...)");
}

void flm_gate_ab_clear(struct flm_gate_ab *gate)
{
    (void)gate;
}

bool flm_gate_ab_record(struct flm_gate_ab *gate, struct flm_error *why)
{
    (void)gate;
    return flm_error_set(why, FLM_ERROR_USAGE, "nothing can be recorded here");
}

double flm_gate_ab_level(const struct flm_gate_ab *gate, double alpha)
{
    (void)gate;
    return alpha;
}
