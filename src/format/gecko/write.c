/* write.c - a profile for the Firefox Profiler: its processed format, version 61.
 *
 * Later versions are not better for us: the Firefox Profiler upgrades a file when it opens it, and
 * from 61 on it makes by itself what says how counters are drawn.
 *
 *     node i        stack i - 1; its caller is a stack before it, as nodes are in preorder
 *     frame i       frame and function i; its module a resource and a library
 *     samples       the samples of a thread, in order; a pause is a sample without a stack
 *     no samples    the stacks that have a value, one after another, a millisecond each; these
 *     no times      times are made up, as there must be some: "flamelHasNoTimes" says so
 *
 * A root frame that is a label (a command, a thread) is the name of the thread, as it is when such
 * a file is read. Values are as they are, but nanoseconds, which the Firefox Profiler knows as
 * milliseconds; members that it passes over ("flamel...") give them back when flamel reads it. */
#include "format/gecko/write.h"

#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/text/json_write.h"
#include "profile/label_range.h"

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT, CATEGORY_GPU };

/* A thread: what its samples have in common. */
struct group {
    uint32_t root;            /* the frame that is a label at the root; FLM_NONE: none */
    uint32_t process, thread; /* label values; FLM_NONE */
    uint32_t process_name, thread_name;
    uint32_t count, first; /* its items */
};

struct item {
    double time, duration, value, cpu; /* times in ms; a duration of 0 is not known */
    uint32_t node, group;
};

struct writing {
    const struct flm_profile *p;
    struct flm_json_writer json;
    uint32_t metric, cpu;   /* cpu: FLM_NONE where no metric is called so */
    bool has_times;         /* which are of the profile, and not made up */
    double scale;           /* values are divided by it */
    const char *type;       /* weightType */
    uint32_t *parent, *top; /* by node: its caller, and its ancestor below the root */
    struct FLM_ARRAY(struct group) groups;
    struct flm_index group_index;
    struct FLM_ARRAY(struct item) items; /* by group, then time */
    struct FLM_ARRAY(uint32_t) modules;  /* strings, each once */
    uint32_t *module_of;                 /* by frame: of `modules`; FLM_NONE */
    bool failed;
};

/* ---- What there is --------------------------------------------------------------------------- */

static bool is_label(const struct writing *w, uint32_t node)
{
    return node != 0 && w->p->frames[w->p->node_frame[node]].kind == FLM_KIND_LABEL;
}

/* A string; FLM_NONE where there is none. A profile without labels has not even the empty set. */
static uint32_t label_value(const struct writing *w, uint32_t set, struct flm_label_range range)
{
    return set < w->p->sizes.label_set_count ? flm_label_value_in(w->p, set, range) : FLM_NONE;
}

static uint32_t group_of(struct writing *w, uint32_t node, uint32_t set,
                         const struct flm_thread_labels *labels,
                         const struct flm_label_range names[2])
{
    const struct flm_profile *p = w->p;
    uint32_t top = w->top[node];
    struct group group = {
        .root = is_label(w, top) ? p->node_frame[top] : FLM_NONE,
        .process = label_value(w, set, labels->processes),
        .thread = label_value(w, set, labels->threads),
        .process_name = label_value(w, set, names[0]),
        .thread_name = label_value(w, set, names[1]),
    };
    uint32_t key[3] = {group.root, group.process, group.thread};
    uint32_t hash = (uint32_t)flm_hash((const char *)key, sizeof key);
    for (struct flm_probe at = flm_index_probe(&w->group_index, hash);
         flm_index_next(&w->group_index, &at);) {
        const struct group *g = &w->groups.at[at.found];
        if (g->root == key[0] && g->process == key[1] && g->thread == key[2])
            return at.found;
    }
    uint32_t index = (uint32_t)w->groups.count;
    if (!FLM_ARRAY_ADD(&w->groups, group) || !flm_index_add(&w->group_index, hash, index)) {
        w->failed = true;
        return 0;
    }
    return index;
}

