#include "format/perf/frame.h"

#include "base/core/path_name.h"
#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/text.h"
#include "format/perf/internal.h"
#include "profile/internal.h"

static const struct flm_bytes unknown = {"[unknown]", 9};

/* Removes `ending` from the end, if it is there. */
static bool take_ending(struct flm_bytes *text, const char *ending)
{
    if (!flm_bytes_end_with(*text, ending))
        return false;
    text->size -= strlen(ending);
    return true;
}

/* ---- Parsing a line -------------------------------------------------------------------------- */

/* Removes "+0x1a4" from the end. */
static void take_offset(struct flm_bytes *text)
{
    size_t at = text->size;
    while (at > 0 && flm_is_hex(text->at[at - 1]))
        at--;
    if (at < text->size && at >= 3 && memcmp(text->at + at - 3, "+0x", 3) == 0)
        text->size = at - 3;
}

/* The bracket that the one at the end closes; text.size if there is none. */
static size_t find_open(struct flm_bytes text)
{
    size_t depth = 0;
    for (size_t at = text.size; at-- > 0;) {
        depth += text.at[at] == ')';
        depth -= text.at[at] == '(';
        if (depth == 0)
            return at;
    }
    return text.size;
}

/* The last " (/" or " ([": for paths whose brackets do not match. */
static size_t find_path(struct flm_bytes text)
{
    for (size_t at = text.size; at-- > 1;)
        if (text.at[at] == '(' && text.at[at - 1] == ' ' && at + 1 < text.size &&
            (text.at[at + 1] == '/' || text.at[at + 1] == '['))
            return at;
    return text.size;
}

/* Removes " (module)" from the end; false if there is none. */
static bool take_module(struct flm_bytes *text, struct flm_bytes *module)
{
    if (!flm_bytes_end_with(*text, ")"))
        return false;
    size_t open = find_open(*text);
    if (open == text->size || (open > 0 && text->at[open - 1] != ' '))
        open = find_path(*text);
    if (open == text->size)
        return false;
    *module = flm_between(text->at + open + 1, text->at + text->size - 1);
    text->size = open;
    return true;
}

/* Whether a bracket opens after a blank and is never closed: the line is truncated. */
static bool is_cut(struct flm_bytes text)
{
    const char *end = text.at + text.size;
    for (const char *at = end; at > text.at + 1; at--) {
        if (at[-1] == ')')
            return false;
        if (at[-1] == '(' && at[-2] == ' ')
            return true;
    }
    return false;
}

bool flm_perf_frame_parse_name(struct flm_bytes text, struct flm_perf_frame *frame)
{
    *frame = (struct flm_perf_frame){.address_only = text.size == 0};
    text = flm_trimmed(text.at, text.at + text.size);
    if (take_module(&text, &frame->module)) {
        if (flm_bytes_are(frame->module, "inlined")) {
            frame->inlined = true;
            frame->module.size = 0;
        } else if (flm_bytes_equal(frame->module, unknown)) {
            frame->module.size = 0;
        } else {
            take_ending(&frame->module, " (deleted)");
            take_offset(&frame->module); /* -F +dsoff */
        }
    } else if (is_cut(text)) {
        return false;
    }
    text = flm_trimmed(text.at, text.at + text.size);
    take_offset(&text);
    if (!flm_bytes_equal(text, unknown))
        frame->symbol = text;
    return true;
}

bool flm_perf_is_address_end(struct flm_bytes line, const char *at)
{
    if (at >= line.at + line.size)
        return false;
    return *at == ' ' || (*at == '\t' && line.at[0] == ' ');
}

bool flm_perf_frame_parse(struct flm_bytes line, struct flm_perf_frame *frame)
{
    struct flm_bytes text = flm_trimmed(line.at, line.at + line.size);
    const char *at = text.at, *end = text.at + text.size;
    while (at < end && flm_is_hex(*at))
        at++;
    uint64_t address;
    if ((at < end && !flm_perf_is_address_end(line, at)) ||
        !flm_number_parse_hex(flm_between(text.at, at), &address) ||
        !flm_perf_frame_parse_name(flm_between(at, end), frame))
        return false;
    frame->address = address;
    return true;
}

bool flm_perf_frame_is_line(struct flm_bytes line)
{
    struct flm_perf_frame frame;
    return flm_perf_frame_parse(line, &frame) &&
           (line.at[0] == ' ' ||
            flm_bytes_end_with(flm_trimmed(line.at, line.at + line.size), ")"));
}

