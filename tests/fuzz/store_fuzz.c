/* What a store reads: the columns of a segment (first byte even), and entries of the journal. */
#include <stdint.h>
#include <stdlib.h>

#include "store/core/store_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static double sums[64];

static void add(void *context, uint32_t node, uint32_t series, double sum)
{
    (void)context;
    promise(node < 64 && series < 8);
    sums[node] += sum;
}

static void read_columns(struct flm_bytes bytes)
{
    const struct flm_store_range range = {
        .from_ms = 15000, .until_ms = 900000, .series_count = 8, .node_count = 64};
    struct flm_store_rows rows = {0};
    struct flm_error why;
    bool summed = flm_store_rows_sum(bytes, &range, add, NULL, &why);
    bool decoded = flm_store_rows_decode(bytes, &range, &rows, &why);
    promise(summed == decoded);
    for (size_t i = 0; i < rows.count; i++)
        promise(rows.at[i].node < 64 && rows.at[i].series < 8 && rows.at[i].time_ms >= 0);
    FLM_ARRAY_CLEAR(&rows);
}

/* An entry that is read can be written and read again, and summed. */
static void read_entry(struct flm_bytes bytes)
{
    struct flm_head head, again;
    struct flm_error why;
    if (!flm_head_init(&head, &why) || !flm_head_init(&again, &why))
        abort();
    struct flm_head_mark empty = flm_head_mark_of(&head);
    if (flm_head_read(&head, bytes, &why)) {
        struct flm_text text = {0};
        flm_head_write(&head, &empty, &text);
        promise(flm_head_read(&again, (struct flm_bytes){text.at, text.size}, &why));
        promise(again.nodes.count == head.nodes.count && again.batches.count == head.batches.count);
        double *self = calloc(head.nodes.count, sizeof *self);
        bool good = self != NULL;
        for (size_t i = 0; good && i < head.batches.count && i < 16; i++)
            good = flm_head_sum(&head, &head.batches.at[i], self, &why);
        struct flm_profile *p =
            good ? flm_head_profile(&head, self, flm_bytes_of("cpu:ns"), NULL, &why) : NULL;
        promise(!p || flm_profile_check(p, &why));
        flm_profile_free(p);
        free(self);
        flm_text_clear(&text);
    }
    flm_head_clear(&head);
    flm_head_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct flm_bytes bytes = {(const char *)data + 1, size - 1};
    if (data[0] % 2 == 0)
        read_columns(bytes);
    else
        read_entry(bytes);
    return 0;
}
