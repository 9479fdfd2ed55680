/* recorder_notes.c - what the profile says of its recording: the command, the machine, the rate. */
#include "record/capture/internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "base/number/number.h"
#include "record/perf_data/kernel_version.h"
#include "record/process/process_map.h"
#include "record/symbols/symbolized_session.h"
#include "symbol/elf/elf_file.h"

static void note(struct flm_recorder *r, const char *key, const char *value)
{
    flm_session_note(r->session, key, flm_bytes_of(value));
    if (r->spool)
        flm_perf_stream_note(r->spool, key, flm_bytes_of(value));
}

static void note_command(struct flm_recorder *r)
{
    struct flm_text words = {0};
    for (char *const *word = r->options.command; word && *word; word++) {
        flm_text_puts(&words, word == r->options.command ? "" : " ");
        flm_text_puts(&words, *word);
    }
    flm_text_putc(&words, 0);
    if (!words.failed && words.size > 1)
        note(r, flm_recorder_records_command(r) ? "command" : "recorded while", words.at);
    flm_text_clear(&words);
}

/* How the command ended: "3", "6 (Aborted)". False where it did not: one that runs on when the
 * recording is over is perhaps ended by us, which is no failure. */
static bool describe_end(struct flm_recorder *r, char *text, size_t size)
{
    if (r->child.process == 0 || !flm_child_has_ended(&r->child))
        return false;
    int status = r->child.status;
    if (WIFSIGNALED(status))
        snprintf(text, size, "%d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "%d", WEXITSTATUS(status));
    return true;
}

static void note_command_end(struct flm_recorder *r)
{
    char text[80];
    if (describe_end(r, text, sizeof text))
        note(r, WIFSIGNALED(r->child.status) ? FLM_NOTE_SIGNAL : FLM_NOTE_EXIT_STATUS, text);
}

bool flm_recorder_mark_exit(struct flm_recorder *r)
{
    char text[80];
    return !describe_end(r, text, sizeof text) ||
           flm_session_exit(r->session, r->child.process, flm_bytes_of(text));
}

/* "16 KiB; 2 threads needed up to 64 KiB" */
static void note_stack_sizes(struct flm_recorder *r)
{
    enum { KIB = 1024 };
    char text[160];
    struct flm_stack_sizes_counts counts = flm_stack_sizes_counts_now(r->stack_sizes);
    size_t usual = r->request.event[0].attr.sample_stack_user;
    int size = snprintf(text, sizeof text, "%zu KiB", (usual + KIB - 1) / KIB);
    if (counts.threads > 0)
        size += snprintf(text + size, sizeof text - (size_t)size,
                         "; %u thread%s needed up to %zu KiB", counts.threads,
                         counts.threads == 1 ? "" : "s", (counts.largest + KIB - 1) / KIB);
    if (counts.refused > 0)
        snprintf(text + size, sizeof text - (size_t)size,
                 "; %u thread%s needed more, and did not get it", counts.refused,
                 counts.refused == 1 ? "" : "s");
    if (counts.threads + counts.refused > 0)
        note(r, "stack dumps", text);
}

/* A wait is known by the context switches at its beginning and its end. Threads that wait
 * throughout the recording, as those of a hung process, have none. */
static void note_silent_threads(struct flm_recorder *r)
{
    char text[200];
    size_t silent = 0, threads = 0;
    for (size_t i = 0; i < r->tasks.count; i++) {
        int32_t thread = r->tasks.at[i];
        if (thread < 0 || flm_task_process(thread, flm_kernel_here.root, NULL) < 0)
            continue; /* the machine; or it has ended */
        threads++;
        silent += !flm_session_saw_switch(r->session, thread);
    }
    if (silent == 0)
        return;
    snprintf(
        text, sizeof text,
        "off-CPU time of %zu of %zu threads, which waited throughout the recording: such a wait "
        "has no event; 'eu-stack -p PID' prints their stacks, and flamel opens what it prints",
        silent, threads);
    note(r, FLM_NOTE_NOT_SHOWN "waits from beginning to end", text);
}

void flm_recorder_note_end(struct flm_recorder *r)
{
    note_command_end(r);
    if (r->options.off_cpu)
        note_silent_threads(r);
    if (r->stack_sizes)
        note_stack_sizes(r);
    if (r->memory.left_out)
        note(r, "memory", "read for 64 processes only: more ran at the same time");
}

/* Notes for which perf.data has features: readers of the spool look for those. */
static void note_system(struct flm_recorder *r, const struct utsname *system)
{
    const struct {
        const char *key, *value;
        enum flm_stream_feature feature;
    } infos[] = {{"host", system->nodename, FLM_STREAM_HOST},
                 {"system", system->release, FLM_STREAM_RELEASE},
                 {"architecture", system->machine, FLM_STREAM_ARCHITECTURE}};
    for (size_t i = 0; i < sizeof infos / sizeof infos[0]; i++) {
        flm_session_note(r->session, infos[i].key, flm_bytes_of(infos[i].value));
        if (r->spool)
            flm_perf_stream_feature(r->spool, infos[i].feature, flm_bytes_of(infos[i].value));
    }
    struct flm_build_id id;
    if (r->spool && flm_kernel_build_id(&id))
        flm_perf_stream_build_id(r->spool, "[kernel.kallsyms]", true, &id);
    struct flm_elf_file *vdso = r->spool ? flm_elf_new(flm_own_vdso(), NULL) : NULL;
    if (vdso && vdso->build_id.size)
        flm_perf_stream_build_id(r->spool, "[vdso]", false, &vdso->build_id);
    flm_elf_free(vdso);
}

void flm_recorder_note_begin(struct flm_recorder *r)
{
    struct utsname system;
    char text[64];
    note_command(r);
    if (uname(&system) == 0)
        note_system(r, &system);
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0)
        note(r, "recorded", text);
    snprintf(text, sizeof text, "%zu", flm_rings_count(r->rings));
    note(r, "processors", text);
    if (r->request.hz > 0) {
        size_t size = flm_number_print(r->request.hz, text);
        snprintf(text + size, sizeof text - size, " Hz");
        note(r, "frequency", text);
    }
}
