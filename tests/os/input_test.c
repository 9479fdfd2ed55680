#include "os/input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"

/* ---- Making inputs --------------------------------------------------------------------------- */

static struct flm_text lines(size_t size)
{
    struct flm_text text = {0};
    for (uint64_t i = 0; text.size < size; i++)
        flm_text_format(&text, "main;f%llu %llu\n", (unsigned long long)(i * 7919 % 1000),
                        (unsigned long long)i);
    return text;
}

static struct flm_bytes bytes(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static struct flm_text gzipped(struct flm_bytes content)
{
    struct flm_text text = {0};
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, content.size);
    char *to = flm_text_reserve(&text, room);
    z.next_in = (Bytef *)(uintptr_t)content.at;
    z.avail_in = (uInt)content.size;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    text.size = room - z.avail_out;
    deflateEnd(&z);
    return text;
}

static struct flm_text zstandard(struct flm_bytes content)
{
    struct flm_text text = {0};
    size_t room = ZSTD_compressBound(content.size);
    char *to = flm_text_reserve(&text, room);
    text.size = ZSTD_compress(to, room, content.at, content.size, 3);
    assert_false(ZSTD_isError(text.size));
    return text;
}

/* ---- Reading them ---------------------------------------------------------------------------- */

/* All of it, passed over in steps of up to `step` bytes; 0: never passed before the end. */
static struct flm_text read_all(struct flm_input *in, size_t step)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    struct flm_source *source = flm_input_source(in);
    for (;;) {
        size_t size = (size_t)(source->end - source->at);
        if (source->last || (step && size > 0)) {
            size = source->last || size < step ? size : step;
            flm_text_add(&text, (struct flm_bytes){source->at, size});
            source->at += size;
        }
        if (source->last && source->at == source->end)
            return text;
        if (!source->last && !flm_source_more(source, &why))
            fail_msg("%s", why.text);
    }
}

static void has_content(const char *path, struct flm_bytes expected)
{
    static const size_t steps[] = {0, 1000, 70000, SIZE_MAX};
    for (size_t i = 0; i < 4; i++) {
        struct flm_error why = {0};
        struct flm_input *in = flm_input_open(path, &why);
        if (!in)
            fail_msg("%s", why.text);
        struct flm_text got = read_all(in, steps[i]);
        assert_int_equal(got.size, expected.size);
        if (got.size)
            assert_memory_equal(got.at, expected.at, got.size);
        flm_text_clear(&got);
        flm_input_close(in);
    }
}

static void file_has_content(struct flm_bytes file, struct flm_bytes expected)
{
    has_content(write_temporary("input", file), expected);
}

/* It cannot be opened, or not be read to its end. */
static void refuse_file(struct flm_bytes file, const char *words)
{
    struct flm_error why = {0};
    struct flm_input *in = flm_input_open(write_temporary("bad", file), &why);
    bool good = in && flm_source_all(flm_input_source(in), &why);
    if (good || !strstr(why.text, words))
        fail_msg("it says '%s', not '%s'", why.text, words);
    flm_input_close(in);
}

static void plain_files_are_read_in_windows(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 4, 100, 1 << 18, (1 << 18) + 1, 1 << 20, 5000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct flm_text text = lines(sizes[i]);
        file_has_content(bytes(&text), bytes(&text));
        flm_text_clear(&text);
    }
    file_has_content(flm_bytes_of(""), flm_bytes_of(""));
}

static void a_plain_file_knows_its_size_and_can_be_mapped(void **state)
{
    (void)state;
    struct flm_text text = lines(3000000);
    struct flm_input *in = flm_input_open(write_temporary("plain", bytes(&text)), NULL);
    assert_true(flm_input_is_plain(in));
    assert_int_equal(flm_input_size(in), text.size);
    int64_t age_ns = (int64_t)time(NULL) * 1000000000 - flm_input_written_ns(in);
    assert_true(age_ns > -INT64_C(2000000000) && age_ns < INT64_C(3600000000000));
    struct flm_bytes mapped = flm_input_map(in);
    assert_int_equal(mapped.size, text.size);
    assert_memory_equal(mapped.at, text.at, text.size);
    assert_ptr_equal(flm_input_map(in).at, mapped.at);
    struct flm_text got = read_all(in, 5000);
    assert_int_equal(flm_input_consumed(in), text.size);
    flm_text_clear(&got);
    flm_input_close(in);
    flm_text_clear(&text);
}

