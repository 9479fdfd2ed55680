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

/* Where the last ".word" begins; 0: there is none behind the first byte. */
static size_t last_dot(struct flm_bytes name)
{
    size_t at = name.size;
    while (at > 1 && name.at[at - 1] != '.')
        at--;
    return at > 1 ? at - 1 : 0;
}

static bool is_number(struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
    return text.size > 0;
}

/* The size of the name before its last suffix; 0: it has none. */
static size_t before_suffix(struct flm_bytes name, unsigned *kinds)
{
    size_t dot = last_dot(name);
    if (dot == 0)
        return 0;
    struct flm_bytes word = flm_bytes_from(name, dot + 1);
    bool has_number = is_number(word);
    if (has_number) {
        name.size = dot;
        dot = last_dot(name);
        word = flm_bytes_from(name, dot + 1);
    }
    for (size_t i = 0; dot > 0 && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if ((has_number || suffixes[i].may_lack_number) && flm_bytes_are(word, suffixes[i].word)) {
            *kinds |= suffixes[i].kind;
            return name.at[dot - 1] == '.' ? 0 : dot;
        }
    return 0;
}

/* "f() [clone .isra.0]": the size of "f()". 0 where that is not what it ends with. */
static size_t before_brackets(struct flm_bytes name, unsigned *kinds)
{
    static const char mark[] = " [clone ";
    const size_t mark_size = sizeof mark - 1;
    if (!flm_bytes_end_with(name, "]"))
        return 0;
    size_t at = name.size; /* behind the last mark */
    while (at > mark_size && memcmp(name.at + at - mark_size, mark, mark_size) != 0)
        at--;
    if (at <= mark_size || at + 1 == name.size)
        return 0;
    /* With the blank in front it is read as the end of a name is: " .isra.0.cold" */
    struct flm_bytes inner = {name.at + at - 1, name.size - at};
    while (inner.size > 1) {
        inner.size = before_suffix(inner, kinds);
        if (inner.size == 0)
            return 0;
    }
    return at - mark_size;
}

static size_t find_base(struct flm_bytes name, unsigned *kinds)
{
    for (size_t size; name.size > 0; name.size = size) {
        unsigned here = 0;
        size = before_suffix(name, &here);
        if (size == 0)
            size = before_brackets(name, &here);
        if (size == 0)
            break;
        *kinds |= here;
    }
    return name.size;
}

size_t flm_clone_base(struct flm_bytes name)
{
    unsigned kinds = 0;
    return find_base(name, &kinds);
}

unsigned flm_clone_kinds(struct flm_bytes name)
{
    unsigned kinds = 0;
    find_base(name, &kinds);
    return kinds;
}
