#include "format/core/thread_names.h"

#include "base/text/text.h"
#include "profile/internal.h"

struct flm_label_set flm_thread_labels(struct flm_builder *b, const struct flm_thread_names *names)
{
    const struct {
        const char *key;
        uint32_t value;
    } labels[] = {{"process", names->process},
                  {"process name", names->process_name},
                  {"thread", names->thread},
                  {"thread name", names->thread_name},
                  {"state", names->state}};
    struct flm_string pairs[10];
    size_t count = 0;
    for (int i = 0; i < 5; i++) {
        if (labels[i].value == 0)
            continue;
        pairs[2 * count] = flm_builder_string(b, labels[i].key, strlen(labels[i].key));
        pairs[2 * count++ + 1] = (struct flm_string){labels[i].value};
    }
    return flm_builder_label_set(b, pairs, count);
}

struct flm_node flm_thread_root(struct flm_builder *b, const struct flm_thread_names *names)
{
    struct flm_bytes name = flm_interner_text(&b->interner, names->thread_name);
    struct flm_bytes number = flm_interner_text(&b->interner, names->thread);
    struct flm_text text = {0};
    if (name.size > 0)
        flm_text_add(&text, name);
    else
        flm_text_puts(&text, "thread");
    if (number.size > 0) {
        flm_text_putc(&text, ' ');
        flm_text_add(&text, number);
    }
    struct flm_node root = flm_builder_root(b);
    if (text.failed) {
        flm_builder_fail_memory(b);
    } else {
        struct flm_frame_record frame = {
            .function = flm_builder_string(b, text.at, text.size).index, .kind = FLM_KIND_LABEL};
        root = flm_builder_child(b, root, flm_builder_frame(b, &frame));
    }
    flm_text_clear(&text);
    return root;
}
