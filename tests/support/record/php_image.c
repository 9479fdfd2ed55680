#include "support/record/php_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

void php_image_init(struct php_image *image, int minor)
{
    memset(image, 0, sizeof *image);
    image->layout = flm_php_layout_of(8, minor);
    assert_non_null(image->layout);
}

uint64_t php_words(struct php_image *image, size_t count)
{
    assert_true(image->used + count < sizeof image->words / sizeof image->words[0]);
    uint64_t at = (uintptr_t)&image->words[image->used];
    image->used += count;
    return at;
}

static void put(uint64_t address, const void *bytes, size_t size)
{
    memcpy((void *)(uintptr_t)address, bytes, size); // NOLINT
}

void php_set(uint64_t address, uint64_t word)
{
    put(address, &word, sizeof word);
}

uint64_t php_string(struct php_image *image, const char *text)
{
    uint64_t at = php_words(image, 4 + strlen(text) / 8);
    php_set(at + FLM_PHP_STRING_SIZE, strlen(text));
    put(at + FLM_PHP_STRING_TEXT, text, strlen(text));
    return at;
}

uint64_t php_class(struct php_image *image, const char *name)
{
    uint64_t at = php_words(image, 4);
    php_set(at + FLM_PHP_CLASS_NAME, php_string(image, name));
    return at;
}

uint64_t php_opcodes(const struct php_image *image, uint64_t function)
{
    uint64_t at;
    memcpy(&at, (const void *)(uintptr_t)(function + image->layout->function_opcodes), // NOLINT
           sizeof at);
    return at;
}

uint64_t php_function(struct php_image *image, const char *name, uint64_t class, const char *file,
                      uint32_t line)
{
    const struct flm_php_layout *l = image->layout;
    const uint32_t count = PHP_OPCODES;
    uint64_t at = php_words(image, 32), opcodes = php_words(image, 4 * (size_t)PHP_OPCODES);
    php_set(at, 2);
    if (name)
        php_set(at + FLM_PHP_FUNCTION_NAME, php_string(image, name));
    php_set(at + FLM_PHP_FUNCTION_CLASS, class);
    php_set(at + l->function_file, php_string(image, file));
    put(at + l->function_first_line, &line, sizeof line);
    put(at + l->function_opcode_count, &count, sizeof count);
    php_set(at + l->function_opcodes, opcodes);
    for (uint32_t i = 0; i < PHP_OPCODES; i++) {
        uint32_t number = line + i;
        put(opcodes + FLM_PHP_OPCODE_SIZE * (uint64_t)i + FLM_PHP_OPCODE_LINE, &number,
            sizeof number);
    }
    return at;
}

uint64_t php_internal(struct php_image *image, const char *name, uint64_t class, uint64_t native)
{
    uint64_t at = php_words(image, 32);
    php_set(at, 1);
    if (name)
        php_set(at + FLM_PHP_FUNCTION_NAME, php_string(image, name));
    php_set(at + FLM_PHP_FUNCTION_CLASS, class);
    php_set(at + (image->layout->minor >= 2 ? 72 : 56), native);
    return at;
}

uint64_t php_data(struct php_image *image, uint64_t function, uint64_t info, uint64_t previous)
{
    uint64_t at = php_words(image, 10), kind = 0;
    if (function)
        memcpy(&kind, (const void *)(uintptr_t)function, sizeof kind); // NOLINT
    php_set(at + FLM_PHP_DATA_FUNCTION, function);
    php_set(at + FLM_PHP_DATA_OPCODE, kind == 2 ? php_opcodes(image, function) : 0);
    php_set(at + FLM_PHP_DATA_INFO, info | 0x308);
    php_set(at + FLM_PHP_DATA_PREVIOUS, previous);
    return at;
}
