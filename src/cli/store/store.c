/* store.c - `flamel store`: profiles put into a store, and a store kept in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "flamel/store.h"
#include "os/clock.h"
#include "store/labels/time_text.h"

struct fields {
    struct flm_load_fields load;
    struct flm_option_list labels;
    const char *time, *since, *before, *tenant;
};

static const struct flm_option options[] = {
    {"label", 'l', "KEY=VALUE",
     "add: a label of the profiles, such as service=api; may be repeated", FLM_OPTION_LIST,
     offsetof(struct fields, labels)},
    {"time", 0, "TIME",
     "add: when they were recorded, such as -1h or 2026-11-28T10:30 (default: now)",
     FLM_OPTION_TEXT, offsetof(struct fields, time)},
    {"before", 0, "TIME", "retain: remove what is older; copy: only what is older", FLM_OPTION_TEXT,
     offsetof(struct fields, before)},
    {"since", 0, "TIME", "copy: only what is of this time or later", FLM_OPTION_TEXT,
     offsetof(struct fields, since)},
    {"tenant", 0, "NAME", "add: whose they are (default: nobody's)", FLM_OPTION_TEXT,
     offsetof(struct fields, tenant)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

static bool read_time(const char *text, int64_t *time_ms)
{
    struct flm_error why;
    if (flm_time_parse(flm_bytes_of(text), flm_wall_ms(), time_ms, &why))
        return true;
    flm_message_error(&why);
    return false;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

struct labels {
    struct flm_store_label_text pairs[FLM_OPTION_MOST_ITEMS];
    char *keys[FLM_OPTION_MOST_ITEMS]; /* owned */
    size_t count;
};

static void clear_labels(struct labels *labels)
{
    while (labels->count > 0)
        free(labels->keys[--labels->count]);
}

static bool split_labels(const struct fields *f, struct labels *labels)
{
    for (size_t i = 0; i < f->labels.count; i++) {
        const char *text = f->labels.items[i], *equals = strchr(text, '=');
        if (!equals || equals == text) {
            flm_message_usage("--label is KEY=VALUE, such as service=api, not '%s'", text);
            return false;
        }
        char *key = strndup(text, (size_t)(equals - text));
        if (!key) {
            flm_message("out of memory");
            return false;
        }
        labels->keys[labels->count] = key;
        labels->pairs[labels->count++] = (struct flm_store_label_text){key, equals + 1};
    }
    return true;
}