static void add_item(struct writing *w, struct item item)
{
    if (w->failed || !FLM_ARRAY_ADD(&w->items, item))
        w->failed = true;
    else
        w->groups.at[item.group].count++;
}

static double milliseconds(int64_t ns)
{
    return (double)ns / 1e6;
}

static void find_items(struct writing *w)
{
    const struct flm_profile *p = w->p;
    const struct flm_thread_labels labels = flm_thread_labels_of(p);
    const struct flm_label_range names[2] = {flm_label_range_of(p, "process name"),
                                             flm_label_range_of(p, "thread name")};
    double last = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count && !w->failed; i++) {
        double value = flm_sample_column(p, w->metric)[i];
        if (value == 0)
            continue;
        if (p->sample_time[i] != FLM_NO_TIME) {
            last = milliseconds(p->sample_time[i]);
            w->has_times = true;
        }
        add_item(w, (struct item){.time = last,
                                  .duration = milliseconds(flm_sample_duration(p, i)),
                                  .value = value,
                                  .cpu = w->cpu != FLM_NONE ? flm_sample_column(p, w->cpu)[i] : 0,
                                  .node = p->sample_node[i],
                                  .group = group_of(w, p->sample_node[i], p->sample_labels[i],
                                                    &labels, names)});
    }
    if (w->items.count > 0)
        return;
    for (uint32_t i = 1; i < p->sizes.node_count && !w->failed; i++) {
        double value = flm_self_column(p, w->metric)[i];
        if (value == 0)
            continue;
        uint32_t group = group_of(w, i, 0, &labels, names);
        if (!w->failed)
            add_item(w, (struct item){.time = w->groups.at[group].count,
                                      .value = value,
                                      .cpu = w->cpu != FLM_NONE ? flm_self_column(p, w->cpu)[i] : 0,
                                      .node = i,
                                      .group = group});
    }
}

/* Sorts the items by group; within one they stay in order. */
static void sort_items(struct writing *w)
{
    struct item *sorted = malloc((w->items.count + 1) * sizeof *sorted);
    if (!sorted || w->failed) {
        free(sorted);
        w->failed = true;
        return;
    }
    uint32_t first = 0;
    for (size_t i = 0; i < w->groups.count; i++) {
        w->groups.at[i].first = first;
        first += w->groups.at[i].count;
        w->groups.at[i].count = 0;
    }
    for (size_t i = 0; i < w->items.count; i++) {
        struct group *g = &w->groups.at[w->items.at[i].group];
        sorted[g->first + g->count++] = w->items.at[i];
    }
    free(w->items.at);
    w->items.at = sorted;
    w->items.capacity = w->items.count + 1;
}

