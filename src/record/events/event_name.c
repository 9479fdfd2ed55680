#include "record/events/event_name.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number/number.h"
#include "base/text/nearest.h"
#include "base/text/text.h"
#include "record/perf/event.h"

struct known {
    const char *name;
    uint32_t type;
    uint64_t config;
};

static const struct known known_events[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"cgroup-switches", PERF_TYPE_SOFTWARE, 11},
};

bool flm_event_is_rare(uint32_t type, uint64_t config)
{
    /* Page faults come by the million, the other software events do not. */
    return type == PERF_TYPE_TRACEPOINT ||
           (type == PERF_TYPE_SOFTWARE && !flm_event_is_clock(type, config) &&
            config != PERF_COUNT_SW_PAGE_FAULTS && config != PERF_COUNT_SW_PAGE_FAULTS_MIN);
}

bool flm_event_is_in_kernel(uint32_t type, uint64_t config)
{
    enum { CGROUP_SWITCHES = 11 };
    return type == PERF_TYPE_SOFTWARE &&
           (config == PERF_COUNT_SW_CONTEXT_SWITCHES || config == PERF_COUNT_SW_CPU_MIGRATIONS ||
            config == CGROUP_SWITCHES);
}

/* ---- Similar names --------------------------------------------------------------------------- */

/* The three most similar names. */
struct near {
    char name[3][FLM_EVENT_NAME_SIZE];
    size_t distance[3];
    size_t count;
};

static void add_near(struct near *near, struct flm_bytes asked, const char *name)
{
    size_t d = flm_edit_distance(asked, flm_bytes_of(name));
    bool begins = asked.size > 2 && strncmp(name, asked.at, asked.size) == 0;
    if (begins)
        d = 1;
    if (d > 1 + asked.size / 3 || strlen(name) >= FLM_EVENT_NAME_SIZE)
        return;
    size_t at = near->count < 3 ? near->count : 3;
    while (at > 0 && near->distance[at - 1] > d) {
        if (at < 3) {
            near->distance[at] = near->distance[at - 1];
            memcpy(near->name[at], near->name[at - 1], FLM_EVENT_NAME_SIZE);
        }
        at--;
    }
    if (at == 3)
        return;
    near->distance[at] = d;
    memcpy(near->name[at], name, strlen(name) + 1);
    near->count += near->count < 3;
}

static bool no_such_event(struct flm_bytes asked, const struct near *near, struct flm_error *why)
{
    char buffer[4 * FLM_EVENT_NAME_SIZE];
    struct flm_text list;
    flm_text_init_fixed(&list, buffer, sizeof buffer);
    for (size_t i = 0; i < near->count; i++) {
        flm_text_puts(&list, i == 0 ? ": did you mean " : i + 1 < near->count ? ", " : " or ");
        flm_text_puts(&list, near->name[i]);
    }
    if (near->count > 0)
        flm_text_putc(&list, '?');
    else
        flm_text_puts(&list, " ('man flamel-record' lists the names)");
    return flm_error_set(why, FLM_ERROR_USAGE, "there is no event '%.*s'%.*s", (int)asked.size,
                         asked.at, (int)list.size, list.at);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
                                     "iTLB",      "branch",    "node"};
static const char *const cache_uses[] = {"loads", "stores", "prefetches"};
static const char *const cache_misses[] = {"load-misses", "store-misses", "prefetch-misses"};

/* Calls `visit` with every name until it returns true. */
typedef bool (*visit_name)(void *context, const struct known *event);
static bool each_name(visit_name visit, void *context)
{
    for (size_t i = 0; i < sizeof known_events / sizeof known_events[0]; i++)
        if (visit(context, &known_events[i]))
            return true;
    for (unsigned c = 0; c < 7; c++)
        for (unsigned use = 0; use < 3; use++)
            for (unsigned miss = 0; miss < 2; miss++) {
                char name[FLM_EVENT_NAME_SIZE];
                snprintf(name, sizeof name, "%s-%s", caches[c],
                         (miss ? cache_misses : cache_uses)[use]);
                struct known event = {name, PERF_TYPE_HW_CACHE, c | use << 8 | miss << 16};
                if (visit(context, &event))
                    return true;
            }
    return false;
}

