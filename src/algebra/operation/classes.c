#include "algebra/operation/classes.h"

#include <assert.h>

#include "base/text/clone_name.h"
#include "base/text/text.h"

struct flm_class {
    const char *name;
    const char *description;
    bool collapses;
    /* The class of a frame: `record` is the frame's own at first. Names are made in `name`. */
    void (*of)(const struct flm_profile *p, struct flm_builder *b, struct flm_frame_record *record,
               struct flm_text *name);
};

/* Kinds of code are merged; frames that are not code (a command, a thread) stay separate. */
static uint32_t label_kind(const struct flm_frame_record *r)
{
    return r->kind == FLM_KIND_LABEL ? FLM_KIND_LABEL : FLM_KIND_PLAIN;
}

static void by_function(const struct flm_profile *p, struct flm_builder *b,
                        struct flm_frame_record *r, struct flm_text *name)
{
    (void)p, (void)b, (void)name;
    *r = (struct flm_frame_record){
        .function = r->function,
        .module = r->module,
        .file = r->module == 0 ? r->file : 0, /* every Python file has its __init__ */
        .kind = label_kind(r),
        .flags = r->flags,
    };
}

static void by_name(const struct flm_profile *p, struct flm_builder *b, struct flm_frame_record *r,
                    struct flm_text *name)
{
    (void)p, (void)b, (void)name;
    *r = (struct flm_frame_record){
        .function = r->function, .kind = label_kind(r), .flags = r->flags};
}

static void by_line(const struct flm_profile *p, struct flm_builder *b, struct flm_frame_record *r,
                    struct flm_text *name)
{
    (void)p, (void)b, (void)name;
    r->address = 0;
}

/* A frame that is only a name; an empty one becomes [unknown]. */
static void become(struct flm_builder *b, struct flm_frame_record *r, struct flm_bytes name,
                   uint32_t kind)
{
    if (name.size == 0)
        name = flm_bytes_of("[unknown]");
    *r = (struct flm_frame_record){.function = flm_builder_string(b, name.at, name.size).index,
                                   .kind = kind};
}

static void by_module(const struct flm_profile *p, struct flm_builder *b,
                      struct flm_frame_record *r, struct flm_text *name)
{
    (void)name;
    /* Frames that are not code (a command, a thread) stay: they have no module. */
    if (r->kind != FLM_KIND_LABEL)
        become(b, r, flm_string_bytes(p, r->module), FLM_KIND_PLAIN);
}

static void by_file(const struct flm_profile *p, struct flm_builder *b, struct flm_frame_record *r,
                    struct flm_text *name)
{
    (void)name;
    if (r->kind != FLM_KIND_LABEL)
        become(b, r, flm_string_bytes(p, r->file), FLM_KIND_PLAIN);
}

static void by_kind(const struct flm_profile *p, struct flm_builder *b, struct flm_frame_record *r,
                    struct flm_text *name)
{
    (void)p, (void)name;
    become(b, r, flm_bytes_of(flm_kind_name(r->kind)), r->kind);
}

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || (unsigned char)byte >= 128;
}

/* Where the bracket that opens at `at` is closed; `at` itself when it never is. What stands in
 * parentheses between < and > may be any expression: (a > b). */
static size_t closing(struct flm_bytes text, size_t at)
{
    char open = text.at[at], close = open == '<' ? '>' : ')';
    size_t depth = 0, inner = 0;
    for (size_t i = at; i < text.size; i++) {
        char byte = text.at[i];
        if (open == '<' && byte == '(')
            inner++;
        else if (open == '<' && byte == ')' && inner > 0)
            inner--;
        else if (inner > 0)
            continue;
        else if (byte == open)
            depth++;
        else if (byte == close && (close != '>' || text.at[i - 1] != '-') && --depth == 0)
            return i;
    }
    return at;
}

/* How long the operator's name is that begins at `at`: "operator<<" and "operator()" are names, and
 * their brackets no arguments. 0 where none begins. */
static size_t operator_size(struct flm_bytes text, size_t at)
{
    static const char word[] = "operator", signs[] = "+-*/%^&|~!=,";
    static const char *const brackets[] = {
        " new[]", " delete[]", "<=>", "<<=", ">>=", "->*", "()", "[]",
        "<<",     ">>",        "<=",  ">=",  "->",  "<",   ">"};
    struct flm_bytes rest = {text.at + at, text.size - at};
    size_t size = sizeof word - 1;
    if (!flm_bytes_start_with(rest, word) || (at > 0 && is_word(text.at[at - 1])))
        return 0;
    rest = (struct flm_bytes){rest.at + size, rest.size - size};
    for (size_t i = 0; i < sizeof brackets / sizeof brackets[0]; i++)
        if (flm_bytes_start_with(rest, brackets[i]))
            return size + strlen(brackets[i]);
    for (size_t i = 0; i < rest.size && memchr(signs, rest.at[i], sizeof signs - 1); i++)
        size++;
    return size;
}

