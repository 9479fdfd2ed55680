#include "record/ruby/ruby_function.h"

#include <stdlib.h>

#include "base/core/hash.h"

enum {
    MOST_FUNCTIONS = 1 << 20,
    MOST_INSTRUCTIONS = 1 << 24,
    TRUSTED_NS = 20000000,
    IN_C = 1, /* the type of a method, in the lower bits of its definition */
    TYPE_OF_METHOD = 0xF
};

void flm_ruby_functions_clear(struct flm_ruby_functions *all)
{
    for (size_t i = 0; i < all->items.count; i++)
        flm_text_clear(&all->items.at[i].shown.text);
    free(all->items.at);
    flm_index_clear(&all->index);
    *all = (struct flm_ruby_functions){0};
}

/* ---- What tells one function from a later one at its address --------------------------------- */

static bool read_identity(struct flm_ruby_objects *o, struct flm_ruby_function *f,
                          uint64_t identity[4])
{
    const struct flm_ruby_layout *l = o->layout;
    if (f->code)
        return flm_ruby_is_internal(flm_ruby_flags(o, f->code), FLM_RUBY_CODE) &&
               flm_ruby_word(o, f->code + 16, &f->body) &&
               flm_ruby_word(o, f->body + l->body_label, &identity[0]) &&
               flm_ruby_word(o, f->body + l->body_path, &identity[1]) &&
               flm_ruby_word(o, f->body + l->body_first_line, &identity[2]) &&
               flm_ruby_word(o, f->body + 8, &identity[3]);
    return flm_ruby_is_internal(flm_ruby_flags(o, f->method), FLM_RUBY_METHOD) &&
           flm_ruby_word(o, f->method + 16, &identity[0]) &&
           flm_ruby_word(o, f->method + 24, &identity[1]) &&
           flm_ruby_word(o, f->method + 32, &identity[2]);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool ends_with(const struct flm_text *text, size_t from, const char *end, size_t size)
{
    return text->size - from >= size && memcmp(text->at + text->size - size, end, size) == 0;
}

/* "Foo#", if the method belongs to a class with a name. */
static void add_class(struct flm_ruby_objects *o, uint64_t method, struct flm_text *out)
{
    uint64_t owner;
    if (flm_ruby_word(o, method + 32, &owner))
        flm_ruby_class(o, owner, out);
}

static bool add_method(struct flm_ruby_objects *o, uint64_t method, struct flm_text *out)
{
    uint64_t id;
    add_class(o, method, out);
    return flm_ruby_word(o, method + 24, &id) && flm_ruby_identifier(o, id, out);
}

/* "block in bar" of a method bar of Foo: "block in Foo#bar". */
static bool add_label(struct flm_ruby_objects *o, const struct flm_ruby_function *f,
                      struct flm_text *out)
{
    char buffer[512];
    struct flm_text base;
    uint64_t base_label;
    flm_text_init_fixed(&base, buffer, sizeof buffer);
    if (!flm_ruby_string(o, f->identity[0], out))
        return false;
    if (!f->method || !flm_ruby_word(o, f->body + o->layout->body_base_label, &base_label) ||
        !flm_ruby_string(o, base_label, &base) || !ends_with(out, 0, base.at, base.size))
        return true;
    out->size -= base.size;
    add_class(o, f->method, out);
    flm_text_add(out, (struct flm_bytes){base.at, base.size});
    return true;
}

/* A file as it was named, or an array of that and its real path. */
static bool add_file(struct flm_ruby_objects *o, uint64_t path, struct flm_text *out)
{
    uint64_t real;
    if (flm_ruby_is(flm_ruby_flags(o, path), FLM_RUBY_ARRAY))
        return (flm_ruby_element(o, path, 1, &real) && flm_ruby_string(o, real, out)) ||
               (flm_ruby_element(o, path, 0, &real) && flm_ruby_string(o, real, out));
    return flm_ruby_string(o, path, out);
}

static bool read_code(struct flm_ruby_objects *o, struct flm_ruby_function *f)
{
    uint64_t head, line = f->identity[2];
    bool named = f->is_defined && f->method && add_method(o, f->method, &f->shown.text);
    if (!named) {
        f->shown.text.size = 0;
        if (!add_label(o, f, &f->shown.text))
            return false;
    }
    f->shown.name_size = f->shown.text.size;
    if (!flm_ruby_word(o, f->body, &head) || head >> 32 > MOST_INSTRUCTIONS)
        return false;
    f->instructions = f->identity[3];
    f->instruction_count = head >> 32;
    line = o->layout->is_line_object ? line >> 1 : line & UINT32_MAX;
    f->shown.first_line = line > INT32_MAX ? 0 : (uint32_t)line;
    return add_file(o, f->identity[1], &f->shown.text) && !f->shown.text.failed;
}

static bool read_method(struct flm_ruby_objects *o, struct flm_ruby_function *f)
{
    uint64_t type;
    if (!flm_ruby_word(o, f->identity[0], &type) || (type & TYPE_OF_METHOD) != IN_C ||
        !flm_ruby_word(o, f->identity[0] + 8, &f->shown.native))
        return false;
    if (!add_method(o, f->method, &f->shown.text))
        flm_text_puts(&f->shown.text, "(method in C)");
    f->shown.name_size = f->shown.text.size;
    return !f->shown.text.failed;
}

static bool read_function(struct flm_ruby_functions *all, struct flm_ruby_function *f)
{
    f->shown.text.size = 0;
    f->shown.serial = ++all->serials;
    return read_identity(all->objects, f, f->identity) &&
           (f->code ? read_code(all->objects, f) : read_method(all->objects, f));
}

/* ---- The copies ------------------------------------------------------------------------------ */

static bool look_again(struct flm_ruby_functions *all, struct flm_ruby_function *f, int64_t now_ns)
{
    uint64_t identity[4] = {0};
    if (f->seen_ns && now_ns - f->seen_ns < TRUSTED_NS)
        return true;
    f->seen_ns = 0;
    if (!read_identity(all->objects, f, identity))
        return false;
    if ((f->shown.text.size == 0 || memcmp(identity, f->identity, sizeof identity) != 0) &&
        !read_function(all, f)) {
        f->shown.text.size = 0;
        return false;
    }
    f->seen_ns = now_ns;
    return true;
}

uint32_t flm_ruby_functions_find(struct flm_ruby_functions *all, uint64_t code, uint64_t method,
                                 bool is_defined, int64_t now_ns)
{
    uint64_t key[2] = {code, method};
    uint32_t hash = (uint32_t)flm_hash(key, sizeof key);
    for (struct flm_probe at = flm_index_probe(&all->index, hash);
         flm_index_next(&all->index, &at);) {
        struct flm_ruby_function *f = &all->items.at[at.found];
        if (f->code == code && f->method == method && f->is_defined == is_defined)
            return look_again(all, f, now_ns) ? at.found : UINT32_MAX;
    }
    struct flm_ruby_function f = {
        .code = code, .method = method, .is_defined = is_defined, .seen_ns = now_ns};
    if (all->items.count >= MOST_FUNCTIONS || !read_function(all, &f) ||
        !FLM_ARRAY_RESERVE(&all->items, 1)) {
        flm_text_clear(&f.shown.text);
        return UINT32_MAX;
    }
    all->items.at[all->items.count] = f;
    if (!flm_index_add(&all->index, hash, (uint32_t)all->items.count)) {
        flm_text_clear(&f.shown.text);
        return UINT32_MAX;
    }
    return (uint32_t)all->items.count++;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* How many of the positions up to one have an entry: a table of ranks. The first 54 positions have
 * theirs in 7 bits each, 9 a word; then come blocks of 512 bits: a count, 9 bits for each of their
 * seven later words, and the words. */
static bool find_rank(struct flm_ruby_objects *o, uint64_t table, uint64_t position, uint64_t *rank)
{
    enum { FIRST = 54, PER_WORD = 9, RANK_BITS = 7, BLOCK = 512, BLOCK_BYTES = 80, PART_BITS = 9 };
    uint64_t word, ranks;
    if (position < FIRST) {
        if (!flm_ruby_word(o, table + 8 * (position / PER_WORD), &word))
            return false;
        *rank = word >> (RANK_BITS * (position % PER_WORD)) & 0x7F;
        return true;
    }
    position -= FIRST;
    uint64_t block = table + 8 * (FIRST / PER_WORD) + position / BLOCK * BLOCK_BYTES;
    unsigned part = (unsigned)(position % BLOCK / 64), bit = (unsigned)(position % 64);
    if (!flm_ruby_word(o, block, rank) || !flm_ruby_word(o, block + 8, &ranks) ||
        !flm_ruby_word(o, block + 16 + 8 * (uint64_t)part, &word))
        return false;
    *rank &= UINT32_MAX;
    if (part > 0)
        *rank += ranks >> (PART_BITS * (part - 1)) & 0x1FF;
    *rank += (uint64_t)__builtin_popcountll(word << (63 - bit));
    return true;
}

uint32_t flm_ruby_line(struct flm_ruby_objects *o, const struct flm_ruby_function *f,
                       uint64_t position)
{
    const struct flm_ruby_layout *l = o->layout;
    uint64_t lines, count, table, rank = 1;
    int32_t line;
    if (!f->code || position == 0 || position > f->instruction_count ||
        !flm_ruby_word(o, f->body + l->body_lines, &lines) ||
        !flm_ruby_word(o, f->body + l->body_line_count, &count) ||
        !flm_ruby_word(o, f->body + l->body_line_positions, &table))
        return 0;
    count &= UINT32_MAX;
    if (count == 0 || (count > 1 && !find_rank(o, table, position - 1, &rank)) || rank == 0 ||
        rank > count ||
        !flm_process_memory_read(o->memory, lines + l->line_size * (rank - 1), &line, sizeof line))
        return 0;
    return line > 0 ? (uint32_t)line : 0;
}
