#include "base/text/clone_name.h"

static const struct suffix {
    const char *word;
    bool is_numbered, may_lack_number;
    unsigned kind;
} suffixes[] = {
    {"constprop", true, false, FLM_CLONE_CONSTPROP},
    {"specialized", true, false, FLM_CLONE_CONSTPROP},
    {"isra", true, false, FLM_CLONE_ISRA},
    {"part", true, false, FLM_CLONE_PART},
    {"__part", true, false, FLM_CLONE_PART},
    {"cold", true, true, FLM_CLONE_COLD},
    {"lto_priv", true, false, 0},
    {"llvm", true, false, 0},
    {"__uniq", true, false, 0},
    {"clone", true, false, 0},
    {"localalias", true, true, 0},
};

/* Where the last ".word" begins; the size where there is none. */
static size_t last_dot(struct flm_bytes name)
{
    for (size_t at = name.size; at-- > 0;)
        if (name.at[at] == '.')
            return at;
    return name.size;
}

static bool is_number(struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
    return text.size > 0;
}

/* The size of the name before its last suffix; its whole size where it has none. */
static size_t before_suffix(struct flm_bytes name, unsigned *kinds)
{
    struct flm_bytes rest = name;
    size_t dot = last_dot(rest);
    if (dot == name.size)
        return name.size;
    struct flm_bytes word = flm_bytes_from(rest, dot + 1);
    bool has_number = is_number(word);
    if (has_number) {
        rest.size = dot;
        dot = last_dot(rest);
        if (dot == rest.size)
            return name.size;
        word = flm_bytes_from(rest, dot + 1);
    }
    if (dot > 0 && name.at[dot - 1] == '.')
        return name.size;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if ((has_number || suffixes[i].may_lack_number) && flm_bytes_are(word, suffixes[i].word)) {
            *kinds |= suffixes[i].kind;
            return dot;
        }
    return name.size;
}

/* The same of "f() [clone .isra.0]". */
static size_t before_brackets(struct flm_bytes name, unsigned *kinds)
{
    static const char mark[] = " [clone ";
    const size_t mark_size = sizeof mark - 1;
    if (!flm_bytes_end_with(name, "]"))
        return name.size;
    size_t at = name.size; /* behind the last mark */
    while (at >= mark_size && memcmp(name.at + at - mark_size, mark, mark_size) != 0)
        at--;
    if (at < mark_size || at + 1 == name.size)
        return name.size;
    struct flm_bytes inner = {name.at + at, name.size - 1 - at};
    for (size_t size; inner.size > 0; inner.size = size)
        if ((size = before_suffix(inner, kinds)) == inner.size)
            return name.size;
    return at - mark_size;
}

static size_t find_base(struct flm_bytes name, unsigned *kinds)
{
    size_t size = name.size;
    do {
        unsigned here = 0;
        name.size = size;
        size = before_suffix(name, &here);
        if (size == name.size)
            size = before_brackets(name, &here);
        if (size < name.size)
            *kinds |= here;
    } while (size < name.size && size > 0);
    return size;
}

size_t flm_clone_base(struct flm_bytes name)
{
    unsigned kinds = 0;
    size_t size = find_base(name, &kinds);
    return size > 0 ? size : name.size; /* suffixes alone are a name */
}

unsigned flm_clone_kinds(struct flm_bytes name)
{
    unsigned kinds = 0;
    find_base(name, &kinds);
    return kinds;
}
