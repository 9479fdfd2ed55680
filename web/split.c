/* split.c - takes a module apart for web/unpack.c: split < MODULE. See web/module_parts.h. */
#include "module_parts.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 24, CODE_SECTION = 10 };

static uint8_t module[MOST], parts[PARTS][MOST];
static struct module_walk walk;

static uint32_t number(const uint8_t **at)
{
    uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint32_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

static void fail(const char *why)
{
    fprintf(stderr, "split: %s\n", why);
    exit(1);
}

int main(void)
{
    size_t size = fread(module, 1, MOST - 16, stdin), written = 0;
    const uint8_t *at = module + 8, *end = module + size;
    uint32_t left = 0, numbers[NUMBERS] = {0};
    while (at < end && !left) {
        uint8_t section = *at++;
        left = number(&at);
        if (section != CODE_SECTION) {
            at += left;
            left = 0;
        }
    }
    if (!left)
        fail("there is no code in it");
    const uint8_t *code_end = at + left;
    numbers[FUNCTIONS] = number(&at);
    numbers[BEFORE] = (uint32_t)(at - module);
    numbers[BEHIND] = (uint32_t)(end - code_end);
    for (int i = 0; i < PARTS; i++) {
        walk.part[i] = parts[i];
        walk.part_end[i] = parts[i] + MOST;
    }
    for (uint32_t i = 0; i < numbers[FUNCTIONS]; i++) {
        uint32_t length = number(&at);
        walk.code = module + (at - module);
        at += length;
        walk.code_end = module + (at - module);
        walk_function(&walk);
        if (walk.failed || walk.code != at)
            fail("there is an instruction in it that is not known");
    }
    written = MODULE_HEAD + numbers[BEFORE] + numbers[BEHIND];
    for (int i = 0; i < PARTS; i++)
        written += numbers[PART_SIZES + i] = (uint32_t)(walk.part[i] - parts[i]);
    if (written > size)
        fail("it is longer in parts");
    for (int i = 0; i < NUMBERS; i++)
        for (int shift = 0; shift < 32; shift += 8)
            putchar((int)(numbers[i] >> shift & 255));
    fwrite(module, 1, numbers[BEFORE], stdout);
    for (int i = 0; i < PARTS; i++)
        fwrite(parts[i], 1, numbers[PART_SIZES + i], stdout);
    fwrite(code_end, 1, numbers[BEHIND], stdout);
    for (; written < size; written++)
        putchar(0);
    return fflush(stdout) ? 1 : 0;
}
