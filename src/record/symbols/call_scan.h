/* call_scan.h - a step to the caller of code that has neither an unwind table nor frame
 * pointers, as musl's functions.
 *
 * The return address is somewhere above the stack pointer, among whatever the function keeps
 * there, and among return addresses that earlier calls have left. It is the one behind a call
 * instruction whose target is the start of this very function,
 *
 *     word on the stack   0x4016f2
 *     code                4016ed: e8 2e fe ff ff    call 0x401520     0x401520 <= pc: <sift>
 *
 * or of a function that ends by a jump to it (a tail call), in up to three steps. Calls through
 * pointers are not found: better a truncated stack than a wrong one. Only x86-64. */
#ifndef FLAMEL_RECORD_SYMBOLS_CALL_SCAN_H
#define FLAMEL_RECORD_SYMBOLS_CALL_SCAN_H

#include "record/process/process_map.h"
#include "symbol/registry/module.h"
#include "symbol/unwind/unwind_table.h"

/* What a walk may spend on such steps: words of the stack and bytes of code that are looked at. A
 * program could be made so that each of its frames takes long. */
enum { FLM_CALL_SCAN_BUDGET = 1 << 16 };

/* `mapping` is that of the pc (for a return address, of the byte before), `address` the pc in its
 * module. The registers are the caller's if it returns true, else unchanged; those that the
 * function may have changed, and that were not found, are unknown then. `budget` is reduced by what
 * was spent; a step that would need more fails. */
bool flm_step_by_call(const struct flm_mapping *mapping, uint64_t address,
                      struct flm_registers *registers, flm_stack_read read, void *context,
                      unsigned *budget);

/* Whether the instruction before an address of a module is a call, also one through a pointer. */
bool flm_is_after_call(const struct flm_module *module, uint64_t address);

#endif