static bool is_hex(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

/* ".constprop.0", ".isra.1", ".part.2", ".cold", ".llvm.123", "::h0123456789abcdef" */
static size_t without_clone_suffix(struct flm_bytes text)
{
    size_t size = flm_clone_base(text);
    if (size > 19 && memcmp(text.at + size - 19, "::h", 3) == 0) {
        size_t hex = 0;
        while (hex < 16 && is_hex(text.at[size - 16 + hex]))
            hex++;
        if (hex == 16)
            size -= 19;
    }
    return size;
}

/* Brackets after a word are arguments and go; those that are a name ("(anonymous namespace)",
 * "<lambda>", "operator<") stay. */
static void by_short(const struct flm_profile *p, struct flm_builder *b, struct flm_frame_record *r,
                     struct flm_text *name)
{
    struct flm_bytes text = flm_string_bytes(p, r->function);
    text.size = without_clone_suffix(text);
    name->size = 0;
    size_t operator_end = 0;
    for (size_t i = 0; i < text.size; i++) {
        size_t size = operator_size(text, i);
        if (size > 0) {
            flm_text_add(name, (struct flm_bytes){text.at + i, size});
            i += size - 1;
            operator_end = i + 1;
            continue;
        }
        bool opens = text.at[i] == '<' || text.at[i] == '(';
        if (opens && i > 0 &&
            (is_word(text.at[i - 1]) || text.at[i - 1] == '>' || text.at[i - 1] == ' ' ||
             text.at[i - 1] == ')' || i == operator_end)) {
            size_t close = closing(text, i);
            bool names = flm_bytes_start_with((struct flm_bytes){text.at + i, text.size - i},
                                              "(anonymous namespace)");
            if (close > i && !names) {
                i = close;
                continue;
            }
        }
        flm_text_putc(name, text.at[i]);
    }
    while (name->size > 0 && name->at[name->size - 1] == ' ')
        name->size--;
    if (name->size > 0)
        r->function = flm_builder_string(b, name->at, name->size).index;
}

static void by_nohex(const struct flm_profile *p, struct flm_builder *b, struct flm_frame_record *r,
                     struct flm_text *name)
{
    struct flm_bytes text = flm_string_bytes(p, r->function);
    name->size = 0;
    for (size_t i = 0; i < text.size;) {
        if (text.size - i >= 3 && memcmp(text.at + i, "0x", 2) == 0 && is_hex(text.at[i + 2])) {
            flm_text_puts(name, "0x...");
            for (i += 2; i < text.size && is_hex(text.at[i]); i++)
                ;
        } else {
            flm_text_putc(name, text.at[i++]);
        }
    }
    r->function = flm_builder_string(b, name->at, name->size).index;
}

static bool is_upper(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

/* What stands before the last part of the name: "java/util" of "java/util/Map.get", "std" of
 * "std::vector<int>::at", "net/http" of "net/http.(*conn).serve". */
static void by_package(const struct flm_profile *p, struct flm_builder *b,
                       struct flm_frame_record *r, struct flm_text *name)
{
    (void)name;
    if (r->kind == FLM_KIND_LABEL)
        return;
    struct flm_bytes text = flm_string_bytes(p, r->function);
    size_t end = 0;
    while (end < text.size && text.at[end] != '(' && text.at[end] != '<' && text.at[end] != ' ')
        end++;
    size_t colons = 0, slash = 0, dots[2] = {0}, dot_behind_slash = 0;
    for (size_t i = 0; i < end; i++) {
        if (text.at[i] == ':' && i + 1 < end && text.at[i + 1] == ':' && colons == 0)
            colons = i; /* the outermost namespace */
        if (text.at[i] == '/') {
            slash = i;
            dot_behind_slash = 0;
        }
        if (text.at[i] == '.') {
            dots[1] = dots[0];
            dots[0] = i;
            dot_behind_slash = dot_behind_slash ? dot_behind_slash : i;
        }
    }
    struct flm_bytes package = {text.at, 0};
    if (colons)
        package.size = colons;
    else if (slash && dot_behind_slash > slash && !is_upper(text.at[slash + 1]))
        package.size = dot_behind_slash; /* Go. In Java it is a class that is after the slash */
    else if (slash)
        package.size = slash;
    else if (dots[1])
        package.size = dots[1];
    if (package.size == 0)
        package = flm_string_bytes(p, r->module);
    become(b, r, package, FLM_KIND_PLAIN);
}

static const struct flm_class classes[] = {
    {"function", "the same function and module", false, by_function},
    {"name", "the same function name", false, by_name},
    {"line", "the same source line", false, by_line},
    {"module", "the same program or library", true, by_module},
    {"file", "the same source file", true, by_file},
    {"package", "the same package or namespace", true, by_package},
    {"kind", "the same kind of code", true, by_kind},
    {"short", "names without arguments and clone suffixes", false, by_short},
    {"nohex", "names without addresses", false, by_nohex},
};

const char *flm_class_name(size_t index, const char **description)
{
    if (index >= sizeof classes / sizeof classes[0])
        return NULL;
    if (description)
        *description = classes[index].description;
    return classes[index].name;
}

const struct flm_class *flm_class_at(size_t index)
{
    assert(index < sizeof classes / sizeof classes[0]);
    return &classes[index];
}

bool flm_class_collapses(const struct flm_class *class)
{
    return class->collapses;
}

bool flm_class_map(const struct flm_class *class, const struct flm_profile *p,
                   struct flm_builder *b, uint32_t *frames)
{
    struct flm_text name = {0};
    frames[0] = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count && !flm_builder_failed(b); i++) {
        struct flm_frame_record record = p->frames[i];
        class->of(p, b, &record, &name);
        /* A function's locations stay with it; those of a module or a file would be of many. */
        uint32_t location = class->collapses ? 0 : flm_frame_location(&b->interner.frames[i]);
        record = flm_frame_located(&record, location);
        frames[i] = flm_builder_frame(b, &record).index;
    }
    bool good = !name.failed && !flm_builder_failed(b);
    flm_text_clear(&name);
    return good;
}
