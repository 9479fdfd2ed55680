/* patterns.h - patterns that must be accepted. */
#ifndef FLAMEL_TESTS_BASE_REGEX_PATTERNS_H
#define FLAMEL_TESTS_BASE_REGEX_PATTERNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/regex/regex.h"

static inline void assert_accepted(struct flm_bytes pattern)
{
    struct flm_error why = {0};
    struct flm_regex *regex = flm_regex_new(pattern, &why);
    if (!regex)
        fail_msg("%.60s: %s", pattern.at, why.text);
    flm_regex_free(regex);
}

#endif
