#include "format/folded/folded.h"
#include "format/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/number/number.h"
#include "profile/internal.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/core/windows.h"
#include "support/profile/profiles.h"

/* ---- The plainest reader: each line for itself ----------------------------------------------- */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* The number behind the last blank of [start, *end), which moves before it. */
static enum flm_number_kind take_value(const char *start, const char **end, double *value)
{
    const char *word = *end;
    while (word > start && !is_blank(word[-1]))
        word--;
    if (word == start)
        return FLM_NUMBER_NONE;
    enum flm_number_kind kind =
        flm_number_parse((struct flm_bytes){word, (size_t)(*end - word)}, value);
    while (word > start && is_blank(word[-1]))
        word--;
    *end = word;
    return kind;
}

static bool stands_for_an_address(struct flm_bytes name)
{
    char text[100] = "";
    if (name.size >= sizeof text)
        return false;
    memcpy(text, name.at, name.size);
    bool in_brackets = name.size > 2 && text[0] == '[' && text[name.size - 1] == ']';
    return strcmp(text, "[unknown]") == 0 ||
           (in_brackets && (text[1] == '[' || strstr(text, ".so"))) ||
           (name.size > 2 && strncmp(text, "0x", 2) == 0 &&
            strspn(text + 2, "0123456789abcdefABCDEF") == name.size - 2);
}

static struct flm_frame frame_of(struct flm_builder *b, const char *at, size_t size, bool *marked)
{
    static const char letters[] = "kij10wg";
    static const uint32_t kinds[] = {FLM_KIND_KERNEL,    FLM_KIND_INLINED,     FLM_KIND_JIT,
                                     FLM_KIND_JIT_TIER1, FLM_KIND_INTERPRETED, FLM_KIND_WAKER,
                                     FLM_KIND_GPU};
    struct flm_frame_record record = {0};
    const char *letter = size >= 4 && memcmp(at + size - 4, "_[", 2) == 0 && at[size - 1] == ']'
                             ? memchr(letters, at[size - 2], sizeof letters - 1)
                             : NULL;
    if (letter) {
        record.kind = kinds[letter - letters];
        size -= 4;
        *marked = true;
    }
    record.function = flm_builder_string(b, at, size).index;
    if (stands_for_an_address((struct flm_bytes){at, size}))
        record.flags = FLM_FRAME_UNSYMBOLIZED;
    return flm_builder_frame(b, &record);
}

/* Lenient: what cannot be kept is counted. NULL when no line has a value, but some should. */
static struct flm_profile *read_plainly(struct flm_bytes text, int columns)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric[2];
    bool marked = false, anything = false, malformed = false;
    if (columns == 2)
        metric[1] = flm_builder_metric(b, "after", "samples");
    metric[0] = flm_builder_metric(b, columns == 2 ? "before" : "samples", "samples");
    const char *at = text.at ? text.at : "", *all_end = at + text.size;
    for (uint64_t line = 1; at < all_end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(all_end - at));
        const char *start = at, *end = newline ? newline : all_end, *name = end;
        at = newline ? newline + 1 : all_end;
        if (start == end || *start == '#')
            continue;
        while (name > start && name[-1] != ';')
            name--;
        while (end > name && is_blank(end[-1]))
            end--;
        double value[2] = {0};
        enum flm_number_kind kind = take_value(name, &end, &value[columns - 1]);
        if (columns == 2 && kind != FLM_NUMBER_NONE && kind != FLM_NUMBER_SPECIAL &&
            value[1] >= 0 && value[1] < FLM_EXACT_LIMIT)
            kind = take_value(name, &end, &value[0]);
        if (kind == FLM_NUMBER_NONE) {
            bool blank = true;
            for (const char *k = start; k < (newline ? newline : all_end); k++)
                blank = blank && is_blank(*k);
            if (!blank)
                flm_builder_lost(b, "lines without a value", "line", line, 1);
            malformed = malformed || !blank;
            continue;
        }
        if (kind == FLM_NUMBER_SPECIAL || !(value[0] >= 0 && value[0] < FLM_EXACT_LIMIT) ||
            !(value[1] >= 0 && value[1] < FLM_EXACT_LIMIT)) {
            flm_builder_lost(b, "lines with a value that cannot be used", "line", line, 1);
            continue;
        }
        anything = true;
        if (value[0] == 0 && value[1] == 0)
            continue;
        struct flm_node node = flm_builder_root(b);
        for (const char *k = start; k < end || k == name || name > k;) {
            if (start == name && end == start)
                break; /* the empty stack */
            const char *stop = k;
            while (stop < end && *stop != ';')
                stop++;
            node = flm_builder_child(b, node, frame_of(b, k, (size_t)(stop - k), &marked));
            if (k == name)
                break;
            k = stop + 1;
        }
        for (int i = 0; i < columns; i++)
            flm_builder_add(b, node, metric[i], value[i]);
    }
    if (marked)
        flm_builder_note(b, FLM_NOTE_ANNOTATED, "1", 1);
    if (!anything && malformed) {
        flm_builder_free(b);
        return NULL;
    }
    return flm_builder_finish(b, NULL);
}

