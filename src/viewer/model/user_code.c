#include "viewer/model/user_code.h"

#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/text/function_name.h"

/* An expression of all alternatives: longer ones would not compile. */
enum { PATTERN_BYTES = 6000 };

/* Alternatives of a regular expression, each once. */
struct alternatives {
    struct flm_text text; /* "libc\.so\.6|ld-2\.31\.so" */
    struct flm_index index;
    struct FLM_ARRAY(uint32_t) ends; /* of each, in the text */
    bool failed;
};

static void clear(struct alternatives *a)
{
    flm_text_clear(&a->text);
    flm_index_clear(&a->index);
    FLM_ARRAY_CLEAR(&a->ends);
}

static struct flm_bytes alternative(const struct alternatives *a, size_t i)
{
    size_t start = i ? a->ends.at[i - 1] + 1 : 0;
    return (struct flm_bytes){a->text.at + start, a->ends.at[i] - start};
}

/* `name` as it is, then `ending`, which is an expression already. What does not fit is left out. */
static void add(struct alternatives *a, struct flm_bytes name, const char *ending)
{
    size_t before = a->text.size;
    if (before + 2 * name.size + 10 > PATTERN_BYTES)
        return;
    flm_text_puts(&a->text, a->ends.count ? "|" : "");
    size_t start = a->text.size;
    for (size_t i = 0; i < name.size; i++) {
        if (flm_is_one_of(name.at[i], "\\.[](){}*+?|^$/\""))
            flm_text_putc(&a->text, '\\');
        flm_text_putc(&a->text, name.at[i]);
    }
    flm_text_puts(&a->text, ending);
    if (a->text.failed || !FLM_ARRAY_RESERVE(&a->ends, 1)) {
        a->failed = true;
        return;
    }
    struct flm_bytes added = {a->text.at + start, a->text.size - start};
    uint32_t hash = (uint32_t)flm_hash(added.at, added.size);
    for (struct flm_probe at = flm_index_probe(&a->index, hash); flm_index_next(&a->index, &at);)
        if (flm_bytes_equal(alternative(a, at.found), added)) {
            a->text.size = before;
            return;
        }
    a->failed = !flm_index_add(&a->index, hash, (uint32_t)a->ends.count) || a->failed;
    a->ends.at[a->ends.count++] = (uint32_t)a->text.size;
}

/* ---- What is whose --------------------------------------------------------------------------- */

/* Folders of systems and package managers; both kinds of slashes. */
static const char library_files[] =
    "[/\\\\](site-packages|dist-packages|node_modules|usr[/\\\\]include|usr[/\\\\]lib|"
    "\\.cargo[/\\\\]registry|rustc[/\\\\][0-9a-f]+|go[/\\\\]pkg[/\\\\]mod|"
    "usr[/\\\\]local[/\\\\]go[/\\\\]src|lib[/\\\\]python[0-9.]+|build[/\\\\]glibc[^/]*)[/\\\\]|"
    "^node:|<frozen ";

/* A module in a folder of the system; or one by its name, wherever it is. */
static bool is_library(struct flm_bytes module)
{
    static const char *const folders[] = {"/usr/lib/",    "/usr/lib64/",     "/lib/",
                                          "/lib64/",      "/usr/local/lib/", "/System/",
                                          "C:\\Windows\\"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (flm_bytes_start_with(module, folders[i]))
            return true;
    return flm_name_is_runtime(module);
}

/* Runtimes by the beginning of names: "std::". Only a package that is separated from the rest of
 * the name is certain. */
static void add_runtime(struct alternatives *a, struct flm_bytes name)
{
    struct flm_bytes package = flm_name_package(name);
    if (package.size == 0 || !flm_name_is_runtime(package))
        return;
    size_t end = (size_t)(package.at - name.at) + package.size;
    if (end == name.size)
        add(a, name, "$");
    else if (flm_is_one_of(name.at[end], ".:/]"))
        add(a, (struct flm_bytes){name.at, end + 1}, "");
}

static void collect(const struct flm_profile *p, struct alternatives *modules,
                    struct alternatives *names)
{
    /* Frames are in the order of their functions and modules: neighbors are often the same. */
    uint32_t last_module = 0, last_name = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *frame = &p->frames[i];
        struct flm_bytes module = flm_string_bytes(p, frame->module);
        bool from_library = frame->module != 0 && is_library(module);
        if (from_library && frame->module != last_module)
            add(modules, module, "$");
        if (from_library)
            last_module = frame->module;
        else if (frame->kind != FLM_KIND_LABEL && frame->function != last_name)
            add_runtime(names, flm_string_bytes(p, frame->function));
        last_name = frame->function;
    }
}

