#include "record/capture/synthesized.h"

#include <assert.h>
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/number.h"

enum { MOST_PATH = 4096 };

/* A record: its fields, its name, and the trailer with thread, time, id and CPU. */
struct record {
    struct perf_event_header header;
    char body[MOST_PATH + 256];
    size_t size;
};

static void add(struct record *record, const void *bytes, size_t size)
{
    memcpy(record->body + record->size, bytes, size);
    record->size += size;
}

static void add_word(struct record *record, uint64_t word)
{
    add(record, &word, sizeof word);
}

static void add_pair(struct record *record, uint32_t first, uint32_t second)
{
    add(record, &first, sizeof first);
    add(record, &second, sizeof second);
}

static void add_name(struct record *record, struct flm_bytes name)
{
    static const char zeros[8];
    if (name.size >= MOST_PATH)
        name.size = MOST_PATH - 1;
    add(record, name.at, name.size);
    add(record, zeros, 8 - name.size % 8);
}

static bool hand_out(const struct flm_synthesized *e, struct record *record, uint32_t type,
                     uint16_t misc, int32_t process, int32_t thread, struct flm_error *why)
{
    add_pair(record, (uint32_t)process, (uint32_t)thread);
    add_word(record, (uint64_t)e->time_ns);
    add_pair(record, 0, 0); /* the processor */
    add_word(record, e->id);
    record->header = (struct perf_event_header){
        .type = type, .misc = misc, .size = (uint16_t)(sizeof record->header + record->size)};
    return e->sink(e->context, (char *)record, record->header.size, why);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static bool add_thread(const struct flm_synthesized *e, int32_t process, int32_t thread,
                       struct flm_error *why)
{
    char path[256], name[64];
    snprintf(path, sizeof path, "%s/proc/%d/task/%d/comm", e->root, process, thread);
    FILE *file = fopen(path, "re");
    if (!file)
        return true;
    size_t size = fread(name, 1, sizeof name, file);
    fclose(file);
    while (size > 0 && name[size - 1] == '\n')
        size--;
    struct record record = {.size = 0};
    add_pair(&record, (uint32_t)process, (uint32_t)thread);
    add_name(&record, (struct flm_bytes){name, size});
    return hand_out(e, &record, PERF_RECORD_COMM, 0, process, thread, why);
}

static bool add_threads(const struct flm_synthesized *e, int32_t process, struct flm_error *why)
{
    char path[256];
    snprintf(path, sizeof path, "%s/proc/%d/task", e->root, process);
    DIR *folder = opendir(path);
    bool good = true;
    /* The main thread first: its name is that of the process. */
    if (folder)
        good = add_thread(e, process, process, why);
    for (struct dirent *entry; folder && good && (entry = readdir(folder));) {
        uint64_t thread;
        if (flm_number_parse_uint(flm_bytes_of(entry->d_name), &thread) &&
            thread != (uint64_t)process && thread <= INT32_MAX)
            good = add_thread(e, process, (int32_t)thread, why);
    }
    if (folder)
        closedir(folder);
    return good;
}

static const char DELETED[] = " (deleted)";

/* "7f31a2c00000-7f31a2d95000 r-xp 00028000 fd:00 131190    /usr/lib/libc.so.6" */
struct line {
    unsigned long long start, end, offset, inode;
    unsigned major, minor;
    char rights[5];
    struct flm_bytes path;
};

static bool read_line(const char *text, struct line *line)
{
    int name = -1;
    if (sscanf(text, "%llx-%llx %4s %llx %x:%x %llu %n", &line->start, &line->end, line->rights,
               &line->offset, &line->major, &line->minor, &line->inode, &name) != 7 ||
        name < 0)
        return false;
    line->path = (struct flm_bytes){text + name, strcspn(text + name, "\n")};
    return true;
}

/* The build id of a file that is not at its path any more; it is in the mapping of its beginning,
 * which comes first. A file that is still there is known by its inode. */
static bool find_build_id(const struct flm_synthesized *e, int32_t process, const struct line *line,
                          const struct line *beginning, struct flm_build_id *id)
{
    return flm_bytes_end_with(line->path, DELETED) && !e->root[0] &&
           beginning->inode == line->inode && beginning->major == line->major &&
           beginning->minor == line->minor &&
           flm_mapped_build_id(process, beginning->start, beginning->end - beginning->start, id) &&
           id->size <= 20;
}

/* The kernel writes the one or the other, into the same 24 bytes. */
static uint16_t add_file(struct record *record, const struct line *line,
                         const struct flm_build_id *id)
{
    if (id->size == 0) {
        add_pair(record, line->major, line->minor);
        add_word(record, line->inode);
        add_word(record, 0); /* the inode's generation */
        return PERF_RECORD_MISC_USER;
    }
    const char size[4] = {(char)id->size};
    char bytes[20] = {0};
    memcpy(bytes, id->bytes, id->size);
    add(record, size, sizeof size);
    add(record, bytes, sizeof bytes);
    return PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID;
}

static bool add_mapping(const struct flm_synthesized *e, int32_t process, const char *text,
                        struct line *beginning, struct flm_error *why)
{
    struct line line;
    if (!read_line(text, &line))
        return true;
    if (line.offset == 0)
        *beginning = line;
    if (line.rights[2] != 'x')
        return true;
    struct flm_build_id id = {0};
    if (find_build_id(e, process, &line, beginning, &id))
        line.path.size -= sizeof DELETED - 1; /* another file there may have the same contents */
    else
        id.size = 0;
    struct record record = {.size = 0};
    add_pair(&record, (uint32_t)process, (uint32_t)process);
    add_word(&record, line.start);
    add_word(&record, line.end - line.start);
    add_word(&record, line.offset);
    uint16_t misc = add_file(&record, &line, &id);
    add_pair(&record, 5 /* read, execute */, line.rights[3] == 's' ? 1 : 2);
    add_name(&record, line.path.size > 0 ? line.path : flm_bytes_of("//anon"));
    return hand_out(e, &record, PERF_RECORD_MMAP2, misc, process, process, why);
}

bool flm_synthesize_process(const struct flm_synthesized *e, int32_t process, struct flm_error *why)
{
    assert(e->root && e->sink);
    char path[256];
    if (!add_threads(e, process, why))
        return false;
    snprintf(path, sizeof path, "%s/proc/%d/maps", e->root, process);
    FILE *maps = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    struct line beginning = {0};
    while (maps && good && getline(&line, &capacity, maps) > 0)
        good = add_mapping(e, process, line, &beginning, why);
    free(line);
    if (maps)
        fclose(maps);
    return good;
}

bool flm_synthesize_machine(const struct flm_synthesized *e, struct flm_error *why)
{
    char path[256];
    snprintf(path, sizeof path, "%s/proc", e->root);
    DIR *folder = opendir(path);
    bool good = true;
    for (struct dirent *entry; folder && good && (entry = readdir(folder));) {
        uint64_t process;
        if (flm_number_parse_uint(flm_bytes_of(entry->d_name), &process) && process <= INT32_MAX)
            good = flm_synthesize_process(e, (int32_t)process, why);
    }
    if (folder)
        closedir(folder);
    return good;
}

/* ---- The kernel ------------------------------------------------------------------------------ */

static bool add_kernel_mapping(const struct flm_synthesized *e, uint64_t start, uint64_t size,
                               uint64_t offset, struct flm_bytes name, struct flm_error *why)
{
    struct record record = {.size = 0};
    add_pair(&record, UINT32_MAX, 0);
    add_word(&record, start);
    add_word(&record, size);
    add_word(&record, offset);
    add_name(&record, name);
    return hand_out(e, &record, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, -1, 0, why);
}

/* The address of the kernel's text. Symbols are sorted by address, and only those of per-CPU memory
 * come before it, so most of the 10 MB is not read. */
static uint64_t find_kernel_start(const struct flm_synthesized *e, char *name, size_t name_size)
{
    char path[256], line[512], symbol[128], type;
    unsigned long long address;
    uint64_t found = 0;
    snprintf(path, sizeof path, "%s/proc/kallsyms", e->root);
    FILE *file = fopen(path, "re");
    while (file && found == 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%llx %c %127s", &address, &type, symbol) != 3)
            break;
        if (strcmp(symbol, "_text") != 0 && strcmp(symbol, "_stext") != 0)
            continue;
        if (address == 0)
            break; /* addresses are hidden from us */
        found = address;
        snprintf(name, name_size, "[kernel.kallsyms]%s", symbol);
    }
    if (file)
        fclose(file);
    return found;
}

bool flm_synthesize_kernel(const struct flm_synthesized *e, struct flm_error *why)
{
    char path[256], line[512], name[128], symbol[160];
    uint64_t start = find_kernel_start(e, symbol, sizeof symbol);
    if (start == 0)
        return true;
    /* Up to the end of the address space: mappings of modules, which come next, replace parts. */
    if (!add_kernel_mapping(e, start, UINT64_MAX - start, start, flm_bytes_of(symbol), why))
        return false;
    snprintf(path, sizeof path, "%s/proc/modules", e->root);
    FILE *modules = fopen(path, "re");
    bool good = true;
    while (modules && good && fgets(line, sizeof line, modules)) {
        unsigned long long size, address;
        /* name size users dependencies state address */
        if (sscanf(line, "%100s %llu %*s %*s %*s %llx", name, &size, &address) != 3 || address == 0)
            continue;
        char bracketed[128];
        snprintf(bracketed, sizeof bracketed, "[%.100s]", name);
        good = add_kernel_mapping(e, address, size, 0, flm_bytes_of(bracketed), why);
    }
    if (modules)
        fclose(modules);
    return good;
}
