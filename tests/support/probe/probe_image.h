/* probe_image.h - the file of a program that measured itself, by hand. */
#ifndef FLAMEL_TESTS_SUPPORT_PROBE_PROBE_IMAGE_H
#define FLAMEL_TESTS_SUPPORT_PROBE_PROBE_IMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/core/bytes.h"
#include "flamel/probe_format.h"

/* A file by hand: a tick is a nanosecond, two sites, one thread. */
enum { SITES = 4, TEXTS = 68, PART = 70, THREAD = 200, METER = 500, END = 700 };

struct image {
    char at[END * FLM_PROBE_UNIT];
};

static inline void *place(struct image *image, uint32_t number)
{
    return image->at + (size_t)number * FLM_PROBE_UNIT;
}

static inline struct flm_probe_header *header_of(struct image *image)
{
    return place(image, 0);
}

static inline uint32_t node_place(uint32_t index)
{
    return PART + FLM_PROBE_NODE_UNITS * (1 + index);
}

static inline struct flm_probe_node *node_of(struct image *image, uint32_t index)
{
    return place(image, node_place(index));
}

static inline struct flm_probe_thread *thread_of(struct image *image)
{
    return place(image, THREAD);
}

static inline void set_site(struct image *image, uint32_t number, uint64_t name, uint32_t size)
{
    struct flm_probe_site *site = place(image, SITES);
    site[number].function = TEXTS * FLM_PROBE_UNIT + name;
    site[number].function_size = size;
    site[number].file = TEXTS * FLM_PROBE_UNIT;
    site[number].file_size = 3;
    site[number].line = 10 * number;
}

/* The meter of the durations of a site, with one more. */
static inline void add_duration(struct image *image, uint32_t site, uint64_t ticks)
{
    struct flm_probe_meter *meter = place(image, METER);
    thread_of(image)->first_meter = METER;
    meter->site = site;
    meter->quantity = FLM_PROBE_DURATION;
    meter->bucket[flm_probe_bucket(ticks)]++;
    if (ticks < FLM_PROBE_EXACT)
        return;
    meter->least = meter->count == 0 || ticks < meter->least ? ticks : meter->least;
    meter->greatest = ticks > meter->greatest ? ticks : meter->greatest;
    meter->total += ticks;
    meter->count++;
}

/* main 1 call, 1000 ns; in it parse, 4 calls, 600 ns. */
static inline struct image *make_image(void)
{
    struct image *image = calloc(1, sizeof *image);
    assert_non_null(image);
    struct flm_probe_header *header = header_of(image);
    *header = (struct flm_probe_header){.version = FLM_PROBE_VERSION,
                                        .header_size = sizeof *header,
                                        .pid = 4711,
                                        .state = FLM_PROBE_ENDED,
                                        .size = sizeof image->at,
                                        .used = sizeof image->at,
                                        .now_ticks = 5000,
                                        .ns_per_tick = (uint64_t)1 << 32,
                                        .site_count = 2,
                                        .timed_of = 1,
                                        .first_thread = THREAD};
    memcpy(header->magic, FLM_PROBE_MAGIC, sizeof header->magic);
    header->site_part[0] = SITES;
    memcpy(place(image, TEXTS), "a.cmainparse", 12);
    set_site(image, 1, 3, 4);
    set_site(image, 2, 7, 5);
    struct flm_probe_part *part = place(image, PART);
    part->count = 3;
    *node_of(image, 1) =
        (struct flm_probe_node){.parent = node_place(0), .site = 1, .calls = 1, .total = 1000};
    *node_of(image, 2) =
        (struct flm_probe_node){.parent = node_place(1), .site = 2, .calls = 4, .total = 600};
    struct flm_probe_thread *thread = thread_of(image);
    thread->tid = 4712;
    thread->threads = 1;
    thread->first_part = PART;
    thread->root = node_place(0);
    memcpy(thread->name, "worker", 6);
    return image;
}

static inline struct flm_bytes image_bytes(const struct image *image)
{
    return (struct flm_bytes){image->at, sizeof image->at};
}

#endif