static void a_window_holds_a_line_of_any_size(void **state)
{
    (void)state;
    struct flm_text text = lines(100), zipped;
    flm_text_repeat(&text, 'x', 9000000);
    flm_text_puts(&text, " 1\n");
    zipped = gzipped(bytes(&text));
    file_has_content(bytes(&text), bytes(&text));
    file_has_content(bytes(&zipped), bytes(&text));
    flm_text_clear(&text);
    flm_text_clear(&zipped);
}

/* A megabyte of the same byte takes a kilobyte of gzip, and members may follow each other. */
static void a_line_that_never_ends_is_refused(void **state)
{
    (void)state;
    struct flm_text text = {0}, all = {0};
    flm_text_repeat(&text, 'x', 1 << 20);
    struct flm_text zipped = gzipped(bytes(&text));
    for (int i = 0; i < 600; i++)
        flm_text_add(&all, bytes(&zipped));
    refuse_file(bytes(&all), "more than 512 MiB of it would have to be in memory at once");
    flm_text_clear(&text);
    flm_text_clear(&all);
    flm_text_clear(&zipped);
}

static void the_window_is_filled_as_far_as_asked(void **state)
{
    (void)state;
    struct flm_text text = lines(3000000);
    const char *path = write_temporary("fill", bytes(&text));
    struct flm_input *in = flm_input_open(path, NULL);
    struct flm_source *source = flm_input_source(in);
    assert_true(flm_source_fill(flm_input_source(in), 2000000, NULL));
    assert_true(source->end - source->at >= 2000000);
    assert_memory_equal(source->at, text.at, 2000000);
    assert_true(flm_source_fill(flm_input_source(in), 9000000, NULL));
    assert_true(source->last);
    assert_int_equal(source->end - source->at, text.size);
    flm_input_close(in);
    flm_text_clear(&text);
}

static void a_piece_is_the_bytes_from_there_to_there(void **state)
{
    (void)state;
    struct flm_text text = lines(3000000);
    struct flm_input *whole = flm_input_open(write_temporary("chunks", bytes(&text)), NULL);
    static const size_t cuts[] = {0, 0, 1, 100, 1 << 18, 1 << 20, 2999999};
    for (size_t i = 0; i + 1 < sizeof cuts / sizeof cuts[0]; i++) {
        struct flm_input *chunk = flm_input_open_chunk(whole, cuts[i], cuts[i + 1], NULL);
        struct flm_text got = read_all(chunk, 777);
        assert_int_equal(got.size, cuts[i + 1] - cuts[i]);
        if (got.size)
            assert_memory_equal(got.at, text.at + cuts[i], got.size);
        flm_text_clear(&got);
        flm_input_close(chunk);
    }
    struct flm_text got = read_all(whole, 5000); /* which is where it was */
    assert_int_equal(got.size, text.size);
    flm_text_clear(&got);
    flm_input_close(whole);
    flm_text_clear(&text);
}

/* ---- gzip ------------------------------------------------------------------------------------ */

static void gzip_is_decompressed(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 5000, 3000000};
    for (size_t i = 0; i < 4; i++) {
        struct flm_text text = lines(sizes[i]), zipped = gzipped(bytes(&text));
        file_has_content(bytes(&zipped), bytes(&text));
        struct flm_input *in = flm_input_open(write_temporary("z", bytes(&zipped)), NULL);
        assert_false(flm_input_is_plain(in));
        assert_null(flm_input_map(in).at);
        flm_input_close(in);
        flm_text_clear(&text);
        flm_text_clear(&zipped);
    }
}

