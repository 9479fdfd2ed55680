/* php_layout.h - the offsets of fields in PHP's structures, by version.
 *
 *     execute data ─► function: its name, its class; of a script: file, lines, opcodes
 *        └► (previous) ─► ...                        └ of the interpreter: its address
 *
 * An opcode has 32 bytes, with its line. The numbers are facts about compiled headers with 64-bit
 * pointers. They do not change within a version; most are the same in all of 8.0 to 8.4. */
#ifndef FLAMEL_RECORD_PHP_PHP_LAYOUT_H
#define FLAMEL_RECORD_PHP_PHP_LAYOUT_H

#include <stdint.h>

struct flm_php_layout {
    int minor;
    uint32_t globals_current; /* the innermost execute data, in executor_globals */
    uint32_t function_file, function_first_line, function_opcode_count, function_opcodes;
};

/* The same in all versions. */
enum {
    FLM_PHP_DATA_OPCODE = 0,
    FLM_PHP_DATA_FUNCTION = 24,
    FLM_PHP_DATA_INFO = 40,
    FLM_PHP_DATA_PREVIOUS = 48,
    FLM_PHP_FUNCTION_NAME = 8,
    FLM_PHP_FUNCTION_CLASS = 16,
    FLM_PHP_CLASS_NAME = 8,
    FLM_PHP_STRING_SIZE = 16,
    FLM_PHP_STRING_TEXT = 24,
    FLM_PHP_OPCODE_LINE = 24,
    FLM_PHP_OPCODE_SIZE = 32
};

/* For 8.0 to 8.4. NULL: another version. */
const struct flm_php_layout *flm_php_layout_of(int major, int minor);

#endif
