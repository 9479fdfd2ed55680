/* settings.c - the variable FLAMEL: what is measured, and what is written at the end, and where.
 *
 *     FLAMEL=report                      a report on standard error
 *     FLAMEL=report,json:OUT.json,cpu    that, and as JSON; CPU time too
 *
 * Words are separated by commas; what belongs to a word follows a colon (or an equals sign). %p in
 * a path is the number of the process, %% a percent sign. flamel-probe(7) lists the words. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

struct flm_settings flm_settings;

struct word {
    const char *name;
    bool (*read)(struct flm_settings *settings, int argument, const char *value);
    int argument;
    const char
        *value;       /* what is wanted behind it, for the message; NULL: nothing may stand there */
    bool is_optional; /* the value */
};

/* ---- Values ---------------------------------------------------------------------------------- */

static bool copy_path(char *path, const char *text)
{
    size_t to = 0;
    for (; *text; text++) {
        char number[24] = {*text, 0};
        if (*text == '%') {
            text++;
            if (*text == 'p')
                snprintf(number, sizeof number, "%ld", (long)getpid());
            else if (*text != '%')
                return false;
        }
        size_t more = strlen(number);
        if (to + more >= FLM_MOST_PATH)
            return false;
        memcpy(path + to, number, more);
        to += more;
    }
    path[to] = 0;
    return to > 0;
}

static bool read_count(const char *text, uint32_t least, uint32_t most, uint32_t *count)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *count = (uint32_t)value;
    return *text >= '0' && *text <= '9' && !*end && value >= least && value <= most;
}

static bool set_nothing(struct flm_settings *settings, int argument, const char *value)
{
    (void)settings, (void)argument, (void)value;
    return true;
}

static bool set_file(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    return copy_path(settings->path, value);
}

static bool set_output(struct flm_settings *settings, int output, const char *value)
{
    settings->has_number[output] = strstr(value, "%p") != NULL;
    return copy_path(settings->output[output], *value ? value : "-");
}

static bool set_signal(struct flm_settings *settings, int signal, const char *value)
{
    if (*value && !read_count(value, 1, 100000, &settings->cpu_frequency))
        return false;
    settings->signals |= 1u << signal;
    return true;
}

static bool set_no_signal(struct flm_settings *settings, int signal, const char *value)
{
    (void)value;
    settings->signals &= ~(1u << signal);
    return true;
}

static bool set_all(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument, (void)value;
    settings->signals = (1u << FLM_PROBE_SIGNALS) - 1;
    return true;
}

/* The interval between allocations that are sampled. */
static bool set_memory(struct flm_settings *settings, int signal, const char *value)
{
    if (*value && !read_count(value, 0, 1u << 30, &settings->memory_interval))
        return false;
    settings->leaks = settings->leaks || settings->memory_interval == 1;
    return set_signal(settings, signal, "");
}

static bool set_leaks(struct flm_settings *settings, int signal, const char *value)
{
    settings->leaks = true;
    return set_signal(settings, signal, value);
}

/* percentiles:50/95/99.9 */
static bool set_percentiles(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    settings->percentile_count = 0;
    for (;;) {
        char *end;
        double percentile = strtod(value, &end);
        if (end == value || !(percentile > 0 && percentile <= 100) ||
            settings->percentile_count == FLM_MOST_PERCENTILES)
            return false;
        settings->percentile[settings->percentile_count++] = percentile;
        if (!*end)
            return true;
        if (*end != '/')
            return false;
        value = end + 1;
    }
}

static bool set_rows(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    return read_count(value, 0, UINT32_MAX - 1, &settings->rows);
}

static bool set_timed(struct flm_settings *settings, int argument, const char *value)
{
    settings->timed_of = 0;
    return argument == 0 || read_count(value, 1, 1000000, &settings->timed_of);
}

/* budget:2%: of the time, for timing */
static bool set_budget(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    const double million = 1e6, percent = 100;
    char *end;
    double share = strtod(value, &end);
    if (end == value || strcmp(end, "%") != 0 || !(share >= 0.001 && share <= percent))
        return false;
    settings->budget = (uint32_t)(share / percent * million + 0.5);
    return true;
}

