#include "record/java/methods.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { VM = 4711 };

/* What was defined last, and how much. */
struct seen {
    int count;
    uint64_t address;
    uint32_t line, kind;
    char function[200], file[200];
};

static bool see(void *context, struct flm_event *event, struct flm_error *why)
{
    struct seen *seen = context;
    (void)why;
    assert_int_equal(event->kind, FLM_EVENT_CODE);
    seen->count++;
    seen->address = event->code.address;
    seen->line = event->code.line;
    seen->kind = event->code.frame_kind;
    snprintf(seen->function, sizeof seen->function, "%.*s", (int)event->code.function.size,
             event->code.function.at);
    snprintf(seen->file, sizeof seen->file, "%.*s", (int)event->code.file.size,
             event->code.file.at);
    return true;
}

/* A record as the agent writes it. */
static const struct flm_java_method *record_of(uint64_t method, const char *class_name,
                                               const char *name, const char *file,
                                               const struct flm_java_line *lines, uint32_t count)
{
    static uint64_t bytes[200];
    struct flm_java_method r = {.record = {.kind = FLM_JAVA_METHOD},
                                .method = method,
                                .class_size = (uint32_t)strlen(class_name),
                                .name_size = (uint32_t)strlen(name),
                                .signature_size = 3,
                                .file_size = (uint32_t)strlen(file),
                                .line_count = count};
    char *at = (char *)(bytes + sizeof r / 8);
    int size = snprintf(at, 1000, "%s%s()V%s", class_name, name, file);
    r.record.size = (uint32_t)(sizeof r + flm_java_aligned((uint64_t)size) + count * sizeof *lines);
    memcpy(bytes, &r, sizeof r);
    if (count > 0)
        memcpy(at + flm_java_aligned((uint64_t)size), lines, count * sizeof *lines);
    return (const struct flm_java_method *)bytes;
}

static void assert_class(const char *signature, const char *wanted)
{
    struct flm_text text = {0};
    flm_java_class_name(&text, flm_bytes_of(signature));
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, wanted);
    flm_text_clear(&text);
}

static void classes_have_the_names_that_people_read(void **state)
{
    (void)state;
    assert_class("Ljava/lang/String;", "java.lang.String");
    assert_class("[[I", "int[][]");
    assert_class("[Lcom/x/A$B;", "com.x.A$B[]");
    assert_class("Lcom/x/A$$Lambda$14.0x0000000800c03000;", "com.x.A$$Lambda");
    assert_class("Lcom/x/A$$Lambda.0x00007f3c24000a00;", "com.x.A$$Lambda");
    assert_class("Lcom/x/A$$Lambda$14/0x0000000800c03000;", "com.x.A$$Lambda");
    assert_class("Ljava/lang/invoke/LambdaForm$MH.0x0000000800c06400;",
                 "java.lang.invoke.LambdaForm$MH");
    assert_class("LA$$Lambda$Inner;", "A$$Lambda$Inner");
    assert_class("LA$$Lambda$1/250421012;", "A$$Lambda");
    assert_class("LA/B2/C3;", "A.B2.C3");
    assert_class("", "");
    assert_class("L", "L");
    assert_class("[", "[]");
}

static void a_frame_has_a_number_before_its_method_has_a_name(void **state)
{
    (void)state;
    struct flm_java_methods m = {.first_code = 1000};
    struct seen seen = {0};
    const struct flm_java_frame at_5 = {77, 5, FLM_JAVA_C2}, at_9 = {77, 9, FLM_JAVA_C2};
    const struct flm_java_line lines[] = {{0, 10}, {8, 12}, {4, 11}};
    uint64_t first = flm_java_methods_frame(&m, VM, &at_5);
    assert_int_equal(first, 1000);
    assert_int_equal(flm_java_methods_frame(&m, VM, &at_9), 1001);
    assert_int_equal(flm_java_methods_frame(&m, VM, &at_5), first);
    assert_int_equal(flm_java_methods_frame(&m, VM + 1, &at_5), 1002); /* of another VM */
    assert_true(flm_java_methods_define(&m, false, see, &seen, NULL));
    assert_int_equal(seen.count, 0);

    assert_true(flm_java_methods_learn(
        &m, VM, record_of(77, "Ljava/util/HashMap;", "getNode", "HashMap.java", lines, 3)));
    assert_true(flm_java_methods_define(&m, false, see, &seen, NULL));
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.address, 1001);
    assert_int_equal(seen.line, 12);
    assert_int_equal(seen.kind, FLM_KIND_JIT);
    assert_string_equal(seen.function, "java.util.HashMap.getNode");
    assert_string_equal(seen.file, "java/util/HashMap.java");

    /* Each once; and in the end what is not known says so. */
    assert_true(flm_java_methods_define(&m, true, see, &seen, NULL));
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.address, 1002);
    assert_string_equal(seen.function, "[unloaded Java method]");
    assert_int_equal(m.unnamed, 1);
    assert_true(flm_java_methods_define(&m, true, see, &seen, NULL));
    assert_int_equal(seen.count, 3);
    flm_java_methods_clear(&m);
}

