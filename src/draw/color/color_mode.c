#include "draw/color/color_mode.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "base/core/hash.h"
#include "base/core/sort.h"
#include "base/text/function_name.h"
#include "profile/columns.h"

static const struct {
    const char *name, *title;
} modes[FLM_COLOR_MODE_COUNT] = {
    [FLM_COLOR_MODULE] = {"module", "Module or package"},
    [FLM_COLOR_KIND] = {"kind", "Kind of code"},
    [FLM_COLOR_FUNCTION] = {"function", "Function"},
    [FLM_COLOR_FILE] = {"file", "Source file"},
    [FLM_COLOR_SELF] = {"self", "Self share"},
    [FLM_COLOR_TOTAL] = {"total", "Total share"},
    [FLM_COLOR_METRIC] = {"metric", "Share of a second metric"},
    [FLM_COLOR_RULES] = {"rules", "Own rules"},
};

const char *flm_color_mode_name(enum flm_color_mode mode)
{
    assert((unsigned)mode < FLM_COLOR_MODE_COUNT);
    return modes[mode].name;
}

const char *flm_color_mode_title(enum flm_color_mode mode)
{
    assert((unsigned)mode < FLM_COLOR_MODE_COUNT);
    return modes[mode].title;
}

enum flm_color_mode flm_color_mode_named(struct flm_bytes name)
{
    int mode = 0;
    while (mode < FLM_COLOR_MODE_COUNT && !flm_bytes_are(name, modes[mode].name))
        mode++;
    return (enum flm_color_mode)mode;
}

/* The title of frames without a known file. */
#define NO_FILE "no source file"

/* ---- Groups ---------------------------------------------------------------------------------- */

/* FLM_NONE when memory ran out. */
static uint32_t add_group(struct flm_coloring *c, struct flm_color_group group)
{
    uint32_t added = (uint32_t)c->groups.count;
    return FLM_ARRAY_ADD(&c->groups, group) ? added : FLM_NONE;
}

static struct flm_tone hashed_tone(struct flm_bytes text)
{
    uint64_t hash = flm_checksum(text.at, text.size);
    return flm_hue_tone(hash >> 32, hash & 0xFFFFFFFF);
}

/* The group with that title, added if it is new. FLM_NONE when memory ran out. */
static uint32_t group_called(struct flm_coloring *c, struct flm_index *index,
                             struct flm_bytes title)
{
    uint32_t hash = (uint32_t)flm_hash(title.at, title.size);
    struct flm_probe at = flm_index_probe(index, hash);
    while (flm_index_next(index, &at))
        if (flm_bytes_equal(c->groups.at[at.found].title, title))
            return at.found;
    struct flm_color_group new_one = {.title = title};
    if (c->mode == FLM_COLOR_MODULE) {
        new_one.hue = flm_package_hue(title);
        new_one.tone = flm_package_tone(title);
    } else {
        bool is_file = c->mode == FLM_COLOR_FUNCTION || !flm_bytes_are(title, NO_FILE);
        new_one.tone = is_file ? hashed_tone(title) : flm_gray_tone(1);
    }
    uint32_t group = add_group(c, new_one);
    return group == FLM_NONE || !flm_index_add(index, hash, group) ? FLM_NONE : group;
}

/* What the title of a frame is found by. Operations leave out modules and files (by:function), or
 * put them in place of functions (by:module): such frames have the title that the name has in the
 * profile as it was opened, and so keep their color. */
struct titles {
    const struct flm_profile *opened;
    struct flm_grouping grouping;
    struct flm_bytes *whole; /* of the grouping */
    enum flm_color_mode mode;
    struct flm_index functions; /* frames of `opened`, by the function */
    struct flm_index modules;   /* likewise, one for each module */
};

/* The part of a frame that names its group. */
static struct flm_bytes own_title(const struct titles *titles, const struct flm_profile *p,
                                  uint32_t frame)
{
    const struct flm_frame_record *record = &p->frames[frame];
    if (titles->mode == FLM_COLOR_FUNCTION)
        return flm_frame_function(p, frame);
    if (titles->mode == FLM_COLOR_FILE)
        return record->file ? flm_string_bytes(p, record->file) : flm_bytes_of(NO_FILE);
    return flm_frame_group(p, frame, &titles->grouping);
}

