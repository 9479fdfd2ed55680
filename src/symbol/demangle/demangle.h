/* demangle.h - names as they are in the source: C++ (Itanium), Rust (v0 and legacy), OCaml and
 * Haskell.
 *
 *     _ZN3app9StrEngine3runEi                  app::StrEngine::run(int)
 *     _ZN4core3fmt5Write9write_fmt17h0123..E   core::fmt::Write::write_fmt     without the hash
 *     _RNvCs1234_7mycrate3foo                  mycrate::foo
 *     camlStdlib__List__map_245                Stdlib.List.map                without the number
 *     base_GHCziList_zdwlenAcc_info            GHC.List.$wlenAcc              without the package
 *
 * A mangled name refers back to its own parts, so 100 bytes can stand for gigabytes. A name that
 * would be longer than FLM_DEMANGLED_MOST stays mangled. */
#ifndef FLAMEL_SYMBOL_DEMANGLE_DEMANGLE_H
#define FLAMEL_SYMBOL_DEMANGLE_DEMANGLE_H

#include "base/text/text.h"

enum { FLM_DEMANGLED_MOST = 1 << 16 };

/* Appends the demangled name. If the symbol is not mangled, or cannot be read, appends it as it is
 * and returns false. Versions (@@GLIBC_2.17) and suffixes (.isra.0, .cold, .llvm.123) stay. */
bool flm_demangle(struct flm_bytes symbol, struct flm_text *out);

#endif
