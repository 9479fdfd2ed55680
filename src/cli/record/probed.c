#include "cli/record/probed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/preload.h"
#include "cli/record/recording_signals.h"

/* The command has got what the terminal sent already, and gets what was sent to us alone: once. */
static void wait_for(struct flm_probed *probed)
{
    enum { OFTEN_MS = 50, SELDOM_MS = 1000 };
    struct flm_recording_stopping stopping = {.process = probed->child.process};
    while (!flm_child_has_ended(&probed->child)) {
        struct pollfd ended = {.fd = probed->child.ended, .events = POLLIN};
        bool is_patient = flm_recording_signal() == 0 && probed->child.ended >= 0;
        poll(&ended, 1, is_patient ? SELDOM_MS : OFTEN_MS);
        if (!flm_recording_goes_on(&stopping)) {
            probed->stopped_by = flm_recording_signal();
            return;
        }
    }
}

/* ---- The folder ------------------------------------------------------------------------------ */

/* Commas end words of FLAMEL, and colons are in no way special there; %p is the process. */
static bool make_folder(struct flm_probed *probed, struct flm_error *why)
{
    const char *where = getenv("TMPDIR");
    if (!where || where[0] != '/' || strpbrk(where, ",%"))
        where = "/tmp";
    flm_text_format(&probed->folder, "%s/flamel-probe-XXXXXX", where);
    flm_text_putc(&probed->folder, 0);
    if (probed->folder.failed)
        return flm_error_memory(why);
    if (!mkdtemp(probed->folder.at)) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "%s: no folder can be made there: %s", where,
                      strerror(errno));
        flm_text_clear(&probed->folder);
        return false;
    }
    /* Programs that root starts give up its rights before they work: servers. They may add files,
     * and see none. */
    if (geteuid() == 0)
        chmod(probed->folder.at, 01733);
    return true;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

static bool add_file(struct flm_probed *probed, int folder, const char *name)
{
    struct stat file;
    char *path = malloc(probed->folder.size + strlen(name) + 2);
    int descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    void *bytes = MAP_FAILED;
    if (descriptor >= 0 && fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) &&
        file.st_size > 0)
        bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (descriptor >= 0)
        close(descriptor);
    bool good =
        path && FLM_ARRAY_RESERVE(&probed->paths, 1) && FLM_ARRAY_RESERVE(&probed->files, 1);
    if (!good || bytes == MAP_FAILED) {
        free(path);
        if (bytes != MAP_FAILED)
            munmap(bytes, (size_t)file.st_size);
        return good;
    }
    strcpy(path, probed->folder.at);
    strcat(path, "/");
    strcat(path, name);
    probed->paths.at[probed->paths.count++] = path;
    probed->files.at[probed->files.count++] =
        (struct flm_name){.at = bytes, .size = (size_t)file.st_size};
    return true;
}

static bool find_files(struct flm_probed *probed, struct flm_error *why)
{
    DIR *folder = opendir(probed->folder.at);
    bool good = true;
    for (struct dirent *entry; folder && good && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            good = add_file(probed, dirfd(folder), entry->d_name);
    if (folder)
        closedir(folder);
    return good || flm_error_memory(why);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* What was there before is the variable's again. */
static void set_back(const char *name, char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    free(value);
}

static char *copy_of(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* With the variables set only as long as it is started: what we start later is not measured. */
static bool start(struct flm_probed *probed, char *const *command, const char *words,
                  struct flm_error *why)
{
    struct flm_text library = {0}, preload = {0}, settings = {0};
    char *preload_before = copy_of(getenv("LD_PRELOAD")),
         *settings_before = copy_of(getenv("FLAMEL"));
    bool good = flm_preload_find(&library, why);
    if (good) {
        flm_text_putc(&library, 0);
        flm_preload_add(&preload, library.at, preload_before);
        flm_text_putc(&preload, 0);
        flm_text_format(&settings, "quiet,file:%s/%%p%s%s", probed->folder.at, *words ? "," : "",
                        words);
        flm_text_putc(&settings, 0);
        good = !(library.failed || preload.failed || settings.failed) || flm_error_memory(why);
    }
    if (good && (setenv("LD_PRELOAD", preload.at, 1) != 0 || setenv("FLAMEL", settings.at, 1) != 0))
        good = flm_error_memory(why);
    good = good && flm_child_start(&probed->child, command, getenv("PATH"), 0, why);
    set_back("LD_PRELOAD", preload_before);
    set_back("FLAMEL", settings_before);
    flm_text_clear(&library);
    flm_text_clear(&preload);
    flm_text_clear(&settings);
    return good;
}

bool flm_probed_run(struct flm_probed *probed, char *const *command, const char *words,
                    struct flm_error *why)
{
    char path[FLM_CHILD_MOST_PATH];
    *probed = (struct flm_probed){.child = {.go = -1, .trouble = -1, .ended = -1, .status = -1}};
    if (!flm_child_find(command[0], getenv("PATH"), path, why) ||
        !flm_preload_check(path, command[0], why) || !make_folder(probed, why) ||
        !start(probed, command, words, why))
        return false;
    flm_recording_signals_catch(
        &probed->caught); /* the command, which is forked by now, has those of before */
    if (!flm_child_release(&probed->child, command[0], why))
        return false;
    wait_for(probed);
    return find_files(probed, why);
}

int flm_probed_exit_status(const struct flm_probed *probed)
{
    enum { SIGNALED = 128 };
    int status = probed->child.status;
    if (status == -1)
        return SIGNALED + probed->stopped_by;
    return WIFSIGNALED(status) ? SIGNALED + WTERMSIG(status) : WEXITSTATUS(status);
}

void flm_probed_clear(struct flm_probed *probed)
{
    for (size_t i = 0; i < probed->files.count; i++)
        munmap((void *)probed->files.at[i].at, probed->files.at[i].size);
    for (size_t i = 0; i < probed->paths.count; i++)
        free(probed->paths.at[i]);
    FLM_ARRAY_CLEAR(&probed->files);
    FLM_ARRAY_CLEAR(&probed->paths);
    flm_child_clear(&probed->child);
    if (probed->folder.size > 0)
        remove_folder(probed->folder.at);
    flm_text_clear(&probed->folder);
    flm_signals_restore(&probed->caught);
}
