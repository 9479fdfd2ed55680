/* kept_code.h - machine code that was compiled while the program ran, kept in its profile: a note
 * for each function of which samples were taken, since the code is in no file that stays.
 *
 *     jit code 1f2e7f34ba0012c0     machine x86-64
 *                                   name scan
 *                                   file /srv/app.js
 *                                   lines 0:12 1c:13 @1 8:4 @0 4:13
 *                                   code 554889e5...
 *
 * Runtimes use addresses again, and each process has its own. So locations of such code have a
 * number above the address, made of the code itself (flm_kept_code_tag): the same in profiles that
 * are merged, and another one for other code at the same address.
 *
 *     bit 63: 0    62 ... 48: the number, from 1    47 ... 0: the address in its process
 *
 * Lines are pairs of what the offset grows by, in hexadecimal, and a line (0: not known); "@1": the
 * next ones are of the second file. */
#ifndef FLAMEL_CODE_KEPT_CODE_H
#define FLAMEL_CODE_KEPT_CODE_H

#include "flamel/builder.h"
#include "profile/columns.h"
#include "symbol/identity/machine.h"

struct flm_text;

/* How many bytes of code a profile keeps, and how many of one function. */
enum { FLM_KEPT_CODE_MOST = 512 << 10, FLM_KEPT_CODE_MOST_OF_ONE = 128 << 10 };

/* How many functions with samples have no such note, for want of room. */
#define FLM_NOTE_JIT_CODE_LEFT_OUT "compiled functions whose code is not kept"

struct flm_kept_line {
    uint64_t offset;     /* from the start of the code */
    uint32_t file, line; /* file: an index; line 0: not known */
};

struct flm_kept_code {
    uint64_t start; /* as locations have it */
    enum flm_machine machine;
    struct flm_bytes name; /* of the function, as frames have it */
    struct flm_bytes bytes;
    const struct flm_bytes *files;
    size_t file_count;
    const struct flm_kept_line *lines; /* ascending */
    size_t line_count;
};

/* The address in its process of one that locations have, of any code: what people are shown. */
uint64_t flm_kept_code_address(uint64_t address);

/* The number above the address of this code, shifted there; `start` is without it. */
uint64_t flm_kept_code_tag(const struct flm_kept_code *code);

/* The next number, for other code that happens to have the same one. */
uint64_t flm_kept_code_next_tag(uint64_t tag);

/* The value of its note; and the note. */
void flm_kept_code_write(const struct flm_kept_code *code, struct flm_text *value);
void flm_kept_code_note(struct flm_builder *builder, uint64_t start, struct flm_bytes value);

/* ---- Of a profile ---------------------------------------------------------------------------- */

struct flm_kept_codes; /* all of them, by address */

/* NULL, and `why`, if memory ran out. Notes that are malformed are left out. */
struct flm_kept_codes *flm_kept_codes_new(const struct flm_profile *profile, struct flm_error *why);
void flm_kept_codes_free(struct flm_kept_codes *codes);
size_t flm_kept_codes_count(const struct flm_kept_codes *codes);

/* The code with an address that locations have; NULL: it was not kept. */
const struct flm_kept_code *flm_kept_codes_find(const struct flm_kept_codes *codes,
                                                uint64_t address);

/* The code at an address of a process, if there is one only. */
const struct flm_kept_code *flm_kept_codes_called(const struct flm_kept_codes *codes,
                                                  uint64_t address);

#endif
