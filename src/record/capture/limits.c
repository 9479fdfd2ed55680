#include "record/capture/limits.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A number that a file of /proc begins with; `otherwise` when there is none. */
static long long read_number(const char *root, const char *name, long long otherwise)
{
    char path[512], digits[64];
    snprintf(path, sizeof path, "%s/proc/sys/kernel/%s", root, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return otherwise;
    ssize_t size = read(file, digits, sizeof digits - 1);
    close(file);
    if (size <= 0)
        return otherwise;
    digits[size] = 0;
    char *end;
    long long number = strtoll(digits, &end, 10);
    return end == digits ? otherwise : number;
}

static bool has_capability(unsigned which)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    if (syscall(SYS_capget, &header, data) != 0)
        return false;
    return data[which / 32].effective >> which % 32 & 1;
}

/* CAP_PERFMON came with Linux 5.8; headers of older systems do not have it. */
enum { PERFMON = 38, SYSLOG = 34 };

void flm_limits_read(struct flm_limits *limits, const char *root)
{
    assert(root);
    long long paranoid = read_number(root, "perf_event_paranoid", INT_MAX);
    long long pointers = read_number(root, "kptr_restrict", 1);
    *limits = (struct flm_limits){.is_there = paranoid != INT_MAX};
    limits->paranoid = limits->is_there ? (int)paranoid : 2;
    limits->privileged = has_capability(PERFMON) || has_capability(CAP_SYS_ADMIN);
    limits->before_perfmon = read_number(root, "cap_last_cap", PERFMON) < PERFMON;
    limits->most_hz = (uint64_t)read_number(root, "perf_event_max_sample_rate", 0);
    limits->locked_kb = (uint64_t)read_number(root, "perf_event_mlock_kb", 516);
    limits->kernel_addresses_hidden = pointers >= 2 || (pointers == 1 && !has_capability(SYSLOG)) ||
                                      (pointers == 0 && paranoid > 1 && !has_capability(SYSLOG));
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    limits->files_before = files.rlim_cur;
    if (files.rlim_cur < files.rlim_max) {
        struct rlimit more = {files.rlim_max, files.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &more) == 0)
            files = more;
    }
    limits->files = files.rlim_cur;
}

const char *flm_limits_capability(const struct flm_limits *limits)
{
    return limits->before_perfmon ? "CAP_SYS_ADMIN" : "CAP_PERFMON";
}

void flm_limits_explain_kernel(const struct flm_limits *limits, struct flm_text *out)
{
    flm_text_format(out,
                    "no kernel frames: kernel.perf_event_paranoid is %d (sysctl "
                    "kernel.perf_event_paranoid=1 or %s allows them)",
                    limits->paranoid, flm_limits_capability(limits));
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* Whose process it is decides who may record it. */
static bool refuse_task(int32_t task, const char *capability, struct flm_error *why)
{
    char path[64];
    struct stat owner;
    snprintf(path, sizeof path, "/proc/%d", task);
    if (stat(path, &owner) != 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "no permission to record %d: it belongs to another user, or may not "
                             "be traced (root and %s with CAP_SYS_PTRACE may)",
                             task, capability);
    if (owner.st_uid == geteuid())
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "no permission to record %d: it may not be traced (root and %s with "
                             "CAP_SYS_PTRACE may: sudo flamel ...)",
                             task, capability);
    if (owner.st_uid == 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "no permission to record %d: it belongs to root, so only root and %s "
                             "with CAP_SYS_PTRACE may (sudo flamel ...)",
                             task, capability);
    return flm_error_set(why, FLM_ERROR_SYSTEM,
                         "no permission to record %d: it belongs to user %u, so only that user, "
                         "root and %s with CAP_SYS_PTRACE may (sudo flamel ...)",
                         task, (unsigned)owner.st_uid, capability);
}

