#include "support/record/python_interpreters.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/core/files.h"

static size_t add_matches(const char *pattern, char (*paths)[512], size_t count, size_t capacity)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return count;
    for (size_t i = 0; i < found.gl_pathc && count < capacity; i++) {
        const char *path = found.gl_pathv[i];
        int minor = atoi(strrchr(path, '.') + 1);
        if (minor >= 8 && minor <= 15 && !strstr(path, "-config"))
            snprintf(paths[count++], sizeof paths[0], "%s", path);
    }
    globfree(&found);
    return count;
}

size_t python_interpreters(char (*paths)[512], size_t capacity)
{
    char pattern[512];
    const char *home = getenv("HOME");
    size_t count = 0;
    for (int digits = 1; digits <= 2; digits++) {
        const char *end = digits == 1 ? "[89]" : "1[0-5]";
        snprintf(pattern, sizeof pattern, "/usr/bin/python3.%s", end);
        count = add_matches(pattern, paths, count, capacity);
        snprintf(pattern, sizeof pattern, "%s/.pyenv/versions/*/bin/python3.%s", home ? home : "",
                 end);
        count = add_matches(pattern, paths, count, capacity);
    }
    return count;
}

void python_start(struct script_target *target, const char *interpreter, const char *name,
                  const char *script)
{
    char words[2][512], dont_cache[] = "-B";
    snprintf(words[0], sizeof words[0], "%s", interpreter);
    snprintf(words[1], sizeof words[1], "%s", write_temporary(name, flm_bytes_of(script)));
    script_start(target, (char *[]){words[0], dont_cache, words[1], NULL});
}
