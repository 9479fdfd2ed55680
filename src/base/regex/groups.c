/* groups.c - the groups of a match: flm_regex_find_groups.
 *
 * The start and end of the match are known: it is the leftmost and longest one. Usually there are
 * several ways to match exactly that text, and one of them has to be chosen. The program is run
 * over the match once more, and each thread has the marks that it has passed; threads are kept in
 * the order in which Perl would try them, and an instruction that is reached twice belongs to the
 * first. So the time is again linear in the text, times the instructions. */
#include <assert.h>
#include <stdlib.h>

#include "base/regex/internal.h"

struct marks {
    size_t at[FLM_REGEX_MARKS];
};

/* In the order of preference. */
struct threads {
    size_t count;
    uint16_t *at;
    struct marks *marks;
};

/* An instruction still to be followed at this offset of the text. */
struct pending {
    uint16_t at;
    struct marks marks;
};

struct grouping {
    const struct flm_regex *regex;
    struct threads now, next;
    struct pending *pending; /* a stack; an instruction is pushed twice at most */
    bool *is_reached;        /* of each instruction, at this offset */
};

static bool threads_init(struct threads *threads, size_t count)
{
    threads->at = malloc(count * sizeof *threads->at);
    threads->marks = malloc(count * sizeof *threads->marks);
    return threads->at && threads->marks;
}

static void threads_clear(struct threads *threads)
{
    free(threads->at);
    free(threads->marks);
}

/* Adds the instructions that `first` leads to without taking a symbol, in the order of
 * preference. */
static void follow(struct grouping *g, struct threads *threads, size_t first,
                   const struct marks *marks, size_t offset, uint32_t before, uint32_t after)
{
    size_t count = 0;
    g->pending[count++] = (struct pending){(uint16_t)first, *marks};
    while (count > 0) {
        struct pending p = g->pending[--count];
        if (g->is_reached[p.at])
            continue;
        g->is_reached[p.at] = true;
        const struct flm_instruction *in = &g->regex->code.at[p.at];
        struct pending behind = {(uint16_t)(p.at + 1), p.marks};
        struct pending target = {(uint16_t)(p.at + in->offset), p.marks};
        switch ((enum flm_op)in->op) {
        case FLM_OP_SPLIT: /* one that leads back is a repetition, which is preferred */
            g->pending[count++] = in->offset < 0 ? behind : target;
            g->pending[count++] = in->offset < 0 ? target : behind;
            break;
        case FLM_OP_JUMP:
            g->pending[count++] = target;
            break;
        case FLM_OP_MARK:
            behind.marks.at[in->range] = offset;
            g->pending[count++] = behind;
            break;
        case FLM_OP_BEGIN:
        case FLM_OP_END:
        case FLM_OP_EDGE:
        case FLM_OP_NO_EDGE:
            if (flm_symbols_assert((enum flm_op)in->op, before, after))
                g->pending[count++] = behind;
            break;
        case FLM_OP_TAKE:
        case FLM_OP_MATCH:
            threads->at[threads->count] = p.at;
            threads->marks[threads->count++] = p.marks;
            break;
        }
    }
}

static bool takes(const struct flm_regex *regex, const struct flm_instruction *in, uint32_t symbol)
{
    for (size_t i = 0; i < in->range_count; i++) {
        struct flm_symbol_range range = regex->ranges.at[in->range + i];
        if (symbol >= range.first && symbol <= range.last)
            return true;
    }
    return false;
}

static uint32_t symbol_at(struct flm_bytes text, size_t at, size_t *size)
{
    uint32_t symbol = FLM_SYMBOL_END;
    *size = at < text.size ? flm_symbol_read(text.at + at, text.size - at, &symbol) : 0;
    return symbol;
}

static void run(struct grouping *g, struct flm_bytes text, size_t start, size_t end,
                struct marks *found)
{
    size_t size, offset = start;
    /* Of the preceding character only letters matter, and their bytes are in no other character. */
    uint32_t before = start > 0 ? (unsigned char)text.at[start - 1] : FLM_SYMBOL_END;
    uint32_t after = symbol_at(text, offset, &size);
    struct marks none;
    for (size_t i = 0; i < FLM_REGEX_MARKS; i++)
        none.at[i] = FLM_NO_MARK;
    follow(g, &g->now, 0, &none, offset, before, after);
    while (offset < end) {
        before = after;
        uint32_t taken = after;
        offset += size;
        after = symbol_at(text, offset, &size);
        memset(g->is_reached, 0, g->regex->code.count * sizeof *g->is_reached);
        g->next.count = 0;
        for (size_t i = 0; i < g->now.count; i++) {
            const struct flm_instruction *in = &g->regex->code.at[g->now.at[i]];
            if (in->op == FLM_OP_TAKE && takes(g->regex, in, taken))
                follow(g, &g->next, g->now.at[i] + 1u, &g->now.marks[i], offset, before, after);
        }
        struct threads swap = g->now;
        g->now = g->next;
        g->next = swap;
    }
    for (size_t i = 0; i < g->now.count; i++)
        if (g->regex->code.at[g->now.at[i]].op == FLM_OP_MATCH) {
            *found = g->now.marks[i];
            return;
        }
}

bool flm_regex_find_groups(const struct flm_regex *regex, struct flm_bytes text, size_t start,
                           size_t end, size_t marks[FLM_REGEX_MARKS])
{
    assert(start <= end && end <= text.size);
    struct grouping g = {.regex = regex};
    struct marks found;
    bool room = threads_init(&g.now, regex->code.count) && threads_init(&g.next, regex->code.count);
    g.now.count = 0;
    g.pending = malloc((2 * regex->code.count + 1) * sizeof *g.pending);
    g.is_reached = calloc(regex->code.count, sizeof *g.is_reached);
    room = room && g.pending && g.is_reached;
    for (size_t i = 0; i < FLM_REGEX_MARKS; i++)
        found.at[i] = FLM_NO_MARK;
    if (room)
        run(&g, text, start, end, &found);
    memcpy(marks, found.at, sizeof found.at);
    threads_clear(&g.now);
    threads_clear(&g.next);
    free(g.pending);
    free(g.is_reached);
    return room;
}
