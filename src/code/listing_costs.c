/* listing_costs.c - what lines, inlined code and addresses of a function cost: one pass over its
 * nodes (listing_nodes.c). */
#include <assert.h>
#include <math.h>

#include "base/core/hash.h"
#include "base/core/sort.h"
#include "code/internal.h"

/* Deeper ones are part of what they are inlined into. */
enum { DEEPEST = 100 };

struct open_node {
    uint32_t end, line, address; /* items */
};

struct collecting {
    const struct flm_listing_subject *subject;
    const struct flm_profile *p;
    struct flm_code_nodes nodes;
    struct flm_code_costs *costs;
    bool keeps_apart; /* what was before is at no address of this build */
    struct FLM_ARRAY(struct open_node) open;
    uint32_t sum_end; /* where the subtree ends that was counted last */
};

static uint64_t hash_of(const struct flm_code_item *item)
{
    const uint64_t key[6] = {(uint64_t)item->kind << 32 | item->parent,
                             (uint64_t)item->function << 32 | item->module,
                             (uint64_t)item->file << 32 | item->line, item->address};
    return flm_hash(key, sizeof key);
}

/* FLM_NONE: there is none. */
static uint32_t find_item(const struct flm_code_costs *costs, const struct flm_code_item *item)
{
    uint32_t hash = (uint32_t)(hash_of(item) >> 32);
    for (struct flm_probe at = flm_index_probe(&costs->index, hash);
         flm_index_next(&costs->index, &at);) {
        const struct flm_code_item *other = &costs->items.at[at.found];
        if (other->kind != item->kind || other->parent != item->parent)
            continue;
        if (item->kind == FLM_CODE_ADDRESS
                ? other->address == item->address
                : other->function == item->function && other->module == item->module &&
                      other->file == item->file && other->line == item->line)
            return at.found;
    }
    return FLM_NONE;
}

/* The number of the item, added when it is new; FLM_NONE if memory ran out. */
static uint32_t item_of(struct flm_code_costs *costs, const struct flm_code_item *item)
{
    uint32_t found = find_item(costs, item);
    if (found != FLM_NONE)
        return found;
    uint32_t hash = (uint32_t)(hash_of(item) >> 32);
    uint32_t number = (uint32_t)costs->items.count;
    if (!FLM_ARRAY_ADD(&costs->items, *item) || !flm_index_add(&costs->index, hash, number))
        return FLM_NONE;
    return number;
}

enum sides { AFTER = 1, BEFORE = 2, BOTH = 3 };

/* Self and total of a node; of a stack that has an item several times, the total once. */
static void add_cost(struct collecting *c, uint32_t number, uint32_t node, enum sides sides)
{
    struct flm_code_item *item = &c->costs->items.at[number];
    const struct flm_code_node *n = &c->nodes.at[node];
    bool is_first = item->seen_end <= node;
    if (is_first)
        item->seen_end = n->end;
    if (sides & AFTER) {
        item->cost.self += n->cost.self;
        item->cost.total += is_first ? n->cost.total : 0;
    }
    if (sides & BEFORE) {
        item->before.self += n->before.self;
        item->before.total += is_first ? n->before.total : 0;
    }
}

/* The address of an open node that may be in the same instruction, the nearest one behind it; 0:
 * none. */
static uint64_t open_behind(const struct collecting *c, uint64_t address)
{
    enum { LONGEST_INSTRUCTION = 15 };
    for (uint64_t behind = address + 1; behind < address + LONGEST_INSTRUCTION; behind++) {
        const struct flm_code_item item = {
            .kind = FLM_CODE_ADDRESS, .parent = FLM_NONE, .address = behind};
        uint32_t found = find_item(c->costs, &item);
        if (found != FLM_NONE && c->costs->items.at[found].open_count > 0)
            return behind;
    }
    return 0;
}

/* A nearer one is the only one that can be in the same instruction. */
static void add_nested(struct collecting *c, struct flm_code_item *item, uint32_t node)
{
    uint64_t behind = item->address ? open_behind(c, item->address) : 0;
    if (behind == 0 || (item->nested_in != 0 && behind > item->nested_in))
        return;
    if (behind != item->nested_in)
        item->nested = item->nested_before = 0;
    item->nested_in = behind;
    item->nested += c->nodes.at[node].cost.total;
    item->nested_before += c->keeps_apart ? 0 : c->nodes.at[node].before.total;
}

