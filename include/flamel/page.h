/* page.h - the viewer as a web page, for programs that have an HTTP server of their own. (A page
 * that is one file, and needs no server, is a format: flm_save with "html".)
 *
 *     struct flm_page_options options = {.size = sizeof options, .profile = p, .name = "app"};
 *     struct flm_served_page *page = flm_served_page_new(&options, &why);
 *     size_t count;
 *     const struct flm_page_file *files = flm_served_page_files(page, &count);
 *     for (size_t i = 0; i < count; i++)
 *         my_server_add("/profile/", files[i].path, files[i].type, files[i].bytes, files[i].size);
 *     my_server_header("Content-Security-Policy", flm_served_page_policy(page));
 *
 * The page fetches the viewer (WebAssembly, about 470 KB) and the profiles from its own folder, all
 * by relative addresses, so the folder may be anywhere on the server. It talks to nobody else,
 * unless its user gives it the address of a profile. Who may read the profiles is the server's
 * business: these files say what a program does.
 *
 * Threads: a page never changes once it is made; any number of threads may serve it. */
#ifndef FLAMEL_PAGE_H
#define FLAMEL_PAGE_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_page_options {
    size_t size; /* sizeof (struct flm_page_options) */

    /* The profile to show. It is borrowed until the page is freed: its own memory is served. Making
     * the page completes the file header in that memory, so no other thread may write the profile
     * to a file at that moment; reading it is fine. */
    struct flm_profile *profile;
    const char *name; /* "app.flm"; NULL: "profile" */

    /* The profile to compare it with, likewise. NULL: none. */
    struct flm_profile *before;
    const char *before_name; /* NULL: "before" */

    /* The path, below the page's folder, to which the page posts a file that needs this machine to
     * be read (perf.data): the server answers with a .flm file, or with a status of 400 or above
     * and a sentence. NULL: the page says what command reads it. */
    const char *reader;

    /* The path to which the page posts a request for source and machine code, which the server
     * answers (src/code/find/code_request.h). NULL: the page has neither. */
    const char *code;

    /* The path to which the page posts, every second, to be given the profile as it is by now: the
     * server answers with a .flm file, or, when there will be no other, with a status of 400 or
     * above and a sentence. NULL: the profile stays as it is. */
    const char *live;
};

/* One file of a page: what a GET of `path` below the page's folder returns. */
struct flm_page_file {
    const char *path; /* "" is the page itself; "flamel.wasm", "after.flm", "empty.html" */
    const char *type; /* its Content-Type: "application/wasm" */
    const void *bytes;
    size_t size; /* in bytes */
};

struct flm_served_page;

/* NULL, and `why`: FLM_ERROR_SYSTEM where this library was built without the viewer, which takes
 * clang; FLM_ERROR_USAGE without a profile; and if memory ran out. */
struct flm_served_page *flm_served_page_new(const struct flm_page_options *options,
                                            struct flm_error *why);

/* Accepts NULL. The profiles stay the caller's. */
void flm_served_page_free(struct flm_served_page *page);

/* All files, *count of them; good until the page is freed. */
const struct flm_page_file *flm_served_page_files(const struct flm_served_page *page,
                                                  size_t *count);

/* The value of the Content-Security-Policy header that all of them should be sent with. The page
 * states most of it itself; that other sites may not show it in a frame only a header can say. */
const char *flm_served_page_policy(const struct flm_served_page *page);

#ifdef __cplusplus
}
#endif

#endif
