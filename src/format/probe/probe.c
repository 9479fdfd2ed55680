/* probe.c - the files of programs that measure themselves: flamel/probe.h, flamel/probe_format.h.
 *
 * Scopes become frames. "wall" is the time between entering and leaving, without that of the scopes
 * inside, and without what measuring costs (the header has it); "calls" is how often a scope was
 * left. A scope that is open has the time until the last moment that the file knows of.
 *
 * Everything is found by places that the file gives, so each is checked. */
#include "flamel/probe_format.h"

#include <math.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "format/core/date.h"
#include "format/core/format.h"
#include "format/core/thread_names.h"
#include "profile/internal.h"

struct tree_node {
    struct flm_node node;
    double total, child_total; /* ticks */
    uint64_t calls, child_calls;
    uint32_t parent; /* place; 0: it is a thread's root */
    uint32_t thread; /* from 1; 0: nothing is known of this place */
    bool is_new;     /* its site came after the header was read */
};

struct reading {
    struct flm_bytes all;
    const struct flm_read_options *options;
    struct flm_builder *builder;
    struct flm_error *why;
    struct flm_probe_header header;
    struct flm_metric wall, calls;
    struct flm_frame *sites; /* by number */
    struct tree_node *tree;  /* by place */
    uint32_t place_count, thread;
    uint64_t last_ticks;              /* the last moment that the file knows of */
    struct FLM_ARRAY(uint32_t) parts; /* of the thread: places, the newest first */
    struct flm_text pid;
    uint64_t open, left, lost_depth, lost_room, lost_busy;
    uint64_t added;      /* scopes that came while a running program's file was read */
    uint64_t part_count; /* of all threads */
};

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool refuse(struct reading *r, uint64_t offset, const char *what)
{
    return flm_error_byte(r->why, FLM_ERROR_FORMAT, offset, "%s: the file is damaged", what);
}

/* Copies what is at a place; false: it is not in the file. */
static bool copy_at(const struct reading *r, uint64_t offset, void *to, size_t size)
{
    if (offset > r->all.size || r->all.size - offset < size)
        return false;
    memcpy(to, r->all.at + offset, size);
    return true;
}

static bool copy_place(const struct reading *r, uint32_t place, void *to, size_t size)
{
    return place > 0 && copy_at(r, (uint64_t)place * FLM_PROBE_UNIT, to, size);
}

/* "" where it is not in the file. */
static struct flm_bytes text_at(const struct reading *r, uint64_t offset, uint32_t size)
{
    bool is_there = offset > 0 && offset <= r->all.size && r->all.size - offset >= size;
    return is_there ? (struct flm_bytes){r->all.at + offset, size} : (struct flm_bytes){"", 0};
}

static double ns_of(const struct reading *r, double ticks)
{
    return ticks * ((double)r->header.ns_per_tick / 4294967296.0);
}

/* ---- Sites ----------------------------------------------------------------------------------- */

static struct flm_frame frame_of(struct reading *r, const struct flm_probe_site *site)
{
    struct flm_builder *b = r->builder;
    struct flm_bytes name = text_at(r, site->name, site->name_size);
    struct flm_bytes function = text_at(r, site->function, site->function_size);
    struct flm_bytes file = text_at(r, site->file, site->file_size);
    if (name.size == 0)
        name = function;
    return flm_builder_frame(b, &(struct flm_frame_record){
                                    .function = flm_builder_string(b, name.at, name.size).index,
                                    .file = flm_builder_string(b, file.at, file.size).index,
                                    .line = r->options->lines ? site->line : 0,
                                    .kind = FLM_KIND_NATIVE,
                                });
}

static bool read_sites(struct reading *r)
{
    uint32_t count = r->header.site_count, number = 1, first = 0, size = FLM_PROBE_FIRST_SITES;
    if (count > r->all.size / sizeof(struct flm_probe_site))
        return refuse(r, 0, "more sites than there is room for");
    r->sites = calloc((size_t)count + 1, sizeof *r->sites);
    if (!r->sites)
        return flm_error_memory(r->why);
    for (uint32_t part = 0; part < FLM_PROBE_SITE_PARTS && number <= count; part++) {
        uint64_t at = (uint64_t)r->header.site_part[part] * FLM_PROBE_UNIT;
        for (; number <= count && number < first + size; number++) {
            struct flm_probe_site site;
            uint64_t offset = at + (number - first) * sizeof site;
            if (at == 0 || !copy_at(r, offset, &site, sizeof site))
                return refuse(r, offset, "a site is not in the file");
            r->sites[number] = frame_of(r, &site);
        }
        first += size;
        size = part == 0 ? size : size * 2;
    }
    return true;
}

