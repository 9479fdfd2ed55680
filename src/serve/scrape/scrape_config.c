#include "serve/scrape/scrape_config.h"

#include <stdlib.h>

#include "net/tenant.h"
#include "net/url.h"
#include "os/file_bytes.h"
#include "serve/scrape/yaml.h"
#include "store/labels/series_labels.h"
#include "store/labels/time_text.h"

enum { MOST_LABELS = 40 };
static const int64_t DEFAULT_MS = 15000, LEAST_MS = 1000, MOST_MS = 24 * 3600 * 1000;

static const struct {
    const char *name, *path;
    bool seconds, delta, is_default;
} known[] = {
    {"cpu", "/debug/pprof/profile", true, false, true},
    {"heap", "/debug/pprof/heap", false, true, true},
    {"allocs", "/debug/pprof/allocs", false, true, false},
    {"goroutine", "/debug/pprof/goroutine", false, false, true},
    {"mutex", "/debug/pprof/mutex", false, true, true},
    {"block", "/debug/pprof/block", false, true, true},
    {"threadcreate", "/debug/pprof/threadcreate", false, false, false},
};
enum { KNOWN = sizeof known / sizeof known[0] };

struct reading {
    struct flm_yaml *yaml;
    struct flm_scrape_config *config;
    size_t targets; /* of all jobs */
    struct flm_error *why;
};

#define WRONG(r, node, ...)                                                                        \
    flm_error_line((r)->why, FLM_ERROR_FORMAT, flm_yaml_line((r)->yaml, node), __VA_ARGS__)

/* ---- Values ---------------------------------------------------------------------------------- */

/* A text without a NUL or a line end, which URLs and headers must not have. */
static bool read_text(struct reading *r, int node, const char *what, char **out)
{
    struct flm_bytes text = flm_yaml_text(r->yaml, node);
    if (flm_yaml_kind(r->yaml, node) != FLM_YAML_TEXT || text.size == 0)
        return WRONG(r, node, "%s is a text", what);
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.at[i] < ' ' || text.at[i] == 127)
            return WRONG(r, node, "%s has a control character in it", what);
    free(*out);
    *out = strndup(text.at, text.size);
    return *out || flm_error_memory(r->why);
}

static bool read_interval(struct reading *r, int node, int64_t *interval_ms)
{
    struct flm_bytes text = flm_yaml_text(r->yaml, node);
    char ago[40];
    int64_t then_ms;
    const int64_t now_ms = INT64_C(1) << 45;
    bool good = text.size > 0 && text.size < sizeof ago - 1 && text.at[0] != '-';
    if (good) {
        ago[0] = '-';
        memcpy(ago + 1, text.at, text.size);
        good = flm_time_parse((struct flm_bytes){ago, text.size + 1}, now_ms, &then_ms, NULL);
    }
    *interval_ms = good ? now_ms - then_ms : 0;
    return (*interval_ms >= LEAST_MS && *interval_ms <= MOST_MS) ||
           WRONG(r, node, "interval is a duration from 1s to 1d, such as 15s");
}

static bool read_bool(struct reading *r, int node, const char *name, bool *value)
{
    struct flm_bytes text = flm_yaml_text(r->yaml, node);
    *value = flm_bytes_are(text, "true");
    return *value || flm_bytes_are(text, "false") || WRONG(r, node, "%s is true or false", name);
}

