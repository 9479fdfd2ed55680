/* entry_ends.c - what gcc -minstrument-return=call calls before a function returns. An object of
 * its own in the static library: a program has it if it calls it, which tells that its functions
 * have ends. */
#include "entries.h"

const char flm_entry_ends_are_linked = 1;

#if defined __x86_64__
/* Also where measuring was stopped since the function began. */
FLM_ENTRY_KEEPS("__return__", " cmpq $0, flm_functions(%rip)\n je 1f\n", "flm_entry_ended", "");
#endif
