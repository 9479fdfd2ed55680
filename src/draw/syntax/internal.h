/* internal.h - what languages differ in, for the lexer. */
#ifndef FLAMEL_DRAW_SYNTAX_INTERNAL_H
#define FLAMEL_DRAW_SYNTAX_INTERNAL_H

#include "draw/syntax/syntax.h"

enum {
    /* Comments. */
    FLM_SLASHES = 1 << 0,     /* // to the end of the line */
    FLM_HASH = 1 << 1,        /* # likewise */
    FLM_HASH_APART = 1 << 2,  /* but only behind a blank: ${#name} */
    FLM_HASH_BEFORE = 1 << 3, /* but only in front of a blank: arm64's #1 is a number */
    FLM_DASHES = 1 << 4,      /* -- */
    FLM_NESTED = 1 << 5,      /* comments in comments */

    /* Strings. */
    FLM_QUOTES = 1 << 6,       /* 'strings'; else 'c' is a character, and ' alone nothing */
    FLM_BACKTICKS = 1 << 7,    /* `over many lines` */
    FLM_SPANNING = 1 << 8,     /* strings go on in the next line */
    FLM_TRIPLE = 1 << 9,       /* """over many lines""", and with ' where there are FLM_QUOTES */
    FLM_HASH_RAW = 1 << 10,    /* r#"..."# of Rust, #"..."# of Swift */
    FLM_PAREN_RAW = 1 << 11,   /* R"end(...)end" of C++ */
    FLM_VERBATIM = 1 << 12,    /* @"..""" of C# */
    FLM_LINE_TEXT = 1 << 13,   /* \\ to the end of the line, of Zig */
    FLM_HERE = 1 << 14,        /* <<END, up to a line END */
    FLM_BARE_QUOTES = 1 << 15, /* no \ in '...' */
    FLM_PATTERNS = 1 << 16,    /* /regular expressions/ */

    /* Words. */
    FLM_DIRECTIVES = 1 << 17, /* lines that begin with #word */
    FLM_ATTRIBUTES = 1 << 18, /* lines that begin with #[ or #![ */
    FLM_AT_WORDS = 1 << 19,   /* @decorator */
    FLM_CAPITALS = 1 << 20,   /* types are Capitalized */
    FLM_SUFFIX_T = 1 << 21,   /* types end in _t */
    FLM_PRIMES = 1 << 22,     /* x' is a name */
    FLM_DOT_WORDS = 1 << 23   /* .globl */
};

/* Lists are words with a blank between them. */
struct flm_language {
    const char *name, *endings;
    const char *interpreter; /* in the first line of a script; NULL: none */
    uint32_t traits;
    char block[5]; /* how comments of several lines begin, and end: "{--}"; "": there are none */
    const char *keywords[3]; /* the first two shared by several languages */
    const char *types;
};

bool flm_is_listed(const char *list, struct flm_bytes word);

#endif
