/* finish.c - symbolizes locations and fills a builder.
 *
 * Each location is looked up once, module by module, and becomes one or more frames of the builder,
 * outermost first. The frames of a stack are those of its caller, followed by its own.
 *
 * A clone that the compiler made of a function is that function: which clones there are changes
 * with the compiler and its options, and a stack must not. Its frames have a flag that says so.
 * Where a part (lex.part.0) stands on the function itself, the compiler has split one call in two:
 * it is one frame. A part on itself is recursion, as is a clone for other arguments on the
 * function: those calls are in the source. A cold part is jumped to, and never stands on the
 * function. */
#include "record/session/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "format/perf/event_metrics.h"
#include "format/perf/frame.h"
#include "record/session/label_set.h"

/* ---- Frames ---------------------------------------------------------------------------------- */

uint32_t flm_naming_string(const struct flm_naming *f, struct flm_bytes text)
{
    return flm_builder_string(f->builder, text.at, text.size).index;
}

bool flm_naming_add_at(struct flm_naming *f, const struct flm_frame_record *record, uint32_t file,
                       uint32_t line)
{
    struct flm_frame frame = flm_builder_located(
        f->builder, record,
        (struct flm_location){.file = file, .line = line, .address = f->address});
    return FLM_ARRAY_ADD(&f->frames, frame) || flm_error_memory(f->why);
}

bool flm_naming_add(struct flm_naming *f, const struct flm_frame_record *record)
{
    return flm_naming_add_at(f, record, 0, 0);
}

static bool add_unnamed(struct flm_naming *f, const char *name, struct flm_bytes module,
                        uint64_t address, uint32_t kind)
{
    const struct flm_frame_record record = {.function = flm_naming_string(f, flm_bytes_of(name)),
                                            .module = flm_naming_string(f, module),
                                            .address = address,
                                            .kind = kind,
                                            .flags = FLM_FRAME_UNSYMBOLIZED};
    f->no_symbol = true;
    return flm_naming_add(f, &record);
}

/* "libc.so.6+0x27b25": no symbol has such a name, and it is the same in each recording of a
 * build. */
static bool add_address(struct flm_naming *f, struct flm_bytes name, struct flm_bytes module,
                        uint64_t address, uint32_t kind)
{
    f->name.size = 0;
    flm_text_add(&f->name, name);
    flm_text_format(&f->name, "+0x%llx", (unsigned long long)address);
    flm_text_putc(&f->name, 0);
    if (f->name.failed)
        return flm_error_memory(f->why);
    return add_unnamed(f, f->name.at, module, address, kind);
}

static bool add_label(struct flm_naming *f, struct flm_bytes text)
{
    const struct flm_frame_record record = {.function = flm_naming_string(f, text),
                                            .kind = FLM_KIND_LABEL};
    return flm_naming_add(f, &record);
}

static bool name_code(struct flm_naming *f, uint64_t address)
{
    const struct flm_session *s = f->session;
    uint32_t hash = (uint32_t)flm_hash(&address, sizeof address);
    const struct flm_session_code *code = NULL;
    for (struct flm_probe at = flm_index_probe(&s->code_index, hash);
         flm_index_next(&s->code_index, &at);)
        if (s->codes.at[at.found].address == address)
            code = &s->codes.at[at.found];
    if (!code && address == FLM_CODE_TRUNCATED)
        return add_label(f, flm_bytes_of(FLM_TRUNCATED_STACK));
    if (!code)
        return add_unnamed(f, "[unknown]", (struct flm_bytes){"", 0}, 0, FLM_KIND_INTERPRETED);
    const char *file = code->text.at + code->function_size, *module = file + code->file_size;
    const char *end = code->text.at + code->text.size;
    const struct flm_frame_record record = {
        .function = flm_naming_string(f, (struct flm_bytes){code->text.at, code->function_size}),
        .module = flm_naming_string(f, (struct flm_bytes){module, (size_t)(end - module)}),
        .file = flm_naming_string(f, (struct flm_bytes){file, code->file_size}),
        .kind =
            code->frame_kind < FLM_KIND_COUNT ? code->frame_kind : (uint32_t)FLM_KIND_INTERPRETED,
    };
    return flm_naming_add_at(f, &record, record.file, code->line);
}

/* The last part of its path, "libc.so.6". */
static struct flm_bytes module_name(struct flm_bytes path)
{
    for (size_t i = path.size; i > 0; i--)
        if (path.at[i - 1] == '/')
            return (struct flm_bytes){path.at + i, path.size - i};
    return path;
}