/* ---- The reader ------------------------------------------------------------------------------ */

static struct flm_profile *read_source(struct flm_source *source,
                                       const struct flm_read_options *options,
                                       struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (b && flm_format_folded.read(source, options, b, why))
        return flm_builder_finish(b, why);
    flm_builder_free(b);
    return NULL;
}

/* In a block of exactly its size. */
static struct flm_profile *read_whole(struct flm_bytes text, const struct flm_read_options *options,
                                      struct flm_error *why)
{
    char *block = malloc(text.size + (text.size == 0));
    assert_non_null(block);
    if (text.size)
        memcpy(block, text.at, text.size);
    struct flm_source source = flm_source_of((struct flm_bytes){block, text.size});
    struct flm_profile *p = read_source(&source, options, why);
    free(block);
    return p;
}

static struct flm_profile *read_in_windows(struct flm_bytes text, size_t step,
                                           const struct flm_read_options *options,
                                           struct flm_error *why)
{
    struct windows w;
    windows_init(&w, text, step);
    struct flm_profile *p = read_source(&w.source, options, why);
    windows_clear(&w);
    return p;
}

/* However it comes, it is the same profile or the same error. Returns the profile. */
static struct flm_profile *read_every_way(struct flm_bytes text,
                                          const struct flm_read_options *options)
{
    static const size_t steps[] = {1, 2, 7, 64, 0};
    struct flm_error why = {0};
    struct flm_profile *whole = read_whole(text, options, &why);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct flm_error why_here = {0};
        struct flm_profile *p = read_in_windows(text, steps[i], options, &why_here);
        if (!p != !whole)
            fail_msg("%.*s: step %zu: %s", (int)text.size, text.at, steps[i], why_here.text);
        if (p) {
            assert_profiles_equal(whole, p);
        } else {
            assert_string_equal(why.text, why_here.text);
            assert_int_equal(why.line, why_here.line);
        }
        flm_profile_free(p);
    }
    return whole;
}

static void agrees(struct flm_bytes text, int columns)
{
    struct flm_read_options lenient = {.lenient = true, .columns = columns};
    struct flm_profile *p = read_every_way(text, &lenient);
    struct flm_profile *plain = read_plainly(text, columns);
    if (!p != !plain)
        fail_msg("%.*s: it is %s", (int)text.size, text.at, p ? "read" : "refused");
    if (p) {
        assert_profiles_equal(p, plain);
        assert_sound(p);
    }
    flm_profile_free(p);
    flm_profile_free(plain);
}

static void reads(const char *text, const char *expected)
{
    struct flm_error why = {0};
    struct flm_profile *p = read_whole(flm_bytes_of(text), &(struct flm_read_options){0}, &why);
    if (!p)
        fail_msg("%s: %s", text, why.text);
    assert_folded(p, expected);
    flm_profile_free(p);
    agrees(flm_bytes_of(text), 1);
}

/* ---- What is read ---------------------------------------------------------------------------- */

static void a_line_is_a_stack_and_its_value(void **state)
{
    (void)state;
    reads("main;read 10\nmain 2\n", "main 2\nmain;read 10\n");
    reads("main;read 10\nmain;read 5\nmain;read 1", "main;read 16\n");
    reads("single 9\n", "single 9\n");
    reads(" 12\nmain 1\n", " 12\nmain 1\n"); /* the empty stack */
    reads("", "");
    reads("\n\n", "");
}

