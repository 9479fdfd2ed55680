#include "code/kept_code.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/text.h"

enum { ADDRESS_BITS = 48, MOST_TAG = 0x7FFF };

static const char *const machines[] = {
    [FLM_MACHINE_OTHER] = "", [FLM_MACHINE_X86_64] = "x86-64", [FLM_MACHINE_ARM64] = "arm64"};
enum { MACHINE_COUNT = sizeof machines / sizeof machines[0] };

uint64_t flm_kept_code_address(uint64_t address)
{
    return address >> 63 ? address : address & (((uint64_t)1 << ADDRESS_BITS) - 1);
}

uint64_t flm_kept_code_tag(const struct flm_kept_code *code)
{
    uint64_t hash = flm_hash(code->bytes.at, code->bytes.size) ^
                    flm_hash(code->name.at, code->name.size) * 3 ^ flm_hash(&code->start, 8) * 5;
    return (hash % MOST_TAG + 1) << ADDRESS_BITS;
}

uint64_t flm_kept_code_next_tag(uint64_t tag)
{
    return ((tag >> ADDRESS_BITS) % MOST_TAG + 1) << ADDRESS_BITS;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static const char digits[] = "0123456789abcdef";

/* Of one line: names come from files that anybody may have made. */
static void add_item(struct flm_text *out, const char *what, struct flm_bytes text)
{
    flm_text_puts(out, what);
    for (size_t i = 0; i < text.size; i++)
        flm_text_putc(out, text.at[i] == '\n' ? ' ' : text.at[i]);
    flm_text_putc(out, '\n');
}

static void add_lines(struct flm_text *out, const struct flm_kept_code *code)
{
    uint64_t offset = 0;
    uint32_t file = 0;
    flm_text_puts(out, "lines");
    for (size_t i = 0; i < code->line_count; i++) {
        const struct flm_kept_line *line = &code->lines[i];
        if (line->line != 0 && line->file != file) {
            flm_text_format(out, " @%u", line->file);
            file = line->file;
        }
        flm_text_format(out, " %llx:%u", (unsigned long long)(line->offset - offset), line->line);
        offset = line->offset;
    }
    flm_text_putc(out, '\n');
}

void flm_kept_code_write(const struct flm_kept_code *code, struct flm_text *value)
{
    add_item(value, "machine ", flm_bytes_of(machines[code->machine]));
    add_item(value, "name ", code->name);
    for (size_t i = 0; i < code->file_count; i++)
        add_item(value, "file ", code->files[i]);
    if (code->line_count > 0)
        add_lines(value, code);
    /* Hexadecimal: what compresses profiles finds what is repeated in it, as in the bytes; in
     * base64 it does not. */
    flm_text_puts(value, "code ");
    for (size_t i = 0; i < code->bytes.size; i++) {
        unsigned char byte = (unsigned char)code->bytes.at[i];
        flm_text_putc(value, digits[byte >> 4]);
        flm_text_putc(value, digits[byte & 15]);
    }
}

void flm_kept_code_note(struct flm_builder *builder, uint64_t start, struct flm_bytes value)
{
    enum { DIGITS = 16 };
    char key[sizeof FLM_NOTE_JIT_CODE + DIGITS] = FLM_NOTE_JIT_CODE;
    for (size_t i = 0; i < DIGITS; i++)
        key[sizeof FLM_NOTE_JIT_CODE - 1 + i] = digits[start >> (60 - 4 * i) & 15];
    flm_builder_note(builder, key, value.at, value.size);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Of one code: what its arrays are in the arrays of all of them. */
struct kept_range {
    size_t file, line, byte;
};

struct flm_kept_codes {
    struct FLM_ARRAY(struct flm_kept_code) codes; /* ascending: keys of notes are */
    struct FLM_ARRAY(struct kept_range) ranges;
    struct FLM_ARRAY(struct flm_bytes) files;
    struct FLM_ARRAY(struct flm_kept_line) lines;
    struct flm_text bytes;
};

/* The next part of a text that a byte ends. */
static struct flm_bytes take(struct flm_bytes *text, char ending)
{
    const char *end = text->at + text->size, *to = flm_find(text->at, end, ending);
    struct flm_bytes part = {text->at, (size_t)(to - text->at)};
    *text = flm_bytes_from(*text, part.size + (to < end));
    return part;
}

static bool take_key(struct flm_bytes *line, const char *key)
{
    if (!flm_bytes_start_with(*line, key))
        return false;
    *line = flm_bytes_from(*line, strlen(key));
    return true;
}

static bool read_bytes(struct flm_bytes text, struct flm_text *out)
{
    if (text.size % 2 != 0 || text.size == 0 || text.size / 2 > FLM_KEPT_CODE_MOST_OF_ONE)
        return false;
    for (size_t i = 0; i < text.size; i += 2) {
        int high = flm_hex_value(text.at[i]), low = flm_hex_value(text.at[i + 1]);
        if (high < 0 || low < 0)
            return false;
        flm_text_putc(out, (char)(high << 4 | low));
    }
    return true;
}

/* False: malformed; what is left out then is cut off by the caller. */
static bool read_lines(struct flm_bytes text, struct flm_kept_codes *all, bool *has_room)
{
    uint64_t offset = 0, file = 0, more, line;
    while (text.size > 0 && *has_room) {
        struct flm_bytes word = take(&text, ' ');
        if (word.size == 0)
            continue;
        if (word.at[0] == '@') {
            if (!flm_number_parse_uint(flm_bytes_from(word, 1), &file) || file >= UINT32_MAX)
                return false;
            continue;
        }
        struct flm_bytes by = take(&word, ':');
        if (!flm_number_parse_hex(by, &more) || !flm_number_parse_uint(word, &line) ||
            more > FLM_KEPT_CODE_MOST_OF_ONE || line > UINT32_MAX)
            return false;
        offset += more;
        *has_room = FLM_ARRAY_ADD(&all->lines,
                                  (struct flm_kept_line){offset, (uint32_t)file, (uint32_t)line});
    }
    return true;
}

static bool has_its_files(const struct flm_kept_codes *all, const struct kept_range *range)
{
    size_t count = all->files.count - range->file;
    for (size_t i = range->line; i < all->lines.count; i++)
        if (all->lines.at[i].line != 0 && all->lines.at[i].file >= count)
            return false;
    return true;
}

static bool read_value(struct flm_bytes value, struct flm_kept_codes *all,
                       struct flm_kept_code *code, bool *has_room)
{
    bool good = true, has_code = false;
    while (value.size > 0 && good && *has_room) {
        struct flm_bytes line = take(&value, '\n');
        if (take_key(&line, "machine ")) {
            for (unsigned i = 0; i < MACHINE_COUNT; i++)
                if (flm_bytes_are(line, machines[i]))
                    code->machine = (enum flm_machine)i;
        } else if (take_key(&line, "name ")) {
            code->name = line;
        } else if (take_key(&line, "file ")) {
            *has_room = FLM_ARRAY_ADD(&all->files, line);
        } else if (take_key(&line, "lines ")) {
            good = read_lines(line, all, has_room);
        } else if (take_key(&line, "code ")) {
            good = !has_code && read_bytes(line, &all->bytes);
            has_code = true;
        }
        /* Other words are of later versions. */
    }
    return good && has_code;
}

/* False when memory ran out. */
static bool read_note(struct flm_kept_codes *all, uint64_t start, struct flm_bytes value)
{
    struct flm_kept_code code = {.start = start, .name = {"", 0}};
    const struct kept_range range = {all->files.count, all->lines.count, all->bytes.size};
    bool has_room = true, good = read_value(value, all, &code, &has_room);
    code.bytes.size = all->bytes.size - range.byte;
    code.file_count = all->files.count - range.file;
    code.line_count = all->lines.count - range.line;
    good = good && code.bytes.size <= UINT64_MAX - start && has_its_files(all, &range);
    if (has_room && good && !all->bytes.failed)
        return FLM_ARRAY_ADD(&all->codes, code) && FLM_ARRAY_ADD(&all->ranges, range);
    all->files.count = range.file;
    all->lines.count = range.line;
    all->bytes.size = range.byte;
    return has_room && !all->bytes.failed;
}

static bool read_notes(struct flm_kept_codes *all, const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        uint64_t start;
        if (!take_key(&key, FLM_NOTE_JIT_CODE) || !flm_number_parse_hex(key, &start))
            continue;
        /* In a profile that anybody may have made, keys may have fewer digits. */
        if (all->codes.count > 0 && all->codes.at[all->codes.count - 1].start >= start)
            continue;
        if (!read_note(all, start, flm_string_bytes(p, p->notes[i].value)))
            return false;
    }
    for (size_t i = 0; i < all->codes.count; i++) {
        struct flm_kept_code *code = &all->codes.at[i];
        code->bytes.at = all->bytes.at + all->ranges.at[i].byte;
        code->files = all->files.at + all->ranges.at[i].file;
        code->lines = all->lines.at + all->ranges.at[i].line;
    }
    return true;
}

struct flm_kept_codes *flm_kept_codes_new(const struct flm_profile *profile, struct flm_error *why)
{
    struct flm_kept_codes *codes = calloc(1, sizeof *codes);
    if (codes && read_notes(codes, profile))
        return codes;
    flm_kept_codes_free(codes);
    flm_error_memory(why);
    return NULL;
}

void flm_kept_codes_free(struct flm_kept_codes *codes)
{
    if (!codes)
        return;
    FLM_ARRAY_CLEAR(&codes->codes);
    FLM_ARRAY_CLEAR(&codes->ranges);
    FLM_ARRAY_CLEAR(&codes->files);
    FLM_ARRAY_CLEAR(&codes->lines);
    flm_text_clear(&codes->bytes);
    free(codes);
}

size_t flm_kept_codes_count(const struct flm_kept_codes *codes)
{
    return codes->codes.count;
}

const struct flm_kept_code *flm_kept_codes_find(const struct flm_kept_codes *codes,
                                                uint64_t address)
{
    size_t low = 0, high = codes->codes.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (codes->codes.at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct flm_kept_code *code = low > 0 ? &codes->codes.at[low - 1] : NULL;
    return code && address - code->start < code->bytes.size ? code : NULL;
}

const struct flm_kept_code *flm_kept_codes_called(const struct flm_kept_codes *codes,
                                                  uint64_t address)
{
    const struct flm_kept_code *found = NULL;
    for (size_t i = 0; i < codes->codes.count; i++) {
        const struct flm_kept_code *code = &codes->codes.at[i];
        uint64_t start = flm_kept_code_address(code->start);
        if (address < start || address - start >= code->bytes.size)
            continue;
        if (found)
            return NULL;
        found = code;
    }
    return found;
}
