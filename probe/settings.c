/* settings.c - the variable FLAMEL: what is written at the end, and where.
 *
 *     on                 it measures, and writes no file
 *     file:PATH          a file for flamel, also while the program runs, and after it was killed
 *     off                nothing, whatever else is said
 *
 * Several are separated by commas. %p in a path is the number of the process, %% a percent sign. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

static bool set_path(struct flm_settings *settings, const char *text, size_t size)
{
    size_t to = 0;
    for (size_t i = 0; i < size; i++) {
        char number[24] = {text[i], 0};
        if (text[i] == '%' && i + 1 < size) {
            i++;
            if (text[i] == 'p')
                snprintf(number, sizeof number, "%ld", (long)getpid());
            else if (text[i] != '%')
                return false;
        }
        size_t more = strlen(number);
        if (to + more >= sizeof settings->path)
            return false;
        memcpy(settings->path + to, number, more);
        to += more;
    }
    settings->path[to] = 0;
    return to > 0;
}

static bool read_one(struct flm_settings *settings, const char *text, size_t size)
{
    static const char file[] = "file:";
    const size_t prefix = sizeof file - 1;
    if (size == 2 && memcmp(text, "on", 2) == 0)
        return true;
    if (size > prefix && memcmp(text, file, prefix) == 0)
        return set_path(settings, text + prefix, size - prefix);
    return false;
}

void flm_settings_read(struct flm_settings *settings, const char *text)
{
    *settings = (struct flm_settings){.is_on = true};
    while (*text) {
        size_t size = strcspn(text, ",");
        if (size == 3 && memcmp(text, "off", 3) == 0) {
            *settings = (struct flm_settings){0};
            return;
        }
        if (size > 0 && !read_one(settings, text, size) && !settings->wrong[0])
            snprintf(settings->wrong, sizeof settings->wrong,
                     "'%.*s' is not understood: FLAMEL is on, off, or file:PATH", (int)size, text);
        text += size + (text[size] == ',');
    }
    if (settings->wrong[0])
        settings->is_on = false;
}
