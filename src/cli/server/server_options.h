/* server_options.h - a server of profiles (flamel serve) that a command talks to: its URL, and the
 * token that it wants.
 *
 * A token is read from a file, since everybody on the machine sees the command line. */
#ifndef FLAMEL_CLI_SERVER_SERVER_OPTIONS_H
#define FLAMEL_CLI_SERVER_SERVER_OPTIONS_H

#include "base/text/text.h"

struct flm_server_fields {
    const char *url, *token_file, *tenant;
    const char
        *authorities; /* a file of certificates: those of servers are signed by one of them */
};

/* The URL is one, and the tenant can be one; `token` receives the token, terminated, or nothing
 * where there is no file: the first word of the file, which must have no other. `option` is what
 * the URL was given with. */
bool flm_server_read(const struct flm_server_fields *fields, const char *option,
                     struct flm_text *token, struct flm_error *why);

#endif
