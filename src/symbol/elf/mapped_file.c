#include "symbol/elf/mapped_file.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

bool flm_mapped_file_parse(const char *numbers, struct flm_mapped_file *file)
{
    unsigned major, minor;
    unsigned long long inode;
    if (sscanf(numbers, " %x:%x %llu", &major, &minor, &inode) != 3)
        return false;
    *file = (struct flm_mapped_file){.major = major, .minor = minor, .inode = inode};
    return true;
}

bool flm_mapped_file_equal(const struct flm_mapped_file *a, const struct flm_mapped_file *b)
{
    return a->major == b->major && a->minor == b->minor && a->inode == b->inode &&
           (!a->generation || !b->generation || a->generation == b->generation);
}

static bool are_equal(const struct flm_mapped_file *wanted, const struct flm_mapped_file *found,
                      bool same_boot)
{
    if (same_boot && (wanted->major != found->major || wanted->minor != found->minor))
        return false;
    return wanted->inode == found->inode;
}

/* The numbers by which the kernel calls what we have mapped ourselves. */
static bool find_own_mapping(const void *address, struct flm_mapped_file *file)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t capacity = 0;
    bool is_found = false;
    while (maps && !is_found && getline(&line, &capacity, maps) > 0) {
        unsigned long long start, end;
        int numbers = 0;
        if (sscanf(line, "%llx-%llx %*s %*x %n", &start, &end, &numbers) == 2 && numbers > 0 &&
            start <= (uintptr_t)address && (uintptr_t)address < end)
            is_found = flm_mapped_file_parse(line + numbers, file);
    }
    free(line);
    if (maps)
        fclose(maps);
    return is_found;
}

/* stat() says what a file system likes to: on overlayfs (containers) and btrfs it has other numbers
 * for a file than its mappings have. Mapped by us the file has those of every mapping. */
bool flm_mapped_file_is(const struct flm_mapped_file *mapped, const struct flm_elf_file *file,
                        bool same_boot)
{
    assert(mapped && file);
    const struct flm_elf_identity *on_disk = &file->identity;
    if (mapped->generation && on_disk->generation && mapped->generation != on_disk->generation)
        return false;
    struct flm_mapped_file found = {
        .major = major(on_disk->device), .minor = minor(on_disk->device), .inode = on_disk->inode};
    if (are_equal(mapped, &found, same_boot))
        return true;
    return file->mapping && find_own_mapping(file->mapping, &found) &&
           are_equal(mapped, &found, same_boot);
}
