/* ruby_image.h - objects and frames of Ruby, as version 3.MINOR has them, made in our own memory:
 * to be read through the kernel. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_RUBY_IMAGE_H
#define FLAMEL_TESTS_SUPPORT_RECORD_RUBY_IMAGE_H

#include "record/ruby/ruby_object.h"

struct ruby_image {
    int minor;
    const struct flm_ruby_layout *layout;
    size_t used;
    uint64_t words[1 << 16];
};

/* Flags of frames. */
enum {
    RUBY_METHOD = 0x11110001,
    RUBY_BLOCK = 0x22220001,
    RUBY_IN_C = 0x55550001,
    RUBY_EVAL = 0x77770001,
    RUBY_DUMMY = 0x79990001,
    RUBY_LOCAL = 0x02,
    RUBY_ENTRY = 0x20,
    RUBY_DEFINED = 0x40
};

void ruby_image_init(struct ruby_image *image, int minor);

/* Room for `count` words, all 0; their address. */
uint64_t ruby_words(struct ruby_image *image, size_t count);
void ruby_set(uint64_t address, uint64_t word);

uint64_t ruby_string(struct ruby_image *image, const char *text);
uint64_t ruby_array(struct ruby_image *image, const uint64_t *elements, size_t count);

/* A class with its name (NULL: none); the singleton class of a class. Up to 3.1 the name has the
 * key `name_key`, which rb_cObject's has too. */
enum { RUBY_NAME_KEY = 0x1231 };
uint64_t ruby_class(struct ruby_image *image, const char *name);
uint64_t ruby_singleton(struct ruby_image *image, uint64_t class);

/* Methods: of a script, with the number of its name; in C, at an address. */
uint64_t ruby_method(struct ruby_image *image, uint64_t owner, uint64_t id, uint64_t native);

/* Code with `count` words of instructions, all of line `line`, but for those from word 3 on, which
 * have the next line. */
uint64_t ruby_code(struct ruby_image *image, const char *label, const char *base, const char *file,
                   uint32_t line, size_t count);
uint64_t ruby_body(uint64_t code);
uint64_t ruby_instructions(uint64_t code);

/* The variables of a frame: their address is in the frame. */
uint64_t ruby_variables(struct ruby_image *image, uint64_t flags, uint64_t method, uint64_t around);

/* Identifiers: an array with the names of numbers 0 to 1023; sets one. */
uint64_t ruby_identifiers(struct ruby_image *image);
void ruby_identify(struct ruby_image *image, uint64_t identifiers, uint64_t number,
                   const char *name);

#endif
