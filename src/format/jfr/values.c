/* values.c - the values of a chunk: integers and strings, and the values of types.
 *
 * A type becomes a list of operations, one for each field that is not a structure; the fields of a
 * structure take its place in the list. Values are read or skipped by these operations. A plan says
 * which of them are read, and where to. */
#include "base/core/varint.h"
#include "format/jfr/internal.h"

enum {
    MOST_STEPS = 1024, /* fields of a type and of its structures */
    MOST_DEPTH = 8     /* structures within structures */
};

/* The states of flm_jfr_type. */
enum { UNPREPARED, PREPARING, READY, UNREADABLE };

/* ---- Bytes ----------------------------------------------------------------------------------- */

uint64_t flm_jfr_fixed(struct flm_jfr_cursor *c, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < size) {
        c->at = c->end;
        c->failed = true;
        return 0;
    }
    for (size_t i = 0; i < size; i++)
        value = value << 8 | c->at[i];
    c->at += size;
    return value;
}

uint64_t flm_jfr_long_varint(struct flm_jfr_cursor *c)
{
    const unsigned char *at = c->at;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 56 && at < c->end; shift += 7) {
        value |= (uint64_t)(*at & 0x7f) << shift;
        if (*at++ < 0x80) {
            c->at = at;
            return value;
        }
    }
    if (at == c->end) {
        c->at = at;
        c->failed = true;
        return 0;
    }
    c->at = at + 1;
    return value | (uint64_t)*at << 56;
}

/* Skips integers by counting the bytes that end one. */
static void skip_varints(struct flm_jfr_cursor *c, uint64_t count)
{
    while (count >= 8 && c->end - c->at >= 8) {
        uint64_t ends = flm_varint_ends(flm_load_little_endian(c->at));
        if (!ends) { /* one of 9 bytes, the last of which has 8 bits */
            flm_jfr_varint(c);
            count--;
            continue;
        }
        count -= (ends >> 7) * 0x0101010101010101u >> 56; /* a bit a byte: their sum */
        c->at += 8 - (unsigned)__builtin_clzll(ends) / 8;
    }
    for (; count > 0 && !c->failed; count--)
        flm_jfr_varint(c);
}

void flm_jfr_skip_bytes(struct flm_jfr_cursor *c, uint64_t count)
{
    if (count > (uint64_t)(c->end - c->at)) {
        c->at = c->end;
        c->failed = true;
    } else {
        c->at += count;
    }
}

/* Reads a character of UTF-16. */
static uint32_t take_char(struct flm_jfr_cursor *c)
{
    return (uint16_t)(c->is_fixed ? flm_jfr_fixed(c, 2) : flm_jfr_varint(c));
}

void flm_jfr_skip_string(struct flm_jfr_cursor *c)
{
    switch (flm_jfr_byte(c)) {
    case 0: /* null */
    case 1: /* "" */
        break;
    case 2: /* a constant */
        flm_jfr_long(c);
        break;
    case 3: /* UTF-8 */
    case 5: /* Latin-1 */
        flm_jfr_skip_bytes(c, flm_jfr_int(c));
        break;
    case 4:
        for (uint32_t left = flm_jfr_int(c); left > 0 && !c->failed; left--)
            take_char(c);
        break;
    default:
        c->failed = true;
    }
}

/* ---- Operations ------------------------------------------------------------------------------ */

static uint8_t kind_of(struct flm_bytes name)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } kinds[] = {{"boolean", FLM_JFR_BYTE},
                 {"byte", FLM_JFR_BYTE},
                 {"short", FLM_JFR_SHORT},
                 {"char", FLM_JFR_CHAR},
                 {"int", FLM_JFR_INT},
                 {"long", FLM_JFR_LONG},
                 {"float", FLM_JFR_FLOAT},
                 {"double", FLM_JFR_DOUBLE},
                 {"java.lang.String", FLM_JFR_STRING}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (flm_bytes_are(name, kinds[i].name))
            return kinds[i].kind;
    return FLM_JFR_NOTHING;
}

