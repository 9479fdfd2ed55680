/* lines.h - the lines of call stacks, parsed once and then found by their text.
 *
 * A profile of a million samples names some ten thousand functions. So each distinct line is kept
 * here once, without the parts that change from sample to sample, with its frames, and is found by
 * its hash:
 *
 *         2777 math_loop+0x87 (/bin/work)   \n      kept:  math_loop (/bin/work)\n
 *     address  symbol    offset module              line 7: its frames; line 8 followed it
 *
 * Most lines are found without a search: a function tends to be called by the same caller as the
 * last time, from the same location. Each line remembers the line that followed it; the text is
 * first compared with that one as it was, 16 bytes at a time, and then without address and offset.
 * In two recordings (a build with make; node) 62 % and 81 % of the lines are predicted so.
 *
 * The frames of some lines depend on the neighboring lines: "(inlined)" has the module of the frame
 * that it is inlined into, and -F +srcline prints the location of a frame on a line of its own,
 * below. So frames are made when the stack is complete, from the root to the leaf. */
#ifndef FLAMEL_FORMAT_PERF_LINES_H
#define FLAMEL_FORMAT_PERF_LINES_H

#include "base/core/index.h"
#include "format/perf/frame.h"

enum flm_perf_line_kind {
    FLM_PERF_LINE_FRAME,
    FLM_PERF_LINE_LOCATION /* of the frame in the line before */
};

/* A bit in the number of a line in a stack: the line has the same address as the frame line before
 * it, which is then inlined into it. */
#define FLM_PERF_SAME_ADDRESS ((uint32_t)1 << 31)

/* Members that are read for every line come first: the table is larger than the nearest cache. */
struct flm_perf_line {
    size_t text;         /* in `texts`: its kept text, and after that the line as it was */
    uint32_t head, tail; /* of the kept text: the sizes before the offset, and after it */
    uint32_t seen;       /* the size of the line as it was the last time; 0: not to be predicted */
    uint32_t next;       /* the line that followed it the last time; 0: none */
    unsigned char kind;
    bool inlined;
    bool is_upper;                /* the address is the kernel's */
    bool address_only;            /* the kept text is an address */
    uint32_t frames, frame_count; /* in the list of frames, outer first */
    uint32_t outer, location;     /* the lines that these frames were made with; 0: none */
    uint32_t symbol, symbol_size; /* in the kept text */
    uint32_t module, module_size;
};

struct flm_perf_lines {
    struct flm_builder *builder;
    struct FLM_ARRAY(struct flm_perf_line) list; /* [0] is not a line */
    struct flm_index index;
    struct FLM_ARRAY(char) texts;
    struct flm_perf_frames frames;
};

bool flm_perf_lines_init(struct flm_perf_lines *lines, struct flm_builder *builder);
void flm_perf_lines_clear(struct flm_perf_lines *lines);

/* The number of the line `text` (with its newline, if it has one), added when it is new. 0 for one
 * that is not a frame (or location), and when memory ran out: the builder has then failed. */
uint32_t flm_perf_lines_find(struct flm_perf_lines *lines, struct flm_bytes text,
                             enum flm_perf_line_kind kind);

/* The line after `line`, if [at, end) begins with the one that followed it the last time; *size
 * receives its size here. 0 otherwise. */
uint32_t flm_perf_lines_expect(struct flm_perf_lines *lines, uint32_t line, const char *at,
                               const char *end, size_t *size);

/* Sets the line that flm_perf_lines_expect predicts after `line`. */
static inline void flm_perf_lines_follow(struct flm_perf_lines *lines, uint32_t line, uint32_t next)
{
    lines->list.at[line].next = next;
}

static inline const struct flm_perf_line *flm_perf_lines_at(const struct flm_perf_lines *lines,
                                                            uint32_t line)
{
    return &lines->list.at[line];
}

/* The number of frames of stack[0 .. count), once flm_perf_lines_frames has made them. */
size_t flm_perf_lines_count(const struct flm_perf_lines *lines, const uint32_t *stack,
                            size_t count);

/* Appends to `out` the frames of stack[0 .. count), outer first. The stack is leaf first, its
 * numbers may be marked, and `known` outer lines follow the `count` ones. False if memory ran
 * out. */
bool flm_perf_lines_frames(struct flm_perf_lines *lines, const uint32_t *stack, size_t count,
                           size_t known, struct flm_perf_frames *out);

#endif
