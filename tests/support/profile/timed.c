#include "support/profile/timed.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "flamel/builder.h"

static struct flm_string string_of(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

static struct flm_node node_of(struct flm_builder *b, const char *stack)
{
    struct flm_node node = flm_builder_root(b);
    while (*stack) {
        size_t size = strcspn(stack, ";");
        node = flm_builder_child(b, node, flm_builder_function(b, stack, size));
        stack += size + (stack[size] == ';');
    }
    return node;
}

/* Returns how many bytes the line has; 0: it is neither. */
static int add_event(struct flm_builder *b, const char *line)
{
    char name[40], detail[100];
    double from, other;
    int size = 0;
    struct flm_label_set none = {0};
    if (sscanf(line, "marker %39s %lf %lf %99[^\n]\n%n", name, &from, &other, detail, &size) == 4) {
        struct flm_string more = string_of(b, strcmp(detail, "-") == 0 ? "" : detail);
        flm_builder_marker(b, 5000000000 + (int64_t)(from * 1e6), (int64_t)(other * 1e6),
                           string_of(b, name), more, none);
    } else if (sscanf(line, "counter %39s %lf %lf\n%n", name, &from, &other, &size) == 3) {
        char *process = strchr(name, '@');
        struct flm_label_set set = none;
        if (process) {
            *process++ = '\0';
            struct flm_string label[] = {string_of(b, "process"), string_of(b, process)};
            set = flm_builder_label_set(b, label, 1);
        }
        struct flm_counter counter =
            flm_builder_counter(b, string_of(b, name), string_of(b, "bytes"), set);
        flm_builder_counter_point(b, counter, 5000000000 + (int64_t)(from * 1e6), other);
    }
    return size;
}

struct flm_profile *profile_of_threads(const char *lines)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric off = flm_builder_metric(b, "off-cpu", "ns");
    char process[20], thread[20], state[20], stack[1000], command[24];
    double from, lasts;
    int size;
    for (; sscanf(lines, "%19s %19s %19s %lf %lf %999[^\n]\n%n", process, thread, state, &from,
                  &lasts, stack, &size) == 6;
         lines += size) {
        snprintf(command, sizeof command, "cmd%s", process);
        struct flm_string labels[] = {string_of(b, "process"), string_of(b, process),
                                      string_of(b, "thread"),  string_of(b, thread),
                                      string_of(b, "command"), string_of(b, command),
                                      string_of(b, "state"),   string_of(b, state)};
        bool runs = strcmp(state, "-") == 0;
        struct flm_label_set set = flm_builder_label_set(b, labels, runs ? 3 : 4);
        struct flm_node node = node_of(b, strcmp(stack, "-") == 0 ? "" : stack);
        flm_builder_sample(b, 5000000000 + (int64_t)(from * 1e6), node, set, runs ? cpu : off,
                           runs ? 1e6 : lasts * 1e6);
        flm_builder_sample_lasts(b, (int64_t)(lasts * 1e6));
    }
    while ((size = add_event(b, lines)) > 0)
        lines += size;
    assert(*lines == '\0');
    return flm_builder_finish(b, NULL);
}