struct search {
    struct flm_bytes asked;
    struct flm_event_name *found;
    struct near near;
};

static bool is_it(void *context, const struct known *event)
{
    struct search *s = context;
    if (!flm_bytes_are(s->asked, event->name))
        return false;
    s->found->type = event->type;
    s->found->config = event->config;
    return true;
}

static bool is_near(void *context, const struct known *event)
{
    struct search *s = context;
    add_near(&s->near, s->asked, event->name);
    return false;
}

/* ---- Tracepoints and PMUs: files of the system ----------------------------------------------- */

/* The first line of a file; false when it cannot be read: errno says why. */
static bool read_line(const char *path, char *line, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t got = read(file, line, size - 1);
    int error = errno;
    close(file);
    errno = error;
    if (got < 0)
        return false;
    line[got] = 0;
    line[strcspn(line, "\n")] = 0;
    return true;
}

/* Whether a name may become part of a path. */
static bool is_plain(struct flm_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.at[i] == '/' || name.at[i] == 0)
            return false;
    return name.size > 0 && name.at[0] != '.' && name.size < FLM_EVENT_NAME_SIZE;
}

static const char *const tracefs_paths[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* Tracepoints of the subsystem with similar names. */
static void add_near_tracepoints(struct near *near, struct flm_bytes system, struct flm_bytes event,
                                 const char *root)
{
    for (size_t i = 0; i < 2 && near->count == 0; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s/events/%.*s", root, tracefs_paths[i], (int)system.size,
                 system.at);
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char name[2 * FLM_EVENT_NAME_SIZE];
            if (entry->d_name[0] == '.' ||
                flm_edit_distance(event, flm_bytes_of(entry->d_name)) > 1 + event.size / 3)
                continue;
            snprintf(name, sizeof name, "%.*s:%.90s", (int)system.size, system.at, entry->d_name);
            add_near(near, (struct flm_bytes){system.at, system.size + 1 + event.size}, name);
        }
        if (folder)
            closedir(folder);
    }
}

size_t flm_event_description(const char *root, const char *name, char *text, size_t room)
{
    const char *colon = strchr(name, ':');
    size_t size = 0;
    for (size_t i = 0; i < 2 && size == 0 && colon; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s/events/%.*s/%s/format", root, tracefs_paths[i],
                 (int)(colon - name), name, colon + 1);
        FILE *file = fopen(path, "re");
        size = file ? fread(text, 1, room, file) : 0;
        if (file)
            fclose(file);
    }
    return size;
}

static bool find_tracepoint(struct flm_bytes system, struct flm_bytes event, const char *root,
                            struct near *near, struct flm_event_name *name, struct flm_error *why)
{
    bool is_denied = false, is_mounted = false;
    for (size_t i = 0; i < 2 && is_plain(system) && is_plain(event); i++) {
        char path[512], line[64];
        snprintf(path, sizeof path, "%s%s/events/%.*s/%.*s/id", root, tracefs_paths[i],
                 (int)system.size, system.at, (int)event.size, event.at);
        uint64_t id;
        if (read_line(path, line, sizeof line) && flm_number_parse_uint(flm_bytes_of(line), &id)) {
            name->type = PERF_TYPE_TRACEPOINT;
            name->config = id;
            return true;
        }
        is_denied = is_denied || errno == EACCES || errno == EPERM;
        snprintf(path, sizeof path, "%s%s/events", root, tracefs_paths[i]);
        is_denied = is_denied || (access(path, R_OK) != 0 && errno == EACCES);
        is_mounted = is_mounted || access(path, F_OK) == 0 || errno != ENOENT;
    }
    if (near->count == 0 && !is_mounted && is_plain(system) && is_plain(event))
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "the tracepoint %.*s:%.*s cannot be looked up: tracefs is not "
                             "mounted (mount -t tracefs tracefs /sys/kernel/tracing)",
                             (int)system.size, system.at, (int)event.size, event.at);
    if (near->count == 0 && is_denied)
        return flm_error_set(
            why, FLM_ERROR_SYSTEM,
            "the tracepoint %.*s:%.*s cannot be looked up: /sys/kernel/tracing may "
            "be read by root only (or: mount -o remount,mode=755 "
            "/sys/kernel/tracing)",
            (int)system.size, system.at, (int)event.size, event.at);
    if (near->count == 0 && is_plain(system) && is_plain(event))
        add_near_tracepoints(near, system, event, root);
    struct flm_bytes whole = {system.at, system.size + 1 + event.size};
    return no_such_event(whole, near, why);
}

