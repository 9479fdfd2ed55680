#include "store/clickhouse/outgoing.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "os/random_bytes.h"
#include "store/clickhouse/sql.h"
#include "store/labels/series_labels.h"

enum { HOUR_MS = 3600 * 1000, DAY_HOURS = 24 };

/* Of values that are of no frame at all. */
static const struct flm_stack_id all_stacks = {0, 0}, no_frames = {1, 0};

bool flm_outgoing_init(struct flm_outgoing *out, struct flm_error *why)
{
    *out = (struct flm_outgoing){.head = {{0}}};
    return flm_head_init(&out->head, why);
}

static void clear_block(struct flm_block *block)
{
    for (unsigned i = 0; block->rows && i < block->shards; i++)
        flm_run_rows_clear(&block->rows[i]);
    free(block->rows);
}

void flm_outgoing_clear(struct flm_outgoing *out)
{
    flm_outgoing_drop(out, false);
    flm_head_clear(&out->head);
    FLM_ARRAY_CLEAR(&out->ids);
    FLM_ARRAY_CLEAR(&out->frame_ids);
    FLM_ARRAY_CLEAR(&out->sent);
    flm_index_clear(&out->sent_index);
    FLM_ARRAY_CLEAR(&out->series_day);
    FLM_ARRAY_CLEAR(&out->seen);
    FLM_ARRAY_CLEAR(&out->batch_ids);
    FLM_ARRAY_CLEAR(&out->blocks);
}

static uint32_t day_of(int64_t time_ms)
{
    return (uint32_t)(time_ms / HOUR_MS / DAY_HOURS);
}

bool flm_outgoing_add(struct flm_outgoing *out, const struct flm_profile *profile,
                      struct flm_bytes series, int64_t time_ms, const struct flm_stack_id *id,
                      struct flm_error *why)
{
    uint32_t number = flm_head_name(&out->head, &out->head.series, series);
    if (number == FLM_NONE)
        return flm_error_memory(why);
    while (out->series_day.count <= number)
        if (!FLM_ARRAY_ADD(&out->series_day, 0))
            return flm_error_memory(why);
    const struct flm_outgoing_series seen = {number, day_of(time_ms)};
    if (!FLM_ARRAY_ADD(&out->seen, seen) ||
        (id && !FLM_ARRAY_ADD(&out->batch_ids, (struct flm_outgoing_id){*id, number, time_ms})))
        return flm_error_memory(why);
    return flm_head_add(&out->head, profile, series, time_ms, why);
}

unsigned flm_outgoing_slot(struct flm_bytes series)
{
    struct flm_bytes prefix = flm_series_service_prefix(series);
    return (unsigned)(flm_checksum(prefix.at, prefix.size) & 255);
}

bool flm_outgoing_batch_id(struct flm_bytes id, struct flm_stack_id *mark)
{
    /* 64 bits: among the batches of an hour they are plenty, and each is kept. */
    bool good = flm_content_id(id, mark);
    mark->high = 0;
    return good;
}

/* ---- Ids of stacks --------------------------------------------------------------------------- */

static bool compute_ids(struct flm_outgoing *out)
{
    struct flm_head *head = &out->head;
    while (out->frame_ids.count < head->interner.frame_count) {
        struct flm_stack_id id;
        if (!flm_frame_id(&head->interner, (uint32_t)out->frame_ids.count, &id) ||
            !FLM_ARRAY_ADD(&out->frame_ids, id))
            return false;
    }
    if (out->ids.count == 0 && !FLM_ARRAY_ADD(&out->ids, (struct flm_stack_id){0, 0}))
        return false;
    while (out->ids.count < head->nodes.count) {
        struct flm_head_node node = head->nodes.at[out->ids.count];
        if (!FLM_ARRAY_ADD(&out->ids, flm_stack_child(out->ids.at[node.parent],
                                                      out->frame_ids.at[node.frame])))
            return false;
    }
    return true;
}

static void put_id(struct flm_text *row, struct flm_stack_id id)
{
    flm_row_fixed(row, id.low, 8);
    flm_row_fixed(row, id.high, 8);
}

/* ---- Rows of stacks and series --------------------------------------------------------------- */

/* The frames of a node from the root, as arrays, column by column. */
static bool put_frames(const struct flm_head *head, uint32_t node, struct flm_text *row)
{
    struct FLM_ARRAY(uint32_t) frames = {0};
    for (; node != 0; node = head->nodes.at[node].parent)
        if (!FLM_ARRAY_ADD(&frames, head->nodes.at[node].frame)) {
            FLM_ARRAY_CLEAR(&frames);
            return false;
        }
    for (int column = 0; column < 7; column++) {
        flm_row_varint(row, frames.count);
        for (size_t i = frames.count; i-- > 0;) {
            const struct flm_frame_record *f = &head->interner.frames[frames.at[i]];
            const uint32_t texts[] = {f->function, f->module, f->file};
            if (column < 3)
                flm_row_string(row, flm_interner_text(&head->interner, texts[column]));
            else if (column == 3)
                flm_row_fixed(row, f->line, 4);
            else if (column == 4)
                flm_row_fixed(row, f->address, 8);
            else
                flm_row_fixed(row, column == 5 ? f->kind : f->flags, 1);
        }
    }
    FLM_ARRAY_CLEAR(&frames);
    return true;
}

