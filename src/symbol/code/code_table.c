#include <stdlib.h>

#include "symbol/code/internal.h"

#define MAGIC "FLMC"
enum { VERSION = 2 };

/* The size of the table that the head describes; 0 when a size_t cannot hold it. */
static size_t size_of(const struct flm_code_head *head)
{
    uint64_t size = sizeof *head + 8 * (uint64_t)head->segment_count +
                    sizeof(struct flm_code_scope) * (uint64_t)head->scope_count +
                    12 * (uint64_t)head->line_count + 4 * ((uint64_t)head->text_count + 1) +
                    head->text_size;
    return size > SIZE_MAX ? 0 : (size_t)size;
}

/* Sets the pointers to the arrays. The bytes have the size that the head describes. */
static void find_parts(struct flm_code_table *table)
{
    const struct flm_code_head *head = &table->head;
    const char *at = table->bytes.at + sizeof *head;
    table->base = (uint64_t)head->base[1] << 32 | head->base[0];
    table->segment_address = (const void *)at;
    at += 4 * (size_t)head->segment_count;
    table->segment_scope = (const void *)at;
    at += 4 * (size_t)head->segment_count;
    table->scopes = (const void *)at;
    at += sizeof(struct flm_code_scope) * head->scope_count;
    table->line_address = (const void *)at;
    at += 4 * (size_t)head->line_count;
    table->line_location = (const void *)at;
    at += sizeof(struct flm_code_location) * head->line_count;
    table->text_start = (const void *)at;
    at += 4 * ((size_t)head->text_count + 1);
    table->texts = at;
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* New numbers, counted from 0, of the scopes and texts that are used; UINT32_MAX for the others. */
struct renumbering {
    uint32_t *scopes, *texts;
    uint32_t scope_count, text_count, text_size;
};

static uint32_t number_used(uint32_t *used, size_t count)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        used[i] = used[i] ? next++ : UINT32_MAX;
    return next;
}

static bool renumber(const struct flm_code_finish *finish, struct renumbering *numbers)
{
    const struct flm_code_maker *maker = finish->maker;
    numbers->scopes = flm_new_zeroed(maker->scopes.count, sizeof *numbers->scopes);
    numbers->texts = flm_new_zeroed(maker->text_starts.count, sizeof *numbers->texts);
    if (!numbers->scopes || !numbers->texts)
        return false;
    for (size_t i = 0; i < finish->segments.count; i++)
        if (finish->segments.at[i].scope != FLM_NO_SCOPE)
            numbers->scopes[finish->segments.at[i].scope] = 1;
    numbers->texts[0] = 1;
    for (size_t i = maker->scopes.count; i-- > 0;) {
        const struct flm_code_scope *scope = &maker->scopes.at[i];
        if (!numbers->scopes[i])
            continue;
        if (scope->inside != FLM_NO_SCOPE)
            numbers->scopes[scope->inside] = 1; /* a lower number, so the loop comes to it */
        numbers->texts[scope->name] = numbers->texts[scope->call_file] = 1;
    }
    for (size_t i = 0; i < finish->lines.count; i++)
        numbers->texts[finish->lines.at[i].location.file] = 1;
    for (size_t i = 0; i < maker->text_starts.count; i++)
        if (numbers->texts[i])
            numbers->text_size += maker->text_starts.at[i + 1] - maker->text_starts.at[i];
    numbers->scope_count = number_used(numbers->scopes, maker->scopes.count);
    numbers->text_count = number_used(numbers->texts, maker->text_starts.count);
    return true;
}

