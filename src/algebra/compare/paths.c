#include "algebra/compare/paths.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/compare/renamed_paths.h"
#include "algebra/operation/rebuild.h"
#include "base/core/array.h"
#include "base/core/path_name.h"
#include "base/core/sort.h"
#include "base/text/text.h"
#include "profile/chains.h"

/* Paths of one name that are compared with each other at most: of so many nothing can be told. */
#define MOST_PAIRS 100000

enum kind { MODULES, FILES };

struct path {
    struct flm_bytes text, name; /* without " (deleted)"; its last part */
    uint32_t string;             /* in its profile */
    bool is_other, is_deleted;
    bool is_shared;   /* both sides have it */
    uint32_t partner; /* of the other side; an index of the paths; FLM_NONE: none */
};

struct paths {
    struct FLM_ARRAY(struct path) all;
};

/* ---- Which there are ------------------------------------------------------------------------- */

static struct flm_bytes without_deleted(struct flm_bytes text)
{
    static const char mark[] = " (deleted)";
    size_t size = sizeof mark - 1;
    if (text.size > size && memcmp(text.at + text.size - size, mark, size) == 0)
        text.size -= size;
    return text;
}

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static uint32_t string_of(const struct flm_frame_record *frame, enum kind kind)
{
    return kind == MODULES ? frame->module : frame->file;
}

static bool add_path(struct paths *paths, const struct flm_profile *p, uint32_t string,
                     unsigned char *seen, bool is_other)
{
    struct flm_bytes all = flm_string_bytes(p, string), text = without_deleted(all);
    struct flm_bytes name = flm_path_last(text, "/\\");
    if (seen[string] || name.size == 0) /* http://localhost/ has none */
        return true;
    seen[string] = 1;
    return FLM_ARRAY_ADD(&paths->all, (struct path){.text = text,
                                                    .name = name,
                                                    .string = string,
                                                    .is_other = is_other,
                                                    .is_deleted = text.size < all.size,
                                                    .partner = FLM_NONE});
}

/* Adds each path of a profile once. */
static bool add_paths(struct paths *paths, const struct flm_profile *p, enum kind kind,
                      bool is_other)
{
    unsigned char *seen = calloc(p->sizes.string_count + (size_t)1, 1); /* by string */
    bool good = seen != NULL;
    for (uint32_t i = 0; good && i < p->sizes.frame_count; i++)
        good = add_path(paths, p, string_of(&p->frames[i], kind), seen, is_other);
    for (uint32_t i = 0; good && kind == FILES && i < p->sizes.location_count; i++)
        good = add_path(paths, p, flm_location_at(p, i).file, seen, is_other);
    free(seen);
    return good;
}

