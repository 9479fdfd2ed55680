/* load_options.h - the options of every command that reads profiles, and reading with them. */
#ifndef FLAMEL_CLI_COMMON_LOAD_OPTIONS_H
#define FLAMEL_CLI_COMMON_LOAD_OPTIONS_H

#include "base/text/text.h"
#include "cli/common/options.h"
#include "flamel/annotate.h"
#include "flamel/file.h"

struct flm_load_fields {
    const char *from;
    const char *apply;  /* an expression; NULL: none */
    const char *chosen; /* files of a folder or an archive, by a pattern; NULL: all */
    bool allow_signed, lenient, by_thread, quiet;
    bool drop_times;       /* not an option: set by commands that do not need single samples */
    bool no_locations;     /* likewise, of those that show no lines and keep no addresses */
    uint64_t counted_size; /* of struct flm_load_options: of commands that say what they dropped */
    int columns, threads;
    struct flm_option_list symbols;
    bool debuginfod, no_inlines, lines, clones;
    bool allow_empty;
    bool reports_losses; /* the command reports losses itself */
    size_t *unmatched; /* of commands that read several files: counts those in which --apply matched
                          nothing, which is no error there; NULL: it is one */
    const char **found_format;                 /* receives the name of the format; may be NULL */
    bool *dropped_samples, *dropped_locations; /* as of struct flm_load_options */
};

/* To be put into a command's table: `fields` is the struct, `member` its struct flm_load_fields,
 * `lines_help` what the command does with --lines. */
#define FLM_LOAD_OPTIONS_LINES(fields, member, lines_help)                                         \
    {"from",                                                                                       \
     'f',                                                                                          \
     "FORMAT",                                                                                     \
     "read as this format instead of recognizing it by content",                                   \
     FLM_OPTION_FORMAT_TO_READ,                                                                    \
     offsetof(fields, member.from)},                                                               \
        {"apply",         'a',                                                                     \
         "EXPRESSION",    "apply operations: 'focus:parse | hide:module=libc.so.6'",               \
         FLM_OPTION_TEXT, offsetof(fields, member.apply)},                                         \
        {"allow-empty",                                                                            \
         0,                                                                                        \
         NULL,                                                                                     \
         "go on where an operation of --apply matches nothing",                                    \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.allow_empty)},                                                    \
        {"signed",                                                                                 \
         0,                                                                                        \
         NULL,                                                                                     \
         "folded stacks: allow negative values (differences)",                                     \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.allow_signed)},                                                   \
        {"lenient",                                                                                \
         0,                                                                                        \
         NULL,                                                                                     \
         "skip invalid values and count them, instead of failing",                                 \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.lenient)},                                                        \
        {"columns",                                                                                \
         0,                                                                                        \
         "N",                                                                                      \
         "folded stacks: number of values at the end of a line, 1 or 2 (before, after)",           \
         FLM_OPTION_COUNT,                                                                         \
         offsetof(fields, member.columns)},                                                        \
        {"by-thread",                                                                              \
         0,                                                                                        \
         NULL,                                                                                     \
         "add the thread to stacks as a frame, where the input says which it is",                  \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.by_thread)},                                                      \
        {"member",                                                                                 \
         0,                                                                                        \
         "PATTERN",                                                                                \
         "of a folder or an archive: read only the files with this name; * and ? stand for "       \
         "others",                                                                                 \
         FLM_OPTION_TEXT,                                                                          \
         offsetof(fields, member.chosen)},                                                         \
        {"threads",                                                                                \
         0,                                                                                        \
         "N",                                                                                      \
         "read with N threads (default: one per processor)",                                       \
         FLM_OPTION_COUNT,                                                                         \
         offsetof(fields, member.threads)},                                                        \
        {"symbols",       0,                                                                       \
         "DIR",           "search DIR first for binaries and debug files; may be repeated",        \
         FLM_OPTION_LIST, offsetof(fields, member.symbols)},                                       \
        {"debuginfod",                                                                             \
         0,                                                                                        \
         NULL,                                                                                     \
         "query the servers in DEBUGINFOD_URLS for missing debug files",                           \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.debuginfod)},                                                     \
        {"no-inlines",                                                                             \
         0,                                                                                        \
         NULL,                                                                                     \
         "take function names from symbol tables only, without inlined functions",                 \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.no_inlines)},                                                     \
        {"lines", 0, NULL, lines_help, FLM_OPTION_FLAG, offsetof(fields, member.lines)},           \
        {"clones",                                                                                 \
         0,                                                                                        \
         NULL,                                                                                     \
         "keep clones that the compiler made apart: lex.constprop.0, lex.part.0",                  \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.clones)},                                                         \
    {                                                                                              \
        "quiet", 'q', NULL, "print no progress and no warnings", FLM_OPTION_FLAG,                  \
            offsetof(fields, member.quiet)                                                         \
    }

#define FLM_LOAD_OPTIONS(fields, member)                                                           \
    FLM_LOAD_OPTIONS_LINES(                                                                        \
        fields, member,                                                                            \
        "keep line numbers; frames of a function on different lines stay separate")

/* The cache of symbols: $XDG_CACHE_HOME/flamel, or ~/.cache/flamel; NULL: there is none. And perf's
 * cache of files: ~/.debug. `paths` owns the texts. */
struct flm_symbol_paths {
    struct flm_text cache, perf;
};
const char *flm_symbol_cache(struct flm_symbol_paths *paths);
const char *flm_symbol_perf_dir(struct flm_symbol_paths *paths);
void flm_symbol_paths_clear(struct flm_symbol_paths *paths);

/* Where source and machine code are looked for: by --symbols and --debuginfod, and the lists of
 * --source and --source-map. Of what is put into a page, no larger files: nobody reads more. */
enum { FLM_PAGE_MOST_SOURCE = 16 << 20 };
struct flm_sources_options flm_load_places(const struct flm_load_fields *fields,
                                           const struct flm_option_list *folders,
                                           const struct flm_option_list *maps,
                                           struct flm_symbol_paths *paths);

/* Names the maps of --source-map by which no file of the profiles is found; `before` may be
 * NULL. */
void flm_load_say_maps(const struct flm_load_fields *fields, const struct flm_option_list *maps,
                       const struct flm_profile *profile, const struct flm_profile *before);

/* False, and `why`, when a folder given with --symbols cannot be read. Without this check a
 * misspelled folder would mean missing symbols, and no error. */
bool flm_symbol_dirs_check(const struct flm_option_list *dirs, struct flm_error *why);

/* Reads a profile, applies the expression, and reports losses on standard error. NULL when it
 * failed; the error was printed then. */
struct flm_profile *flm_load_with(const struct flm_load_fields *fields, const char *path);

/* The same for a file in memory that arrives later, from another thread: nothing is printed.
 * `progress` is that of struct flm_load_options: false from it stops. NULL, and `why`, when it
 * failed. */
typedef bool (*flm_load_progress)(void *context, uint64_t bytes, uint64_t size);
struct flm_profile *flm_load_bytes_with(const struct flm_load_fields *fields, struct flm_bytes file,
                                        flm_load_progress progress, void *context,
                                        struct flm_error *why);

/* After all files of a command were read, `unmatched` of them without a match. False, after a
 * message, where that are all of them, and it is not allowed. */
bool flm_load_matched(const struct flm_load_fields *fields, size_t unmatched, size_t count);

/* The name of a file to show: the last part of its path, "standard input" for "-". */
const char *flm_load_name(const char *path);

#endif
