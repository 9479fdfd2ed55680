#include "os/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Whether files of this system are made by the kernel when they are read. */
static bool is_of_kernel(unsigned long type)
{
    static const unsigned long types[] = {PROC_SUPER_MAGIC,   SYSFS_MAGIC,        DEBUGFS_MAGIC,
                                          TRACEFS_MAGIC,      BPF_FS_MAGIC,       SECURITYFS_MAGIC,
                                          CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (type == types[i])
            return true;
    return false;
}

static bool is_regular(int descriptor)
{
    struct stat status;
    struct statfs system;
    if (fstat(descriptor, &status) != 0 || fstatfs(descriptor, &system) != 0)
        return false;
    bool good = S_ISREG(status.st_mode) && !is_of_kernel((unsigned long)system.f_type);
    errno = good ? errno : EINVAL;
    return good;
}

/* Where /proc is not mounted there is only the name, which may lead to another file by now. */
static int open_by_name(const char *path, int resolved)
{
    struct stat wanted, got;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 && fstat(resolved, &wanted) == 0 && fstat(file, &got) == 0 &&
        wanted.st_dev == got.st_dev && wanted.st_ino == got.st_ino)
        return file;
    if (file >= 0) {
        close(file);
        errno = EINVAL;
    }
    return -1;
}

int flm_regular_file_open(const char *path)
{
    char resolved_path[32];
    int resolved = open(path, O_PATH | O_CLOEXEC), file = -1;
    if (resolved < 0)
        return -1;
    if (is_regular(resolved)) {
        snprintf(resolved_path, sizeof resolved_path, "/proc/self/fd/%d", resolved);
        file = open(resolved_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file < 0 && errno == ENOENT)
            file = open_by_name(path, resolved);
    }
    int error = errno;
    close(resolved);
    errno = error;
    return file;
}

bool flm_is_regular_file(const char *path)
{
    int resolved = open(path, O_PATH | O_CLOEXEC);
    bool good = resolved >= 0 && is_regular(resolved);
    if (resolved >= 0)
        close(resolved);
    return good;
}
