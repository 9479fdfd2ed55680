/* object.h - functions and scripts on V8's heap, each read once: names, files, positions.
 *
 *     JSFunction ─► SharedFunctionInfo ─┬► ScopeInfo: name, start and end in the source
 *                                       ├► or its name
 *                                       └► Script: name, source, whose lines are counted
 *
 * The collector moves objects, so what is at an address is checked again after a while: all that is
 * read has to be of the type that is expected, and what was known is valid while its pointers are
 * the same.
 *
 * Twins are functions that share name, file and line, as all functions `t` of a minified program
 * do: once two were seen, their names have the column, "t app.min.js:1:4711". */
#ifndef FLAMEL_RECORD_V8_OBJECT_H
#define FLAMEL_RECORD_V8_OBJECT_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "record/runtime/process_memory.h"
#include "record/v8/v8_metadata.h"

/* A script, or a later one at the same address. */
struct flm_v8_script {
    uint64_t address, name, source;
    struct flm_text path;
    struct FLM_ARRAY(uint32_t) lines; /* where the 2nd, 3rd ... line begins, in characters */
    bool has_lines;
    uint32_t length; /* of its source, in characters */
};

struct flm_v8_function {
    uint64_t shared;       /* address of its SharedFunctionInfo */
    uint64_t name, script; /* as it has them: they tell it from a later one at the same address */
    int64_t seen_ns;
    uint64_t serial;      /* unique among the functions of the process; 0: cannot be read */
    struct flm_text text; /* its name, for users, and its file */
    size_t name_size;
    size_t bare_size;      /* of the name without the place that tells it from a twin */
    uint64_t named_line;   /* a hash of bare name, file and line */
    uint32_t line, column; /* of its start; 0: unknown */
};

/* A line and a name that functions have. */
struct flm_v8_named_line {
    uint64_t named_line; /* as functions have it: a collision costs a place in a name */
    uint32_t column;     /* of the first such function */
    uint32_t function;   /* which that was */
    bool has_twins;
};

struct flm_v8_heap {
    const struct flm_v8_metadata *metadata;
    struct flm_process_memory *memory;
    struct FLM_ARRAY(struct flm_v8_function) functions;
    struct flm_index function_index;
    struct FLM_ARRAY(struct flm_v8_named_line) named_lines;
    struct flm_index named_line_index;
    struct FLM_ARRAY(struct flm_v8_script) scripts;
    uint64_t serials;
};

void flm_v8_heap_clear(struct flm_v8_heap *heap);

/* The function that the tagged word of a frame is. NULL when it is none (or has been moved), or
 * memory ran out; valid until the next call. */
const struct flm_v8_function *flm_v8_heap_find(struct flm_v8_heap *heap, uint64_t word,
                                               int64_t now_ns);

/* Whether a tagged word is an object of the type. */
bool flm_v8_heap_is(struct flm_v8_heap *heap, uint64_t word, int32_t type);

struct flm_bytes flm_v8_function_name(const struct flm_v8_function *function);
struct flm_bytes flm_v8_function_file(const struct flm_v8_function *function);

/* Appends a string, at most `most` characters of it, as UTF-8. False when it is none. */
bool flm_v8_string_read(struct flm_v8_heap *heap, uint64_t word, uint32_t most,
                        struct flm_text *out);

#endif
