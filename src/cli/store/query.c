/* query.c - `flamel query`: the sum of the profiles in a store that have some labels, in a range of
 * time; of a store in a folder, or of one that a server has; and reports of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/messages.h"
#include "cli/store/query_fields.h"
#include "flamel/algebra.h"
#include "load/stored_addresses.h"
#include "os/clock.h"

static const struct flm_option options[] = {
    {"data", 'd', "FOLDER", "the store (default: flamel-data)", FLM_OPTION_TEXT,
     offsetof(struct flm_query_fields, folder)},
    {"server", 0, "URL", "ask a server (flamel serve) instead, such as http://127.0.0.1:4040",
     FLM_OPTION_TEXT, offsetof(struct flm_query_fields, server.url)},
    {"token", 0, "FILE", "of --server: a file with the token to read with", FLM_OPTION_TEXT,
     offsetof(struct flm_query_fields, server.token_file)},
    {"cacert", 0, "FILE", "of --server: certificates to trust (PEM; default: the system's)",
     FLM_OPTION_TEXT, offsetof(struct flm_query_fields, server.authorities)},
    {"from", 0, "TIME", "from this time on, such as -1h or 2026-11-28T10:30 (default: the first)",
     FLM_OPTION_TEXT, offsetof(struct flm_query_fields, from)},
    {"until", 0, "TIME", "up to this time (default: the last)", FLM_OPTION_TEXT,
     offsetof(struct flm_query_fields, until)},
    {"type", 0, "TYPE", "what was measured, such as cpu or cpu:ns (default: each is a metric)",
     FLM_OPTION_TEXT, offsetof(struct flm_query_fields, type)},
    {"compare", 0, "FROM..UNTIL", "compare with another range of time, which is the one before",
     FLM_OPTION_TEXT, offsetof(struct flm_query_fields, compare)},
    {"compare-selector", 0, "SELECTOR",
     "compare with other series, which are the side before, over the same time or that of "
     "--compare",
     FLM_OPTION_TEXT, offsetof(struct flm_query_fields, compare_selector)},
    {"nodes", 0, "N", "at most N nodes; the smallest ones are merged, and counted",
     FLM_OPTION_COUNT, offsetof(struct flm_query_fields, nodes)},
    {"top", 0, NULL, "print the functions that cost most", FLM_OPTION_FLAG,
     offsetof(struct flm_query_fields, top)},
    {"gate", 0, NULL,
     "print whether it became slower than in the time before (--compare): each series is a run",
     FLM_OPTION_FLAG, offsetof(struct flm_query_fields, gate)},
    {"changes", 0, NULL, "print when it changed: each day is a run", FLM_OPTION_FLAG,
     offsetof(struct flm_query_fields, changes)},
    {"by", 0, "LABEL", "of --gate: a run is each value of LABEL", FLM_OPTION_TEXT,
     offsetof(struct flm_query_fields, by)},
    {"step", 0, "DURATION", "of --gate and --changes: a run is so long, such as 5m or 1d",
     FLM_OPTION_TEXT, offsetof(struct flm_query_fields, step)},
    {"alpha", 0, "SHARE", "of --gate and --changes: the false positive rate (default: 0.01)",
     FLM_OPTION_SHARE, offsetof(struct flm_query_fields, alpha)},
    {"rows", 'n', "N", "of reports: at most N rows (default: 30, 20 or 5; 0: all)",
     FLM_OPTION_COUNT, offsetof(struct flm_query_fields, rows)},
    FLM_FORM_OPTIONS(struct flm_query_fields, form),
    {"tenant", 0, "NAME", "whose profiles (default: nobody's)", FLM_OPTION_TEXT,
     offsetof(struct flm_query_fields, server.tenant)},
    {"quiet", 'q', NULL, "print no warnings", FLM_OPTION_FLAG,
     offsetof(struct flm_query_fields, quiet)},
    FLM_SAVE_OPTIONS(struct flm_query_fields, save),
};

static const char default_folder[] = "flamel-data";

/* ---- Of a store ------------------------------------------------------------------------------ */

