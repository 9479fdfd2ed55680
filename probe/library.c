/* library.c - when measuring begins and ends, in this process and in its children. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

static struct flm_settings settings;

/* ---- What a scope costs ---------------------------------------------------------------------- */

enum { BATCHES = 8, CALLS = 500 };

/* Of scopes with nothing in them, in a thread of their own in the file, which is taken out again:
 * the least of some batches, since others run on the machine as well. */
static void measure_costs(void)
{
    static struct flm_site site = {"calibration", "", "", 0, 0};
    struct flm_probe_header *header = flm_run.arena.header;
    uint64_t used = header->used, whole = UINT64_MAX, inside = UINT64_MAX;
    if (!flm_local_begin())
        return;
    struct flm_local *local = flm_local;
    for (int b = 0; b < BATCHES; b++) {
        struct flm_probe_node *root = flm_local_at(local, local->thread->root);
        const struct flm_probe_node *node =
            root->child > 0 ? flm_local_at(local, root->child) : NULL;
        uint64_t before = node ? node->total : 0, start = flm_clock_ticks();
        for (int i = 0; i < CALLS; i++)
            flm_probe_leave(flm_probe_enter(&site));
        uint64_t took = flm_clock_ticks() - start;
        node = flm_local_at(local, root->child);
        if (b > 0 && took < whole)
            whole = took;
        if (b > 0 && node->total - before < inside)
            inside = node->total - before;
    }
    header->inside_cost = (uint32_t)(inside * 256 / CALLS);
    header->outside_cost = whole > inside ? (uint32_t)((whole - inside) * 256 / CALLS) : 0;
    flm_local_end(local);
    memset(flm_run.arena.base + used, 0, header->used - used);
    memset(header->site_part, 0, sizeof header->site_part);
    header->used = used;
    header->site_count = header->first_thread = 0;
    site.number = 0;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static void describe_command(struct flm_arena *arena)
{
    char text[4096];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text);
    if (file >= 0)
        close(file);
    while (size > 0 && text[size - 1] == 0)
        size--;
    for (ssize_t i = 0; i < size; i++)
        text[i] = text[i] ? text[i] : ' ';
    arena->header->command = flm_arena_add_text(arena, text, size > 0 ? (size_t)size : 0);
    arena->header->command_size = arena->header->command > 0 ? (uint32_t)size : 0;
}

static bool begin(uint32_t number)
{
    struct flm_arena *arena = &flm_run.arena;
    if (!flm_arena_open(arena, settings.path[0] ? settings.path : NULL))
        return false;
    flm_clock_start();
    struct flm_probe_header *header = arena->header;
    header->pid = (uint32_t)getpid();
    header->state = FLM_PROBE_RUNNING;
    header->start_ticks = header->now_ticks = flm_clock_ticks();
    header->start_ns = flm_clock_ns(CLOCK_REALTIME);
    header->ns_per_tick = flm_clock_ns_per_tick();
    describe_command(arena);
    __atomic_store_n(&flm_run.number, number, __ATOMIC_RELEASE);
    measure_costs();
    header->start_ticks = flm_clock_ticks();
    memcpy(header->magic, FLM_PROBE_MAGIC, sizeof header->magic);
    return true;
}

int flm_probe_start(const char *text)
{
    if (flm_run.starts > 0) {
        flm_run.starts++;
        return 0;
    }
    if (flm_run.number == 0) {
        flm_settings_read(&settings, text ? text : "on");
        if (!settings.is_on || !begin(1))
            return -1;
    }
    flm_run.starts = 1;
    flm_probe_state = 1;
    return 0;
}

int flm_probe_write(void)
{
    struct flm_probe_header *header = flm_run.arena.header;
    if (flm_run.number == 0)
        return -1;
    header->ns_per_tick = flm_clock_ns_per_tick();
    header->now_ticks = flm_clock_ticks();
    return 0;
}

void flm_probe_stop(void)
{
    if (flm_run.starts == 0 || --flm_run.starts > 0)
        return;
    flm_probe_state = 0;
    flm_probe_write();
}

/* ---- With the program ------------------------------------------------------------------------ */

static void forget_in_child(void)
{
    uint32_t number = flm_run.number;
    flm_run.lock = 0;
    flm_local_forget(); /* its memory is lost; the scopes that are open are the parent's */
    if (number == 0)
        return;
    flm_probe_state = 0;
    if (flm_run.arena.file >= 0)
        close(flm_run.arena.file);
    flm_run.arena = (struct flm_arena){.file = -1};
    if (settings.path[0]) {
        size_t size = strlen(settings.path);
        snprintf(settings.path + size, sizeof settings.path - size, ".%ld", (long)getpid());
    }
    flm_run.number = 0;
    if (flm_run.starts > 0 && begin(number + 1))
        flm_probe_state = 1;
    else
        flm_run.starts = 0;
}

static void __attribute__((constructor)) library_begins(void)
{
    const char *text = secure_getenv("FLAMEL");
    pthread_atfork(flm_lock, flm_unlock, forget_in_child);
    if (!text || !*text || flm_probe_start(text) == 0)
        return;
    if (settings.wrong[0])
        fprintf(stderr, "flamel-probe: %s\n", settings.wrong);
    else if (settings.is_on)
        fprintf(stderr, "flamel-probe: %s: %s\n", settings.path, strerror(errno));
}

static void __attribute__((destructor)) library_ends(void)
{
    if (flm_run.number == 0 || flm_run.arena.file < 0)
        return;
    flm_probe_state = 0;
    flm_probe_write();
    if (flm_local)
        flm_local_drain(flm_local);
    flm_run.arena.header->state = FLM_PROBE_ENDED;
    flm_arena_end(&flm_run.arena);
}
