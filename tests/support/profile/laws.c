#include "support/profile/laws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/profile/profiles.h"

struct flm_profile *applied(const struct flm_profile *p, const char *expression)
{
    struct flm_error why = {0};
    struct flm_profile *result = flm_apply(p, expression, NULL, &why);
    if (!result)
        fail_msg("%s: %s", expression, why.text);
    return result;
}

struct flm_profile *sum_of(const struct flm_profile *a, const struct flm_profile *b)
{
    struct flm_error why = {0};
    const struct flm_profile *both[] = {a, b};
    struct flm_profile *sum = flm_align(both, 2, FLM_ALIGN_ADD, NULL, &why);
    if (!sum)
        fail_msg("%s", why.text);
    return sum;
}

enum { MOST_METRICS = 8 };

struct flm_profile *scaled(const struct flm_profile *p, double by)
{
    struct flm_error why = {0};
    struct flm_combination c[MOST_METRICS];
    double weights[MOST_METRICS][MOST_METRICS] = {{0}};
    char names[MOST_METRICS][16];
    uint32_t count = p->sizes.metric_count;
    for (uint32_t m = 0; m < count; m++) {
        struct flm_bytes name = flm_string_bytes(p, p->metrics[m].name);
        memcpy(names[m], name.at, name.size);
        names[m][name.size] = 0;
        weights[m][m] = by;
        c[m] = (struct flm_combination){.name = names[m], .weights = weights[m]};
    }
    struct flm_profile *result = flm_combine(p, c, count, &why);
    if (!result)
        fail_msg("%s", why.text);
    return result;
}

void assert_same(struct flm_profile *a, struct flm_profile *b)
{
    assert_profiles_equal(a, b);
    flm_profile_free(a);
    flm_profile_free(b);
}
