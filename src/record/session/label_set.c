#include "record/session/label_set.h"

#include "base/text/text.h"

static void put(struct flm_builder *b, struct flm_string *pair, const char *key,
                struct flm_bytes value)
{
    pair[0] = flm_builder_string(b, key, strlen(key));
    pair[1] = flm_builder_string(b, value.at, value.size);
}

struct flm_label_set flm_session_label_set(struct flm_builder *b,
                                           const struct flm_sample_attributes *c,
                                           enum flm_sched_state state)
{
    enum { MOST = 6 + FLM_RUNTIME_LABELS, CPU = 2 };
    struct flm_string pairs[2 * MOST];
    size_t count = 0;
    const struct {
        const char *key;
        int64_t number; /* negative: unknown */
    } numbers[] = {{"process", c->process},
                   {"thread", c->thread},
                   {"cpu", c->cpu == UINT32_MAX ? -1 : (int64_t)c->cpu}};
    if (c->command.size > 0)
        put(b, &pairs[2 * count++], "command", c->command);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].number < 0)
            continue;
        char buffer[24];
        struct flm_text digits;
        flm_text_init_fixed(&digits, buffer, sizeof buffer);
        flm_text_uint(&digits, (uint64_t)numbers[i].number);
        if (i == CPU && digits.size < 3) { /* three digits, as perf writes CPUs: [003] */
            digits.size = 0;
            flm_text_repeat(&digits, '0', numbers[i].number < 10 ? 2 : 1);
            flm_text_uint(&digits, (uint64_t)numbers[i].number);
        }
        put(b, &pairs[2 * count++], numbers[i].key, (struct flm_bytes){digits.at, digits.size});
    }
    if (c->thread_name.size > 0)
        put(b, &pairs[2 * count++], "thread name", c->thread_name);
    if (c->runtime_state.size > 0)
        put(b, &pairs[2 * count++], "state", c->runtime_state);
    else if (state != FLM_STATE_RUNNING)
        put(b, &pairs[2 * count++], "state", flm_bytes_of(flm_sched_state_name(state)));
    for (size_t i = 0; i < FLM_RUNTIME_LABELS; i++) {
        const struct flm_runtime_label *l = &c->labels[i];
        if (l->key)
            put(b, &pairs[2 * count++], l->key, l->name && l->name->size > 0 ? *l->name : l->value);
    }
    return flm_builder_label_set(b, pairs, count);
}
