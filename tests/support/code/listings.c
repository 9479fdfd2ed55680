#include "support/code/listings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

void add_located(struct flm_builder *b, const char *stack, double value, double before)
{
    struct flm_node node = flm_builder_root(b);
    uint32_t file = flm_builder_string(b, "app.c", 5).index;
    for (const char *at = stack; *at;) {
        size_t size = strcspn(at, ";"), skip = *at == '~', name = strcspn(at, ":;") - skip;
        const char *address = memchr(at, '@', size);
        struct flm_location where = {.file = file,
                                     .line = (uint32_t)strtoul(at + skip + name + 1, NULL, 10)};
        if (address)
            where.address = strtoul(address + 1, NULL, 16);
        struct flm_frame_record record = {.function = flm_builder_string(b, at + skip, name).index,
                                          .file = file,
                                          .kind = skip ? FLM_KIND_INLINED : 0};
        struct flm_frame frame = flm_builder_frame(b, &record);
        if (skip + name < size)
            frame = flm_builder_frame_at(b, frame, &where);
        node = flm_builder_child(b, node, frame);
        at += size + (at[size] == ';');
    }
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), value);
    flm_builder_add(b, node, flm_builder_metric(b, "before", "ns"), before);
}

struct flm_profile *listing_example(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    add_located(b, "main:9;find:20@100", 7, 1);
    add_located(b, "main:9;find:20@104", 3, 0);
    add_located(b, "main:9;find:24@110;~same:5@110", 4, 2);
    add_located(b, "main:9;find:24@110;~same:5@110;~byte:2@110", 2, 0);
    add_located(b, "main:9;find:24@112;memcmp", 8, 0);
    add_located(b, "main:9;find", 1, 0);
    add_located(b, "main:9;find:60@118;find:20@100", 5, 0);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

uint32_t string_of(const struct flm_profile *p, const char *text)
{
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, i), text))
            return i;
    fail_msg("there is no '%s'", text);
    return 0;
}

struct flm_listing *listing_of(const struct flm_profile *p, const char *function,
                               const struct flm_code_store *store,
                               const struct flm_listing_options *options)
{
    static const struct flm_listing_options none;
    const struct flm_listing_subject subject = {
        .profile = p, .before = {p->sizes.metric_count > 1}, .function = string_of(p, function)};
    struct flm_listing *l = flm_listing_new(&subject, NULL);
    assert_non_null(l);
    assert_true(flm_listing_arrange(l, store, options ? options : &none, NULL));
    return l;
}

const char *rows_of(const struct flm_listing *l, enum flm_listing_side side)
{
    static char text[4000];
    static const char kinds[] = "nfl.iu i=";
    struct flm_listing_row rows[100];
    uint32_t count = flm_listing_rows(l, side, 0, 100, rows);
    struct flm_text out;
    assert_int_equal(count, flm_listing_count(l, side));
    flm_text_init_fixed(&out, text, sizeof text - 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_listing_row *row = &rows[i];
        flm_text_puts(&out, i ? "|" : "");
        for (uint32_t d = 0; d < row->depth; d++)
            flm_text_putc(&out, ' ');
        switch (row->kind) {
        case FLM_LISTING_FOLD:
            flm_text_format(&out, "%s%u", row->is_open ? "open" : "fold", row->count);
            break;
        case FLM_LISTING_INSTRUCTION:
            flm_text_format(&out, "%x", (unsigned)row->address);
            break;
        case FLM_LISTING_SOURCE_LINE:
            flm_text_format(&out, "=%u", row->line);
            break;
        case FLM_LISTING_LINE:
            flm_text_format(&out, "%u", row->line);
            break;
        default:
            flm_text_putc(&out, kinds[row->kind]);
        }
        if (row->has_cost)
            flm_text_format(&out, " %d/%d", (int)row->cost.self, (int)row->cost.total);
    }
    text[out.size] = 0;
    return text;
}

struct flm_code_store *store_of(size_t lines)
{
    struct flm_code_store *store = flm_code_store_new(NULL);
    struct flm_text text = {0};
    for (size_t i = 0; i < lines; i++)
        flm_text_format(&text, "line %u\n", (unsigned)i + 1);
    const struct flm_code_file file = {.name = flm_bytes_of("app.c"), .text = {text.at, text.size}};
    assert_non_null(store);
    assert_true(flm_code_store_add_file(store, &file, NULL));
    flm_text_clear(&text);
    return store;
}

struct flm_code_store *code_of(const char *const *text, size_t count)
{
    struct flm_code_store *store = store_of(70);
    struct flm_code_instruction *at = calloc(count, sizeof *at);
    const struct flm_bytes files[] = {flm_bytes_of("app.c")};
    const struct flm_code_inlined inlined[] = {
        {.function = flm_bytes_of("same"), .caller = FLM_CODE_NONE, .file = 0, .line = 24}};
    assert_non_null(at);
    for (size_t i = 0; i < count; i++) {
        at[i] = (struct flm_code_instruction){.address = 0x100 + 4 * i,
                                              .size = 4,
                                              .text = flm_bytes_of(text[i]),
                                              .file = 0,
                                              .line = i < 4 ? 20 : 24,
                                              .inlined = FLM_CODE_NONE};
        if (i == 4) {
            at[i].inlined = 0;
            at[i].line = 2;
        }
        if (text[i][0] == 'j') {
            at[i].kind =
                strncmp(text[i], "jump", 4) == 0 ? FLM_INSTRUCTION_JUMP : FLM_INSTRUCTION_BRANCH;
            at[i].has_place = at[i].leads = true;
            at[i].place = strtoul(strchr(text[i], ' '), NULL, 16);
        }
    }
    const struct flm_code_function function = {.name = flm_bytes_of("find"),
                                               .machine = flm_bytes_of("x86-64"),
                                               .instructions = at,
                                               .instruction_count = count,
                                               .files = files,
                                               .file_count = 1,
                                               .inlined = inlined,
                                               .inlined_count = 1};
    assert_true(flm_code_store_add_function(store, &function, NULL));
    free(at);
    return store;
}

bool make_listing(void *context, struct flm_error *why)
{
    struct listed *listed = context;
    const struct flm_listing_subject subject = {
        .profile = listed->p, .before = listed->before, .function = string_of(listed->p, "find")};
    const struct flm_listing_options options = {.inlined = true};
    struct flm_listing *l = flm_listing_new(&subject, why);
    bool good = l && flm_listing_arrange(l, listed->store, &options, why);
    flm_listing_free(l);
    return good;
}
