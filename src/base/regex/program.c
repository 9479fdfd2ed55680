#include "base/regex/internal.h"

/* The code is made in one pass over a pattern. Its latest part, an atom, is the end of the code;
 * `*` inserts a split before it and adds a jump after it. Open groups are an array, so that no
 * depth of parentheses exhausts the stack. */

bool flm_program_refuse_size(const struct flm_program *p)
{
    return flm_error_byte(p->why, FLM_ERROR_FORMAT, *p->offset,
                          "the pattern is too large: up to here it takes more than %d instructions",
                          FLM_REGEX_LIMIT);
}

/* ---- Code ------------------------------------------------------------------------------------ */

static bool emit(struct flm_program *p, struct flm_instruction instruction)
{
    struct flm_regex *r = p->regex;
    if (r->code.count == FLM_REGEX_LIMIT)
        return flm_program_refuse_size(p);
    return FLM_ARRAY_ADD(&r->code, instruction) || flm_error_memory(p->why);
}

/* Inserts it before the code at `at`, which moves as a whole: its offsets stay valid, and an offset
 * from outside to its start now leads to the new instruction. */
static bool insert(struct flm_program *p, size_t at, struct flm_instruction instruction)
{
    if (!emit(p, instruction))
        return false;
    struct flm_instruction *code = p->regex->code.at;
    memmove(code + at + 1, code + at, (p->regex->code.count - 1 - at) * sizeof *code);
    code[at] = instruction;
    return true;
}

static struct flm_instruction instruction(enum flm_op op, ptrdiff_t offset)
{
    return (struct flm_instruction){.op = (uint16_t)op, .offset = (int16_t)offset};
}

static bool copy(struct flm_program *p, size_t from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!emit(p, p->regex->code.at[from + i]))
            return false;
    return true;
}

bool flm_program_add_assertion(struct flm_program *p, enum flm_op op)
{
    p->atom = p->regex->code.count;
    return emit(p, instruction(op, 0));
}

