#include "record/sched/sched_state.h"

#include <assert.h>

const char *flm_sched_state_name(enum flm_sched_state state)
{
    static const char *const names[FLM_STATE_COUNT] = {"", "runnable", "blocked", "lock",
                                                       "sleeping"};
    assert(state < FLM_STATE_COUNT);
    return names[state];
}

enum flm_sched_state flm_sched_state_of_scheduler(uint64_t prev_state)
{
    /* Bits of the kernel as they are reported: S 1, D 2, T 4, t 8, X 16, Z 32, P 64,
     * I 128 (a kernel thread that idles); above them, that it was preempted. */
    enum { REPORTED = 0xFF, UNINTERRUPTIBLE = 2 };
    if ((prev_state & REPORTED) == 0)
        return FLM_STATE_RUNNABLE;
    return prev_state & UNINTERRUPTIBLE ? FLM_STATE_UNINTERRUPTIBLE : FLM_STATE_INTERRUPTIBLE;
}

/* Functions in which the kernel waits, of Linux 4.14 to 6.18. Only those that tell what for: all
 * waits go through schedule and schedule_timeout. A star stands for any end. */
static const struct {
    const char *name;
    enum flm_sched_state state;
} waits[] = {
    {"futex_wait*", FLM_STATE_LOCK},
    {"__futex_wait*", FLM_STATE_LOCK},
    {"futex_lock_pi*", FLM_STATE_LOCK},
    {"do_futex", FLM_STATE_LOCK},
    {"__mutex_lock*", FLM_STATE_LOCK},
    {"mutex_lock*", FLM_STATE_LOCK},
    {"__ww_mutex_lock*", FLM_STATE_LOCK},
    {"rwsem_down_*", FLM_STATE_LOCK},
    {"down_read*", FLM_STATE_LOCK},
    {"down_write*", FLM_STATE_LOCK},
    {"__down*", FLM_STATE_LOCK},
    {"rt_mutex_*", FLM_STATE_LOCK},
    {"__rt_mutex_*", FLM_STATE_LOCK},
    {"rtlock_*", FLM_STATE_LOCK},
    {"rt_spin_lock*", FLM_STATE_LOCK},
    {"percpu_rwsem_wait", FLM_STATE_LOCK},
    {"percpu_down_write", FLM_STATE_LOCK},
    {"do_lock_file_wait", FLM_STATE_LOCK},
    {"fcntl_setlk*", FLM_STATE_LOCK},
    {"locks_lock_inode_wait", FLM_STATE_LOCK},
    {"__do_semtimedop", FLM_STATE_LOCK},
    {"do_semtimedop", FLM_STATE_LOCK},

    {"io_schedule*", FLM_STATE_BLOCKED},
    {"bit_wait_io*", FLM_STATE_BLOCKED},
    {"folio_wait_*", FLM_STATE_BLOCKED},
    {"wait_on_page_*", FLM_STATE_BLOCKED},
    {"__wait_on_buffer", FLM_STATE_BLOCKED},
    {"submit_bio_wait", FLM_STATE_BLOCKED},
    {"blk_*", FLM_STATE_BLOCKED},
    {"jbd2_log_wait_commit", FLM_STATE_BLOCKED},
    {"balance_dirty_pages*", FLM_STATE_BLOCKED},
    {"throttle_direct_reclaim", FLM_STATE_BLOCKED},
    {"wait_for_completion_interruptible*", FLM_STATE_SLEEPING},
    {"wait_for_completion*", FLM_STATE_BLOCKED},
    {"nfs_*", FLM_STATE_BLOCKED},
    {"rpc_wait_*", FLM_STATE_BLOCKED},

    {"hrtimer_nanosleep*", FLM_STATE_SLEEPING},
    {"do_nanosleep", FLM_STATE_SLEEPING},
    {"msleep*", FLM_STATE_SLEEPING},
    {"usleep_range*", FLM_STATE_SLEEPING},
    {"do_sys_poll", FLM_STATE_SLEEPING},
    {"do_poll*", FLM_STATE_SLEEPING},
    {"do_select", FLM_STATE_SLEEPING},
    {"ep_poll", FLM_STATE_SLEEPING},
    {"do_epoll_wait", FLM_STATE_SLEEPING},
    {"pipe_read", FLM_STATE_SLEEPING},
    {"pipe_write", FLM_STATE_SLEEPING},
    {"anon_pipe_*", FLM_STATE_SLEEPING},
    {"fifo_open", FLM_STATE_SLEEPING},
    {"do_wait", FLM_STATE_SLEEPING},
    {"__do_wait", FLM_STATE_SLEEPING},
    {"kernel_wait4", FLM_STATE_SLEEPING},
    {"wait_woken", FLM_STATE_SLEEPING},
    {"do_sigtimedwait", FLM_STATE_SLEEPING},
    {"sigsuspend", FLM_STATE_SLEEPING},
    {"do_signal_stop", FLM_STATE_SLEEPING},
    {"ptrace_stop", FLM_STATE_SLEEPING},
    {"unix_stream_*", FLM_STATE_SLEEPING},
    {"__skb_wait_for_more_packets", FLM_STATE_SLEEPING},
    {"sk_wait_data", FLM_STATE_SLEEPING},
    {"sk_stream_wait_memory", FLM_STATE_SLEEPING},
    {"inet_csk_*", FLM_STATE_SLEEPING},
    {"n_tty_read", FLM_STATE_SLEEPING},
    {"do_msgrcv", FLM_STATE_SLEEPING},
    {"do_mq_timedreceive", FLM_STATE_SLEEPING},
    {"io_cqring_wait", FLM_STATE_SLEEPING},
    {"read_events", FLM_STATE_SLEEPING},
    {"eventfd_read", FLM_STATE_SLEEPING},
    {"signalfd_*", FLM_STATE_SLEEPING},
    {"timerfd_read*", FLM_STATE_SLEEPING},
    {"inotify_read", FLM_STATE_SLEEPING},
    {"worker_thread", FLM_STATE_SLEEPING},
    {"kthreadd", FLM_STATE_SLEEPING},
    {"rcu_gp_kthread", FLM_STATE_SLEEPING},
    {"smpboot_thread_fn", FLM_STATE_SLEEPING},
};

/* Parts that the compiler has split off are the function: "do_sigtimedwait.isra.0". */
static bool is_function(struct flm_bytes name, const char *pattern)
{
    size_t size = strlen(pattern);
    if (pattern[size - 1] == '*')
        return name.size >= size - 1 && memcmp(name.at, pattern, size - 1) == 0;
    return name.size >= size && memcmp(name.at, pattern, size) == 0 &&
           (name.size == size || name.at[size] == '.');
}

enum flm_sched_state flm_sched_state_of_function(struct flm_bytes function)
{
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
        if (is_function(function, waits[i].name))
            return waits[i].state;
    return FLM_STATE_RUNNING;
}

enum flm_sched_state flm_sched_state_decide(enum flm_sched_state known,
                                            enum flm_sched_state by_stack, bool *assumed)
{
    *assumed = false;
    if (known < FLM_STATE_COUNT)
        return known;
    if (by_stack == FLM_STATE_LOCK)
        return by_stack;
    if (known == FLM_STATE_UNINTERRUPTIBLE)
        return FLM_STATE_BLOCKED;
    if (known == FLM_STATE_INTERRUPTIBLE)
        return by_stack == FLM_STATE_BLOCKED ? by_stack : FLM_STATE_SLEEPING;
    *assumed = by_stack == FLM_STATE_RUNNING;
    return *assumed ? FLM_STATE_SLEEPING : by_stack;
}
