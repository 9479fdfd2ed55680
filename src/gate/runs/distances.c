#include "gate/runs/distances.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "os/thread/threads.h"
#include "profile/columns.h"

/* A row of a tile is 2 KiB, a block of them 64 KiB: two blocks are in the second cache. */
enum { TILE = 256, BLOCK = 32 };

struct measuring {
    const struct flm_runs *runs;
    double *distance;
    const double *divisor; /* by run: what its values are divided by */

    double *rows;      /* of the tile: TILE values for each run that has any */
    double *sums;      /* of the tile, by run: 0 where it has none */
    uint32_t *present; /* runs that have any, row by row */
    uint32_t present_count;
    size_t *at; /* by run: its next value */
};

/* Four sums, which do not wait for each other. */
static double difference(const double *a, const double *b)
{
    double sum[4] = {0};
    for (int i = 0; i < TILE; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += fabs(a[i + lane] - b[i + lane]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Adds to the distances of BLOCK rows to all rows after them. */
static void measure_block(void *context, size_t block)
{
    const struct measuring *m = context;
    uint32_t first = (uint32_t)block * BLOCK, end = first + BLOCK, runs = m->runs->run_count;
    end = end < m->present_count ? end : m->present_count;
    for (uint32_t others = first; others < m->present_count; others += BLOCK)
        for (uint32_t i = first; i < end; i++) {
            uint32_t last = others + BLOCK < m->present_count ? others + BLOCK : m->present_count;
            for (uint32_t k = others > i ? others : i + 1; k < last; k++)
                m->distance[(size_t)m->present[i] * runs + m->present[k]] +=
                    difference(m->rows + (size_t)i * TILE, m->rows + (size_t)k * TILE);
        }
}

/* What runs have in the tile that ends at `end`, written out. */
static void fill_tile(struct measuring *m, uint32_t start)
{
    m->present_count = 0;
    for (uint32_t r = 0; r < m->runs->run_count; r++) {
        const struct flm_run *run = &m->runs->run[r];
        size_t last = run->first + run->count;
        m->sums[r] = 0;
        if (m->at[r] == last || m->runs->node[m->at[r]] - start >= TILE)
            continue;
        double *row = m->rows + (size_t)m->present_count * TILE;
        memset(row, 0, TILE * sizeof *row);
        for (; m->at[r] < last && m->runs->node[m->at[r]] - start < TILE; m->at[r]++) {
            double value = m->runs->value[m->at[r]] / m->divisor[r];
            row[m->runs->node[m->at[r]] - start] = value;
            m->sums[r] += value;
        }
        m->present[m->present_count++] = r;
    }
}

/* Pairs of which one has nothing in the tile: all that the other has. */
static void add_alone(struct measuring *m)
{
    uint32_t count = m->runs->run_count;
    for (uint32_t p = 0; p < m->present_count && m->present_count < count; p++) {
        uint32_t r = m->present[p];
        for (uint32_t other = 0; other < count; other++)
            if (m->sums[other] == 0 && other != r)
                m->distance[(size_t)(r < other ? r : other) * count + (r < other ? other : r)] +=
                    m->sums[r];
    }
}

static void measure(struct measuring *m, int threads)
{
    uint32_t nodes = m->runs->tree->sizes.node_count, count = m->runs->run_count;
    for (uint32_t start = 0; start < nodes; start += TILE) {
        fill_tile(m, start);
        add_alone(m);
        /* Rows before others have more pairs: blocks are taken one by one. */
        flm_threads_run(threads, (m->present_count + BLOCK - 1) / BLOCK, measure_block, m);
        if (nodes - start <= TILE)
            break;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            m->distance[(size_t)i * count + k] = m->distance[(size_t)k * count + i];
}

bool flm_runs_distances(const struct flm_runs *runs, bool of_shares, int threads, double *distance,
                        struct flm_error *why)
{
    assert(runs && runs->tree && distance);
    size_t count = runs->run_count;
    double *divisor = malloc(count * sizeof *divisor);
    struct measuring m = {.runs = runs,
                          .distance = distance,
                          .divisor = divisor,
                          .rows = malloc(count * TILE * sizeof(double)),
                          .sums = malloc(count * sizeof(double)),
                          .present = malloc(count * sizeof(uint32_t)),
                          .at = malloc(count * sizeof(size_t))};
    bool room = divisor && m.rows && m.sums && m.present && m.at;
    if (room) {
        memset(distance, 0, count * count * sizeof *distance);
        for (size_t r = 0; r < count; r++) {
            m.at[r] = runs->run[r].first;
            divisor[r] = of_shares && runs->run[r].total > 0 ? runs->run[r].total : 1;
        }
        measure(&m, threads);
    }
    for (size_t i = 0; room && of_shares && i < count; i++)
        for (size_t k = 0; k < count; k++)
            if ((runs->run[i].total > 0) != (runs->run[k].total > 0))
                distance[i * count + k] = 2;
    free(divisor);
    free(m.rows);
    free(m.sums);
    free(m.present);
    free(m.at);
    return room || flm_error_memory(why);
}

double flm_similarity_of(double distance, double total, double other_total)
{
    double both = total + other_total;
    return both > 0 ? (both - distance) / both : 1;
}
