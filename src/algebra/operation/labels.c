#include "algebra/operation/labels.h"

#include <assert.h>

#include "base/regex/glob.h"
#include "base/text/nearest.h"
#include "flamel/algebra.h"

bool flm_label_has_key(const struct flm_profile *p, struct flm_bytes key)
{
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        if (flm_bytes_equal(flm_string_bytes(p, p->labels[i].key), key))
            return true;
    return false;
}

/* Keys of labels: flamel's, and the one of perf and others. */
static const char *const same[][2] = {{"thread", "tid"}, {"process", "pid"}, {"command", "comm"}};

const char *flm_label_own_name(struct flm_bytes key)
{
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (flm_bytes_are(key, same[i][1]))
            return same[i][0];
    return NULL;
}

/* What other programs call it; NULL: the same. */
static const char *other_name(struct flm_bytes key)
{
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        for (size_t k = 0; k < 2; k++)
            if (flm_bytes_are(key, same[i][k]))
                return same[i][1 - k];
    return NULL;
}

struct flm_bytes flm_label_key(const struct flm_profile *p, struct flm_bytes asked)
{
    assert(p);
    const char *other = flm_label_has_key(p, asked) ? NULL : other_name(asked);
    return other && flm_label_has_key(p, flm_bytes_of(other)) ? flm_bytes_of(other) : asked;
}

const char *flm_label_other_name(const struct flm_profile *p, struct flm_bytes key)
{
    const char *other = other_name(key);
    return other && !flm_label_has_key(p, flm_bytes_of(other)) ? other : NULL;
}

const char *flm_label_alias(const struct flm_profile *p, const char *key, size_t size)
{
    assert(p && key);
    return flm_label_other_name(p, (struct flm_bytes){key, size});
}

bool flm_label_is(struct flm_bytes wanted, struct flm_bytes value)
{
    if (wanted.size == 0 || flm_bytes_equal(wanted, value))
        return true;
    for (size_t at = 0, end; at < wanted.size; at = end + 1) {
        for (end = at; end < wanted.size && wanted.at[end] != ',';)
            end++;
        if (flm_bytes_equal((struct flm_bytes){wanted.at + at, end - at}, value))
            return true;
    }
    return false;
}

/* "a, b and 3 others". */
struct list {
    struct flm_text *out;
    uint32_t count, others, most;
};

static void list_add(struct list *list, struct flm_bytes name)
{
    enum { LONGEST = 30 };
    if (list->count == list->most) {
        list->others++;
        return;
    }
    flm_text_puts(list->out, list->count++ > 0 ? ", " : "");
    if (name.size > LONGEST)
        name.size = LONGEST; /* not cut inside of a letter: flm_text_add_name shows what is odd */
    flm_text_add_name(list->out, name);
}

static void list_end(struct list *list)
{
    if (list->others > 0)
        flm_text_format(list->out, " and %u %s", (unsigned)list->others,
                        list->others == 1 ? "other" : "others");
}

/* Labels are sorted by key: a key is new where it is another one than the last. */
static void add_keys(const struct flm_profile *p, struct flm_bytes asked, struct flm_text *out)
{
    enum { MOST_KEYS = 8 };
    struct list list = {.out = out, .most = MOST_KEYS};
    struct flm_nearest near = {.asked = asked};
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        if (i == 0 || p->labels[i].key != p->labels[i - 1].key)
            flm_nearest_add(&near, flm_string_bytes(p, p->labels[i].key));
    flm_text_puts(out, near.count > 0 ? ": did you mean " : "");
    flm_nearest_put(&near, "", out);
    flm_text_puts(out, near.count > 0 ? "? There are " : ": there are ");
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        if (i == 0 || p->labels[i].key != p->labels[i - 1].key)
            list_add(&list, flm_string_bytes(p, p->labels[i].key));
    list_end(&list);
}

/* Whether anything was similar. Of a name that ends in * beginnings are. */
static bool add_nearest(const struct flm_profile *p, struct flm_bytes key, struct flm_bytes asked,
                        struct flm_text *out)
{
    bool is_glob = asked.size > 0 && asked.at[asked.size - 1] == '*';
    struct flm_nearest near = {.asked = {asked.at, asked.size - is_glob}};
    for (uint32_t i = 0; i < p->sizes.label_count; i++) {
        struct flm_bytes value = flm_string_bytes(p, p->labels[i].value);
        if (is_glob)
            value = flm_glob_beginning(asked, value);
        if (value.size > 0 && flm_bytes_equal(flm_string_bytes(p, p->labels[i].key), key))
            flm_nearest_add(&near, value);
    }
    flm_text_puts(out, near.count > 0 ? ": did you mean " : "");
    for (size_t i = 0; i < near.count; i++) {
        flm_text_puts(out, i == 0 ? "" : i + 1 < near.count ? ", " : " or ");
        flm_text_add(out, near.at[i].name);
        flm_text_puts(out, is_glob ? "*" : "");
    }
    return near.count > 0;
}

void flm_label_add_values(const struct flm_profile *p, struct flm_bytes key, struct flm_bytes asked,
                          struct flm_text *out)
{
    enum { MOST_VALUES = 4 };
    struct list list = {.out = out, .most = MOST_VALUES};
    flm_text_puts(out, add_nearest(p, key, asked, out) ? "? It is " : ": it is ");
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        if (flm_bytes_equal(flm_string_bytes(p, p->labels[i].key), key))
            list_add(&list, flm_string_bytes(p, p->labels[i].value));
    list_end(&list);
}

bool flm_label_exists(const struct flm_profile *p, struct flm_bytes key, struct flm_bytes value,
                      struct flm_text *sentence)
{
    assert(p && sentence);
    bool known = false;
    for (uint32_t i = 0; i < p->sizes.label_count; i++) {
        if (!flm_bytes_equal(flm_string_bytes(p, p->labels[i].key), key))
            continue;
        known = true;
        if (flm_label_is(value, flm_string_bytes(p, p->labels[i].value)))
            return true;
    }
    if (p->sizes.label_count == 0) {
        flm_text_puts(sentence, "no sample has labels");
    } else if (!known) {
        flm_text_format(sentence, "there is no label '%.*s'", (int)key.size, key.at);
        add_keys(p, key, sentence);
    } else {
        flm_text_format(sentence, "no label %.*s is '%.*s'", (int)key.size, key.at, (int)value.size,
                        value.at);
        flm_label_add_values(p, key, value, sentence);
    }
    return false;
}
