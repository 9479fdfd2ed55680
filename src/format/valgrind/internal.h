/* internal.h - shared by the parts of the callgrind reader: its state while it reads a file.
 *
 *     callgrind.c           lines, the header, recognition: the format is described there
 *     callgrind_events.c    `events:` and `event:` become metrics
 *     callgrind_body.c      names and costs become a call graph
 *     callgrind_lines.c     what lines cost, in bounded memory
 *     callgrind_part.c      the call graph of a part becomes stacks */
#ifndef FLAMEL_FORMAT_VALGRIND_INTERNAL_H
#define FLAMEL_FORMAT_VALGRIND_INTERNAL_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/line_reader.h"
#include "base/text/text.h"
#include "format/call_graph/call_graph.h"
#include "format/core/format.h"
#include "format/valgrind/callgrind_lines.h"
#include "format/valgrind/callgrind_write.h"

enum flm_callgrind_name_kind {
    FLM_CALLGRIND_OBJECT,
    FLM_CALLGRIND_FILE,
    FLM_CALLGRIND_FUNCTION,
    FLM_CALLGRIND_KINDS
};

/* The names that have a number, of one kind. Numbers are given out one after the other, so strings
 * are in an array by number; one that is far beyond them is in a table. */
struct flm_callgrind_names {
    struct FLM_ARRAY(uint32_t) near; /* by number: string; UINT32_MAX: not defined */
    size_t near_count;               /* of those that are defined */
    struct flm_index index;          /* index of `strings` by number */
    struct FLM_ARRAY(uint64_t) ids;
    struct FLM_ARRAY(uint32_t) strings;
};

struct flm_callgrind_function {
    uint32_t name, file, object;
};

struct flm_callgrind_term {
    double factor;
    uint32_t event;
};

/* A derived event, the sum of others: "event: Total = Ir + 10 Bcm". */
struct flm_callgrind_formula {
    struct flm_metric metric;
    size_t first, end; /* of `terms` */
};

struct flm_callgrind_event {
    struct flm_metric metric;
    double factor; /* 10 for a unit of 10 ns */
};

struct flm_callgrind {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_line_reader lines;

    struct FLM_ARRAY(struct flm_callgrind_event) events;
    struct FLM_ARRAY(struct flm_callgrind_formula) formulas;
    struct FLM_ARRAY(struct flm_callgrind_term) terms;
    struct flm_text described; /* the lines `event:` so far: NAME[=FORMULA][:LONG NAME] */
    size_t described_count, note_count, event_lines;
    size_t described_size;       /* the size of `described` when `events:` was read last */
    struct flm_text event_names; /* the value of the last line `events:` */
    struct flm_metric calls;
    size_t position_count;
    size_t line_column; /* the position that is the line number; none if >= position_count */
    bool has_calls;

    struct flm_callgrind_names names[FLM_CALLGRIND_KINDS];
    struct FLM_ARRAY(struct flm_callgrind_function) functions;
    struct FLM_ARRAY(struct flm_frame_record) frames;
    struct flm_index function_index;
    struct FLM_ARRAY(uint32_t) latest; /* by name: the function that was found last; UINT32_MAX */
    struct flm_call_graph graph;
    struct flm_callgrind_lines own;
    struct FLM_ARRAY(uint32_t) used;  /* the functions of this part */
    struct FLM_ARRAY(uint32_t) local; /* by function: its index in `used` */
    struct FLM_ARRAY(struct flm_frame_record) used_frames;

    uint32_t object, file, called_object, called_file; /* strings */
    bool has_called_object, has_called_file;
    uint32_t function, callee; /* UINT32_MAX: none */
    uint32_t item; /* of the call graph, for `function`; of its block, for item_file and item_line,
                      where lines are read; UINT32_MAX: not looked up yet */
    uint32_t item_file, item_line;
    uint64_t call_count;
    bool is_call; /* the next line has the costs of a call */
    bool is_jump; /* the next line has the position of a jump, and no costs */
    bool has_costs;
    uint64_t line;
    uint64_t cost[FLM_CALLGRIND_EVENTS];  /* of the last line: `given` costs, then zeros */
    uint64_t ahead[FLM_CALLGRIND_EVENTS]; /* of a line that is perhaps plain */
    size_t given;