static void names_may_hold_anything_but_their_separators(void **state)
{
    (void)state;
    reads("main;operator new(unsigned long) 7\n", "main;operator new(unsigned long) 7\n");
    reads("a b c;d e 1\n", "a b c;d e 1\n");
    reads("main;\xC3\xBCn\xC3\xAF;\xF0\x9F\x94\xA5 8\n",
          "main;\xC3\xBCn\xC3\xAF;\xF0\x9F\x94\xA5 8\n");
    reads("main;\xFF\xFE 8\n", "main;\xFF\xFE 8\n");
    reads("main;a.b(Foo.java:12) 3\n", "main;a.b(Foo.java:12) 3\n");
    reads("a#b 1\nx;#c 2\n", "a#b 1\nx;#c 2\n");
}

static void names_may_be_empty(void **state)
{
    (void)state;
    reads("main;;b 1\n", "main;;b 1\n");
    reads(";main 1\n", ";main 1\n");
    reads("main; 1\n", "main; 1\n");
    reads("; 1\n", "; 1\n");
    reads(";; 2\n;; 3\n;;x 1\n", ";; 5\n;;x 1\n");
}

static void values_are_integers_and_fractions(void **state)
{
    (void)state;
    reads("a 0.5\na 1.25\n", "a 1.75\n");
    reads("a 1e3\n", "a 1000\n");
    reads("a +7\n", "a 7\n");
    reads("a 007\n", "a 7\n");
    reads("a 9007199254740991\n", "a 9007199254740991\n");
    reads("a 123456789012345\nb 1234567890123456\n", "a 123456789012345\nb 1234567890123456\n");
    reads("a 0\nb 0.0\nc -0\nd 1\n", "d 1\n");
}

static void blanks_around_the_value_do_not_count(void **state)
{
    (void)state;
    reads("main;trailing 7   \n", "main;trailing 7\n");
    reads("main;padded     7\n", "main;padded 7\n");
    reads("main;tab\t7\n", "main;tab 7\n");
    reads("\tmain;leading 2\n", "\tmain;leading 2\n");
}

static void line_ends_of_other_systems_do_not_count(void **state)
{
    (void)state;
    reads("a;b 3\r\na;c 4\r\n\r\na;d 5", "a;b 3\na;c 4\na;d 5\n");
    reads("a;b 3\r\na;b 4\n", "a;b 7\n");
}

static void comments_are_skipped(void **state)
{
    (void)state;
    reads("# austin: 3.7.0\n# duration: 12345\n\na 2\n#b 3\n", "a 2\n");
    reads("a;b 1\n# a;b 2\na;b 4\n", "a;b 5\n");
}

static void marks_behind_names_are_kinds(void **state)
{
    (void)state;
    struct flm_profile *p =
        profile_of("main;k_[k];i_[i];j_[j];t_[1];s_[0];w_[w];g_[g];x_[x];y_[kk];_[k] 1\n");
    static const uint32_t kinds[] = {0,
                                     FLM_KIND_KERNEL,
                                     FLM_KIND_INLINED,
                                     FLM_KIND_JIT,
                                     FLM_KIND_JIT_TIER1,
                                     FLM_KIND_INTERPRETED,
                                     FLM_KIND_WAKER,
                                     FLM_KIND_GPU,
                                     0,
                                     0,
                                     FLM_KIND_KERNEL};
    for (uint32_t i = 0; i < 11; i++)
        assert_int_equal(p->frames[p->node_frame[i + 1]].kind, kinds[i]);
    assert_true(flm_bytes_are(flm_frame_function(p, p->node_frame[9]), "x_[x]"));
    assert_true(flm_bytes_are(flm_frame_function(p, p->node_frame[11]), ""));
    assert_int_equal(p->sizes.note_count, 1);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->notes[0].key), FLM_NOTE_ANNOTATED));
    flm_profile_free(p);
    p = profile_of("main;x_[x] 1\n");
    assert_int_equal(p->sizes.note_count, 0);
    flm_profile_free(p);
    reads("a_[k] 1\na 2\na_[k];b 3\n", "a 2\na_[k] 1\na_[k];b 3\n");
}