static void native_methods_have_no_line(void **state)
{
    (void)state;
    struct flm_java_methods m = {.first_code = 1};
    struct seen seen = {0};
    const struct flm_java_line line = {0, 10};
    flm_java_methods_frame(&m, VM, &(struct flm_java_frame){7, -3, FLM_JAVA_NATIVE_METHOD});
    flm_java_methods_learn(&m, VM, record_of(7, "LA;", "park", "", &line, 1));
    assert_true(flm_java_methods_define(&m, false, see, &seen, NULL));
    assert_int_equal(seen.line, 0);
    assert_int_equal(seen.kind, FLM_KIND_NATIVE);
    assert_string_equal(seen.file, "");
    flm_java_methods_clear(&m);
}

static void a_record_that_is_not_sound_names_nothing(void **state)
{
    (void)state;
    const struct flm_java_line line = {0, 10};
    for (int damage = 0; damage < 4; damage++) {
        struct flm_java_methods m = {.first_code = 1};
        struct flm_java_method *r =
            (struct flm_java_method *)record_of(7, "LA;", "run", "A.java", &line, 1);
        if (damage == 0)
            r->record.size = sizeof *r - 8;
        else if (damage == 1)
            r->class_size = UINT32_MAX;
        else if (damage == 2)
            r->line_count = UINT32_MAX;
        else
            r->file_size += 100;
        assert_true(flm_java_methods_learn(&m, VM, r));
        assert_int_equal(m.methods.count, 0);
        flm_java_methods_clear(&m);
    }
}

static void names_are_defined_once(void **state)
{
    (void)state;
    struct flm_java_methods m = {.first_code = 1};
    struct seen seen = {0};
    struct flm_bytes name = flm_bytes_of("jbyte_arraycopy");
    uint64_t code = flm_java_methods_name(&m, name, FLM_KIND_JIT, see, &seen, NULL);
    assert_int_equal(flm_java_methods_name(&m, name, FLM_KIND_JIT, see, &seen, NULL), code);
    assert_int_equal(seen.count, 1);
    assert_int_not_equal(flm_java_methods_name(&m, name, FLM_KIND_LABEL, see, &seen, NULL), code);
    assert_int_equal(seen.count, 2);
    flm_java_methods_clear(&m);
}

static void methods_of_a_vm_that_has_ended_are_defined_and_let_go(void **state)
{
    (void)state;
    struct flm_java_methods m = {.first_code = 100};
    struct seen seen = {0};
    struct flm_error why;
    const struct flm_java_frame known = {.method = 1}, unknown = {.method = 2};
    assert_int_equal(flm_java_methods_frame(&m, VM, &known), 100);
    assert_int_equal(flm_java_methods_frame(&m, VM, &unknown), 101);
    assert_int_equal(flm_java_methods_frame(&m, VM + 1, &unknown), 102);
    assert_true(flm_java_methods_learn(&m, VM, record_of(1, "LA;", "run", "A.java", NULL, 0)));
    assert_true(flm_java_methods_end_vm(&m, VM, see, &seen, &why));
    assert_int_equal(seen.count, 2);
    assert_int_equal(m.unnamed, 1);
    assert_null(m.methods.at[0].text.at);
    /* The other VM still runs, and may name its method. */
    assert_true(flm_java_methods_learn(&m, VM + 1, record_of(2, "LB;", "walk", "B.java", NULL, 0)));
    assert_true(flm_java_methods_define(&m, false, see, &seen, &why));
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.function, "B.walk");
    flm_java_methods_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_have_the_names_that_people_read),
        cmocka_unit_test(a_frame_has_a_number_before_its_method_has_a_name),
        cmocka_unit_test(native_methods_have_no_line),
        cmocka_unit_test(a_record_that_is_not_sound_names_nothing),
        cmocka_unit_test(names_are_defined_once),
        cmocka_unit_test(methods_of_a_vm_that_has_ended_are_defined_and_let_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
