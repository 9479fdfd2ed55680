/* listing.h - the rows of code with costs: the source of a function, and its machine code. Reports,
 * the page and the terminal show the same rows.
 *
 *     FLM_LISTING_SOURCE                             FLM_LISTING_ASSEMBLY
 *        self   total                                  self
 *               1.0 %   91  uint32_t slot = ...               91  uint32_t slot = ...
 *                           4 lines without cost      1.1 %   51f0  mov 0x8(%rdi),%eax
 *      22.3 %  22.3 %   98  while (e->hash != 0)      0.9 %   51f3  and %edx,%ecx
 *      38.1 %  41.8 %  101      same_bytes(...)               98  while (e->hash != 0)
 *                        v  same_bytes, inlined       8.2 %   51f7  mov (%r8),%ecx     <-+
 *               3.7 %   31  return memcmp(...)       14.1 %   51fa  test %ecx,%ecx       |
 *
 * Self and total of a line are those of algebra/aggregate/line_costs.h: of the function itself. The
 * self values of its lines add up to the function's self exactly, with the rows for what has no
 * line. Inlined code is below the line where it was inlined, with the costs that it has there; they
 * are part of that line's total, and not of its self. The cost of an instruction is that of all
 * samples at its address, also of code that was inlined there, as perf annotate has it.
 *
 *     struct flm_listing *listing = flm_listing_new(&subject, &why);
 *     flm_listing_arrange(listing, store, &options, &why);      again when either changes
 *     flm_listing_rows(listing, FLM_LISTING_SOURCE, 0, 40, rows);
 *
 * Rows have numbers and no text: the text is in a store (code_store.h), which may have neither that
 * of a file nor the code of a function. Then there are the lines and addresses that have a cost.
 *
 * A listing is made in one pass over the nodes. Rows are kept as runs, so 100,000 lines without a
 * cost take as little as one; 250,000 instructions take some ms. */
#ifndef FLAMEL_CODE_LISTING_H
#define FLAMEL_CODE_LISTING_H

#include "code/code_store.h"
#include "profile/columns.h"

struct flm_listing;

enum flm_listing_side { FLM_LISTING_SOURCE, FLM_LISTING_ASSEMBLY, FLM_LISTING_SIDES };

/* The function with this name and module, whatever its frames; or all functions of a file. */
struct flm_listing_subject {
    const struct flm_profile *profile; /* borrowed; joined or split (profile/chains.h) */
    struct flm_metric metric;
    struct flm_metric before;  /* of a comparison; {FLM_NONE}: there is none */
    double before_scale;       /* what its costs are multiplied by; 0: by 1 */
    bool other_build;          /* before, the machine code was another: its costs are at no
                                  instruction, unless the function is only there */
    uint32_t function, module; /* strings of the profile */
    uint32_t in_file;          /* another one than 0: only where it is in this file */
    uint32_t file;             /* another one than 0: all functions of this file instead */
};

/* The sentence that is shown with the machine code when it is of another build. */
extern const char flm_other_build_sentence[];

/* What is to be said where no line is known of anything. */
extern const char flm_no_lines_sentence[];

/* What is open of what can be folded: keys of rows. */
struct flm_listing_open {
    const uint64_t *key;
    size_t count;
};

struct flm_listing_options {
    bool whole[FLM_LISTING_SIDES]; /* cold parts are not folded, and source files are complete */
    bool inlined;                  /* inlined code is open, and the keys say what is not */
    struct flm_listing_open open;
};

enum flm_listing_kind {
    FLM_LISTING_FUNCTION, /* a heading: one of several functions */
    FLM_LISTING_FILE,     /* a heading: the file that the next lines are of */
    FLM_LISTING_LINE,
    FLM_LISTING_FOLD,    /* `count` lines, or instructions, without a cost */
    FLM_LISTING_INLINED, /* a heading: a function that was inlined at the line above */
    FLM_LISTING_UNKNOWN, /* a cost for which no line, or no instruction, is known */
    FLM_LISTING_INSTRUCTION,
    FLM_LISTING_SOURCE_LINE, /* between instructions: the line that the next ones are of */
    FLM_LISTING_KINDS
};

struct flm_listing_cost {
    double self, total;
};

/* Jumps inside the function, drawn beside its instructions: the lane next to them is 0, and has
 * the shortest. Jumps to one place share a lane. Where there are too few, loops come first. */
