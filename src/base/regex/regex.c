#include "base/regex/regex.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/regex/internal.h"

/* Two ways to run a program. Finding: threads visit, symbol by symbol, every instruction that a way
 * of matching has reached, and know where each match began. Searching: an automaton remembers the
 * sets of instructions that were reached so far, as states, and which symbol leads from one to
 * another. After a few names each symbol takes one table lookup: 1.3 ns, against 10 to 80 for
 * threads. But a state only knows that there is a match, not where. */

/* ---- Threads --------------------------------------------------------------------------------- */

/* Instructions that are reached, each once, in the order in which their matches begin. */
struct threads {
    size_t count;
    uint16_t *at;       /* the instruction */
    size_t *start;      /* where its match begins */
    uint16_t *position; /* the index of an instruction in `at`, if it is there: see contains */
};

/* What precedes an offset of the text; for ^ \b \B. */
enum before { BEFORE_NOTHING, BEFORE_WORD, BEFORE_OTHER };

static enum before before_of(uint32_t symbol)
{
    return flm_symbol_is_word(symbol) ? BEFORE_WORD : BEFORE_OTHER;
}

static bool contains(const struct threads *threads, size_t instruction)
{
    size_t position = threads->position[instruction];
    return position < threads->count && threads->at[position] == instruction;
}

static void add(struct threads *threads, size_t instruction, size_t start)
{
    if (contains(threads, instruction))
        return;
    threads->position[instruction] = (uint16_t)threads->count;
    threads->at[threads->count] = (uint16_t)instruction;
    threads->start[threads->count] = start;
    threads->count++;
}

/* Adds an instruction and all that follow from it without taking a symbol, between `before` and the
 * symbol `after`. */
static void follow(const struct flm_regex *regex, struct threads *threads, size_t instruction,
                   size_t start, enum before before, uint32_t after)
{
    bool edge = (before == BEFORE_WORD) != flm_symbol_is_word(after);
    size_t done = threads->count;
    for (add(threads, instruction, start); done < threads->count; done++) {
        size_t at = threads->at[done];
        size_t target = at + (size_t)(ptrdiff_t)regex->code.at[at].offset;
        switch ((enum flm_op)regex->code.at[at].op) {
        case FLM_OP_SPLIT:
            add(threads, at + 1, start);
            add(threads, target, start);
            break;
        case FLM_OP_JUMP:
            add(threads, target, start);
            break;
        case FLM_OP_MARK:
            add(threads, at + 1, start);
            break;
        case FLM_OP_BEGIN:
            if (before == BEFORE_NOTHING)
                add(threads, at + 1, start);
            break;
        case FLM_OP_END:
            if (after == FLM_SYMBOL_END)
                add(threads, at + 1, start);
            break;
        case FLM_OP_EDGE:
            if (edge)
                add(threads, at + 1, start);
            break;
        case FLM_OP_NO_EDGE:
            if (!edge)
                add(threads, at + 1, start);
            break;
        case FLM_OP_TAKE:
        case FLM_OP_MATCH:
            break;
        }
    }
}

static bool takes(const struct flm_regex *regex, size_t instruction, uint32_t symbol)
{
    const struct flm_instruction *in = &regex->code.at[instruction];
    if (in->op != FLM_OP_TAKE)
        return false;
    const struct flm_symbol_range *ranges = regex->ranges.at + in->range;
    size_t low = 0, high = in->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].last < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return low < in->range_count && ranges[low].first <= symbol;
}

/* ---- The scratch ----------------------------------------------------------------------------- */

/* A state is the set of instructions that the symbols so far lead to, not yet followed, and what
 * precedes them; the start of the program is in each, because a match may begin anywhere. Whether a
 * match ends here depends on the next symbol, so that is found one symbol late.
 *
 * States are rows of one table: an entry, for a class of symbols, is the offset of the next state's
 * row, or one of these values. When the table is full, it is emptied and filled again: nothing is
 * allocated while searching, and no pattern can take more memory than that. */
