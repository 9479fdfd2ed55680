/* find_source.h - the source file that a frame names: found, read safely, and how well it fits.
 *
 * A frame has the path of the machine that compiled. Files are searched in this order:
 *
 *     NEW/rest            --source-map OLD=NEW, for a path OLD/rest
 *     path                as it is; a relative one below the folder of the compilation
 *     DIR/a/b/c.c         --source DIR, for the path /a/b/c.c; then DIR/b/c.c, then DIR/c.c: the
 *                         longest end of the path that exists, in any DIR
 *     debug information   with the texts of its sources (clang -gembed-source)
 *     debuginfod          by build id and path
 *
 * Lines of another version of the file are wrong lines. DWARF 5 of clang has an MD5 of each file;
 * for others the time of the file and that of the recording tell. A file that does not fit is shown
 * only when none of the later places has a better one, and then the status says so.
 *
 * Names come from input. Only regular files are read, up to a size; below a DIR or a NEW nothing
 * leads out of it, no link and no ".."; `folders_only` leaves out what is in none of them, for
 * profiles of strangers. */
#ifndef FLAMEL_SOURCE_FIND_SOURCE_H
#define FLAMEL_SOURCE_FIND_SOURCE_H

#include "base/text/text.h"

struct flm_module;
struct flm_profile;

enum { FLM_SOURCE_MOST = 64 << 20 };

struct flm_source_places {
    const char *const *folders; /* DIR */
    size_t folder_count;
    const char *const *maps; /* OLD=NEW */
    size_t map_count;
    bool folders_only;
    bool download;       /* ask the servers of the module's set */
    int64_t recorded_ns; /* when the recording ended, in nanoseconds since 1970; 0: unknown */
    size_t most_bytes;   /* of a file; 0: FLM_SOURCE_MOST */
};

struct flm_source_request {
    struct flm_bytes path;      /* as debug information and frames have it */
    struct flm_bytes directory; /* of the compilation, for a relative path; "": unknown */
    struct flm_module *module;  /* that has the code; NULL: none */
};

enum flm_source_origin {
    FLM_SOURCE_NOWHERE,
    FLM_SOURCE_MAPPED,
    FLM_SOURCE_AS_NAMED,
    FLM_SOURCE_IN_FOLDER,
    FLM_SOURCE_IN_DEBUG_INFORMATION,
    FLM_SOURCE_DOWNLOADED
};

enum flm_source_fit {
    FLM_SOURCE_UNSURE, /* nothing tells */
    FLM_SOURCE_SAME,   /* the file that was compiled: its checksum, or its build id */
    FLM_SOURCE_OLDER,  /* than the recording */
    FLM_SOURCE_NEWER,  /* than the recording: lines may not agree */
    FLM_SOURCE_OTHER   /* its checksum is another: lines may not agree */
};

struct flm_source_file {
    enum flm_source_origin origin;
    enum flm_source_fit fit;
    struct flm_text text;   /* of the file */
    struct flm_text path;   /* from which it was read, terminated; "" where there is no file */
    struct flm_text status; /* a sentence for people, terminated: how well it fits; or which places
                               were tried, and what to do */
};

/* When a recording began, at the latest, for `recorded_ns`: what is changed afterward is not what
 * was compiled. 0: it is not known. */
int64_t flm_source_recorded_ns(const struct flm_profile *profile);

/* Whether a map has the form OLD=NEW. */
bool flm_source_map_check(const char *map, struct flm_error *why);

/* Whether a path begins with OLD, which is `size` bytes of it then. */
bool flm_source_map_matches(const char *map, struct flm_bytes path, size_t *size);

/* False when it is found nowhere, which `status` explains, or, with `why`, memory ran out. The
 * caller clears the source in any case. */
bool flm_source_file_find(const struct flm_source_places *places,
                          const struct flm_source_request *request, struct flm_source_file *source,
                          struct flm_error *why);
void flm_source_file_clear(struct flm_source_file *source);

#endif
