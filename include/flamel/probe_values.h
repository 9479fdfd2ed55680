/* probe_values.h - values that change while a program runs, and frames.
 *
 *     FLM_VALUE("batch", size);                  the last one, and the distribution of all
 *     FLM_GAUGE("clients", n);                   what it is from now on; and
 *     FLM_GAUGE_ADD("clients", -1);              by how much that changes, by any thread
 *     FLM_COUNT("bytes sent", n);                a sum, by the scope that it was counted in
 *     total = FLM_WATCH(width * height);         the value of an expression, under its own text
 *
 *     while (is_running) {
 *         FLM_FRAME("frame");                    from this mark to the next one is a call
 *         ...
 *     }
 *     flm_frame_end();                           the last one is not whole: it does not count
 *
 * Of values and gauges the last 256 are kept with their times, by thread; of a counter the sums, at
 * first each, then each 64th. Values are multiples of 2^-20 from -2^43 to 2^43; what is beyond is
 * counted as lost. Two places that give a gauge the same name mean the same gauge. Nothing is
 * evaluated where nothing is measured, so a gauge is what was added since measuring began.
 *
 * What is in a frame is in its part of the tree. Marks of one name are of one frame. A frame is a
 * thread's, and ends with the scope around it too: then it was not whole. */
#ifndef FLAMEL_PROBE_VALUES_H
#define FLAMEL_PROBE_VALUES_H

#include "flamel/probe.h"
#include "flamel/probe_format.h"

/* A gauge where it is used. The macros make it. */
struct flm_gauge {
    const char *name;
    void *gauge; /* the library's; NULL at first */
};

#if !defined(FLM_PROBE) || FLM_PROBE

#ifdef __cplusplus
extern "C" {
#endif

extern FLM_PROBE_WEAK void flm_probe_value(struct flm_site *site, double value);
extern FLM_PROBE_WEAK void flm_probe_count(struct flm_site *site, uint64_t count);
extern FLM_PROBE_WEAK void flm_probe_gauge(struct flm_gauge *gauge, double value);
extern FLM_PROBE_WEAK void flm_probe_gauge_add(struct flm_gauge *gauge, double change);
extern FLM_PROBE_WEAK void flm_probe_frame(struct flm_site *site);
extern FLM_PROBE_WEAK void flm_probe_frame_end(void);

#ifdef __cplusplus
}
#endif

#define FLM_PROBE_OF_SITE_(name, kind, operation, call)                                            \
    do {                                                                                           \
        if (FLM_PROBE_IS_ON) {                                                                     \
            FLM_SITE_FOR(flm_site_here, name, kind, operation);                                    \
            call;                                                                                  \
        }                                                                                          \
    } while (0)
#define FLM_PROBE_OF_GAUGE_(name, call)                                                            \
    do {                                                                                           \
        if (FLM_PROBE_IS_ON) {                                                                     \
            static struct flm_gauge flm_gauge_here = {name, 0};                                    \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

#define FLM_VALUE(name, value)                                                                     \
    FLM_PROBE_OF_SITE_(name, FLM_PROBE_VALUE, FLM_PROBE_NO_OPERATION,                              \
                       flm_probe_value(&flm_site_here, (double)(value)))
#define FLM_COUNT(name, count)                                                                     \
    FLM_PROBE_OF_SITE_(name, FLM_PROBE_VALUE, FLM_PROBE_VALUE_COUNTER,                             \
                       flm_probe_count(&flm_site_here, (uint64_t)(count)))
#define FLM_GAUGE(name, value)                                                                     \
    FLM_PROBE_OF_GAUGE_(name, flm_probe_gauge(&flm_gauge_here, (double)(value)))
#define FLM_GAUGE_ADD(name, change)                                                                \
    FLM_PROBE_OF_GAUGE_(name, flm_probe_gauge_add(&flm_gauge_here, (double)(change)))
#define FLM_FRAME(name)                                                                            \
    FLM_PROBE_OF_SITE_(name, FLM_PROBE_FRAME, FLM_PROBE_NO_OPERATION,                              \
                       flm_probe_frame(&flm_site_here))

#define FLM_WATCH(expression)                                                                      \
    __extension__({                                                                                \
        __typeof__(expression) flm_watched = (expression);                                         \
        FLM_VALUE(#expression, flm_watched);                                                       \
        flm_watched;                                                                               \
    })

/* Ends the innermost frame of this thread, and does not count it. */
static inline void flm_frame_end(void)
{
    if (FLM_PROBE_IS_ON)
        flm_probe_frame_end();
}

#else /* compiled out */

#define FLM_VALUE(name, value) ((void)sizeof(value))
#define FLM_COUNT(name, count) ((void)sizeof(count))
#define FLM_GAUGE(name, value) ((void)sizeof(value))
#define FLM_GAUGE_ADD(name, change) ((void)sizeof(change))
#define FLM_FRAME(name) ((void)0)
/* A variable: an expression alone is no statement, as the macro may be one. */
#define FLM_WATCH(expression)                                                                      \
    __extension__({                                                                                \
        __typeof__(expression) flm_watched = (expression);                                         \
        flm_watched;                                                                               \
    })

static inline void flm_frame_end(void)
{
}

#endif

#endif