enum {
    UNKNOWN = 0,
    DEAD = 1,    /* nothing can match any more */
    MATCHED = 2, /* something has */
    FIRST_ROW = 3
};

/* The states of one regex: usually some dozens, of 100 bytes. Large patterns get at least 8 states,
 * whatever their size. */
enum { TABLE_BYTES = 256 * 1024, LEAST_STATES = 8 };

struct flm_regex_scratch {
    struct threads threads; /* those at the current offset, followed */
    struct threads waiting; /* those that have taken the next symbol */

    size_t row_size;   /* entries: one per class, and one for the end of the text */
    size_t word_count; /* of 64 instructions each */
    size_t state_count, state_capacity;
    uint32_t *rows;   /* state s from FIRST_ROW + s * row_size on */
    uint64_t *words;  /* the instructions of state s from s * word_count on */
    uint8_t *befores; /* enum before */
    uint64_t *next;   /* the instructions of a state under construction */

    uint32_t *slots; /* hash table of states: its number plus 1, or 0 */
    size_t slot_mask;

    uint32_t start; /* row of the state before the first symbol; UNKNOWN: not made yet */
    uint32_t idle;  /* row of the state that only `first_byte` leads out of; UNKNOWN: none */
    uint64_t visits;
};

static bool threads_init(struct threads *threads, size_t count)
{
    threads->at = malloc(count * sizeof *threads->at);
    threads->start = malloc(count * sizeof *threads->start);
    threads->position = calloc(count, sizeof *threads->position);
    return threads->at && threads->start && threads->position;
}

static void threads_clear(struct threads *threads)
{
    free(threads->at);
    free(threads->start);
    free(threads->position);
}

struct flm_regex_scratch *flm_regex_scratch_new(const struct flm_regex *regex,
                                                struct flm_error *why)
{
    struct flm_regex_scratch *s = calloc(1, sizeof *s);
    if (!s) {
        flm_error_memory(why);
        return NULL;
    }
    s->row_size = regex->class_first.count + 1;
    s->word_count = (regex->code.count + 63) / 64;
    size_t state_bytes = s->row_size * sizeof *s->rows + s->word_count * sizeof *s->words +
                         sizeof *s->befores + 4 * sizeof *s->slots;
    s->state_capacity = TABLE_BYTES / state_bytes;
    if (s->state_capacity < LEAST_STATES)
        s->state_capacity = LEAST_STATES;
    size_t slot_count = 16;
    while (slot_count < 2 * s->state_capacity)
        slot_count *= 2;
    s->slot_mask = slot_count - 1;

    s->rows = malloc((FIRST_ROW + s->state_capacity * s->row_size) * sizeof *s->rows);
    s->words = malloc(s->state_capacity * s->word_count * sizeof *s->words);
    s->befores = malloc(s->state_capacity * sizeof *s->befores);
    s->next = malloc(s->word_count * sizeof *s->next);
    s->slots = calloc(slot_count, sizeof *s->slots);
    bool ok = threads_init(&s->threads, regex->code.count) &&
              threads_init(&s->waiting, regex->code.count);
    if (!ok || !s->rows || !s->words || !s->befores || !s->next || !s->slots) {
        flm_error_memory(why);
        flm_regex_scratch_free(s);
        return NULL;
    }
    return s;
}

void flm_regex_scratch_free(struct flm_regex_scratch *scratch)
{
    if (!scratch)
        return;
    threads_clear(&scratch->threads);
    threads_clear(&scratch->waiting);
    free(scratch->rows);
    free(scratch->words);
    free(scratch->befores);
    free(scratch->next);
    free(scratch->slots);
    free(scratch);
}

uint64_t flm_regex_visits(const struct flm_regex_scratch *scratch)
{
    return scratch->visits;
}