static void names_that_stand_for_addresses_are_marked(void **state)
{
    (void)state;
    static const char *const names[] = {"[unknown]", "0x7f12aB", "[libc.so.6]", "[[vdso]]", "[.so]",
                                        /* and those that do not */
                                        "[kernel]", "0x", "0xg", "0x12 ", "x0x12", "[]", "[[]",
                                        "[libc.so.6", "libc.so.6", "unknown", "0", "[unknown] "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[100];
        snprintf(line, sizeof line, "%s;x 1\n", names[i]);
        struct flm_profile *p = profile_of(line);
        assert_int_equal(p->frames[p->node_frame[1]].flags,
                         i < 5 || strcmp(names[i], "[[]") == 0 ? FLM_FRAME_UNSYMBOLIZED : 0);
        flm_profile_free(p);
        agrees(flm_bytes_of(line), 1);
    }
}

static void marks_and_letters_belong_together(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++) {
        char mark = flm_folded_mark(kind);
        if (mark)
            assert_int_equal(flm_folded_kind(mark), kind);
    }
    assert_int_equal(flm_folded_mark(FLM_KIND_PLAIN), 0);
    assert_int_equal(flm_folded_kind('x'), FLM_KIND_COUNT);
    assert_int_equal(flm_folded_kind(0), FLM_KIND_COUNT);
}

static void two_values_are_before_and_after(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("main;a 40 44\nmain;b 0 3\nmain;c 2 0\nmain;a 1 1\n");
    char *text = described(p);
    assert_non_null(strstr(text, "metric \"after\" in \"samples\"\nmetric \"before\" in"));
    assert_non_null(strstr(text, "\"a\" plain 45 41\n"));
    assert_non_null(strstr(text, "\"b\" plain 3 0\n"));
    assert_non_null(strstr(text, "\"c\" plain 0 2\n"));
    free(text);
    flm_profile_free(p);
    agrees(flm_bytes_of("a;b 1 2\na;b 3\na;b  4   5\n# 1 2\n;; 1 2\n 3 4\na;b 1;2 3\n"), 2);
}

static int columns_of(const char *head)
{
    struct flm_read_options options = {0};
    flm_format_folded.prepare(flm_bytes_of(head), &options);
    return options.columns;
}

static void two_columns_are_those_that_every_line_has(void **state)
{
    (void)state;
    assert_int_equal(columns_of("a 1 2\nb 3 4\n"), 2);
    assert_int_equal(columns_of("a 1 2\n# x\n\nb 3 4\n"), 2);
    assert_int_equal(columns_of("a 1 2 3\nb 3 4\n"), 2);
    assert_int_equal(columns_of("thread 1 5\nmain 3\n"), 1);
    assert_int_equal(columns_of("a 1\n"), 1);
    assert_int_equal(columns_of(""), 1);
    assert_int_equal(columns_of("a 1 2\nb 3"), 2); /* the last line may be cut off */
    struct flm_read_options asked = {.columns = 1};
    flm_format_folded.prepare(flm_bytes_of("a 1 2\n"), &asked);
    assert_int_equal(asked.columns, 1);
}

/* ---- What is refused, and what is counted ---------------------------------------------------- */

static void refuses(const char *text, enum flm_error_kind kind, uint64_t line, const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p = read_whole(flm_bytes_of(text), &(struct flm_read_options){0}, &why);
    if (p || why.kind != kind || why.line != line || !strstr(why.text, words))
        fail_msg("%s: line %llu, %s", text, (unsigned long long)why.line,
                 p ? "it is read" : why.text);
    assert_null(read_every_way(flm_bytes_of(text), &(struct flm_read_options){0}));
}