static void find_modules(struct writing *w)
{
    const struct flm_profile *p = w->p;
    uint32_t *place = malloc(((size_t)p->sizes.string_count + 1) * sizeof *place);
    w->module_of = malloc(((size_t)p->sizes.frame_count + 1) * sizeof *w->module_of);
    if (!place || !w->module_of) {
        free(place);
        w->failed = true;
        return;
    }
    memset(place, -1, ((size_t)p->sizes.string_count + 1) * sizeof *place);
    for (uint32_t i = 0; i < p->sizes.frame_count && !w->failed; i++) {
        uint32_t module = p->frames[i].module;
        if (module != 0 && place[module] == FLM_NONE) {
            place[module] = (uint32_t)w->modules.count;
            w->failed = !FLM_ARRAY_ADD(&w->modules, module);
        }
        w->module_of[i] = module != 0 ? place[module] : FLM_NONE;
    }
    free(place);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void object(struct writing *w, const char *key)
{
    flm_json_begin(&w->json, key, FLM_JSON_OBJECT);
}

static void column(struct writing *w, const char *key)
{
    flm_json_begin(&w->json, key, FLM_JSON_ARRAY_LINE);
}

static void end(struct writing *w)
{
    flm_json_end(&w->json);
}

static void number(struct writing *w, const char *key, double value)
{
    flm_json_add_number(&w->json, key, value);
}

static void text(struct writing *w, const char *key, const char *value)
{
    flm_json_add_text(&w->json, key, flm_bytes_of(value));
}

/* A column of `count` times the same. */
static void constant(struct writing *w, const char *key, size_t count, const char *value)
{
    column(w, key);
    for (size_t i = 0; i < count; i++)
        if (strcmp(value, "null") == 0)
            flm_json_add_null(&w->json, NULL);
        else if (strcmp(value, "false") == 0)
            flm_json_add_bool(&w->json, NULL, false);
        else
            number(w, NULL, *value - '0');
    end(w);
}

static void or_null(struct writing *w, bool is_there, double value)
{
    if (is_there)
        number(w, NULL, value);
    else
        flm_json_add_null(&w->json, NULL);
}

static void write_category(struct writing *w, const char *name, const char *color)
{
    flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
    text(w, "name", name);
    text(w, "color", color);
    column(w, "subcategories");
    text(w, NULL, "Other");
    end(w);
    end(w);
}

static const char *cpu_unit(const struct writing *w)
{
    struct flm_bytes unit = flm_string_bytes(w->p, w->p->metrics[w->cpu].unit);
    return flm_bytes_are(unit, "ns")   ? "ns"
           : flm_bytes_are(unit, "us") ? "\xC2\xB5s"
                                       : "variable CPU cycles";
}

static void write_schema(struct writing *w)
{
    flm_json_begin(&w->json, "markerSchema", FLM_JSON_ARRAY);
    object(w, NULL);
    text(w, "name", "Text");
    text(w, "tableLabel", "{marker.name} \xE2\x80\x94 {marker.data.name}");
    text(w, "chartLabel", "{marker.name} \xE2\x80\x94 {marker.data.name}");
    column(w, "display");
    text(w, NULL, "marker-chart");
    text(w, NULL, "marker-table");
    end(w);
    flm_json_begin(&w->json, "fields", FLM_JSON_ARRAY);
    flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
    text(w, "key", "name");
    text(w, "label", "Details");
    text(w, "format", "string");
    end(w);
    end(w);
    end(w);
    end(w);
}

static void write_meta(struct writing *w)
{
    struct flm_name product = flm_profile_note_named(w->p, "product"),
                    command = flm_profile_note_named(w->p, "command");
    struct flm_name name = product.at ? product : command;
    object(w, "meta");
    number(w, "interval", 1);
    number(w, "startTime", 0);
    number(w, "processType", 0);
    flm_json_add_text(&w->json, "product",
                      name.at ? (struct flm_bytes){name.at, name.size} : flm_bytes_of("flamel"));
    number(w, "stackwalk", 1);
    flm_json_add_bool(&w->json, "debug", false);
    number(w, "version", 33);
    number(w, "preprocessedProfileVersion", 61);
    flm_json_add_bool(&w->json, "symbolicated", true);
    flm_json_add_bool(&w->json, "usesOnlyOneStackType", true);
    flm_json_add_bool(&w->json, "sourceCodeIsNotOnSearchfox", true);
    text(w, "importedFrom", "flamel");
    flm_json_begin(&w->json, "extensions", FLM_JSON_OBJECT_LINE);
    column(w, "id");
    end(w);
    column(w, "name");
    end(w);
    column(w, "baseURL");
    end(w);
    number(w, "length", 0);
    end(w);
    flm_json_begin(&w->json, "sampleUnits", FLM_JSON_OBJECT_LINE);
    text(w, "time", "ms");
    text(w, "eventDelay", "ms");
    text(w, "threadCPUDelta", w->cpu != FLM_NONE ? cpu_unit(w) : "ns");
    end(w);
    flm_json_begin(&w->json, "categories", FLM_JSON_ARRAY);
    write_category(w, "Other", "grey");
    write_category(w, "User", "yellow");
    write_category(w, "Kernel", "orange");
    write_category(w, "JIT", "lightblue");
    write_category(w, "GPU", "green");
    end(w);
    write_schema(w);
    end(w);
}

static void write_libs(struct writing *w)
{
    static const char *const keys[] = {"name", "path", "debugName", "debugPath"};
    flm_json_begin(&w->json, "libs", FLM_JSON_ARRAY);
    for (size_t i = 0; i < w->modules.count; i++) {
        flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
        for (int k = 0; k < 4; k++)
            flm_json_add_text(&w->json, keys[k], flm_string_bytes(w->p, w->modules.at[i]));
        text(w, "breakpadId", "");
        flm_json_add_null(&w->json, "codeId");
        flm_json_add_null(&w->json, "arch");
        end(w);
    }
    end(w);
}

static int category_of(uint32_t kind)
{
    switch (kind) {
    case FLM_KIND_LABEL:
    case FLM_KIND_WAKER:
        return CATEGORY_OTHER;
    case FLM_KIND_KERNEL:
        return CATEGORY_KERNEL;
    case FLM_KIND_JIT:
    case FLM_KIND_JIT_TIER1:
    case FLM_KIND_INTERPRETED:
        return CATEGORY_JIT;
    case FLM_KIND_GPU:
        return CATEGORY_GPU;
    default:
        return CATEGORY_USER;
    }
}

static void write_stacks(struct writing *w)
{
    const struct flm_profile *p = w->p;
    object(w, "stackTable");
    column(w, "frame");
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        number(w, NULL, p->node_frame[i]);
    end(w);
    /* What is below a thread's name begins anew. */
    column(w, "prefix");
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t parent = w->parent[i];
        bool is_root = parent == 0 || (w->top[parent] == parent && is_label(w, parent));
        or_null(w, !is_root, (double)parent - 1);
    }
    end(w);
    number(w, "length", p->sizes.node_count - 1);
    end(w);
}

