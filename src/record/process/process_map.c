#include "record/process/process_map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "flamel/builder.h"
#include "record/perf/owned_string.h"
#include "record/process/thread_table.h"

/* Mappings, shared by processes until one of them changes them. */
struct mappings {
    uint32_t users;
    size_t count, capacity;
    struct flm_mapping at[];
};

/* A process that has ended may still have samples in other rings: it is kept until
 * flm_processes_forget. */
struct process {
    struct flm_process shown; /* first: callers have pointers to it */
    struct mappings *mappings;
    uint32_t program; /* a new number after each fork and exec; each thread belongs to one */
    uint32_t living;  /* known threads of that program that have not ended */
    int64_t ended_ns; /* when the last of them ended; FLM_NO_TIME: it runs, or unknown */
};

struct known_file {
    struct flm_owned_string path;
    struct flm_build_id id;
};

struct flm_processes {
    struct flm_symbolizer *symbolizer;
    struct flm_processes_options options;

    struct FLM_ARRAY(struct process *) processes; /* each at a fixed address */
    struct flm_index process_index;

    struct flm_thread_table threads;
    uint32_t programs;

    struct FLM_ARRAY(struct known_file) files;
    struct flm_index file_index;

    uint64_t changes;
    uint64_t kernel_start;
};

struct flm_processes *flm_processes_new(struct flm_symbolizer *symbolizer,
                                        const struct flm_processes_options *options,
                                        struct flm_error *why)
{
    assert(symbolizer && options);
    struct flm_processes *p = calloc(1, sizeof *p);
    if (!p) {
        flm_error_memory(why);
        return NULL;
    }
    p->symbolizer = symbolizer;
    p->options = *options;
    return p;
}

void flm_processes_kernel(struct flm_processes *p, bool is_ours)
{
    p->options.kernel_is_ours = is_ours;
}

static void release_mappings(struct mappings *mappings)
{
    if (mappings && --mappings->users == 0)
        free(mappings);
}

static void free_process(struct process *process)
{
    release_mappings(process->mappings);
    free(process);
}

void flm_processes_free(struct flm_processes *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->processes.count; i++)
        free_process(p->processes.at[i]);
    for (size_t i = 0; i < p->files.count; i++)
        free(p->files.at[i].path.at);
    flm_index_clear(&p->process_index);
    flm_thread_table_clear(&p->threads);
    flm_index_clear(&p->file_index);
    free(p->processes.at);
    free(p->files.at);
    free(p);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static const struct known_file *find_file(const struct flm_processes *p, struct flm_bytes path)
{
    uint32_t hash = (uint32_t)flm_hash(path.at, path.size);
    for (struct flm_probe at = flm_index_probe(&p->file_index, hash);
         flm_index_next(&p->file_index, &at);)
        if (flm_bytes_equal(flm_owned_string_bytes(&p->files.at[at.found].path), path))
            return &p->files.at[at.found];
    return NULL;
}

bool flm_processes_build_id(struct flm_processes *p, struct flm_bytes path,
                            const struct flm_build_id *id)
{
    assert(id && id->size <= FLM_BUILD_ID_MOST);
    if (find_file(p, path))
        return true;
    if (!FLM_ARRAY_RESERVE(&p->files, 1))
        return false;
    struct known_file file = {.id = *id};
    if (!flm_owned_string_init(&file.path, path))
        return false;
    if (!flm_index_add(&p->file_index, (uint32_t)flm_hash(path.at, path.size),
                       (uint32_t)p->files.count)) {
        free(file.path.at);
        return false;
    }
    p->files.at[p->files.count++] = file;
    return true;
}

/* Whether a mapping has a file: "//anon", "[heap]" and others have none. */
static bool has_file(struct flm_bytes path)
{
    if (path.size == 0 || flm_bytes_start_with(path, "//anon") ||
        flm_bytes_start_with(path, "/dev/zero") || flm_bytes_start_with(path, "anon_inode:") ||
        flm_bytes_start_with(path, "/memfd:") || flm_bytes_start_with(path, "/SYSV") ||
        flm_bytes_start_with(path, "/anon_hugepage"))
        return false;
    return path.at[0] != '[' || flm_bytes_are(path, "[vdso]") ||
           flm_bytes_are(path, "[vsyscall]") || flm_bytes_start_with(path, "[kernel") ||
           flm_bytes_start_with(path, "[guest.kernel");
}

/* "[kernel.kallsyms]_text": after the bracket comes a symbol, and the offset of the mapping is the
 * address of that symbol when it was recorded. */
static const char kernel_itself[] = "[kernel.kallsyms]";