/* By its module and its address there, for want of a name. */
static bool add_in_module(struct flm_naming *f, const struct flm_module *module, uint64_t address)
{
    struct flm_bytes path = f->session->symbolizer->calls->path(module);
    uint32_t kind = flm_perf_module_kind(path);
    return add_address(f, module_name(path), path, address,
                       kind == FLM_KIND_PLAIN ? FLM_KIND_NATIVE : kind);
}

static bool add_in_kernel(struct flm_naming *f, const struct flm_module *module, uint64_t address)
{
    uint64_t start = flm_processes_kernel_start(f->session->processes);
    return add_address(f, flm_bytes_of("[kernel]"),
                       module ? f->session->symbolizer->calls->path(module)
                              : flm_bytes_of("[kernel.kallsyms]"),
                       start && address >= start ? address - start : address, FLM_KIND_KERNEL);
}

static bool name_location(struct flm_naming *f, const struct flm_location_owner *owner,
                          const struct flm_session_location *location)
{
    const struct flm_symbolizer_calls *calls = f->session->symbolizer->calls;
    uint64_t address = location->address;
    if (calls->name && owner->kind != FLM_OWNER_CODE && owner->kind != FLM_OWNER_LABEL) {
        enum flm_named named = calls->name(f, owner, location->era, &address);
        if (named != FLM_NOT_NAMED)
            return named == FLM_NAMED;
    }
    switch (owner->kind) {
    case FLM_OWNER_MODULE:
    case FLM_OWNER_FILE:
        return add_in_module(f, owner->module, address);
    case FLM_OWNER_KERNEL:
        return add_in_kernel(f, owner->module, address);
    case FLM_OWNER_PROCESS:
        return add_unnamed(f, "[unknown]", (struct flm_bytes){"", 0}, 0, FLM_KIND_NATIVE);
    case FLM_OWNER_CODE:
        return name_code(f, location->address);
    case FLM_OWNER_LABEL:
        return add_label(f,
                         flm_owned_string_bytes(&f->session->labels.items.at[location->address]));
    default:
        return add_unnamed(f, "[guest]", (struct flm_bytes){"", 0}, 0, FLM_KIND_NATIVE);
    }
}

/* ---- All locations, by owner ----------------------------------------------------------------- */

static bool sort_by_owner(struct flm_naming *f)
{
    const struct flm_locations *p = &f->session->locations;
    f->by_owner = malloc((p->locations.count + 1) * sizeof *f->by_owner);
    f->owner_starts = calloc(p->owners.count + 2, sizeof *f->owner_starts);
    f->of_location = calloc(p->locations.count + 1, sizeof *f->of_location);
    f->is_unsymbolized = calloc(p->locations.count + 1, sizeof *f->is_unsymbolized);
    if (!f->by_owner || !f->owner_starts || !f->of_location || !f->is_unsymbolized)
        return flm_error_memory(f->why);
    for (size_t i = 0; i < p->locations.count; i++)
        f->owner_starts[p->locations.at[i].owner + 2]++;
    for (size_t i = 2; i <= p->owners.count; i++)
        f->owner_starts[i] += f->owner_starts[i - 1];
    for (size_t i = 0; i < p->locations.count; i++)
        f->by_owner[f->owner_starts[p->locations.at[i].owner + 1]++] = (uint32_t)i;
    return true;
}

/* An address in a file is the same in each process and recording; the kernel's is, from its start
 * on. */
static uint64_t lasting_address(const struct flm_naming *f, const struct flm_location_owner *owner,
                                uint64_t address)
{
    uint64_t start = flm_processes_kernel_start(f->session->processes);
    if (owner->kind == FLM_OWNER_MODULE || owner->kind == FLM_OWNER_FILE)
        return address;
    /* Its modules ("[xfs]") are elsewhere each time the machine starts. */
    bool is_module =
        owner->module &&
        !flm_bytes_start_with(f->session->symbolizer->calls->path(owner->module), "[kernel");
    return owner->kind == FLM_OWNER_KERNEL && !is_module && start && address >= start
               ? address - start
               : 0;
}