/* Where the sum of the function itself is taken. */
static void add_sum(struct collecting *c, uint32_t node)
{
    struct flm_code_costs *costs = c->costs;
    const struct flm_code_node *n = &c->nodes.at[node];
    costs->sum.self += n->cost.self;
    costs->sum_before.self += n->before.self;
    if (c->sum_end > node)
        return;
    c->sum_end = n->end;
    costs->sum.total += n->cost.total;
    costs->sum_before.total += n->before.total;
}

static bool add_line(struct collecting *c, uint32_t node, const struct flm_location *where,
                     uint32_t parent, uint32_t *line)
{
    const struct flm_frame_record *f = &c->p->frames[c->nodes.at[node].frame];
    const struct flm_code_item item = {
        .kind = FLM_CODE_LINE,
        .parent = parent,
        .depth = parent == FLM_NONE ? 0 : c->costs->items.at[parent].depth,
        .function = f->function,
        .module = f->module,
        .file = where->file,
        .line = where->line,
    };
    *line = item_of(c->costs, &item);
    if (*line != FLM_NONE)
        add_cost(c, *line, node, BOTH);
    return *line != FLM_NONE;
}

static bool add_inlined(struct collecting *c, uint32_t node, uint32_t at_line, uint32_t *heading)
{
    const struct flm_frame_record *f = &c->p->frames[c->nodes.at[node].frame];
    const struct flm_code_item item = {
        .kind = FLM_CODE_INLINED,
        .parent = at_line,
        .depth = c->costs->items.at[at_line].depth + 1,
        .function = f->function,
        .module = f->module,
    };
    *heading = item_of(c->costs, &item);
    if (*heading != FLM_NONE)
        add_cost(c, *heading, node, BOTH);
    return *heading != FLM_NONE;
}

/* What is inlined deeper than DEEPEST: its self is that of the line that it is part of, whose total
 * has it already. */
static void add_deeper(struct collecting *c, uint32_t node, uint32_t line)
{
    const uint32_t parts[] = {line, c->costs->items.at[line].parent};
    for (int i = 0; i < 2; i++) {
        struct flm_code_item *item = &c->costs->items.at[parts[i]];
        item->cost.self += c->nodes.at[node].cost.self;
        item->before.self += c->nodes.at[node].before.self;
    }
}

/* What was before, in the machine code of another build. */
static bool add_elsewhere(struct collecting *c, uint32_t node)
{
    const struct flm_code_item item = {
        .kind = FLM_CODE_ADDRESS, .parent = FLM_NONE, .address = FLM_CODE_ELSEWHERE};
    uint32_t elsewhere = item_of(c->costs, &item);
    if (elsewhere != FLM_NONE)
        add_cost(c, elsewhere, node, BEFORE);
    return elsewhere != FLM_NONE;
}

/* The address of a node; inlined code without one is at that of what it was inlined into. */
static bool add_address(struct collecting *c, uint32_t node, const struct flm_location *where,
                        const struct open_node *inlined_into, uint32_t line, uint32_t *address)
{
    uint32_t depth = line == FLM_NONE ? 0 : c->costs->items.at[line].depth;
    *address = FLM_NONE;
    if (c->keeps_apart && c->nodes.at[node].before.total != 0 && !add_elsewhere(c, node))
        return false;
    if (c->keeps_apart && c->nodes.at[node].cost.total == 0)
        return true;
    struct flm_code_item item = {
        .kind = FLM_CODE_ADDRESS, .parent = FLM_NONE, .address = where->address};
    const struct flm_code_item *outer = inlined_into && inlined_into->address != FLM_NONE
                                            ? &c->costs->items.at[inlined_into->address]
                                            : NULL;
    if (outer && item.address == 0)
        item.address = outer->address;
    uint32_t site_file = outer ? outer->site_file : where->file;
    uint32_t site_line = outer ? outer->site_line : where->line;
    *address = item_of(c->costs, &item);
    if (*address == FLM_NONE)
        return false;
    struct flm_code_item *made = &c->costs->items.at[*address];
    if (where->line && (depth >= made->depth || made->line == 0)) {
        made->file = where->file;
        made->line = where->line;
        made->depth = depth;
    }
    made->site_file = site_file;
    made->site_line = site_line;
    if (made->seen_end <= node)
        add_nested(c, made, node);
    add_cost(c, *address, node, c->keeps_apart ? AFTER : BOTH);
    return true;
}

