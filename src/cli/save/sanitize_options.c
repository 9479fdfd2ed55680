#include "cli/save/sanitize_options.h"

#include <stdio.h>

#include "cli/common/messages.h"
#include "flamel/sanitize.h"
#include "os/file_bytes.h"
#include "os/random_bytes.h"

bool flm_sanitize_fields_check(const struct flm_sanitize_fields *f, struct flm_error *why)
{
    if (f->key_file && !f->rules)
        return flm_error_set(why, FLM_ERROR_USAGE, "--sanitize-key is for --sanitize");
    return !f->rules || (flm_sanitize_check(f->rules, why) || flm_error_within(why, "--sanitize"));
}

static struct flm_profile *sanitize(struct flm_sanitize_fields *f, const struct flm_profile *p,
                                    uint64_t *unmatched, struct flm_error *why)
{
    struct flm_text key = {0};
    struct flm_profile *clean = NULL;
    struct flm_sanitize_options how = {
        .size = sizeof how, .rules = f->rules, .unmatched = unmatched};
    bool good = true;
    if (f->key_file)
        good = flm_file_read(f->key_file, &key, why);
    else if (!f->has_random_key)
        good = f->has_random_key = flm_random_bytes(f->random_key, sizeof f->random_key, why);
    how.key = f->key_file ? (const void *)key.at : f->random_key;
    how.key_size = f->key_file ? key.size : sizeof f->random_key;
    if (good) {
        clean = flm_sanitize(p, &how, why);
        if (!clean)
            flm_error_within(why, "--sanitize");
    }
    flm_text_clear(&key);
    return clean;
}

struct flm_profile *flm_sanitize_with(struct flm_sanitize_fields *f, struct flm_profile *p)
{
    struct flm_error why;
    if (!f->rules || !p)
        return p;
    struct flm_profile *clean = sanitize(f, p, NULL, &why);
    flm_profile_free(p);
    if (!clean)
        flm_message_error(&why);
    return clean;
}

bool flm_sanitize_both_with(struct flm_sanitize_fields *f, struct flm_profile **before,
                            struct flm_profile **after)
{
    struct flm_error why = {0};
    uint64_t unmatched[2] = {0};
    if (!f->rules)
        return true;
    struct flm_profile *old = sanitize(f, *before, &unmatched[0], &why);
    struct flm_profile *new = old ? sanitize(f, *after, &unmatched[1], &why) : NULL;
    bool good = new != NULL;
    if (good && (unmatched[0] & unmatched[1]) != 0)
        good = flm_error_set(&why, FLM_ERROR_USAGE,
                             "--sanitize: a pattern of names or modules matches no frame of either "
                             "profile");
    flm_profile_free(*before);
    flm_profile_free(*after);
    *before = good ? old : NULL;
    *after = good ? new : NULL;
    if (!good) {
        flm_profile_free(old);
        flm_profile_free(new);
        flm_message_error(&why);
    }
    return good;
}

static bool print(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

void flm_sanitize_say(const struct flm_profile *p)
{
    flm_message("left to see:");
    flm_sanitize_list(p, print, stderr);
}

void flm_sanitize_print(const struct flm_profile *p)
{
    flm_sanitize_list_all(p, print, stdout);
}
