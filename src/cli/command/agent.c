/* agent.c - `flamel agent`: a machine, always: each of its services as a profile every 15 seconds,
 * for a server. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/commands.h"
#include "cli/common/messages.h"
#include "cli/common/record_options.h"
#include "cli/record/record_push.h"

struct fields {
    struct flm_record_fields record;
    struct flm_record_filters filters;
    struct flm_record_push push;
    struct flm_option_list symbols, labels, only;
    const char *duration;
    bool debuginfod, list, quiet, json;
};

static const char usual_url[] = "http://127.0.0.1:4040";
static const char usual_frequency[] = "49";

static const struct flm_option options[] = {
    {"push", 0, "URL", "the server, flamel serve (default: http://127.0.0.1:4040)", FLM_OPTION_TEXT,
     offsetof(struct fields, push.server.url)},
    {"list", 0, NULL, "list the services that run now, and end", FLM_OPTION_FLAG,
     offsetof(struct fields, list)},
    {"service", 0, "NAME", "push only services with this name: 'postgres*'; may be\nrepeated",
     FLM_OPTION_LIST, offsetof(struct fields, only)},
    {"label", 0, "KEY=VALUE", "a label of all profiles, such as region=eu; may be\nrepeated",
     FLM_OPTION_LIST, offsetof(struct fields, labels)},
    {"push-interval", 0, "TIME", "the time between profiles (default: 15s)", FLM_OPTION_TEXT,
     offsetof(struct fields, push.interval)},
    {"push-spool", 0, "FOLDER",
     "where profiles wait while the server is away\n(default: flamel-push)", FLM_OPTION_TEXT,
     offsetof(struct fields, push.spool)},
    {"push-spool-size", 0, "MIB", "its largest size; the oldest are dropped (default: 256)",
     FLM_OPTION_COUNT, offsetof(struct fields, push.spool_mib)},
    {"token", 0, "FILE", "a file with the token to write with", FLM_OPTION_TEXT,
     offsetof(struct fields, push.server.token_file)},
    {"cacert", 0, "FILE", "certificates to trust (PEM; default: the system's)", FLM_OPTION_TEXT,
     offsetof(struct fields, push.server.authorities)},
    {"tenant", 0, "NAME", "whose profiles these are", FLM_OPTION_TEXT,
     offsetof(struct fields, push.server.tenant)},
    {"duration", 'd', "TIME", "stop after TIME: 10s, 2m", FLM_OPTION_TEXT,
     offsetof(struct fields, duration)},
    {"frequency", 'F', "HZ", "samples per second of CPU time (default: 49)", FLM_OPTION_TEXT,
     offsetof(struct fields, record.frequency)},
    {"event", 'e', "NAME", "what to sample (default: cycles, else cpu-clock)", FLM_OPTION_LIST,
     offsetof(struct fields, record.events)},
    {"off-cpu", 0, NULL, "record off-CPU time too", FLM_OPTION_FLAG,
     offsetof(struct fields, record.off_cpu)},
    {"call-graph", 0, "HOW", "how to get stacks: auto, dwarf, fp, lbr, none", FLM_OPTION_TEXT,
     offsetof(struct fields, record.call_graph)},
    {"no-kernel", 0, NULL, "record user space only", FLM_OPTION_FLAG,
     offsetof(struct fields, record.no_kernel)},
    {"no-runtime", 0, NULL, "leave interpreters alone", FLM_OPTION_FLAG,
     offsetof(struct fields, record.no_runtime)},
    FLM_RECORD_FILTER_OPTIONS(struct fields, filters),
    {"symbols", 0, "DIR", "search DIR first for files with symbols; may be repeated",
     FLM_OPTION_LIST, offsetof(struct fields, symbols)},
    {"debuginfod", 0, NULL, "query the servers in DEBUGINFOD_URLS for debug information",
     FLM_OPTION_FLAG, offsetof(struct fields, debuginfod)},
    {"json", 0, NULL, "print the summary as JSON, on standard output", FLM_OPTION_FLAG,
     offsetof(struct fields, json)},
    {"quiet", 'q', NULL, "print errors only", FLM_OPTION_FLAG, offsetof(struct fields, quiet)},
};

/* "nginx                     12  unit=nginx" */
static bool print_service(void *context, const struct flm_service *service,
                          const struct flm_profile *profile, struct flm_error *why)
{
    (void)context;
    (void)profile;
    (void)why;
    printf("%-31s %9zu", service->name, service->processes);
    for (size_t i = 0; i < service->label_count; i++)
        printf("  %s", service->labels[i]);
    putchar('\n');
    return true;
}

