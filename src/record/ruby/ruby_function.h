/* ruby_function.h - the functions of a Ruby process: methods, blocks, classes and methods in C,
 * with name, file and lines, each copied once.
 *
 * An object keeps its address as long as it lives (compaction aside); later the address may be
 * another one's. So a copy is checked again after a while. A function is the code (or the method in
 * C) together with the method that it belongs to: that has the class, for "block in Foo#bar". */
#ifndef FLAMEL_RECORD_RUBY_RUBY_FUNCTION_H
#define FLAMEL_RECORD_RUBY_RUBY_FUNCTION_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "record/ruby/ruby_object.h"
#include "record/script/script_stack.h"

struct flm_ruby_function {
    uint64_t code, method; /* addresses; no code: a method in C; no method: the main program */
    bool is_defined;       /* by define_method: it has the method's name */
    uint64_t identity[4];
    int64_t seen_ns;
    struct flm_script_function shown;
    uint64_t body;
    uint64_t instructions, instruction_count; /* words */
};

struct flm_ruby_functions {
    struct flm_ruby_objects *objects;
    struct FLM_ARRAY(struct flm_ruby_function) items;
    uint64_t serials;
    struct flm_index index;
};

void flm_ruby_functions_clear(struct flm_ruby_functions *functions);

/* The number of a function; UINT32_MAX where there is none (a torn read), or memory ran out. */
uint32_t flm_ruby_functions_find(struct flm_ruby_functions *functions, uint64_t code,
                                 uint64_t method, bool is_defined, int64_t now_ns);

/* The line of the instruction before the word `position`; 0: unknown. */
uint32_t flm_ruby_line(struct flm_ruby_objects *objects, const struct flm_ruby_function *function,
                       uint64_t position);

#endif
