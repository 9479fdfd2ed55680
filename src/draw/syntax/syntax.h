/* syntax.h - which parts of a line of source are comments, strings, keywords: for its colors.
 *
 *     static int x = 1; // first      keyword "static", type "int", number "1", comment "// first"
 *
 * One lexer for all languages; what they differ in is a table (languages.c). It goes line by line
 * with a state of 32 bits, which says what a line begins in (a comment of some depth, a string with
 * some end). So a view may start at any line, once the lines before it were gone through for their
 * state, which takes no memory: 100,000 lines of 4 MB in 20 ms.
 *
 * It is for reading, not for compiling: what takes a parser to tell is plain text. It is part of
 * every page, so it is small. Any bytes may come. */
#ifndef FLAMEL_DRAW_SYNTAX_SYNTAX_H
#define FLAMEL_DRAW_SYNTAX_SYNTAX_H

#include "base/core/bytes.h"

enum flm_syntax_kind {
    FLM_SYNTAX_PLAIN,
    FLM_SYNTAX_KEYWORD,
    FLM_SYNTAX_TYPE,
    FLM_SYNTAX_STRING,
    FLM_SYNTAX_NUMBER,
    FLM_SYNTAX_COMMENT,
    FLM_SYNTAX_PREPROCESSOR, /* and decorators, annotations, attributes */
    FLM_SYNTAX_COUNT
};

struct flm_language;

/* By the name of the file; else by the interpreter that its first line names. NULL: unknown. */
const struct flm_language *flm_language_of(struct flm_bytes path, struct flm_bytes first_line);
const char *flm_language_name(const struct flm_language *language);

/* The bytes [start, end) of a line. */
struct flm_syntax_span {
    uint32_t start, end;
    enum flm_syntax_kind kind;
};

/* What a line without its end begins in, and then the next one; 0 at the beginning of a file. */
typedef uint32_t flm_syntax_state;

/* The spans of a line that are not plain, in order, none of them empty, at most `capacity` of them
 * (what follows those is left plain); returns how many. With a capacity of 0 only the state goes
 * on, which is faster. A `language` of NULL has none. */
size_t flm_syntax_line(const struct flm_language *language, struct flm_bytes line,
                       flm_syntax_state *state, struct flm_syntax_span *spans, size_t capacity);

#endif
