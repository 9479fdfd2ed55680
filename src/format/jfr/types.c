/* types.c - the types of a chunk: the tree of elements of its metadata, flattened into operations.
 *
 *     root
 *       metadata
 *         class id=101 name=jdk.ExecutionSample superType=jdk.jfr.Event
 *           field name=startTime class=6
 *             annotation class=203 value=TICKS
 *           field name=stackTrace class=29 constantPool=true
 *         class id=29 name=jdk.types.StackTrace
 *           field name=frames class=30 dimension=1
 *
 * Names and values are indices of strings in front of the tree. An operation is a field that is no
 * structure; what a structure within another one has takes its place. */
#include "base/core/hash.h"
#include "base/text/utf.h"
#include "format/jfr/internal.h"

enum {
    MOST_STRINGS = 1 << 20, /* JDK 25 has 6 thousand */
    MOST_TYPES = 1 << 16,
    MOST_FIELDS = 1 << 20,
    MOST_STEPS = 1024, /* of flattening a type: fields of it and of its structures */
    MOST_DEPTH = 8     /* structures within structures */
};

enum { UNPREPARED, PREPARING, READY, UNREADABLE };

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

void flm_jfr_skip_bytes(struct flm_jfr_cursor *c, uint64_t count)
{
    if (count > (uint64_t)(c->end - c->at)) {
        c->at = c->end;
        c->failed = true;
    } else {
        c->at += count;
    }
}

/* A character of UTF-16. */
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

/* ---- The tree -------------------------------------------------------------------------------- */

void flm_jfr_types_clear(struct flm_jfr_types *t)
{
    flm_text_clear(&t->names);
    FLM_ARRAY_CLEAR(&t->strings);
    FLM_ARRAY_CLEAR(&t->types);
    FLM_ARRAY_CLEAR(&t->fields);
    FLM_ARRAY_CLEAR(&t->annotations);
    FLM_ARRAY_CLEAR(&t->operations);
    flm_index_clear(&t->by_id);
    *t = (struct flm_jfr_types){0};
}

/* JDK 9 had other names for what is the same: com.oracle.jdk.ExecutionSample. */
static void modernize(struct flm_text *text, size_t start)
{
    static const struct {
        const char *old, *since;
    } prefixes[] = {{"com.oracle.jdk.", "jdk."},
                    {"com.oracle.jfr.types.", "jdk.types."},
                    {"com.oracle.jfr.", "jdk.jfr."}};
    struct flm_bytes name = {text->at + start, text->size - start};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (!flm_bytes_start_with(name, prefixes[i].old))
            continue;
        size_t old = strlen(prefixes[i].old), since = strlen(prefixes[i].since);
        memcpy(text->at + start, prefixes[i].since, since);
        memmove(text->at + start + since, text->at + start + old, name.size - old);
        text->size -= old - since;
        return;
    }
}

static bool read_string(struct flm_jfr_types *t, struct flm_jfr_cursor *c)
{
    size_t start = t->names.size;
    const struct flm_jfr_constants none = {
        .is_fixed = c->is_fixed, .chunk = {(const char *)c->at, (size_t)(c->end - c->at)}};
    const unsigned char *at = c->at;
    flm_jfr_skip_string(c);
    if (!c->failed)
        flm_jfr_string_add(&none, at, &t->names);
    if (t->names.failed)
        return false;
    if (t->names.size > start)
        modernize(&t->names, start);
    return FLM_ARRAY_ADD(&t->strings, (struct flm_jfr_string){start, t->names.size - start});
}

enum element_kind { OTHER, TYPE, FIELD };

/* An element whose children are being read. */
struct element {
    enum element_kind kind;
    uint32_t children; /* to come */
    uint32_t item;     /* the type or the field */
};

struct reading {
    struct flm_jfr_types *types;
    struct flm_jfr_cursor c;
    size_t first_string, string_count;
};

static struct flm_bytes take_name(struct reading *r)
{
    uint32_t index = flm_jfr_int(&r->c);
    if (r->c.failed || index >= r->string_count) {
        r->c.failed = true;
        return (struct flm_bytes){"", 0};
    }
    const struct flm_jfr_types *t = r->types;
    struct flm_jfr_string string = t->strings.at[r->first_string + index];
    return (struct flm_bytes){t->names.at ? t->names.at + string.start : "", string.size};
}

