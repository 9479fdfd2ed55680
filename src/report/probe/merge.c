/* merge.c - what several processes measured, as if one had. */
#include "report/probe/merge.h"

#include <math.h>
#include <string.h>

#include "base/core/hash.h"
#include "base/core/index.h"

struct merging {
    struct flm_probe_decoded *to;
    const struct flm_probe_decoded *from;
    double scale;                          /* ticks of `from` as ticks of `to` */
    uint32_t *site, *thread, *step;        /* of `from` in `to` */
    struct flm_index sites, steps, meters; /* of `to` */
};

static uint32_t fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

/* ---- Sites ----------------------------------------------------------------------------------- */

static uint32_t hash_site(const struct flm_probe_decoded *d, uint32_t site)
{
    const struct flm_probe_site *s = &d->sites[site];
    struct flm_bytes name = flm_probe_site_name(d, site), file = d->texts[site].file;
    uint64_t key[] = {flm_hash(name.at, name.size), flm_hash(file.at, file.size), s->line,
                      (uint64_t)s->kind << 16 | s->operation};
    return fold(flm_hash(key, sizeof key));
}

/* An address says which one it is where there is no name; locks are elsewhere in each process. */
static bool is_same_site(const struct merging *m, uint32_t a, uint32_t b)
{
    const struct flm_probe_site *x = &m->to->sites[a], *y = &m->from->sites[b];
    const struct flm_probe_text *p = &m->to->texts[a], *q = &m->from->texts[b];
    bool is_named = p->name.size > 0 || p->function.size > 0;
    return x->kind == y->kind && x->operation == y->operation && x->line == y->line &&
           (is_named || x->address == y->address) && flm_bytes_equal(p->name, q->name) &&
           flm_bytes_equal(p->function, q->function) && flm_bytes_equal(p->file, q->file);
}

static uint32_t find_site(const struct merging *m, uint32_t site)
{
    uint32_t hash = hash_site(m->from, site);
    for (struct flm_probe at = flm_index_probe(&m->sites, hash); flm_index_next(&m->sites, &at);)
        if (is_same_site(m, at.found, site))
            return at.found;
    return 0;
}

