#include "profile/values/sample_values.h"

#include <stdlib.h>
#include <string.h>

void flm_sample_values_expand(const struct flm_sample_values *v, uint32_t first, uint32_t count,
                              double *to)
{
    if (v->any && !v->present && count > 0)
        memcpy(to, v->any + first, count * sizeof *to);
    else
        for (uint32_t i = 0; i < count; i++)
            to[i] = flm_sample_value_of(v, first + i);
}

const double *flm_sample_values_expanded(struct flm_sample_values *v, uint32_t sample_count)
{
    double *made, *known = __atomic_load_n(&v->expanded, __ATOMIC_ACQUIRE);
    if (known)
        return known;
    made = malloc(((size_t)sample_count + 1) * sizeof *made);
    if (!made)
        return NULL;
    flm_sample_values_expand(v, 0, sample_count, made);
    if (__atomic_compare_exchange_n(&v->expanded, &known, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return made;
    free(made); /* another thread was first */
    return known;
}

size_t flm_sample_values_memory(const struct flm_sample_values *v, uint32_t sample_count)
{
    size_t words = v->present ? (size_t)sample_count / 64 + 1 : 0;
    size_t values = v->any ? v->count * sizeof *v->any : v->small ? v->count * sizeof *v->small : 0;
    return values + words * (sizeof *v->present + sizeof *v->before) +
           (__atomic_load_n(&v->expanded, __ATOMIC_ACQUIRE) ? sample_count * sizeof(double) : 0);
}

/* Frees an array that is const because it does not change once it is made. */
static void release(const void *array)
{
    union {
        const void *made;
        void *freed;
    } block = {array};
    free(block.freed);
}

void flm_sample_values_clear(struct flm_sample_values *v)
{
    release(v->any);
    release(v->small);
    release(v->present);
    release(v->before);
    free(v->expanded);
    *v = (struct flm_sample_values){.any = NULL};
}
