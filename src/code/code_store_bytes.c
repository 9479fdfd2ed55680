/* code_store_bytes.c - a store as bytes:
 *
 *     magic                 "flamelcode1\n"
 *     strings               how many; size and bytes of each. 0 is "", and not among them
 *     files                 how many; of each name, path, status, whether doubtful, size of the
 *                           text and the text
 *     functions             how many; of each name, module, status, machine; files: how many, and
 *                           names; inlined functions: how many, and of each name, caller + 1, file
 *                           + 1, line; instructions: how many, and
 *         size << 1 | whether the code is there
 *         what follows, as bits:
 *             kind          0-2
 *             leads         3
 *             gap           4: the distance from the end of the last one
 *             place         5: the distance from the instruction, zigzag
 *             target        6: string
 *             source        7: file + 1; line - that of the last one, zigzag
 *             inlined       8: inlined + 1
 *         text              string
 *                           then the code of all instructions
 *
 * Numbers are varints. */
#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "code/code_store.h"
#include "format/protobuf/wire_read.h"
#include "format/protobuf/wire_write.h"
#include "profile/interner.h"

static const char magic[] = "flamelcode1\n";

enum {
    KIND = 7,
    LEADS = 1 << 3,
    GAP = 1 << 4,
    PLACE = 1 << 5,
    TARGET = 1 << 6,
    SOURCE = 1 << 7,
    INLINED = 1 << 8,
    ALL_BITS = (1 << 9) - 1
};

/* ---- Written --------------------------------------------------------------------------------- */

struct writing {
    struct flm_text body; /* what follows the strings */
    struct flm_interner strings;
    bool failed;
};

static void put(struct writing *w, uint64_t number)
{
    flm_wire_put_varint(&w->body, number);
}

/* The lowest bit is the sign: small differences of either sign stay small. */
static void put_difference(struct writing *w, uint64_t to, uint64_t from)
{
    uint64_t difference = to - from;
    put(w, difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0));
}

static void put_string(struct writing *w, struct flm_bytes text)
{
    uint32_t number = flm_interner_string(&w->strings, text);
    w->failed |= number == FLM_CODE_NONE;
    put(w, number);
}

static void put_file(struct writing *w, const struct flm_code_file *file)
{
    put_string(w, file->name);
    put_string(w, file->path);
    put_string(w, file->status);
    put(w, file->is_doubtful);
    put(w, file->text.size);
    flm_text_add(&w->body, file->text);
}

/* What an instruction is told apart from. */
struct last {
    uint64_t end;
    uint32_t file, line, inlined;
};

static const struct last none = {0, FLM_CODE_NONE, 0, FLM_CODE_NONE};

static void put_instruction(struct writing *w, const struct flm_code_instruction *i,
                            struct last *last)
{
    bool is_elsewhere = i->file != last->file || i->line != last->line;
    unsigned bits = i->kind;
    bits |= i->leads ? LEADS : 0;
    bits |= i->address != last->end ? GAP : 0;
    bits |= i->has_place ? PLACE : 0;
    bits |= i->target.size > 0 ? TARGET : 0;
    bits |= is_elsewhere ? SOURCE : 0;
    bits |= i->inlined != last->inlined ? INLINED : 0;
    put(w, (uint64_t)i->size << 1 | (i->code.size > 0));
    put(w, bits);
    if (bits & GAP)
        put(w, i->address - last->end);
    if (bits & PLACE)
        put_difference(w, i->place, i->address);
    if (bits & TARGET)
        put_string(w, i->target);
    if (bits & SOURCE) {
        put(w, i->file + 1u);
        put_difference(w, i->line, last->line);
    }
    if (bits & INLINED)
        put(w, i->inlined + 1u);
    put_string(w, i->text);
    *last = (struct last){i->address + i->size, i->file, i->line, i->inlined};
}

static void put_function(struct writing *w, const struct flm_code_function *f)
{
    put_string(w, f->name);
    put_string(w, f->module);
    put_string(w, f->status);
    put_string(w, f->machine);
    put(w, f->file_count);
    for (size_t i = 0; i < f->file_count; i++)
        put_string(w, f->files[i]);
    put(w, f->inlined_count);
    for (size_t i = 0; i < f->inlined_count; i++) {
        put_string(w, f->inlined[i].function);
        put(w, f->inlined[i].caller + 1u);
        put(w, f->inlined[i].file + 1u);
        put(w, f->inlined[i].line);
    }
    put(w, f->instruction_count);
    struct last last = none;
    for (size_t i = 0; i < f->instruction_count; i++)
        put_instruction(w, &f->instructions[i], &last);
    for (size_t i = 0; i < f->instruction_count; i++)
        flm_text_add(&w->body, f->instructions[i].code);
}

