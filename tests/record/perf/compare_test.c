/* Recordings of perf's, read by perf script and by us: sample by sample and frame by frame.
 *
 * The same samples must come, in the same order: time, thread, command and event. The same frames:
 * module and address. And the same names. Where the two tools differ, and why, is in this file and
 * nowhere else:
 *
 *     callers     Of a caller perf shows the address that is returned to in chains of frame
 *                 pointers, and the one before it where it has unwound; we always keep the one
 *                 before, which is in the call. Behind a call that never returns another function
 *                 may begin: perf shows that one.
 *     signals     The trampoline between a handler and what the signal interrupted was not called:
 *                 nothing is to be taken off its address. perf 6.1 (with libunwind) does, and comes
 *                 to lie in front of the function, which then has no name.
 *     truncated   Where a chain is as deep as the kernel keeps, or a copy of the stack was too
 *                 small, we put "[truncated stack]" in front of it.
 *     stubs       _init has no size in crti.o, and ends for perf where the next symbol of the table
 *                 begins: behind the stubs of the PLT. A sample in one of those has either name.
 *     aliases     At one address several symbols may begin, and each tool takes another.
 *     inlined     perf's libbfd takes the name of the innermost function from the symbol table,
 *                 which only has the one that it is inlined into; llvm-symbolizer agrees with us.
 *     parameters  perf leaves out what functions of C++ return and are called with.
 *     shorter     of a few samples, perf's stack ends early, and ours goes on to where the thread
 *                 begins. */
#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "os/input.h"
#include "record/perf_data/perf_data.h"
#include "record/session/internal.h"
#include "record/symbols/symbolized_session.h"
#include "support/core/files.h"
#include "support/core/programs.h"

/* ---- What perf script says ------------------------------------------------------------------- */

struct said_frame {
    uint64_t address, offset; /* the offset behind where the symbol begins */
    char *symbol, *module;
    bool is_inlined;
};

struct said {
    char *command, *event;
    char *frame_text; /* without a call chain: the one frame, on the same line */
    int thread;
    int64_t time_ns;
    struct said_frame frame[1100];
    size_t count;
};

static char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!*line)
        return NULL;
    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    return line;
}

static char *last_of(char *line, const char *part)
{
    char *found = NULL;
    for (char *at = line; (at = strstr(at, part)); at++)
        found = at;
    return found;
}

/* "locations 4711 26909.446489601: cpu-clock: " */
static void read_header(char *line, struct said *said)
{
    char *event = strstr(line, ": "), *time, *end;
    assert_non_null(event);
    *event = 0;
    said->event = event + 2 + strspn(event + 2, " ");
    end = strstr(said->event, ": ");
    assert_non_null(end);
    *end = 0;
    said->frame_text = end + 2 + strspn(end + 2, " ");
    time = strrchr(line, ' ');
    assert_non_null(time);
    *time++ = 0;
    uint64_t seconds, ns;
    assert_int_equal(sscanf(time, "%" SCNu64 ".%" SCNu64, &seconds, &ns), 2);
    said->time_ns = (int64_t)(seconds * 1000000000 + ns);
    while (line[strlen(line) - 1] == ' ')
        line[strlen(line) - 1] = 0;
    char *thread = strrchr(line, ' ');
    assert_non_null(thread);
    *thread = 0;
    said->thread = atoi(thread + 1);
    while (*line == ' ')
        line++;
    said->command = line;
    while (line[strlen(line) - 1] == ' ')
        line[strlen(line) - 1] = 0;
}

/* "     1a06 work+0x26 (/tmp/locations)" */
static void read_frame(char *line, struct said_frame *frame)
{
    char *module = last_of(line, " ("), *name;
    assert_non_null(module);
    *frame = (struct said_frame){.address = strtoull(line, &name, 16), .module = module + 2};
    *module = 0;
    frame->module[strcspn(frame->module, ")")] = 0;
    frame->is_inlined = strcmp(frame->module, "inlined") == 0;
    frame->symbol = name + 1;
    char *offset = last_of(frame->symbol, "+0x");
    if (offset) {
        *offset = 0;
        frame->offset = strtoull(offset + 3, NULL, 16);
    }
}

