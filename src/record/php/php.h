/* php.h - the functions of a running PHP process (8.0 to 8.4, x86-64), read from outside.
 *
 *     register ─► execute data ─► execute data ─► ... ─► none
 *
 * The loop has the innermost frame (its execute data) in a register, r14, and the address of the
 * opcode in another, r15: gcc builds reserve both for that in all of the loop's functions. Frames
 * of the interpreter's own functions, called from there, are in front of it; the first of them is
 * in executor_globals, which builds for threads do not have: their innermost internal function is
 * not known.
 *
 *     php_layout.h    offsets, by version          php_function.h  functions, also internal ones
 *     php_symbols.h   the interpreter's symbols
 *
 * Lengths and depths are bounded, and memory is only read through the kernel. Code that opcache's
 * JIT compiled has no frame pointers: samples in it keep their native frames, up to there. */
#ifndef FLAMEL_RECORD_PHP_PHP_H
#define FLAMEL_RECORD_PHP_PHP_H

#include "record/php/php_symbols.h"
#include "record/script/script_stack.h"

extern const struct flm_script_interpreter flm_php_interpreter;

/* The interpreter with these symbols. NULL, and `why`, if it cannot be read. */
void *flm_php_open(int32_t process, const struct flm_php_symbols *symbols, struct flm_error *why);

#endif
