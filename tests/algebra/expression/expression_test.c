#include "algebra/expression/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/operations.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

enum { NOTE_SIZE = 200 };

static const char *const folded = "main;parse;read 1\n"
                                  "main;parse;parse;copy 2\n"
                                  "main;a|b 4\n"
                                  "main;say \"hi\" 8\n"
                                  "idle 16\n";

static struct flm_profile *apply(const struct flm_profile *p, const char *expression, char *note)
{
    struct flm_error why = {0};
    struct flm_profile *result = flm_apply(p, expression, note, &why);
    if (!result)
        fail_msg("%s: %s", expression, why.text);
    assert_sound(result);
    return result;
}

/* What an expression makes of the stacks above. */
static void gives(const char *expression, const char *expected)
{
    char note[NOTE_SIZE];
    struct flm_profile *p = profile_of(folded), *q = apply(p, expression, note);
    char *text = folded_of(q);
    if (strcmp(text, expected) != 0)
        fail_msg("%s gives\n%s", expression, text);
    if (note[0])
        fail_msg("%s: %s", expression, note);
    free(text);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void every_operation_has_a_text(void **state)
{
    (void)state;
    gives("focus:parse", "parse;parse;copy 2\nparse;read 1\n");
    gives("hide:parse", "idle 16\nmain;a|b 4\nmain;copy 2\nmain;read 1\nmain;say \"hi\" 8\n");
    gives("keep:parse", "main;parse;parse;copy 2\nmain;parse;read 1\n");
    gives("drop:main", "idle 16\n");
    gives("prune:main", "idle 16\nmain 15\n");
    gives("by:kind", "plain 31\n");
    gives("invert", "a|b;main 4\ncopy;parse;parse;main 2\nidle 16\nread;parse;main 1\n"
                    "say \"hi\";main 8\n");
    gives("collapse:direct | focus:parse", "parse;copy 2\nparse;read 1\n");
    gives("collapse:any | focus:parse", "parse;copy 2\nparse;read 1\n");
    gives("depth:1", "idle 16\nmain 15\n");
    gives("metric:samples | keep:idle", "idle 16\n");
}

static void operations_are_carried_out_from_left_to_right(void **state)
{
    (void)state;
    gives("focus:parse | hide:parse", "copy 2\nread 1\n");
    gives("keep:parse|invert|depth:1", "copy 2\nread 1\n");
    gives("depth:1 | invert | depth:1 | drop:idle", "main 15\n");
}

static void blanks_do_not_count(void **state)
{
    (void)state;
    gives("  keep :  idle\t", "idle 16\n");
    gives("\nkeep:idle\n|\n depth:1\n", "idle 16\n");
}

static void a_bar_in_quotes_or_slashes_divides_nothing(void **state)
{
    (void)state;
    gives("keep:\"a|b\"", "main;a|b 4\n");
    gives("keep:\"a|b\" | focus:\"a|b\"", "a|b 4\n");
    gives("keep: \"a|b\" |depth:1", "main 4\n");
    gives("keep:function=\"a|b\"|depth:1", "main 4\n");
    gives("keep:/a.b|idle/", "idle 16\nmain;a|b 4\n");
    gives("keep:/a[|]b|x/ | depth:1", "main 4\n");
    gives("keep:/IDLE|x/i | depth:1", "idle 16\n");
    gives("keep:function=/idle|x/ | depth:1", "idle 16\n");
    gives("keep:/a\\|b/|depth:1", "main 4\n");
}

static void a_bar_in_a_rule_divides_nothing(void **state)
{
    (void)state;
    gives("keep:idle | rename:s/x|idle/i|j/", "i|j 16\n");
    gives("keep:idle|rename: s,idle,a\\,|b,gi |depth:1", "a,|b 16\n");
    gives("keep:idle|rename:function=s/idle/|/|rename:s/[|]/bar/", "bar 16\n");
}

static void quotes_and_slashes_elsewhere_are_text(void **state)
{
    (void)state;
    gives("keep:say \"hi\" | depth:1", "main 8\n");
    gives("keep:\"say \"hi\"\" | depth:1", "main 8\n");
    gives("keep:say* | depth:1", "main 8\n");
    gives("drop:/main/ | keep:/i/", "idle 16\n");
}

static void paths_may_begin_with_a_slash(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 2; i++) {
        const char *module = i ? "/usr/lib/libc.so" : "/bin/app";
        struct flm_frame_record record = {
            .function = flm_builder_string(b, i ? "read" : "main", 4).index,
            .module = flm_builder_string(b, module, strlen(module)).index};
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                        cpu, 1 + i);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    static const char *const expressions[] = {
        "keep:module=/usr/lib/libc.so | by:name", "keep:module=/usr/lib/libc.so|by:name",
        "keep:module=/^.usr/ | by:name", "keep:module=\"/usr/lib/libc.so\" | by:name"};
    for (size_t i = 0; i < 4; i++) {
        struct flm_profile *q = apply(p, expressions[i], NULL);
        assert_folded(q, "read 2\n");
        flm_profile_free(q);
    }
    flm_profile_free(p);
}

