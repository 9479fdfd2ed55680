/* listing_source.c - the rows of source: lines with a cost, lines around them, folds for what is
 * far from any, and inlined code below the line where it was inlined. */
#include "code/internal.h"

enum { CONTEXT = 3, CONTEXT_OF_INLINED = 1 };

struct arranging {
    const struct flm_listing *listing;
    const struct flm_code_costs *costs;
    const struct flm_code_store *store;
    const struct flm_listing_options *options;
    struct flm_listing_column *column;
};

/* Lines of which the text is known: 0 where it is not there. */
static uint32_t lines_of(const struct arranging *a, uint32_t file)
{
    const struct flm_line_index *lines =
        a->store && file
            ? flm_code_store_lines(a->store, flm_string_bytes(a->listing->subject.profile, file))
            : NULL;
    return lines ? (uint32_t)lines->count : 0;
}

static bool add_one(struct arranging *a, struct flm_listing_run run)
{
    return flm_listing_add(a->column, &run, 1);
}

/* Lines [from, to) without a cost. */
static bool add_lines(struct arranging *a, uint32_t file, uint32_t from, uint32_t to,
                      uint32_t depth)
{
    const struct flm_listing_run run = {.item = FLM_NONE,
                                        .kind = FLM_LISTING_LINE,
                                        .depth = (unsigned char)depth,
                                        .file = file,
                                        .line = from};
    return to <= from || flm_listing_add(a->column, &run, to - from);
}

/* The same, folded where they are many: `head` and `tail` of them are near a cost. */
static bool add_between(struct arranging *a, uint32_t file, uint32_t from, uint32_t to,
                        uint32_t head, uint32_t tail, uint32_t depth, uint64_t above)
{
    uint32_t last = lines_of(a, file);
    to = to <= last + 1 ? to : last + 1;
    if (to <= from)
        return true;
    if (to - from <= head + tail + 1 || a->options->whole[FLM_LISTING_SOURCE])
        return add_lines(a, file, from, to, depth);
    uint32_t first = from + head, end = to - tail;
    struct flm_bytes name = flm_string_bytes(a->listing->subject.profile, file);
    struct flm_listing_run fold = {.item = FLM_NONE,
                                   .kind = FLM_LISTING_FOLD,
                                   .depth = (unsigned char)depth,
                                   .file = file,
                                   .line = first,
                                   .count = end - first,
                                   .key = flm_listing_key(above, FLM_LISTING_FOLD, name, first),
                                   .can_open = true};
    fold.is_open = flm_listing_is_open(a->options, fold.key, false);
    return add_lines(a, file, from, first, depth) && add_one(a, fold) &&
           (!fold.is_open || add_lines(a, file, first, end, depth)) &&
           add_lines(a, file, end, to, depth);
}

static bool add_group(struct arranging *a, uint32_t first, uint32_t count, uint32_t parent);

/* The code that was inlined at a line, the most expensive first. */
static bool add_inlined(struct arranging *a, uint32_t line)
{
    const struct flm_code_costs *costs = a->costs;
    for (uint32_t i = 0; i < costs->count[line]; i++) {
        uint32_t number = costs->order[costs->first[line] + i];
        const struct flm_code_item *item = &costs->items.at[number];
        struct flm_listing_run run = {.item = number,
                                      .kind = FLM_LISTING_INLINED,
                                      .depth = (unsigned char)item->depth,
                                      .key = item->key,
                                      .can_open = true};
        const struct flm_code_item *begin = &costs->items.at[costs->order[costs->first[number]]];
        run.file = begin->file;
        run.line = begin->line;
        run.is_open = flm_listing_is_open(a->options, item->key, true);
        if (!add_one(a, run) ||
            (run.is_open && !add_group(a, costs->first[number], costs->count[number], number)))
            return false;
    }
    return true;
}

static bool add_item(struct arranging *a, uint32_t number)
{
    const struct flm_code_item *item = &a->costs->items.at[number];
    const struct flm_listing_run run = {.item = number,
                                        .kind = item->line ? FLM_LISTING_LINE : FLM_LISTING_UNKNOWN,
                                        .depth = (unsigned char)item->depth,
                                        .file = item->file,
                                        .line = item->line};
    return add_one(a, run) && add_inlined(a, number);
}

