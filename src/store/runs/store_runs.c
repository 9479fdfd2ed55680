#include "flamel/store.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/text/text.h"
#include "base/text/versioned.h"
#include "store/core/ordered_texts.h"
#include "store/labels/series_labels.h"
#include "store/labels/time_text.h"

struct flm_store_runs {
    struct FLM_ARRAY(struct flm_gate_run) list; /* owns profiles, names and dates */
};

struct flm_store_runs *flm_store_runs_new(struct flm_error *why)
{
    struct flm_store_runs *runs = calloc(1, sizeof *runs);
    if (!runs)
        flm_error_memory(why);
    return runs;
}

void flm_store_runs_free(struct flm_store_runs *runs)
{
    if (!runs)
        return;
    for (size_t i = 0; i < runs->list.count; i++) {
        flm_profile_free((struct flm_profile *)(uintptr_t)runs->list.at[i].profile);
        free((char *)(uintptr_t)runs->list.at[i].name);
        free((char *)(uintptr_t)runs->list.at[i].date);
    }
    FLM_ARRAY_CLEAR(&runs->list);
    free(runs);
}

const struct flm_gate_run *flm_store_runs_list(const struct flm_store_runs *runs, size_t *count)
{
    *count = runs->list.count;
    return runs->list.at;
}

/* ---- Groups of series ------------------------------------------------------------------------ */

/* The labels of a run: "key \0 value \0 key \0 value \0 ...". */
struct grouping {
    const char *by; /* NULL: each series is a run */
    struct flm_texts groups, keys;
    struct flm_text text;
};

static void add_label(struct flm_text *text, const char *key, const char *value)
{
    flm_text_add(text, (struct flm_bytes){key, strlen(key) + 1});
    flm_text_add(text, (struct flm_bytes){value, strlen(value) + 1});
}

/* Called for each type that a series has. */
static bool add_series(void *context, const struct flm_store_label_text *labels, size_t count,
                       struct flm_name type)
{
    struct grouping *g = context;
    const char *value = "";
    (void)type;
    g->text.size = 0;
    for (size_t i = 0; i < count; i++)
        if (!g->by) {
            flm_texts_add(&g->keys, flm_bytes_of(labels[i].key));
            add_label(&g->text, labels[i].key, labels[i].value);
        } else if (strcmp(labels[i].key, g->by) == 0) {
            value = labels[i].value;
        }
    if (g->by)
        add_label(&g->text, g->by, value);
    flm_texts_add(&g->groups, (struct flm_bytes){g->text.at, g->text.size});
    g->groups.failed |= g->text.failed;
    return !g->groups.failed && !g->keys.failed;
}

struct texts {
    struct FLM_ARRAY(struct flm_text) list;
    bool failed;
};

static bool take_text(void *context, struct flm_name text)
{
    struct texts *t = context;
    struct flm_text copy = {0};
    flm_text_add(&copy, (struct flm_bytes){text.at, text.size});
    flm_text_putc(&copy, 0);
    t->failed = copy.failed || !FLM_ARRAY_ADD(&t->list, copy);
    if (t->failed)
        flm_text_clear(&copy);
    return !t->failed;
}

static void texts_clear(struct texts *t)
{
    for (size_t i = 0; i < t->list.count; i++)
        flm_text_clear(&t->list.at[i]);
    FLM_ARRAY_CLEAR(&t->list);
}

struct groups {
    struct texts list, keys;
};

static bool find_groups(struct flm_store *store, const struct flm_store_query *query,
                        const char *by, struct groups *out, struct flm_error *why)
{
    struct grouping g = {.by = by};
    if (!flm_texts_init(&g.groups, why))
        return false;
    bool good = flm_texts_init(&g.keys, why);
    good = good && flm_store_typed_series(store, query, add_series, &g, why);
    bool listed = flm_texts_hand_over(&g.groups, good, take_text, &out->list, why);
    listed = flm_texts_hand_over(&g.keys, listed, take_text, &out->keys, why);
    flm_text_clear(&g.text);
    return listed && ((!out->list.failed && !out->keys.failed) || flm_error_memory(why));
}

/* ---- Runs ------------------------------------------------------------------------------------ */

struct adding {
    struct flm_store_runs *runs;
    struct flm_store *store;
    struct flm_store_query query; /* of one run */
    bool has_steps, is_new;
};

/* "pod=p1", or "service_name=api pod=p1"; labels that begin with __ are the server's own. A run of
 * those without a label is "pod=". */
static void put_name(struct flm_text *name, const struct flm_store_label_text *labels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(labels[i].key, "__", 2) != 0)
            flm_text_format(name, "%s%s=%s", name->size > 0 ? " " : "", labels[i].key,
                            labels[i].value);
}