/* ---- Searching: the automaton ---------------------------------------------------------------- */

static uint32_t row_of(const struct flm_regex_scratch *s, size_t state)
{
    return (uint32_t)(FIRST_ROW + state * s->row_size);
}

static void forget_states(struct flm_regex_scratch *s)
{
    s->state_count = 0;
    s->start = s->idle = UNKNOWN;
    memset(s->slots, 0, (s->slot_mask + 1) * sizeof *s->slots);
}

/* The state of the instructions in `next`, old or new, as its row. */
static uint32_t find_state(const struct flm_regex *regex, struct flm_regex_scratch *s,
                           enum before before)
{
    size_t bytes = s->word_count * sizeof *s->words;
    bool empty = true;
    for (size_t i = 0; i < s->word_count; i++)
        empty &= s->next[i] == 0;
    if (empty && regex->anchored && before != BEFORE_NOTHING)
        return DEAD;
    /* A difference that no instruction can see must not make more states. */
    if ((before == BEFORE_WORD && !regex->uses_edges) ||
        (before == BEFORE_NOTHING && !regex->uses_begin) || (empty && regex->starts_anyhow))
        before = BEFORE_OTHER;

    size_t home = (flm_hash(s->next, bytes) + before) & s->slot_mask, slot = home;
    for (; s->slots[slot]; slot = (slot + 1) & s->slot_mask) {
        size_t state = s->slots[slot] - 1;
        if (s->befores[state] == before &&
            memcmp(s->words + state * s->word_count, s->next, bytes) == 0)
            return row_of(s, state);
    }
    if (s->state_count == s->state_capacity) {
        forget_states(s);
        slot = home;
    }
    size_t state = s->state_count++;
    s->slots[slot] = (uint32_t)state + 1;
    s->befores[state] = (uint8_t)before;
    memcpy(s->words + state * s->word_count, s->next, bytes);
    uint32_t row = row_of(s, state);
    memset(s->rows + row, 0, s->row_size * sizeof *s->rows);
    if (empty && regex->first_byte >= 0)
        s->idle = row;
    return row;
}

static uint32_t find_start(const struct flm_regex *regex, struct flm_regex_scratch *s)
{
    if (s->start == UNKNOWN) {
        memset(s->next, 0, s->word_count * sizeof *s->next);
        uint32_t start = find_state(regex, s, BEFORE_NOTHING);
        s->start = start;
    }
    return s->start;
}

/* The state that the class `class_index` leads to from the state of `row`, by running the
 * program. */
static uint32_t make_step(const struct flm_regex *regex, struct flm_regex_scratch *s, uint32_t row,
                          size_t class_index)
{
    size_t state = (row - FIRST_ROW) / s->row_size;
    const uint64_t *words = s->words + state * s->word_count;
    enum before before = (enum before)s->befores[state];
    bool at_end = class_index == regex->class_first.count;
    uint32_t symbol = at_end ? FLM_SYMBOL_END : regex->class_first.at[class_index];

    struct threads *threads = &s->threads;
    threads->count = 0;
    for (size_t i = 0; i < s->word_count; i++)
        for (size_t bit = 0; bit < 64 && words[i] >> bit > 0; bit++)
            if (words[i] >> bit & 1)
                follow(regex, threads, i * 64 + bit, 0, before, symbol);
    follow(regex, threads, 0, 0, before, symbol);
    s->visits += threads->count;

    uint32_t next;
    if (contains(threads, regex->code.count - 1)) {
        next = MATCHED;
    } else if (at_end) {
        next = DEAD;
    } else {
        memset(s->next, 0, s->word_count * sizeof *s->next);
        for (size_t i = 0; i < threads->count; i++)
            if (takes(regex, threads->at[i], symbol)) {
                size_t target = threads->at[i] + 1u;
                s->next[target / 64] |= (uint64_t)1 << target % 64;
            }
        size_t count = s->state_count;
        next = find_state(regex, s, before_of(symbol));
        if (s->state_count < count)
            return next; /* the table was emptied, and this row with it */
    }
    s->rows[row + class_index] = next;
    return next;
}

