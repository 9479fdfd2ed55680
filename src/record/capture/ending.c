#include "record/capture/ending.h"

#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/core/array.h"
#include "os/clock.h"
#include "record/capture/target.h"

/* A process by a file, which goes on naming it, and no other one, when it has ended. */
struct descendant {
    int32_t process;
    int file; /* a pidfd, readable when it has ended */
    bool may_not;
};

struct descendants FLM_ARRAY(struct descendant);

static bool has_ended(const struct descendant *descendant)
{
    struct pollfd file = {.fd = descendant->file, .events = POLLIN};
    return poll(&file, 1, 0) > 0;
}

static bool is_listed(const struct descendants *all, int32_t process)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].process == process && !has_ended(&all->at[i]))
            return true;
    return false;
}

/* Adds what the command has started by now, callers before what they started. Without memory, or
 * in a kernel without pidfds, fewer: the command itself is ended in any case. */
static void list(struct descendants *all, pid_t command, const char *root)
{
    struct flm_tasks tasks = {0};
    pid_t session = getsid(command);
    if (flm_tasks_add(&tasks, command))
        flm_tasks_add_descendants(&tasks, root);
    for (size_t i = 1; i < tasks.count; i++) {
        struct descendant found = {.process = tasks.at[i], .file = -1};
        if (is_listed(all, found.process))
            continue;
#ifdef SYS_pidfd_open
        found.file = (int)syscall(SYS_pidfd_open, found.process, 0);
#endif
        /* Looked at behind the file: the number may have gone to another process before. */
        bool is_ours = found.file >= 0 && getsid(found.process) == session;
        if (is_ours && FLM_ARRAY_ADD(all, found))
            continue;
        if (found.file >= 0)
            close(found.file);
    }
    flm_tasks_clear(&tasks);
}

/* Nobody waits for those that may not be signaled: of another user, by sudo. */
static void signal_one(struct descendant *one, int number)
{
#ifdef SYS_pidfd_send_signal
    one->may_not |= syscall(SYS_pidfd_send_signal, one->file, number, NULL, 0) < 0;
#else
    (void)number;
    one->may_not = true;
#endif
}

/* The command first: it would start its next one when the current one ends. One that is stopped
 * goes on, so that it can end. */
static void signal_all(struct descendants *all, struct flm_child *child, int number)
{
    const int both[] = {number, SIGCONT};
    for (int k = 0; k < 2; k++) {
        if (!flm_child_has_ended(child))
            kill(child->process, both[k]);
        for (size_t i = 0; i < all->count; i++)
            signal_one(&all->at[i], both[k]);
    }
}

static bool have_ended(const struct descendants *all, struct flm_child *child)
{
    bool ended = flm_child_has_ended(child);
    for (size_t i = 0; i < all->count && ended; i++)
        ended = all->at[i].may_not || has_ended(&all->at[i]);
    return ended;
}

static bool await_end(const struct descendants *all, struct flm_child *child, int patience_ms)
{
    enum { STEP_MS = 10 };
    const int64_t until_ns = flm_now_ns() + patience_ms * INT64_C(1000000);
    while (!have_ended(all, child)) {
        if (flm_now_ns() >= until_ns)
            return false;
        struct pollfd command = {.fd = flm_child_has_ended(child) ? -1 : child->ended,
                                 .events = POLLIN};
        poll(&command, 1, STEP_MS);
    }
    return true;
}

void flm_command_end(struct flm_child *child, const char *root, int patience_ms)
{
    assert(child && root);
    struct descendants all = {0};
    if (child->process == 0 || child->go >= 0 || flm_child_has_ended(child))
        return;
    list(&all, child->process, root);
    signal_all(&all, child, SIGTERM);
    if (!await_end(&all, child, patience_ms)) {
        if (!flm_child_has_ended(child)) /* what it has started since then */
            list(&all, child->process, root);
        signal_all(&all, child, SIGKILL);
        await_end(&all, child, patience_ms);
    }
    for (size_t i = 0; i < all.count; i++)
        close(all.at[i].file);
    FLM_ARRAY_CLEAR(&all);
}
