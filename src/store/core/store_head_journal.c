/* store_head_journal.c - what is new in a head, as bytes, and back. */
#include "format/protobuf/wire_read.h"
#include "format/protobuf/wire_write.h"
#include "store/core/store_head.h"

struct flm_head_mark flm_head_mark_of(const struct flm_head *head)
{
    return (struct flm_head_mark){head->interner.string_count,
                                  head->interner.frame_count,
                                  head->nodes.count,
                                  head->series.strings.count,
                                  head->types.strings.count,
                                  head->batches.count,
                                  head->values.size};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void put(struct flm_text *out, uint64_t number)
{
    flm_wire_put_varint(out, number);
}

static void put_text(struct flm_text *out, struct flm_bytes text)
{
    put(out, text.size);
    flm_text_add(out, text);
}

static void put_names(struct flm_text *out, const struct flm_head_names *names, size_t since)
{
    put(out, names->strings.count - since);
    for (size_t i = since; i < names->strings.count; i++)
        put(out, names->strings.at[i]);
}

void flm_head_write(const struct flm_head *head, const struct flm_head_mark *since,
                    struct flm_text *out)
{
    const struct flm_interner *v = &head->interner;
    put(out, v->string_count - since->strings);
    for (size_t i = since->strings; i < v->string_count; i++)
        put_text(out, flm_interner_text(v, (uint32_t)i));
    put(out, v->frame_count - since->frames);
    for (size_t i = since->frames; i < v->frame_count; i++) {
        const struct flm_frame_record *f = &v->frames[i];
        const uint64_t members[] = {f->function, f->module,  f->file, f->line,
                                    f->kind,     f->address, f->flags};
        for (size_t m = 0; m < sizeof members / sizeof *members; m++)
            put(out, members[m]);
    }
    put(out, head->nodes.count - since->nodes);
    for (size_t i = since->nodes; i < head->nodes.count; i++) {
        put(out, head->nodes.at[i].parent);
        put(out, head->nodes.at[i].frame);
    }
    put_names(out, &head->series, since->series);
    put_names(out, &head->types, since->types);
    put(out, head->batches.count - since->batches);
    for (size_t i = since->batches; i < head->batches.count; i++) {
        const struct flm_head_batch *b = &head->batches.at[i];
        put(out, b->series);
        put(out, b->type);
        put(out, (uint64_t)b->time_ms);
        put_text(out, flm_head_values(head, b));
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct entry {
    struct flm_wire_input input;
    struct flm_wire at;
    struct flm_head *head;
    bool out_of_memory;
};

static bool get(struct entry *e, uint64_t most, uint64_t *number)
{
    const unsigned char *start = e->at.at;
    return flm_wire_varint(&e->at, &e->at.at, number) &&
           (*number <= most || flm_wire_fail(&e->input, start, "a number is too large"));
}

static bool below(struct entry *e, size_t count, uint32_t *index)
{
    uint64_t number;
    const unsigned char *start = e->at.at;
    if (!get(e, UINT32_MAX, &number))
        return false;
    *index = (uint32_t)number;
    return number < count || flm_wire_fail(&e->input, start, "an index is out of its table");
}

static bool get_text(struct entry *e, struct flm_bytes *text)
{
    uint64_t size;
    if (!get(e, UINT64_MAX, &size))
        return false;
    if (size > (uint64_t)(e->at.end - e->at.at))
        return flm_wire_fail(&e->input, e->at.at, "a text is longer than the entry");
    *text = (struct flm_bytes){(const char *)e->at.at, (size_t)size};
    e->at.at += size;
    return true;
}

/* What is added must get the next number: it is new. */
static bool is_new(struct entry *e, uint32_t index, size_t expected)
{
    if (index == FLM_NONE)
        return !(e->out_of_memory = true);
    return index == expected || flm_wire_fail(&e->input, e->at.at, "an item comes twice");
}

static bool read_strings(struct entry *e)
{
    uint64_t count;
    struct flm_bytes text;
    if (!get(e, UINT32_MAX, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        size_t expected = e->head->interner.string_count;
        if (!get_text(e, &text) ||
            !is_new(e, flm_interner_string(&e->head->interner, text), expected))
            return false;
    }
    return true;
}

static bool read_frames(struct entry *e)
{
    struct flm_interner *v = &e->head->interner;
    uint64_t count, line, kind, flags;
    if (!get(e, UINT32_MAX, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct flm_frame_record f = {0};
        size_t expected = v->frame_count;
        if (!below(e, v->string_count, &f.function) || !below(e, v->string_count, &f.module) ||
            !below(e, v->string_count, &f.file) || !get(e, UINT32_MAX, &line) ||
            !get(e, FLM_KIND_COUNT - 1, &kind) || !get(e, UINT64_MAX, &f.address) ||
            !get(e, FLM_FRAME_UNSYMBOLIZED, &flags))
            return false;
        f.line = (uint32_t)line;
        f.kind = (uint32_t)kind;
        f.flags = (uint32_t)flags;
        if (!is_new(e, flm_interner_frame(v, &f), expected))
            return false;
    }
    return true;
}

static bool read_nodes(struct entry *e)
{
    uint64_t count;
    if (!get(e, UINT32_MAX, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t parent, frame;
        size_t expected = e->head->nodes.count;
        if (!below(e, e->head->nodes.count, &parent) ||
            !below(e, e->head->interner.frame_count, &frame) ||
            (frame == 0 && !flm_wire_fail(&e->input, e->at.at, "a stack has the root's frame")) ||
            !is_new(e, flm_head_node(e->head, parent, frame), expected))
            return false;
    }
    return true;
}

static bool read_names(struct entry *e, struct flm_head_names *names)
{
    uint64_t count;
    if (!get(e, UINT32_MAX, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t string;
        size_t expected = names->strings.count;
        if (!below(e, e->head->interner.string_count, &string) ||
            !is_new(e, flm_head_name(e->head, names, flm_interner_text(&e->head->interner, string)),
                    expected))
            return false;
    }
    return true;
}

static bool read_batches(struct entry *e)
{
    struct flm_head *head = e->head;
    uint64_t count, time;
    if (!get(e, UINT32_MAX, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct flm_head_batch batch;
        struct flm_bytes values;
        if (!below(e, head->series.strings.count, &batch.series) ||
            !below(e, head->types.strings.count, &batch.type) || !get(e, UINT64_MAX, &time) ||
            !get_text(e, &values))
            return false;
        batch.time_ms = (int64_t)time;
        if (batch.time_ms > FLM_STORE_LAST_MS || batch.time_ms < -FLM_STORE_LAST_MS)
            return flm_wire_fail(&e->input, e->at.at, "a time is no time");
        if (!flm_head_add_batch(head, batch, values))
            return !(e->out_of_memory = true);
    }
    return true;
}

bool flm_head_read(struct flm_head *head, struct flm_bytes bytes, struct flm_error *why)
{
    struct entry e = {.input = flm_wire_input_of(bytes), .head = head};
    e.at = flm_wire_of(&e.input, bytes);
    e.at.input = &e.input;
    bool good = read_strings(&e) && read_frames(&e) && read_nodes(&e) &&
                read_names(&e, &head->series) && read_names(&e, &head->types) && read_batches(&e);
    if (good && e.at.at != e.at.end)
        flm_wire_fail(&e.input, e.at.at, "something follows the entry");
    return e.out_of_memory ? flm_error_memory(why) : flm_wire_end(&e.input, why);
}