/* "config:0-7,32-35": the bits of `config` that a value is stored in. */
static bool put_bits(const char *format, uint64_t value, struct flm_event_name *name)
{
    uint64_t *to = strncmp(format, "config1:", 8) == 0   ? &name->config1
                   : strncmp(format, "config2:", 8) == 0 ? &name->config2
                   : strncmp(format, "config:", 7) == 0  ? &name->config
                                                         : NULL;
    if (!to)
        return false;
    const char *at = strchr(format, ':') + 1;
    while (*at) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end == at)
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (first > last || last > 63)
            return false;
        for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
            *to |= (value & 1) << bit;
        at = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return false;
    }
    return value == 0;
}

static bool parse_value(struct flm_bytes text, uint64_t *value)
{
    if (text.size > 2 && text.at[0] == '0' && (text.at[1] | 0x20) == 'x')
        return flm_number_parse_hex((struct flm_bytes){text.at + 2, text.size - 2}, value);
    return flm_number_parse_uint(text, value);
}

/* The terms between the slashes. A named event of the PMU stands for terms of its own. */
static bool put_terms(const char *unit_path, struct flm_bytes terms, struct flm_event_name *name,
                      int depth, struct flm_error *why)
{
    while (terms.size > 0) {
        const char *comma = memchr(terms.at, ',', terms.size);
        struct flm_bytes term = {terms.at, comma ? (size_t)(comma - terms.at) : terms.size};
        terms.at += term.size + (comma != NULL);
        terms.size -= term.size + (comma != NULL);
        const char *equals = term.size ? memchr(term.at, '=', term.size) : NULL;
        struct flm_bytes key = {term.at, equals ? (size_t)(equals - term.at) : term.size};
        uint64_t value = 1;
        char path[512], line[256];
        if (!is_plain(key) ||
            (equals &&
             !parse_value((struct flm_bytes){equals + 1, term.size - key.size - 1}, &value)))
            return flm_error_set(why, FLM_ERROR_USAGE, "%s: '%.*s' is not a term with a number",
                                 name->text, (int)term.size, term.at);
        snprintf(path, sizeof path, "%s/events/%.*s", unit_path, (int)key.size, key.at);
        if (!equals && depth == 0 && read_line(path, line, sizeof line)) {
            if (!put_terms(unit_path, flm_bytes_of(line), name, depth + 1, why))
                return false;
            continue;
        }
        uint64_t *whole = flm_bytes_are(key, "config")    ? &name->config
                          : flm_bytes_are(key, "config1") ? &name->config1
                          : flm_bytes_are(key, "config2") ? &name->config2
                                                          : NULL;
        snprintf(path, sizeof path, "%s/format/%.*s", unit_path, (int)key.size, key.at);
        if (whole)
            *whole = value;
        else if (!read_line(path, line, sizeof line) || !put_bits(line, value, name))
            return flm_error_set(
                why, FLM_ERROR_USAGE,
                "%s: '%.*s' is neither an event nor a term of this PMU, or its value "
                "is too large (%s lists them)",
                name->text, (int)term.size, term.at, unit_path);
    }
    return true;
}

