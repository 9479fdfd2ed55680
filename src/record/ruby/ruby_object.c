#include "record/ruby/ruby_object.h"

enum {
    LONGEST_STRING = 4096,
    TYPE = 0x1F,
    KIND_SHIFT = 12,
    KIND = 0xF,
    IS_LONG = 1 << 13,      /* a String that is elsewhere; an Array that is not */
    IS_SINGLETON = 1 << 12, /* up to 3.2 */
    PER_ARRAY = 512         /* identifiers, each with two elements */
};

bool flm_ruby_word(struct flm_ruby_objects *o, uint64_t address, uint64_t *word)
{
    return address % sizeof *word == 0 &&
           flm_process_memory_read(o->memory, address, word, sizeof *word);
}

uint64_t flm_ruby_flags(struct flm_ruby_objects *o, uint64_t object)
{
    uint64_t flags;
    return flm_ruby_word(o, object, &flags) ? flags : 0;
}

bool flm_ruby_is(uint64_t flags, enum flm_ruby_type type)
{
    return (flags & TYPE) == (uint64_t)type;
}

bool flm_ruby_is_internal(uint64_t flags, enum flm_ruby_internal kind)
{
    return flm_ruby_is(flags, FLM_RUBY_INTERNAL) && (flags >> KIND_SHIFT & KIND) == (uint64_t)kind;
}

bool flm_ruby_string(struct flm_ruby_objects *o, uint64_t object, struct flm_text *out)
{
    uint64_t flags = flm_ruby_flags(o, object), size, at;
    if (!flm_ruby_is(flags, FLM_RUBY_STRING))
        return false;
    if (flags & IS_LONG) {
        if (!flm_ruby_word(o, object + 16, &size) || !flm_ruby_word(o, object + 24, &at))
            return false;
    } else if (o->layout->has_string_length) {
        at = object + 24;
        if (!flm_ruby_word(o, object + 16, &size))
            return false;
    } else {
        at = object + 16;
        size = flags >> 14 & 0x1F;
    }
    if (size > LONGEST_STRING)
        return false;
    char *to = flm_text_reserve(out, size);
    if (!to || (size > 0 && !flm_process_memory_read(o->memory, at, to, size)))
        return false;
    out->size += size;
    return true;
}

bool flm_ruby_element(struct flm_ruby_objects *o, uint64_t array, uint64_t number,
                      uint64_t *element)
{
    uint64_t flags = flm_ruby_flags(o, array), count, at;
    if (!flm_ruby_is(flags, FLM_RUBY_ARRAY))
        return false;
    if (flags & IS_LONG) {
        count = flags >> 15 & o->layout->array_length_mask;
        at = array + 16;
    } else if (!flm_ruby_word(o, array + 16, &count) || !flm_ruby_word(o, array + 32, &at)) {
        return false;
    }
    return number < count && number < UINT32_MAX && flm_ruby_word(o, at + 8 * number, element);
}

/* ---- Identifiers ----------------------------------------------------------------------------- */

/* Those of operators are their numbers; others have four bits that say what they name. */
static uint64_t number_of(uint64_t id)
{
    return id < 256 ? id : id >> 4;
}

bool flm_ruby_identifier(struct flm_ruby_objects *o, uint64_t id, struct flm_text *out)
{
    uint64_t number = number_of(id), array, name;
    return o->identifiers && flm_ruby_element(o, o->identifiers, number / PER_ARRAY, &array) &&
           flm_ruby_element(o, array, 2 * (number % PER_ARRAY), &name) &&
           flm_ruby_string(o, name, out);
}

/* "+" is number 43 in all versions. */
static bool has_plus(struct flm_ruby_objects *o)
{
    char buffer[8];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    return flm_ruby_identifier(o, '+', &text) && text.size == 1 && text.at[0] == '+';
}

