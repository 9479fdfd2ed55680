#include "draw/text/table_names.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/sort.h"
#include "draw/text/cells.h"
#include "draw/text/internal.h"
#include "draw/text/short_names.h"
#include "draw/text/visible.h"

struct shortened {
    uint64_t name, shown; /* hashes of the whole name, and of what is left of it */
    size_t from, size;    /* the showable name in `plain` */
};

struct names {
    struct shortened *row;
    uint32_t *order, *scratch;
    struct flm_short_name *list;
    struct flm_text plain;
};

static int by_shown(const void *context, uint32_t a, uint32_t b)
{
    const struct shortened *rows = context;
    return rows[a].shown < rows[b].shown ? -1 : rows[a].shown > rows[b].shown;
}

static void shorten_all(struct names *n, const struct flm_table *table, size_t column,
                        struct flm_width room, enum flm_charset charset)
{
    struct flm_text scratch = {0}, piece = {0};
    for (size_t i = 0; i < flm_table_row_count(table); i++) {
        const struct flm_table_cell *cell = flm_table_cell_at(table, i, column);
        struct flm_bytes text = flm_showable(flm_table_cell_text(table, cell), charset, &scratch);
        piece.size = 0;
        flm_cells_add_name(&piece, text, room, charset);
        n->row[i] = (struct shortened){
            .name = flm_hash(text.at, text.size),
            .shown = flm_hash(piece.at, piece.size),
            .from = n->plain.size,
            .size = text.size,
        };
        flm_text_add(&n->plain, text);
    }
    n->plain.failed |= scratch.failed || piece.failed;
    flm_text_clear(&scratch);
    flm_text_clear(&piece);
}

/* The rows from `at` that read the same; whether their names do. */
static size_t end_of_same(const struct names *n, size_t at, size_t count, bool *is_one)
{
    const struct shortened *first = &n->row[n->order[at]];
    *is_one = true;
    for (; at < count && n->row[n->order[at]].shown == first->shown; at++)
        *is_one &= n->row[n->order[at]].name == first->name;
    return at;
}

static bool tell_apart(struct names *n, size_t count, double room, enum flm_charset charset,
                       struct flm_table_names *names)
{
    size_t listed = 0;
    struct flm_font font = flm_cells_font(charset);
    for (size_t at = 0, end; at < count; at = end) {
        bool is_one;
        end = end_of_same(n, at, count, &is_one);
        for (size_t i = at; i < end && !is_one; i++) {
            const struct shortened *row = &n->row[n->order[i]];
            n->scratch[listed] = n->order[i];
            n->list[listed++] = (struct flm_short_name){
                .plain = {n->plain.at + row->from, row->size},
                .function = row->name,
                .room = room,
                .font = &font,
            };
        }
    }
    if (listed == 0)
        return true;
    names->row = calloc(count, sizeof *names->row);
    if (!names->row || !flm_short_names(n->list, listed, flm_cells_ellipsis(charset), &names->text))
        return false;
    for (size_t i = 0; i < listed; i++)
        names->row[n->scratch[i]] = (struct flm_table_name){n->list[i].from, n->list[i].size};
    return true;
}

bool flm_table_names_init(struct flm_table_names *names, const struct flm_table *table,
                          size_t column, size_t room, enum flm_charset charset)
{
    size_t count = flm_table_row_count(table);
    struct names n = {
        .row = malloc((count + 1) * sizeof *n.row),
        .order = malloc((count + 1) * sizeof *n.order),
        .scratch = malloc((count + 1) * sizeof *n.scratch),
        .list = malloc((count + 1) * sizeof *n.list),
    };
    *names = (struct flm_table_names){0};
    bool good = n.row && n.order && n.scratch && n.list;
    if (good) {
        shorten_all(&n, table, column, (struct flm_width){room}, charset);
        for (size_t i = 0; i < count; i++)
            n.order[i] = (uint32_t)i;
        flm_sort(n.order, count, n.scratch, by_shown, n.row);
        good = !n.plain.failed && tell_apart(&n, count, (double)room, charset, names);
    }
    free(n.row);
    free(n.order);
    free(n.scratch);
    free(n.list);
    flm_text_clear(&n.plain);
    if (!good)
        flm_table_names_clear(names);
    return good;
}

void flm_table_names_clear(struct flm_table_names *names)
{
    flm_text_clear(&names->text);
    free(names->row);
    *names = (struct flm_table_names){0};
}
