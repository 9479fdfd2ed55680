#include "os/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(void *context, const void *bytes, size_t size)
{
    struct flm_output *output = context;
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(output->file, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            output->error = errno;
            return false;
        }
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static void add_temporary_name(struct flm_text *name, const char *target)
{
    flm_text_format(name, "%s.%u.tmp", target, (unsigned)getpid());
    flm_text_putc(name, 0);
}

bool flm_output_temporary_name(const char *path, struct flm_text *name)
{
    char *target = realpath(path, NULL);
    add_temporary_name(name, target ? target : path);
    free(target);
    return !name->failed;
}

/* Opens a new file in the folder of `path`; false where that is impossible. */
static bool open_temporary(struct flm_output *output, const char *path)
{
    struct stat now;
    bool there = stat(path, &now) == 0;
    if (there ? !S_ISREG(now.st_mode) || access(path, W_OK) != 0 : lstat(path, &now) == 0)
        return false; /* not a file, or a link to one that does not exist yet */
    char *target = there ? realpath(path, NULL) : strdup(path);
    struct flm_text name = {0};
    add_temporary_name(&name, target ? target : "");
    if (target && !name.failed)
        output->file = open(name.at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->file < 0) {
        flm_text_clear(&name);
        free(target);
        return false;
    }
    if (there)
        (void)!fchmod(output->file, now.st_mode & 0777); /* else it has the mode of a new file */
    output->temporary = name.at;
    output->target = target;
    return true;
}

bool flm_output_open(struct flm_output *output, const char *path, struct flm_error *why)
{
    assert(output && path);
    *output = (struct flm_output){.file = -1, .path = path};
    flm_text_init(&output->text, write_all, output);
    if (strcmp(path, "-") == 0)
        output->file = dup(STDOUT_FILENO);
    else if (!open_temporary(output, path))
        output->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output->file < 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: cannot be written: %s%s",
                             strcmp(path, "-") == 0 ? "standard output" : path, strerror(errno),
                             errno == EISDIR ? ": name a file in it" : "");
    return true;
}

bool flm_output_close(struct flm_output *output, bool good, struct flm_error *why)
{
    assert(output && output->path);
    bool written = flm_text_flush(&output->text);
    bool out_of_memory = !written && output->error == 0;
    if (close(output->file) != 0 && output->error == 0)
        output->error = errno;
    flm_text_clear(&output->text);
    bool kept = good && written && output->error == 0;
    if (output->temporary && (!kept || rename(output->temporary, output->target) != 0)) {
        if (kept)
            output->error = errno;
        kept = false;
        unlink(output->temporary);
    }
    free(output->temporary);
    free(output->target);
    /* Also where `why` has another reason: whoever added to the text saw only that it failed. */
    if (out_of_memory)
        return flm_error_memory(why);
    if (kept || (!good && output->error == 0))
        return kept;
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: cannot be written: %s",
                         strcmp(output->path, "-") == 0 ? "standard output" : output->path,
                         strerror(output->error));
}
