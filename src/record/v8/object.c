#include "record/v8/object.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/text/utf.h"

enum {
    MOST_FUNCTIONS = 1 << 20,
    MOST_SCRIPTS = 1 << 16,
    LONGEST_NAME = 4096,
    LONGEST_SOURCE = 64 << 20, /* characters */
    DEEPEST_STRING = 32,
    TRUSTED_NS = 20000000
};

void flm_v8_heap_clear(struct flm_v8_heap *heap)
{
    for (size_t i = 0; i < heap->functions.count; i++)
        flm_text_clear(&heap->functions.at[i].text);
    for (size_t i = 0; i < heap->scripts.count; i++) {
        flm_text_clear(&heap->scripts.at[i].path);
        free(heap->scripts.at[i].lines.at);
    }
    free(heap->functions.at);
    free(heap->scripts.at);
    free(heap->named_lines.at);
    flm_index_clear(&heap->function_index);
    flm_index_clear(&heap->named_line_index);
    *heap = (struct flm_v8_heap){0};
}

/* ---- Words ----------------------------------------------------------------------------------- */

static bool is_object(uint64_t word)
{
    return (word & 3) == 1;
}

static bool is_smi(uint64_t word)
{
    return (word & 0xFFFFFFFF) == 0;
}

static int32_t smi(uint64_t word)
{
    return (int32_t)(word >> 32);
}

static bool read_field(struct flm_v8_heap *h, uint64_t object, int32_t offset, void *bytes,
                       size_t size)
{
    return is_object(object) &&
           flm_process_memory_read(h->memory, object - 1 + (uint64_t)offset, bytes, size);
}

static bool read_word(struct flm_v8_heap *h, uint64_t object, int32_t offset, uint64_t *word)
{
    return read_field(h, object, offset, word, sizeof *word);
}

static bool read_type(struct flm_v8_heap *h, uint64_t object, int32_t *type)
{
    uint64_t map;
    uint16_t value;
    if (!read_word(h, object, h->metadata->map, &map) ||
        !read_field(h, map, h->metadata->map_type, &value, sizeof value))
        return false;
    *type = value;
    return true;
}

bool flm_v8_heap_is(struct flm_v8_heap *h, uint64_t word, int32_t type)
{
    int32_t found;
    return read_type(h, word, &found) && found == type;
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* Where the characters of a string are, which is in one piece. */
struct characters {
    uint64_t at;
    uint32_t length;
    bool is_wide; /* UTF-16; else Latin-1 */
};

static bool read_string_head(struct flm_v8_heap *h, uint64_t string, int32_t *type,
                             uint32_t *length)
{
    int32_t size;
    if (!read_type(h, string, type) || *type >= h->metadata->type_not_string ||
        !read_field(h, string, h->metadata->string_length, &size, sizeof size) || size < 0)
        return false;
    *length = (uint32_t)size;
    return true;
}

/* Slices and references to other strings are followed. False for a concatenation, whose parts are
 * strings of their own. */
static bool find_characters(struct flm_v8_heap *h, uint64_t string, struct characters *found)
{
    const struct flm_v8_metadata *m = h->metadata;
    uint64_t from = 0, word;
    uint32_t length, of_this;
    int32_t type;
    if (!read_string_head(h, string, &type, &length))
        return false;
    for (int depth = 0; depth < DEEPEST_STRING; depth++) {
        if (!read_string_head(h, string, &type, &of_this) || from + length > of_this)
            return false;
        int32_t kind = type & m->string_kinds;
        *found = (struct characters){.length = length, .is_wide = !(type & m->string_one_byte)};
        uint64_t skipped = found->is_wide ? 2 * from : from;
        if (kind == m->kind_sequential) {
            found->at = string - 1 + skipped +
                        (uint64_t)(found->is_wide ? m->two_byte_chars : m->one_byte_chars);
            return true;
        }
        if (kind == m->kind_external) {
            /* The resource has its bytes where V8 has copied the pointer to, behind it. */
            if (!read_word(h, string, m->external_resource + 8, &word) || word == 0)
                return false;
            found->at = word + skipped;
            return true;
        }
        if (kind == m->kind_sliced) {
            if (!read_word(h, string, m->sliced_offset, &word) || !is_smi(word) || smi(word) < 0 ||
                !read_word(h, string, m->sliced_parent, &string))
                return false;
            from += (uint64_t)smi(word);
        } else if (kind != m->kind_thin || !read_word(h, string, m->thin_actual, &string)) {
            return false;
        }
    }
    return false;
}

static void add_wide(struct flm_text *out, const uint16_t *units, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t code = units[i];
        char utf[4];
        if (code >= 0xD800 && code < 0xDC00 && i + 1 < count && units[i + 1] >= 0xDC00 &&
            units[i + 1] < 0xE000)
            code = 0x10000 + ((code - 0xD800) << 10) + (units[++i] - 0xDC00U);
        else if (code >= 0xD800 && code < 0xE000)
            code = 0xFFFD;
        flm_text_add(out, (struct flm_bytes){utf, flm_utf8_put(code, utf)});
    }
}

