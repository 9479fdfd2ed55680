#include "record/runtimes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "record/interpreters.h"

#define DECLARE(name) extern const struct flm_runtime flm_runtime_##name;
#define ADDRESS(name) &flm_runtime_##name,

FLM_RUNTIMES(DECLARE)

static const struct flm_runtime *const runtimes[] = {FLM_RUNTIMES(ADDRESS)};

enum { RUNTIMES = sizeof runtimes / sizeof runtimes[0] };
_Static_assert((int)RUNTIMES <= (int)FLM_INTERPRETERS_MOST, "runtimes are a set of bits");

/* ---- Symbolizing ----------------------------------------------------------------------------- */

const struct flm_runtime *flm_runtime_of_file(struct flm_bytes path)
{
    for (size_t i = 0; i < RUNTIMES; i++)
        if (runtimes[i]->is_file && runtimes[i]->is_file(path))
            return runtimes[i];
    return NULL;
}

const struct flm_runtime *flm_runtime_of_interpreter(struct flm_bytes path)
{
    for (size_t i = 0; i < RUNTIMES; i++)
        if (runtimes[i]->is_interpreter && runtimes[i]->is_interpreter(path))
            return runtimes[i];
    return NULL;
}

bool flm_runtimes_find(struct flm_runtime_search *search)
{
    assert(search->found.count == 0 && search->report.lost && search->report.note);
    bool good = true;
    for (size_t i = 0; i < RUNTIMES && good; i++)
        good = !runtimes[i]->find || runtimes[i]->find(runtimes[i], search);
    if (!good)
        flm_runtime_search_clear(search);
    return good;
}

/* ---- Sampling -------------------------------------------------------------------------------- */

struct flm_attached_runtimes {
    size_t count;
    struct {
        const struct flm_runtime *runtime;
        void *attached;
    } items[RUNTIMES];
    struct flm_interpreters *interpreters;
    uint32_t everywhere; /* those whose processes cannot be told */
    int64_t seen_ns;
    bool saw_last;
    bool (*step_back)(void);
    void (*step_forward)(void);
};

static const struct flm_runtime *find_attachable(const char *name, struct flm_error *why)
{
    char known[200];
    struct flm_text list;
    flm_text_init_fixed(&list, known, sizeof known - 1);
    for (size_t i = 0; i < RUNTIMES; i++) {
        if (!runtimes[i]->attach || runtimes[i]->begin) /* agents are asked for elsewhere */
            continue;
        if (strcmp(runtimes[i]->name, name) == 0)
            return runtimes[i];
        flm_text_puts(&list, list.size ? ", " : "");
        flm_text_puts(&list, runtimes[i]->name);
    }
    known[list.size] = 0;
    flm_error_set(why, FLM_ERROR_USAGE, "no runtime '%s' can be attached to: %s", name, known);
    return NULL;
}

static bool is_attached(const struct flm_attached_runtimes *all, const struct flm_runtime *runtime)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].runtime == runtime)
            return true;
    return false;
}

/* Each has numbers of its own for its functions. */
static uint64_t first_code(size_t index)
{
    return FLM_CODE_FIRST + ((FLM_CODE_LAST - FLM_CODE_FIRST) / RUNTIMES + 1) * index;
}

static bool attach(struct flm_attached_runtimes *all, const struct flm_runtime *runtime,
                   const struct flm_runtime_options *common, struct flm_error *why)
{
    struct flm_runtime_options options = *common;
    options.first_code = first_code(all->count);
    void *attached = runtime->attach(runtime, &options, why);
    if (!attached)
        return false;
    if (runtime->mix && !runtime->is_interpreter && !runtime->symbol && !runtime->section)
        all->everywhere |= UINT32_C(1) << all->count;
    all->items[all->count].runtime = runtime;
    all->items[all->count++].attached = attached;
    return true;
}

static bool attach_named(struct flm_attached_runtimes *all, const char *const *names, size_t count,
                         const struct flm_runtime_options *options, struct flm_error *why)
{
    for (size_t i = 0; i < count && !options->only_agents; i++) {
        const struct flm_runtime *runtime = find_attachable(names[i], why);
        if (!runtime || (!is_attached(all, runtime) && !attach(all, runtime, options, why)))
            return false;
    }
    for (size_t i = 0; i < RUNTIMES; i++) {
        bool is_wanted = runtimes[i]->begin ? options->what != NULL
                                            : count == 0 && !options->only_agents &&
                                                  !(options->off_cpu && runtimes[i]->not_off_cpu);
        if (runtimes[i]->attach && is_wanted && !attach(all, runtimes[i], options, why))
            return false;
    }
    return true;
}

