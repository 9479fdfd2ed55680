#include "base/zstd/unzstd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zstd.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/core/windows.h"

/* ---- Both decoders --------------------------------------------------------------------------- */

static bool decode(struct flm_source *source, struct flm_text *out, struct flm_error *why)
{
    struct flm_unzstd *unzstd = flm_unzstd_new(source, why);
    struct flm_bytes bytes;
    bool good = unzstd != NULL;
    while ((good = good && flm_unzstd_next(unzstd, &bytes, why)) && bytes.size > 0)
        flm_text_add(out, bytes);
    flm_unzstd_free(unzstd);
    return good && (!out->failed || flm_error_memory(why));
}

static bool decode_bytes(struct flm_bytes in, struct flm_text *out, struct flm_error *why)
{
    struct flm_source source = flm_source_of(in);
    return decode(&source, out, why);
}

/* What libzstd makes of it; false where it refuses. */
static bool reference(struct flm_bytes in, struct flm_text *out)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer from = {in.at, in.size, 0};
    size_t left = 0, size = ZSTD_DStreamOutSize();
    char *buffer = malloc(size);
    assert_true(stream && buffer);
    bool full = false;
    while (!ZSTD_isError(left) && (from.pos < from.size || full)) {
        ZSTD_outBuffer to = {buffer, size, 0};
        left = ZSTD_decompressStream(stream, &to, &from);
        if (!ZSTD_isError(left))
            flm_text_add(out, (struct flm_bytes){buffer, to.pos});
        full = to.pos == size;
    }
    ZSTD_freeDStream(stream);
    free(buffer);
    return left == 0;
}

/* ---- What is compressed ---------------------------------------------------------------------- */

enum kind { NOISE, FEW_LETTERS, STACKS, ONE_BYTE, FAR_MATCHES, MIXED, KINDS };

static void add_stack(struct flm_text *text, uint64_t *random)
{
    for (uint64_t depth = 1 + random_next(random) % 12; depth > 0; depth--)
        flm_text_format(text, "f%u%c", (unsigned)(random_next(random) % (1 + depth * depth * 3)),
                        depth > 1 ? ';' : ' ');
    flm_text_format(text, "%u\n", (unsigned)(random_next(random) % 100));
}

static struct flm_text content(enum kind kind, size_t size)
{
    struct flm_text text = {0};
    uint64_t random = 40 + kind;
    while (text.size < size) {
        uint64_t r = random_next(&random);
        enum kind now = kind == MIXED ? (enum kind)(text.size / 70000 % MIXED) : kind;
        if (now == NOISE)
            flm_text_putc(&text, (char)r);
        else if (now == FEW_LETTERS)
            flm_text_putc(&text, "aaaaaaabbbcde"[r % 13]);
        else if (now == STACKS)
            add_stack(&text, &random);
        else if (now == ONE_BYTE)
            flm_text_putc(&text, 'x');
        else if (text.size < 100000 || r % 3 == 0)
            flm_text_putc(&text, (char)r);
        else
            for (size_t from = r % (text.size - 64), i = 0; i < 3 + r % 61; i++)
                flm_text_putc(&text, text.at[from + i]);
    }
    assert_false(text.failed);
    text.size = size;
    return text;
}

struct how {
    int level, window_log, long_distance, checksum, content_size;
};

static void compress(struct flm_bytes in, const struct how *how, struct flm_text *out)
{
    ZSTD_CCtx *stream = ZSTD_createCCtx();
    size_t bound = ZSTD_compressBound(in.size);
    char *buffer = malloc(bound);
    assert_true(stream && buffer);
    ZSTD_CCtx_setParameter(stream, ZSTD_c_compressionLevel, how->level);
    ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, how->checksum);
    ZSTD_CCtx_setParameter(stream, ZSTD_c_contentSizeFlag, how->content_size);
    ZSTD_CCtx_setParameter(stream, ZSTD_c_enableLongDistanceMatching, how->long_distance);
    if (how->window_log)
        ZSTD_CCtx_setParameter(stream, ZSTD_c_windowLog, how->window_log);
    size_t size = ZSTD_compress2(stream, buffer, bound, in.at, in.size);
    assert_false(ZSTD_isError(size));
    flm_text_add(out, (struct flm_bytes){buffer, size});
    ZSTD_freeCCtx(stream);
    free(buffer);
}

static void assert_comes_back(struct flm_bytes in, const struct how *how)
{
    struct flm_text packed = {0}, out = {0};
    struct flm_error why = {0};
    compress(in, how, &packed);
    if (!decode_bytes((struct flm_bytes){packed.at, packed.size}, &out, &why))
        fail_msg("level %d, window %d: %s", how->level, how->window_log, why.text);
    assert_true(flm_bytes_equal(in, (struct flm_bytes){out.at, out.size}));
    flm_text_clear(&packed);
    flm_text_clear(&out);
}