/* ---- The tree of a thread -------------------------------------------------------------------- */

/* Its parts, the newest first; each is older than the one before, and so at a lower place. */
static bool list_parts(struct reading *r, const struct flm_probe_thread *thread)
{
    uint32_t before = UINT32_MAX;
    r->parts.count = 0;
    for (uint32_t place = thread->first_part; place > 0;) {
        struct flm_probe_part part;
        if (place >= before || !copy_place(r, place, &part, sizeof part) ||
            part.count > FLM_PROBE_NODES_IN_PART)
            return refuse(r, (uint64_t)place * FLM_PROBE_UNIT,
                          "nodes are not where they should be");
        if (r->part_count++ > r->place_count) /* each is of one thread */
            return refuse(r, (uint64_t)place * FLM_PROBE_UNIT, "nodes are of several threads");
        if (!FLM_ARRAY_ADD(&r->parts, place))
            return flm_error_memory(r->why);
        before = place;
        place = part.next;
    }
    return true;
}

static bool read_node(struct reading *r, const struct flm_probe_thread *thread, uint32_t place,
                      struct flm_node root)
{
    struct flm_probe_node node;
    if (place >= r->place_count || !copy_place(r, place, &node, sizeof node) ||
        r->tree[place].thread > 0)
        return refuse(r, (uint64_t)place * FLM_PROBE_UNIT, "a node is not where it should be");
    struct tree_node *to = &r->tree[place];
    *to = (struct tree_node){.node = root, .thread = r->thread};
    if (place == thread->root)
        return true;
    bool is_new = node.site > r->header.site_count ||
                  (node.parent < r->place_count && r->tree[node.parent].is_new);
    if (is_new && r->header.state == FLM_PROBE_RUNNING) {
        to->is_new = true; /* nothing is known of it, nor of those in it */
        to->thread = 0;
        r->added++;
        return true;
    }
    if (node.parent == 0 || node.parent >= place || r->tree[node.parent].thread != r->thread ||
        node.site == 0 || node.site > r->header.site_count)
        return refuse(r, (uint64_t)place * FLM_PROBE_UNIT, "a node is in none, or of no site");
    to->parent = node.parent;
    to->node = flm_builder_child(r->builder, r->tree[node.parent].node, r->sites[node.site]);
    to->total = (double)node.total;
    to->calls = node.calls;
    return true;
}

/* Scopes that are open now, the outermost first. */
static void add_open(struct reading *r, const struct flm_probe_thread *thread)
{
    for (uint32_t depth = 1; depth <= FLM_PROBE_MOST_DEPTH; depth++) {
        const struct flm_probe_open *open = &thread->open[depth];
        if (open->start == 0)
            return;
        if (open->node >= r->place_count || r->tree[open->node].thread != r->thread)
            return; /* it is being entered just now */
        r->open++;
        if (open->start < r->last_ticks)
            r->tree[open->node].total += (double)(r->last_ticks - open->start);
    }
}

static void add_values(struct reading *r, const struct tree_node *t, struct flm_label_set labels)
{
    const double one = 256; /* of costs */
    double cost = ((double)t->calls * r->header.inside_cost +
                   (double)t->child_calls * r->header.outside_cost) /
                  one;
    double self = t->total - t->child_total - cost;
    double wall = self > 0 ? floor(ns_of(r, self) + 0.5) : 0;
    if (t->calls == 0 && wall == 0)
        return;
    if (r->options->keep_times) {
        flm_builder_sample(r->builder, FLM_NO_TIME, t->node, labels, r->wall, wall);
        flm_builder_sample_add(r->builder, r->calls, (double)t->calls);
    } else {
        flm_builder_add(r->builder, t->node, r->wall, wall);
        flm_builder_add(r->builder, t->node, r->calls, (double)t->calls);
    }
}