static void close_node(struct collecting *c)
{
    const struct open_node *last = &c->open.at[--c->open.count];
    if (last->address != FLM_NONE)
        c->costs->items.at[last->address].open_count--;
}

/* Inlined code has the address of what it was inlined into: at another one it was called. (The part
 * of a function that the compiler split off is such code, and has its name.) */
static bool is_at(const struct collecting *c, const struct open_node *into,
                  const struct flm_location *where)
{
    uint64_t address = into->address == FLM_NONE ? 0 : c->costs->items.at[into->address].address;
    return where->address == 0 || address == 0 || where->address == address;
}

static bool add_node(struct collecting *c, uint32_t node)
{
    const struct flm_code_node *n = &c->nodes.at[node];
    while (c->open.count > 0 && c->open.at[c->open.count - 1].end <= node)
        close_node(c);
    struct open_node *into = c->open.count > 0 ? &c->open.at[c->open.count - 1] : NULL;
    struct open_node made = {n->end, FLM_NONE, FLM_NONE};
    /* What the function calls is not part of it, unless it was inlined into it: its parent is. */
    bool is_inlined = into && into->line != FLM_NONE && !n->is_apart &&
                      c->p->frames[n->frame].kind == FLM_KIND_INLINED;
    bool is_itself = n->is_subject;
    struct flm_location where;
    if (is_itself || is_inlined)
        where = flm_code_where(&c->nodes, n->frame, n->location);
    else if (!into)
        return true;
    is_inlined = is_inlined && is_at(c, into, &where);
    if (is_itself) {
        add_sum(c, node);
        if (!add_line(c, node, &where, FLM_NONE, &made.line))
            return false;
    }
    if (is_inlined && !is_itself && c->costs->items.at[into->line].depth == DEEPEST) {
        made.line = into->line;
        add_deeper(c, node, made.line);
    } else if (is_inlined && !is_itself) {
        uint32_t heading;
        if (!add_inlined(c, node, into->line, &heading) ||
            !add_line(c, node, &where, heading, &made.line))
            return false;
    }
    if ((is_itself || is_inlined) &&
        !add_address(c, node, &where, is_inlined ? into : NULL, made.line, &made.address))
        return false;
    if (made.address != FLM_NONE)
        c->costs->items.at[made.address].open_count++;
    return FLM_ARRAY_ADD(&c->open, made);
}

/* ---- In order -------------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_items(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_code_costs *costs = context;
    const struct flm_code_item *x = &costs->items.at[a], *y = &costs->items.at[b];
    int order = compare(x->kind == FLM_CODE_ADDRESS, y->kind == FLM_CODE_ADDRESS);
    order = order ? order : compare((uint32_t)(x->parent + 1), (uint32_t)(y->parent + 1));
    if (order)
        return order;
    if (x->kind == FLM_CODE_ADDRESS)
        return compare(x->address, y->address);
    if (x->kind == FLM_CODE_INLINED && fabs(x->cost.total) != fabs(y->cost.total))
        return fabs(x->cost.total) > fabs(y->cost.total) ? -1 : 1;
    /* The function's own file first; what has no line last. */
    order = compare(x->line == 0, y->line == 0);
    order = order ? order : compare(x->file != costs->file, y->file != costs->file);
    order = order ? order : compare(x->file, y->file);
    order = order ? order : compare(x->line, y->line);
    order = order ? order : compare(x->function, y->function);
    return order ? order : compare(x->module, y->module);
}

