#include "record/python/code.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/text/utf.h"

enum {
    MOST_CODES = 1 << 20,
    LONGEST_NAME = 4096,     /* characters */
    LONGEST_TABLE = 1 << 20, /* bytes: a function of 100,000 lines */
    LARGEST_CODE = 256,      /* bytes of a code object that are read */
    LARGEST_HEAD = 64,       /* bytes of other objects that are read */
    TRUSTED_NS = 20000000
};

void flm_python_codes_clear(struct flm_python_codes *codes)
{
    for (size_t i = 0; i < codes->items.count; i++)
        flm_text_clear(&codes->items.at[i].text);
    free(codes->items.at);
    flm_index_clear(&codes->index);
    *codes = (struct flm_python_codes){0};
}

static uint64_t word_at(const char *bytes, size_t offset)
{
    uint64_t value;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

/* Whether an object, by its first bytes, is of a type; true where the type's address is unknown. */
static bool is_of_type(const struct flm_python_layout *l, const char *object, uint64_t type)
{
    return !type || word_at(object, l->object_type) == type;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Characters of 1, 2 or 4 bytes. Lone surrogates, which Python allows, become U+FFFD. */
static bool add_characters(struct flm_text *out, const char *bytes, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t code = 0;
        char utf[4];
        memcpy(&code, bytes + i * width, width);
        if (code > 0x10FFFF)
            return false;
        if (code >= 0xD800 && code < 0xE000)
            code = 0xFFFD;
        size_t size = flm_utf8_put(code, utf);
        flm_text_add(out, (struct flm_bytes){utf, size});
    }
    return !out->failed;
}

bool flm_python_text_read(const struct flm_python_codes *codes, struct flm_process_memory *memory,
                          uint64_t address, struct flm_text *out)
{
    const struct flm_python_layout *l = codes->layout;
    char head[LARGEST_HEAD], bytes[4 * LONGEST_NAME];
    uint32_t state;
    if (!flm_process_memory_read(memory, address, head, l->text_state + sizeof state))
        return false;
    uint64_t length = word_at(head, l->text_length);
    memcpy(&state, head + l->text_state, sizeof state);
    state >>= l->text_shift;
    uint32_t width = state & 7;
    bool is_compact = state >> 3 & 1, is_ascii = state >> 4 & 1;
    if (!is_of_type(l, head, codes->symbols->text_type) || !is_compact ||
        (width != 1 && width != 2 && width != 4) || length > LONGEST_NAME)
        return false;
    uint64_t data = address + (is_ascii ? l->text_ascii : l->text_compact);
    return (length == 0 || flm_process_memory_read(memory, data, bytes, length * width)) &&
           add_characters(out, bytes, length, width);
}

/* Appends the contents of a bytes object. */
static bool read_bytes(const struct flm_python_codes *codes, struct flm_process_memory *memory,
                       uint64_t address, struct flm_text *out)
{
    const struct flm_python_layout *l = codes->layout;
    char head[LARGEST_HEAD];
    if (!flm_process_memory_read(memory, address, head, l->bytes_size + sizeof(uint64_t)))
        return false;
    uint64_t size = word_at(head, l->bytes_size);
    if (!is_of_type(l, head, codes->symbols->bytes_type) || size > LONGEST_TABLE)
        return false;
    char *to = flm_text_reserve(out, size);
    if (!to || (size > 0 && !flm_process_memory_read(memory, address + l->bytes_data, to, size)))
        return false;
    out->size += size;
    return true;
}

/* ---- Code objects ---------------------------------------------------------------------------- */

static bool read_identity(const struct flm_python_codes *codes, struct flm_process_memory *memory,
                          uint64_t address, struct flm_python_identity *identity, char *bytes)
{
    const struct flm_python_layout *l = codes->layout;
    uint32_t first_line;
    if (l->code_size > LARGEST_CODE ||
        !flm_process_memory_read(memory, address, bytes, l->code_size))
        return false;
    if (!is_of_type(l, bytes, codes->symbols->code_type))
        return false;
    memcpy(&first_line, bytes + l->code_first_line, sizeof first_line);
    *identity =
        (struct flm_python_identity){word_at(bytes, l->code_name), word_at(bytes, l->code_file),
                                     word_at(bytes, l->code_lines), first_line};
    return true;
}

static bool read_code(struct flm_python_codes *codes, struct flm_process_memory *memory,
                      struct flm_python_code *code)
{
    const struct flm_python_layout *l = codes->layout;
    char bytes[LARGEST_CODE];
    code->text.size = 0;
    if (!read_identity(codes, memory, code->address, &code->identity, bytes) ||
        !flm_python_text_read(codes, memory, code->identity.name, &code->text))
        return false;
    code->function_size = code->text.size;
    if (!flm_python_text_read(codes, memory, code->identity.file, &code->text))
        return false;
    code->file_size = code->text.size - code->function_size;
    code->first_line =
        code->identity.first_line > INT32_MAX ? 0 : (uint32_t)code->identity.first_line;
    code->serial = ++codes->serials;
    if (l->frames == FLM_PYTHON_FRAME_OBJECTS) {
        uint64_t object = word_at(bytes, l->code_instructions);
        if (!flm_process_memory_read(memory, object + l->bytes_size, &code->instructions_size,
                                     sizeof code->instructions_size))
            return false;
        code->instructions = object + l->bytes_data;
    } else {
        code->instructions = code->address + l->code_instructions;
        code->instructions_size = 2 * word_at(bytes, l->bytes_size);
        code->copies = l->code_copies ? word_at(bytes, l->code_copies) : 0;
    }
    return read_bytes(codes, memory, code->identity.lines, &code->text) && !code->text.failed;
}

/* Checks the copy, and reads the code object again if it is another one. */
static bool look_again(struct flm_python_codes *codes, struct flm_process_memory *memory,
                       struct flm_python_code *code, int64_t now_ns)
{
    struct flm_python_identity identity;
    char bytes[LARGEST_CODE];
    if (code->seen_ns && now_ns - code->seen_ns < TRUSTED_NS)
        return true;
    code->seen_ns = 0;
    if (!read_identity(codes, memory, code->address, &identity, bytes))
        return false;
    if ((code->text.size == 0 || memcmp(&identity, &code->identity, sizeof identity) != 0) &&
        !read_code(codes, memory, code)) {
        code->text.size = 0;
        return false;
    }
    if (codes->layout->code_copies)
        code->copies = word_at(bytes, codes->layout->code_copies);
    code->seen_ns = now_ns;
    return true;
}

uint64_t flm_python_code_copy(const struct flm_python_code *code, struct flm_process_memory *memory,
                              uint32_t copy)
{
    enum { MOST_COPIES = 1 << 16 };
    uint64_t count, address;
    return flm_process_memory_read(memory, code->copies, &count, sizeof count) && copy < count &&
                   count < MOST_COPIES &&
                   flm_process_memory_read(memory, code->copies + 8 + UINT64_C(8) * copy, &address,
                                           sizeof address)
               ? address
               : 0;
}

uint32_t flm_python_codes_find(struct flm_python_codes *codes, struct flm_process_memory *memory,
                               uint64_t address, int64_t now_ns)
{
    uint32_t hash = (uint32_t)flm_hash(&address, sizeof address);
    for (struct flm_probe at = flm_index_probe(&codes->index, hash);
         flm_index_next(&codes->index, &at);)
        if (codes->items.at[at.found].address == address)
            return look_again(codes, memory, &codes->items.at[at.found], now_ns) ? at.found
                                                                                 : UINT32_MAX;
    struct flm_python_code code = {.address = address, .seen_ns = now_ns};
    if (codes->items.count >= MOST_CODES || !read_code(codes, memory, &code) ||
        !FLM_ARRAY_RESERVE(&codes->items, 1)) {
        flm_text_clear(&code.text);
        return UINT32_MAX;
    }
    codes->items.at[codes->items.count] = code;
    if (!flm_index_add(&codes->index, hash, (uint32_t)codes->items.count)) {
        flm_text_clear(&code.text);
        return UINT32_MAX;
    }
    return (uint32_t)codes->items.count++;
}

struct flm_bytes flm_python_code_function(const struct flm_python_code *code)
{
    return (struct flm_bytes){code->text.at, code->function_size};
}

struct flm_bytes flm_python_code_file(const struct flm_python_code *code)
{
    return (struct flm_bytes){code->text.at + code->function_size, code->file_size};
}

struct flm_bytes flm_python_code_lines(const struct flm_python_code *code)
{
    size_t before = code->function_size + code->file_size;
    return (struct flm_bytes){code->text.at + before, code->text.size - before};
}