static bool merge_sites(struct merging *m)
{
    struct flm_probe_decoded *to = m->to;
    const struct flm_probe_decoded *from = m->from;
    size_t room = (size_t)to->site_count + from->site_count + 1;
    void *sites = realloc(to->sites, room * sizeof *to->sites);
    to->sites = sites ? sites : to->sites;
    void *texts = realloc(to->texts, room * sizeof *to->texts);
    to->texts = texts ? texts : to->texts;
    if (!sites || !texts)
        return false;
    for (uint32_t i = 1; i <= to->site_count; i++)
        if (!flm_index_add(&m->sites, hash_site(to, i), i))
            return false;
    for (uint32_t i = 1; i <= from->site_count; i++) {
        m->site[i] = find_site(m, i);
        if (m->site[i] > 0)
            continue;
        m->site[i] = ++to->site_count;
        to->sites[to->site_count] = from->sites[i];
        to->texts[to->site_count] = from->texts[i];
        if (!flm_index_add(&m->sites, hash_site(to, to->site_count), to->site_count))
            return false;
    }
    return true;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void add_thread(struct flm_probe_thread *to, const struct flm_probe_thread *from)
{
    to->threads += from->threads;
    to->state = from->state == FLM_PROBE_RUNNING ? from->state : to->state;
    to->kernel.user_ns += from->kernel.user_ns;
    to->kernel.system_ns += from->kernel.system_ns;
    to->kernel.run_queue_ns += from->kernel.run_queue_ns;
    to->kernel.voluntary_switches += from->kernel.voluntary_switches;
    to->kernel.involuntary_switches += from->kernel.involuntary_switches;
    to->kernel.minor_faults += from->kernel.minor_faults;
    to->kernel.major_faults += from->kernel.major_faults;
}

/* What is behind the end of a name means nothing. */
static bool is_same_name(const char *a, const char *b)
{
    for (size_t i = 0; i < FLM_PROBE_NAME_SIZE; i++)
        if (a[i] != b[i] || a[i] == 0)
            return a[i] == b[i];
    return true;
}

static bool merge_threads(struct merging *m)
{
    for (size_t i = 0; i < m->from->threads.count; i++) {
        const struct flm_probe_thread *thread = &m->from->threads.at[i];
        size_t found = 0;
        while (found < m->to->threads.count &&
               !is_same_name(m->to->threads.at[found].name, thread->name))
            found++;
        m->thread[i] = (uint32_t)found;
        if (found < m->to->threads.count)
            add_thread(&m->to->threads.at[found], thread);
        else if (!FLM_ARRAY_ADD(&m->to->threads, *thread))
            return false;
    }
    return true;
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static uint32_t hash_step(uint32_t parent, uint32_t site, uint32_t thread)
{
    uint32_t key[] = {parent, site, thread, 0};
    return fold(flm_hash(key, sizeof key));
}

static bool add_step(struct merging *m, uint32_t index)
{
    const struct flm_probe_step *from = &m->from->steps.at[index];
    uint32_t parent = from->parent == FLM_PROBE_NO_STEP ? FLM_PROBE_NO_STEP : m->step[from->parent];
    uint32_t site = m->site[from->site], thread = m->thread[from->thread];
    uint32_t hash = hash_step(parent, site, thread);
    struct flm_probe_step *to = NULL;
    for (struct flm_probe at = flm_index_probe(&m->steps, hash); flm_index_next(&m->steps, &at);) {
        to = &m->to->steps.at[at.found];
        if (to->parent == parent && to->site == site && to->thread == thread)
            break;
        to = NULL;
    }
    if (!to) {
        struct flm_probe_step fresh = {.parent = parent, .site = site, .thread = thread};
        if (!FLM_ARRAY_ADD(&m->to->steps, fresh) ||
            !flm_index_add(&m->steps, hash, (uint32_t)m->to->steps.count - 1))
            return false;
        to = &m->to->steps.at[m->to->steps.count - 1];
    }
    m->step[index] = (uint32_t)(to - m->to->steps.at);
    to->calls += from->calls;
    to->timed += from->timed;
    to->child_calls += from->child_calls;
    to->total += from->total * m->scale;
    to->child_total += from->child_total * m->scale;
    to->self += from->self * m->scale;
    to->longest = fmax(to->longest, from->longest * m->scale);
    for (uint32_t v = 0; v < FLM_PROBE_VALUES; v++)
        to->value[v] += from->value[v];
    return true;
}

static bool merge_steps(struct merging *m)
{
    for (size_t i = 0; i < m->to->steps.count; i++) {
        const struct flm_probe_step *step = &m->to->steps.at[i];
        if (!flm_index_add(&m->steps, hash_step(step->parent, step->site, step->thread),
                           (uint32_t)i))
            return false;
    }
    for (size_t i = 0; i < m->from->steps.count; i++)
        if (!add_step(m, (uint32_t)i))
            return false;
    return true;
}

/* ---- Distributions --------------------------------------------------------------------------- */

static uint32_t hash_meter(uint32_t site, uint32_t quantity, uint32_t thread)
{
    return hash_step(site, quantity, thread);
}

static struct flm_probe_meter *find_meter(const struct merging *m, uint32_t site, uint32_t quantity,
                                          uint32_t thread)
{
    uint32_t hash = hash_meter(site, quantity, thread);
    for (struct flm_probe at = flm_index_probe(&m->meters, hash);
         flm_index_next(&m->meters, &at);) {
        struct flm_probe_meter *meter = &m->to->meters.at[at.found];
        if (meter->site == site && meter->quantity == quantity &&
            m->to->meter_threads.at[at.found] == thread)
            return meter;
    }
    return NULL;
}

static bool merge_meters(struct merging *m)
{
    struct flm_probe_decoded *to = m->to;
    for (size_t i = 0; i < to->meters.count; i++) {
        const struct flm_probe_meter *meter = &to->meters.at[i];
        uint32_t hash = hash_meter(meter->site, meter->quantity, to->meter_threads.at[i]);
        if (!flm_index_add(&m->meters, hash, (uint32_t)i))
            return false;
    }
    for (size_t i = 0; i < m->from->meters.count; i++) {
        struct flm_probe_meter meter = m->from->meters.at[i];
        uint32_t thread = m->thread[m->from->meter_threads.at[i]];
        meter.site = m->site[meter.site];
        struct flm_probe_meter *there = find_meter(m, meter.site, meter.quantity, thread);
        if (there) {
            flm_probe_meter_add(there, &meter);
            continue;
        }
        uint32_t hash = hash_meter(meter.site, meter.quantity, thread);
        if (!FLM_ARRAY_ADD(&to->meters, meter) || !FLM_ARRAY_ADD(&to->meter_threads, thread) ||
            !flm_index_add(&m->meters, hash, (uint32_t)to->meters.count - 1))
            return false;
    }
    return true;
}

/* ---- Altogether ------------------------------------------------------------------------------ */

/* Active where it was in one of them. A reason is a text of its own file. */
static void merge_activity(struct flm_probe_activity *to, const struct flm_probe_activity *from)
{
    uint64_t samples = to->samples + from->samples;
    if (from->state == FLM_PROBE_ACTIVE && to->state != FLM_PROBE_ACTIVE) {
        *to = *from;
        to->reason = to->reason_size = 0;
    }
    to->samples = samples;
}

static void merge_counts(struct merging *m)
{
    struct flm_probe_decoded *to = m->to;
    const struct flm_probe_decoded *from = m->from;
    if (from->last_ticks > from->header.start_ticks)
        to->last_ticks +=
            (uint64_t)((double)(from->last_ticks - from->header.start_ticks) * m->scale + 0.5);
    for (uint32_t i = 0; i < FLM_PROBE_SIGNALS; i++)
        merge_activity(&to->header.activity[i], &from->header.activity[i]);
    if (from->header.state == FLM_PROBE_RUNNING)
        to->header.state = FLM_PROBE_RUNNING;
    to->header.lost_threads += from->header.lost_threads;
    to->header.lost_calls += from->header.lost_calls;
    to->header.lost_processes += from->header.lost_processes;
    to->processes += from->processes;
    to->open += from->open;
    to->left += from->left;
    to->lost_depth += from->lost_depth;
    to->lost_room += from->lost_room;
    to->lost_busy += from->lost_busy;
    to->lost_values += from->lost_values;
    to->added += from->added;
}

/* The sites that were added refer to them. */
static bool take_names(struct merging *m, struct flm_probe_decoded *from)
{
    if (!FLM_ARRAY_RESERVE(&m->to->names, from->names.count))
        return false;
    for (size_t i = 0; i < from->names.count; i++)
        m->to->names.at[m->to->names.count++] = from->names.at[i];
    from->names.count = 0;
    return true;
}

bool flm_probe_merge(struct flm_probe_decoded *to, struct flm_probe_decoded *from,
                     struct flm_error *why)
{
    struct merging m = {
        .to = to,
        .from = from,
        .scale = (double)from->header.ns_per_tick / (double)to->header.ns_per_tick,
        .site = calloc((size_t)from->site_count + 1, sizeof *m.site),
        .thread = calloc(from->threads.count + 1, sizeof *m.thread),
        .step = calloc(from->steps.count + 1, sizeof *m.step),
    };
    bool good = m.site && m.thread && m.step && take_names(&m, from) && merge_sites(&m) &&
                merge_threads(&m) && merge_steps(&m) && merge_meters(&m);
    if (good)
        merge_counts(&m);
    free(m.site);
    free(m.thread);
    free(m.step);
    flm_index_clear(&m.sites);
    flm_index_clear(&m.steps);
    flm_index_clear(&m.meters);
    return good || flm_error_memory(why);
}
