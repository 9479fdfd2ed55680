/* code_rows.h - what the view of code shows: the listing (code/listing.h) of the chosen function,
 * made when it is asked for, and kept while it is valid.
 *
 *     store      source and machine code      as long as the files, and their sides: it only grows
 *     hottest    lines of all functions       until another metric is shown
 *     stack      the functions around it      until another one is chosen that is not in it
 *     listing    the rows                     until another function, metric or store
 *
 * Colors of source are found line by line from the beginning of a file; the state is kept for every
 * 256th line, so a line far down takes no longer once those before it were seen. */
#ifndef FLAMEL_VIEWER_SCENE_CODE_ROWS_H
#define FLAMEL_VIEWER_SCENE_CODE_ROWS_H

#include "algebra/aggregate/line_costs.h"
#include "base/core/index.h"
#include "code/listing.h"
#include "draw/syntax/syntax.h"

struct flm_model;

enum { FLM_CODE_MOST_STACK = 200, FLM_CODE_MOST_HOTTEST = 40 };
enum { FLM_CODE_SYNTAX_FILES = 4, FLM_CODE_SYNTAX_STEP = 256 };

/* The states of every 256th line of a file. */
struct flm_code_syntax {
    uint32_t file; /* a string; 0: none */
    const struct flm_language *language;
    flm_syntax_state *states;
    uint32_t known;
};

struct flm_code_rows {
    struct flm_code_store *store; /* NULL: nothing was taken yet */
    uint32_t store_number;        /* another one where all of it was dropped */
    struct flm_listing *listing;  /* NULL: not made yet; or the function is not in the profile */
    struct flm_listing_subject subject;
    uint64_t listed;        /* what the listing is of */
    double scale;           /* and what before is multiplied by there */
    uint32_t arranged_from; /* a version */

    struct flm_line_costs costs; /* of all lines, in the shown metric */
    uint32_t hottest[FLM_CODE_MOST_HOTTEST];
    size_t hottest_count;
    uint32_t hottest_from;
    bool has_hottest;

    struct flm_index named; /* frames of the shown profile, the first one of each function's name */
    bool has_named;

    uint32_t stack[FLM_CODE_MOST_STACK]; /* nodes of the shown profile, from the outermost */
    double stack_total[FLM_CODE_MOST_STACK];
    uint32_t stack_count, stack_from;

    struct flm_code_syntax syntax[FLM_CODE_SYNTAX_FILES];
    unsigned next_syntax;
};

/* forget: another profile is shown, or another metric; the store stays. clear: other files are
 * open, or their sides are swapped; by names alone, their code could not be told apart. */
void flm_code_rows_forget(struct flm_code_rows *rows);
void flm_code_rows_clear(struct flm_code_rows *rows);

/* Adds what the bytes of a store have. */
bool flm_code_rows_take(struct flm_code_rows *rows, struct flm_bytes store, struct flm_error *why);

/* Makes the listing of the model's function, with the folds that are open. `before`: of a
 * comparison, and what it is multiplied by. False, and `why`, if memory ran out. */
bool flm_code_rows_make(const struct flm_model *model, struct flm_code_rows *rows,
                        struct flm_metric before, double scale, struct flm_error *why);

/* Finds the hottest lines, by self. False, and `why`, if memory ran out. */
bool flm_code_rows_hottest(const struct flm_model *model, struct flm_code_rows *rows,
                           struct flm_error *why);

/* A stack with the function: through `node`, where that is one of its; else through its most
 * expensive one. FLM_NONE: any. */
bool flm_code_rows_stack(const struct flm_model *model, struct flm_code_rows *rows, uint32_t node,
                         struct flm_error *why);

/* A line of a file, and the spans in it. Empty where it is not there. */
struct flm_bytes flm_code_rows_line(const struct flm_model *model, struct flm_code_rows *rows,
                                    uint32_t file, uint32_t line, struct flm_syntax_span *spans,
                                    size_t capacity, size_t *count);

/* The first frame of the shown profile with a function of this name; 0: there is none. */
uint32_t flm_code_rows_frame_named(const struct flm_model *model, struct flm_code_rows *rows,
                                   struct flm_bytes name);

/* Chooses the function of a frame; or that of the hottest line. */
bool flm_code_choose(struct flm_model *model, uint32_t frame);
bool flm_code_choose_hottest(struct flm_model *model, struct flm_error *why);

/* A function as the model has it, line by line: its name, its module; and its file, where it has no
 * module, since scripts have functions of one name in many files. */
void flm_code_add_function(struct flm_text *of, struct flm_bytes function, struct flm_bytes module,
                           struct flm_bytes file);

/* Whether a frame is one of the function whose rows they are. */
bool flm_code_rows_has(const struct flm_code_rows *rows, const struct flm_frame_record *frame);

/* Line `index` of a text. */
struct flm_bytes flm_code_part(const struct flm_text *text, unsigned index);

#endif