static bool flatten(struct flm_jfr_types *t, uint32_t type, struct flm_bytes within, unsigned depth,
                    unsigned *steps)
{
    const struct flm_jfr_type *owner = &t->types.at[type];
    for (uint32_t i = 0; i < owner->field_count; i++) {
        const struct flm_jfr_field *field = &t->fields.at[owner->first_field + i];
        struct flm_jfr_operation operation = {.unit = field->unit,
                                              .is_array = field->is_array,
                                              .is_unsigned = field->is_unsigned,
                                              .type = flm_jfr_type_of(t, field->type),
                                              .name = field->name,
                                              .within = within};
        if (++*steps > MOST_STEPS)
            return false;
        if (field->is_constant) {
            operation.kind = FLM_JFR_CONSTANT;
        } else {
            if (operation.type == FLM_NONE)
                return false;
            operation.kind = kind_of(t->types.at[operation.type].name);
            if (operation.kind == FLM_JFR_NOTHING && !field->is_array) {
                if (depth == MOST_DEPTH ||
                    !flatten(t, operation.type, field->name, depth + 1, steps))
                    return false;
                continue;
            }
            if (operation.kind == FLM_JFR_NOTHING)
                operation.kind = FLM_JFR_STRUCTURES;
        }
        if (!FLM_ARRAY_ADD(&t->operations, operation)) {
            t->no_memory = true;
            return false;
        }
    }
    return true;
}

/* Makes the operations of a type, and then those of the types that it has arrays of. */
static bool prepare(struct flm_jfr_types *t, uint32_t index, unsigned depth)
{
    struct flm_jfr_type *type = &t->types.at[index];
    if (type->state != UNPREPARED)
        return type->state == READY;
    type->state = PREPARING;
    type->first_operation = (uint32_t)t->operations.count;
    unsigned steps = 0;
    uint8_t kind = kind_of(type->name);
    bool good;
    if (kind != FLM_JFR_NOTHING) {
        good = FLM_ARRAY_ADD(&t->operations, (struct flm_jfr_operation){.kind = kind});
        t->no_memory |= !good;
    } else {
        good = flatten(t, index, (struct flm_bytes){"", 0}, 0, &steps);
    }
    type->operation_count = (uint32_t)t->operations.count - type->first_operation;
    for (uint32_t i = 0; good && i < type->operation_count; i++) {
        const struct flm_jfr_operation *o = &t->operations.at[type->first_operation + i];
        if (o->kind == FLM_JFR_STRUCTURES)
            good = depth < MOST_DEPTH && prepare(t, o->type, depth + 1);
    }
    type->state = good ? READY : UNREADABLE;
    type->is_plain = true;
    for (uint32_t i = 0; i < type->operation_count; i++) {
        const struct flm_jfr_operation *o = &t->operations.at[type->first_operation + i];
        type->is_plain &= !o->is_array && o->kind != FLM_JFR_BYTE &&
                          (o->kind <= FLM_JFR_LONG || o->kind == FLM_JFR_CONSTANT);
    }
    return good;
}

bool flm_jfr_type_prepare(struct flm_jfr_types *t, uint32_t type)
{
    return type != FLM_NONE && prepare(t, type, 0);
}

static void skip_one(struct flm_jfr_cursor *c, const struct flm_jfr_types *t,
                     const struct flm_jfr_operation *o)
{
    switch (o->kind) {
    case FLM_JFR_BYTE:
        flm_jfr_byte(c);
        break;
    case FLM_JFR_SHORT:
    case FLM_JFR_CHAR:
        take_char(c);
        break;
    case FLM_JFR_INT:
        flm_jfr_int(c);
        break;
    case FLM_JFR_LONG:
    case FLM_JFR_CONSTANT:
        flm_jfr_long(c);
        break;
    case FLM_JFR_FLOAT:
        flm_jfr_skip_bytes(c, 4);
        break;
    case FLM_JFR_DOUBLE:
        flm_jfr_skip_bytes(c, 8);
        break;
    case FLM_JFR_STRING:
        flm_jfr_skip_string(c);
        break;
    case FLM_JFR_STRUCTURES: /* bounded: `prepare` refuses deep and cyclic types */
        flm_jfr_skip(c, t, o->type);
        break;
    default:
        break;
    }
}

void flm_jfr_operation_skip(struct flm_jfr_cursor *c, const struct flm_jfr_types *t,
                            const struct flm_jfr_operation *o)
{
    if (!o->is_array) {
        skip_one(c, t, o);
        return;
    }
    uint32_t left = flm_jfr_int(c);
    if (o->kind == FLM_JFR_STRUCTURES && t->types.at[o->type].operation_count == 0)
        return; /* these have no bytes, however many there are */
    if (o->kind == FLM_JFR_STRUCTURES && t->types.at[o->type].is_plain && !c->is_fixed) {
        /* The frames of stacks, which are most of all constants. */
        skip_varints(c, (uint64_t)left * t->types.at[o->type].operation_count);
        return;
    }
    for (; left > 0 && !c->failed; left--)
        skip_one(c, t, o);
}

