#include "format/perf/frame.h"

#include "profile/internal.h"
#include "support/profile/perf_reading.h"

static void assert_parts(const char *line, uint64_t address, const char *symbol, const char *module)
{
    struct flm_perf_frame frame;
    if (!flm_perf_frame_parse(flm_bytes_of(line), &frame))
        fail_msg("'%s' is no frame", line);
    if (frame.address != address || !flm_bytes_are(frame.symbol, symbol) ||
        !flm_bytes_are(frame.module, module))
        fail_msg("'%s' is <%.*s> in <%.*s>", line, (int)frame.symbol.size, frame.symbol.at,
                 (int)frame.module.size, frame.module.at);
}

static void a_frame_is_an_address_a_symbol_and_a_module(void **state)
{
    (void)state;
    assert_parts("\tffffffff816b9733 ksys_read+0x93 ([kernel.kallsyms])\n", 0xffffffff816b9733,
                 "ksys_read", "[kernel.kallsyms]");
    assert_parts("\t           23e8 main (/bin/work)\r\n", 0x23e8, "main", "/bin/work");
    assert_parts("23e8 main", 0x23e8, "main", "");
    assert_parts("        23e8\tLock::unlock() (/system/lib/libc.so)", 0x23e8, "Lock::unlock()",
                 "/system/lib/libc.so"); /* simpleperf */
    assert_parts("\t 0 [unknown] ([unknown])", 0, "", "");
    assert_parts("\t d44a3 [unknown] (/usr/lib/libc.so.6)", 0xd44a3, "", "/usr/lib/libc.so.6");
    assert_parts("7f1e2215d058  (/lib/libc-2.15.so)", 0x7f1e2215d058, "", "/lib/libc-2.15.so");
}

static void only_the_last_brackets_are_the_module(void **state)
{
    (void)state;
    assert_parts("\t10 std::function<void (int)>::operator()(int)+0x1f (/bin/x)", 0x10,
                 "std::function<void (int)>::operator()(int)", "/bin/x");
    assert_parts("\t10 foo(int, char const*) const", 0x10, "foo(int, char const*) const", "");
    assert_parts("\t10 std::function<void (int)>::operator()(int)", 0x10,
                 "std::function<void (int)>::operator()(int)", "");
    assert_parts("\t10 RegExp:[&<>\\\"\\'] (/tmp/perf-7539.map)", 0x10, "RegExp:[&<>\\\"\\']",
                 "/tmp/perf-7539.map");
    assert_parts("\t10 JS:*fib /srv/node.js:3:13 (/tmp/perf-1.map)", 0x10,
                 "JS:*fib /srv/node.js:3:13", "/tmp/perf-1.map");
    assert_parts("\t10 f+0x2 (/opt/My App (x86)/lib.so)", 0x10, "f", "/opt/My App (x86)/lib.so");
    assert_parts("\t10 f+0x2 (/opt/a)b.so)", 0x10, "f", "/opt/a)b.so");
    assert_parts("\t10 f+0x2 (/opt/a(b.so)", 0x10, "f", "/opt/a(b.so");
}

static void suffixes_are_not_part_of_symbol_and_module(void **state)
{
    (void)state;
    assert_parts("\t10 f+0x2 (/usr/lib/x.so (deleted))", 0x10, "f", "/usr/lib/x.so");
    assert_parts("\t10 f+0x2 (/usr/lib/x.so+0x27b25)", 0x10, "f", "/usr/lib/x.so");
    assert_parts("\t10 f+0xg (/x)", 0x10, "f+0xg", "/x");
    assert_parts("\t10 a+0x1b+0x2 (/x)", 0x10, "a+0x1b", "/x");
    assert_parts("\t10 c+0x (/x)", 0x10, "c+0x", "/x");
}

static void inlined_frames_have_no_module_yet(void **state)
{
    (void)state;
    struct flm_perf_frame frame;
    assert_true(flm_perf_frame_parse(flm_bytes_of("\tf82ec read+0x4c (inlined)"), &frame));
    assert_true(frame.inlined);
    assert_true(flm_bytes_are(frame.symbol, "read"));
    assert_int_equal(frame.module.size, 0);
}

static void other_lines_are_no_frames(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "\t",
        "\tzz bad (/x)",
        "\t10\tmain (/x)",
        "\t10: main",
        "work 1 1.0: cycles:",
        "\t10 cut (/x",
        "\t10 std::function<void (int",
        "\t123456789abcdef01 main (/x)",
        "\t1F main (/x)",
    };
    struct flm_perf_frame frame;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(flm_perf_frame_parse(flm_bytes_of(others[i]), &frame));
}

