/* source_path.h - paths of source files as texts: no file is looked at. */
#ifndef FLAMEL_SYMBOL_IDENTITY_SOURCE_PATH_H
#define FLAMEL_SYMBOL_IDENTITY_SOURCE_PATH_H

#include "base/text/text.h"

/* Appends a path without ".", ".." and empty parts; ".." takes the part before it away, so
 * /src/a/../x.h and /src/x.h are one. (Where /src/a is a link they need not be: what a compiler
 * writes are names, and it names one file in both ways.) */
void flm_path_normalize(struct flm_bytes path, struct flm_text *out);

/* Each path becomes its shortest end, of whole parts, that no other of them has: of /a/lex/mod.rs,
 * /a/parse/mod.rs and /a/main.rs these are lex/mod.rs, parse/mod.rs and main.rs. Paths that are
 * equal have the same. False if memory ran out; they are then as they were. */
bool flm_path_shortest_ends(struct flm_bytes *path, size_t count);

#endif
