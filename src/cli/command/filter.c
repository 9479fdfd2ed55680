/* filter.c - `flamel filter`: operations on a profile; convert with the operations in front. */
#include <stdio.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/save/save_options.h"
#include "flamel/algebra.h"

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
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (operands != 1)
        return flm_save_operands("filter", operands, words, &f.save);
    if (!f.load.apply)
        return flm_message_usage("say what to do: --apply 'focus:parse | by:function'");
    if (flm_save_missing(&f.save))
        return flm_message_usage("%s", flm_save_missing(&f.save));
    f.load.drop_times = !flm_save_shows_samples(&f.save);
    f.load.no_locations = !flm_save_format(&f.save).keeps_lines;
    f.load.dropped_samples = &f.save.has_no_samples;
    f.load.dropped_locations = &f.save.has_no_lines;
    f.load.counted_size = flm_save_counted_size(&f.save, f.load.quiet, 1);
    f.save.quiet = f.load.quiet;
    struct flm_profile *profile = flm_load_with(&f.load, words[0]);
    return profile ? flm_save_with(&f.save, profile) : FLM_EXIT_WRONG;
}

/* "  focus:pattern          summary" */
static void print_operations(void)
{
    const char *name, *argument;
    for (size_t i = 0; (name = flm_operation_name(i)); i++) {
        int width = printf("  %s", name);
        for (size_t k = 0; (argument = flm_operation_argument(i, k)); k++)
            width += printf("%c%s", k ? ',' : ':', argument);
        printf("%*s%s\n", width < 24 ? 24 - width : 1, "", flm_operation_summary(i));
    }
}

const struct flm_command flm_command_filter = {
    .name = "filter",
    .synopsis = "[OPTION]... --apply EXPRESSION FILE (-o FILE | -t FORMAT)",
    .summary = "apply operations: keep, drop, merge or rename frames",
    .description =
        "Applies operations to a profile, from left to right: they select stacks, and merge,\n"
        "rename or remove frames. A pattern is the whole name of a function, with * for any text,\n"
        "\"in quotes\" without special characters, or a /regular expression/. module=P, file=P "
        "and\n"
        "kind=P match these instead. 'man flamel-expressions' describes all of it.\n",
    .print_list = print_operations,
    .examples = "  flamel filter app.flm --apply 'focus:parse | by:function' -o parse.flm\n"
                "  flamel filter app.flm --apply 'hide:module=libc.so.6' -o app.svg\n"
                "  flamel filter app.flm --apply 'drop:/idle|poll/ | invert' -t folded\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