/* only:GLOB/GLOB, not:GLOB/GLOB: functions */
static bool set_globs(struct flm_settings *settings, int is_only, const char *value)
{
    char *to = is_only ? settings->only : settings->except;
    size_t size = strlen(value);
    if (size >= sizeof settings->only)
        return false;
    memcpy(to, value, size + 1);
    return true;
}

static bool set_filter(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    return copy_path(settings->filter, value);
}

static bool set_quiet(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument, (void)value;
    return settings->is_quiet = true;
}

static bool set_ordered(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument, (void)value;
    return settings->is_ordered = true;
}

/* locks, locks:hold, locks:wait */
static bool set_locks(struct flm_settings *settings, int signal, const char *value)
{
    if (strcmp(value, "hold") == 0)
        settings->hold_weight = 1;
    else if (strcmp(value, "wait") == 0)
        settings->hold_weight = 0;
    else if (*value)
        return false;
    return set_signal(settings, signal, "");
}

static bool copy_text(char *to, size_t room, const char *value)
{
    size_t size = strlen(value);
    if (size >= room)
        return false;
    memcpy(to, value, size + 1);
    return true;
}

static bool set_metrics(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    return copy_text(settings->metrics, sizeof settings->metrics, value);
}

static bool set_token(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    return copy_text(settings->token, sizeof settings->token, value);
}

static bool set_otlp(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    return copy_text(settings->otlp, sizeof settings->otlp, value);
}

static bool set_interval(struct flm_settings *settings, int argument, const char *value)
{
    (void)argument;
    return read_count(value, 1, 86400, &settings->interval);
}

static bool set_report_signal(struct flm_settings *settings, int argument, const char *value)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"QUIT", SIGQUIT}};
    (void)argument;
    value += strncmp(value, "SIG", 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcmp(signals[i].name, value) == 0)
            settings->report_signal = signals[i].number;
    return settings->report_signal > 0;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static const struct word words[] = {
    {"on", set_nothing, 0, NULL, false},
    {"1", set_nothing, 0, NULL, false},
    {"file", set_file, 0, "PATH", false},
    {"report", set_output, FLM_OUT_REPORT, "PATH", true},
    {"json", set_output, FLM_OUT_JSON, "PATH", true},
    {"markdown", set_output, FLM_OUT_MARKDOWN, "PATH", true},
    {"csv", set_output, FLM_OUT_CSV, "PATH", true},
    {"flm", set_output, FLM_OUT_FLM, "PATH", false},
    {"metrics", set_metrics, 0, "127.0.0.1:PORT", false},
    {"token", set_token, 0, "TEXT", false},
    {"otlp", set_otlp, 0, "http://HOST:4318", false},
    {"interval", set_interval, 0, "SECONDS", false},
    {"signal", set_report_signal, 0, "USR2", false},
    {"percentiles", set_percentiles, 0, "50/95/99", false},
    {"rows", set_rows, 0, "NUMBER", false},
    {"sample", set_timed, 1, "NUMBER", false},
    {"count", set_timed, 0, NULL, false},
    {"budget", set_budget, 0, "2%", false},
    {"ordered", set_ordered, 0, NULL, false},
    {"only", set_globs, 1, "GLOB/GLOB", false},
    {"not", set_globs, 0, "GLOB/GLOB", false},
    {"filter", set_filter, 0, "PATH", false},
    {"quiet", set_quiet, 0, NULL, false},
    {"all", set_all, 0, NULL, false},
    {"time", set_signal, FLM_PROBE_TIME, NULL, false},
    {"memory", set_memory, FLM_PROBE_MEMORY, "BYTES", true},
    {"leaks", set_leaks, FLM_PROBE_MEMORY, NULL, false},
    {"cpu", set_signal, FLM_PROBE_CPU_TIME, "HZ", true},
    {"locks", set_locks, FLM_PROBE_LOCKS, "hold", true},
    {"io", set_signal, FLM_PROBE_IO, NULL, false},
    {"threads", set_signal, FLM_PROBE_THREADS, NULL, false},
    {"sql", set_signal, FLM_PROBE_STATEMENTS, NULL, false},
    {"http", set_signal, FLM_PROBE_TRANSFERS, NULL, false},
    {"no-time", set_timed, 0, NULL, false},
    {"no-frees", set_no_signal, FLM_PROBE_FREEING, NULL, false},
    {"no-memory", set_no_signal, FLM_PROBE_MEMORY, NULL, false},
    {"no-cpu", set_no_signal, FLM_PROBE_CPU_TIME, NULL, false},
    {"no-locks", set_no_signal, FLM_PROBE_LOCKS, NULL, false},
    {"no-io", set_no_signal, FLM_PROBE_IO, NULL, false},
    {"no-threads", set_no_signal, FLM_PROBE_THREADS, NULL, false},
    {"no-sql", set_no_signal, FLM_PROBE_STATEMENTS, NULL, false},
    {"no-http", set_no_signal, FLM_PROBE_TRANSFERS, NULL, false},
};

