/* jit_notes.c - the machine code of functions that were compiled while the program ran, and have
 * samples: the file of the runtime with it is a temporary one. So it becomes part of the profile
 * (code/kept_code.h), that of the functions with most samples first, as much as there is room for.
 *
 * It is remembered while locations are named, process by process, because the runtime's file is
 * open then; how many samples there are is known later. */
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/number/number.h"
#include "code/kept_code.h"
#include "record/symbols/internal.h"

/* Of all that is remembered until then: there is room for no more than a part of it. */
#define MOST_SEEN ((uint64_t)64 << 20)

/* How many functions; below the numbers that there are for code at one address. And how many files
 * the lines of one are of, with what is inlined in it. */
enum { MOST_CODES = 16384, MOST_FILES = 64 };

struct seen_code {
    uint64_t start, size; /* as locations have it */
    uint64_t hash;        /* of its bytes and its name */
    int32_t process;
    uint64_t offset;       /* in the file of that process */
    struct flm_text value; /* of its note; empty: it is too large */
    double samples;
};

struct seen_location {
    uint32_t location, code;
};

struct flm_seen_codes {
    struct FLM_ARRAY(struct seen_code) codes;
    struct flm_index index;
    struct FLM_ARRAY(struct seen_location) locations;
    uint64_t size;  /* of all values */
    size_t skipped; /* lookups of more functions */
};

void flm_symbols_forget_code(struct flm_symbols *symbols)
{
    struct flm_seen_codes *seen = symbols->seen;
    if (!seen)
        return;
    for (size_t i = 0; i < seen->codes.count; i++)
        flm_text_clear(&seen->codes.at[i].value);
    FLM_ARRAY_CLEAR(&seen->codes);
    FLM_ARRAY_CLEAR(&seen->locations);
    flm_index_clear(&seen->index);
    free(seen);
    symbols->seen = NULL;
}

/* ---- While locations are named --------------------------------------------------------------- */

/* The same number may stand for other code at this address: then the next one. */
static uint64_t choose_start(const struct flm_seen_codes *seen, uint64_t start, uint64_t size,
                             uint64_t hash, uint64_t tag)
{
    for (size_t i = 0; i < seen->codes.count; i++) {
        const struct seen_code *other = &seen->codes.at[i];
        uint64_t at = tag | start;
        if (at >= other->start + other->size || other->start >= at + size ||
            (other->start == at && other->size == size && other->hash == hash))
            continue;
        tag = flm_kept_code_next_tag(tag);
        i = (size_t)-1; /* from the first one again */
    }
    return tag | start;
}

/* The lines, and the files that they are of; a line of one more file is not known. */
static size_t take_lines(const struct flm_runtime_found *found,
                         const struct flm_jit_region_code *region, struct flm_kept_line *lines,
                         struct flm_bytes files[MOST_FILES])
{
    size_t file_count = 0, file = 0;
    for (uint32_t i = 0; i < region->line_count; i++) {
        struct flm_jit_line_at line = flm_jit_code_line_at(found->code, region->first_line + i);
        if (file >= file_count || !flm_bytes_equal(files[file], line.file))
            for (file = 0; file < file_count && !flm_bytes_equal(files[file], line.file); file++)
                ;
        if (file == file_count && file < MOST_FILES)
            files[file_count++] = line.file;
        lines[i] =
            (struct flm_kept_line){line.offset, (uint32_t)file, file < file_count ? line.line : 0};
    }
    return file_count;
}

/* The value of its note. */
static bool write_value(const struct flm_runtime_found *found,
                        const struct flm_jit_region_code *region, struct flm_kept_code *code,
                        struct flm_text *value)
{
    struct flm_kept_line *lines = calloc((size_t)region->line_count + 1, sizeof *lines);
    struct flm_bytes files[MOST_FILES];
    if (!lines)
        return false;
    code->files = files;
    code->file_count = take_lines(found, region, lines, files);
    code->lines = lines;
    code->line_count = region->line_count;
    flm_kept_code_write(code, value);
    free(lines);
    return !value->failed;
}

static uint32_t hash_of(int32_t process, const struct flm_jit_region_code *region)
{
    return (uint32_t)flm_hash_numbers(region->start, region->offset ^ (uint64_t)process << 32);
}

static bool is_too_large(const struct flm_seen_codes *seen,
                         const struct flm_jit_region_code *region)
{
    return region->size > FLM_KEPT_CODE_MOST_OF_ONE || seen->size > MOST_SEEN ||
           region->line_count > FLM_KEPT_CODE_MOST_OF_ONE;
}

