#include "format/gecko/resolve.h"

#include <string.h>

#include "base/number/number.h"
#include "flamel/notes.h"
#include "format/core/date.h"
#include "format/gecko/internal.h"

enum { NEWEST_KNOWN = 75 }; /* version of the format */

bool flm_gecko_refuse(struct flm_gecko_resolving *r, const char *what, size_t row,
                      const char *wrong)
{
    struct flm_bytes name = flm_gecko_text(r, r->thread->name);
    return flm_error_set(r->why, FLM_ERROR_FORMAT, "thread '%.*s': %s %zu %s", (int)name.size,
                         name.at, what, row, wrong);
}

/* ---- Threads --------------------------------------------------------------------------------- */

void flm_gecko_label_add(struct flm_gecko_resolving *r, struct flm_string *pairs, size_t *count,
                         const char *key, struct flm_bytes value)
{
    if (value.size == 0)
        return;
    pairs[(*count)++] = flm_builder_string(r->builder, key, strlen(key));
    pairs[(*count)++] = flm_builder_string(r->builder, value.at, value.size);
}

static struct flm_label_set make_labels(struct flm_gecko_resolving *r, struct flm_bytes category)
{
    struct flm_string pairs[10];
    size_t count = 0;
    const struct flm_gecko_thread *t = r->thread;
    flm_gecko_label_add(r, pairs, &count, "process", flm_gecko_text(r, t->pid));
    flm_gecko_label_add(r, pairs, &count, "process name",
                        flm_gecko_text(r, t->process_name ? t->process_name : t->process_type));
    flm_gecko_label_add(r, pairs, &count, "thread", flm_gecko_text(r, t->tid));
    flm_gecko_label_add(r, pairs, &count, "thread name", flm_gecko_text(r, t->name));
    flm_gecko_label_add(r, pairs, &count, "category", category);
    return flm_builder_label_set(r->builder, pairs, count / 2);
}

struct flm_label_set flm_gecko_labels_of(struct flm_gecko_resolving *r, int32_t category)
{
    size_t i =
        category >= 0 && (size_t)category < r->process->categories.count ? (size_t)category + 1 : 0;
    uint32_t *set = &r->category_sets.at[i];
    if (*set == FLM_NONE)
        *set = make_labels(r, flm_gecko_category_name(r, (int32_t)i - 1)).index;
    return (struct flm_label_set){*set};
}

static bool reset_labels(struct flm_gecko_resolving *r)
{
    size_t count = r->process->categories.count + 1;
    r->category_sets.count = 0;
    if (!FLM_ARRAY_RESERVE(&r->category_sets, count))
        return flm_gecko_no_memory(r);
    memset(r->category_sets.at, -1, count * sizeof *r->category_sets.at);
    return true;
}

