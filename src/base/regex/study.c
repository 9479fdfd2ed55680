#include <stdlib.h>

#include "base/regex/internal.h"

/* Adds the first symbol of a class, unless it is there. */
static bool add_class_first(struct flm_regex *r, struct flm_error *why, uint32_t first)
{
    size_t low = 0, high = r->class_first.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->class_first.at[middle] < first)
            low = middle + 1;
        else
            high = middle;
    }
    if (first == FLM_SYMBOL_COUNT ||
        (low < r->class_first.count && r->class_first.at[low] == first))
        return true;
    if (!FLM_ARRAY_ADD(&r->class_first, first))
        return flm_error_memory(why);
    uint32_t *class_first = r->class_first.at;
    memmove(class_first + low + 1, class_first + low,
            (r->class_first.count - 1 - low) * sizeof *class_first);
    class_first[low] = first;
    return true;
}

static bool find_classes(struct flm_regex *r, struct flm_error *why)
{
    if (!add_class_first(r, why, 0))
        return false;
    if (r->uses_edges)
        for (uint32_t symbol = 1; symbol < 128; symbol++)
            if (flm_symbol_is_word(symbol) != flm_symbol_is_word(symbol - 1) &&
                !add_class_first(r, why, symbol))
                return false;
    for (size_t i = 0; i < r->ranges.count; i++)
        if (!add_class_first(r, why, r->ranges.at[i].first) ||
            !add_class_first(r, why, r->ranges.at[i].last + 1))
            return false;
    for (uint32_t symbol = 0, index = 0; symbol < 128; symbol++) {
        if (index + 1 < r->class_first.count && r->class_first.at[index + 1] == symbol)
            index++;
        r->class_of_ascii[symbol] = (uint8_t)index;
    }
    return true;
}

/* Instructions that are reached without taking a symbol, each once. */
struct reached {
    size_t count;
    uint16_t *at;
    bool *is_reached; /* of each instruction */
};

static void reach(struct reached *reached, size_t instruction)
{
    if (!reached->is_reached[instruction]) {
        reached->is_reached[instruction] = true;
        reached->at[reached->count++] = (uint16_t)instruction;
    }
}

/* The one ASCII byte that an instruction takes; -1: it takes others too. */
static int only_byte(const struct flm_regex *r, const struct flm_instruction *in)
{
    if (in->range_count != 1)
        return -1;
    struct flm_symbol_range range = r->ranges.at[in->range];
    return range.first == range.last && range.first < 128 ? (int)range.first : -1;
}

/* From the first instruction up to those that take a symbol, and to the match. */
static void study_starts(struct flm_regex *r, struct reached *reached)
{
    bool first = true;
    r->anchored = r->starts_anyhow = true;
    r->first_byte = -1;
    reach(reached, 0);
    for (size_t i = 0; i < reached->count; i++) {
        size_t at = reached->at[i];
        const struct flm_instruction *in = &r->code.at[at];
        switch ((enum flm_op)in->op) {
        case FLM_OP_SPLIT:
            reach(reached, at + 1);
            reach(reached, at + (size_t)(ptrdiff_t)in->offset);
            break;
        case FLM_OP_JUMP:
            reach(reached, at + (size_t)(ptrdiff_t)in->offset);
            break;
        case FLM_OP_MARK:
            reach(reached, at + 1);
            break;
        case FLM_OP_END:
        case FLM_OP_EDGE:
        case FLM_OP_NO_EDGE:
            r->starts_anyhow = false;
            reach(reached, at + 1);
            break;
        case FLM_OP_BEGIN: /* the rest is only reached at the start of the text */
            r->starts_anyhow = false;
            break;
        case FLM_OP_TAKE:
        case FLM_OP_MATCH:
            r->anchored = false;
            if (first)
                r->first_byte = only_byte(r, in);
            else if (r->first_byte != only_byte(r, in))
                r->first_byte = -1;
            first = false;
            break;
        }
    }
    if (!r->starts_anyhow)
        r->first_byte = -1;
}

static bool find_starts(struct flm_regex *r, struct flm_error *why)
{
    struct reached reached = {
        .at = malloc(r->code.count * sizeof *reached.at),
        .is_reached = calloc(r->code.count, sizeof *reached.is_reached),
    };
    bool ok = reached.at && reached.is_reached;
    if (ok)
        study_starts(r, &reached);
    free(reached.at);
    free(reached.is_reached);
    return ok || flm_error_memory(why);
}

bool flm_regex_study(struct flm_regex *r, struct flm_error *why)
{
    for (size_t i = 0; i < r->code.count; i++) {
        r->uses_begin |= r->code.at[i].op == FLM_OP_BEGIN;
        r->uses_edges |= r->code.at[i].op == FLM_OP_EDGE || r->code.at[i].op == FLM_OP_NO_EDGE;
    }
    return find_classes(r, why) && find_starts(r, why);
}
