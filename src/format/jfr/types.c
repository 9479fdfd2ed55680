/* types.c - the types of a chunk: the tree of elements of its metadata.
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
 * Names and values are indices into the table of strings, which comes before the tree. */
#include "base/core/hash.h"
#include "format/jfr/internal.h"

enum {
    MOST_STRINGS = 1 << 20, /* JDK 25 has 6000 */
    MOST_TYPES = 1 << 16,
    MOST_FIELDS = 1 << 20
};

/* ---- The tree -------------------------------------------------------------------------------- */

void flm_jfr_types_clear(struct flm_jfr_types *t)
{
    flm_text_clear(&t->names);
    flm_text_clear(&t->source);
    FLM_ARRAY_CLEAR(&t->strings);
    FLM_ARRAY_CLEAR(&t->types);
    FLM_ARRAY_CLEAR(&t->fields);
    FLM_ARRAY_CLEAR(&t->annotations);
    FLM_ARRAY_CLEAR(&t->operations);
    flm_index_clear(&t->by_id);
    *t = (struct flm_jfr_types){0};
}

/* Replaces a name of JDK 9, such as com.oracle.jdk.ExecutionSample, by the newer one. */
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
    uint32_t children; /* how many are still to be read */
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

/* Reads an element and its attributes; false when memory ran out. */
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

/* Reads what comes before the strings. */
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

/* Whether `t` was read from the same event: nearly all chunks of a recording have the same one, and
 * it is most of a small chunk. If not, it is the source from now on. */
static bool is_known(struct flm_jfr_types *t, struct flm_jfr_cursor event)
{
    take_header(&event);
    struct flm_bytes body = {(const char *)event.at, (size_t)(event.end - event.at)};
    if (t->is_fixed == event.is_fixed && body.size > 0 &&
        flm_bytes_equal((struct flm_bytes){t->source.at, t->source.size}, body))
        return true;
    flm_jfr_types_clear(t);
    t->is_fixed = event.is_fixed;
    flm_text_add(&t->source, body);
    return false;
}

bool flm_jfr_types_read(struct flm_jfr_types *t, const struct flm_jfr_cursor *events, size_t count)
{
    if (count != 1)
        flm_jfr_types_clear(t);
    else if (is_known(t, *events))
        return true;
    else if (t->source.failed)
        return false;
    /* All strings are read first: names point to them, so they must not move. */
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
            break; /* the strings of this event are incomplete */
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
