/* code_found.c - source and machine code for the viewer in the terminal: found on this machine. */
#include "cli/tui/code_found.h"

#include "code/find/code_finder.h"
#include "viewer/query/query.h"

/* A finder for each side of a comparison. */
static struct flm_code_finder *finder_of(struct flm_tui_code_found *code, bool is_before,
                                         struct flm_error *why)
{
    static const struct flm_code_finder_options options;
    if (!code->profile[is_before])
        is_before = false;
    if (!code->finder[is_before] && code->profile[is_before])
        code->finder[is_before] = flm_code_finder_new(code->profile[is_before], &options, why);
    return code->finder[is_before];
}

static bool find_all(struct flm_code_finder *finder, const struct flm_response_code_wanted *wanted,
                     struct flm_code_store *store, struct flm_error *why)
{
    if (wanted->assembly &&
        !flm_code_finder_function(finder, wanted->function, wanted->module, store, why))
        return false;
    for (size_t i = 0; i < wanted->files.count; i++)
        if (!flm_code_store_file(store, wanted->files.at[i]) &&
            !flm_code_finder_file(finder, wanted->files.at[i], store, why))
            return false;
    return true;
}

bool flm_tui_code_find(void *context, const struct flm_response_code_wanted *wanted,
                       struct flm_text *bytes, struct flm_error *why)
{
    bool is_before = flm_bytes_are(wanted->side, "before");
    struct flm_code_finder *finder = finder_of(context, is_before, why);
    struct flm_code_store *store = finder ? flm_code_store_new(why) : NULL;
    bool good =
        store && find_all(finder, wanted, store, why) && flm_code_store_write(store, bytes, why);
    flm_code_store_free(store);
    return good;
}

void flm_tui_code_found_clear(struct flm_tui_code_found *code)
{
    for (int side = 0; side < 2; side++)
        flm_code_finder_free(code->finder[side]);
}
