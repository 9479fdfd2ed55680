#include "format/gecko/location.h"

#include "base/number/number.h"

bool flm_gecko_is_address(struct flm_bytes name, uint64_t *address)
{
    return flm_bytes_start_with(name, "0x") &&
           flm_number_parse_hex(flm_bytes_from(name, 2), address);
}

/* The last `wanted` in the text; its size where there is none. */
static size_t find_last(struct flm_bytes text, const char *wanted)
{
    size_t size = strlen(wanted);
    for (size_t at = text.size >= size ? text.size - size + 1 : 0; at-- > 0;)
        if (memcmp(text.at + at, wanted, size) == 0)
            return at;
    return text.size;
}

/* NAME (in MODULE), and then nothing, an offset, or (file:line). */
static bool parse_symbol(struct flm_bytes text, struct flm_gecko_location *location)
{
    const char in[] = " (in ";
    size_t at = find_last(text, in);
    if (at == text.size)
        return false;
    struct flm_bytes module = flm_bytes_from(text, at + sizeof in - 1);
    size_t end = 0;
    while (end < module.size && module.at[end] != ')')
        end++;
    if (end == module.size)
        return false;
    struct flm_bytes rest = flm_bytes_from(module, end + 1);
    bool has_rest = flm_bytes_start_with(rest, " + ") ||
                    (flm_bytes_start_with(rest, " (") && flm_bytes_end_with(rest, ")"));
    if (rest.size > 0 && !has_rest)
        return false;
    location->name = (struct flm_bytes){text.at, at};
    location->module = (struct flm_bytes){module.at, end};
    if (flm_bytes_start_with(location->name, "non-virtual thunk to "))
        location->name = flm_bytes_from(location->name, strlen("non-virtual thunk to "));
    return true;
}

/* Cuts ":DIGITS" off the end. */
static bool cut_number(struct flm_bytes *text, uint64_t *number)
{
    size_t at = text->size;
    while (at > 0 && text->at[at - 1] >= '0' && text->at[at - 1] <= '9')
        at--;
    if (at < 2 || text->at[at - 1] != ':' ||
        !flm_number_parse_uint(flm_bytes_from(*text, at), number))
        return false;
    text->size = at - 1;
    return true;
}

/* Cuts "[5]", the index of a source, off the end. */
static void cut_source(struct flm_bytes *text)
{
    size_t at = text->size;
    if (at == 0 || text->at[at - 1] != ']')
        return;
    at--;
    while (at > 0 && text->at[at - 1] >= '0' && text->at[at - 1] <= '9')
        at--;
    if (at > 0 && text->at[at - 1] == '[' && at < text->size - 1)
        text->size = at - 1;
}

static bool parse_js(struct flm_bytes text, struct flm_gecko_location *location)
{
    uint64_t last = 0, line = 0;
    cut_source(&text);
    struct flm_bytes file = text, name = {text.at, 0};
    if (flm_bytes_end_with(text, ")")) {
        /* The first one: a file may have such brackets too, and then a name before it has none. */
        size_t at = 0;
        while (at + 1 < text.size && (text.at[at] != ' ' || text.at[at + 1] != '('))
            at++;
        if (at + 1 >= text.size)
            return false;
        name.size = at;
        file = (struct flm_bytes){text.at + at + 2, text.size - at - 3};
    }
    if (!cut_number(&file, &last))
        return false;
    if (!cut_number(&file, &line))
        line = last;
    if (file.size == 0)
        return false;
    size_t arrow = find_last(file, " -> "); /* a script that another one has loaded */
    location->file = arrow < file.size ? flm_bytes_from(file, arrow + 4) : file;
    location->name = name;
    location->line = line <= UINT32_MAX ? (uint32_t)line : 0;
    location->is_js = true;
    return true;
}

void flm_gecko_location_parse(struct flm_bytes text, struct flm_gecko_location *location)
{
    *location = (struct flm_gecko_location){.name = text};
    if (flm_gecko_is_address(text, &location->address)) {
        location->is_address = true;
    } else if (!parse_symbol(text, location) && !parse_js(text, location)) {
        location->name = text;
        if (flm_bytes_start_with(text, "AutoEntryScript "))
            location->name = flm_bytes_from(text, strlen("AutoEntryScript "));
    }
}