static bool is_kernel_itself(struct flm_bytes path)
{
    return flm_bytes_start_with(path, kernel_itself);
}

static struct flm_bytes file_path(struct flm_bytes path)
{
    return is_kernel_itself(path) ? flm_bytes_of(kernel_itself) : path;
}

static struct flm_module *find_module(struct flm_processes *p, const struct flm_event *event)
{
    const struct flm_event_map *map = &event->map;
    struct flm_module_request request = {
        .path = file_path(map->path), .build_id = map->build_id, .mapped = map->file};
    if (!map->in_kernel && p->options.live)
        request.process = event->process;
    if (is_kernel_itself(map->path)) {
        request.kernel_text = map->file_offset;
        request.kernel_symbol = (struct flm_bytes){map->path.at + request.path.size,
                                                   map->path.size - request.path.size};
    }
    if (request.build_id.size == 0) {
        const struct known_file *file = find_file(p, request.path);
        if (file)
            request.build_id = file->id;
        request.id_is_of_path = file != NULL;
    }
    /* The kernel appends this to the path of a file that has no name any more. */
    if (request.mapped.inode && flm_bytes_end_with(request.path, " (deleted)"))
        request.path.size -= strlen(" (deleted)");
    /* 32-bit programs, whose addresses are low, have another vdso. */
    bool is_of_our_kernel = p->options.live || p->options.kernel_is_ours;
    bool is_wide = sizeof(void *) == 8 && map->start > UINT32_MAX;
    const struct flm_symbolizer_calls *calls = p->symbolizer->calls;
    if (flm_bytes_are(map->path, "[vdso]") && calls->own_vdso &&
        (request.build_id.size > 0 || (is_of_our_kernel && is_wide)))
        request.image = calls->own_vdso();
    /* cppcheck-suppress returnDanglingLifetime ; a module does not keep its request */
    return calls->module(p->symbolizer, &request);
}

/* ---- Processes and their mappings ------------------------------------------------------------ */

static struct process *find_process(const struct flm_processes *p, int32_t id)
{
    for (struct flm_probe at =
             flm_index_probe(&p->process_index, flm_hash_numbers((uint32_t)id, 0));
         flm_index_next(&p->process_index, &at);)
        if (p->processes.at[at.found]->shown.id == id)
            return p->processes.at[at.found];
    return NULL;
}

static void show(struct flm_processes *p, struct process *process)
{
    process->shown.mappings = process->mappings ? process->mappings->at : NULL;
    process->shown.mapping_count = process->mappings ? process->mappings->count : 0;
    process->shown.changed = ++p->changes;
}

static struct process *get_process(struct flm_processes *p, int32_t id)
{
    struct process *process = find_process(p, id);
    if (process)
        return process;
    if (!FLM_ARRAY_RESERVE(&p->processes, 1))
        return NULL;
    process = calloc(1, sizeof *process);
    if (!process || !flm_index_add(&p->process_index, flm_hash_numbers((uint32_t)id, 0),
                                   (uint32_t)p->processes.count)) {
        free(process);
        return NULL;
    }
    process->shown.id = id;
    process->shown.started_ns = process->ended_ns = FLM_NO_TIME;
    p->processes.at[p->processes.count++] = process;
    show(p, process);
    return process;
}

const struct flm_process *flm_processes_get(struct flm_processes *p, int32_t id)
{
    const struct process *process = get_process(p, id);
    return process ? &process->shown : NULL;
}

bool flm_processes_know(const struct flm_processes *p, int32_t id)
{
    return find_process(p, id) != NULL;
}

uint64_t flm_processes_kernel_start(const struct flm_processes *p)
{
    return p->kernel_start;
}

