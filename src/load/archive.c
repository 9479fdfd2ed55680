#include "load/archive.h"

#include <assert.h>

bool flm_is_archive(struct flm_bytes head)
{
    enum { TAR_MAGIC = 257 }; /* where "ustar" is in the header of a tar's first file */
    return flm_bytes_start_with(head, "PK\x03\x04") || flm_bytes_start_with(head, "PK\x05\x06") ||
           (head.size >= FLM_ARCHIVE_HEAD && memcmp(head.at + TAR_MAGIC, "ustar", 5) == 0);
}

#ifndef FLAMEL_ARCHIVE

struct flm_archive *flm_archive_open(const char *path, struct flm_bytes all, struct flm_error *why)
{
    (void)path, (void)all;
    flm_error_set(why, FLM_ERROR_SYSTEM,
                  "this is an archive, and this flamel was built without libarchive: unpack it "
                  "first");
    return NULL;
}

bool flm_archive_next(struct flm_archive *archive, const char **path, struct flm_error *why)
{
    (void)archive, (void)path, (void)why;
    return false;
}

bool flm_archive_read(void *archive, void *buffer, size_t room, size_t *size)
{
    (void)archive, (void)buffer, (void)room, (void)size;
    return false;
}

const char *flm_archive_reason(struct flm_archive *archive)
{
    (void)archive;
    return "";
}

void flm_archive_close(struct flm_archive *archive)
{
    (void)archive;
}

#else

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

#include "os/library.h"

/* ---- The library ----------------------------------------------------------------------------- */

/* clang-format off */
#define ARCHIVE_FUNCTIONS(each)                                                                   \
    each(read_new) each(read_support_format_tar) each(read_support_format_zip)                    \
    each(read_open_filename) each(read_open_memory) each(read_next_header) each(read_data)        \
    each(error_string) each(entry_pathname) each(entry_pathname_utf8) each(entry_filetype)        \
    each(entry_is_encrypted) each(read_free)
/* clang-format on */

#define AS_POINTER(name) __typeof__(archive_##name) *name;
#define AS_NAME(name) "archive_" #name,

struct library {
    ARCHIVE_FUNCTIONS(AS_POINTER)
};

static bool open_library(struct library *library, struct flm_error *why)
{
    static const char *const files[] = {"libarchive.so.13", NULL};
    static const char *const names[] = {ARCHIVE_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, library, &missing) ||
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "this is an archive, which takes libarchive (or unpack it first): %s",
                         missing.text);
}

/* ---- An archive ------------------------------------------------------------------------------ */

struct flm_archive {
    struct library library;
    struct archive *archive;
    bool ended;
};

enum { BLOCK_SIZE = 1 << 16 };

static bool open_archive(struct flm_archive *a, const char *path, struct flm_bytes all,
                         struct flm_error *why)
{
    if (!open_library(&a->library, why))
        return false;
    a->archive = a->library.read_new();
    if (!a->archive)
        return flm_error_memory(why);
    a->library.read_support_format_tar(a->archive);
    a->library.read_support_format_zip(a->archive);
    int result = path ? a->library.read_open_filename(a->archive, path, BLOCK_SIZE)
                      : a->library.read_open_memory(a->archive, all.at, all.size);
    return result == ARCHIVE_OK ||
           flm_error_set(why, FLM_ERROR_FORMAT, "the archive cannot be opened: %s",
                         flm_archive_reason(a));
}

struct flm_archive *flm_archive_open(const char *path, struct flm_bytes all, struct flm_error *why)
{
    assert(path || all.at);
    struct flm_archive *a = calloc(1, sizeof *a);
    if (!a) {
        flm_error_memory(why);
        return NULL;
    }
    if (open_archive(a, path, all, why))
        return a;
    flm_archive_close(a);
    return NULL;
}

bool flm_archive_next(struct flm_archive *a, const char **path, struct flm_error *why)
{
    assert(a && path && why);
    why->kind = FLM_ERROR_NONE;
    while (!a->ended) {
        struct archive_entry *entry = NULL;
        int result = a->library.read_next_header(a->archive, &entry);
        a->ended = result == ARCHIVE_EOF || (result != ARCHIVE_OK && result != ARCHIVE_WARN);
        if (result == ARCHIVE_EOF)
            break;
        if (a->ended)
            return flm_error_set(why, FLM_ERROR_FORMAT, "the archive is damaged: %s",
                                 flm_archive_reason(a));
        /* The first is in the locale's encoding, which need not have the letters of a name. */
        *path = a->library.entry_pathname(entry);
        *path = *path ? *path : a->library.entry_pathname_utf8(entry);
        *path = *path ? *path : "(a name that cannot be read)";
        if (a->library.entry_filetype(entry) != AE_IFREG)
            continue;
        if (a->library.entry_is_encrypted(entry))
            return flm_error_set(why, FLM_ERROR_FORMAT, "%s is encrypted: unpack the archive first",
                                 *path);
        return true;
    }
    return false;
}

bool flm_archive_read(void *archive, void *buffer, size_t room, size_t *size)
{
    struct flm_archive *a = archive;
    la_ssize_t got = a->library.read_data(a->archive, buffer, room);
    *size = got > 0 ? (size_t)got : 0;
    return got >= 0;
}

const char *flm_archive_reason(struct flm_archive *a)
{
    const char *reason = a->library.error_string(a->archive);
    return reason ? reason : "not known why";
}

void flm_archive_close(struct flm_archive *a)
{
    if (a && a->archive)
        a->library.read_free(a->archive);
    free(a);
}

#endif
