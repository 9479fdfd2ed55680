/* Any line as a mangled name: an answer of bounded size in bounded time, or the name as it is. */
#include <stdlib.h>

#include "symbol/demangle/cpp.h"
#include "symbol/demangle/demangle.h"
#include "symbol/demangle/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void demangle(struct flm_bytes name)
{
    struct flm_text out = {0};
    flm_text_puts(&out, "kept");
    bool done = flm_demangle(name, &out);
    promise(out.size >= 4 && memcmp(out.at, "kept", 4) == 0);
    promise(out.size <= 4 + (size_t)FLM_DEMANGLED_MOST + name.size + 100);
    if (!done)
        promise(flm_bytes_equal((struct flm_bytes){out.at + 4, out.size - 4}, name));
    out.size = 0;
    unsigned steps = 0;
    size_t read = flm_demangle_cpp(name, &out, &steps);
    promise(steps <= FLM_CPP_STEPS && read <= name.size && out.size <= FLM_DEMANGLED_MOST);
    promise(read > 0 || out.size == 0);
    promise(read == 0 || read == name.size || name.at[read] == '.' || name.at[read] == '@');
    out.size = 0;
    if (!flm_demangle_rust(name, &out))
        promise(out.size == 0);
    out.size = 0;
    if (!flm_demangle_rust_legacy(name, &out))
        promise(out.size == 0);
    flm_text_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_bytes rest = {(const char *)data, size};
    while (rest.size > 0) {
        const char *end = memchr(rest.at, '\n', rest.size);
        size_t length = end ? (size_t)(end - rest.at) : rest.size;
        demangle((struct flm_bytes){rest.at, length});
        length += end != NULL;
        rest = (struct flm_bytes){rest.at + length, rest.size - length};
    }
    return 0;
}
