/* rust.h - Rust's names: v0 (RFC 2603) and the older form, which looks like C++. */
#ifndef FLAMEL_SYMBOL_DEMANGLE_RUST_H
#define FLAMEL_SYMBOL_DEMANGLE_RUST_H

#include "base/text/text.h"

/* `symbol` has no version and no suffix behind it. Adds the name, or nothing: then false. */
bool flm_demangle_rust(struct flm_bytes symbol, struct flm_text *out);
bool flm_demangle_rust_legacy(struct flm_bytes symbol, struct flm_text *out);

#endif
