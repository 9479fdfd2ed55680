/* maker.c - collects scopes, ranges, lines and symbols, and joins the makers of several threads. */
#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "symbol/code/internal.h"

/* Remembers that an array of the maker did not grow. */
static bool check(struct flm_code_maker *maker, bool grown)
{
    maker->failed |= !grown;
    return !maker->failed;
}

static bool add_text(struct flm_code_maker *maker, struct flm_bytes text, uint64_t hash,
                     uint32_t *number)
{
    if (text.size >= UINT32_MAX - maker->texts.count || maker->text_starts.count >= UINT32_MAX - 1)
        maker->too_many = true;
    if (maker->too_many || !check(maker, FLM_ARRAY_RESERVE(&maker->texts, text.size + 1)) ||
        !check(maker, FLM_ARRAY_RESERVE(&maker->text_starts, 2)))
        return false;
    if (!flm_index_add(&maker->text_index, (uint32_t)hash, (uint32_t)maker->text_starts.count)) {
        maker->failed = true;
        return false;
    }
    maker->text_starts.at[maker->text_starts.count] = (uint32_t)maker->texts.count;
    if (text.size > 0)
        memcpy(maker->texts.at + maker->texts.count, text.at, text.size);
    maker->texts.count += text.size;
    *number = (uint32_t)maker->text_starts.count++;
    maker->text_starts.at[maker->text_starts.count] = (uint32_t)maker->texts.count;
    return true;
}

struct flm_code_maker *flm_code_maker_new(struct flm_error *why)
{
    struct flm_code_maker *maker = calloc(1, sizeof *maker);
    uint32_t empty;
    if (maker && add_text(maker, (struct flm_bytes){0}, 0, &empty))
        return maker;
    flm_code_maker_free(maker);
    flm_error_memory(why);
    return NULL;
}

void flm_code_maker_free(struct flm_code_maker *maker)
{
    if (!maker)
        return;
    FLM_ARRAY_CLEAR(&maker->texts);
    FLM_ARRAY_CLEAR(&maker->text_starts);
    flm_index_clear(&maker->text_index);
    FLM_ARRAY_CLEAR(&maker->scopes);
    FLM_ARRAY_CLEAR(&maker->scope_depths);
    FLM_ARRAY_CLEAR(&maker->ranges);
    FLM_ARRAY_CLEAR(&maker->lines);
    FLM_ARRAY_CLEAR(&maker->sequences);
    FLM_ARRAY_CLEAR(&maker->symbols);
    FLM_ARRAY_CLEAR(&maker->sections);
    free(maker);
}

void flm_code_maker_out_of_memory(struct flm_code_maker *maker)
{
    maker->failed = true;
}

void flm_code_maker_section(struct flm_code_maker *maker, uint64_t start, uint64_t end)
{
    if (start < end)
        check(maker, FLM_ARRAY_ADD(&maker->sections, (struct flm_code_extent){start, end}));
}

static struct flm_bytes text_of(const struct flm_code_maker *maker, uint32_t number)
{
    uint32_t start = maker->text_starts.at[number];
    return (struct flm_bytes){maker->texts.at + start, maker->text_starts.at[number + 1] - start};
}

uint32_t flm_code_maker_text(struct flm_code_maker *maker, struct flm_bytes text)
{
    if (text.size == 0)
        return 0;
    uint64_t hash = flm_hash(text.at, text.size);
    for (struct flm_probe at = flm_index_probe(&maker->text_index, (uint32_t)hash);
         flm_index_next(&maker->text_index, &at);)
        if (flm_bytes_equal(text_of(maker, at.found), text))
            return at.found;
    uint32_t number = 0;
    return add_text(maker, text, hash, &number) ? number : 0;
}

/* The empty text for a number that no text has: the caller got it when memory had run out. */
static uint32_t known_text(const struct flm_code_maker *maker, uint32_t number)
{
    return number < maker->text_starts.count ? number : 0;
}