/* Two threads and a span whose name needs quotes, at 1, 2 and 3 seconds. */
static struct flm_profile *timed(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu|wall", "ns");
    flm_builder_metric(b, "other", "ns");
    static const char *const labels[][2] = {
        {"thread", "main thread"}, {"span", "a|b"}, {"k", "\"x\""}};
    for (int i = 0; i < 3; i++) {
        struct flm_string label[2];
        for (int k = 0; k < 2; k++)
            label[k] = flm_builder_string(b, labels[i][k], strlen(labels[i][k]));
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, &"abc"[i], 1));
        flm_builder_sample(b, 5000000000 + i * (int64_t)1000000000, node,
                           flm_builder_label_set(b, label, 1), cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void gives_of_timed(const char *expression, const char *expected)
{
    struct flm_profile *p = timed(), *q = apply(p, expression, NULL);
    char *text = folded_of(q);
    if (strcmp(text, expected) != 0)
        fail_msg("%s gives\n%s", expression, text);
    free(text);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void samples_are_chosen_by_label_and_metric(void **state)
{
    (void)state;
    gives_of_timed("label:thread=main thread", "a 1\n");
    gives_of_timed("label:thread", "a 1\n");
    gives_of_timed("label:thread=", "a 1\n");
    gives_of_timed("unlabel:thread", "b 1\nc 1\n");
    gives_of_timed("label:span=\"a|b\" | depth:1", "b 1\n");
    gives_of_timed("unlabel:span=\"a|b\"", "a 1\nc 1\n");
    gives_of_timed("label:k=\"\"x\"\"", "c 1\n");
    gives_of_timed("metric:\"cpu|wall\" | keep:a", "a 1\n");
    gives_of_timed("metric:other", "");
}

/* perf's names of labels are operations too: tid, pid, comm. */
static void other_names_of_labels_are_operations_too(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"thread", "tid"}, {"process", "pid"}, {"command", "comm"}};
    for (size_t i = 0; i < 3; i++) {
        for (int key = 0; key < 2; key++) {
            struct flm_builder *b = flm_builder_new(NULL);
            struct flm_metric metric = flm_builder_metric(b, "samples", "count");
            for (int k = 0; k < 3; k++) {
                struct flm_string label[] = {
                    flm_builder_string(b, names[i][key], strlen(names[i][key])),
                    flm_builder_string(b, &"789"[k], 1)};
                flm_builder_sample(b, k,
                                   flm_builder_child(b, flm_builder_root(b),
                                                     flm_builder_function(b, &"abc"[k], 1)),
                                   flm_builder_label_set(b, label, 1), metric, 1);
            }
            struct flm_profile *p = flm_builder_finish(b, NULL);
            assert_non_null(p);
            for (int name = 0; name < 2; name++) {
                char expression[60];
                snprintf(expression, sizeof expression, " %s : 7,9 | drop:c", names[i][name]);
                struct flm_profile *q = apply(p, expression, NULL);
                assert_folded(q, "a 1\n");
                flm_profile_free(q);
            }
            flm_profile_free(p);
        }
    }
}

