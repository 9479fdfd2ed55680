/* sanitize_options.h - --sanitize and its key: what is written may be shown to others
 * (flamel/sanitize.h). What is left to see is listed before anything is written. */
#ifndef FLAMEL_CLI_SAVE_SANITIZE_OPTIONS_H
#define FLAMEL_CLI_SAVE_SANITIZE_OPTIONS_H

#include "cli/common/options.h"
#include "flamel/profile.h"

struct flm_sanitize_fields {
    const char *rules; /* NULL: as it is */
    const char *key_file;
    unsigned char random_key[32]; /* not an option: where there is no file */
    bool has_random_key;
};

/* To be put into a command's table: `fields` is the struct, `member` its struct above. */
#define FLM_SANITIZE_OPTIONS(fields, member)                                                       \
    {"sanitize",                                                                                   \
     0,                                                                                            \
     "[=RULES]",                                                                                   \
     "leave out what others need not see: folders, hosts, commands, labels, notes, dates; RULES "  \
     "leave out more, or less: 'names:acme* | times:none'. Without -o and -t, only list what is "  \
     "left to see",                                                                                \
     FLM_OPTION_MAYBE_TEXT,                                                                        \
     offsetof(fields, member.rules)},                                                              \
    {                                                                                              \
        "sanitize-key", 0, "FILE",                                                                 \
            "pseudonyms by the key in FILE, at least 16 bytes: the same in all profiles, so that " \
            "they still compare (default: a random key)",                                          \
            FLM_OPTION_TEXT, offsetof(fields, member.key_file)                                     \
    }

/* False, and `why`, where the options are wrong. */
bool flm_sanitize_fields_check(const struct flm_sanitize_fields *fields, struct flm_error *why);

/* The profile, sanitized if that was asked for; frees the one that it is given, which may be NULL.
 * NULL after a message. */
struct flm_profile *flm_sanitize_with(struct flm_sanitize_fields *fields,
                                      struct flm_profile *profile);

/* The same for both profiles of a comparison: a pattern has to match in one of them. False after a
 * message, and both are freed. */
bool flm_sanitize_both_with(struct flm_sanitize_fields *fields, struct flm_profile **before,
                            struct flm_profile **after);

/* Prints what is left to see, as a message; or on standard output, as what was asked for. */
void flm_sanitize_say(const struct flm_profile *profile);
void flm_sanitize_print(const struct flm_profile *profile);

#endif
