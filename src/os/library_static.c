/* The libraries that a static program has inside: one file that runs everywhere loads no other. */
#include "os/library.h"

#ifdef FLAMEL_STATIC
#include <assert.h>
#include <lzma.h>
#include <microhttpd.h>
#include <string.h>

typedef void (*function)(void);

static const char http[] = "libmicrohttpd.so.12", xz[] = "liblzma.so.5";

static const struct linked {
    const char *file, *name;
    function address;
} linked[] = {
    {http, "MHD_start_daemon", (function)MHD_start_daemon},
    {http, "MHD_stop_daemon", (function)MHD_stop_daemon},
    {http, "MHD_lookup_connection_value", (function)MHD_lookup_connection_value},
    {http, "MHD_get_connection_info", (function)MHD_get_connection_info},
    {http, "MHD_create_response_from_buffer", (function)MHD_create_response_from_buffer},
    {http, "MHD_add_response_header", (function)MHD_add_response_header},
    {http, "MHD_queue_response", (function)MHD_queue_response},
    {http, "MHD_destroy_response", (function)MHD_destroy_response},
    {xz, "lzma_stream_buffer_decode", (function)lzma_stream_buffer_decode},
};

static const struct linked *find(const char *file, const char *name)
{
    for (size_t i = 0; i < sizeof linked / sizeof *linked; i++)
        if (strcmp(linked[i].file, file) == 0 && strcmp(linked[i].name, name) == 0)
            return &linked[i];
    return NULL;
}

bool flm_library_loaded_function(const char *file, const char *name, void *pointer)
{
    assert(file && name && pointer);
    const struct linked *found = find(file, name);
    if (found)
        memcpy(pointer, &found->address, sizeof found->address);
    return found != NULL;
}

bool flm_library_open(const char *const *files, const char *const *functions, void *pointers,
                      struct flm_error *why)
{
    assert(files && files[0] && functions && pointers);
    for (size_t i = 0; functions[i]; i++)
        if (!flm_library_loaded_function(files[0], functions[i],
                                         (char *)pointers + i * sizeof(function)))
            return flm_error_set(why, FLM_ERROR_SYSTEM,
                                 "this flamel is one static file, without %s of %s", functions[i],
                                 files[0]);
    return true;
}
#endif