static void write_frames(struct writing *w)
{
    const struct flm_profile *p = w->p;
    size_t count = p->sizes.frame_count;
    object(w, "frameTable");
    column(w, "address");
    for (size_t i = 0; i < count; i++)
        number(w, NULL, p->frames[i].address > 0 ? (double)p->frames[i].address : -1);
    end(w);
    column(w, "inlineDepth");
    for (size_t i = 0; i < count; i++)
        number(w, NULL, p->frames[i].kind == FLM_KIND_INLINED);
    end(w);
    column(w, "category");
    for (size_t i = 0; i < count; i++)
        number(w, NULL, category_of(p->frames[i].kind));
    end(w);
    constant(w, "subcategory", count, "0");
    column(w, "func");
    for (size_t i = 0; i < count; i++)
        number(w, NULL, (double)i);
    end(w);
    constant(w, "nativeSymbol", count, "null");
    constant(w, "innerWindowID", count, "null");
    column(w, "line");
    for (size_t i = 0; i < count; i++)
        or_null(w, p->frames[i].line > 0, p->frames[i].line);
    end(w);
    constant(w, "column", count, "null");
    number(w, "length", (double)count);
    end(w);
}

/* Sources are the strings that are files of frames: by frame, as repeated ones do no harm. */
static void write_funcs(struct writing *w)
{
    const struct flm_profile *p = w->p;
    size_t count = p->sizes.frame_count;
    object(w, "funcTable");
    column(w, "name");
    for (size_t i = 0; i < count; i++)
        number(w, NULL, p->frames[i].function);
    end(w);
    constant(w, "isJS", count, "false");
    constant(w, "relevantForJS", count, "false");
    column(w, "resource");
    for (size_t i = 0; i < count; i++)
        number(w, NULL, w->module_of[i] != FLM_NONE ? (double)w->module_of[i] : -1);
    end(w);
    column(w, "source");
    double sources = 0;
    for (size_t i = 0; i < count; i++) {
        or_null(w, p->frames[i].file != 0, sources);
        sources += p->frames[i].file != 0;
    }
    end(w);
    column(w, "lineNumber");
    for (size_t i = 0; i < count; i++)
        or_null(w, p->frames[i].line > 0, p->frames[i].line);
    end(w);
    constant(w, "columnNumber", count, "null");
    number(w, "length", (double)count);
    end(w);

    object(w, "sources");
    constant(w, "id", (size_t)sources, "null");
    column(w, "filename");
    for (size_t i = 0; i < count; i++)
        if (p->frames[i].file != 0)
            number(w, NULL, p->frames[i].file);
    end(w);
    constant(w, "startLine", (size_t)sources, "1");
    constant(w, "startColumn", (size_t)sources, "1");
    constant(w, "sourceMapURL", (size_t)sources, "null");
    number(w, "length", sources);
    end(w);
}

