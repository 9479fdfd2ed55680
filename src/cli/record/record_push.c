#include "cli/record/record_push.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/regex/glob.h"
#include "base/text/json_write.h"
#include "cli/common/messages.h"
#include "cli/common/record_options.h"
#include "cli/record/recording.h"
#include "cli/record/recording_signals.h"
#include "cli/server/push.h"
#include "flamel/algebra.h"
#include "os/clock.h"

static const int64_t SECOND_NS = 1000000000, USUAL_INTERVAL_NS = 15 * SECOND_NS,
                     LONGEST_INTERVAL_NS = 3600 * SECOND_NS, PATIENCE_NS = 10 * SECOND_NS,
                     LOOK_NS = SECOND_NS;
enum { USUAL_SPOOL_MIB = 256 };

const char *flm_record_push_misplaced(const struct flm_record_push *push,
                                      const struct flm_option_list *labels)
{
    return push->server.url           ? NULL
           : push->service            ? "service"
           : labels->count > 0        ? "label"
           : push->interval           ? "push-interval"
           : push->spool              ? "push-spool"
           : push->spool_mib          ? "push-spool-size"
           : push->server.token_file  ? "token"
           : push->server.authorities ? "cacert"
           : push->server.tenant      ? "tenant"
                                      : NULL;
}

struct pushing {
    const struct flm_record_push *options;
    struct flm_recording *recording;
    struct flm_recording_stopping stopping;
    struct flm_push push;
    int64_t interval_ns;
    int64_t since_ms;   /* of the profile that is being recorded */
    int64_t profile_ms; /* and of the one that is being pushed */
};

static bool tick(void *context)
{
    return flm_recording_goes_on(&((struct pushing *)context)->stopping);
}