/* Takes the profile. */
static bool take_run(struct adding *a, struct flm_profile *p,
                     const struct flm_store_label_text *labels, size_t count, struct flm_error *why)
{
    char date[FLM_TIME_TEXT];
    struct flm_text name = {0}, when = {0};
    flm_time_print(a->query.from_ms, date);
    put_name(&name, labels, count);
    if (a->has_steps || name.size == 0)
        flm_text_format(&name, "%s%s", name.size > 0 ? " " : "", date);
    flm_text_putc(&name, 0);
    flm_text_puts(&when, date);
    flm_text_putc(&when, 0);
    struct flm_gate_run run = {.profile = p, .name = name.at, .is_new = a->is_new, .date = when.at};
    if (!name.failed && !when.failed && FLM_ARRAY_ADD(&a->runs->list, run))
        return true;
    flm_profile_free(p);
    flm_text_clear(&name);
    flm_text_clear(&when);
    return flm_error_memory(why);
}

/* Called by the first `named` labels of the query. */
static bool add_run(struct adding *a, size_t named, struct flm_error *why)
{
    struct flm_profile *sum = flm_store_merge(a->store, &a->query, why), *p = NULL;
    if (!sum || flm_profile_node_count(sum) <= 1) {
        flm_profile_free(sum);
        return sum != NULL;
    }
    p = flm_run_normalize(sum, false, why);
    flm_profile_free(sum);
    return p && take_run(a, p, a->query.labels, named, why);
}

/* A run of the labels in `group`, and without those of the other keys. */
static bool add_group(struct adding *a, const struct flm_text *group, const struct texts *keys,
                      struct flm_error *why)
{
    struct FLM_ARRAY(struct flm_store_label_text) labels = {0};
    const char *at = group->at, *end = group->at + group->size - 1; /* it ends in another NUL */
    bool good = true;
    while (good && at < end) {
        struct flm_store_label_text label = {at, at + strlen(at) + 1};
        good = FLM_ARRAY_ADD(&labels, label);
        at = label.value + strlen(label.value) + 1;
    }
    size_t known = labels.count;
    for (size_t i = 0; good && i < keys->list.count; i++) {
        struct flm_store_label_text none = {keys->list.at[i].at, ""};
        size_t k = 0;
        while (k < known && strcmp(labels.at[k].key, none.key) != 0)
            k++;
        good = k < known || FLM_ARRAY_ADD(&labels, none);
    }
    a->query.labels = labels.at;
    a->query.label_count = labels.count;
    good = good ? add_run(a, known, why) : flm_error_memory(why);
    FLM_ARRAY_CLEAR(&labels);
    a->query.labels = NULL;
    a->query.label_count = 0;
    return good;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The part of the range in which there are profiles, beginning at a step. */
static void clip(struct flm_store *store, struct flm_store_query *query, int64_t step_ms)
{
    struct flm_store_stats stats = flm_store_stats(store);
    if (query->from_ms < stats.from_ms)
        query->from_ms = query->from_ms <= 0 ? stats.from_ms / step_ms * step_ms
                                             : query->from_ms + (stats.from_ms - query->from_ms) /
                                                                    step_ms * step_ms;
    if (query->until_ms > stats.until_ms)
        query->until_ms = stats.until_ms < INT64_MAX ? stats.until_ms + 1 : INT64_MAX;
    if (query->until_ms < query->from_ms)
        query->until_ms = query->from_ms;
}

bool flm_store_runs_add(struct flm_store_runs *runs, struct flm_store *store,
                        const struct flm_store_query *query,
                        const struct flm_store_runs_options *options, bool is_new,
                        struct flm_error *why)
{
    struct flm_store_runs_options o;
    struct adding a = {.runs = runs, .store = store, .is_new = is_new};
    struct groups groups = {.list = {.failed = false}};
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_store_runs_options", why) ||
        !flm_versioned_copy(&a.query, sizeof a.query, query, "flm_store_query", why))
        return false;
    assert(o.step_ms >= 0 && a.query.label_count == 0);
    const char *by = o.by && strcmp(o.by, "service") == 0 ? FLM_STORE_SERVICE : o.by;
    uint64_t most = o.most > 0 ? o.most : 1000, steps = 1, count = 1;
    a.has_steps = o.step_ms > 0;
    if (a.has_steps) {
        clip(store, &a.query, o.step_ms);
        steps = ((uint64_t)a.query.until_ms - (uint64_t)a.query.from_ms + (uint64_t)o.step_ms - 1) /
                (uint64_t)o.step_ms;
    }
    bool good = o.of_all || find_groups(store, &a.query, by, &groups, why);
    count = o.of_all ? 1 : groups.list.list.count;
    if (good && (steps > most || runs->list.count + steps * count > most))
        good = flm_error_set(why, FLM_ERROR_RANGE,
                             "%llu runs are too many, %llu are possible: take a label with fewer "
                             "values, fewer series, or a larger step",
                             (unsigned long long)(runs->list.count + steps * count),
                             (unsigned long long)most);
    const int64_t until_ms = a.query.until_ms;
    for (uint64_t step = 0; good && step < steps; step++) {
        if (a.has_steps) {
            a.query.from_ms += step > 0 ? o.step_ms : 0;
            a.query.until_ms =
                until_ms - a.query.from_ms > o.step_ms ? a.query.from_ms + o.step_ms : until_ms;
        }
        for (size_t i = 0; good && i < count; i++)
            good = o.of_all ? add_run(&a, 0, why)
                            : add_group(&a, &groups.list.list.at[i], &groups.keys, why);
    }
    texts_clear(&groups.list);
    texts_clear(&groups.keys);
    return good;
}