static void values_that_cannot_be_kept_are_refused_with_their_line(void **state)
{
    (void)state;
    refuses("a 1\nb -3\n", FLM_ERROR_RANGE, 2, "line 2: the value '-3' is negative");
    refuses("a nan\n", FLM_ERROR_RANGE, 1, "is not a finite number");
    refuses("a 1\n\n# c\na;b inf\n", FLM_ERROR_RANGE, 4, "is not a finite number");
    refuses("a 1e999\n", FLM_ERROR_RANGE, 1, "is not a finite number");
    refuses("a 1\r\na 2\r\na 9007199254740993\r\n", FLM_ERROR_RANGE, 3, "is 2^53 or more");
    refuses("a 9223372036854775808", FLM_ERROR_RANGE, 1, "is 2^53 or more");
    refuses("a 9007199254740991\na 1\na 1\n", FLM_ERROR_RANGE, 0, "sum to 2^53 or more");
}

static void a_text_without_any_value_is_refused(void **state)
{
    (void)state;
    refuses("a;b\n", FLM_ERROR_FORMAT, 1, "no value after the stack in 'a;b'");
    refuses("# x\n\nnothing here\nmain;read\n", FLM_ERROR_FORMAT, 3, "no other line has one");
    refuses("12\n", FLM_ERROR_FORMAT, 1, "'12'");
    refuses("a;5\n", FLM_ERROR_FORMAT, 1, "'a;5'");
}

static void the_lenient_count_what_they_skip(void **state)
{
    (void)state;
    static const char text[] = "a 1\nb -3\nc nan\nd\nd;e\n\nd 2x\na 1e20\n";
    struct flm_read_options lenient = {.lenient = true};
    struct flm_profile *p = read_every_way(flm_bytes_of(text), &lenient);
    assert_folded(p, "a 1\n");
    char *described_text = described(p);
    assert_non_null(strstr(described_text, "lost 3 \"lines with a value that cannot be used\" at "
                                           "\"line 2\"\nlost 3 \"lines without a value\" at "
                                           "\"line 4\"\n"));
    free(described_text);
    flm_profile_free(p);
    agrees(flm_bytes_of(text), 1);
}

static void lines_without_a_value_are_counted_always(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;nocount\na 1\n5\n");
    assert_int_equal(p->sizes.loss_count, 1);
    assert_true(p->losses[0].count == 2);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->losses[0].where), "line 1"));
    flm_profile_free(p);
}

static void differences_may_be_negative_when_asked(void **state)
{
    (void)state;
    struct flm_read_options negative = {.allow_negative = true};
    struct flm_profile *p = read_every_way(flm_bytes_of("a;b -3\na 4\na;c -1.5\n"), &negative);
    assert_folded(p, "a 4\na;b -3\na;c -1.5\n");
    flm_profile_free(p);
    struct flm_error why = {0};
    assert_null(read_whole(flm_bytes_of("a -9007199254740994\n"), &negative, &why));
    assert_int_equal(why.line, 1);
}

static void the_file_of_edge_cases_is_read(void **state)
{
    (void)state;
    struct flm_text text = read_file("tests/data/folded/edge-cases.folded");
    struct flm_bytes all = {text.at, text.size};
    assert_null(read_every_way(all, &(struct flm_read_options){0}));
    agrees(all, 1);
    struct flm_read_options lenient = {.lenient = true};
    struct flm_profile *p = read_every_way(all, &lenient);
    assert_folded(p,
                  "\tmain;leadingtab 2\n"
                  ";leadingsemi 1\n"
                  "main;;emptyframe 1\n"
                  "main;<b>&amp;\"'</b> 2\n"
                  "main;a.b.c(Foo.java:12) 3\n"
                  "main;a;b 5\n"
                  "main;exp 1000\n"
                  "main;frac 1.75\n"
                  "main;kern_[k];jit_[j];inl_[i];wait_[w] 6\n"
                  "main;name with spaces;x y z 4\n"
                  "main;operator<<(std::ostream&, int) 1\n"
                  "main;trailing 7\n"
                  "main;trailingsemi; 1\n"
                  "main;\xC3\xBCn\xC3\xAF;\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E;\xF0\x9F\x94\xA5 8\n"
                  "single 9\n");
    flm_profile_free(p);
    flm_text_clear(&text);
}

/* ---- However it comes ------------------------------------------------------------------------ */

