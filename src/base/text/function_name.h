/* function_name.h - what the parts of a function's name are, whatever language it comes from.
 *
 *     std::list<http::Header, std::allocator<http::Header> >::emplace_back(int) const
 *     |         |                                             |           |
 *     |         |         (here, past the template arguments) bare        end
 *     all       what a template is made of is never a part
 *
 *     net/http.(*conn).serve        java/util/HashMap.get        render (app/page.py:12)
 *         |            |    |                 |       |  |       |     |
 *         qualified    bare end       qualified    bare  end     bare  end
 *
 * A label that does not fit is shortened to [0, end), then [qualified, end), then [bare, end). All
 * are parts of the name as it stands, so nothing is ever shown that is not in it, and the page can
 * cut where C says. A name of no known language is one part. Linear, no allocation. */
#ifndef FLAMEL_BASE_TEXT_FUNCTION_NAME_H
#define FLAMEL_BASE_TEXT_FUNCTION_NAME_H

#include "base/core/bytes.h"

/* Offsets in the name; qualified <= bare < end <= size, except that all are 0 in an empty name. */
struct flm_name_parts {
    size_t qualified; /* the function with its class: past the path or package */
    size_t bare;      /* the function alone */
    size_t end;       /* before arguments, places and what compilers append */
};

struct flm_name_parts flm_name_parts(struct flm_bytes name);

/* The package, module or subsystem of a function, as far as its name says: "std", "net/http",
 * "java/util", "libc.so.6", "ext4" of ext4_read; the whole name where it says nothing. A part of
 * the name. */
struct flm_bytes flm_name_package(struct flm_bytes name);

/* Whether a package or module is one that nearly every profile of its language has, and that its
 * reader did not write: the C library, a loader, a runtime. */
bool flm_name_is_runtime(struct flm_bytes package);

#endif
