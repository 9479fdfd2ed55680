#include "cli/record/previous_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "flamel/file.h"

static bool has_samples(const struct flm_profile *profile)
{
    return flm_profile_metric_count(profile) > 0 && flm_profile_node_count(profile) > 1;
}

enum contents { NOTHING, EMPTY, UNKNOWN, SAMPLES };

/* What the file has. False, and `why`, only when there is no memory to know it. */
static bool find_contents(const char *path, enum contents *contents, struct flm_error *why)
{
    enum { MOST_OF_EMPTY = 1 << 20 }; /* an empty profile is smaller, however long its notes are */
    struct stat file;
    struct flm_error reason = {0};
    *contents = NOTHING;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0)
        return true;
    *contents = UNKNOWN;
    if (!flm_bytes_end_with(flm_bytes_of(path), ".flm"))
        return true;
    if (file.st_size > MOST_OF_EMPTY) {
        *contents = SAMPLES;
        return true;
    }
    struct flm_profile *profile = flm_load(path, NULL, &reason);
    if (!profile)
        return reason.kind != FLM_ERROR_MEMORY || flm_error_memory(why);
    *contents = has_samples(profile) ? SAMPLES : EMPTY;
    flm_profile_free(profile);
    return true;
}

/* ---- Its second name ------------------------------------------------------------------------- */

struct names {
    struct flm_text aside, old;
    bool is_aside; /* the previous file has its second name */
};

static void names_clear(struct names *names)
{
    flm_text_clear(&names->aside);
    flm_text_clear(&names->old);
}

static bool set_aside(struct names *names, const char *output, struct flm_error *why)
{
    flm_text_format(&names->old, "%s.old", output);
    flm_text_putc(&names->old, 0);
    flm_text_format(&names->aside, "%s.old.%ld", output, (long)getpid());
    flm_text_putc(&names->aside, 0);
    if (names->old.failed || names->aside.failed)
        return flm_error_memory(why);
    /* Where files cannot have two names it is moved: there is none for a moment, then. */
    names->is_aside = link(output, names->aside.at) == 0 || rename(output, names->aside.at) == 0;
    return names->is_aside || flm_error_set(why, FLM_ERROR_SYSTEM, "%s cannot be kept as %s: %s",
                                            output, names->old.at, strerror(errno));
}

static void put_back(const struct names *names, const char *output)
{
    if (access(output, F_OK) != 0)
        rename(names->aside.at, output);
    else
        unlink(names->aside.at);
}

static bool keep(const struct names *names, struct flm_error *why)
{
    return rename(names->aside.at, names->old.at) == 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "%s, the previous recording, cannot be renamed "
                         "%s: %s",
                         names->aside.at, names->old.at, strerror(errno));
}

bool flm_save_over_previous(const struct flm_profile *profile, const char *output,
                            struct flm_previous_file *previous, struct flm_error *why)
{
    const struct flm_save_options save = {.size = sizeof save, .compress = true};
    struct names names = {0};
    enum contents contents = NOTHING;
    bool asks = previous->keeps || (previous->spares && !has_samples(profile));
    previous->was_spared = previous->was_replaced = false;
    if (asks && !find_contents(output, &contents, why))
        return false;
    if (previous->spares && !has_samples(profile) && contents == SAMPLES) {
        previous->was_spared = true;
        return true;
    }
    bool good = !previous->keeps || contents < UNKNOWN || set_aside(&names, output, why);
    good = good && flm_save(profile, output, &save, why);
    if (names.is_aside && good)
        good = keep(&names, why);
    else if (names.is_aside)
        put_back(&names, output);
    previous->was_replaced = good && names.is_aside && contents == SAMPLES && !has_samples(profile);
    names_clear(&names);
    return good;
}
