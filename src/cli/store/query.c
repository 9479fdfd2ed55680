/* query.c - `flamel query`: the sum of the profiles in a store that have some labels, in a range of
 * time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/save_options.h"
#include "flamel/algebra.h"
#include "flamel/store.h"
#include "os/clock.h"
#include "store/labels/time_text.h"

struct fields {
    struct flm_save_fields save;
    const char *folder, *from, *until, *type, *tenant, *compare;
    bool quiet;
};

static const struct flm_option options[] = {
    {"data", 'd', "FOLDER", "the store (default: flamel-data)", FLM_OPTION_TEXT,
     offsetof(struct fields, folder)},
    {"from", 0, "TIME", "from this time on, such as -1h or 2026-11-28T10:30 (default: the first)",
     FLM_OPTION_TEXT, offsetof(struct fields, from)},
    {"until", 0, "TIME", "up to this time (default: the last)", FLM_OPTION_TEXT,
     offsetof(struct fields, until)},
    {"type", 0, "TYPE", "what was measured, such as cpu or cpu:ns (default: each is a metric)",
     FLM_OPTION_TEXT, offsetof(struct fields, type)},
    {"compare", 0, "FROM..UNTIL", "compare with another range of time, which is the one before",
     FLM_OPTION_TEXT, offsetof(struct fields, compare)},
    {"tenant", 0, "NAME", "whose profiles (default: nobody's)", FLM_OPTION_TEXT,
     offsetof(struct fields, tenant)},
    {"quiet", 'q', NULL, "print no warnings", FLM_OPTION_FLAG, offsetof(struct fields, quiet)},
    FLM_SAVE_OPTIONS(struct fields, save),
};

struct range {
    int64_t from_ms, until_ms;
};

static bool read_range(struct flm_bytes from, struct flm_bytes until, struct range *range,
                       struct flm_error *why)
{
    int64_t now_ms = flm_wall_ms();
    *range = (struct range){0, INT64_MAX};
    if ((from.size > 0 && !flm_time_parse(from, now_ms, &range->from_ms, why)) ||
        (until.size > 0 && !flm_time_parse(until, now_ms, &range->until_ms, why)))
        return false;
    return range->from_ms < range->until_ms ||
           flm_error_set(why, FLM_ERROR_USAGE, "the range of time ends before it begins");
}

/* "-2h..-1h" */
static bool read_compared(const char *text, struct range *range, struct flm_error *why)
{
    const char *dots = strstr(text, "..");
    if (!dots)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--compare is FROM..UNTIL, such as -25h..-24h, not '%s'", text);
    return read_range((struct flm_bytes){text, (size_t)(dots - text)}, flm_bytes_of(dots + 2),
                      range, why);
}

static struct flm_profile *merge(struct flm_store *store, const struct fields *f,
                                 const char *selector, struct range range, struct flm_error *why)
{
    const struct flm_store_query query = {.size = sizeof query,
                                          .tenant = f->tenant,
                                          .selector = selector,
                                          .type = f->type,
                                          .from_ms = range.from_ms,
                                          .until_ms = range.until_ms};
    struct flm_profile *p = flm_store_merge(store, &query, why);
    if (p && flm_profile_node_count(p) <= 1) {
        flm_profile_free(p);
        flm_error_set(why, FLM_ERROR_USAGE,
                      "no profile matches '%s' in this range of time: 'flamel store show %s' lists "
                      "what there is",
                      selector, f->folder);
        return NULL;
    }
    return p;
}

/* Both ranges side by side, as a comparison. */
static struct flm_profile *compare(struct flm_store *store, const struct fields *f,
                                   const char *selector, struct range after, struct flm_error *why)
{
    struct range before;
    if (!read_compared(f->compare, &before, why))
        return NULL;
    struct flm_profile *old = merge(store, f, selector, before, why);
    struct flm_profile *new = old ? merge(store, f, selector, after, why) : NULL;
    struct flm_profile *both = new ? flm_comparison_align(old, new, why) : NULL;
    flm_profile_free(old);
    flm_profile_free(new);
    return both;
}

static void report_losses(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < flm_profile_loss_count(p); i++) {
        const struct flm_loss_record *loss = &flm_profile_losses(p)[i];
        struct flm_name what = flm_profile_string(p, (struct flm_string){loss->what});
        flm_message("%.0f %.*s are not in this profile", loss->count, (int)what.size, what.at);
    }
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {.folder = "flamel-data"};
    struct flm_error why;
    struct range range;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (flm_save_missing(&f.save))
        return flm_message_usage("%s", flm_save_missing(&f.save));
    struct flm_text selector = {0};
    for (int i = 0; i < operands; i++)
        flm_text_format(&selector, "%s%s", i ? " " : "", argv[i]);
    flm_text_putc(&selector, 0);
    const struct flm_store_options how = {.size = sizeof how, .must_exist = true};
    bool good = read_range(flm_bytes_of(f.from ? f.from : ""), flm_bytes_of(f.until ? f.until : ""),
                           &range, &why) &&
                (!selector.failed || flm_error_memory(&why));
    struct flm_store *store = good ? flm_store_open(f.folder, &how, &why) : NULL;
    struct flm_profile *p = !store      ? NULL
                            : f.compare ? compare(store, &f, selector.at, range, &why)
                                        : merge(store, &f, selector.at, range, &why);
    flm_store_close(store);
    flm_text_clear(&selector);
    if (!p)
        return flm_message_error(&why);
    if (!f.quiet)
        report_losses(p);
    f.save.quiet = f.quiet;
    return flm_save_with(&f.save, p);
}

const struct flm_command flm_command_query = {
    .name = "query",
    .synopsis = "[OPTION]... [SELECTOR] (-o FILE | -t FORMAT)",
    .summary = "sum up profiles of a store by labels and time",
    .description = "Writes the sum of the profiles in a store (flamel-store(1)) that have the "
                   "wanted labels, in a\n"
                   "range of time, as any format or picture.\n"
                   "\n"
                   "A selector is like service=api region!=eu host=~'web.*', or "
                   "{service_name=\"api\"}: =, !=, and\n"
                   "=~ and !~ for regular expressions that match the whole value. Without one it "
                   "is all of them.",
    .examples = "  flamel query service=api --from -1h -o api.html\n"
                "  flamel query service=api --from -1h --compare -25h..-24h -o change.svg\n"
                "  flamel query 'host=~web.*' --type cpu --from 2026-11-28 -t folded\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