/* Whoever asks twice does not want to wait for the server either. */
static bool is_wanted(void *context)
{
    (void)context;
    return flm_recording_signal_count() < 2;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

static bool is_wanted_service(const struct flm_record_push *o, const char *name)
{
    bool wanted = !o->only || o->only->count == 0;
    for (size_t i = 0; o->only && i < o->only->count; i++)
        wanted = wanted || flm_glob_matches(flm_bytes_of(o->only->items[i]), flm_bytes_of(name));
    return wanted;
}

/* One that cannot be kept is counted, and recording goes on. */
static bool push_one(void *context, const struct flm_service *service,
                     const struct flm_profile *profile, struct flm_error *why)
{
    struct pushing *p = context;
    struct flm_error lost;
    (void)why;
    if (flm_profile_node_count(profile) > 1 && is_wanted_service(p->options, service->name) &&
        !flm_push_add(&p->push, service, p->profile_ms, profile, &lost))
        flm_message("%s: the profile is lost", lost.text);
    return true;
}

/* What was recorded since the last time, without samples: nothing is sent. */
static bool push_lately(struct pushing *p, struct flm_error *why)
{
    const struct flm_record_push *o = p->options;
    p->profile_ms = p->since_ms;
    p->since_ms = flm_wall_ms(); /* before it is taken, which may last for seconds */
    struct flm_profile *profile = flm_recording_take(p->recording, why);
    /* It ended while the last one was taken, which had all of it. */
    if (!profile && why->kind == FLM_ERROR_USAGE)
        return true;
    bool good = profile != NULL;
    if (good && flm_record_filters_given(o->filters))
        good = flm_record_filters_apply(o->filters, &profile, why);
    if (good && o->services)
        good = flm_services_split(o->services, profile, push_one, p, why);
    else if (good)
        good = push_one(p, &(struct flm_service){.name = o->service}, profile, why);
    flm_profile_free(profile);
    return good;
}

/* Meanwhile it is looked which processes there are: those that end before a profile is taken are
 * known then. *over: the recording is. */
static bool wait(struct pushing *p, int64_t until_ns, bool *over, struct flm_error *why)
{
    *over = false;
    for (;;) {
        int64_t left_ns = until_ns - flm_now_ns();
        bool looks = p->options->services && left_ns > LOOK_NS;
        *over = flm_recording_wait(p->recording, looks ? LOOK_NS : left_ns > 0 ? left_ns : 0);
        if (*over || !looks)
            return true;
        if (!flm_services_look(p->options->services, why))
            return false;
    }
}

/* In windows of one length from the start on, whatever taking one costs. */
static bool record(struct pushing *p, struct flm_error *why)
{
    int64_t next_ns = flm_now_ns() + p->interval_ns;
    for (;;) {
        bool over;
        if (!wait(p, next_ns, &over, why))
            return false;
        if (over)
            return true;
        if (!push_lately(p, why))
            return false;
        while (next_ns <= flm_now_ns())
            next_ns += p->interval_ns;
    }
}

/* ---- The summary ----------------------------------------------------------------------------- */

static void print_summary(const struct pushing *p, const struct flm_record_result *result,
                          const struct flm_push_counts *n)
{
    const struct flm_record_push *o = p->options;
    uint64_t lost = result->counts.lost + result->lost_unreported;
    if (o->json) {
        struct flm_text text = {0};
        struct flm_json_writer json = {.out = &text};
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_integer(&json, "samples", (int64_t)result->counts.samples);
        flm_json_add_integer(&json, "lost", (int64_t)lost);
        flm_json_add_integer(&json, "pushed", (int64_t)n->pushed);
        flm_json_add_integer(&json, "waiting", (int64_t)n->waiting);
        flm_json_add_integer(&json, "refused", (int64_t)n->refused);
        flm_json_add_integer(&json, "dropped", (int64_t)n->dropped);
        flm_json_end(&json);
        if (!text.failed)
            fwrite(text.at, 1, text.size, stdout);
        flm_text_clear(&text);
    } else if (!o->quiet) {
        flm_message("%" PRIu64 " samples, %" PRIu64 " lost; %" PRIu64 " profile%s pushed to %s",
                    result->counts.samples, lost, n->pushed, n->pushed == 1 ? "" : "s",
                    o->server.url);
    }
    /* Also with --quiet: this is lost, or not where it belongs. */
    if (n->waiting > 0)
        flm_message("%" PRIu64 " profile%s wait%s in %s: the next 'flamel record --push' sends "
                    "%s%s%s",
                    n->waiting, n->waiting == 1 ? "" : "s", n->waiting == 1 ? "s" : "",
                    p->push.options.folder, n->waiting == 1 ? "it" : "them",
                    p->push.reason[0] ? "; the last try: " : "", p->push.reason);
    if (n->dropped + n->refused > 0)
        flm_message(
            "%" PRIu64 " profile%s: %" PRIu64 " dropped here, %" PRIu64 " refused by the server",
            n->dropped + n->refused, n->dropped + n->refused == 1 ? " is lost" : "s are lost",
            n->dropped, n->refused);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool read_options(const struct flm_record_push *o, struct pushing *p,
                         struct flm_push_options *push, struct flm_error *why)
{
    p->interval_ns = USUAL_INTERVAL_NS;
    if (!o->services && (!o->service || !*o->service))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--push needs --service NAME: what the profiles are of");
    if (o->interval && !flm_record_parse_time("push-interval", o->interval, &p->interval_ns, why))
        return false;
    if (p->interval_ns < SECOND_NS || p->interval_ns > LONGEST_INTERVAL_NS)
        return flm_error_set(why, FLM_ERROR_USAGE, "--push-interval is from 1s to 60m, not '%s'",
                             o->interval);
    *push = (struct flm_push_options){
        .server = o->server,
        .labels = o->labels->items,
        .label_count = o->labels->count,
        .folder = o->spool ? o->spool : "flamel-push",
        .most_bytes = (uint64_t)(o->spool_mib ? o->spool_mib : USUAL_SPOOL_MIB) << 20,
        .patience_ns = PATIENCE_NS,
        .quiet = o->quiet,
        .waiting = is_wanted,
    };
    return true;
}

static void say_how(struct pushing *p)
{
    const char *description = flm_recording_description(p->recording, NULL);
    if (!p->options->quiet && description)
        fputs(description, stderr);
}

/* The recorder is open: to its end, and the last profile. */
static bool run(struct pushing *p, struct flm_recorded *recorded, struct flm_error *why)
{
    struct flm_record_result *result = &recorded->summary.result;
    struct flm_error stopped;
    say_how(p);
    p->since_ms = flm_wall_ms();
    if (!flm_recording_start(p->recording, why))
        return false;
    bool good = record(p, why);
    if (!flm_recording_stop(p->recording, &stopped)) {
        if (good)
            *why = stopped;
        good = false;
    }
    recorded->stopped_by = flm_recording_signal();
    flm_recording_result(p->recording, result, NULL);
    if (!recorded->stopped_by && result->exit_status == -1) {
        recorded->ended_command = p->options->recorder.command != NULL;
        flm_recording_end_command(p->recording);
    }
    struct flm_error late;
    bool taken = push_lately(p, good ? why : &late);
    flm_recording_result(p->recording, result, NULL);
    return good && taken;
}

bool flm_record_push(const struct flm_record_push *o, int *status, struct flm_error *why)
{
    struct pushing p = {.options = o};
    struct flm_push_options push;
    struct flm_push_counts counts;
    struct flm_recorded recorded = {.summary.result.size = sizeof recorded.summary.result};
    struct flm_record_options recorder = o->recorder;
    if (!read_options(o, &p, &push, why))
        return false;
    recorder.size = sizeof recorder;
    recorder.tick = tick;
    recorder.context = &p;
    recorder.keep_times = o->services || flm_record_filters_given(o->filters);
    recorded.summary.command = recorder.command ? recorder.command[0] : NULL;
    if (!flm_push_open(&p.push, &push, why))
        return false;
    bool good = (p.recording = flm_recording_new(&recorder, why)) != NULL;
    if (good) {
        flm_recording_result(p.recording, &recorded.summary.result, NULL);
        p.stopping.process = recorded.summary.result.process_id;
        flm_recording_signals_catch(&recorded.caught);
        good = run(&p, &recorded, why);
    }
    flm_push_close(&p.push, &counts);
    if (p.recording)
        print_summary(&p, &recorded.summary.result, &counts);
    *status = flm_recorded_exit_status(&recorded);
    flm_signals_restore(&recorded.caught);
    flm_recording_free(p.recording);
    return good;
}