static void gzip_members_follow_each_other(void **state)
{
    (void)state;
    struct flm_text all = {0}, expected = {0};
    for (size_t i = 0; i < 5; i++) {
        struct flm_text text = lines(i == 2 ? 0 : 1000 * i), zipped = gzipped(bytes(&text));
        flm_text_add(&all, bytes(&zipped));
        flm_text_add(&expected, bytes(&text));
        flm_text_clear(&text);
        flm_text_clear(&zipped);
    }
    file_has_content(bytes(&all), bytes(&expected));
    flm_text_repeat(&all, 0, 512); /* tapes are padded */
    file_has_content(bytes(&all), bytes(&expected));
    flm_text_puts(&all, "rubbish");
    refuse_file(bytes(&all), "something that is not gzip follows");
    flm_text_clear(&all);
    flm_text_clear(&expected);
}

static void every_shortened_gzip_is_refused(void **state)
{
    (void)state;
    struct flm_text text = lines(500), zipped = gzipped(bytes(&text));
    for (size_t size = 3; size < zipped.size; size++)
        refuse_file((struct flm_bytes){zipped.at, size}, "the gzip data ends too early");
    flm_text_clear(&text);
    flm_text_clear(&zipped);
}

static void damaged_gzip_is_refused(void **state)
{
    (void)state;
    struct flm_text text = lines(500), zipped = gzipped(bytes(&text));
    unsigned refused = 0;
    for (size_t at = 3; at < zipped.size; at++) {
        zipped.at[at] ^= 4;
        struct flm_error why = {0};
        struct flm_input *in = flm_input_open(write_temporary("bad", bytes(&zipped)), &why);
        if (!in || !flm_source_all(flm_input_source(in), &why)) {
            assert_int_equal(why.kind, FLM_ERROR_FORMAT);
            refused++;
        }
        flm_input_close(in);
        zipped.at[at] ^= 4;
    }
    assert_true(refused > zipped.size - 20); /* time and system in the header do not matter */
    flm_text_clear(&text);
    flm_text_clear(&zipped);
}

/* ---- zstd ------------------------------------------------------------------------------------ */

static void zstd_is_decompressed(void **state)
{
    (void)state;
    struct flm_text all = {0}, expected = {0};
    static const size_t sizes[] = {1, 0, 5000, 3000000};
    for (size_t i = 0; i < 4; i++) {
        struct flm_text text = lines(sizes[i]), packed = zstandard(bytes(&text));
        file_has_content(bytes(&packed), bytes(&text));
        flm_text_add(&all, bytes(&packed)); /* frames follow each other too */
        flm_text_add(&expected, bytes(&text));
        flm_text_clear(&text);
        flm_text_clear(&packed);
    }
    file_has_content(bytes(&all), bytes(&expected));
    flm_text_puts(&all, "rubbish");
    refuse_file(bytes(&all), "the zstd data is damaged");
    flm_text_clear(&all);
    flm_text_clear(&expected);
}

static void every_shortened_zstd_is_refused(void **state)
{
    (void)state;
    struct flm_text text = lines(500), packed = zstandard(bytes(&text));
    for (size_t size = 4; size < packed.size; size++)
        refuse_file((struct flm_bytes){packed.at, size}, "the zstd data");
    flm_text_clear(&text);
    flm_text_clear(&packed);
}

/* ---- Pipes ----------------------------------------------------------------------------------- */

struct writer {
    const char *path;
    struct flm_bytes content;
    size_t step;
    int pause_us;
};

static void *write_slowly(void *argument)
{
    struct writer *w = argument;
    int file = open(w->path, O_WRONLY);
    for (size_t at = 0; at < w->content.size;) {
        size_t size = w->content.size - at < w->step ? w->content.size - at : w->step;
        ssize_t written = write(file, w->content.at + at, size);
        if (written <= 0)
            break;
        at += (size_t)written;
        if (w->pause_us && at < 20)
            usleep((useconds_t)w->pause_us);
    }
    close(file);
    return NULL;
}