static int compare(struct flm_bytes a, struct flm_bytes b)
{
    int order = memcmp(a.at, b.at, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* By name; those of one name by path, those of one path by " (deleted)", then by profile. */
static int by_name(const void *context, uint32_t one, uint32_t two)
{
    const struct path *path = context, *a = &path[one], *b = &path[two];
    int order = compare(a->name, b->name);
    if (order == 0)
        order = compare(a->text, b->text);
    if (order == 0)
        order = a->is_deleted - b->is_deleted;
    return order != 0 ? order : a->is_other - b->is_other;
}

/* The paths in order; to be freed. NULL: memory ran out. */
static struct path *sorted(const struct paths *paths)
{
    size_t count = paths->all.count;
    struct path *result = malloc((count + 1) * sizeof *result);
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    for (uint32_t i = 0; result && order && i < count; i++)
        order[i] = i;
    if (result && order) {
        flm_sort(order, count, order + count, by_name, paths->all.at);
        for (size_t i = 0; i < count; i++)
            result[i] = paths->all.at[order[i]];
        free(order);
        return result;
    }
    free(result);
    free(order);
    return NULL;
}

/* ---- Which are one --------------------------------------------------------------------------- */

/* How many parts two paths of one name have in common, from the end. */
static uint32_t parts_in_common(const struct path *a, const struct path *b)
{
    uint32_t parts = 1;
    size_t x = (size_t)(a->name.at - a->text.at), y = (size_t)(b->name.at - b->text.at);
    while (x > 0 && y > 0 && is_slash(a->text.at[x - 1]) && is_slash(b->text.at[y - 1])) {
        struct flm_bytes left = flm_path_last((struct flm_bytes){a->text.at, --x}, "/\\");
        struct flm_bytes right = flm_path_last((struct flm_bytes){b->text.at, --y}, "/\\");
        if (left.size == 0 || compare(left, right) != 0)
            break;
        x -= left.size;
        y -= right.size;
        parts++;
    }
    return parts;
}

/* Paths of one name that one side has alone. */
struct alone {
    struct FLM_ARRAY(uint32_t) at[2]; /* by side */
};

/* The path among `others` that has the most in common; FLM_NONE if there are two. */
static uint32_t nearest(const struct path *path, uint32_t to, const uint32_t *others, size_t count)
{
    uint32_t best = FLM_NONE, most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t parts = parts_in_common(&path[to], &path[others[i]]);
        if (parts >= most)
            best = parts == most ? FLM_NONE : others[i];
        most = parts > most ? parts : most;
    }
    return best;
}

/* Those that are nearest to each other are partners. */
static void pair_nearest(struct path *path, const struct alone *alone)
{
    size_t count[2] = {alone->at[0].count, alone->at[1].count};
    if ((uint64_t)count[0] * count[1] > MOST_PAIRS)
        return;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < count[side]; i++) {
            uint32_t at = alone->at[side].at[i];
            path[at].partner = nearest(path, at, alone->at[!side].at, count[!side]);
        }
    for (size_t i = 0; i < count[0]; i++) {
        struct path *own = &path[alone->at[0].at[i]];
        if (own->partner != FLM_NONE && path[own->partner].partner != alone->at[0].at[i])
            own->partner = FLM_NONE;
    }
}

/* Two neighbors in the order, of both sides, that are one path; they need not agree in that one of
 * them was deleted, if `deleted`. */
static bool is_one_path(const struct path *a, const struct path *b, bool deleted)
{
    return !a->is_shared && !b->is_shared && a->is_other != b->is_other &&
           (deleted || a->is_deleted == b->is_deleted) && compare(a->text, b->text) == 0;
}

/* Of the paths [first, end), which have one name: those that both sides have are the same, and of
 * the others those that are nearest to each other. */
static bool pair_up(struct path *path, uint32_t first, uint32_t end, struct alone *alone)
{
    for (uint32_t i = first; i + 1 < end; i++)
        if (is_one_path(&path[i], &path[i + 1], false))
            path[i].is_shared = path[i + 1].is_shared = true;
    for (uint32_t i = first; i + 1 < end; i++)
        if (is_one_path(&path[i], &path[i + 1], true)) {
            path[i].is_shared = path[i + 1].is_shared = true;
            path[i].partner = i + 1;
            path[i + 1].partner = i;
        }
    alone->at[0].count = alone->at[1].count = 0;
    for (uint32_t i = first; i < end; i++)
        if (!path[i].is_shared && !FLM_ARRAY_ADD(&alone->at[path[i].is_other], i))
            return false;
    pair_nearest(path, alone);
    return true;
}

/* ---- Which have another name ----------------------------------------------------------------- */

static uint32_t module_of(const struct flm_frame_record *frame)
{
    return frame->module;
}

static uint32_t file_of(const struct flm_frame_record *frame)
{
    return frame->file;
}

/* The paths of one side without a partner, as indices and as strings. */
struct unmatched {
    struct FLM_ARRAY(uint32_t) path;
    struct FLM_ARRAY(uint32_t) string;
};

static bool find_unmatched(struct unmatched *unmatched, const struct path *path, uint32_t count,
                           bool is_other)
{
    for (uint32_t i = 0; i < count; i++)
        if (path[i].is_other == is_other && !path[i].is_shared && path[i].partner == FLM_NONE &&
            (!FLM_ARRAY_ADD(&unmatched->path, i) ||
             !FLM_ARRAY_ADD(&unmatched->string, path[i].string)))
            return false;
    return true;
}

