/* view.c - `flamel view` where nothing can be served: a page in a file, which the host has named
 * (FLAMEL_PAGE) and opens. */
#include <stdlib.h>

#include "cli/command/commands.h"
#include "cli/common/last_recording.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "flamel/file.h"

struct fields {
    struct flm_load_fields load;
    bool no_open; /* the host has seen it */
};

static const struct flm_option options[] = {
    {"no-open", 0, NULL, "print the address of the page, and open no browser", FLM_OPTION_FLAG,
     offsetof(struct fields, no_open)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* A file, compared with the one before unless that is NULL. */
static int save_page(const struct fields *f, const char *page, const char *before, const char *path)
{
    struct flm_save_options how = {
        .size = sizeof how, .format = "html", .name = flm_load_name(path)};
    struct flm_profile *base = before ? flm_load_with(&f->load, before) : NULL;
    struct flm_profile *profile = base || !before ? flm_load_with(&f->load, path) : NULL;
    struct flm_error why;
    int status = FLM_EXIT_WRONG; /* has been printed */
    how.base = base;
    how.base_name = before ? flm_load_name(before) : NULL;
    if (profile && (!before || flm_load_matched(&f->load, *f->load.unmatched, 2)))
        status = flm_save(profile, page, &how, &why) ? FLM_EXIT_DONE : flm_message_error(&why);
    flm_profile_free(profile);
    flm_profile_free(base);
    return status;
}

static int show(struct fields *f, int count, const char *const *paths)
{
    const char *page = getenv("FLAMEL_PAGE");
    size_t unmatched = 0;
    if (!page)
        return flm_message_usage("nothing opens pages here: flamel convert FILE -o page.html");
    f->load.unmatched = count == 2 ? &unmatched : NULL;
    return save_page(f, page, count == 2 ? paths[0] : NULL, paths[count - 1]);
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {0};
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (operands > 2)
        return flm_message_usage("view takes one file, or two to compare: the one before, and then "
                                 "the one that it became");
    if (operands > 0)
        return show(&f, operands, (const char *const *)words);
    struct flm_text last = {0};
    const char *path = flm_last_recording_taken(&last, f.load.quiet);
    status = path ? show(&f, 1, &path) : FLM_EXIT_WRONG;
    flm_text_clear(&last);
    return status;
}

const struct flm_command flm_command_view = {
    .name = "view",
    .synopsis = "[OPTION]... [[BEFORE] FILE]",
    .summary = "show a profile in the browser",
    .description =
        "Shows a profile in the browser; with two files it compares them, and without one it\n"
        "takes the last recording in this folder. 'flamel FILE' does the same. The page is a file\n"
        "in the folder for temporary files. For one to keep or to send to someone:\n"
        "flamel convert app.flm -o app.html",
    .examples = "  flamel view app.folded              any format that flamel reads\n"
                "  flamel view before.flm after.flm    a comparison\n"
                "  perf script | flamel view -         from a pipe\n"
                "  flamel view --no-open app.flm       the address only\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
