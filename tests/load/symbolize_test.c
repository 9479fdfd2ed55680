#include "load/symbolize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/profile/profiles.h"

/* A text of Go's counts with two addresses, both 1 behind that of main, and a map of the memory;
 * the second address is in a module that is nowhere. */
static struct flm_text counts(void)
{
    struct flm_text symbols, text = {0};
    shell("printf 'int main(void)\\n{\\n    return 0;\\n}\\n' > symbolized.c && "
          "cc -g -O0 -no-pie -o symbolized symbolized.c");
    symbols = shell_output("nm symbolized | awk '$3 == \"main\" { print $1 }'");
    flm_text_putc(&symbols, 0);
    unsigned long long address = strtoull(symbols.at, NULL, 16);
    unsigned long long page = address & ~0xFFFull;
    flm_text_format(&text,
                    "goroutine profile: total 5\n5 @ 0x%llx 0x9001\n\n--- Memory map: ---\n"
                    "%llx-%llx r-xp %llx 00:00 1 %s\n9000-a000 r-xp 0 00:00 1 /none/such.so\n",
                    address + 2, page, page + 0x1000, page - 0x400000,
                    temporary_path("symbolized"));
    flm_text_clear(&symbols);
    return text;
}

static void addresses_of_a_program_that_is_there_get_names(void **state)
{
    (void)state;
    struct flm_text text = counts();
    struct flm_error why = {0};
    struct flm_profile *p = flm_load_memory(text.at, text.size, NULL, &why);
    assert_non_null(p);
    assert_sound(p);
    char *folded = folded_of(p);
    assert_string_equal(folded, "0x9000;main 5\n");
    free(folded);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &p->frames[i];
        bool is_main = flm_bytes_are(flm_string_bytes(p, f->function), "main");
        assert_int_equal(f->flags, is_main ? 0 : FLM_FRAME_UNSYMBOLIZED);
        assert_int_equal(flm_bytes_end_with(flm_string_bytes(p, f->file), "symbolized.c"), is_main);
    }
    flm_profile_free(p);
    flm_text_clear(&text);
}