/* Repeats the atom, from `least` to `most` times. */
bool flm_program_repeat(struct flm_program *p, unsigned least, unsigned most)
{
    struct flm_regex *r = p->regex;
    size_t atom = p->atom, size = r->code.count - atom;
    if (size == 0)
        return true;
    if (most == 0) {
        r->code.count = atom;
        return true;
    }
    for (unsigned i = 1; i < least; i++)
        if (!copy(p, atom, size))
            return false;

    if (most == FLM_REGEX_UNLIMITED && least > 0) /* repeats the last copy */
        return emit(p, instruction(FLM_OP_SPLIT, -(ptrdiff_t)size));
    if (most == FLM_REGEX_UNLIMITED)
        return insert(p, atom, instruction(FLM_OP_SPLIT, (ptrdiff_t)size + 2)) &&
               emit(p, instruction(FLM_OP_JUMP, -(ptrdiff_t)size - 1));

    /* x{2,4} is x x split x split x, both splits to the end. */
    size_t optional = least > 0 ? r->code.count : atom;
    if (least == 0) {
        if (!insert(p, atom++, instruction(FLM_OP_SPLIT, 0)))
            return false;
        least = 1;
    }
    for (unsigned i = least; i < most; i++)
        if (!emit(p, instruction(FLM_OP_SPLIT, 0)) || !copy(p, atom, size))
            return false;
    for (size_t split = optional; split < r->code.count; split += size + 1)
        r->code.at[split].offset = (int16_t)(r->code.count - split);
    return true;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static struct flm_regex_group *innermost(struct flm_program *p)
{
    return &p->groups.at[p->groups.count - 1];
}

static bool add_mark(struct flm_program *p, size_t mark)
{
    struct flm_instruction in = {.op = FLM_OP_MARK, .range = (uint16_t)mark};
    return emit(p, in);
}

/* `marked`: ( ), not (?: ). */
bool flm_program_open_group(struct flm_program *p, size_t offset, bool marked)
{
    size_t mark = FLM_NO_OFFSET, start = p->regex->code.count;
    if (marked && p->has_groups && p->regex->group_count < FLM_REGEX_GROUPS) {
        mark = 2 * p->regex->group_count++;
        if (!add_mark(p, mark++))
            return false;
    }
    struct flm_regex_group group = {offset, start, p->regex->code.count, FLM_NO_OFFSET, mark};
    if (!FLM_ARRAY_ADD(&p->groups, group))
        return flm_error_memory(p->why);
    p->atom = FLM_NO_OFFSET;
    return true;
}

/* After `a` of `a|b`: split to b; a; jump to the end. Until the end is known, the offset of a jump
 * is the distance back to the previous jump, or 0: there is none. */
bool flm_program_add_alternative(struct flm_program *p)
{
    struct flm_regex_group *group = innermost(p);
    struct flm_regex *r = p->regex;
    size_t size = r->code.count - group->alternative;
    if (!insert(p, group->alternative, instruction(FLM_OP_SPLIT, (ptrdiff_t)size + 2)))
        return false;
    size_t jump = r->code.count;
    size_t back = group->last_jump == FLM_NO_OFFSET ? 0 : jump - group->last_jump;
    if (!emit(p, instruction(FLM_OP_JUMP, (ptrdiff_t)back)))
        return false;
    group->last_jump = jump;
    group->alternative = r->code.count;
    p->atom = FLM_NO_OFFSET;
    return true;
}

bool flm_program_close_group(struct flm_program *p)
{
    struct flm_regex_group *group = innermost(p);
    struct flm_instruction *code = p->regex->code.at;
    for (size_t jump = group->last_jump; jump != FLM_NO_OFFSET;) {
        size_t back = (size_t)code[jump].offset;
        code[jump].offset = (int16_t)(p->regex->code.count - jump);
        jump = back == 0 ? FLM_NO_OFFSET : jump - back;
    }
    p->atom = group->start;
    p->groups.count--;
    return group->mark == FLM_NO_OFFSET || add_mark(p, group->mark);
}

/* ---- Sets ------------------------------------------------------------------------------------ */

bool flm_program_add_range(struct flm_program *p, uint32_t first, uint32_t last)
{
    struct flm_regex *r = p->regex;
    if (r->ranges.count == FLM_REGEX_LIMIT)
        return flm_program_refuse_size(p);
    struct flm_symbol_range range = {first, last};
    return FLM_ARRAY_ADD(&r->ranges, range) || flm_error_memory(p->why);
}

/* Sorts the ranges from `set` on and joins those that touch. By insertion: they are few, and
 * usually in order. */
static void join_ranges(struct flm_regex *r, size_t set)
{
    struct flm_symbol_range *ranges = r->ranges.at;
    for (size_t i = set + 1; i < r->ranges.count; i++) {
        struct flm_symbol_range range = ranges[i];
        size_t at = i;
        for (; at > set && ranges[at - 1].first > range.first; at--)
            ranges[at] = ranges[at - 1];
        ranges[at] = range;
    }
    size_t kept = set;
    for (size_t i = set; i < r->ranges.count; i++) {
        if (kept > set && ranges[i].first <= ranges[kept - 1].last + 1) {
            if (ranges[kept - 1].last < ranges[i].last)
                ranges[kept - 1].last = ranges[i].last;
        } else {
            ranges[kept++] = ranges[i];
        }
    }
    r->ranges.count = kept;
}

/* Replaces the ranges from `set` on, sorted and joined, by the gaps between them. */
static bool negate(struct flm_program *p, size_t set)
{
    struct flm_regex *r = p->regex;
    size_t end = r->ranges.count, kept = set;
    uint32_t next = 0; /* the first symbol after the ranges so far */
    for (size_t i = set; i < end; i++) {
        struct flm_symbol_range range = r->ranges.at[i];
        if (range.first > next)
            r->ranges.at[kept++] = (struct flm_symbol_range){next, range.first - 1};
        next = range.last + 1;
    }
    r->ranges.count = kept;
    return next == FLM_SYMBOL_COUNT || flm_program_add_range(p, next, FLM_SYMBOL_COUNT - 1);
}

static bool has(const struct flm_regex *r, size_t set, uint32_t symbol)
{
    for (size_t i = set; i < r->ranges.count; i++)
        if (symbol >= r->ranges.at[i].first && symbol <= r->ranges.at[i].last)
            return true;
    return false;
}

static bool fold(struct flm_program *p, size_t set)
{
    for (uint32_t lower = 'a', upper = 'A'; lower <= 'z'; lower++, upper++) {
        bool has_lower = has(p->regex, set, lower), has_upper = has(p->regex, set, upper);
        if (has_lower && !has_upper && !flm_program_add_range(p, upper, upper))
            return false;
        if (has_upper && !has_lower && !flm_program_add_range(p, lower, lower))
            return false;
    }
    return true;
}

/* Adds an instruction that takes one of the symbols of the ranges from `set` on. */
bool flm_program_add_take(struct flm_program *p, size_t set, bool negated)
{
    if (p->fold && !fold(p, set))
        return false;
    join_ranges(p->regex, set);
    if (negated && !negate(p, set))
        return false;
    struct flm_instruction take = {.op = FLM_OP_TAKE, .range = (uint16_t)set};
    take.range_count = (uint16_t)(p->regex->ranges.count - set);
    p->atom = p->regex->code.count;
    return emit(p, take);
}

bool flm_program_add_literal(struct flm_program *p, uint32_t symbol)
{
    size_t set = p->regex->ranges.count;
    return flm_program_add_range(p, symbol, symbol) && flm_program_add_take(p, set, false);
}

/* Adds the ranges of \d and the others. */
bool flm_program_add_class(struct flm_program *p, int letter)
{
    static const struct flm_symbol_range digits[] = {{'0', '9'}};
    static const struct flm_symbol_range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const struct flm_symbol_range spaces[] = {{'\t', '\r'}, {' ', ' '}};
    int lower = letter | 0x20;
    const struct flm_symbol_range *ranges = lower == 'd' ? digits : lower == 'w' ? words : spaces;
    size_t count = lower == 'd' ? 1 : lower == 'w' ? 4 : 2;

    size_t set = p->regex->ranges.count;
    for (size_t i = 0; i < count; i++)
        if (!flm_program_add_range(p, ranges[i].first, ranges[i].last))
            return false;
    return letter == lower || negate(p, set);
}

bool flm_program_end(struct flm_program *p)
{
    return flm_program_close_group(p) && emit(p, instruction(FLM_OP_MATCH, 0));
}
