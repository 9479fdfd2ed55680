#include "algebra/sanitize/rules.h"

#include "algebra/expression/argument.h"
#include "algebra/operation/pattern.h"

struct parsing {
    struct flm_rules *rules;
    struct flm_bytes value;
    struct flm_error *why;
};

bool flm_texts_have(const struct flm_texts *texts, struct flm_bytes text)
{
    for (size_t i = 0; i < texts->count; i++)
        if (flm_bytes_equal(texts->at[i], text))
            return true;
    return false;
}

static bool add(struct parsing *a, struct flm_texts *texts, struct flm_bytes text)
{
    return FLM_ARRAY_ADD(texts, text) || flm_error_memory(a->why);
}

static bool parse_pattern(struct parsing *a, struct flm_texts *patterns)
{
    return flm_pattern_check(a->value, a->why) && add(a, patterns, a->value);
}

/* "a, b" */
static bool parse_keys(struct parsing *a, struct flm_texts *keys)
{
    for (size_t at = 0; at <= a->value.size;) {
        size_t end = at;
        while (end < a->value.size && a->value.at[end] != ',')
            end++;
        struct flm_bytes key = flm_bytes_trimmed((struct flm_bytes){a->value.at + at, end - at});
        if (key.size > 0 && !add(a, keys, key))
            return false;
        at = end + 1;
    }
    return true;
}

static bool parse_names(struct parsing *a)
{
    return parse_pattern(a, &a->rules->names);
}

static bool parse_modules(struct parsing *a)
{
    return parse_pattern(a, &a->rules->modules);
}

static bool parse_files(struct parsing *a)
{
    a->rules->drops_files = true;
    return flm_bytes_are(a->value, "none") ||
           flm_error_set(a->why, FLM_ERROR_USAGE, "files: is 'none', not '%.*s'",
                         (int)a->value.size, a->value.at);
}

static bool parse_labels(struct parsing *a)
{
    a->rules->keeps_labels |= flm_bytes_are(a->value, "all");
    return a->rules->keeps_labels || parse_keys(a, &a->rules->labels);
}

static bool parse_notes(struct parsing *a)
{
    return parse_keys(a, &a->rules->notes);
}

static bool parse_markers(struct parsing *a)
{
    a->rules->drops_markers |= flm_bytes_are(a->value, "none");
    a->rules->keeps_details |= flm_bytes_are(a->value, "all");
    return flm_bytes_are(a->value, "none") || flm_bytes_are(a->value, "all") ||
           flm_error_set(a->why, FLM_ERROR_USAGE, "markers: is 'none' or 'all', not '%.*s'",
                         (int)a->value.size, a->value.at);
}

static bool parse_times(struct parsing *a)
{
    double unit_ns;
    if (flm_bytes_are(a->value, "none")) {
        a->rules->drops_times = true;
        return true;
    }
    if (!flm_duration_parse(a->value, &unit_ns) || unit_ns < 1 || unit_ns > 1e15)
        return flm_error_set(a->why, FLM_ERROR_USAGE,
                             "times: is 'none', or a duration such as 10ms, not '%.*s'",
                             (int)a->value.size, a->value.at);
    a->rules->time_unit_ns = (int64_t)unit_ns;
    return true;
}

static const struct {
    const char *name;
    bool (*parse)(struct parsing *a);
} rules_known[] = {{"names", parse_names},   {"modules", parse_modules}, {"files", parse_files},
                   {"labels", parse_labels}, {"notes", parse_notes},     {"markers", parse_markers},
                   {"times", parse_times}};

static bool parse_rule(struct flm_rules *rules, struct flm_bytes rule, struct flm_error *why)
{
    size_t colon = 0;
    while (colon < rule.size && rule.at[colon] != ':')
        colon++;
    struct flm_bytes name = flm_bytes_trimmed((struct flm_bytes){rule.at, colon});
    struct parsing a = {rules, {"", 0}, why};
    if (colon < rule.size)
        a.value = flm_bytes_trimmed(flm_bytes_from(rule, colon + 1));
    for (size_t i = 0; i < sizeof rules_known / sizeof *rules_known; i++) {
        if (!flm_bytes_are(name, rules_known[i].name))
            continue;
        if (a.value.size > 0)
            return rules_known[i].parse(&a);
        return flm_error_set(why, FLM_ERROR_USAGE, "%s: of what? It takes a value, as in %s:%s",
                             rules_known[i].name, rules_known[i].name, i < 2 ? "acme*" : "none");
    }
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "there is no rule '%.*s': rules are names, modules, files, labels, notes, "
                         "markers and times, as in 'names:acme* | times:none'",
                         (int)name.size, name.at);
}

bool flm_rules_parse(struct flm_rules *rules, struct flm_bytes text, struct flm_error *why)
{
    *rules = (struct flm_rules){.time_unit_ns = 1};
    for (size_t at = 0; at < text.size;) {
        size_t colon = at;
        while (colon < text.size && text.at[colon] != ':' && text.at[colon] != '|')
            colon++;
        size_t end = colon;
        if (colon < text.size && text.at[colon] == ':')
            end = flm_argument_end(FLM_ARGUMENT_PATTERN, text, colon + 1, false);
        struct flm_bytes rule = flm_bytes_trimmed((struct flm_bytes){text.at + at, end - at});
        if (rule.size > 0 && !parse_rule(rules, rule, why))
            return false;
        at = end + 1;
    }
    return true;
}

void flm_rules_clear(struct flm_rules *rules)
{
    FLM_ARRAY_CLEAR(&rules->names);
    FLM_ARRAY_CLEAR(&rules->modules);
    FLM_ARRAY_CLEAR(&rules->labels);
    FLM_ARRAY_CLEAR(&rules->notes);
}