static void every_level_of_zstd_comes_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 300, 5000, 140000, 900000};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct flm_text text = content((enum kind)kind, sizes[i]);
            struct flm_bytes bytes = {text.at, text.size};
            for (int level = -7; level <= (sizes[i] > 200000 ? 12 : 19); level++)
                if (level < 4 || level % 3 == 0 || sizes[i] < 200000)
                    assert_comes_back(bytes, &(struct how){.level = level,
                                                           .checksum = level & 1,
                                                           .content_size = (level & 2) == 0});
            flm_text_clear(&text);
        }
}

/* The window is smaller than the content: what is beyond it is dropped again and again. */
static void every_window_comes_back(void **state)
{
    (void)state;
    struct flm_text text = content(MIXED, 3000000);
    struct flm_bytes bytes = {text.at, text.size};
    for (int window_log = 10; window_log <= 24; window_log += 2)
        for (int content_size = 0; content_size < 2; content_size++)
            assert_comes_back(bytes, &(struct how){.level = 5,
                                                   .window_log = window_log,
                                                   .long_distance = window_log > 20,
                                                   .checksum = 1,
                                                   .content_size = content_size});
    flm_text_clear(&text);
}

/* Also frames that are skipped, empty frames, and frames of other windows one after another. */
static void all_frames_come_back(void **state)
{
    (void)state;
    static const char skipped[] = "\x5A\x2A\x4D\x18\x05\0\0\0hello";
    struct flm_text packed = {0}, expected = {0}, out = {0};
    for (int i = 0; i < 12; i++) {
        struct flm_text text = content((enum kind)(i % KINDS), i % 4 ? (size_t)i * 30000 : 0);
        struct flm_bytes bytes = {text.at, text.size};
        compress(bytes, &(struct how){.level = i, .window_log = 10 + i, .checksum = 1}, &packed);
        flm_text_add(&packed, (struct flm_bytes){skipped, sizeof skipped - 1});
        flm_text_add(&expected, bytes);
        flm_text_clear(&text);
    }
    for (size_t step = 0; step < 3; step++) {
        struct windows windows;
        out.size = 0;
        windows_init(&windows, (struct flm_bytes){packed.at, packed.size}, step * 1000);
        assert_true(decode(&windows.source, &out, NULL));
        assert_true(flm_bytes_equal((struct flm_bytes){expected.at, expected.size},
                                    (struct flm_bytes){out.at, out.size}));
        windows_clear(&windows);
    }
    flm_text_clear(&packed);
    flm_text_clear(&expected);
    flm_text_clear(&out);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void assert_refused(const char *bytes, size_t size, const char *sentence)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    assert_false(decode_bytes((struct flm_bytes){bytes, size}, &out, &why));
    assert_string_equal(why.text, sentence);
    flm_text_clear(&out);
}

#define ASSERT_REFUSED(bytes, sentence) assert_refused(bytes, sizeof(bytes) - 1, sentence)
#define MAGIC "\x28\xB5\x2F\xFD"
#define DAMAGED "the zstd data is damaged"
#define CUT_OFF "the zstd data ends too early: the file was cut off"

/* As perf cuts one stream into records. */
static void the_pieces_of_a_frame_come_back(void **state)
{
    (void)state;
    struct flm_text all = content(MIXED, 500000), packed = {0}, left = {0}, out = {0};
    flm_text_repeat(&packed, 0, ZSTD_compressBound(all.size));
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    packed.size = ZSTD_compress2(context, packed.at, packed.size, all.at, all.size);
    ZSTD_freeCCtx(context);
    assert_false(ZSTD_isError(packed.size));
    uint64_t random = 5;
    struct flm_source source = flm_source_of((struct flm_bytes){0});
    struct flm_unzstd *unzstd = flm_unzstd_new(&source, NULL);
    for (size_t at = 0, size; at < packed.size; at += size) {
        size = 1 + random_next(&random) % (at < 2000 ? 3 : 60000);
        size = size < packed.size - at ? size : packed.size - at;
        struct flm_text now = {0};
        flm_text_add(&now, (struct flm_bytes){source.at, (size_t)(source.end - source.at)});
        flm_text_add(&now, (struct flm_bytes){packed.at + at, size});
        flm_text_clear(&left);
        left = now;
        source = flm_source_of((struct flm_bytes){left.at, left.size});
        struct flm_bytes bytes;
        do {
            assert_true(flm_unzstd_next_whole(unzstd, &bytes, NULL));
            flm_text_add(&out, bytes);
        } while (bytes.size > 0);
    }
    assert_true(source.at == source.end);
    assert_true(out.size == all.size && memcmp(out.at, all.at, all.size) == 0);
    flm_unzstd_free(unzstd);
    flm_text_clear(&all);
    flm_text_clear(&packed);
    flm_text_clear(&left);
    flm_text_clear(&out);
}