static int add(const struct fields *f, struct flm_store *store, int count, char **paths)
{
    struct labels labels = {.count = 0};
    int64_t time_ms = flm_wall_ms();
    bool good = split_labels(f, &labels) && (!f->time || read_time(f->time, &time_ms));
    for (int i = 0; good && i < count; i++) {
        struct flm_error why;
        struct flm_profile *profile = flm_load_with(&f->load, paths[i]);
        const struct flm_store_batch batch = {profile, f->tenant, labels.pairs, labels.count,
                                              time_ms};
        good = profile != NULL;
        if (good && !flm_store_append(store, &batch, 1, &why))
            good = flm_message_error(&why) == FLM_EXIT_DONE;
        flm_profile_free(profile);
    }
    clear_labels(&labels);
    return good ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

/* ---- Looking --------------------------------------------------------------------------------- */

static bool print_text(void *context, struct flm_name text)
{
    printf("%s%.*s\n", (const char *)context, (int)text.size, text.at);
    return true;
}

static int show(const struct fields *f, struct flm_store *store)
{
    struct flm_store_stats stats = flm_store_stats(store);
    char from[FLM_TIME_TEXT], until[FLM_TIME_TEXT];
    char indent[] = "  ";
    flm_time_print(stats.from_ms, from);
    flm_time_print(stats.until_ms, until);
    printf("segments  %llu, %llu values in %llu bytes\n", (unsigned long long)stats.segments,
           (unsigned long long)stats.rows, (unsigned long long)stats.bytes);
    if (stats.damaged_segments > 0)
        printf("damaged   %llu segments, which are not read\n",
               (unsigned long long)stats.damaged_segments);
    printf("journal   %llu metrics of profiles that are not sealed\n",
           (unsigned long long)stats.pending_batches);
    if (stats.from_ms < stats.until_ms)
        printf("time      %s to %s\n", from, until);
    const struct flm_store_query all = {
        .size = sizeof all, .tenant = f->tenant, .until_ms = INT64_MAX};
    struct flm_error why;
    printf("types\n");
    if (!flm_store_types(store, &all, print_text, indent, &why))
        return flm_message_error(&why);
    printf("series\n");
    if (!flm_store_series(store, &all, print_text, indent, &why))
        return flm_message_error(&why);
    return flm_stdout_flush() ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

/* ---- Order ----------------------------------------------------------------------------------- */

static int compact(struct flm_store *store)
{
    uint64_t merged;
    struct flm_error why;
    if (!flm_store_seal(store, &why) || !flm_store_compact(store, flm_wall_ms(), &merged, &why))
        return flm_message_error(&why);
    flm_message("%llu segment%s fewer", (unsigned long long)merged, merged == 1 ? "" : "s");
    return FLM_EXIT_DONE;
}

static int retain(const struct fields *f, struct flm_store *store)
{
    int64_t before_ms;
    uint64_t removed;
    struct flm_error why;
    if (!f->before)
        return flm_message_usage("retain takes --before TIME, such as --before -30d");
    if (!read_time(f->before, &before_ms))
        return FLM_EXIT_WRONG;
    if (!flm_store_seal(store, &why) || !flm_store_retain(store, before_ms, &removed, &why))
        return flm_message_error(&why);
    flm_message("%llu segment%s removed", (unsigned long long)removed, removed == 1 ? "" : "s");
    return FLM_EXIT_DONE;
}

static int check(struct flm_store *store)
{
    struct flm_error why;
    if (!flm_store_check(store, &why))
        return flm_message_error(&why);
    flm_message("all of it can be read");
    return FLM_EXIT_DONE;
}

static int backup(struct flm_store *store, int count, char **paths)
{
    struct flm_error why;
    if (count != 1)
        return flm_message_usage("backup takes a folder that is not there yet");
    return flm_store_backup(store, paths[0], &why) ? FLM_EXIT_DONE : flm_message_error(&why);
}

static int copy(const struct fields *f, struct flm_store *from, int count, char **paths)
{
    int64_t from_ms = INT64_MIN, until_ms = INT64_MAX;
    uint64_t copied = 0;
    struct flm_error why;
    if (count != 1)
        return flm_message_usage("copy takes the store to copy to: a folder, or a URL of "
                                 "ClickHouse");
    if ((f->since && !read_time(f->since, &from_ms)) ||
        (f->before && !read_time(f->before, &until_ms)))
        return FLM_EXIT_WRONG;
    struct flm_store *to = flm_store_open(paths[0], NULL, &why);
    if (!to)
        return flm_message_error(&why);
    bool good = flm_store_copy(from, to, from_ms, until_ms, &copied, &why);
    uint64_t repeated = flm_store_stats(to).repeated_batches;
    flm_store_close(to);
    char there[80] = "";
    if (repeated > 0)
        snprintf(there, sizeof there, ", of which %llu were there", (unsigned long long)repeated);
    flm_message("%llu batches copied%s%s", (unsigned long long)copied, there,
                good ? "" : "; begin it again for the rest");
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

static void report_recovery(const struct flm_store *store, const char *folder)
{
    struct flm_store_recovery r = flm_store_recovered(store);
    if (r.damaged_entries > 0)
        flm_message("%s: %llu writes to the journal are damaged, and what they had is lost", folder,
                    (unsigned long long)r.damaged_entries);
    if (r.damaged_segments > 0)
        flm_message("%s: %llu segments are damaged, and are not read", folder,
                    (unsigned long long)r.damaged_segments);
}

static int act(const char *action, const struct fields *f, struct flm_store *store, int count,
               char **paths)
{
    if (strcmp(action, "add") == 0)
        return add(f, store, count, paths);
    if (strcmp(action, "show") == 0)
        return show(f, store);
    if (strcmp(action, "compact") == 0)
        return compact(store);
    if (strcmp(action, "retain") == 0)
        return retain(f, store);
    if (strcmp(action, "check") == 0)
        return check(store);
    if (strcmp(action, "copy") == 0)
        return copy(f, store, count, paths);
    return backup(store, count, paths);
}

static int run(const struct flm_command *command, int count, char **argv)
{
    static const char actions[] = " add show compact retain check backup copy ";
    struct fields f = {0};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    char wanted[32];
    snprintf(wanted, sizeof wanted, " %s ", operands > 0 ? argv[0] : "");
    if (operands < 2 || !strstr(actions, wanted))
        return flm_message_usage("store takes what to do (add, show, compact, retain, check, "
                                 "backup, copy) and a folder");
    bool adds = strcmp(argv[0], "add") == 0;
    if (adds && operands < 3)
        return flm_message_usage("store add takes a folder and the profiles to add");
    f.load.drop_times = f.load.no_locations = true;
    const struct flm_store_options how = {.size = sizeof how, .must_exist = !adds};
    struct flm_store *store = flm_store_open(argv[1], &how, &why);
    if (!store)
        return flm_message_error(&why);
    report_recovery(store, argv[1]);
    status = act(argv[0], &f, store, operands - 2, argv + 2);
    flm_store_close(store);
    return status;
}

const struct flm_command flm_command_store = {
    .name = "store",
    .synopsis = "[OPTION]... ACTION FOLDER [FILE]...",
    .summary = "keep profiles of many programs over time",
    .description =
        "Keeps profiles with labels and times in a folder, in about a byte a sample, for 'flamel "
        "query'.\n"
        "\n"
        "  add      appends the profiles in files, of any format: they are on the disk when it "
        "ends\n"
        "  show     what is in it: values, time, types, series\n"
        "  compact  merges what was added into few large files\n"
        "  retain   removes what is older than --before\n"
        "  check    reads everything, and names what is damaged\n"
        "  backup   copies it to another folder\n"
        "  copy     appends what it has to another store, in a folder or in ClickHouse",
    .examples = "  flamel store add profiles -l service=api -l host=a7 api.pb.gz\n"
                "  flamel query -d profiles service=api -o api.svg\n"
                "  flamel store retain profiles --before -30d\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
