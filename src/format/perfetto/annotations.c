/* annotations.c - the arguments of an event as a text, for the detail of a marker. */
#include "base/number/number.h"
#include "format/perfetto/internal.h"

/* The detail is only shown. */
enum { MOST_SIZE = 400, ANNOTATIONS = 4 };

static struct flm_bytes text_of(const struct flm_perfetto_sequence *s, uint32_t table, uint64_t iid)
{
    const struct flm_perfetto_item *item = flm_perfetto_find(s, table, iid);
    return item ? flm_perfetto_bytes_of(s, item) : (struct flm_bytes){"", 0};
}

/* Fields of an annotation. */
enum {
    NAME_IID = 1,
    BOOL = 2,
    UINT = 3,
    INT = 4,
    REAL = 5,
    TEXT = 6,
    POINTER = 7,
    JSON = 9,
    NAME = 10,
    TEXT_IID = 17
};

static struct flm_bytes value_text(const struct flm_perfetto_sequence *s,
                                   const struct flm_perfetto_fields *f)
{
    if (flm_perfetto_has(f, TEXT_IID))
        return text_of(s, FLM_PERFETTO_ANNOTATION_TEXT, flm_perfetto_number(f, TEXT_IID));
    return flm_perfetto_text(f, flm_perfetto_has(f, TEXT) ? TEXT : JSON);
}

static void add_value(struct flm_text *out, const struct flm_perfetto_sequence *s,
                      const struct flm_perfetto_fields *f)
{
    char digits[FLM_NUMBER_SIZE];
    double real;
    unsigned type = BOOL;
    while (type < POINTER && !(f->numbers >> type & 1))
        type++;
    uint64_t number = flm_perfetto_number(f, type);
    switch (f->numbers >> type & 1 ? type : TEXT) {
    case BOOL:
        flm_text_puts(out, number ? "true" : "false");
        break;
    case UINT:
        flm_text_uint(out, number);
        break;
    case INT:
        flm_text_format(out, "%lld", (long long)number);
        break;
    case REAL:
        memcpy(&real, &number, sizeof real);
        flm_text_add(out, (struct flm_bytes){digits, flm_number_print(real, digits)});
        break;
    case POINTER:
        flm_text_format(out, "0x%llx", (unsigned long long)number);
        break;
    default: {
        struct flm_bytes text = value_text(s, f);
        flm_text_add(out, text.size < MOST_SIZE ? text : flm_bytes_of("..."));
        break;
    }
    }
}

uint32_t flm_perfetto_detail(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                             struct flm_bytes event)
{
    struct flm_wire m = flm_perfetto_message(p, event);
    struct flm_perfetto_fields f;
    struct flm_text out = {0};
    struct flm_bytes message;
    while (out.size < MOST_SIZE && flm_perfetto_next(p, &m, ANNOTATIONS, &message)) {
        flm_perfetto_read(p, message, &f);
        struct flm_bytes name =
            flm_perfetto_has(&f, NAME)
                ? flm_perfetto_text(&f, NAME)
                : text_of(s, FLM_PERFETTO_ANNOTATION_NAME, flm_perfetto_number(&f, NAME_IID));
        flm_text_puts(&out, out.size > 0 ? ", " : "");
        flm_text_add(&out, name);
        flm_text_puts(&out, name.size > 0 ? ": " : "");
        add_value(&out, s, &f);
    }
    if (out.failed)
        flm_perfetto_no_memory(p);
    uint32_t detail = out.size > 0 && !out.failed
                          ? flm_perfetto_string(p, (struct flm_bytes){out.at, out.size})
                          : 0;
    flm_text_clear(&out);
    return detail;
}

struct flm_bytes flm_perfetto_first_text(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                         struct flm_bytes event)
{
    struct flm_wire m = flm_perfetto_message(p, event);
    struct flm_perfetto_fields f;
    struct flm_bytes message;
    if (!flm_perfetto_next(p, &m, ANNOTATIONS, &message))
        return (struct flm_bytes){"", 0};
    flm_perfetto_read(p, message, &f);
    return value_text(s, &f);
}
