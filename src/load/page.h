/* page.h - the viewer as a page, from inside: one file with everything in it, or the files that
 * `flamel view` serves (include/flamel/page.h).
 *
 * The page's policy allows what the page needs and nothing else: its own scripts and style (by
 * their hashes), compiling the module, reading files in a worker, fetching the profile whose
 * address its user gives. Profile, module and scripts are elements of the page, each under gzip,
 * which the browser inflates itself, in base 91 (format/html/html.h), which a module of 300 bytes
 * decodes (web/start.js); the profile is packed (format/flm/packed.h) first. Base64 is 8 % larger.
 * Letters of 15 bits in UTF-16 and LZMA were 8 % smaller, for 1,100 lines and a slower start. */
#ifndef FLAMEL_LOAD_PAGE_H
#define FLAMEL_LOAD_PAGE_H

#include "base/text/text.h"
#include "flamel/profile.h"

/* A page shows a profile, and the one that it is compared with. */
enum flm_page_slot { FLM_PAGE_AFTER, FLM_PAGE_BEFORE, FLM_PAGE_SLOTS };

struct flm_page_content {
    const char *name[FLM_PAGE_SLOTS];                  /* of files, as they are shown */
    const struct flm_profile *profile[FLM_PAGE_SLOTS]; /* NULL: none */

    /* Served: the page has no bytes in it, but fetches them from where it came from. */
    const char *module_from;
    const char *from[FLM_PAGE_SLOTS];
    const char *reader;    /* takes files that the module cannot read; NULL: none */
    const char *code_from; /* answers requests for source and machine code; NULL: none */
    const char *live_from; /* what the profile is by now; NULL: it stays as it is */
    bool offers_empty;     /* FLM_PAGE_EMPTY is there: the page can be saved with what it shows */
    bool is_of_store;      /* it asks for its profiles itself (web/serve) */
    struct flm_bytes code; /* of a page of one file: those, as a store (code/code_store.h) */
};

/* The path, below that of a served page, of a page of one file without a profile. */
#define FLM_PAGE_EMPTY "empty.html"
bool flm_page_write_empty(struct flm_text *out, struct flm_error *why);

/* False, and `why`, also when flamel was built without the viewer. Whether `out` failed is for its
 * owner to check. */
bool flm_page_write(const struct flm_page_content *page, struct flm_text *out,
                    struct flm_error *why);

/* The Content-Security-Policy that the page states; the server sends it as a header too. */
enum flm_page_use {
    FLM_PAGE_OF_ONE_FILE,
    FLM_PAGE_SERVED,
    FLM_PAGE_SERVED_LIVE,
    FLM_PAGE_OF_STORE /* asks nobody but its server */
};
void flm_page_policy_add(enum flm_page_use use, struct flm_text *out);

/* False, and `why`, when flamel was built without the viewer. */
bool flm_page_is_built(struct flm_error *why);

/* The profile in a page of one file. NULL, and `why`, where there is none, or it is damaged. */
struct flm_profile *flm_page_open(struct flm_bytes page, struct flm_error *why);

#endif
