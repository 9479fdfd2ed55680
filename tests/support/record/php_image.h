/* php_image.h - functions and frames of PHP, as version 8.MINOR has them, made in our own memory:
 * to be read through the kernel. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_PHP_IMAGE_H
#define FLAMEL_TESTS_SUPPORT_RECORD_PHP_IMAGE_H

#include <stddef.h>

#include "record/php/php_layout.h"

struct php_image {
    const struct flm_php_layout *layout;
    size_t used;
    uint64_t words[1 << 12];
};

enum { PHP_OPCODES = 8 }; /* of each function; the first of its first line, then one line each */

void php_image_init(struct php_image *image, int minor);
uint64_t php_words(struct php_image *image, size_t count);
void php_set(uint64_t address, uint64_t word);

uint64_t php_string(struct php_image *image, const char *text);
uint64_t php_class(struct php_image *image, const char *name);

/* Functions of scripts (name NULL: a file itself), and of the interpreter. */
uint64_t php_function(struct php_image *image, const char *name, uint64_t class, const char *file,
                      uint32_t line);
uint64_t php_internal(struct php_image *image, const char *name, uint64_t class, uint64_t native);
uint64_t php_opcodes(const struct php_image *image, uint64_t function);

/* The frame of a call, at the function's first opcode. */
uint64_t php_data(struct php_image *image, uint64_t function, uint64_t info, uint64_t previous);

#endif
