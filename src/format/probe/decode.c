/* decode.c - reads the file of a program that measures itself into arrays. */
#include "format/probe/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct flm_probe_decoded *d;
    struct flm_error *why;
    uint32_t place_count;
    uint32_t *step_at;                /* by place: 1 + the step; 0: none */
    struct FLM_ARRAY(uint32_t) parts; /* of a thread: places, the newest first */
    uint64_t part_count, meter_count; /* of all threads */
};

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool refuse(struct reading *r, uint64_t offset, const char *what)
{
    return flm_error_byte(r->why, FLM_ERROR_FORMAT, offset, "%s: the file is damaged", what);
}

static bool refuse_place(struct reading *r, uint32_t place, const char *what)
{
    return refuse(r, (uint64_t)place * FLM_PROBE_UNIT, what);
}

/* Copies what is at a byte; false: it is not in the file. */
static bool copy_at(const struct reading *r, uint64_t offset, void *to, size_t size)
{
    struct flm_bytes all = r->d->all;
    if (offset > all.size || all.size - offset < size)
        return false;
    memcpy(to, all.at + offset, size);
    return true;
}

static bool copy_place(const struct reading *r, uint32_t place, void *to, size_t size)
{
    return place > 0 && copy_at(r, (uint64_t)place * FLM_PROBE_UNIT, to, size);
}

struct flm_bytes flm_probe_text_at(const struct flm_probe_decoded *d, uint64_t offset,
                                   uint32_t size)
{
    bool is_there = offset > 0 && offset <= d->all.size && d->all.size - offset >= size;
    return is_there ? (struct flm_bytes){d->all.at + offset, size} : (struct flm_bytes){"", 0};
}

bool flm_probe_mapping_at(struct flm_bytes all, uint32_t place, struct flm_probe_mapping *mapping,
                          struct flm_bytes *path)
{
    uint64_t at = (uint64_t)place * FLM_PROBE_UNIT;
    if (place == 0 || at > all.size || all.size - at < sizeof *mapping)
        return false;
    memcpy(mapping, all.at + at, sizeof *mapping);
    mapping->next = mapping->next < place ? mapping->next : 0;
    *path = flm_probe_text_at(&(struct flm_probe_decoded){.all = all}, mapping->path,
                              mapping->path_size);
    return true;
}

bool flm_probe_find_mapping(const struct flm_probe_decoded *decoded, uint64_t address,
                            struct flm_probe_mapping *mapping, struct flm_bytes *path)
{
    for (uint32_t place = decoded->header.first_mapping;
         flm_probe_mapping_at(decoded->all, place, mapping, path); place = mapping->next)
        if (address >= mapping->start && address < mapping->end)
            return true;
    return false;
}

bool flm_probe_is_own_code(const struct flm_probe_decoded *decoded, uint64_t address)
{
    struct flm_probe_mapping mapping;
    struct flm_bytes path;
    return flm_probe_find_mapping(decoded, address, &mapping, &path) &&
           flm_bytes_contain(path, "/libflamel-probe.so");
}

struct flm_bytes flm_probe_program(const struct flm_probe_decoded *decoded)
{
    const struct flm_probe_header *header = &decoded->header;
    struct flm_bytes command = flm_probe_text_at(decoded, header->command, header->command_size);
    size_t start = 0, end = 0;
    for (; end < command.size && command.at[end] != ' '; end++)
        start = command.at[end] == '/' ? end + 1 : start;
    return (struct flm_bytes){command.at + start, end - start};
}

double flm_probe_ns(const struct flm_probe_decoded *d, double ticks)
{
    return ticks * ((double)d->header.ns_per_tick / 4294967296.0);
}

/* ---- Sites ----------------------------------------------------------------------------------- */

struct flm_bytes flm_probe_site_name(const struct flm_probe_decoded *d, uint32_t site)
{
    const struct flm_probe_text *text = &d->texts[site];
    return text->name.size > 0 ? text->name : text->function;
}

