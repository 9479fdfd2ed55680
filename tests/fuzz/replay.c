/* replay.c - runs a fuzz target on files, without a fuzzer: NAME_replay FILE|FOLDER...
 *
 * So every seed, and every input that once broke a reader, is tried by the ordinary tests with the
 * ordinary compiler. A folder stands for all files below it. */
#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned file_count;

static void stop(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(1);
}

/* The input gets a block of exactly its size, so that a sanitizer sees a read past its end. */
static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        stop(path);
    long size = ftell(file);
    uint8_t *data = size >= 0 ? malloc((size_t)size ? (size_t)size : 1) : NULL;
    rewind(file);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
        stop(path);
    fclose(file);

    /* Said before, so that the last line names the file of a crash. */
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    file_count++;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)where;
    if (type == FTW_F)
        replay(path);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], visit, 16, FTW_PHYS) != 0)
            stop(argv[i]);
    /* The empty input and one byte, whatever the seeds are. */
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    LLVMFuzzerTestOneInput((const uint8_t *)"\n", 1);
    printf("%u files\n", file_count);
    return 0;
}