/* A file with another build id than the recorded one is another program. */
static void a_file_with_another_build_id_is_not_used(void **state)
{
    (void)state;
    struct flm_text text = counts(), other = {0};
    flm_text_add(&other, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
    char *map = NULL;
    flm_text_putc(&other, 0);
    map = strstr(other.at, "---\n");
    assert_non_null(map);
    unsigned long long start = strtoull(map + 4, NULL, 16);
    struct flm_text made = {0};
    flm_text_add(&made, (struct flm_bytes){other.at, (size_t)(map - other.at) + 4});
    flm_text_format(&made, "%llx-%llx: %s (@%llx) c0ffee00c0ffee00\n", start, start + 0x1000,
                    temporary_path("symbolized"), start - 0x400000);
    struct flm_profile *p = flm_load_memory(made.at, made.size, NULL, NULL);
    assert_non_null(p);
    char *folded = folded_of(p);
    assert_null(strstr(folded, "main"));
    free(folded);
    flm_profile_free(p);
    flm_text_clear(&made);
    flm_text_clear(&other);
}

/* A program whose functions call each other, without a fixed address. */
static const char source[] =
    "__attribute__((noinline)) int lex(int x) { return x * 3 + 1; }\\n"
    "__attribute__((noinline)) int parse(int x) { return lex(x) + lex(x + 1); }\\n"
    "int main(int argc, char **argv) { (void)argv; return parse(argc); }\\n";

static void make_program(void)
{
    shell("printf '%s' > relative.c && cc -g -O0 -fPIE -pie -Wl,--build-id -o relative relative.c",
          source);
}

static void strip_end(struct flm_text *text)
{
    while (text->size > 0 && text->at[text->size - 1] == '\n')
        text->size--;
    flm_text_putc(text, 0);
}

/* A build id as breakpad writes it: a GUID, whose first three numbers have the other order of
 * bytes, and an age. */
static void to_breakpad(const char *id, char breakpad[34])
{
    static const int order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    for (int i = 0; i < 16; i++)
        memcpy(breakpad + 2 * i, id + 2 * order[i], 2);
    memcpy(breakpad + 32, "0", 2);
}

/* What samply saves before symbols are looked up: frames are called by their addresses, relative to
 * their library. */
static struct flm_text addresses_of_samply(const uint64_t *addresses, size_t count,
                                           const char *code_id, const char *breakpad_id)
{
    struct flm_text text = {0};
    flm_text_format(&text,
                    "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":49,\"interval\":1,"
                    "\"categories\":[],\"symbolicated\":false},\"libs\":[{\"name\":\"relative\","
                    "\"debugName\":\"relative\",\"breakpadId\":\"");
    flm_text_puts(&text, breakpad_id);
    flm_text_puts(&text, "\",\"codeId\":");
    flm_text_puts(&text, code_id);
    flm_text_puts(&text, ",\"path\":\"");
    flm_text_puts(&text, temporary_path("relative"));
    flm_text_puts(&text, "\"}],\"threads\":[{\"name\":\"t\",\"pid\":\"1\",\"tid\":1,"
                         "\"resourceTable\":{\"length\":1,\"lib\":[0],\"name\":[0],\"type\":[1]},"
                         "\"stringArray\":[\"relative\"");
    for (size_t i = 0; i < count; i++)
        flm_text_format(&text, ",\"0x%llx\"", (unsigned long long)addresses[i]);
    static const char *const columns[][2] = {
        {"],\"funcTable\":{\"name\":[", "1+"},   {"],\"resource\":[", "0"},
        {"]},\"frameTable\":{\"func\":[", "i"},  {"],\"address\":[", "@"},
        {"]},\"stackTable\":{\"frame\":[", "i"}, {"],\"prefix\":[", "-"},
        {"]},\"samples\":{\"stack\":[", "i"},    {"],\"time\":[", "i"},
    };
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        flm_text_puts(&text, columns[c][0]);
        for (size_t i = 0; i < count; i++) {
            flm_text_puts(&text, i ? "," : "");
            if (columns[c][1][0] == '-')
                flm_text_puts(&text, "null");
            else
                flm_text_uint(&text, columns[c][1][0] == '1'   ? i + 1
                                     : columns[c][1][0] == '0' ? 0
                                     : columns[c][1][0] == '@' ? addresses[i]
                                                               : i);
        }
    }
    flm_text_puts(&text, "]}}]}");
    assert_false(text.failed);
    return text;
}

static const char each_address[] =
    "objdump -d relative | awk '/^[0-9a-f]+ <(main|parse|lex)>:/ { in_it = 1 } /^$/ { in_it = 0 }"
    " in_it && /^ +[0-9a-f]+:\t/ { sub(/:.*/, \"\"); print $1 }'";

static size_t addresses_of_program(uint64_t *addresses, size_t most)
{
    struct flm_text list = shell_output("%s", each_address);
    flm_text_putc(&list, 0);
    size_t count = 0;
    for (char *at = list.at; *at && count < most; at += *at == '\n')
        addresses[count++] = strtoull(at, &at, 16);
    flm_text_clear(&list);
    return count;
}