static bool refuse_access(const struct flm_limits *l, const struct flm_refusal *r,
                          struct flm_error *why)
{
    const char *capability = flm_limits_capability(l);
    if (!l->is_there)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "this kernel has no perf events, or a container hides them: "
                             "/proc/sys/kernel/perf_event_paranoid is missing");
    /* With sufficient privileges the kernel would permit it: something else refused. */
    if (l->privileged || (r->own_task && l->paranoid <= 2 && r->attr->exclude_kernel))
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "%s may not be opened, though the kernel would allow it: a container "
                             "or its seccomp filter forbids perf_event_open (docker run "
                             "--cap-add %s --security-opt seccomp=unconfined allows it)",
                             r->event, capability + strlen("CAP_"));
    if (r->whole_machine)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "the whole machine may be recorded by root or with %s only: "
                             "kernel.perf_event_paranoid is %d (sysctl "
                             "kernel.perf_event_paranoid=0 allows it to everyone)",
                             capability, l->paranoid);
    if (l->paranoid > 2)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "only root and %s may record: kernel.perf_event_paranoid is "
                             "%d (sysctl kernel.perf_event_paranoid=2 allows own processes)",
                             capability, l->paranoid);
    if (r->attr->type == PERF_TYPE_TRACEPOINT)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "%s: tracepoints are for root and %s: "
                             "kernel.perf_event_paranoid is %d (sysctl "
                             "kernel.perf_event_paranoid=-1 allows them)",
                             r->event, capability, l->paranoid);
    if (!r->own_task && r->task > 0)
        return refuse_task(r->task, capability, why);
    return flm_error_set(why, FLM_ERROR_SYSTEM,
                         "%s: you may not record the kernel: kernel.perf_event_paranoid "
                         "is %d (sysctl kernel.perf_event_paranoid=1 or %s allows it; "
                         "user space only, :u, needs no privileges)",
                         r->event, l->paranoid, capability);
}

bool flm_limits_refuse(const struct flm_limits *l, const struct flm_refusal *r,
                       struct flm_error *why)
{
    assert(r->error != 0 && r->event && r->attr);
    switch (r->error) {
    case EACCES:
    case EPERM:
        return refuse_access(l, r, why);
    case EMFILE:
    case ENFILE:
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "too many files: recording needs one for each event, thread and "
                             "processor, and %llu may be open (ulimit -n N as root "
                             "allows more; fewer events or threads need fewer)",
                             (unsigned long long)(r->error == EMFILE ? l->files : r->files));
    case ENOSYS:
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "this kernel has no perf events, or a container hides them "
                             "(perf_event_open: function not implemented)");
    case ENOENT:
    case ENODEV:
    case ENXIO:
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             r->attr->type == PERF_TYPE_SOFTWARE ||
                                     r->attr->type == PERF_TYPE_TRACEPOINT
                                 ? "this kernel does not have %s"
                                 : "this machine does not have %s: virtual machines often have no "
                                   "hardware counters (cpu-clock works everywhere)",
                             r->event);
    case EOPNOTSUPP:
        return flm_error_set(
            why, FLM_ERROR_SYSTEM,
            r->attr->precise_ip ? "%s: the processor has no precise sampling of it (leave out p)"
            : r->attr->sample_type & PERF_SAMPLE_BRANCH_STACK
                ? "%s: the processor has no last branch records (--call-graph=dwarf works "
                  "everywhere)"
                : "%s: the processor can count it, but not sample it",
            r->event);
    case EBUSY:
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "%s: another program has exclusive use of the counter", r->event);
    case ESRCH:
        return flm_error_set(why, FLM_ERROR_SYSTEM, "there is no process or thread %d", r->task);
    case EINVAL:
        return flm_error_set(
            why, FLM_ERROR_SYSTEM,
            r->attr->sample_type & PERF_SAMPLE_BRANCH_STACK
                ? "%s: the processor has no last branch records (--call-graph=dwarf works "
                  "everywhere)"
                : "%s: the kernel does not know this event, or not with these modifiers",
            r->event);
    case ENOMEM:
        return flm_error_set(why, FLM_ERROR_MEMORY, "out of memory");
    default:
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", r->event, strerror(r->error));
    }
}