/* ---- Expressions ----------------------------------------------------------------------------- */

/* Which frames a pattern matches, added to `marks`; how many did it. */
static bool mark(const struct flm_profile *p, struct flm_bytes pattern, unsigned char *marks,
                 uint32_t *matched, struct flm_error *why)
{
    unsigned char *these = malloc(p->sizes.frame_count);
    bool ok = these ? flm_pattern_mark(p, pattern, these, matched, why) : flm_error_memory(why);
    for (uint32_t i = 0; ok && i < p->sizes.frame_count; i++)
        marks[i] |= these[i];
    free(these);
    return ok;
}

/* "operation:pattern" behind what `out` has, if any frame matches. */
static bool add_operation(const struct flm_profile *p, const char *operation,
                          struct flm_bytes pattern, unsigned char *marks, struct flm_text *out,
                          struct flm_error *why)
{
    uint32_t matched = 0;
    if (!mark(p, pattern, marks, &matched, why))
        return false;
    if (matched == 0)
        return true;
    flm_text_puts(out, out->size ? " | " : "");
    flm_text_puts(out, operation);
    flm_text_putc(out, ':');
    flm_text_add(out, pattern);
    return !out->failed || flm_error_memory(why);
}

/* "field/^(alternatives)/", where there are any. */
static bool add_alternatives(const struct flm_profile *p, const char *field,
                             const struct alternatives *a, unsigned char *marks,
                             struct flm_text *out, struct flm_error *why)
{
    struct flm_text pattern = {0};
    flm_text_format(&pattern, "%s/^(%.*s)/", field, (int)a->text.size,
                    a->text.size ? a->text.at : "");
    bool ok = !a->failed && !pattern.failed ? true : flm_error_memory(why);
    if (ok && a->ends.count > 0)
        ok =
            add_operation(p, "hide", (struct flm_bytes){pattern.at, pattern.size}, marks, out, why);
    flm_text_clear(&pattern);
    return ok;
}

static bool user_code(const struct flm_profile *p, struct alternatives *modules,
                      struct alternatives *names, unsigned char *marks, struct flm_text *out,
                      struct flm_error *why)
{
    struct flm_text files = {0};
    collect(p, modules, names);
    flm_text_format(&files, "file=/%s/", library_files);
    bool ok = (!files.failed || flm_error_memory(why)) &&
              add_operation(p, "hide", flm_bytes_of("kind=kernel"), marks, out, why) &&
              add_alternatives(p, "module=", modules, marks, out, why) &&
              add_operation(p, "hide", (struct flm_bytes){files.at, files.size}, marks, out, why) &&
              add_alternatives(p, "", names, marks, out, why);
    flm_text_clear(&files);
    if (!ok)
        return false;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (!marks[i] && p->frames[i].kind != FLM_KIND_LABEL)
            return true;
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "nothing would be left: every frame is of a library, a runtime or the "
                         "kernel");
}

bool flm_user_code_write(const struct flm_profile *p, struct flm_text *out, struct flm_error *why)
{
    struct alternatives modules = {0}, names = {0};
    struct flm_text text = {0};
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    bool ok = marks ? user_code(p, &modules, &names, marks, &text, why) : flm_error_memory(why);
    if (ok)
        flm_text_add(out, (struct flm_bytes){text.at, text.size});
    ok = ok && (!out->failed || flm_error_memory(why));
    free(marks);
    clear(&modules);
    clear(&names);
    flm_text_clear(&text);
    return ok;
}

