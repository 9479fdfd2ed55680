/* dhat.c - dhat.out: what each stack allocated, how long the blocks lived and how they were used.
 *
 *     {"dhatFileVersion":2
 *     ,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":true
 *     ,"tu":"instrs","Mtu":"Minstr","cmd":"./app","pid":26664,"te":41874909,"tg":34246993
 *     ,"pps":[{"tb":72704,"tbk":1           bytes and blocks, all that were allocated
 *             ,"tl":39937536                the sum of their lifetimes
 *             ,"mb":72704,"mbk":1           the most that this stack had at a time
 *             ,"gb":72704,"gbk":1           at the peak of the program
 *             ,"eb":0,"ebk":0               at the end
 *             ,"rb":0,"wb":16               bytes that were read and written
 *             ,"fs":[1,2,3]}]               the stack, the function that allocates first
 *     ,"ftbl":["[root]","0x4C2: malloc (vg_replace_malloc.c:381)", ...]}
 *
 * Each quantity is a metric. Keys may come in any order, so stacks are kept until the end. In the
 * mode "ad-hoc", tb and tbk are units and events of the program's own; dhat-rs writes these files
 * too. */
#include "base/text/json_read.h"
#include "format/core/format.h"
#include "format/valgrind/frame_line.h"

static const struct {
    const char *key, *name, *unit;
} quantities[] = {
    {"tb", "total-bytes", "bytes"},   {"tbk", "total-blocks", "blocks"},
    {"tl", "lifetimes", "count"},     {"mb", "max-bytes", "bytes"},
    {"mbk", "max-blocks", "blocks"},  {"gb", "peak-bytes", "bytes"},
    {"gbk", "peak-blocks", "blocks"}, {"eb", "end-bytes", "bytes"},
    {"ebk", "end-blocks", "blocks"},  {"rb", "read-bytes", "bytes"},
    {"wb", "written-bytes", "bytes"},
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

struct point {
    int64_t value[QUANTITIES];
    size_t end; /* the end of its frames, which begin where those of the stack before end */
};

struct reading {
    struct flm_json json;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    bool has[QUANTITIES];
    bool is_ad_hoc, has_version, failed;
    struct FLM_ARRAY(struct point) points;
    struct FLM_ARRAY(uint32_t) stacks;
    struct FLM_ARRAY(struct flm_frame) table;
    struct FLM_ARRAY(struct flm_frame) frames;
    struct flm_text time_unit;
};

static bool fail_memory(struct reading *r)
{
    r->failed = true;
    return flm_error_memory(r->why);
}

static void read_stack(struct reading *r)
{
    int64_t index;
    flm_json_enter_array(&r->json);
    while (!r->failed && flm_json_next_item(&r->json)) {
        if (!flm_json_integer(&r->json, &index))
            return;
        uint32_t frame = index < 0 || index >= UINT32_MAX ? UINT32_MAX : (uint32_t)index;
        if (!FLM_ARRAY_ADD(&r->stacks, frame))
            fail_memory(r);
    }
}

static void read_point(struct reading *r)
{
    struct point point = {0};
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (!r->failed && flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "fs")) {
            read_stack(r);
            continue;
        }
        size_t i = 0;
        while (i < QUANTITIES && !flm_bytes_are(key, quantities[i].key))
            i++;
        if (i < QUANTITIES)
            r->has[i] |= flm_json_integer(&r->json, &point.value[i]);
    }
    point.end = r->stacks.count;
    if (!r->failed && !FLM_ARRAY_ADD(&r->points, point))
        fail_memory(r);
}

static void read_table(struct reading *r)
{
    struct flm_bytes text;
    flm_json_enter_array(&r->json);
    while (!r->failed && flm_json_next_item(&r->json)) {
        if (!flm_json_string(&r->json, &text))
            return;
        struct flm_frame frame = flm_valgrind_frame(r->builder, text);
        if (!FLM_ARRAY_ADD(&r->table, frame))
            fail_memory(r);
    }
}

static bool read_version(struct reading *r)
{
    int64_t version;
    if (!flm_json_integer(&r->json, &version))
        return false;
    r->has_version = true;
    return version == 2 ||
           flm_json_fail(&r->json, "a version of DHAT's files other than 2, the one that is known");
}