static void samples_are_chosen_by_time_from_the_first_on(void **state)
{
    (void)state;
    gives_of_timed("time:0s..1s", "a 1\n");
    gives_of_timed("time:..1s", "a 1\n");
    gives_of_timed("time:1s..", "b 1\nc 1\n");
    gives_of_timed("time:..", "a 1\nb 1\nc 1\n");
    gives_of_timed("time:500ms..1500ms", "b 1\n");
    gives_of_timed("time:0.5s..1.5s", "b 1\n");
    gives_of_timed("time:1000000us..1000000001ns", "b 1\n");
    gives_of_timed("time:1s..1s", "");
    gives_of_timed("time:999999999s..", "");
}

static void times_at_the_ends_of_time_overflow_nothing(void **state)
{
    (void)state;
    static const int64_t times[][2] = {{INT64_MAX, INT64_MAX},
                                       {INT64_MAX - 5, INT64_MAX - 1},
                                       {INT64_MIN + 1, INT64_MAX},
                                       {FLM_NO_TIME, FLM_NO_TIME}};
    for (size_t i = 0; i < 4; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
        for (int k = 0; k < 2; k++)
            flm_builder_sample(
                b, times[i][k],
                flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, &"ab"[k], 1)),
                (struct flm_label_set){0}, cpu, 1);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        struct flm_profile *q = apply(p, "time:0s..999999999s", NULL);
        flm_profile_free(q);
        q = apply(p, "time:..", NULL);
        assert_folded(q, times[i][0] == FLM_NO_TIME ? "" : "a 1\nb 1\n");
        flm_profile_free(q);
        flm_profile_free(p);
    }
}

/* ---- What is refused ------------------------------------------------------------------------- */

/* `place` marks the byte with a ^ below the expression. */
static void refuse(const char *expression, const char *place, const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p = timed();
    struct flm_profile *q = flm_apply(p, expression, NULL, &why);
    if (q)
        fail_msg("'%s' should be refused", expression);
    char byte[40];
    snprintf(byte, sizeof byte, "byte %zu: ", strlen(place) - 1);
    if (why.kind != FLM_ERROR_USAGE || why.offset != strlen(place) - 1 ||
        strncmp(why.text, byte, strlen(byte)) != 0 || !strstr(why.text, words))
        fail_msg("'%s': byte %llu, %s", expression, (unsigned long long)why.offset, why.text);
    assert_null(flm_apply(p, expression, NULL, NULL));
    flm_profile_free(p);
}

/* The same, and no profile is needed to see it. */
static void refuse_always(const char *expression, const char *place, const char *words)
{
    struct flm_error why = {0}, applied = {0};
    struct flm_profile *p = timed();
    refuse(expression, place, words);
    if (flm_expression_check(expression, &why))
        fail_msg("'%s' should be refused without a profile", expression);
    assert_null(flm_apply(p, expression, NULL, &applied));
    assert_int_equal(why.kind, applied.kind);
    assert_int_equal(why.offset, applied.offset);
    assert_string_equal(why.text, applied.text);
    assert_false(flm_expression_check(expression, NULL));
    flm_profile_free(p);
}

