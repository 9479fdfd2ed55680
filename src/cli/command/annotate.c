/* annotate.c - `flamel annotate`: what each line of source costs. */
#include <string.h>
#include <unistd.h>

#include "cli/command/commands.h"
#include "cli/common/last_recording.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/report/print.h"
#include "flamel/annotate.h"

enum { NOT_GIVEN = -1, USUAL_LINES = 20, USUAL_FUNCTIONS = 3 };

struct fields {
    const char *normalize;
    struct flm_load_fields load;
    struct flm_option_list folders, maps;
    const char *metric;
    bool whole, assembly, both, intel, bytes;
    int rows;
    struct flm_form_fields form;
};

static const struct flm_option options[] = {
    {"rows", 'n', "N", "print at most N lines (default: 20), or N functions (default: 3); 0: all",
     FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    {"whole", 'w', NULL, "all lines of the files, not only those near a cost", FLM_OPTION_FLAG,
     offsetof(struct fields, whole)},
    {"metric", 'm', "NAME", "the metric (default: the first)", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    {"asm", 0, NULL, "machine code instead of source: what each instruction costs", FLM_OPTION_FLAG,
     offsetof(struct fields, assembly)},
    {"both", 0, NULL, "machine code, with the source lines between the instructions",
     FLM_OPTION_FLAG, offsetof(struct fields, both)},
    {"intel", 0, NULL, "x86-64 as Intel writes it: 'mov rbx, rax', not 'mov %rax, %rbx'",
     FLM_OPTION_FLAG, offsetof(struct fields, intel)},
    {"bytes", 0, NULL, "the bytes of each instruction too", FLM_OPTION_FLAG,
     offsetof(struct fields, bytes)},
    {"normalize", 0, "BY",
     "of two files: multiply before, so that both are equal in total, duration, or "
     "function:PATTERN; none (default)",
     FLM_OPTION_TEXT, offsetof(struct fields, normalize)},
    {"source", 'S', "DIR", "look for source files in DIR too; may be given several times",
     FLM_OPTION_LIST, offsetof(struct fields, folders)},
    {"source-map", 0, "OLD=NEW", "paths that begin with OLD begin with NEW here", FLM_OPTION_LIST,
     offsetof(struct fields, maps)},
    FLM_FORM_OPTIONS(struct fields, form),
    FLM_LOAD_OPTIONS_LINES(struct fields, load,
                           "print the hottest lines of all functions, instead of one function"),
};

/* False where it is none. */
static bool parse_normalize(const char *text, enum flm_normalize *by, const char **function)
{
    static const char *const names[] = {[FLM_NORMALIZE_NONE] = "none",
                                        [FLM_NORMALIZE_TOTAL] = "total",
                                        [FLM_NORMALIZE_DURATION] = "duration"};
    static const char prefix[] = "function:";
    *by = FLM_NORMALIZE_NONE;
    *function = NULL;
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *by = (enum flm_normalize)i;
            return true;
        }
    if (!text || strncmp(text, prefix, sizeof prefix - 1) != 0 || !text[sizeof prefix - 1])
        return !text;
    *by = FLM_NORMALIZE_FUNCTION;
    *function = text + sizeof prefix - 1;
    return true;
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* With --no-inlines no location has a line. */
static void say_no_lines(const struct flm_profile *p)
{
    uint32_t count = flm_profile_location_count(p);
    for (uint32_t i = 0; i < count; i++)
        if (flm_profile_location(p, i).line > 0)
            return;
    flm_message("--no-inlines takes names from symbol tables, which have no lines: leave it out to "
                "see them");
}

/* Of a script the machine code of the interpreter comes first, whose lines nobody asks for. */
static void point_to_scripts(const struct flm_profile *p)
{
    uint32_t count = flm_profile_frame_count(p);
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_frame_record *frame = flm_profile_frame(p, (struct flm_frame){i});
        if (frame->kind != FLM_KIND_INTERPRETED || !frame->file)
            continue;
        flm_message("--apply my-code lists the lines of scripts alone, with what they call");
        return;
    }
}

/* One file, or two, before and after. */
static int print(const struct fields *f, const char *const *paths, int count, const char *function)
{
    struct flm_error why;
    enum flm_normalize by;
    const char *by_function;
    if (!parse_normalize(f->normalize, &by, &by_function))
        return flm_message_usage("--normalize '%s': it is none, total, duration or "
                                 "function:PATTERN",
                                 f->normalize);
    if (by != FLM_NORMALIZE_NONE && count < 2)
        return flm_message_usage("--normalize goes with two files");
    struct flm_load_fields load = f->load;
    load.lines = false; /* all that have them keep them as locations */
    struct flm_symbol_paths symbols = {0};
    struct flm_sources_options where = flm_load_places(&f->load, &f->folders, &f->maps, &symbols);
    where.intel = f->intel;
    struct flm_sources *sources = flm_sources_new(&where, &why);
    if (!sources) {
        flm_symbol_paths_clear(&symbols);
        return flm_message_error(&why);
    }
    /* What is only in one of both is why they are compared. */
    size_t unmatched = 0;
    load.unmatched = count > 1 ? &unmatched : NULL;
    struct flm_profile *sides[2] = {NULL, NULL}; /* the last one, and before it */
    bool loaded = true;
    for (int i = 0; i < count && loaded; i++) {
        sides[count - 1 - i] = flm_load_with(&load, paths[i]);
        loaded = sides[count - 1 - i] != NULL;
    }
    loaded = loaded && (count == 1 || flm_load_matched(&load, unmatched, 2));
    bool is_all = f->form.json || f->form.csv;
    int usual = function ? USUAL_FUNCTIONS : USUAL_LINES;
    const struct flm_annotate_options how = {.size = sizeof how,
                                             .source = name_of(paths[count - 1]),
                                             .metric = f->metric,
                                             .function = function,
                                             .sources = sources,
                                             .rows = f->rows != NOT_GIVEN ? (uint32_t)f->rows
                                                     : is_all             ? 0
                                                                          : (uint32_t)usual,
                                             .whole = f->whole,
                                             .code = f->both       ? FLM_ANNOTATE_BOTH
                                                     : f->assembly ? FLM_ANNOTATE_ASSEMBLY
                                                                   : FLM_ANNOTATE_SOURCE,
                                             .bytes = f->bytes,
                                             .before = sides[1],
                                             .before_source = name_of(paths[0]),
                                             .normalize = by,
                                             .normalize_function = by_function,
                                             .for_programs = is_all};
    struct flm_report *made = NULL;
    if (loaded && f->load.no_inlines && !f->assembly)
        say_no_lines(sides[0]);
    if (loaded)
        flm_load_say_maps(&f->load, &f->maps, sides[0], sides[1]);
    if (loaded)
        made = function ? flm_report_annotate(sides[0], &how, &why)
                        : flm_report_lines(sides[0], &how, &why);
    if (made && !function && !is_all && !f->load.apply && !f->load.quiet)
        point_to_scripts(sides[0]);
    bool good = made && flm_report_print(made, flm_form_of(&f->form), "-", &why);
    flm_report_free(made);
    flm_sources_free(sources);
    flm_symbol_paths_clear(&symbols);
    int status = good ? FLM_EXIT_DONE : loaded ? flm_message_error(&why) : FLM_EXIT_WRONG;
    flm_profile_free(sides[0]);
    flm_profile_free(sides[1]);
    return status;
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {.rows = NOT_GIVEN};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (!flm_form_check(&f.form, &why))
        return flm_message_error(&why);
    bool is_code = f.assembly || f.both;
    if ((is_code && f.load.lines) || (f.assembly && f.both) || ((f.intel || f.bytes) && !is_code))
        return flm_message_usage(f.load.lines           ? "--lines has no --asm or --both"
                                 : f.assembly && f.both ? "--asm and --both are two ways: give one"
                                                        : "--intel and --bytes go with --asm or "
                                                          "--both");
    const char *function = operands > 0 && !f.load.lines ? argv[0] : NULL;
    int files = operands - (function != NULL);
    if (files > 2)
        return flm_message_usage(function
                                     ? "annotate takes a function and one file, or two: before and "
                                       "after"
                                     : "annotate --lines takes one file, or two, and no function");
    if (!function && !f.load.lines)
        return flm_message_usage("annotate which function? Name one, or say --lines for the "
                                 "hottest lines of all");
    if (operands == 1 && function && access(function, R_OK) == 0)
        return flm_message_usage("annotate takes a function first: 'flamel annotate FUNCTION %s', "
                                 "or 'flamel annotate --lines %s'",
                                 function, function);
    struct flm_text last = {0};
    const char *paths[2] = {NULL, NULL};
    for (int i = 0; i < files; i++)
        paths[i] = argv[operands - files + i];
    if (files == 0)
        paths[0] = flm_last_recording_taken(&last, f.load.quiet);
    status = paths[0] ? print(&f, paths, files > 1 ? 2 : 1, function) : FLM_EXIT_WRONG;
    flm_text_clear(&last);
    return status;
}

const struct flm_command flm_command_annotate = {
    .name = "annotate",
    .synopsis = "[OPTION]... (FUNCTION | --lines) [[BEFORE] FILE]",
    .summary = "print the source of a function with the cost of each line",
    .description =
        "Prints the source of the functions that match FUNCTION, with the cost of each line: "
        "self,\n"
        "what was spent there, and total, also what it called (recursion counts once). Only parts\n"
        "with a cost are printed. With --lines and no FUNCTION, the hottest lines of all\n"
        "functions. With --asm it is machine code, and with --both that with its source lines:\n"
        "self is then also that of what was inlined there. Of two files it is the costs of both,\n"
        "and the change. Without FILE, the last recording in this folder is taken.",
    .examples = "  flamel annotate parse app.flm               the source of parse\n"
                "  flamel annotate --lines -n 50 app.flm       the 50 hottest lines\n"
                "  flamel annotate --lines --apply my-code     of a script, with what it calls\n"
                "  flamel annotate --both parse app.flm        its instructions and lines\n"
                "  flamel annotate -S ~/src/app parse app.flm  with the sources in ~/src/app\n"
                "  flamel annotate parse old.flm new.flm       what changed, line by line\n"
                "  flamel annotate --json '*parse*' app.flm    for programs\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