static struct flm_outgoing_sent *find_sent(struct flm_outgoing *out, uint32_t tenant, uint32_t node)
{
    struct flm_probe at = flm_index_probe(&out->sent_index, flm_hash_numbers(tenant, node));
    while (flm_index_next(&out->sent_index, &at))
        if (out->sent.at[at.found].tenant == tenant && out->sent.at[at.found].node == node)
            return &out->sent.at[at.found];
    return NULL;
}

/* Says that the server is to have a stack on a day; a row, where it does not have it yet. */
static bool need_stack(struct flm_outgoing *out, struct flm_bytes series, uint32_t node,
                       uint32_t day)
{
    struct flm_bytes name = flm_series_tenant(series);
    uint32_t tenant = flm_interner_string(&out->head.interner, name);
    struct flm_outgoing_sent *sent = tenant == FLM_NONE ? NULL : find_sent(out, tenant, node);
    if (tenant == FLM_NONE)
        return false;
    if (sent && sent->day >= day)
        return true;
    if (sent)
        sent->day = day;
    else if (!FLM_ARRAY_ADD(&out->sent, (struct flm_outgoing_sent){tenant, node, day}) ||
             !flm_index_add(&out->sent_index, flm_hash_numbers(tenant, node),
                            (uint32_t)out->sent.count - 1))
        return false;
    struct flm_text *row = &out->stack_rows;
    flm_row_string(row, name);
    put_id(row, out->ids.at[node]);
    flm_row_fixed(row, day, 2);
    flm_row_fixed(row, out->ids.at[node].low & 255, 1);
    return put_frames(&out->head, node, row);
}

static void put_series(struct flm_outgoing *out)
{
    for (size_t i = 0; i < out->seen.count; i++) {
        const struct flm_outgoing_series *seen = &out->seen.at[i];
        if (out->series_day.at[seen->series] > seen->day)
            continue;
        out->series_day.at[seen->series] = seen->day + 1;
        struct flm_bytes series = flm_head_series(&out->head, seen->series);
        struct flm_store_label label;
        for (size_t at = 0; flm_series_next(series, &at, &label);) {
            flm_row_string(&out->series_rows, flm_series_tenant(series));
            flm_row_string(&out->series_rows, label.key);
            flm_row_string(&out->series_rows, label.value);
            flm_row_string(&out->series_rows, series);
            flm_row_fixed(&out->series_rows, seen->day, 2);
            flm_row_fixed(&out->series_rows, flm_outgoing_slot(series), 1);
        }
    }
}

/* ---- Rows of runs ---------------------------------------------------------------------------- */

/* A row of no run: that the block, or a batch, is in. Its total is not 0, or merging would remove
 * it. */
static void put_mark(struct flm_block *block, struct flm_bytes tenant, uint32_t hour,
                     struct flm_stack_id id, uint64_t number, unsigned slot)
{
    const struct flm_bytes none = {"", 0};
    const struct flm_run mark = {tenant, none, none, hour, id, number, slot, 1};
    flm_run_rows_add(&block->rows[slot % block->shards], &mark, NULL, 0);
}

/* Rows of one run, of `stack`. */
static void put_run(const struct flm_outgoing *out, struct flm_block *block, struct flm_bytes type,
                    struct flm_stack_id stack, const struct flm_store_row *rows, size_t count)
{
    struct flm_bytes series = flm_head_series(&out->head, rows->series);
    struct flm_store_label service;
    size_t at = 0;
    flm_series_next(series, &at, &service);
    struct flm_run run = {.tenant = flm_series_tenant(series),
                          .service = service.value,
                          .type = type,
                          .hour = (uint32_t)(rows->time_ms / HOUR_MS),
                          .stack = stack,
                          .series = flm_checksum(series.at, series.size),
                          .slot = flm_outgoing_slot(series)};
    for (size_t i = 0; i < count; i++)
        run.total += rows[i].value;
    flm_run_rows_add(&block->rows[run.slot % block->shards], &run, rows, count);
}

static bool put_runs(struct flm_outgoing *out, struct flm_block *block, struct flm_bytes type,
                     struct flm_store_rows *rows, bool of_all)
{
    if (!flm_store_rows_sort(rows))
        return false;
    for (size_t i = 0, end; i < rows->count; i = end) {
        const struct flm_store_row *first = &rows->at[i];
        int64_t hour = first->time_ms / HOUR_MS;
        for (end = i + 1; end < rows->count && rows->at[end].node == first->node &&
                          rows->at[end].series == first->series &&
                          rows->at[end].time_ms / HOUR_MS == hour;)
            end++;
        struct flm_stack_id stack = of_all             ? all_stacks
                                    : first->node == 0 ? no_frames
                                                       : out->ids.at[first->node];
        if (!of_all && first->node != 0 &&
            !need_stack(out, flm_head_series(&out->head, first->series), first->node,
                        day_of(first->time_ms)))
            return false;
        put_run(out, block, type, stack, first, end - i);
    }
    return true;
}

