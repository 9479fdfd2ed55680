#include "symbol/demangle/demangle.h"

#include "symbol/demangle/cpp.h"
#include "symbol/demangle/internal.h"

/* Where the name ends at the latest: a version, or a suffix of the compiler, follows. */
static size_t find_end(struct flm_bytes symbol, size_t start, char byte)
{
    const char *end =
        start < symbol.size ? memchr(symbol.at + start, byte, symbol.size - start) : NULL;
    return end ? (size_t)(end - symbol.at) : symbol.size;
}

static size_t name_size(struct flm_bytes symbol)
{
    symbol.size = find_end(symbol, 1, '@');
    return find_end(symbol, 1, '.');
}

/* Legacy names of Rust contain dots: they end with a hash. 0 if it is none. */
static size_t legacy_size(struct flm_bytes symbol)
{
    enum { HASH = 20 }; /* 17h, 16 digits, E */
    symbol.size = find_end(symbol, 1, '@');
    for (size_t size = HASH + 2; size < symbol.size;) {
        size = find_end(symbol, size + 1, '.');
        const char *hash = symbol.at + size - HASH;
        if (hash[HASH - 1] == 'E' && memcmp(hash, "17h", 3) == 0)
            return size;
    }
    return 0;
}

bool flm_demangle(struct flm_bytes symbol, struct flm_text *out)
{
    size_t start = out->size, end = symbol.size;
    bool done = false;
    if (memchr(symbol.at ? symbol.at : "", 0, symbol.size)) {
        done = false;
    } else if (flm_bytes_start_with(symbol, "_R")) {
        end = name_size(symbol);
        done = flm_demangle_rust((struct flm_bytes){symbol.at, end}, out);
    } else if (flm_bytes_start_with(symbol, "_Z")) {
        size_t legacy = legacy_size(symbol);
        done = legacy && flm_demangle_rust_legacy((struct flm_bytes){symbol.at, legacy}, out);
        end = done ? legacy : flm_demangle_cpp(symbol, out, NULL);
        done = end > 0;
    } else if (flm_bytes_start_with(symbol, "caml")) {
        end = name_size(symbol);
        done = flm_demangle_ocaml((struct flm_bytes){symbol.at, end}, out);
    } else if (flm_bytes_end_with(symbol, "_info")) {
        done = flm_demangle_haskell(symbol, out);
    }
    if (!done && !out->failed)
        out->size = start;
    flm_text_add(out, done ? (struct flm_bytes){symbol.at + end, symbol.size - end} : symbol);
    return done;
}