/* The first frame of that function, and of that module unless it is empty; FLM_NONE: none is. */
static uint32_t find_function(const struct titles *titles, struct flm_bytes name,
                              struct flm_bytes module)
{
    const struct flm_profile *p = titles->opened;
    struct flm_probe at =
        flm_index_probe(&titles->functions, (uint32_t)flm_hash(name.at, name.size));
    while (flm_index_next(&titles->functions, &at))
        if (flm_bytes_equal(flm_frame_function(p, at.found), name) &&
            (module.size == 0 ||
             flm_bytes_equal(flm_string_bytes(p, p->frames[at.found].module), module)))
            return at.found;
    return FLM_NONE;
}

static bool is_module(const struct titles *titles, struct flm_bytes name)
{
    const struct flm_profile *p = titles->opened;
    struct flm_probe at = flm_index_probe(&titles->modules, (uint32_t)flm_hash(name.at, name.size));
    while (flm_index_next(&titles->modules, &at))
        if (flm_bytes_equal(flm_string_bytes(p, p->frames[at.found].module), name))
            return true;
    return false;
}

static bool add_names(struct titles *titles, uint32_t frame)
{
    struct flm_bytes name = flm_frame_function(titles->opened, frame);
    struct flm_bytes module =
        flm_string_bytes(titles->opened, titles->opened->frames[frame].module);
    uint32_t found = find_function(titles, name, module);
    return (found != FLM_NONE ||
            flm_index_add(&titles->functions, (uint32_t)flm_hash(name.at, name.size), frame)) &&
           (module.size == 0 || is_module(titles, module) ||
            flm_index_add(&titles->modules, (uint32_t)flm_hash(module.at, module.size), frame));
}

/* Whether an operation may have taken away what the frame has its title from. */
static bool is_bare(const struct titles *titles, const struct flm_frame_record *record)
{
    return titles->mode != FLM_COLOR_FUNCTION && (record->module == 0 || record->file == 0);
}

static bool titles_init(struct titles *titles, const struct flm_profile *opened,
                        const struct flm_profile *p, enum flm_color_mode mode,
                        struct flm_error *why)
{
    *titles = (struct titles){.opened = opened, .mode = mode};
    if (mode == FLM_COLOR_MODULE) {
        titles->whole = calloc(opened->sizes.frame_count, sizeof *titles->whole);
        if (!titles->whole)
            return flm_error_memory(why);
        if (!flm_grouping_init(&titles->grouping, opened, titles->whole, why))
            return false;
    }
    bool needed = false, good = true;
    for (uint32_t f = 1; p != opened && f < p->sizes.frame_count && !needed; f++)
        needed = is_bare(titles, &p->frames[f]);
    for (uint32_t f = 1; needed && good && f < opened->sizes.frame_count; f++)
        good = add_names(titles, f);
    return good || flm_error_memory(why);
}

static void titles_clear(struct titles *titles)
{
    free(titles->whole);
    flm_index_clear(&titles->functions);
    flm_index_clear(&titles->modules);
}

static struct flm_bytes title_of(const struct titles *titles, const struct flm_profile *p,
                                 uint32_t frame)
{
    const struct flm_frame_record *record = &p->frames[frame];
    struct flm_bytes name = flm_frame_function(p, frame);
    if (titles->functions.item_count == 0 || !is_bare(titles, record))
        return own_title(titles, p, frame);
    uint32_t found = find_function(titles, name, flm_string_bytes(p, record->module));
    if (found != FLM_NONE)
        return own_title(titles, titles->opened, found);
    return titles->mode == FLM_COLOR_MODULE && is_module(titles, name)
               ? name
               : own_title(titles, p, frame);
}

static bool group_frames(struct flm_coloring *c, struct flm_index *index,
                         const struct titles *titles, const struct flm_profile *p,
                         struct flm_error *why)
{
    for (uint32_t f = 1; f < p->sizes.frame_count; f++) {
        struct flm_bytes title =
            p == titles->opened ? own_title(titles, p, f) : title_of(titles, p, f);
        c->group_of[f] = group_called(c, index, title);
        if (c->group_of[f] == FLM_NONE)
            return flm_error_memory(why);
    }
    return true;
}

