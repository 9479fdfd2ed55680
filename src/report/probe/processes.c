/* processes.c - the report of several processes that measured themselves: those that run the same
 * program are one, and what cost most is first. */
#include <stdlib.h>

#include "base/core/sort.h"
#include "base/text/versioned.h"
#include "report/probe/merge.h"
#include "report/probe/parts.h"

/* The processes of a program. */
struct group {
    struct flm_probe_decoded decoded;
    struct flm_measures measures;
    struct flm_probe_stacks stacks;
};

struct groups {
    struct FLM_ARRAY(struct group *) all;
    size_t unreadable;
    struct flm_error reason; /* of the first of these that has one */
};

static void groups_clear(struct groups *groups)
{
    for (size_t i = 0; i < groups->all.count; i++) {
        flm_measures_clear(&groups->all.at[i]->measures);
        flm_probe_stacks_clear(&groups->all.at[i]->stacks);
        flm_probe_decoded_clear(&groups->all.at[i]->decoded);
        free(groups->all.at[i]);
    }
    FLM_ARRAY_CLEAR(&groups->all);
}

static struct group *find_group(const struct groups *groups, struct flm_bytes program)
{
    for (size_t i = 0; i < groups->all.count; i++)
        if (flm_bytes_equal(flm_probe_program(&groups->all.at[i]->decoded), program))
            return groups->all.at[i];
    return NULL;
}

static struct group *new_group(struct groups *groups)
{
    struct group *group = calloc(1, sizeof *group);
    if (!group || !FLM_ARRAY_ADD(&groups->all, group)) {
        free(group);
        return NULL;
    }
    return group;
}

/* Takes what was decoded. */
static bool add_process(struct groups *groups, struct flm_probe_decoded *decoded,
                        const struct flm_report_options *options, size_t file,
                        struct flm_error *why)
{
    struct group *group = find_group(groups, flm_probe_program(decoded)), *fresh = NULL;
    bool good = flm_probe_name_sites(decoded, options, file, why);
    if (good && !group)
        good = (fresh = new_group(groups)) != NULL || flm_error_memory(why);
    if (good)
        good = flm_probe_stacks_add(&(group ? group : fresh)->stacks, decoded, options, file, why);
    if (good && group)
        good = flm_probe_merge(&group->decoded, decoded, why);
    if (fresh)
        fresh->decoded = *decoded;
    else
        flm_probe_decoded_clear(decoded);
    return good;
}

/* A process that was killed in its first moment has left a file that is not complete. */
static bool decode_all(struct groups *groups, const struct flm_name *files, size_t count,
                       const struct flm_report_options *options, struct flm_error *why)
{
    for (size_t i = 0; i < count; i++) {
        struct flm_probe_decoded decoded;
        struct flm_bytes file = {files[i].at, files[i].size};
        struct flm_error reason = {0};
        if (flm_bytes_start_with(file, FLM_PROBE_MAGIC) &&
            flm_probe_decode(&decoded, file, &reason)) {
            if (!add_process(groups, &decoded, options, i, why))
                return false;
            continue;
        }
        if (flm_bytes_start_with(file, FLM_PROBE_MAGIC))
            flm_probe_decoded_clear(&decoded);
        if (reason.kind == FLM_ERROR_MEMORY)
            return flm_error_memory(why);
        if (groups->unreadable++ == 0 || groups->reason.kind == FLM_ERROR_NONE)
            groups->reason = reason;
    }
    for (size_t i = 0; i < groups->all.count; i++)
        if (!flm_measures_make(&groups->all.at[i]->measures, &groups->all.at[i]->decoded, why))
            return false;
    return true;
}

/* CPU time where it was measured: make takes as long as all that it starts, and does nothing. */
static int compare(const void *context, uint32_t a, uint32_t b)
{
    const struct groups *groups = context;
    const struct flm_measures *x = &groups->all.at[a]->measures, *y = &groups->all.at[b]->measures;
    bool is_cpu = x->cpu > 0 || y->cpu > 0;
    double cost_x = is_cpu ? x->cpu : x->elapsed, cost_y = is_cpu ? y->cpu : y->elapsed;
    return cost_x > cost_y ? -1 : cost_x < cost_y ? 1 : a < b ? -1 : a > b;
}

/* The groups in order: `order` and `scratch` have room for one each. */
static void sort_groups(const struct groups *groups, uint32_t *order, uint32_t *scratch)
{
    for (size_t i = 0; i < groups->all.count; i++)
        order[i] = (uint32_t)i;
    flm_sort(order, groups->all.count, scratch, compare, groups);
}

static bool add_groups(struct flm_report *report, const struct groups *groups,
                       const uint32_t *order, const struct flm_report_options *options,
                       struct flm_error *why)
{
    size_t count = groups->all.count, most = options->rows;
    size_t shown = most > 0 && most < count ? most : count;
    flm_report_begin(report, "commands", FLM_JSON_ARRAY);
    for (size_t i = 0; i < shown; i++) {
        flm_report_begin(report, NULL, FLM_JSON_OBJECT);
        if (!flm_report_add_probe(report, &groups->all.at[order[i]]->measures,
                                  &groups->all.at[order[i]]->stacks, options, i == 0, why))
            return false;
        flm_report_end(report);
    }
    flm_report_end(report);
    flm_report_add_number(report, "unreadable_count", (double)groups->unreadable);
    if (shown < count)
        flm_text_format(flm_report_add_line(report, FLM_IN_PEOPLES, true, FLM_TONE_MUTED),
                        "%zu more program%s (all with --rows 0)", count - shown,
                        count - shown == 1 ? "" : "s");
    if (groups->unreadable > 0)
        flm_text_format(
            flm_report_add_line(report, FLM_IN_PEOPLES, true, FLM_TONE_ACCENT),
            groups->unreadable == 1
                ? "%zu process left a file that cannot be read, and is not in the report: %s"
                : "%zu processes left files that cannot be read, and are not in the report: %s",
            groups->unreadable,
            groups->reason.kind == FLM_ERROR_NONE ? "not complete" : groups->reason.text);
    flm_report_begin_probe_csv(report, "command");
    for (size_t i = 0; i < shown; i++) {
        const char *program =
            flm_report_keep(report, flm_probe_program(&groups->all.at[order[i]]->decoded));
        if (!flm_report_add_probe_csv(report, &groups->all.at[order[i]]->measures,
                                      &groups->all.at[order[i]]->stacks, options, program, why))
            return false;
    }
    return true;
}

struct flm_report *flm_report_probe_processes(const struct flm_name *files, size_t count,
                                              const struct flm_report_options *options,
                                              struct flm_error *why)
{
    struct flm_report_options o;
    struct groups groups = {0};
    struct flm_report *report = NULL;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_report_options", why))
        return NULL;
    o.source = NULL;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    bool good = (order || flm_error_memory(why)) && decode_all(&groups, files, count, &o, why) &&
                (report = flm_report_new(why));
    if (good) {
        sort_groups(&groups, order, order + count);
        good = add_groups(report, &groups, order, &o, why);
        if (!good)
            flm_report_free(report);
        report = good ? flm_report_finish(report, why) : NULL;
    }
    free(order);
    groups_clear(&groups);
    return report;
}
