#include "algebra/compare/renamed_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "base/core/path_name.h"

/* Of so many pairs nothing can be told. */
enum { MOST_PAIRS = 100000, LEAST_IN_COMMON = 3 };

/* The paths of one side, and how many names of functions each has. */
struct side {
    const struct flm_unmatched_paths *paths;
    uint32_t *of_string;             /* by string: its path; FLM_NONE: the other side has it too */
    uint32_t *names;                 /* by path */
    uint32_t *seen;                  /* by path: the last name that was counted */
    struct FLM_ARRAY(uint32_t) here; /* the paths that have the present name */
};

struct finding {
    struct side side[2];
    flm_path_of *path_of;
    uint32_t *common; /* by own path, then by the other's: names in both */
};

static bool start(struct side *s, const struct flm_unmatched_paths *paths)
{
    uint32_t strings = paths->profile->sizes.string_count;
    *s = (struct side){.paths = paths,
                       .of_string = malloc((strings + (size_t)1) * sizeof *s->of_string),
                       .names = calloc(paths->count + (size_t)1, sizeof *s->names),
                       .seen = malloc((paths->count + (size_t)1) * sizeof *s->seen)};
    if (!s->of_string || !s->names || !s->seen)
        return false;
    memset(s->of_string, 0xFF, strings * sizeof *s->of_string); /* FLM_NONE */
    memset(s->seen, 0xFF, paths->count * sizeof *s->seen);
    for (uint32_t i = 0; i < paths->count; i++)
        s->of_string[paths->string[i]] = i;
    return true;
}

static void clear(struct side *s)
{
    free(s->of_string);
    free(s->names);
    free(s->seen);
    FLM_ARRAY_CLEAR(&s->here);
}

static struct flm_bytes name_of(const struct side *s, uint32_t frame)
{
    const struct flm_profile *p = s->paths->profile;
    return flm_string_bytes(p, p->frames[frame].function);
}

/* The paths of the frames from `first` on that have the same name, each once; *end is behind the
 * last of them. */
static bool take_name(struct side *s, flm_path_of *path_of, uint32_t first, uint32_t *end)
{
    const struct flm_profile *p = s->paths->profile;
    uint32_t at = first, function = first < p->sizes.frame_count ? p->frames[first].function : 0;
    s->here.count = 0;
    for (; at < p->sizes.frame_count && p->frames[at].function == function; at++) {
        uint32_t path = s->of_string[path_of(&p->frames[at])];
        bool is_nameless = p->frames[at].flags & FLM_FRAME_UNSYMBOLIZED;
        if (path == FLM_NONE || is_nameless || s->seen[path] == function)
            continue;
        s->seen[path] = function;
        s->names[path]++;
        if (!FLM_ARRAY_ADD(&s->here, path))
            return false;
    }
    *end = at;
    return true;
}

/* Goes through the names of both sides, which are in one order. */
static bool count_names(struct finding *f)
{
    struct side *own = &f->side[0], *other = &f->side[1];
    uint32_t a = 1, b = 1, ends[2], width = other->paths->count;
    uint32_t counts[] = {own->paths->profile->sizes.frame_count,
                         other->paths->profile->sizes.frame_count};
    while (a < counts[0] || b < counts[1]) {
        int order = a == counts[0]   ? 1
                    : b == counts[1] ? -1
                                     : flm_bytes_compare(name_of(own, a), name_of(other, b));
        own->here.count = other->here.count = 0;
        if (order <= 0 && !take_name(own, f->path_of, a, &ends[0]))
            return false;
        if (order >= 0 && !take_name(other, f->path_of, b, &ends[1]))
            return false;
        for (size_t i = 0; i < own->here.count; i++)
            for (size_t k = 0; k < other->here.count; k++)
                f->common[own->here.at[i] * width + other->here.at[k]]++;
        a = order <= 0 ? ends[0] : a;
        b = order >= 0 ? ends[1] : b;
    }
    return true;
}

/* "libpython3.11.so.1.0" is libpython; empty: it is no library. */
static struct flm_bytes library_name(struct flm_bytes path)
{
    struct flm_bytes name = flm_path_last(path, "/\\");
    for (size_t i = 0; i + 3 <= name.size; i++)
        if (memcmp(name.at + i, ".so", 3) == 0 && (i + 3 == name.size || name.at[i + 3] == '.')) {
            name.size = i;
            while (name.size > 0 && flm_is_one_of(name.at[name.size - 1], "0123456789.-"))
                name.size--;
            return name;
        }
    return (struct flm_bytes){"", 0};
}

static bool can_be_one(const struct finding *f, uint32_t own, uint32_t other)
{
    const struct flm_unmatched_paths *a = f->side[0].paths, *b = f->side[1].paths;
    struct flm_bytes one = flm_string_bytes(a->profile, a->string[own]);
    struct flm_bytes two = flm_string_bytes(b->profile, b->string[other]);
    uint32_t common = f->common[own * b->count + other];
    uint32_t x = f->side[0].names[own], y = f->side[1].names[other];
    return common >= LEAST_IN_COMMON && 2 * (uint64_t)common >= (x < y ? x : y) &&
           one.at[0] != '[' && two.at[0] != '[' &&
           flm_bytes_equal(library_name(one), library_name(two));
}

/* The path of the other side with the most names in common; FLM_NONE: there is none, or two. */
static uint32_t nearest(const struct finding *f, uint32_t path, bool is_other)
{
    uint32_t width = f->side[1].paths->count, best = FLM_NONE, most = 0;
    for (uint32_t i = 0; i < f->side[!is_other].paths->count; i++) {
        uint32_t own = is_other ? i : path, other = is_other ? path : i;
        uint32_t common = f->common[own * width + other];
        if (common < most || !can_be_one(f, own, other))
            continue;
        best = common == most ? FLM_NONE : i;
        most = common;
    }
    return best;
}

bool flm_renamed_paths_find(const struct flm_unmatched_paths *own,
                            const struct flm_unmatched_paths *others, flm_path_of *path_of,
                            uint32_t *partner)
{
    struct finding f = {.path_of = path_of};
    uint64_t pairs = (uint64_t)own->count * others->count;
    for (uint32_t i = 0; i < own->count; i++)
        partner[i] = FLM_NONE;
    if (pairs == 0 || pairs > MOST_PAIRS)
        return true;
    bool good = start(&f.side[0], own) && start(&f.side[1], others);
    f.common = calloc((size_t)pairs, sizeof *f.common);
    good = good && f.common && count_names(&f);
    for (uint32_t i = 0; good && i < own->count; i++) {
        uint32_t other = nearest(&f, i, false);
        if (other != FLM_NONE && nearest(&f, other, true) == i)
            partner[i] = other;
    }
    clear(&f.side[0]);
    clear(&f.side[1]);
    free(f.common);
    return good;
}