static bool find_renamed(const struct flm_profile *p, const struct flm_profile *other,
                         enum kind kind, struct path *path, uint32_t count,
                         struct flm_same_paths *same)
{
    struct unmatched unmatched[2] = {{.string = {0}}};
    bool good = find_unmatched(&unmatched[0], path, count, false) &&
                find_unmatched(&unmatched[1], path, count, true);
    const struct flm_unmatched_paths own = {p, unmatched[0].string.at,
                                            (uint32_t)unmatched[0].string.count},
                                     others = {other, unmatched[1].string.at,
                                               (uint32_t)unmatched[1].string.count};
    uint32_t *partner = malloc((own.count + (size_t)1) * sizeof *partner);
    good = good && partner &&
           flm_renamed_paths_find(&own, &others, kind == MODULES ? module_of : file_of, partner);
    for (uint32_t i = 0; good && i < own.count; i++) {
        if (partner[i] == FLM_NONE)
            continue;
        struct path *from = &path[unmatched[0].path.at[i]];
        from->partner = unmatched[1].path.at[partner[i]];
        const struct path *to = &path[from->partner];
        if (same->renamed++ > 0)
            continue;
        struct flm_text text;
        flm_text_init_fixed(&text, same->from, sizeof same->from);
        flm_text_add(&text, from->name);
        flm_text_init_fixed(&text, same->to, sizeof same->to);
        flm_text_add(&text, to->name);
    }
    free(partner);
    for (int side = 0; side < 2; side++) {
        FLM_ARRAY_CLEAR(&unmatched[side].path);
        FLM_ARRAY_CLEAR(&unmatched[side].string);
    }
    return good;
}

/* Fills `becomes`, by string of `p`: that of the other profile; FLM_NONE: it stays. */
static bool find_same(const struct flm_profile *p, const struct flm_profile *other, enum kind kind,
                      uint32_t *becomes, struct flm_same_paths *same)
{
    struct paths paths = {{0}};
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        becomes[i] = FLM_NONE;
    bool good = add_paths(&paths, p, kind, false) && add_paths(&paths, other, kind, true);
    struct path *path = good ? sorted(&paths) : NULL;
    uint32_t all = path ? (uint32_t)paths.all.count : 0, renamed = same->renamed, count = 0;
    struct alone alone = {{{0}}};
    good = path != NULL;
    for (uint32_t first = 0, end; good && first < all; first = end) {
        for (end = first + 1; end < all && compare(path[end].name, path[first].name) == 0;)
            end++;
        good = pair_up(path, first, end, &alone);
    }
    good = good && find_renamed(p, other, kind, path, all, same);
    for (uint32_t i = 0; good && i < all; i++)
        if (!path[i].is_other && path[i].partner != FLM_NONE) {
            becomes[path[i].string] = path[path[i].partner].string;
            count++;
        }
    *(kind == MODULES ? &same->modules : &same->files) = count - (same->renamed - renamed);
    FLM_ARRAY_CLEAR(&paths.all);
    FLM_ARRAY_CLEAR(&alone.at[0]);
    FLM_ARRAY_CLEAR(&alone.at[1]);
    free(path);
    return good;
}

/* ---- Functions without modules --------------------------------------------------------------- */

static bool names_modules(const struct flm_profile *p)
{
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (p->frames[i].module != 0)
            return true;
    return false;
}

/* Frames of one name, [first, end). */
struct named {
    const struct flm_profile *p;
    uint32_t first, end;
};

static struct flm_bytes name_at(const struct flm_profile *p, uint32_t frame)
{
    return flm_string_bytes(p, p->frames[frame].function);
}

static void find_end(struct named *n)
{
    for (n->end = n->first; n->end < n->p->sizes.frame_count; n->end++)
        if (!flm_bytes_equal(name_at(n->p, n->end), name_at(n->p, n->first)))
            return;
}

/* What a frame without a module, or of a text, does not say. */
static uint32_t kind_of(uint32_t kind)
{
    return kind == FLM_KIND_PLAIN ? FLM_KIND_NATIVE : kind;
}

static bool can_be(const struct flm_profile *p, const struct flm_frame_record *frame,
                   const struct flm_profile *other, const struct flm_frame_record *o)
{
    struct flm_bytes file = flm_path_last(flm_string_bytes(p, frame->file), "/\\");
    struct flm_bytes others = flm_path_last(flm_string_bytes(other, o->file), "/\\");
    return (frame->kind == FLM_KIND_LABEL) == (o->kind == FLM_KIND_LABEL) &&
           frame->line == o->line &&
           (file.size == 0 || others.size == 0 || flm_bytes_equal(file, others));
}

