/* load_options.h - the options of every command that reads profiles, and reading with them. */
#ifndef FLAMEL_CLI_COMMON_LOAD_OPTIONS_H
#define FLAMEL_CLI_COMMON_LOAD_OPTIONS_H

#include "base/text/text.h"
#include "cli/common/options.h"
#include "flamel/file.h"

struct flm_load_fields {
    const char *from;
    const char *apply; /* an expression; NULL: none */
    bool allow_signed, lenient, quiet;
    bool drop_times; /* not an option: set by commands that do not need single samples */
    int columns, threads;
    struct flm_option_list symbols;
    bool debuginfod, no_inlines, lines;
    bool tells_losses;         /* the command reports losses itself: no remarks about them */
    const char **found_format; /* receives the name of the format; may be NULL */
};

/* To be put into a command's table: `fields` is the struct, `member` its struct flm_load_fields. */
#define FLM_LOAD_OPTIONS(fields, member)                                                           \
    {"from",          'f',                                                                         \
     "FORMAT",        "read as this format instead of recognizing it by content",                  \
     FLM_OPTION_TEXT, offsetof(fields, member.from)},                                              \
        {"apply",         'a',                                                                     \
         "EXPRESSION",    "operations first: 'focus:parse | hide:module=libc.so.6'",               \
         FLM_OPTION_TEXT, offsetof(fields, member.apply)},                                         \
        {"signed",                                                                                 \
         0,                                                                                        \
         NULL,                                                                                     \
         "folded values may be negative (differences)",                                            \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.allow_signed)},                                                   \
        {"lenient",                                                                                \
         0,                                                                                        \
         NULL,                                                                                     \
         "skip and count values that would be refused",                                            \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.lenient)},                                                        \
        {"columns",                                                                                \
         0,                                                                                        \
         "N",                                                                                      \
         "values at the end of a folded line: 1, or 2 (before, after)",                            \
         FLM_OPTION_COUNT,                                                                         \
         offsetof(fields, member.columns)},                                                        \
        {"threads",                                                                                \
         0,                                                                                        \
         "N",                                                                                      \
         "read with N threads (default: one a processor)",                                         \
         FLM_OPTION_COUNT,                                                                         \
         offsetof(fields, member.threads)},                                                        \
        {"symbols",       0,                                                                       \
         "DIR",           "look for files with symbols in DIR first; may be repeated",             \
         FLM_OPTION_LIST, offsetof(fields, member.symbols)},                                       \
        {"debuginfod",                                                                             \
         0,                                                                                        \
         NULL,                                                                                     \
         "ask the servers in DEBUGINFOD_URLS for what is missing",                                 \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.debuginfod)},                                                     \
        {"no-inlines",                                                                             \
         0,                                                                                        \
         NULL,                                                                                     \
         "names of functions alone, without inlined ones",                                         \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.no_inlines)},                                                     \
        {"lines",                                                                                  \
         0,                                                                                        \
         NULL,                                                                                     \
         "keep the line of each frame, and tell frames apart by it",                               \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.lines)},                                                          \
    {                                                                                              \
        "quiet", 'q', NULL, "no progress and no remarks", FLM_OPTION_FLAG,                         \
            offsetof(fields, member.quiet)                                                         \
    }

/* The cache of symbols: $XDG_CACHE_HOME/flamel, or ~/.cache/flamel; NULL: there is none. And perf's
 * cache of files: ~/.debug. `paths` owns the texts. */
struct flm_symbol_paths {
    struct flm_text cache, perf;
};
const char *flm_symbol_cache(struct flm_symbol_paths *paths);
const char *flm_symbol_perf_dir(struct flm_symbol_paths *paths);
void flm_symbol_paths_clear(struct flm_symbol_paths *paths);

/* False, and `why`, when a --symbols is not a folder that can be read: a misspelt one would find
 * nothing, and nobody would know why. */
bool flm_symbol_dirs_check(const struct flm_option_list *dirs, struct flm_error *why);

/* Reads a profile, applies the expression, and reports losses on standard error. NULL when it
 * failed; the error was printed then. */
struct flm_profile *flm_load_with(const struct flm_load_fields *fields, const char *path);

/* The name of a file to show: the last part of its path, "standard input" for "-". */
const char *flm_load_name(const char *path);

#endif
