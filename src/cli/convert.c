/* convert.c - `flamel convert`: any profile to any format or picture. */
#include <string.h>

#include "cli/commands.h"
#include "cli/load_options.h"
#include "cli/messages.h"
#include "cli/save_options.h"

struct fields {
    struct flm_load_fields load;
    struct flm_save_fields save;
};

static const struct flm_option options[] = {
    FLM_SAVE_OPTIONS(struct fields, save),
    FLM_LOAD_OPTIONS(struct fields, load),
};

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {0};
    struct flm_error why;
    int operands = flm_options_parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    const char *missing = operands >= 0 && operands != 1
                              ? "convert takes one file (merge takes several)"
                          : operands == 1 ? flm_save_missing(&f.save)
                                          : NULL;
    if (missing)
        flm_error_set(&why, FLM_ERROR_USAGE, "%s", missing);
    if (missing || operands < 0)
        return flm_message_error(&why);
    f.load.drop_times = !flm_save_shows_samples(&f.save);
    struct flm_profile *profile = flm_load_with(&f.load, words[0]);
    return profile ? flm_save_with(&f.save, profile) : FLM_EXIT_WRONG;
}

const struct flm_command flm_command_convert = {
    .name = "convert",
    .synopsis = "[OPTION]... FILE (-o FILE | -t FORMAT)",
    .summary = "any profile to any format or picture",
    .description = "Reads a profile in any format that flamel knows and writes it in another, or "
                   "as a picture.\nThe format is recognised by content, through gzip and zstd.",
    .examples = "  flamel convert app.folded -o app.svg        a flame graph\n"
                "  perf script | flamel convert - -o app.svg   from a pipe\n"
                "  flamel convert app.folded -o app.flm        flamel's own file: opens at once\n"
                "  flamel convert -t folded app.flm            folded stacks on standard output\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
