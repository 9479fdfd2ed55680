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

/* The size of "https://", which may be "webpack:///", or of "data:"; 0: there is none. */
static size_t scheme_size(struct flm_bytes text, size_t at)
{
    size_t end = at;
    while (end < text.size && (is_word(text.at[end]) || flm_is_one_of(text.at[end], "+-.")))
        end++;
    if (has(text, at, "data:"))
        return strlen("data:");
    return end > at + 1 && has(text, end, "://") ? end + 3 - at : 0;
}

/* "-I/home/ann": a letter, a dash in front of it, and nothing in front of that. */
static bool is_after_option(struct flm_bytes text, size_t at)
{
    return text.at[at] == '/' && at >= 2 && text.at[at - 2] == '-' && is_word(text.at[at - 1]) &&
           (at == 2 || (unsigned char)text.at[at - 3] <= ' ') && begins_component(text, at + 1);
}

/* Whether a path begins here. */
static bool begins_path(struct flm_bytes text, size_t at)
{
    char c = text.at[at];
    if (at > 0 && (is_word(text.at[at - 1]) || flm_is_one_of(text.at[at - 1], ")>*&")))
        return is_after_option(text, at);
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

/* Of a URL: all up to a blank, a quote, or what closes something in front of it: its query and what
 * follows a ; may have any other. */
static size_t url_end(struct flm_bytes text, size_t at)
{
    int open = 0;
    for (; at < text.size && (unsigned char)text.at[at] > ' '; at++) {
        char c = text.at[at];
        bool closes = flm_is_one_of(c, ")]}>");
        open += flm_is_one_of(c, "([{<") ? 1 : closes ? -1 : 0;
        if (open < 0 || flm_is_one_of(c, "\"'`"))
            break;
    }
    return at;
}

/* The end of the last word with a separator in it, of the words from here on that no path begins
 * with: folders may have blanks and brackets in their names. `at`: there is none. */
static size_t last_with_separator(struct flm_bytes text, size_t at)
{
    size_t found = at;
    while (at < text.size && flm_is_one_of(text.at[at], " ()[]{},;")) {
        size_t start = at + 1, end;
        if (start < text.size && text.at[at] == ' ' && begins_path(text, start))
            break;
        end = word_end(text, start);
        struct flm_bytes word = {text.at + start, end - start};
        if (flm_path_last(word, "/\\").size < word.size)
            found = end;
        at = end;
    }
    return found;
}

static size_t path_end(struct flm_bytes text, size_t at)
{
    return last_with_separator(text, word_end(text, at));
}

/* "a.js" of "https://user:word@host/js/a.js?token=1"; nothing where only a host is named. */
static struct flm_bytes last_of_url(struct flm_bytes url, size_t scheme)
{
    struct flm_bytes path = flm_bytes_from(url, scheme);
    size_t size = 0;
    while (size < path.size && !flm_is_one_of(path.at[size], "?#;"))
        size++;
    path.size = size;
    struct flm_bytes last = flm_path_last(path, "/\\");
    return last.size < path.size ? last : (struct flm_bytes){"", 0};
}

void flm_add_without_folders(struct flm_text *out, struct flm_bytes text)
{
    for (size_t at = 0; at < text.size;) {
        if (!begins_path(text, at)) {
            flm_text_putc(out, text.at[at++]);
            continue;
        }
        size_t scheme = scheme_size(text, at);
        size_t end = scheme > 0 ? url_end(text, at + scheme) : path_end(text, at);
        struct flm_bytes path = {text.at + at, end - at};
        if (has(text, at, "data:"))
            flm_text_puts(out, "data:");
        else if (scheme > 0)
            flm_text_add(out, last_of_url(path, scheme));
        else
            flm_text_add(out, flm_path_last(path, "/\\"));
        at = end;
    }
}
