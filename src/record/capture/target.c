#include "record/capture/target.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core/bytes.h"
#include "base/number/number.h"

/* ---- A command ------------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return false;
    if (!S_ISREG(file.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return access(path, X_OK) == 0;
}

enum { MOST_PATH = 4096 };

/* The file of the program, searched as execvp does with `path` for PATH: errors are reported before
 * the fork. */
static bool find_command(const char *name, const char *path, char *found, struct flm_error *why)
{
    int error = ENOENT;
    if (strchr(name, '/')) {
        bool fits = strlen(name) < MOST_PATH;
        if (fits && is_program(name)) {
            memcpy(found, name, strlen(name) + 1);
            return true;
        }
        error = fits ? errno : ENAMETOOLONG;
    } else if (name[0]) {
        for (const char *at = path ? path : "/bin:/usr/bin"; at; at = strchr(at, ':')) {
            at += *at == ':';
            int size = (int)strcspn(at, ":");
            int wrote = snprintf(found, MOST_PATH, "%.*s%s%s", size, at, size ? "/" : "./", name);
            bool fits = wrote > 0 && wrote < MOST_PATH;
            if (fits && is_program(found))
                return true;
            if (fits && errno == EACCES)
                error = EACCES;
        }
    }
    if (!name[0])
        return flm_error_set(why, FLM_ERROR_USAGE, "the command name is empty");
    if (error == ENOENT)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             strchr(name, '/') ? "%s: no such file" : "%s: command not found",
                             name);
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: cannot be executed: %s", name,
                         strerror(error));
}

/* The arguments of execv, made before the fork: nothing may be allocated after it. */
struct program {
    char path[MOST_PATH];
    char *const *arguments;
    char shell[3];    /* "sh" */
    char **as_script; /* of /bin/sh; owned */
};

static bool program_init(struct program *program, char *const *command, const char *path,
                         struct flm_error *why)
{
    size_t count = 0;
    *program = (struct program){.arguments = command, .shell = "sh"};
    if (!find_command(command[0], path, program->path, why))
        return false;
    while (command[count])
        count++;
    program->as_script = calloc(count + 2, sizeof *program->as_script);
    if (!program->as_script)
        return flm_error_memory(why);
    program->as_script[0] = program->shell;
    program->as_script[1] = program->path;
    for (size_t i = 1; i < count; i++)
        program->as_script[i + 1] = command[i];
    return true;
}

/* Uses only functions that are safe between fork and exec. */
_Noreturn static void wait_and_exec(int go, int trouble, const struct program *program,
                                    uint64_t most_files)
{
    char byte;
    ssize_t got;
    do
        got = read(go, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(0); /* it is not wanted any more */
    struct rlimit files;
    if (most_files > 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = most_files;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(program->path, program->arguments);
    int error = errno;
    if (error == ENOEXEC) { /* a script without #!: run by the shell, as execvp does */
        execv("/bin/sh", program->as_script);
        error = errno;
    }
    (void)!write(trouble, &error, sizeof error);
    _exit(127);
}

static bool start(struct flm_child *child, const struct program *program, uint64_t files,
                  struct flm_error *why)
{
    int go[2], trouble[2];
    if (pipe2(go, O_CLOEXEC) != 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot create a pipe to the command: %s",
                             strerror(errno));
    if (pipe2(trouble, O_CLOEXEC) != 0) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "cannot create a pipe to the command: %s",
                      strerror(errno));
        close(go[0]);
        close(go[1]);
        return false;
    }
    fflush(NULL); /* buffered output must not be written twice */
    pid_t process = fork();
    if (process == 0) {
        close(go[1]); /* else it would wait for ever if we are killed */
        wait_and_exec(go[0], trouble[1], program, files);
    }
    int error = errno;
    close(go[0]);
    close(trouble[1]);
    if (process < 0) {
        close(go[1]);
        close(trouble[0]);
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: cannot be started: %s",
                             program->arguments[0], strerror(error));
    }
    child->process = process;
    child->go = go[1];
    child->trouble = trouble[0];
#ifdef SYS_pidfd_open
    child->ended = (int)syscall(SYS_pidfd_open, process, 0);
#endif
    return true;
}

bool flm_child_start(struct flm_child *child, char *const *command, const char *path,
                     uint64_t files, struct flm_error *why)
{
    assert(command && command[0]);
    struct program program;
    *child = (struct flm_child){.go = -1, .trouble = -1, .ended = -1, .status = -1};
    bool good = program_init(&program, command, path, why) && start(child, &program, files, why);
    free(program.as_script);
    return good;
}

bool flm_child_release(struct flm_child *child, const char *name, struct flm_error *why)
{
    int error = 0;
    ssize_t wrote = write(child->go, "g", 1), got;
    close(child->go);
    child->go = -1;
    do
        got = read(child->trouble, &error, sizeof error); /* ends when exec closes it */
    while (got < 0 && errno == EINTR);
    close(child->trouble);
    child->trouble = -1;
    if (wrote == 1 && got == 0)
        return true;
    waitpid(child->process, &child->status, 0);
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: cannot be executed: %s", name,
                         got == (ssize_t)sizeof error ? strerror(error) : "it has ended");
}