/* Every instruction of the program has the function that addr2line says. */
static void addresses_of_samply_have_the_names_of_addr2line(void **state)
{
    (void)state;
    enum { MOST = 200 };
    uint64_t addresses[MOST];
    char code_id[64], breakpad[34];
    make_program();
    size_t count = addresses_of_program(addresses, MOST);
    assert_true(count > 20);
    struct flm_text id = shell_output("readelf -n relative | awk '/Build ID/ { print $3 }'");
    strip_end(&id);
    struct flm_text wanted =
        shell_output("%s | addr2line -f -e relative | awk 'NR %% 2' | sort | uniq -c | "
                     "awk '{ print \"t;\" $2, $1 }'",
                     each_address);
    flm_text_putc(&wanted, 0);
    snprintf(code_id, sizeof code_id, "\"%s\"", id.at);
    to_breakpad(id.at, breakpad);
    for (int i = 0; i < 2; i++) {
        /* The code id is the build id; without it the breakpad id has the first half. */
        struct flm_text text =
            addresses_of_samply(addresses, count, i ? "null" : code_id, i ? breakpad : "");
        struct flm_error why = {0};
        struct flm_profile *p = flm_load_memory(text.at, text.size, NULL, &why);
        if (!p)
            fail_msg("%s", why.text);
        assert_sound(p);
        char *folded = folded_of(p);
        assert_string_equal(folded, wanted.at);
        free(folded);
        flm_profile_free(p);
        flm_text_clear(&text);
    }
    flm_text_clear(&wanted);
    flm_text_clear(&id);
}

static void addresses_of_samply_stay_without_a_file_of_that_id(void **state)
{
    (void)state;
    static const char *const ids[][2] = {
        {"\"c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00\"", ""},
        {"null", "00EEFFC000EEFFC0C0FFEE00C0FFEE000"},
        {"null", ""},
        {"null", "no id"},
    };
    uint64_t addresses[4];
    make_program();
    size_t count = addresses_of_program(addresses, 4);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct flm_text text = addresses_of_samply(addresses, count, ids[i][0], ids[i][1]);
        struct flm_profile *p = flm_load_memory(text.at, text.size, NULL, NULL);
        assert_non_null(p);
        char *folded = folded_of(p);
        assert_null(strstr(folded, "main"));
        assert_null(strstr(folded, "lex"));
        free(folded);
        flm_profile_free(p);
        flm_text_clear(&text);
    }
}

static void a_profile_with_names_stays_as_it_is(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;parse 5\n");
    assert_ptr_equal(flm_symbolize(p, &(struct flm_load_options){0}, NULL), p);
    flm_profile_free(p);
}

/* A function with an inlined one, recorded without its debug information: the symbol alone, and no
 * name at all. Its file has the `id` of the recording, if that is given. */
static struct flm_profile *recorded_without_lines(const char *id)
{
    shell("printf 'static inline __attribute__((always_inline)) int twice(int x)\\n{\\n    "
          "return x * x;\\n}\\nint work(int x)\\n{\\n    return "
          "twice(x);\\n}\\nint main(int c, char **v)\\n{\\n    (void)v;\\n    return "
          "work(c);\\n}\\n' > late.c && cc -O1 -fno-ipa-icf -g -Wl,--build-id -o late.whole late.c "
          "&& "
          "rm -rf late.d && mkdir late.d && objcopy --only-keep-debug late.whole "
          "late.d/late.debug && strip -o late late.whole && "
          "id=$(readelf -n late.whole | sed -n 's/.*Build ID: //p') && rest=${id#??} && "
          "mkdir -p late.d/.build-id/${id%%%%$rest} && "
          "mv late.d/late.debug late.d/.build-id/${id%%%%$rest}/$rest.debug");
    struct flm_text symbol =
        shell_output("objdump -d late.whole | awk '/^[0-9a-f]+ <work>:/ { is_in = 1 } "
                     "is_in && /mul/ { print $1; exit }'");
    struct flm_text note = {0};
    strip_end(&symbol);
    uint64_t address = strtoull(symbol.at, NULL, 16);
    struct flm_text found =
        shell_output("readelf -n late.whole | sed -n 's/.*Build ID: //p' | tr -d '\\n'");
    strip_end(&found);
    flm_text_format(&note, "id=%s", id ? id : found.at);
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    const char *path = temporary_path("late");
    static const char *const names[] = {"work", "late+0x1130", "in_code"};
    for (uint32_t i = 0; i < 3; i++) {
        const struct flm_frame_record record = {
            .function = flm_builder_string(b, names[i], strlen(names[i])).index,
            .module = flm_builder_string(b, path, strlen(path)).index,
            .kind = i == 2 ? FLM_KIND_INTERPRETED : FLM_KIND_NATIVE,
            .flags = i == 1 ? FLM_FRAME_UNSYMBOLIZED : 0,
            .address = i == 1 ? address : 0};
        const struct flm_location where = {.address = address + (i == 1 ? 1 : 0)};
        struct flm_frame frame = flm_builder_frame_at(b, flm_builder_frame(b, &record), &where);
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame),
                        flm_builder_metric(b, "cpu", "ns"), i + 1);
    }
    struct flm_text key = {0};
    flm_text_format(&key, "mapped %s", path);
    flm_text_putc(&key, 0);
    flm_builder_note(b, key.at, note.at, note.size);
    flm_builder_note(b, FLM_NOTE_UNSYMBOLIZED "late", "it is stripped", 14);
    flm_builder_note(b, FLM_NOTE_UNSYMBOLIZED "other", "it is stripped", 14);
    flm_text_clear(&key);
    flm_text_clear(&note);
    flm_text_clear(&found);
    flm_text_clear(&symbol);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

