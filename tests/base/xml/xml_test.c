#include "base/xml/xml.h"

#include "support/core/failures.h"
#include "support/profile/perf_reading.h"

/* The events of a text, as one: "<a id=1>" of an element, 'text' of texts, added up, "</a>". */
static bool echo(struct flm_bytes all, size_t step, struct flm_text *out, struct flm_error *why)
{
    struct windows w = {.all = all, .step = step};
    struct flm_source source = windows_source(&w);
    struct flm_xml xml;
    enum flm_xml_event event, last = FLM_XML_END;
    flm_xml_init(&xml, &source, why);
    while ((event = flm_xml_next(&xml)) != FLM_XML_END) {
        if ((event == FLM_XML_TEXT) != (last == FLM_XML_TEXT))
            flm_text_putc(out, '\'');
        if (event == FLM_XML_TEXT) {
            flm_text_add(out, xml.text);
        } else {
            flm_text_puts(out, event == FLM_XML_OPEN ? "<" : "</");
            flm_text_add(out, xml.name);
            for (size_t i = 0; event == FLM_XML_OPEN && i < xml.attributes.count; i++) {
                flm_text_putc(out, ' ');
                flm_text_add(out, xml.attributes.at[i].name);
                flm_text_putc(out, '=');
                flm_text_add(out, xml.attributes.at[i].value);
            }
            flm_text_putc(out, '>');
        }
        last = event;
    }
    bool good = flm_xml_finish(&xml);
    free(w.block);
    return good;
}

static void assert_echo(const char *text, const char *expected)
{
    for (size_t step = 1; step < 200; step = step * 3) {
        struct flm_text out = {0};
        struct flm_error why = {0};
        if (!echo(flm_bytes_of(text), step, &out, &why))
            fail_msg("'%s': %s", text, why.text);
        flm_text_putc(&out, 0);
        assert_string_equal(out.at, expected);
        flm_text_clear(&out);
    }
}

static void assert_fails(const char *text, const char *reason)
{
    for (size_t step = 1; step < 200; step = step * 3) {
        struct flm_text out = {0};
        struct flm_error why = {0};
        assert_false(echo(flm_bytes_of(text), step, &out, &why));
        assert_string_equal(why.text, reason);
        flm_text_clear(&out);
    }
}

static void elements_have_attributes_and_texts(void **state)
{
    (void)state;
    assert_echo("<a/>", "<a></a>");
    assert_echo("<?xml version=\"1.0\"?>\r\n<a:b x = '1'\ty=\"a>b'\" ><c/> t </a:b >\n",
                "<a:b x=1 y=a>b'><c></c>' t '</a:b>");
    assert_echo("<a><b>1</b><b></b><c>2</c></a>", "<a><b>'1'</b><b></b><c>'2'</c></a>");
}

static void entities_are_characters(void **state)
{
    (void)state;
    assert_echo("<a b='&lt;&amp;&gt;' c='&quot;x&apos;'>&#65;&#x42;&#x20AC;&amp;lt;</a>",
                "<a b=<&> c=\"x'>'AB\xE2\x82\xAC&lt;'</a>");
    assert_fails("<a>&nbsp;</a>",
                 "line 1: '&' is not the beginning of a known entity (&amp; is '&')");
    assert_fails("<a>\n&#xD800;</a>",
                 "line 1: '&' is not the beginning of a known entity (&amp; is '&')");
    assert_fails("<a b='&#0;'/>",
                 "line 1: '&' is not the beginning of a known entity (&amp; is '&')");
    assert_fails("<a>&ampampampampampampamp;</a>",
                 "line 1: '&' is not the beginning of a known entity (&amp; is '&')");
}

static void what_is_no_element_is_passed_over(void **state)
{
    (void)state;
    assert_echo("<!-- <b> -- -> --><!DOCTYPE a [ <!ENTITY b \"]>\"> <!-- ]> ' --> ]><?p <b> ?>"
                "<a>x<!-- <y> -->y<?p ?>z<![CDATA[<&]]]]></a><!-- -->\n",
                "<a>'xyz<&]]'</a>");
    assert_echo("<a><![CDATA[]]></a>", "<a></a>");
    /* A declared entity is not known: nothing expands. */
    assert_fails("<!DOCTYPE a [<!ENTITY b 'bb'>]><a>&b;</a>",
                 "line 1: '&' is not the beginning of a known entity (&amp; is '&')");
}

