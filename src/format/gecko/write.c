/* write.c - a profile for the Firefox Profiler: its processed format, version 61.
 *
 * A later version would gain nothing: the Firefox Profiler upgrades a file when it opens it, and
 * upgrading 61 adds how counters are drawn.
 *
 *     node i        stack i - 1; its caller is a stack before it, as nodes are in preorder
 *     frame i       frame and function i; its module a resource and a library
 *     samples       the samples of a thread, in order; a pause is a sample without a stack
 *     no samples    a sample for each stack that has a value, a millisecond each
 *     no times      times are invented, as the format requires them: "flamelHasNoTimes" says so
 *
 * A root frame that is a label (a command, a thread) becomes the name of the thread, and the reader
 * makes it a frame again. Values are unchanged, except times: they become milliseconds, the unit of
 * the Firefox Profiler, and members that it ignores ("flamel...") have what flamel needs to restore
 * them. Notes that people wrote are in "extra", which it shows with what it says of a profile. */
#include "format/gecko/write.h"

#include <stdlib.h>

#include "base/number/number.h"
#include "flamel/notes.h"
#include "format/core/location_tables.h"
#include "format/gecko/writing.h"
#include "profile/chains.h"

void flm_gecko_put_constants(struct flm_gecko_writing *w, const char *key, size_t count,
                             const char *value)
{
    flm_gecko_put_column(w, key);
    for (size_t i = 0; i < count; i++)
        if (strcmp(value, "null") == 0)
            flm_json_add_null(&w->json, NULL);
        else if (strcmp(value, "false") == 0)
            flm_json_add_bool(&w->json, NULL, false);
        else
            flm_gecko_put_number(w, NULL, *value - '0');
    flm_gecko_put_end(w);
}

static void write_category(struct flm_gecko_writing *w, const char *name, const char *color)
{
    flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_gecko_put_text(w, "name", name);
    flm_gecko_put_text(w, "color", color);
    flm_gecko_put_column(w, "subcategories");
    flm_gecko_put_text(w, NULL, "Other");
    flm_gecko_put_end(w);
    flm_gecko_put_end(w);
}

static const char *cpu_unit(const struct flm_gecko_writing *w)
{
    struct flm_bytes unit = flm_string_bytes(w->p, w->p->metrics[w->cpu].unit);
    return flm_bytes_are(unit, "ns")   ? "ns"
           : flm_bytes_are(unit, "us") ? "\xC2\xB5s"
                                       : "variable CPU cycles";
}

static void write_schema(struct flm_gecko_writing *w)
{
    flm_json_begin(&w->json, "markerSchema", FLM_JSON_ARRAY);
    flm_gecko_put_object(w, NULL);
    flm_gecko_put_text(w, "name", "Text");
    flm_gecko_put_text(w, "tableLabel", "{marker.name} \xE2\x80\x94 {marker.data.name}");
    flm_gecko_put_text(w, "chartLabel", "{marker.name} \xE2\x80\x94 {marker.data.name}");
    flm_gecko_put_column(w, "display");
    flm_gecko_put_text(w, NULL, "marker-chart");
    flm_gecko_put_text(w, NULL, "marker-table");
    flm_gecko_put_end(w);
    flm_json_begin(&w->json, "fields", FLM_JSON_ARRAY);
    flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_gecko_put_text(w, "key", "name");
    flm_gecko_put_text(w, "label", "Details");
    flm_gecko_put_text(w, "format", "string");
    flm_gecko_put_end(w);
    flm_gecko_put_end(w);
    flm_gecko_put_end(w);
    flm_gecko_put_end(w);
}

/* "0.5 s to 2 s" from the first sample, the name of a function, ...: draw/text is not for formats.
 */
static void write_subject(struct flm_gecko_writing *w, const struct flm_written_note *note,
                          int64_t first_ns)
{
    struct flm_name name = note->about == FLM_NOTE_ABOUT_FUNCTION ? note->function : note->stack;
    bool is_named = note->about == FLM_NOTE_ABOUT_FUNCTION || note->about == FLM_NOTE_ABOUT_STACK;
    char storage[2 * FLM_NUMBER_SIZE + sizeof " s to  s"], number[FLM_NUMBER_SIZE];
    struct flm_text out;
    flm_text_init_fixed(&out, storage, sizeof storage);
    if (note->about == FLM_NOTE_ABOUT_TIME && first_ns != FLM_NO_TIME) {
        double from = ((double)note->from_ns - (double)first_ns) / 1e9;
        double to = ((double)note->to_ns - (double)first_ns) / 1e9;
        flm_text_add(&out, (struct flm_bytes){number, flm_number_print(from, number)});
        flm_text_puts(&out, " s to ");
        flm_text_add(&out, (struct flm_bytes){number, flm_number_print(to, number)});
        flm_text_puts(&out, " s");
    } else {
        flm_text_puts(&out, flm_note_about_name(note->about));
    }
    flm_json_add_text(&w->json, "label",
                      is_named ? (struct flm_bytes){name.at, name.size}
                               : (struct flm_bytes){out.at, out.size});
}