static bool add_characters(struct flm_v8_heap *h, const struct characters *c, uint32_t most,
                           struct flm_text *out)
{
    uint16_t units[LONGEST_NAME];
    unsigned char bytes[LONGEST_NAME];
    uint32_t count = c->length < most ? c->length : most;
    if (count > LONGEST_NAME)
        count = LONGEST_NAME;
    if (c->is_wide) {
        if (count > 0 && !flm_process_memory_read(h->memory, c->at, units, 2 * (size_t)count))
            return false;
    } else {
        if (count > 0 && !flm_process_memory_read(h->memory, c->at, bytes, count))
            return false;
        for (uint32_t i = 0; i < count; i++)
            units[i] = bytes[i];
    }
    add_wide(out, units, count);
    return !out->failed;
}

/* The parts of a concatenation from left to right; there may be as many as characters. */
static bool add_parts(struct flm_v8_heap *h, uint64_t string, uint32_t most, struct flm_text *out)
{
    const struct flm_v8_metadata *m = h->metadata;
    uint64_t open[DEEPEST_STRING] = {string};
    size_t depth = 1, before = out->size;
    while (depth > 0 && out->size - before < most) {
        struct characters found;
        int32_t type;
        uint32_t length;
        uint64_t part = open[--depth], first, second;
        if (!read_string_head(h, part, &type, &length))
            return false;
        if ((type & m->string_kinds) != m->kind_cons) {
            if (!find_characters(h, part, &found) || !add_characters(h, &found, most, out))
                return false;
        } else if (depth + 2 > DEEPEST_STRING || !read_word(h, part, m->cons_first, &first) ||
                   !read_word(h, part, m->cons_second, &second)) {
            return false;
        } else {
            open[depth++] = second;
            open[depth++] = first;
        }
    }
    return true;
}

bool flm_v8_string_read(struct flm_v8_heap *h, uint64_t word, uint32_t most, struct flm_text *out)
{
    return add_parts(h, word, most, out);
}

/* ---- Scripts --------------------------------------------------------------------------------- */

/* As V8 counts lines: a carriage return in front of a line feed does not end one. */
static bool ends_line(uint32_t code, uint32_t next)
{
    return code == '\n' || (code == '\r' && next != '\n') || code == 0x2028 || code == 0x2029;
}

enum { PIECE = 16384 }; /* characters that are read at once */

static uint32_t character(const unsigned char *bytes, size_t width, uint32_t i)
{
    return width == 2 ? bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8 : bytes[i];
}

/* A whole piece as bytes, in which all that ends a line is a carriage return, but line feeds. The
 * length is always the same, so that compilers do several characters at once. */
static void narrow(const unsigned char *bytes, unsigned char *restrict out)
{
    uint16_t in[PIECE];
    memcpy(in, bytes, sizeof in);
    for (uint32_t i = 0; i < PIECE; i++) {
        uint16_t other = (in[i] | 1) == 0x2029 ? '\r' : 'x';
        out[i] = (unsigned char)(in[i] < 256 ? in[i] : other);
    }
}

/* Adds the lines that begin in a piece behind its first character; `at` is where that is. Most
 * sources have line feeds alone, which memchr finds in a third of the time. */
