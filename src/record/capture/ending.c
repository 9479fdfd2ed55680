#include "record/capture/ending.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/core/array.h"
#include "os/clock.h"
#include "record/capture/target.h"
#include "record/runtime/proc_stat.h"

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

/* Whether the number is still its own: nobody has waited for it. */
static bool has_number(const struct descendant *descendant)
{
#ifdef SYS_pidfd_send_signal
    return syscall(SYS_pidfd_send_signal, descendant->file, 0, NULL, 0) == 0 || errno != ESRCH;
#else
    return !has_ended(descendant);
#endif
}

static bool is_listed(const struct descendants *all, int32_t process)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].process == process && has_number(&all->at[i]))
            return true;
    return false;
}

/* What is ended: all that the command has started, in its session. */
struct ending {
    struct flm_child *child;
    const char *root;
    pid_t session;
    struct flm_tasks others; /* that were started by us, or by one of these, not by the command */
    struct descendants all;
    int64_t until_ns;
};

/* Whether one that has lost its parent before we saw both can be the command's: nothing tells who
 * has started it but its process group. While there are others, it must have a group that only the
 * command's processes have: rather a process too few is ended than one of somebody else. */
static bool may_be_commands(const struct ending *e, pid_t process)
{
    pid_t group = getpgid(process);
    bool is_known = e->others.count == 0;
    for (size_t i = 0; i < e->all.count && !is_known; i++)
        is_known = getpgid(e->all.at[i].process) == group;
    for (size_t i = 0; i < e->others.count && is_known; i++)
        is_known = getpgid(e->others.at[i]) != group;
    return is_known;
}

/* Adds those that are not listed, callers before what they started; also one that has ended since
 * it was seen, so that what it has started meanwhile is looked for. Without memory, or in a kernel
 * without pidfds, fewer: the command itself is ended in any case. */
static void add(struct ending *e, const struct flm_tasks *tasks, size_t first, bool are_commands)
{
    for (size_t i = first; i < tasks->count; i++) {
        struct descendant found = {.process = tasks->at[i], .file = -1};
        if (found.process == e->child->process || is_listed(&e->all, found.process))
            continue;
#ifdef SYS_pidfd_open
        found.file = (int)syscall(SYS_pidfd_open, found.process, 0);
#endif
        /* Looked at behind the file: the number may have gone to another process before. */
        bool is_ours = found.file >= 0 && getsid(found.process) == e->session &&
                       (are_commands || may_be_commands(e, found.process));
        if (is_ours && FLM_ARRAY_ADD(&e->all, found))
            continue;
        if (found.file >= 0)
            close(found.file);
    }
}

/* What the others have started, at whatever time, is no business of the command's end. They are
 * looked at again and again, while one that ends can still be seen as the parent of another. */
static void update_others(struct ending *e)
{
    if (e->others.count > 0)
        flm_tasks_add_descendants(&e->others, NULL, e->root);
}

/* What the command and those that are listed have started by now. */
static void list_descendants(struct ending *e)
{
    struct flm_tasks tasks = {0};
    bool good = flm_tasks_add(&tasks, e->child->process);
    for (size_t i = 0; i < e->all.count && good; i++)
        good = has_ended(&e->all.at[i]) || flm_tasks_add(&tasks, e->all.at[i].process);
    size_t known = tasks.count;
    if (good)
        flm_tasks_add_descendants(&tasks, &e->others, e->root);
    add(e, &tasks, known, true);
    flm_tasks_clear(&tasks);
}

/* And what has lost its parent since it was started, with what that has started. */
static void list_orphans(struct ending *e)
{
    struct flm_tasks tasks = {0};
    update_others(e);
    if (flm_tasks_add(&tasks, getpid()))
        flm_tasks_add_descendants(&tasks, &e->others, e->root);
    add(e, &tasks, 1, false);
    flm_tasks_clear(&tasks);
}

static void list(struct ending *e)
{
    list_descendants(e);
    list_orphans(e);
}

/* Those that have ended, and were not waited for, start nothing. */
static bool may_start_more(const struct ending *e, int32_t process)
{
    struct flm_proc_stat stat;
    return flm_proc_stat_read(e->root, process, 0, &stat) &&
           (stat.state != 'Z' || stat.threads > 1);
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
        bool is_no_other = e->others.at[i] == getpid();
        for (size_t k = 0; k < command.count; k++)
            is_no_other |= command.at[k] == e->others.at[i];
        if (!is_no_other && may_start_more(e, e->others.at[i]))
            e->others.at[kept++] = e->others.at[i];
    }
    e->others.count = kept;
    flm_tasks_clear(&command);
    list_descendants(e);
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

static bool await_end(struct ending *e)
{
    enum { STEP_MS = 10 };
    while (!have_ended(e)) {
        if (flm_now_ns() >= e->until_ns)
            return false;
        struct pollfd command = {.fd = flm_child_has_ended(e->child) ? -1 : e->child->ended,
                                 .events = POLLIN};
        poll(&command, 1, STEP_MS);
        update_others(e);
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
        list(e);
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
        list(&e); /* what was started since then */
        end_all(&e, SIGKILL, patience_ms);
    }
    prctl(PR_SET_CHILD_SUBREAPER, adopts);
    for (size_t i = 0; i < e.all.count; i++)
        close(e.all.at[i].file);
    FLM_ARRAY_CLEAR(&e.all);
    flm_tasks_clear(&e.others);
}
