/* Any text as the kernel's list of its functions. */
#include <stdlib.h>

#include "symbol/registry/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const modules[] = {"", "ext4"};
    struct flm_bytes list = {(const char *)data, size};
    uint64_t base = 0;
    flm_kernel_find(list, "_stext", &base);
    for (size_t i = 0; i < 2; i++) {
        struct flm_code_maker *maker = flm_code_maker_new(NULL);
        promise(maker != NULL);
        struct flm_kernel_counts counts =
            flm_kernel_add_functions(list, flm_bytes_of(modules[i]), i ? 0 : base, maker);
        struct flm_code_table *table = flm_code_maker_finish(maker, NULL);
        promise(table && flm_code_table_counts(table).symbols <= counts.functions);
        flm_code_table_free(table);
    }
    return 0;
}
