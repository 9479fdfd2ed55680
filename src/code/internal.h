/* internal.h - a listing from inside: the nodes that it is made of (listing_nodes.c), what they
 * cost (listing_costs.c), and the runs of rows of each side (listing_source.c, listing_assembly.c,
 * listing_jumps.c). */
#ifndef FLAMEL_CODE_INTERNAL_H
#define FLAMEL_CODE_INTERNAL_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "code/listing.h"

/* ---- listing_nodes.c ------------------------------------------------------------------------- */

/* A part of a stack that is the function, or what was inlined into it, with its location. */
struct flm_code_node {
    uint32_t frame;    /* of the profile */
    uint32_t location; /* flm_location_at, and 1; 0: not known */
    uint32_t end;      /* where its subtree ends */
    bool is_subject;
    bool is_apart; /* it is not called by the node above it, but by what that calls */
    struct flm_listing_cost cost, before;
};

/* In the order of a tree, parents before what they call. */
struct flm_code_nodes {
    const struct flm_profile *profile;
    bool frames_have_lines;
    struct flm_code_node *at;
    uint32_t count;
    unsigned char *is_subject; /* by frame: another value than 0, where it may be */
};

bool flm_code_nodes_init(struct flm_code_nodes *nodes, const struct flm_listing_subject *subject);
void flm_code_nodes_clear(struct flm_code_nodes *nodes);

/* The line of a frame at a location, as algebra/aggregate/line_costs.h has it. */
struct flm_location flm_code_where(const struct flm_code_nodes *nodes, uint32_t frame,
                                   uint32_t location);

/* ---- listing_costs.c ------------------------------------------------------------------------- */

/* The address of what another build has at its own addresses. */
#define FLM_CODE_ELSEWHERE UINT64_MAX

/* Something with a cost: a line of the function; code that was inlined at a line; a line of that;
 * an address. Those without a parent are of the function itself. */
enum flm_code_item_kind { FLM_CODE_LINE, FLM_CODE_INLINED, FLM_CODE_ADDRESS };
struct flm_code_item {
    enum flm_code_item_kind kind;
    uint32_t parent; /* an item that has it; FLM_NONE: none */
    uint32_t depth;  /* of inlining */
    uint32_t function, module;
    uint32_t file, line;           /* ADDRESS: of the innermost code there */
    uint32_t site_file, site_line; /* ADDRESS: of the function itself */
    uint64_t address;
    uint64_t key;      /* INLINED: of its row */
    uint32_t seen_end; /* where the subtree ends that was counted last */
    struct flm_listing_cost cost, before;

    /* ADDRESS: how many open nodes have it; and the total that is also part of that of the next
     * higher address that is open above: of the call in one instruction, where samples are at its
     * first byte and callers at its last. */
    uint32_t open_count;
    uint64_t nested_in;
    double nested, nested_before;
};

struct flm_code_costs {
    struct FLM_ARRAY(struct flm_code_item) items;
    struct flm_index index;
    uint32_t *order;         /* all items, by parent, kind and place */
    uint32_t *first, *count; /* by item: its children in `order` */
    uint32_t root_count;     /* the first ones of `order`: lines of the function itself */
    uint32_t address_first;  /* in `order`: addresses, ascending */
    uint32_t file, line;     /* where the function begins; 0: not known */
    uint32_t *files;         /* of its lines, its own first */
    size_t file_count;
    struct flm_listing_cost sum, sum_before;
};

bool flm_code_costs_init(struct flm_code_costs *costs, const struct flm_listing_subject *subject,
                         struct flm_error *why);
void flm_code_costs_clear(struct flm_code_costs *costs);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Rows that follow each other: one; or `count` lines without a cost; or instructions. */
struct flm_listing_run {
    uint32_t row;        /* the first */
    uint32_t item;       /* FLM_NONE: none */
    uint32_t file, line; /* of the first row; of instructions: the index of the first */
    uint32_t count;      /* of a fold: what it stands for */
    uint64_t key;
    unsigned char kind, depth;
    bool can_open, is_open;
};

struct flm_listing_column {
    struct FLM_ARRAY(struct flm_listing_run) runs;
    uint32_t row_count;
    double most;
};

/* All jumps to an instruction. */
struct flm_jump {
    uint32_t first, last, to; /* instructions; the first and last of them and of the jumps */
    unsigned char lane;       /* FLM_LISTING_LANES: it has none */
};
struct flm_jumps {
    const struct flm_code_instruction *instruction;
    uint32_t count;
    unsigned char *is_block; /* by instruction: a block begins; 2: a loop */
    struct FLM_ARRAY(struct flm_jump) jumps;
    struct FLM_ARRAY(uint32_t) in_lane[FLM_LISTING_LANES]; /* jumps, ascending */
    uint32_t hidden;
};

struct flm_listing {
    struct flm_listing_subject subject;
    struct flm_code_costs costs;
    struct flm_listing_column column[FLM_LISTING_SIDES];

    const struct flm_code_function *code;
    uint32_t *item_of;       /* by instruction: its cost, or FLM_NONE */
    double *self_up_to;      /* by instruction, and one more: of all before it */
    uint32_t *file_of;       /* by file of the code: a string, or 0 */
    unsigned char *is_again; /* by instruction: the line that begins there has others before */
    uint32_t lines, line_runs;
    struct flm_jumps jumps;
    struct flm_listing_cost unplaced, unplaced_before; /* at no instruction */
    bool has_unplaced;
    struct flm_listing_figures figures;
};

/* Adds rows at the end of a column. False if memory ran out. */
bool flm_listing_add(struct flm_listing_column *column, const struct flm_listing_run *run,
                     uint32_t rows);

bool flm_listing_is_open(const struct flm_listing_options *options, uint64_t key, bool is_inlined);
uint64_t flm_listing_key(uint64_t parent, uint32_t kind, struct flm_bytes name, uint64_t number);

/* listing_source.c, listing_assembly.c */
bool flm_listing_arrange_source(struct flm_listing *listing, const struct flm_code_store *store,
                                const struct flm_listing_options *options);
bool flm_listing_arrange_assembly(struct flm_listing *listing, const struct flm_code_store *store,
                                  const struct flm_listing_options *options);

/* The row of an instruction, but for its cost. */
void flm_listing_fill_instruction(const struct flm_listing *listing, uint32_t instruction,
                                  struct flm_listing_row *row);

/* listing_jumps.c: instructions ascend by address. */
bool flm_jumps_init(struct flm_jumps *jumps, const struct flm_code_instruction *instruction,
                    size_t count);
void flm_jumps_clear(struct flm_jumps *jumps);

/* What the lanes have beside the instructions [first, end). */
void flm_jumps_lanes(const struct flm_jumps *jumps, uint32_t first, uint32_t end,
                     unsigned char lane[FLM_LISTING_LANES]);
/* The jump that leads to an instruction; NULL: none does. */
const struct flm_jump *flm_jumps_to(const struct flm_jumps *jumps, uint32_t to);

#endif
