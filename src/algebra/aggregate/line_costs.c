#include "algebra/aggregate/line_costs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/core/sort.h"
#include "profile/chains.h"

struct collecting {
    const struct flm_profile *given;
    const struct flm_profile *p; /* split: a frame for each location */
    bool frames_have_lines;      /* those that ran */
    struct FLM_ARRAY(struct flm_line_cost) lines;
    struct flm_index index;
    uint32_t *of_frame; /* by frame of `p`: its line; FLM_NONE: it does not count */
    uint32_t *seen_end; /* by line: where the subtree ends that was counted last */
};

static bool same_line(const struct flm_line_cost *a, const struct flm_line_cost *b)
{
    return a->function == b->function && a->module == b->module && a->file == b->file &&
           a->line == b->line;
}

/* The number of the line, added when it is new; FLM_NONE if memory ran out. */
static uint32_t line_of(struct collecting *c, const struct flm_line_cost *line)
{
    const uint32_t key[4] = {line->function, line->module, line->file, line->line};
    uint32_t hash = (uint32_t)(flm_hash(key, sizeof key) >> 32);
    for (struct flm_probe at = flm_index_probe(&c->index, hash); flm_index_next(&c->index, &at);)
        if (same_line(&c->lines.at[at.found], line))
            return at.found;
    uint32_t number = (uint32_t)c->lines.count;
    if (!FLM_ARRAY_ADD(&c->lines, *line) || !flm_index_add(&c->index, hash, number))
        return FLM_NONE;
    return number;
}

/* `location`: flm_location_at, and 1; 0: not known. */
static struct flm_line_cost line_at(const struct collecting *c, uint32_t frame, uint32_t location)
{
    const struct flm_frame_record *f = &c->p->frames[frame];
    struct flm_line_cost line = {
        .function = f->function, .module = f->module, .of_file = f->module == 0 ? f->file : 0};
    if (location != 0) {
        struct flm_location where = flm_location_at(c->p, location - 1);
        line.line = where.line;
        line.file = where.line ? where.file : 0;
    }
    if (line.line == 0 && c->frames_have_lines)
        line.line = f->line;
    if (line.file == 0)
        line.file = f->file;
    return line;
}

static bool find_lines(struct collecting *c, const unsigned char *marks)
{
    struct flm_split_frames frames = {c->given, c->p, 0};
    for (uint32_t i = 0; i < c->p->sizes.frame_count; i++) {
        uint32_t given = c->given == c->p ? i : flm_split_frames_next(&frames, i);
        struct flm_line_cost line = line_at(c, i, flm_frame_location(&c->p->frames[i]));
        c->of_frame[i] = i == 0 || (marks && !marks[given]) ? FLM_NONE : line_of(c, &line);
        if (c->of_frame[i] == FLM_NONE && i > 0 && (!marks || marks[given]))
            return false;
    }
    return true;
}

/* `total` has room for the nodes. */
static void add_values(struct collecting *c, struct flm_metric metric, bool is_before,
                       double *total)
{
    const struct flm_profile *p = c->p;
    const double *self = flm_self_column(p, metric.index);
    flm_profile_totals(p, metric, total);
    memset(c->seen_end, 0, c->lines.count * sizeof *c->seen_end);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t number = c->of_frame[p->node_frame[i]];
        if (number == FLM_NONE)
            continue;
        struct flm_line_cost *line = &c->lines.at[number];
        *(is_before ? &line->self_before : &line->self) += self[i];
        if (c->seen_end[number] > i)
            continue;
        c->seen_end[number] = p->node_end[i];
        *(is_before ? &line->total_before : &line->total) += total[i];
    }
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_by_place(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_line_cost *x = &((const struct flm_line_cost *)context)[a];
    const struct flm_line_cost *y = &((const struct flm_line_cost *)context)[b];
    int order = compare(x->function, y->function);
    order = order ? order : compare(x->module, y->module);
    order = order ? order : compare(x->of_file, y->of_file);
    order = order ? order : compare(x->file, y->file);
    return order ? order : compare(x->line, y->line);
}

static int order_by_cost(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_line_cost *x = &((const struct flm_line_cost *)context)[a];
    const struct flm_line_cost *y = &((const struct flm_line_cost *)context)[b];
    double self = fabs(x->self - x->self_before) - fabs(y->self - y->self_before);
    double total = fabs(x->total - x->total_before) - fabs(y->total - y->total_before);
    if (self != 0)
        return self > 0 ? -1 : 1;
    if (total != 0)
        return total > 0 ? -1 : 1;
    if (fabs(x->self) != fabs(y->self)) /* unchanged */
        return fabs(x->self) > fabs(y->self) ? -1 : 1;
    return order_by_place(context, a, b);
}

static bool sort(const struct flm_line_cost *lines, size_t count, flm_order order, uint32_t *to)
{
    uint32_t *scratch = malloc((count + 1) * sizeof *scratch);
    for (size_t i = 0; i < count; i++)
        to[i] = (uint32_t)i;
    if (scratch)
        flm_sort(to, count, scratch, order, lines);
    free(scratch);
    return scratch != NULL;
}

static bool costs_something(const struct flm_line_cost *line)
{
    return line->self != 0 || line->total != 0 || line->self_before != 0 || line->total_before != 0;
}

static bool take_lines(struct collecting *c, struct flm_line_costs *costs)
{
    uint32_t *order = malloc((c->lines.count + 1) * sizeof *order);
    costs->line = malloc((c->lines.count + 1) * sizeof *costs->line);
    bool good = order && costs->line && sort(c->lines.at, c->lines.count, order_by_place, order);
    for (size_t i = 0; good && i < c->lines.count; i++)
        if (costs_something(&c->lines.at[order[i]]))
            costs->line[costs->count++] = c->lines.at[order[i]];
    free(order);
    return good;
}