uint64_t flm_ruby_find_identifiers(struct flm_ruby_objects *o, const uint64_t *words, size_t count)
{
    enum { FEWEST = 256, MOST = 1 << 28, LOWEST_ADDRESS = 1 << 16 };
    for (size_t i = 0; i + 3 < count; i++) {
        uint64_t last = words[i] & UINT32_MAX;
        if (last < FEWEST || last > MOST || words[i] >> 32 != 0 || words[i + 1] < LOWEST_ADDRESS ||
            words[i + 2] < LOWEST_ADDRESS || words[i + 2] % 8 != 0)
            continue;
        struct flm_ruby_objects tried = *o;
        tried.identifiers = words[i + 2];
        if (has_plus(&tried))
            return words[i + 2];
    }
    return 0;
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* Variables of a class up to 3.1: a table of hash, key and value. Calls `visit` for each until it
 * returns true. */
typedef bool (*visitor)(struct flm_ruby_objects *o, uint64_t key, uint64_t value, void *context);

static bool visit_variables(struct flm_ruby_objects *o, uint64_t class, visitor visit,
                            void *context)
{
    enum { MOST = 4096, ENTRY = 24 };
    uint64_t extension, table, first, end, entries, key, value;
    if (!flm_ruby_word(o, class + o->layout->class_name, &extension) ||
        !flm_ruby_word(o, extension + 8, &table) || !flm_ruby_word(o, table + 32, &first) ||
        !flm_ruby_word(o, table + 40, &end) || !flm_ruby_word(o, table + 48, &entries))
        return false;
    for (uint64_t i = first; i < end && i < MOST; i++) {
        if (!flm_ruby_word(o, entries + ENTRY * i + 8, &key) ||
            !flm_ruby_word(o, entries + ENTRY * i + 16, &value))
            return false;
        if (visit(o, key, value, context))
            return true;
    }
    return false;
}

static bool is_name_of_object(struct flm_ruby_objects *o, uint64_t key, uint64_t value,
                              void *context)
{
    char buffer[8];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    if (!flm_ruby_string(o, value, &text) || text.size != 6 || memcmp(text.at, "Object", 6) != 0)
        return false;
    *(uint64_t *)context = key;
    return true;
}

struct wanted {
    uint64_t key, value;
};

static bool has_key(struct flm_ruby_objects *o, uint64_t key, uint64_t value, void *context)
{
    (void)o;
    struct wanted *wanted = context;
    wanted->value = value;
    return key == wanted->key;
}

/* A class whose own class is this singleton class: it belongs to it. */
static bool is_attached(struct flm_ruby_objects *o, uint64_t singleton, uint64_t value)
{
    uint64_t flags = flm_ruby_flags(o, value), class;
    return (flm_ruby_is(flags, FLM_RUBY_CLASS) || flm_ruby_is(flags, FLM_RUBY_MODULE)) &&
           flm_ruby_word(o, value + 8, &class) && class == singleton;
}

static bool has_attached(struct flm_ruby_objects *o, uint64_t key, uint64_t value, void *context)
{
    (void)key;
    struct wanted *wanted = context;
    if (!is_attached(o, wanted->key, value))
        return false;
    wanted->value = value;
    return true;
}

static bool is_constant(const struct flm_text *text, size_t from)
{
    return text->size > from && (text->at[from] < 'a' || text->at[from] > 'z') &&
           text->at[from] != '@' && text->at[from] > ' ';
}

/* The variables of 3.2 are in the order in which they were set: the name is among the first. */
static bool find_in_array(struct flm_ruby_objects *o, uint64_t class, bool attached,
                          struct flm_text *out, uint64_t *found)
{
    enum { TRIED = 4 };
    uint64_t array;
    size_t before = out->size;
    if (!flm_ruby_word(o, class + o->layout->class_name, &array))
        return false;
    for (unsigned i = 0; i < TRIED && flm_ruby_word(o, array + 8 * i, found); i++) {
        if (attached ? is_attached(o, class, *found)
                     : flm_ruby_string(o, *found, out) && is_constant(out, before))
            return true;
        out->size = before;
    }
    return false;
}

static bool name_of(struct flm_ruby_objects *o, uint64_t class, struct flm_text *out)
{
    uint64_t value;
    struct wanted wanted = {0, 0};
    if (o->layout->names == FLM_RUBY_NAME_IN_FIELD)
        return flm_ruby_word(o, class + o->layout->class_name, &value) &&
               flm_ruby_string(o, value, out);
    if (o->layout->names == FLM_RUBY_NAME_IN_ARRAY)
        return find_in_array(o, class, false, out, &value);
    if (!o->name_id && o->object_class && flm_ruby_word(o, o->object_class, &value))
        visit_variables(o, value, is_name_of_object, &o->name_id);
    wanted.key = o->name_id;
    return o->name_id && visit_variables(o, class, has_key, &wanted) &&
           flm_ruby_string(o, wanted.value, out);
}

/* The class or module that a singleton class belongs to. */
static bool attached_of(struct flm_ruby_objects *o, uint64_t class, struct flm_text *out,
                        uint64_t *attached)
{
    struct wanted wanted = {class, 0};
    if (o->layout->names == FLM_RUBY_NAME_IN_FIELD)
        return flm_ruby_word(o, class + o->layout->class_attached, attached) &&
               is_attached(o, class, *attached);
    if (o->layout->names == FLM_RUBY_NAME_IN_ARRAY)
        return find_in_array(o, class, true, out, attached);
    bool found = visit_variables(o, class, has_attached, &wanted);
    *attached = wanted.value;
    return found;
}

bool flm_ruby_class(struct flm_ruby_objects *o, uint64_t class, struct flm_text *out)
{
    uint64_t flags = flm_ruby_flags(o, class), attached;
    size_t before = out->size;
    if (flm_ruby_is(flags, FLM_RUBY_INCLUDED)) { /* its own class is the module */
        if (!flm_ruby_word(o, class + 8, &class))
            return false;
        flags = flm_ruby_flags(o, class);
    }
    if (!flm_ruby_is(flags, FLM_RUBY_CLASS) && !flm_ruby_is(flags, FLM_RUBY_MODULE))
        return false;
    bool named = (o->layout->names == FLM_RUBY_NAME_IN_FIELD || !(flags & IS_SINGLETON) ||
                  flm_ruby_is(flags, FLM_RUBY_MODULE)) &&
                 name_of(o, class, out);
    if (named && out->size > before) {
        flm_text_putc(out, '#');
        return !out->failed;
    }
    out->size = before;
    if (!flm_ruby_is(flags, FLM_RUBY_CLASS) || !attached_of(o, class, out, &attached) ||
        !name_of(o, attached, out)) {
        out->size = before;
        return false;
    }
    flm_text_putc(out, '.');
    return !out->failed;
}
