#include "os/child.h"

#include <assert.h>
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

static bool is_program(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return false;
    if (!S_ISREG(file.st_mode)) {
        errno = S_ISDIR(file.st_mode) ? EISDIR : EACCES;
        return false;
    }
    return access(path, X_OK) == 0;
}

bool flm_child_find(const char *name, const char *path, char *found, struct flm_error *why)
{
    int error = ENOENT;
    if (strchr(name, '/')) {
        bool fits = strlen(name) < FLM_CHILD_MOST_PATH;
        if (fits && is_program(name)) {
            memcpy(found, name, strlen(name) + 1);
            return true;
        }
        error = fits ? errno : ENAMETOOLONG;
    } else if (name[0]) {
        for (const char *at = path ? path : "/bin:/usr/bin"; at; at = strchr(at, ':')) {
            at += *at == ':';
            int size = (int)strcspn(at, ":");
            int wrote =
                snprintf(found, FLM_CHILD_MOST_PATH, "%.*s%s%s", size, at, size ? "/" : "./", name);
            bool fits = wrote > 0 && wrote < FLM_CHILD_MOST_PATH;
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
    char path[FLM_CHILD_MOST_PATH];
    char *const *arguments;
    char shell[3];    /* "sh" */
    char **as_script; /* of /bin/sh; owned */
};

static bool program_init(struct program *program, char *const *command, const char *path,
                         struct flm_error *why)
{
    size_t count = 0;
    *program = (struct program){.arguments = command, .shell = "sh"};
    if (!flm_child_find(command[0], path, program->path, why))
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

static bool refuse_pipe(struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot create a pipe to the command: %s%s",
                         strerror(errno), errno == EMFILE ? " (ulimit -n allows more)" : "");
}

static bool start(struct flm_child *child, const struct program *program, uint64_t files,
                  struct flm_error *why)
{
    int go[2], trouble[2];
    if (pipe2(go, O_CLOEXEC) != 0)
        return refuse_pipe(why);
    if (pipe2(trouble, O_CLOEXEC) != 0) {
        refuse_pipe(why);
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
    /* The file was found before. */
    const char *reason = got != (ssize_t)sizeof error ? "it has ended"
                         : error == ENOENT
                             ? "the interpreter that it names (#!, or ld.so) is not there"
                             : strerror(error);
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: cannot be executed: %s", name, reason);
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