/* By module, function or file: the tone follows from the title. */
static bool color_by_title(struct flm_coloring *c, const struct flm_profile *p,
                           const struct flm_profile *opened, struct flm_error *why)
{
    struct flm_index index = {0};
    struct titles titles;
    bool is_module = c->mode == FLM_COLOR_MODULE;
    bool done =
        titles_init(&titles, opened, p, c->mode, why) && group_frames(c, &index, &titles, p, why);
    for (uint32_t f = 1; done && f < p->sizes.frame_count; f++) {
        const struct flm_color_group *group = &c->groups.at[c->group_of[f]];
        c->tones[f] =
            is_module ? flm_function_tone(group->hue, flm_frame_function(p, f)) : group->tone;
    }
    c->split = done ? flm_grouping_split(&titles.grouping) : FLM_SPLIT_NONE;
    titles_clear(&titles);
    flm_index_clear(&index);
    return done;
}

/* The hue of each kind; FLM_NONE: gray. Kinds that are neighbors in stacks, such as jit and
 * interpreted, have hues far from each other. */
static bool color_by_kind(struct flm_coloring *c, const struct flm_profile *p,
                          struct flm_error *why)
{
    static const uint32_t hues[FLM_KIND_COUNT] = {
        [FLM_KIND_PLAIN] = 9,        [FLM_KIND_NATIVE] = 9, [FLM_KIND_KERNEL] = 1,
        [FLM_KIND_INLINED] = 7,      [FLM_KIND_JIT] = 5,    [FLM_KIND_JIT_TIER1] = 4,
        [FLM_KIND_INTERPRETED] = 10, [FLM_KIND_GPU] = 11,   [FLM_KIND_WAKER] = 2,
        [FLM_KIND_LABEL] = FLM_NONE,
    };
    enum { RUNTIME = FLM_KIND_COUNT };
    for (uint32_t kind = 0; kind <= RUNTIME; kind++) {
        struct flm_color_group group = {.mark = flm_mark_of_kind(kind)};
        if (kind == RUNTIME) {
            group.title = flm_bytes_of("runtime");
            group.tone = flm_gray_tone(0);
            group.texture = FLM_TEXTURE_DOTS;
        } else {
            group.title = flm_bytes_of(flm_kind_name(kind));
            group.tone = hues[kind] == FLM_NONE ? flm_gray_tone(2) : flm_hue_tone(hues[kind], 1);
        }
        if (add_group(c, group) == FLM_NONE)
            return flm_error_memory(why);
    }
    for (uint32_t f = 1; f < p->sizes.frame_count; f++) {
        uint32_t kind = p->frames[f].kind;
        bool is_ordinary = kind == FLM_KIND_PLAIN || kind == FLM_KIND_NATIVE;
        bool is_runtime =
            is_ordinary && flm_name_is_runtime(flm_frame_group(p, f, &(struct flm_grouping){0}));
        c->group_of[f] = is_runtime ? RUNTIME : kind < FLM_KIND_COUNT ? kind : FLM_KIND_PLAIN;
        c->tones[f] = c->groups.at[c->group_of[f]].tone;
    }
    return true;
}

static bool color_by_rules(struct flm_coloring *c, const struct flm_profile *p,
                           struct flm_bytes rules, struct flm_error *why)
{
    struct flm_color_group others = {.title = flm_bytes_of("no rule"), .tone = flm_gray_tone(1)};
    unsigned char *marks = malloc(p->sizes.frame_count);
    bool done = (marks && add_group(c, others) != FLM_NONE) || flm_error_memory(why);
    for (uint32_t f = 0; done && f < p->sizes.frame_count; f++)
        c->tones[f] = others.tone;
    uint64_t line = 0;
    for (size_t at = 0; done && at < rules.size;) {
        struct flm_error wrong;
        struct flm_bytes pattern;
        uint32_t color, matched;
        line++;
        if (!flm_color_line(rules, &at, &pattern, &color))
            done = flm_error_line(why, FLM_ERROR_FORMAT, line,
                                  "rules are lines PATTERN->#rrggbb, or PATTERN->rgb(R,G,B)");
        if (!done || pattern.size == 0)
            continue;
        if (!flm_pattern_mark(p, pattern, marks, &matched, &wrong)) {
            done = wrong.kind == FLM_ERROR_MEMORY
                       ? flm_error_memory(why)
                       : flm_error_line(why, wrong.kind, line, "%s", wrong.text);
            continue;
        }
        struct flm_tone tone = {color, color, flm_ink_on(color)};
        uint32_t group = add_group(c, (struct flm_color_group){.title = pattern, .tone = tone});
        done = group != FLM_NONE || flm_error_memory(why);
        for (uint32_t f = 1; done && f < p->sizes.frame_count; f++)
            if (marks[f] && c->group_of[f] == 0) {
                c->group_of[f] = group;
                c->tones[f] = tone;
            }
    }
    free(marks);
    return done;
}

