#include "record/perf/event.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/record/records.h"

static struct flm_event_layouts layouts_of(uint64_t sample_type, bool swapped)
{
    struct flm_event_layouts layouts = {.swapped = swapped};
    struct flm_text attributes =
        records_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, sample_type, swapped);
    struct flm_event_layout layout;
    assert_true(flm_event_layout_init(&layout, attributes.at, attributes.size, swapped, NULL));
    layout.name = "cpu-clock";
    layout.user_registers = 7;
    assert_true(flm_event_layouts_add(&layouts, &layout, NULL, 0, NULL));
    flm_text_clear(&attributes);
    return layouts;
}

#define EVERYTHING                                                                                 \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |                 \
     PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |             \
     PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |                   \
     PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)

/* A sample with everything that there is in front of its end. */
static void put_everything(struct records *r)
{
    record_begin(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
    put64(r, 77); /* identifier */
    put64(r, 0x1234);
    put32(r, 10);
    put32(r, 11);
    put64(r, 5000);
    put64(r, 0xADD);
    put64(r, 77);
    put64(r, 1);
    put32(r, 3); /* processor */
    put32(r, 0);
    put64(r, 999); /* period */
    put64(r, 42);  /* what was read */
    put64(r, 3);   /* chain */
    put64(r, FLM_CONTEXT_KERNEL);
    put64(r, 0x1234);
    put64(r, 0x5678);
    put32(r, 12); /* raw */
    flm_text_add(&r->bytes, flm_bytes_of("raw of twelve"));
    r->bytes.size--;
    put64(r, 1); /* branches */
    put64(r, 0xF);
    put64(r, 0x70);
    put64(r, 0);
    put64(r, PERF_SAMPLE_REGS_ABI_64);
    put64(r, 100);
    put64(r, 101);
    put64(r, 102);
    put64(r, 16); /* a copy of the stack, of which 8 bytes are used */
    put64(r, 0xAA);
    put64(r, 0xBB);
    put64(r, 8);
    put64(r, 1); /* weight, source, transaction */
    put64(r, 2);
    put64(r, 3);
    record_end(r);
}

static void assert_everything(const struct flm_event *e, bool swapped)
{
    const struct flm_event_sample *s = &e->sample;
    assert_int_equal(e->kind, FLM_EVENT_SAMPLE);
    assert_int_equal(e->process, 10);
    assert_int_equal(e->thread, 11);
    assert_int_equal(e->time_ns, 5000);
    assert_int_equal(e->cpu, 3);
    assert_int_equal(s->privilege, FLM_IN_KERNEL);
    assert_int_equal(s->ip, 0x1234);
    assert_int_equal(s->address, 0xADD);
    assert_int_equal(s->period, 999);
    assert_int_equal(s->chain_count, 3);
    assert_true(s->chain[0] == FLM_CONTEXT_KERNEL && s->chain[2] == 0x5678);
    assert_int_equal(s->raw.size, 12);
    assert_memory_equal(s->raw.at, "raw of twelv", 12);
    assert_int_equal(s->branch_count, 1);
    assert_int_equal(s->branches[1], 0x70);
    assert_int_equal(s->register_abi, PERF_SAMPLE_REGS_ABI_64);
    assert_int_equal(s->registers[2], 102);
    assert_int_equal(s->stack.size, 8);
    assert_false(s->stack_is_cut);
    uint64_t word;
    memcpy(&word, s->stack.at, 8);
    assert_int_equal(swapped ? __builtin_bswap64(word) : word, 0xAA);
}

static void every_field_of_a_sample_is_read_or_skipped(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct flm_event_layouts layouts = layouts_of(EVERYTHING, swapped);
        struct records r = {.swapped = swapped};
        put_everything(&r);
        assert_int_equal(flm_event_time(&layouts, r.bytes.at, r.bytes.size), 5000);
        struct flm_event event;
        assert_true(flm_event_decode(&layouts, r.bytes.at, r.bytes.size, 0, &event, NULL));
        assert_everything(&event, swapped);
        records_clear(&r);
        flm_event_layouts_clear(&layouts);
    }
}

