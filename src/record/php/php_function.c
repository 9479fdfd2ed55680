#include "record/php/php_function.h"

#include <stdlib.h>

#include "base/core/hash.h"

enum {
    MOST_FUNCTIONS = 1 << 20,
    MOST_OPCODES = 1 << 24,
    LONGEST_NAME = 4096,
    TRUSTED_NS = 20000000
};

void flm_php_functions_clear(struct flm_php_functions *all)
{
    for (size_t i = 0; i < all->items.count; i++)
        flm_text_clear(&all->items.at[i].shown.text);
    free(all->items.at);
    flm_index_clear(&all->index);
    *all = (struct flm_php_functions){0};
}

static bool read_word(struct flm_php_functions *all, uint64_t address, uint64_t *word)
{
    return address % sizeof *word == 0 &&
           flm_process_memory_read(all->memory, address, word, sizeof *word);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Appends a string. False when it is none. */
static bool add_string(struct flm_php_functions *all, uint64_t address, struct flm_text *out)
{
    uint64_t size;
    if (!read_word(all, address + FLM_PHP_STRING_SIZE, &size) || size > LONGEST_NAME)
        return false;
    char *to = flm_text_reserve(out, size);
    if (!to || (size > 0 &&
                !flm_process_memory_read(all->memory, address + FLM_PHP_STRING_TEXT, to, size)))
        return false;
    out->size += size;
    return true;
}

static bool read_identity(struct flm_php_functions *all, const struct flm_php_function *f,
                          enum flm_php_kind *kind, struct flm_php_identity *identity)
{
    const struct flm_php_layout *l = all->layout;
    uint64_t head;
    *identity = (struct flm_php_identity){0};
    if (!read_word(all, f->address, &head) ||
        !read_word(all, f->address + FLM_PHP_FUNCTION_NAME, &identity->name) ||
        !read_word(all, f->address + FLM_PHP_FUNCTION_CLASS, &identity->class))
        return false;
    *kind = (enum flm_php_kind)(head & 0xFF);
    if (*kind == FLM_PHP_INTERNAL)
        return true;
    return (*kind == FLM_PHP_USER || *kind == FLM_PHP_EVAL) &&
           read_word(all, f->address + l->function_file, &identity->file) &&
           read_word(all, f->address + l->function_opcodes, &identity->opcodes);
}

static void add_base_name(struct flm_text *out, size_t from, size_t end)
{
    size_t start = end;
    while (start > from && out->at[start - 1] != '/')
        start--;
    char name[256];
    size_t size = end - start < sizeof name ? end - start : sizeof name;
    memcpy(name, out->at + start, size);
    flm_text_add(out, (struct flm_bytes){name, size});
}

/* "Foo::bar", "strlen"; of a file that is included "(a.php)", of text that is evaluated "eval". */
static bool add_name(struct flm_php_functions *all, struct flm_php_function *f)
{
    uint64_t class_name;
    if (f->identity.class) {
        if (!read_word(all, f->identity.class + FLM_PHP_CLASS_NAME, &class_name) ||
            !add_string(all, class_name, &f->shown.text))
            return false;
        flm_text_puts(&f->shown.text, "::");
    }
    if (f->identity.name) {
        size_t before = f->shown.text.size;
        if (!add_string(all, f->identity.name, &f->shown.text))
            return false;
        /* From 8.4 on a closure's name has that of its function, and the class: once is enough. */
        struct flm_bytes name = {f->shown.text.at + before, f->shown.text.size - before};
        if (before > 0 && flm_bytes_start_with(name, "{closure:")) {
            memmove(f->shown.text.at, name.at, name.size);
            f->shown.text.size = name.size;
        }
        return true;
    }
    if (f->kind == FLM_PHP_INTERNAL)
        return false;
    if (f->kind == FLM_PHP_EVAL) {
        flm_text_puts(&f->shown.text, "eval");
        return true;
    }
    size_t from = f->shown.text.size;
    if (!add_string(all, f->identity.file, &f->shown.text))
        return false;
    size_t end = f->shown.text.size;
    flm_text_puts(&f->shown.text, "<main> ");
    add_base_name(&f->shown.text, from, end);
    memmove(f->shown.text.at + from, f->shown.text.at + end, f->shown.text.size - end);
    f->shown.text.size -= end - from;
    return true;
}

/* The interpreter's function is the first pointer to code behind what all functions have. */
static void find_native(struct flm_php_functions *all, struct flm_php_function *f)
{
    enum { FIRST = 40, LAST = 128 };
    uint64_t word;
    for (uint32_t at = FIRST; at <= LAST && read_word(all, f->address + at, &word); at += 8)
        if (word >= all->code.start && word < all->code.end) {
            f->shown.native = word;
            return;
        }
}

/* Functions of extensions are elsewhere: they have an address that no frame is searched for. */
enum { UNKNOWN_NATIVE = 1 };

static bool read_function(struct flm_php_functions *all, struct flm_php_function *f)
{
    const struct flm_php_layout *l = all->layout;
    uint64_t line, count;
    f->shown.text.size = 0;
    f->shown.native = 0;
    f->shown.serial = ++all->serials;
    if (!read_identity(all, f, &f->kind, &f->identity) || !add_name(all, f))
        return false;
    f->shown.name_size = f->shown.text.size;
    if (f->kind == FLM_PHP_INTERNAL) {
        find_native(all, f);
        if (!f->shown.native)
            f->shown.native = UNKNOWN_NATIVE;
        return !f->shown.text.failed;
    }
    if (!add_string(all, f->identity.file, &f->shown.text) ||
        !read_word(all, f->address + l->function_first_line, &line) ||
        !read_word(all, f->address + (l->function_opcode_count & ~7u), &count))
        return false;
    count = l->function_opcode_count % 8 ? count >> 32 : count & UINT32_MAX;
    f->opcodes = f->identity.opcodes;
    f->opcode_count = count;
    line &= UINT32_MAX;
    f->shown.first_line = line > INT32_MAX ? 0 : (uint32_t)line;
    return count <= MOST_OPCODES && !f->shown.text.failed;
}

/* ---- The copies ------------------------------------------------------------------------------ */

static bool look_again(struct flm_php_functions *all, struct flm_php_function *f, int64_t now_ns)
{
    struct flm_php_identity identity;
    enum flm_php_kind kind;
    if (f->seen_ns && now_ns - f->seen_ns < TRUSTED_NS)
        return true;
    f->seen_ns = 0;
    if (!read_identity(all, f, &kind, &identity))
        return false;
    if ((f->shown.text.size == 0 || kind != f->kind ||
         memcmp(&identity, &f->identity, sizeof identity) != 0) &&
        !read_function(all, f)) {
        f->shown.text.size = 0;
        return false;
    }
    f->seen_ns = now_ns;
    return true;
}

uint32_t flm_php_functions_find(struct flm_php_functions *all, uint64_t address, int64_t now_ns)
{
    uint32_t hash = (uint32_t)flm_hash(&address, sizeof address);
    for (struct flm_probe at = flm_index_probe(&all->index, hash);
         flm_index_next(&all->index, &at);)
        if (all->items.at[at.found].address == address)
            return look_again(all, &all->items.at[at.found], now_ns) ? at.found : UINT32_MAX;
    struct flm_php_function f = {.address = address, .seen_ns = now_ns};
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

uint32_t flm_php_line(struct flm_php_functions *all, const struct flm_php_function *f,
                      uint64_t opcode)
{
    uint32_t line;
    return (opcode - f->opcodes) / FLM_PHP_OPCODE_SIZE < f->opcode_count &&
                   flm_process_memory_read(all->memory, opcode + FLM_PHP_OPCODE_LINE, &line,
                                           sizeof line) &&
                   line <= INT32_MAX
               ? line
               : 0;
}