static bool read_said(char **at, struct said *said)
{
    char *line = next_line(at);
    if (!line)
        return false;
    read_header(line, said);
    said->count = 0;
    if (*said->frame_text) {
        read_frame(said->frame_text, &said->frame[said->count++]);
        return true;
    }
    while ((line = next_line(at)) && *line) {
        assert_true(said->count < sizeof said->frame / sizeof *said->frame);
        read_frame(line, &said->frame[said->count++]);
    }
    return true;
}

/* ---- What we say ----------------------------------------------------------------------------- */

struct way {
    const char *options; /* of perf record; NULL: what was recorded last */
    const char *program;
    bool has_chains;
    bool is_unwound; /* stacks are copies that each tool unwinds */
    bool inlines;
};

struct comparison {
    const struct way *way;
    struct flm_session *session;
    size_t samples, frames;
    size_t trampolines, truncated, stubs, aliases, enclosing, behind,
        shorter;        /* that are explained */
    size_t differences; /* those that are not */
};

static struct flm_session *read_ours(const char *path, bool names_only)
{
    const char *home = getenv("HOME");
    char perf_dir[4096];
    snprintf(perf_dir, sizeof perf_dir, "%s/.debug", home ? home : "");
    const struct flm_session_options options = {
        .symbols = {.names_only = names_only, .perf_dir = perf_dir}, .keep_times = true};
    struct flm_error why = {0};
    struct flm_input *input = flm_input_open(path, &why);
    assert_non_null(input);
    const struct flm_input *file = flm_input_is_plain(input) ? input : NULL;
    struct flm_session *s = flm_perf_data_read(flm_input_source(input), file, &options, &why);
    if (!s)
        fail_msg("%s", why.text);
    flm_input_close(input);
    return s;
}

