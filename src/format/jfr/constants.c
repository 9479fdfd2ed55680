/* constants.c - the constants of a chunk: where they are, and the texts that they stand for. */
#include "base/core/hash.h"
#include "base/text/utf.h"
#include "format/jfr/internal.h"

void flm_jfr_constants_init(struct flm_jfr_constants *k, struct flm_bytes chunk, bool is_fixed,
                            struct flm_jfr_types *types)
{
    static const struct flm_jfr_wanted of_class[] = {{"name", 0}};
    *k = (struct flm_jfr_constants){.chunk = chunk, .is_fixed = is_fixed, .types = types};
    k->strings = flm_jfr_type_named(types, "java.lang.String");
    k->symbols = flm_jfr_type_named(types, "jdk.types.Symbol");
    k->classes = flm_jfr_type_named(types, "java.lang.Class");
    if (k->classes != FLM_NONE &&
        !flm_jfr_plan_make(&k->class_plan, types, k->classes, of_class, 1))
        k->classes = FLM_NONE;
    k->no_memory = types->no_memory;
}

void flm_jfr_constants_clear(struct flm_jfr_constants *k)
{
    FLM_ARRAY_CLEAR(&k->items);
    flm_index_clear(&k->index);
}

struct flm_jfr_constant *flm_jfr_constant_find(const struct flm_jfr_constants *k, uint32_t type,
                                               uint64_t key)
{
    uint32_t hash = flm_hash_numbers(key, type);
    for (struct flm_probe at = flm_index_probe(&k->index, hash); flm_index_next(&k->index, &at);)
        if (k->items.at[at.found].key == key && k->items.at[at.found].type == type)
            return &k->items.at[at.found];
    return NULL;
}

struct flm_jfr_cursor flm_jfr_constant_value(const struct flm_jfr_constants *k,
                                             const struct flm_jfr_constant *constant)
{
    const unsigned char *chunk = (const unsigned char *)k->chunk.at;
    return (struct flm_jfr_cursor){
        .at = chunk + constant->offset, .end = chunk + k->chunk.size, .is_fixed = k->is_fixed};
}

static void add(struct flm_jfr_constants *k, uint32_t type, uint64_t key, uint32_t offset)
{
    struct flm_jfr_constant *known = flm_jfr_constant_find(k, type, key);
    if (known) {
        known->offset = offset;
        return;
    }
    uint32_t number = (uint32_t)k->items.count;
    k->no_memory |= !FLM_ARRAY_ADD(&k->items, (struct flm_jfr_constant){key, type, offset, 0}) ||
                    !flm_index_add(&k->index, flm_hash_numbers(key, type), number);
}

/* Reads the constants of one type. */
static void read_pool(struct flm_jfr_constants *k, struct flm_jfr_cursor *c)
{
    uint32_t type = flm_jfr_type_of(k->types, flm_jfr_long(c));
    uint32_t left = flm_jfr_int(c);
    if (c->failed || !flm_jfr_type_prepare(k->types, type)) {
        c->failed |= left > 0;
        return;
    }
    const unsigned char *chunk = (const unsigned char *)k->chunk.at;
    for (; left > 0 && !c->failed && !k->no_memory; left--) {
        uint64_t key = flm_jfr_long(c);
        const unsigned char *value = c->at;
        flm_jfr_skip(c, k->types, type);
        /* Few constants are shorter than 4 bytes: a chunk with more constants is invalid. */
        if (!c->failed && k->items.count > k->chunk.size / 4)
            c->failed = true;
        if (!c->failed)
            add(k, type, key, (uint32_t)(value - chunk));
    }
}