uint32_t flm_code_maker_scope(struct flm_code_maker *maker, uint32_t name, uint32_t inside,
                              uint32_t call_file, uint32_t call_line)
{
    size_t number = maker->scopes.count;
    if (number >= UINT32_MAX - 1)
        maker->too_many = true;
    if (maker->too_many || !check(maker, FLM_ARRAY_RESERVE(&maker->scopes, 1) &&
                                             FLM_ARRAY_RESERVE(&maker->scope_depths, 1)))
        return 0;
    uint8_t depth = 0;
    if (inside < number)
        depth = maker->scope_depths.at[inside] < UINT8_MAX ? maker->scope_depths.at[inside] + 1
                                                           : UINT8_MAX;
    else
        inside = FLM_NO_SCOPE;
    maker->scope_depths.at[maker->scope_depths.count++] = depth;
    maker->scopes.at[maker->scopes.count++] = (struct flm_code_scope){
        known_text(maker, name), inside, known_text(maker, call_file), call_line, UINT32_MAX};
    return (uint32_t)number;
}

void flm_code_maker_range(struct flm_code_maker *maker, uint32_t scope, uint64_t start,
                          uint64_t end)
{
    if (start == end || scope >= maker->scopes.count)
        return; /* empty ranges are common: inlined copies that were optimized away */
    if (start > end || maker->scope_depths.at[scope] > FLM_CODE_DEPTH)
        maker->cut_ranges++;
    else
        check(maker, FLM_ARRAY_ADD(&maker->ranges, (struct flm_code_range){start, end, scope, 0}));
}

void flm_code_maker_line(struct flm_code_maker *maker, uint64_t address, uint32_t file,
                         uint32_t line)
{
    struct flm_code_line item = {address, {known_text(maker, file), line}};
    if (maker->lines.count > maker->line_first) {
        struct flm_code_line *before = &maker->lines.at[maker->lines.count - 1];
        if (address < before->address) {
            maker->cut_lines++;
            return;
        }
        if (address == before->address) {
            before->location = item.location;
            return;
        }
        if (item.location.file == before->location.file && line == before->location.line)
            return;
    }
    check(maker, FLM_ARRAY_ADD(&maker->lines, item));
}

void flm_code_maker_lines_end(struct flm_code_maker *maker, uint64_t address)
{
    size_t first = maker->line_first, last = maker->lines.count;
    if (first == last)
        return;
    if (address <= maker->lines.at[last - 1].address) {
        maker->cut_lines++;
        if (--last == first) {
            maker->lines.count = first;
            return;
        }
        address = maker->lines.at[last].address;
    }
    check(maker,
          FLM_ARRAY_ADD(&maker->sequences, (struct flm_code_sequence){first, last, address}));
    maker->line_first = maker->lines.count;
}

