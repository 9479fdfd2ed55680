#include "base/text/function_name.h"

#include "base/text/internal.h"

/* "ext4" of ext4_read, "do" of __do_fault. */
static struct flm_bytes word_prefix(struct flm_bytes name)
{
    size_t from = 0;
    while (from < name.size && name.at[from] == '_')
        from++;
    size_t to = from;
    while (to < name.size && name.at[to] != '_' && flm_name_is_word(name.at[to]))
        to++;
    return to - from >= 2 && to + 1 < name.size && name.at[to] == '_'
               ? flm_name_part(name, from, to)
               : name;
}

/* The directory of a file, or the file itself where the path has none. */
static struct flm_bytes location_package(struct flm_bytes location)
{
    if (location.size > 0 && location.at[location.size - 1] == ')')
        location.size--;
    location.size -= flm_line_number_size(location);
    for (size_t i = location.size; i > 1; i--)
        if (location.at[i - 1] == '/')
            return flm_name_part(location, 0, i - 1);
    return location;
}

/* java/util of java/util/HashMap.get, net/http of net/http.(*conn).serve, java.util of
 * java.util.HashMap.get, runtime of runtime.mallocgc.func1. */
static struct flm_bytes dotted_package(const struct flm_name_reading *r)
{
    struct flm_bytes name = r->name;
    if (r->path_end) {
        bool is_whole = flm_name_is_upper(name.at[r->path_end]) || r->component == r->path_end;
        size_t end = is_whole ? r->path_end - 1 : flm_name_word_end(name, r->path_end);
        return end > r->start ? flm_name_part(name, r->start, end) : name;
    }
    size_t at = r->start;
    while (at < r->component && !flm_name_is_upper(name.at[at])) {
        at = flm_name_word_end(name, at);
        if (name.at[at] != '.')
            break;
        at++;
    }
    bool found_class = at > r->start && at < r->component && flm_name_is_upper(name.at[at]);
    return flm_name_part(name, r->start, found_class ? at - 1 : r->first_end);
}

static struct flm_bytes find_package(struct flm_bytes name)
{
    if (name.size > 2 && name.at[0] == '[' && name.at[name.size - 1] == ']')
        return flm_name_part(name, 1, name.size - 1);
    struct flm_name_reading r = flm_name_read(name);
    if (r.module_end)
        return flm_name_part(name, r.start, r.module_end);
    if (r.location)
        return location_package(flm_name_part(name, r.location, name.size));
    if (r.start == 0 && name.size > 1 && name.at[0] == '<') { /* <net::Node as Drop>::drop */
        size_t from = 1;
        while (from < r.end && !flm_name_is_word(name.at[from]))
            from++;
        size_t to = flm_name_word_end(name, from);
        return to > from ? flm_name_part(name, from, to) : name;
    }
    if (r.first_end && name.at[r.first_end] == ':') {
        size_t end = flm_name_word_end(name, r.start); /* foo of foo(int)::{lambda()#1} */
        return flm_name_part(name, r.start, end > r.start && end < r.first_end ? end : r.first_end);
    }
    if (r.first_end)
        return dotted_package(&r);
    return word_prefix(flm_name_part(name, r.start, r.end));
}

struct flm_bytes flm_name_package(struct flm_bytes name)
{
    struct flm_bytes package = find_package(name);
    return package.size > 0 ? package : name;
}

bool flm_name_is_runtime(struct flm_bytes package)
{
    for (size_t i = package.size; i > 0; i--)
        if (package.at[i - 1] == '/' && i < package.size) {
            struct flm_bytes file = flm_name_part(package, i, package.size);
            if (flm_bytes_start_with(file, "lib") || flm_bytes_start_with(file, "ld-"))
                package = file;
            break;
        }
    static const char *const libraries[] = {
        "libc.so",  "libc-",    "libpthread", "libm.so", "libm-",   "libstdc++",     "libc++",
        "libgcc_s", "ld-linux", "ld-2",       "libdl",   "ld-musl", "node:internal", "libsystem_"};
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (flm_bytes_start_with(package, libraries[i]))
            return true;
    return flm_name_is_one_of(package,
                              "std core alloc __gnu_cxx runtime java.lang java/lang java.base "
                              "jdk.internal sun.misc Builtins libc unknown vdso start _start "
                              "clone3 clone __clone importlib threading ntdll kernel32");
}
