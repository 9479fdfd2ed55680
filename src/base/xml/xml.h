/* xml.h - XML, read tag by tag as it arrives, with memory for one tag.
 *
 *     flm_xml_init(&xml, source, why);
 *     while ((event = flm_xml_next(&xml)) != FLM_XML_END)
 *         switch (event) {
 *         case FLM_XML_OPEN:    xml.name, flm_xml_attribute(&xml, "id")      <frame id="7">
 *         case FLM_XML_TEXT:    xml.text                                     a part of a text
 *         case FLM_XML_CLOSE:   xml.name                                     </frame>, or <frame/>
 *         }
 *     return flm_xml_finish(&xml);
 *
 * What programs write: elements, attributes, text, the five entities and numbers of characters,
 * CDATA. Comments, processing instructions and the DOCTYPE are passed over: no entity that one
 * declares is known, so none expands. Names with a prefix (a:b) are names. A text comes in several
 * parts where a comment or CDATA is in it, or where it is long: its reader adds them up. Bytes need
 * not be UTF-8.
 *
 * Errors stick, and name the line. Nothing recurses: an open element costs its name and 16 bytes,
 * up to FLM_XML_MOST_DEPTH of them; a tag has at most FLM_XML_LONGEST_TAG bytes. */
#ifndef FLAMEL_BASE_XML_XML_H
#define FLAMEL_BASE_XML_XML_H

#include "base/core/array.h"
#include "base/text/source.h"
#include "base/text/text.h"

enum { FLM_XML_MOST_DEPTH = 4096, FLM_XML_LONGEST_TAG = 16 << 20 };

enum flm_xml_event { FLM_XML_END, FLM_XML_OPEN, FLM_XML_TEXT, FLM_XML_CLOSE };

struct flm_xml_attribute {
    struct flm_bytes name, value;
};

struct flm_xml_element {
    size_t name_end; /* in `names` */
    uint64_t line;   /* where it was opened */
};

struct flm_xml {
    struct flm_source *source;
    struct flm_error *why;
    uint64_t line; /* of source->at */
    bool failed;
    struct flm_bytes name; /* of the element that was opened or closed last */
    struct flm_bytes text; /* of FLM_XML_TEXT: until the next call, as the attributes */

    /* The parser's. */
    struct FLM_ARRAY(struct flm_xml_attribute) attributes;
    struct FLM_ARRAY(struct flm_xml_element) open;
    struct flm_text names;   /* of the open elements, one behind the other */
    struct flm_text decoded; /* texts and values with entities */
    size_t pending;          /* bytes of the last tag or text, passed by the next call */
    size_t unreported;       /* bytes since progress was reported */
    bool closes;             /* the next event closes <a/> */
    bool has_closed;         /* the last event was FLM_XML_CLOSE: its name goes */
    bool in_cdata, has_root;
};

void flm_xml_init(struct flm_xml *xml, struct flm_source *source, struct flm_error *why);

/* The next event; FLM_XML_END behind the last element, and after an error. */
enum flm_xml_event flm_xml_next(struct flm_xml *xml);

/* The value of an attribute of the element that was opened last; no bytes if it has none. */
struct flm_bytes flm_xml_attribute(const struct flm_xml *xml, const char *name);

/* For XML that is not the expected: fails with that reason, at this line. */
bool flm_xml_fail(struct flm_xml *xml, const char *reason);

/* Frees what the parser has. False, and `why`, if anything failed since flm_xml_init. */
bool flm_xml_finish(struct flm_xml *xml);

#endif