static bool find_unit_event(struct flm_bytes unit, struct flm_bytes terms, const char *root,
                            struct flm_event_name *name, struct flm_error *why)
{
    char unit_path[256], path[300], line[64];
    uint64_t type = 0;
    bool found = is_plain(unit);
    if (found) {
        snprintf(unit_path, sizeof unit_path, "%s/sys/bus/event_source/devices/%.*s", root,
                 (int)unit.size, unit.at);
        snprintf(path, sizeof path, "%s/type", unit_path);
        found = read_line(path, line, sizeof line) &&
                flm_number_parse_uint(flm_bytes_of(line), &type) && type <= UINT32_MAX;
    }
    if (!found)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "no PMU '%.*s' (/sys/bus/event_source/devices lists them)",
                             (int)unit.size, unit.at);
    name->type = (uint32_t)type;
    return put_terms(unit_path, terms, name, 0, why);
}

/* ---- All names ------------------------------------------------------------------------------- */

struct listing {
    flm_event_visitor visit;
    void *context;
};

static bool list_known(void *context, const struct known *event)
{
    struct listing *listing = context;
    return !listing->visit(listing->context, event->name,
                           event->type == PERF_TYPE_HARDWARE   ? "hardware"
                           : event->type == PERF_TYPE_SOFTWARE ? "software"
                                                               : "cache");
}

/* Calls `visit` with the names in a folder, sorted; false when it said so. A folder that cannot be
 * read is empty. */
static bool each_entry(const char *path, bool (*visit)(void *context, const char *name),
                       void *context)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    bool goes_on = true;
    for (int i = 0; i < count; i++) {
        goes_on = goes_on && (entries[i]->d_name[0] == '.' || visit(context, entries[i]->d_name));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return goes_on;
}

/* Folders with a folder for each system or unit, which has the events. */
struct folder {
    const struct listing *listing;
    const char *path, *system;
    bool is_unit;
};

static bool list_event(void *context, const char *name)
{
    const struct folder *f = context;
    char path[768], whole[2 * FLM_EVENT_NAME_SIZE];
    if (f->is_unit) {
        /* "cycles.scale", "cycles.unit": how its counts are shown. */
        if (strchr(name, '.'))
            return true;
        snprintf(whole, sizeof whole, "%.90s/%.90s/", f->system, name);
        return f->listing->visit(f->listing->context, whole, "PMU");
    }
    snprintf(path, sizeof path, "%s/%.200s/id", f->path, name);
    if (access(path, F_OK) != 0) /* a file of the system: "enable", "filter" */
        return true;
    snprintf(whole, sizeof whole, "%.90s:%.90s", f->system, name);
    return f->listing->visit(f->listing->context, whole, "tracepoint");
}

static bool list_system(void *context, const char *name)
{
    const struct folder *f = context;
    char path[512];
    snprintf(path, sizeof path, "%s/%.200s%s", f->path, name, f->is_unit ? "/events" : "");
    struct folder inner = {f->listing, path, name, f->is_unit};
    return each_entry(path, list_event, &inner);
}

void flm_event_names(const char *root, flm_event_visitor visit, void *context)
{
    assert(root && visit);
    struct listing listing = {visit, context};
    char path[300];
    if (each_name(list_known, &listing))
        return;
    snprintf(path, sizeof path, "%s/sys/bus/event_source/devices", root);
    struct folder units = {&listing, path, NULL, true};
    if (!each_entry(path, list_system, &units))
        return;
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s/events", root, tracefs_paths[i]);
        struct folder systems = {&listing, path, NULL, false};
        if (access(path, R_OK) == 0) {
            each_entry(path, list_system, &systems);
            return; /* the other one is the same */
        }
    }
}

/* ---- Modifiers and lists --------------------------------------------------------------------- */