static uint64_t number_of(struct flm_bytes text)
{
    uint64_t value = 0;
    bool is_negative = flm_bytes_start_with(text, "-");
    for (size_t i = is_negative; i < text.size && text.at[i] >= '0' && text.at[i] <= '9'; i++)
        value = value * 10 + (uint64_t)(text.at[i] - '0');
    return is_negative ? 0 - value : value;
}

struct attributes {
    struct flm_bytes id, name, type, value;
    bool is_constant, is_array;
};

static struct attributes take_attributes(struct reading *r)
{
    struct attributes a = {0};
    for (uint32_t left = flm_jfr_int(&r->c); left > 0 && !r->c.failed; left--) {
        struct flm_bytes key = take_name(r), value = take_name(r);
        if (flm_bytes_are(key, "id"))
            a.id = value;
        else if (flm_bytes_are(key, "name"))
            a.name = value;
        else if (flm_bytes_are(key, "class"))
            a.type = value;
        else if (flm_bytes_are(key, "value") || flm_bytes_are(key, "value-0"))
            a.value = value;
        else if (flm_bytes_are(key, "constantPool"))
            a.is_constant = flm_bytes_are(value, "true");
        else if (flm_bytes_are(key, "dimension"))
            a.is_array = number_of(value) > 0;
    }
    return a;
}

static bool add_type(struct flm_jfr_types *t, const struct attributes *a, uint32_t *item)
{
    struct flm_jfr_type type = {
        .id = number_of(a->id), .name = a->name, .first_field = (uint32_t)t->fields.count};
    uint32_t known = flm_jfr_type_of(t, type.id);
    if (known != FLM_NONE) {
        t->types.at[ *item = known] = type;
        return true;
    }
    *item = (uint32_t)t->types.count;
    return FLM_ARRAY_ADD(&t->types, type) &&
           flm_index_add(&t->by_id, flm_hash_numbers(type.id, 0), *item);
}

/* The element and what it says; false when memory ran out. */
static bool take_element(struct reading *r, const struct element *parent, struct element *element)
{
    struct flm_jfr_types *t = r->types;
    struct flm_bytes name = take_name(r);
    struct attributes a = take_attributes(r);
    *element = (struct element){.children = flm_jfr_int(&r->c)};
    if (r->c.failed)
        return true;
    if (flm_bytes_are(name, "class") && parent->kind == OTHER && a.id.size > 0) {
        element->kind = TYPE;
        return t->types.count >= MOST_TYPES || add_type(t, &a, &element->item);
    }
    if (flm_bytes_are(name, "field") && parent->kind == TYPE && t->fields.count < MOST_FIELDS) {
        element->kind = FIELD;
        element->item = (uint32_t)t->fields.count;
        t->types.at[parent->item].field_count++;
        return FLM_ARRAY_ADD(&t->fields, (struct flm_jfr_field){.name = a.name,
                                                                .type = number_of(a.type),
                                                                .is_constant = a.is_constant,
                                                                .is_array = a.is_array});
    }
    if (flm_bytes_are(name, "annotation") && parent->kind == FIELD)
        return FLM_ARRAY_ADD(&t->annotations,
                             (struct flm_jfr_annotation){parent->item, number_of(a.type), a.value});
    return true;
}

static bool read_tree(struct reading *r)
{
    enum { MOST_LEVELS = 64 };
    struct element path[MOST_LEVELS] = {{OTHER, 1, 0}};
    size_t level = 0;
    while (!r->c.failed && r->types->types.count < MOST_TYPES) {
        if (path[level].children == 0) {
            if (level-- == 0)
                return true;
            continue;
        }
        path[level].children--;
        struct element element;
        if (!take_element(r, &path[level], &element))
            return false;
        if (element.children > 0 && level + 1 == MOST_LEVELS)
            return true;
        if (element.children > 0)
            path[++level] = element;
    }
    return true;
}

