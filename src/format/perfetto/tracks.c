/* tracks.c - processes, threads and tracks, their names; and what becomes a lane of the flame
 * chart. */
#include "format/core/thread_names.h"
#include "format/perfetto/internal.h"

/* ---- Processes and threads ------------------------------------------------------------------- */

static struct flm_perfetto_process *find_process(struct flm_perfetto *p, int64_t pid)
{
    uint32_t index = flm_perfetto_find_key(&p->process_keys, (uint64_t)pid, 0);
    return index == FLM_NONE ? NULL : &p->processes.at[index];
}

void flm_perfetto_name_process(struct flm_perfetto *p, int64_t pid, struct flm_bytes name,
                               enum flm_perfetto_rank rank)
{
    struct flm_perfetto_process none = {0};
    if (name.size == 0 || pid < 0)
        return;
    uint32_t index = flm_perfetto_entry(p, &p->process_keys, (uint64_t)pid, 0, &p->processes, &none,
                                        sizeof none);
    if (index != FLM_NONE && p->processes.at[index].rank <= (uint32_t)rank)
        p->processes.at[index] = (struct flm_perfetto_process){flm_perfetto_string(p, name), rank};
}

/* Threads are in two tables: with their process, and by themselves. */
uint32_t flm_perfetto_find_thread(struct flm_perfetto *p, int64_t pid, int64_t tid)
{
    if (p->last_thread != FLM_NONE) {
        const struct flm_perfetto_thread *last = &p->threads.at[p->last_thread];
        if (last->tid == tid && last->pid == pid)
            return p->last_thread;
    }
    struct flm_perfetto_thread thread = {.pid = pid, .tid = tid};
    uint32_t next = (uint32_t)p->threads.count;
    uint32_t any = flm_perfetto_entry(p, &p->tid_keys, (uint64_t)tid, 0, &p->thread_of_tid, &next,
                                      sizeof next);
    if (any == FLM_NONE)
        return FLM_NONE;
    uint32_t index = p->thread_of_tid.at[any];
    if (index != next && pid >= 0 && p->threads.at[index].pid >= 0)
        index = next; /* a thread of another process, perhaps */
    if (pid >= 0) {
        any = flm_perfetto_entry(p, &p->thread_keys, (uint64_t)tid, (uint64_t)pid, &p->thread_of,
                                 &index, sizeof index);
        if (any == FLM_NONE)
            return FLM_NONE;
        index = p->thread_of.at[any];
    }
    if (index == next && !flm_perfetto_push(p, &p->threads, &thread, sizeof thread))
        return FLM_NONE;
    if (pid >= 0)
        p->threads.at[index].pid = pid; /* now it is known */
    return p->last_thread = index;
}

void flm_perfetto_name_thread(struct flm_perfetto *p, uint32_t thread, struct flm_bytes name,
                              enum flm_perfetto_rank rank)
{
    if (thread == FLM_NONE || name.size == 0 || p->threads.at[thread].rank > (uint32_t)rank)
        return;
    p->threads.at[thread].name = flm_perfetto_string(p, name);
    p->threads.at[thread].rank = rank;
}

/* A command is a list of words, of which the first is a name. */
static struct flm_bytes first_word(struct flm_perfetto *p, struct flm_bytes message, uint32_t field)
{
    struct flm_wire m = flm_perfetto_message(p, message);
    struct flm_bytes word = {"", 0};
    flm_perfetto_next(p, &m, field, &word);
    return word;
}

static int64_t pid_of(const struct flm_perfetto_fields *f, unsigned field)
{
    return f->numbers >> field & 1 ? (int64_t)(uint32_t)f->number[field] : -1;
}

void flm_perfetto_read_process_tree(struct flm_perfetto *p,
                                    const struct flm_perfetto_packet *packet)
{
    struct flm_wire m = flm_perfetto_message(p, packet->data);
    struct flm_bytes message;
    struct flm_perfetto_fields f;
    while (flm_perfetto_next(p, &m, 1, &message)) {
        flm_perfetto_read(p, message, &f);
        flm_perfetto_name_process(p, pid_of(&f, 1), first_word(p, message, 3), FLM_PERFETTO_LISTED);
    }
    m = flm_perfetto_message(p, packet->data);
    while (flm_perfetto_next(p, &m, 2, &message)) {
        flm_perfetto_read(p, message, &f);
        if (flm_perfetto_has(&f, 1))
            flm_perfetto_name_thread(p, flm_perfetto_find_thread(p, pid_of(&f, 3), pid_of(&f, 1)),
                                     flm_perfetto_text(&f, 2), FLM_PERFETTO_LISTED);
    }
}

