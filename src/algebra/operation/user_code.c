#include "algebra/operation/user_code.h"

#include <assert.h>

#include "base/core/path_name.h"
#include "base/regex/regex.h"
#include "base/text/function_name.h"

/* Folders of systems and package managers, with both kinds of slashes; sources that are part of an
 * engine. */
static const char library_files[] =
    "[/\\\\](site-packages|dist-packages|node_modules|usr[/\\\\]include|usr[/\\\\]lib|"
    "\\.cargo[/\\\\]registry|rustc[/\\\\][0-9a-f]+|go[/\\\\]pkg[/\\\\]mod|"
    "usr[/\\\\]local[/\\\\]go[/\\\\]src|lib[/\\\\]python[0-9.]+|build[/\\\\]glibc[^/]*)[/\\\\]|"
    "^node:|^internal/|^native |<frozen ";

/* What a profile is asked for each frame. */
struct reading {
    const struct flm_profile *p;
    struct flm_regex *files;
    struct flm_regex_scratch *scratch;
    bool has_script, has_java;
};

static struct flm_bytes after(struct flm_bytes text, size_t at)
{
    return (struct flm_bytes){text.at + at, text.size - at};
}

static bool begins_with_one_of(struct flm_bytes text, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (flm_bytes_start_with(text, *beginnings))
            return true;
    return false;
}

static bool ends_with_one_of(struct flm_bytes text, const char *const *ends)
{
    for (; *ends; ends++)
        if (flm_bytes_end_with(text, *ends))
            return true;
    return false;
}

/* ---- Scripts --------------------------------------------------------------------------------- */

/* The file, with a line or not, that interpreters write behind a name. */
static struct flm_bytes location_of(struct flm_bytes name)
{
    size_t at = flm_name_parts(name).end;
    while (at < name.size && flm_is_one_of(name.at[at], " (:"))
        at++;
    if (at == name.size && flm_bytes_start_with(name, "JS:")) /* "JS:~ app.js:1:1": of no name */
        while (at > 0 && name.at[at - 1] != ' ')
            at--;
    return after(name, at);
}

static bool is_script_file(struct flm_bytes file)
{
    static const char *const extensions[] = {
        ".py",  ".js",   ".mjs", ".cjs", ".ts",     ".tsx", ".jsx", ".rb", ".php",   ".pl",
        ".lua", ".java", ".kt",  ".ex",  ".groovy", ".R",   ".clj", ".cs", ".scala", NULL};
    while (file.size > 0 && flm_is_one_of(file.at[file.size - 1], "0123456789:)"))
        file.size--;
    return ends_with_one_of(file, extensions) || flm_bytes_start_with(file, "node:");
}

/* Names of scripts where the kind does not say so. */
static bool is_script_name(struct flm_bytes name)
{
    static const char *const beginnings[] = {
        "JS:", "LazyCompile:", "Function:", "Script:", "Eval:", "py::", NULL};
    return begins_with_one_of(name, beginnings) || is_script_file(location_of(name));
}

/* Methods that a JIT compiler inlined have names as in Java: "Buffer.capacity". */
static bool is_inlined_script(const struct reading *r, const struct flm_frame_record *frame)
{
    struct flm_bytes name = flm_string_bytes(r->p, frame->function);
    if (frame->kind != FLM_KIND_INLINED || frame->module || frame->file)
        return false;
    struct flm_name_parts parts = flm_name_parts(name);
    return parts.bare > 0 && name.at[parts.bare - 1] != ':';
}

static bool is_script(const struct reading *r, const struct flm_frame_record *frame)
{
    return frame->kind == FLM_KIND_INTERPRETED || frame->kind == FLM_KIND_JIT ||
           frame->kind == FLM_KIND_JIT_TIER1 || is_inlined_script(r, frame) ||
           (frame->file ? is_script_file(flm_string_bytes(r->p, frame->file))
                        : is_script_name(flm_string_bytes(r->p, frame->function)));
}

/* ---- Whose ----------------------------------------------------------------------------------- */

/* A module in a folder of the system; or one by its name, wherever it is. */
static bool is_library(struct flm_bytes module)
{
    static const char *const folders[] = {
        "/usr/lib/",       "/usr/lib64/", "/lib/",         "/lib64/",
        "/usr/local/lib/", "/System/",    "C:\\Windows\\", NULL};
    return begins_with_one_of(module, folders) || flm_name_is_runtime(module);
}

/* "libpython3.11.so.1.0", "node", "python3.11", but not "node_exporter". */
static bool is_interpreter(struct flm_bytes module)
{
    static const char *const names[] = {
        "python", "libpython", "node",   "libnode",   "libv8",          "java",
        "libjvm", "libjava",   "libjli", "libnio",    "libzip",         "libnet",
        "ruby",   "libruby",   "php",    "libphp",    "perl",           "libperl",
        "deno",   "bun",       "dotnet", "libclrjit", "libcoreclr",     "libmono",
        "mono",   "lua",       "liblua", "electron",  "libflamel-java", NULL};
    struct flm_bytes base = flm_path_last(module, "/\\");
    for (size_t i = 0; names[i]; i++) {
        size_t size = strlen(names[i]);
        if (flm_bytes_start_with(base, names[i]) &&
            (base.size == size || flm_is_one_of(base.at[size], "0123456789.")))
            return true;
    }
    return false;
}

