/* states.c - threads on CPUs and off them: what the scheduler wrote into the kernel's trace.
 *
 *     sched_switch    a thread leaves a CPU, with its state, and the next one comes
 *     sched_waking    a thread that waits could run from now on
 *
 *     calls           |= draw ===================|            |= draw ==
 *     switches        come       left S   woken  come   left R
 *     state           on-CPU     sleeping runnable on-CPU     runnable
 *     samples         draw       draw     draw     draw       [off-CPU: unknown stack]
 *
 * A call is cut where its thread's state changes: each part has the label `state`, as waits of a
 * recording have it, and its time in "on-cpu" or "off-cpu" too. What is outside of calls has no
 * stack. Time on a CPU outside of calls is left out where samples of stacks say what ran then.
 *
 * Switches of a CPU are in order, and those of different CPUs are not: all are kept, 16 bytes for
 * each end of one, and sorted by thread. */
#include "base/core/sort.h"
#include "format/perfetto/internal.h"

enum { CAME, WOKEN, LEFT }; /* LEFT + state */
enum { ON_CPU, RUNNABLE, BLOCKED, SLEEPING, GONE };

enum { MOST_CPUS = 4096 };

/* ---- What the kernel wrote ------------------------------------------------------------------- */

/* Bits of the kernel as they are reported, since 4.14: S 1, D 2, T 4, t 8, X 16, Z 32, P 64, I 128;
 * above them, that it was preempted. Before, D of a kernel thread that idles had a bit beside
 * it. */
static uint32_t state_of(uint64_t prev_state)
{
    enum { DISK = 2, DEAD = 16 | 32, REPORTED = 0xFF, NO_LOAD = 1024 };
    if ((prev_state & REPORTED) == 0)
        return RUNNABLE;
    if (prev_state & DEAD)
        return GONE;
    return prev_state & DISK && !(prev_state & NO_LOAD) ? BLOCKED : SLEEPING;
}

static void add_switch(struct flm_perfetto *p, int64_t time_ns, int64_t tid, uint32_t what,
                       struct flm_bytes command)
{
    if (tid <= 0) /* the idle ones, one for each CPU */
        return;
    uint32_t thread = flm_perfetto_find_thread(p, -1, tid);
    flm_perfetto_name_thread(p, thread, command, FLM_PERFETTO_COMMAND);
    struct flm_perfetto_switch added = {time_ns, thread, what};
    if (thread != FLM_NONE)
        flm_perfetto_push(p, &p->switches, &added, sizeof added);
    if (time_ns > p->last_switch_ns)
        p->last_switch_ns = time_ns;
}

/* The thread that the last switch of a CPU gave it to; NULL: too many CPUs, or out of memory. */
static int64_t *runs_on(struct flm_perfetto *p, uint64_t cpu)
{
    static const int64_t nobody = 0;
    while (cpu < MOST_CPUS && p->runs_on.count <= cpu)
        if (!flm_perfetto_push(p, &p->runs_on, &nobody, sizeof nobody))
            return NULL;
    return cpu < MOST_CPUS ? &p->runs_on.at[cpu] : NULL;
}

bool flm_perfetto_read_sched(struct flm_perfetto *p, uint64_t cpu,
                             const struct flm_perfetto_fields *event)
{
    enum { SWITCH = 4, WAKEUP = 17, WAKING = 20 };
    struct flm_perfetto_fields f;
    int64_t time_ns = (int64_t)flm_perfetto_number(event, 1);
    if (event->texts >> SWITCH & 1) {
        flm_perfetto_read(p, flm_perfetto_text(event, SWITCH), &f);
        int64_t next = (int32_t)flm_perfetto_number(&f, 6), *runs = runs_on(p, cpu);
        add_switch(p, time_ns, (int32_t)flm_perfetto_number(&f, 2),
                   LEFT + state_of(flm_perfetto_number(&f, 4)), flm_perfetto_text(&f, 1));
        add_switch(p, time_ns, next, CAME, flm_perfetto_text(&f, 5));
        if (runs)
            *runs = next;
        return true;
    }
    if (!(event->texts >> WAKEUP & 1) && !(event->texts >> WAKING & 1))
        return false;
    flm_perfetto_read(p, flm_perfetto_text(event, event->texts >> WAKING & 1 ? WAKING : WAKEUP),
                      &f);
    add_switch(p, time_ns, (int32_t)flm_perfetto_number(&f, 2), WOKEN, flm_perfetto_text(&f, 1));
    return true;
}

struct texts FLM_ARRAY(struct flm_bytes);

static struct flm_bytes text_at(const struct texts *texts, uint64_t index)
{
    return index < texts->count ? texts->at[index] : (struct flm_bytes){"", 0};
}

