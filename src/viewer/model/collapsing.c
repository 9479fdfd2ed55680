#include "viewer/model/collapsing.h"

#include "algebra/expression/argument.h"
#include "algebra/operation/pattern.h"

static const char NAME[] = "collapse";

/* The functions of a "collapse:direct,functions"; {NULL}: it is another operation. No other begins
 * with this name. */
static struct flm_bytes functions_of(struct flm_bytes operation, size_t *comma)
{
    size_t at = 0;
    if (!flm_bytes_start_with(operation, NAME))
        return (struct flm_bytes){NULL, 0};
    while (at < operation.size && operation.at[at] != ',')
        at++;
    *comma = at;
    return flm_bytes_from(operation, at < operation.size ? at + 1 : at);
}

static bool is_collapse(const struct flm_operation *operation)
{
    size_t comma;
    return operation->on && functions_of(flm_bytes_of(operation->text), &comma).at;
}

bool flm_collapsing(const struct flm_operations *operations)
{
    for (size_t i = 0; i < operations->count; i++)
        if (is_collapse(&operations->at[i]))
            return true;
    return false;
}

/* Whether an operation in lists of them begins with the name: hide:collapse_margins does not. */
static bool has_name(const struct flm_text *lists)
{
    size_t size = sizeof NAME - 1;
    bool begins = true;
    for (size_t i = 0; i + size <= lists->size; i++) {
        char c = lists->at[i];
        if (begins && memcmp(lists->at + i, NAME, size) == 0)
            return true;
        begins = c == '\n' || c == '|' || (begins && (c == ' ' || c == '-'));
    }
    return false;
}

bool flm_collapsing_known(const struct flm_operations *operations)
{
    return flm_collapsing(operations) || has_name(&operations->undo) || has_name(&operations->redo);
}

/* ---- Other lists ----------------------------------------------------------------------------- */

/* The pattern of exactly this function. Commas divide a list, so quotes are around one. */
static void add_pattern(struct flm_text *out, struct flm_bytes function)
{
    struct flm_text pattern = {0};
    flm_pattern_add_exact(&pattern, function);
    bool needs_quotes = pattern.size > 0 && pattern.at[0] != '"' && pattern.at[0] != '/' &&
                        memchr(pattern.at, ',', pattern.size);
    flm_text_puts(out, needs_quotes ? "\"" : "");
    flm_text_add(out, (struct flm_bytes){pattern.at, pattern.size});
    flm_text_puts(out, needs_quotes ? "\"" : "");
    out->failed |= pattern.failed;
    flm_text_clear(&pattern);
}

static void begin(struct flm_text *out)
{
    flm_text_puts(out, out->size > 0 ? " | " : "");
}

static void keep(const struct flm_operation *operation, struct flm_text *out)
{
    begin(out);
    flm_text_puts(out, operation->on ? "" : "!");
    flm_text_puts(out, operation->text);
}

/* An operation that collapses, with the function or without it; *removed counts patterns that asked
 * for the opposite. */
static void change(const struct flm_operation *operation, struct flm_bytes pattern, bool collapse,
                   size_t *removed, struct flm_text *out)
{
    size_t comma = 0, start = out->size, included = 0, before = *removed;
    struct flm_bytes selection = functions_of(flm_bytes_of(operation->text), &comma);
    begin(out);
    flm_text_add(out, (struct flm_bytes){operation->text, comma});
    for (size_t at = 0; at < selection.size;) {
        struct flm_bytes one;
        bool excluded;
        at = flm_selection_next(selection, at, &one, &excluded);
        if (excluded == collapse && flm_bytes_equal(one, pattern)) {
            ++*removed;
            continue;
        }
        included += !excluded;
        flm_text_puts(out, excluded ? ",!" : ",");
        flm_text_add(out, one);
    }
    if (collapse)
        return;
    if (*removed > before && included == 0) { /* it was about this function alone */
        out->size = start;
    } else if (*removed == before) {
        flm_text_puts(out, ",!");
        flm_text_add(out, pattern);
    }
}

void flm_collapsing_change(const struct flm_operations *operations, struct flm_bytes function,
                           bool collapse, struct flm_text *out)
{
    struct flm_text text = {0};
    size_t removed = 0;
    add_pattern(&text, function);
    struct flm_bytes pattern = {text.at, text.size};
    for (size_t i = 0; i < operations->count; i++) {
        if (!is_collapse(&operations->at[i]))
            keep(&operations->at[i], out);
        else
            change(&operations->at[i], pattern, collapse, &removed, out);
    }
    if (collapse && removed == 0) {
        begin(out);
        flm_text_puts(out, "collapse:direct,");
        flm_text_add(out, pattern);
    }
    out->failed |= text.failed;
    flm_text_clear(&text);
}

void flm_collapsing_none(const struct flm_operations *operations, struct flm_text *out)
{
    for (size_t i = 0; i < operations->count; i++)
        if (!is_collapse(&operations->at[i]))
            keep(&operations->at[i], out);
}
