/* internal.h - shared by the readers of stacks as text: debuggers, tracers, dumps of threads.
 *
 * Each has its own first comment with an example of the text. What they have in common: one line
 * after the other, a stack is a block of lines, and what is no part of one is skipped. */
#ifndef FLAMEL_FORMAT_TEXT_INTERNAL_H
#define FLAMEL_FORMAT_TEXT_INTERNAL_H

#include "base/text/json_read.h"
#include "base/text/line_reader.h"
#include "base/text/text.h"
#include "format/core/stack_buffer.h"

/* What a reader has; its own members follow in a struct that begins with this one. */
struct flm_text_reading {
    struct flm_stack_buffer stack;
    struct flm_line_reader lines;
    struct flm_metric metric;
    struct flm_text plain; /* a line without the colors of a terminal */
    bool has_samples;
    bool failed; /* `why` is set: reading ends */
};

/* Reads all lines: `line` gets each of them, without the colors that a tool writes for a terminal;
 * `end` (may be NULL) is called behind the last one. False, and `why`, if that failed, or if there
 * was no sample. */
bool flm_text_read(struct flm_text_reading *reading, struct flm_source *source,
                   const struct flm_read_options *options, struct flm_builder *builder,
                   struct flm_error *why, void (*line)(void *reading, struct flm_bytes line),
                   void (*end)(void *reading));

/* Adds the frames and labels of the stack, and begins the next one. */
void flm_text_add_stack(struct flm_text_reading *reading, enum flm_stack_order order, double value);

/* ---- Parts of lines -------------------------------------------------------------------------- */

/* Passes `prefix` at the beginning of the text; false where it is not. */
bool flm_text_skip(struct flm_bytes *text, const char *prefix);

/* Takes the digits at its beginning as a number; false where there is none. */
bool flm_text_take_uint(struct flm_bytes *text, uint64_t *number);

/* Takes what is before `mark`, and passes the mark; false where it is not in the text. */
bool flm_text_take_until(struct flm_bytes *text, const char *mark, struct flm_bytes *taken);

/* The text before the last `mark`, and what follows it. */
bool flm_text_split_last(struct flm_bytes text, const char *mark, struct flm_bytes *before,
                         struct flm_bytes *after);

/* How many blanks a line begins with. */
size_t flm_text_indent(struct flm_bytes line);

/* A frame of "name+0x1a", "name+26" or "0x7f6acbad44a3", perhaps with "module`" in front: without
 * the offset, with which no two samples would have the same stack. */
struct flm_stack_frame flm_text_symbol(struct flm_bytes text);

/* ---- JSON: json.c ---------------------------------------------------------------------------- */

/* Replaces `out` by a string; by nothing if the value is not a string. */
void flm_text_json_string(struct flm_json *json, struct flm_builder *builder, struct flm_text *out);

/* A number; 0 if the value is not a number. */
double flm_text_json_number(struct flm_json *json);

/* Ends reading: false, and `why`, if the JSON is invalid. If the builder failed, reading stopped
 * before the end of the file: that is true, and flm_builder_finish reports the failure. */
bool flm_text_json_finish(struct flm_json *json, const struct flm_builder *builder);

/* ---- Trees of calls -------------------------------------------------------------------------- */

/* A tree as indented lines, callers before what they call, each with the value of its subtree: a
 * line that is not as deep as the one before ends the subtrees in between, and what their lines do
 * not have of their value is their own. */
struct flm_text_tree_row {
    struct flm_frame frame;
    double rest;
    bool is_final; /* `rest` is what the line has for itself, whatever is below it */
};

struct flm_text_tree {
    struct FLM_ARRAY(struct flm_text_tree_row) path;
};

/* Ends subtrees, so that `depth` rows are left. */
void flm_text_tree_leave(struct flm_text_tree *tree, struct flm_text_reading *reading,
                         size_t depth);

/* A row: its frame is the last one of the reading's stack, which it takes. */
void flm_text_tree_row(struct flm_text_tree *tree, struct flm_text_reading *reading, size_t depth,
                       double value);

#endif
