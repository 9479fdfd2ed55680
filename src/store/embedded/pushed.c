#include "store/embedded/pushed.h"

enum { MOST_IDS = 250000, MOST_BYTES = 64 << 20 };

bool flm_pushed_init(struct flm_pushed *p, struct flm_error *why)
{
    *p = (struct flm_pushed){.next_row = 1};
    return flm_interner_init(&p->current, why) && flm_interner_init(&p->previous, why);
}

void flm_pushed_clear(struct flm_pushed *p)
{
    for (size_t i = 0; i < p->waiting.count; i++)
        flm_text_clear(&p->waiting.at[i].text);
    FLM_ARRAY_CLEAR(&p->waiting);
    flm_interner_clear(&p->current);
    flm_interner_clear(&p->previous);
}

static bool write_id(struct flm_bytes tenant, struct flm_bytes id, struct flm_text *out)
{
    flm_text_add(out, tenant);
    flm_text_putc(out, 0);
    flm_text_add(out, id);
    return !out->failed;
}

static bool is_it(struct flm_bytes text, struct flm_bytes tenant, struct flm_bytes id)
{
    return text.size == tenant.size + 1 + id.size && text.at[tenant.size] == 0 &&
           flm_bytes_equal((struct flm_bytes){text.at, tenant.size}, tenant) &&
           flm_bytes_equal(flm_bytes_from(text, tenant.size + 1), id);
}

bool flm_pushed_has(const struct flm_pushed *p, struct flm_bytes tenant, struct flm_bytes id)
{
    for (size_t i = 0; i < p->waiting.count; i++) {
        const struct flm_text *text = &p->waiting.at[i].text;
        if (is_it((struct flm_bytes){text->at, text->size}, tenant, id))
            return true;
    }
    struct flm_text text = {0};
    bool found = write_id(tenant, id, &text);
    struct flm_bytes bytes = {text.at, text.size};
    found = found && (flm_interner_find(&p->current, bytes) != FLM_NONE ||
                      flm_interner_find(&p->previous, bytes) != FLM_NONE);
    flm_text_clear(&text);
    return found;
}

bool flm_pushed_add(struct flm_pushed *p, struct flm_bytes tenant, struct flm_bytes id)
{
    struct flm_pushed_id added = {.is_durable = false};
    if (write_id(tenant, id, &added.text) && FLM_ARRAY_ADD(&p->waiting, added))
        return true;
    flm_text_clear(&added.text);
    return false;
}

void flm_pushed_drop(struct flm_pushed *p, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < p->waiting.count; i++)
        if (p->waiting.at[i].is_durable)
            p->waiting.at[kept++] = p->waiting.at[i];
        else
            flm_text_clear(&p->waiting.at[i].text);
    p->waiting.count = kept;
}

/* An id is shorter than 64 KiB, so its size is two bytes. */
void flm_pushed_write(const struct flm_pushed *p, struct flm_text *out)
{
    for (size_t i = 0; i < p->waiting.count; i++) {
        const struct flm_text *text = &p->waiting.at[i].text;
        if (p->waiting.at[i].is_durable)
            continue;
        flm_text_putc(out, (char)(text->size & 0xFF));
        flm_text_putc(out, (char)(text->size >> 8));
        flm_text_add(out, (struct flm_bytes){text->at, text->size});
    }
}

/* Where there is no memory for another table, this one grows on. */
static void turn_over(struct flm_pushed *p, int64_t row)
{
    struct flm_interner next;
    bool is_full = p->current.string_count > MOST_IDS || p->current.bytes_size >= MOST_BYTES;
    if (!is_full || !flm_interner_init(&next, NULL))
        return;
    flm_interner_clear(&p->previous);
    p->previous = p->current;
    p->previous_row = p->current_row;
    p->current = next;
    p->current_row = row;
}

void flm_pushed_commit(struct flm_pushed *p, size_t count)
{
    size_t kept = 0;
    turn_over(p, p->next_row++);
    for (size_t i = 0; i < p->waiting.count; i++) {
        struct flm_pushed_id *id = &p->waiting.at[i];
        struct flm_bytes text = {id->text.at, id->text.size};
        id->is_durable |= i < count;
        if (id->is_durable && flm_interner_string(&p->current, text) != FLM_NONE)
            flm_text_clear(&id->text);
        else
            p->waiting.at[kept++] = *id;
    }
    p->waiting.count = kept;
}

bool flm_pushed_read(struct flm_pushed *p, int64_t row, struct flm_bytes ids)
{
    turn_over(p, row);
    p->next_row = row + 1;
    while (ids.size >= 2) {
        size_t size = (unsigned char)ids.at[0] | (size_t)(unsigned char)ids.at[1] << 8;
        ids = flm_bytes_from(ids, 2);
        if (size > ids.size ||
            flm_interner_string(&p->current, (struct flm_bytes){ids.at, size}) == FLM_NONE)
            return false;
        ids = flm_bytes_from(ids, size);
    }
    return ids.size == 0;
}
