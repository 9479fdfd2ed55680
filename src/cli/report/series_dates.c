#include "cli/report/series_report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "gate/runs/strata.h"

/* "2026-11-20T17:58:21Z", as `flamel record` notes it: such texts are in order when times are. */
static bool is_date(struct flm_bytes text)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    if (text.size != sizeof form - 1)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (form[i] == '0' ? text.at[i] < '0' || text.at[i] > '9' : text.at[i] != form[i])
            return false;
    return true;
}

static bool find_recorded(struct flm_dated *dated)
{
    struct flm_bytes note = flm_profile_note(dated->profile, "recorded");
    if (!is_date(note))
        return false;
    memcpy(dated->date, note.at, note.size);
    dated->date[note.size] = 0;
    return true;
}

static bool find_of_file(struct flm_dated *dated)
{
    struct stat file;
    struct tm parts;
    return stat(dated->path, &file) == 0 && gmtime_r(&file.st_mtime, &parts) &&
           strftime(dated->date, sizeof dated->date, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0;
}

bool flm_dated_find(struct flm_dated *dated, enum flm_series_order order)
{
    dated->date[0] = 0;
    return order == FLM_SERIES_RECORDED  ? find_recorded(dated)
           : order == FLM_SERIES_BY_FILE ? find_of_file(dated)
                                         : true;
}

static int compare(const void *one, const void *other)
{
    const struct flm_dated *a = one, *b = other;
    int order = strcmp(a->date, b->date);
    return order != 0 ? order : (a->given > b->given) - (a->given < b->given);
}

void flm_dated_sort(struct flm_dated *dated, uint32_t count)
{
    if (count > 0)
        qsort(dated, count, sizeof *dated, compare);
}