static void complain(struct flm_settings *settings, const char *word, const char *name,
                     const char *wanted)
{
    if (settings->wrong[0])
        return;
    if (wanted)
        snprintf(settings->wrong, sizeof settings->wrong, "'%.100s': write %s:%s", word, name,
                 wanted);
    else
        snprintf(settings->wrong, sizeof settings->wrong,
                 "'%.100s' is not understood: FLAMEL is report, json:PATH, file:PATH, "
                 "flm:PATH, cpu, "
                 "off ...: see flamel-probe(7)",
                 word);
}

static void read_word(struct flm_settings *settings, char *text)
{
    size_t size = strcspn(text, ":=");
    const char *value = text[size] ? text + size + 1 : "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct word *word = &words[i];
        if (strlen(word->name) != size || memcmp(word->name, text, size) != 0)
            continue;
        bool has_value = *value != 0;
        bool fits = word->value ? has_value || word->is_optional : text[size] == 0;
        if (!fits || !word->read(settings, word->argument, value))
            complain(settings, text, word->name, word->value);
        return;
    }
    complain(settings, text, NULL, NULL);
}

void flm_settings_read(struct flm_settings *settings, const char *text)
{
    /* Those that may be measured without being asked for: they cost little, and disturb nothing. */
    const uint32_t usual = 1u << FLM_PROBE_TIME | 1u << FLM_PROBE_MEMORY | 1u << FLM_PROBE_LOCKS |
                           1u << FLM_PROBE_IO | 1u << FLM_PROBE_THREADS |
                           1u << FLM_PROBE_STATEMENTS | 1u << FLM_PROBE_TRANSFERS |
                           1u << FLM_PROBE_FREEING;
    *settings = (struct flm_settings){.is_on = true,
                                      .signals = usual,
                                      .timed_of = 1,
                                      .hold_weight = 64,
                                      .cpu_frequency = 999,
                                      .memory_interval = 512 << 10,
                                      .interval = 10,
                                      .percentile = {95},
                                      .percentile_count = 1,
                                      .rows = 15};
    while (*text) {
        text += strspn(text, " ");
        char word[FLM_MOST_PATH + 32];
        size_t size = strcspn(text, ",");
        bool is_whole = size < sizeof word;
        memcpy(word, text, is_whole ? size : 0);
        word[is_whole ? size : 0] = 0;
        if (strcmp(word, "off") == 0) {
            *settings = (struct flm_settings){0};
            return;
        }
        if (!is_whole)
            complain(settings, "a word with more than 4,000 letters", NULL, NULL);
        else if (size > 0)
            read_word(settings, word);
        text += size + (text[size] == ',');
    }
    if (settings->leaks && !(settings->signals & 1u << FLM_PROBE_FREEING) && !settings->wrong[0])
        snprintf(settings->wrong, sizeof settings->wrong,
                 "leaks are what is not freed: leave out 'leaks' or 'no-frees'");
    if (settings->wrong[0])
        settings->is_on = false;
}