static void samples_that_end_too_early_are_refused(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = layouts_of(EVERYTHING, false);
    struct records r = {0};
    put_everything(&r);
    /* The last three words are in no profile: they are not asked for. */
    for (size_t size = 0; size < r.bytes.size - 24; size++) {
        char *copy = malloc(size + 1);
        memcpy(copy, r.bytes.at, size);
        struct flm_event event;
        struct flm_error why = {0};
        assert_false(flm_event_decode(&layouts, copy, size, 4096, &event, &why));
        assert_int_equal(why.offset, 4096);
        free(copy);
    }
    records_clear(&r);
    flm_event_layouts_clear(&layouts);
}

static void wrong_counts_are_refused(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = layouts_of(RECORDS_SAMPLE_TYPE, false);
    static const uint64_t lies[] = {4, UINT64_C(1) << 61, UINT64_MAX, UINT64_MAX / 8};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct records r = {0};
        const uint64_t chain[] = {FLM_CONTEXT_USER, 1, 2};
        put_sample(&r, 1, 1, 1, chain, 3);
        memcpy(r.bytes.at + 8 + 4 * 8, &lies[i], 8);
        struct flm_event event;
        assert_false(flm_event_decode(&layouts, r.bytes.at, r.bytes.size, 0, &event, NULL));
        records_clear(&r);
    }
    flm_event_layouts_clear(&layouts);
}

static void unknown_sample_types_are_refused(void **state)
{
    (void)state;
    struct flm_text attributes = records_attributes(0, 0, UINT64_C(1) << 40, false);
    struct flm_event_layout layout;
    struct flm_error why = {0};
    assert_false(flm_event_layout_init(&layout, attributes.at, attributes.size, false, &why));
    assert_non_null(strstr(why.text, "0x10000000000"));
    flm_text_clear(&attributes);
}

