/* location_tables.h - the tables of pprof and OTLP, made of a profile that is written.
 *
 * A location is a frame with the frames that are inlined into it, so stacks that begin alike share
 * locations as they share nodes:
 *
 *     nodes       main   parse   lex (inlined)   read        up[i]: the node below which the
 *     location    1      2       3: lex, parse   4           location of node i begins
 *
 * A profile with chains (profile/chains.h) is written in its split form, `p` here, in which each
 * location is a frame of its own.
 *
 * A function has a name, a file and the line where it begins. Where lines are those that ran
 * (FLM_NOTE_LINES) they are no part of it, and where it begins is not known. Of code from another
 * file, a header, the function has that file: there is no other place for it. */
#ifndef FLAMEL_FORMAT_CORE_LOCATION_TABLES_H
#define FLAMEL_FORMAT_CORE_LOCATION_TABLES_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "format/core/mapped.h"
#include "profile/columns.h"

struct flm_written_mapping {
    struct flm_mapped range;
    uint32_t module; /* string */
    bool has_unsymbolized;
};

struct flm_written_function {
    uint32_t name, file, line; /* line: where it begins; 0: not known */
};

/* A frame, and the location that it is inlined into, as an index + 1; 0: into none. */
struct flm_written_location {
    uint32_t frame, outer;
};

struct flm_location_tables {
    const struct flm_profile *p; /* the one that is written: the same strings, nodes of its own */
    struct flm_profile *split;   /* the same; NULL: the given one has no chains */
    bool lines_ran;
    struct flm_location *place; /* by frame: what is known of the line that ran, and the address */
    uint32_t *location, *up;    /* by node */
    uint32_t *function_of;      /* by frame: index */
    uint32_t *mapping_of;       /* by frame: index + 1; 0: none */

    struct FLM_ARRAY(struct flm_written_location) locations;
    struct FLM_ARRAY(struct flm_written_function) functions;
    struct FLM_ARRAY(struct flm_written_mapping) mappings;
    struct flm_index location_index, function_index;
};

/* False, and `why`, if memory ran out. Clear the tables in any case. */
bool flm_location_tables_make(struct flm_location_tables *tables, const struct flm_profile *p,
                              struct flm_error *why);
void flm_location_tables_clear(struct flm_location_tables *tables);

/* By frame of a profile in its split form, or of one without chains: what is known of the line that
 * ran, and the address; zeros where that is nothing. The line of a frame is one that ran if
 * `lines_ran`. Freed by the caller; NULL: memory ran out. */
struct flm_location *flm_location_places(const struct flm_profile *p, bool lines_ran);

/* Whether a reader makes up the same name for a frame without one (flm_mapped_frame_name): then its
 * function is written without a name. */
bool flm_location_is_address(const struct flm_profile *p, uint32_t frame);

/* Whether something is known but the address. A location without lines may be looked up by whoever
 * reads it. */
bool flm_location_has_line(const struct flm_location_tables *tables, uint32_t frame);

/* ---- Read ------------------------------------------------------------------------------------ */

/* A mapping as the tables have it. */
struct flm_mapping {
    uint64_t start, limit, offset;
    uint32_t path, build_id; /* strings of the builder */
    uint32_t kind;           /* of its frames */
};

/* Makes the notes for those of `count` mappings that have a path and a limit. */
void flm_mapping_note(struct flm_builder *builder, const struct flm_mapping *mappings,
                      size_t count);

#endif