static void every_shortened_copy_is_read_or_refused_like_by_the_plain_reader(void **state)
{
    (void)state;
    struct flm_text text = read_file("tests/data/folded/edge-cases.folded");
    for (size_t size = 0; size <= text.size; size++) {
        agrees((struct flm_bytes){text.at, size}, 1);
        agrees((struct flm_bytes){text.at, size}, 2);
    }
    flm_text_clear(&text);
}

/* Lines that share their beginnings, as sorted files have them, with odd ones between. */
static struct flm_text random_text(uint64_t *random, unsigned lines)
{
    static const char *const names[] = {
        "main",      "ma",   "main()",         "a b",   "",      "x_[k]", "_[i]",
        "f",         "f1",   "\xFF",           "f 1 2", "#hash", "\t",    "a\rb",
        "[unknown]", "0x1F", "[libc.so.6]_[k]"};
    static const char *const ends[] = {" 1",   " 23",  " 0",   " 1.5",  "",
                                       " x",   "  7 ", " -1",  " 4 5",  "\t8",
                                       " 9\r", " nan", " 1e2", " 1e99", ";"};
    struct flm_text text = {0};
    unsigned path[30], depth = 0;
    for (unsigned line = 0; line < lines; line++) {
        unsigned shared = random_below(random, depth + 1);
        depth = shared + random_below(random, random_below(random, 10) ? 3 : 25);
        depth = depth < 30 ? depth : 30;
        for (unsigned i = shared; i < depth; i++)
            path[i] = random_below(random, random_below(random, 3) ? 3 : 17);
        for (unsigned i = 0; i < depth; i++) {
            flm_text_puts(&text, names[path[i]]);
            if (i + 1 < depth)
                flm_text_putc(&text, ';');
        }
        flm_text_puts(&text, ends[random_below(random, random_below(random, 3) ? 2 : 15)]);
        if (random_below(random, 30))
            flm_text_putc(&text, '\n');
        if (random_below(random, 20) == 0)
            flm_text_puts(&text, random_below(random, 2) ? "# a comment 3\n" : "\n");
    }
    return text;
}

static void texts_by_chance_agree_with_the_plain_reader(void **state)
{
    (void)state;
    uint64_t random = 101;
    for (int round = 0; round < 400; round++) {
        struct flm_text text = random_text(&random, random_below(&random, 60));
        agrees((struct flm_bytes){text.at, text.size}, 1 + round % 2);
        flm_text_clear(&text);
    }
}