void flm_jfr_constants_read(struct flm_jfr_constants *k, struct flm_jfr_cursor c, int64_t *delta)
{
    uint64_t offset = (uint64_t)(c.at - (const unsigned char *)k->chunk.at);
    flm_jfr_int(&c);  /* size */
    flm_jfr_long(&c); /* type */
    flm_jfr_long(&c); /* start */
    flm_jfr_long(&c); /* duration */
    *delta = (int64_t)flm_jfr_long(&c);
    flm_jfr_byte(&c); /* kind of the checkpoint */
    for (uint32_t left = flm_jfr_int(&c); left > 0 && !c.failed && !k->no_memory; left--)
        read_pool(k, &c);
    if (c.failed && k->unreadable++ == 0)
        k->unreadable_offset = offset;
    k->no_memory |= k->types->no_memory;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static void add_character(struct flm_text *out, uint32_t code)
{
    char bytes[4];
    flm_text_add(out, (struct flm_bytes){bytes, flm_utf8_put(code, bytes)});
}

static void add_latin1(struct flm_text *out, const unsigned char *at, size_t size)
{
    size_t plain = 0;
    while (plain < size && at[plain] < 0x80)
        plain++;
    flm_text_add(out, (struct flm_bytes){(const char *)at, plain});
    for (size_t i = plain; i < size; i++)
        add_character(out, at[i]);
}

static void add_utf16(struct flm_text *out, struct flm_jfr_cursor *c)
{
    uint32_t high = 0;
    for (uint32_t left = flm_jfr_int(c); left > 0 && !c->failed; left--) {
        uint32_t unit = (uint16_t)(c->is_fixed ? flm_jfr_fixed(c, 2) : flm_jfr_varint(c));
        bool is_low = unit >= 0xdc00 && unit < 0xe000;
        if (high && is_low) {
            add_character(out, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
            high = 0;
            continue;
        }
        if (high)
            add_character(out, 0xfffd);
        high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
        if (!high)
            add_character(out, is_low ? 0xfffd : unit);
    }
    if (high)
        add_character(out, 0xfffd);
}

/* The VM writes symbols in modified UTF-8: a NUL is C0 80, and a character beyond U+FFFF is two
 * surrogates of three bytes each. */
static void add_utf8(struct flm_text *out, const unsigned char *at, size_t size)
{
    size_t start = 0;
    for (size_t i = 0; i + 5 < size; i++) {
        if (at[i] != 0xed || at[i + 1] < 0xa0 || at[i + 1] > 0xaf || at[i + 3] != 0xed ||
            at[i + 4] < 0xb0 || at[i + 4] > 0xbf)
            continue;
        uint32_t high = (uint32_t)(at[i + 1] & 0x0f) << 6 | (at[i + 2] & 0x3f);
        uint32_t low = (uint32_t)(at[i + 4] & 0x0f) << 6 | (at[i + 5] & 0x3f);
        flm_text_add(out, (struct flm_bytes){(const char *)at + start, i - start});
        add_character(out, 0x10000 + (high << 10) + low);
        i += 5;
        start = i + 1;
    }
    flm_text_add(out, (struct flm_bytes){(const char *)at + start, size - start});
}

/* `depth`: how many constants led here, each the value of the one before. */
static bool add_string(const struct flm_jfr_constants *k, struct flm_jfr_cursor c,
                       struct flm_text *out, unsigned depth)
{
    unsigned encoding = flm_jfr_byte(&c);
    if (c.failed || encoding == 0)
        return false;
    if (encoding == 2) {
        const struct flm_jfr_constant *constant =
            flm_jfr_constant_find(k, k->strings, flm_jfr_long(&c));
        return constant && depth < 2 &&
               add_string(k, flm_jfr_constant_value(k, constant), out, depth + 1);
    }
    if (encoding == 4) {
        add_utf16(out, &c);
    } else if (encoding == 3 || encoding == 5) {
        uint32_t size = flm_jfr_int(&c);
        if (c.failed || size > (size_t)(c.end - c.at))
            return false;
        (encoding == 3 ? add_utf8 : add_latin1)(out, c.at, size);
    }
    return true;
}

bool flm_jfr_string_add(const struct flm_jfr_constants *k, const unsigned char *at,
                        struct flm_text *out)
{
    const unsigned char *chunk = (const unsigned char *)k->chunk.at;
    struct flm_jfr_cursor c = {.at = at, .end = chunk + k->chunk.size, .is_fixed = k->is_fixed};
    return add_string(k, c, out, 0);
}

/* Appends the text of a constant: its value is a string, or the first field of its value is a
 * string or a symbol. */
static bool add_named(const struct flm_jfr_constants *k, uint32_t type, uint64_t key,
                      struct flm_text *out)
{
    for (unsigned depth = 0; depth < 3; depth++) {
        const struct flm_jfr_constant *constant = flm_jfr_constant_find(k, type, key);
        if (!constant || k->types->types.at[type].operation_count == 0)
            return false;
        struct flm_jfr_cursor c = flm_jfr_constant_value(k, constant);
        const struct flm_jfr_operation *o =
            &k->types->operations.at[k->types->types.at[type].first_operation];
        if (o->is_array)
            return false;
        if (o->kind == FLM_JFR_STRING)
            return add_string(k, c, out, 0);
        if (o->kind != FLM_JFR_CONSTANT || o->type == FLM_NONE)
            return false;
        type = o->type;
        key = flm_jfr_long(&c);
    }
    return false;
}

bool flm_jfr_class_add(const struct flm_jfr_constants *k, uint64_t key, struct flm_text *out)
{
    struct flm_jfr_value name = {0};
    const struct flm_jfr_constant *constant =
        k->classes == FLM_NONE ? NULL : flm_jfr_constant_find(k, k->classes, key);
    if (!constant)
        return false;
    struct flm_jfr_cursor c = flm_jfr_constant_value(k, constant);
    flm_jfr_plan_read(&k->class_plan, k->types, &c, &name);
    if (name.kind == FLM_JFR_STRING)
        return flm_jfr_string_add(k, name.at, out);
    return name.kind == FLM_JFR_CONSTANT && name.type != FLM_NONE &&
           add_named(k, name.type, name.number, out);
}

/* Appends the name of a class that is no array, with dots. */
static void show_plain(struct flm_bytes name, struct flm_text *out)
{
    char *to = flm_text_reserve(out, name.size);
    for (size_t i = 0; to && i < name.size; i++)
        to[i] = name.at[i] == '/' ? '.' : name.at[i];
    if (to)
        out->size += name.size;
}

void flm_jfr_class_show(struct flm_bytes name, struct flm_text *out)
{
    static const struct {
        char code;
        const char *name;
    } primitives[] = {{'B', "byte"}, {'C', "char"}, {'D', "double"}, {'F', "float"},
                      {'I', "int"},  {'J', "long"}, {'S', "short"},  {'Z', "boolean"}};
    size_t arrays = 0;
    while (arrays < name.size && name.at[arrays] == '[')
        arrays++;
    name = flm_bytes_from(name, arrays);
    const char *primitive = NULL;
    for (size_t i = 0; arrays && name.size == 1 && i < sizeof primitives / sizeof *primitives; i++)
        if (name.at[0] == primitives[i].code)
            primitive = primitives[i].name;
    if (arrays && name.size > 2 && name.at[0] == 'L' && name.at[name.size - 1] == ';')
        name = (struct flm_bytes){name.at + 1, name.size - 2};
    if (primitive)
        flm_text_puts(out, primitive);
    else
        show_plain(name, out);
    for (size_t i = 0; i < arrays && i < 255; i++)
        flm_text_puts(out, "[]");
}

bool flm_jfr_constant_add(const struct flm_jfr_constants *k, uint32_t type, uint64_t key,
                          struct flm_text *out)
{
    if (type == FLM_NONE)
        return false;
    if (type != k->classes)
        return add_named(k, type, key, out);
    struct flm_text raw = {0};
    bool has = flm_jfr_class_add(k, key, &raw);
    if (has)
        flm_jfr_class_show((struct flm_bytes){raw.at, raw.size}, out);
    out->failed |= raw.failed;
    flm_text_clear(&raw);
    return has;
}