static void malformed_expressions_are_refused_with_their_place(void **state)
{
    (void)state;
    refuse_always("", "^", "there is no operation ''; use focus, hide, drop");
    refuse_always("invert |", "        ^", "there is no operation ''");
    refuse_always("| invert", "^", "there is no operation ''");
    refuse_always("invert || invert", "        ^", "there is no operation ''");
    refuse_always("invert | fokus:main", "         ^", "there is no operation 'fokus'");
    refuse_always("Invert", "^", "there is no operation 'Invert'");
    refuse_always("cpu:5", "^", "there is no operation 'cpu'; for that label use label:cpu=VALUE");
    refuse_always("tid:", "^", "'thread' needs an argument: thread:names, for example thread:");
    refuse_always("focus", "^", "'focus' needs an argument: focus:pattern, for example focus:");
    refuse_always("invert | focus: ", "         ^",
                  "'focus' needs an argument: focus:pattern, for example focus:");
    refuse_always("invert:x", "^", "'invert' takes no argument");
    refuse_always("keep:a | by:func", "            ^", "'func' is not a class; use function, name");
    refuse_always("depth:0", "      ^", "'0' is not a number of frames from 1 on");
    refuse_always("depth:-1", "      ^", "'-1' is not a number");
    refuse_always("depth:99999999999999999999", "      ^", "'9999");
    refuse_always("depth: 4294967295", "       ^", "'4294967295' is not");
    refuse_always("collapse:all", "         ^", "'all' is not a recursion; use direct, any");
    refuse("metric:none", "       ^", "there is no metric 'none'");
    refuse_always("focus:/a(b/", "        ^", "");
    refuse_always("invert | focus: /a(b/i", "                  ^", "");
    refuse_always("keep:a | drop:module=/[/", "                      ^", "");
    refuse_always("keep:kind=kernal", "     ^", "'kernal' is not a kind; use plain, ");
    refuse_always("keep:\"a | invert", "     ^", "the quote is never closed");
    refuse_always("time:1s", "     ^", "'1s' is not a time range; write 1.5s..2s");
    refuse_always("time:2s..1s", "     ^", "'2s..1s' is not");
    refuse_always("time:1..2", "     ^", "'1..2' is not");
    refuse_always("time:-1s..2s", "     ^", "'-1s..2s' is not");
    refuse_always("time:1s..nans", "     ^", "");
    refuse_always("time:infs..", "     ^", "");
    refuse_always("time:1e300s..", "     ^", "");
    refuse_always("time:s..", "     ^", "");
}

/* The list of what there is must not be cut when the error is moved to its place. */
static void a_reason_is_told_in_full(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_profile *p = profile_of(folded);
    assert_null(flm_apply(p, "invert | by:something", NULL, &why));
    assert_string_equal(why.text, "byte 12: 'something' is not a class; use function, name, line, "
                                  "module, file, package, kind, short, nohex");
    assert_null(flm_apply(p, "invert | time:something", NULL, &why));
    assert_string_equal(why.text, "byte 14: 'something' is not a time range; write 1.5s..2s or "
                                  "200ms.., from the first sample on");
    flm_profile_free(p);
}

static void what_samples_do_not_say_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(folded);
    static const char *const expressions[] = {"invert | time:..1s", "label:thread", "unlabel:x=y"};
    for (size_t i = 0; i < 3; i++) {
        struct flm_error why = {0};
        assert_null(flm_apply(p, expressions[i], NULL, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_non_null(strstr(why.text, "no samples of their own"));
    }
    flm_profile_free(p);
}

/* ---- What matches nothing -------------------------------------------------------------------- */

static void notes(const char *expression, const char *expected)
{
    char note[NOTE_SIZE];
    struct flm_profile *p = profile_of(folded), *q = apply(p, expression, note);
    assert_string_equal(note, expected);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void a_pattern_that_matches_nothing_is_noted(void **state)
{
    (void)state;
    notes("focus:main", "");
    notes("focus:pars", "no frame matches 'pars' (there is parse)");
    notes("hide:/^PARSE$/", "no frame matches '/^PARSE$/'");
    notes("hide:xyz | focus:pars", "no frame matches 'xyz'"); /* the first is told */
    notes("hide:module=libc | by:name", "no frame matches 'module=libc'");
}

/* A thread that was started, and never sampled, has a marker. */
static void a_label_that_only_markers_have_is_noted(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_label_set set[2];
    for (int i = 0; i < 2; i++) {
        struct flm_string label[2] = {flm_builder_string(b, "thread", 6),
                                      flm_builder_string(b, &"12"[i], 1)};
        set[i] = flm_builder_label_set(b, label, 1);
    }
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "a", 1));
    flm_builder_sample(b, 5, node, set[0], cpu, 1);
    flm_builder_marker(b, 6, 0, flm_builder_string(b, "thread start", 12), (struct flm_string){0},
                       set[1]);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    static const char *const expressions[][2] = {
        {"label:thread=1", ""},
        {"unlabel:thread=2", ""},
        {"label:tid=2", "no sample has 'tid=2', only markers or counters have it"},
        {"label:thread=3", "no label thread is '3': did you mean 1 or 2? It is 1, 2"},
    };
    for (size_t i = 0; i < 4; i++) {
        char note[NOTE_SIZE];
        struct flm_profile *q = apply(p, expressions[i][0], note);
        assert_string_equal(note, expressions[i][1]);
        flm_profile_free(q);
    }
    flm_profile_free(p);
}

