#include "cli/server/server_options.h"

#include "net/tenant.h"
#include "net/url.h"
#include "os/file_bytes.h"

static bool read_token(const char *path, struct flm_text *token, struct flm_error *why)
{
    struct flm_text file = {0};
    bool good = flm_file_read(path, &file, why);
    struct flm_bytes word =
        flm_bytes_trimmed((struct flm_bytes){file.at ? file.at : "", file.size});
    size_t size = 0;
    while (size < word.size && (unsigned char)word.at[size] > ' ' && word.at[size] != 0x7F)
        size++;
    if (good && (size == 0 || size < word.size))
        good = flm_error_set(why, FLM_ERROR_FORMAT,
                             "%s: a file with a token has the token and nothing else, as 'flamel "
                             "serve --new-token' prints it",
                             path);
    if (good) {
        flm_text_add(token, word);
        flm_text_putc(token, 0);
        good = !token->failed || flm_error_memory(why);
    }
    flm_text_clear(&file);
    return good;
}

bool flm_server_read(const struct flm_server_fields *f, const char *option, struct flm_text *token,
                     struct flm_error *why)
{
    if (!flm_is_url(f->url))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--%s is the URL of a server, such as http://127.0.0.1:4040, not '%s'",
                             option, f->url);
    if (f->tenant && !flm_is_tenant(f->tenant))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--tenant has 1 to 128 letters, digits, and _ - . in it, not '%s'",
                             f->tenant);
    return !f->token_file || read_token(f->token_file, token, why);
}