static void write_shared(struct writing *w)
{
    const struct flm_profile *p = w->p;
    size_t modules = w->modules.count;
    object(w, "shared");
    write_stacks(w);
    write_frames(w);
    write_funcs(w);
    object(w, "resourceTable");
    column(w, "lib");
    for (size_t i = 0; i < modules; i++)
        number(w, NULL, (double)i);
    end(w);
    column(w, "name");
    for (size_t i = 0; i < modules; i++)
        number(w, NULL, w->modules.at[i]);
    end(w);
    constant(w, "host", modules, "null");
    constant(w, "type", modules, "1");
    number(w, "length", (double)modules);
    end(w);
    flm_json_begin(&w->json, "nativeSymbols", FLM_JSON_OBJECT_LINE);
    constant(w, "libIndex", 0, "0");
    constant(w, "address", 0, "0");
    constant(w, "name", 0, "0");
    constant(w, "functionSize", 0, "0");
    number(w, "length", 0);
    end(w);
    flm_json_begin(&w->json, "stringArray", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        flm_json_add_text(&w->json, NULL, flm_string_bytes(p, i));
    end(w);
    end(w);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static bool has_pause(const struct writing *w, const struct group *g, uint32_t i)
{
    const double microsecond = 1e-3;
    const struct item *item = &w->items.at[g->first + i];
    return item->duration > 0 && i + 1 < g->count &&
           item[1].time - item->time - item->duration > microsecond;
}

static void write_samples(struct writing *w, const struct group *g)
{
    const struct item *items = w->items.at + g->first;
    uint32_t length = 0;
    object(w, "samples");
    column(w, "stack");
    for (uint32_t i = 0; i < g->count; i++) {
        or_null(w, items[i].node > 0, (double)items[i].node - 1);
        if (has_pause(w, g, i))
            or_null(w, false, 0);
        length += has_pause(w, g, i) ? 2 : 1;
    }
    end(w);
    column(w, "time");
    for (uint32_t i = 0; i < g->count; i++) {
        number(w, NULL, items[i].time);
        if (has_pause(w, g, i))
            number(w, NULL, items[i].time + items[i].duration);
    }
    end(w);
    column(w, "weight");
    for (uint32_t i = 0; i < g->count; i++) {
        number(w, NULL, items[i].value / w->scale);
        if (has_pause(w, g, i))
            number(w, NULL, 0);
    }
    end(w);
    if (w->cpu != FLM_NONE) {
        column(w, "threadCPUDelta");
        for (uint32_t i = 0; i < g->count; i++) {
            number(w, NULL, items[i].cpu);
            if (has_pause(w, g, i))
                number(w, NULL, 0);
        }
        end(w);
    }
    text(w, "weightType", w->type);
    flm_json_add_text(&w->json, "flamelMetric",
                      flm_string_bytes(w->p, w->p->metrics[w->metric].name));
    flm_json_add_text(&w->json, "flamelUnit",
                      flm_string_bytes(w->p, w->p->metrics[w->metric].unit));
    number(w, "flamelScale", w->scale);
    if (!w->has_times)
        flm_json_add_bool(&w->json, "flamelHasNoTimes", true);
    number(w, "length", length);
    end(w);
}

/* The thread of the labels that markers have; the first one for those without. */
static bool is_of(const struct writing *w, const struct flm_marker_record *marker, uint32_t group,
                  const struct flm_thread_labels *labels)
{
    const struct group *g = &w->groups.at[group];
    uint32_t thread = label_value(w, marker->label_set, labels->threads);
    uint32_t process = label_value(w, marker->label_set, labels->processes);
    return g->thread == thread && g->process == process;
}

/* For each marker its thread: the first that has its labels, or the first of all. */
static uint32_t *find_marker_groups(struct writing *w)
{
    const struct flm_thread_labels labels = flm_thread_labels_of(w->p);
    uint32_t count = w->p->sizes.marker_count, last = 0;
    uint32_t *groups = malloc(((size_t)count + 1) * sizeof *groups);
    for (uint32_t i = 0; groups && i < count; i++) {
        const struct flm_marker_record *marker = &w->p->markers[i];
        groups[i] = 0;
        if (last < w->groups.count && is_of(w, marker, last, &labels)) {
            groups[i] = last;
            continue;
        }
        for (uint32_t k = 0; k < w->groups.count; k++)
            if (is_of(w, marker, k, &labels)) {
                groups[i] = last = k;
                break;
            }
    }
    w->failed |= !groups;
    return groups;
}

static void write_markers(struct writing *w, uint32_t group, const uint32_t *groups)
{
    static const char *const names[] = {"name",  "startTime", "endTime",
                                        "phase", "category",  "data"};
    const struct flm_profile *p = w->p;
    uint32_t count = 0;
    object(w, "markers");
    for (int k = 0; k < 6; k++) {
        column(w, names[k]);
        count = 0;
        for (uint32_t i = 0; groups && i < p->sizes.marker_count; i++) {
            const struct flm_marker_record *m = &p->markers[i];
            bool lasts = m->duration_ns > 0;
            if (groups[i] != group)
                continue;
            count++;
            if (k == 0)
                number(w, NULL, m->name);
            else if (k == 1)
                number(w, NULL, milliseconds(m->time_ns));
            else if (k == 2)
                or_null(w, lasts, milliseconds(m->time_ns) + milliseconds(m->duration_ns));
            else if (k == 3)
                number(w, NULL, lasts);
            else if (k == 4)
                number(w, NULL, CATEGORY_OTHER);
            else if (m->detail == 0)
                flm_json_add_null(&w->json, NULL);
            else {
                flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
                text(w, "type", "Text");
                flm_json_add_text(&w->json, "name", flm_string_bytes(p, m->detail));
                end(w);
            }
        }
        end(w);
    }
    number(w, "length", count);
    end(w);
}

static struct flm_bytes label_text(const struct writing *w, uint32_t string, const char *otherwise)
{
    return string != FLM_NONE ? flm_string_bytes(w->p, string) : flm_bytes_of(otherwise);
}

static void write_thread(struct writing *w, uint32_t index, const uint32_t *marker_groups)
{
    const struct group *g = &w->groups.at[index];
    struct flm_bytes pid = label_text(w, g->process, "0");
    object(w, NULL);
    text(w, "processType", "default");
    flm_json_add_text(&w->json, "processName", label_text(w, g->process_name, ""));
    number(w, "processStartupTime", 0);
    flm_json_add_null(&w->json, "processShutdownTime");
    number(w, "registerTime", 0);
    flm_json_add_null(&w->json, "unregisterTime");
    column(w, "pausedRanges");
    end(w);
    if (g->root != FLM_NONE) {
        flm_json_add_text(&w->json, "name", flm_frame_function(w->p, g->root));
    } else {
        flm_json_add_text(&w->json, "name", label_text(w, g->thread_name, "all"));
        flm_json_add_bool(&w->json, "flamelNameIsNoFrame", true);
    }
    flm_json_add_bool(&w->json, "isMainThread", index == 0 || g->thread == g->process);
    flm_json_add_text(&w->json, "pid", pid);
    flm_json_add_text(&w->json, "tid", label_text(w, g->thread, "0"));
    write_samples(w, g);
    write_markers(w, index, marker_groups);
    end(w);
}

static void write_counters(struct writing *w)
{
    const struct flm_profile *p = w->p;
    flm_json_begin(&w->json, "counters", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){i});
        bool is_memory = flm_bytes_are(flm_string_bytes(p, c.unit.index), "bytes");
        const struct flm_thread_labels labels = flm_thread_labels_of(p);
        object(w, NULL);
        flm_json_add_text(&w->json, "name", flm_string_bytes(p, c.name.index));
        text(w, "category", is_memory ? "Memory" : "Other");
        text(w, "description", "");
        flm_json_add_text(&w->json, "pid",
                          label_text(w, label_value(w, c.label_set.index, labels.processes), "0"));
        number(w, "mainThreadIndex", 0);
        object(w, "samples");
        column(w, "time");
        for (uint32_t k = 0; k < c.point_count; k++)
            number(w, NULL, milliseconds(c.time_ns[k]));
        end(w);
        column(w, "count"); /* memory is said by its changes */
        for (uint32_t k = 0; k < c.point_count; k++)
            number(w, NULL, c.value[k] - (is_memory && k > 0 ? c.value[k - 1] : 0));
        end(w);
        number(w, "length", c.point_count);
        end(w);
        end(w);
    }
    end(w);
}

