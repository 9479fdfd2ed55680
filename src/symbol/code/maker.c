/* maker.c - what a code table is to be made of, collected; makers of several threads joined.
 */
#include <stdlib.h>

#include "base/core/hash.h"
#include "symbol/code/internal.h"

/* Room for `count` items in an array of the maker's; `items` is where its pointer lies. */
static bool room(struct flm_code_maker *maker, void *items, size_t *capacity, size_t count,
                 size_t item_size)
{
    if (maker->failed)
        return false;
    if (count <= *capacity)
        return true;
    void *array;
    memcpy(&array, items, sizeof array);
    maker->failed = !flm_grow(&array, capacity, count, item_size);
    memcpy(items, &array, sizeof array);
    return !maker->failed;
}

static bool add_text(struct flm_code_maker *maker, struct flm_bytes text, uint64_t hash,
                     uint32_t *number)
{
    if (text.size >= UINT32_MAX - maker->texts_size || maker->text_count >= UINT32_MAX - 1)
        maker->too_many = true;
    if (maker->too_many ||
        !room(maker, &maker->texts, &maker->texts_capacity, maker->texts_size + text.size + 1,
              sizeof *maker->texts) ||
        !room(maker, &maker->text_start, &maker->text_capacity, maker->text_count + 2,
              sizeof *maker->text_start))
        return false;
    if (!flm_index_add(&maker->text_index, (uint32_t)hash, (uint32_t)maker->text_count)) {
        maker->failed = true;
        return false;
    }
    maker->text_start[maker->text_count] = (uint32_t)maker->texts_size;
    if (text.size > 0)
        memcpy(maker->texts + maker->texts_size, text.at, text.size);
    maker->texts_size += text.size;
    *number = (uint32_t)maker->text_count++;
    maker->text_start[maker->text_count] = (uint32_t)maker->texts_size;
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
    free(maker->texts);
    free(maker->text_start);
    flm_index_clear(&maker->text_index);
    free(maker->scopes);
    free(maker->scope_depth);
    free(maker->ranges);
    free(maker->lines);
    free(maker->sequences);
    free(maker->symbols);
    free(maker->sections);
    free(maker);
}

void flm_code_maker_out_of_memory(struct flm_code_maker *maker)
{
    maker->failed = true;
}

void flm_code_maker_section(struct flm_code_maker *maker, uint64_t start, uint64_t end)
{
    if (start < end && room(maker, &maker->sections, &maker->section_capacity,
                            maker->section_count + 1, sizeof *maker->sections))
        maker->sections[maker->section_count++] = (struct flm_code_extent){start, end};
}