void flm_code_maker_symbol(struct flm_code_maker *maker, uint64_t address, uint64_t size,
                           uint32_t name, unsigned traits)
{
    if (name != 0)
        check(maker,
              FLM_ARRAY_ADD(&maker->symbols, (struct flm_code_symbol){
                                                 address, size, known_text(maker, name), traits}));
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* The numbers that the texts of `part` have in `maker`. */
static uint32_t *take_texts(struct flm_code_maker *maker, const struct flm_code_maker *part)
{
    uint32_t *numbers = malloc(part->text_starts.count * sizeof *numbers);
    if (!numbers) {
        maker->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < part->text_starts.count; i++)
        numbers[i] = flm_code_maker_text(maker, text_of(part, i));
    return numbers;
}

static void take_scopes(struct flm_code_maker *maker, const struct flm_code_maker *part,
                        const uint32_t *numbers)
{
    size_t first = maker->scopes.count;
    if (part->scopes.count >= UINT32_MAX - 1 - first)
        maker->too_many = true;
    if (maker->too_many ||
        !check(maker, FLM_ARRAY_RESERVE(&maker->scopes, part->scopes.count) &&
                          FLM_ARRAY_RESERVE(&maker->scope_depths, part->scopes.count) &&
                          FLM_ARRAY_RESERVE(&maker->ranges, part->ranges.count)))
        return;
    for (size_t i = 0; i < part->scopes.count; i++) {
        struct flm_code_scope scope = part->scopes.at[i];
        scope.name = numbers[scope.name];
        scope.call_file = numbers[scope.call_file];
        if (scope.inside != FLM_NO_SCOPE)
            scope.inside += (uint32_t)first;
        maker->scopes.at[first + i] = scope;
        maker->scope_depths.at[first + i] = part->scope_depths.at[i];
    }
    maker->scopes.count = maker->scope_depths.count = first + part->scopes.count;
    for (size_t i = 0; i < part->ranges.count; i++) {
        struct flm_code_range range = part->ranges.at[i];
        range.scope += (uint32_t)first;
        maker->ranges.at[maker->ranges.count++] = range;
    }
}

static void take_lines(struct flm_code_maker *maker, const struct flm_code_maker *part,
                       const uint32_t *numbers)
{
    size_t first = maker->lines.count;
    if (!check(maker, FLM_ARRAY_RESERVE(&maker->lines, part->lines.count) &&
                          FLM_ARRAY_RESERVE(&maker->sequences, part->sequences.count)))
        return;
    for (size_t i = 0; i < part->lines.count; i++) {
        struct flm_code_line line = part->lines.at[i];
        line.location.file = numbers[line.location.file];
        maker->lines.at[first + i] = line;
    }
    maker->line_first = maker->lines.count = first + part->lines.count;
    for (size_t i = 0; i < part->sequences.count; i++) {
        struct flm_code_sequence sequence = part->sequences.at[i];
        maker->sequences.at[maker->sequences.count++] =
            (struct flm_code_sequence){sequence.first + first, sequence.last + first, sequence.end};
    }
}

static void take_symbols(struct flm_code_maker *maker, const struct flm_code_maker *part,
                         const uint32_t *numbers)
{
    for (size_t i = 0; i < part->symbols.count; i++) {
        const struct flm_code_symbol *symbol = &part->symbols.at[i];
        flm_code_maker_symbol(maker, symbol->address, symbol->size, numbers[symbol->name],
                              symbol->traits);
    }
    for (size_t i = 0; i < part->sections.count; i++)
        flm_code_maker_section(maker, part->sections.at[i].start, part->sections.at[i].end);
}

void flm_code_maker_join(struct flm_code_maker *maker, struct flm_code_maker *part)
{
    maker->failed |= part->failed;
    maker->too_many |= part->too_many;
    maker->cut_ranges += part->cut_ranges;
    maker->cut_lines += part->cut_lines;
    uint32_t *numbers = maker->failed || maker->too_many ? NULL : take_texts(maker, part);
    if (numbers) {
        take_scopes(maker, part, numbers);
        take_lines(maker, part, numbers);
        take_symbols(maker, part, numbers);
    }
    free(numbers);
    flm_code_maker_free(part);
}

struct flm_code_table *flm_code_maker_finish(struct flm_code_maker *maker, struct flm_error *why)
{
    assert(maker);
    struct flm_code_finish finish = {.maker = maker};
    struct flm_code_table *table = NULL;
    if (maker->too_many)
        flm_error_set(why, FLM_ERROR_RANGE, "more functions or names than a table holds");
    else if (maker->failed || !flm_code_find_base(&finish) || !flm_code_flatten_scopes(&finish) ||
             !flm_code_fill_symbols(&finish) || !flm_code_flatten_lines(&finish))
        flm_error_memory(why);
    else
        table = flm_code_pack(&finish, why);
    free(finish.segments.at);
    free(finish.lines.at);
    flm_code_maker_free(maker);
    return table;
}
