#include "record/ruby/ruby.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/record/ruby_image.h"
#include "support/record/script_recording.h"

/* ---- Frames made by hand --------------------------------------------------------------------- */

enum { FRAMES = 3000, R12 = 12, R14 = 14, R15 = 15, EACH = 0x70000 };

struct fixture {
    struct ruby_image image;
    uint64_t stack[8 * FRAMES]; /* control frames: the innermost first */
    uint64_t context[3];
    size_t count;
    char version[8];
    uint64_t object_class, identifiers;
    struct flm_ruby_symbols symbols;
    struct flm_script_place place;
    void *ruby;
    uint64_t bar, block, method, each; /* code, and methods */
};

static uint64_t at(const void *object)
{
    return (uintptr_t)object;
}

static uint64_t *frame(struct fixture *f, size_t number)
{
    return f->stack + number * f->image.layout->frame_size / 8;
}

static void add(struct fixture *f, uint64_t code, uint64_t flags, uint64_t method)
{
    uint64_t *to = frame(f, f->count++);
    to[0] = code ? ruby_instructions(code) + 8 * 2 : 0;
    to[2] = code;
    to[4] = ruby_variables(&f->image, flags, method, 0);
}

/* block in Foo#bar, called by Array#each, called by Foo#bar. */
static struct fixture *make(int minor)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    memset(f, 0, sizeof *f);
    ruby_image_init(&f->image, minor);
    assert_in_range(minor, 0, 9);
    snprintf(f->version, sizeof f->version, "3.%c.9", '0' + minor);
    f->object_class = ruby_class(&f->image, "Object");
    f->identifiers = ruby_identifiers(&f->image);
    ruby_identify(&f->image, f->identifiers, 188, "each");
    f->symbols = (struct flm_ruby_symbols){.exec = {0x1000, 0x1100},
                                           .code = {0x1000, 0x90000},
                                           .object_class = at(&f->object_class),
                                           .version = at(f->version),
                                           .identifiers = at(&f->identifiers)};
    f->method = ruby_method(&f->image, ruby_class(&f->image, "Foo"), 0x2001, 0);
    f->each = ruby_method(&f->image, ruby_class(&f->image, "Array"), 188 << 4, EACH);
    f->bar = ruby_code(&f->image, "bar", "bar", "/app/foo.rb", 12, 20);
    f->block = ruby_code(&f->image, "block in bar", "bar", "/app/foo.rb", 13, 20);
    add(f, f->block, RUBY_BLOCK | RUBY_LOCAL | RUBY_ENTRY, f->method);
    add(f, 0, RUBY_IN_C | RUBY_LOCAL, f->each);
    add(f, f->bar, RUBY_METHOD | RUBY_LOCAL | RUBY_ENTRY, f->method);
    add(f, 0, RUBY_DUMMY | RUBY_LOCAL | RUBY_ENTRY, 0);
    f->context[0] = at(f->stack) - 800;
    f->context[1] = (800 + f->count * f->image.layout->frame_size) / 8;
    f->context[2] = at(f->stack);
    f->place = (struct flm_script_place){.thread = getpid(), .now_ns = 1, .is_leaf = true};
    f->place.registers.known = 0xFFFF;
    f->place.registers.value[R14] = ruby_instructions(f->block) + 8 * 5;
    f->place.registers.value[R15] = at(f->stack);
    struct flm_error why = {0};
    f->ruby = flm_ruby_open(getpid(), &f->symbols, &why);
    if (!f->ruby)
        fail_msg("%s", why.text);
    return f;
}

static enum flm_script_result read_it(struct fixture *f, struct flm_script_frame **frames,
                                      size_t *count)
{
    return flm_ruby_interpreter.read(f->ruby, &f->place, frames, count);
}

static void end(struct fixture *f)
{
    flm_ruby_interpreter.opened.close(f->ruby);
}

static void assert_frames(struct fixture *f, const char *wanted)
{
    struct flm_script_frame *frames;
    size_t count, used = 0;
    char shown[512] = "";
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
    for (size_t i = 0; i < count && used < sizeof shown; i++)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%.*s%s%s", i ? ", " : "",
                                 (int)frames[i].function.size, frames[i].function.at,
                                 frames[i].is_entry ? "!" : "", frames[i].is_guess ? "?" : "");
    assert_string_equal(shown, wanted);
}

static void the_frames_of_every_version_are_read(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        struct fixture *f = make(minor);
        assert_int_equal(flm_ruby_minor(f->ruby), minor);
        assert_frames(f, "block in Foo#bar!, Array#each, Foo#bar!");
        struct flm_script_frame *frames;
        size_t count;
        read_it(f, &frames, &count);
        assert_int_equal(frames[0].first_line, 13);
        assert_int_equal(frames[0].line, 14); /* as the register says */
        assert_int_equal(frames[2].line, 12); /* as the frame says */
        assert_int_equal(frames[0].native, 0);
        assert_int_equal(frames[1].native, EACH);
        assert_true(flm_bytes_are(frames[2].file, "/app/foo.rb"));
        assert_true(frames[0].code != frames[2].code);
        assert_true(f->place.is_whole);
        end(f);
    }
}

