/* explain.c - what a recording does not show, and how to see it: notes about the modules that have
 * most unsymbolized samples, and about interpreters. */
#include "record/symbols/internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "record/runtimes.h"

/* More reasons than these nobody reads. */
enum { MOST_EXPLAINED = 5 };

/* The number of samples for each owner of locations: of those whose leaf is marked; NULL: of all.
 * NULL when memory ran out. */
static double *count_by_owner(const struct flm_session *s, const bool *marked)
{
    const struct flm_aggregation *t = &s->aggregation;
    double *count = calloc(s->locations.owners.count + 1, sizeof *count);
    for (size_t i = 0; count && i < t->samples.count; i++) {
        uint32_t node = t->samples.at[i].node;
        uint32_t location = s->stacks.nodes.at[node].location;
        if (node != 0 && (!marked || marked[location]))
            count[s->locations.locations.at[location].owner] +=
                t->keep_times ? 1 : (double)t->merged.at[i];
    }
    return count;
}

/* The owner with the highest count of which a reason is known: modules, and processes with code
 * that they have compiled. SIZE_MAX: none is left. */
static size_t find_most(const struct flm_session *s, const double *count)
{
    size_t most = SIZE_MAX;
    for (size_t i = 0; i < s->locations.owners.count; i++) {
        const struct flm_location_owner *owner = &s->locations.owners.at[i];
        if ((owner->module || owner->kind == FLM_OWNER_PROCESS) && count[i] > 0 &&
            (most == SIZE_MAX || count[i] > count[most]))
            most = i;
    }
    return most;
}

/* The reason is the same text for all modules that have it: their build ids are notes of their
 * own. `share` is what is unsymbolized in it, of all samples. */
static void explain_owner(struct flm_session *s, const struct flm_location_owner *owner,
                          double share, struct flm_text *name, struct flm_text *reason)
{
    if (owner->module) {
        flm_text_add(name, flm_module_name(owner->module));
        flm_module_explain(owner->module, reason);
    } else {
        char percent[32];
        struct flm_bytes program = flm_session_command(s, owner->process);
        bool is_known = !flm_bytes_are(program, "[unknown]");
        flm_text_puts(name, is_known ? "JIT code of " : "code of process");
        if (is_known)
            flm_text_add(name, program);
        flm_text_format(name, " %d", owner->process);
        snprintf(percent, sizeof percent, "%.2g", 100 * share);
        flm_text_puts(reason, percent);
        flm_text_puts(reason, is_known
                                  ? " % of samples are in code that it compiled, without names: "
                                  : " % of samples are in a process whose start was not seen: "
                                    "records were lost, or it had ended when it was looked at");
        if (is_known)
            flm_text_puts(reason, flm_runtime_remedy(program, s->options.has_agents));
    }
}

static void add_note(struct flm_builder *builder, const char *what, const struct flm_text *name,
                     const struct flm_text *value, struct flm_text *key)
{
    key->size = 0;
    flm_text_puts(key, what);
    flm_text_add(key, (struct flm_bytes){name->at, name->size});
    flm_text_putc(key, 0);
    if (!key->failed && !name->failed && !value->failed)
        flm_builder_note(builder, key->at, value->at, value->size);
}

/* Most functions of an interpreter have names; those that it interprets do not show, and nobody
 * would look for the option. False when memory ran out. */
static bool explain_interpreters(struct flm_session *s, struct flm_builder *builder)
{
    static const double least = 0.01; /* of the samples: few are not why somebody records */
    if (!s->options.live || s->options.has_runtimes)
        return true;
    struct flm_text name = {0}, reason = {0}, key = {0};
    double *count = count_by_owner(s, NULL), all = 0;
    for (size_t i = 0; count && i < s->locations.owners.count; i++)
        all += count[i];
    for (size_t i = 0; count && i < s->locations.owners.count; i++) {
        const struct flm_module *module = s->locations.owners.at[i].module;
        const struct flm_runtime *runtime =
            module ? flm_runtime_of_interpreter(flm_module_path(module)) : NULL;
        if (!runtime || count[i] < least * all || count[i] <= 0)
            continue;
        name.size = reason.size = 0;
        flm_text_puts(&name, runtime->name);
        flm_text_format(&reason, "functions that %s interprets: record without --no-runtime",
                        runtime->name);
        add_note(builder, FLM_NOTE_NOT_SHOWN, &name, &reason, &key);
    }
    bool good = count && !name.failed && !reason.failed && !key.failed;
    flm_text_clear(&name);
    flm_text_clear(&reason);
    flm_text_clear(&key);
    free(count);
    return good;
}

/* Lines and functions are known without the files that a compiler split off; that the inlined ones
 * are missing cannot be seen. False when memory ran out. */
static bool explain_split(struct flm_session *s, struct flm_builder *builder)
{
    struct flm_text name = {0}, reason = {0}, key = {0};
    double *count = count_by_owner(s, NULL);
    for (size_t i = 0; count && i < s->locations.owners.count; i++) {
        const struct flm_location_owner *owner = &s->locations.owners.at[i];
        if (owner->kind != FLM_OWNER_MODULE || count[i] <= 0 ||
            !flm_module_lacks_split(owner->module))
            continue;
        name.size = reason.size = 0;
        flm_text_puts(&name, "inlined functions of ");
        flm_text_add(&name, flm_module_name(owner->module));
        flm_module_explain(owner->module, &reason);
        add_note(builder, FLM_NOTE_NOT_SHOWN, &name, &reason, &key);
    }
    bool good = count && !name.failed && !reason.failed && !key.failed;
    flm_text_clear(&name);
    flm_text_clear(&reason);
    flm_text_clear(&key);
    free(count);
    return good;
}

bool flm_session_explain(struct flm_session *s, const bool *is_unsymbolized,
                         struct flm_builder *builder)
{
    struct flm_text name = {0}, reason = {0}, id = {0}, key = {0};
    double *count = count_by_owner(s, is_unsymbolized), *all = count_by_owner(s, NULL), sum = 0;
    size_t owner = SIZE_MAX;
    for (size_t i = 0; all && i < s->locations.owners.count; i++)
        sum += all[i];
    for (int i = 0; count && i < MOST_EXPLAINED && (owner = find_most(s, count)) != SIZE_MAX; i++) {
        const struct flm_location_owner *most = &s->locations.owners.at[owner];
        double share = sum > 0 ? count[owner] / sum : 0;
        count[owner] = 0;
        name.size = reason.size = id.size = 0;
        explain_owner(s, most, share, &name, &reason);
        add_note(builder, FLM_NOTE_UNSYMBOLIZED, &name, &reason, &key);
        if (most->module && flm_module_build_id(most->module)->size > 0) {
            flm_build_id_print(flm_module_build_id(most->module), &id);
            add_note(builder, FLM_NOTE_BUILD_ID, &name, &id, &key);
        }
    }
    bool good = explain_interpreters(s, builder) && explain_split(s, builder) && count && all &&
                !name.failed && !reason.failed && !id.failed && !key.failed;
    flm_text_clear(&name);
    flm_text_clear(&reason);
    flm_text_clear(&id);
    flm_text_clear(&key);
    free(count);
    free(all);
    return good;
}