static uint32_t at_most_32_bits(size_t count)
{
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static struct flm_code_head make_head(const struct flm_code_finish *finish,
                                      const struct renumbering *numbers)
{
    const struct flm_code_maker *maker = finish->maker;
    struct flm_code_head head = {.version = VERSION,
                                 .base = {(uint32_t)finish->base, (uint32_t)(finish->base >> 32)},
                                 .segment_count = (uint32_t)finish->segments.count,
                                 .scope_count = numbers->scope_count,
                                 .line_count = (uint32_t)finish->lines.count,
                                 .text_count = numbers->text_count,
                                 .text_size = numbers->text_size,
                                 .cut_ranges = at_most_32_bits(maker->cut_ranges),
                                 .cut_lines = at_most_32_bits(maker->cut_lines),
                                 .dead_ranges = at_most_32_bits(maker->dead_ranges),
                                 .dead_lines = at_most_32_bits(maker->dead_lines)};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    for (size_t i = 0; i < maker->scopes.count; i++) {
        bool used = numbers->scopes[i] != UINT32_MAX;
        head.symbol_count += used && i >= finish->first_symbol;
        head.inlined_count += used && maker->scopes.at[i].inside != FLM_NO_SCOPE;
    }
    return head;
}

/* Appends a number. */
static void put(char **at, uint32_t value)
{
    memcpy(*at, &value, sizeof value);
    *at += sizeof value;
}

static void put_parts(char *at, const struct flm_code_finish *finish,
                      const struct renumbering *numbers)
{
    const struct flm_code_maker *maker = finish->maker;
    const struct flm_code_segments *segments = &finish->segments;
    for (size_t i = 0; i < segments->count; i++)
        put(&at, segments->at[i].address);
    for (size_t i = 0; i < segments->count; i++) {
        uint32_t scope = segments->at[i].scope;
        put(&at, scope == FLM_NO_SCOPE ? scope : numbers->scopes[scope]);
    }
    for (size_t i = 0; i < maker->scopes.count; i++) {
        const struct flm_code_scope *scope = &maker->scopes.at[i];
        if (numbers->scopes[i] == UINT32_MAX)
            continue;
        put(&at, numbers->texts[scope->name]);
        put(&at, scope->inside == FLM_NO_SCOPE ? scope->inside : numbers->scopes[scope->inside]);
        put(&at, numbers->texts[scope->call_file]);
        put(&at, scope->call_line);
        put(&at, scope->start);
    }
    for (size_t i = 0; i < finish->lines.count; i++)
        put(&at, (uint32_t)finish->lines.at[i].address);
    for (size_t i = 0; i < finish->lines.count; i++) {
        put(&at, numbers->texts[finish->lines.at[i].location.file]);
        put(&at, finish->lines.at[i].location.line);
    }
    uint32_t start = 0;
    for (size_t i = 0; i < maker->text_starts.count; i++)
        if (numbers->texts[i] != UINT32_MAX) {
            put(&at, start);
            start += maker->text_starts.at[i + 1] - maker->text_starts.at[i];
        }
    put(&at, start);
    for (size_t i = 0; i < maker->text_starts.count; i++)
        if (numbers->texts[i] != UINT32_MAX) {
            size_t size = maker->text_starts.at[i + 1] - maker->text_starts.at[i];
            if (size > 0)
                memcpy(at, maker->texts.at + maker->text_starts.at[i], size);
            at += size;
        }
}

struct flm_code_table *flm_code_pack(struct flm_code_finish *finish, struct flm_error *why)
{
    struct renumbering numbers = {0};
    struct flm_code_table *table = calloc(1, sizeof *table);
    if (table && finish->segments.count < UINT32_MAX && finish->lines.count < UINT32_MAX &&
        renumber(finish, &numbers)) {
        table->head = make_head(finish, &numbers);
        table->bytes.size = size_of(&table->head);
        table->owned = table->bytes.size > 0 ? malloc(table->bytes.size) : NULL;
    }
    if (table && table->owned) {
        memcpy(table->owned, &table->head, sizeof table->head);
        put_parts((char *)table->owned + sizeof table->head, finish, &numbers);
        table->bytes.at = table->owned;
        find_parts(table);
    } else {
        free(table);
        table = NULL;
        flm_error_memory(why);
    }
    free(numbers.scopes);
    free(numbers.texts);
    return table;
}

/* ---- Looking up ------------------------------------------------------------------------------ */

void flm_code_table_free(struct flm_code_table *table)
{
    if (!table)
        return;
    free(table->owned);
    free(table);
}

/* The index of the last of `count` ascending addresses at or below `address`; -1: none. */
static int64_t find_address(const uint32_t *addresses, uint32_t count, uint32_t address)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (addresses[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low - 1;
}

static struct flm_bytes text_of(const struct flm_code_table *table, uint32_t text)
{
    uint32_t start = table->text_start[text];
    return (struct flm_bytes){table->texts + start, table->text_start[text + 1] - start};
}

size_t flm_code_table_lookup(const struct flm_code_table *table, uint64_t address,
                             struct flm_code *code, size_t capacity)
{
    uint64_t offset = address - table->base;
    if (address < table->base || offset >= UINT32_MAX)
        return 0;
    int64_t segment =
        find_address(table->segment_address, table->head.segment_count, (uint32_t)offset);
    if (segment < 0)
        return 0;
    int64_t line = find_address(table->line_address, table->head.line_count, (uint32_t)offset);
    struct flm_code_location location = {0, 0};
    if (line >= 0)
        location = table->line_location[line];
    size_t count = 0;
    for (uint32_t at = table->segment_scope[segment]; at != FLM_NO_SCOPE && count <= FLM_CODE_DEPTH;
         at = table->scopes[at].inside) {
        const struct flm_code_scope *scope = &table->scopes[at];
        if (count < capacity)
            code[count] = (struct flm_code){.function = text_of(table, scope->name),
                                            .clone = {"", 0},
                                            .file = text_of(table, location.file),
                                            .line = location.line,
                                            .start = table->base + scope->start,
                                            .inlined = scope->inside != FLM_NO_SCOPE};
        location = (struct flm_code_location){scope->call_file, scope->call_line};
        count++;
    }
    return count;
}

/* The function that a segment belongs to. */
static uint32_t outermost(const struct flm_code_table *table, size_t segment)
{
    uint32_t at = table->segment_scope[segment];
    while (at != FLM_NO_SCOPE && table->scopes[at].inside != FLM_NO_SCOPE)
        at = table->scopes[at].inside; /* a lower number */
    return at;
}

bool flm_code_table_range(const struct flm_code_table *table, uint64_t address, uint64_t *start,
                          uint64_t *end)
{
    uint64_t offset = address - table->base;
    if (address < table->base || offset >= UINT32_MAX)
        return false;
    size_t count = table->head.segment_count;
    int64_t found = find_address(table->segment_address, (uint32_t)count, (uint32_t)offset);
    if (found < 0 || outermost(table, (size_t)found) == FLM_NO_SCOPE)
        return false;
    size_t first = (size_t)found, last = first + 1;
    uint32_t function = outermost(table, first);
    while (first > 0 && outermost(table, first - 1) == function)
        first--;
    while (last < count && outermost(table, last) == function)
        last++;
    *start = table->base + table->segment_address[first];
    *end = table->base + (last < count ? table->segment_address[last] : UINT32_MAX);
    return true;
}

struct flm_code_counts flm_code_table_counts(const struct flm_code_table *table)
{
    const struct flm_code_head *head = &table->head;
    return (struct flm_code_counts){.functions = head->scope_count - head->inlined_count -
                                                 head->symbol_count,
                                    .inlined = head->inlined_count,
                                    .symbols = head->symbol_count,
                                    .segments = head->segment_count,
                                    .lines = head->line_count,
                                    .cut_ranges = head->cut_ranges,
                                    .cut_lines = head->cut_lines,
                                    .dead_ranges = head->dead_ranges,
                                    .dead_lines = head->dead_lines};
}

void flm_code_table_write(const struct flm_code_table *table, struct flm_text *out)
{
    flm_text_add(out, table->bytes);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool ascend(const uint32_t *numbers, size_t count)
{
    bool ok = true;
    for (size_t i = 1; i < count; i++)
        ok &= numbers[i - 1] < numbers[i];
    return ok;
}

static bool check_scopes(const struct flm_code_table *table)
{
    const struct flm_code_head *head = &table->head;
    bool ok = head->symbol_count <= head->scope_count &&
              head->inlined_count <= head->scope_count - head->symbol_count;
    for (uint32_t i = 0; i < head->segment_count; i++)
        ok &=
            table->segment_scope[i] < head->scope_count || table->segment_scope[i] == FLM_NO_SCOPE;
    for (uint32_t i = 0; i < head->scope_count; i++) {
        const struct flm_code_scope *scope = &table->scopes[i];
        ok &= scope->name < head->text_count && scope->call_file < head->text_count &&
              (scope->inside < i || scope->inside == FLM_NO_SCOPE);
    }
    return ok;
}

static bool check_texts(const struct flm_code_table *table)
{
    const struct flm_code_head *head = &table->head;
    bool ok = head->text_count > 0 && table->text_start[0] == 0 &&
              table->text_start[head->text_count] == head->text_size;
    for (uint32_t i = 0; i < head->text_count; i++)
        ok &= table->text_start[i] <= table->text_start[i + 1];
    for (uint32_t i = 0; i < head->line_count; i++)
        ok &= table->line_location[i].file < head->text_count;
    return ok && table->text_start[1] == 0;
}

struct flm_code_table *flm_code_table_open(struct flm_bytes bytes, struct flm_error *why)
{
    struct flm_code_table *table = calloc(1, sizeof *table);
    if (!table) {
        flm_error_memory(why);
        return NULL;
    }
    table->bytes = bytes;
    const char *wrong = NULL;
    if (bytes.size < sizeof table->head || (uintptr_t)bytes.at % sizeof(uint32_t) != 0) {
        wrong = "too short, or not aligned";
    } else {
        memcpy(&table->head, bytes.at, sizeof table->head);
        if (memcmp(table->head.magic, MAGIC, sizeof table->head.magic) != 0 ||
            table->head.version != VERSION)
            wrong = "not a table, or of another version";
        else if (size_of(&table->head) != bytes.size)
            wrong = "its size is not the one in its head";
    }
    if (!wrong) {
        find_parts(table);
        if (!ascend(table->segment_address, table->head.segment_count) ||
            !ascend(table->line_address, table->head.line_count))
            wrong = "its addresses do not ascend";
        else if (!check_texts(table) || !check_scopes(table))
            wrong = "an index in it is out of range";
    }
    if (!wrong)
        return table;
    free(table);
    flm_error_set(why, FLM_ERROR_FORMAT, "the code table: %s", wrong);
    return NULL;
}
