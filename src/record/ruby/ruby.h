/* ruby.h - the functions of a running Ruby process (CRuby 3.0 to 3.4, x86-64), read from outside.
 *
 *     register ─► control frame ─► control frame ─► ... ─► the dummy at the end of the stack
 *
 * The control frames of a thread, or of a fiber, are an array that ends with a dummy frame; the
 * loop has the innermost one in a register (r15), and the address of the instruction in another
 * (r14). So neither threads nor fibers have to be found. What is not known from the registers is
 * which methods in C were called from there: their frames are in front of that frame, and where
 * they begin is in the execution context of the thread, whose address the loop has in a register
 * too.
 *
 *     ruby_layout.h    offsets, by version          ruby_object.h    strings, classes
 *     ruby_symbols.h   the interpreter's symbols    ruby_function.h  methods, blocks
 *
 * Every frame is checked: its flags are those of a kind of frame, its code is a code object.
 * Lengths and depths are bounded, and memory is only read through the kernel. Code compiled by YJIT
 * or RJIT keeps its frame elsewhere: samples in it keep their native frames. */
#ifndef FLAMEL_RECORD_RUBY_RUBY_H
#define FLAMEL_RECORD_RUBY_RUBY_H

#include "record/ruby/ruby_symbols.h"
#include "record/script/script_stack.h"

extern const struct flm_script_interpreter flm_ruby_interpreter;

/* The interpreter with these symbols. NULL, and `why`, if it cannot be read. */
void *flm_ruby_open(int32_t process, const struct flm_ruby_symbols *symbols, struct flm_error *why);

/* 3.1: 1 */
int flm_ruby_minor(const void *opened);

#endif
