#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/internal.h"

/* It may be written to meanwhile: a byte more than `most` is enough to know. */
static bool read_all(int file, size_t most, struct flm_text *text)
{
    enum { STEP = 1 << 16 };
    size_t start = text->size;
    while (text->size - start <= most) {
        char *to = flm_text_reserve(text, STEP);
        ssize_t got = to ? read(file, to, STEP) : -1;
        if (got < 0 && to && errno == EINTR)
            continue;
        if (got <= 0)
            return to && got == 0;
        text->size += (size_t)got;
    }
    return true;
}

const char *flm_source_read(int file, size_t most_bytes, struct flm_text *text, int64_t *changed_ns)
{
    struct stat status;
    const char *refusal = NULL;
    size_t start = text->size;
    *changed_ns = 0;
    if (fstat(file, &status) != 0) {
        refusal = "it cannot be read";
    } else if (status.st_size < 0 || (uint64_t)status.st_size > most_bytes) {
        refusal = "it is too large";
    } else {
        *changed_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
        /* In one piece: the size is known. */
        flm_text_reserve(text, (size_t)status.st_size + 1);
        if (!read_all(file, most_bytes, text))
            refusal = "it cannot be read";
        else if (text->size - start > most_bytes)
            refusal = "it is too large";
        else if (text->size > start && memchr(text->at + start, 0, text->size - start))
            refusal = "it is not text";
    }
    close(file);
    if (refusal)
        text->size = start;
    return refusal;
}
