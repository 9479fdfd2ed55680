/* function_name.h - the parts of a function's name, in any of the languages that profiles have.
 *
 *     std::list<http::Header, std::allocator<http::Header> >::emplace_back(int) const
 *     |         |                                             |           |
 *     |         |         (here, past the template arguments) bare        end
 *     all       template arguments are never a part
 *
 *     net/http.(*conn).serve        java/util/HashMap.get        render (app/page.py:12)
 *         |            |    |                 |       |  |       |     |
 *         qualified    bare end       qualified    bare  end     bare  end
 *
 * A closure is one part with the function that it is in: "handle.func1" of
 * main.(*Server).handle.func1 is bare, and "run::{{closure}}" of app::run::{{closure}}, of which
 * "{closure}" is elided. Of a class of Java "$$Lambda" with its number is, or the classes around an
 * inner one: "Tree$" of org/app/Tree$Node.run.
 *
 * A label that does not fit is shortened to [0, end), then [qualified, end), then that without
 * [elided_from, elided_to), "list<...>::emplace_back", "Node.run", then [bare, end), without the
 * elided part where that is in it: "run::{...}". All are ranges of the name itself, so nothing is
 * ever shown that is not in it, and the page can cut at the offsets that C computed. A name of no
 * known language is one part, and so is one of which a part would name something else ("vtable for
 * Node"). Linear, no allocation. */
#ifndef FLAMEL_BASE_TEXT_FUNCTION_NAME_H
#define FLAMEL_BASE_TEXT_FUNCTION_NAME_H

#include "base/core/bytes.h"

/* Offsets in the name; qualified <= bare < end <= size, except that all are 0 in an empty name;
 * qualified <= elided_from <= elided_to <= end, or both are 0: nothing is elided. */
struct flm_name_parts {
    size_t qualified;              /* the function with its class: past the path or package */
    size_t bare;                   /* the function alone */
    size_t end;                    /* before arguments, locations and suffixes of compilers */
    size_t elided_from, elided_to; /* what the class can do without: its template arguments */
    bool is_cut; /* by another tool, inside of its arguments: shown up to `end` at most */
};

struct flm_name_parts flm_name_parts(struct flm_bytes name);

/* The package, module or subsystem that a function's name indicates: "std", "net/http",
 * "java/util", "libc.so.6", "ext4" of ext4_read; the whole name where it indicates none. The result
 * is a range of the name. */
struct flm_bytes flm_name_package(struct flm_bytes name);

/* Whether a package or module is part of nearly every program of its language and not user code:
 * the C library, a loader, a runtime. */
bool flm_name_is_runtime(struct flm_bytes package);

#endif
