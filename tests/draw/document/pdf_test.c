#include "draw/document/pdf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static size_t count_of(const char *in, const char *what)
{
    size_t count = 0;
    for (const char *at = in; (at = strstr(at, what)); at++)
        count++;
    return count;
}

/* Where the table says that objects begin, they do; the stream is as long as it says. */
static void assert_sound(const char *pdf, size_t size)
{
    assert_true(size > 100 && memcmp(pdf, "%PDF-1.4\n", 9) == 0);
    assert_memory_equal(pdf + size - 6, "%%EOF\n", 6);
    const char *start = strstr(pdf, "startxref\n");
    assert_non_null(start);
    const char *table = pdf + strtoul(start + 10, NULL, 10);
    assert_memory_equal(table, "xref\n0 ", 7);
    unsigned long count = strtoul(table + 7, NULL, 10);
    const char *entry = strchr(table + 7, '\n') + 1;
    assert_memory_equal(entry, "0000000000 65535 f \n", 20);
    for (unsigned long object = 1; object < count; object++) {
        char begin[30];
        int length = sprintf(begin, "%lu 0 obj\n", object);
        size_t at = strtoul(entry + 20 * object, NULL, 10);
        assert_memory_equal(entry + 20 * object + 10, " 00000 n \n", 10);
        assert_memory_equal(pdf + at, begin, (size_t)length);
    }
    assert_memory_equal(entry + 20 * count, "trailer\n", 8);
    const char *reference = strstr(pdf, "<</Length ");
    unsigned long number = 0;
    for (; reference; reference = strstr(reference + 1, "<</Length "))
        if (sscanf(reference, "<</Length %lu 0 R>>", &number) == 1)
            break;
    assert_non_null(reference);
    const char *stream = strstr(reference, "stream\n") + 7;
    size_t at = strtoul(entry + 20 * number, NULL, 10);
    size_t length = strtoul(strchr(pdf + at, '\n') + 1, NULL, 10);
    assert_memory_equal(stream + length, "\nendstream\n", 11);
}

/* A tool agrees, if it is installed; otherwise a message says that it is not. */
static void assert_tool_agrees(const char *tool, const char *command, const char *path)
{
    char line[500];
    snprintf(line, sizeof line, "command -v %s > /dev/null 2>&1", tool);
    if (system(line) != 0) {
        print_message("skipped: there is no %s here\n", tool);
        return;
    }
    snprintf(line, sizeof line, command, path);
    assert_int_equal(system(line), 0);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static struct flm_text finished(struct flm_pdf *pdf, struct flm_text *out)
{
    flm_pdf_end(pdf, flm_bytes_of("A title \xE2\x86\x92 \xF0\x9F\x94\xA5"));
    assert_false(out->failed);
    flm_text_putc(out, 0);
    out->size--;
    assert_sound(out->at, out->size);
    return *out;
}

static void everything_that_can_be_drawn_is_a_sound_file(void **state)
{
    (void)state;
    struct flm_text out = {0};
    struct flm_pdf pdf;
    flm_pdf_begin(&pdf, &out, 300, 200);
    flm_pdf_fill(&pdf, 0, 0, 300, 200, 0xFFFFFF);
    for (int mark = 0; mark < FLM_MARK_COUNT; mark++)
        flm_pdf_mark(&pdf, 10, 20.0 * mark, 80, 18, (enum flm_mark)mark, 0x102030, 255);
    flm_pdf_outline(&pdf, 100, 10, 50, 18, 2, 0xFF0000);
    flm_pdf_outline(&pdf, 100, 10, 1, 18, 2, 0xFF0000);
    flm_pdf_text(&pdf, 100, 60, flm_bytes_of("(one) \\ \xE4\xB8\x80"), 12, true, 0);
    flm_pdf_fill(&pdf, 0, 0, 300, 200, 0x00FF00);
    finished(&pdf, &out);
    assert_int_equal(pdf.unknown_letters, 1);
    assert_non_null(strstr(out.at, "(\\(one\\) \\\\ ?) Tj"));
    assert_non_null(strstr(out.at, "/Title<FEFF004100200074006900740"));
    assert_non_null(strstr(out.at, "D83DDD25>"));
    assert_non_null(strstr(out.at, "MediaBox[0 0 225 150 ]"));
    const char *path = write_temporary("all.pdf", (struct flm_bytes){out.at, out.size});
    assert_tool_agrees("qpdf", "qpdf --check '%s' > /dev/null", path);
    assert_tool_agrees("pdftotext", "pdftotext '%s' - | grep -q '(one)'", path);
    flm_text_clear(&out);
}

static void a_huge_page_is_made_smaller(void **state)
{
    (void)state;
    struct flm_text out = {0};
    struct flm_pdf pdf;
    flm_pdf_begin(&pdf, &out, 100000, 1000);
    finished(&pdf, &out);
    assert_non_null(strstr(out.at, "MediaBox[0 0 14400 144 ]"));
    flm_text_clear(&out);
}

static void it_may_follow_other_bytes(void **state)
{
    (void)state;
    struct flm_text out = {0};
    struct flm_pdf pdf;
    flm_text_puts(&out, "something");
    flm_pdf_begin(&pdf, &out, 10, 10);
    flm_pdf_end(&pdf, flm_bytes_of(""));
    flm_text_putc(&out, 0);
    assert_sound(out.at + 9, out.size - 10);
    flm_text_clear(&out);
}

static void a_surface_draws_on_the_page(void **state)
{
    (void)state;
    struct flm_text out = {0};
    struct flm_pdf pdf;
    flm_pdf_begin(&pdf, &out, 220, 100);
    struct flm_surface s = flm_pdf_surface(&pdf);
    s.fill(s.context, 70, 39, 2, 18, 0x112233);
    s.fill_round(s.context, 10, 20, 199, 18, 0x112233);
    s.texture(s.context, 10, 20, 199, 18, FLM_TEXTURE_GRID, 0, 255);
    s.mark(s.context, 10, 20, 199, 18, FLM_MARK_KERNEL, 0, 255);
    s.outline(s.context, 10, 20, 30, 40, 2, 0);
    s.text(s.context, 10, 33, flm_bytes_of("a label"), 12, true, 0);
    out = finished(&pdf, &out);
    assert_non_null(strstr(out.at, "70 39 2 18 re f"));
    assert_non_null(strstr(out.at, "4 w 12 22 195 14 re B")); /* round, and smaller by 2 */
    assert_int_equal(count_of(out.at, "/T5 scn"), 1);
    assert_int_equal(count_of(out.at, "208 36.5 l S"), 1);
    assert_non_null(strstr(out.at, "2 w 11 21 28 38 re S"));
    assert_non_null(strstr(out.at, "BT /B 12 Tf 1 0 0 -1 10 33 Tm (a label) Tj ET"));
    struct flm_font bold = s.font(s.context, 12, true), regular = s.font(s.context, 12, false);
    assert_true(flm_label_width(flm_bytes_of("label"), &bold) >
                flm_label_width(flm_bytes_of("label"), &regular));
    flm_text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_can_be_drawn_is_a_sound_file),
        cmocka_unit_test(a_huge_page_is_made_smaller),
        cmocka_unit_test(it_may_follow_other_bytes),
        cmocka_unit_test(a_surface_draws_on_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