static bool read_token(struct reading *r, int node, char **token)
{
    char *path = NULL;
    struct flm_text text = {0};
    struct flm_error inner;
    bool good = read_text(r, node, "token_file", &path);
    if (good && !flm_file_read(path, &text, &inner))
        good = WRONG(r, node, "%s", inner.text);
    struct flm_bytes word =
        flm_bytes_trimmed((struct flm_bytes){text.at ? text.at : "", text.size});
    for (size_t i = 0; good && i < word.size; i++)
        if ((unsigned char)word.at[i] <= ' ')
            good = WRONG(r, node, "%s: a file of a token has one word, the token", path);
    if (good && word.size == 0)
        good = WRONG(r, node, "%s: there is no token in it", path);
    if (good && !(*token = strndup(word.at, word.size)))
        good = flm_error_memory(r->why);
    flm_text_clear(&text);
    free(path);
    return good;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static bool add_target(struct reading *r, struct flm_scrape_job *job, int node)
{
    struct flm_text url = {0};
    char *text = NULL;
    if (!read_text(r, node, "a target", &text))
        return false;
    if (r->targets++ == FLM_SCRAPE_MOST_TARGETS) {
        free(text);
        return WRONG(r, node, "there are more than %d targets", FLM_SCRAPE_MOST_TARGETS);
    }
    bool is_url = flm_is_url(text);
    const char *host = is_url ? strstr(text, "//") + 2 : text;
    /* What is in a URL before @ would be shown with it; what is behind ? is the profile's. */
    if (strpbrk(host, "?#@ ") || *host == 0 || *host == '/' || (!is_url && strchr(host, '/'))) {
        WRONG(r, node, "a target is HOST:PORT, or a URL such as http://HOST:PORT/PREFIX, not '%s'",
              text);
        free(text);
        return false;
    }
    if (!is_url)
        flm_text_puts(&url, "http://");
    flm_url_begin(&url, text, "");
    flm_text_putc(&url, 0);
    free(text);
    if (!url.failed && FLM_ARRAY_ADD(&job->targets, url.at))
        return true;
    flm_text_clear(&url);
    return flm_error_memory(r->why);
}

static bool add_profile(struct reading *r, struct flm_scrape_job *job, const char *name,
                        const char *path, bool seconds, bool delta)
{
    struct flm_scrape_profile profile = {strdup(name), strdup(path), seconds, delta};
    if (profile.name && profile.path && FLM_ARRAY_ADD(&job->profiles, profile))
        return true;
    free(profile.name);
    free(profile.path);
    return flm_error_memory(r->why);
}

static bool add_named(struct reading *r, struct flm_scrape_job *job, int node)
{
    struct flm_bytes name = flm_yaml_text(r->yaml, node);
    for (int i = 0; i < KNOWN; i++)
        if (flm_bytes_are(name, known[i].name))
            return add_profile(r, job, known[i].name, known[i].path, known[i].seconds,
                               known[i].delta);
    return WRONG(r, node,
                 "there is no profile '%.*s': there are cpu, heap, allocs, goroutine, mutex, "
                 "block, threadcreate, and {path: /PATH}",
                 (int)(name.size < 60 ? name.size : 60), name.at);
}

static bool add_path(struct reading *r, struct flm_scrape_job *job, int node)
{
    char *path = NULL;
    bool seconds = false, delta = false, good = true;
    int key, value;
    for (size_t i = 0; good && flm_yaml_pair(r->yaml, node, i, &key, &value); i++) {
        struct flm_bytes name = flm_yaml_text(r->yaml, key);
        if (flm_bytes_are(name, "path"))
            good = read_text(r, value, "path", &path);
        else if (flm_bytes_are(name, "seconds"))
            good = read_bool(r, value, "seconds", &seconds);
        else if (flm_bytes_are(name, "delta"))
            good = read_bool(r, value, "delta", &delta);
        else
            good = WRONG(r, key, "a profile has path, seconds and delta, not '%.*s'",
                         (int)(name.size < 60 ? name.size : 60), name.at);
    }
    if (good && (!path || path[0] != '/' || strpbrk(path, "# ")))
        good = WRONG(r, node, "the path of a profile begins with /, such as /debug/fgprof");
    good = good && add_profile(r, job, path, path, seconds, delta);
    free(path);
    return good;
}

static bool add_item(struct reading *r, struct flm_scrape_job *job, int node, bool is_target)
{
    if (is_target)
        return add_target(r, job, node);
    if (job->profiles.count == FLM_SCRAPE_MOST_PROFILES)
        return WRONG(r, node, "there are more than %d profiles", FLM_SCRAPE_MOST_PROFILES);
    return flm_yaml_kind(r->yaml, node) == FLM_YAML_MAP ? add_path(r, job, node)
                                                        : add_named(r, job, node);
}

static bool read_list(struct reading *r, struct flm_scrape_job *job, int node, bool is_target)
{
    int item;
    if (flm_yaml_kind(r->yaml, node) != FLM_YAML_LIST || !flm_yaml_item(r->yaml, node, 0, &item))
        return WRONG(r, node, "%s is a list", is_target ? "targets" : "profiles");
    for (size_t i = 0; flm_yaml_item(r->yaml, node, i, &item); i++)
        if (!add_item(r, job, item, is_target))
            return false;
    return true;
}

static bool read_labels(struct reading *r, struct flm_scrape_job *job, int node)
{
    int key, value;
    if (flm_yaml_kind(r->yaml, node) != FLM_YAML_MAP)
        return WRONG(r, node, "labels are NAME: VALUE");
    for (size_t i = 0; flm_yaml_pair(r->yaml, node, i, &key, &value); i++) {
        char *name = NULL, *text = NULL;
        bool good = read_text(r, key, "the name of a label", &name) &&
                    read_text(r, value, "the value of a label", &text);
        if (good && (i == MOST_LABELS || strlen(name) > FLM_STORE_LONGEST_KEY ||
                     strlen(text) > FLM_STORE_LONGEST_VALUE))
            good = WRONG(r, key, "there are more than %d labels, or one is too long", MOST_LABELS);
        if (good && (strncmp(name, "__", 2) == 0 || strcmp(name, "service") == 0 ||
                     strcmp(name, "service_name") == 0))
            good = WRONG(r, key, "the label '%s' is given by flamel: 'service' names the service",
                         name);
        if (good && !flm_http_field_add(&job->labels, flm_bytes_of(name), flm_bytes_of(text)))
            good = flm_error_memory(r->why);
        free(name);
        free(text);
        if (!good)
            return false;
    }
    return true;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static const char *const members[] = {"service", "targets", "interval",  "profiles",
                                      "labels",  "tenant",  "token_file"};
enum { SERVICE, TARGETS, INTERVAL, PROFILES, LABELS, TENANT, TOKEN_FILE, MEMBERS };

static bool read_member(struct reading *r, struct flm_scrape_job *job, int member, int node)
{
    switch (member) {
    case SERVICE:
        return read_text(r, node, "service", &job->service) &&
               (strlen(job->service) <= FLM_STORE_LONGEST_VALUE ||
                WRONG(r, node, "service is too long"));
    case TARGETS:
    case PROFILES:
        return read_list(r, job, node, member == TARGETS);
    case INTERVAL:
        return read_interval(r, node, &job->interval_ms);
    case LABELS:
        return read_labels(r, job, node);
    case TENANT:
        return read_text(r, node, "tenant", &job->tenant) &&
               (flm_is_tenant(job->tenant) ||
                WRONG(r, node, "a tenant has 1 to 128 letters, digits, and _ - . in its name"));
    default:
        return read_token(r, node, &job->token);
    }
}

static bool read_members(struct reading *r, struct flm_scrape_job *job, int node)
{
    unsigned seen = 0;
    int key, value;
    for (size_t i = 0; flm_yaml_pair(r->yaml, node, i, &key, &value); i++) {
        struct flm_bytes name = flm_yaml_text(r->yaml, key);
        int member = 0;
        while (member < MEMBERS && !flm_bytes_are(name, members[member]))
            member++;
        if (member == MEMBERS)
            return WRONG(r, key,
                         "there is no '%.*s' here: there are service, targets, interval, "
                         "profiles, labels, tenant and token_file",
                         (int)(name.size < 60 ? name.size : 60), name.at);
        if (seen & 1u << member)
            return WRONG(r, key, "'%s' is there twice", members[member]);
        seen |= 1u << member;
        if (!read_member(r, job, member, value))
            return false;
    }
    if (!job->service || job->targets.count == 0)
        return WRONG(r, node, "'%s' is missing", job->service ? "targets" : "service");
    for (int i = 0; !(seen & 1u << PROFILES) && i < KNOWN; i++)
        if (known[i].is_default &&
            !add_profile(r, job, known[i].name, known[i].path, known[i].seconds, known[i].delta))
            return false;
    return job->tenant || (job->tenant = strdup("")) || flm_error_memory(r->why);
}

static bool read_jobs(struct reading *r, int list)
{
    int node;
    for (size_t i = 0; flm_yaml_item(r->yaml, list, i, &node); i++) {
        if (flm_yaml_kind(r->yaml, node) != FLM_YAML_MAP)
            return WRONG(r, node, "an item of scrape has service and targets");
        if (!FLM_ARRAY_ADD(r->config, (struct flm_scrape_job){.interval_ms = DEFAULT_MS}))
            return flm_error_memory(r->why);
        if (!read_members(r, &r->config->at[r->config->count - 1], node))
            return false;
    }
    return r->config->count > 0 || WRONG(r, list, "scrape is a list of jobs");
}

bool flm_scrape_config_read(struct flm_scrape_config *config, struct flm_bytes text,
                            struct flm_error *why)
{
    struct reading r = {.yaml = flm_yaml_open(text, why), .config = config, .why = why};
    int key, value, root = r.yaml ? flm_yaml_root(r.yaml) : 0;
    if (!r.yaml)
        return false;
    bool good = flm_yaml_pair(r.yaml, root, 0, &key, &value) ||
                flm_error_line(why, FLM_ERROR_FORMAT, 1, "there is no 'scrape:' in it");
    if (good && (!flm_bytes_are(flm_yaml_text(r.yaml, key), "scrape") ||
                 flm_yaml_pair(r.yaml, root, 1, &key, &value)))
        good = WRONG(&r, key, "there is 'scrape:' at the top, and nothing else");
    good = good && read_jobs(&r, value);
    flm_yaml_close(r.yaml);
    return good;
}

void flm_scrape_config_clear(struct flm_scrape_config *config)
{
    for (size_t i = 0; i < config->count; i++) {
        struct flm_scrape_job *job = &config->at[i];
        for (size_t k = 0; k < job->profiles.count; k++) {
            free(job->profiles.at[k].name);
            free(job->profiles.at[k].path);
        }
        for (size_t k = 0; k < job->targets.count; k++)
            free(job->targets.at[k]);
        FLM_ARRAY_CLEAR(&job->profiles);
        FLM_ARRAY_CLEAR(&job->targets);
        flm_http_fields_clear(&job->labels);
        free(job->service);
        free(job->tenant);
        free(job->token);
    }
    FLM_ARRAY_CLEAR(config);
}