void flm_jfr_skip(struct flm_jfr_cursor *c, const struct flm_jfr_types *t, uint32_t type)
{
    const struct flm_jfr_type *owner = &t->types.at[type];
    for (uint32_t i = 0; i < owner->operation_count && !c->failed; i++)
        flm_jfr_operation_skip(c, t, &t->operations.at[owner->first_operation + i]);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool is_named(const struct flm_jfr_operation *o, const char *name)
{
    struct flm_bytes wanted = flm_bytes_of(name);
    if (o->within.size == 0)
        return flm_bytes_equal(o->name, wanted);
    return wanted.size == o->within.size + 1 + o->name.size &&
           memcmp(wanted.at, o->within.at, o->within.size) == 0 &&
           wanted.at[o->within.size] == '.' &&
           flm_bytes_equal(o->name, flm_bytes_from(wanted, o->within.size + 1));
}

bool flm_jfr_plan_make(struct flm_jfr_plan *plan, struct flm_jfr_types *t, uint32_t type,
                       const struct flm_jfr_wanted *wanted, size_t count)
{
    *plan = (struct flm_jfr_plan){.type = type};
    memset(plan->slot, FLM_JFR_NO_SLOT, sizeof plan->slot);
    if (!flm_jfr_type_prepare(t, type))
        return false;
    const struct flm_jfr_type *owner = &t->types.at[type];
    bool taken[256] = {false};
    for (size_t w = 0; w < count; w++)
        for (uint32_t i = 0; i < owner->operation_count && i < FLM_JFR_MOST_FIELDS; i++) {
            if (taken[wanted[w].slot] || plan->slot[i] != FLM_JFR_NO_SLOT ||
                !is_named(&t->operations.at[owner->first_operation + i], wanted[w].name))
                continue;
            taken[wanted[w].slot] = true;
            plan->slot[i] = wanted[w].slot;
            if (plan->operation_count <= i)
                plan->operation_count = (uint8_t)(i + 1);
        }
    return true;
}

void flm_jfr_value_read(struct flm_jfr_cursor *c, const struct flm_jfr_operation *o,
                        struct flm_jfr_value *value)
{
    value->kind = o->kind;
    value->unit = o->unit;
    value->is_array = false;
    value->type = o->type;
    value->number = 0;
    switch (o->kind) {
    case FLM_JFR_BYTE: {
        unsigned byte = flm_jfr_byte(c);
        value->number = o->is_unsigned ? byte : (uint64_t)(int64_t)(int8_t)byte;
        break;
    }
    case FLM_JFR_SHORT: {
        uint32_t number = take_char(c);
        value->number = o->is_unsigned ? number : (uint64_t)(int64_t)(int16_t)number;
        break;
    }
    case FLM_JFR_CHAR:
        value->number = take_char(c);
        break;
    case FLM_JFR_INT: {
        uint32_t number = flm_jfr_int(c);
        value->number = o->is_unsigned ? number : (uint64_t)(int64_t)(int32_t)number;
        break;
    }
    case FLM_JFR_LONG:
    case FLM_JFR_CONSTANT:
        value->number = flm_jfr_long(c);
        break;
    case FLM_JFR_FLOAT: {
        uint32_t bits = (uint32_t)flm_jfr_fixed(c, 4);
        float real;
        memcpy(&real, &bits, sizeof real);
        value->real = (double)real;
        break;
    }
    case FLM_JFR_DOUBLE: {
        uint64_t bits = flm_jfr_fixed(c, 8);
        value->number = bits; /* the same bytes as `real` */
        break;
    }
    case FLM_JFR_STRING:
        value->at = c->at;
        flm_jfr_skip_string(c);
        break;
    default:
        break;
    }
}

void flm_jfr_plan_read(const struct flm_jfr_plan *plan, const struct flm_jfr_types *t,
                       struct flm_jfr_cursor *c, struct flm_jfr_value *values)
{
    for (size_t i = 0; i < plan->operation_count && !c->failed; i++) {
        const struct flm_jfr_operation *o =
            &t->operations.at[t->types.at[plan->type].first_operation + i];
        uint8_t slot = plan->slot[i];
        if (slot == FLM_JFR_NO_SLOT) {
            flm_jfr_operation_skip(c, t, o);
        } else if (o->is_array) {
            values[slot] = (struct flm_jfr_value){
                .kind = o->kind, .is_array = true, .type = o->type, .at = c->at};
            if (i + 1 < plan->operation_count)
                flm_jfr_operation_skip(c, t, o);
        } else {
            flm_jfr_value_read(c, o, &values[slot]);
        }
    }
}
