/* simulated_verdict.h - how right a gate is about runs whose change is known. */
#ifndef FLAMEL_TESTS_SUPPORT_GATE_SIMULATED_VERDICT_H
#define FLAMEL_TESTS_SUPPORT_GATE_SIMULATED_VERDICT_H

#include "gate/verdict/gate.h"
#include "support/gate/simulated_runs.h"

struct simulated_verdict {
    bool is_found; /* something is significant: a column or the total */
    bool fails;    /* what a CI job would see */

    /* By place, in the order of simulated_places: a bit for each that has an item; and for each
     * that has one at it or, below the frame of DIFFUSE, in a part of what changed. */
    unsigned named, named_within, places;
    uint32_t above, wrong; /* items of what calls a place, and those that are nowhere near one */
};

struct simulated_verdict simulated_verdict(const struct flm_gate *gate, const struct flm_runs *runs,
                                           const struct simulated_program *base,
                                           enum simulated_change change);

/* A column or the total. */
bool simulated_any_is_significant(const struct flm_gate *gate);

/* Of the stack itself; false where it has no column. */
bool simulated_is_significant(const struct flm_gate *gate, const struct flm_runs *runs,
                              uint32_t node);

#endif