static void methods_in_C_that_were_called_are_read_if_the_context_is_known(void **state)
{
    (void)state;
    struct fixture *f = make(1);
    f->place.registers.value[R15] = at(frame(f, 2));
    f->place.registers.value[R14] = ruby_instructions(f->bar) + 8;
    f->place.is_leaf = false;
    f->context[2] = at(frame(f, 1));
    assert_frames(f, "Foo#bar!"); /* in no register */
    f->place.registers.value[R12] = at(f->context);
    assert_frames(f, "Array#each, Foo#bar!");
    f->place.is_leaf = true;
    assert_frames(f, "Foo#bar!");
    f->place.is_leaf = false;
    f->context[2] = at(f->stack); /* a script's block: what runs now is another thing */
    assert_frames(f, "Foo#bar!");
    end(f);
}

static void a_function_that_returned_is_known_by_its_instruction(void **state)
{
    (void)state;
    struct fixture *f = make(1);
    struct flm_script_frame *frames;
    size_t count;
    uint64_t other = ruby_code(&f->image, "new", "new", "/app/a.rb", 3, 9);
    /* Never seen, and nothing says what runs now. */
    f->place.registers.value[R14] = ruby_instructions(other) + 8;
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_MOVED_ON);
    assert_int_equal(count, 0);
    f->place.registers.value[R12] = at(f->context);
    assert_frames(f, "block in Foo#bar!, Array#each, Foo#bar!");
    /* The block was seen; another function is in its place. */
    f->stack[2] = other;
    f->place.registers.value[R12] = 0;
    f->place.registers.value[R14] = ruby_instructions(f->block) + 8;
    assert_frames(f, "block in Foo#bar?, Array#each, Foo#bar!");
    end(f);
}

static void while_an_exception_is_handled_the_context_has_the_frame(void **state)
{
    (void)state;
    struct fixture *f = make(1);
    struct flm_script_frame *frames;
    size_t count;
    f->place.registers.value[R14] = f->place.registers.value[R15] = 0;
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_NONE);
    f->place.registers.value[R14] = at(f->context);
    assert_frames(f, "block in Foo#bar!, Array#each, Foo#bar!");
    f->context[1] = UINT64_MAX / 8;
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_NONE);
    f->place.registers.known = 0;
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_NONE);
    end(f);
}

static void damaged_frames_are_not_read(void **state)
{
    (void)state;
    struct flm_script_frame *frames;
    size_t count;
    static const uint64_t wild[] = {0, 1, 8, 0x123456789000, UINT64_MAX, UINT64_MAX - 7};
    for (int minor = 0; minor <= 4; minor++)
        for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
            for (size_t word = 0; word < 3; word++) {
                struct fixture *f = make(minor);
                size_t number = word == 0 ? 2 : word == 1 ? 2 : 1; /* of the frame */
                frame(f, number)[word == 0 ? 2 : 4] = wild[i];
                assert_int_not_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
                assert_int_equal(count, 0);
                end(f);
            }
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        struct fixture *f = make(1);
        f->place.registers.value[R15] = wild[i];
        assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_NONE);
        end(f);
    }
}

/* Blocks around blocks, in a circle; a stack without an end. */
static void cycles_and_depths_are_bounded(void **state)
{
    (void)state;
    struct flm_script_frame *frames;
    size_t count;
    struct fixture *f = make(1);
    uint64_t variables = ruby_variables(&f->image, RUBY_BLOCK, 0, 0);
    ruby_set(variables - 8, variables | 1);
    frame(f, 0)[4] = variables;
    assert_frames(f, "block in bar, Array#each, Foo#bar!");
    f->count--;
    while (f->count < FRAMES - 1)
        add(f, f->bar, RUBY_METHOD | RUBY_LOCAL, f->method);
    add(f, 0, RUBY_DUMMY, 0);
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
    assert_true(count > 1000 && count < FRAMES - 3);
    assert_false(f->place.is_whole);
    end(f);
}

static void other_versions_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *version, *why;
    } cases[] = {
        {"4.0.1", "Ruby 4.0.1 is not supported: 3.0 to 3.4 are"},
        {"2.7.8", "Ruby 2.7.8 is not supported: 3.0 to 3.4 are"},
        {"3.51.0", "Ruby 3.51.0 is not supported: 3.0 to 3.4 are"},
        {"\x7F"
         "ELF",
         "Ruby of unknown version is not supported: 3.0 to 3.4 are"},
    };
    struct fixture *f = make(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_error why = {0};
        memset(f->version, 0, sizeof f->version);
        memcpy(f->version, cases[i].version, strlen(cases[i].version));
        assert_null(flm_ruby_open(getpid(), &f->symbols, &why));
        assert_string_equal(why.text, cases[i].why);
    }
    struct flm_error why = {0};
    f->symbols.version = 0x123456789000;
    assert_null(flm_ruby_open(getpid(), &f->symbols, &why));
    assert_string_equal(why.text, "Ruby: its memory cannot be read");
    end(f);
}

