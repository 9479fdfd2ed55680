/* split.c - a profile of the whole machine as one for each service. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/operation/operations.h"
#include "algebra/operation/subset.h"
#include "base/number/number.h"
#include "base/text/text.h"
#include "record/services/internal.h"

/* What has begun during the profile, and who began it: markers "fork" with "of PID". */
struct begun {
    int32_t process, parent;
};

struct part {
    uint32_t service;
    const char *name;
    uint64_t samples;
};

struct splitting {
    struct flm_services *services;
    const struct flm_profile *p;
    struct FLM_ARRAY(struct begun) begun; /* ascending by process */
    uint32_t *set_service;                /* by label set */
    struct part *parts;                   /* of the services with samples, the largest first */
    size_t part_count;
    struct flm_error *why;
};

/* ---- Labels and markers ---------------------------------------------------------------------- */

/* The value of a key in a label set; empty: it has none. */
static struct flm_bytes value_in(const struct flm_profile *p, uint32_t set, const char *key)
{
    for (uint32_t i = set ? p->label_set_ends[set - 1] : 0; i < p->label_set_ends[set]; i++) {
        struct flm_label_record label = p->labels[p->set_members[i]];
        if (flm_bytes_are(flm_string_bytes(p, label.key), key))
            return flm_string_bytes(p, label.value);
    }
    return (struct flm_bytes){0};
}

static int32_t process_in(struct flm_bytes text)
{
    uint64_t number;
    return flm_number_parse_uint(text, &number) && number <= INT32_MAX ? (int32_t)number : 0;
}

static int by_process(const void *a, const void *b)
{
    int32_t x = ((const struct begun *)a)->process, y = ((const struct begun *)b)->process;
    return (x > y) - (x < y);
}

/* A process that became another program meanwhile is read again. */
static bool take_markers(struct splitting *s)
{
    const struct flm_profile *p = s->p;
    static const char parent_of[] = "of ";
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        const struct flm_marker_record *marker = &p->markers[i];
        struct flm_bytes name = flm_string_bytes(p, marker->name);
        struct flm_bytes detail = flm_string_bytes(p, marker->detail);
        int32_t process = process_in(value_in(p, marker->label_set, "process"));
        if (flm_bytes_are(name, "exec"))
            flm_services_forget(s->services, process);
        if (!flm_bytes_are(name, "fork") || !flm_bytes_start_with(detail, parent_of))
            continue;
        struct begun begun = {process, process_in(flm_bytes_from(detail, strlen(parent_of)))};
        if (!FLM_ARRAY_ADD(&s->begun, begun))
            return flm_error_memory(s->why);
    }
    if (s->begun.count > 0)
        qsort(s->begun.at, s->begun.count, sizeof *s->begun.at, by_process);
    return true;
}

/* ---- Whose samples they are ------------------------------------------------------------------ */

/* The service of those who began a process that is gone, where that is more than a program's. */
static bool find_inherited(struct splitting *s, int32_t process, uint32_t *service)
{
    enum { MOST_GENERATIONS = 64 };
    bool good = true;
    for (int i = 0; good && i < MOST_GENERATIONS; i++) {
        struct begun wanted = {.process = process};
        const struct begun *found =
            s->begun.count > 0
                ? bsearch(&wanted, s->begun.at, s->begun.count, sizeof wanted, by_process)
                : NULL;
        if (!found)
            return true;
        const struct process *parent = flm_services_process(s->services, found->parent, &good);
        if (parent) {
            if (parent->is_shared)
                *service = parent->service;
            return true;
        }
        process = found->parent;
    }
    return good || flm_error_memory(s->why);
}

static bool find_service(struct splitting *s, uint32_t set)
{
    bool good;
    uint32_t service = FLM_NONE;
    struct flm_bytes command = value_in(s->p, set, "command");
    int32_t id = process_in(value_in(s->p, set, "process"));
    const struct process *process = flm_services_process(s->services, id, &good);
    if (!good)
        return flm_error_memory(s->why);
    if (process)
        service = process->service;
    else if (!find_inherited(s, id, &service))
        return false;
    if (service == FLM_NONE) /* 0 is the idle thread of a CPU */
        service = flm_services_named(s->services, id == 0            ? flm_bytes_of("kernel")
                                                  : command.size > 0 ? command
                                                                     : flm_bytes_of("unknown"));
    s->set_service[set] = service;
    return service != FLM_NONE || flm_error_memory(s->why);
}

/* ---- The parts ------------------------------------------------------------------------------- */

static int by_samples(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->service > y->service) - (x->service < y->service);
}

/* Those beyond the limit become one. */
static bool join_smallest(struct splitting *s)
{
    size_t most = s->services->most;
    if (s->part_count <= most)
        return true;
    uint32_t other = flm_services_named(s->services, flm_bytes_of("other"));
    if (other == FLM_NONE)
        return flm_error_memory(s->why);
    for (uint32_t set = 0; set < s->p->sizes.label_set_count; set++)
        for (size_t i = most - 1; i < s->part_count; i++)
            if (s->set_service[set] == s->parts[i].service) {
                s->set_service[set] = other;
                break;
            }
    s->parts[most - 1].service = other;
    s->part_count = most;
    return true;
}

