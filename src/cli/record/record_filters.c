#include "cli/record/record_filters.h"

#include <string.h>

#include "base/text/text.h"
#include "cli/common/messages.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"

/* One option, and the operation that it is. */
struct filter {
    const char *option, *operation, *value;
};

enum { MOST = 3 + FLM_OPTION_MOST_ITEMS };

static size_t list(const struct flm_record_filters *f, struct filter out[MOST])
{
    size_t count = 0;
    if (f->threads)
        out[count++] = (struct filter){"--thread", "thread:", f->threads};
    if (f->states)
        out[count++] = (struct filter){"--state", "state:", f->states};
    if (f->include)
        out[count++] = (struct filter){"--include", "keep:", f->include};
    for (size_t i = 0; i < f->exclude.count; i++)
        out[count++] = (struct filter){"--exclude", "hide:", f->exclude.items[i]};
    return count;
}

bool flm_record_filters_given(const struct flm_record_filters *f)
{
    struct filter filters[MOST];
    return list(f, filters) > 0;
}

/* `note` receives what is said where it matches nothing. */
static struct flm_profile *apply(const struct filter *f, const struct flm_profile *profile,
                                 char note[200], struct flm_error *why)
{
    struct flm_text text = {0};
    struct flm_profile *result = NULL;
    flm_text_format(&text, "%s%s", f->operation, f->value);
    flm_text_putc(&text, 0);
    if (text.failed)
        flm_error_memory(why);
    else
        result = flm_apply(profile, text.at, note, why);
    flm_text_clear(&text);
    size_t before = strlen(f->operation);
    if (!result && why && why->kind == FLM_ERROR_USAGE && why->offset >= before)
        flm_error_move_byte(why, why->offset - before);
    if (!result)
        flm_error_within(why, f->option);
    return result;
}

/* One sample that has all that filters are about. */
static struct flm_profile *any_profile(struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "a", 1));
    struct flm_string labels[] = {flm_builder_string(b, "thread name", 11),
                                  flm_builder_string(b, "a", 1), flm_builder_string(b, "state", 5),
                                  flm_builder_string(b, "a", 1)};
    flm_builder_sample(b, 0, node, flm_builder_label_set(b, labels, 2), metric, 1);
    return flm_builder_finish(b, why);
}

bool flm_record_filters_check(const struct flm_record_filters *f, struct flm_error *why)
{
    struct filter filters[MOST];
    char note[200];
    size_t count = list(f, filters);
    struct flm_profile *profile = count > 0 ? any_profile(why) : NULL;
    bool good = count == 0 || profile;
    for (size_t i = 0; i < count && good; i++) {
        struct flm_profile *result = apply(&filters[i], profile, note, why);
        good = result != NULL;
        flm_profile_free(result);
    }
    flm_profile_free(profile);
    return good;
}

bool flm_record_filters_apply(const struct flm_record_filters *f, struct flm_profile **profile,
                              struct flm_error *why)
{
    struct filter filters[MOST];
    char note[200];
    size_t count = list(f, filters);
    for (size_t i = 0; i < count; i++) {
        struct flm_profile *result = apply(&filters[i], *profile, note, why);
        if (!result)
            return false;
        if (note[0]) {
            flm_message("%s: %s: it is not applied", filters[i].option, note);
            flm_profile_free(result);
        } else {
            flm_profile_free(*profile);
            *profile = result;
        }
    }
    return true;
}