static bool name_locations(struct flm_naming *f, flm_session_progress progress, void *context)
{
    const struct flm_locations *p = &f->session->locations;
    const struct flm_symbolizer_calls *calls = f->session->symbolizer->calls;
    if (!sort_by_owner(f) || (calls->begin && !calls->begin(f)))
        return false;
    for (size_t o = 0; o < p->owners.count; o++) {
        const struct flm_location_owner *owner = &p->owners.at[o];
        struct flm_bytes name =
            owner->module ? module_name(calls->path(owner->module)) : (struct flm_bytes){"", 0};
        if (progress && !progress(context, name, o, p->owners.count))
            return flm_error_set(f->why, FLM_ERROR_CANCELED, "stopped");
        if (calls->begin_owner && !calls->begin_owner(f, owner))
            return false;
        for (size_t i = f->owner_starts[o]; i < f->owner_starts[o + 1]; i++) {
            uint32_t location = f->by_owner[i];
            f->location = location;
            f->of_location[location].start = (uint32_t)f->frames.count;
            f->no_symbol = f->is_part = false;
            f->address = lasting_address(f, owner, p->locations.at[location].address);
            if (!name_location(f, owner, &p->locations.at[location]))
                return false;
            f->is_unsymbolized[location] = f->no_symbol;
            f->of_location[location].count =
                ((uint32_t)f->frames.count - f->of_location[location].start) & INT32_MAX;
            f->of_location[location].is_part = f->is_part;
        }
    }
    return true;
}

/* ---- Stacks and samples ---------------------------------------------------------------------- */

/* Whether the frames begin with a part of the function that stands on top of the caller's. That
 * one says so then. */
static bool continues(struct flm_naming *f, const struct flm_frames_of *frames,
                      const struct flm_frames_of *callers)
{
    if (!frames->is_part || callers->count == 0 || (callers->is_part && callers->count == 1))
        return false;
    struct flm_frame_record *records = f->builder->interner.frames;
    uint32_t last = callers->start + callers->count - 1;
    const struct flm_frame_record *part = &records[f->frames.at[frames->start].index];
    struct flm_frame_record *caller = &records[f->frames.at[last].index];
    if (part->function != caller->function || part->module != caller->module)
        return false;
    caller->flags |= part->flags & FLM_FRAME_CLONES;
    return true;
}

/* The caller's node with the location of the part that goes on there: that is where the function
 * is, and not where the compiler has it jump to its part. */
static struct flm_node continued_node(struct flm_naming *f, struct flm_node caller,
                                      struct flm_frame part)
{
    struct flm_builder *b = f->builder;
    uint32_t location = flm_frame_location(&b->interner.frames[part.index]);
    if (location == 0 || b->failed)
        return caller;
    struct flm_builder_node node = b->nodes[caller.index];
    const struct flm_location where = b->interner.locations[location - 1];
    return flm_builder_child(b, (struct flm_node){node.parent},
                             flm_builder_frame_at(b, (struct flm_frame){node.frame}, &where));
}

/* The builder's node of each stack; freed by the caller. NULL when memory ran out. */
static struct flm_node *make_nodes(struct flm_naming *f)
{
    const struct flm_stacks *stacks = &f->session->stacks;
    struct flm_node *nodes = malloc(stacks->nodes.count * sizeof *nodes);
    if (!nodes) {
        flm_error_memory(f->why);
        return NULL;
    }
    nodes[0] = flm_builder_root(f->builder);
    for (size_t i = 1; i < stacks->nodes.count; i++) {
        struct flm_stack_node node = stacks->nodes.at[i];
        struct flm_frames_of frames = f->of_location[node.location];
        const struct flm_stack_node *caller = &stacks->nodes.at[node.caller];
        struct flm_node from = nodes[node.caller];
        if (node.caller != 0 && continues(f, &frames, &f->of_location[caller->location])) {
            from = continued_node(f, from, f->frames.at[frames.start]);
            frames.start++;
            frames.count--;
        }
        nodes[i] = flm_builder_descend(f->builder, from, f->frames.at + frames.start, frames.count);
    }
    return nodes;
}

/* What the wait of each stack is for: that of the function nearest to the leaf that tells. Freed by
 * the caller; NULL when memory ran out. */
