/* Any bytes as a .flm file: as they are, and with sizes and checksums made right, so that what lies
 * behind them is reached. What opens keeps its promises, is written and opened again as the same,
 * and goes through every operation. */
#include <stdlib.h>

#include "algebra/operation/algebra.h"
#include "base/core/hash.h"
#include "base/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

/* docs/format.md */
enum { HEADER = 64, ENTRY = 40, AT_VERSION = 8, AT_COUNT = 12, AT_SIZE = 16, AT_CHECKSUM = 24 };
enum { ENTRY_OFFSET = 8, ENTRY_SIZE = 16, ENTRY_CHECKSUM = 24 };

static void put64(char *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static void repair(char *bytes, size_t size)
{
    if (size < HEADER)
        return;
    static const char magic[] = "FLAMEL\x1A\n\1\0\0";
    memcpy(bytes, magic, AT_COUNT);
    put64(bytes + AT_SIZE, size);
    uint32_t count = flm_load32(bytes + AT_COUNT);
    if (count > 64 || HEADER + (size_t)ENTRY * count > size)
        return;
    for (uint32_t i = 0; i < count; i++) {
        char *entry = bytes + HEADER + (size_t)ENTRY * i;
        uint64_t offset = flm_load64(entry + ENTRY_OFFSET), length = flm_load64(entry + ENTRY_SIZE);
        if (offset <= size && length <= size - offset)
            put64(entry + ENTRY_CHECKSUM, flm_checksum(bytes + offset, (size_t)length));
    }
    put64(bytes + AT_CHECKSUM, 0);
    put64(bytes + AT_CHECKSUM, flm_checksum(bytes, HEADER + (size_t)ENTRY * count));
}

static bool add_bytes(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

/* Keeps its promises; written and opened it is the same. */
static void inspect(const struct flm_profile *p)
{
    promise(flm_profile_check(p, NULL));
    struct flm_text first = {0}, second = {0};
    promise(flm_profile_write(p, add_bytes, &first));
    struct flm_profile *q = flm_profile_open(first.at, first.size, NULL, NULL, NULL);
    promise(q != NULL && flm_profile_write(q, add_bytes, &second));
    promise(first.size == second.size && memcmp(first.at, second.at, first.size) == 0);
    flm_profile_free(q);
    flm_text_clear(&first);
    flm_text_clear(&second);
}

/* A result, or an error that says that a sum is too large or that samples are missing. */
static void inspect_result(struct flm_profile *p, const struct flm_error *why)
{
    if (p)
        inspect(p);
    else
        promise(why->kind == FLM_ERROR_RANGE || why->kind == FLM_ERROR_USAGE ||
                why->kind == FLM_ERROR_UNIT);
    flm_profile_free(p);
}

static void operate(const struct flm_profile *p)
{
    static const char *const expressions[] = {
        "focus:?*",        "hide:*a*",     "drop:m*",      "prune:*",
        "by:function",     "by:module",    "by:short",     "by:package",
        "by:nohex",        "invert",       "depth:2",      "collapse:any",
        "collapse:direct", "label:thread", "time:1ms..1s", "keep:kind=native"};
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
        struct flm_error why = {0};
        char note[200];
        inspect_result(flm_apply(p, expressions[i], note, &why), &why);
    }
    static const char *const names[] = {"a", "b"};
    const struct flm_profile *twice[] = {p, p};
    struct flm_error why = {0};
    inspect_result(flm_align(twice, 2, FLM_ALIGN_ADD, NULL, &why), &why);
    inspect_result(flm_align(twice, 2, FLM_ALIGN_SIDE_BY_SIDE, names, &why), &why);
    if (p->sizes.metric_count > 0 && p->sizes.metric_count < 100) {
        double weights[100] = {-1};
        struct flm_combination c = {"x", NULL, weights};
        inspect_result(flm_combine(p, &c, 1, &why), &why);
        struct flm_metric last = {p->sizes.metric_count - 1};
        inspect_result(flm_difference_parts(p, (struct flm_metric){0}, last, &why), &why);
        flm_shape_similarity(p, (struct flm_metric){0}, last);
    }
}

static void open_bytes(const char *bytes, size_t size)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_profile_open(bytes, size, NULL, NULL, &why);
    if (p) {
        inspect(p);
        operate(p);
        flm_profile_free(p);
    } else {
        promise(why.kind == FLM_ERROR_FORMAT || why.kind == FLM_ERROR_RANGE);
        promise(why.text[0] != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = calloc(size + (size == 0), 1); /* aligned, and not a byte larger */
    promise(bytes != NULL);
    if (size)
        memcpy(bytes, data, size);
    open_bytes(bytes, size);
    repair(bytes, size);
    open_bytes(bytes, size);
    free(bytes);
    return 0;
}
