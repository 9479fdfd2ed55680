/* thread_section.c - threads: what each used of the CPU, waited for it, and allocated; and of those
 * that run tasks, how often and how long they did. */
#include "report/probe/thread_section.h"

struct column {
    const char *name, *heading;
    bool is_time, is_bytes;
    int leave_out;
};

enum {
    USER,
    SYSTEM,
    RUN_QUEUE,
    VOLUNTARY,
    INVOLUNTARY,
    FAULTS,
    ALLOCATED,
    FREED,
    POLLS,
    TASKS,
    COLUMNS
};

static const struct column columns[COLUMNS] = {
    [USER] = {"user_ns", "user", true, false, 0},
    [SYSTEM] = {"system_ns", "system", true, false, 0},
    [RUN_QUEUE] = {"run_queue_ns", "run queue", true, false, 2},
    [VOLUNTARY] = {"voluntary_switches", "waited", false, false, 4},
    [INVOLUNTARY] = {"involuntary_switches", "preempted", false, false, 4},
    [FAULTS] = {"faults", "faults", false, false, 5},
    [ALLOCATED] = {"allocated", "allocated", false, true, 1},
    [FREED] = {"freed", "freed", false, true, 3},
    [POLLS] = {"polls", "task runs", false, false, 2},
    [TASKS] = {"tasks_ns", "in tasks", true, false, 0},
};

static void find_values(const struct flm_measures *measures, size_t thread, double *values)
{
    const struct flm_probe_thread *t = &measures->decoded->threads.at[thread];
    values[USER] = (double)t->kernel.user_ns;
    values[SYSTEM] = (double)t->kernel.system_ns;
    values[RUN_QUEUE] = (double)t->kernel.run_queue_ns;
    values[VOLUNTARY] = (double)t->kernel.voluntary_switches;
    values[INVOLUNTARY] = (double)t->kernel.involuntary_switches;
    values[FAULTS] = (double)t->kernel.minor_faults + (double)t->kernel.major_faults;
    values[ALLOCATED] = measures->thread_allocated[thread];
    values[FREED] = measures->thread_freed[thread];
    values[POLLS] = measures->thread_polls[thread];
    values[TASKS] = measures->thread_tasks[thread];
}

static size_t name_size(const struct flm_probe_thread *thread)
{
    size_t size = 0;
    while (size < sizeof thread->name && thread->name[size])
        size++;
    return size;
}

/* "": nobody said. */
static const char *state_of(const struct flm_probe_thread *thread)
{
    if (thread->state == FLM_PROBE_ENDED)
        return "ended";
    switch (thread->doing) {
    case 'R':
        return "running";
    case 'S':
    case 'I':
        return "sleeping";
    case 'D':
        return "blocked";
    case 'T':
    case 't':
        return "stopped";
    case 'Z':
    case 'X':
        return "ended";
    default:
        return "";
    }
}

/* Of a program that has ended all have. */
static bool has_any_state(const struct flm_probe_decoded *d)
{
    for (size_t i = 0; i < d->threads.count && d->header.state == FLM_PROBE_RUNNING; i++)
        if (d->threads.at[i].doing != 0)
            return true;
    return false;
}

/* A table that would only hold the name of a single thread is left out. */
static bool says_more_than_names(const bool *has, const struct flm_probe_decoded *d)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (has[i])
            return true;
    return d->threads.count > 1 || has_any_state(d);
}

static void add_columns(struct flm_report *report, const bool *has, bool has_states)
{
    enum { NAME, TID, THREADS, STATE, FIRST };
    flm_report_add_column(report, "name", FLM_IN_JSON);
    flm_report_add_column(report, "tid", FLM_IN_JSON);
    flm_report_add_column(report, "threads", FLM_IN_JSON);
    flm_report_add_column(report, "state", FLM_IN_JSON);
    if (has_states)
        flm_report_add_view(report, (struct flm_report_view){.heading = "state",
                                                             .column = STATE,
                                                             .format = FLM_VIEW_AS_TEXT,
                                                             .kind = FLM_COLUMN_TEXT,
                                                             .leave_out = 1});
    for (size_t i = 0; i < COLUMNS; i++) {
        flm_report_add_column(report, columns[i].name, FLM_IN_JSON);
        if (!has[i])
            continue;
        const char *unit = columns[i].is_time ? "ns" : columns[i].is_bytes ? "bytes" : "";
        flm_report_add_view(report, (struct flm_report_view){.heading = columns[i].heading,
                                                             .column = FIRST + i,
                                                             .format = FLM_VIEW_AS_ANY_QUANTITY,
                                                             .kind = FLM_COLUMN_NUMBER,
                                                             .leave_out = columns[i].leave_out,
                                                             .unit = flm_bytes_of(unit)});
    }
    flm_report_add_view(report, (struct flm_report_view){.heading = "threads",
                                                         .column = THREADS,
                                                         .format = FLM_VIEW_AS_COUNT,
                                                         .kind = FLM_COLUMN_NUMBER});
    flm_report_add_view(report, (struct flm_report_view){
                                    .heading = "name", .column = NAME, .kind = FLM_COLUMN_NAME});
}

void flm_report_add_threads(struct flm_report *report, const struct flm_measures *measures,
                            uint32_t rows)
{
    const struct flm_probe_decoded *d = measures->decoded;
    size_t count = d->threads.count;
    size_t shown = rows > 0 && rows < count ? rows : count;
    bool has[COLUMNS] = {false};
    double values[COLUMNS];
    for (size_t i = 0; i < shown; i++) {
        find_values(measures, i, values);
        for (size_t v = 0; v < COLUMNS; v++)
            has[v] |= values[v] > 0;
    }
    if (count == 0)
        return;
    bool is_said = says_more_than_names(has, d);
    unsigned forms = is_said ? FLM_IN_PEOPLES | FLM_IN_JSON : FLM_IN_JSON;
    if (is_said)
        flm_report_begin_section(report, "threads", ", the newest first", true);
    flm_report_begin_table(report, "threads", forms, false);
    add_columns(report, has, has_any_state(d));
    for (size_t i = 0; i < shown; i++) {
        const struct flm_probe_thread *t = &d->threads.at[i];
        find_values(measures, i, values);
        flm_report_begin_row(report, 0, forms);
        flm_report_cell_bytes(report, (struct flm_bytes){t->name, name_size(t)});
        flm_report_cell_number(report, t->tid);
        flm_report_cell_number(report, t->threads);
        flm_report_cell_bytes(report, flm_bytes_of(state_of(t)));
        for (size_t v = 0; v < COLUMNS; v++) {
            if (v == FREED && !flm_frees_are_measured(d))
                flm_report_cell_absent(report);
            else
                flm_report_cell_number(report, values[v]);
        }
    }
    if (shown < count && is_said)
        flm_text_format(flm_report_add_line(report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED),
                        "%zu more", count - shown);
    if (is_said)
        flm_report_end_section(report);
}