/* ---- Presets --------------------------------------------------------------------------------- */

/* Functions that wait: a stack with one of them says where, not what costs. */
static const char idle_names[] =
    "/^(\\[?idle\\]?|\\(idle\\)|swapper.*|cpu_idle|do_idle|default_idle.*|intel_idle.*|mwait_idle.*"
    "|"
    "(__|_)?(epoll_p?wait|epoll_wait2|poll|ppoll|select|pselect|kevent|sigwait.*|nanosleep|"
    "clock_nanosleep|futex_wait.*|futex_abstimed_wait.*|pthread_cond_(timed)?wait.*|GI___poll)|"
    "futex_wait_queue(_me)?|runtime\\.(gopark|futex|notesleep|netpoll|usleep|stopm|mPark)|"
    "(java\\.lang\\.|java\\/lang\\/)?Object\\.wait0?|(jdk\\.internal\\.misc\\.)?Unsafe\\.park|"
    "(java\\.util\\.concurrent\\.locks\\.)?LockSupport\\.park.*|Unsafe_Park|"
    "uv__io_poll|(tokio|mio|parking_lot)::.*(park|poll|wait).*)$/";

static const char collector_names[] =
    "/^(runtime\\.gc(BgMarkWorker|Start|Drain|AssistAlloc).*|GCTaskThread.*|"
    "G1(ParTask|Conc|Young|Full).*|ParallelGC.*|ConcurrentMark.*|ZDriver.*|Shenandoah.*|"
    "\\(garbage collector\\)|v8::internal::(Heap::(CollectGarbage|PerformGarbageCollection)|"
    "Scavenger|MarkCompact).*|gc_collect_main|gc_collect_generations|rb_gc.*|gc_start|GC_mark.*|"
    "mono_gc.*|WKS::gc_heap.*|SVR::gc_heap.*)/";

static const struct {
    const char *title, *operation, *pattern;
} known[] = {
    {"Without stacks that wait", "drop", idle_names},
    {"Without garbage collection", "drop", collector_names},
    {"Without the kernel", "hide", "kind=kernel"},
    {"Without frames that have no name", "hide", "kind=unsymbolized"},
    {"Inlined functions in their callers", "hide", "kind=inlined"},
};

/* Whether `text` matches any frame, and leaves some. */
static bool add_known(struct flm_presets *presets, const struct flm_profile *p, size_t index,
                      unsigned char *marks, struct flm_error *why)
{
    struct flm_preset *preset = &presets->at[presets->count];
    *preset = (struct flm_preset){.title = known[index].title};
    memset(marks, 0, p->sizes.frame_count);
    if (!add_operation(p, known[index].operation, flm_bytes_of(known[index].pattern), marks,
                       &preset->text, why)) {
        flm_text_clear(&preset->text);
        return false;
    }
    for (uint32_t i = 1; preset->text.size > 0 && i < p->sizes.frame_count; i++)
        if (!marks[i]) {
            presets->count++;
            return true;
        }
    flm_text_clear(&preset->text);
    return true;
}

bool flm_presets_init(struct flm_presets *presets, const struct flm_profile *p,
                      struct flm_error *why)
{
    struct flm_error refused = {0};
    *presets = (struct flm_presets){.at = {{.title = "Only my code"}}};
    unsigned char *marks = malloc(p->sizes.frame_count);
    bool ok = marks != NULL;
    if (ok && flm_user_code_write(p, &presets->at[0].text, &refused))
        presets->count = presets->at[0].text.size > 0;
    ok = ok && refused.kind != FLM_ERROR_MEMORY;
    for (size_t i = 0; ok && i < sizeof known / sizeof known[0]; i++)
        ok = add_known(presets, p, i, marks, why);
    free(marks);
    if (ok)
        return true;
    flm_presets_clear(presets);
    return flm_error_memory(why);
}

void flm_presets_clear(struct flm_presets *presets)
{
    for (unsigned i = 0; i < FLM_MOST_PRESETS; i++)
        flm_text_clear(&presets->at[i].text);
    *presets = (struct flm_presets){0};
}