static void chains_have_the_depth_limit_of_the_attributes_or_the_kernel(void **state)
{
    (void)state;
    static const struct {
        uint64_t sample_type;
        uint16_t asked;
        uint32_t deepest;
    } cases[] = {{PERF_SAMPLE_CALLCHAIN, 0, 127},
                 {PERF_SAMPLE_CALLCHAIN, 40, 40},
                 {PERF_SAMPLE_CALLCHAIN, UINT16_MAX, 0}, /* flamel's own: unwound already */
                 {PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_text attributes = records_attributes(0, 0, cases[i].sample_type, false);
        struct flm_event_layout layout;
        memcpy(attributes.at + 108, &cases[i].asked, sizeof cases[i].asked);
        assert_true(flm_event_layout_init(&layout, attributes.at, attributes.size, false, NULL));
        assert_int_equal(layout.deepest_chain, cases[i].deepest);
        /* The first versions of attributes had no such field. */
        assert_true(flm_event_layout_init(&layout, attributes.at, 96, false, NULL));
        assert_true(layout.deepest_chain == 127 || cases[i].deepest == 0);
        flm_text_clear(&attributes);
    }
}

static void attributes_of_the_other_byte_order_are_the_same(void **state)
{
    (void)state;
    struct flm_event_layouts a = layouts_of(RECORDS_SAMPLE_TYPE, false);
    struct flm_event_layouts b = layouts_of(RECORDS_SAMPLE_TYPE, true);
    assert_true(a.items.at[0].sample_id_all && b.items.at[0].sample_id_all);
    assert_int_equal(a.items.at[0].sample_type, b.items.at[0].sample_type);
    assert_int_equal(a.items.at[0].period, 4000000);
    assert_int_equal(b.items.at[0].period, 4000000);
    flm_event_layouts_clear(&a);
    flm_event_layouts_clear(&b);
}

static void an_id_selects_the_event_of_a_sample(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = {0};
    static const uint64_t ids[3][2] = {{30, 5}, {7, 90}, {8, 30}};
    for (uint32_t i = 0; i < 3; i++) {
        struct flm_text attributes = records_attributes(
            PERF_TYPE_SOFTWARE, i, RECORDS_SAMPLE_TYPE | PERF_SAMPLE_IDENTIFIER, false);
        struct flm_event_layout layout;
        assert_true(flm_event_layout_init(&layout, attributes.at, attributes.size, false, NULL));
        assert_true(flm_event_layouts_add(&layouts, &layout, ids[i], 2, NULL));
        flm_text_clear(&attributes);
    }
    assert_int_equal(flm_event_layouts_find(&layouts, 30)->number, 0);
    assert_int_equal(flm_event_layouts_find(&layouts, 90)->number, 1);
    assert_int_equal(flm_event_layouts_find(&layouts, 8)->config, 2);
    assert_null(flm_event_layouts_find(&layouts, 6));
    struct records r = {0};
    record_begin(&r, PERF_RECORD_SAMPLE, 0);
    put64(&r, 90);
    put64(&r, 1);
    put64(&r, 1);
    put64(&r, 1);
    put64(&r, 1);
    put64(&r, 0);
    record_end(&r);
    struct flm_event event;
    assert_true(flm_event_decode(&layouts, r.bytes.at, r.bytes.size, 0, &event, NULL));
    assert_int_equal(event.sample.layout->number, 1);
    records_clear(&r);
    /* Ids come and go, those of others stay. */
    static const uint64_t more[] = {6, 31};
    assert_true(flm_event_layouts_add_ids(&layouts, 2, more, 2));
    assert_int_equal(flm_event_layouts_find(&layouts, 6)->number, 2);
    assert_int_equal(flm_event_layouts_find(&layouts, 31)->number, 2);
    flm_event_layouts_remove_ids(&layouts, more, 2);
    flm_event_layouts_remove_ids(&layouts, more, 2);
    assert_null(flm_event_layouts_find(&layouts, 6));
    assert_null(flm_event_layouts_find(&layouts, 31));
    assert_int_equal(flm_event_layouts_find(&layouts, 30)->number, 0);
    assert_int_equal(flm_event_layouts_find(&layouts, 90)->number, 1);
    flm_event_layouts_clear(&layouts);
}

/* Hundreds of thousands of ids, in any order, with doubles: each is of the first event that has
 * it. Inserted one by one they took minutes. */
static void many_ids_in_any_order_are_found(void **state)
{
    (void)state;
    enum { EVENTS = 3, EACH = 200000 };
    static uint64_t ids[EVENTS][EACH];
    struct flm_event_layouts layouts = {0};
    struct flm_event_layout layout = {0};
    for (uint32_t e = 0; e < EVENTS; e++) {
        for (uint64_t i = 0; i < EACH; i++) /* descending, and shared with the event before */
            ids[e][i] = (EACH - i) * 2 + e * (uint64_t)EACH;
        ids[e][7] = ids[e][8];
        assert_true(flm_event_layouts_add(&layouts, &layout, ids[e], EACH, NULL));
    }
    for (size_t i = 1; i < layouts.ids.count; i++)
        assert_true(layouts.ids.at[i - 1].id < layouts.ids.at[i].id);
    for (uint32_t e = 0; e < EVENTS; e++)
        for (size_t i = 0; i < EACH; i += 997) {
            uint64_t id = ids[e][i];
            uint32_t first = 0;
            while (id < ids[first][EACH - 1] || id > ids[first][0] || id % 2 != ids[first][0] % 2)
                first++;
            assert_int_equal(flm_event_layouts_find(&layouts, id)->number, first);
        }
    flm_event_layouts_clear(&layouts);
}

static struct flm_event decode_one(const struct flm_event_layouts *layouts, struct records *r)
{
    struct flm_event event;
    assert_true(flm_event_decode(layouts, r->bytes.at, r->bytes.size, 0, &event, NULL));
    return event;
}

static void records_other_than_samples_end_with_thread_and_time(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct flm_event_layouts layouts = layouts_of(RECORDS_SAMPLE_TYPE, swapped);
        struct records r = {.swapped = swapped};
        put_map(&r, 20, 600, 0x1000, 0x2000, 0x400, "/usr/bin/app");
        assert_int_equal(flm_event_time(&layouts, r.bytes.at, r.bytes.size), 600);
        struct flm_event e = decode_one(&layouts, &r);
        assert_int_equal(e.kind, FLM_EVENT_MAP);
        assert_int_equal(e.time_ns, 600);
        assert_int_equal(e.process, 20);
        assert_true(flm_bytes_are(e.map.path, "/usr/bin/app"));
        assert_true(e.map.start == 0x1000 && e.map.size == 0x2000 && e.map.file_offset == 0x400);
        assert_true(e.map.is_code);
        records_clear(&r);

        put_switch(&r, 20, 21, 700, true, true);
        e = decode_one(&layouts, &r);
        assert_int_equal(e.kind, FLM_EVENT_SWITCH);
        assert_true(e.change.out && e.change.preempted && e.thread == 21);
        records_clear(&r);

        put_fork(&r, 30, 20, 31, 21, 800);
        e = decode_one(&layouts, &r);
        assert_int_equal(e.kind, FLM_EVENT_FORK);
        assert_true(e.process == 30 && e.thread == 31 && e.fork.parent_process == 20 &&
                    e.fork.parent_thread == 21);
        records_clear(&r);

        put_name(&r, 20, 21, 900, "worker", true);
        e = decode_one(&layouts, &r);
        assert_true(e.kind == FLM_EVENT_NAME && e.name.is_exec &&
                    flm_bytes_are(e.name.text, "worker"));
        records_clear(&r);
        flm_event_layouts_clear(&layouts);
    }
}