static void errors_name_the_line(void **state)
{
    (void)state;
    assert_fails("", "line 1: the XML ends too early");
    assert_fails("<a>\n<b>\n\n</a>", "line 4: </a> where <b> of line 2 is open");
    assert_fails("<a>\n\n<b", "line 3: the XML ends too early: <a> of line 1 is not closed");
    assert_fails("<a>\n<!-- ", "line 2: the XML ends too early: <a> of line 1 is not closed");
    assert_fails("<a><![CDATA[x]]", "line 1: the XML ends too early: <a> of line 1 is not closed");
    assert_fails("<!DOCTYPE a [", "line 1: the XML ends too early");
    assert_fails("</a>", "line 1: </a> where nothing is open");
    assert_fails("<a></a><b/>", "line 1: a second element follows the first: XML has one");
    assert_fails("<a/>x", "line 1: a text outside of all elements: this is not XML");
    assert_fails("x <a/>", "line 1: a text outside of all elements: this is not XML");
    assert_fails("<a b/>", "line 1: an attribute (name=\"value\") is expected in this tag");
    assert_fails("<a b=c/>", "line 1: the value of an attribute is not in quotes");
    assert_fails("<a b='1'c='2'/>", "line 1: blanks are missing between the parts of this tag");
    assert_fails("<a b='<'/>", "line 1: '<' in a tag (in a value it is &lt;)");
    assert_fails("< a/>", "line 1: '<' without the name of an element");
    assert_fails("<a><!b></a>", "line 1: '<!' inside of an element");
}

static void depth_and_texts_are_bounded(void **state)
{
    (void)state;
    struct flm_text text = {0}, out = {0};
    struct flm_error why = {0};
    for (int i = 0; i < FLM_XML_MOST_DEPTH + 1; i++)
        flm_text_puts(&text, "<a>\n");
    assert_false(echo((struct flm_bytes){text.at, text.size}, 100, &out, &why));
    assert_string_equal(why.text, "line 4097: more than 4096 elements inside each other");
    text.size = out.size = 0;
    /* A long text comes in parts, whose ends are in no entity. */
    flm_text_puts(&text, "<a>");
    for (int i = 0; i < 30000; i++)
        flm_text_puts(&text, "x&amp;");
    flm_text_puts(&text, "<![CDATA[");
    for (int i = 0; i < 50000; i++)
        flm_text_puts(&text, "]y");
    flm_text_puts(&text, "]]></a>");
    assert_true(echo((struct flm_bytes){text.at, text.size}, 1000, &out, &why));
    assert_int_equal(out.size, 3 + 1 + 60000 + 100000 + 1 + 4);
    flm_text_clear(&text);
    flm_text_clear(&out);
}

static void every_prefix_is_refused(void **state)
{
    (void)state;
    const char *text = "<?xml version='1.0'?><!DOCTYPE a [ ]><a b='&amp;'>t&lt;<c/><!-- -->"
                       "<![CDATA[x]]></a>";
    for (size_t size = 0; size < strlen(text); size++) {
        struct flm_text out = {0};
        struct flm_error why = {0};
        char *block = malloc(size ? size : 1);
        assert_non_null(block);
        memcpy(block, text, size);
        assert_false(echo((struct flm_bytes){block, size}, 5, &out, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        assert_int_equal(why.line, 1);
        free(block);
        flm_text_clear(&out);
    }
}

static void attributes_are_found_by_name(void **state)
{
    (void)state;
    struct flm_source source = flm_source_of(flm_bytes_of("<a id='7' ref='x&amp;'><b/></a>"));
    struct flm_xml xml;
    flm_xml_init(&xml, &source, NULL);
    assert_int_equal(flm_xml_next(&xml), FLM_XML_OPEN);
    assert_true(flm_bytes_are(flm_xml_attribute(&xml, "id"), "7"));
    assert_true(flm_bytes_are(flm_xml_attribute(&xml, "ref"), "x&"));
    assert_int_equal(flm_xml_attribute(&xml, "i").size, 0);
    assert_int_equal(xml.open.count, 1);
    assert_int_equal(flm_xml_next(&xml), FLM_XML_OPEN);
    assert_int_equal(xml.open.count, 2);
    assert_int_equal(flm_xml_next(&xml), FLM_XML_CLOSE);
    assert_int_equal(xml.open.count, 2);
    assert_false(flm_xml_fail(&xml, "not a row"));
    assert_int_equal(flm_xml_next(&xml), FLM_XML_END);
    assert_false(flm_xml_finish(&xml));
}

static bool read_all(void *context, struct flm_error *why)
{
    struct flm_source source = flm_source_of(flm_bytes_of(context));
    struct flm_xml xml;
    flm_xml_init(&xml, &source, why);
    while (flm_xml_next(&xml) != FLM_XML_END) {
    }
    return flm_xml_finish(&xml);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static char text[] = "<a b='&amp;'>t&lt;<c d='1'/></a>";
    assert_true(assert_survives_failures(read_all, text) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_have_attributes_and_texts),
        cmocka_unit_test(entities_are_characters),
        cmocka_unit_test(what_is_no_element_is_passed_over),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(depth_and_texts_are_bounded),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(attributes_are_found_by_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