struct flm_perf_location flm_perf_location_parse(struct flm_bytes line)
{
    struct flm_perf_location location = {0};
    struct flm_bytes text = flm_trimmed(line.at, line.at + line.size);
    location.inlined = take_ending(&text, " (inlined)");
    const char *end = text.at + text.size;
    const char *remark = flm_find(text.at, end, '('); /* (discriminator 2) */
    text = flm_trimmed(text.at, remark > text.at && remark[-1] == ' ' ? remark : end);
    size_t colon = text.size;
    while (colon > 0 && text.at[colon - 1] != ':')
        colon--;
    uint64_t number;
    struct flm_bytes digits = flm_between(text.at + colon, text.at + text.size);
    if (colon < 2 || text.at[0] == '?' || !flm_number_parse_uint(digits, &number) || number == 0 ||
        number > UINT32_MAX)
        return location;
    location.file = flm_between(text.at, text.at + colon - 1);
    location.line = (uint32_t)number;
    return location;
}

/* ---- Modules --------------------------------------------------------------------------------- */

enum flm_kind flm_perf_module_kind(struct flm_bytes module)
{
    static const struct {
        const char *start;
        enum flm_kind kind;
    } by_start[] = {
        {"[vdso", FLM_KIND_NATIVE},  {"[vsyscall", FLM_KIND_NATIVE}, {"[heap", FLM_KIND_NATIVE},
        {"[stack", FLM_KIND_NATIVE}, {"[anon", FLM_KIND_JIT},        {"[JIT", FLM_KIND_JIT},
        {"//anon", FLM_KIND_JIT},    {"[unknown", FLM_KIND_NATIVE},  {"[", FLM_KIND_KERNEL},
    };
    if (module.size == 0)
        return FLM_KIND_NATIVE;
    for (size_t i = 0; i < sizeof by_start / sizeof by_start[0]; i++)
        if (flm_bytes_start_with(module, by_start[i].start))
            return by_start[i].kind;

