#include "format/perf/internal.h"

#include "base/core/scan.h"
#include "base/text/text.h"
#include "profile/internal.h"

const char *flm_perf_note_key(struct flm_bytes perf_key)
{
    static const struct {
        const char *text, *json, *note;
    } keys[] = {
        {"cmdline", "cmdline", "command"},          {"hostname", "hostname", "host"},
        {"captured on", "captured-on", "captured"}, {"os release", "os-release", "system"},
        {"arch", "arch", "architecture"},           {"cpudesc", "cpu-desc", "processor"},
        {"perf version", "perf-version", "perf"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (flm_bytes_are(perf_key, keys[i].text) || flm_bytes_are(perf_key, keys[i].json))
            return keys[i].note;
    return NULL;
}

/* "name = cycles, , id = { 1, 2 }, type = 0, ...": a note "event cycles". */
static void note_event(struct flm_builder *builder, struct flm_bytes value)
{
    static const char name_is[] = "name = ";
    if (!flm_bytes_start_with(value, name_is))
        return;
    const char *start = value.at + sizeof name_is - 1, *end = value.at + value.size;
    const char *comma = flm_find(start, end, ',');
    struct flm_text key = {0};
    flm_text_puts(&key, "event ");
    flm_text_add(&key, flm_between(start, comma));
    flm_text_putc(&key, 0);
    while (comma < end && (*comma == ',' || *comma == ' '))
        comma++;
    if (key.failed)
        flm_builder_fail_memory(builder);
    else
        flm_builder_note(builder, key.at, comma, (size_t)(end - comma));
    flm_text_clear(&key);
}

void flm_perf_comment_read(struct flm_builder *builder, struct flm_bytes line)
{
    const char *end = line.at + line.size, *colon = flm_find(line.at, end, ':');
    if (colon == end)
        return;
    struct flm_bytes key = flm_trimmed(line.at + 1, colon), value = flm_trimmed(colon + 1, end);
    const char *note = flm_perf_note_key(key);
    if (note)
        flm_builder_note(builder, note, value.at, value.size);
    else if (flm_bytes_are(key, "event"))
        note_event(builder, value);
}