static bool add_lines(struct flm_v8_script *script, const unsigned char *bytes, size_t width,
                      uint32_t count, uint32_t at)
{
    unsigned char narrowed[PIECE];
    const unsigned char *text = width == 2 ? narrowed : bytes, *end = text + count - 1, *feed;
    if (width == 2)
        narrow(bytes, narrowed);
    if (!memchr(text, '\r', count)) {
        for (; (feed = memchr(text, '\n', (size_t)(end - text))); text = feed + 1)
            if (!FLM_ARRAY_ADD(&script->lines, at + count - (uint32_t)(end - feed)))
                return false;
        return true;
    }
    for (uint32_t i = 1; i < count; i++)
        if (ends_line(character(bytes, width, i - 1), character(bytes, width, i)) &&
            !FLM_ARRAY_ADD(&script->lines, at + i))
            return false;
    return true;
}

static bool count_lines(struct flm_v8_heap *h, struct flm_v8_script *script)
{
    struct characters source;
    unsigned char bytes[2 * PIECE] = {0};
    uint32_t last = 0, count;
    if (!find_characters(h, script->source, &source) || source.length > LONGEST_SOURCE)
        return false;
    script->length = source.length;
    size_t width = source.is_wide ? 2 : 1;
    for (uint32_t at = 0; at < source.length; at += count) {
        count = source.length - at < PIECE ? source.length - at : PIECE;
        if (!flm_process_memory_read_now(h->memory, source.at + width * at, bytes, width * count))
            return false;
        /* Whether the last character of a piece ends a line, the next piece says. */
        if ((at > 0 && ends_line(last, character(bytes, width, 0)) &&
             !FLM_ARRAY_ADD(&script->lines, at)) ||
            !add_lines(script, bytes, width, count, at))
            return false;
        last = character(bytes, width, count - 1);
    }
    script->has_lines = true;
    return true;
}

/* Its name, for users: "/app/server.js", without the scheme of modules. */
static bool read_path(struct flm_v8_heap *h, struct flm_v8_script *script)
{
    static const char scheme[] = "file://";
    int32_t type;
    if (!read_type(h, script->name, &type))
        return false;
    if (type >= h->metadata->type_not_string)
        return true; /* undefined: of eval, say */
    if (!flm_v8_string_read(h, script->name, LONGEST_NAME, &script->path))
        return false;
    struct flm_bytes path = {script->path.at, script->path.size};
    if (flm_bytes_start_with(path, scheme)) {
        script->path.size -= sizeof scheme - 1;
        memmove(script->path.at, script->path.at + sizeof scheme - 1, script->path.size);
    }
    return true;
}

/* NULL when it is none, or memory ran out. */
static struct flm_v8_script *find_script(struct flm_v8_heap *h, uint64_t address)
{
    const struct flm_v8_metadata *m = h->metadata;
    struct flm_v8_script new = {.address = address};
    if (!flm_v8_heap_is(h, address, m->type_script) ||
        !read_word(h, address, m->script_name, &new.name) ||
        !read_word(h, address, m->script_source, &new.source))
        return NULL;
    for (size_t i = 0; i < h->scripts.count; i++) {
        struct flm_v8_script *known = &h->scripts.at[i];
        if (known->address == new.address && known->name == new.name && known->source == new.source)
            return known;
    }
    if (h->scripts.count >= MOST_SCRIPTS || !FLM_ARRAY_RESERVE(&h->scripts, 1) ||
        !read_path(h, &new)) {
        flm_text_clear(&new.path);
        return NULL;
    }
    if (!count_lines(h, &new))
        FLM_ARRAY_CLEAR(&new.lines);
    h->scripts.at[h->scripts.count] = new;
    return &h->scripts.at[h->scripts.count++];
}

/* Both count from 1. */
static void find_place(const struct flm_v8_script *script, uint32_t position, uint32_t *line,
                       uint32_t *column)
{
    size_t low = 0, high = script->lines.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (script->lines.at[middle] <= position)
            low = middle + 1;
        else
            high = middle;
    }
    *line = (uint32_t)low + 1;
    *column = position - (low > 0 ? script->lines.at[low - 1] : 0) + 1;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* The position and the name of a function in the description of its scope: words behind the local
 * variables that closures have, of which each has a name and a number. Up to 74 names are there;
 * more are in a table of their own. Then come, where the function has them,
 *
 *     its own name, and where its variable is     string or 0, number
 *     the name that was inferred for it           string or undefined
 *     start and end                               two numbers, before V8 13
 *     the scope around it                         an object
 *
 * so that start and end are the last two of the numbers in a row. From V8 13 on they are in front
 * of the variables. */