/* The first mapping that ends after the address. */
static size_t find_location(const struct flm_mapping *mappings, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mappings[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct flm_mapping *flm_process_find(const struct flm_process *process, uint64_t address)
{
    size_t at = find_location(process->mappings, process->mapping_count, address);
    return at < process->mapping_count && process->mappings[at].start <= address
               ? &process->mappings[at]
               : NULL;
}

/* A process's own mappings, with room for `more`; shared ones are copied. */
static struct mappings *own_mappings(struct process *process, size_t more)
{
    struct mappings *old = process->mappings;
    size_t count = old ? old->count : 0;
    if (old && old->users == 1 && old->capacity >= count + more)
        return old;
    size_t capacity = count + count / 2 + more + 8;
    struct mappings *own = malloc(sizeof *own + capacity * sizeof *own->at);
    if (!own)
        return NULL;
    own->users = 1;
    own->count = count;
    own->capacity = capacity;
    if (count)
        memcpy(own->at, old->at, count * sizeof *own->at);
    release_mappings(old);
    process->mappings = own;
    return own;
}

/* Adds the mapping, and removes what it covers. */
static bool add_mapping(struct flm_processes *p, struct process *process,
                        const struct flm_mapping *new)
{
    /* One more, and another if the new one splits an old one. */
    struct mappings *m = own_mappings(process, 2);
    if (!m)
        return false;
    size_t first = find_location(m->at, m->count, new->start), last = first;
    struct flm_mapping regions[3];
    size_t count = 0;
    if (first < m->count && m->at[first].start < new->start) {
        regions[count] = m->at[first];
        regions[count++].end = new->start;
    }
    regions[count++] = *new;
    while (last < m->count && m->at[last].end <= new->end)
        last++;
    if (last < m->count && m->at[last].start < new->end) {
        struct flm_mapping rest = m->at[last++];
        rest.file_offset += new->end - rest.start;
        rest.start = new->end;
        regions[count++] = rest;
    }
    memmove(m->at + first + count, m->at + last, (m->count - last) * sizeof *m->at);
    memcpy(m->at + first, regions, count * sizeof *regions);
    m->count = m->count - (last - first) + count;
    show(p, process);
    return true;
}

static bool map(struct flm_processes *p, const struct flm_event *event)
{
    const struct flm_event_map *e = &event->map;
    if (e->size == 0 || e->start + e->size < e->start)
        return true;
    struct flm_mapping mapping = {.start = e->start,
                                  .end = e->start + e->size,
                                  .file_offset = e->file_offset,
                                  .in_kernel = e->in_kernel};
    /* A mapping without a file may be JIT-compiled code, and replaces what was there before: it has
     * no module. */
    if (e->in_kernel || has_file(e->path)) {
        mapping.module = find_module(p, event);
        if (!mapping.module)
            return false;
    }
    if (e->in_kernel && is_kernel_itself(e->path) && !p->kernel_start)
        p->kernel_start =
            e->path.size > strlen(kernel_itself) && e->file_offset ? e->file_offset : e->start;
    struct process *process = get_process(p, e->in_kernel ? -1 : event->process);
    return process && add_mapping(p, process, &mapping);
}

/* ---- Life of threads and processes ----------------------------------------------------------- */

struct flm_bytes flm_thread_name(const struct flm_processes *p, int32_t id)
{
    return flm_thread_table_text(&p->threads, id);
}

/* The process of a live thread; NULL for a thread that has ended. */
static struct process *process_of(const struct flm_processes *p, const struct flm_thread *thread)
{
    struct process *process =
        thread->ended_ns == FLM_NO_TIME ? find_process(p, thread->process) : NULL;
    return process && process->program == thread->program ? process : NULL;
}

static void end_thread(struct flm_processes *p, struct flm_thread *thread, int64_t time_ns)
{
    struct process *process = process_of(p, thread);
    if (process && --process->living == 0)
        process->ended_ns = time_ns;
    thread->ended_ns = time_ns;
}

/* The thread with that number, which runs in the process, whatever it was before. NULL when memory
 * ran out. */
static struct flm_thread *begin_thread(struct flm_processes *p, int32_t process_id, int32_t id)
{
    struct process *process = get_process(p, process_id);
    struct flm_thread *thread = process ? flm_thread_table_get(&p->threads, id) : NULL;
    if (!thread || process_of(p, thread) == process)
        return thread;
    end_thread(p, thread, FLM_NO_TIME);
    thread->process = process_id;
    thread->program = process->program;
    thread->ended_ns = process->ended_ns = FLM_NO_TIME;
    process->living++;
    return thread;
}

/* The threads known so far belonged to the program before. */
static void begin_program(struct flm_processes *p, struct process *process,
                          struct mappings *mappings, int64_t time_ns)
{
    if (mappings)
        mappings->users++;
    release_mappings(process->mappings);
    process->mappings = mappings;
    process->program = ++p->programs;
    process->living = 0;
    process->shown.started_ns = time_ns;
    show(p, process);
}

static bool fork_process(struct flm_processes *p, const struct flm_event *event)
{
    if (event->process != event->fork.parent_process) {
        struct process *child = get_process(p, event->process);
        const struct process *parent = find_process(p, event->fork.parent_process);
        if (!child)
            return false;
        begin_program(p, child, parent ? parent->mappings : NULL, event->time_ns);
    }
    struct flm_bytes name = flm_thread_name(p, event->fork.parent_thread);
    struct flm_thread *thread = begin_thread(p, event->process, event->thread);
    return thread && (name.size == 0 || flm_thread_table_name(&p->threads, thread, name));
}

static bool name(struct flm_processes *p, const struct flm_event *event)
{
    if (event->name.is_exec) {
        /* Of the recorded command no fork is seen: its events begin with this exec. */
        struct process *process = get_process(p, event->process);
        if (!process)
            return false;
        begin_program(p, process, NULL, event->time_ns);
    }
    struct flm_thread *thread = begin_thread(p, event->process, event->thread);
    return thread && flm_thread_table_name(&p->threads, thread, event->name.text);
}

static void leave(struct flm_processes *p, const struct flm_event *event)
{
    struct flm_thread *thread = flm_thread_table_find(&p->threads, event->thread);
    struct process *process = thread ? NULL : find_process(p, event->process);
    if (thread && thread->ended_ns == FLM_NO_TIME)
        end_thread(p, thread, event->time_ns);
    else if (process && process->living == 0)
        process->ended_ns = event->time_ns;
}

bool flm_processes_change(struct flm_processes *p, const struct flm_event *event)
{
    switch (event->kind) {
    case FLM_EVENT_MAP:
        return map(p, event);
    case FLM_EVENT_NAME:
        return name(p, event);
    case FLM_EVENT_FORK:
        return fork_process(p, event);
    case FLM_EVENT_EXIT:
        leave(p, event);
        return true;
    default:
        return true;
    }
}

/* ---- Forgetting ------------------------------------------------------------------------------ */

struct forgetting {
    struct flm_processes *processes;
    int64_t before_ns;
};

/* A process without mappings and threads can be dropped at any time: the next sample would add it
 * again. */
static bool is_over(const struct process *process, int64_t before_ns)
{
    if (process->shown.id == -1 || process->living > 0)
        return false;
    return process->ended_ns != FLM_NO_TIME ? process->ended_ns < before_ns
                                            : process->shown.mapping_count == 0;
}

/* A thread that was ended by the exec of another one has no EXIT event. */
static bool keeps_thread(void *context, const struct flm_thread *thread)
{
    const struct forgetting *f = context;
    return thread->ended_ns == FLM_NO_TIME ? process_of(f->processes, thread) != NULL
                                           : thread->ended_ns >= f->before_ns;
}

static bool is_known(void *context, int32_t id)
{
    return flm_processes_know(context, id);
}

bool flm_processes_forget(struct flm_processes *p, int64_t before_ns)
{
    struct forgetting f = {p, before_ns};
    size_t kept = 0, count = p->processes.count;
    bool good = flm_thread_table_keep(&p->threads, keeps_thread, &f);
    for (size_t i = 0; i < count; i++) {
        if (is_over(p->processes.at[i], before_ns))
            free_process(p->processes.at[i]);
        else
            p->processes.at[kept++] = p->processes.at[i];
    }
    p->processes.count = kept;
    if (kept == count)
        return good;
    flm_index_clear(&p->process_index);
    for (size_t i = 0; i < kept && good; i++)
        good =
            flm_index_add(&p->process_index,
                          flm_hash_numbers((uint32_t)p->processes.at[i]->shown.id, 0), (uint32_t)i);
    const struct flm_symbolizer_calls *calls = p->symbolizer->calls;
    return good && (!calls->forget || calls->forget(p->symbolizer, is_known, p));
}

bool flm_processes_forget_names(struct flm_processes *p)
{
    return flm_thread_table_forget_names(&p->threads);
}

void flm_processes_use(const struct flm_processes *p, void (*use)(struct flm_module *module))
{
    for (size_t i = 0; i < p->processes.count; i++)
        for (size_t k = 0; k < p->processes.at[i]->shown.mapping_count; k++)
            if (p->processes.at[i]->shown.mappings[k].module)
                use(p->processes.at[i]->shown.mappings[k].module);
}

uint32_t flm_processes_living(const struct flm_processes *p, int32_t *process)
{
    uint32_t count = 0;
    for (size_t i = 0; i < p->processes.count; i++) {
        const struct process *one = p->processes.at[i];
        if (one->shown.id <= 0 || one->living == 0 || !p->symbolizer->calls->runs ||
            !p->symbolizer->calls->runs(one->shown.id))
            continue; /* or its last event was not read */
        *process = one->shown.id;
        count++;
    }
    return count;
}

size_t flm_processes_list(const struct flm_processes *p, int32_t *ids, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < p->processes.count; i++) {
        const struct process *one = p->processes.at[i];
        if (one->shown.id <= 0 || one->living == 0)
            continue;
        if (count < most)
            ids[count] = one->shown.id;
        count++;
    }
    return count;
}

struct flm_processes_counts flm_processes_counts(const struct flm_processes *p)
{
    return (struct flm_processes_counts){p->processes.count, p->threads.threads.count,
                                         p->threads.names.count};
}
