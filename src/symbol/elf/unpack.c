#include "symbol/elf/unpack.h"

#include <elf.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "os/library.h"

/* Real sections are smaller: the .debug_info of a browser has 2 GB. */
static const uint64_t unpacked_most = UINT64_C(4) << 30;

/* The most bytes that deflate makes of one; zstd makes a block of 128 KB of four. */
static const uint64_t deflate_most = 1032, zstd_most = 1 << 15;

static bool unpack_zlib(struct flm_bytes packed, char *to, size_t size)
{
    z_stream stream = {0};
    if (inflateInit(&stream) != Z_OK)
        return false;
    int result = Z_OK;
    size_t in = 0, out = 0;
    while (result == Z_OK && (in < packed.size || stream.avail_in > 0)) {
        /* zlib counts in 32 bits. */
        size_t in_step = packed.size - in < 1u << 30 ? packed.size - in : 1u << 30;
        size_t out_step = size - out < 1u << 30 ? size - out : 1u << 30;
        stream.next_in = (Bytef *)(uintptr_t)(packed.at + in);
        stream.avail_in = (uInt)in_step;
        stream.next_out = (Bytef *)to + out;
        stream.avail_out = (uInt)out_step;
        result = inflate(&stream, Z_NO_FLUSH);
        in += in_step - stream.avail_in;
        out += out_step - stream.avail_out;
        stream.avail_in = 0;
    }
    inflateEnd(&stream);
    return result == Z_STREAM_END && out == size;
}

static uint64_t big_number(const char *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

char *flm_elf_unpack(const struct flm_elf_file *file, struct flm_bytes packed, bool is_old,
                     size_t *size)
{
    uint64_t kind = ELFCOMPRESS_ZLIB, unpacked;
    size_t header = is_old ? 12 : file->is_wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
    if (packed.size < header)
        return NULL;
    if (is_old) {
        if (memcmp(packed.at, "ZLIB", 4) != 0)
            return NULL;
        unpacked = big_number(packed.at + 4);
    } else {
        kind = flm_elf_number(file, packed.at, 4);
        unpacked = file->is_wide ? flm_elf_number(file, packed.at + 8, 8)
                                 : flm_elf_number(file, packed.at + 4, 4);
    }
    packed = (struct flm_bytes){packed.at + header, packed.size - header};
    enum { ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, which older <elf.h> do not have */
    uint64_t most = kind == ELFCOMPRESS_ZLIB ? deflate_most : zstd_most;
    if (unpacked > unpacked_most || unpacked / most > packed.size)
        return NULL;
    char *to = malloc(unpacked + 1);
    bool done =
        to && (kind == ELFCOMPRESS_ZLIB ? unpack_zlib(packed, to, unpacked)
               : kind == ZSTD ? ZSTD_decompress(to, unpacked, packed.at, packed.size) == unpacked
                              : false);
    if (!done) {
        free(to);
        return NULL;
    }
    *size = unpacked;
    return to;
}

/* The function of liblzma, as it has been since 5.0. */
typedef int (*xz_decode)(uint64_t *memory_limit, uint32_t flags, const void *allocator,
                         const uint8_t *in, size_t *in_position, size_t in_size, uint8_t *out,
                         size_t *out_position, size_t out_size);
enum { XZ_OK = 0, XZ_NO_ROOM = 10 };

static char *unpack_growing(xz_decode decode, struct flm_bytes packed, size_t *size)
{
    const size_t most = (size_t)256 << 20; /* all function names of the largest programs */
    for (size_t room = packed.size * 8 + 4096; room <= most; room *= 2) {
        uint64_t memory_limit = UINT64_C(256) << 20;
        size_t in = 0, out = 0;
        char *to = malloc(room);
        int result = to ? decode(&memory_limit, 0, NULL, (const uint8_t *)packed.at, &in,
                                 packed.size, (uint8_t *)to, &out, room)
                        : -1;
        if (result == XZ_OK) {
            *size = out;
            return to;
        }
        free(to);
        if (result != XZ_NO_ROOM)
            break;
    }
    return NULL;
}

char *flm_xz_unpack(struct flm_bytes packed, size_t *size)
{
    static const char *const files[] = {"liblzma.so.5", NULL};
    static const char *const names[] = {"lzma_stream_buffer_decode", NULL};
    struct {
        xz_decode decode;
    } xz;
    return flm_library_open(files, names, &xz, NULL) ? unpack_growing(xz.decode, packed, size)
                                                     : NULL;
}