enum { FLM_LISTING_LANES = 6 };
enum flm_listing_lane {
    FLM_LANE_UP = 1,   /* a line from the middle of the row upwards */
    FLM_LANE_DOWN = 2, /* and downwards */
    FLM_LANE_FROM = 4, /* the row is a jump */
    FLM_LANE_TO = 8    /* it leads here */
};

struct flm_listing_row {
    enum flm_listing_kind kind;
    bool has_cost; /* also of 0 */
    bool can_open, is_open;
    bool is_block, is_loop; /* an instruction: another one may jump here; from below */
    bool is_again;          /* a line between instructions: others of it were before */
    unsigned char lane[FLM_LISTING_LANES];
    uint32_t depth;            /* of inlining */
    uint32_t function, module; /* strings; 0: none */
    uint32_t file;             /* a string; 0: none, or one that the profile does not name: */
    uint32_t code_file;        /* of an instruction: of the function in the store; or FLM_NONE */
    uint32_t line;             /* 0: none */
    uint32_t site_file, site_line; /* of an instruction: where in the function itself, of code that
                                      was inlined; 0: not known */
    uint32_t count;                /* of a fold */
    uint32_t instruction;          /* of the function in the store; FLM_NONE: it is not there */
    uint64_t address;              /* of an instruction */
    uint64_t key;                  /* of what can be opened: the same in each run of a program */
    double loop_self;              /* where a loop begins: of all of it */
    struct flm_listing_cost cost, before;
};

/* NULL, and `why`, if memory ran out. */
struct flm_listing *flm_listing_new(const struct flm_listing_subject *subject,
                                    struct flm_error *why);
void flm_listing_free(struct flm_listing *listing);

/* Makes the rows. `store` may be NULL, and must stay while there are rows. False, and `why`, if
 * memory ran out; there are no rows then. */
bool flm_listing_arrange(struct flm_listing *listing, const struct flm_code_store *store,
                         const struct flm_listing_options *options, struct flm_error *why);

uint32_t flm_listing_count(const struct flm_listing *listing, enum flm_listing_side side);

/* Rows [from, from + count), as far as there are any; returns how many. */
uint32_t flm_listing_rows(const struct flm_listing *listing, enum flm_listing_side side,
                          uint32_t from, uint32_t count, struct flm_listing_row *rows);

/* The machine code that the assembly is of; NULL: the store has none. */
const struct flm_code_function *flm_listing_code(const struct flm_listing *listing);

/* The function, or functions, as a whole: their self, and their total. And the largest self of a
 * row of a side. */
struct flm_listing_cost flm_listing_sum(const struct flm_listing *listing, bool before);
double flm_listing_most(const struct flm_listing *listing, enum flm_listing_side side);

/* The cost in rows of an overview, `count` of them for all rows: the largest |self| of each. */
void flm_listing_overview(const struct flm_listing *listing, enum flm_listing_side side,
                          double *self, uint32_t count);

/* The row with the largest self; of a line, or the next one that is shown; of the instruction of a
 * line that costs most, or of what was inlined there; with an address in it. FLM_NONE: there is
 * none. */
uint32_t flm_listing_hottest(const struct flm_listing *listing, enum flm_listing_side side);
uint32_t flm_listing_row_of_line(const struct flm_listing *listing, uint32_t file, uint32_t line);
uint32_t flm_listing_row_of_source(const struct flm_listing *listing, uint32_t file, uint32_t line);
uint32_t flm_listing_row_of_address(const struct flm_listing *listing, uint64_t address);

/* The files that lines with a cost are of: strings, the function's own first. */
const uint32_t *flm_listing_files(const struct flm_listing *listing, size_t *count);

/* How many blocks the code has, and how many of them have a cost; how many jumps have no lane. */
struct flm_listing_figures {
    uint32_t blocks, hot_blocks, jumps_hidden;
    uint32_t lines, line_runs; /* optimized code has several runs of instructions of one line */
};
struct flm_listing_figures flm_listing_figures(const struct flm_listing *listing);

/* Whether its lines jump, as optimized code has them: twice as many runs as lines. A loop alone has
 * less. */
static inline bool flm_listing_jumps_between_lines(const struct flm_listing_figures *figures)
{
    return figures->lines > 1 && figures->line_runs >= 2 * figures->lines;
}

#endif