/* For each of its nodes, a parent before those in it; or the other way around. */
static uint32_t node_place(const struct reading *r, size_t part, uint32_t index)
{
    return r->parts.at[part] + FLM_PROBE_NODE_UNITS * (1 + index);
}

static uint32_t count_in(const struct reading *r, size_t part)
{
    struct flm_probe_part head;
    return copy_place(r, r->parts.at[part], &head, sizeof head) ? head.count : 0;
}

static bool read_tree(struct reading *r, const struct flm_probe_thread *thread,
                      struct flm_label_set labels, struct flm_node root)
{
    if (!list_parts(r, thread))
        return false;
    for (size_t part = r->parts.count; part-- > 0;)
        for (uint32_t i = 0, count = count_in(r, part); i < count; i++)
            if (!read_node(r, thread, node_place(r, part, i), root))
                return false;
    add_open(r, thread);
    for (size_t part = 0; part < r->parts.count; part++)
        for (uint32_t i = count_in(r, part); i-- > 0;) {
            const struct tree_node *t = &r->tree[node_place(r, part, i)];
            if (t->parent == 0 || t->is_new)
                continue;
            r->tree[t->parent].child_total += t->total;
            r->tree[t->parent].child_calls += t->calls;
            add_values(r, t, labels);
        }
    return true;
}

/* Several that had the same name, one after the other, have no number. */
static struct flm_thread_names name_thread(struct reading *r, const struct flm_probe_thread *thread)
{
    char number[24];
    struct flm_text text;
    const struct flm_text *pid = &r->pid;
    flm_text_init_fixed(&text, number, sizeof number);
    flm_text_format(&text, "%u", thread->tid);
    size_t size = 0;
    while (size < sizeof thread->name && thread->name[size])
        size++;
    return (struct flm_thread_names){
        .process = flm_builder_string(r->builder, pid->at, pid->size).index,
        .thread =
            thread->threads > 1 ? 0 : flm_builder_string(r->builder, text.at, text.size).index,
        .thread_name = flm_builder_string(r->builder, thread->name, size).index};
}