bool flm_coloring_init(struct flm_coloring *c, const struct flm_profile *p,
                       const struct flm_profile *opened, enum flm_color_mode mode,
                       struct flm_bytes rules, struct flm_error *why)
{
    *c = (struct flm_coloring){.mode = mode};
    if (flm_color_mode_is_share(mode))
        return true;
    c->tones = calloc(p->sizes.frame_count, sizeof *c->tones);
    c->group_of = calloc(p->sizes.frame_count, sizeof *c->group_of);
    bool done = (c->tones && c->group_of) || flm_error_memory(why);
    if (done && mode == FLM_COLOR_KIND)
        done = color_by_kind(c, p, why);
    else if (done && mode == FLM_COLOR_RULES)
        done = color_by_rules(c, p, rules, why);
    else if (done)
        done = color_by_title(c, p, opened, why);
    if (!done)
        flm_coloring_clear(c);
    else
        c->tones[0] = flm_tone_ancestor;
    return done;
}

void flm_coloring_clear(struct flm_coloring *c)
{
    free(c->tones);
    free(c->group_of);
    FLM_ARRAY_CLEAR(&c->groups);
    *c = (struct flm_coloring){0};
}

enum flm_texture flm_coloring_texture(const struct flm_coloring *c, uint32_t frame)
{
    bool has_group = c->group_of && frame != 0 && c->group_of[frame] < c->groups.count;
    return has_group ? c->groups.at[c->group_of[frame]].texture : FLM_TEXTURE_NONE;
}

/* ---- The legend ------------------------------------------------------------------------------ */

static void list_steps(struct flm_legend *legend)
{
    static const char *const titles[FLM_SHARE_STEPS] = {
        "below 0.1 %", "0.1 to 0.3 %", "0.3 to 1 %",   "1 to 3 %",
        "3 to 10 %",   "10 to 30 %",   "30 % and more"};
    for (int step = 0; step < FLM_SHARE_STEPS; step++)
        legend->items[legend->count++] =
            (struct flm_legend_item){.title = flm_bytes_of(titles[step]),
                                     .tone = flm_share_tones[step],
                                     .group = FLM_NONE,
                                     .count = 1};
}

/* Sums by group, and by color. */
struct group_sums {
    double *self, *area; /* by group; the area of a box is its width, in all rows */
    double *color_area;  /* by the first group of a color */
    uint32_t *color;     /* by group: the first one with its tone */
    uint32_t *order;     /* groups by color, the largest area first; and room to sort them */
};

static bool same_tone(const struct flm_color_group *a, const struct flm_color_group *b)
{
    return a->tone.light == b->tone.light && a->tone.dark == b->tone.dark && a->mark == b->mark &&
           a->texture == b->texture;
}

/* In these modes unrelated groups may share a color. Kinds of code and rules are separate items
 * even if their colors are equal. */
static bool has_families(const struct flm_coloring *c)
{
    return c->mode == FLM_COLOR_MODULE || c->mode == FLM_COLOR_FILE ||
           c->mode == FLM_COLOR_FUNCTION;
}

static bool find_colors(const struct flm_coloring *c, struct group_sums *sums)
{
    struct flm_index index = {0};
    bool good = true;
    for (uint32_t i = 0; good && i < c->groups.count; i++) {
        const struct flm_color_group *group = &c->groups.at[i];
        uint32_t hash = (uint32_t)flm_hash(&group->tone.light, sizeof group->tone.light);
        struct flm_probe at = flm_index_probe(&index, hash);
        sums->color[i] = i;
        while (has_families(c) && sums->color[i] == i && flm_index_next(&index, &at))
            if (same_tone(&c->groups.at[at.found], group))
                sums->color[i] = at.found;
        if (sums->color[i] == i)
            good = flm_index_add(&index, hash, i);
        sums->color_area[sums->color[i]] += sums->area[i];
    }
    flm_index_clear(&index);
    return good;
}

