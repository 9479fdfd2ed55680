#include "record/process_map.h"

#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "base/hash.h"
#include "base/index.h"
#include "record/own_text.h"

/* Mappings that processes share until one of them changes them. */
struct mappings {
    uint32_t users;
    size_t count, capacity;
    struct flm_mapping at[];
};

struct process {
    struct flm_process shown; /* first: flm_process_find is handed a pointer to it */
    struct mappings *mappings;
};

struct thread {
    int32_t id;
    uint32_t name; /* of `names` */
};

struct known_file {
    struct flm_own_text path;
    struct flm_build_id id;
};

struct flm_processes {
    struct flm_modules *modules;
    struct flm_processes_options options;

    struct process **processes; /* each stays where it is */
    size_t process_count, process_capacity;
    struct flm_index process_index;

    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct flm_index thread_index;

    struct flm_own_text *names;
    size_t name_count, name_capacity;
    struct flm_index name_index;

    struct known_file *files;
    size_t file_count, file_capacity;
    struct flm_index file_index;

    uint64_t changes;
    uint64_t kernel_start;
};

struct flm_processes *flm_processes_new(struct flm_modules *modules,
                                        const struct flm_processes_options *options,
                                        struct flm_error *why)
{
    struct flm_processes *p = calloc(1, sizeof *p);
    if (!p) {
        flm_error_memory(why);
        return NULL;
    }
    p->modules = modules;
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

void flm_processes_free(struct flm_processes *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->process_count; i++) {
        release_mappings(p->processes[i]->mappings);
        free(p->processes[i]);
    }
    for (size_t i = 0; i < p->name_count; i++)
        free(p->names[i].at);
    for (size_t i = 0; i < p->file_count; i++)
        free(p->files[i].path.at);
    flm_index_clear(&p->process_index);
    flm_index_clear(&p->thread_index);
    flm_index_clear(&p->name_index);
    flm_index_clear(&p->file_index);
    free(p->processes);
    free(p->threads);
    free(p->names);
    free(p->files);
    free(p);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* The number of a name; UINT32_MAX when memory ran out. */
static uint32_t find_name(struct flm_processes *p, struct flm_bytes text)
{
    uint32_t hash = (uint32_t)flm_hash(text.at, text.size);
    for (struct flm_probe at = flm_index_probe(&p->name_index, hash);
         flm_index_next(&p->name_index, &at);)
        if (flm_bytes_equal(flm_own_text_bytes(&p->names[at.found]), text))
            return at.found;
    void *names = p->names;
    if (!flm_grow(&names, &p->name_capacity, p->name_count + 1, sizeof *p->names))
        return UINT32_MAX;
    p->names = names;
    struct flm_own_text copy;
    if (!flm_own_text_init(&copy, text))
        return UINT32_MAX;
    if (!flm_index_add(&p->name_index, hash, (uint32_t)p->name_count)) {
        free(copy.at);
        return UINT32_MAX;
    }
    p->names[p->name_count] = copy;
    return (uint32_t)p->name_count++;
}

static struct thread *find_thread(const struct flm_processes *p, int32_t id)
{
    for (struct flm_probe at = flm_index_probe(&p->thread_index, flm_hash_numbers((uint32_t)id, 0));
         flm_index_next(&p->thread_index, &at);)
        if (p->threads[at.found].id == id)
            return &p->threads[at.found];
    return NULL;
}

static bool name_thread(struct flm_processes *p, int32_t id, struct flm_bytes text)
{
    uint32_t name = find_name(p, text);
    if (name == UINT32_MAX)
        return false;
    struct thread *thread = find_thread(p, id);
    if (thread) {
        thread->name = name;
        return true;
    }
    void *threads = p->threads;
    if (!flm_grow(&threads, &p->thread_capacity, p->thread_count + 1, sizeof *p->threads))
        return false;
    p->threads = threads;
    if (!flm_index_add(&p->thread_index, flm_hash_numbers((uint32_t)id, 0),
                       (uint32_t)p->thread_count))
        return false;
    p->threads[p->thread_count++] = (struct thread){id, name};
    return true;
}

struct flm_bytes flm_thread_name(const struct flm_processes *p, int32_t id)
{
    const struct thread *thread = find_thread(p, id);
    return thread ? flm_own_text_bytes(&p->names[thread->name]) : (struct flm_bytes){"", 0};
}

/* ---- Files ----------------------------------------------------------------------------------- */

static const struct known_file *find_file(const struct flm_processes *p, struct flm_bytes path)
{
    uint32_t hash = (uint32_t)flm_hash(path.at, path.size);
    for (struct flm_probe at = flm_index_probe(&p->file_index, hash);
         flm_index_next(&p->file_index, &at);)
        if (flm_bytes_equal(flm_own_text_bytes(&p->files[at.found].path), path))
            return &p->files[at.found];
    return NULL;
}

bool flm_processes_build_id(struct flm_processes *p, struct flm_bytes path,
                            const struct flm_build_id *id)
{
    if (find_file(p, path))
        return true;
    void *files = p->files;
    if (!flm_grow(&files, &p->file_capacity, p->file_count + 1, sizeof *p->files))
        return false;
    p->files = files;
    struct known_file file = {.id = *id};
    if (!flm_own_text_init(&file.path, path))
        return false;
    if (!flm_index_add(&p->file_index, (uint32_t)flm_hash(path.at, path.size),
                       (uint32_t)p->file_count)) {
        free(file.path.at);
        return false;
    }
    p->files[p->file_count++] = file;
    return true;
}

struct flm_bytes flm_own_vdso(void)
{
    union {
        unsigned long number;
        const char *at;
    } start = {getauxval(AT_SYSINFO_EHDR)};
    if (!start.number)
        return (struct flm_bytes){0};
    ElfW(Ehdr) header;
    memcpy(&header, start.at, sizeof header);
    size_t size = header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
    return (struct flm_bytes){start.at, size};
}

/* Whether a mapping has a file at all: "//anon", "[heap]" and the like have none. */
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

/* "[kernel.kallsyms]_text": behind the bracket stands a symbol, and the offset of the mapping is
 * the address that it had when it was recorded. */
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
    struct flm_module_request request = {.path = file_path(map->path), .build_id = map->build_id};
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
    }
    /* Programs of 32 bits, whose addresses are low, have another vdso than we. */
    bool is_of_our_kernel = p->options.live || p->options.kernel_is_ours;
    bool is_wide = sizeof(void *) == 8 && map->start > UINT32_MAX;
    if (flm_bytes_are(map->path, "[vdso]") &&
        (request.build_id.size > 0 || (is_of_our_kernel && is_wide)))
        request.image = flm_own_vdso();
    return flm_modules_get(p->modules, &request);
}

