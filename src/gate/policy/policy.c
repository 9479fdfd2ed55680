/* policy.c - reads the file of thresholds. */
#include "gate/policy/policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/number/number.h"
#include "base/regex/glob.h"

struct reading {
    struct flm_policy *policy;
    struct flm_policy_section defaults; /* what stands before the first section */
    struct flm_error *why;
    uint64_t line;
};

/* ---- Texts ----------------------------------------------------------------------------------- */

static struct flm_bytes trimmed(struct flm_bytes text)
{
    while (text.size > 0 && (*text.at == ' ' || *text.at == '\t')) {
        text.at++;
        text.size--;
    }
    while (text.size > 0 && memchr(" \t\r", text.at[text.size - 1], 3))
        text.size--;
    return text;
}

static bool refuse(struct reading *r, struct flm_bytes what, const char *wanted)
{
    return flm_error_set(r->why, FLM_ERROR_FORMAT, "line %llu of the policy: '%.*s': %s",
                         (unsigned long long)r->line, (int)(what.size < 80 ? what.size : 80),
                         what.at, wanted);
}

/* "10%", "0.1" */
static bool read_share(struct flm_bytes text, double *share)
{
    bool is_percent = text.size > 0 && text.at[text.size - 1] == '%';
    struct flm_bytes number = trimmed((struct flm_bytes){text.at, text.size - is_percent});
    if (flm_number_parse(number, share) == FLM_NUMBER_NONE || !(*share >= 0))
        return false;
    *share /= is_percent ? 100 : 1;
    return true;
}

bool flm_policy_ignores(const struct flm_policy_section *section, struct flm_bytes name)
{
    for (size_t i = 0; i < section->ignore.count; i++)
        if (flm_glob_matches(section->ignore.at[i], name))
            return true;
    return false;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool add_globs(struct reading *r, struct flm_policy_section *section, struct flm_bytes text)
{
    while (text.size > 0) {
        size_t size = 0;
        while (size < text.size && text.at[size] != ' ' && text.at[size] != '\t')
            size++;
        if (!FLM_ARRAY_ADD(&section->ignore, (struct flm_bytes){text.at, size}))
            return flm_error_memory(r->why);
        text = trimmed((struct flm_bytes){text.at + size, text.size - size});
    }
    return true;
}

static bool set_measure(struct flm_policy_section *section, struct flm_bytes value)
{
    static const char *const names[] = {"average", "total", "self"};
    for (int i = 0; i < 3; i++)
        if (flm_bytes_are(value, names[i])) {
            section->measure = (enum flm_policy_measure)i;
            return true;
        }
    return false;
}

static bool read_key(struct reading *r, struct flm_policy_section *section, struct flm_bytes key,
                     struct flm_bytes value)
{
    if (flm_bytes_are(key, "ignore"))
        return add_globs(r, section, value);
    if (flm_bytes_are(key, "least-change"))
        return read_share(value, &section->least_change) ||
               refuse(r, value, "least-change is a share: 10%");
    if (flm_bytes_are(key, "least-share"))
        return read_share(value, &section->least_share) ||
               refuse(r, value, "least-share is a share of the baseline's total: 1%");
    if (flm_bytes_are(key, "least-calls"))
        return (flm_number_parse(value, &section->least_calls) != FLM_NUMBER_NONE &&
                section->least_calls >= 0) ||
               refuse(r, value, "least-calls is a number");
    if (flm_bytes_are(key, "measure"))
        return set_measure(section, value) || refuse(r, value, "measure is average, total or self");
    return refuse(r, key, "the keys are least-change, least-share, least-calls, measure, ignore");
}

/* The names that the report of such programs has; others are metrics themselves. */
static struct flm_bytes metric_of(struct flm_bytes section)
{
    if (flm_bytes_are(section, "time"))
        return flm_bytes_of("wall");
    if (flm_bytes_are(section, "memory"))
        return flm_bytes_of("allocated");
    return section;
}

static bool begin_section(struct reading *r, struct flm_bytes name)
{
    struct flm_policy_section section = r->defaults;
    section.name = name;
    section.metric = metric_of(name);
    memset(&section.ignore, 0, sizeof section.ignore);
    for (size_t i = 0; i < r->policy->sections.count; i++)
        if (flm_bytes_equal(r->policy->sections.at[i].name, name))
            return refuse(r, name, "this section is there already");
    for (size_t i = 0; i < r->defaults.ignore.count; i++)
        if (!FLM_ARRAY_ADD(&section.ignore, r->defaults.ignore.at[i])) {
            FLM_ARRAY_CLEAR(&section.ignore);
            return flm_error_memory(r->why);
        }
    if (!FLM_ARRAY_ADD(&r->policy->sections, section)) {
        FLM_ARRAY_CLEAR(&section.ignore);
        return flm_error_memory(r->why);
    }
    return true;
}

static bool read_line(struct reading *r, struct flm_bytes line)
{
    const char *comment = memchr(line.at, '#', line.size);
    line = trimmed((struct flm_bytes){line.at, comment ? (size_t)(comment - line.at) : line.size});
    if (line.size == 0)
        return true;
    if (*line.at == '[') {
        bool is_closed = line.size > 2 && line.at[line.size - 1] == ']';
        struct flm_bytes name =
            trimmed((struct flm_bytes){line.at + 1, is_closed ? line.size - 2 : 0});
        is_closed &= name.size > 0;
        return is_closed ? begin_section(r, name) : refuse(r, line, "a section is [time]");
    }
    const char *equals = memchr(line.at, '=', line.size);
    if (!equals)
        return refuse(r, line, "a line is [section] or key = value");
    size_t size = (size_t)(equals - line.at);
    struct flm_policy_section *section = &r->defaults;
    if (r->policy->sections.count > 0)
        section = &r->policy->sections.at[r->policy->sections.count - 1];
    return read_key(r, section, trimmed((struct flm_bytes){line.at, size}),
                    trimmed((struct flm_bytes){equals + 1, line.size - size - 1}));
}

bool flm_policy_read(struct flm_policy *policy, struct flm_bytes text, struct flm_error *why)
{
    *policy = (struct flm_policy){0};
    struct reading r = {.policy = policy, .defaults = {.least_change = 0.1}, .why = why};
    bool good = true;
    while (good && text.size > 0) {
        const char *end = memchr(text.at, '\n', text.size);
        size_t size = end ? (size_t)(end - text.at) : text.size;
        r.line++;
        good = read_line(&r, (struct flm_bytes){text.at, size});
        size += end != NULL;
        text = (struct flm_bytes){text.at + size, text.size - size};
    }
    FLM_ARRAY_CLEAR(&r.defaults.ignore);
    return good && (policy->sections.count > 0 ||
                    flm_error_set(why, FLM_ERROR_FORMAT,
                                  "the policy has no section: write [time], for example"));
}

void flm_policy_clear(struct flm_policy *policy)
{
    for (size_t i = 0; i < policy->sections.count; i++)
        FLM_ARRAY_CLEAR(&policy->sections.at[i].ignore);
    FLM_ARRAY_CLEAR(&policy->sections);
}
