#include "format/perf/internal.h"

#include "base/core/scan.h"
#include "format/core/format.h"
#include "format/perf/frame.h"
#include "format/perf/header.h"

/* The lines of a head, by what they resemble. */
struct head {
    int samples;   /* headers with a time and an event, or a frame */
    int frames;    /* frames below a header with a time */
    int guesses;   /* frames below a line that may be a header without a time */
    int others;    /* other lines */
    bool comments; /* of `perf script --header` */
};

/* Certainly a frame: with a path or "[name]" as its module, or in perf's columns. */
static bool is_sure_frame(struct flm_bytes line)
{
    enum { SYMBOL_COLUMN = 18 };
    struct flm_perf_frame frame;
    if (!flm_perf_frame_parse(line, &frame))
        return false;
    if (frame.module.size > 0)
        return *frame.module.at == '/' || *frame.module.at == '[';
    return line.at[0] == '\t' && line.size > SYMBOL_COLUMN && line.at[SYMBOL_COLUMN - 1] == ' ' &&
           flm_is_hex(line.at[SYMBOL_COLUMN - 2]);
}

static struct head look_at_head(struct flm_bytes head, bool whole)
{
    enum { NOTHING, HEADER, GUESS } above = NOTHING;
    struct head seen = {0};
    const char *at = head.at, *end = head.at + head.size;
    while (at < end) {
        const char *newline = flm_find(at, end, '\n');
        if (newline == end && !whole)
            break; /* the last line is cut off */
        struct flm_bytes line = flm_between(at, newline);
        at = newline < end ? newline + 1 : end;
        struct flm_perf_header header;
        struct flm_perf_frame frame;
        if (flm_trimmed(line.at, newline).size == 0) {
            above = NOTHING;
        } else if (line.at[0] == '#') {
            seen.comments |= flm_bytes_start_with(line, "# captured on") ||
                             flm_bytes_start_with(line, "# ========");
        } else if (line.at[0] != '\t' && flm_perf_header_parse(line, &header)) {
            seen.samples += header.event.size > 0 || header.frame.size > 0;
            above = HEADER;
        } else if (above == HEADER && flm_perf_frame_parse(line, &frame)) {
            seen.frames++;
        } else if (above == GUESS && is_sure_frame(line)) {
            seen.guesses++;
        } else if (above != NOTHING && line.at[0] == ' ' && seen.frames + seen.guesses > 0) {
            continue; /* a location */
        } else {
            seen.others += above == GUESS;
            seen.guesses +=
                flm_perf_header_guess(line, &header) == FLM_PERF_EVENT && header.frame.size > 0;
            above = GUESS;
        }
    }
    return seen;
}

int flm_perf_script_sniff(struct flm_bytes head, bool whole)
{
    struct head seen = look_at_head(head, whole);
    /* Source code and logs have some lines with a number, a colon and words. */
    if (seen.others > 3 * (seen.samples + seen.frames + seen.guesses))
        return FLM_SNIFF_NO;
    if (seen.frames > 0)
        return seen.others > seen.samples + seen.frames ? FLM_SNIFF_MIXED : FLM_SNIFF_SURE;
    if (seen.guesses > 0)
        return seen.others > seen.guesses ? FLM_SNIFF_GUESS : FLM_SNIFF_LIKELY + 10;
    if (seen.samples > 0)
        return seen.others > seen.samples ? FLM_SNIFF_MIXED / 2 : FLM_SNIFF_LIKELY;
    return seen.comments && seen.others == 0 ? FLM_SNIFF_MIXED + 10 : FLM_SNIFF_NO;
}

/* Whether the line before `at` is blank. */
static bool is_behind_blank(const char *start, const char *at)
{
    const char *line_end = at - 1;
    if (line_end > start && line_end[-1] == '\r')
        line_end--;
    return line_end > start && line_end[-1] == '\n';
}

size_t flm_perf_script_cut(struct flm_bytes all, size_t wanted)
{
    const char *at = all.at + wanted, *end = all.at + all.size;
    for (at = flm_find(at, end, '\n'); at < end; at = flm_find(at, end, '\n')) {
        at++;
        if (is_behind_blank(all.at, at))
            return (size_t)(at - all.at);
        struct flm_perf_header header;
        if (at < end && *at != '\t' && *at != '#' &&
            flm_perf_header_parse(flm_between(at, flm_find(at, end, '\n')), &header))
            return (size_t)(at - all.at);
    }
    return all.size;
}
