/* sidecar.h - the file of symbols that samply saves with a profile: NAME.syms.json.
 *
 *     { "string_table": ["fib", "main", "fib.c"],
 *       "data": [ { "debug_name": "libfib.so", "debug_id": "...",
 *                   "symbol_table": [ { "rva": 4096, "size": 64, "symbol": 0,
 *                                       "frames": [ { "function": 0, "file": 2, "line": 7 } ] } ],
 *                   "known_addresses": [ [4100, 0] ] } ] }
 *
 * Addresses are relative to the module. A known address has its row of the table of symbols; any
 * other one has the symbol in whose range it is. `frames` are functions inlined at the address, the
 * innermost first, and the symbol's own last. */
#ifndef FLAMEL_LOAD_SIDECAR_H
#define FLAMEL_LOAD_SIDECAR_H

#include "flamel/file.h"
#include "symbol/code/code_table.h"

struct flm_sidecar;

/* That of a profile with this path, in the first of the folders that has one: of p.json.gz it is
 * p.json.syms.json, or p.syms.json. NULL: there is none, or, with `why`, it is broken or memory ran
 * out. */
struct flm_sidecar *flm_sidecar_find(const char *path, const struct flm_load_options *options,
                                     struct flm_error *why);
void flm_sidecar_free(struct flm_sidecar *sidecar);

/* The functions at an address, the innermost first, up to FLM_CODE_MOST; 0: it is not known. */
size_t flm_sidecar_lookup(const struct flm_sidecar *sidecar, struct flm_bytes module,
                          uint64_t address, struct flm_code *code);

#endif