/* `before` has room for one number more than there are nodes. */
static double sum_groups(const struct flm_coloring *c, const struct flm_tree *tree, double *before,
                         struct group_sums *sums)
{
    double total = 0;
    before[0] = 0;
    for (uint32_t node = 0; node < tree->node_count; node++)
        before[node + 1] = before[node] + fabs(tree->width[node]);
    for (uint32_t node = 1; node < tree->node_count; node++) {
        if (tree->frame[node] == 0)
            continue;
        uint32_t group = c->group_of[tree->frame[node]];
        double self = fabs(tree->width[node]);
        sums->self[group] += self;
        sums->area[group] += before[tree->end[node]] - before[node];
        total += self;
    }
    return total;
}

static int largest_first(const void *context, uint32_t a, uint32_t b)
{
    const struct group_sums *sums = context;
    uint32_t color_a = sums->color[a], color_b = sums->color[b];
    double area_a = sums->color_area[color_a], area_b = sums->color_area[color_b];
    if (area_a != area_b)
        return area_a < area_b ? 1 : -1;
    if (color_a != color_b)
        return color_a < color_b ? -1 : 1;
    return (sums->area[b] > sums->area[a]) - (sums->area[b] < sums->area[a]);
}

/* The second group of a color is named from this part of the first one's area on. */
static const double second_part = 0.25;

static void list_colors(struct flm_legend *legend, const struct flm_coloring *c,
                        const struct group_sums *sums)
{
    struct flm_legend_item others = {
        .title = {"others", 6}, .tone = flm_tone_merged, .group = FLM_NONE, .count = 0};
    struct flm_legend_item *item = NULL;
    for (size_t i = 0; i < c->groups.count && sums->color_area[sums->color[sums->order[i]]] > 0;
         i++) {
        uint32_t g = sums->order[i];
        const struct flm_color_group *group = &c->groups.at[g];
        bool is_next = item && item != &others && sums->color[g] == sums->color[item->group];
        if (!is_next && legend->count < FLM_LEGEND_COLORS) {
            item = &legend->items[legend->count++];
            *item = (struct flm_legend_item){.title = group->title,
                                             .tone = group->tone,
                                             .mark = group->mark,
                                             .texture = group->texture,
                                             .group = g};
        } else if (!is_next) {
            item = &others;
        } else if (item->count == 1 && sums->area[g] >= second_part * sums->area[item->group]) {
            item->second = group->title;
        }
        item->count += sums->area[g] > 0;
        item->total += sums->self[g];
    }
    if (others.count > 0)
        legend->items[legend->count++] = others;
}

bool flm_legend_init(struct flm_legend *legend, const struct flm_coloring *c,
                     const struct flm_tree *tree, struct flm_error *why)
{
    *legend = (struct flm_legend){0};
    if (flm_color_mode_is_share(c->mode)) {
        list_steps(legend);
        return true;
    }
    size_t count = c->groups.count + 1;
    double *numbers = calloc(3 * count, sizeof *numbers);
    uint32_t *indices = malloc(3 * count * sizeof *indices);
    double *before = malloc(((size_t)tree->node_count + 1) * sizeof *before);
    bool done = numbers && indices && before;
    if (done) {
        struct group_sums sums = {.self = numbers,
                                  .area = numbers + count,
                                  .color_area = numbers + 2 * count,
                                  .color = indices,
                                  .order = indices + count};
        legend->total = sum_groups(c, tree, before, &sums);
        done = find_colors(c, &sums);
        for (size_t i = 0; i < c->groups.count; i++)
            sums.order[i] = (uint32_t)i;
        if (done) {
            flm_sort(sums.order, c->groups.count, sums.order + count, largest_first, &sums);
            list_colors(legend, c, &sums);
        }
    }
    free(before);
    free(indices);
    free(numbers);
    return done || flm_error_memory(why);
}