static unsigned char *make_states(struct flm_naming *f)
{
    const struct flm_session *s = f->session;
    const struct flm_frame_record *records = f->builder->interner.frames;
    unsigned char *of_location = calloc(s->locations.locations.count + 1, 1);
    unsigned char *of_node = calloc(s->stacks.nodes.count, 1);
    for (size_t i = 0; of_location && of_node && i < s->locations.locations.count; i++) {
        const struct flm_frames_of *frames = &f->of_location[i];
        const struct flm_frame_record *leaf =
            frames->count > 0 ? &records[f->frames.at[frames->start + frames->count - 1].index]
                              : NULL;
        if (leaf && leaf->kind == FLM_KIND_KERNEL)
            of_location[i] = (unsigned char)flm_sched_state_of_function(
                flm_interner_text(&f->builder->interner, leaf->function));
    }
    for (size_t i = 1; of_location && of_node && i < s->stacks.nodes.count; i++) {
        unsigned char own = of_location[s->stacks.nodes.at[i].location];
        of_node[i] = own ? own : of_node[s->stacks.nodes.at[i].caller];
    }
    if (!of_location) {
        free(of_node);
        of_node = NULL;
    }
    free(of_location);
    if (!of_node)
        flm_error_memory(f->why);
    return of_node;
}

/* The metric and the labels that a set of sample attributes becomes in the builder. */
struct resolved {
    struct flm_metric metric;
    struct flm_label_set labels[FLM_STATE_COUNT]; /* by state; samples of one event have one */
};

static struct flm_metric find_metric(struct flm_naming *f, struct flm_perf_events *events,
                                     uint32_t event)
{
    if (event == FLM_EVENT_OFF_CPU)
        return flm_perf_events_find(events, flm_bytes_of("off-cpu"), true);
    const struct flm_session_event *e = &f->session->events.at[event];
    return flm_perf_events_find(events, flm_owned_string_bytes(&e->name), e->has_period);
}

/* Metrics in the order of their events: the first is shown by default, and must not depend on
 * which event occurred first. Off-CPU time comes last. It is 0, and not missing, where it was
 * recorded and no thread waited: other recordings are compared with it. */
static void make_attributes(struct flm_naming *f, struct flm_perf_events *events,
                            struct resolved *resolved)
{
    const struct flm_aggregation *t = &f->session->aggregation;
    for (size_t i = 0; i < f->session->events.count; i++)
        if (f->session->events.at[i].is_known)
            find_metric(f, events, (uint32_t)i);
    for (size_t i = 0; i < t->attributes.count; i++) {
        resolved[i].metric = find_metric(f, events, t->attributes.at[i].event);
        const struct flm_sample_attributes *attributes = &t->attributes.at[i];
        for (uint32_t state = 0; t->keep_times && state < FLM_STATE_COUNT; state++)
            if (attributes->state == state ||
                (attributes->state >= FLM_STATE_COUNT && state > FLM_STATE_RUNNABLE))
                resolved[i].labels[state] =
                    flm_session_label_set(f->builder, attributes, (enum flm_sched_state)state);
    }
    if (f->session->options.off_cpu)
        find_metric(f, events, FLM_EVENT_OFF_CPU);
}

static void add_off_cpu(struct flm_naming *f, const struct flm_aggregated_sample *sample,
                        struct flm_node node, unsigned char by_stack,
                        const struct resolved *resolved)
{
    bool assumed;
    uint32_t known = f->session->aggregation.attributes.at[sample->attributes].state;
    enum flm_sched_state state = flm_sched_state_decide((enum flm_sched_state)known,
                                                        (enum flm_sched_state)by_stack, &assumed);
    bool has_state =
        f->session->aggregation.attributes.at[sample->attributes].runtime_state.size > 0;
    f->waits += known >= FLM_STATE_COUNT;
    f->waits_assumed += assumed && !has_state;
    flm_builder_sample(f->builder, sample->time_ns, node, resolved->labels[state], resolved->metric,
                       sample->value);
    flm_builder_sample_lasts(f->builder, sample->value < (double)INT64_MAX ? (int64_t)sample->value
                                                                           : INT64_MAX);
}

static bool lasts(const struct flm_session *s, uint32_t event)
{
    return event != FLM_EVENT_OFF_CPU && s->events.at[event].lasts;
}

static void add_sample(struct flm_naming *f, const struct flm_aggregated_sample *sample,
                       uint64_t merged, struct flm_node node, const struct resolved *resolved,
                       struct flm_metric samples)
{
    const struct flm_aggregation *t = &f->session->aggregation;
    uint32_t event = t->attributes.at[sample->attributes].event;
    bool is_off_cpu = event == FLM_EVENT_OFF_CPU;
    bool has_metric = resolved->metric.index != FLM_NONE;
    struct flm_builder *b = f->builder;
    if (t->keep_times) {
        flm_builder_sample(b, sample->time_ns, node, resolved->labels[FLM_STATE_RUNNING], samples,
                           1);
        if (has_metric)
            flm_builder_sample_add(b, resolved->metric, sample->value);
        if (has_metric && sample->value < (double)INT64_MAX && lasts(f->session, event))
            flm_builder_sample_lasts(b, (int64_t)sample->value);
    } else {
        if (!is_off_cpu)
            flm_builder_add(b, node, samples, (double)merged);
        if (has_metric)
            flm_builder_add(b, node, resolved->metric, sample->value);
    }
}

