/* otlp_attributes.c - attributes: their values as texts, and the labels of samples. */
#include "base/number/number.h"
#include "format/core/units.h"
#include "format/otlp/internal.h"
#include "format/otlp/otlp_write.h"

static void add_digits(struct flm_text *out, struct flm_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        flm_text_putc(out, "0123456789abcdef"[(unsigned char)bytes.at[i] >> 4]);
        flm_text_putc(out, "0123456789abcdef"[bytes.at[i] & 15]);
    }
}

/* Writes the value to r->text; false for a list, which cannot be a label. */
static bool read_any_value(struct flm_otlp_reading *r, struct flm_wire m)
{
    bool found = false;
    r->text.size = 0;
    while (flm_wire_next(&m)) {
        char number[FLM_NUMBER_SIZE];
        double real;
        found = true;
        r->text.size = 0;
        if (m.field == 1 && m.type == FLM_WIRE_BYTES) {
            flm_text_add(&r->text, m.bytes);
        } else if (m.field == 2) {
            flm_text_puts(&r->text, m.number ? "true" : "false");
        } else if (m.field == 3) {
            flm_text_format(&r->text, "%lld", (long long)m.number);
        } else if (m.field == 4 && m.type == FLM_WIRE_FIXED64) {
            memcpy(&real, &m.number, sizeof real);
            size_t size = flm_number_print(real, number);
            flm_text_add(&r->text, (struct flm_bytes){number, size});
        } else if (m.field == 7 && m.type == FLM_WIRE_BYTES) {
            add_digits(&r->text, m.bytes);
        } else if (m.field == 8) {
            flm_text_add(&r->text, flm_otlp_text(r, flm_otlp_string(r, m.number, m.start)));
        } else {
            found = false;
        }
    }
    return found;
}

const struct flm_otlp_label flm_otlp_labels[FLM_OTLP_LABELS] = {
    {"thread.name", "thread name"},
    {"thread.id", "thread"},
    {"process.pid", "process"},
    {"process.executable.name", "process name"}};

/* The key of a KeyValue is a text. That of an entry of the table is an index, and field 3 is its
 * unit. */
struct flm_otlp_attribute flm_otlp_read_attribute(struct flm_otlp_reading *r, struct flm_wire m)
{
    struct flm_otlp_attribute a = {0};
    struct flm_wire inner;
    uint64_t unit = 0;
    bool is_key_value = false, found = false;
    const unsigned char *at = m.at;
    while (flm_wire_next(&m)) {
        if (m.field == 1 && m.type == FLM_WIRE_BYTES) {
            a.key = flm_builder_string(r->builder, m.bytes.at, m.bytes.size).index;
            is_key_value = true;
        } else if (m.field == 1) {
            a.key = flm_otlp_string(r, m.number, m.start);
        } else if (m.field == 2 && flm_wire_enter(&m, &inner)) {
            found = read_any_value(r, inner);
        } else if (m.field == 3) {
            unit = m.number;
        }
    }
    if (unit && !is_key_value && found)
        flm_unit_append(&r->text, flm_otlp_text(r, flm_otlp_string(r, unit, at)));
    if (!found)
        return (struct flm_otlp_attribute){0};
    a.value = flm_otlp_text_string(r);
    for (size_t i = 0; i < FLM_OTLP_LABELS; i++)
        if (flm_bytes_are(flm_otlp_text(r, a.key), flm_otlp_labels[i].key))
            a.key = flm_builder_string(r->builder, flm_otlp_labels[i].name,
                                       strlen(flm_otlp_labels[i].name))
                        .index;
    return a;
}

struct flm_otlp_attribute flm_otlp_attribute(struct flm_otlp_reading *r, uint64_t index,
                                             const unsigned char *at)
{
    struct flm_wire field, m;
    uint32_t *made = flm_otlp_find_entry(r, FLM_OTLP_ATTRIBUTES, index, at, &field);
    if (!made || flm_otlp_stopped(r))
        return (struct flm_otlp_attribute){0};
    if (*made == FLM_NONE) {
        struct flm_otlp_attribute a = {0};
        if (flm_wire_enter(&field, &m))
            a = flm_otlp_read_attribute(r, m);
        if (r->attributes.count >= FLM_NONE || !FLM_ARRAY_ADD(&r->attributes, a)) {
            flm_otlp_fail_memory(r);
            return a;
        }
        *made = (uint32_t)r->attributes.count - 1;
    }
    return r->attributes.at[*made];
}

/* ---- Labels ---------------------------------------------------------------------------------- */

void flm_otlp_add_label(struct flm_otlp_reading *r, struct flm_otlp_attribute a)
{
    if (a.key != 0 && (!FLM_ARRAY_ADD(&r->labels, (struct flm_string){a.key}) ||
                       !FLM_ARRAY_ADD(&r->labels, (struct flm_string){a.value})))
        flm_otlp_fail_memory(r);
}

bool flm_otlp_add_attributes(struct flm_otlp_reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t index;
    bool any = false;
    for (; !flm_otlp_stopped(r) && flm_wire_next_number(&packed, &index); any = true)
        flm_otlp_add_label(r, flm_otlp_attribute(r, index, m->start));
    return any;
}

bool flm_otlp_check_attributes(struct flm_otlp_reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t index;
    bool any = false;
    for (; !flm_otlp_stopped(r) && flm_wire_next_number(&packed, &index); any = true)
        flm_otlp_find_entry(r, FLM_OTLP_ATTRIBUTES, index, m->start, NULL);
    return any;
}

void flm_otlp_add_link(struct flm_otlp_reading *r, uint64_t index, const unsigned char *at)
{
    static const char *const names[] = {"trace_id", "span_id"};
    struct flm_wire field, m;
    bool found = flm_otlp_find_entry(r, FLM_OTLP_LINKS, index, at, &field) != NULL;
    for (bool good = found && flm_wire_enter(&field, &m); good && flm_wire_next(&m);) {
        if (m.type != FLM_WIRE_BYTES || m.field > 2 || m.bytes.size == 0)
            continue;
        const char *name = names[m.field - 1];
        r->text.size = 0;
        add_digits(&r->text, m.bytes);
        struct flm_otlp_attribute a = {flm_builder_string(r->builder, name, strlen(name)).index,
                                       flm_otlp_text_string(r)};
        flm_otlp_add_label(r, a);
    }
}

struct flm_node flm_otlp_thread(struct flm_otlp_reading *r)
{
    static const char *const keys[] = {"thread name", "thread", "process name", "process"};
    struct flm_node root = flm_builder_root(r->builder);
    for (size_t k = 0; k < sizeof keys / sizeof *keys && r->options->by_thread; k++)
        for (size_t i = 0; i < r->labels.count; i += 2)
            if (flm_bytes_are(flm_otlp_text(r, r->labels.at[i].index), keys[k])) {
                struct flm_frame_record record = {.function = r->labels.at[i + 1].index,
                                                  .kind = FLM_KIND_LABEL};
                return flm_builder_child(r->builder, root, flm_builder_frame(r->builder, &record));
            }
    return root;
}
