#include "profile/label_range.h"

struct flm_label_range flm_label_range_of(const struct flm_profile *p, const char *key)
{
    struct flm_label_range found = {0, 0};
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->labels[i].key), key)) {
            found.first = found.count ? found.first : i;
            found.count++;
        }
    return found;
}

uint32_t flm_label_in(const struct flm_profile *p, uint32_t set, struct flm_label_range range)
{
    for (uint32_t i = set ? p->label_set_ends[set - 1] : 0; i < p->label_set_ends[set]; i++)
        if (p->set_members[i] - range.first < range.count)
            return p->set_members[i];
    return FLM_NONE;
}

uint32_t flm_label_value_in(const struct flm_profile *p, uint32_t set, struct flm_label_range range)
{
    uint32_t label = flm_label_in(p, set, range);
    return label == FLM_NONE ? FLM_NONE : p->labels[label].value;
}

static struct flm_label_range first_of(const struct flm_profile *p, const char *const *keys,
                                       size_t count)
{
    struct flm_label_range found = {0, 0};
    for (size_t i = 0; i < count && found.count == 0; i++)
        found = flm_label_range_of(p, keys[i]);
    return found;
}

struct flm_thread_labels flm_thread_labels_of(const struct flm_profile *p)
{
    static const char *const threads[] = {"thread", "tid", "pid", "command"};
    static const char *const processes[] = {"process", "pid"};
    static const char *const commands[] = {"thread name", "command"};
    struct flm_thread_labels labels = {
        .threads = first_of(p, threads, 4),
        .processes = first_of(p, processes, 2),
        .commands = first_of(p, commands, 2),
    };
    if (labels.threads.first == labels.commands.first)
        labels.commands.count = 0;
    labels.unnamed = flm_label_range_of(p, "command");
    if (labels.unnamed.first == labels.commands.first ||
        labels.unnamed.first == labels.threads.first)
        labels.unnamed.count = 0;
    return labels;
}

static bool has_value(const struct flm_profile *p, struct flm_label_range range, uint32_t string)
{
    for (uint32_t i = 0; i < range.count; i++)
        if (p->labels[range.first + i].value == string)
            return true;
    return false;
}

uint32_t flm_thread_labels_name(const struct flm_profile *p, uint32_t set,
                                const struct flm_thread_labels *labels, uint32_t before)
{
    uint32_t name = flm_label_value_in(p, set, labels->commands);
    if (name != FLM_NONE || labels->unnamed.count == 0)
        return name == FLM_NONE ? before : name;
    uint32_t command = flm_label_value_in(p, set, labels->unnamed);
    bool is_named =
        command != before && before != FLM_NONE && has_value(p, labels->commands, before);
    return command == FLM_NONE || is_named ? before : command;
}
