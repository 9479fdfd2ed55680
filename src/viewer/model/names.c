#include "viewer/model/names.h"

#include <stdlib.h>

#include "base/core/scan.h"
#include "base/regex/regex.h"
#include "viewer/model/fuzzy.h"

unsigned char *flm_names_uses(const struct flm_profile *p, struct flm_error *why)
{
    unsigned char *uses = calloc(p->sizes.string_count, 1);
    if (!uses) {
        flm_error_memory(why);
        return NULL;
    }
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *frame = &p->frames[i];
        uses[frame->function] |= FLM_USED_AS_NAME;
        uses[frame->file] |= FLM_USED_AS_FILE;
        uses[frame->module] |= FLM_USED_AS_MODULE;
    }
    return uses;
}

static bool is_capital(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static char small(char byte)
{
    return is_capital(byte) ? (char)(byte - 'A' + 'a') : byte;
}

static char capital(char byte)
{
    return byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
}

bool flm_names_any_case(const struct flm_names_query *query)
{
    if (query->exact_case || query->ignores_case)
        return query->ignores_case;
    for (size_t i = 0; i < query->text.size; i++) {
        if (query->kind == FLM_SEARCH_REGEX && query->text.at[i] == '\\')
            i++;
        else if (is_capital(query->text.at[i]))
            return false;
    }
    return true;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* A text to be found from its rarest byte on. */
struct needle {
    struct flm_bytes text;
    bool any_case;
    size_t rare;    /* where that byte is in the text */
    char low, high; /* the byte, in both cases when that does not matter */
};

static struct needle needle_of(struct flm_bytes text, bool any_case, size_t rare)
{
    char byte = text.at[rare];
    return (struct needle){text, any_case, rare, any_case ? small(byte) : byte,
                           any_case ? capital(byte) : byte};
}

/* Which byte of the text is rarest in the strings, by 16 KiB of them from everywhere: 10 us, and
 * what it saves is a comparison for each byte that is not rare. */
static size_t rarest(struct flm_bytes text, bool any_case, struct flm_bytes strings)
{
    enum { PIECE = 256, PIECES = 64 };
    uint32_t count[256] = {0};
    size_t step = strings.size / PIECES;
    for (size_t piece = 0; piece < PIECES; piece++) {
        const char *at = strings.at + piece * step;
        size_t size = step < PIECE ? step : PIECE;
        for (size_t i = 0; i < size; i++)
            count[(unsigned char)at[i]]++;
    }
    size_t best = 0;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < text.size; i++) {
        uint32_t here = count[(unsigned char)text.at[i]];
        if (any_case && small(text.at[i]) != capital(text.at[i]))
            here =
                count[(unsigned char)small(text.at[i])] + count[(unsigned char)capital(text.at[i])];
        if (here < least) {
            least = here;
            best = i;
        }
    }
    return best;
}

static bool stands_at(const struct needle *needle, const char *at)
{
    if (!needle->any_case)
        return memcmp(at, needle->text.at, needle->text.size) == 0;
    for (size_t i = 0; i < needle->text.size; i++)
        if (small(at[i]) != small(needle->text.at[i]))
            return false;
    return true;
}

/* Where it stands at or behind `at`, whole before `end`; NULL where it does not. */
static const char *next_place(const struct needle *needle, const char *at, const char *end)
{
    size_t size = needle->text.size;
    if (size == 0 || end < at || (size_t)(end - at) < size)
        return NULL;
    const char *last = end - size + needle->rare + 1; /* the rare byte stands before it */
    at += needle->rare;
    while ((at = flm_find_either(at, last, needle->low, needle->high)) < last) {
        if (stands_at(needle, at - needle->rare))
            return at - needle->rare;
        at++;
    }
    return NULL;
}

bool flm_names_place(struct flm_bytes name, struct flm_bytes text, bool any_case, size_t *at)
{
    if (text.size == 0 || name.size == 0)
        return false;
    struct needle needle = needle_of(text, any_case, 0);
    const char *place = next_place(&needle, name.at, name.at + name.size);
    if (place)
        *at = (size_t)(place - name.at);
    return place != NULL;
}

/* In all strings at once. What stands across the end of one is not in it. */
static void find_text(const struct flm_profile *p, const struct needle *needle,
                      unsigned char *matches)
{
    uint32_t count = p->sizes.string_count, string = 0;
    const char *begin = p->string_bytes, *end = begin + p->string_ends[count - 1];
    const char *at = next_place(needle, begin, end);
    while (at) {
        size_t offset = (size_t)(at - begin);
        while (p->string_ends[string] <= offset)
            string++;
        if (offset + needle->text.size <= p->string_ends[string]) {
            matches[string] = 1;
            at = begin + p->string_ends[string];
        } else {
            at++;
        }
        at = next_place(needle, at, end);
    }
}

static void find_text_again(const struct flm_profile *p, const struct needle *needle,
                            const unsigned char *among, unsigned char *matches)
{
    for (uint32_t i = 0; i < p->sizes.string_count; i++) {
        if (!among[i])
            continue;
        struct flm_bytes string = flm_string_bytes(p, i);
        matches[i] = next_place(needle, string.at, string.at + string.size) != NULL;
    }
}

/* ---- The other kinds ------------------------------------------------------------------------- */

static bool find_regex(const struct flm_profile *p, const unsigned char *among,
                       struct flm_bytes pattern, bool any_case, struct flm_names *result,
                       struct flm_error *why)
{
    result->regex = any_case ? flm_regex_new_any_case(pattern, why) : flm_regex_new(pattern, why);
    result->scratch = result->regex ? flm_regex_scratch_new(result->regex, why) : NULL;
    if (!result->scratch)
        return false;
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        result->matches[i] =
            among[i] && flm_regex_search(result->regex, result->scratch, flm_string_bytes(p, i));
    return true;
}

static void find_fuzzy(const struct flm_profile *p, const unsigned char *among,
                       struct flm_bytes text, bool any_case, unsigned char *matches,
                       unsigned char *candidate)
{
    struct flm_fuzzy fuzzy;
    flm_fuzzy_init(&fuzzy, text, any_case);
    for (uint32_t i = 0; i < p->sizes.string_count; i++) {
        if (!among[i])
            continue;
        struct flm_bytes string = flm_string_bytes(p, i);
        candidate[i] = flm_fuzzy_possible(&fuzzy, string);
        matches[i] = candidate[i] && flm_fuzzy_accepts(&fuzzy, flm_fuzzy_cost(&fuzzy, string));
    }
}

/* ---- A query --------------------------------------------------------------------------------- */

/* Whether all that `query` can find is among the candidates that there are. An expression says
 * nothing about a longer one. */
static bool narrows(const struct flm_names *names, const struct flm_names_query *query)
{
    struct flm_names_query before = names->query;
    before.text = (struct flm_bytes){names->text.at, names->text.size};
    bool has_before = names->matches && before.text.size > 0 && query->kind == before.kind;
    bool is_stricter = flm_names_any_case(&before) || !flm_names_any_case(query);
    if (!has_before || !is_stricter || (query->wanted & ~before.wanted) != 0)
        return false;
    size_t at;
    switch (query->kind) {
    case FLM_SEARCH_TEXT:
        return flm_names_place(query->text, before.text, flm_names_any_case(&before), &at);
    case FLM_SEARCH_FUZZY:
        return before.text.size <= query->text.size &&
               memcmp(before.text.at, query->text.at, before.text.size) == 0;
    default:
        return false;
    }
}

static bool make_room(struct flm_names *result, const struct flm_profile *p,
                      const struct flm_names_query *query, struct flm_error *why)
{
    *result = (struct flm_names){
        .matches = calloc(p->sizes.string_count, 1),
        .candidate = calloc(p->sizes.string_count, 1),
        .query = {.kind = query->kind,
                  .exact_case = query->exact_case,
                  .wanted = query->wanted,
                  .ignores_case = query->ignores_case},
    };
    flm_text_add(&result->text, query->text);
    return (result->matches && result->candidate && !result->text.failed) || flm_error_memory(why);
}

/* `among` is by string, and has the strings that can match. */
static bool fill(struct flm_names *result, const struct flm_profile *p, const unsigned char *among,
                 bool again, struct flm_error *why)
{
    struct flm_names_query query = result->query;
    query.text = (struct flm_bytes){result->text.at, result->text.size};
    uint32_t count = p->sizes.string_count;
    bool any_case = flm_names_any_case(&query);
    if (query.kind == FLM_SEARCH_REGEX)
        return find_regex(p, among, query.text, any_case, result, why);
    if (query.kind == FLM_SEARCH_FUZZY) {
        find_fuzzy(p, among, query.text, any_case, result->matches, result->candidate);
        return true;
    }
    struct flm_bytes strings = {p->string_bytes, p->string_ends[count - 1]};
    struct needle needle = needle_of(query.text, any_case, rarest(query.text, any_case, strings));
    if (again) {
        find_text_again(p, &needle, among, result->matches);
    } else {
        find_text(p, &needle, result->matches);
        for (uint32_t i = 0; i < count; i++)
            result->matches[i] &= among[i];
    }
    memcpy(result->candidate, result->matches, count);
    return true;
}

bool flm_names_find(struct flm_names *names, const struct flm_profile *p, const unsigned char *uses,
                    const struct flm_names_query *query, struct flm_error *why)
{
    struct flm_names result;
    uint32_t count = p->sizes.string_count;
    bool again = narrows(names, query);
    unsigned char *among = malloc(count);
    bool ok = make_room(&result, p, query, why) && (among || flm_error_memory(why));
    for (uint32_t i = 0; ok && i < count; i++)
        among[i] = (uses[i] & query->wanted) != 0 && (!again || names->candidate[i]);
    if (ok && query->text.size > 0)
        ok = fill(&result, p, among, again, why);
    free(among);
    flm_names_clear(ok ? names : &result);
    if (ok)
        *names = result;
    return ok;
}

bool flm_names_part(const struct flm_names *names, struct flm_bytes name, size_t *from, size_t *to)
{
    struct flm_names_query query = names->query;
    query.text = (struct flm_bytes){names->text.at, names->text.size};
    bool any_case = flm_names_any_case(&query);
    if (query.text.size == 0)
        return false;
    if (query.kind == FLM_SEARCH_REGEX)
        return names->scratch && flm_regex_find(names->regex, names->scratch, name, from, to);
    if (query.kind == FLM_SEARCH_FUZZY) {
        struct flm_fuzzy fuzzy;
        flm_fuzzy_init(&fuzzy, query.text, any_case);
        return flm_fuzzy_accepts(&fuzzy, flm_fuzzy_cost(&fuzzy, name)) &&
               flm_fuzzy_part(&fuzzy, name, from, to);
    }
    if (!flm_names_place(name, query.text, any_case, from))
        return false;
    *to = *from + query.text.size;
    return true;
}

void flm_names_clear(struct flm_names *names)
{
    free(names->matches);
    free(names->candidate);
    flm_text_clear(&names->text);
    flm_regex_scratch_free(names->scratch);
    flm_regex_free(names->regex);
    *names = (struct flm_names){0};
}
