#include "store/clickhouse/stack_id.h"

#include "base/core/hash.h"
#include "store/clickhouse/sql.h"

/* The first byte is the one that is before the others. */
static struct flm_stack_id id_of(const char *bytes, size_t size)
{
    struct flm_stack_id id = {flm_checksum(bytes + 1, size - 1), flm_checksum(bytes, size)};
    id.low += id.low == 0 && id.high == 0; /* which stands for all stacks (schema.h) */
    return id;
}

static bool finish(struct flm_text *text, struct flm_stack_id *id)
{
    bool good = !text->failed;
    if (good)
        *id = id_of(text->at, text->size);
    flm_text_clear(text);
    return good;
}

bool flm_frame_id(const struct flm_interner *v, uint32_t frame, struct flm_stack_id *id)
{
    const struct flm_frame_record *f = &v->frames[frame];
    struct flm_text text = {0};
    flm_text_putc(&text, 's');
    flm_row_string(&text, flm_interner_text(v, f->function));
    flm_row_string(&text, flm_interner_text(v, f->module));
    flm_row_string(&text, flm_interner_text(v, f->file));
    flm_row_fixed(&text, f->line, 4);
    flm_row_fixed(&text, f->address, 8);
    flm_row_fixed(&text, f->kind, 4);
    flm_row_fixed(&text, f->flags, 4);
    return finish(&text, id);
}

struct flm_stack_id flm_stack_child(struct flm_stack_id callers, struct flm_stack_id frame)
{
    const uint64_t words[4] = {callers.low, callers.high, frame.low, frame.high};
    char bytes[1 + sizeof words] = {'s'};
    for (size_t i = 0; i < sizeof words; i++)
        bytes[1 + i] = (char)(words[i / 8] >> (8 * (i % 8)));
    return id_of(bytes, sizeof bytes);
}

bool flm_content_id(struct flm_bytes bytes, struct flm_stack_id *id)
{
    struct flm_text text = {0};
    flm_text_putc(&text, 's');
    flm_text_add(&text, bytes);
    return finish(&text, id);
}
