/* Any text as an expression, applied to a profile of everything. */
#include <stdio.h>
#include <stdlib.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "profile/columns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static struct flm_string string(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

static struct flm_profile *make_profile(void)
{
    static const char *const names[] = {"main",       "parse",     "std::map<int>::find",
                                        "a|b",        "say \"x\"", "operator<<(int)",
                                        "net/http.f", "0x7f12",    ""};
    static const char *const modules[] = {"", "/usr/lib/libc.so.6", "app"};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric memory = flm_builder_metric(b, "memory", "bytes");
    struct flm_node node = flm_builder_root(b);
    for (uint32_t i = 0; i < 40; i++) {
        struct flm_frame_record record = {.function = string(b, names[i * 7 % 9]).index,
                                          .module = string(b, modules[i % 3]).index,
                                          .file = string(b, i % 2 ? "src/a.c" : "").index,
                                          .kind = i % FLM_KIND_COUNT};
        struct flm_string label[] = {string(b, "thread"), string(b, i % 2 ? "1" : "2")};
        if (i % 8 == 0)
            node = flm_builder_root(b);
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
        flm_builder_sample(b, i * 1000000, node, flm_builder_label_set(b, label, 1), cpu, i);
        flm_builder_sample_add(b, memory, 1);
    }
    return flm_builder_finish(b, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_profile *p = make_profile();
    char *expression = malloc(size + 1), note[200];
    promise(p && expression);
    if (size)
        memcpy(expression, data, size);
    expression[size] = 0;

    struct flm_error why = {0};
    struct flm_profile *q = flm_apply(p, expression, note, &why);
    promise(memchr(note, 0, sizeof note) != NULL);
    if (q)
        promise(flm_profile_check(q, NULL));
    else
        promise((why.kind == FLM_ERROR_USAGE || why.kind == FLM_ERROR_RANGE) &&
                why.offset <= size && why.text[0] != 0);
    flm_profile_free(q);
    flm_profile_free(p);
    free(expression);
    return 0;
}