/* The number of the code that was added; UINT32_MAX when memory ran out. */
static uint32_t add(struct flm_seen_codes *seen, int32_t process,
                    const struct flm_runtime_found *found, const struct flm_jit_region_code *region,
                    struct flm_bytes function)
{
    struct flm_bytes file = flm_runtime_found_bytes(found);
    struct flm_kept_code code = {.start = region->start,
                                 .machine = region->machine,
                                 .name = function,
                                 .bytes = {file.at + region->offset, (size_t)region->size}};
    uint64_t hash = flm_hash_numbers(flm_hash(code.bytes.at, code.bytes.size),
                                     flm_hash(function.at, function.size));
    struct seen_code new = {
        .size = region->size,
        .hash = hash,
        .process = process,
        .offset = region->offset,
        .start = choose_start(seen, region->start, region->size, hash, flm_kept_code_tag(&code))};
    uint32_t number = (uint32_t)seen->codes.count;
    bool good = is_too_large(seen, region) || write_value(found, region, &code, &new.value);
    if (good && flm_index_add(&seen->index, hash_of(process, region), number)) {
        seen->size += new.value.size;
        if (FLM_ARRAY_ADD(&seen->codes, new))
            return number;
    }
    flm_text_clear(&new.value);
    return UINT32_MAX;
}

static uint32_t find_or_add(struct flm_seen_codes *seen, int32_t process,
                            const struct flm_runtime_found *found,
                            const struct flm_jit_region_code *region, struct flm_bytes function)
{
    for (struct flm_probe at = flm_index_probe(&seen->index, hash_of(process, region));
         flm_index_next(&seen->index, &at);) {
        const struct seen_code *known =
            at.found < seen->codes.count ? &seen->codes.at[at.found] : NULL;
        if (known && known->process == process && known->offset == region->offset &&
            known->size == region->size && flm_kept_code_address(known->start) == region->start)
            return at.found;
    }
    if (seen->codes.count < MOST_CODES)
        return add(seen, process, found, region, function);
    seen->skipped++;
    return MOST_CODES;
}

bool flm_symbols_see_code(struct flm_naming *f, const struct flm_runtime_found *found,
                          uint64_t address, int64_t time_ns, struct flm_bytes function)
{
    struct flm_symbols *symbols = flm_session_symbols(f->session);
    struct flm_jit_region_code region;
    if (!f->session->options.locations ||
        !flm_jit_code_find(found->code, address, time_ns, &region) ||
        flm_kept_code_address(region.start) != region.start)
        return true;
    if (!symbols->seen)
        symbols->seen = calloc(1, sizeof *symbols->seen);
    struct flm_seen_codes *seen = symbols->seen;
    uint32_t number =
        seen ? find_or_add(seen, symbols->search.process, found, &region, function) : UINT32_MAX;
    if (number == MOST_CODES)
        return true;
    if (number == UINT32_MAX ||
        !FLM_ARRAY_ADD(&seen->locations, (struct seen_location){f->location, number}))
        return flm_error_memory(f->why);
    f->address = seen->codes.at[number].start + (address - region.start);
    return true;
}

/* ---- When all are named ---------------------------------------------------------------------- */

/* How many samples have their leaf in each. False when memory ran out. */
static bool count_samples(const struct flm_session *s, struct flm_seen_codes *seen)
{
    const struct flm_aggregation *t = &s->aggregation;
    uint32_t *code = calloc(s->locations.locations.count + 1, sizeof *code); /* from 1 */
    for (size_t i = 0; code && i < seen->locations.count; i++)
        code[seen->locations.at[i].location] = seen->locations.at[i].code + 1;
    for (size_t i = 0; code && i < t->samples.count; i++) {
        uint32_t node = t->samples.at[i].node;
        uint32_t leaf = node > 0 ? code[s->stacks.nodes.at[node].location] : 0;
        if (leaf > 0)
            seen->codes.at[leaf - 1].samples += t->keep_times ? 1 : (double)t->merged.at[i];
    }
    free(code);
    return code != NULL;
}

static int by_samples(const void *a, const void *b)
{
    const struct seen_code *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* Code of two processes, or at two offsets, may be the same: one note. */
static size_t add_notes(struct flm_seen_codes *seen, struct flm_builder *builder)
{
    uint64_t size = 0;
    size_t left_out = seen->skipped;
    qsort(seen->codes.at, seen->codes.count, sizeof *seen->codes.at, by_samples);
    for (size_t i = 0; i < seen->codes.count; i++) {
        const struct seen_code *code = &seen->codes.at[i];
        if (code->value.size == 0 || code->size > FLM_KEPT_CODE_MOST - size) {
            left_out++;
            continue;
        }
        size += code->size;
        flm_kept_code_note(builder, code->start,
                           (struct flm_bytes){code->value.at, code->value.size});
    }
    return left_out;
}

bool flm_symbols_note_code(struct flm_session *s, struct flm_builder *builder)
{
    struct flm_symbols *symbols = flm_session_symbols(s);
    char text[32];
    if (!symbols->seen)
        return true;
    bool good = count_samples(s, symbols->seen);
    size_t left_out = good ? add_notes(symbols->seen, builder) : 0;
    if (left_out > 0)
        flm_builder_note(builder, FLM_NOTE_JIT_CODE_LEFT_OUT, text,
                         flm_number_print((double)left_out, text));
    flm_symbols_forget_code(symbols);
    return good;
}
