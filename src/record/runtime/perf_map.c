/* perf_map.c - the text of a perf map.
 *
 *     7f347c024a80 100 JS:^fib /tmp/fib.js:1:13       START SIZE name, the name to the line's end
 *     0x7f10 0x20 name                                with 0x in some runtimes */
#include <stdio.h>

#include "base/number/number.h"
#include "record/runtime/internal.h"
#include "record/runtime/runtime.h"

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* Takes a number in hexadecimal, and the blanks behind it: at least one. */
static bool take_hex(struct flm_bytes *line, uint64_t *value)
{
    if (flm_bytes_start_with(*line, "0x") || flm_bytes_start_with(*line, "0X"))
        *line = (struct flm_bytes){line->at + 2, line->size - 2};
    size_t size = 0;
    while (size < line->size && !is_blank(line->at[size]))
        size++;
    if (!flm_number_parse_hex((struct flm_bytes){line->at, size}, value))
        return false;
    size_t next = size;
    while (next < line->size && is_blank(line->at[next]))
        next++;
    *line = (struct flm_bytes){line->at + next, line->size - next};
    return next > size;
}

static bool read_line(struct flm_jit_code *code, struct flm_bytes line)
{
    uint64_t start, size;
    if (!take_hex(&line, &start) || !take_hex(&line, &size) || line.size == 0)
        return false;
    /* Perf maps have no times: later lines replace earlier ones. */
    flm_jit_code_add(code, start, size, INT64_MIN, flm_jit_code_text(code, line));
    return true;
}

struct flm_jit_code *flm_perf_map_read(struct flm_bytes text, struct flm_jit_losses *losses)
{
    *losses = (struct flm_jit_losses){0};
    struct flm_jit_code *code = flm_jit_code_new();
    const char *at = text.size ? text.at : "", *end = at + text.size;
    while (code && !code->failed && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        /* The process may have been writing when it ended. */
        losses->cut = !stop;
        struct flm_bytes line = {at, (size_t)((stop ? stop : end) - at)};
        at = stop ? stop + 1 : end;
        if (line.size > 0 && line.at[line.size - 1] == '\r')
            line.size--;
        if (line.size > 0 && !read_line(code, line))
            losses->regions++;
    }
    return flm_jit_code_finish(code);
}

/* ---- The entry ------------------------------------------------------------------------------- */

static struct flm_jit_code *read_map(const struct flm_runtime_report *report,
                                     struct flm_bytes bytes, struct flm_error *why)
{
    struct flm_jit_losses losses;
    struct flm_jit_code *code = flm_perf_map_read(bytes, &losses);
    if (!code)
        flm_error_memory(why);
    report->lost(report->session, "malformed lines of perf maps", (double)losses.regions);
    return code;
}

/* In the --symbols folders, below the root of a live process, in /tmp. */
static bool find(const struct flm_runtime *runtime, struct flm_runtime_search *search)
{
    (void)runtime;
    char path[4096];
    bool found = false;
    int32_t process = search->process;
    for (size_t i = 0; i < search->dir_count && !found; i++) {
        snprintf(path, sizeof path, "%s/perf-%d.map", search->dirs[i], process);
        if (!flm_runtime_try_file(search, path, read_map, &found))
            return false;
    }
    if (!found && search->live) {
        snprintf(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", process,
                 flm_namespace_number(process, process));
        if (!flm_runtime_try_file(search, path, read_map, &found))
            return false;
    }
    /* Not for recordings of other machines: their process numbers mean other processes here. */
    if (!search->local)
        return true;
    snprintf(path, sizeof path, "/tmp/perf-%d.map", process);
    return found || flm_runtime_try_file(search, path, read_map, &found);
}

extern const struct flm_runtime flm_runtime_perf_map;
const struct flm_runtime flm_runtime_perf_map = {.name = "perf map", .find = find};
