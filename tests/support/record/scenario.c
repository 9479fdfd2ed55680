#include "support/record/scenario.h"
#include "record/symbols/symbolized_session.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "record/process/unsymbolized.h"

void scenario_init(struct scenario *t)
{
    *t = (struct scenario){.options = {.keep_times = true}};
    records_layout(&t->layouts, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
}

void scenario_clear(struct scenario *t)
{
    records_clear(&t->records);
    flm_event_layouts_clear(&t->layouts);
}

struct flm_profile *scenario_try(struct scenario *t, struct flm_error *why)
{
    struct flm_symbolizer *none = t->is_unsymbolized ? flm_unsymbolized_new(why) : NULL;
    struct flm_session *s = none                 ? flm_session_begin(&t->options, none, why)
                            : t->is_unsymbolized ? NULL
                                                 : flm_session_new(&t->options, why);
    bool good = s && (!t->kernel_id ||
                      flm_session_build_id(s, flm_bytes_of("[kernel.kallsyms]"), t->kernel_id));
    struct flm_bytes name = {0};
    t->label.name = &name;
    for (size_t at = 0; good && at < t->records.bytes.size;) {
        char *record = t->records.bytes.at + at;
        size_t size = flm_record_header(record, false).size;
        struct flm_event event;
        assert_true(flm_event_decode(&t->layouts, record, size, at, &event, NULL));
        if (event.kind == FLM_EVENT_SAMPLE)
            event.sample.labels[0] = t->label;
        good = flm_session_add(s, &event, why);
        if (event.kind == FLM_EVENT_SAMPLE && t->later_name)
            name = flm_bytes_of(t->later_name);
        at += size;
    }
    if (good && t->exit_status)
        good = flm_session_exit(s, 20, flm_bytes_of(t->exit_status)) || flm_error_memory(why);
    struct flm_builder *b = good ? flm_builder_new(why) : NULL;
    struct flm_profile *p = NULL;
    if (b && flm_session_finish(s, b, NULL, NULL, why))
        p = flm_builder_finish(b, why);
    else
        flm_builder_free(b);
    flm_session_free(s);
    t->label.name = NULL;
    return p;
}

struct flm_profile *scenario_profile(struct scenario *t)
{
    struct flm_error why = {0};
    struct flm_profile *p = scenario_try(t, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_true(flm_profile_check(p, NULL));
    return p;
}

double self_of(const struct flm_profile *p, const char *metric, const char *name)
{
    struct flm_metric m = flm_profile_metric_named(p, metric);
    if (m.index == FLM_NONE)
        return 0;
    const double *self = flm_profile_self(p, m);
    const uint32_t *frames = flm_profile_frames(p);
    double sum = 0;
    for (uint32_t i = 0; i < flm_profile_node_count(p); i++) {
        const struct flm_frame_record *f = flm_profile_frame(p, (struct flm_frame){frames[i]});
        struct flm_name n = flm_profile_string(p, (struct flm_string){f->function});
        if (n.size >= strlen(name) && memcmp(n.at, name, strlen(name)) == 0)
            sum += self[i];
    }
    return sum;
}

double lost(const struct flm_profile *p, const char *what)
{
    for (uint32_t i = 0; i < p->sizes.loss_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->losses[i].what), what))
            return p->losses[i].count;
    return 0;
}

bool has_label(const struct flm_profile *p, const char *key, const char *value)
{
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->labels[i].key), key) &&
            flm_bytes_are(flm_string_bytes(p, p->labels[i].value), value))
            return true;
    return false;
}
