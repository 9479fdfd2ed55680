#include "wasm/exports.h"

#include <stdlib.h>

#include "format/core/reading.h"
#include "wasm/answer_buffer.h"

#if defined(__wasm__)
__attribute__((import_module("env"), import_name("flamel_more")))
#endif
int32_t
flamel_more(void *at, uint32_t size);

/* A window of 1 MiB stays in the second-level cache while it is read. */
enum { FIRST_WINDOW = 1 << 20 };

/* A line, or a file that is read as a whole, that needs more is refused. */
#define LARGEST_WINDOW ((size_t)1 << 30)

struct page_source {
    struct flm_source source; /* first: `more` is handed a pointer to it */
    char *window;
    size_t capacity;
};

/* What has not been passed moves to the front; where that is more than half, the window grows. */
static bool make_room(struct page_source *s, size_t left, struct flm_error *why)
{
    if (s->window && left <= s->capacity / 2) {
        if (left)
            memmove(s->window, s->source.at, left);
        return true;
    }
    size_t capacity = s->window ? s->capacity * 2 : FIRST_WINDOW;
    if (capacity > LARGEST_WINDOW)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "more than 1 GiB of it would have to be held at once");
    char *window = malloc(capacity);
    if (!window)
        return flm_error_memory(why);
    if (left)
        memcpy(window, s->source.at, left);
    free(s->window);
    s->window = window;
    s->capacity = capacity;
    return true;
}

static bool more(struct flm_source *source, struct flm_error *why)
{
    struct page_source *s = (struct page_source *)source;
    size_t left = (size_t)(source->end - source->at);
    if (!make_room(s, left, why))
        return false;
    source->at = s->window;
    source->end = s->window + left;
    int32_t got = flamel_more(s->window + left, (uint32_t)(s->capacity - left));
    if (got < 0 || (size_t)got > s->capacity - left)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot be read");
    source->end += got;
    source->last = got == 0;
    return true;
}

static struct flm_profile *read_profile(struct flm_error *why)
{
    static const struct flm_read_options options = {.keep_times = true};
    struct page_source s = {.source = {.at = "", .end = "", .more = more}};
    s.source.end = s.source.at;
    struct flm_reading reading;
    struct flm_profile *profile = NULL;
    if (flm_reading_begin(&reading, &s.source, NULL, &options, why))
        profile = flm_reading_finish(&reading, why);
    flm_reading_clear(&reading);
    free(s.window);
    return profile;
}

int flamel_read(void)
{
    struct flm_error why = {0};
    flm_page_answer();
    struct flm_profile *profile = read_profile(&why);
    if (profile)
        flm_page_answer_take(profile);
    return flm_page_result(profile != NULL, &why);
}

void *flamel_room(uint32_t size)
{
    return malloc(size ? size : 1);
}

void flamel_release(void *room)
{
    free(room);
}
