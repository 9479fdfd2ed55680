/* regular_file.c - os/regular_file.h where the host resolves names: it opens what is below the
 * folders that it has given, and devices are no files there. */
#include "os/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int opened(int file)
{
    struct stat facts;
    if (file < 0 || (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)))
        return file;
    close(file);
    errno = EINVAL;
    return -1;
}

int flm_regular_file_open(const char *path)
{
    return flm_is_regular_file(path) ? opened(open(path, O_RDONLY | O_CLOEXEC)) : -1;
}

int flm_regular_file_open_beneath(const char *folder, const char *path)
{
    (void)folder, (void)path;
    errno = EXDEV;
    return -1;
}

bool flm_is_regular_file(const char *path)
{
    struct stat facts;
    bool is = stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
    errno = is ? 0 : EINVAL;
    return is;
}
