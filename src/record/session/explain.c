/* explain.c - why samples are unsymbolized: notes about the modules that have most of them. */
#include "record/session/internal.h"

#include <stdlib.h>

/* More reasons than these nobody reads. */
enum { MOST_EXPLAINED = 5 };

/* The number of samples without a symbol for each owner of locations. NULL when memory ran out. */
static double *count_by_owner(const struct flm_session *s, const bool *is_unsymbolized)
{
    const struct flm_aggregation *t = &s->aggregation;
    double *count = calloc(s->locations.owners.count + 1, sizeof *count);
    for (size_t i = 0; count && i < t->samples.count; i++) {
        uint32_t node = t->samples.at[i].node;
        uint32_t location = s->stacks.nodes.at[node].location;
        if (node != 0 && is_unsymbolized[location])
            count[s->locations.locations.at[location].owner] +=
                t->keep_times ? 1 : (double)t->merged.at[i];
    }
    return count;
}

/* The owner with the highest count that has a module; SIZE_MAX: none is left. */
static size_t find_most(const struct flm_session *s, const double *count)
{
    size_t most = SIZE_MAX;
    for (size_t i = 0; i < s->locations.owners.count; i++)
        if (s->locations.owners.at[i].module && count[i] > 0 &&
            (most == SIZE_MAX || count[i] > count[most]))
            most = i;
    return most;
}

bool flm_session_explain(struct flm_session *s, const bool *is_unsymbolized,
                         struct flm_builder *builder)
{
    struct flm_text key = {0}, reason = {0};
    double *count = count_by_owner(s, is_unsymbolized);
    size_t owner = SIZE_MAX;
    for (int i = 0; count && i < MOST_EXPLAINED && (owner = find_most(s, count)) != SIZE_MAX; i++) {
        struct flm_module *module = s->locations.owners.at[owner].module;
        count[owner] = 0;
        key.size = reason.size = 0;
        flm_text_puts(&key, FLM_NOTE_UNSYMBOLIZED);
        flm_text_add(&key, flm_module_name(module));
        flm_text_putc(&key, 0);
        flm_module_explain(module, &reason);
        if (!key.failed && !reason.failed)
            flm_builder_note(builder, key.at, reason.at, reason.size);
    }
    bool good = count && !key.failed && !reason.failed;
    flm_text_clear(&key);
    flm_text_clear(&reason);
    free(count);
    return good;
}
