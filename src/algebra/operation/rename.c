#include "algebra/operation/rename.h"

#include <assert.h>
#include <stdlib.h>

#include "base/regex/substitution.h"

enum field { FUNCTION, MODULE, FILE_NAME };

struct flm_renaming {
    enum field field;
    struct flm_substitution *rule;
};

/* The size of "module=" at the beginning; 0 where there is none, which means the function. */
static size_t field_size(struct flm_bytes rule, enum field *field)
{
    static const char *const prefixes[] = {"function=", "module=", "file="};
    *field = FUNCTION;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (flm_bytes_start_with(rule, prefixes[i])) {
            *field = (enum field)i;
            return strlen(prefixes[i]);
        }
    return 0;
}

struct flm_renaming *flm_renaming_new(struct flm_bytes rule, struct flm_error *why)
{
    struct flm_renaming *r = calloc(1, sizeof *r);
    if (!r) {
        flm_error_memory(why);
        return NULL;
    }
    struct flm_error refused = {0};
    size_t at = field_size(rule, &r->field);
    r->rule = flm_substitution_new((struct flm_bytes){rule.at + at, rule.size - at}, &refused);
    if (r->rule)
        return r;
    flm_renaming_free(r);
    if (refused.kind == FLM_ERROR_FORMAT) { /* the rule comes from the user */
        refused.kind = FLM_ERROR_USAGE;
        flm_error_move_byte(&refused, at + refused.offset);
    }
    if (why)
        *why = refused;
    return NULL;
}

void flm_renaming_free(struct flm_renaming *r)
{
    if (r)
        flm_substitution_free(r->rule);
    free(r);
}

size_t flm_renaming_size(struct flm_bytes text)
{
    enum field field;
    size_t at = field_size(text, &field);
    size_t size = flm_substitution_size((struct flm_bytes){text.at + at, text.size - at});
    return size > 0 ? at + size : 0;
}

static uint32_t *string_of(struct flm_frame_record *record, enum field field)
{
    return field == FUNCTION ? &record->function
           : field == MODULE ? &record->module
                             : &record->file;
}

/* Whether the text may become a name, of which `*made_size` bytes were made so far; else the
 * builder has failed, with a sentence. */
static bool may_be_name(struct flm_builder *b, struct flm_bytes from, const struct flm_text *made,
                        uint64_t *made_size)
{
    if (flm_substitution_is_too_long(from, made)) {
        flm_builder_fail(b, FLM_ERROR_RANGE,
                         "rename: a name would have more than 65,536 bytes: the rule makes names "
                         "longer each time");
        return false;
    }
    *made_size += made->size > from.size ? made->size - from.size : 0;
    if (*made_size > FLM_RENAMING_MOST)
        flm_builder_fail(b, FLM_ERROR_RANGE,
                         "rename: all names together would be more than 1 GiB longer: the rule "
                         "makes names longer each time");
    return *made_size <= FLM_RENAMING_MOST;
}

bool flm_renaming_map(struct flm_renaming *r, const struct flm_profile *p, struct flm_builder *b,
                      uint32_t *frames, uint32_t *renamed)
{
    assert(r && p && b && frames);
    struct flm_text made = {0};
    uint64_t made_size = 0;
    uint32_t last = FLM_NONE, becomes = 0; /* frames of one function stand together */
    *renamed = 0;
    frames[0] = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count && !made.failed && !flm_builder_failed(b); i++) {
        struct flm_frame_record record = p->frames[i];
        uint32_t *string = string_of(&record, r->field);
        if (*string != last) {
            last = becomes = *string;
            struct flm_bytes text = flm_string_bytes(p, last);
            bool is_made = flm_substitution_make(r->rule, text, &made);
            if (is_made && !may_be_name(b, text, &made, &made_size))
                break;
            if (is_made)
                becomes = flm_builder_string(b, made.at, made.size).index;
        }
        *renamed += becomes != last;
        *string = becomes;
        record = flm_frame_located(&record, flm_frame_location(&b->interner.frames[i]));
        frames[i] = becomes != last ? flm_builder_frame(b, &record).index : i;
    }
    bool good = !made.failed;
    flm_text_clear(&made);
    return good;
}
