/* query.c - `flamel query`: the sum of the profiles in a store that have some labels, in a range of
 * time; of a store in a folder, or of one that a server has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/memory_limit.h"
#include "cli/common/messages.h"
#include "cli/save/save_options.h"
#include "cli/server/refusal.h"
#include "cli/server/server_options.h"
#include "flamel/algebra.h"
#include "flamel/file.h"
#include "flamel/store.h"
#include "net/http_request.h"
#include "net/url.h"
#include "os/clock.h"
#include "store/labels/time_text.h"

struct fields {
    struct flm_save_fields save;
    struct flm_server_fields server;
    const char *folder, *from, *until, *type, *compare;
    bool quiet;
};

static const struct flm_option options[] = {
    {"data", 'd', "FOLDER", "the store (default: flamel-data)", FLM_OPTION_TEXT,
     offsetof(struct fields, folder)},
    {"server", 0, "URL", "ask a server (flamel serve) instead, such as http://127.0.0.1:4040",
     FLM_OPTION_TEXT, offsetof(struct fields, server.url)},
    {"token", 0, "FILE", "of --server: a file with the token to read with", FLM_OPTION_TEXT,
     offsetof(struct fields, server.token_file)},
    {"from", 0, "TIME", "from this time on, such as -1h or 2026-11-28T10:30 (default: the first)",
     FLM_OPTION_TEXT, offsetof(struct fields, from)},
    {"until", 0, "TIME", "up to this time (default: the last)", FLM_OPTION_TEXT,
     offsetof(struct fields, until)},
    {"type", 0, "TYPE", "what was measured, such as cpu or cpu:ns (default: each is a metric)",
     FLM_OPTION_TEXT, offsetof(struct fields, type)},
    {"compare", 0, "FROM..UNTIL", "compare with another range of time, which is the one before",
     FLM_OPTION_TEXT, offsetof(struct fields, compare)},
    {"tenant", 0, "NAME", "whose profiles (default: nobody's)", FLM_OPTION_TEXT,
     offsetof(struct fields, server.tenant)},
    {"quiet", 'q', NULL, "print no warnings", FLM_OPTION_FLAG, offsetof(struct fields, quiet)},
    FLM_SAVE_OPTIONS(struct fields, save),
};

static const char default_folder[] = "flamel-data";
static const size_t MOST_RESPONSE = (size_t)2 << 30;

static struct flm_profile *merge(struct flm_store *store, const struct fields *f,
                                 const char *selector, struct flm_times range,
                                 struct flm_error *why)
{
    const struct flm_store_query query = {.size = sizeof query,
                                          .tenant = f->server.tenant,
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
                      selector, f->folder ? f->folder : default_folder);
        return NULL;
    }
    return p;
}

/* Both ranges side by side, as a comparison. */
static struct flm_profile *compare(struct flm_store *store, const struct fields *f,
                                   const char *selector, struct flm_times after,
                                   struct flm_error *why)
{
    struct flm_times before;
    if (!flm_times_parse_pair(flm_bytes_of(f->compare), "--compare", flm_wall_ms(), &before, why))
        return NULL;
    struct flm_profile *old = merge(store, f, selector, before, why);
    struct flm_profile *new = old ? merge(store, f, selector, after, why) : NULL;
    struct flm_profile *both = new ? flm_comparison_align(old, new, why) : NULL;
    flm_profile_free(old);
    flm_profile_free(new);
    return both;
}

/* ---- Of a server ----------------------------------------------------------------------------- */

static void add_parameter(struct flm_text *url, const char *name, const char *value)
{
    if (value && *value)
        flm_url_parameter(url, name, flm_bytes_of(value));
}

