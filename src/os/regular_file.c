#include "os/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

/* Opens what was resolved, for reading, and closes `resolved`. Without a `path` there is no other
 * way than /proc. */
static int open_resolved(int resolved, const char *path)
{
    char resolved_path[32];
    int file = -1;
    if (resolved < 0)
        return -1;
    if (is_regular(resolved)) {
        snprintf(resolved_path, sizeof resolved_path, "/proc/self/fd/%d", resolved);
        file = open(resolved_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file < 0 && errno == ENOENT && path)
            file = open_by_name(path, resolved);
    }
    int error = errno;
    close(resolved);
    errno = error;
    return file;
}

int flm_regular_file_open(const char *path)
{
    return open_resolved(open(path, O_PATH | O_CLOEXEC), path);
}

/* ---- Below a folder -------------------------------------------------------------------------- */

/* For kernels before 5.6, and filters that do not know openat2: what was resolved says where it is,
 * and links that lead out of the folder and back are not seen. */
static bool lies_beneath(int folder, int resolved)
{
    char name[32], folder_path[PATH_MAX], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
    ssize_t folder_size = readlink(name, folder_path, sizeof folder_path);
    snprintf(name, sizeof name, "/proc/self/fd/%d", resolved);
    ssize_t size = readlink(name, path, sizeof path);
    if (folder_size <= 0 || size <= folder_size || size == sizeof path)
        return false;
    bool is_root = folder_size == 1;
    return is_root ||
           (memcmp(path, folder_path, (size_t)folder_size) == 0 && path[folder_size] == '/');
}

static int resolve_beneath(int folder, const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    int resolved = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (resolved >= 0 || (errno != ENOSYS && errno != EPERM))
        return resolved;
    resolved = openat(folder, path, O_PATH | O_CLOEXEC);
    if (resolved >= 0 && !lies_beneath(folder, resolved)) {
        close(resolved);
        errno = EXDEV;
        return -1;
    }
    return resolved;
}

int flm_regular_file_open_beneath(const char *folder, const char *path)
{
    int resolved_folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (resolved_folder < 0)
        return -1;
    int resolved = path[0] == '/' ? -1 : resolve_beneath(resolved_folder, path);
    int error = path[0] == '/' ? EXDEV : errno;
    close(resolved_folder);
    errno = error;
    return open_resolved(resolved, NULL);
}

bool flm_is_regular_file(const char *path)
{
    int resolved = open(path, O_PATH | O_CLOEXEC);
    bool good = resolved >= 0 && is_regular(resolved);
    if (resolved >= 0)
        close(resolved);
    return good;
}