const char *flm_probe_operation_name(enum flm_probe_operation operation)
{
    static const char *const names[FLM_PROBE_OPERATIONS] = {
        [FLM_PROBE_NO_OPERATION] = "",
        [FLM_PROBE_LOCK_MUTEX] = "mutex",
        [FLM_PROBE_LOCK_READ] = "read lock",
        [FLM_PROBE_LOCK_WRITE] = "write lock",
        [FLM_PROBE_LOCK_SPIN] = "spin lock",
        [FLM_PROBE_LOCK_CONDITION] = "condition",
        [FLM_PROBE_LOCK_SEMAPHORE] = "semaphore",
        [FLM_PROBE_FILE_READ] = "read",
        [FLM_PROBE_FILE_WRITE] = "write",
        [FLM_PROBE_FILE_SYNC] = "sync",
        [FLM_PROBE_FILE_OPEN] = "open",
        [FLM_PROBE_FILE_CONNECT] = "connect",
        [FLM_PROBE_FILE_ACCEPT] = "accept",
        [FLM_PROBE_FILE_WAIT] = "wait",
        [FLM_PROBE_QUEUE_SEND] = "send",
        [FLM_PROBE_QUEUE_RECEIVE] = "receive",
        [FLM_PROBE_VALUE_GAUGE] = "gauge",
        [FLM_PROBE_VALUE_COUNTER] = "counter",
    };
    bool is_known = (unsigned)operation < FLM_PROBE_OPERATIONS && names[operation];
    return is_known ? names[operation] : "";
}

static void read_texts(struct flm_probe_decoded *d, uint32_t number)
{
    const struct flm_probe_site *site = &d->sites[number];
    d->texts[number] = (struct flm_probe_text){
        .name = flm_probe_text_at(d, site->name, site->name_size),
        .function = flm_probe_text_at(d, site->function, site->function_size),
        .file = flm_probe_text_at(d, site->file, site->file_size),
    };
}