static void put_all(struct writing *w, const struct flm_code_store *store, struct flm_text *out)
{
    size_t files = flm_code_store_file_count(store),
           functions = flm_code_store_function_count(store);
    put(w, files);
    for (size_t i = 0; i < files; i++)
        put_file(w, flm_code_store_file_at(store, i));
    put(w, functions);
    for (size_t i = 0; i < functions; i++)
        put_function(w, flm_code_store_function_at(store, i));
    flm_text_puts(out, magic);
    flm_wire_put_varint(out, w->strings.string_count - 1);
    for (uint32_t i = 1; i < w->strings.string_count; i++) {
        struct flm_bytes text = flm_interner_text(&w->strings, i);
        flm_wire_put_varint(out, text.size);
        flm_text_add(out, text);
    }
    flm_text_add(out, (struct flm_bytes){w->body.at, w->body.size});
}

bool flm_code_store_write(const struct flm_code_store *store, struct flm_text *out,
                          struct flm_error *why)
{
    assert(store && out);
    struct writing w = {.failed = false};
    bool good = flm_interner_init(&w.strings, why);
    if (good) {
        put_all(&w, store, out);
        good = (!w.failed && !w.body.failed && !out->failed) || flm_error_memory(why);
    }
    flm_text_clear(&w.body);
    flm_interner_clear(&w.strings);
    return good;
}

/* ---- Read ------------------------------------------------------------------------------------ */

struct reading {
    struct flm_wire_input input;
    struct flm_wire wire;
    struct flm_code_store *store;
    bool lacks_memory;
    struct FLM_ARRAY(struct flm_bytes) strings;
    struct FLM_ARRAY(struct flm_bytes) files; /* of the function that is read */
    struct FLM_ARRAY(struct flm_code_inlined) inlined;
    struct FLM_ARRAY(struct flm_code_instruction) instructions;
};

static bool is_wrong(struct reading *r)
{
    return r->lacks_memory || r->input.reason;
}

static bool fail(struct reading *r, const char *reason)
{
    return flm_wire_fail(&r->input, r->wire.at, reason);
}

static uint64_t get(struct reading *r)
{
    uint64_t number = 0;
    if (!r->input.reason)
        flm_wire_varint(&r->wire, &r->wire.at, &number);
    return r->input.reason ? 0 : number;
}

static uint32_t get32(struct reading *r)
{
    uint64_t number = get(r);
    if (number > UINT32_MAX)
        fail(r, "a number is too large");
    return (uint32_t)number;
}