static int64_t use_process(struct flm_perfetto *p, struct flm_bytes message)
{
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    flm_perfetto_name_process(p, pid_of(&f, 1), first_word(p, message, 2), FLM_PERFETTO_LISTED);
    flm_perfetto_name_process(p, pid_of(&f, 1), flm_perfetto_text(&f, 6), FLM_PERFETTO_DESCRIBED);
    return pid_of(&f, 1);
}

/* Its thread becomes the thread of the sequence, too. */
static uint32_t use_thread(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                           struct flm_bytes message)
{
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    if (!flm_perfetto_has(&f, 1) || !flm_perfetto_has(&f, 2))
        return FLM_NONE;
    s->has_thread = s->has_reference = true;
    s->pid = pid_of(&f, 1);
    s->tid = (int64_t)flm_perfetto_number(&f, 2);
    s->reference_ns = (int64_t)(flm_perfetto_number(&f, 6) * 1000);
    uint32_t thread = flm_perfetto_find_thread(p, s->pid, s->tid);
    flm_perfetto_name_thread(p, thread, flm_perfetto_text(&f, 5), FLM_PERFETTO_DESCRIBED);
    return thread;
}

void flm_perfetto_read_process(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    use_process(p, packet->data);
}

void flm_perfetto_read_thread(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    use_thread(p, packet->sequence, packet->data);
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

uint32_t flm_perfetto_find_track(struct flm_perfetto *p, uint64_t uuid)
{
    if (p->last_track != FLM_NONE && p->tracks.at[p->last_track].uuid == uuid)
        return p->last_track;
    struct flm_perfetto_track track = {.uuid = uuid, .pid = -1, .multiplier = 1};
    return p->last_track =
               flm_perfetto_entry(p, &p->track_keys, uuid, 0, &p->tracks, &track, sizeof track);
}

static void read_counter(struct flm_perfetto *p, struct flm_perfetto_track *track,
                         struct flm_bytes message)
{
    static const char *const types[] = {"", "thread_time", "thread_instruction_count"};
    static const char *const units[] = {"", "ns", "count", "bytes"};
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    uint64_t type = flm_perfetto_number(&f, 1), unit = flm_perfetto_number(&f, 3);
    type = type < 3 ? type : 0;
    unit = type ? type : unit < 4 ? unit : 0;
    if (flm_perfetto_number(&f, 4) != 0)
        track->multiplier = (double)(int64_t)flm_perfetto_number(&f, 4);
    track->is_incremental = flm_perfetto_number(&f, 5) != 0;
    track->unit = unit ? flm_perfetto_string(p, flm_bytes_of(units[unit]))
                       : flm_perfetto_text_string(p, &f, 6);
    if (track->name == 0 && type)
        track->name = flm_perfetto_string(p, flm_bytes_of(types[type]));
}

void flm_perfetto_read_track(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    enum { PROCESS = 3, THREAD = 4, COUNTER = 8, SEPARATE = 9 };
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, packet->data, &f);
    struct flm_perfetto_track read = {.uuid = flm_perfetto_number(&f, 1),
                                      .parent = flm_perfetto_number(&f, 5),
                                      .pid = -1,
                                      .multiplier = 1,
                                      .is_described = true};
    static const uint8_t names[] = {2, 10, 13};
    for (int i = 0; i < 3 && read.name == 0; i++)
        read.name = flm_perfetto_text_string(p, &f, names[i]);
    if (flm_perfetto_has(&f, PROCESS))
        read.pid = use_process(p, flm_perfetto_text(&f, PROCESS));
    if (flm_perfetto_has(&f, THREAD)) {
        read.thread = use_thread(p, packet->sequence, flm_perfetto_text(&f, THREAD));
        read.has_thread = read.thread != FLM_NONE;
    }
    if (flm_perfetto_stopped(p))
        return;
    struct flm_bytes name = flm_interner_text(&p->builder->interner, read.name);
    if (read.has_thread) {
        read.pid = p->threads.at[read.thread].pid;
        flm_perfetto_name_thread(p, read.thread, name, FLM_PERFETTO_COMMAND);
        if (flm_perfetto_number(&f, SEPARATE)) { /* from what the kernel's trace has of it */
            read.has_thread = false;
            read.name = read.name ? read.name : p->threads.at[read.thread].name;
        }
    } else if (flm_perfetto_has(&f, PROCESS)) {
        flm_perfetto_name_process(p, read.pid, name, FLM_PERFETTO_COMMAND);
    }
    if (flm_perfetto_has(&f, COUNTER))
        read_counter(p, &read, flm_perfetto_text(&f, COUNTER));
    uint32_t index = flm_perfetto_find_track(p, read.uuid);
    if (flm_perfetto_stopped(p))
        return;
    struct flm_perfetto_track *track = &p->tracks.at[index];
    read.calls = track->calls;
    if (read.name == 0)
        read.name = track->name;
    *track = read;
}

