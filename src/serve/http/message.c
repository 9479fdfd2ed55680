#include "serve/http/message.h"

#include <stdlib.h>
#include <strings.h>

bool flm_http_field_add(struct flm_http_fields *fields, struct flm_bytes name,
                        struct flm_bytes value)
{
    char *text = malloc(name.size + value.size + 2);
    if (!text)
        return false;
    /* Nothing may be copied from NULL, not even 0 bytes. */
    if (name.size > 0)
        memcpy(text, name.at, name.size);
    text[name.size] = 0;
    if (value.size > 0)
        memcpy(text + name.size + 1, value.at, value.size);
    text[name.size + 1 + value.size] = 0;
    if (FLM_ARRAY_ADD(fields, (struct flm_http_field){text, text + name.size + 1}))
        /* cppcheck-suppress memleak ; the array has it */
        return true;
    free(text);
    return false;
}

void flm_http_fields_clear(struct flm_http_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++)
        free(fields->at[i].name);
    FLM_ARRAY_CLEAR(fields);
}

bool flm_http_fields_have(const struct flm_http_fields *fields, struct flm_bytes name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (flm_bytes_are(name, fields->at[i].name))
            return true;
    return false;
}

void flm_http_request_clear(struct flm_http_request *request)
{
    flm_http_fields_clear(&request->query);
    flm_http_fields_clear(&request->headers);
    free(request->method);
    free(request->path);
    *request = (struct flm_http_request){0};
}

const char *flm_http_parameter(const struct flm_http_request *request, const char *name)
{
    for (size_t i = 0; i < request->query.count; i++)
        if (strcmp(request->query.at[i].name, name) == 0)
            return request->query.at[i].value;
    return NULL;
}

const char *flm_http_header(const struct flm_http_request *request, const char *name)
{
    for (size_t i = 0; i < request->headers.count; i++)
        if (strcasecmp(request->headers.at[i].name, name) == 0)
            return request->headers.at[i].value;
    return NULL;
}

bool flm_http_has_type(const struct flm_http_request *request, const char *type)
{
    const char *value = flm_http_header(request, "Content-Type");
    size_t size = strlen(type);
    return value && strncasecmp(value, type, size) == 0 &&
           (value[size] == 0 || value[size] == ';' || value[size] == ' ');
}

void flm_http_say(struct flm_http_response *response, unsigned status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    response->status = status;
    response->type = NULL;
    response->body.size = 0;
    flm_text_vformat(&response->body, format, arguments);
    flm_text_putc(&response->body, '\n');
    va_end(arguments);
}
