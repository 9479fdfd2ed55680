#include "cli/common/preload.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- The library ----------------------------------------------------------------------------- */

static const char library_name[] = "libflamel-probe.so.0";

/* Beside the command, or from PREFIX/bin in one of the folders that systems have for libraries;
 * Debian has those that no program is linked with in a folder of their own. */
static const char *const folders[] = {
    "",
    "../lib/",
    "../lib64/",
#if defined __x86_64__
    "../lib/x86_64-linux-gnu/",
    "../lib/x86_64-linux-gnu/flamel/",
#elif defined __aarch64__
    "../lib/aarch64-linux-gnu/",
    "../lib/aarch64-linux-gnu/flamel/",
#endif
};

bool flm_preload_find(struct flm_text *path, struct flm_error *why)
{
    return flm_library_find(library_name, "libflamel-probe0", path, why);
}

bool flm_library_find(const char *name, const char *package, struct flm_text *path,
                      struct flm_error *why)
{
    char command[4096];
    ssize_t size = readlink("/proc/self/exe", command, sizeof command);
    while (size > 0 && command[size - 1] != '/')
        size--;
    for (size_t i = 0; size > 0 && i < sizeof folders / sizeof *folders; i++) {
        size_t before = path->size;
        flm_text_format(path, "%.*s%s%s", (int)size, command, folders[i], name);
        flm_text_putc(path, 0);
        if (path->failed)
            return flm_error_memory(why);
        if (access(path->at + before, R_OK) == 0) {
            path->size--;
            return true;
        }
        path->size = before;
    }
    return flm_error_set(why, FLM_ERROR_SYSTEM,
                         "%s is not in the folder of flamel, nor in ../lib: install the "
                         "Debian package %s, or run 'make install'",
                         name, package);
}

void flm_preload_add(struct flm_text *value, const char *library, const char *others)
{
    flm_text_puts(value, library);
    if (others && *others)
        flm_text_format(value, ":%s", others);
}

/* ---- The program ----------------------------------------------------------------------------- */

/* With the rights of its owner, its group, or some of root's, the dynamic linker ignores
 * LD_PRELOAD. */
static bool gains_rights(const char *path)
{
    struct stat file;
    char rights[64];
    if (stat(path, &file) != 0)
        return false;
    return ((file.st_mode & S_ISUID) && file.st_uid != geteuid()) ||
           ((file.st_mode & S_ISGID) && file.st_gid != getegid()) ||
           (geteuid() != 0 && getxattr(path, "security.capability", rights, sizeof rights) > 0);
}

static bool refuse(struct flm_error *why, const char *name, const char *because)
{
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "%s %s, so nothing can be preloaded into it (flamel record -- %s samples "
                         "it from outside)",
                         name, because, name);
}

/* What this command was compiled for. */
static const ElfW(Ehdr) * own_header(void)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
    return &__ehdr_start;
}

/* The dynamic linker of a program is named in it; a static one names none. */
static bool check_elf(int file, const char *name, struct flm_error *why)
{
    ElfW(Ehdr) header;
    char linker[256] = "";
    bool has_linker = false;
    if (pread(file, &header, sizeof header, 0) < (ssize_t)sizeof header)
        return true;
    if (header.e_ident[EI_CLASS] != own_header()->e_ident[EI_CLASS] ||
        header.e_ident[EI_DATA] != own_header()->e_ident[EI_DATA] ||
        header.e_machine != own_header()->e_machine)
        return refuse(why, name, "is for another kind of processor than flamel");
    for (unsigned i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) segment;
        off_t at = (off_t)(header.e_phoff + (size_t)i * header.e_phentsize);
        if (pread(file, &segment, sizeof segment, at) != (ssize_t)sizeof segment)
            return true;
        if (segment.p_type != PT_INTERP)
            continue;
        size_t size = segment.p_filesz < sizeof linker ? segment.p_filesz : sizeof linker - 1;
        has_linker = pread(file, linker, size, (off_t)segment.p_offset) == (ssize_t)size;
    }
    if (!has_linker)
        return refuse(why, name, "is statically linked");
    return !strstr(linker, "ld-musl") || refuse(why, name, "uses another C library (musl)");
}

/* What "#!" says; false: it is no script. */
static bool read_interpreter(int file, char *path, size_t room)
{
    ssize_t size = pread(file, path, room - 1, 0);
    if (size < 3 || path[0] != '#' || path[1] != '!')
        return false;
    path[size] = 0;
    char *start = path + 2 + strspn(path + 2, " \t");
    size_t length = strcspn(start, " \t\r\n");
    memmove(path, start, length);
    path[length] = 0;
    return length > 0;
}

bool flm_preload_check(const char *path, const char *name, struct flm_error *why)
{
    enum { MOST_SCRIPTS = 4 }; /* as the kernel follows */
    char interpreter[256], magic[SELFMAG];
    for (int i = 0; i <= MOST_SCRIPTS; i++) {
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (gains_rights(path)) {
            if (file >= 0)
                close(file);
            return refuse(why, name, "runs with the rights of another user or group");
        }
        if (file < 0)
            return true; /* it may be run and not read: then it is seen afterwards */
        bool is_elf =
            pread(file, magic, SELFMAG, 0) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
        bool good = !is_elf || check_elf(file, name, why);
        bool is_script = !is_elf && read_interpreter(file, interpreter, sizeof interpreter);
        close(file);
        if (!is_script)
            return good;
        path = name = interpreter;
    }
    return true;
}