static void a_mapping_may_name_its_file_by_build_id(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = layouts_of(RECORDS_SAMPLE_TYPE, false);
    struct records r = {0};
    record_begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
    put32(&r, 1);
    put32(&r, 1);
    put64(&r, 0x1000);
    put64(&r, 0x1000);
    put64(&r, 0);
    flm_text_putc(&r.bytes, 3);
    flm_text_repeat(&r.bytes, 0, 3);
    flm_text_puts(&r.bytes, "\xAB\xCD\xEF");
    flm_text_repeat(&r.bytes, 0, 17);
    put32(&r, 1); /* may only be read */
    put32(&r, 0);
    put_text(&r, "/lib/x.so");
    put64(&r, 0);
    put64(&r, 0);
    record_end(&r);
    struct flm_event e = decode_one(&layouts, &r);
    assert_int_equal(e.map.build_id.size, 3);
    assert_memory_equal(e.map.build_id.bytes, "\xAB\xCD\xEF", 3);
    assert_false(e.map.is_code);
    records_clear(&r);
    flm_event_layouts_clear(&layouts);
}

static void a_mapping_may_name_its_file_by_inode(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = layouts_of(RECORDS_SAMPLE_TYPE, false);
    struct records r = {0};
    record_begin(&r, PERF_RECORD_MMAP2, 0);
    put32(&r, 1);
    put32(&r, 1);
    put64(&r, 0x1000);
    put64(&r, 0x1000);
    put64(&r, 0);
    put32(&r, 253);
    put32(&r, 2);
    put64(&r, 131190);
    put64(&r, 77);
    put32(&r, 5);
    put32(&r, 2);
    put_text(&r, "/lib/x.so");
    put64(&r, 0);
    put64(&r, 0);
    record_end(&r);
    struct flm_event e = decode_one(&layouts, &r);
    assert_int_equal(e.map.build_id.size, 0);
    assert_int_equal(e.map.file.major, 253);
    assert_int_equal(e.map.file.minor, 2);
    assert_int_equal(e.map.file.inode, 131190);
    assert_int_equal(e.map.file.generation, 77);
    assert_true(e.map.is_code);
    records_clear(&r);
    flm_event_layouts_clear(&layouts);
}

