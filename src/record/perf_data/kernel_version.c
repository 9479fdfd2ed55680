#include "record/perf_data/kernel_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "symbol/elf/elf_file.h"

bool flm_kernel_build_id(struct flm_build_id *id)
{
    char notes[4096];
    FILE *file = fopen("/sys/kernel/notes", "re");
    size_t size = file ? fread(notes, 1, sizeof notes, file) : 0;
    if (file)
        fclose(file);
    return flm_elf_notes_build_id((struct flm_bytes){notes, size}, id);
}

/* Whether _text or _stext, with which perf's mapping begins, is at that address; false if addresses
 * are hidden. */
static bool text_begins_at(uint64_t start)
{
    FILE *file = fopen("/proc/kallsyms", "re");
    char line[256];
    bool found = false;
    for (int left = 2; file && left > 0 && !found && fgets(line, sizeof line, file);) {
        char *name;
        uint64_t address = strtoull(line, &name, 16);
        bool is_text = strlen(name) > 3 &&
                       (strcmp(name + 3, "_text\n") == 0 || strcmp(name + 3, "_stext\n") == 0);
        left -= is_text;
        found = is_text && address == start;
    }
    if (file)
        fclose(file);
    return found;
}

bool flm_kernel_is_ours(struct flm_bytes release, const struct flm_build_id *id, uint64_t start)
{
    struct utsname name;
    struct flm_build_id own;
    bool is_other = id->size > 0 && flm_kernel_build_id(&own) && !flm_build_id_equal(id, &own);
    return uname(&name) == 0 && flm_bytes_are(release, name.release) && !is_other && start &&
           text_begins_at(start);
}