/* The frame that `frame` is among those of its name; FLM_NONE: none, or it could be several. Where
 * only kinds differ (a function is inlined here and called there), it is the one of its own. */
static uint32_t find_function(const struct flm_profile *p, const struct flm_frame_record *frame,
                              const struct named *others)
{
    uint32_t found = FLM_NONE;
    for (uint32_t i = others->first; i < others->end; i++) {
        const struct flm_frame_record *all = others->p->frames;
        if (!can_be(p, frame, others->p, &all[i]))
            continue;
        if (found != FLM_NONE &&
            (all[found].module != all[i].module || all[found].file != all[i].file))
            return FLM_NONE;
        if (found == FLM_NONE || kind_of(all[i].kind) == kind_of(frame->kind))
            found = i;
    }
    return found;
}

/* Fills `becomes`, by frame of `p`: that of the other profile; FLM_NONE: it stays. Frames are
 * sorted by the bytes of their names. */
static void find_functions(const struct flm_profile *p, const struct flm_profile *other,
                           uint32_t *becomes, uint32_t *count)
{
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        becomes[i] = FLM_NONE;
    if (names_modules(p) == names_modules(other))
        return;
    struct named own = {p, 1, 1}, others = {other, 1, 1};
    for (; own.first < p->sizes.frame_count; own.first = own.end) {
        find_end(&own);
        int order = -1;
        while (others.first < other->sizes.frame_count &&
               (order = compare(name_at(other, others.first), name_at(p, own.first))) < 0)
            others.first++;
        if (others.first == other->sizes.frame_count || order != 0)
            continue;
        find_end(&others);
        for (uint32_t i = own.first; i < own.end; i++) {
            uint32_t found = find_function(p, &p->frames[i], &others);
            if (found == FLM_NONE || p->frames[i].module + other->frames[found].module == 0)
                continue;
            becomes[i] = found;
            ++*count;
        }
    }
}

/* ---- A profile with them --------------------------------------------------------------------- */

static uint32_t renamed(struct flm_rebuild *r, const struct flm_profile *other, uint32_t string,
                        const uint32_t *becomes)
{
    if (becomes[string] == FLM_NONE)
        return string;
    struct flm_bytes text = flm_string_bytes(other, becomes[string]);
    return flm_builder_string(r->builder, text.at, text.size).index;
}

static uint32_t copied(struct flm_rebuild *r, const struct flm_profile *other, uint32_t string)
{
    struct flm_bytes text = flm_string_bytes(other, string);
    return flm_builder_string(r->builder, text.at, text.size).index;
}

/* What becomes of the strings and the frames of a profile. */
struct becoming {
    uint32_t *modules, *files, *frames;
};

/* A command is called as its program, of which the kernel keeps 15 bytes. */
static bool is_command_of(struct flm_bytes label, struct flm_bytes path)
{
    enum { MOST_COMMAND = 15 };
    struct flm_bytes name = flm_path_last(without_deleted(path), "/\\");
    name.size = name.size < MOST_COMMAND ? name.size : MOST_COMMAND;
    return name.size > 0 && flm_bytes_equal(label, name);
}

/* The label of the command of a program that has another name in the other profile. */
static uint32_t renamed_label(struct flm_rebuild *r, const struct flm_profile *other,
                              uint32_t label, const uint32_t *becomes)
{
    for (uint32_t module = 0; module < r->p->sizes.string_count; module++) {
        if (becomes[module] == FLM_NONE ||
            !is_command_of(flm_string_bytes(r->p, label), flm_string_bytes(r->p, module)))
            continue;
        struct flm_bytes path = flm_string_bytes(other, becomes[module]);
        for (uint32_t i = 1; i < other->sizes.frame_count; i++)
            if (other->frames[i].kind == FLM_KIND_LABEL && is_command_of(name_at(other, i), path))
                return copied(r, other, other->frames[i].function);
    }
    return label;
}

