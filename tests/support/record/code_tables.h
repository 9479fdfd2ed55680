/* code_tables.h - code tables for tests: short calls for functions, inlined copies and lookups. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_CODE_TABLES_H
#define FLAMEL_TESTS_SUPPORT_RECORD_CODE_TABLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "symbol/code/code_table.h"

static inline struct flm_code_maker *new_maker(void)
{
    struct flm_code_maker *maker = flm_code_maker_new(NULL);
    assert_non_null(maker);
    return maker;
}

static inline struct flm_code_table *finish(struct flm_code_maker *maker)
{
    struct flm_error why = {0};
    struct flm_code_table *table = flm_code_maker_finish(maker, &why);
    if (!table)
        fail_msg("%s", why.text);
    return table;
}

static inline uint32_t text(struct flm_code_maker *maker, const char *of)
{
    return flm_code_maker_text(maker, flm_bytes_of(of));
}

static inline uint32_t function(struct flm_code_maker *maker, const char *name, uint64_t start,
                                uint64_t end)
{
    uint32_t scope = flm_code_maker_scope(maker, text(maker, name), FLM_NO_SCOPE, 0, 0);
    flm_code_maker_range(maker, scope, start, end);
    return scope;
}

static inline uint32_t copy(struct flm_code_maker *maker, const char *name, uint32_t inside,
                            uint32_t call_line, uint64_t start, uint64_t end)
{
    uint32_t scope =
        flm_code_maker_scope(maker, text(maker, name), inside, text(maker, "c.c"), call_line);
    flm_code_maker_range(maker, scope, start, end);
    return scope;
}

/* The functions at an address: "copy c.c:3 < read c.c:7 < main :0", innermost first. */
static inline const char *at(const struct flm_code_table *table, uint64_t address)
{
    static char found[1000];
    struct flm_code code[8];
    size_t count = flm_code_table_lookup(table, address, code, 8), size = 0;
    found[0] = 0;
    for (size_t i = 0; i < count && i < 8; i++) {
        assert_int_equal(code[i].inlined, i + 1 < count);
        size +=
            (size_t)snprintf(found + size, sizeof found - size, "%s%.*s %.*s:%u",
                             i > 0 ? " < " : "", (int)code[i].function.size, code[i].function.at,
                             (int)code[i].file.size, code[i].file.at, code[i].line);
    }
    return found;
}

#endif
