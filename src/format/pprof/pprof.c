#include "format/pprof/pprof.h"

#include "format/protobuf/wire_read.h"

/* Whether the fields of a message are numbers below `most`, or what a bit of `messages` says. */
static bool has_shape(struct flm_wire m, uint32_t most, uint32_t messages)
{
    while (flm_wire_next(&m)) {
        bool is_message = m.type == FLM_WIRE_BYTES;
        if (m.field > most || (!is_message && m.type != FLM_WIRE_VARINT) ||
            (is_message && !(messages >> m.field & 1)))
            return false;
    }
    return !m.input->reason;
}

/* Each field of the profile: whether it is a message, and the shape of that. In samples, locations
 * and values may be packed. */
static bool fits(const struct flm_wire *m)
{
    static const struct {
        uint32_t most, messages;
    } shapes[] = {[1] = {2, 0},  [2] = {3, 1 << 1 | 1 << 2 | 1 << 3},
                  [3] = {12, 0}, [4] = {6, 1 << 4},
                  [5] = {5, 0},  [11] = {2, 0}};
    struct flm_wire inner;
    switch (m->field) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 11:
        return flm_wire_enter(m, &inner) &&
               has_shape(inner, shapes[m->field].most, shapes[m->field].messages);
    case 6:
        return m->type == FLM_WIRE_BYTES;
    case 13:
        return m->type == FLM_WIRE_BYTES || m->type == FLM_WIRE_VARINT;
    default:
        return m->field > 15 || m->type == FLM_WIRE_VARINT;
    }
}

/* Fields that fit, up to the end of the head: the last one may be cut off there. Other formats of
 * Protocol Buffers begin with other fields, or with messages in which ValueType has numbers. */
static int sniff(struct flm_bytes head, bool whole)
{
    enum { ENOUGH = 256 }; /* so many that fit are no accident: all of them cost 1/10 of reading */
    struct flm_wire_input input = flm_wire_input_of(head);
    struct flm_wire m = flm_wire_all(&input);
    unsigned seen = 0, types = 0, tables = 0;
    bool good = true;
    (void)whole;
    while (good && seen < ENOUGH && flm_wire_next(&m)) {
        good = fits(&m);
        if (!good)
            break;
        seen++;
        types += m.field == 1;
        tables += m.field >= 2 && m.field <= 6;
    }
    if (seen == 0 || types + tables == 0)
        return FLM_SNIFF_NO;
    if (good && !input.reason)
        return types > 0 || seen > 3 ? FLM_SNIFF_SURE : FLM_SNIFF_LIKELY;
    /* Cut off, by the end of the head or of the file; or damaged further on. */
    if (types > 0 || seen > 8)
        return good ? FLM_SNIFF_SURE : FLM_SNIFF_LIKELY;
    return FLM_SNIFF_NO;
}

const struct flm_format flm_format_pprof = {
    .name = "pprof",
    .title = "pprof",
    .extensions = ".pb.gz .pprof .pb .prof",
    .description = "profiles of pprof (profile.proto): Go, and many other profilers",
    .whole_values = true,
    .also_loses = "addresses of functions, notes that profile.proto has no field for",
    .holds = FLM_HOLDS_WEIGHTS | FLM_HOLDS_MODULES | FLM_HOLDS_FILES | FLM_HOLDS_LOCATIONS |
             FLM_HOLDS_NOTES | FLM_HOLDS_EMPTY_STACK | FLM_HOLDS_INLINED,
    .keeps_labels = true,
    .needs_symbols = true,
    .sniff = sniff,
    .read = flm_pprof_read,
    .read_unordered = flm_pprof_read_unordered,
    .write = flm_pprof_write,
};
