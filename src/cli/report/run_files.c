#include "cli/report/run_files.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/messages.h"

static bool normalize(struct flm_profile **profile, bool keep_lines)
{
    struct flm_error why;
    struct flm_profile *normalized = flm_run_normalize(*profile, keep_lines, &why);
    if (!normalized) {
        flm_message_error(&why);
        return false;
    }
    flm_profile_free(*profile);
    *profile = normalized;
    return true;
}

bool flm_run_files_load(struct flm_run_files *files, const char *const *paths, uint32_t count,
                        const bool *is_new, bool normalized, const struct flm_load_fields *load)
{
    *files = (struct flm_run_files){.run = calloc(count, sizeof *files->run),
                                    .profile = calloc(count, sizeof *files->profile),
                                    .date = calloc(count, sizeof *files->date),
                                    .count = count};
    bool good = files->run && files->profile && files->date;
    if (!good)
        flm_message("out of memory");
    size_t unmatched = 0;
    struct flm_load_fields each = *load;
    each.unmatched = &unmatched;
    for (uint32_t i = 0; good && i < count; i++) {
        good = (files->profile[i] = flm_load_with(&each, paths[i])) != NULL &&
               (!normalized || normalize(&files->profile[i], load->lines));
        files->run[i] =
            (struct flm_gate_run){.profile = files->profile[i],
                                  .name = strcmp(paths[i], "-") == 0 ? "standard input" : paths[i],
                                  .is_new = is_new && is_new[i]};
    }
    good = good && flm_load_matched(load, unmatched, count);
    if (!good)
        flm_run_files_clear(files);
    return good;
}

void flm_run_files_clear(struct flm_run_files *files)
{
    for (uint32_t i = 0; files->profile && i < files->count; i++)
        flm_profile_free(files->profile[i]);
    free(files->profile);
    free(files->run);
    free(files->date);
    *files = (struct flm_run_files){0};
}
