#include "cli/common/record_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/number/number.h"
#include "cli/common/preload.h"

bool flm_record_parse_time(const char *option, const char *text, int64_t *time_ns,
                           struct flm_error *why)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"", 1e9}};
    size_t size = strspn(text, "0123456789.");
    double number = 0;
    enum flm_number_kind kind = flm_number_parse((struct flm_bytes){text, size}, &number);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double ns = number * units[i].ns;
        if (kind == FLM_NUMBER_NONE || strcmp(text + size, units[i].unit) != 0 || ns < 1e6 ||
            ns > 1e17)
            continue;
        *time_ns = (int64_t)ns;
        return true;
    }
    return flm_error_set(why, FLM_ERROR_USAGE, "--%s is a time, like 10s, 500ms or 2m, not '%s'",
                         option, text);
}

/* A name instead of a number, and what `-p $(pidof app)` becomes where app does not run. */
static bool refuse_ids(const char *option, const char *text, struct flm_error *why)
{
    bool is_process = strcmp(option, "pid") == 0;
    if (is_process && (!*text || *text == '-'))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--pid takes numbers of processes, not '%s' (pidof and pgrep print "
                             "none for a program that does not run)",
                             text);
    bool is_name = is_process && !strpbrk(text, "0123456789,' \t\n");
    return flm_error_set(
        why, FLM_ERROR_USAGE, "--%s takes numbers separated by commas, not '%s'%s%s%s", option,
        text, is_name ? ": pidof " : "", is_name ? text : "", is_name ? " prints them" : "");
}

bool flm_record_parse_ids(const char *option, const char *text, int32_t **ids, size_t *count,
                          struct flm_error *why)
{
    static const char separators[] = ", \t\n"; /* pidof prints spaces, pgrep lines */
    *ids = malloc((strlen(text) / 2 + 1) * sizeof **ids);
    if (!*ids)
        return flm_error_memory(why);
    for (const char *at = text;; at++) {
        uint64_t id;
        struct flm_bytes word = {at, strcspn(at, separators)};
        if (!flm_number_parse_uint(word, &id) || id == 0 || id > INT32_MAX)
            return refuse_ids(option, text, why);
        (*ids)[(*count)++] = (int32_t)id;
        at += word.size;
        if (!*at)
            return true;
    }
}

static bool set_stack_size(struct flm_record_options *o, uint64_t bytes, struct flm_error *why)
{
    o->stack_size = bytes > 0 && bytes <= UINT32_MAX ? (uint32_t)bytes : 0;
    return o->stack_size > 0 ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "the size of a stack dump is a multiple of 8 bytes, and at least 8 "
                         "(--call-graph=none takes no stacks)");
}

bool flm_record_parse_stacks(const char *word, int stack_size, struct flm_record_options *o,
                             struct flm_error *why)
{
    static const struct {
        const char *word;
        enum flm_stack_mode mode;
    } words[] = {{"auto", FLM_STACK_AUTO},    {"dwarf", FLM_STACK_DUMP}, {"fp", FLM_STACK_POINTER},
                 {"lbr", FLM_STACK_BRANCHES}, {"none", FLM_STACK_NONE},  {"no", FLM_STACK_NONE}};
    word = word ? word : "auto";
    size_t size = strcspn(word, ",");
    if (stack_size != -1 && !set_stack_size(o, (uint64_t)stack_size, why))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        uint64_t bytes = 0;
        if (strlen(words[i].word) != size || strncmp(word, words[i].word, size) != 0)
            continue;
        o->stacks = words[i].mode;
        if (!word[size])
            return true;
        if (words[i].mode == FLM_STACK_DUMP &&
            flm_number_parse_uint(flm_bytes_of(word + size + 1), &bytes))
            return set_stack_size(o, bytes, why);
    }
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "--call-graph is auto, dwarf, dwarf,BYTES, fp, lbr or none, not '%s'",
                         word);
}

