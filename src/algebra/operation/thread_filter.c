#include "algebra/operation/thread_filter.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/labels.h"
#include "algebra/operation/pattern.h"
#include "base/regex/glob.h"
#include "base/regex/regex.h"

struct filter {
    const struct flm_profile *p;
    enum flm_thread_filter by;
    struct flm_bytes wanted; /* without quotes, or the slashes of a regular expression */
    bool is_quoted;
    struct flm_regex *regex; /* NULL: it is none */
    struct flm_regex_scratch *scratch;
};

/* ---- Keys ------------------------------------------------------------------------------------ */

/* What says the name, the number, the state; the others count where no sample has the first. */
static const char *const keys[][3] = {
    [FLM_FILTER_THREAD] = {"thread name", "command", "comm"},
    [FLM_FILTER_PROCESS] = {"process name", "command", "comm"},
    [FLM_FILTER_COMMAND] = {"command", "comm"},
    [FLM_FILTER_STATE] = {"state"},
};

static struct flm_bytes key_of(const struct flm_profile *p, enum flm_thread_filter by)
{
    for (size_t i = 0; i < 3 && keys[by][i]; i++)
        if (flm_label_has_key(p, flm_bytes_of(keys[by][i])))
            return flm_bytes_of(keys[by][i]);
    return flm_bytes_of("");
}

const char *flm_thread_filter_name(enum flm_thread_filter by)
{
    static const char *const names[] = {[FLM_FILTER_THREAD] = "thread",
                                        [FLM_FILTER_PROCESS] = "process",
                                        [FLM_FILTER_COMMAND] = "command",
                                        [FLM_FILTER_STATE] = "state"};
    assert((unsigned)by < sizeof names / sizeof names[0]);
    return names[by];
}

/* A thread of Java that runs a virtual one is found by the name of either. */
static bool is_name_key(enum flm_thread_filter by, struct flm_bytes key, struct flm_bytes names)
{
    return flm_bytes_equal(key, names) ||
           (by == FLM_FILTER_THREAD && flm_bytes_are(key, "virtual thread"));
}

/* Names come first: a thread may be called 7. */
static bool is_number_key(enum flm_thread_filter by, struct flm_bytes key)
{
    if (by == FLM_FILTER_THREAD)
        return flm_bytes_are(key, "thread") || flm_bytes_are(key, "tid");
    return by == FLM_FILTER_PROCESS && (flm_bytes_are(key, "process") || flm_bytes_are(key, "pid"));
}

struct flm_thread_filter_keys flm_thread_filter_keys_of(const struct flm_profile *p,
                                                        const char *name)
{
    int by = FLM_FILTER_STATE;
    while (by > 0 && strcmp(flm_thread_filter_name((enum flm_thread_filter)by), name) != 0)
        by--;
    struct flm_bytes names = key_of(p, (enum flm_thread_filter)by);
    struct flm_bytes numbers = flm_label_key(p, flm_bytes_of(name));
    bool has_numbers =
        is_number_key((enum flm_thread_filter)by, numbers) && flm_label_has_key(p, numbers);
    struct flm_bytes none = {NULL, 0};
    if (names.size == 0)
        return (struct flm_thread_filter_keys){{has_numbers ? numbers : none, none}};
    return (struct flm_thread_filter_keys){{names, has_numbers ? numbers : none}};
}

/* ---- Values ---------------------------------------------------------------------------------- */