static bool read_sites(struct reading *r)
{
    struct flm_probe_decoded *d = r->d;
    uint32_t count = d->header.site_count, number = 1, first = 0, size = FLM_PROBE_FIRST_SITES;
    if (count > d->all.size / sizeof(struct flm_probe_site))
        return refuse(r, 0, "more sites than there is room for");
    d->site_count = count;
    d->sites = calloc((size_t)count + 1, sizeof *d->sites);
    d->texts = calloc((size_t)count + 1, sizeof *d->texts);
    if (!d->sites || !d->texts)
        return flm_error_memory(r->why);
    for (uint32_t part = 0; part < FLM_PROBE_SITE_PARTS && number <= count; part++) {
        uint64_t at = (uint64_t)d->header.site_part[part] * FLM_PROBE_UNIT;
        for (; number <= count && number < first + size; number++) {
            uint64_t offset = at + (number - first) * sizeof *d->sites;
            if (at == 0 || !copy_at(r, offset, &d->sites[number], sizeof *d->sites))
                return refuse(r, offset, "a site is not in the file");
            if (d->sites[number].kind >= FLM_PROBE_KINDS)
                return refuse(r, offset, "a site is of no kind");
            read_texts(d, number);
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
            return refuse_place(r, place, "nodes are not where they should be");
        if (r->part_count++ > r->place_count) /* each is of one thread */
            return refuse_place(r, place, "nodes are of several threads");
        if (!FLM_ARRAY_ADD(&r->parts, place))
            return flm_error_memory(r->why);
        before = place;
        place = part.next;
    }
    return true;
}

bool flm_probe_is_counted(const struct flm_probe_decoded *d, uint32_t site)
{
    return site > 0 && site <= d->site_count &&
           (d->sites[site].kind == FLM_PROBE_LOCK || d->sites[site].kind == FLM_PROBE_FILE);
}

/* How many of its calls were timed: all, where nobody counted those that were. */
static uint64_t timed_of(const struct flm_probe_decoded *d, const struct flm_probe_node *node)
{
    bool is_scope = node->site > 0 && node->site <= d->site_count &&
                    d->sites[node->site].kind == FLM_PROBE_SCOPE;
    if (d->header.timed_of == 0 ||
        (is_scope && d->sites[node->site].operation == FLM_PROBE_COUNTED))
        return 0;
    if (flm_probe_is_counted(d, node->site))
        return node->timed < node->calls ? node->timed : node->calls;
    return node->timed > 0 && node->timed < node->calls ? node->timed : node->calls;
}

/* Where one call of several was timed, the others are taken to be like it. */
static double whole_time(const struct flm_probe_node *node, uint64_t timed)
{
    double total = (double)node->total;
    return timed > 0 && timed < node->calls ? total / (double)timed * (double)node->calls : total;
}

static bool add_step(struct reading *r, uint32_t place, const struct flm_probe_node *node,
                     uint32_t parent, uint32_t thread)
{
    uint64_t timed = timed_of(r->d, node);
    double total =
        flm_probe_is_counted(r->d, node->site) ? (double)node->total : whole_time(node, timed);
    struct flm_probe_step step = {.parent = parent,
                                  .site = node->site,
                                  .thread = thread,
                                  .calls = node->calls,
                                  .timed = timed,
                                  .total = total,
                                  .longest = (double)node->longest};
    memcpy(step.value, node->value, sizeof step.value);
    if (!FLM_ARRAY_ADD(&r->d->steps, step))
        return flm_error_memory(r->why);
    r->step_at[place] = (uint32_t)r->d->steps.count;
    return true;
}

/* The step of a place, if it is one of this thread. */
static struct flm_probe_step *step_of(const struct reading *r, uint32_t place, uint32_t thread)
{
    uint32_t number = place < r->place_count ? r->step_at[place] : 0;
    struct flm_probe_step *step = number > 0 ? &r->d->steps.at[number - 1] : NULL;
    return step && step->thread == thread ? step : NULL;
}

static bool read_node(struct reading *r, const struct flm_probe_thread *thread, uint32_t index,
                      uint32_t place)
{
    struct flm_probe_node node;
    struct flm_probe_decoded *d = r->d;
    if (place >= r->place_count || !copy_place(r, place, &node, sizeof node) ||
        r->step_at[place] > 0)
        return refuse_place(r, place, "a node is not where it should be");
    if (place == thread->root) {
        node.site = 0;
        return add_step(r, place, &node, FLM_PROBE_NO_STEP, index);
    }
    const struct flm_probe_step *parent =
        node.parent > 0 && node.parent < place ? step_of(r, node.parent, index) : NULL;
    bool is_running = d->header.state == FLM_PROBE_RUNNING;
    if (is_running && (node.site > d->site_count || (!parent && d->added > 0))) {
        d->added++; /* nothing is known of it, nor of those in it */
        return true;
    }
    if (!parent || node.site == 0 || node.site > d->site_count)
        return refuse_place(r, place, "a node is in none, or of no site");
    return add_step(r, place, &node, (uint32_t)(parent - d->steps.at), index);
}

/* Scopes that are open now, the outermost first. */
static void add_open(struct reading *r, const struct flm_probe_thread *thread, uint32_t index)
{
    struct flm_probe_decoded *d = r->d;
    for (uint32_t depth = 1; depth <= FLM_PROBE_MOST_DEPTH; depth++) {
        const struct flm_probe_open *open = &thread->open[depth];
        struct flm_probe_step *step = open->start > 0 ? step_of(r, open->node, index) : NULL;
        if (!step)
            return; /* there is none, or it is being entered just now */
        d->open++;
        if (open->start != FLM_PROBE_UNTIMED && open->start < d->last_ticks) {
            double until_now = (double)(d->last_ticks - open->start);
            step->total += until_now;
            step->longest = fmax(step->longest, until_now);
        }
    }
}

static bool read_tree(struct reading *r, const struct flm_probe_thread *thread, uint32_t index)
{
    if (!list_parts(r, thread))
        return false;
    for (size_t part = r->parts.count; part-- > 0;) {
        struct flm_probe_part head = {0};
        uint32_t at = r->parts.at[part];
        copy_place(r, at, &head, sizeof head);
        for (uint32_t i = 0; i < head.count && i < FLM_PROBE_NODES_IN_PART; i++)
            if (!read_node(r, thread, index, at + FLM_PROBE_NODE_UNITS * (1 + i)))
                return false;
    }
    return true;
}

/* Nobody wrote when a program was killed or crashed, or is now. It was not before what its threads
 * have done: those in no scope, as long as what they did; and in a scope that was never left,
 * what they did in that. */
static void find_last_moment(struct flm_probe_decoded *d)
{
    for (size_t i = 0; i < d->steps.count; i++) {
        const struct flm_probe_step *step = &d->steps.at[i];
        if (step->parent != FLM_PROBE_NO_STEP)
            d->steps.at[step->parent].child_total += step->total;
    }
    for (size_t i = 0; i < d->steps.count; i++) {
        struct flm_probe_step *step = &d->steps.at[i];
        const struct flm_probe_thread *thread = &d->threads.at[step->thread];
        uint64_t since = 0;
        if (step->parent == FLM_PROBE_NO_STEP && thread->threads == 1)
            since = thread->start;
        else if (step->parent != FLM_PROBE_NO_STEP && step->calls == 0 && thread->threads == 1 &&
                 d->steps.at[step->parent].parent == FLM_PROBE_NO_STEP)
            since = thread->open[1].start;
        uint64_t least = since > 0 ? since + (uint64_t)fmin(step->child_total, 1e18) : 0;
        if (least > d->last_ticks)
            d->last_ticks = least;
        step->child_total = 0;
    }
}

/* The costs of measuring: a call has some in itself, and some in the scope around it. Where one of
 * many is timed its time is taken for all, and with it the cost in itself; but the scope around it
 * had that only from those that were. */
static void find_selves(struct flm_probe_decoded *d)
{
    const double one = 256;
    double inside = d->header.inside_cost / one, outside = d->header.outside_cost / one,
           untimed = d->header.untimed_cost / one;
    for (size_t i = d->steps.count; i-- > 0;) {
        struct flm_probe_step *step = &d->steps.at[i];
        bool counted = flm_probe_is_counted(d, step->site);
        double own = (double)(counted ? step->timed : step->calls) * inside;
        step->self = fmax(step->total - step->child_total - step->child_cost - own, 0);
        if (step->parent == FLM_PROBE_NO_STEP || d->header.timed_of == 0)
            step->self = 0;
        if (step->parent == FLM_PROBE_NO_STEP)
            continue;
        struct flm_probe_step *parent = &d->steps.at[step->parent];
        parent->child_total += step->total;
        parent->child_calls += step->calls;
        parent->child_cost += (double)step->timed * outside;
        if (!counted)
            parent->child_cost += (double)(step->calls - step->timed) * (untimed - inside);
    }
}

/* ---- Meters ---------------------------------------------------------------------------------- */

static bool read_meters(struct reading *r, const struct flm_probe_thread *thread, uint32_t index)
{
    struct flm_probe_decoded *d = r->d;
    uint64_t most = d->all.size / sizeof(struct flm_probe_meter);
    for (uint32_t place = thread->first_meter; place > 0;) {
        struct flm_probe_meter meter;
        if (r->meter_count++ > most || !copy_place(r, place, &meter, sizeof meter) ||
            meter.quantity >= FLM_PROBE_QUANTITIES)
            return refuse_place(r, place, "a meter is not where it should be");
        bool is_new = meter.site > d->site_count && d->header.state == FLM_PROBE_RUNNING;
        if (!is_new && (meter.site == 0 || meter.site > d->site_count))
            return refuse_place(r, place, "a meter is of no site");
        place = meter.next;
        flm_probe_meter_complete(&meter);
        bool is_empty = meter.quantity == FLM_PROBE_DURATION && meter.count == 0;
        if (is_new || is_empty) /* a scope that was entered and has not ended yet */
            continue;
        if (!FLM_ARRAY_ADD(&d->meters, meter) || !FLM_ARRAY_ADD(&d->meter_threads, index))
            return flm_error_memory(r->why);
    }
    return true;
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Of a program that was killed nobody wrote when it was: the last scope tells, that was entered, or
 * that ended and was not short. */
static bool read_threads(struct reading *r)
{
    struct flm_probe_decoded *d = r->d;
    uint64_t most = d->all.size / sizeof(struct flm_probe_thread);
    d->last_ticks = d->header.now_ticks;
    for (uint32_t place = d->header.first_thread; place > 0;) {
        struct flm_probe_thread thread;
        if (d->threads.count > most || !copy_place(r, place, &thread, sizeof thread))
            return refuse_place(r, place, "a thread is not in the file");
        if (!FLM_ARRAY_ADD(&d->threads, thread))
            return flm_error_memory(r->why);
        if (thread.last > d->last_ticks)
            d->last_ticks = thread.last;
        for (uint32_t depth = 1; depth <= FLM_PROBE_MOST_DEPTH && thread.open[depth].start; depth++)
            if (thread.open[depth].start > d->last_ticks)
                d->last_ticks = thread.open[depth].start;
        d->left += thread.left;
        d->lost_depth += thread.lost_depth;
        d->lost_room += thread.lost_room;
        d->lost_busy += thread.lost_busy;
        d->lost_values += thread.lost_values;
        place = thread.next;
    }
    return true;
}

static bool read_header(struct reading *r)
{
    struct flm_probe_header *header = &r->d->header;
    if (!copy_at(r, 0, header, sizeof *header))
        return refuse(r, 0, "the file ends in its header");
    if (header->version != FLM_PROBE_VERSION)
        return flm_error_set(r->why, FLM_ERROR_FORMAT,
                             "a file of version %u, and this flamel reads version %d",
                             header->version, FLM_PROBE_VERSION);
    if (header->header_size < sizeof *header) /* an older library */
        memset((char *)header + header->header_size, 0, sizeof *header - header->header_size);
    if (header->ns_per_tick == 0 || header->site_count > FLM_PROBE_SITE_MASK)
        return refuse(r, 0, "its header has no clock, or too many sites");
    return true;
}

/* Those who read the list need not look again. */
static bool check_stacks(struct reading *r)
{
    struct flm_probe_stack stack;
    uint64_t left = r->d->all.size / sizeof stack + 1;
    for (uint32_t place = r->d->header.first_stack; place > 0; place = stack.next)
        if (left-- == 0 || !copy_place(r, place, &stack, sizeof stack))
            return refuse_place(r, place, "a stack of allocations is not where it should be");
    return true;
}

static bool read_all(struct reading *r)
{
    struct flm_probe_decoded *d = r->d;
    if (!read_header(r) || !read_sites(r) || !read_threads(r) || !check_stacks(r))
        return false;
    r->place_count = (uint32_t)(d->all.size / FLM_PROBE_UNIT);
    r->step_at = calloc((size_t)r->place_count + 1, sizeof *r->step_at);
    if (!r->step_at)
        return flm_error_memory(r->why);
    for (uint32_t i = 0; i < d->threads.count; i++) {
        const struct flm_probe_thread *thread = &d->threads.at[i];
        if (!read_tree(r, thread, i) || !read_meters(r, thread, i))
            return false;
    }
    if (d->header.state == FLM_PROBE_RUNNING)
        find_last_moment(d);
    for (uint32_t i = 0; i < d->threads.count; i++)
        add_open(r, &d->threads.at[i], i);
    find_selves(d);
    return true;
}

bool flm_probe_decode(struct flm_probe_decoded *decoded, struct flm_bytes all,
                      struct flm_error *why)
{
    *decoded = (struct flm_probe_decoded){.all = all, .processes = 1};
    struct reading r = {.d = decoded, .why = why};
    bool good = read_all(&r);
    free(r.step_at);
    FLM_ARRAY_CLEAR(&r.parts);
    return good;
}

void flm_probe_decoded_clear(struct flm_probe_decoded *d)
{
    for (size_t i = 0; i < d->names.count; i++)
        free(d->names.at[i]);
    FLM_ARRAY_CLEAR(&d->names);
    free(d->sites);
    free(d->texts);
    FLM_ARRAY_CLEAR(&d->threads);
    FLM_ARRAY_CLEAR(&d->steps);
    FLM_ARRAY_CLEAR(&d->meters);
    FLM_ARRAY_CLEAR(&d->meter_threads);
}

void flm_probe_meter_add(struct flm_probe_meter *to, const struct flm_probe_meter *from)
{
    bool is_signed = from->quantity == FLM_PROBE_LEVEL;
    if (from->count == 0)
        return;
    if (to->count == 0 ||
        (is_signed ? (int64_t)from->least < (int64_t)to->least : from->least < to->least))
        to->least = from->least;
    if (to->count == 0 || (is_signed ? (int64_t)from->greatest > (int64_t)to->greatest
                                     : from->greatest > to->greatest))
        to->greatest = from->greatest;
    if (from->last_ticks >= to->last_ticks) {
        to->last = from->last;
        to->last_ticks = from->last_ticks;
    }
    to->count += from->count;
    to->total += from->total;
    for (uint32_t i = 0; i < FLM_PROBE_BUCKETS; i++) {
        uint32_t room = UINT32_MAX - to->bucket[i];
        to->bucket[i] += from->bucket[i] < room ? from->bucket[i] : room;
    }
}
