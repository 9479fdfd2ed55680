#include "record/runtime/jit_code.h"

#include <stdlib.h>

#include "flamel/profile.h"
#include "record/runtime/jit_name.h"

enum { MOST_VERSIONS = 4096 };

struct flm_jit_code *flm_jit_code_new(void)
{
    return calloc(1, sizeof(struct flm_jit_code));
}

void flm_jit_code_free(struct flm_jit_code *code)
{
    if (!code)
        return;
    flm_text_clear(&code->text);
    free(code->pieces);
    free(code->lines);
    free(code);
}

size_t flm_jit_code_count(const struct flm_jit_code *code)
{
    return code->count;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

struct flm_jit_text flm_jit_code_text(struct flm_jit_code *code, struct flm_bytes text)
{
    struct flm_jit_text kept = {(uint32_t)code->text.size, (uint32_t)text.size};
    if (text.size > UINT32_MAX - code->text.size)
        code->failed = true;
    if (code->failed)
        return (struct flm_jit_text){0, 0};
    flm_text_add(&code->text, text);
    code->failed |= code->text.failed;
    return kept;
}

void flm_jit_code_line(struct flm_jit_code *code, uint64_t offset, struct flm_jit_text file,
                       uint32_t line)
{
    void *lines = code->lines;
    if (code->line_count >= UINT32_MAX ||
        !flm_grow(&lines, &code->line_capacity, code->line_count + 1, sizeof *code->lines)) {
        code->failed = true;
        return;
    }
    code->lines = lines;
    code->lines[code->line_count] =
        (struct flm_jit_line){offset, file, line, (uint32_t)code->line_count};
    code->line_count++;
}

static void add_piece(struct flm_jit_code *code, struct flm_jit_piece piece)
{
    void *pieces = code->pieces;
    if (code->count >= UINT32_MAX ||
        !flm_grow(&pieces, &code->capacity, code->count + 1, sizeof *code->pieces)) {
        code->failed = true;
        return;
    }
    code->pieces = pieces;
    piece.order = (uint32_t)code->count;
    code->pieces[code->count++] = piece;
}

static uint64_t last_of(uint64_t start, uint64_t size)
{
    uint64_t behind = size > 0 ? size - 1 : 0;
    return behind > UINT64_MAX - start ? UINT64_MAX : start + behind;
}

static int by_offset(const void *a, const void *b)
{
    const struct flm_jit_line *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void flm_jit_code_add(struct flm_jit_code *code, uint64_t start, uint64_t size, int64_t time_ns,
                      struct flm_jit_text name)
{
    size_t first = code->lines_taken, count = code->line_count - first;
    if (count > 1)
        qsort(code->lines + first, count, sizeof *code->lines, by_offset);
    code->lines_taken = code->line_count;
    add_piece(code, (struct flm_jit_piece){.start = start,
                                           .last = last_of(start, size),
                                           .time_ns = time_ns,
                                           .name = name,
                                           .line_start = (uint32_t)first,
                                           .line_count = (uint32_t)count});
}

void flm_jit_code_move(struct flm_jit_code *code, size_t index, uint64_t start, uint64_t size,
                       int64_t time_ns)
{
    struct flm_jit_piece piece = code->pieces[index];
    piece.start = start;
    piece.last = last_of(start, size);
    piece.time_ns = time_ns;
    add_piece(code, piece);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct flm_jit_piece *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Each half is not deeper than the one before: 32 levels are enough for 32 bits. */
static uint64_t set_reach(struct flm_jit_piece *pieces, size_t count)
{
    if (count == 0)
        return 0;
    size_t middle = count / 2;
    uint64_t left = set_reach(pieces, middle);
    uint64_t right = set_reach(pieces + middle + 1, count - middle - 1);
    uint64_t reach = pieces[middle].last;
    if (reach < left)
        reach = left;
    if (reach < right)
        reach = right;
    pieces[middle].reach = reach;
    return reach;
}

struct flm_jit_code *flm_jit_code_finish(struct flm_jit_code *code)
{
    if (code && code->failed) {
        flm_jit_code_free(code);
        return NULL;
    }
    if (code && code->count > 0) {
        qsort(code->pieces, code->count, sizeof *code->pieces, by_start);
        set_reach(code->pieces, code->count);
    }
    return code;
}

struct search {
    uint64_t address;
    int64_t time_ns;
    const struct flm_jit_piece *before; /* the last one that was made by then */
    const struct flm_jit_piece *after;  /* the first one of those that were made later */
    size_t left;                        /* pieces that may still be looked at */
};

static bool is_later(const struct flm_jit_piece *a, const struct flm_jit_piece *b)
{
    return a->time_ns != b->time_ns ? a->time_ns > b->time_ns : a->order > b->order;
}

static void try_piece(struct search *s, const struct flm_jit_piece *piece)
{
    if (s->address < piece->start || s->address > piece->last)
        return;
    s->left--;
    if (piece->time_ns <= s->time_ns) {
        if (!s->before || is_later(piece, s->before))
            s->before = piece;
    } else if (!s->after || is_later(s->after, piece)) {
        s->after = piece;
    }
}

static void search(struct search *s, const struct flm_jit_piece *pieces, size_t count)
{
    while (count > 0 && s->left > 0) {
        size_t middle = count / 2;
        const struct flm_jit_piece *piece = &pieces[middle];
        if (piece->reach < s->address)
            return;
        if (piece->start <= s->address) {
            search(s, pieces + middle + 1, count - middle - 1);
            if (s->left > 0)
                try_piece(s, piece);
        }
        count = middle;
    }
}

static struct flm_bytes text_of(const struct flm_jit_code *code, struct flm_jit_text text)
{
    return (struct flm_bytes){text.size ? code->text.at + text.at : "", text.size};
}

/* The last line that begins at the offset or before; NULL when there is none. */
static const struct flm_jit_line *find_line(const struct flm_jit_code *code,
                                            const struct flm_jit_piece *piece, uint64_t offset)
{
    size_t low = piece->line_start, end = low + piece->line_count, high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > piece->line_start ? &code->lines[low - 1] : NULL;
}

size_t flm_jit_code_lookup(const struct flm_jit_code *code, uint64_t address, int64_t time_ns,
                           struct flm_jit_frame *frames, size_t capacity)
{
    struct search s = {.address = address, .time_ns = time_ns, .left = MOST_VERSIONS};
    search(&s, code->pieces, code->count);
    const struct flm_jit_piece *piece = s.before ? s.before : s.after;
    if (!piece)
        return 0;
    size_t count = flm_jit_name_parse(text_of(code, piece->name), frames, capacity);
    const struct flm_jit_line *line = find_line(code, piece, address - piece->start);
    if (line && count > 0) {
        frames[0].line = line->line;
        frames[0].line_is_first = false;
        if (line->file.size > 0)
            frames[0].file = text_of(code, line->file);
    }
    return count;
}