/* ---- Lanes ----------------------------------------------------------------------------------- */

static void append(struct flm_perfetto *p, struct flm_calls *to, struct flm_calls *from)
{
    if (to->count == 0) {
        struct flm_calls empty = *to;
        *to = *from;
        *from = empty;
    } else if (!FLM_ARRAY_RESERVE(to, from->count)) {
        flm_perfetto_no_memory(p);
    } else if (from->count > 0) {
        memcpy(to->at + to->count, from->at, from->count * sizeof *from->at);
        to->count += from->count;
    }
    FLM_ARRAY_CLEAR(from);
}

/* The process that a track is of, by the tracks above it; -1: none. */
static int64_t find_pid(struct flm_perfetto *p, const struct flm_perfetto_track *track)
{
    enum { MOST_LEVELS = 100 }; /* they may form a cycle */
    for (int level = 0; track->pid < 0 && track->parent != 0 && level < MOST_LEVELS; level++) {
        uint32_t parent = flm_perfetto_find_key(&p->track_keys, track->parent, 0);
        if (parent == FLM_NONE)
            break;
        track = &p->tracks.at[parent];
    }
    return track->pid;
}

struct span {
    int64_t begin, end;
};

static struct span span_of(const struct flm_calls *calls)
{
    struct span span = {INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < calls->count; i++) {
        const struct flm_call *call = &calls->at[i];
        int64_t end = call->time_ns;
        if (call->duration_ns > 0 && __builtin_add_overflow(end, call->duration_ns, &end))
            end = INT64_MAX;
        span.begin = call->time_ns < span.begin ? call->time_ns : span.begin;
        span.end = end > span.end ? end : span.end;
    }
    return span;
}

/* Tracks of one name and process, as those of asynchronous operations, share the lanes of the flame
 * chart: the first lane that is free from the beginning of a track on takes it. */
static void share_lanes(struct flm_perfetto *p)
{
    enum { MOST_LANES = 64 };
    struct lane {
        struct span span;
        uint32_t track, next; /* next: of the same name and process */
    };
    struct FLM_ARRAY(struct lane) lanes = {0};
    struct FLM_ARRAY(uint32_t) firsts = {0}; /* lanes, by name and process */
    struct flm_perfetto_keys keys = {0};
    for (uint32_t i = 0; i < p->tracks.count && !flm_perfetto_stopped(p); i++) {
        struct flm_perfetto_track *track = &p->tracks.at[i];
        track->pid = find_pid(p, track);
        track->lane = i;
        if (track->calls.count == 0)
            continue;
        struct span span = span_of(&track->calls);
        uint32_t added = (uint32_t)lanes.count, last = FLM_NONE, number = 0;
        uint32_t found = flm_perfetto_entry(p, &keys, track->name, (uint64_t)track->pid, &firsts,
                                            &added, sizeof added);
        if (found == FLM_NONE)
            break;
        for (uint32_t lane = firsts.at[found]; lane < added && number < MOST_LANES;
             lane = lanes.at[lane].next, number++) {
            struct lane *free = &lanes.at[lane];
            last = lane;
            if (span.begin < free->span.end)
                continue;
            free->span.end = span.end;
            track->lane = free->track;
            append(p, &p->tracks.at[free->track].calls, &track->calls);
            break;
        }
        if (track->lane != i)
            continue;
        struct lane lane = {span, i, FLM_NONE};
        flm_perfetto_push(p, &lanes, &lane, sizeof lane);
        if (last != FLM_NONE && number < MOST_LANES)
            lanes.at[last].next = added;
        track->number = number;
    }
    FLM_ARRAY_CLEAR(&lanes);
    FLM_ARRAY_CLEAR(&firsts);
    flm_perfetto_clear_keys(&keys);
}

