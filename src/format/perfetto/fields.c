#include "format/perfetto/internal.h"

void flm_perfetto_read(struct flm_perfetto *p, struct flm_bytes message,
                       struct flm_perfetto_fields *f)
{
    struct flm_wire m = flm_perfetto_message(p, message);
    f->numbers = f->texts = f->again = 0;
    while (flm_wire_next(&m)) {
        if (m.field >= 64)
            continue;
        uint64_t bit = UINT64_C(1) << m.field;
        f->again |= (f->numbers | f->texts) & bit;
        if (m.type == FLM_WIRE_BYTES) {
            f->texts |= bit;
            f->numbers &= ~bit;
            f->text[m.field] = m.bytes;
        } else {
            f->numbers |= bit;
            f->texts &= ~bit;
            f->number[m.field] = m.number;
        }
    }
}

uint64_t flm_perfetto_number(const struct flm_perfetto_fields *f, unsigned field)
{
    return f->numbers >> field & 1 ? f->number[field] : 0;
}

struct flm_bytes flm_perfetto_text(const struct flm_perfetto_fields *f, unsigned field)
{
    return f->texts >> field & 1 ? f->text[field] : (struct flm_bytes){"", 0};
}

uint32_t flm_perfetto_text_string(struct flm_perfetto *p, const struct flm_perfetto_fields *f,
                                  unsigned field)
{
    struct flm_bytes text = flm_perfetto_text(f, field);
    return text.size > 0 ? flm_perfetto_string(p, text) : 0;
}

struct flm_wire flm_perfetto_message(struct flm_perfetto *p, struct flm_bytes bytes)
{
    return flm_wire_of(p->input, bytes.at ? bytes : (struct flm_bytes){"", 0});
}

bool flm_perfetto_next(struct flm_perfetto *p, struct flm_wire *m, uint32_t field,
                       struct flm_bytes *message)
{
    while (!flm_perfetto_stopped(p) && flm_wire_next(m)) {
        if (m->field == field && m->type == FLM_WIRE_BYTES) {
            *message = m->bytes;
            return true;
        }
    }
    return false;
}

struct flm_perfetto_list flm_perfetto_list_of(struct flm_perfetto *p, struct flm_bytes message,
                                              uint32_t field, bool is_real)
{
    return (struct flm_perfetto_list){
        .p = p, .fields = flm_perfetto_message(p, message), .field = field, .is_real = is_real};
}

bool flm_perfetto_next_number(struct flm_perfetto_list *list, uint64_t *number)
{
    for (;;) {
        if (list->numbers.input && (list->is_real ? flm_wire_next_fixed64(&list->numbers, number)
                                                  : flm_wire_next_number(&list->numbers, number)))
            return true;
        do {
            if (flm_perfetto_stopped(list->p) || !flm_wire_next(&list->fields))
                return false;
        } while (list->fields.field != list->field);
        list->numbers = flm_wire_numbers(&list->fields);
    }
}
