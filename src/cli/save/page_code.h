/* page_code.h - source and machine code in a page of one file: the options of the commands that
 * write pages, and writing with them. Whoever sends such a page should know what it has, so the
 * files that went into it are printed, and those that were left out. */
#ifndef FLAMEL_CLI_SAVE_PAGE_CODE_H
#define FLAMEL_CLI_SAVE_PAGE_CODE_H

#include "cli/common/load_options.h"
#include "cli/save/save_options.h"

struct flm_page_code_fields {
    struct flm_option_list folders, maps;
    struct flm_option_share with_source;
    bool with_assembly;
};

/* As they are where no option is given. */
#define FLM_PAGE_CODE_USUAL                                                                        \
    {                                                                                              \
        .with_source.share = 0.005                                                                 \
    }

/* To be put into a command's table: `fields` is the struct, `member` its struct above. */
#define FLM_PAGE_CODE_OPTIONS(fields, member)                                                      \
    {"with-source",                                                                                \
     0,                                                                                            \
     "[=SHARE]",                                                                                   \
     "HTML: with the source of the functions whose total is at least SHARE of all (default: "      \
     "0.5%)",                                                                                      \
     FLM_OPTION_MAYBE_SHARE,                                                                       \
     offsetof(fields, member.with_source)},                                                        \
        {"with-assembly",                                                                          \
         0,                                                                                        \
         NULL,                                                                                     \
         "HTML: with the machine code of these functions",                                         \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.with_assembly)},                                                  \
        {"source",        'S',                                                                     \
         "DIR",           "look for source files in DIR too; may be given several times",          \
         FLM_OPTION_LIST, offsetof(fields, member.folders)},                                       \
    {                                                                                              \
        "source-map", 0, "OLD=NEW", "paths that begin with OLD begin with NEW here",               \
            FLM_OPTION_LIST, offsetof(fields, member.maps)                                         \
    }

/* Whether the options go together, and with what is written. False after a message. */
bool flm_page_code_check(const struct flm_page_code_fields *fields,
                         const struct flm_save_fields *save);

/* Writes the profile as flm_save_with, with the code that was asked for, of functions that are only
 * in save->base too. Frees the profile; the exit status. */
int flm_page_code_save(const struct flm_page_code_fields *fields,
                       const struct flm_load_fields *load, struct flm_save_fields *save,
                       struct flm_profile *profile);

#endif