int64_t flm_gecko_time_ns(const struct flm_gecko_resolving *r, double ms)
{
    double ns = (ms + r->shift_ms) * 1e6;
    if (!(ns > -4611686018427387904.0 && ns < 4611686018427387904.0))
        return FLM_NO_TIME;
    return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* The node of the thread: a frame with its name, and by_thread its number. */
static struct flm_node thread_node(struct flm_gecko_resolving *r)
{
    struct flm_bytes name = flm_gecko_text(r, r->thread->name),
                     tid = flm_gecko_text(r, r->thread->tid);
    if (flm_bytes_are(name, "Content") && r->thread->process_type == 0)
        name = flm_bytes_of("GeckoMain"); /* its name before there were types */
    r->name.size = 0;
    flm_text_add(&r->name, name);
    if (r->options->by_thread && tid.size > 0) {
        flm_text_putc(&r->name, ' ');
        flm_text_add(&r->name, tid);
    }
    struct flm_node root = flm_builder_root(r->builder);
    if (r->thread->has_no_name_frame && !r->options->by_thread)
        return root;
    if (r->name.size == 0 || r->name.failed)
        return root;
    struct flm_frame_record record = {
        .function = flm_gecko_string_of(r, (struct flm_bytes){r->name.at, r->name.size}),
        .kind = FLM_KIND_LABEL};
    return flm_builder_child(r->builder, root, flm_builder_frame(r->builder, &record));
}

static bool resolve_thread(struct flm_gecko_resolving *r)
{
    const struct flm_gecko_thread *t = r->thread;
    struct flm_gecko_stacks own = {0};
    bool is_shared = !t->tables.has_stacks;
    r->strings = t->tables.has_strings ? &t->tables.strings : &r->process->shared.strings;
    if (is_shared && !r->shared.frames &&
        !flm_gecko_stacks_init(r, &r->shared, &r->process->shared))
        return false;
    if (!is_shared && !flm_gecko_stacks_init(r, &own, &t->tables))
        return false;
    r->stacks = is_shared ? &r->shared : &own;
    r->stacks->round++;
    bool good = reset_labels(r);
    if (good) {
        struct flm_node node = thread_node(r);
        good = flm_gecko_add_samples(r, node) &&
               flm_gecko_add_allocations(r, node, FLM_GECKO_JS_STACK, "jsAllocations",
                                         "jsDeallocations") &&
               flm_gecko_add_allocations(r, node, FLM_GECKO_NATIVE_STACK, "nativeAllocations",
                                         "nativeDeallocations") &&
               flm_gecko_add_markers(r);
    }
    flm_gecko_stacks_clear(&own);
    return good;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

static void note(struct flm_gecko_resolving *r, const char *key, struct flm_bytes value)
{
    if (value.size > 0)
        flm_builder_note(r->builder, key, value.at, value.size);
}

static void note_process(struct flm_gecko_resolving *r)
{
    const struct flm_gecko_process *process = r->process;
    char storage[64], number[FLM_NUMBER_SIZE];
    struct flm_text out;
    note(r, "product", flm_gecko_text(r, process->product));
    note(r, "command", flm_gecko_text(r, process->arguments));
    note(r, "system", flm_gecko_text(r, process->oscpu));
    note(r, "architecture", flm_gecko_text(r, process->abi));
    if (process->interval > 0) {
        flm_text_init_fixed(&out, storage, sizeof storage);
        flm_text_add(&out, (struct flm_bytes){number, flm_number_print(process->interval, number)});
        flm_text_puts(&out, " ms");
        note(r, "interval", (struct flm_bytes){out.at, out.size});
    }
    if (process->start_time > 86400e3 && process->start_time < 1e14) {
        flm_text_init_fixed(&out, storage, sizeof storage);
        flm_date_add(&out, (int64_t)(process->start_time / 1000) * 1000000000);
        note(r, "recorded", (struct flm_bytes){out.at, out.size});
    }
    if (process->processed_version > NEWEST_KNOWN)
        flm_builder_lost(r->builder, "versions of the format newer than 75, read as that one is",
                         "", 0, 1);
}

static void note_written(struct flm_gecko_resolving *r)
{
    for (size_t i = 0; i < r->p->notes.count; i++) {
        char name[sizeof FLM_NOTE_WRITTEN + FLM_NOTE_ID_SIZE] = "";
        struct flm_bytes key = flm_gecko_text(r, r->p->notes.at[i].key);
        if (flm_note_is_written((struct flm_name){key.at, key.size}))
            note(r, memcpy(name, key.at, key.size), flm_gecko_text(r, r->p->notes.at[i].value));
    }
}

/* ---- Processes ------------------------------------------------------------------------------- */

static bool resolve_process(struct flm_gecko_resolving *r, struct flm_gecko_process *process,
                            double first_start)
{
    r->process = process;
    r->shift_ms =
        process->start_time > 0 && first_start > 0 ? process->start_time - first_start : 0;
    bool good = true;
    for (size_t i = 0; i < process->threads.count && good; i++) {
        r->thread = &process->threads.at[i];
        good = resolve_thread(r);
        /* A sample takes 20 bytes there, and 48 in the builder: not both to the end. */
        flm_gecko_tables_clear(&process->threads.at[i].tables);
    }
    flm_gecko_stacks_clear(&r->shared);
    for (size_t i = 0; i < process->counters.count && good && r->options->keep_times; i++)
        flm_gecko_add_counter(r, &process->counters.at[i]);
    return good;
}

bool flm_gecko_resolve(struct flm_gecko_profile *profile, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    struct flm_gecko_resolving r = {
        .p = profile, .options = options, .builder = builder, .why = why};
    size_t threads = 0, last = profile->processes.count;
    for (size_t i = 0; i < last; i++)
        threads += profile->processes.at[i].threads.count;
    if (threads == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "it has no threads");
    bool good = true;
    r.process = &profile->processes.at[last - 1];
    note_process(&r);
    note_written(&r);
    double first_start = r.process->start_time;
    for (size_t i = last; i-- > 0 && good;)
        good = resolve_process(&r, &profile->processes.at[i], first_start);
    flm_gecko_note_libs(&r);
    if (builder->metric_count == 0) /* nothing was sampled */
        flm_builder_metric(builder, "samples", "samples");
    if (r.without_stack > 0)
        flm_builder_lost(builder, "samples without a stack", "", 0, (double)r.without_stack);
    if (profile->deeper_processes > 0)
        flm_builder_lost(builder, "processes inside processes, deeper than 4", "", 0,
                         (double)profile->deeper_processes);
    FLM_ARRAY_CLEAR(&r.path);
    FLM_ARRAY_CLEAR(&r.category_sets);
    FLM_ARRAY_CLEAR(&r.libs);
    FLM_ARRAY_CLEAR(&r.mapped);
    flm_text_clear(&r.name);
    return good;
}