static void pipe_has_content(struct flm_bytes content, size_t step, int pause_us,
                             struct flm_bytes expected)
{
    const char *path = temporary_path("pipe");
    pthread_t thread;
    struct flm_error why = {0};
    assert_true(mkfifo(path, 0600) == 0 || errno == EEXIST);
    struct writer w = {path, content, step, pause_us};
    assert_int_equal(pthread_create(&thread, NULL, write_slowly, &w), 0);
    struct flm_input *in = flm_input_open(path, &why);
    if (!in)
        fail_msg("%s", why.text);
    assert_false(flm_input_is_plain(in));
    assert_int_equal(flm_input_size(in), 0);
    assert_int_equal(flm_input_written_ns(in), 0);
    struct flm_text got = read_all(in, 1000);
    pthread_join(thread, NULL);
    assert_int_equal(got.size, expected.size);
    if (got.size)
        assert_memory_equal(got.at, expected.at, got.size);
    flm_text_clear(&got);
    flm_input_close(in);
}

static void pipes_are_read_as_they_come(void **state)
{
    (void)state;
    struct flm_text text = lines(2000000), zipped = gzipped(bytes(&text));
    struct flm_text packed = zstandard(bytes(&text));
    pipe_has_content(bytes(&text), 4096, 0, bytes(&text));
    pipe_has_content(bytes(&zipped), 777, 0, bytes(&text));
    pipe_has_content(bytes(&packed), 777, 0, bytes(&text));
    pipe_has_content(flm_bytes_of(""), 1, 0, flm_bytes_of(""));
    flm_text_clear(&text);
    flm_text_clear(&zipped);
    flm_text_clear(&packed);
}

/* The first bytes tell how it is compressed, and may come one by one. */
static void slow_pipes_are_recognized_too(void **state)
{
    (void)state;
    struct flm_text text = lines(1000), zipped = gzipped(bytes(&text));
    struct flm_text packed = zstandard(bytes(&text));
    pipe_has_content(bytes(&zipped), 1, 2000, bytes(&text));
    pipe_has_content(bytes(&packed), 1, 2000, bytes(&text));
    pipe_has_content(bytes(&text), 1, 2000, bytes(&text));
    flm_text_clear(&text);
    flm_text_clear(&zipped);
    flm_text_clear(&packed);
}

/* Standard input of a shell's { read line; flamel ...; } < file stands in the middle of the file.
 */
static void standard_input_is_read_from_where_it_stands(void **state)
{
    (void)state;
    int before = dup(STDIN_FILENO);
    int file = open(write_temporary("stdin", flm_bytes_of("header\nmain 1\n")), O_RDONLY);
    assert_int_equal(lseek(file, 7, SEEK_SET), 7);
    dup2(file, STDIN_FILENO);
    close(file);
    struct flm_input *in = flm_input_open("-", NULL);
    assert_non_null(in);
    assert_false(flm_input_is_plain(in)); /* whoever maps or cuts it would begin at 0 */
    struct flm_text got = read_all(in, 0);
    assert_true(flm_bytes_are(bytes(&got), "main 1\n"));
    flm_text_clear(&got);
    flm_input_close(in);
    dup2(before, STDIN_FILENO);
    close(before);
}

/* ---- What cannot be read --------------------------------------------------------------------- */

