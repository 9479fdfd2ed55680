/* ruby_object.h - objects of a Ruby process, read from outside: strings, arrays, the names of
 * classes, and the names that numbers of identifiers stand for.
 *
 * An object begins with its flags, whose lower 5 bits are its type, and the pointer to its class.
 * Each read checks the type, and is bounded: what is no such object is refused. */
#ifndef FLAMEL_RECORD_RUBY_RUBY_OBJECT_H
#define FLAMEL_RECORD_RUBY_RUBY_OBJECT_H

#include "base/text/text.h"
#include "record/ruby/ruby_layout.h"
#include "record/runtime/process_memory.h"

enum flm_ruby_type {
    FLM_RUBY_CLASS = 0x02,
    FLM_RUBY_MODULE = 0x03,
    FLM_RUBY_STRING = 0x05,
    FLM_RUBY_ARRAY = 0x07,
    FLM_RUBY_HASH = 0x08,
    FLM_RUBY_INTERNAL = 0x1a,
    FLM_RUBY_INCLUDED = 0x1c /* what a class has in its ancestors for a module */
};

/* Kinds of FLM_RUBY_INTERNAL, in bits 12 to 15 of the flags. */
enum flm_ruby_internal {
    FLM_RUBY_SCOPE = 1,
    FLM_RUBY_SPECIAL_VARIABLES = 2,
    FLM_RUBY_METHOD = 6,
    FLM_RUBY_CODE = 7
};

struct flm_ruby_objects {
    const struct flm_ruby_layout *layout;
    struct flm_process_memory *memory;
    uint64_t object_class; /* the address of the variable rb_cObject; 0: unknown */
    uint64_t name_id;      /* of the variable that has a class's name; 0: unknown yet */
    uint64_t identifiers;  /* the array of the names of identifiers; 0: unknown */
};

/* The words of a structure. */
bool flm_ruby_word(struct flm_ruby_objects *objects, uint64_t address, uint64_t *word);

/* The flags of an object; 0 where there is none, as for small numbers and nil. */
uint64_t flm_ruby_flags(struct flm_ruby_objects *objects, uint64_t object);
bool flm_ruby_is(uint64_t flags, enum flm_ruby_type type);
bool flm_ruby_is_internal(uint64_t flags, enum flm_ruby_internal kind);

/* Appends a String. False when it is not one. */
bool flm_ruby_string(struct flm_ruby_objects *objects, uint64_t object, struct flm_text *out);

/* An element of an Array. False when it has none, or is not one. */
bool flm_ruby_element(struct flm_ruby_objects *objects, uint64_t array, uint64_t number,
                      uint64_t *element);

/* Appends the name of a class or module, and how its methods are written: "Foo#", or "Foo." for
 * methods of the class itself. False when it has no name. */
bool flm_ruby_class(struct flm_ruby_objects *objects, uint64_t class, struct flm_text *out);

/* Appends the name of an identifier. */
bool flm_ruby_identifier(struct flm_ruby_objects *objects, uint64_t id, struct flm_text *out);

/* The array of identifiers, among the variables in `words`: the program has no symbol for it. It
 * lies behind the number of the last identifier and a table, and before a hash. 0: not found. */
uint64_t flm_ruby_find_identifiers(struct flm_ruby_objects *objects, const uint64_t *words,
                                   size_t count);

#endif