static void write_profile(struct writing *w)
{
    uint32_t *marker_groups = find_marker_groups(w);
    object(w, NULL);
    write_meta(w);
    write_libs(w);
    column(w, "pages");
    end(w);
    write_counters(w);
    column(w, "profilerOverhead");
    end(w);
    write_shared(w);
    flm_json_begin(&w->json, "threads", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < w->groups.count; i++)
        write_thread(w, i, marker_groups);
    end(w);
    end(w);
    free(marker_groups);
}

/* Times become milliseconds, which the Firefox Profiler shows as times. */
static void choose_unit(struct writing *w)
{
    struct flm_bytes unit = flm_string_bytes(w->p, w->p->metrics[w->metric].unit);
    w->scale = flm_bytes_are(unit, "ns") ? 1e6 : flm_bytes_are(unit, "us") ? 1e3 : 1;
    w->type = w->scale != 1 || flm_bytes_are(unit, "ms") ? "tracing-ms"
              : flm_bytes_are(unit, "bytes")             ? "bytes"
                                                         : "samples";
}

bool flm_gecko_write(const struct flm_profile *profile, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    struct writing w = {.p = profile, .json = {.out = out}, .metric = options->metric.index};
    uint32_t nodes = profile->sizes.node_count;
    w.cpu = flm_profile_metric_named(profile, "cpu").index;
    w.parent = malloc((size_t)nodes * sizeof *w.parent);
    w.top = malloc((size_t)nodes * sizeof *w.top);
    w.failed = !w.parent || !w.top;
    if (!w.failed) {
        flm_profile_parents(profile, w.parent);
        w.top[0] = 0;
        for (uint32_t i = 1; i < nodes; i++)
            w.top[i] = w.parent[i] == 0 ? i : w.top[w.parent[i]];
        choose_unit(&w);
        find_items(&w);
        sort_items(&w);
        find_modules(&w);
    }
    if (!w.failed)
        write_profile(&w);
    free(w.parent);
    free(w.top);
    free(w.module_of);
    flm_index_clear(&w.group_index);
    FLM_ARRAY_CLEAR(&w.groups);
    FLM_ARRAY_CLEAR(&w.items);
    FLM_ARRAY_CLEAR(&w.modules);
    return !w.failed || flm_error_memory(why);
}