    bool is_flamels; /* the file was written by callgrind_write.c */
    bool counts_no_calls;
    bool is_signed; /* Xdebug's file: '-' is a sign. Elsewhere: less than the last cost */
    bool has_totals, is_callgrind;
    bool has_command; /* there is a line `cmd:` */
    bool has_others;  /* there is a line that cachegrind does not write */
    uint64_t summary; /* of the first event, in the line `summary:` of this part */
    uint64_t sum;     /* of the first event, over all lines of costs of this part */
    bool has_summary;

    struct flm_label_set labels;
    uint32_t process, thread, part; /* strings, of this part; 0: unknown */
    bool is_several;                /* there is a part before this one */
};

static inline bool flm_callgrind_refuse(struct flm_callgrind *r, const char *reason)
{
    return flm_error_line(r->why, FLM_ERROR_FORMAT, r->lines.number, "%s", reason);
}

static inline void flm_callgrind_lose(struct flm_callgrind *r, const char *what)
{
    flm_builder_lost(r->builder, what, "line", r->lines.number, 1);
}

static inline uint32_t flm_callgrind_intern(struct flm_callgrind *r, const char *at,
                                            const char *end)
{
    return flm_builder_string(r->builder, at, (size_t)(end - at)).index;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static inline bool flm_callgrind_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline const char *flm_callgrind_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* The text up to the next blank. */
static inline struct flm_bytes flm_callgrind_word(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    return (struct flm_bytes){start, (size_t)(at - start)};
}

enum flm_callgrind_number {
    FLM_CALLGRIND_NUMBER_GOOD,
    FLM_CALLGRIND_NUMBER_NONE,
    FLM_CALLGRIND_NUMBER_LARGE /* 2^64 or more */
};

/* Reads decimal digits, or hexadecimal digits after 0x, and moves `at` behind them. */
enum flm_callgrind_number flm_callgrind_number(const char **at, const char *end, uint64_t *value);

/* ---- Events: callgrind_events.c -------------------------------------------------------------- */

/* Keeps the value of a line `event:`. Several parts of a file repeat the same ones. */
void flm_callgrind_describe(struct flm_callgrind *r, struct flm_bytes value);

/* Reads the value of a line `events:`. False, and `why`, if it is refused or memory ran out. */
bool flm_callgrind_read_events(struct flm_callgrind *r, const char *at, const char *end);

/* The index of the event with that name; UINT32_MAX: there is none. */
uint32_t flm_callgrind_event_named(const struct flm_callgrind *r, struct flm_bytes wanted);

struct flm_metric flm_callgrind_add_metric(struct flm_callgrind *r, struct flm_bytes name,
                                           struct flm_bytes unit);

/* ---- Body: callgrind_body.c ------------------------------------------------------------------ */

/* Reads a line KEY=VALUE. False, and `why`, if it is refused or memory ran out. */
bool flm_callgrind_read_assignment(struct flm_callgrind *r, struct flm_bytes key, const char *at,
                                   const char *end);

/* Reads a line of costs, of a function or of a call; false as above. */
bool flm_callgrind_read_costs(struct flm_callgrind *r, struct flm_bytes line);

/* Reads the lines of costs that follow, as far as each is plain: of the same function, with costs
 * that are digits. Most of a large file is such lines. False as above. */
bool flm_callgrind_read_plain_costs(struct flm_callgrind *r);

/* Ends the costs of the current function; false as above. */
bool flm_callgrind_end_function(struct flm_callgrind *r);

/* ---- Parts: callgrind_part.c ----------------------------------------------------------------- */

/* Adds the stacks of the part that was read, and begins the next one. `is_several`: the file has
 * other parts, so samples get the label "part". False, and `why`, when memory ran out. */
bool flm_callgrind_finish_part(struct flm_callgrind *r, bool is_several);

#endif
