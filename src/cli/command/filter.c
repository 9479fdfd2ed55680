/* filter.c - `flamel filter`: operations on a profile; convert with the operations in front. */
#include "cli/common/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/save_options.h"

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
    const char *missing = operands >= 0 && operands != 1 ? "filter takes one file"
                          : operands == 1 && !f.load.apply
                              ? "say what to do: --apply 'focus:parse | by:function'"
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

const struct flm_command flm_command_filter = {
    .name = "filter",
    .synopsis = "[OPTION]... --apply EXPRESSION FILE (-o FILE | -t FORMAT)",
    .summary = "some of a profile, or another shape of it",
    .description =
        "Applies operations to a profile, one after the other:\n\n"
        "  focus:P     only what is below P, which becomes the root\n"
        "  keep:P      only stacks that hold P          drop:P    only the others\n"
        "  hide:P      without P: what it called becomes called by its caller\n"
        "  prune:P     nothing below P: it becomes part of P\n"
        "  by:CLASS    merged by function, name, line, module, file, package, kind,\n"
        "              short (no arguments, no clones) or nohex (no addresses)\n"
        "  rename:s/old/new/   functions under other names; also s,old,new,gi\n"
        "  invert      leaf first: callers below what they call\n"
        "  collapse:direct, collapse:any   recursion as one frame\n"
        "  depth:N     at most N frames\n"
        "  metric:NAME one metric\n"
        "  label:KEY=VALUE, unlabel:KEY=VALUE   samples with a label, or without\n"
        "  time:1s..2.5s                        samples of that time, from the first one on\n\n"
        "P is a function's whole name, with * for anything, \"in quotes\" taken to the letter, or\n"
        "/a regular expression/. module=P, file=P and kind=P look at those instead.",
    .examples = "  flamel filter app.flm --apply 'focus:parse | by:function' -o parse.flm\n"
                "  flamel filter app.flm --apply 'hide:module=libc.so.6' -o app.svg\n"
                "  flamel filter app.flm --apply 'drop:/idle|poll/ | invert' -t folded\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