/* Times are differences; who left is who the switch before brought. */
static void read_switches(struct flm_perfetto *p, uint64_t cpu, struct flm_bytes message,
                          const struct texts *names)
{
    enum { TIME = 1, STATE = 2, NEXT = 3, NAME = 6 };
    struct flm_perfetto_list times = flm_perfetto_list_of(p, message, TIME, false);
    struct flm_perfetto_list states = flm_perfetto_list_of(p, message, STATE, false);
    struct flm_perfetto_list threads = flm_perfetto_list_of(p, message, NEXT, false);
    struct flm_perfetto_list commands = flm_perfetto_list_of(p, message, NAME, false);
    int64_t *runs = runs_on(p, cpu), unknown = 0;
    uint64_t time = 0, more, left, thread, name;
    if (!runs)
        runs = &unknown;
    while (flm_perfetto_next_number(&times, &more)) {
        time += more;
        if (!flm_perfetto_next_number(&states, &left) ||
            !flm_perfetto_next_number(&threads, &thread)) {
            p->losses[FLM_PERFETTO_FTRACE]++;
            continue;
        }
        if (!flm_perfetto_next_number(&commands, &name))
            name = UINT64_MAX;
        add_switch(p, (int64_t)time, *runs, LEFT + state_of(left), (struct flm_bytes){"", 0});
        *runs = (int32_t)thread;
        add_switch(p, (int64_t)time, *runs, CAME, text_at(names, name));
    }
}

static void read_wakings(struct flm_perfetto *p, struct flm_bytes message,
                         const struct texts *names)
{
    enum { TIME = 7, THREAD = 8, NAME = 11 };
    struct flm_perfetto_list times = flm_perfetto_list_of(p, message, TIME, false);
    struct flm_perfetto_list threads = flm_perfetto_list_of(p, message, THREAD, false);
    struct flm_perfetto_list commands = flm_perfetto_list_of(p, message, NAME, false);
    uint64_t time = 0, more, thread, name;
    while (flm_perfetto_next_number(&times, &more)) {
        time += more;
        if (!flm_perfetto_next_number(&threads, &thread)) {
            p->losses[FLM_PERFETTO_FTRACE]++;
            continue;
        }
        if (!flm_perfetto_next_number(&commands, &name))
            name = UINT64_MAX;
        add_switch(p, (int64_t)time, (int32_t)thread, WOKEN, text_at(names, name));
    }
}

void flm_perfetto_read_compact_sched(struct flm_perfetto *p, uint64_t cpu, struct flm_bytes message)
{
    enum { NAMES = 5 };
    struct texts names = {0};
    struct flm_wire m = flm_perfetto_message(p, message);
    struct flm_bytes name;
    while (flm_perfetto_next(p, &m, NAMES, &name))
        flm_perfetto_push(p, &names, &name, sizeof name);
    read_switches(p, cpu, message, &names);
    read_wakings(p, message, &names);
    FLM_ARRAY_CLEAR(&names);
}

void flm_perfetto_lose_sched(struct flm_perfetto *p, uint64_t cpu)
{
    int64_t *runs = runs_on(p, cpu);
    if (runs)
        *runs = 0; /* unknown: nobody is said to have left */
    p->losses[FLM_PERFETTO_FTRACE_GAPS]++;
}

/* ---- As states over time --------------------------------------------------------------------- */