static bool list_services(struct flm_services *services, struct flm_error *why)
{
    printf("%-31s %9s  labels\n", "service", "processes");
    return flm_services_visit(services, print_service, NULL, why);
}

/* All have the label host. */
static bool add_host(struct fields *f, char *label, size_t size)
{
    char name[256] = "";
    for (size_t i = 0; i < f->labels.count; i++)
        if (strncmp(f->labels.items[i], "host=", strlen("host=")) == 0)
            return true;
    if (gethostname(name, sizeof name - 1) != 0 || !name[0])
        return true;
    snprintf(label, size, "host=%s", name);
    if (f->labels.count == FLM_OPTION_MOST_ITEMS)
        return false;
    f->labels.items[f->labels.count++] = label;
    return true;
}

static bool push(struct fields *f, struct flm_services *services, int *status,
                 struct flm_error *why)
{
    struct flm_record_push p = f->push;
    struct flm_record_options *o = &p.recorder;
    struct flm_symbol_paths paths = {0};
    char host[300];
    *o = (struct flm_record_options){.size = sizeof *o, .machine = true};
    bool good =
        flm_record_filters_check(&f->filters, why) && flm_record_fields_read(&f->record, o, why) &&
        flm_record_symbols_read(&f->symbols, f->debuginfod, &paths, o, why) &&
        (!f->duration || flm_record_parse_time("duration", f->duration, &o->duration_ns, why));
    if (good && !add_host(f, host, sizeof host))
        good = flm_error_set(why, FLM_ERROR_USAGE, "--label is given %d times at most",
                             FLM_OPTION_MOST_ITEMS - 1);
    p.services = services;
    p.only = &f->only;
    p.labels = &f->labels;
    p.filters = &f->filters;
    p.quiet = f->quiet;
    p.json = f->json;
    good = good && flm_record_push(&p, status, why);
    flm_symbol_paths_clear(&paths);
    return good;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.record = FLM_RECORD_FIELDS_UNSET, .push.server.url = usual_url};
    const struct flm_services_options how = {.size = sizeof how};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (operands > 0)
        return flm_message_usage("agent records the whole machine, and takes no operand: '%s' "
                                 "('flamel record --push' records a command)",
                                 words[0]);
    if (!f.record.frequency)
        f.record.frequency = usual_frequency;
    struct flm_services *services = flm_services_new(&how, &why);
    status = FLM_EXIT_DONE;
    bool good = services && (f.list ? list_services(services, &why) && flm_stdout_flush()
                                    : push(&f, services, &status, &why));
    if (!good)
        status = flm_message_error(&why);
    flm_services_free(services);
    return status;
}

const struct flm_command flm_command_agent = {
    .name = "agent",
    .synopsis = "[OPTION]...",
    .summary = "record a whole machine, always, for a server",
    .description =
        "Records everything that runs on this machine until a signal comes, and pushes a\n"
        "profile of each service to a server (flamel serve) every 15 seconds. A service is a\n"
        "unit of systemd, a container or the workload of its pod, or else a program.",
    .examples = "  flamel agent --list                     what the services of this machine are\n"
                "  sudo flamel agent                       to a server on this machine\n"
                "  sudo flamel agent --push https://flamel.example.org --token /etc/flamel-token\n"
                "  sudo flamel agent --service 'nginx*' --label region=eu\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