/* For people, and as they are in a profile. */
static void write_notes(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    struct flm_written_notes *notes = flm_written_notes_read(p, NULL);
    int64_t first_ns = flm_note_first_ns(p);
    w->failed |= !notes;
    if (notes && flm_written_notes_count(notes) > 0) {
        flm_json_begin(&w->json, "extra", FLM_JSON_ARRAY);
        flm_gecko_put_object(w, NULL);
        flm_gecko_put_text(w, "label", "Notes");
        flm_json_begin(&w->json, "entries", FLM_JSON_ARRAY);
        for (size_t i = 0; i < flm_written_notes_count(notes); i++) {
            const struct flm_written_note *note = flm_written_notes_at(notes, i);
            flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
            write_subject(w, note, first_ns);
            flm_gecko_put_text(w, "format", "string");
            flm_json_add_text(&w->json, "value",
                              (struct flm_bytes){note->text.at, note->text.size});
            flm_gecko_put_end(w);
        }
        flm_gecko_put_end(w);
        flm_gecko_put_end(w);
        flm_gecko_put_end(w);
        flm_json_begin(&w->json, "flamelNotes", FLM_JSON_ARRAY);
        for (uint32_t i = 0; i < p->sizes.note_count; i++) {
            struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
            if (!flm_note_is_written((struct flm_name){key.at, key.size}))
                continue;
            flm_json_begin(&w->json, NULL, FLM_JSON_ARRAY_LINE);
            flm_json_add_text(&w->json, NULL, key);
            flm_json_add_text(&w->json, NULL, flm_string_bytes(p, p->notes[i].value));
            flm_gecko_put_end(w);
        }
        flm_gecko_put_end(w);
    }
    flm_written_notes_free(notes);
}

static void write_meta(struct flm_gecko_writing *w)
{
    struct flm_name product = flm_profile_note_named(w->p, "product"),
                    command = flm_profile_note_named(w->p, "command");
    struct flm_name name = product.at ? product : command;
    flm_gecko_put_object(w, "meta");
    flm_gecko_put_number(w, "interval", FLM_GECKO_INTERVAL_MS);
    flm_gecko_put_number(w, "startTime", 0);
    flm_gecko_put_number(w, "processType", 0);
    flm_json_add_text(&w->json, "product",
                      name.at ? (struct flm_bytes){name.at, name.size} : flm_bytes_of("flamel"));
    flm_gecko_put_number(w, "stackwalk", 1);
    flm_json_add_bool(&w->json, "debug", false);
    flm_gecko_put_number(w, "version", 33);
    flm_gecko_put_number(w, "preprocessedProfileVersion", 61);
    flm_json_add_bool(&w->json, "symbolicated", true);
    flm_json_add_bool(&w->json, "usesOnlyOneStackType", true);
    flm_json_add_bool(&w->json, "sourceCodeIsNotOnSearchfox", true);
    flm_gecko_put_text(w, "importedFrom", "flamel");
    flm_json_begin(&w->json, "extensions", FLM_JSON_OBJECT_LINE);
    flm_gecko_put_column(w, "id");
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "name");
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "baseURL");
    flm_gecko_put_end(w);
    flm_gecko_put_number(w, "length", 0);
    flm_gecko_put_end(w);
    flm_json_begin(&w->json, "sampleUnits", FLM_JSON_OBJECT_LINE);
    flm_gecko_put_text(w, "time", "ms");
    flm_gecko_put_text(w, "eventDelay", "ms");
    flm_gecko_put_text(w, "threadCPUDelta", w->cpu != FLM_NONE ? cpu_unit(w) : "ns");
    flm_gecko_put_end(w);
    flm_json_begin(&w->json, "categories", FLM_JSON_ARRAY);
    write_category(w, "Other", "grey");
    write_category(w, "User", "yellow");
    write_category(w, "Kernel", "orange");
    write_category(w, "JIT", "lightblue");
    write_category(w, "GPU", "green");
    flm_gecko_put_end(w);
    write_schema(w);
    write_notes(w);
    flm_gecko_put_end(w);
}

