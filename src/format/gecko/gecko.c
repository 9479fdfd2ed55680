/* gecko.c - profiles of the Firefox Profiler: those that it saves, those of samply, and those that
 * Firefox collects.
 *
 *     read.h       JSON into tables (tables.h), with read_table.h, read_payload.h, read_value.h
 *     resolve.h    tables into a profile; internal.h names the parts
 *     write.h      a profile into JSON */
#include "format/core/format.h"
#include "format/gecko/read.h"
#include "format/gecko/resolve.h"
#include "format/gecko/write.h"

static bool read_gecko(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    struct flm_gecko_profile profile = {0};
    struct flm_json json;
    flm_json_init(&json, source, why);
    flm_gecko_read(&json, &profile);
    bool good = flm_json_finish(&json) && flm_gecko_resolve(&profile, options, builder, why);
    flm_gecko_profile_clear(&profile);
    return good;
}

static bool has(struct flm_bytes head, const char *text)
{
    return flm_bytes_contain(head, text);
}

/* Keys come in any order, and those that are sure may stand behind the first 64 KiB. */
static int sniff_gecko(struct flm_bytes head, bool whole)
{
    (void)whole;
    head = flm_bytes_trimmed(head);
    if (!flm_bytes_start_with(head, "{"))
        return FLM_SNIFF_NO;
    if (has(head, "\"preprocessedProfileVersion\""))
        return FLM_SNIFF_SURE + 5;
    /* OTLP has tables of the same names; Cleopatra, the viewer before, had others. */
    if (has(head, "\"resourceProfiles\"") || has(head, "\"profileJSONWithSymbolicationTable,"))
        return FLM_SNIFF_NO;
    int signs = has(head, "\"stackTable\"") + has(head, "\"frameTable\"") +
                has(head, "\"stringTable\"") + has(head, "\"stringArray\"") +
                has(head, "\"funcTable\"") + has(head, "\"prefixOffset\"") +
                has(head, "\"resourceTable\"");
    if (signs >= 2)
        return FLM_SNIFF_SURE;
    /* A profile of Firefox begins with what is known of it; libs are many. */
    int parts = has(head, "\"meta\"") + has(head, "\"libs\"") + has(head, "\"breakpadId\"") +
                has(head, "\"debugPath\"") + has(head, "\"gcpoison\"") +
                has(head, "\"processType\"") + has(head, "\"markerSchema\"");
    if (parts >= 3)
        return FLM_SNIFF_SURE;
    /* A file of the developer tools has its markers first, which may be megabytes. */
    if (has(head, "\"label\"") && has(head, "\"markers\"") && has(head, "\"isOffMainThread\"") &&
        has(head, "\"processType\""))
        return FLM_SNIFF_SURE;
    return signs + parts >= 2 ? FLM_SNIFF_LIKELY : FLM_SNIFF_NO;
}

const struct flm_format flm_format_gecko = {
    .name = "gecko",
    .title = "Firefox Profiler",
    .extensions = ".gecko.json",
    .description = "profiles of the Firefox Profiler, samply and Firefox",
    .also_loses =
        "labels other than of threads and processes, notes, addresses at which code was mapped",
    .holds = FLM_HOLDS_WEIGHTS | FLM_HOLDS_DURATIONS | FLM_HOLDS_MODULES | FLM_HOLDS_FILES |
             FLM_HOLDS_KERNEL_INLINED | FLM_HOLDS_MARKERS | FLM_HOLDS_COUNTERS |
             FLM_HOLDS_LOCATIONS | FLM_HOLDS_NOTES,
    .metrics = FLM_METRICS_ONE,
    .has_times = true,
    .keeps_labels = true,
    .kept_labels = FLM_LABELS_THREADS_PROCESSES,
    .sniff = sniff_gecko,
    .needs_symbols = true,
    .read = read_gecko,
    .write = flm_gecko_write,
};