/* How many waits were taken as sleeping because nothing told: without the right to record the
 * kernel that is each of them. */
static void note_states(struct flm_naming *f)
{
    char buffer[160];
    struct flm_text text;
    if (f->waits_assumed == 0)
        return;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_text_format(&text,
                    "%llu of %llu waits are taken as sleeping: no function of the kernel on their "
                    "stacks says what they wait for",
                    (unsigned long long)f->waits_assumed, (unsigned long long)f->waits);
    flm_builder_note(f->builder, "thread states", text.at, text.size);
}

static bool add_samples(struct flm_naming *f)
{
    const struct flm_aggregation *t = &f->session->aggregation;
    struct flm_perf_events events = {.builder = f->builder};
    struct flm_node *nodes = make_nodes(f);
    unsigned char *states = nodes ? make_states(f) : NULL;
    struct resolved *resolved = calloc(t->attributes.count + 1, sizeof *resolved);
    bool good = nodes && resolved && states;
    if (!good)
        flm_error_memory(f->why);
    if (good) {
        make_attributes(f, &events, resolved);
        struct flm_metric samples = flm_perf_events_samples(&events);
        for (size_t i = 0; i < t->samples.count && !flm_builder_failed(f->builder); i++) {
            const struct flm_aggregated_sample *sample = &t->samples.at[i];
            const struct resolved *of_sample = &resolved[sample->attributes];
            if (t->keep_times && t->attributes.at[sample->attributes].event == FLM_EVENT_OFF_CPU)
                add_off_cpu(f, sample, nodes[sample->node], states[sample->node], of_sample);
            else
                add_sample(f, sample, t->keep_times ? 1 : t->merged.at[i], nodes[sample->node],
                           of_sample, samples);
        }
        note_states(f);
    }
    flm_perf_events_clear(&events);
    free(nodes);
    free(states);
    free(resolved);
    return good;
}

/* ---- Losses ---------------------------------------------------------------------------------- */

static void add_losses(struct flm_naming *f)
{
    const struct flm_session *s = f->session;
    const char *const *ends = s->symbolizer->calls->unwind_losses;
    flm_builder_rounded(f->builder, s->rounded_count);
    for (size_t i = 0; i < s->losses.count; i++)
        flm_builder_lost(f->builder, s->losses.at[i].what,
                         s->losses.at[i].first_offset ? "byte" : "", s->losses.at[i].first_offset,
                         s->losses.at[i].count);
    for (size_t i = 0; i < FLM_UNWIND_ENDS; i++)
        if (ends[i] && s->unwind_ends[i] > 0)
            flm_builder_lost(f->builder, ends[i], "", 0, (double)s->unwind_ends[i]);
}

bool flm_session_finish(struct flm_session *s, struct flm_builder *builder,
                        flm_session_progress progress, void *context, struct flm_error *why)
{
    assert(builder);
    struct flm_naming f = {.session = s, .builder = builder, .why = why};
    builder->locations = s->options.lines       ? FLM_LOCATIONS_AS_LINES
                         : s->options.locations ? FLM_LOCATIONS_KEPT
                                                : FLM_LOCATIONS_DROPPED;
    bool good = flm_session_end_off_cpu(s) || flm_error_memory(why);
    good = good && name_locations(&f, progress, context) && add_samples(&f);
    if (good && s->failed)
        good = flm_error_memory(why);
    good = good && (flm_session_markers_finish(&s->markers, builder) || flm_error_memory(why));
    good = good &&
           (s->symbolizer->calls->explain(s, f.is_unsymbolized, builder) || flm_error_memory(why));
    if (good) {
        add_losses(&f);
        for (size_t i = 0; i < s->notes.count; i++)
            flm_builder_note(builder, s->notes.at[i].key.at, s->notes.at[i].value.at,
                             s->notes.at[i].value.size);
    }
    if (s->symbolizer->calls->end)
        s->symbolizer->calls->end(&f);
    flm_text_clear(&f.name);
    free(f.by_owner);
    free(f.owner_starts);
    free(f.of_location);
    free(f.is_unsymbolized);
    free(f.frames.at);
    return good;
}