static void a_copied_line_must_look_more_like_a_frame(void **state)
{
    (void)state;
    assert_true(flm_perf_frame_is_line(flm_bytes_of("10 main (/x)\n")));
    assert_true(flm_perf_frame_is_line(flm_bytes_of("        10 main\n")));
    assert_false(flm_perf_frame_is_line(flm_bytes_of("dd 10\n")));
    assert_false(flm_perf_frame_is_line(flm_bytes_of("work 10 (x)\n")));
}

static void assert_location(const char *line, const char *file, uint32_t number, bool inlined)
{
    struct flm_perf_location location = flm_perf_location_parse(flm_bytes_of(line));
    assert_true(flm_bytes_are(location.file, file));
    assert_int_equal(location.line, number);
    assert_int_equal(location.inlined, inlined);
}

static void a_location_is_a_file_and_a_line(void **state)
{
    (void)state;
    assert_location("  read.c:26\n", "read.c", 26, false);
    assert_location("  /src/a b.c:7 (discriminator 3)\n", "/src/a b.c", 7, false);
    assert_location("  stl_algo.h:1867 (inlined)\r\n", "stl_algo.h", 1867, true);
    assert_location("  C:\\x.c:12", "C:\\x.c", 12, false);
    assert_location("  libc.so.6[27b25]\n", "", 0, false);
    assert_location("  libc.so.6[27b25] (inlined)\n", "", 0, true);
    assert_location("  ??:0\n", "", 0, false);
    assert_location("  :12\n", "", 0, false);
    assert_location("  a.c:99999999999\n", "", 0, false);
    assert_location("", "", 0, false);
}

static void modules_decide_the_kind_of_their_code(void **state)
{
    (void)state;
    static const struct {
        const char *module;
        enum flm_kind kind;
    } modules[] = {
        {"", FLM_KIND_NATIVE},
        {"/usr/lib/libc.so.6", FLM_KIND_NATIVE},
        {"[kernel.kallsyms]", FLM_KIND_KERNEL},
        {"[kernel.kallsyms].init.text", FLM_KIND_KERNEL},
        {"[guest.kernel.kallsyms.12]", FLM_KIND_KERNEL},
        {"[nf_conntrack_ipv4]", FLM_KIND_KERNEL},
        {"[bpf]", FLM_KIND_KERNEL},
        {"bpf_prog_2b956549c660136a_uni_l4lb", FLM_KIND_KERNEL},
        {"/lib/modules/4.3.0/build/vmlinux", FLM_KIND_KERNEL},
        {"/usr/lib/debug/boot/vmlinux-5.4.14-x", FLM_KIND_KERNEL},
        {"/lib/modules/5.4/kernel/net/mlx5_core.ko", FLM_KIND_KERNEL},
        {"/lib/modules/5.4/kernel/net/mlx5_core.ko.zst", FLM_KIND_KERNEL},
        {"/proc/kcore", FLM_KIND_KERNEL},
        {"[vdso]", FLM_KIND_NATIVE},
        {"[vsyscall]", FLM_KIND_NATIVE},
        {"[heap]", FLM_KIND_NATIVE},
        {"[unknown]", FLM_KIND_NATIVE},
        {"[anon]", FLM_KIND_JIT},
        {"[anon:dalvik-jit]", FLM_KIND_JIT},
        {"//anon", FLM_KIND_JIT},
        {"[JIT] tid 12", FLM_KIND_JIT},
        {"/tmp/perf-4711.map", FLM_KIND_JIT},
        {"perf-4711.map", FLM_KIND_JIT},
        {"/home/u/.debug/jit/x/jitted-1-2.so", FLM_KIND_JIT},
        {"/usr/bin/perf-tool", FLM_KIND_NATIVE},
    };
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        if (flm_perf_module_kind(flm_bytes_of(modules[i].module)) != modules[i].kind)
            fail_msg("'%s' is of another kind", modules[i].module);
}

/* The frames of a line: names and kinds, outer first. */
static void assert_frames(const char *line, const char *expected)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_perf_frame frame;
    struct flm_perf_frames frames = {0};
    struct flm_text text = {0};
    assert_true(flm_perf_frame_parse(flm_bytes_of(line), &frame));
    assert_true(flm_perf_frame_make(b, &frame, NULL, &frames));
    for (size_t i = 0; i < frames.count; i++) {
        const struct flm_frame_record *record = &b->interner.frames[frames.at[i].index];
        struct flm_bytes name = flm_interner_text(&b->interner, record->function);
        flm_text_format(&text, "%s%.*s %s%s", i ? "|" : "", (int)name.size, name.at,
                        flm_kind_name(record->kind),
                        record->flags & FLM_FRAME_UNSYMBOLIZED ? " ?" : "");
        assert_int_equal(record->address, 0);
        /* No module has the number of a process. */
        struct flm_bytes module = flm_interner_text(&b->interner, record->module);
        assert_true(flm_bytes_are(module, FLM_PERF_JIT_MODULE) ==
                    (flm_perf_module_kind(frame.module) == FLM_KIND_JIT));
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    free(frames.at);
    flm_builder_free(b);
}

