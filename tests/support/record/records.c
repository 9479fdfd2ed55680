#include "support/record/records.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

void records_clear(struct records *r)
{
    flm_text_clear(&r->bytes);
    r->start = 0;
}

void put64(struct records *r, uint64_t value)
{
    if (r->swapped)
        value = __builtin_bswap64(value);
    flm_text_add(&r->bytes, (struct flm_bytes){(const char *)&value, sizeof value});
}

void put32(struct records *r, uint32_t value)
{
    if (r->swapped)
        value = __builtin_bswap32(value);
    flm_text_add(&r->bytes, (struct flm_bytes){(const char *)&value, sizeof value});
}

void put_text(struct records *r, const char *text)
{
    flm_text_puts(&r->bytes, text);
    do
        flm_text_putc(&r->bytes, 0);
    while (r->bytes.size % 8);
}

void record_begin(struct records *r, uint32_t type, uint16_t misc)
{
    assert_int_equal(r->bytes.size % 8, 0);
    r->start = r->bytes.size;
    put32(r, type);
    uint16_t rest[2] = {r->swapped ? __builtin_bswap16(misc) : misc, 0};
    flm_text_add(&r->bytes, (struct flm_bytes){(const char *)rest, sizeof rest});
}

void record_end(struct records *r)
{
    uint16_t size = (uint16_t)(r->bytes.size - r->start);
    if (r->swapped)
        size = __builtin_bswap16(size);
    memcpy(r->bytes.at + r->start + 6, &size, sizeof size);
}

struct flm_text records_attributes(uint32_t type, uint64_t config, uint64_t sample_type,
                                   bool swapped)
{
    struct records r = {.swapped = swapped};
    put32(&r, type);
    put32(&r, 112);
    put64(&r, config);
    put64(&r, 4000000); /* the period */
    put64(&r, sample_type);
    put64(&r, 0);
    uint64_t flags = UINT64_C(1) << 18; /* sample_id_all */
    if (swapped)                        /* bits are numbered from the other end of each byte */
        flags = UINT64_C(1) << 21;
    flm_text_add(&r.bytes, (struct flm_bytes){(const char *)&flags, sizeof flags});
    flm_text_repeat(&r.bytes, 0, 112 - r.bytes.size);
    return r.bytes;
}

static void put_trailer(struct records *r, int process, int thread, uint64_t time)
{
    put32(r, (uint32_t)process);
    put32(r, (uint32_t)thread);
    put64(r, time);
    record_end(r);
}

void put_map(struct records *r, int process, uint64_t time, uint64_t start, uint64_t size,
             uint64_t offset, const char *path)
{
    record_begin(r, PERF_RECORD_MMAP, process == -1 ? PERF_RECORD_MISC_KERNEL : 0);
    put32(r, (uint32_t)process);
    put32(r, (uint32_t)process);
    put64(r, start);
    put64(r, size);
    put64(r, offset);
    put_text(r, path);
    put_trailer(r, process, process, time);
}

void put_name(struct records *r, int process, int thread, uint64_t time, const char *name,
              bool is_exec)
{
    record_begin(r, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
    put32(r, (uint32_t)process);
    put32(r, (uint32_t)thread);
    put_text(r, name);
    put_trailer(r, process, thread, time);
}

void put_fork(struct records *r, int process, int parent, int thread, int parent_thread,
              uint64_t time)
{
    record_begin(r, PERF_RECORD_FORK, 0);
    put32(r, (uint32_t)process);
    put32(r, (uint32_t)parent);
    put32(r, (uint32_t)thread);
    put32(r, (uint32_t)parent_thread);
    put64(r, time);
    put_trailer(r, parent, parent_thread, time);
}

void put_exit(struct records *r, int process, int thread, uint64_t time)
{
    record_begin(r, PERF_RECORD_EXIT, 0);
    put32(r, (uint32_t)process);
    put32(r, 1);
    put32(r, (uint32_t)thread);
    put32(r, 1);
    put64(r, time);
    put_trailer(r, process, thread, time);
}

void put_switch(struct records *r, int process, int thread, uint64_t time, bool out, bool preempted)
{
    uint16_t misc = out ? PERF_RECORD_MISC_SWITCH_OUT : 0;
    record_begin(r, PERF_RECORD_SWITCH,
                 preempted ? misc | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : misc);
    put_trailer(r, process, thread, time);
}

void put_lost(struct records *r, uint64_t time, uint64_t count)
{
    record_begin(r, PERF_RECORD_LOST, 0);
    put64(r, 0);
    put64(r, count);
    put_trailer(r, 0, 0, time);
}

void put_sample(struct records *r, int process, int thread, uint64_t time, const uint64_t *chain,
                size_t count)
{
    record_begin(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put64(r, count > 1 ? chain[1] : 0);
    put32(r, (uint32_t)process);
    put32(r, (uint32_t)thread);
    put64(r, time);
    put64(r, 1000);
    put64(r, count);
    for (size_t i = 0; i < count; i++)
        put64(r, chain[i]);
    record_end(r);
}

void put_round(struct records *r)
{
    record_begin(r, FLM_RECORD_ROUND, 0);
    record_end(r);
}

void records_layout(struct flm_event_layouts *layouts, uint32_t type, uint64_t config,
                    const char *name)
{
    struct flm_text attributes =
        records_attributes(type, config, RECORDS_SAMPLE_TYPE, layouts->swapped);
    struct flm_event_layout layout;
    assert_true(
        flm_event_layout_init(&layout, attributes.at, attributes.size, layouts->swapped, NULL));
    layout.name = name;
    assert_true(flm_event_layouts_add(layouts, &layout, NULL, 0, NULL));
    flm_text_clear(&attributes);
}

void records_each(struct records *r, const struct flm_event_layouts *layouts, flm_event_sink sink,
                  void *context)
{
    size_t at = 0;
    while (at < r->bytes.size) {
        struct flm_record_header header = flm_record_header(r->bytes.at + at, layouts->swapped);
        struct flm_event event;
        assert_true(flm_event_decode(layouts, r->bytes.at + at, header.size, at, &event, NULL));
        struct flm_error why = {0};
        if (!sink(context, &event, &why))
            fail_msg("%s", why.text);
        at += header.size;
    }
    assert_int_equal(at, r->bytes.size);
}