static size_t class_of(const struct flm_regex *regex, uint32_t symbol)
{
    size_t low = 0, high = regex->class_first.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (regex->class_first.at[middle] <= symbol)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool flm_regex_search(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                      struct flm_bytes text)
{
    const uint32_t *rows = scratch->rows;
    uint32_t row = find_start(regex, scratch);
    size_t at = 0;
    while (row > MATCHED) {
        if (row == scratch->idle && at < text.size) {
            const char *first = memchr(text.at + at, regex->first_byte, text.size - at);
            if (!first)
                return false;
            at = (size_t)(first - text.at);
        }
        size_t class_index;
        if (at == text.size) {
            class_index = regex->class_first.count;
        } else if ((unsigned char)text.at[at] < 0x80) {
            class_index = regex->class_of_ascii[(unsigned char)text.at[at++]];
        } else {
            uint32_t symbol;
            at += flm_symbol_read(text.at + at, text.size - at, &symbol);
            class_index = class_of(regex, symbol);
        }
        uint32_t next = rows[row + class_index];
        row = next != UNKNOWN ? next : make_step(regex, scratch, row, class_index);
    }
    return row == MATCHED;
}

/* ---- Finding: the threads -------------------------------------------------------------------- */

/* Only ASCII letters are word characters, and their bytes are in no other character. */
static enum before before_offset(struct flm_bytes text, size_t at)
{
    return at == 0 ? BEFORE_NOTHING : before_of((unsigned char)text.at[at - 1]);
}

bool flm_regex_find_from(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                         struct flm_bytes text, size_t from, size_t *start, size_t *end)
{
    assert(from <= text.size);
    struct threads *threads = &scratch->threads, *waiting = &scratch->waiting;
    size_t match = regex->code.count - 1;
    enum before before = before_offset(text, from);
    bool found = false;
    waiting->count = 0;
    for (size_t at = from;;) {
        if (waiting->count == 0 && !found && regex->first_byte >= 0 && at < text.size) {
            const char *first = memchr(text.at + at, regex->first_byte, text.size - at);
            at = first ? (size_t)(first - text.at) : text.size;
        }
        uint32_t symbol = FLM_SYMBOL_END;
        size_t size = 0;
        if (at < text.size)
            size = flm_symbol_read(text.at + at, text.size - at, &symbol);

        /* The thread that began first comes first, and keeps the instructions that others reach as
         * well. */
        threads->count = 0;
        for (size_t i = 0; i < waiting->count; i++)
            follow(regex, threads, waiting->at[i], waiting->start[i], before, symbol);
        if (!found && (!regex->anchored || at == 0))
            follow(regex, threads, 0, at, before, symbol);
        scratch->visits += threads->count;

        if (contains(threads, match)) {
            found = true;
            *start = threads->start[threads->position[match]];
            *end = at;
        }
        waiting->count = 0;
        for (size_t i = 0; i < threads->count && size > 0; i++) {
            if (found && threads->start[i] > *start)
                break;
            if (takes(regex, threads->at[i], symbol))
                add(waiting, threads->at[i] + 1u, threads->start[i]);
        }
        if (size == 0 || (waiting->count == 0 && (found || regex->anchored)))
            return found;
        before = before_of(symbol);
        at += size;
    }
}

bool flm_regex_find_by_threads(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                               struct flm_bytes text, size_t *start, size_t *end)
{
    return flm_regex_find_from(regex, scratch, text, 0, start, end);
}

bool flm_regex_find(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                    struct flm_bytes text, size_t *start, size_t *end)
{
    return flm_regex_search(regex, scratch, text) &&
           flm_regex_find_by_threads(regex, scratch, text, start, end);
}
