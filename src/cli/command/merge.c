/* merge.c - `flamel merge`: merges profiles into one, as a sum or side by side. */
#include <stdlib.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/save/save_options.h"
#include "flamel/algebra.h"

struct fields {
    struct flm_load_fields load;
    struct flm_save_fields save;
    bool side_by_side;
};

static const struct flm_option options[] = {
    FLM_SAVE_OPTIONS(struct fields, save),
    {"side-by-side", 0, NULL,
     "a metric for each file instead of their sum: before and after for two files, otherwise "
     "their names",
     FLM_OPTION_FLAG, offsetof(struct fields, side_by_side)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* Files are read one at a time and merged in batches, so that a thousand of them need the memory of
 * a batch and the result. */
enum { BATCH = 128 };

static struct flm_profile *merge_batch(struct flm_profile **batch, size_t count,
                                       struct flm_error *why)
{
    struct flm_profile *merged =
        flm_align((const struct flm_profile *const *)batch, count, FLM_ALIGN_ADD, NULL, why);
    for (size_t i = 0; i < count; i++)
        flm_profile_free(batch[i]);
    return merged;
}

static struct flm_profile *add_up(const struct flm_load_fields *load, int count, char **paths)
{
    struct flm_profile *batch[BATCH] = {NULL};
    size_t held = 0;
    struct flm_error why;
    for (int i = 0; i < count; i++) {
        struct flm_profile *next = flm_load_with(load, paths[i]);
        if (!next) {
            while (held > 0)
                flm_profile_free(batch[--held]);
            return NULL;
        }
        batch[held++] = next;
        if (held < BATCH && i + 1 < count)
            continue;
        batch[0] = merge_batch(batch, held, &why);
        held = 1;
        if (!batch[0]) {
            flm_message_error(&why);
            return NULL;
        }
    }
    return batch[0];
}

static struct flm_profile *side_by_side(const struct flm_load_fields *load, int count, char **paths)
{
    struct flm_profile **profiles = calloc((size_t)count, sizeof *profiles);
    const char **names = calloc((size_t)count, sizeof *names);
    struct flm_profile *aligned = NULL;
    struct flm_error why;
    bool loaded = profiles && names;
    if (!loaded)
        flm_message("out of memory");
    for (int i = 0; loaded && i < count; i++) {
        const char *base = strrchr(paths[i], '/');
        names[i] = count == 2 ? (i == 0 ? "before" : "after") : base ? base + 1 : paths[i];
        loaded = (profiles[i] = flm_load_with(load, paths[i])) != NULL;
    }
    if (loaded) {
        aligned = flm_align((const struct flm_profile *const *)profiles, (size_t)count,
                            FLM_ALIGN_SIDE_BY_SIDE, names, &why);
        if (!aligned)
            flm_message_error(&why);
    }
    for (int i = 0; profiles && i < count; i++)
        flm_profile_free(profiles[i]);
    free(profiles);
    free(names);
    return aligned;
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {0};
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (operands == 0)
        return flm_message_usage("merge takes the profiles to merge");
    if (flm_save_missing(&f.save))
        return flm_message_usage("%s", flm_save_missing(&f.save));
    f.load.drop_times = f.side_by_side || !flm_save_shows_samples(&f.save);
    f.load.no_locations = !flm_save_format(&f.save).keeps_lines;
    f.load.dropped_samples = &f.save.has_no_samples;
    f.load.dropped_locations = &f.save.has_no_lines;
    f.load.counted_size =
        f.side_by_side ? 0 : flm_save_counted_size(&f.save, f.load.quiet, (size_t)operands);
    size_t unmatched = 0;
    f.load.unmatched = &unmatched;
    struct flm_profile *merged =
        f.side_by_side ? side_by_side(&f.load, operands, argv) : add_up(&f.load, operands, argv);
    if (merged && !flm_load_matched(&f.load, unmatched, (size_t)operands)) {
        flm_profile_free(merged);
        return FLM_EXIT_WRONG;
    }
    f.save.quiet = f.load.quiet;
    return merged ? flm_save_with(&f.save, merged) : FLM_EXIT_WRONG;
}

const struct flm_command flm_command_merge = {
    .name = "merge",
    .synopsis = "[OPTION]... FILE... (-o FILE | -t FORMAT)",
    .summary = "merge profiles into one",
    .description =
        "Writes the sum of several profiles, stack by stack; metrics with the same name are "
        "added.\n"
        "The profiles may have different formats. With --side-by-side each file becomes a metric\n"
        "instead, for comparisons.",
    .examples = "  flamel merge host1.folded host2.flm -o all.flm\n"
                "  flamel merge --side-by-side before.folded after.folded -o both.svg\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