static bool read_scope(struct flm_v8_heap *h, uint64_t scope, struct flm_text *name,
                       uint32_t *position)
{
    enum { INLINED_NAMES = 75, SEARCHED = 8, WITH_POSITION = 5, START = 3, MOST_LOCALS = 1 << 16 };
    const struct flm_v8_metadata *m = h->metadata;
    uint64_t words[SEARCHED], count, start[2] = {0}, earlier = 0;
    int64_t first = m->scope_first;
    if (!read_word(h, scope, 8 * (1 + m->scope_locals), &count) || !is_smi(count) ||
        smi(count) < 0 || smi(count) > MOST_LOCALS)
        return false;
    first += smi(count) + (smi(count) < INLINED_NAMES ? smi(count) : 1);
    if (!read_field(h, scope, (int32_t)(8 * (1 + first)), words, sizeof words))
        return false;
    int numbers = 0;
    bool has_name = false, has_position = m->scope_first >= WITH_POSITION;
    for (size_t i = 0; i < SEARCHED; i++) {
        int32_t type;
        if (is_smi(words[i])) {
            if (numbers++ > 0 && !has_position) {
                start[0] = earlier;
                start[1] = words[i];
            }
            earlier = words[i];
            continue;
        }
        /* No function ends where the source begins: these were of its own name. */
        if ((numbers > 1 && smi(start[1]) > 0) || !is_object(words[i]) ||
            !read_type(h, words[i], &type))
            break;
        numbers = 0;
        if (type >= m->type_not_string && type != m->type_undefined)
            break;
        if (!has_name && type < m->type_not_string) {
            if (!flm_v8_string_read(h, words[i], LONGEST_NAME, name))
                return false;
            has_name = name->size > 0;
        }
    }
    if (has_position && !read_field(h, scope, 8 * (1 + START), start, sizeof start))
        return false;
    if (!is_smi(start[0]) || !is_smi(start[1]) || smi(start[0]) < 0 ||
        smi(start[1]) < smi(start[0]) || smi(start[1]) == 0)
        return true; /* without a position */
    *position = (uint32_t)smi(start[0]);
    return true;
}

/* " server.js:12:5": functions without a name are as many as there are places. */
static void add_place(struct flm_text *name, struct flm_bytes path, uint32_t line, uint32_t column)
{
    size_t at = path.size;
    while (at > 0 && path.at[at - 1] != '/')
        at--;
    if (path.size > at)
        flm_text_putc(name, ' ');
    flm_text_add(name, (struct flm_bytes){path.at + at, path.size - at});
    if (line > 0)
        flm_text_format(name, ":%u:%u", line, column);
}

/* From now on its name has the place; samples that were seen with the bare one keep it. */
static bool name_with_place(struct flm_v8_heap *h, struct flm_v8_function *f)
{
    struct flm_text text = {0};
    if (f->name_size > f->bare_size)
        return true;
    flm_text_add(&text, (struct flm_bytes){f->text.at, f->bare_size});
    add_place(&text, flm_v8_function_file(f), f->line, f->column);
    size_t name_size = text.size;
    flm_text_add(&text, flm_v8_function_file(f));
    if (text.failed) {
        flm_text_clear(&text);
        return false;
    }
    flm_text_clear(&f->text);
    f->text = text;
    f->name_size = name_size;
    f->serial = ++h->serials;
    return true;
}

static struct flm_v8_named_line *find_named_line(struct flm_v8_heap *h, uint64_t named_line)
{
    for (struct flm_probe at = flm_index_probe(&h->named_line_index, (uint32_t)named_line);
         flm_index_next(&h->named_line_index, &at);)
        if (h->named_lines.at[at.found].named_line == named_line)
            return &h->named_lines.at[at.found];
    return NULL;
}

/* `f`, which was read just now, is or will be the function at `index`. */
static bool tell_from_twins(struct flm_v8_heap *h, struct flm_v8_function *f, uint32_t index)
{
    const uint64_t parts[] = {flm_hash(f->text.at, f->bare_size),
                              flm_hash(f->text.at + f->bare_size, f->text.size - f->bare_size),
                              f->line};
    f->named_line = flm_hash(parts, sizeof parts);
    struct flm_v8_named_line *known = find_named_line(h, f->named_line);
    if (!known) {
        const struct flm_v8_named_line new = {f->named_line, f->column, index, false};
        return FLM_ARRAY_ADD(&h->named_lines, new) &&
               flm_index_add(&h->named_line_index, (uint32_t)f->named_line,
                             (uint32_t)h->named_lines.count - 1);
    }
    if (!known->has_twins && known->column != f->column) {
        known->has_twins = true;
        struct flm_v8_function *first = &h->functions.at[known->function];
        bool is_there = known->function < h->functions.count && known->function != index;
        if (is_there && first->named_line == f->named_line && !name_with_place(h, first))
            return false;
    }
    return !known->has_twins || name_with_place(h, f);
}