/* ---- A recording ----------------------------------------------------------------------------- */

/* Each computes in another way, for a time by its own clock: recursion, blocks, exceptions, a
 * fiber, a thread. They say how long it was. */
static const char calibration[] =
    "def clock = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)\n"
    "$spent = Hash.new(0.0)\n"
    "def measure(name, seconds)\n"
    "  from = clock\n"
    "  yield while clock - from < seconds\n"
    "  $spent[name] += clock - from\n"
    "end\n"
    "def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)\n"
    "class Work\n"
    "  def recursion = measure(:recursion, 0.1) { fib(14) }\n"
    "  def blocks = measure(:blocks, 0.08) { (1..500).map { |x| x * 2 }.select(&:even?).sum }\n"
    "  def exceptions = measure(:exceptions, 0.06) { 50.times { raise 'x' rescue nil } }\n"
    "  def fiber = measure(:fiber, 0.04) { Fiber.new { 50.times { |i| Fiber.yield i } }.resume }\n"
    "  define_method(:defined) { measure(:defined, 0.05) { 500.times { |i| i.to_s } } }\n"
    "  def self.thread = Thread.new { new.inside }.join\n"
    "  def inside = measure(:inside, 0.07) { [3, 1, 2].sort_by { |x| -x } }\n"
    "end\n"
    "work = Work.new\n"
    "5.times do\n"
    "  work.recursion; work.blocks; work.exceptions; work.fiber; work.defined; Work.thread\n"
    "end\n"
    "names = %i[recursion blocks exceptions fiber defined inside]\n"
    "File.write(__FILE__ + '.measured', names.map { |n| '%.6f' % $spent[n] }.join(\"\\n\"))\n";

static const char waiting[] = "def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)\n"
                              "def measure = clock.then { |from| yield; clock - from }\n"
                              "class Work\n"
                              "  def naps = 30.times { sleep 0.01 }\n"
                              "  def pops(queue) = 10.times { queue.pop }\n"
                              "end\n"
                              "queue, naps, pops = Queue.new, 0, 0\n"
                              "threads = [Thread.new { naps = measure { Work.new.naps } },\n"
                              "           Thread.new { pops = measure { Work.new.pops(queue) } },\n"
                              "           Thread.new { 10.times { sleep 0.05; queue << 1 } }]\n"
                              "threads.each(&:join)\n"
                              "File.write(__FILE__ + '.measured', '%.6f %.6f' % [naps, pops])\n";

static void check(const char *name, const char *script, const char *const *functions, size_t count,
                  bool off_cpu)
{
    static const char *const names[] = {"ruby3.1", "ruby"};
    const char *found = script_interpreter(names, sizeof names / sizeof names[0]);
    char interpreter[64], path[512], measured[600];
    if (!found) {
        print_message("ruby is not installed\n");
        skip();
        return; /* skip() does, which compilers do not know */
    }
    snprintf(interpreter, sizeof interpreter, "%s", found);
    snprintf(path, sizeof path, "%s", write_temporary(name, flm_bytes_of(script)));
    snprintf(measured, sizeof measured, "%s.measured", path);
    char *command[] = {interpreter, path, NULL};
    if (!script_shares_are_found(command, measured, functions, count, off_cpu))
        skip();
}

static void known_shares_are_found_again(void **state)
{
    (void)state;
    static const char *const functions[] = {"Work#recursion", "Work#blocks",  "Work#exceptions",
                                            "Work#fiber",     "Work#defined", "Work#inside"};
    check("shares.rb", calibration, functions, sizeof functions / sizeof functions[0], false);
}

static void known_waits_are_found_again(void **state)
{
    (void)state;
    static const char *const functions[] = {"Work#naps", "Work#pops"};
    check("waits.rb", waiting, functions, sizeof functions / sizeof functions[0], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frames_of_every_version_are_read),
        cmocka_unit_test(methods_in_C_that_were_called_are_read_if_the_context_is_known),
        cmocka_unit_test(a_function_that_returned_is_known_by_its_instruction),
        cmocka_unit_test(while_an_exception_is_handled_the_context_has_the_frame),
        cmocka_unit_test(damaged_frames_are_not_read),
        cmocka_unit_test(cycles_and_depths_are_bounded),
        cmocka_unit_test(other_versions_are_refused_by_name),
        cmocka_unit_test(known_shares_are_found_again),
        cmocka_unit_test(known_waits_are_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