static void what_is_no_frame_is_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED("text", DAMAGED);
    ASSERT_REFUSED(MAGIC, CUT_OFF);
    ASSERT_REFUSED(MAGIC "\x20\0\x01\0\0more", DAMAGED);
    ASSERT_REFUSED(MAGIC "\x28\0\x01\0\0", DAMAGED);        /* the reserved bit */
    ASSERT_REFUSED(MAGIC "\x20\x01\x07\0\0", DAMAGED);      /* a block of kind 3 */
    ASSERT_REFUSED(MAGIC "\x20\x02\x09\0\0a", DAMAGED);     /* 1 byte where 2 were promised */
    ASSERT_REFUSED(MAGIC "\x20\x01\x11\0\0ab", DAMAGED);    /* 2 where 1 was */
    ASSERT_REFUSED(MAGIC "\x24\x01\x09\0\0axxxx", DAMAGED); /* the checksum */
    ASSERT_REFUSED(MAGIC "\x20\x05\x0D\0\0a", DAMAGED);     /* no sequences section */
    ASSERT_REFUSED("\x50\x2A\x4D\x18\x09\0\0\0short", CUT_OFF);
    ASSERT_REFUSED(MAGIC "\x21\x07\x01\x01\0\0",
                   "this is compressed with zstd and a dictionary: decompress it first "
                   "(zstd -d -D DICTIONARY)");
    ASSERT_REFUSED(MAGIC "\0\x90\x01\0\0",
                   "this is compressed with zstd and a window of more than 128 MiB: decompress it "
                   "first (zstd -d --long=31)");
    ASSERT_REFUSED(MAGIC "\xE0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\0\0",
                   "this is compressed with zstd and a window of more than 128 MiB: decompress it "
                   "first (zstd -d --long=31)");
}

/* One with checksums: so a copy that is cut off or changed never reads as something else. */
static struct flm_text packed_profile(int level)
{
    struct flm_text text = content(STACKS, 20000), packed = {0};
    compress((struct flm_bytes){text.at, text.size}, &(struct how){.level = level, .checksum = 1},
             &packed);
    flm_text_clear(&text);
    return packed;
}

static void what_is_cut_off_is_refused(void **state)
{
    (void)state;
    struct flm_text packed = packed_profile(3);
    for (size_t size = 1; size < packed.size; size++)
        assert_refused(packed.at, size, CUT_OFF);
    flm_text_clear(&packed);
}

/* Never accepted where libzstd refuses, and never read as something else. */
static void what_is_changed_is_never_read_as_something_else(void **state)
{
    (void)state;
    for (int level = 1; level < 20; level += 9) {
        struct flm_text packed = packed_profile(level), text = content(STACKS, 20000);
        for (size_t i = 0; i < packed.size; i++)
            for (int bit = 0; bit < 8; bit += 3) {
                struct flm_text out = {0}, expected = {0};
                struct flm_bytes bytes = {packed.at, packed.size};
                packed.at[i] ^= (char)(1 << bit);
                if (decode_bytes(bytes, &out, NULL)) {
                    assert_true(reference(bytes, &expected));
                    assert_true(flm_bytes_equal((struct flm_bytes){text.at, text.size},
                                                (struct flm_bytes){out.at, out.size}));
                }
                packed.at[i] ^= (char)(1 << bit);
                flm_text_clear(&out);
                flm_text_clear(&expected);
            }
        flm_text_clear(&packed);
        flm_text_clear(&text);
    }
}

static bool decode_all(void *context, struct flm_error *why)
{
    struct flm_text out = {0}, *packed = context;
    bool good = decode_bytes((struct flm_bytes){packed->at, packed->size}, &out, why);
    flm_text_clear(&out);
    return good;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_text packed = packed_profile(3);
    assert_true(assert_survives_failures(decode_all, &packed) > 1);
    flm_text_clear(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_of_zstd_comes_back),
        cmocka_unit_test(every_window_comes_back),
        cmocka_unit_test(all_frames_come_back),
        cmocka_unit_test(the_pieces_of_a_frame_come_back),
        cmocka_unit_test(what_is_no_frame_is_refused),
        cmocka_unit_test(what_is_cut_off_is_refused),
        cmocka_unit_test(what_is_changed_is_never_read_as_something_else),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