static struct flm_bytes text_of(const struct flm_code_maker *maker, uint32_t number)
{
    uint32_t start = maker->text_start[number];
    return (struct flm_bytes){maker->texts + start, maker->text_start[number + 1] - start};
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

/* What a caller says of a text it did not get from us, because memory ran out, is the empty one. */
static uint32_t known_text(const struct flm_code_maker *maker, uint32_t number)
{
    return number < maker->text_count ? number : 0;
}

uint32_t flm_code_maker_scope(struct flm_code_maker *maker, uint32_t name, uint32_t inside,
                              uint32_t call_file, uint32_t call_line)
{
    size_t number = maker->scope_count;
    if (number >= UINT32_MAX - 1)
        maker->too_many = true;
    if (maker->too_many ||
        !room(maker, &maker->scopes, &maker->scope_capacity, number + 1, sizeof *maker->scopes) ||
        !room(maker, &maker->scope_depth, &maker->depth_capacity, number + 1,
              sizeof *maker->scope_depth))
        return 0;
    uint8_t depth = 0;
    if (inside < number)
        depth = maker->scope_depth[inside] < UINT8_MAX ? maker->scope_depth[inside] + 1 : UINT8_MAX;
    else
        inside = FLM_NO_SCOPE;
    maker->scope_depth[number] = depth;
    maker->scopes[number] = (struct flm_code_scope){
        known_text(maker, name), inside, known_text(maker, call_file), call_line, UINT32_MAX};
    maker->scope_count++;
    return (uint32_t)number;
}

void flm_code_maker_range(struct flm_code_maker *maker, uint32_t scope, uint64_t start,
                          uint64_t end)
{
    if (start == end || scope >= maker->scope_count)
        return; /* empty ones are common: a copy of which nothing is left */
    if (start > end || maker->scope_depth[scope] > FLM_CODE_DEPTH)
        maker->cut_ranges++;
    else if (room(maker, &maker->ranges, &maker->range_capacity, maker->range_count + 1,
                  sizeof *maker->ranges))
        maker->ranges[maker->range_count++] = (struct flm_code_range){start, end, scope, 0};
}

void flm_code_maker_line(struct flm_code_maker *maker, uint64_t address, uint32_t file,
                         uint32_t line)
{
    struct flm_code_line item = {address, {known_text(maker, file), line}};
    if (maker->line_count > maker->line_first) {
        struct flm_code_line *before = &maker->lines[maker->line_count - 1];
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
    if (room(maker, &maker->lines, &maker->line_capacity, maker->line_count + 1,
             sizeof *maker->lines))
        maker->lines[maker->line_count++] = item;
}

void flm_code_maker_lines_end(struct flm_code_maker *maker, uint64_t address)
{
    size_t first = maker->line_first, last = maker->line_count;
    if (first == last)
        return;
    if (address <= maker->lines[last - 1].address) {
        maker->cut_lines++;
        if (--last == first) {
            maker->line_count = first;
            return;
        }
        address = maker->lines[last].address;
    }
    if (room(maker, &maker->sequences, &maker->sequence_capacity, maker->sequence_count + 1,
             sizeof *maker->sequences))
        maker->sequences[maker->sequence_count++] =
            (struct flm_code_sequence){first, last, address};
    maker->line_first = maker->line_count;
}

void flm_code_maker_symbol(struct flm_code_maker *maker, uint64_t address, uint64_t size,
                           uint32_t name, int rank)
{
    if (name != 0 && room(maker, &maker->symbols, &maker->symbol_capacity, maker->symbol_count + 1,
                          sizeof *maker->symbols))
        maker->symbols[maker->symbol_count++] =
            (struct flm_code_symbol){address, size, known_text(maker, name), rank};
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* The numbers that the texts of `part` have in `maker`. */
static uint32_t *take_texts(struct flm_code_maker *maker, const struct flm_code_maker *part)
{
    uint32_t *numbers = malloc(part->text_count * sizeof *numbers);
    if (!numbers) {
        maker->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < part->text_count; i++)
        numbers[i] = flm_code_maker_text(maker, text_of(part, i));
    return numbers;
}

static void take_scopes(struct flm_code_maker *maker, const struct flm_code_maker *part,
                        const uint32_t *numbers)
{
    size_t first = maker->scope_count;
    if (part->scope_count >= UINT32_MAX - 1 - first)
        maker->too_many = true;
    if (maker->too_many ||
        !room(maker, &maker->scopes, &maker->scope_capacity, first + part->scope_count,
              sizeof *maker->scopes) ||
        !room(maker, &maker->scope_depth, &maker->depth_capacity, first + part->scope_count,
              sizeof *maker->scope_depth) ||
        !room(maker, &maker->ranges, &maker->range_capacity, maker->range_count + part->range_count,
              sizeof *maker->ranges))
        return;
    for (size_t i = 0; i < part->scope_count; i++) {
        struct flm_code_scope scope = part->scopes[i];
        scope.name = numbers[scope.name];
        scope.call_file = numbers[scope.call_file];
        if (scope.inside != FLM_NO_SCOPE)
            scope.inside += (uint32_t)first;
        maker->scopes[first + i] = scope;
        maker->scope_depth[first + i] = part->scope_depth[i];
    }
    maker->scope_count += part->scope_count;
    for (size_t i = 0; i < part->range_count; i++) {
        struct flm_code_range range = part->ranges[i];
        range.scope += (uint32_t)first;
        maker->ranges[maker->range_count++] = range;
    }
}

static void take_lines(struct flm_code_maker *maker, const struct flm_code_maker *part,
                       const uint32_t *numbers)
{
    size_t first = maker->line_count;
    if (!room(maker, &maker->lines, &maker->line_capacity, first + part->line_count,
              sizeof *maker->lines) ||
        !room(maker, &maker->sequences, &maker->sequence_capacity,
              maker->sequence_count + part->sequence_count, sizeof *maker->sequences))
        return;
    for (size_t i = 0; i < part->line_count; i++) {
        struct flm_code_line line = part->lines[i];
        line.location.file = numbers[line.location.file];
        maker->lines[first + i] = line;
    }
    maker->line_first = maker->line_count = first + part->line_count;
    for (size_t i = 0; i < part->sequence_count; i++) {
        struct flm_code_sequence sequence = part->sequences[i];
        maker->sequences[maker->sequence_count++] =
            (struct flm_code_sequence){sequence.first + first, sequence.last + first, sequence.end};
    }
}

static void take_symbols(struct flm_code_maker *maker, const struct flm_code_maker *part,
                         const uint32_t *numbers)
{
    for (size_t i = 0; i < part->symbol_count; i++) {
        const struct flm_code_symbol *symbol = &part->symbols[i];
        flm_code_maker_symbol(maker, symbol->address, symbol->size, numbers[symbol->name],
                              symbol->rank);
    }
    for (size_t i = 0; i < part->section_count; i++)
        flm_code_maker_section(maker, part->sections[i].start, part->sections[i].end);
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
    struct flm_code_finish finish = {.maker = maker};
    struct flm_code_table *table = NULL;
    if (maker->too_many)
        flm_error_set(why, FLM_ERROR_RANGE, "more functions or names than a table holds");
    else if (maker->failed || !flm_code_find_base(&finish) || !flm_code_flatten_scopes(&finish) ||
             !flm_code_fill_symbols(&finish) || !flm_code_flatten_lines(&finish))
        flm_error_memory(why);
    else
        table = flm_code_pack(&finish, why);
    free(finish.segments.items);
    free(finish.lines);
    flm_code_maker_free(maker);
    return table;
}