static void merging_by_what_no_frame_has_is_noted(void **state)
{
    (void)state;
    notes("by:module", "no frame has a module: the profile has names of functions only");
    notes("by:file", "no frame has a file: the profile has names of functions only");
    notes("by:package", "no frame has a package: the profile has names of functions only");
    notes("by:line", "no frame has a line (--lines keeps those of recordings)");
    notes("by:name", "");
    notes("by:function", "");
    notes("focus:idle | drop:idle | by:module", ""); /* no frame at all */

    char note[NOTE_SIZE];
    struct flm_profile *p = profile_of("java/util/List.get;x 1\n");
    flm_profile_free(apply(p, "by:package", note));
    assert_string_equal(note, "");
    flm_profile_free(p);

    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame_record record = {.function = flm_builder_string(b, "f", 1).index,
                                      .module = flm_builder_string(b, "libx.so", 7).index,
                                      .line = 3};
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                    cpu, 1);
    p = flm_builder_finish(b, NULL);
    static const char *const known[] = {"by:module", "by:line", "by:package"};
    for (int i = 0; i < 3; i++) {
        flm_profile_free(apply(p, known[i], note));
        assert_string_equal(note, "");
    }
    flm_profile_free(apply(p, "by:file", note));
    assert_string_equal(note, "no frame has a file: the profile has names of functions only");
    flm_profile_free(p);
}

static void a_note_never_leaves_its_room_and_no_terminal_acts_on_it(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 3; i++) {
        char name[150];
        memset(name, 'a' + i, sizeof name);
        memcpy(name + 5, "\x1B[2J\0\x7F", 6);
        flm_builder_add(
            b,
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, sizeof name)),
            cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    char note[NOTE_SIZE + 1];
    note[NOTE_SIZE] = '#';
    flm_profile_free(apply(p, "keep:[2J", note));
    assert_int_equal(note[NOTE_SIZE], '#');
    assert_memory_equal(note, "no frame matches '[2J' (there is aaaaa?[2J??aaa", 47);
    assert_int_equal(strlen(note), NOTE_SIZE - 1);
    flm_profile_free(p);
}

/* ---- Anything -------------------------------------------------------------------------------- */