static void write_profile(struct flm_gecko_writing *w)
{
    uint32_t *marker_groups = flm_gecko_find_marker_groups(w);
    flm_gecko_put_object(w, NULL);
    write_meta(w);
    flm_gecko_write_libs(w);
    flm_gecko_put_column(w, "pages");
    flm_gecko_put_end(w);
    flm_gecko_write_counters(w);
    flm_gecko_put_column(w, "profilerOverhead");
    flm_gecko_put_end(w);
    flm_gecko_write_shared(w);
    flm_json_begin(&w->json, "threads", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < w->groups.count; i++)
        flm_gecko_write_thread(w, i, marker_groups);
    flm_gecko_put_end(w);
    flm_gecko_put_end(w);
    free(marker_groups);
}

/* The Firefox Profiler shows values as times only if they are milliseconds. */
static void choose_unit(struct flm_gecko_writing *w)
{
    struct flm_bytes unit = flm_string_bytes(w->p, w->p->metrics[w->metric].unit);
    w->scale = flm_bytes_are(unit, "ns") ? 1e6 : flm_bytes_are(unit, "us") ? 1e3 : 1;
    w->type = w->scale != 1 || flm_bytes_are(unit, "ms") ? "tracing-ms"
              : flm_bytes_are(unit, "bytes")             ? "bytes"
                                                         : "samples";
}

/* Addresses here are those from the beginning of a library. Where the profile has those at which it
 * was mapped, only frames without a name have one, which is a part of their name. */
static void drop_mapped_addresses(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    bool has_ranges = false;
    for (uint32_t i = 0; i < p->sizes.note_count; i++)
        has_ranges |= flm_bytes_start_with(flm_string_bytes(p, p->notes[i].key), FLM_NOTE_MAPPED) &&
                      flm_bytes_contain(flm_string_bytes(p, p->notes[i].value), "@");
    for (uint32_t i = 0; i < p->sizes.frame_count && has_ranges; i++)
        w->place[i].address = p->frames[i].address;
}

bool flm_gecko_write(const struct flm_profile *given, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why)
{
    if (given->sizes.metric_count == 0)
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "the profile has no metric, and nothing that the Firefox Profiler shows");
    struct flm_profile *split = flm_has_chains(given) ? flm_profile_split(given, why) : NULL;
    if (!split && flm_has_chains(given))
        return false;
    const struct flm_profile *profile = split ? split : given;
    struct flm_gecko_writing w = {
        .p = profile, .json = {.out = out}, .metric = options->metric.index};
    uint32_t nodes = profile->sizes.node_count;
    w.cpu = flm_profile_metric_named(profile, "cpu").index;
    w.lines_ran = flm_profile_note_named(profile, FLM_NOTE_LINES).at != NULL;
    w.parent = malloc((size_t)nodes * sizeof *w.parent);
    w.top = malloc((size_t)nodes * sizeof *w.top);
    w.func_of = malloc((size_t)profile->sizes.frame_count * sizeof *w.func_of);
    w.place = flm_location_places(profile, w.lines_ran);
    w.failed = !w.parent || !w.top || !w.func_of || !w.place;
    if (!w.failed) {
        flm_gecko_find_functions(&w);
        drop_mapped_addresses(&w);
        flm_profile_parents(profile, w.parent);
        w.top[0] = 0;
        for (uint32_t i = 1; i < nodes; i++)
            w.top[i] = w.parent[i] == 0 ? i : w.top[w.parent[i]];
        choose_unit(&w);
        flm_gecko_find_items(&w);
        flm_gecko_sort_items(&w);
        flm_gecko_find_modules(&w);
    }
    if (!w.failed)
        write_profile(&w);
    free(w.parent);
    free(w.top);
    free(w.module_of);
    free(w.func_of);
    free(w.place);
    flm_profile_free(split);
    flm_index_clear(&w.group_index);
    FLM_ARRAY_CLEAR(&w.groups);
    FLM_ARRAY_CLEAR(&w.items);
    FLM_ARRAY_CLEAR(&w.modules);
    return !w.failed || flm_error_memory(why);
}