static void read_member(struct reading *r, struct flm_bytes key)
{
    struct flm_bytes text;
    if (flm_bytes_are(key, "dhatFileVersion")) {
        read_version(r);
    } else if (flm_bytes_are(key, "mode")) {
        r->is_ad_hoc = flm_json_string(&r->json, &text) && flm_bytes_are(text, "ad-hoc");
    } else if (flm_bytes_are(key, "tu")) {
        if (flm_json_string(&r->json, &text))
            flm_text_add(&r->time_unit, text);
    } else if (flm_bytes_are(key, "cmd")) {
        if (flm_json_string(&r->json, &text))
            flm_builder_note(r->builder, "command", text.at, text.size);
    } else if (flm_bytes_are(key, "pps")) {
        flm_json_enter_array(&r->json);
        while (!r->failed && flm_json_next_item(&r->json))
            read_point(r);
    } else if (flm_bytes_are(key, "ftbl")) {
        read_table(r);
    }
}

/* The function that allocates is the leaf. Frame 0, "[root]", is not a function. */
static bool add_stacks(struct reading *r)
{
    struct flm_builder *b = r->builder;
    struct flm_metric metrics[QUANTITIES];
    flm_text_putc(&r->time_unit, 0);
    if (r->time_unit.failed)
        return fail_memory(r);
    for (size_t i = 0; i < QUANTITIES; i++) {
        if (!r->has[i])
            continue;
        const char *name = quantities[i].name, *unit = quantities[i].unit;
        if (r->is_ad_hoc && i < 2) {
            name = i == 0 ? "units" : "events";
            unit = "count";
        } else if (flm_bytes_are(flm_bytes_of(quantities[i].key), "tl") && *r->time_unit.at) {
            unit = r->time_unit.at;
        }
        metrics[i] = flm_builder_metric(b, name, unit);
    }
    flm_builder_note(b, FLM_NOTE_SAMPLE_VALUES, "all metrics", 11);
    size_t first = 0;
    for (size_t p = 0; p < r->points.count; p++) {
        const struct point *point = &r->points.at[p];
        r->frames.count = 0;
        for (size_t i = point->end; i-- > first;) {
            uint32_t index = r->stacks.at[i];
            if (index == 0)
                continue;
            if (index >= r->table.count)
                flm_builder_lost(b, "frames that the file does not have", "", 0, 1);
            else if (!FLM_ARRAY_ADD(&r->frames, r->table.at[index]))
                return fail_memory(r);
        }
        first = point->end;
        struct flm_node node = flm_builder_stack(b, r->frames.at, r->frames.count);
        for (size_t i = 0; i < QUANTITIES; i++) {
            if (point->value[i] < 0)
                flm_builder_lost(b, "negative values, which count as 0", "", 0, 1);
            else if (r->has[i])
                flm_builder_add(b, node, metrics[i], (double)point->value[i]);
        }
    }
    return true;
}

static bool read_dhat(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder, .options = options, .why = why};
    struct flm_bytes key;
    flm_json_init(&r.json, source, why);
    flm_json_enter_object(&r.json);
    while (!r.failed && flm_json_next_key(&r.json, &key))
        read_member(&r, key);
    bool good = !r.failed;
    if (good)
        good = flm_json_finish(&r.json);
    else
        flm_json_clear(&r.json);
    if (good && !r.has_version)
        good = flm_error_set(why, FLM_ERROR_FORMAT, "no 'dhatFileVersion': this is no DHAT file");
    good = good && add_stacks(&r);
    FLM_ARRAY_CLEAR(&r.points);
    FLM_ARRAY_CLEAR(&r.stacks);
    FLM_ARRAY_CLEAR(&r.table);
    FLM_ARRAY_CLEAR(&r.frames);
    flm_text_clear(&r.time_unit);
    return good;
}

static int sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    while (head.size > 0 && flm_is_one_of(*head.at, " \t\r\n"))
        head = flm_bytes_from(head, 1);
    return flm_bytes_start_with(head, "{") && flm_bytes_contain(head, "\"dhatFileVersion\"")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_dhat = {
    .name = "dhat",
    .title = "DHAT",
    .extensions = ".dhat",
    .description = "dhat.out of valgrind: bytes and blocks, their lifetimes, reads and writes",
    .metrics = FLM_METRICS_ALL,
    .sniff = sniff,
    .read = read_dhat,
};
