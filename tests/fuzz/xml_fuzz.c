/* A text as XML, in one window and in small ones: the same events, or the same error. */
#include "base/xml/xml.h"

#include "fuzz/perf_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was found, as a sum in which the order counts. */
static uint64_t mix(uint64_t sum, struct flm_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        sum = (sum ^ (unsigned char)bytes.at[i]) * 0x100000001B3u;
    return sum * 31 + bytes.size;
}

static bool walk(struct flm_source *source, uint64_t *sum, struct flm_error *why)
{
    struct flm_xml xml;
    enum flm_xml_event event;
    size_t depth = 0;
    flm_xml_init(&xml, source, why);
    while ((event = flm_xml_next(&xml)) != FLM_XML_END) {
        *sum = mix(*sum * 5 + event, event == FLM_XML_TEXT ? xml.text : xml.name);
        for (size_t i = 0; event == FLM_XML_OPEN && i < xml.attributes.count; i++)
            *sum = mix(mix(*sum, xml.attributes.at[i].name), xml.attributes.at[i].value);
        depth += event == FLM_XML_OPEN;
        promise(xml.open.count == depth && depth > 0);
        depth -= event == FLM_XML_CLOSE;
        *sum += xml.line;
    }
    bool good = flm_xml_finish(&xml);
    promise(!good || depth == 0);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_bytes all = {size > 0 ? (const char *)data : "", size}; /* no file is NULL */
    struct flm_error why[2] = {{0}, {0}};
    struct flm_source source = flm_source_of(all);
    uint64_t sum[2] = {1, 1};
    bool good = walk(&source, &sum[0], &why[0]);
    promise(good || (why[0].kind == FLM_ERROR_FORMAT && why[0].line > 0));

    struct windows w = {.all = all, .step = 1 + size % 37};
    source = windows_source(&w);
    promise(walk(&source, &sum[1], &why[1]) == good);
    promise(sum[0] == sum[1]);
    promise(strcmp(why[0].text, why[1].text) == 0);
    free(w.block);
    return 0;
}