struct flm_store *flm_query_open(const struct flm_query_fields *f, struct flm_error *why)
{
    const struct flm_store_options how = {.size = sizeof how, .must_exist = true};
    return flm_store_open(f->folder ? f->folder : default_folder, &how, why);
}

bool flm_query_range(const struct flm_query_fields *f, struct flm_times *range,
                     struct flm_error *why)
{
    return flm_times_parse(flm_bytes_of(f->from ? f->from : ""),
                           flm_bytes_of(f->until ? f->until : ""), flm_wall_ms(), range, why);
}

struct flm_store_query flm_query_of(const struct flm_query_fields *f, struct flm_times range)
{
    return (struct flm_store_query){.size = sizeof(struct flm_store_query),
                                    .tenant = f->server.tenant,
                                    .selector = f->selector,
                                    .type = f->type,
                                    .from_ms = range.from_ms,
                                    .until_ms = range.until_ms};
}

struct flm_profile *flm_query_merge(struct flm_store *store, const struct flm_query_fields *f,
                                    struct flm_times range, struct flm_error *why)
{
    const struct flm_store_query query = flm_query_of(f, range);
    struct flm_profile *p = flm_store_merge(store, &query, why);
    const char *folder = f->folder ? f->folder : default_folder;
    char symbols[1000];
    /* Names addresses as `flamel serve` does with this folder. */
    const struct flm_addresses_options how = {.folder = symbols};
    if (p && !strstr(folder, "://") &&
        snprintf(symbols, sizeof symbols, "%s/symbols", folder) < (int)sizeof symbols)
        p = flm_addresses_name(p, &how, why);
    if (p && flm_profile_node_count(p) <= 1) {
        flm_profile_free(p);
        flm_error_set(why, FLM_ERROR_USAGE,
                      "no profile matches '%s' in this range of time: 'flamel store show %s' lists "
                      "what there is",
                      f->selector, f->folder ? f->folder : default_folder);
        return NULL;
    }
    return p;
}

bool flm_query_compares(const struct flm_query_fields *f)
{
    return f->compare || f->compare_selector;
}

bool flm_query_before(const struct flm_query_fields *f, struct flm_times after,
                      struct flm_query_fields *other, struct flm_times *before,
                      struct flm_error *why)
{
    *other = *f;
    if (f->compare_selector)
        other->selector = f->compare_selector;
    *before = after;
    return !f->compare ||
           flm_times_parse_pair(flm_bytes_of(f->compare), "--compare", flm_wall_ms(), before, why);
}

/* Both sides, as a comparison. */
static struct flm_profile *compare(struct flm_store *store, const struct flm_query_fields *f,
                                   struct flm_times after, struct flm_error *why)
{
    struct flm_query_fields other;
    struct flm_times before;
    if (!flm_query_before(f, after, &other, &before, why))
        return NULL;
    struct flm_profile *old = flm_query_merge(store, &other, before, why);
    struct flm_profile *new = old ? flm_query_merge(store, f, after, why) : NULL;
    struct flm_profile *both = new ? flm_comparison_align(old, new, why) : NULL;
    flm_profile_free(old);
    flm_profile_free(new);
    return both;
}

static struct flm_profile *read_store(const struct flm_query_fields *f, struct flm_error *why)
{
    struct flm_times range;
    if (!flm_query_range(f, &range, why))
        return NULL;
    struct flm_store *store = flm_query_open(f, why);
    struct flm_profile *p = !store                  ? NULL
                            : flm_query_compares(f) ? compare(store, f, range, why)
                                                    : flm_query_merge(store, f, range, why);
    flm_store_close(store);
    if (p && f->nodes > 0 && flm_profile_node_count(p) - 1 > (uint32_t)f->nodes) {
        char limit[40];
        snprintf(limit, sizeof limit, "nodes:%d", f->nodes);
        struct flm_profile *limited = flm_apply(p, limit, NULL, why);
        flm_profile_free(p);
        p = limited;
    }
    return p;
}

/* ---- The command ----------------------------------------------------------------------------- */