static uint64_t get_difference(struct reading *r, uint64_t from)
{
    uint64_t number = get(r);
    return from + (number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

/* Of items of `least` bytes at least: so a count that is no count takes no memory. */
static size_t get_count(struct reading *r, size_t least)
{
    uint64_t count = get(r);
    if (count <= (uint64_t)(r->wire.end - r->wire.at) / least)
        return (size_t)count;
    fail(r, "there are fewer bytes than were announced");
    return 0;
}

static struct flm_bytes get_bytes(struct reading *r, size_t size)
{
    struct flm_bytes bytes = {(const char *)r->wire.at, size};
    if (size > (size_t)(r->wire.end - r->wire.at)) {
        fail(r, "there are fewer bytes than were announced");
        return (struct flm_bytes){"", 0};
    }
    r->wire.at += size;
    return bytes;
}

static struct flm_bytes get_string(struct reading *r)
{
    uint64_t number = get(r);
    if (number == 0)
        return (struct flm_bytes){"", 0};
    if (number <= r->strings.count)
        return r->strings.at[number - 1];
    fail(r, "there is no such string");
    return (struct flm_bytes){"", 0};
}

static void get_file(struct reading *r)
{
    struct flm_code_file file;
    file.name = get_string(r);
    file.path = get_string(r);
    file.status = get_string(r);
    file.is_doubtful = get(r) != 0;
    file.text = get_bytes(r, get_count(r, 1));
    if (!is_wrong(r) && !flm_code_store_add_file(r->store, &file, NULL))
        r->lacks_memory = true;
}

static struct flm_code_instruction get_instruction(struct reading *r, struct last *last)
{
    struct flm_code_instruction i = {.target = {"", 0}};
    uint64_t size = get(r);
    uint64_t bits = get(r);
    if (size >> 1 > UINT32_MAX || bits > ALL_BITS)
        fail(r, "an instruction is none");
    i.size = (uint32_t)(size >> 1);
    i.code.size = size & 1 ? i.size : 0;
    i.kind = bits & KIND;
    i.leads = bits & LEADS;
    i.has_place = bits & PLACE;
    i.address = last->end + (bits & GAP ? get(r) : 0);
    if (i.has_place)
        i.place = get_difference(r, i.address);
    if (bits & TARGET)
        i.target = get_string(r);
    if (bits & SOURCE) {
        last->file = get32(r) - 1;
        last->line = (uint32_t)get_difference(r, last->line);
    }
    if (bits & INLINED)
        last->inlined = get32(r) - 1;
    i.text = get_string(r);
    i.file = last->file;
    i.line = last->line;
    i.inlined = last->inlined;
    last->end = i.address + i.size;
    return i;
}

static void get_instructions(struct reading *r)
{
    enum { LEAST = 3 };
    size_t count = get_count(r, LEAST);
    struct last last = none;
    for (size_t i = 0; i < count && !is_wrong(r); i++)
        if (!FLM_ARRAY_ADD(&r->instructions, get_instruction(r, &last)))
            r->lacks_memory = true;
    for (size_t i = 0; i < r->instructions.count && !is_wrong(r); i++)
        r->instructions.at[i].code = get_bytes(r, r->instructions.at[i].code.size);
}

static void get_parts(struct reading *r)
{
    enum { LEAST_INLINED = 4 };
    r->files.count = r->inlined.count = r->instructions.count = 0;
    for (size_t count = get_count(r, 1); count > 0 && !is_wrong(r); count--)
        if (!FLM_ARRAY_ADD(&r->files, get_string(r)))
            r->lacks_memory = true;
    for (size_t count = get_count(r, LEAST_INLINED); count > 0 && !is_wrong(r); count--) {
        struct flm_code_inlined inlined = {.function = get_string(r)};
        inlined.caller = get32(r) - 1;
        inlined.file = get32(r) - 1;
        inlined.line = get32(r);
        if (!FLM_ARRAY_ADD(&r->inlined, inlined))
            r->lacks_memory = true;
    }
    get_instructions(r);
}

static void get_function(struct reading *r)
{
    struct flm_error broken;
    struct flm_code_function f;
    f.name = get_string(r);
    f.module = get_string(r);
    f.status = get_string(r);
    f.machine = get_string(r);
    get_parts(r);
    if (is_wrong(r))
        return;
    f.files = r->files.at;
    f.file_count = r->files.count;
    f.inlined = r->inlined.at;
    f.inlined_count = r->inlined.count;
    f.instructions = r->instructions.at;
    f.instruction_count = r->instructions.count;
    if (!flm_code_function_check(&f, &broken))
        fail(r, "instructions that cannot be");
    else if (!flm_code_store_add_function(r->store, &f, NULL))
        r->lacks_memory = true;
}

static void get_all(struct reading *r)
{
    enum { LEAST_FILE = 5, LEAST_FUNCTION = 7 };
    const size_t size = sizeof magic - 1;
    if (r->input.size < size || memcmp(r->input.begin, magic, size) != 0) {
        fail(r, "this is no code of flamel's, or that of another version");
        return;
    }
    r->wire.at += size;
    for (size_t count = get_count(r, 1); count > 0 && !is_wrong(r); count--)
        if (!FLM_ARRAY_ADD(&r->strings, get_bytes(r, get_count(r, 1))))
            r->lacks_memory = true;
    for (size_t count = get_count(r, LEAST_FILE); count > 0 && !is_wrong(r); count--)
        get_file(r);
    for (size_t count = get_count(r, LEAST_FUNCTION); count > 0 && !is_wrong(r); count--)
        get_function(r);
    if (!is_wrong(r) && r->wire.at != r->wire.end)
        fail(r, "there are more bytes than were announced");
}

bool flm_code_store_read(struct flm_code_store *store, struct flm_bytes bytes,
                         struct flm_error *why)
{
    assert(store);
    struct reading r = {.input = flm_wire_input_of(bytes), .store = flm_code_store_new(NULL)};
    r.wire = flm_wire_all(&r.input);
    r.lacks_memory = !r.store;
    if (r.store)
        get_all(&r);
    FLM_ARRAY_CLEAR(&r.strings);
    FLM_ARRAY_CLEAR(&r.files);
    FLM_ARRAY_CLEAR(&r.inlined);
    FLM_ARRAY_CLEAR(&r.instructions);
    bool good = r.lacks_memory ? flm_error_memory(why) : flm_wire_end(&r.input, why);
    good = good && flm_code_store_take(store, r.store, why);
    flm_code_store_free(r.store);
    return good;
}
