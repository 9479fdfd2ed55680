#include "base/core/sort_texts.h"

#include <stdlib.h>

#include "base/core/array.h"

/* Eight bytes of a text, as a number that is larger where they are; and how much of the text
 * begins there: of two that have the same eight, with zeros behind the end, the shorter is less. */
struct piece {
    uint64_t key;
    uint32_t item;
    uint32_t rest; /* 0 to 8; 9: more, and the next eight decide */
};

struct range {
    size_t start, count, depth; /* depth: bytes that are the same in all of them */
};

struct sorting {
    flm_text_of text;
    const void *context;
    struct piece *pieces, *scratch;
    struct FLM_ARRAY(struct range) pending;
};

enum { CHUNK = 8, MORE = CHUNK + 1, SMALL = 12 };

static void read_piece(const struct sorting *s, size_t depth, struct piece *piece)
{
    struct flm_bytes text = flm_bytes_from(s->text(s->context, piece->item), depth);
    uint64_t key = 0;
    for (size_t i = 0; i < CHUNK; i++)
        key = key << 8 | (i < text.size ? (unsigned char)text.at[i] : 0);
    piece->key = key;
    piece->rest = text.size > CHUNK ? MORE : (uint32_t)text.size;
}

static inline bool is_less(const struct piece *a, const struct piece *b)
{
    return a->key != b->key ? a->key < b->key : a->rest < b->rest;
}

static void insert_each(struct piece *at, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct piece moved = at[i];
        size_t to = i;
        for (; to > 0 && is_less(&moved, &at[to - 1]); to--)
            at[to] = at[to - 1];
        at[to] = moved;
    }
}

/* Merges [0, middle) and [middle, count), which are sorted. */
static void merge(struct piece *at, size_t middle, size_t count, struct piece *scratch)
{
    if (!is_less(&at[middle], &at[middle - 1]))
        return; /* they are in order as they are: often all are */
    memcpy(scratch, at, middle * sizeof *at);
    size_t left = 0, right = middle, to = 0;
    while (left < middle)
        at[to++] =
            right < count && is_less(&at[right], &scratch[left]) ? at[right++] : scratch[left++];
}

static void sort_pieces(struct piece *at, size_t count, struct piece *scratch)
{
    for (size_t start = 0; start < count; start += SMALL)
        insert_each(at + start, count - start < SMALL ? count - start : SMALL);
    for (size_t size = SMALL; size < count; size *= 2)
        for (size_t start = 0; start + size < count; start += 2 * size)
            merge(at + start, size, count - start < 2 * size ? count - start : 2 * size, scratch);
}

/* How many bytes from `depth` on are the same in all of them. */
static size_t shared_by_all(const struct sorting *s, struct range range)
{
    const struct piece *at = s->pieces + range.start;
    struct flm_bytes first = flm_bytes_from(s->text(s->context, at[0].item), range.depth);
    size_t shared = first.size;
    for (size_t i = 1; i < range.count && shared > 0; i++) {
        struct flm_bytes other = flm_bytes_from(s->text(s->context, at[i].item), range.depth);
        size_t same = 0, most = other.size < shared ? other.size : shared;
        while (same < most && other.at[same] == first.at[same])
            same++;
        shared = same;
    }
    return shared;
}

static bool sort_range(struct sorting *s, struct range range)
{
    struct piece *at = s->pieces + range.start;
    if (range.count > 1)
        range.depth += shared_by_all(s, range);
    for (size_t i = 0; i < range.count; i++)
        read_piece(s, range.depth, &at[i]);
    sort_pieces(at, range.count, s->scratch);
    for (size_t i = 0; i < range.count;) {
        size_t first = i++;
        while (at[first].rest == MORE && i < range.count && at[i].rest == MORE &&
               at[i].key == at[first].key)
            i++;
        struct range same = {range.start + first, i - first, range.depth + CHUNK};
        if (same.count > 1 && !FLM_ARRAY_ADD(&s->pending, same))
            return false;
    }
    return true;
}

bool flm_sort_texts(uint32_t *items, size_t count, flm_text_of text, const void *context)
{
    struct sorting s = {.text = text,
                        .context = context,
                        .pieces = malloc((count + 1) * sizeof *s.pieces),
                        .scratch = malloc((count + 1) * sizeof *s.scratch)};
    bool good = s.pieces && s.scratch && FLM_ARRAY_ADD(&s.pending, ((struct range){0, count, 0}));
    for (size_t i = 0; good && i < count; i++)
        s.pieces[i].item = items[i];
    while (good && s.pending.count > 0)
        good = sort_range(&s, s.pending.at[--s.pending.count]);
    for (size_t i = 0; good && i < count; i++)
        items[i] = s.pieces[i].item;
    free(s.pieces);
    free(s.scratch);
    FLM_ARRAY_CLEAR(&s.pending);
    return good;
}