/* "work;twice_[i] 3"; and whether what is machine code has lines then. */
static void assert_again(struct flm_profile *p, const char *folder, const char *expected,
                         bool have_lines)
{
    char path[600];
    snprintf(path, sizeof path, "%s", temporary_path(folder));
    const char *const folders[] = {path};
    struct flm_profile *again = flm_symbolize_again(
        p, &(struct flm_load_options){.symbol_dirs = folders, .symbol_dir_count = 1}, NULL);
    assert_non_null(again);
    assert_sound(again);
    char *folded = folded_of(again);
    assert_string_equal(folded, expected);
    free(folded);
    uint32_t lacking = 0, count = again->sizes.location_count;
    for (uint32_t i = 0; i < count; i++)
        lacking += flm_location_at(again, i).line == 0;
    assert_int_equal(lacking, have_lines ? 1 : count); /* that of in_code */
    /* Why it had none is not said of a module that has. */
    assert_int_equal(flm_profile_note_named(again, FLM_NOTE_UNSYMBOLIZED "late").size > 0,
                     !have_lines);
    assert_true(flm_profile_note_named(again, FLM_NOTE_UNSYMBOLIZED "other").size > 0);
    flm_profile_free(again);
}

static void a_recording_gets_the_lines_of_debug_information_that_came_later(void **state)
{
    (void)state;
    assert_again(recorded_without_lines(NULL), "late.d", "in_code_[0] 3\nwork;twice_[i] 3\n", true);
}

static void a_recording_of_another_build_stays_as_it_is(void **state)
{
    (void)state;
    assert_again(recorded_without_lines("c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"), "late.d",
                 "in_code_[0] 3\nlate+0x1130 2\nwork 1\n", false);
    assert_again(recorded_without_lines(NULL), ".", "in_code_[0] 3\nlate+0x1130 2\nwork 1\n",
                 false);
}

static bool load_with_little_memory(void *context, struct flm_error *why)
{
    const struct flm_text *text = context;
    struct flm_profile *p = flm_load_memory(text->at, text->size, NULL, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_text text = counts();
    assert_true(assert_survives_failures(load_with_little_memory, &text) > 30);
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_a_program_that_is_there_get_names),
        cmocka_unit_test(a_file_with_another_build_id_is_not_used),
        cmocka_unit_test(addresses_of_samply_have_the_names_of_addr2line),
        cmocka_unit_test(addresses_of_samply_stay_without_a_file_of_that_id),
        cmocka_unit_test(a_profile_with_names_stays_as_it_is),
        cmocka_unit_test(a_recording_gets_the_lines_of_debug_information_that_came_later),
        cmocka_unit_test(a_recording_of_another_build_stays_as_it_is),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
