/* Any bytes as a kept table of code: as they are, and with a head that fits their size, so that
 * what lies behind it is reached. What opens answers for every address that it has, and is written
 * as it was. Then the same bytes as calls of a maker: they make a table, which opens. */
#include <stdlib.h>

#include "symbol/code/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

/* Uses every byte of an answer. */
static size_t sum_bytes(struct flm_bytes text)
{
    size_t sum = 0;
    for (size_t i = 0; i < text.size; i++)
        sum += (unsigned char)text.at[i];
    return sum;
}

static size_t ask(const struct flm_code_table *table, uint64_t address)
{
    struct flm_code code[4];
    size_t count = flm_code_table_lookup(table, address, code, 4), sum = 0;
    promise(count <= FLM_CODE_DEPTH + 1);
    for (size_t i = 0; i < count && i < 4; i++)
        sum += sum_bytes(code[i].function) + sum_bytes(code[i].file);
    return sum;
}

static void inspect(const struct flm_code_table *table, struct flm_bytes bytes)
{
    size_t sum = ask(table, 0) + ask(table, UINT64_MAX);
    for (uint32_t i = 0; i < table->head.segment_count && i < 1000; i++)
        sum += ask(table, table->base + table->segment_address[i]);
    for (uint32_t i = 0; i < table->head.line_count && i < 1000; i++)
        sum += ask(table, table->base + table->line_address[i] - 1);
    struct flm_text out = {0};
    flm_code_table_write(table, &out);
    promise(out.size == bytes.size && memcmp(out.at, bytes.at, out.size) == 0);
    flm_text_clear(&out);
    promise(sum < SIZE_MAX);
}

static void open_bytes(struct flm_bytes bytes)
{
    struct flm_error why = {0};
    struct flm_code_table *table = flm_code_table_open(bytes, &why);
    if (table)
        inspect(table, bytes);
    else
        promise(why.kind == FLM_ERROR_FORMAT && why.text[0] != 0);
    flm_code_table_free(table);
}

/* A head of the right kind, whose counts are bytes of the input and fit its size. */
static void repair(char *bytes, size_t size)
{
    struct flm_code_head head;
    if (size < sizeof head + 8)
        return;
    memcpy(&head, bytes, sizeof head);
    memcpy(head.magic, "FLMC", sizeof head.magic);
    head.version = 1;
    size_t left = size - sizeof head - 4;
    head.segment_count = (uint32_t)(head.segment_count % (left / 8 + 1));
    left -= 8 * (size_t)head.segment_count;
    head.scope_count = (uint32_t)(head.scope_count % (left / sizeof(struct flm_code_scope) + 1));
    left -= sizeof(struct flm_code_scope) * head.scope_count;
    head.line_count = (uint32_t)(head.line_count % (left / 12 + 1));
    left -= 12 * (size_t)head.line_count;
    head.text_count = (uint32_t)(head.text_count % (left / 4 + 1));
    left -= 4 * (size_t)head.text_count;
    head.text_size = (uint32_t)left;
    head.symbol_count = head.inlined_count = 0;
    memcpy(bytes, &head, sizeof head);
}

/* Each 8 bytes are a call of a maker. */
static void make(const uint8_t *data, size_t size)
{
    struct flm_code_maker *maker = flm_code_maker_new(NULL);
    promise(maker != NULL);
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t start = 0x1000 + data[i + 1] + 256u * (data[i + 2] % 4);
        uint64_t end = start + data[i + 3] - 8;
        uint32_t text =
            flm_code_maker_text(maker, (struct flm_bytes){(const char *)data + i, data[i + 4] % 3});
        switch (data[i] % 6) {
        case 0:
            flm_code_maker_scope(maker, text, data[i + 5] < 64 ? FLM_NO_SCOPE : data[i + 5] - 64u,
                                 text, data[i + 6]);
            break;
        case 1:
            flm_code_maker_range(maker, data[i + 5], start, end);
            break;
        case 2:
            flm_code_maker_line(maker, start, text, data[i + 5]);
            break;
        case 3:
            flm_code_maker_lines_end(maker, end);
            break;
        case 4:
            flm_code_maker_symbol(maker, start, data[i + 3], text, data[i + 5]);
            break;
        default:
            if (data[i + 5] < 16)
                flm_code_maker_section(maker, start, end);
        }
    }
    struct flm_code_table *table = flm_code_maker_finish(maker, NULL);
    promise(table != NULL);
    struct flm_text out = {0};
    flm_code_table_write(table, &out);
    flm_code_table_free(table);
    struct flm_bytes bytes = {out.at, out.size};
    table = flm_code_table_open(bytes, NULL);
    promise(table != NULL);
    inspect(table, bytes);
    flm_code_table_free(table);
    flm_text_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = calloc(size + (size == 0), 1); /* aligned, and not a byte larger */
    promise(bytes != NULL);
    if (size)
        memcpy(bytes, data, size);
    open_bytes((struct flm_bytes){bytes, size});
    repair(bytes, size);
    open_bytes((struct flm_bytes){bytes, size});
    free(bytes);
    make(data, size);
    return 0;
}
