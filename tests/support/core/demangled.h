/* demangled.h - C++ names to text, with a check of what holds for every name. Inline, because only
 * tests of the demangler need it. */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_DEMANGLED_H
#define FLAMEL_TESTS_SUPPORT_CORE_DEMANGLED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "symbol/demangle/cpp.h"
#include "symbol/demangle/demangle.h"

/* Appends the text; returns how many bytes of the name were read, 0 for none. */
static inline size_t demangled_size(struct flm_bytes name, struct flm_text *out)
{
    unsigned steps = 0;
    size_t start = out->size, size = flm_demangle_cpp(name, out, &steps);
    assert_true(steps <= FLM_CPP_STEPS);
    assert_true(size <= name.size);
    assert_true(out->size - start <= FLM_DEMANGLED_MOST);
    if (size == 0)
        assert_int_equal(out->size, start);
    return size;
}

#endif
