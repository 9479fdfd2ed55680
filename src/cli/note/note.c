/* note.c - `flamel note`: lists, adds and removes the notes of a profile. */
#include <string.h>

#include "base/text/text.h"
#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/report/print.h"
#include "flamel/file.h"
#include "flamel/notes.h"

struct fields {
    struct flm_load_fields load;
    struct flm_form_fields form;
    const char *add, *remove, *function, *module, *stack, *time, *view, *output;
};

static const struct flm_option options[] = {
    {"add", 0, "TEXT", "add a note: on the profile, or on what the next options say",
     FLM_OPTION_TEXT, offsetof(struct fields, add)},
    {"function", 0, "NAME", "on the function of this whole name", FLM_OPTION_TEXT,
     offsetof(struct fields, function)},
    {"module", 0, "NAME", "only on that of this module", FLM_OPTION_TEXT,
     offsetof(struct fields, module)},
    {"stack", 0, "STACK", "on this stack, from the root on: 'main;parse;lex'", FLM_OPTION_TEXT,
     offsetof(struct fields, stack)},
    {"time", 0, "FROM..TO", "on this time, from the first sample on: 1.5s..2s", FLM_OPTION_TEXT,
     offsetof(struct fields, time)},
    {"view", 0, "STATE", "TEXT is the title of a view: what the page's address has behind its #",
     FLM_OPTION_TEXT, offsetof(struct fields, view)},
    {"remove", 0, "ID", "remove the note of this id", FLM_OPTION_TEXT,
     offsetof(struct fields, remove)},
    {"output", 'o', "FILE", "write this file, and leave the one that is read", FLM_OPTION_TEXT,
     offsetof(struct fields, output)},
    FLM_FORM_OPTIONS(struct fields, form),
    FLM_LOAD_OPTIONS(struct fields, load),
};

static struct flm_name name_of(const char *text)
{
    return (struct flm_name){text, text ? strlen(text) : 0};
}

/* Makes the note that the options describe. False, and `why`, if they contradict each other, or the
 * profile does not have the function, stack or time. */
static bool describe(const struct fields *f, const struct flm_profile *p,
                     struct flm_written_note *note, struct flm_error *why)
{
    *note = (struct flm_written_note){.text = name_of(f->add)};
    if ((f->function != NULL) + (f->stack != NULL) + (f->time != NULL) + (f->view != NULL) > 1)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "choose one: --function, --stack, --time or --view");
    if (f->module && !f->function)
        return flm_error_set(why, FLM_ERROR_USAGE, "--module needs --function");
    if (f->function) {
        note->about = FLM_NOTE_ABOUT_FUNCTION;
        note->function = name_of(f->function);
        note->module = name_of(f->module);
        return flm_note_check_subject(p, note, why);
    }
    if (f->stack) {
        note->about = FLM_NOTE_ABOUT_STACK;
        note->stack = name_of(f->stack);
        return flm_note_check_subject(p, note, why);
    }
    if (f->time) {
        note->about = FLM_NOTE_ABOUT_TIME;
        return flm_note_parse_time(p, f->time, note, why);
    }
    if (f->view) {
        note->about = FLM_NOTE_ABOUT_VIEW;
        note->state = name_of(f->view[0] == '#' ? f->view + 1 : f->view);
    }
    return true;
}

static int list(const struct fields *f, const struct flm_profile *p)
{
    struct flm_error why;
    struct flm_report *report = flm_report_notes(p, &why);
    bool good = report && flm_report_print(report, flm_form_of(&f->form), "-", &why);
    flm_report_free(report);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

/* Adds or removes a note, and writes the profile to its file or to --output. */
static int change(const struct fields *f, const struct flm_profile *p, const char *path)
{
    struct flm_error why;
    struct flm_written_note note;
    char id[FLM_NOTE_ID_SIZE] = "";
    struct flm_profile *changed = NULL;
    if (f->remove)
        changed = flm_note_remove(p, f->remove, &why);
    else if (describe(f, p, &note, &why))
        changed = flm_note_add(p, &note, id, &why);
    struct flm_save_options save = {.size = sizeof save, .format = "flm"};
    bool good = changed && flm_save(changed, f->output ? f->output : path, &save, &why);
    flm_profile_free(changed);
    if (!good)
        return flm_message_error(&why);
    if (!f->load.quiet && !f->remove)
        flm_message("note %s", id);
    return FLM_EXIT_DONE;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {0};
    struct flm_error why;
    const char *format = "";
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (operands != 1)
        return flm_message_usage("note takes one file, not %d", operands);
    if (f.add && f.remove)
        return flm_message_usage("choose one: --add or --remove");
    bool changes = f.add || f.remove;
    if (!changes && (f.function || f.module || f.stack || f.time || f.view || f.output))
        return flm_message_usage("say what to do: --add TEXT, or --remove ID");
    if (!flm_form_check(&f.form, &why))
        return flm_message_error(&why);
    f.load.found_format = &format;
    struct flm_profile *p = flm_load_with(&f.load, words[0]);
    if (!p)
        return FLM_EXIT_WRONG;
    if (changes && !f.output && (strcmp(format, "flm") != 0 || f.load.apply))
        status = flm_message_usage("only a .flm file can be changed as it is; write another one: "
                                   "-o FILE.flm");
    else
        status = changes ? change(&f, p, words[0]) : list(&f, p);
    flm_profile_free(p);
    return status;
}

const struct flm_command flm_command_note = {
    .name = "note",
    .synopsis = "[OPTION]... FILE",
    .summary = "notes on a profile: on functions, stacks, times, views",
    .description = "Lists the notes that people wrote on a profile, adds one or removes one. They "
                   "are kept in\n"
                   "the .flm file, and go along when it is filtered, merged or shown.",
    .examples =
        "  flamel note app.flm                                      all notes, with their ids\n"
        "  flamel note app.flm --add 'slow since 2.1' --function parse\n"
        "  flamel note app.flm --add 'twice a second' --stack 'main;poll;read'\n"
        "  flamel note app.flm --add 'the deploy' --time 12.2s..13.7s\n"
        "  flamel note app.flm --add 'Who locks' --view 'view=sandwich&of=%3Dpthread_mutex_lock'\n"
        "  flamel note app.flm --remove 3f2a91c0\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
