/* ruby_layout.h - the offsets of fields in Ruby's structures, by version.
 *
 *     control frame ─► iseq ─► body: code, label, path, lines         of a method, block, class
 *        │ (next one)  └ none: a function in C
 *        └► ep ─► method entry ─► owner ─► the class's name
 *
 *     3.0, 3.1   a class has its name in a table of variables; short strings have their length in
 *                their flags
 *     3.2        the same name is in an array of variables; strings have their length in a word
 *     3.3, 3.4   a class has a field for its name
 *
 * The numbers are facts about compiled headers with 64-bit pointers. They do not change within a
 * version. */
#ifndef FLAMEL_RECORD_RUBY_RUBY_LAYOUT_H
#define FLAMEL_RECORD_RUBY_RUBY_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum flm_ruby_class_names {
    FLM_RUBY_NAME_IN_TABLE, /* of the class's extension, which `class_extension` points to */
    FLM_RUBY_NAME_IN_ARRAY, /* the first string there */
    FLM_RUBY_NAME_IN_FIELD
};

/* Offsets in bytes. */
struct flm_ruby_layout {
    int minor;
    uint32_t frame_size; /* of a control frame */
    uint32_t body_label, body_base_label, body_path, body_first_line;
    bool is_line_object;                                       /* the first line is an object */
    uint32_t body_lines, body_line_count, body_line_positions; /* what lines instructions have */
    uint32_t line_size;                                        /* of an entry of them */
    bool has_string_length;     /* in a word; else short strings have it in their flags */
    uint32_t array_length_mask; /* of short arrays, in their flags from bit 15 on */
    enum flm_ruby_class_names names;
    uint32_t class_name;     /* the extension, the array, or the name */
    uint32_t class_attached; /* with FLM_RUBY_NAME_IN_FIELD: what a singleton class belongs to */
};

/* For 3.0 to 3.4. NULL: another version. */
const struct flm_ruby_layout *flm_ruby_layout_of(int major, int minor);

#endif