static void report_losses(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < flm_profile_loss_count(p); i++) {
        const struct flm_loss_record *loss = &flm_profile_losses(p)[i];
        struct flm_name what = flm_profile_string(p, (struct flm_string){loss->what});
        flm_message("%.0f %.*s are not in this profile", loss->count, (int)what.size, what.at);
    }
    struct flm_name merged = flm_profile_note_named(p, FLM_NOTE_MERGED);
    if (merged.at)
        flm_message("%.*s small stacks are merged into [other] (--nodes)", (int)merged.size,
                    merged.at);
}

static int write_profile(struct flm_query_fields *f)
{
    struct flm_error why;
    if (f->gate + f->changes + f->top == 0 && (f->by || f->step || f->rows >= 0 || f->alpha >= 0 ||
                                               f->form.json || f->form.csv || f->form.markdown))
        return flm_message_usage("--by, --step, --alpha, --rows, --json, --csv and --markdown are "
                                 "for reports: --top, --gate or --changes");
    if (flm_save_missing(&f->save))
        return flm_message_usage("%s", flm_save_missing(&f->save));
    struct flm_profile *p = f->server.url ? flm_query_ask_merge(f, &why) : read_store(f, &why);
    if (!p)
        return flm_message_error(&why);
    if (!f->quiet)
        report_losses(p);
    f->save.quiet = f->quiet;
    return flm_save_with(&f->save, p);
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct flm_query_fields f = {.alpha = -1, .nodes = -1, .rows = -1};
    struct flm_text selector = {0};
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (f.server.url && f.folder)
        return flm_message_usage("choose one: a store (--data), or a server (--server)");
    if (f.server.token_file && !f.server.url)
        return flm_message_usage("--token is for a server: it takes --server URL");
    if (f.server.authorities && !f.server.url)
        return flm_message_usage("--cacert is for a server: it takes --server URL");
    if (f.nodes == 0)
        return flm_message_usage("--nodes is 1 at least");
    for (int i = 0; i < operands; i++)
        flm_text_format(&selector, "%s%s", i ? " " : "", argv[i]);
    flm_text_putc(&selector, 0);
    if (selector.failed) {
        struct flm_error why;
        flm_error_memory(&why);
        status = flm_message_error(&why);
    } else {
        f.selector = selector.at;
        status = flm_query_reports(&f) ? flm_query_report(&f) : write_profile(&f);
    }
    flm_text_clear(&selector);
    return status;
}

const struct flm_command flm_command_query = {
    .name = "query",
    .synopsis = "[OPTION]... [SELECTOR] (-o FILE | -t FORMAT | --top | --gate | --changes)",
    .summary = "sum up profiles of a store by labels and time",
    .description = "Writes the sum of the profiles in a store (flamel-store(1)), or of a server "
                   "(flamel-serve(1)),\n"
                   "that have the wanted labels, in a range of time, as any format or picture;\n"
                   "or a report of it: which functions cost most, whether a deploy made it slower "
                   "(flamel-gate(1)),\n"
                   "when it changed (flamel-series(1)).\n"
                   "\n"
                   "A selector is like service=api region!=eu host=~'web.*', or "
                   "{service_name=\"api\"}: =, !=, and\n"
                   "=~ and !~ for regular expressions that match the whole value. Without one it "
                   "is all of them.",
    .examples = "  flamel query service=api --from -1h -o api.html\n"
                "  flamel query --server http://127.0.0.1:4040 service=api --from -1h -o api.flm\n"
                "  flamel query service=api --from -1h --compare -25h..-24h -o change.svg\n"
                "  flamel query service=api --from -1h --top\n"
                "  flamel query service=api --gate --from -1h --compare -3h..-2h\n"
                "  flamel query 'service=api version=1.5' --gate --from -1h --compare-selector "
                "'service=api version=1.4'\n"
                "  flamel query service=api --changes --from -60d\n"
                "  flamel query 'host=~web.*' --type cpu --from 2026-11-28 -t folded\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct flm_query_fields, save),
    .run = run,
};
