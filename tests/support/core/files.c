#include "support/core/files.h"

#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

struct flm_text read_file(const char *path)
{
    struct flm_text text = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be read", path);
    char buffer[4096];
    for (size_t size; (size = fread(buffer, 1, sizeof buffer, file)) > 0;)
        flm_text_add(&text, (struct flm_bytes){buffer, size});
    fclose(file);
    assert_false(text.failed);
    return text;
}

size_t each_file(const char *folder, const char *ending,
                 void (*visit)(const char *path, void *context), void *context)
{
    struct dirent **names;
    size_t visited = 0;
    int count = scandir(folder, &names, NULL, alphasort);
    if (count < 0)
        fail_msg("there is no folder %s", folder);
    for (int i = 0; i < count; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && flm_bytes_end_with(flm_bytes_of(path), ending)) {
            visit(path, context);
            visited++;
        }
        free(names[i]);
    }
    free(names);
    return visited;
}

static char folder[200];
static pid_t owner; /* a forked child leaves the folder to its parent */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    if (getpid() == owner)
        nftw(folder, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

static void make_folder(void)
{
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/flamel-test-XXXXXX", where ? where : "/tmp");
    assert_non_null(mkdtemp(folder));
    owner = getpid();
    atexit(remove_folder);
}

const char *temporary_path(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local char paths[4][300];
    static _Thread_local int next;
    pthread_once(&once, make_folder);
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *write_temporary(const char *name, struct flm_bytes content)
{
    const char *path = temporary_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content.at, 1, content.size, file), content.size);
    assert_int_equal(fclose(file), 0);
    return path;
}