static bool read_threads(struct reading *r)
{
    uint64_t most = r->all.size / sizeof(struct flm_probe_thread), count = 0;
    for (uint32_t place = r->header.first_thread; place > 0;) {
        struct flm_probe_thread thread;
        if (count++ > most || !copy_place(r, place, &thread, sizeof thread))
            return refuse(r, (uint64_t)place * FLM_PROBE_UNIT, "a thread is not in the file");
        r->thread++;
        struct flm_thread_names names = name_thread(r, &thread);
        if (!read_tree(r, &thread, flm_thread_labels(r->builder, &names),
                       r->options->by_thread ? flm_thread_root(r->builder, &names)
                                             : flm_builder_root(r->builder)))
            return false;
        r->left += thread.left;
        r->lost_depth += thread.lost_depth;
        r->lost_room += thread.lost_room;
        r->lost_busy += thread.lost_busy;
        place = thread.next;
    }
    return true;
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool read_header(struct reading *r)
{
    if (!copy_at(r, 0, &r->header, sizeof r->header))
        return refuse(r, 0, "the file ends in its header");
    if (r->header.version != FLM_PROBE_VERSION)
        return flm_error_set(r->why, FLM_ERROR_FORMAT,
                             "a file of version %u, and this flamel reads version %d",
                             r->header.version, FLM_PROBE_VERSION);
    if (r->header.ns_per_tick == 0 || r->header.site_count > FLM_PROBE_SITE_MASK)
        return refuse(r, 0, "its header has no clock, or too many sites");
    return true;
}

/* Of a program that was killed nobody wrote when it was: the last scope that was entered tells. */
static bool find_last_moment(struct reading *r)
{
    uint64_t most = r->all.size / sizeof(struct flm_probe_thread), count = 0;
    r->last_ticks = r->header.now_ticks;
    for (uint32_t place = r->header.first_thread; place > 0;) {
        struct flm_probe_thread thread;
        if (count++ > most || !copy_place(r, place, &thread, sizeof thread))
            return refuse(r, (uint64_t)place * FLM_PROBE_UNIT, "a thread is not in the file");
        for (uint32_t depth = 1; depth <= FLM_PROBE_MOST_DEPTH && thread.open[depth].start; depth++)
            if (thread.open[depth].start > r->last_ticks)
                r->last_ticks = thread.open[depth].start;
        place = thread.next;
    }
    return true;
}

static void note(struct reading *r, const char *key, struct flm_bytes value)
{
    if (value.size > 0)
        flm_builder_note(r->builder, key, value.at, value.size);
}

static bool add_notes(struct reading *r)
{
    struct flm_text text = {0};
    struct flm_builder *b = r->builder;
    note(r, "producer", flm_bytes_of("flamel-probe"));
    note(r, "command", text_at(r, r->header.command, r->header.command_size));
    if (r->header.start_ns <= INT64_MAX)
        flm_date_add(&text, (int64_t)r->header.start_ns);
    note(r, "recorded", (struct flm_bytes){text.at, text.size});
    text.size = 0;
    double whole = ((double)r->header.inside_cost + r->header.outside_cost) / 256;
    double cost = fmin(ns_of(r, whole), 1e9);
    flm_text_format(&text, "%u ns, taken out", (unsigned)(cost + 0.5));
    note(r, "cost of a scope", (struct flm_bytes){text.at, text.size});
    text.size = 0;
    flm_text_format(&text, "%llu", (unsigned long long)r->open);
    if (r->open > 0)
        note(r, "scopes that were open", (struct flm_bytes){text.at, text.size});
    bool good = !text.failed || flm_error_memory(r->why);
    flm_text_clear(&text);
    if (r->open > 0 && r->header.state == FLM_PROBE_RUNNING)
        flm_builder_lost(b, "times of open scopes, after the last moment that the file has", "", 0,
                         (double)r->open);
    if (r->left > 0)
        flm_builder_lost(b, "scopes that were left without an end, by longjmp say", "", 0,
                         (double)r->left);
    if (r->lost_depth > 0)
        flm_builder_lost(b, "scopes in more than 256 others", "", 0, (double)r->lost_depth);
    if (r->lost_room > 0)
        flm_builder_lost(b, "scopes for which the file had no room", "", 0, (double)r->lost_room);
    if (r->lost_busy > 0)
        flm_builder_lost(b, "scopes of signal handlers that interrupted the measuring", "", 0,
                         (double)r->lost_busy);
    if (r->added > 0)
        flm_builder_lost(b, "scopes that began while the file was read", "", 0, (double)r->added);
    if (r->header.lost_threads > 0)
        flm_builder_lost(b, "threads for which the file had no room", "", 0,
                         (double)r->header.lost_threads);
    return good;
}

static bool read_all(struct reading *r)
{
    if (!read_header(r) || !find_last_moment(r))
        return false;
    r->wall = flm_builder_metric(r->builder, "wall", "ns");
    r->calls = flm_builder_metric(r->builder, "calls", "count");
    r->place_count = (uint32_t)(r->all.size / FLM_PROBE_UNIT);
    r->tree = calloc((size_t)r->place_count + 1, sizeof *r->tree);
    flm_text_format(&r->pid, "%u", r->header.pid);
    if (!r->tree || r->pid.failed)
        return flm_error_memory(r->why);
    return read_sites(r) && read_threads(r) && add_notes(r);
}

static bool read_probe(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.options = options, .builder = builder, .why = why};
    if (!flm_source_all(source, why))
        return false;
    r.all = (struct flm_bytes){source->at, (size_t)(source->end - source->at)};
    source->at = source->end;
    bool good = read_all(&r);
    free(r.sites);
    free(r.tree);
    FLM_ARRAY_CLEAR(&r.parts);
    flm_text_clear(&r.pid);
    return good;
}

static int sniff_probe(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, FLM_PROBE_MAGIC) ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

const struct flm_format flm_format_probe = {
    .name = "probe",
    .title = "flamel-probe",
    .extensions = ".probe",
    .description = "programs that measure themselves with flamel/probe.h: scopes, calls, times",
    .keeps_labels = true,
    .sniff = sniff_probe,
    .read = read_probe,
};