    struct flm_bytes name = flm_path_last(module, "/");
    if (flm_bytes_start_with(name, "vmlinux") || flm_bytes_start_with(name, "bpf_prog_") ||
        flm_bytes_are(module, "/proc/kcore"))
        return FLM_KIND_KERNEL;
    if (flm_bytes_start_with(name, "jitted-") ||
        (flm_bytes_start_with(name, "perf-") && flm_bytes_end_with(name, ".map")))
        return FLM_KIND_JIT;
    static const char *const kernel_modules[] = {".ko", ".ko.gz", ".ko.xz", ".ko.zst", ".ko.debug"};
    for (size_t i = 0; i < sizeof kernel_modules / sizeof kernel_modules[0]; i++)
        if (flm_bytes_end_with(name, kernel_modules[i]))
            return FLM_KIND_KERNEL;
    return FLM_KIND_NATIVE;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Removes Rust's "::h0123456789abcdef" from the end. */
static bool take_rust_hash(struct flm_bytes *name)
{
    enum { HASH_DIGITS = 16 };
    if (name->size < HASH_DIGITS + 4)
        return false;
    const char *end = name->at + name->size, *digits = end - HASH_DIGITS;
    if (memcmp(digits - 3, "::h", 3) != 0)
        return false;
    for (const char *at = digits; at < end; at++)
        if (!flm_is_hex(*at))
            return false;
    name->size -= HASH_DIGITS + 3;
    return true;
}

/* The character of the escape at the beginning of `text`; *size receives its size. 0: none. */
static char rust_escape(struct flm_bytes text, size_t *size)
{
    static const struct {
        const char *escape;
        char byte;
    } names[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
                 {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (flm_bytes_start_with(text, names[i].escape)) {
            *size = strlen(names[i].escape);
            return names[i].byte;
        }
    }
    uint64_t code; /* $u7e$ */
    if (flm_bytes_start_with(text, "$u") && text.size >= 5 && text.at[4] == '$' &&
        flm_number_parse_hex(flm_between(text.at + 2, text.at + 4), &code) && code >= 32 &&
        code < 127) {
        *size = 5;
        return (char)code;
    }
    return 0;
}

/* _$LT$std..fs..File$u20$as$u20$std..io..Read$GT$::read is <std::fs::File as std::io::Read>::read.
 * perf demangles Rust's legacy names as C++, and leaves these escapes. */
static void add_rust_name(struct flm_text *out, struct flm_bytes name)
{
    size_t at = flm_bytes_start_with(name, "_$") ? 1 : 0;
    while (at < name.size) {
        struct flm_bytes rest = flm_between(name.at + at, name.at + name.size);
        size_t size = 1;
        char byte = *rest.at == '$' ? rust_escape(rest, &size) : 0;
        if (flm_bytes_start_with(rest, "..")) {
            flm_text_puts(out, "::");
            size = 2;
        } else {
            flm_text_putc(out, byte ? byte : *rest.at);
        }
        at += size;
    }
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool add_frame(struct flm_builder *b, struct flm_bytes name,
                      const struct flm_frame_record *record, uint32_t line,
                      struct flm_perf_frames *out)
{
    struct flm_frame_record full = *record;
    struct flm_text plain = {0};
    if (take_rust_hash(&name)) {
        add_rust_name(&plain, name);
        name = (struct flm_bytes){plain.at, plain.size};
    }
    bool room = !plain.failed && FLM_ARRAY_RESERVE(out, 1);
    if (room) {
        full.function = flm_builder_string(b, name.at, name.size).index;
        out->at[out->count++] = flm_builder_located(b, &full, (struct flm_location){.line = line});
    }
    flm_text_clear(&plain);
    return room && !flm_builder_failed(b);
}

/* Whether "->" in the name is perf-map-agent's: methods inlined into methods. */
static bool is_java(const struct flm_perf_frame *frame)
{
    if (frame->module.size > 0)
        return flm_perf_module_kind(frame->module) == FLM_KIND_JIT;
    const char *end = frame->symbol.at + frame->symbol.size;
    return !frame->inlined && *frame->symbol.at == 'L' &&
           flm_find(frame->symbol.at, end, ';') < end;
}

/* The next "->" of inlined Java, which has no blanks around it; or the end. */
static const char *find_arrow(struct flm_bytes name)
{
    const char *end = name.at + name.size;
    for (const char *at = name.at + 1; (at = flm_find(at, end, '-')) < end; at++)
        if (end - at > 2 && at[1] == '>' && at[-1] != ' ' && at[2] != ' ' &&
            !flm_bytes_end_with(flm_between(name.at, at), "operator"))
            return at;
    return end;
}

/* "(nil)", "(java)": all in one pair of brackets. "(anonymous namespace)::f()" is not. */
static bool is_in_brackets(struct flm_bytes name)
{
    return name.size > 1 && name.at[0] == '(' &&
           flm_find(name.at, name.at + name.size, ')') == name.at + name.size - 1;
}

static bool add_unknown(struct flm_builder *b, const struct flm_perf_frame *frame,
                        struct flm_frame_record *record, uint32_t line, struct flm_perf_frames *out)
{
    struct flm_text name = {0};
    if (frame->module.size > 0) {
        struct flm_bytes base = flm_path_last(frame->module, "/");
        flm_text_putc(&name, '[');
        flm_text_add(&name, base.size ? base : frame->module);
        flm_text_putc(&name, ']');
    } else if (frame->address_only) {
        flm_text_format(&name, "0x%llx", (unsigned long long)frame->address);
    } else {
        flm_text_add(&name, unknown);
    }
    record->flags |= FLM_FRAME_UNSYMBOLIZED;
    bool good =
        !name.failed && add_frame(b, (struct flm_bytes){name.at, name.size}, record, line, out);
    flm_text_clear(&name);
    return good;
}

bool flm_perf_frame_make(struct flm_builder *b, const struct flm_perf_frame *frame,
                         const struct flm_perf_location *location, struct flm_perf_frames *out)
{
    struct flm_frame_record record = {.kind = flm_perf_module_kind(frame->module)};
    uint32_t line = 0;
    bool is_jit = record.kind == FLM_KIND_JIT;
    struct flm_bytes module = is_jit ? flm_bytes_of(FLM_PERF_JIT_MODULE) : frame->module;
    record.module = flm_builder_string(b, module.at, module.size).index;
    if (frame->module.size == 0 && frame->symbol.size > 0 && frame->address >= FLM_PERF_KERNEL_HALF)
        record.kind = FLM_KIND_KERNEL;
    if (frame->inlined || (location && location->inlined))
        record.kind = FLM_KIND_INLINED;
    if (location && location->file.size > 0) {
        record.file = flm_builder_string(b, location->file.at, location->file.size).index;
        line = location->line;
    }
    if (frame->symbol.size == 0)
        return add_unknown(b, frame, &record, line, out);
    if (is_in_brackets(frame->symbol))
        return true;

    struct flm_bytes rest = frame->symbol;
    const char *end = rest.at + rest.size;
    bool may_be_java = is_java(frame);
    for (const char *arrow; may_be_java && (arrow = find_arrow(rest)) < end;) {
        if (!add_frame(b, flm_between(rest.at, arrow), &record, line, out))
            return false;
        record.kind = FLM_KIND_INLINED;
        rest = flm_between(arrow + 2, end);
    }
    return add_frame(b, rest, &record, line, out);
}

void flm_perf_frames_reverse(struct flm_frame *frames, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct flm_frame frame = frames[i];
        frames[i] = frames[count - 1 - i];
        frames[count - 1 - i] = frame;
    }
}