static bool put_modifiers(struct flm_bytes modifiers, struct flm_event_name *name,
                          struct flm_error *why)
{
    bool user = false, kernel = false, hypervisor = false, guest = false, host = false;
    for (size_t i = 0; i < modifiers.size; i++)
        switch (modifiers.at[i]) {
        case 'u':
            user = true;
            break;
        case 'k':
            kernel = true;
            break;
        case 'h':
            hypervisor = true;
            break;
        case 'G':
            guest = true;
            break;
        case 'H':
            host = true;
            break;
        case 'p':
            name->precise++;
            break;
        case 'P':
            name->precise_as_can_be = true;
            break;
        default:
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "%s: '%c' is not a modifier: u user, k kernel, h hypervisor, G "
                                 "guest, H host, p and P precise",
                                 name->text, modifiers.at[i]);
        }
    if (name->precise > 3)
        return flm_error_set(why, FLM_ERROR_USAGE, "%s: at most three p", name->text);
    name->says_where = user || kernel || hypervisor;
    if (name->says_where) {
        name->exclude_user = !user;
        name->exclude_kernel = !kernel;
        name->exclude_hypervisor = !hypervisor;
    }
    if (guest != host) {
        name->exclude_guest = !guest;
        name->exclude_host = !host;
    }
    return true;
}

static bool find(struct flm_bytes word, const char *root, struct flm_event_name *name,
                 struct flm_error *why)
{
    const char *slash = memchr(word.at, '/', word.size);
    if (slash) {
        struct flm_bytes unit = {word.at, (size_t)(slash - word.at)};
        const char *terms = slash + 1, *end = word.at + word.size;
        const char *close = memchr(terms, '/', (size_t)(end - terms));
        if (!close)
            return flm_error_set(why, FLM_ERROR_USAGE, "%s: the second '/' is missing", name->text);
        const char *behind = close + 1 + (close + 1 < end && close[1] == ':');
        return find_unit_event(unit, (struct flm_bytes){terms, (size_t)(close - terms)}, root, name,
                               why) &&
               put_modifiers((struct flm_bytes){behind, (size_t)(end - behind)}, name, why);
    }
    const char *colon = memchr(word.at, ':', word.size);
    struct search search = {.asked = {word.at, colon ? (size_t)(colon - word.at) : word.size},
                            .found = name};
    struct flm_bytes behind = {colon ? colon + 1 : NULL,
                               colon ? word.size - search.asked.size - 1 : 0};
    if (each_name(is_it, &search))
        return put_modifiers(behind, name, why);
    struct flm_bytes digits = {search.asked.at + 1, search.asked.size - 1};
    if (search.asked.at[0] == 'r' && flm_number_parse_hex(digits, &name->config)) {
        name->type = PERF_TYPE_RAW;
        return put_modifiers(behind, name, why);
    }
    each_name(is_near, &search);
    if (!colon)
        return no_such_event(search.asked, &search.near, why);
    /* A tracepoint may have modifiers too. */
    const char *second = memchr(behind.at, ':', behind.size);
    struct flm_bytes event = {behind.at, second ? (size_t)(second - behind.at) : behind.size};
    if (!find_tracepoint(search.asked, event, root, &search.near, name, why))
        return false;
    return put_modifiers(
        (struct flm_bytes){second ? second + 1 : NULL, second ? behind.size - event.size - 1 : 0},
        name, why);
}

/* Commas between slashes belong to the event. */
static size_t word_size(struct flm_bytes list)
{
    bool inside = false;
    size_t i = 0;
    for (; i < list.size && (inside || list.at[i] != ','); i++)
        inside = inside != (list.at[i] == '/');
    return i;
}

bool flm_event_name_next(struct flm_bytes *list, const char *root, struct flm_event_name *name,
                         struct flm_error *why)
{
    assert(list && root && name);
    struct flm_bytes word = {list->at, word_size(*list)};
    bool more = word.size < list->size;
    list->at += word.size + more;
    list->size -= word.size + more;
    *name = (struct flm_event_name){0};
    if (word.size == 0 || (more && list->size == 0))
        return flm_error_set(why, FLM_ERROR_USAGE, "the name of an event is missing");
    if (word.size >= sizeof name->text || memchr(word.at, 0, word.size))
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is too long for the name of an event",
                             (int)word.size, word.at);
    memcpy(name->text, word.at, word.size);
    return find(word, root, name, why);
}
