/* save_options.h - the options of every command that writes profiles, and writing with them. */
#ifndef FLAMEL_CLI_SAVE_SAVE_OPTIONS_H
#define FLAMEL_CLI_SAVE_SAVE_OPTIONS_H

#include "cli/common/options.h"
#include "flamel/draw.h"
#include "flamel/file.h"

struct flm_save_fields {
    const char *output, *to, *metric;
    bool annotate;
    struct flm_svg_options picture;
    const char *palette_file; /* colors are read from it, and written back to it */

    /* Not options: for pages, the name of the source file (may be NULL), and the profile to compare
     * with (NULL: none). */
    const char *name, *base_name;
    const void *code; /* not options: of pages, source and machine code */
    size_t code_size;
    const struct flm_profile *base;

    bool quiet; /* not an option here: what the format cannot hold is not printed */
    bool has_no_samples, has_no_lines; /* those of the input were not read, because the format has
                                          none */
};

/* To be put into a command's table: `fields` is the struct, `member` its struct flm_save_fields. */
#define FLM_SAVE_OPTIONS(fields, member)                                                           \
    {"output",        'o',                                                                         \
     "FILE",          "the file to write; its extension decides the format",                       \
     FLM_OPTION_TEXT, offsetof(fields, member.output)},                                            \
        {"to",                                                                                     \
         't',                                                                                      \
         "FORMAT",                                                                                 \
         "write this format (to standard output without -o)",                                      \
         FLM_OPTION_FORMAT_TO_WRITE,                                                               \
         offsetof(fields, member.to)},                                                             \
        {"metric",                                                                                 \
         'm',                                                                                      \
         "NAME",                                                                                   \
         "the metric to write, if the format holds only one (default: the first that has values)", \
         FLM_OPTION_TEXT,                                                                          \
         offsetof(fields, member.metric)},                                                         \
        {"annotate",                                                                               \
         0,                                                                                        \
         NULL,                                                                                     \
         "folded stacks: mark kernel, inlined, jit frames: _[k] _[i] _[j]",                        \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.annotate)},                                                       \
    {                                                                                              \
        "cp", 0, "FILE", "pictures: take colors from FILE, and add new names to it",               \
            FLM_OPTION_TEXT, offsetof(fields, member.palette_file)                                 \
    }

/* The options of pictures, as a group of more options: FLM_PICTURE_OPTIONS(struct, member) in a
 * command. */
extern const struct flm_option_group flm_picture_options;
#define FLM_PICTURE_OPTIONS(fields, member)                                                        \
    .more = &flm_picture_options, .more_offset = offsetof(fields, member.picture)

/* NULL, or the message for options that do not say what to write. */
const char *flm_save_missing(const struct flm_save_fields *fields);

/* Prints what is wrong with operands that are not one file, and returns the exit status: for
 * "convert app.folded app.svg" it suggests -o. */
int flm_save_operands(const char *command, int count, char **words,
                      const struct flm_save_fields *fields);

/* Whether the written file or picture depends on single samples: their times or labels. */
bool flm_save_shows_samples(const struct flm_save_fields *fields);

/* The file to write, for messages. */
const char *flm_save_output_name(const struct flm_save_fields *fields);

/* Of struct flm_load_options, for each of so many inputs of a command that says what the written
 * format cannot hold. Larger ones are read without it, and it is said without a count: a profile of
 * 20 MB takes up to nine times as long with the lines of its frames. */
uint64_t flm_save_counted_size(const struct flm_save_fields *fields, bool quiet, size_t inputs);

/* The format that is written. All false (and no name) when there is none, which flm_save_with
 * reports. */
struct flm_format_info flm_save_format(const struct flm_save_fields *fields);

/* Writes and frees the profile; the exit status. */
int flm_save_with(const struct flm_save_fields *fields, struct flm_profile *profile);

#endif