/* Times go as they were given: "-1h" is by the clock of the server, as those of its profiles. */
static struct flm_profile *ask(const struct fields *f, const char *selector, struct flm_error *why)
{
    struct flm_text url = {0}, token = {0};
    struct flm_http_reply reply = {0};
    struct flm_profile *p = NULL;
    char reason[200];
    flm_url_begin(&url, f->server.url, "/api/v1/merge");
    add_parameter(&url, "selector", selector);
    add_parameter(&url, "from", f->from);
    add_parameter(&url, "until", f->until);
    add_parameter(&url, "type", f->type);
    add_parameter(&url, "compare", f->compare);
    flm_text_putc(&url, 0);
    bool good = (!url.failed || flm_error_memory(why)) &&
                flm_server_read(&f->server, "server", &token, why);
    const struct flm_http_call call = {
        .url = url.at, .token = token.at, .tenant = f->server.tenant, .most_body = MOST_RESPONSE};
    if (good && !flm_http_call(&call, &reply, why))
        good = flm_error_within(why, f->server.url);
    const struct flm_load_options load = {.size = sizeof load, .format = "flm"};
    if (good && reply.status == 200) {
        p = flm_memory_limit_begin(why)
                ? flm_load_memory(reply.body.at, reply.body.size, &load, why)
                : NULL;
        if (!p)
            flm_error_within(why, f->server.url);
    } else if (good) {
        flm_refusal_reason(&reply, reason);
        flm_error_set(why, FLM_ERROR_USAGE, "%s: the server's status is %d: %s", f->server.url,
                      reply.status, reason);
    }
    flm_http_reply_clear(&reply);
    flm_text_clear(&url);
    flm_text_clear(&token);
    return p;
}

/* ---- The command ----------------------------------------------------------------------------- */

static struct flm_profile *read_store(const struct fields *f, const char *selector,
                                      struct flm_error *why)
{
    const char *folder = f->folder ? f->folder : default_folder;
    const struct flm_store_options how = {.size = sizeof how, .must_exist = true};
    struct flm_times range;
    if (!flm_times_parse(flm_bytes_of(f->from ? f->from : ""),
                         flm_bytes_of(f->until ? f->until : ""), flm_wall_ms(), &range, why))
        return NULL;
    struct flm_store *store = flm_store_open(folder, &how, why);
    struct flm_profile *p = !store       ? NULL
                            : f->compare ? compare(store, f, selector, range, why)
                                         : merge(store, f, selector, range, why);
    flm_store_close(store);
    return p;
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
    struct fields f = {0};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (flm_save_missing(&f.save))
        return flm_message_usage("%s", flm_save_missing(&f.save));
    if (f.server.url && f.folder)
        return flm_message_usage("choose one: a store (--data), or a server (--server)");
    if (f.server.token_file && !f.server.url)
        return flm_message_usage("--token is for a server: it takes --server URL");
    struct flm_text selector = {0};
    for (int i = 0; i < operands; i++)
        flm_text_format(&selector, "%s%s", i ? " " : "", argv[i]);
    flm_text_putc(&selector, 0);
    struct flm_profile *p = NULL;
    if (selector.failed)
        flm_error_memory(&why);
    else
        p = f.server.url ? ask(&f, selector.at, &why) : read_store(&f, selector.at, &why);
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
    .description = "Writes the sum of the profiles in a store (flamel-store(1)), or of a server "
                   "(flamel-serve(1)),\n"
                   "that have the wanted labels, in a range of time, as any format or picture.\n"
                   "\n"
                   "A selector is like service=api region!=eu host=~'web.*', or "
                   "{service_name=\"api\"}: =, !=, and\n"
                   "=~ and !~ for regular expressions that match the whole value. Without one it "
                   "is all of them.",
    .examples = "  flamel query service=api --from -1h -o api.html\n"
                "  flamel query --server http://127.0.0.1:4040 service=api --from -1h -o api.flm\n"
                "  flamel query service=api --from -1h --compare -25h..-24h -o change.svg\n"
                "  flamel query 'host=~web.*' --type cpu --from 2026-11-28 -t folded\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