static void refuse_path(const char *path, const char *words)
{
    struct flm_error why = {0};
    assert_null(flm_input_open(path, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    if (!strstr(why.text, words))
        fail_msg("it says '%s'", why.text);
    assert_null(flm_input_open(path, NULL));
    flm_input_close(NULL);
}

static void what_cannot_be_opened_says_why(void **state)
{
    (void)state;
    refuse_path(temporary_path("absent"), "cannot be opened: No such file or directory");
    refuse_path("/", "this is a folder, not a file");
}

static void a_file_that_becomes_shorter_is_an_error(void **state)
{
    (void)state;
    struct flm_text text = lines(5000000);
    const char *path = write_temporary("shorter", bytes(&text));
    struct flm_error why = {0};
    struct flm_input *in = flm_input_open(path, &why);
    assert_int_equal(truncate(path, 2000000), 0);
    assert_false(flm_source_all(flm_input_source(in), &why));
    assert_string_equal(why.text, "became shorter while it was read");
    flm_input_close(in);
    flm_text_clear(&text);
}

static void inputs_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_text text = lines(3000000), zipped = gzipped(bytes(&text));
    const char *paths[] = {write_temporary("a", bytes(&text)),
                           write_temporary("b", bytes(&zipped))};
    for (int i = 0; i < 2; i++) {
        bool failed = true;
        for (size_t nth = 1; failed; nth++) {
            struct flm_error why = {0};
            allocation_fail_from(nth);
            struct flm_input *in = flm_input_open(paths[i], &why);
            bool good = in && flm_source_all(flm_input_source(in), &why);
            flm_input_close(in);
            failed = allocation_has_failed();
            allocation_fail_from(0);
            assert_true(good || (failed && why.kind == FLM_ERROR_MEMORY));
        }
    }
    flm_text_clear(&text);
    flm_text_clear(&zipped);
}

static void a_folder_of_perf_is_its_first_file_and_has_parts(void **state)
{
    (void)state;
    struct flm_error why;
    shell("mkdir parts other; printf PERFILE2rest > parts/data; printf one > parts/data.0; printf "
          "two > "
          "parts/data.1; mkdir parts/data.2; printf text > other/data; printf one > other/data.0");
    struct flm_input *in = flm_input_open(temporary_path("parts"), &why);
    if (!in)
        fail_msg("%s", why.text);
    static const char *const expected[] = {"one", "two"};
    for (unsigned i = 0; i < 2; i++) {
        struct flm_input *part = flm_input_open_part(in, i, &why);
        assert_non_null(part);
        struct flm_text text = read_all(part, 2);
        assert_int_equal(text.size, 3);
        assert_memory_equal(text.at, expected[i], 3);
        flm_text_clear(&text);
        flm_input_close(part);
    }
    assert_null(flm_input_open_part(in, 2, &why)); /* no file */
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_null(flm_input_open_part(in, 3, &why));
    assert_int_equal(why.kind, FLM_ERROR_NONE);
    struct flm_text text = read_all(in, 5);
    assert_int_equal(text.size, 12);
    flm_text_clear(&text);
    flm_input_close(in);
    assert_null(flm_input_open(temporary_path("other"), &why));
    assert_non_null(strstr(why.text, "this is a folder"));
    in = flm_input_open(temporary_path("parts/data"), &why);
    assert_null(flm_input_open_part(in, 0, &why)); /* a file has none */
    assert_int_equal(why.kind, FLM_ERROR_NONE);
    flm_input_close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_are_read_in_windows),
        cmocka_unit_test(a_plain_file_knows_its_size_and_can_be_mapped),
        cmocka_unit_test(a_window_holds_a_line_of_any_size),
        cmocka_unit_test(a_line_that_never_ends_is_refused),
        cmocka_unit_test(the_window_is_filled_as_far_as_asked),
        cmocka_unit_test(a_piece_is_the_bytes_from_there_to_there),
        cmocka_unit_test(gzip_is_decompressed),
        cmocka_unit_test(gzip_members_follow_each_other),
        cmocka_unit_test(every_shortened_gzip_is_refused),
        cmocka_unit_test(damaged_gzip_is_refused),
        cmocka_unit_test(zstd_is_decompressed),
        cmocka_unit_test(every_shortened_zstd_is_refused),
        cmocka_unit_test(pipes_are_read_as_they_come),
        cmocka_unit_test(slow_pipes_are_recognized_too),
        cmocka_unit_test(standard_input_is_read_from_where_it_stands),
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(a_file_that_becomes_shorter_is_an_error),
        cmocka_unit_test(inputs_survive_failed_allocations),
        cmocka_unit_test(a_folder_of_perf_is_its_first_file_and_has_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
