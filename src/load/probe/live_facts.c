/* live_facts.c - names of sites, and facts of threads, in the copy of a file. */
#include "load/probe/live_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flamel/probe_format.h"

/* What is at a byte of the copy; NULL: it is not in it. Good until the copy grows. */
static void *at_byte(const struct flm_text *copy, uint64_t offset, size_t size)
{
    bool is_there = offset > 0 && offset <= copy->size && copy->size - offset >= size;
    return is_there ? copy->at + offset : NULL;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_nameless(const struct flm_probe_site *site)
{
    return site->address > 0 && (site->kind == FLM_PROBE_SCOPE || site->kind == FLM_PROBE_LOCK) &&
           site->name_size == 0 && site->function_size == 0;
}

static void name_site(struct flm_text *copy, uint64_t offset, struct flm_probe_names *names)
{
    char name[1024];
    struct flm_probe_site site;
    const void *at = at_byte(copy, offset, sizeof site);
    if (!at)
        return;
    memcpy(&site, at, sizeof site);
    if (!is_nameless(&site))
        return;
    enum flm_report_address kind = flm_probe_names_find(names, 0, site.address, name, sizeof name);
    if (kind == FLM_ADDRESS_UNKNOWN)
        return;
    site.name = copy->size;
    if (site.kind == FLM_PROBE_LOCK && kind == FLM_ADDRESS_FUNCTION)
        flm_text_puts(copy, "made in ");
    flm_text_puts(copy, name);
    site.name_size = (uint32_t)(copy->size - site.name);
    if (!copy->failed)
        memcpy(copy->at + offset, &site, sizeof site);
}

static void name_sites(struct flm_text *copy, const struct flm_probe_header *header,
                       struct flm_probe_names *names)
{
    uint32_t number = 1, first = 0, size = FLM_PROBE_FIRST_SITES;
    for (uint32_t part = 0; part < FLM_PROBE_SITE_PARTS && number <= header->site_count; part++) {
        uint64_t start = (uint64_t)header->site_part[part] * FLM_PROBE_UNIT;
        for (; start > 0 && number <= header->site_count && number < first + size; number++)
            name_site(copy, start + (number - first) * sizeof(struct flm_probe_site), names);
        first += size;
        size = part == 0 ? size : size * 2;
        number = number > first ? number : first;
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */

static bool read_file(int32_t process, uint32_t thread, const char *name, char *text, size_t room)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%u/%s", process, thread, name);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, room - 1, file) : 0;
    text[size] = 0;
    if (file)
        fclose(file);
    return size > 0;
}

/* "1234 (a name) S 1 2 3 ...": the name may have anything in it. */
static bool read_stat(int32_t process, uint32_t tid, struct flm_probe_kernel *to, char *doing)
{
    char text[1024];
    const uint64_t second_ns = 1000000000;
    unsigned long long minor, major, user, system;
    long ticks = sysconf(_SC_CLK_TCK);
    const char *end =
        read_file(process, tid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    if (!end || ticks <= 0 ||
        sscanf(end + 1, " %c %*d %*d %*d %*d %*d %*u %llu %*u %llu %*u %llu %llu", doing, &minor,
               &major, &user, &system) != 5)
        return false;
    to->minor_faults = minor;
    to->major_faults = major;
    to->user_ns = user * (second_ns / (uint64_t)ticks);
    to->system_ns = system * (second_ns / (uint64_t)ticks);
    return true;
}

static uint64_t number_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* Those that ended and had the same name are in its numbers too. */
static void add_thread(struct flm_probe_thread *thread, int32_t process)
{
    char text[4096], doing, *end;
    struct flm_probe_kernel now = thread->ended;
    struct flm_probe_kernel own = {0};
    if (thread->state != FLM_PROBE_RUNNING || !read_stat(process, thread->tid, &own, &doing))
        return;
    if (read_file(process, thread->tid, "schedstat", text, sizeof text)) {
        strtoull(text, &end, 10);
        own.run_queue_ns = strtoull(end, NULL, 10);
    }
    if (read_file(process, thread->tid, "status", text, sizeof text)) {
        own.voluntary_switches = number_after(text, "\nvoluntary_ctxt_switches:");
        own.involuntary_switches = number_after(text, "\nnonvoluntary_ctxt_switches:");
    }
    if (read_file(process, thread->tid, "comm", text, sizeof text)) {
        text[strcspn(text, "\n")] = 0;
        memset(thread->name, 0, sizeof thread->name);
        memcpy(thread->name, text, strnlen(text, sizeof thread->name));
    }
    now.user_ns += own.user_ns;
    now.system_ns += own.system_ns;
    now.run_queue_ns += own.run_queue_ns;
    now.voluntary_switches += own.voluntary_switches;
    now.involuntary_switches += own.involuntary_switches;
    now.minor_faults += own.minor_faults;
    now.major_faults += own.major_faults;
    thread->kernel = now;
    thread->doing = (unsigned char)doing;
}

static void add_threads(struct flm_text *copy, const struct flm_probe_header *header,
                        int32_t process)
{
    uint64_t left = copy->size / sizeof(struct flm_probe_thread) + 1;
    struct flm_probe_thread *thread;
    for (uint32_t place = header->first_thread;
         left-- > 0 && (thread = at_byte(copy, (uint64_t)place * FLM_PROBE_UNIT, sizeof *thread));
         place = thread->next)
        add_thread(thread, process);
}

void flm_live_facts_add(struct flm_text *copy, int32_t process, struct flm_probe_names *names)
{
    struct flm_probe_header header;
    if (copy->size < sizeof header)
        return;
    memcpy(&header, copy->at, sizeof header);
    if (header.activity[FLM_PROBE_THREADS].state == FLM_PROBE_ACTIVE)
        add_threads(copy, &header, process);
    name_sites(copy, &header, names);
}
