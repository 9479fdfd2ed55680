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
                                    struct flm_error *why)
{
    struct flm_text key = {0};
    struct flm_profile *clean = NULL;
    struct flm_sanitize_options how = {.size = sizeof how, .rules = f->rules};
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
    struct flm_profile *clean = sanitize(f, p, &why);
    flm_profile_free(p);
    if (!clean)
        flm_message_error(&why);
    return clean;
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
    flm_sanitize_list(p, print, stdout);
}
