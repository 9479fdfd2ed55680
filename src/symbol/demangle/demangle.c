#include "symbol/demangle/demangle.h"

#include <stdlib.h>

#include "symbol/demangle/internal.h"

/* The demangler of libstdc++ (and libc++abi). Its header is for C++ only. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

/* The demangled size is bounded by the number of references to earlier parts of the name: a level
 * that repeats the one below n times takes n of them. (libstdc++ refuses names of more than 1,024
 * bytes.) */
enum { MOST_MANGLED = 1024, MOST_REFERENCES = 24 };

static bool is_small(struct flm_bytes symbol)
{
    size_t references = 0;
    for (size_t i = 0; i + 1 < symbol.size; i++) {
        char next = symbol.at[i + 1];
        bool is_index = next == '_' || (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z');
        references += (symbol.at[i] == 'S' || symbol.at[i] == 'T') && is_index;
    }
    return references <= MOST_REFERENCES;
}

static bool demangle_cpp(struct flm_bytes symbol, struct flm_text *out)
{
    char terminated[MOST_MANGLED + 1];
    if (symbol.size > MOST_MANGLED || !is_small(symbol))
        return false;
    memcpy(terminated, symbol.at, symbol.size);
    terminated[symbol.size] = 0;
    int status = -1;
    char *plain = __cxa_demangle(terminated, NULL, NULL, &status);
    bool done = plain && status == 0 && strlen(plain) <= FLM_DEMANGLED_MOST;
    if (done)
        flm_text_puts(out, plain);
    free(plain);
    return done;
}

/* The end of the name: a version, or a suffix of the compiler, follows. */
static size_t name_size(struct flm_bytes symbol)
{
    for (size_t i = 1; i < symbol.size; i++)
        if (symbol.at[i] == '@' || symbol.at[i] == '.')
            return i;
    return symbol.size;
}

/* Legacy names of Rust contain dots: they end with a hash. */
static size_t legacy_size(struct flm_bytes symbol)
{
    enum { HASH = 20 }; /* 17h, 16 digits, E */
    for (size_t i = HASH + 3; i <= symbol.size; i++)
        if (symbol.at[i - 1] == 'E' && memcmp(symbol.at + i - HASH, "17h", 3) == 0 &&
            (i == symbol.size || symbol.at[i] == '.' || symbol.at[i] == '@'))
            return i;
    return 0;
}

bool flm_demangle(struct flm_bytes symbol, struct flm_text *out)
{
    size_t start = out->size, end = name_size(symbol);
    bool done = false;
    if (memchr(symbol.at ? symbol.at : "", 0, symbol.size)) {
        done = false;
    } else if (flm_bytes_start_with(symbol, "_R")) {
        done = flm_demangle_rust((struct flm_bytes){symbol.at, end}, out);
    } else if (flm_bytes_start_with(symbol, "_Z")) {
        size_t legacy = legacy_size(symbol);
        done = legacy && flm_demangle_rust_legacy((struct flm_bytes){symbol.at, legacy}, out);
        if (done)
            end = legacy;
        else
            done = demangle_cpp((struct flm_bytes){symbol.at, end}, out);
    }
    if (!done && !out->failed)
        out->size = start;
    flm_text_add(out, done ? (struct flm_bytes){symbol.at + end, symbol.size - end} : symbol);
    return done;
}