/* The values of a type on a day: those of stacks, and those of all of them together. */
static bool put_type(struct flm_outgoing *out, struct flm_block *block, uint32_t day, uint32_t type)
{
    struct flm_store_rows rows = {0}, sums = {0};
    const struct flm_store_range all = {
        .until_ms = INT64_MAX, .series_count = 1, .node_count = (uint32_t)out->head.nodes.count};
    bool good = true;
    for (size_t i = 0; good && i < out->head.batches.count; i++) {
        const struct flm_head_batch *b = &out->head.batches.at[i];
        if (b->type != type || day_of(b->time_ms) != day)
            continue;
        struct flm_store_row sum = {.series = b->series, .time_ms = b->time_ms};
        size_t at = rows.count;
        good = flm_store_rows_decode(flm_head_values(&out->head, b), &all, &rows, NULL);
        for (; good && at < rows.count; at++) {
            rows.at[at].series = b->series;
            rows.at[at].time_ms = b->time_ms;
            sum.value += rows.at[at].value;
        }
        good = good && FLM_ARRAY_ADD(&sums, sum);
    }
    struct flm_bytes name = flm_head_type(&out->head, type);
    good =
        good && put_runs(out, block, name, &rows, false) && put_runs(out, block, name, &sums, true);
    FLM_ARRAY_CLEAR(&rows);
    FLM_ARRAY_CLEAR(&sums);
    return good;
}

static void put_marks(struct flm_outgoing *out, struct flm_block *block, uint32_t day)
{
    for (size_t i = 0; i < out->batch_ids.count; i++) {
        const struct flm_outgoing_id *b = &out->batch_ids.at[i];
        struct flm_bytes series = flm_head_series(&out->head, b->series);
        if (day_of(b->time_ms) == day)
            put_mark(block, flm_series_tenant(series), (uint32_t)(b->time_ms / HOUR_MS), b->id, 0,
                     flm_outgoing_slot(series));
    }
    for (unsigned shard = 0; shard < block->shards; shard++)
        if (block->rows[shard].count > 0)
            put_mark(block, (struct flm_bytes){"", 0}, block->hour, block->id, shard, shard);
}

static bool add_block(struct flm_outgoing *out, uint32_t day, unsigned shards,
                      struct flm_error *why)
{
    struct flm_block block = {.hour = day * DAY_HOURS, .shards = shards};
    uint64_t random[2];
    if (!flm_random_bytes(random, sizeof random, why))
        return false;
    block.id = (struct flm_stack_id){random[0], random[1]};
    block.rows = calloc(shards, sizeof *block.rows);
    bool good = block.rows != NULL;
    for (uint32_t type = 0; good && type < out->head.types.strings.count; type++)
        good = put_type(out, &block, day, type);
    if (good)
        put_marks(out, &block, day);
    for (unsigned i = 0; good && i < shards; i++)
        good = !flm_run_rows_failed(&block.rows[i]);
    if (good && FLM_ARRAY_ADD(&out->blocks, block))
        return true;
    clear_block(&block);
    return flm_error_memory(why);
}

bool flm_outgoing_encode(struct flm_outgoing *out, unsigned shards, struct flm_error *why)
{
    struct FLM_ARRAY(uint32_t) days = {0};
    bool good = compute_ids(out) || flm_error_memory(why);
    for (size_t i = 0; good && i < out->seen.count; i++) {
        size_t at = 0;
        while (at < days.count && days.at[at] != out->seen.at[i].day)
            at++;
        good =
            at < days.count || FLM_ARRAY_ADD(&days, out->seen.at[i].day) || flm_error_memory(why);
    }
    if (good)
        put_series(out);
    for (size_t i = 0; good && i < days.count; i++)
        good = add_block(out, days.at[i], shards, why);
    FLM_ARRAY_CLEAR(&days);
    return good && ((!out->stack_rows.failed && !out->series_rows.failed) || flm_error_memory(why));
}

void flm_outgoing_drop(struct flm_outgoing *out, bool is_sent)
{
    const struct flm_head_mark none = {0};
    flm_head_drop_batches(&out->head, &none);
    out->seen.count = out->batch_ids.count = 0;
    for (size_t i = 0; i < out->blocks.count; i++)
        clear_block(&out->blocks.at[i]);
    out->blocks.count = 0;
    flm_text_clear(&out->stack_rows);
    flm_text_clear(&out->series_rows);
    if (is_sent)
        return;
    /* It is not known what of it arrived: stacks and series are sent again, which does no harm. */
    out->sent.count = 0;
    flm_index_clear(&out->sent_index);
    for (size_t i = 0; i < out->series_day.count; i++)
        out->series_day.at[i] = 0;
}
