/* kernel_api.h - linux/perf_event.h, with what is newer than Linux 5.15: flamel also builds with
 * the headers of older systems. */
#ifndef FLAMEL_RECORD_EVENTS_KERNEL_API_H
#define FLAMEL_RECORD_EVENTS_KERNEL_API_H

#include <linux/perf_event.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4) /* Linux 6.0 */
#endif

#endif