static char normal(char byte)
{
    if (byte == '_' || byte == '-')
        return ' ';
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_same_state(struct flm_bytes a, struct flm_bytes b)
{
    size_t i = 0;
    while (i < a.size && i < b.size && normal(a.at[i]) == normal(b.at[i]))
        i++;
    return i == a.size && i == b.size;
}

static bool item_matches(const struct filter *f, struct flm_bytes item, struct flm_bytes value)
{
    return f->by == FLM_FILTER_STATE ? is_same_state(item, value) : flm_glob_matches(item, value);
}

/* Whether it is one of those with commas between them. A name with a comma in it is also found as
 * it is. */
static bool value_matches(const struct filter *f, struct flm_bytes value)
{
    if (f->regex)
        return flm_regex_search(f->regex, f->scratch, value);
    if (flm_bytes_equal(f->wanted, value))
        return true;
    for (size_t at = 0, end; !f->is_quoted && at < f->wanted.size; at = end + 1) {
        for (end = at; end < f->wanted.size && f->wanted.at[end] != ',';)
            end++;
        struct flm_bytes item = {f->wanted.at + at, end - at};
        if (item_matches(f, flm_bytes_trimmed(item), value))
            return true;
    }
    return false;
}

/* Takes the text as it is meant. */
static bool begin(struct filter *f, struct flm_bytes wanted, struct flm_error *why)
{
    struct flm_bytes source;
    bool any_case;
    f->wanted = wanted;
    f->is_quoted = wanted.size >= 2 && wanted.at[0] == '"' && flm_bytes_end_with(wanted, "\"");
    if (f->is_quoted)
        f->wanted = (struct flm_bytes){wanted.at + 1, wanted.size - 2};
    if (!flm_pattern_regex(wanted, &source, &any_case))
        return true;
    struct flm_error refused = {0};
    f->regex =
        any_case ? flm_regex_new_any_case(source, &refused) : flm_regex_new(source, &refused);
    if (f->regex)
        f->scratch = flm_regex_scratch_new(f->regex, &refused);
    if (refused.kind == FLM_ERROR_FORMAT) { /* of the user, and behind the slash */
        refused.kind = FLM_ERROR_USAGE;
        flm_error_move_byte(&refused, refused.offset + 1);
    }
    if (!f->scratch && why)
        *why = refused;
    return f->scratch != NULL;
}

static void end(struct filter *f)
{
    flm_regex_scratch_free(f->scratch);
    flm_regex_free(f->regex);
}

/* ---- Sets of labels -------------------------------------------------------------------------- */

static void mark_set(const struct filter *f, uint32_t set, struct flm_bytes key,
                     const unsigned char *label_matches, unsigned char *kept,
                     unsigned char *agreeing)
{
    const struct flm_profile *p = f->p;
    bool has_key = false, matches = false;
    for (uint32_t i = set ? p->label_set_ends[set - 1] : 0; i < p->label_set_ends[set]; i++) {
        struct flm_bytes of = flm_string_bytes(p, p->labels[p->set_members[i]].key);
        has_key |= is_name_key(f->by, of, key) || is_number_key(f->by, of);
        matches |= label_matches[p->set_members[i]];
    }
    /* What ran has no state where the recorder wrote them. */
    if (f->by == FLM_FILTER_STATE && !has_key && key.size > 0)
        matches = value_matches(f, flm_bytes_of("on-CPU"));
    *kept = matches;
    *agreeing = matches || !has_key;
}

static bool is_number(struct flm_bytes text)
{
    size_t digits = 0;
    while (digits < text.size && text.at[digits] >= '0' && text.at[digits] <= '9')
        digits++;
    return digits > 0 && digits == text.size;
}

static void add_sentence(const struct filter *f, struct flm_bytes key, struct flm_text *sentence)
{
    const char *what = flm_thread_filter_name(f->by);
    if (key.size == 0 && f->by == FLM_FILTER_STATE) {
        flm_text_puts(sentence,
                      "no sample has a state: thread dumps have them, and recordings with "
                      "--off-cpu");
        return;
    }
    struct flm_bytes number = flm_label_key(f->p, flm_bytes_of(what));
    if (key.size == 0 || (is_number(f->wanted) && flm_label_has_key(f->p, number)))
        key = number;
    if (!flm_label_has_key(f->p, key)) {
        flm_text_format(sentence, "no sample has a %s", what);
        return;
    }
    flm_text_format(sentence, "no %s is '%.*s'", what, (int)f->wanted.size, f->wanted.at);
    flm_label_add_values(f->p, key, f->wanted, sentence);
}

bool flm_thread_filter_mark(const struct flm_profile *p, enum flm_thread_filter by,
                            struct flm_bytes wanted, unsigned char *set_kept,
                            unsigned char *set_agreeing, struct flm_text *sentence,
                            struct flm_error *why)
{
    assert(p && set_kept && set_agreeing && sentence);
    struct filter f = {.p = p, .by = by};
    struct flm_bytes key = key_of(p, by);
    unsigned char *matches = calloc((size_t)p->sizes.label_count + 1, 1);
    bool good = matches ? begin(&f, wanted, why) : flm_error_memory(why), any = false;
    for (uint32_t i = 0; good && i < p->sizes.label_count; i++) {
        struct flm_bytes of = flm_string_bytes(p, p->labels[i].key);
        if (is_name_key(by, of, key) || is_number_key(by, of))
            matches[i] = value_matches(&f, flm_string_bytes(p, p->labels[i].value));
    }
    for (uint32_t set = 0; good && set < p->sizes.label_set_count; set++)
        mark_set(&f, set, key, matches, &set_kept[set], &set_agreeing[set]);
    for (uint32_t i = 0; good && !any && i < p->sizes.sample_count; i++)
        any = set_kept[p->sample_labels[i]];
    if (good && !any)
        add_sentence(&f, key, sentence);
    end(&f);
    free(matches);
    return good;
}