void flm_perfetto_join_tracks(struct flm_perfetto *p)
{
    for (size_t i = 0; i < p->tracks.count && !flm_perfetto_stopped(p); i++) {
        struct flm_perfetto_track *track = &p->tracks.at[i];
        if (track->has_thread)
            append(p, &p->threads.at[track->thread].calls, &track->calls);
    }
    share_lanes(p);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static uint32_t number_string(struct flm_perfetto *p, int64_t number)
{
    p->text.size = 0;
    flm_text_format(&p->text, "%lld", (long long)number);
    if (p->text.failed) {
        flm_perfetto_no_memory(p);
        return 0;
    }
    return flm_perfetto_string(p, (struct flm_bytes){p->text.at, p->text.size});
}

static void name_process(struct flm_perfetto *p, int64_t pid, struct flm_thread_names *names)
{
    const struct flm_perfetto_process *process = find_process(p, pid);
    if (pid >= 0)
        names->process = number_string(p, pid);
    names->process_name = process ? process->name : 0;
}

/* "GPU", "GPU 2", "track 1234": its name, or its number. */
static uint32_t lane_name(struct flm_perfetto *p, const struct flm_perfetto_track *track)
{
    p->text.size = 0;
    if (track->name != 0)
        flm_text_add(&p->text, flm_interner_text(&p->builder->interner, track->name));
    else
        flm_text_format(&p->text, "track %llu", (unsigned long long)track->uuid);
    if (track->number > 0)
        flm_text_format(&p->text, " %u", track->number + 1);
    if (p->text.failed) {
        flm_perfetto_no_memory(p);
        return 0;
    }
    return flm_perfetto_string(p, (struct flm_bytes){p->text.at, p->text.size});
}

static struct flm_perfetto_lane resolve(const struct flm_perfetto *p, struct flm_perfetto_lane lane)
{
    if (lane.is_track && p->tracks.at[lane.index].has_thread)
        return (struct flm_perfetto_lane){p->tracks.at[lane.index].thread, false};
    if (lane.is_track)
        lane.index = p->tracks.at[lane.index].lane;
    return lane;
}

static struct flm_thread_names names_of(struct flm_perfetto *p, struct flm_perfetto_lane lane)
{
    struct flm_thread_names names = {0};
    if (lane.is_track) {
        const struct flm_perfetto_track *track = &p->tracks.at[lane.index];
        name_process(p, track->pid, &names);
        names.thread = lane_name(p, track);
    } else {
        const struct flm_perfetto_thread *thread = &p->threads.at[lane.index];
        name_process(p, thread->pid, &names);
        names.thread = thread->tid == FLM_NO_TIME ? 0 : number_string(p, thread->tid);
        names.thread_name = thread->name;
    }
    return names;
}

static void make_labels(struct flm_perfetto *p, struct flm_perfetto_lane lane, bool *is_labeled,
                        struct flm_label_set *labels, struct flm_node *root)
{
    if (*is_labeled)
        return;
    *is_labeled = true;
    *root = flm_builder_root(p->builder);
    if (!p->options->keep_times && !p->options->by_thread)
        return;
    struct flm_thread_names names = names_of(p, lane);
    if (p->options->keep_times)
        *labels = flm_thread_labels(p->builder, &names);
    if (names.thread == 0) { /* all of a process */
        names.thread = names.process;
        names.thread_name = names.process_name;
    }
    if (p->options->by_thread)
        *root = flm_thread_root(p->builder, &names);
}

static void label(struct flm_perfetto *p, struct flm_perfetto_lane lane,
                  struct flm_label_set *labels, struct flm_node *root)
{
    lane = resolve(p, lane);
    if (lane.is_track) {
        struct flm_perfetto_track *track = &p->tracks.at[lane.index];
        make_labels(p, lane, &track->is_labeled, &track->labels, &track->root);
        *labels = track->labels;
        *root = track->root;
    } else {
        struct flm_perfetto_thread *thread = &p->threads.at[lane.index];
        make_labels(p, lane, &thread->is_labeled, &thread->labels, &thread->root);
        *labels = thread->labels;
        *root = thread->root;
    }
}

struct flm_label_set flm_perfetto_labels(struct flm_perfetto *p, struct flm_perfetto_lane lane)
{
    struct flm_label_set labels;
    struct flm_node root;
    label(p, lane, &labels, &root);
    return labels;
}

struct flm_label_set flm_perfetto_state_labels(struct flm_perfetto *p, uint32_t thread,
                                               const char *state)
{
    struct flm_thread_names names = names_of(p, (struct flm_perfetto_lane){thread, false});
    names.state = flm_perfetto_string(p, flm_bytes_of(state));
    return flm_thread_labels(p->builder, &names);
}

struct flm_node flm_perfetto_root(struct flm_perfetto *p, struct flm_perfetto_lane lane)
{
    struct flm_label_set labels;
    struct flm_node root;
    label(p, lane, &labels, &root);
    return root;
}

/* A counter is of a thread, or of a process, or of all. */
struct flm_label_set flm_perfetto_counter_labels(struct flm_perfetto *p,
                                                 struct flm_perfetto_lane lane)
{
    lane = resolve(p, lane);
    if (!lane.is_track)
        return flm_perfetto_labels(p, lane);
    struct flm_thread_names names = {0};
    name_process(p, p->tracks.at[lane.index].pid, &names);
    return flm_thread_labels(p->builder, &names);
}