static void unsymbolized_frames_are_named_after_their_module(void **state)
{
    (void)state;
    assert_frames("10 [unknown] (/lib/x.so)", "[x.so] native ?");
    assert_frames("10 [unknown] ([kernel.kallsyms])", "[[kernel.kallsyms]] kernel ?");
    assert_frames("10 [unknown] (/tmp/perf-1.map)", "[perf-1.map] jit ?");
    assert_frames("10 [unknown] ([unknown])", "[unknown] native ?");
    assert_frames("10 [unknown] (/lib/)", "[/lib/] native ?");
    assert_frames("ffffffff816b9733", "0xffffffff816b9733 native ?");
}

static void without_modules_the_address_identifies_the_kernel(void **state)
{
    (void)state;
    assert_frames("ffffffff816b9733 ksys_read", "ksys_read kernel");
    assert_frames("7fff816b9733 read", "read native");
    assert_frames("ffffffffffffffff [unknown]", "[unknown] native ?");
}

static void inlined_java_is_split_at_its_arrows(void **state)
{
    (void)state;
    assert_frames("10 LA;::a->LB;::b->LC;::c (/tmp/perf-1.map)",
                  "LA;::a jit|LB;::b inlined|LC;::c inlined");
    assert_frames("10 LA;::a->LB;::b", "LA;::a native|LB;::b inlined");
    assert_frames("10 a->b (/tmp/perf-1.map)", "a jit|b inlined");
    assert_frames("10 p<T>::operator->() const (/bin/x)", "p<T>::operator->() const native");
    assert_frames("10 p<T>::operator->() (/tmp/perf-1.map)", "p<T>::operator->() jit");
    assert_frames("10 call<fn() -> u8> (/tmp/perf-1.map)", "call<fn() -> u8> jit");
    assert_frames("10 decltype(x->y) f (/bin/x)", "decltype(x->y) f native");
    assert_frames("10 -> (/tmp/perf-1.map)", "-> jit");
    assert_frames("10 a-> (/tmp/perf-1.map)", "a-> jit");
}

static void process_names_in_brackets_are_no_frames(void **state)
{
    (void)state;
    assert_frames("10 (nil) (/x)", "");
    assert_frames("10 (anonymous namespace)::f(int) (/x)", "(anonymous namespace)::f(int) native");
}

static void hashes_and_escapes_of_rust_are_undone(void **state)
{
    (void)state;
    assert_frames("10 std::sys::unix::fs::File::open::hb90e1c1c787080f0+0x12 (/x)",
                  "std::sys::unix::fs::File::open native");
    assert_frames("10 _$LT$std..fs..ReadDir$u20$as$u20$core..iter..Iterator$GT$::next::"
                  "hc14f1750ca79129b (/x)",
                  "<std::fs::ReadDir as core::iter::Iterator>::next native");
    assert_frames("10 rg::_$u7b$$u7b$closure$u7d$$u7d$::h6e849b55a66fcd85 (/x)",
                  "rg::_{{closure}} native");
    assert_frames("10 a$RF$b$BP$c$C$d$LP$e$RP$f$SP$g$u7e$::h0123456789abcdef (/x)",
                  "a&b*c,d(e)f@g~ native");
    assert_frames("10 a$ZZ$b$u1$::h0123456789abcdef (/x)", "a$ZZ$b$u1$ native");
    assert_frames("10 _ZN4core3run17h0123456789abcdefE (/x)",
                  "_ZN4core3run17h0123456789abcdefE native");
    assert_frames("10 f..g$LT$ (/x)", "f..g$LT$ native");
    assert_frames("10 f::h0123456789abcdeg (/x)", "f::h0123456789abcdeg native");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_an_address_a_symbol_and_a_module),
        cmocka_unit_test(only_the_last_brackets_are_the_module),
        cmocka_unit_test(suffixes_are_not_part_of_symbol_and_module),
        cmocka_unit_test(inlined_frames_have_no_module_yet),
        cmocka_unit_test(other_lines_are_no_frames),
        cmocka_unit_test(a_copied_line_must_look_more_like_a_frame),
        cmocka_unit_test(a_location_is_a_file_and_a_line),
        cmocka_unit_test(modules_decide_the_kind_of_their_code),
        cmocka_unit_test(unsymbolized_frames_are_named_after_their_module),
        cmocka_unit_test(without_modules_the_address_identifies_the_kernel),
        cmocka_unit_test(inlined_java_is_split_at_its_arrows),
        cmocka_unit_test(process_names_in_brackets_are_no_frames),
        cmocka_unit_test(hashes_and_escapes_of_rust_are_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