/* Of a frame of the split profile, which was `given` of the joined one. */
static uint32_t make_frame(struct flm_rebuild *r, const struct flm_profile *other,
                           const struct becoming *b, uint32_t frame, uint32_t given)
{
    const struct flm_frame_record *before = &r->p->frames[frame];
    uint32_t location = flm_frame_location(before);
    struct flm_frame_record record = flm_frame_located(before, 0);
    if (b->frames[given] != FLM_NONE) {
        record = other->frames[b->frames[given]];
        record.function = before->function;
        record.module = copied(r, other, record.module);
        record.file = copied(r, other, record.file);
    } else {
        record.module = renamed(r, other, record.module, b->modules);
        record.file = renamed(r, other, record.file, b->files);
        if (record.kind == FLM_KIND_LABEL)
            record.function = renamed_label(r, other, record.function, b->modules);
        if (location == 0 && record.module == before->module && record.file == before->file &&
            record.function == before->function)
            return frame;
    }
    struct flm_frame made = flm_builder_frame(r->builder, &record);
    if (location == 0)
        return made.index;
    struct flm_location where = flm_location_at(r->p, location - 1);
    where.file = renamed(r, other, where.file, b->files);
    return flm_builder_frame_at(r->builder, made, &where).index;
}

/* Notes of a module (flamel/profile.h) follow its path. */
static bool rename_notes(struct flm_rebuild *r, const struct flm_profile *other,
                         const struct becoming *b)
{
    static const char *const of_modules[] = {FLM_NOTE_MAPPED, FLM_NOTE_UNSYMBOLIZED};
    struct flm_builder *builder = r->builder;
    struct flm_text text = {0};
    for (uint32_t i = 0; i < r->p->sizes.string_count; i++)
        for (size_t k = 0; k < 2 && b->modules[i] != FLM_NONE && !text.failed; k++) {
            uint32_t keys[2];
            for (int side = 0; side < 2; side++) {
                text.size = 0;
                flm_text_puts(&text, of_modules[k]);
                flm_text_add(&text, side ? flm_string_bytes(other, b->modules[i])
                                         : flm_string_bytes(r->p, i));
                keys[side] = flm_builder_string(builder, text.at, text.size).index;
            }
            for (size_t n = 0; n < builder->notes.count; n++)
                if (builder->notes.at[n].key == keys[0])
                    builder->notes.at[n].key = keys[1];
        }
    bool good = !text.failed;
    flm_text_clear(&text);
    return good;
}

/* `p` is split, or `given`, which is joined; strings are those of both. */
static struct flm_profile *with_paths(const struct flm_profile *p, const struct flm_profile *given,
                                      const struct flm_profile *other, const struct becoming *b,
                                      struct flm_error *why)
{
    struct flm_rebuild r;
    struct flm_split_frames from = {given, p, 0};
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    uint32_t *frames = malloc(p->sizes.frame_count * sizeof *frames);
    if (!frames || !rename_notes(&r, other, b)) {
        free(frames);
        flm_rebuild_clear(&r);
        flm_error_memory(why);
        return NULL;
    }
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        frames[i] = make_frame(&r, other, b, i, flm_split_frames_next(&from, i));
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], frames[p->node_frame[i]]);
    free(frames);
    return flm_rebuild_finish(&r, why);
}

/* The lines and addresses of frames follow them. */
static struct flm_profile *with_paths_of_all(const struct flm_profile *p,
                                             const struct flm_profile *other,
                                             const struct becoming *b, struct flm_error *why)
{
    if (!flm_has_chains(p))
        return with_paths(p, p, other, b, why);
    struct flm_profile *split = flm_profile_split(p, why);
    struct flm_profile *made = split ? with_paths(split, p, other, b, why) : NULL;
    flm_profile_free(split);
    return made;
}

bool flm_take_paths(const struct flm_profile *p, const struct flm_profile *other,
                    struct flm_profile **made, struct flm_same_paths *same, struct flm_error *why)
{
    assert(p && other && made && same);
    size_t strings = p->sizes.string_count + (size_t)1;
    uint32_t *all = malloc((2 * strings + p->sizes.frame_count) * sizeof *all);
    struct becoming b = {all, all + strings, all + 2 * strings};
    *made = NULL;
    *same = (struct flm_same_paths){0};
    bool good = all && find_same(p, other, MODULES, b.modules, same) &&
                find_same(p, other, FILES, b.files, same);
    if (good)
        find_functions(p, other, b.frames, &same->functions);
    else
        flm_error_memory(why);
    if (good && same->modules + same->files + same->functions + same->renamed > 0) {
        *made = with_paths_of_all(p, other, &b, why);
        good = *made != NULL;
    }
    free(all);
    return good;
}