/* Packages that come with a platform of Java's. Descriptors have an L in front: "Ljava/lang/". */
static bool is_platform(struct flm_bytes name)
{
    static const char *const packages[] = {"java",    "javax",  "jdk",     "sun",   "com/sun",
                                           "com.sun", "kotlin", "kotlinx", "scala", NULL};
    struct flm_bytes package = flm_name_package(name);
    if (package.size > 1 && package.at[0] == 'L')
        package = after(package, 1);
    for (size_t i = 0; packages[i]; i++) {
        size_t size = strlen(packages[i]);
        if (flm_bytes_start_with(package, packages[i]) && package.at + size < name.at + name.size &&
            flm_is_one_of(package.at[size], "./"))
            return true;
    }
    return false;
}

static bool is_java_file(struct flm_bytes file)
{
    static const char *const extensions[] = {".java", ".kt", ".scala", ".groovy", ".clj", NULL};
    return ends_with_one_of(file, extensions);
}

/* Code that a Java VM generates itself: "itable stub", "I2C/C2I adapters". Unlike a method, it has no
 * class in its name. */
static bool is_java_stub(const struct reading *r, const struct flm_frame_record *frame)
{
    struct flm_bytes name = flm_string_bytes(r->p, frame->function);
    return r->has_java && frame->kind == FLM_KIND_JIT && frame->file == 0 && name.size > 0 &&
           !memchr(name.at, '.', name.size) && !flm_bytes_contain(name, "::");
}

/* A runtime by the beginning of a name, "std::". Only a package that is separated from the rest of
 * the name is certain, or one that is all of it. */
static bool is_runtime_name(struct flm_bytes name)
{
    struct flm_bytes package = flm_name_package(name);
    size_t end = (size_t)(package.at - name.at) + package.size;
    return package.size > 0 && flm_name_is_runtime(package) &&
           (end == name.size || flm_is_one_of(name.at[end], ".:/]"));
}

static bool is_library_file(struct reading *r, struct flm_bytes file)
{
    return file.size > 0 && flm_regex_search(r->files, r->scratch, file);
}

static bool is_others_script(struct reading *r, const struct flm_frame_record *frame)
{
    static const char *const engine[] = {
        "Builtin", "BytecodeHandler:", "Stub:", "Handler:", "RegExp:", "(garbage collector)", NULL};
    struct flm_bytes name = flm_string_bytes(r->p, frame->function);
    if (begins_with_one_of(name, engine) || is_java_stub(r, frame))
        return true;
    if (frame->file)
        return is_library_file(r, flm_string_bytes(r->p, frame->file)) || is_platform(name);
    struct flm_bytes location = location_of(name);
    return is_library_file(r, location) || is_platform(name) ||
           (location.size == 0 && is_runtime_name(name));
}

static bool is_others_native(struct reading *r, const struct flm_frame_record *frame)
{
    struct flm_bytes name = flm_string_bytes(r->p, frame->function);
    struct flm_bytes module = flm_string_bytes(r->p, frame->module);
    if (is_library_file(r, flm_string_bytes(r->p, frame->file)) || is_runtime_name(name))
        return true;
    if (r->has_java && is_platform(name)) /* classes that the VM generates have no source file */
        return true;
    if (frame->module)
        return is_library(module) || is_library_file(r, module) ||
               (r->has_script && is_interpreter(module));
    return r->has_script && frame->file == 0;
}

/* "[main tid=17]", "[truncated stack]": written by tools, no code. A module is, "[libz.so.1]". */
static bool is_note(const struct reading *r, const struct flm_frame_record *frame)
{
    struct flm_bytes name = flm_string_bytes(r->p, frame->function);
    if (frame->kind == FLM_KIND_LABEL || (frame->flags & FLM_FRAME_ROOT))
        return true;
    return name.size > 2 && name.at[0] == '[' && name.at[name.size - 1] == ']' &&
           memchr(name.at, ' ', name.size) != NULL;
}

static bool is_others(struct reading *r, const struct flm_frame_record *frame)
{
    if (frame->kind == FLM_KIND_KERNEL)
        return true;
    return is_script(r, frame) ? is_others_script(r, frame) : is_others_native(r, frame);
}

bool flm_user_code_mark(const struct flm_profile *p, unsigned char *marks,
                        struct flm_user_code *counts, struct flm_error *why)
{
    assert(p && marks && counts);
    struct reading r = {.p = p};
    *counts = (struct flm_user_code){0};
    r.files = flm_regex_new(flm_bytes_of(library_files), why);
    r.scratch = r.files ? flm_regex_scratch_new(r.files, why) : NULL;
    bool good = r.scratch != NULL;
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *frame = &p->frames[i];
        r.has_script = r.has_script || (!is_note(&r, frame) && is_script(&r, frame));
        r.has_java = r.has_java || is_java_file(flm_string_bytes(p, frame->file));
    }
    marks[0] = 0;
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++) {
        bool note = is_note(&r, &p->frames[i]);
        marks[i] = !note && is_others(&r, &p->frames[i]);
        counts->others += marks[i];
        counts->own += !note && !marks[i];
    }
    flm_regex_scratch_free(r.scratch);
    flm_regex_free(r.files);
    return good;
}

const char *flm_user_code_refusal(const struct flm_user_code *counts)
{
    if (counts->others == 0)
        return "nothing here is known to be of a library, a runtime or the kernel";
    return counts->own == 0
               ? "nothing would be left: every frame is of a library, a runtime or the "
                 "kernel"
               : NULL;
}
