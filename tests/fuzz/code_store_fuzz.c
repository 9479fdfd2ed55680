/* Any bytes as a store of code. What is read keeps its promises, and written and read again it is
 * the same. */
#include <stdlib.h>

#include "code/code_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void use(const struct flm_code_store *store)
{
    for (size_t i = 0; i < flm_code_store_file_count(store); i++) {
        struct flm_bytes name = flm_code_store_file_at(store, i)->name;
        promise(flm_code_store_file(store, name) == flm_code_store_file_at(store, i));
        const struct flm_line_index *lines = flm_code_store_lines(store, name);
        flm_line_index_get(lines, lines->count);
    }
    for (size_t i = 0; i < flm_code_store_function_count(store); i++) {
        const struct flm_code_function *f = flm_code_store_function_at(store, i);
        promise(flm_code_function_check(f, NULL));
        promise(flm_code_store_function(store, f->name, f->module) == f);
        for (size_t k = 0; k < f->instruction_count; k++)
            promise(flm_code_instruction_from(f, f->instructions[k].address) == k);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_error why = {0};
    struct flm_code_store *store = flm_code_store_new(NULL), *again = flm_code_store_new(NULL);
    struct flm_text first = {0}, second = {0};
    promise(store && again);
    if (flm_code_store_read(store, (struct flm_bytes){(const char *)data, size}, &why)) {
        use(store);
        promise(flm_code_store_write(store, &first, NULL));
        promise(flm_code_store_read(again, (struct flm_bytes){first.at, first.size}, NULL));
        promise(flm_code_store_write(again, &second, NULL));
        promise(first.size == second.size && memcmp(first.at, second.at, first.size) == 0);
    } else {
        promise(why.kind == FLM_ERROR_FORMAT && why.text[0] != 0);
        promise(flm_code_store_file_count(store) + flm_code_store_function_count(store) == 0);
    }
    flm_text_clear(&first);
    flm_text_clear(&second);
    flm_code_store_free(store);
    flm_code_store_free(again);
    return 0;
}