static int compare_switches(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_perfetto_switch *x = (const struct flm_perfetto_switch *)context + a;
    const struct flm_perfetto_switch *y = (const struct flm_perfetto_switch *)context + b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

bool flm_perfetto_states_begin(struct flm_perfetto_states *s, struct flm_perfetto *p,
                               struct flm_metric time)
{
    size_t count = p->switches.count;
    *s = (struct flm_perfetto_states){.p = p, .time = time};
    if (count == 0)
        return true;
    s->order = malloc(count * sizeof *s->order);
    uint32_t *scratch = malloc(count * sizeof *scratch);
    if (!s->order || !scratch || count > UINT32_MAX) {
        free(scratch);
        flm_perfetto_no_memory(p);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        s->order[i] = (uint32_t)i;
    flm_sort(s->order, count, scratch, compare_switches, p->switches.at);
    free(scratch);
    s->has_on_cpu = p->samples.count == 0;
    if (s->has_on_cpu)
        s->on_cpu = flm_builder_metric(p->builder, "on-cpu", "ns");
    s->off_cpu = flm_builder_metric(p->builder, "off-cpu", "ns");
    return !flm_builder_failed(p->builder);
}

void flm_perfetto_states_clear(struct flm_perfetto_states *s)
{
    free(s->order);
    s->order = NULL;
}

/* The next time in which the state of the thread is known and the same. A switch that does not fit
 * those before it means that others were lost: what is between is not known. */
static void next_span(struct flm_perfetto_states *s)
{
    const struct flm_perfetto *p = s->p;
    for (;;) {
        const struct flm_perfetto_switch *at =
            s->next < p->switches.count ? &p->switches.at[s->order[s->next]] : NULL;
        bool is_end = !at || at->thread != s->thread;
        int64_t from_ns = s->since_ns, to_ns = is_end ? p->last_switch_ns : at->time_ns;
        uint32_t was = s->state, is = GONE;
        bool fits = was != GONE;
        if (is_end && was == GONE) {
            s->has_span = false;
            return;
        }
        if (!is_end) {
            s->next++;
            if (at->what == WOKEN && (was == ON_CPU || was == RUNNABLE))
                continue;
            is = at->what == CAME ? ON_CPU : at->what == WOKEN ? RUNNABLE : at->what - LEFT;
            fits &= (at->what >= LEFT) == (was == ON_CPU);
        }
        s->state = is;
        s->since_ns = to_ns;
        if (!fits || to_ns <= from_ns)
            continue;
        s->span.from_ns = from_ns;
        s->span.to_ns = to_ns;
        s->span.state = was;
        s->has_span = true;
        return;
    }
}

/* The labels of the thread in a state; those of a state that is not known are of code that ran. */
static struct flm_label_set labels_in(struct flm_perfetto_states *s, uint32_t state)
{
    static const char *const names[] = {NULL, "runnable", "blocked", "sleeping", NULL};
    struct flm_perfetto_lane lane = {s->thread, false};
    if (!names[state])
        return flm_perfetto_labels(s->p, lane);
    if (!(s->labeled >> state & 1)) {
        s->labels[state] = flm_perfetto_state_labels(s->p, s->thread, names[state]);
        s->labeled |= 1u << state;
    }
    return s->labels[state];
}

static void add_part(struct flm_perfetto_states *s, struct flm_node node, bool is_call,
                     uint32_t state, int64_t from_ns, int64_t to_ns)
{
    struct flm_builder *b = s->p->builder;
    struct flm_metric metrics[2];
    double ns = (double)(to_ns - from_ns);
    int count = 0;
    if (is_call)
        metrics[count++] = s->time;
    if (state == ON_CPU && s->has_on_cpu)
        metrics[count++] = s->on_cpu;
    else if (state != ON_CPU && state != GONE)
        metrics[count++] = s->off_cpu;
    if (count == 0)
        return;
    if (!s->p->options->keep_times) {
        for (int i = 0; i < count; i++)
            flm_builder_add(b, node, metrics[i], ns);
        return;
    }
    flm_builder_sample(b, from_ns, node, labels_in(s, state), metrics[0], ns);
    if (count > 1)
        flm_builder_sample_add(b, metrics[1], ns);
    flm_builder_sample_lasts(b, to_ns - from_ns);
}

/* A node of the thread for time without a stack, as recordings have it. */
static struct flm_node unknown_stack(struct flm_perfetto_states *s, bool is_on_cpu)
{
    struct flm_perfetto *p = s->p;
    struct flm_node root = flm_perfetto_root(p, (struct flm_perfetto_lane){s->thread, false});
    const char *name = is_on_cpu ? "[on-CPU: unknown stack]" : "[off-CPU: unknown stack]";
    struct flm_frame_record frame = {.function = flm_perfetto_string(p, flm_bytes_of(name)),
                                     .kind = FLM_KIND_LABEL};
    return flm_builder_child(p->builder, root, flm_builder_frame(p->builder, &frame));
}

/* What is known of the thread up to a time, outside of calls. */
static void pass(struct flm_perfetto_states *s, int64_t to_ns)
{
    while (s->has_span && s->span.from_ns < to_ns && !flm_builder_failed(s->p->builder)) {
        int64_t from_ns = s->span.from_ns > s->at_ns ? s->span.from_ns : s->at_ns;
        int64_t until_ns = s->span.to_ns < to_ns ? s->span.to_ns : to_ns;
        bool is_on_cpu = s->span.state == ON_CPU;
        if (until_ns > from_ns && (!is_on_cpu || s->has_on_cpu))
            add_part(s, unknown_stack(s, is_on_cpu), false, s->span.state, from_ns, until_ns);
        if (s->span.to_ns > to_ns)
            break;
        next_span(s);
    }
    s->at_ns = to_ns;
}

void flm_perfetto_states_call(void *context, struct flm_node node, int64_t from_ns, int64_t to_ns)
{
    struct flm_perfetto_states *s = context;
    pass(s, from_ns);
    while (from_ns < to_ns && !flm_builder_failed(s->p->builder)) {
        while (s->has_span && s->span.to_ns <= from_ns)
            next_span(s);
        int64_t until_ns = to_ns;
        uint32_t state = GONE;
        if (s->has_span && s->span.from_ns > from_ns) {
            until_ns = s->span.from_ns < to_ns ? s->span.from_ns : to_ns;
        } else if (s->has_span) {
            until_ns = s->span.to_ns < to_ns ? s->span.to_ns : to_ns;
            state = s->span.state;
        }
        add_part(s, node, true, state, from_ns, until_ns);
        from_ns = until_ns;
    }
    s->at_ns = to_ns;
}

bool flm_perfetto_states_thread(struct flm_perfetto_states *s, uint32_t thread)
{
    const struct flm_perfetto *p = s->p;
    while (s->next < p->switches.count && p->switches.at[s->order[s->next]].thread < thread)
        s->next++;
    if (s->next >= p->switches.count || p->switches.at[s->order[s->next]].thread != thread)
        return false;
    s->thread = thread;
    s->labeled = 0;
    s->state = GONE;
    s->at_ns = INT64_MIN;
    next_span(s);
    return true;
}

void flm_perfetto_states_end(struct flm_perfetto_states *s)
{
    pass(s, INT64_MAX);
}
