/* failures.h - the same work again and again, one failed allocation later each time. */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_FAILURES_H
#define FLAMEL_TESTS_SUPPORT_CORE_FAILURES_H

#include "flamel/error.h"

/* True when it did all it should; false, and `why`, when memory ran out. It lets go of all it made
 * in both cases: a sanitizer sees what it forgot. */
typedef bool (*failing_work)(void *context, struct flm_error *why);

/* Fails the 1st, 2nd, 3rd ... allocation of `work`, first with all that follow it, then alone,
 * until none fails. The work may succeed in spite of it, but not fail for another reason, nor
 * without one. Returns how many allocations there are. */
size_t assert_survives_failures(failing_work work, void *context);

#endif
