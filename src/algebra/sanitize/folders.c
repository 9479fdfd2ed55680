#include "algebra/sanitize/folders.h"

#include "base/core/path_name.h"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* What a component of a path begins with: not an operator, as of "operator /=". */
static bool begins_component(struct flm_bytes text, size_t at)
{
    return at < text.size && (is_word(text.at[at]) || flm_is_one_of(text.at[at], ".@-~+$%"));
}

static bool has(struct flm_bytes text, size_t at, const char *what)
{
    return at <= text.size && flm_bytes_start_with(flm_bytes_from(text, at), what);
}

/* The size of "https://", which may be "webpack:///"; 0: there is none. */
static size_t scheme_size(struct flm_bytes text, size_t at)
{
    size_t end = at;
    while (end < text.size && (is_word(text.at[end]) || flm_is_one_of(text.at[end], "+-.")))
        end++;
    return end > at + 1 && has(text, end, "://") ? end + 3 - at : 0;
}

/* Whether a path begins here. */
static bool begins_path(struct flm_bytes text, size_t at)
{
    char c = text.at[at];
    if (at > 0 && (is_word(text.at[at - 1]) || flm_is_one_of(text.at[at - 1], ")]>*&")))
        return false;
    if (c == '/')
        return begins_component(text, at + 1) || has(text, at, "//");
    if (has(text, at, "\\\\"))
        return begins_component(text, at + 2);
    if (has(text, at, "~/") || has(text, at, "./") || has(text, at, "../"))
        return true;
    bool is_drive =
        is_word(c) && at + 2 < text.size && text.at[at + 1] == ':' && is_separator(text.at[at + 2]);
    return is_drive || scheme_size(text, at) > 0;
}

static size_t word_end(struct flm_bytes text, size_t at)
{
    while (at < text.size && (unsigned char)text.at[at] > ' ' &&
           !flm_is_one_of(text.at[at], "\"'`<>()[]{},;|"))
        at++;
    return at;
}

/* With blanks, where a separator comes behind them that does not begin a path of its own. */
static size_t path_end(struct flm_bytes text, size_t at)
{
    size_t end = word_end(text, at);
    while (end + 1 < text.size && text.at[end] == ' ' && !begins_path(text, end + 1)) {
        size_t more = word_end(text, end + 1);
        struct flm_bytes word = {text.at + end + 1, more - end - 1};
        if (flm_path_last(word, "/\\").size == word.size)
            break;
        end = more;
    }
    return end;
}

void flm_add_without_folders(struct flm_text *out, struct flm_bytes text)
{
    for (size_t at = 0; at < text.size;) {
        if (!begins_path(text, at)) {
            flm_text_putc(out, text.at[at++]);
            continue;
        }
        size_t end = path_end(text, at), scheme = scheme_size(text, at), size = end - at;
        struct flm_bytes path = {text.at + at, size};
        for (size_t i = scheme; scheme > 0 && i < path.size; i++)
            if (flm_is_one_of(path.at[i], "?#"))
                path.size = i;
        flm_text_add(out, flm_path_last(path, "/\\"));
        at = end;
    }
}
