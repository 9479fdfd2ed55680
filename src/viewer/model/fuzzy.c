#include "viewer/model/fuzzy.h"

static bool is_small(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

static bool is_capital(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

/* Bytes above ASCII are parts of letters. */
static bool is_word(char byte)
{
    return is_small(byte) || is_capital(byte) || (byte >= '0' && byte <= '9') ||
           (unsigned char)byte >= 0x80;
}

static char small(char byte)
{
    return is_capital(byte) ? (char)(byte - 'A' + 'a') : byte;
}

void flm_fuzzy_init(struct flm_fuzzy *fuzzy, struct flm_bytes text, bool any_case)
{
    memset(fuzzy, 0, sizeof *fuzzy);
    fuzzy->any_case = any_case;
    for (size_t i = 0; i < text.size && fuzzy->count < FLM_FUZZY_LETTERS; i++) {
        if (flm_is_one_of(text.at[i], " \t"))
            continue;
        char letter = any_case ? small(text.at[i]) : text.at[i];
        uint64_t place = (uint64_t)1 << fuzzy->count;
        fuzzy->letter[fuzzy->count++] = letter;
        fuzzy->positions[(unsigned char)letter] |= place;
        if (any_case && is_small(letter))
            fuzzy->positions[(unsigned char)(letter - 'a' + 'A')] |= place;
    }
}

bool flm_fuzzy_possible(const struct flm_fuzzy *fuzzy, struct flm_bytes name)
{
    if (fuzzy->count == 0)
        return false;
    uint64_t last = (uint64_t)1 << (fuzzy->count - 1), wanted = 1;
    for (size_t i = 0; i < name.size; i++) {
        if (!(fuzzy->positions[(unsigned char)name.at[i]] & wanted))
            continue;
        if (wanted == last)
            return true;
        wanted <<= 1;
    }
    return false;
}

static bool begins_word(struct flm_bytes name, size_t at)
{
    if (at == 0)
        return true;
    char before = name.at[at - 1], here = name.at[at];
    if (!is_word(here))
        return true; /* a sign that was typed is meant: "::" */
    return !is_word(before) || (is_capital(here) && !is_capital(before));
}

/* The costs of having matched the first 1, 2, 3 ... letters, while a name is gone through. */
struct costs {
    int anywhere[FLM_FUZZY_LETTERS + 1]; /* by then; [0] is 0 */
    int adjacent[FLM_FUZZY_LETTERS + 1]; /* with the last of them just before */
    uint64_t live;                       /* which of `adjacent` are */
};

/* One byte of the name; the bits of `positions` are the letters that it may be. The last letters
 * come first, so that the byte is not taken for two of them. */
static void step(struct costs *costs, uint64_t positions, bool begins)
{
    uint64_t live = 0;
    for (uint64_t left = positions; left;) {
        unsigned i = 63u - (unsigned)__builtin_clzll(left);
        left ^= (uint64_t)1 << i;
        int cost = costs->anywhere[i] + (i == 0 ? (begins ? 0 : 2) : (begins ? 1 : 3));
        if (i > 0 && costs->live >> (i - 1) & 1 && costs->adjacent[i] < cost)
            cost = costs->adjacent[i];
        if (cost >= FLM_FUZZY_NEVER)
            continue;
        live |= (uint64_t)1 << i;
        costs->adjacent[i + 1] = cost;
        if (cost < costs->anywhere[i + 1])
            costs->anywhere[i + 1] = cost;
    }
    costs->live = live;
}

/* The cheapest match; *end receives where it first ends. */
static int cheapest(const struct flm_fuzzy *fuzzy, struct flm_bytes name, size_t *end)
{
    struct costs costs = {.live = 0};
    int best = FLM_FUZZY_NEVER;
    if (fuzzy->count == 0)
        return FLM_FUZZY_NEVER;
    for (unsigned i = 1; i <= fuzzy->count; i++)
        costs.anywhere[i] = FLM_FUZZY_NEVER;
    for (size_t i = 0; i < name.size; i++) {
        uint64_t positions = fuzzy->positions[(unsigned char)name.at[i]];
        if (!positions) {
            costs.live = 0;
            continue;
        }
        step(&costs, positions, begins_word(name, i));
        if (costs.anywhere[fuzzy->count] < best) {
            best = costs.anywhere[fuzzy->count];
            *end = i + 1;
        }
    }
    return best;
}

int flm_fuzzy_cost(const struct flm_fuzzy *fuzzy, struct flm_bytes name)
{
    size_t end;
    return cheapest(fuzzy, name, &end);
}

bool flm_fuzzy_part(const struct flm_fuzzy *fuzzy, struct flm_bytes name, size_t *from, size_t *to)
{
    size_t end = 0;
    if (cheapest(fuzzy, name, &end) >= FLM_FUZZY_NEVER)
        return false;
    size_t at = end;
    for (unsigned left = fuzzy->count; left > 0;)
        if (fuzzy->positions[(unsigned char)name.at[--at]] >> (left - 1) & 1)
            left--;
    *from = at;
    *to = end;
    return true;
}