bool flm_child_has_ended(struct flm_child *child)
{
    if (child->process == 0 || child->status != -1)
        return child->process != 0;
    int status;
    if (waitpid(child->process, &status, WNOHANG) == child->process)
        child->status = status;
    return child->status != -1;
}

void flm_child_clear(struct flm_child *child)
{
    if (child->process == 0)
        return;
    if (child->go >= 0) {
        close(child->go); /* it reads the end of the pipe, and exits */
        if (child->status == -1)
            waitpid(child->process, &child->status, 0);
    }
    if (child->trouble >= 0)
        close(child->trouble);
    if (child->ended >= 0)
        close(child->ended);
    *child = (struct flm_child){.go = -1, .trouble = -1, .ended = -1, .status = -1};
}

/* ---- Tasks that exist ------------------------------------------------------------------------ */

bool flm_tasks_add(struct flm_tasks *tasks, int32_t task)
{
    for (size_t i = 0; i < tasks->count; i++)
        if (tasks->at[i] == task)
            return true;
    return FLM_ARRAY_ADD(tasks, task);
}

void flm_tasks_clear(struct flm_tasks *tasks)
{
    free(tasks->at);
    *tasks = (struct flm_tasks){0};
}

/* Adds the tasks that the folder lists now; returns whether there was a new one. -1: no such
 * folder. -2: memory ran out. */
static int add_listed(struct flm_tasks *tasks, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    size_t before = tasks->count;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(folder));) {
        uint64_t task;
        if (flm_number_parse_uint(flm_bytes_of(entry->d_name), &task) && task <= INT32_MAX)
            good = flm_tasks_add(tasks, (int32_t)task);
    }
    closedir(folder);
    return !good ? -2 : tasks->count > before;
}

bool flm_tasks_of_process(struct flm_tasks *tasks, int32_t process, const char *root,
                          struct flm_error *why)
{
    enum { MOST_SCANS = 64 }; /* of a process that starts threads all the time */
    char path[256];
    snprintf(path, sizeof path, "%s/proc/%d/task", root, process);
    int change = add_listed(tasks, path);
    if (change == -1)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "there is no process %d", process);
    for (int i = 0; i < MOST_SCANS && change == 1; i++)
        change = add_listed(tasks, path);
    return change != -2 || flm_error_memory(why);
}

int32_t flm_task_process(int32_t task, const char *root, struct flm_error *why)
{
    char path[256], line[256];
    snprintf(path, sizeof path, "%s/proc/%d/status", root, task);
    FILE *status = fopen(path, "re");
    int32_t process = -1;
    while (status && process < 0 && fgets(line, sizeof line, status))
        if (strncmp(line, "Tgid:", 5) == 0)
            process = (int32_t)strtol(line + 5, NULL, 10);
    if (status)
        fclose(status);
    if (process < 0)
        flm_error_set(why, FLM_ERROR_SYSTEM, "there is no thread %d", task);
    return process;
}

/* ---- Processes that processes started -------------------------------------------------------- */

/* A process and its parent. */
struct kin {
    int32_t process, parent;
};

struct kin_list FLM_ARRAY(struct kin);

/* The fourth field of /proc/PID/stat; the second, the name, may hold blanks and parentheses. 0: the
 * process has ended. */
static int32_t parent_of(int32_t process, const char *root)
{
    char path[256], line[512];
    snprintf(path, sizeof path, "%s/proc/%d/stat", root, process);
    FILE *file = fopen(path, "re");
    const char *name_end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    int parent = 0;
    if (file)
        fclose(file);
    return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* False when memory ran out. */
static bool list_kin(struct kin_list *list, const char *root)
{
    char path[256];
    snprintf(path, sizeof path, "%s/proc", root);
    DIR *folder = opendir(path);
    bool good = true;
    for (struct dirent *entry; folder && good && (entry = readdir(folder));) {
        uint64_t process;
        if (!flm_number_parse_uint(flm_bytes_of(entry->d_name), &process) || process > INT32_MAX)
            continue;
        int32_t parent = parent_of((int32_t)process, root);
        good = parent == 0 || FLM_ARRAY_ADD(list, ((struct kin){(int32_t)process, parent}));
    }
    if (folder)
        closedir(folder);
    return good;
}

bool flm_tasks_add_descendants(struct flm_tasks *processes, const char *root)
{
    struct kin_list list = {0};
    bool good = list_kin(&list, root);
    /* What is added at the end is a parent too. */
    for (size_t i = 0; good && i < processes->count; i++)
        for (size_t k = 0; good && k < list.count; k++)
            if (list.at[k].parent == processes->at[i])
                good = flm_tasks_add(processes, list.at[k].process);
    FLM_ARRAY_CLEAR(&list);
    return good;
}
