#include "os/whole_gzip.h"

#include "os/library.h"

/* Deflate makes no more of a byte. */
enum { MOST_RATIO = 1032, LEAST_SIZE = 18 };

/* As libdeflate has declared them since 1.0. */
struct functions {
    void *(*alloc)(void);
    void (*free)(void *decompressor);
    int (*gzip)(void *decompressor, const void *in, size_t in_size, void *out, size_t out_room,
                size_t *in_used, size_t *out_size); /* 0: it is good */
};

size_t flm_whole_gzip_size(struct flm_bytes packed)
{
    if (packed.size < LEAST_SIZE || memcmp(packed.at, "\x1f\x8b\x08", 3) != 0)
        return 0;
    const unsigned char *end = (const unsigned char *)packed.at + packed.size;
    size_t size =
        (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
    return size / MOST_RATIO <= packed.size ? size : 0;
}

bool flm_whole_gzip_add(struct flm_bytes packed, size_t size, struct flm_text *out)
{
    static const char *const files[] = {"libdeflate.so.0", NULL};
    static const char *const names[] = {"libdeflate_alloc_decompressor",
                                        "libdeflate_free_decompressor",
                                        "libdeflate_gzip_decompress_ex", NULL};
    struct functions deflate;
    if (size == 0 || !flm_library_open(files, names, &deflate, NULL))
        return false;
    void *decompressor = deflate.alloc();
    char *to = decompressor ? flm_text_reserve(out, size) : NULL;
    size_t used = 0, made = 0;
    bool good = to &&
                deflate.gzip(decompressor, packed.at, packed.size, to, size, &used, &made) == 0 &&
                used == packed.size && made == size;
    if (decompressor)
        deflate.free(decompressor);
    if (!to)
        out->failed = false;
    out->size += good ? size : 0;
    return good;
}