char **flm_record_command_of(char **words, int count, struct flm_error *why)
{
    char **command = calloc((size_t)count + 1, sizeof *command);
    if (!command)
        flm_error_memory(why);
    for (int i = 0; command && i < count; i++)
        command[i] = words[i];
    return command;
}

/* "max" is as many as the kernel allows: INFINITY. */
static bool read_frequency(const char *text, double *hz, struct flm_error *why)
{
    *hz = 0;
    if (!text)
        return true;
    if (strcmp(text, "max") == 0) {
        *hz = INFINITY;
        return true;
    }
    enum flm_number_kind kind = flm_number_parse(flm_bytes_of(text), hz);
    if (kind != FLM_NUMBER_INTEGER && kind != FLM_NUMBER_DECIMAL)
        return flm_error_set(why, FLM_ERROR_USAGE, "--frequency takes a number, or max, not '%s'",
                             text);
    return *hz > 0 || flm_error_set(why, FLM_ERROR_USAGE, "--frequency takes a positive number");
}

bool flm_record_fields_read(const struct flm_record_fields *f, struct flm_record_options *o,
                            struct flm_error *why)
{
    bool period_is_good = isnan(f->period) || (f->period >= 1 && f->period <= 1e15);
    if (!read_frequency(f->frequency, &o->frequency_hz, why))
        return false;
    if (!period_is_good || (!isnan(f->period) && f->period != floor(f->period)))
        return flm_error_set(why, FLM_ERROR_USAGE, "--count takes a positive whole number");
    if (f->ring_mib == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--ring-size must be at least 1 (MiB)");
    o->events = f->events.items;
    o->event_count = f->events.count;
    o->period = isnan(f->period) ? 0 : (uint64_t)f->period;
    o->off_cpu = f->off_cpu;
    o->no_kernel = f->no_kernel;
    o->no_inherit = f->no_inherit;
    o->no_runtimes = f->no_runtime;
    o->ring_size = f->ring_mib > 0 ? (size_t)f->ring_mib << 20 : 0;
    o->per_thread = f->per_thread;
    o->clones = f->clones;
    return flm_record_parse_stacks(f->call_graph, f->stack_size, o, why);
}

bool flm_record_symbols_read(const struct flm_option_list *dirs, bool debuginfod,
                             struct flm_symbol_paths *paths, struct flm_record_options *o,
                             struct flm_error *why)
{
    if (!flm_symbol_dirs_check(dirs, why))
        return false;
    o->symbol_dirs = dirs->items;
    o->symbol_dir_count = dirs->count;
    o->cache_dir = flm_symbol_cache(paths);
    o->perf_dir = flm_symbol_perf_dir(paths);
    o->path = getenv("PATH");
    o->debuginfod = debuginfod;
    return true;
}

static bool is_java(const struct flm_record_options *o)
{
    const char *name = o->command && o->process_count == 0 && o->thread_count == 0 && !o->machine
                           ? o->command[0]
                           : NULL;
    const char *slash = name ? strrchr(name, '/') : NULL;
    return name && strcmp(slash ? slash + 1 : name, "java") == 0;
}

bool flm_record_java_read(const struct flm_record_fields *f, struct flm_record_options *o,
                          struct flm_text *library, struct flm_error *why)
{
    if (!f->java && !is_java(o))
        return true;
    bool starts = o->command && o->process_count == 0;
    if (!is_java(o) && ((!starts && o->process_count == 0) || o->thread_count > 0 || o->machine))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--java needs Java VMs: name processes (-p PID), or a command that is "
                             "java or starts it (flamel record --java -- ./app.sh)");
    if (!flm_library_find("libflamel-java.so", "flamel-java", library, f->java ? why : NULL))
        return !f->java; /* without it java is recorded as all programs are */
    flm_text_putc(library, 0);
    if (library->failed)
        return flm_error_memory(why);
    o->java = f->java && f->java[0] ? f->java : "cpu";
    o->java_library = library->at;
    o->java_follows = f->java && starts;
    return true;
}
