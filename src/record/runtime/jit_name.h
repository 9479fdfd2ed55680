/* jit_name.h - what runtimes write into the name of a region of code.
 *
 *     JS:*fib /app/fib.js:3:13       V8: optimized; ^ and + barely, ~ interpreted. File and line
 *     Builtin:ArrayMap               V8's user code
 *     py::parse:/app/parse.py        CPython -X perf: function, file
 *     Lcom/foo/Bar;::baz             the JVM, by perf's agent; a->b is b inlined into a
 *     void com.foo.Bar.baz(int)      the JVM itself
 *
 * What is none of these is the function's name as it is. */
#ifndef FLAMEL_RECORD_RUNTIME_JIT_NAME_H
#define FLAMEL_RECORD_RUNTIME_JIT_NAME_H

#include "record/runtime/jit_sources.h"

/* The functions of a name, the innermost first: only Java's are several. At most `capacity`, the
 * innermost ones. */
size_t flm_jit_name_parse(struct flm_bytes name, struct flm_jit_frame *frames, size_t capacity);

#endif