/* ---- Processes and their mappings ------------------------------------------------------------ */

static struct process *find_process(struct flm_processes *p, int32_t id)
{
    for (struct flm_probe at =
             flm_index_probe(&p->process_index, flm_hash_numbers((uint32_t)id, 0));
         flm_index_next(&p->process_index, &at);)
        if (p->processes[at.found]->shown.id == id)
            return p->processes[at.found];
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
    void *processes = p->processes;
    if (!flm_grow(&processes, &p->process_capacity, p->process_count + 1, sizeof *p->processes))
        return NULL;
    p->processes = processes;
    process = calloc(1, sizeof *process);
    if (!process || !flm_index_add(&p->process_index, flm_hash_numbers((uint32_t)id, 0),
                                   (uint32_t)p->process_count)) {
        free(process);
        return NULL;
    }
    process->shown.id = id;
    p->processes[p->process_count++] = process;
    show(p, process);
    return process;
}

const struct flm_process *flm_processes_get(struct flm_processes *p, int32_t id)
{
    const struct process *process = get_process(p, id);
    return process ? &process->shown : NULL;
}

uint64_t flm_processes_kernel_start(const struct flm_processes *p)
{
    return p->kernel_start;
}

/* The first mapping that ends behind the address. */
static size_t find_place(const struct flm_mapping *mappings, size_t count, uint64_t address)
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
    size_t at = find_place(process->mappings, process->mapping_count, address);
    return at < process->mapping_count && process->mappings[at].start <= address
               ? &process->mappings[at]
               : NULL;
}

/* A process's mappings with room for `more`, its own: those that it shares are copied. */
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

/* Puts the mapping in, and takes out what it lies on. */
static bool add_mapping(struct flm_processes *p, struct process *process,
                        const struct flm_mapping *new)
{
    /* One more, and another where the new one lies in the middle of an old one. */
    struct mappings *m = own_mappings(process, 2);
    if (!m)
        return false;
    size_t first = find_place(m->at, m->count, new->start), last = first;
    struct flm_mapping pieces[3];
    size_t count = 0;
    if (first < m->count && m->at[first].start < new->start) {
        pieces[count] = m->at[first];
        pieces[count++].end = new->start;
    }
    pieces[count++] = *new;
    while (last < m->count && m->at[last].end <= new->end)
        last++;
    if (last < m->count && m->at[last].start < new->end) {
        struct flm_mapping rest = m->at[last++];
        rest.file_offset += new->end - rest.start;
        rest.start = new->end;
        pieces[count++] = rest;
    }
    memmove(m->at + first + count, m->at + last, (m->count - last) * sizeof *m->at);
    memcpy(m->at + first, pieces, count * sizeof *pieces);
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
    /* Data is in no call chain, and only hides what lay there; what is no code cannot be jitted
     * code either, yet an unwinder may have to read there. */
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

static bool fork_process(struct flm_processes *p, const struct flm_event *event)
{
    struct flm_bytes name = flm_thread_name(p, event->fork.parent_thread);
    if (name.size > 0 && !name_thread(p, event->thread, name))
        return false;
    if (event->process == event->fork.parent_process)
        return true;
    struct process *child = get_process(p, event->process);
    const struct process *parent = find_process(p, event->fork.parent_process);
    if (!child)
        return false;
    struct mappings *shared = parent ? parent->mappings : NULL;
    if (shared)
        shared->users++;
    release_mappings(child->mappings);
    child->mappings = shared;
    show(p, child);
    return true;
}

static bool name(struct flm_processes *p, const struct flm_event *event)
{
    if (!name_thread(p, event->thread, event->name.text))
        return false;
    struct process *process = event->name.is_exec ? find_process(p, event->process) : NULL;
    if (process) {
        release_mappings(process->mappings);
        process->mappings = NULL;
        show(p, process);
    }
    return true;
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
    default:
        /* What has ended may still have samples behind it in other rings: it stays. A process that
         * gets its number later begins with a fork, and has its parent's mappings. */
        return true;
    }
}