struct flm_attached_runtimes *flm_runtimes_attach(const char *const *names, size_t count,
                                                  const struct flm_runtime_options *common,
                                                  struct flm_error *why)
{
    assert(names || count == 0);
    struct flm_attached_runtimes *all = calloc(1, sizeof *all);
    const struct flm_runtime *attached[RUNTIMES];
    if (!all) {
        flm_error_memory(why);
        return NULL;
    }
    all->seen_ns = INT64_MIN;
    all->step_back = common->step_back;
    all->step_forward = common->step_forward;
    bool good = attach_named(all, names, count, common, why);
    for (size_t i = 0; i < all->count; i++)
        attached[i] = all->items[i].runtime;
    if (good && !(all->interpreters = flm_interpreters_new(attached, all->count)))
        good = flm_error_memory(why);
    if (good)
        return all;
    flm_runtimes_close(all);
    return NULL;
}

void flm_runtimes_close(struct flm_attached_runtimes *all)
{
    for (size_t i = 0; all && i < all->count; i++)
        all->items[i].runtime->close(all->items[i].attached);
    if (all)
        flm_interpreters_free(all->interpreters);
    free(all);
}

static bool mix(struct flm_attached_runtimes *all, struct flm_runtime_sample *sample,
                int64_t now_ns, flm_event_sink define, void *context, struct flm_error *why)
{
    uint32_t found;
    if (!flm_interpreters_find(all->interpreters, sample->process, &found))
        return flm_error_memory(why);
    all->saw_last = found != 0;
    if (found)
        all->seen_ns = now_ns;
    found |= all->everywhere;
    for (size_t i = 0; found >> i; i++)
        if (found >> i & 1 && !all->items[i].runtime->mix(all->items[i].attached, sample, now_ns,
                                                          define, context, why))
            return false;
    return true;
}

/* The first sample of a process may have tables of its interpreter read. */
bool flm_runtimes_mix(struct flm_attached_runtimes *all, struct flm_runtime_sample *sample,
                      int64_t now_ns, flm_event_sink define, void *context, struct flm_error *why)
{
    bool is_back = all->step_back && !flm_interpreters_know(all->interpreters, sample->process) &&
                   all->step_back();
    bool good = mix(all, sample, now_ns, define, context, why);
    if (is_back)
        all->step_forward();
    return good;
}

int64_t flm_runtimes_seen_ns(const struct flm_attached_runtimes *all)
{
    return all->seen_ns;
}

bool flm_runtimes_saw_last(const struct flm_attached_runtimes *all)
{
    return all->saw_last;
}

void flm_runtimes_report(const struct flm_attached_runtimes *all,
                         const struct flm_runtime_report *report)
{
    assert(report->lost && report->note);
    for (size_t i = 0; i < all->count; i++)
        all->items[i].runtime->report(all->items[i].attached, report);
}

/* ---- Agents ---------------------------------------------------------------------------------- */

bool flm_runtimes_command(struct flm_attached_runtimes *all, char *const **command, int *inherited,
                          struct flm_error *why)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].runtime->command &&
            !all->items[i].runtime->command(all->items[i].attached, command, inherited, why))
            return false;
    return true;
}

bool flm_runtimes_begin(struct flm_attached_runtimes *all, const struct flm_runtime_target *target,
                        struct flm_error *why)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].runtime->begin &&
            !all->items[i].runtime->begin(all->items[i].attached, target, why))
            return false;
    return true;
}

void flm_runtimes_mapped(struct flm_attached_runtimes *all, int32_t process, struct flm_bytes path)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].runtime->mapped)
            all->items[i].runtime->mapped(all->items[i].attached, process, path);
}

bool flm_runtimes_read(struct flm_attached_runtimes *all, const struct flm_runtime_sinks *sinks,
                       struct flm_error *why)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].runtime->read &&
            !all->items[i].runtime->read(all->items[i].attached, sinks, why))
            return false;
    return true;
}

bool flm_runtimes_claim(struct flm_attached_runtimes *all, const struct flm_event *event,
                        bool keeps)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].runtime->claims &&
            all->items[i].runtime->claims(all->items[i].attached, event, keeps))
            return true;
    return false;
}

bool flm_runtimes_join(struct flm_attached_runtimes *all, int64_t until_ns,
                       const struct flm_runtime_sinks *sinks, struct flm_error *why)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].runtime->join &&
            !all->items[i].runtime->join(all->items[i].attached, until_ns, sinks, why))
            return false;
    return true;
}

bool flm_runtimes_end(struct flm_attached_runtimes *all, const struct flm_runtime_sinks *sinks,
                      struct flm_error *why)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].runtime->end &&
            !all->items[i].runtime->end(all->items[i].attached, sinks, why))
            return false;
    return true;
}
