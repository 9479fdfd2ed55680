#include "record/runtime/internal.h"

#include "base/number/number.h"
#include "flamel/profile.h"

static struct flm_bytes from(struct flm_bytes text, size_t at)
{
    return (struct flm_bytes){text.at + at, text.size - at};
}

/* Where the last `byte` is; the size when there is none. */
static size_t find_last(struct flm_bytes text, char byte)
{
    for (size_t at = text.size; at-- > 0;)
        if (text.at[at] == byte)
            return at;
    return text.size;
}

/* Takes ":123" from the end. */
static bool take_number(struct flm_bytes *text, uint32_t *number)
{
    size_t colon = find_last(*text, ':');
    uint64_t value;
    if (colon == text->size || !flm_number_parse_uint(from(*text, colon + 1), &value) ||
        value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    text->size = colon;
    return true;
}

/* V8 marks the compiler after the kind of the function. */
static bool find_tier(struct flm_bytes name, size_t *size, uint32_t *kind)
{
    static const char *const kinds[] = {
        "JS:", "LazyCompile:", "Function:", "Script:", "Eval:", "RegExp:"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t at = strlen(kinds[i]);
        if (!flm_bytes_start_with(name, kinds[i]) || name.size == at)
            continue;
        switch (name.at[at]) {
        case '*': /* TurboFan */
        case '+': /* Maglev */
            *kind = FLM_KIND_JIT;
            break;
        case '^': /* Sparkplug */
            *kind = FLM_KIND_JIT_TIER1;
            break;
        case '~': /* Ignition */
            *kind = FLM_KIND_INTERPRETED;
            break;
        default:
            return false;
        }
        at++;
        if (at < name.size && name.at[at] == '\'') /* compiled for one closure */
            at++;
        *size = at;
        return true;
    }
    return false;
}

/* "fib /app/fib.js:3:13": a path may have blanks, the name of a function has none. */
static bool parse_v8(struct flm_bytes name, struct flm_jit_frame *frame)
{
    size_t prefix;
    if (!find_tier(name, &prefix, &frame->kind))
        return false;
    struct flm_bytes rest = from(name, prefix), function = rest, file = {"", 0};
    struct flm_bytes place = file;
    const char *blank = rest.size > 0 ? memchr(rest.at, ' ', rest.size) : NULL;
    if (blank) {
        function.size = (size_t)(blank - rest.at);
        file = from(rest, function.size + 1);
        size_t slash = find_last(file, '/');
        place = slash < file.size ? from(file, slash + 1) : file;
        uint32_t last, first;
        if (take_number(&file, &last)) {
            bool has_column = take_number(&file, &first);
            frame->line = has_column ? first : last;
            frame->line_is_first = true;
        }
    }
    if (function.size == 0 && flm_bytes_start_with(name, "Script:"))
        function = flm_bytes_of("(program)");
    else if (function.size == 0)
        function = flm_bytes_of("(anonymous)");
    frame->function = function;
    frame->file = file;
    frame->place = place;
    return true;
}

/* "py::parse:/app/parse.py" */
static bool parse_python(struct flm_bytes name, struct flm_jit_frame *frame)
{
    if (!flm_bytes_start_with(name, "py::"))
        return false;
    struct flm_bytes rest = from(name, 4);
    const char *colon = memchr(rest.at, ':', rest.size);
    frame->kind = FLM_KIND_INTERPRETED;
    frame->function = rest;
    if (colon) {
        frame->function.size = (size_t)(colon - rest.at);
        frame->file = from(rest, frame->function.size + 1);
    }
    return true;
}

/* The next "->" between methods of Java, without blanks around it: inlining. */
static size_t find_arrow(struct flm_bytes name)
{
    for (size_t at = 1; at + 2 < name.size; at++)
        if (name.at[at] == '-' && name.at[at + 1] == '>' && name.at[at - 1] != ' ' &&
            name.at[at + 2] != ' ')
            return at;
    return name.size;
}

static size_t parse_java(struct flm_bytes name, struct flm_jit_frame *frames, size_t capacity)
{
    size_t count = 0;
    for (;;) {
        struct flm_bytes method = {name.at, find_arrow(name)};
        bool is_last = method.size == name.size;
        /* Outer methods come first in the name; beyond `capacity` they are dropped. */
        size_t kept = count < capacity ? count : capacity - 1;
        memmove(frames + 1, frames, kept * sizeof *frames);
        frames[0] = (struct flm_jit_frame){.function = method,
                                           .file = {"", 0},
                                           .place = {"", 0},
                                           .kind = count == 0 ? (uint32_t)FLM_KIND_JIT
                                                              : (uint32_t)FLM_KIND_INLINED};
        count = kept + 1;
        if (is_last)
            return count;
        name = from(name, method.size + 2);
    }
}

size_t flm_jit_name_parse(struct flm_bytes name, struct flm_jit_frame *frames, size_t capacity)
{
    if (capacity == 0)
        return 0;
    if (name.size > 0 && name.at[0] == 'L' && memchr(name.at, ';', name.size))
        return parse_java(name, frames, capacity);
    frames[0] = (struct flm_jit_frame){
        .function = name, .file = {"", 0}, .place = {"", 0}, .kind = FLM_KIND_JIT};
    if (!parse_v8(name, &frames[0]) && !parse_python(name, &frames[0]) &&
        flm_bytes_are(name, "Interpreter")) /* of the JVM: the method is unknown */
        frames[0].kind = FLM_KIND_INTERPRETED;
    return 1;
}