static void records_of_flamel_are_read(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = layouts_of(RECORDS_SAMPLE_TYPE, false);
    struct records r = {0};
    record_begin(&r, FLM_RECORD_OWN, 0);
    put64(&r, 0);
    put64(&r, FLM_OWN_MAGIC);
    const struct flm_own_code code = {FLM_OWN_CODE, 12, 6, 3, 4, 2, UINT64_C(0xF1A0000000000001)};
    flm_text_add(&r.bytes, (struct flm_bytes){(const char *)&code, sizeof code});
    flm_text_puts(&r.bytes, "runx.pymo");
    flm_text_repeat(&r.bytes, 0, 7);
    record_end(&r);
    struct flm_event e = decode_one(&layouts, &r);
    assert_int_equal(e.kind, FLM_EVENT_CODE);
    assert_true(flm_bytes_are(e.code.function, "run"));
    assert_true(flm_bytes_are(e.code.file, "x.py"));
    assert_true(flm_bytes_are(e.code.module, "mo"));
    assert_int_equal(e.code.line, 12);
    assert_int_equal(e.code.frame_kind, 6);
    assert_true(e.code.address == UINT64_C(0xF1A0000000000001));
    records_clear(&r);

    record_begin(&r, FLM_RECORD_OWN, 0);
    put64(&r, 0);
    put64(&r, FLM_OWN_MAGIC);
    const struct flm_own_note note = {FLM_OWN_NOTE, 4, 3, 0};
    flm_text_add(&r.bytes, (struct flm_bytes){(const char *)&note, sizeof note});
    flm_text_puts(&r.bytes, "hostbox");
    flm_text_repeat(&r.bytes, 0, 1);
    record_end(&r);
    e = decode_one(&layouts, &r);
    assert_int_equal(e.kind, FLM_EVENT_NOTE);
    assert_true(flm_bytes_are(e.note.key, "host") && flm_bytes_are(e.note.value, "box"));
    records_clear(&r);

    record_begin(&r, FLM_RECORD_OWN, 0); /* perf's own use of it */
    put64(&r, 1);
    put64(&r, 5);
    put64(&r, 6);
    record_end(&r);
    assert_int_equal(decode_one(&layouts, &r).kind, FLM_EVENT_OTHER);
    records_clear(&r);
    flm_event_layouts_clear(&layouts);
}

static void groups_are_read_with_the_ids_of_their_events(void **state)
{
    (void)state;
    struct flm_event_layouts layouts =
        layouts_of(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_READ, false);
    layouts.items.at[0].read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED;
    struct records r = {0};
    record_begin(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put64(&r, 1);
    put64(&r, 1);
    put64(&r, 2); /* two counters, enabled for so long */
    put64(&r, 123);
    put64(&r, 1000);
    put64(&r, 50);
    put64(&r, 7);
    put64(&r, 51);
    record_end(&r);
    struct flm_event e = decode_one(&layouts, &r);
    assert_int_equal(e.sample.count_count, 2);
    assert_int_equal(e.sample.counts[e.sample.count_stride], 7);
    assert_int_equal(e.sample.counts[e.sample.count_stride + 1], 51);
    records_clear(&r);
    flm_event_layouts_clear(&layouts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_sample_is_read_or_skipped),
        cmocka_unit_test(samples_that_end_too_early_are_refused),
        cmocka_unit_test(wrong_counts_are_refused),
        cmocka_unit_test(unknown_sample_types_are_refused),
        cmocka_unit_test(chains_have_the_depth_limit_of_the_attributes_or_the_kernel),
        cmocka_unit_test(attributes_of_the_other_byte_order_are_the_same),
        cmocka_unit_test(an_id_selects_the_event_of_a_sample),
        cmocka_unit_test(records_other_than_samples_end_with_thread_and_time),
        cmocka_unit_test(many_ids_in_any_order_are_found),
        cmocka_unit_test(a_mapping_may_name_its_file_by_build_id),
        cmocka_unit_test(a_mapping_may_name_its_file_by_inode),
        cmocka_unit_test(records_of_flamel_are_read),
        cmocka_unit_test(groups_are_read_with_the_ids_of_their_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