static void a_line_of_100000_frames_is_read(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (int line = 0; line < 3; line++) {
        for (int i = 0; i < 100000; i++)
            flm_text_puts(&text, i == 99999 - line ? "z" : "f;");
        flm_text_puts(&text, line == 1 ? " \n" : " 1\n");
    }
    struct flm_read_options options = {0};
    struct flm_profile *p = read_whole((struct flm_bytes){text.at, text.size}, &options, NULL);
    assert_non_null(p);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 2);
    flm_profile_free(p);
    p = read_in_windows((struct flm_bytes){text.at, text.size}, 65536, &options, NULL);
    assert_non_null(p);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void a_stack_without_end_is_refused(void **state)
{
    (void)state;
    struct flm_text text = {0};
    struct flm_error why = {0};
    flm_text_puts(&text, "main 1\n");
    flm_text_repeat(&text, ';', ((size_t)1 << 22) + 10);
    flm_text_puts(&text, " 1\n");
    struct flm_bytes all = {text.at, text.size};
    assert_null(read_whole(all, &(struct flm_read_options){.lenient = true}, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_int_equal(why.line, 2);
    flm_text_clear(&text);
}

/* ---- Recognizing it, cutting it -------------------------------------------------------------- */

static int sniff(const char *head, bool whole)
{
    return flm_format_folded.sniff(flm_bytes_of(head), whole);
}

static void folded_text_is_recognized(void **state)
{
    (void)state;
    assert_true(sniff("main;read 10\n", true) >= 30);
    assert_true(sniff("main;read 10\nmain;wri", false) >= 30);
    assert_true(sniff("main;a;very;long;line;that;is;cut", false) >= 30);
    assert_true(sniff("main 10\n", true) >= 5);
    assert_true(sniff("# c\n\nmain;x 1 2\n", true) >= 30);
    assert_true(sniff("main;x 1\n\nnothing\n", true) >= 5);
    assert_true(sniff("a;b\n", true) > 0 && sniff("a;b\n", true) < 5);
    assert_int_equal(sniff("nothing here\n", true), 0);
    assert_int_equal(sniff("", true), 0);
    assert_int_equal(sniff("# only\n# comments\n", true), 0);
}

static void a_cut_is_behind_a_line(void **state)
{
    (void)state;
    struct flm_bytes all = flm_bytes_of("ab 1\ncd 2\nef 3");
    static const size_t expected[] = {5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 14, 14, 14, 14};
    for (size_t at = 0; at < all.size; at++)
        assert_int_equal(flm_format_folded.cut(all, at), expected[at]);
}

/* ---- Progress and memory --------------------------------------------------------------------- */

struct told {
    uint64_t bytes, stop_at;
    int calls;
};

static bool tell(void *context, uint64_t bytes)
{
    struct told *told = context;
    assert_true(bytes >= told->bytes);
    told->bytes = bytes;
    told->calls++;
    return bytes < told->stop_at;
}

static void progress_is_told_and_may_stop_it(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (int i = 0; i < 600000; i++)
        flm_text_puts(&text, "main;read;copy 10\n");
    struct flm_error why = {0};
    struct told told = {.stop_at = UINT64_MAX};
    struct flm_source source = flm_source_of((struct flm_bytes){text.at, text.size});
    source.progress = tell;
    source.progress_context = &told;
    struct flm_profile *p = read_source(&source, &(struct flm_read_options){0}, &why);
    assert_non_null(p);
    assert_int_equal(told.bytes, text.size);
    assert_true(told.calls >= 3);
    flm_profile_free(p);

    told = (struct told){.stop_at = 5000000};
    source = flm_source_of((struct flm_bytes){text.at, text.size});
    source.progress = tell;
    source.progress_context = &told;
    assert_null(read_source(&source, &(struct flm_read_options){0}, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_true(told.bytes < text.size);
    flm_text_clear(&text);
}

static bool read_some(void *context, struct flm_error *why)
{
    struct flm_bytes *text = context;
    struct flm_profile *p =
        read_in_windows(*text, 500, &(struct flm_read_options){.lenient = true}, why);
    flm_profile_free(p);
    return p != NULL;
}

static void reading_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 102;
    struct flm_text text = random_text(&random, 150);
    struct flm_bytes all = {text.at, text.size};
    assert_true(assert_survives_failures(read_some, &all) > 40);
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_stack_and_its_value),
        cmocka_unit_test(names_may_hold_anything_but_their_separators),
        cmocka_unit_test(names_may_be_empty),
        cmocka_unit_test(values_are_integers_and_fractions),
        cmocka_unit_test(blanks_around_the_value_do_not_count),
        cmocka_unit_test(line_ends_of_other_systems_do_not_count),
        cmocka_unit_test(comments_are_skipped),
        cmocka_unit_test(marks_behind_names_are_kinds),
        cmocka_unit_test(names_that_stand_for_addresses_are_marked),
        cmocka_unit_test(marks_and_letters_belong_together),
        cmocka_unit_test(two_values_are_before_and_after),
        cmocka_unit_test(two_columns_are_those_that_every_line_has),
        cmocka_unit_test(values_that_cannot_be_kept_are_refused_with_their_line),
        cmocka_unit_test(a_text_without_any_value_is_refused),
        cmocka_unit_test(the_lenient_count_what_they_skip),
        cmocka_unit_test(lines_without_a_value_are_counted_always),
        cmocka_unit_test(differences_may_be_negative_when_asked),
        cmocka_unit_test(the_file_of_edge_cases_is_read),
        cmocka_unit_test(every_shortened_copy_is_read_or_refused_like_by_the_plain_reader),
        cmocka_unit_test(texts_by_chance_agree_with_the_plain_reader),
        cmocka_unit_test(a_line_of_100000_frames_is_read),
        cmocka_unit_test(a_stack_without_end_is_refused),
        cmocka_unit_test(folded_text_is_recognized),
        cmocka_unit_test(a_cut_is_behind_a_line),
        cmocka_unit_test(progress_is_told_and_may_stop_it),
        cmocka_unit_test(reading_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