static void FLM_FORMAT(2, 3) differ(struct comparison *c, const char *format, ...)
{
    enum { SHOWN = 20 };
    va_list arguments;
    if (c->differences++ >= SHOWN)
        return;
    va_start(arguments, format);
    print_message("    ");
    vprint_message(format, arguments);
    print_message("\n");
    va_end(arguments);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The address in a module that perf's number stands for: an offset in the file. */
static uint64_t address_in(const struct flm_location_owner *owner, uint64_t said)
{
    uint64_t address;
    return owner->kind == FLM_OWNER_MODULE && flm_module_address(owner->module, said, &address)
               ? address
               : said;
}

/* perf shows functions of C++ without what they return and what they are called with. */
static bool is_name(struct flm_bytes ours, const char *said)
{
    size_t size = strlen(said);
    for (size_t at = 0; at + size <= ours.size; at++)
        if (memcmp(ours.at + at, said, size) == 0 && (at == 0 || ours.at[at - 1] == ' ') &&
            (at + size == ours.size || ours.at[at + size] == '('))
            return true;
    return false;
}

static bool is_trampoline(const struct flm_code *code, size_t count)
{
    return count == 0 || flm_bytes_are(code[0].function, "__restore_rt");
}

/* The name of the i-th of `count` functions at a location, the innermost first. */
static void compare_name(struct comparison *c, const struct flm_code *code, size_t count, size_t i,
                         const struct said_frame *said, uint64_t address, bool is_returned_to)
{
    if (is_name(code[i].function, said->symbol))
        return;
    if (address - said->offset == code[i].start)
        c->aliases++;
    else if (i == 0 && count > 1 && address - said->offset == code[count - 1].start &&
             !said->is_inlined)
        c->enclosing++;
    else if (strcmp(said->symbol, "_init") == 0 && flm_bytes_end_with(code[i].function, "@plt"))
        c->stubs++;
    else if (is_returned_to && said->offset == 0)
        c->behind++;
    else
        differ(c, "name %s (%" PRIx64 "+%" PRIx64 "), ours %.*s (%" PRIx64 ")", said->symbol,
               address - said->offset, said->offset, (int)code[i].function.size,
               code[i].function.at, code[i].start);
}

/* One place of ours, and what perf shows from there on, `count` frames: how many of them are this
 * one's. */
static size_t compare_location(struct comparison *c, uint32_t location_number, bool is_exact,
                               const struct said_frame *said, size_t count,
                               const struct said *sample)
{
    const struct flm_locations *locations = &c->session->locations;
    const struct flm_session_location *location = &locations->locations.at[location_number];
    const struct flm_location_owner *owner = &locations->owners.at[location->owner];
    uint64_t address =
        c->way->has_chains ? address_in(owner, said->address) : location->address; /* as mapped */
    c->frames++;
    struct flm_code code[64];
    size_t named = owner->module && owner->kind != FLM_OWNER_FILE
                       ? flm_module_lookup(owner->module, location->address, code, 64)
                       : 0;
    if (c->way->is_unwound && location->address == address + 1 && is_trampoline(code, named)) {
        c->trampolines++;
        return 1;
    }
    /* libdw goes on to a return address of 0, and takes 1 off it; for us the stack ends early. */
    if (c->way->is_unwound && said->address == UINT64_MAX &&
        location->address == FLM_CODE_TRUNCATED) {
        c->truncated++;
        return 1;
    }
    bool is_caller = !is_exact && said->address != 0; /* 0 is where chains break */
    if (location->address != address - is_caller) {
        differ(c, "%" PRId64 ": address %" PRIx64 " %s, ours %" PRIx64, sample->time_ns,
               said->address, said->symbol, location->address);
        return 1;
    }
    const char *module = owner->module ? flm_module_path(owner->module).at : "[unknown]";
    bool is_known = strcmp(said->symbol, "[unknown]") != 0;
    if (is_known != (named > 0)) {
        differ(c, "name %s (%s %" PRIx64 "), ours %.*s", said->symbol, said->module, said->address,
               named ? (int)code[0].function.size : 4, named ? code[0].function.at : "none");
        return 1;
    }
    if (named == 0)
        return 1;
    if (named > count || said[named - 1].address != said->address) {
        differ(c, "%s (%" PRIx64 "): %zu functions are inlined there", said->symbol, address,
               named - 1);
        return 1;
    }
    for (size_t i = 0; i < named; i++) {
        if (!said[i].is_inlined && strcmp(base_of(module), base_of(said[i].module)) != 0)
            differ(c, "module %s, ours %s", said[i].module, module);
        compare_name(c, code, named, i, &said[i], address, is_caller);
    }
    return named;
}

static bool is_in_kernel(uint64_t address)
{
    return address >> 63;
}

static bool is_truncated(const struct flm_session *s, uint32_t node)
{
    return s->locations.locations.at[s->stacks.nodes.at[node].location].address ==
           FLM_CODE_TRUNCATED;
}

/* Whether the stack from here on ends where programs and threads begin. */
static bool ends_at_start(const struct flm_session *s, uint32_t node)
{
    const struct flm_stack_node *nodes = s->stacks.nodes.at;
    while (nodes[nodes[node].caller].caller != 0)
        node = nodes[node].caller;
    const struct flm_session_location *location = &s->locations.locations.at[nodes[node].location];
    const struct flm_location_owner *owner = &s->locations.owners.at[location->owner];
    struct flm_code code[64];
    size_t named = owner->module && owner->kind != FLM_OWNER_FILE
                       ? flm_module_lookup(owner->module, location->address, code, 64)
                       : 0;
    struct flm_bytes name = named > 0 ? code[named - 1].function : (struct flm_bytes){"", 0};
    return flm_bytes_are(name, "_start") || flm_bytes_are(name, "clone") ||
           flm_bytes_are(name, "__clone") || flm_bytes_are(name, "__clone3");
}

static void compare_sample(struct comparison *c, const struct flm_aggregated_sample *ours,
                           const struct said *said)
{
    const struct flm_session *s = c->session;
    const struct flm_sample_attributes *what = &s->aggregation.attributes.at[ours->attributes];
    c->samples++;
    const char *event = s->events.at[what->event].name.at;
    if (ours->time_ns != said->time_ns || what->thread != said->thread ||
        !flm_bytes_are(what->command, said->command) || strcmp(event, said->event) != 0) {
        differ(c, "sample %" PRId64 " %d %s %s, ours %" PRId64 " %d %.*s %s", said->time_ns,
               said->thread, said->command, said->event, ours->time_ns, what->thread,
               (int)what->command.size, what->command.at, event);
        return;
    }
    uint32_t node = ours->node;
    const struct flm_stack_node *nodes = s->stacks.nodes.at;
    size_t at = 0;
    while (nodes[node].caller != 0 && at < said->count) {
        bool in_kernel = is_in_kernel(said->frame[at].address);
        bool is_first = at == 0 || is_in_kernel(said->frame[at - 1].address) != in_kernel;
        bool is_exact = is_first || (c->way->is_unwound && !in_kernel);
        at += compare_location(c, nodes[node].location, is_exact, &said->frame[at],
                               said->count - at, said);
        node = nodes[node].caller;
    }
    if (at < said->count)
        differ(c, "%" PRId64 ": perf has %zu more frames, %s", said->time_ns, said->count - at,
               said->frame[at].symbol);
    /* The command is above all; a label in front of it is none of perf's. */
    if (nodes[node].caller != 0 && is_truncated(s, node) && nodes[nodes[node].caller].caller == 0)
        c->truncated++;
    else if (nodes[node].caller != 0 && c->way->is_unwound && ends_at_start(s, node))
        c->shorter++;
    else if (nodes[node].caller != 0)
        differ(c, "%" PRId64 ": perf has fewer frames", said->time_ns);
}

static void compare(const struct way *way, const char *path)
{
    static struct said said;
    struct comparison c = {.way = way, .session = read_ours(path, !way->inlines)};
    struct flm_text out = shell_output("perf --buildid-dir $PWD/ids script -i %s --ns --max-stack "
                                       "1100 -F comm,tid,time,event,ip,sym,"
                                       "symoff,dso %s 2> errors || { cat errors >&2; false; }",
                                       path, way->inlines ? "" : "--no-inline");
    flm_text_putc(&out, 0);
    char *at = out.at;
    size_t i = 0;
    while (read_said(&at, &said) && i < c.session->aggregation.samples.count)
        compare_sample(&c, &c.session->aggregation.samples.at[i++], &said);
    if (i < c.session->aggregation.samples.count || read_said(&at, &said))
        differ(&c, "%zu samples are not perf's", c.session->aggregation.samples.count);
    print_message("  %s%s: %zu samples, %zu frames; %zu trampolines, %zu truncated, %zu stubs, "
                  "%zu aliases, %zu enclosing, %zu behind, %zu shorter; %zu differ\n",
                  way->options ? way->options : "the same",
                  way->inlines ? ", inlined functions" : "", c.samples, c.frames, c.trampolines,
                  c.truncated, c.stubs, c.aliases, c.enclosing, c.behind, c.shorter, c.differences);
    flm_text_clear(&out);
    flm_session_free(c.session);
    assert_int_equal(c.differences, 0);
    assert_true(c.shorter <= 1 + c.samples / 20);
}

static void every_frame_is_as_perf_script_shows_it(void **state)
{
    (void)state;
    static const struct way ways[] = {
        {"-g -o perf.data", "locations_fp", true, false, false},
        {"-g -z -o perf.data", "locations_fp", true, false, false},
        {"-g -e page-faults -e context-switches -o - > perf.data", "locations_fp", true, false,
         false},
        {"-o perf.data", "locations_fp", false, false, false},
        {"--call-graph dwarf,16384 -z -o - > perf.data", "locations", true, true, false},
        {"--call-graph dwarf,16384 -o perf.data", "locations", true, true, false},
        {NULL, "locations", true, true, true}, /* the same again */
    };
    if (!has_command("perf") || !has_command("g++")) {
        print_message("there is no perf here, or no C++ compiler\n");
        skip();
    }
    char source[4096];
    assert_non_null(realpath("tests/programs/locations.cpp", source));
    shell("g++ -O2 -g -pthread %s -o locations", source);
    shell("g++ -O2 -g -pthread -fno-omit-frame-pointer %s -o locations_fp", source);
    /* perf ends on an assertion where two of it fill the user's cache of build IDs at once: it has
     * one here. */
    size_t compared = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s", temporary_path("perf.data"));
        if (ways[i].options) {
            remove(path);
            shell(
                "perf --buildid-dir $PWD/ids record -q -e cpu-clock -F 499 %s ./%s 12 2> errors || "
                "{ cat errors >&2; rm -f perf.data; }",
                ways[i].options, ways[i].program);
        }
        FILE *file = fopen(path, "r");
        if (!file) {
            print_message("perf may not record here\n");
            continue;
        }
        fclose(file);
        compare(&ways[i], path);
        compared++;
    }
    if (compared == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_is_as_perf_script_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