/* The heading of a function among several. */
static bool add_function(struct arranging *a, uint32_t number, uint32_t line)
{
    return add_one(a, (struct flm_listing_run){.item = number,
                                               .kind = FLM_LISTING_FUNCTION,
                                               .file = a->costs->items.at[number].file,
                                               .line = line});
}

/* Whether an item of the group before this one is of the same function. */
static bool is_new_function(const struct arranging *a, uint32_t first, uint32_t at)
{
    const struct flm_code_item *item = &a->costs->items.at[a->costs->order[at]];
    for (uint32_t i = at; i-- > first;) {
        const struct flm_code_item *before = &a->costs->items.at[a->costs->order[i]];
        if (before->function == item->function && before->module == item->module)
            return false;
    }
    return true;
}

/* Where the lines of a group begin in a file. */
static uint32_t beginning(const struct arranging *a, uint32_t file, uint32_t line, uint32_t context,
                          bool is_inlined)
{
    uint32_t near = line > context ? line - context : 1;
    if (!is_inlined && a->options->whole[FLM_LISTING_SOURCE])
        return 1;
    bool is_known =
        !is_inlined && file == a->costs->file && a->costs->line > 0 && a->costs->line < near;
    return is_known ? a->costs->line : near;
}

/* The lines behind the last one with a cost; `next` UINT32_MAX: they are there already. */
static bool add_end(struct arranging *a, uint32_t file, uint32_t next, uint32_t context,
                    uint32_t depth, uint64_t above, bool is_inlined)
{
    bool to_end = !is_inlined && a->options->whole[FLM_LISTING_SOURCE];
    return file == FLM_NONE || next == UINT32_MAX ||
           add_between(a, file, next, to_end ? UINT32_MAX - 1 : next + context, context, 0, depth,
                       above);
}

/* Lines of the function, or of code that was inlined, with those between them. */
static bool add_group(struct arranging *a, uint32_t first, uint32_t count, uint32_t parent)
{
    const struct flm_code_costs *costs = a->costs;
    bool is_inlined = parent != FLM_NONE;
    uint32_t context = is_inlined ? CONTEXT_OF_INLINED : CONTEXT, file = FLM_NONE, next = 0;
    uint32_t depth = is_inlined ? costs->items.at[parent].depth : 0;
    uint64_t above = is_inlined ? costs->items.at[parent].key : 0;
    uint32_t shown_function = FLM_NONE;
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t number = costs->order[i];
        const struct flm_code_item *item = &costs->items.at[number];
        if (item->file != file || !item->line) { /* what has no line is at the end */
            if (!add_end(a, file, next, context, depth, above, is_inlined))
                return false;
            next = UINT32_MAX;
        }
        if (item->line && item->file != file) {
            if (!is_inlined &&
                !add_one(a, (struct flm_listing_run){
                                .item = FLM_NONE, .kind = FLM_LISTING_FILE, .file = item->file}))
                return false;
            file = item->file;
            next = beginning(a, file, item->line, context, is_inlined);
        }
        bool is_other = a->listing->subject.file && !is_inlined && item->line &&
                        item->function != shown_function && is_new_function(a, first, i);
        shown_function = item->function;
        if (item->line &&
            !add_between(a, file, next, item->line, next + context >= item->line ? 0 : context,
                         context, depth, above))
            return false;
        if (is_other && !add_function(a, number, item->line))
            return false;
        if (!add_item(a, number))
            return false;
        if (item->line)
            next = item->line + 1;
    }
    return add_end(a, file, next, context, depth, above, is_inlined);
}

bool flm_listing_arrange_source(struct flm_listing *l, const struct flm_code_store *store,
                                const struct flm_listing_options *options)
{
    struct arranging a = {l, &l->costs, store, options, &l->column[FLM_LISTING_SOURCE]};
    return add_group(&a, 0, l->costs.root_count, FLM_NONE);
}
