/* kernel_api.h - the kernel's header of performance events, and what has come since Linux 5.15: it
 * is built with the headers of older systems too. */
#ifndef FLAMEL_RECORD_PERF_KERNEL_API_H
#define FLAMEL_RECORD_PERF_KERNEL_API_H

#include <linux/perf_event.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4) /* Linux 6.0 */
#endif

#endif