static bool read_function(struct flm_v8_heap *h, struct flm_v8_function *f, uint32_t index)
{
    uint32_t position = UINT32_MAX, line = 0, column = 0;
    int32_t type;
    f->text.size = 0;
    f->line = 0;
    if (is_object(f->name)) {
        if (!read_type(h, f->name, &type))
            return false;
        bool good = true;
        if (type == h->metadata->type_scope)
            good = read_scope(h, f->name, &f->text, &position);
        else if (type < h->metadata->type_not_string)
            good = flm_v8_string_read(h, f->name, LONGEST_NAME, &f->text);
        if (!good)
            return false;
    }
    /* Under a debugger its information comes in between, and has the script. */
    const struct flm_v8_script *script = find_script(h, f->script);
    struct flm_bytes path = {"", 0};
    if (script) {
        path = (struct flm_bytes){script->path.size ? script->path.at : "", script->path.size};
        if (script->has_lines && position <= script->length)
            find_place(script, position, &line, &column);
    }
    bool has_name = f->text.size > 0;
    if (!has_name) {
        flm_text_puts(&f->text, "(anonymous)");
        add_place(&f->text, path, line, column);
    }
    f->name_size = f->bare_size = f->text.size;
    f->line = line;
    f->column = column;
    flm_text_add(&f->text, path);
    f->serial = ++h->serials;
    if (f->text.failed)
        return false;
    return !has_name || line == 0 || tell_from_twins(h, f, index);
}

static bool look_again(struct flm_v8_heap *h, struct flm_v8_function *f, uint32_t index,
                       int64_t now_ns)
{
    const struct flm_v8_metadata *m = h->metadata;
    uint64_t name, script;
    if (f->serial && f->seen_ns && now_ns - f->seen_ns < TRUSTED_NS)
        return true;
    f->seen_ns = now_ns;
    if (!flm_v8_heap_is(h, f->shared, m->type_shared) ||
        !read_word(h, f->shared, m->shared_name, &name) ||
        !read_word(h, f->shared, m->shared_script, &script)) {
        f->serial = 0;
        return false;
    }
    if (f->serial && f->name == name && f->script == script)
        return true;
    f->name = name;
    f->script = script;
    if (read_function(h, f, index))
        return true;
    f->serial = 0;
    return false;
}

const struct flm_v8_function *flm_v8_heap_find(struct flm_v8_heap *h, uint64_t word, int64_t now_ns)
{
    uint64_t shared;
    if (!read_word(h, word, h->metadata->function_shared, &shared) || !is_object(shared) ||
        !flm_v8_heap_is(h, shared, h->metadata->type_shared))
        return NULL;
    uint32_t hash = (uint32_t)flm_hash(&shared, sizeof shared);
    for (struct flm_probe at = flm_index_probe(&h->function_index, hash);
         flm_index_next(&h->function_index, &at);) {
        struct flm_v8_function *known = &h->functions.at[at.found];
        if (known->shared == shared)
            return look_again(h, known, at.found, now_ns) ? known : NULL;
    }
    struct flm_v8_function new = {.shared = shared};
    if (h->functions.count >= MOST_FUNCTIONS || !FLM_ARRAY_RESERVE(&h->functions, 1) ||
        !look_again(h, &new, (uint32_t)h->functions.count, now_ns) ||
        !flm_index_add(&h->function_index, hash, (uint32_t)h->functions.count)) {
        flm_text_clear(&new.text);
        return NULL;
    }
    h->functions.at[h->functions.count] = new;
    return &h->functions.at[h->functions.count++];
}

struct flm_bytes flm_v8_function_name(const struct flm_v8_function *f)
{
    return (struct flm_bytes){f->text.at, f->name_size};
}

struct flm_bytes flm_v8_function_file(const struct flm_v8_function *f)
{
    return (struct flm_bytes){f->text.at + f->name_size, f->text.size - f->name_size};
}