static void any_text_is_an_expression_or_an_error(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "focus", "hide",    "by",       "invert", "time", "label",     "metric", "depth",   ":",
        "|",     "\"",      "/",        "=",      "*",    "main",      "parse",  " ",       "1s",
        "..",    "module=", "kind=",    "(",      "\\",   "kernel",    "name",   "/i",      "[",
        "\xFF",  "\x01",    "cpu|wall", "rename", "s/",   "s/a|m/n/g", "\\1/",   "s,(.),&,"};
    uint64_t random = 77;
    struct flm_profile *p = timed();
    unsigned good = 0;
    for (int round = 0; round < 20000; round++) {
        char expression[300] = "", note[NOTE_SIZE];
        for (unsigned count = random_below(&random, 10); count > 0; count--)
            strcat(expression, parts[random_below(&random, 35)]);
        struct flm_error why = {0};
        struct flm_profile *q = flm_apply(p, expression, note, &why);
        if (q) {
            assert_true(flm_profile_check(q, NULL));
            assert_true(flm_expression_check(expression, NULL));
            good++;
        } else {
            assert_int_equal(why.kind, FLM_ERROR_USAGE);
            assert_true(why.offset <= strlen(expression));
            assert_true(why.text[0] != 0);
        }
        flm_profile_free(q);
    }
    assert_true(good > 20);
    flm_profile_free(p);
}

static bool apply_all(void *context, struct flm_error *why)
{
    struct flm_profile *q = flm_apply(
        context, "hide:nothing | keep:/f[0-4]/i | by:short | focus:f1 | invert | collapse:any",
        NULL, why);
    flm_profile_free(q);
    return q != NULL;
}

static bool check_all(void *context, struct flm_error *why)
{
    (void)context;
    return flm_expression_check("hide:/f[0-4]/i | rename:s/a/b/ | time:1s.. | metric:x", why);
}

static void expressions_survive_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 78;
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_true(assert_survives_failures(apply_all, p) > 150);
    assert_true(assert_survives_failures(check_all, NULL) > 5);
    flm_profile_free(p);
}

/* ---- Programs -------------------------------------------------------------------------------- */

static void programs_find_the_frames_of_a_pattern(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 1\nmain;write 2\n");
    unsigned char marks[4];
    uint32_t matched = 99;
    char note[NOTE_SIZE];
    assert_true(flm_frames_match(p, "*ri*", marks, &matched, note, NULL));
    assert_int_equal(matched, 1);
    assert_memory_equal(marks, "\0\0\0\1", 4); /* root, main, read, write */
    assert_string_equal(note, "");
    assert_true(flm_frames_match(p, "writ", marks, &matched, note, NULL));
    assert_int_equal(matched, 0);
    assert_string_equal(note, "no frame matches 'writ' (there is write)");
    assert_true(flm_frames_match(p, "x", marks, &matched, NULL, NULL));
    struct flm_error why = {0};
    assert_false(flm_frames_match(p, "/(/", marks, &matched, note, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_string_equal(note, "");
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_a_text),
        cmocka_unit_test(operations_are_carried_out_from_left_to_right),
        cmocka_unit_test(blanks_do_not_count),
        cmocka_unit_test(a_bar_in_quotes_or_slashes_divides_nothing),
        cmocka_unit_test(a_bar_in_a_rule_divides_nothing),
        cmocka_unit_test(quotes_and_slashes_elsewhere_are_text),
        cmocka_unit_test(paths_may_begin_with_a_slash),
        cmocka_unit_test(samples_are_chosen_by_label_and_metric),
        cmocka_unit_test(other_names_of_labels_are_operations_too),
        cmocka_unit_test(samples_are_chosen_by_time_from_the_first_on),
        cmocka_unit_test(times_at_the_ends_of_time_overflow_nothing),
        cmocka_unit_test(malformed_expressions_are_refused_with_their_place),
        cmocka_unit_test(a_reason_is_told_in_full),
        cmocka_unit_test(what_samples_do_not_say_is_refused),
        cmocka_unit_test(a_pattern_that_matches_nothing_is_noted),
        cmocka_unit_test(a_label_that_only_markers_have_is_noted),
        cmocka_unit_test(merging_by_what_no_frame_has_is_noted),
        cmocka_unit_test(a_note_never_leaves_its_room_and_no_terminal_acts_on_it),
        cmocka_unit_test(any_text_is_an_expression_or_an_error),
        cmocka_unit_test(expressions_survive_failed_allocations),
        cmocka_unit_test(programs_find_the_frames_of_a_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