bool flm_line_costs_init(struct flm_line_costs *costs, const struct flm_profile *p,
                         struct flm_metric metric, struct flm_metric before,
                         const unsigned char *marks, struct flm_error *why)
{
    assert(costs && p && metric.index < p->sizes.metric_count);
    *costs = (struct flm_line_costs){0};
    struct flm_profile *split = flm_has_chains(p) ? flm_profile_split(p, why) : NULL;
    if (!split && flm_has_chains(p))
        return false;
    struct collecting c = {.given = p, .p = split ? split : p};
    c.frames_have_lines = flm_profile_note_named(p, FLM_NOTE_LINES).size > 0;
    double *total = malloc(c.p->sizes.node_count * sizeof *total);
    c.of_frame = malloc(c.p->sizes.frame_count * sizeof *c.of_frame);
    bool good = total && c.of_frame && find_lines(&c, marks);
    c.seen_end = good ? calloc(c.lines.count + 1, sizeof *c.seen_end) : NULL;
    if (c.seen_end) {
        add_values(&c, metric, false, total);
        if (before.index != FLM_NONE)
            add_values(&c, before, true, total);
        good = take_lines(&c, costs);
    }
    good = (good && c.seen_end) || flm_error_memory(why);
    free(total);
    free(c.of_frame);
    free(c.seen_end);
    FLM_ARRAY_CLEAR(&c.lines);
    flm_index_clear(&c.index);
    flm_profile_free(split);
    if (!good)
        flm_line_costs_clear(costs);
    return good;
}

/* ---- Self values alone ----------------------------------------------------------------------- */

/* By frame, and by location: its line. */
static bool find_lines_of_locations(struct collecting *c, uint32_t *of_location,
                                    uint32_t *location_start)
{
    uint32_t location = 0;
    for (uint32_t i = 0; i < c->p->sizes.frame_count; i++) {
        struct flm_line_cost line = line_at(c, i, 0);
        c->of_frame[i] = line_of(c, &line);
        if (c->of_frame[i] == FLM_NONE)
            return false;
        location_start[i] = location;
        for (uint32_t end = location + c->p->frame_locations[i]; location < end; location++) {
            line = line_at(c, i, location + 1);
            of_location[location] = line_of(c, &line);
            if (of_location[location] == FLM_NONE)
                return false;
        }
    }
    return true;
}

static void add_selfs(struct collecting *c, struct flm_metric metric, const uint32_t *of_location,
                      const uint32_t *location_start)
{
    const struct flm_profile *p = c->p;
    const double *self = flm_self_column(p, metric.index);
    const double *shared = p->chain_value + (size_t)metric.index * p->sizes.shared_count;
    const uint32_t *place = p->chain_place;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        uint32_t frame = p->node_frame[i], chains = p->node_chains[i];
        const double *value = chains == 1 ? &self[i] : shared;
        for (uint32_t j = 0; j < chains && i > 0; j++) {
            uint32_t number =
                place[j] ? of_location[location_start[frame] + place[j] - 1] : c->of_frame[frame];
            c->lines.at[number].self += value[j];
        }
        place += chains;
        shared += chains > 1 ? chains : 0;
    }
}

bool flm_line_selfs_init(struct flm_line_costs *costs, const struct flm_profile *p,
                         struct flm_metric metric, struct flm_error *why)
{
    assert(costs && p && metric.index < p->sizes.metric_count);
    if (!flm_has_chains(p))
        return flm_line_costs_init(costs, p, metric, (struct flm_metric){FLM_NONE}, NULL, why);
    *costs = (struct flm_line_costs){0};
    struct collecting c = {.given = p, .p = p};
    c.frames_have_lines = flm_profile_note_named(p, FLM_NOTE_LINES).size > 0;
    uint32_t *of_location = malloc(((size_t)p->sizes.location_count + 1) * sizeof *of_location);
    uint32_t *location_start = malloc(p->sizes.frame_count * sizeof *location_start);
    c.of_frame = malloc(p->sizes.frame_count * sizeof *c.of_frame);
    bool good = of_location && location_start && c.of_frame &&
                find_lines_of_locations(&c, of_location, location_start);
    if (good)
        add_selfs(&c, metric, of_location, location_start);
    good = (good && take_lines(&c, costs)) || flm_error_memory(why);
    free(of_location);
    free(location_start);
    free(c.of_frame);
    FLM_ARRAY_CLEAR(&c.lines);
    flm_index_clear(&c.index);
    if (!good)
        flm_line_costs_clear(costs);
    return good;
}

void flm_line_costs_clear(struct flm_line_costs *costs)
{
    free(costs->line);
    *costs = (struct flm_line_costs){0};
}

bool flm_line_costs_sort(const struct flm_line_costs *costs, uint32_t *order)
{
    return sort(costs->line, costs->count, order_by_cost, order);
}

size_t flm_line_costs_first(const struct flm_line_costs *costs, uint32_t *order, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < costs->count; i++) {
        const struct flm_line_cost *line = &costs->line[i];
        if (line->line == 0 || (line->self == 0 && line->self_before == 0))
            continue;
        size_t at = count < most ? count : most;
        while (at > 0 && order_by_cost(costs->line, (uint32_t)i, order[at - 1]) < 0)
            at--;
        if (at == most)
            continue;
        count += count < most;
        memmove(order + at + 1, order + at, (count - 1 - at) * sizeof *order);
        order[at] = (uint32_t)i;
    }
    return count;
}
