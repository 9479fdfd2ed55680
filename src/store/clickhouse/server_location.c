#include "store/clickhouse/server_location.h"

#include <stdio.h>

#include "base/text/text.h"
#include "net/url.h"
#include "os/file_bytes.h"

static const char prefix[] = "clickhouse://";

bool flm_clickhouse_takes(const char *location)
{
    return strncmp(location, prefix, sizeof prefix - 1) == 0;
}

static bool is_name(struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.at[i];
        bool is_letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        if (!is_letter && c != '_' && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return text.size > 0 && text.size < FLM_CLICKHOUSE_NAME;
}

static bool copy_name(struct flm_bytes text, const char *what, char *to, struct flm_error *why)
{
    if (!is_name(text))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the %s of a ClickHouse store has 1 to 63 letters, digits and _, not "
                             "'%.*s'",
                             what, (int)text.size, text.at);
    memcpy(to, text.at, text.size);
    to[text.size] = 0;
    return true;
}

/* What is before a byte, and behind it; `text` whole where it is not there. */
static struct flm_bytes cut(struct flm_bytes *text, char at)
{
    const char *end = memchr(text->at, at, text->size);
    struct flm_bytes before = {text->at, end ? (size_t)(end - text->at) : text->size};
    *text = end ? flm_bytes_from(*text, before.size + 1) : (struct flm_bytes){text->at, 0};
    return before;
}

struct options {
    struct flm_bytes password_file;
    bool tls;
};

static bool read_options(struct flm_bytes text, struct flm_clickhouse_location *location,
                         struct options *options, struct flm_error *why)
{
    while (text.size > 0) {
        struct flm_bytes value = cut(&text, '&'), name = cut(&value, '=');
        if (flm_bytes_are(name, "cluster")) {
            if (!copy_name(value, "cluster", location->cluster, why))
                return false;
        } else if (flm_bytes_are(name, "password-file")) {
            options->password_file = value;
        } else if (flm_bytes_are(name, "tls")) {
            options->tls = true;
        } else {
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "a ClickHouse store takes ?cluster=NAME, ?password-file=PATH and "
                                 "?tls, not '%.*s'",
                                 (int)name.size, name.at);
        }
    }
    return true;
}

/* Whether it can be in a URL as it is. */
static bool is_host(struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.at[i];
        bool is_plain = ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9');
        if (!is_plain && !strchr("-._:[]", c))
            return false;
    }
    return text.size > 0 && text.size < 256;
}

/* Appends bytes as they are in the user and password of a URL. */
static void put_escaped(struct flm_text *out, struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.at[i];
        bool is_plain = ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9');
        if (is_plain || c == '-' || c == '_' || c == '.')
            flm_text_putc(out, (char)c);
        else
            flm_text_format(out, "%%%x%x", c >> 4, c & 15);
    }
}

static bool read_password(struct flm_bytes path, struct flm_text *out, struct flm_error *why)
{
    struct flm_text name = {0}, text = {0};
    flm_text_add(&name, path);
    flm_text_putc(&name, 0);
    bool good = (!name.failed || flm_error_memory(why)) && flm_file_read(name.at, &text, why);
    while (good && text.size > 0 && strchr("\r\n", text.at[text.size - 1]))
        text.size--;
    if (good)
        put_escaped(out, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&name);
    flm_text_clear(&text);
    return good;
}

bool flm_clickhouse_locate(const char *text, struct flm_clickhouse_location *location,
                           struct flm_error *why)
{
    struct flm_bytes rest = flm_bytes_from(flm_bytes_of(text), sizeof prefix - 1);
    struct options options = {0};
    *location = (struct flm_clickhouse_location){{0}};
    struct flm_bytes path = cut(&rest, '?');
    if (!read_options(rest, location, &options, why))
        return false;
    struct flm_bytes host = cut(&path, '/');
    const char *at = memchr(host.at, '@', host.size);
    struct flm_bytes user = at ? cut(&host, '@') : (struct flm_bytes){"", 0};
    if (memchr(user.at, ':', user.size))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "everybody on this machine can read a password in a command: put it "
                             "in a file, and take ?password-file=PATH");
    if (!is_host(host))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a ClickHouse store is clickhouse://[USER@]HOST[:PORT]/DATABASE");
    if (!copy_name(path.size > 0 ? path : flm_bytes_of("flamel"), "database", location->database,
                   why))
        return false;
    bool has_port = memchr(host.at, ':', host.size) != NULL && host.at[host.size - 1] != ']';
    const char *port = has_port ? "" : options.tls ? ":8443" : ":8123";
    snprintf(location->host, sizeof location->host, "%.*s%s", (int)host.size, host.at, port);
    struct flm_text url = {0};
    flm_text_puts(&url, options.tls ? "https://" : "http://");
    if (user.size > 0 || options.password_file.size > 0) {
        put_escaped(&url, user.size > 0 ? user : flm_bytes_of("default"));
        flm_text_putc(&url, ':');
    }
    bool good = options.password_file.size == 0 || read_password(options.password_file, &url, why);
    flm_text_format(&url, "%s%s/", user.size > 0 || options.password_file.size > 0 ? "@" : "",
                    location->host);
    flm_text_putc(&url, 0);
    if (good && url.failed)
        good = flm_error_memory(why);
    if (good && url.size > sizeof location->url)
        good = flm_error_set(why, FLM_ERROR_USAGE,
                             "the user and password of a ClickHouse store are too long");
    if (good)
        memcpy(location->url, url.at, url.size);
    flm_text_clear(&url);
    return good;
}
