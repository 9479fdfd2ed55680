#include "record/capture/ending.h"

#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
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

/* What is ended: all that the command has started, in its session. */
struct ending {
    struct flm_child *child;
    const char *root;
    pid_t session;
    struct flm_tasks others; /* that we have started, and the command has not */
    struct descendants all;
    int64_t until_ns;
};

/* Adds what `ancestor` has started by now, callers before what they started, but not what the
 * others have, at whatever time. Without memory, or
 * in a kernel without pidfds, fewer: the command itself is ended in any case. */
static void list(struct ending *e, pid_t ancestor)
{
    struct flm_tasks tasks = {0};
    if (flm_tasks_add(&tasks, ancestor))
        flm_tasks_add_descendants(&tasks, &e->others, e->root);
    for (size_t i = 1; i < tasks.count; i++) {
        struct descendant found = {.process = tasks.at[i], .file = -1};
        if (found.process == e->child->process || is_listed(&e->all, found.process))
            continue;
#ifdef SYS_pidfd_open
        found.file = (int)syscall(SYS_pidfd_open, found.process, 0);
#endif
        /* Looked at behind the file: the number may have gone to another process before. */
        bool is_ours = found.file >= 0 && getsid(found.process) == e->session && !has_ended(&found);
        if (is_ours && FLM_ARRAY_ADD(&e->all, found))
            continue;
        if (found.file >= 0)
            close(found.file);
    }
    flm_tasks_clear(&tasks);
}

/* From now on what loses its parent is our child, and can still be found: what was started while
 * its parent was being ended. What was here before is no business of the command's end. */
static void begin(struct ending *e)
{
    struct flm_tasks command = {0};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    bool good = flm_tasks_add(&command, e->child->process) &&
                flm_tasks_add_descendants(&command, NULL, e->root);
    if (flm_tasks_add(&e->others, getpid()))
        flm_tasks_add_descendants(&e->others, NULL, e->root);
    /* Before and after: the parent of one may end meanwhile, and one may be started. */
    if (good)
        flm_tasks_add_descendants(&command, NULL, e->root);
    size_t kept = 0;
    for (size_t i = 0; i < e->others.count; i++) {
        bool is_commands = false;
        for (size_t k = 0; k < command.count; k++)
            is_commands |= command.at[k] == e->others.at[i];
        if (!is_commands)
            e->others.at[kept++] = e->others.at[i];
    }
    e->others.count = kept;
    flm_tasks_clear(&command);
    list(e, e->child->process);
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

/* Those from `first` on. The command first of all: it would start its next one when the current one
 * ends. One that is stopped goes on, so that it can end. */
static void signal_all(struct ending *e, size_t first, int number)
{
    const int both[] = {number, SIGCONT};
    for (int k = 0; k < 2; k++) {
        if (first == 0 && !flm_child_has_ended(e->child))
            kill(e->child->process, both[k]);
        for (size_t i = first; i < e->all.count; i++)
            signal_one(&e->all.at[i], both[k]);
    }
}

static bool have_ended(const struct ending *e)
{
    bool ended = flm_child_has_ended(e->child);
    for (size_t i = 0; i < e->all.count && ended; i++)
        ended = e->all.at[i].may_not || has_ended(&e->all.at[i]);
    return ended;
}

static bool await_end(const struct ending *e)
{
    enum { STEP_MS = 10 };
    while (!have_ended(e)) {
        if (flm_now_ns() >= e->until_ns)
            return false;
        struct pollfd command = {.fd = flm_child_has_ended(e->child) ? -1 : e->child->ended,
                                 .events = POLLIN};
        poll(&command, 1, STEP_MS);
    }
    return true;
}

/* All that are listed, and then those that were started meanwhile, until there are none. */
static bool end_all(struct ending *e, int number, int patience_ms)
{
    size_t first = 0;
    e->until_ns = flm_now_ns() + patience_ms * INT64_C(1000000);
    do {
        signal_all(e, first, number);
        first = e->all.count;
        if (!await_end(e))
            return false;
        list(e, getpid());
    } while (e->all.count > first);
    return true;
}

void flm_command_end(struct flm_child *child, const char *root, int patience_ms)
{
    assert(child && root);
    struct ending e = {.child = child, .root = root};
    int adopts = 0;
    if (child->process == 0 || child->go >= 0 || flm_child_has_ended(child))
        return;
    e.session = getsid(child->process);
    prctl(PR_GET_CHILD_SUBREAPER, &adopts);
    begin(&e);
    if (!end_all(&e, SIGTERM, patience_ms)) {
        list(&e, getpid()); /* what was started since then */
        end_all(&e, SIGKILL, patience_ms);
    }
    prctl(PR_SET_CHILD_SUBREAPER, adopts);
    for (size_t i = 0; i < e.all.count; i++)
        close(e.all.at[i].file);
    FLM_ARRAY_CLEAR(&e.all);
    flm_tasks_clear(&e.others);
}