/* Up to the strings. */
static void take_header(struct flm_jfr_cursor *c)
{
    flm_jfr_int(c);  /* size */
    flm_jfr_long(c); /* type */
    flm_jfr_long(c); /* start */
    flm_jfr_long(c); /* duration */
    flm_jfr_long(c); /* id of this metadata */
}

static void set_units(struct flm_jfr_types *t)
{
    static const struct {
        const char *annotation, *value; /* "": any */
        uint8_t unit;
    } units[] = {
        {"jdk.jfr.Timespan", "TICKS", FLM_JFR_TICKS},
        {"jdk.jfr.Timespan", "NANOSECONDS", FLM_JFR_NS},
        {"jdk.jfr.Timespan", "MICROSECONDS", FLM_JFR_US},
        {"jdk.jfr.Timespan", "MILLISECONDS", FLM_JFR_MS},
        {"jdk.jfr.Timespan", "SECONDS", FLM_JFR_S},
        {"jdk.jfr.DataAmount", "BYTES", FLM_JFR_BYTES},
        {"jdk.jfr.Percentage", "", FLM_JFR_SHARE},
        {"jdk.jfr.MemoryAddress", "", FLM_JFR_ADDRESS},
        {"jdk.jfr.Timestamp", "", FLM_JFR_ADDRESS},
    };
    for (size_t i = 0; i < t->annotations.count; i++) {
        const struct flm_jfr_annotation *annotation = &t->annotations.at[i];
        uint32_t type = flm_jfr_type_of(t, annotation->type);
        if (type == FLM_NONE)
            continue;
        struct flm_bytes name = t->types.at[type].name;
        struct flm_jfr_field *field = &t->fields.at[annotation->field];
        field->is_unsigned |= flm_bytes_are(name, "jdk.jfr.Unsigned");
        for (size_t j = 0; j < sizeof units / sizeof *units; j++)
            if (flm_bytes_are(name, units[j].annotation) &&
                (!*units[j].value || flm_bytes_are(annotation->value, units[j].value)))
                field->unit = units[j].unit;
    }
}

bool flm_jfr_types_read(struct flm_jfr_types *t, const struct flm_jfr_cursor *events, size_t count)
{
    /* All strings first: names point to them, and must not move. */
    for (size_t i = 0; i < count; i++) {
        struct flm_jfr_cursor c = events[i];
        take_header(&c);
        for (uint32_t left = flm_jfr_int(&c); left > 0 && !c.failed; left--)
            if (t->strings.count >= MOST_STRINGS)
                c.failed = true;
            else if (!read_string(t, &c))
                return false;
    }
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        struct reading r = {.types = t, .c = events[i], .first_string = first};
        take_header(&r.c);
        r.string_count = flm_jfr_int(&r.c);
        for (size_t left = r.string_count; left > 0 && !r.c.failed; left--)
            flm_jfr_skip_string(&r.c);
        if (r.string_count > t->strings.count - first)
            break; /* the strings of this one are not complete */
        if (!read_tree(&r))
            return false;
        first += r.string_count;
    }
    set_units(t);
    return true;
}

uint32_t flm_jfr_type_of(const struct flm_jfr_types *t, uint64_t id)
{
    uint32_t hash = flm_hash_numbers(id, 0);
    for (struct flm_probe at = flm_index_probe(&t->by_id, hash); flm_index_next(&t->by_id, &at);)
        if (t->types.at[at.found].id == id)
            return at.found;
    return FLM_NONE;
}

uint32_t flm_jfr_type_named(const struct flm_jfr_types *t, const char *name)
{
    for (size_t i = 0; i < t->types.count; i++)
        if (flm_bytes_are(t->types.at[i].name, name))
            return (uint32_t)i;
    return FLM_NONE;
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

/* Flattens the type, and then those of which it has arrays. */
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
    case FLM_JFR_STRUCTURES: /* bounded: `prepare` refuses deeper ones, and those in a circle */
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
        return; /* they have no bytes, however many there are */
    if (o->kind == FLM_JFR_STRUCTURES && t->types.at[o->type].is_plain && !c->is_fixed) {
        /* The frames of stacks, which are most of all constants. */
        uint64_t integers = (uint64_t)left * t->types.at[o->type].operation_count;
        for (; integers > 0 && !c->failed; integers--)
            flm_jfr_varint(c);
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
