#include "draw/syntax/syntax.h"

#include "draw/syntax/internal.h"

/* A state:
 *
 *     bits   0 ... 3    4 ... 7         8 ... 15    16 ... 31
 *            what       quote of it     number      hash
 *
 * number: how deep comments are, how many # or bytes the end has; hash: of the bytes of the end. */
enum open { NOTHING, COMMENT, STRING, TRIPLE, HASHES, PARENTHESIS, VERBATIM, HERE, DIRECTIVE };
enum { MOST_NUMBER = 255 };

struct lexer {
    const struct flm_language *language;
    const char *start, *at, *end;
    flm_syntax_state state;
    enum flm_syntax_kind base; /* of what is nothing else: FLM_SYNTAX_PLAIN, or a directive */
    struct flm_syntax_span *spans;
    size_t count, capacity;
};

static flm_syntax_state open_state(enum open what, unsigned quote, size_t number, unsigned hash)
{
    return (unsigned)what | quote << 4 | (unsigned)number << 8 | hash << 16;
}

static bool has(const struct lexer *x, uint32_t traits)
{
    return (x->language->traits & traits) != 0;
}

/* The byte `ahead`; 0 behind the end. */
static char peek(const struct lexer *x, size_t ahead)
{
    return (size_t)(x->end - x->at) > ahead ? x->at[ahead] : 0;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == 0;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_upper(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static bool is_word(char byte)
{
    return is_digit(byte) || is_upper(byte) || (byte >= 'a' && byte <= 'z') || byte == '_' ||
           byte == '$' || (unsigned char)byte >= 0x80;
}

/* The bytes from `from` up to here are of that kind. */
static void emit(struct lexer *x, enum flm_syntax_kind kind, const char *from)
{
    uint32_t start = (uint32_t)(from - x->start), end = (uint32_t)(x->at - x->start);
    struct flm_syntax_span *last = x->count > 0 ? &x->spans[x->count - 1] : NULL;
    if (start == end || kind == FLM_SYNTAX_PLAIN)
        return;
    if (last && last->kind == kind && last->end == start)
        last->end = end;
    else if (x->count < x->capacity)
        x->spans[x->count++] = (struct flm_syntax_span){start, end, kind};
    else
        x->capacity = 0; /* none may follow behind the gap */
}

/* ---- What may be open at the end of a line --------------------------------------------------- */

static const char quotes[] = "\"'`/";

static unsigned hash_of(const char *at, size_t size)
{
    unsigned hash = 0;
    while (size-- > 0)
        hash = hash * 31 + (unsigned char)*at++;
    return hash & 0xFFFF;
}

/* Whether these two bytes are here; "": no. */
static bool is_pair(const struct lexer *x, const char *pair)
{
    return pair[0] && peek(x, 0) == pair[0] && peek(x, 1) == pair[1];
}

/* Whether the end of what is open is here; its size. */
static size_t end_here(const struct lexer *x)
{
    enum open what = (enum open)(x->state & 15);
    size_t number = x->state >> 8 & 255, left = (size_t)(x->end - x->at), size = 0;
    char quote = quotes[x->state >> 4 & 3];
    switch (what) {
    case COMMENT:
        return 2 * is_pair(x, x->language->block + 2);
    case TRIPLE:
        return left >= 3 && x->at[0] == quote && x->at[1] == quote && x->at[2] == quote ? 3 : 0;
    case HASHES:
        if (x->at[0] != '"')
            return 0;
        while (size < number && peek(x, 1 + size) == '#')
            size++;
        return size == number ? size + 1 : 0;
    case PARENTHESIS:
        return x->at[0] == ')' && left >= number + 2 && x->at[number + 1] == '"' &&
                       hash_of(x->at + 1, number) == x->state >> 16
                   ? number + 2
                   : 0;
    default:
        return x->at[0] == quote;
    }
}

static bool comment_begins(const struct lexer *x)
{
    return is_pair(x, x->language->block);
}

/* Bytes that stand together and do not end anything: an escape, a doubled quote. */
static size_t step_over(const struct lexer *x)
{
    enum open what = (enum open)(x->state & 15);
    char quote = quotes[x->state >> 4 & 3];
    bool is_bare = (quote == '\'' && has(x, FLM_BARE_QUOTES)) ||
                   (quote == '`' && !has(x, FLM_QUOTES)); /* of Go */
    if (what == VERBATIM)
        return x->at[0] == '"' && peek(x, 1) == '"' ? 2 : 1;
    return (what == STRING || what == TRIPLE) && x->at[0] == '\\' && !is_bare ? 2 : 1;
}

/* A line of a here-document, which ends with a line that has only its end. */
static void run_here(struct lexer *x)
{
    const char *at = x->at;
    while (at < x->end && is_blank(*at))
        at++;
    size_t size = x->state >> 8 & 255, left = (size_t)(x->end - at);
    bool is_end =
        left >= size && hash_of(at, size) == x->state >> 16 && (left == size || !is_word(at[size]));
    x->at = x->end;
    x->state = is_end ? 0 : x->state;
}

/* Up to the end of what is open, or of the line. */
static void run_open(struct lexer *x)
{
    enum open what = (enum open)(x->state & 15);
    const char *from = x->at;
    bool is_escaped = false; /* the end of the line */
    if (what == HERE)
        run_here(x);
    while (x->state && x->at < x->end) {
        size_t over = step_over(x), size = over == 1 ? end_here(x) : 0;
        size_t depth = x->state >> 8 & 255;
        is_escaped = over > (size_t)(x->end - x->at);
        if (what == COMMENT && has(x, FLM_NESTED) && comment_begins(x) && depth < MOST_NUMBER) {
            x->state += 1 << 8;
            x->at += 2;
        } else if (size > 0) {
            x->at += size;
            x->state = what == COMMENT && depth > 1 ? x->state - (1 << 8) : 0;
        } else {
            x->at += is_escaped ? 1 : over;
        }
    }
    /* Most strings end with their line, whatever it says. */
    if (x->state && what == STRING && quotes[x->state >> 4 & 3] != '`' && !has(x, FLM_SPANNING) &&
        !is_escaped)
        x->state = 0;
    emit(x, what == COMMENT ? FLM_SYNTAX_COMMENT : FLM_SYNTAX_STRING, from);
}

static void open_at(struct lexer *x, size_t size, flm_syntax_state state)
{
    const char *from = x->at;
    x->at += size;
    x->state = state;
    emit(x, (state & 15) == COMMENT ? FLM_SYNTAX_COMMENT : FLM_SYNTAX_STRING, from);
    run_open(x);
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* 'c', '\n', '\u{1F600}'; not 'lifetime, nor the apostrophe of don't. */
static size_t character_size(const struct lexer *x)
{
    enum { LONGEST = 12 };
    size_t size = 1;
    if (peek(x, 1) == '\\') {
        size = 3;
        while (size < LONGEST && peek(x, size) != '\'')
            size++;
    } else {
        size += x->end - x->at > 1;
        while (size < 5 && ((unsigned char)peek(x, size) & 0xC0) == 0x80)
            size++;
    }
    return peek(x, size) == '\'' && size > 1 ? size + 1 : 0;
}

/* Hashes and a quote: r#"; the size of both, 0 where there is no quote. */
static size_t hashes_size(const struct lexer *x, size_t from)
{
    size_t size = from;
    while (peek(x, size) == '#' && size < MOST_NUMBER)
        size++;
    return peek(x, size) == '"' ? size + 1 : 0;
}

/* A word is the prefix of a raw string: r#"..."#, R"end(...)end". */
static bool take_raw(struct lexer *x, size_t word)
{
    enum { LONGEST_END = 16 };
    char last = x->at[word - 1];
    size_t size = last == 'r' && word <= 2 && has(x, FLM_HASH_RAW) ? hashes_size(x, word) : 0;
    if (size > 0) {
        open_at(x, size, open_state(HASHES, 0, size - word - 1, 0));
        return true;
    }
    if (last != 'R' || word > 3 || peek(x, word) != '"' || !has(x, FLM_PAREN_RAW))
        return false;
    for (size = 0; size <= LONGEST_END && peek(x, word + 1 + size) != '(';)
        size++;
    if (size > LONGEST_END)
        return false;
    open_at(x, word + size + 2, open_state(PARENTHESIS, 0, size, hash_of(x->at + word + 1, size)));
    return true;
}

/* <<END, <<-'END', <<~END, <<<"END" of PHP: from the next line on. */
static bool take_here(struct lexer *x, flm_syntax_state *next)
{
    size_t at = 2;
    bool is_marked = false; /* it is a here-document, and no shift by a number */
    if (peek(x, 1) != '<' || !has(x, FLM_HERE))
        return false;
    if (peek(x, at) == '<') {
        if (!has(x, FLM_SLASHES)) /* a word as input, of the shell */
            return false;
        at++;
        is_marked = true;
    }
    if (peek(x, at) == '-' || peek(x, at) == '~') {
        is_marked = true;
        at++;
    }
    while (peek(x, at) == ' ' && has(x, FLM_BARE_QUOTES))
        at++;
    if (peek(x, at) == '"' || peek(x, at) == '\'') {
        is_marked = true;
        at++;
    }
    size_t size = 0;
    while (size < MOST_NUMBER && is_word(peek(x, at + size)))
        size++;
    if (size == 0 || is_digit(peek(x, at)) || (!is_marked && !is_upper(peek(x, at))))
        return false;
    const char *from = x->at;
    *next = open_state(HERE, 0, size, hash_of(x->at + at, size));
    x->at += at + size;
    x->at += peek(x, 0) == '"' || peek(x, 0) == '\'';
    emit(x, FLM_SYNTAX_STRING, from);
    return true;
}

/* A pattern stands where a value may begin. */
static bool take_pattern(struct lexer *x)
{
    enum { LONGEST = 1000 }; /* or a line of them would be searched to its end by each */
    const char *before = x->at;
    while (before > x->start && is_blank(before[-1]))
        before--;
    if (!has(x, FLM_PATTERNS) || (before > x->start && !flm_is_one_of(before[-1], "(,=:[!&|?{};~")))
        return false;
    size_t size = 1;
    for (bool in_set = false; size < LONGEST && peek(x, size) && (in_set || peek(x, size) != '/');
         size++) {
        size += peek(x, size) == '\\';
        in_set = peek(x, size) == '[' || (in_set && peek(x, size) != ']');
    }
    if (peek(x, size) != '/')
        return false;
    const char *from = x->at;
    x->at += size + 1;
    emit(x, FLM_SYNTAX_STRING, from);
    return true;
}

static bool take_string(struct lexer *x)
{
    char quote = x->at[0];
    unsigned number = quote == '"' ? 0 : quote == '\'' ? 1 : 2;
    const char *from = x->at;
    if (quote == '/')
        return take_pattern(x);
    if (quote == '\\' && peek(x, 1) == '\\' && has(x, FLM_LINE_TEXT)) {
        x->at = x->end;
        emit(x, FLM_SYNTAX_STRING, from);
        return true;
    }
    if (quote == '@' && has(x, FLM_VERBATIM)) {
        size_t size = 1 + (peek(x, 1) == '$');
        if (peek(x, size) != '"')
            return false;
        open_at(x, size + 1, open_state(VERBATIM, 0, 0, 0));
        return true;
    }
    if (quote == '#' && has(x, FLM_HASH_RAW) && hashes_size(x, 0) > 0) {
        size_t size = hashes_size(x, 0);
        open_at(x, size, open_state(HASHES, 0, size - 1, 0));
        return true;
    }
    if (quote == '\'' && !has(x, FLM_QUOTES)) {
        size_t size = character_size(x);
        x->at += size;
        emit(x, FLM_SYNTAX_STRING, from);
        return size > 0;
    }
    if (quote != '"' && quote != '\'' && (quote != '`' || !has(x, FLM_BACKTICKS)))
        return false;
    bool is_triple = has(x, FLM_TRIPLE) && peek(x, 1) == quote && peek(x, 2) == quote;
    open_at(x, is_triple ? 3 : 1, open_state(is_triple ? TRIPLE : STRING, number, 0, 0));
    return true;
}

/* ---- Comments, words, numbers ---------------------------------------------------------------- */

static bool take_comment(struct lexer *x)
{
    char first = peek(x, 0), second = peek(x, 1);
    const char *from = x->at;
    if (comment_begins(x)) {
        open_at(x, 2, open_state(COMMENT, 0, 1, 0));
        return true;
    }
    bool is_hash =
        first == '#' && has(x, FLM_HASH) &&
        (!has(x, FLM_HASH_APART) || x->at == x->start || is_blank(x->at[-1]) || x->at[-1] == ';') &&
        (!has(x, FLM_HASH_BEFORE) || is_blank(second)) &&
        (!has(x, FLM_ATTRIBUTES) || second != '[');
    if (!is_hash && !(first == '/' && second == '/' && has(x, FLM_SLASHES)) &&
        !(first == '-' && second == '-' && has(x, FLM_DASHES)))
        return false;
    x->at = x->end;
    emit(x, FLM_SYNTAX_COMMENT, from);
    return true;
}

static enum flm_syntax_kind kind_of_word(const struct lexer *x, struct flm_bytes word)
{
    const struct flm_language *language = x->language;
    if (x->base != FLM_SYNTAX_PLAIN)
        return x->base;
    for (size_t i = 0; i < 3; i++)
        if (flm_is_listed(language->keywords[i], word))
            return FLM_SYNTAX_KEYWORD;
    if (flm_is_listed(language->types, word))
        return FLM_SYNTAX_TYPE;
    if (has(x, FLM_SUFFIX_T) && word.size > 2 && flm_bytes_end_with(word, "_t"))
        return FLM_SYNTAX_TYPE;
    bool has_lower = word.size == 1;
    for (size_t i = 0; i < word.size; i++)
        has_lower |= word.at[i] >= 'a';
    return has(x, FLM_CAPITALS) && is_upper(word.at[0]) && has_lower ? FLM_SYNTAX_TYPE
                                                                     : FLM_SYNTAX_PLAIN;
}

static void take_word(struct lexer *x)
{
    size_t size = 1;
    while (is_word(peek(x, size)) || (peek(x, size) == '\'' && has(x, FLM_PRIMES)))
        size++;
    if (take_raw(x, size))
        return;
    const char *from = x->at;
    x->at += size;
    if (x->capacity > 0)
        emit(x, kind_of_word(x, (struct flm_bytes){from, size}), from);
}

/* 0xFFu, 1'000, 1_000, 1e-9, 3.14f: whatever has no blank in it. */
static void take_number(struct lexer *x)
{
    const char *from = x->at;
    bool is_hex = x->at[0] == '0' && (peek(x, 1) | 32) == 'x';
    while (x->at < x->end) {
        char byte = x->at[0], before = x->at > from ? (char)(x->at[-1] | 32) : 0;
        bool is_sign = (byte == '+' || byte == '-') && (is_hex ? before == 'p' : before == 'e');
        bool is_point = byte == '.' && is_digit(peek(x, 1));
        bool is_mark = byte == '\'' && is_word(peek(x, 1)) && has(x, FLM_DIRECTIVES);
        if (!is_word(byte) && !is_sign && !is_point && !is_mark)
            break;
        x->at++;
    }
    emit(x, x->base != FLM_SYNTAX_PLAIN ? x->base : FLM_SYNTAX_NUMBER, from);
}

/* #include, #[derive(Copy)], @decorator, .globl: where it is alone on its line, or anywhere. */
static void begin_line(struct lexer *x)
{
    while (x->at < x->end && is_blank(x->at[0]))
        x->at++;
    char first = peek(x, 0), second = peek(x, 1);
    const char *from = x->at;
    bool is_word_next = (second | 32) >= 'a' && (second | 32) <= 'z';
    if (first == '#' && has(x, FLM_DIRECTIVES) &&
        (is_word_next || (is_blank(second) && !has(x, FLM_HASH))))
        x->base = FLM_SYNTAX_PREPROCESSOR;
    else if (first == '#' && has(x, FLM_ATTRIBUTES) &&
             (second == '[' || (second == '!' && peek(x, 2) == '[')))
        x->base = FLM_SYNTAX_PREPROCESSOR;
    else if (first == '#' && second == '!' && x->at == x->start) {
        x->at = x->end;
        emit(x, FLM_SYNTAX_COMMENT, from);
    } else if (first == '.' && is_word_next && has(x, FLM_DOT_WORDS)) {
        for (x->at++; x->at < x->end && is_word(x->at[0]);)
            x->at++;
        emit(x, FLM_SYNTAX_KEYWORD, from);
    }
}

static bool take_at_word(struct lexer *x)
{
    const char *from = x->at;
    if (x->at[0] != '@' || !has(x, FLM_AT_WORDS) || !is_word(peek(x, 1)))
        return false;
    for (x->at++; is_word(peek(x, 0)) || (peek(x, 0) == '.' && is_word(peek(x, 1)));)
        x->at++;
    emit(x, FLM_SYNTAX_PREPROCESSOR, from);
    return true;
}

static void take_any(struct lexer *x, flm_syntax_state *next)
{
    const char *from = x->at;
    char first = x->at[0];
    if (is_digit(first)) {
        take_number(x);
    } else if (is_word(first)) {
        take_word(x);
    } else if (!(flm_is_one_of(first, "/#-{(") && take_comment(x)) &&
               !(flm_is_one_of(first, "\"'`/@#\\") && take_string(x)) && !take_at_word(x) &&
               !(first == '<' && *next == 0 && take_here(x, next))) {
        x->at++;
        emit(x, x->base, from);
    }
}

size_t flm_syntax_line(const struct flm_language *language, struct flm_bytes line,
                       flm_syntax_state *state, struct flm_syntax_span *spans, size_t capacity)
{
    if (!language || line.size >= UINT32_MAX)
        return 0;
    struct lexer x = {.language = language,
                      .start = line.at,
                      .at = line.at,
                      .end = line.size ? line.at + line.size : line.at,
                      .state = *state,
                      .spans = spans,
                      .capacity = capacity};
    flm_syntax_state next = 0;
    if ((x.state & 15) == DIRECTIVE) {
        x.base = FLM_SYNTAX_PREPROCESSOR;
        x.state = 0;
    } else if (x.state) {
        run_open(&x);
    } else {
        begin_line(&x);
    }
    while (x.at < x.end)
        take_any(&x, &next);
    bool goes_on = line.size > 0 && line.at[line.size - 1] == '\\';
    if (!x.state && x.base != FLM_SYNTAX_PLAIN && goes_on && has(&x, FLM_DIRECTIVES))
        x.state = DIRECTIVE;
    *state = x.state ? x.state : next;
    return x.count;
}
