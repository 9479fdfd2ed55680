/* measures.h - what a program measured of itself, for each site: sums over threads and paths.
 *
 *     struct flm_measures measures;
 *     flm_measures_make(&measures, &decoded, &why);
 *     measures.site[n].total ...
 *     flm_measures_clear(&measures); */
#ifndef FLAMEL_REPORT_PROBE_MEASURES_H
#define FLAMEL_REPORT_PROBE_MEASURES_H

#include "format/probe/decode.h"

/* Of a site; times in ns. Places where the same lock is taken are one: the first of its sites. */
struct flm_measure {
    uint64_t calls;
    double total;          /* a call in a call of the same site counts once */
    double measured_total; /* likewise, with what measuring those in it costs */
    double self;
    double longest;
    double value[FLM_PROBE_VALUES];                      /* of its own */
    double value_total[FLM_PROBE_VALUES];                /* and of all in it */
    struct flm_probe_meter *meter[FLM_PROBE_QUANTITIES]; /* NULL: there is none */
    uint32_t threads;                                    /* in which it was called */
};

struct flm_measures {
    const struct flm_probe_decoded *decoded;
    struct flm_measure *site;                /* by number; 0 is what is in no site */
    uint32_t *first;                         /* by site: the one that it is measured with */
    double elapsed;                          /* ns, from the start to the last moment */
    double cpu;                              /* ns, of all threads; 0: not known */
    double *thread_allocated, *thread_freed; /* bytes, by thread */
    double *thread_polls, *thread_tasks;     /* how often, and how many ns, it ran tasks */
};

/* `decoded` is borrowed. False, and `why`: no memory. Clear it in any case. */
bool flm_measures_make(struct flm_measures *measures, const struct flm_probe_decoded *decoded,
                       struct flm_error *why);
void flm_measures_clear(struct flm_measures *measures);

/* The value below which `percent` of those of a meter are: the middle of its bucket, so at most
 * 3.2 % away; never outside of the least and greatest. 0 where it has none. */
double flm_meter_percentile(const struct flm_probe_meter *meter, double percent);

double flm_meter_mean(const struct flm_probe_meter *meter);

/* False: what was freed is not known, and not 0. */
bool flm_frees_are_measured(const struct flm_probe_decoded *decoded);

/* Ticks as ns, bytes and counts as they are, levels as the numbers they stand for. */
double flm_meter_unit(const struct flm_probe_decoded *decoded, enum flm_probe_quantity quantity);
bool flm_quantity_is_time(enum flm_probe_quantity quantity);

#endif