static bool sort_items(struct flm_code_costs *costs)
{
    uint32_t count = (uint32_t)costs->items.count, *scratch = malloc((count + 1) * sizeof *scratch);
    costs->order = malloc((count + 1) * sizeof *costs->order);
    costs->first = calloc(count + 1, sizeof *costs->first);
    costs->count = calloc(count + 1, sizeof *costs->count);
    costs->files = malloc((count + 1) * sizeof *costs->files);
    bool good = scratch && costs->order && costs->first && costs->count && costs->files;
    for (uint32_t i = 0; good && i < count; i++)
        costs->order[i] = i;
    if (good)
        flm_sort(costs->order, count, scratch, order_items, costs);
    free(scratch);
    costs->address_first = count;
    for (uint32_t i = count; good && i-- > 0;) {
        const struct flm_code_item *item = &costs->items.at[costs->order[i]];
        if (item->kind == FLM_CODE_ADDRESS) {
            costs->address_first = i;
        } else if (item->parent == FLM_NONE) {
            costs->root_count++;
        } else {
            costs->first[item->parent] = i;
            costs->count[item->parent]++;
        }
    }
    return good;
}

/* ---- What the subject is --------------------------------------------------------------------- */

/* Where it begins, as far as its frames have it. */
static void find_begin(struct collecting *c)
{
    for (uint32_t i = 1; i < c->p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &c->p->frames[i];
        if (!c->nodes.is_subject[i])
            continue;
        if (!c->costs->file && f->file)
            c->costs->file = f->file;
        if (!c->nodes.frames_have_lines && f->line && f->file == c->costs->file &&
            (!c->costs->line || f->line < c->costs->line))
            c->costs->line = f->line;
    }
    if (c->subject->file)
        c->costs->file = c->subject->file;
}

/* Where no frame has the file: that of the first line. */
static void find_file(struct flm_code_costs *costs)
{
    for (size_t i = 0; i < costs->items.count && !costs->file; i++)
        if (costs->items.at[i].kind == FLM_CODE_LINE && costs->items.at[i].parent == FLM_NONE)
            costs->file = costs->items.at[i].file;
}

static void list_files(struct flm_code_costs *costs)
{
    if (costs->file)
        costs->files[costs->file_count++] = costs->file;
    for (uint32_t i = 0; i < costs->root_count; i++) {
        uint32_t file = costs->items.at[costs->order[i]].file;
        size_t k = 0;
        while (k < costs->file_count && costs->files[k] != file)
            k++;
        if (file && k == costs->file_count)
            costs->files[costs->file_count++] = file;
    }
}

/* The same in each run of the program: by names. */
static void add_keys(struct flm_code_costs *costs, const struct flm_profile *p)
{
    for (size_t i = 0; i < costs->items.count; i++) {
        struct flm_code_item *item = &costs->items.at[i];
        uint64_t above = item->parent == FLM_NONE ? 0 : costs->items.at[item->parent].key;
        item->key =
            item->kind == FLM_CODE_INLINED
                ? flm_listing_key(above, item->kind, flm_string_bytes(p, item->function), 0)
                : flm_listing_key(above, item->kind, flm_string_bytes(p, item->file), item->line);
    }
}

/* Whether the function is still there. */
static bool is_after(const struct flm_code_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->at[i].is_subject && nodes->at[i].cost.total != 0)
            return true;
    return false;
}

static bool collect(struct collecting *c)
{
    const struct flm_listing_subject *s = c->subject;
    bool good = flm_code_nodes_init(&c->nodes, s);
    if (good)
        find_begin(c);
    c->keeps_apart = good && s->before.index != FLM_NONE && s->other_build && is_after(&c->nodes);
    for (uint32_t i = 0; good && i < c->nodes.count; i++)
        good = add_node(c, i);
    if (good)
        find_file(c->costs);
    good = good && sort_items(c->costs);
    if (good) {
        list_files(c->costs);
        add_keys(c->costs, c->p);
    }
    flm_code_nodes_clear(&c->nodes);
    FLM_ARRAY_CLEAR(&c->open);
    return good;
}

bool flm_code_costs_init(struct flm_code_costs *costs, const struct flm_listing_subject *subject,
                         struct flm_error *why)
{
    *costs = (struct flm_code_costs){0};
    struct collecting c = {.subject = subject, .p = subject->profile, .costs = costs};
    if (collect(&c))
        return true;
    flm_code_costs_clear(costs);
    return flm_error_memory(why);
}

void flm_code_costs_clear(struct flm_code_costs *costs)
{
    FLM_ARRAY_CLEAR(&costs->items);
    flm_index_clear(&costs->index);
    free(costs->order);
    free(costs->first);
    free(costs->count);
    free(costs->files);
    *costs = (struct flm_code_costs){0};
}
