#include "gate/verdict/moves.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "profile/columns.h"
#include "stats/welch.h"

static const double least_t = 2, least_part = 0.05;

static int by_below(const void *one, const void *other)
{
    const struct flm_item *a = *(struct flm_item *const *)one,
                          *b = *(struct flm_item *const *)other;
    if (a->moved_below != b->moved_below)
        return a->moved_below < b->moved_below ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    /* What stands for all below it is before the self value, which it contains. */
    return (b->scope != FLM_ITEM_SELF) - (a->scope != FLM_ITEM_SELF);
}

/* Adds the columns of the items [from, to), which are of one move, run by run. A frame that is an
 * item as a whole, or with its rest, contains those below it. */
static void add_up(struct flm_item *const *item, uint32_t from, uint32_t to,
                   const struct flm_columns *columns, const struct flm_profile *tree, double *sum)
{
    uint32_t covered = 0;
    for (uint32_t i = from; i < to; i++) {
        if (item[i]->node < covered)
            continue;
        const double *value = flm_matrix_column(&columns->matrix, item[i]->column);
        for (uint32_t r = 0; r < columns->matrix.run_count; r++)
            sum[r] += value[r];
        if (item[i]->scope != FLM_ITEM_SELF)
            covered = tree->node_end[item[i]->node];
    }
}

/* Whether the items are a part of the frame above that is no chance. */
static bool is_part_enough(struct flm_item *const *item, uint32_t from, uint32_t to,
                           const struct flm_columns *columns, const unsigned char *is_new)
{
    uint32_t column = columns->total_column[item[from]->moved_below];
    uint32_t runs = columns->matrix.run_count, count = 0;
    const double *value = flm_matrix_column(&columns->matrix, column);
    double base = 0, moved = 0;
    for (uint32_t r = 0; r < runs; r++) {
        base += is_new[r] ? 0 : value[r];
        count += !is_new[r];
    }
    for (uint32_t i = from; i < to; i++)
        moved += fabs(item[i]->change);
    return moved >= least_part * base / count;
}

/* The change is that of the measured values. Its t is of winsorized values, as all other t: one
 * outlying run would excuse everything. */
static struct flm_move judge(const struct flm_runs *runs, const unsigned char *is_new, double *sum,
                             double *scratch, uint32_t below, bool is_local,
                             const struct flm_moves_options *options)
{
    const struct flm_winsorizing how = {options->unit, flm_runs_most_outliers(runs)};
    struct flm_welch raw = flm_welch_test(sum, runs->run_count, is_new, options->unit);
    flm_column_prepare(sum, runs->run_count, how, scratch);
    double change = raw.new_mean - raw.base_mean;
    double t = flm_welch_test(sum, runs->run_count, is_new, options->unit).t;
    bool is_free = is_local && !(change >= options->least && t >= least_t);
    return (struct flm_move){below, change, t, is_local, is_free};
}

static void judge_all(struct flm_moves *moves, const struct flm_runs *runs,
                      const struct flm_columns *columns, struct flm_item *const *item,
                      uint32_t count, const struct flm_moves_options *options,
                      unsigned char *is_new, double *sum)
{
    for (uint32_t r = 0; r < runs->run_count; r++)
        is_new[r] = runs->run[r].is_new;
    for (uint32_t from = 0, to; from < count; from = to) {
        uint32_t below = item[from]->moved_below;
        for (to = from; to < count && item[to]->moved_below == below;)
            to++;
        memset(sum, 0, runs->run_count * sizeof *sum);
        add_up(item, from, to, columns, runs->tree, sum);
        moves->move[moves->count++] =
            judge(runs, is_new, sum, sum + runs->run_count, below,
                  is_part_enough(item, from, to, columns, is_new), options);
    }
}

bool flm_moves_init(struct flm_moves *moves, const struct flm_runs *runs,
                    const struct flm_columns *columns, const struct flm_attribution *found,
                    const struct flm_moves_options *options, struct flm_error *why)
{
    assert(moves && runs && columns && found && options);
    *moves = (struct flm_moves){0};
    uint32_t count = 0;
    struct flm_item **item = malloc((found->count + (size_t)1) * sizeof *item);
    unsigned char *is_new = malloc(runs->run_count + (size_t)1);
    double *sum = malloc((2 * runs->run_count + (size_t)1) * sizeof *sum);
    moves->move = malloc((found->count + (size_t)1) * sizeof *moves->move);
    bool room = item && is_new && sum && moves->move;
    for (uint32_t i = 0; room && i < found->count; i++)
        if (found->item[i].moved_below != FLM_NONE)
            item[count++] = &found->item[i];
    if (room && count > 0) {
        qsort(item, count, sizeof *item, by_below);
        judge_all(moves, runs, columns, item, count, options, is_new, sum);
    }
    free(item);
    free(is_new);
    free(sum);
    if (room)
        return true;
    flm_moves_clear(moves);
    return flm_error_memory(why);
}

void flm_moves_clear(struct flm_moves *moves)
{
    free(moves->move);
    *moves = (struct flm_moves){0};
}

bool flm_moves_has_free(const struct flm_moves *moves, const struct flm_profile *tree,
                        uint32_t node)
{
    for (uint32_t i = 0; i < moves->count; i++) {
        const struct flm_move *move = &moves->move[i];
        if (move->is_free && node >= move->below && node < tree->node_end[move->below])
            return true;
    }
    return false;
}