static bool find_parts(struct splitting *s)
{
    const struct flm_profile *p = s->p;
    uint32_t sets = p->sizes.label_set_count;
    uint64_t *of_set = calloc((size_t)sets + 1, sizeof *of_set);
    s->set_service = malloc(((size_t)sets + 1) * sizeof *s->set_service);
    bool good = of_set && s->set_service;
    for (uint32_t i = 0; good && i < p->sizes.sample_count; i++)
        of_set[p->sample_labels[i]]++;
    if (!good)
        flm_error_memory(s->why);
    for (uint32_t set = 0; good && set < sets; set++) {
        s->set_service[set] = FLM_NONE;
        good = of_set[set] == 0 || find_service(s, set);
    }
    size_t services = s->services->services.count;
    s->parts = good ? calloc(services + 1, sizeof *s->parts) : NULL;
    if (good && !s->parts)
        good = flm_error_memory(s->why);
    for (size_t i = 0; good && i < services; i++)
        s->parts[i] = (struct part){(uint32_t)i, s->services->services.at[i].shown.name, 0};
    for (uint32_t set = 0; good && set < sets; set++)
        if (s->set_service[set] != FLM_NONE)
            s->parts[s->set_service[set]].samples += of_set[set];
    free(of_set);
    if (!good)
        return false;
    qsort(s->parts, services, sizeof *s->parts, by_samples);
    while (s->part_count < services && s->parts[s->part_count].samples > 0)
        s->part_count++;
    return join_smallest(s);
}

struct owned {
    uint32_t service;
    int32_t process;
};

static int by_owner(const void *a, const void *b)
{
    const struct owned *x = a, *y = b;
    if (x->service != y->service)
        return x->service < y->service ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

/* How many processes the samples of each service are of: a process has a label set for each of its
 * threads on each CPU. */
static bool count_processes(struct splitting *s)
{
    struct FLM_ARRAY(struct owned) owned = {0};
    bool good = true;
    for (size_t i = 0; i < s->services->services.count; i++)
        s->services->services.at[i].shown.processes = 0;
    for (uint32_t set = 0; good && set < s->p->sizes.label_set_count; set++) {
        struct owned item = {s->set_service[set], process_in(value_in(s->p, set, "process"))};
        good = item.service == FLM_NONE || FLM_ARRAY_ADD(&owned, item);
    }
    if (owned.count > 0)
        qsort(owned.at, owned.count, sizeof *owned.at, by_owner);
    for (size_t i = 0; i < owned.count; i++)
        if (i == 0 || by_owner(&owned.at[i - 1], &owned.at[i]) != 0)
            s->services->services.at[owned.at[i].service].shown.processes++;
    FLM_ARRAY_CLEAR(&owned);
    return good || flm_error_memory(s->why);
}

/* The same tree with what the samples of one service add up to. */
static struct flm_profile *part_of(struct splitting *s, uint32_t service,
                                   struct flm_column *columns)
{
    const struct flm_profile *p = s->p;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        struct flm_sample_values values = flm_sample_values(p, m);
        double *self = columns[m].self;
        memset(self, 0, p->sizes.node_count * sizeof *self);
        for (uint32_t i = 0; i < p->sizes.sample_count; i++)
            if (s->set_service[p->sample_labels[i]] == service)
                self[p->sample_node[i]] += flm_sample_value_of(&values, i);
    }
    return flm_subset(p, columns, p->sizes.metric_count, NULL, s->why);
}

static bool visit_parts(struct splitting *s, flm_service_visitor visit, void *context)
{
    uint32_t metrics = s->p->sizes.metric_count;
    struct flm_column *columns = flm_columns_copy(s->p);
    if (!columns)
        return flm_error_memory(s->why);
    for (uint32_t m = 0; m < metrics; m++) {
        free(columns[m].sample);
        columns[m].sample = NULL;
    }
    bool good = true;
    for (size_t i = 0; good && i < s->part_count; i++) {
        uint32_t service = s->parts[i].service;
        struct flm_profile *part = part_of(s, service, columns);
        good = part && visit(context, &s->services->services.at[service].shown, part, s->why);
        flm_profile_free(part);
    }
    flm_columns_free(columns, metrics);
    return good;
}

bool flm_services_split(struct flm_services *services, const struct flm_profile *p,
                        flm_service_visitor visit, void *context, struct flm_error *why)
{
    assert(services && p && visit);
    struct splitting s = {.services = services, .p = p, .why = why};
    bool good = flm_services_look(services, why);
    if (good && p->sizes.sample_count > 0)
        good = flm_is_sampled(p, "label", why) && take_markers(&s) && find_parts(&s) &&
               count_processes(&s) && visit_parts(&s, visit, context);
    flm_services_forget_ended(services);
    FLM_ARRAY_CLEAR(&s.begun);
    free(s.set_service);
    free(s.parts);
    return good;
}
