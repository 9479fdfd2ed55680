#include "cli/common/standard_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void flm_standard_files_lend(struct flm_standard_files *files, int input, int output, int errors)
{
    const int lent[3] = {input, output, errors};
    int copies[3] = {-1, -1, -1};
    fflush(NULL);
    for (int i = 0; i < 3; i++) {
        files->kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        copies[i] = lent[i] >= 0 ? fcntl(lent[i], F_DUPFD_CLOEXEC, 3) : -1;
    }
    /* Only now: one that is lent may be another of the three. */
    for (int i = 0; i < 3; i++)
        if (copies[i] >= 0) {
            dup2(copies[i], i);
            close(copies[i]);
        }
}

void flm_standard_files_take_back(struct flm_standard_files *files)
{
    for (int i = 0; i < 3; i++)
        if (files->kept[i] >= 0) {
            dup2(files->kept[i], i);
            close(files->kept[i]);
        }
}
