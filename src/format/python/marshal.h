/* marshal.h - values as Python's module marshal writes them: a profile of cProfile is one of these.
 *
 *     \xfb  {  a dict, which others may refer to (the highest bit): it is number 0 of these
 *     )\3      a tuple of 3
 *     \xda\5   a short string, number 1: app.py
 *     i        a number of 4 bytes
 *     r\1      number 1 once more
 *     0        the end of the dict
 *
 * The versions 0 to 4 (Python 2.3 until today) differ in the types that they write, and a file does
 * not say which it has: all types are read. Version 2 has strings that others refer to, instead of
 * any value. A code object is read as its name. */
#ifndef FLAMEL_FORMAT_PYTHON_MARSHAL_H
#define FLAMEL_FORMAT_PYTHON_MARSHAL_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/error.h"

enum flm_marshal_kind {
    FLM_MARSHAL_OTHER, /* None, ..., a value that is not finished yet */
    FLM_MARSHAL_NUMBER,
    FLM_MARSHAL_STRING,
    FLM_MARSHAL_TUPLE, /* or a list, a set */
    FLM_MARSHAL_DICT   /* its keys and values in turn */
};

struct flm_marshal_value {
    double number;
    struct flm_bytes string; /* in the input */
    uint32_t first, next;    /* of its members; of the members that it is one of. FLM_NONE */
    uint32_t count;
    enum flm_marshal_kind kind;
};

struct flm_marshal {
    const char *begin, *at, *end;
    struct FLM_ARRAY(struct flm_marshal_value) values;
    struct FLM_ARRAY(uint32_t) references, strings; /* values, in the order in which they begin */
    struct flm_error *why;
};

/* Reads the value at the beginning of `all`, which stays the caller's, and must live as long: it is
 * number 0 of `values`. False, and `why`, if it is malformed or memory ran out. */
bool flm_marshal_read(struct flm_marshal *marshal, struct flm_bytes all, struct flm_error *why);

void flm_marshal_clear(struct flm_marshal *marshal);

#endif
