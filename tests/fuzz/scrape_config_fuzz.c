/* Any bytes as a configuration of what is scraped: read or refused with a line, and what is read
 * keeps its limits. */
#include <stdlib.h>
#include <string.h>

#include "serve/scrape/scrape_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_scrape_config config = {0};
    struct flm_error why = {0};
    size_t targets = 0;
    bool good = flm_scrape_config_read(&config, (struct flm_bytes){(const char *)data, size}, &why);
    promise(good || why.text[0]);
    for (size_t i = 0; good && i < config.count; i++) {
        const struct flm_scrape_job *job = &config.at[i];
        targets += job->targets.count;
        promise(job->service[0] && job->targets.count > 0 && job->profiles.count > 0);
        promise(job->interval_ms >= 1000 && job->profiles.count <= FLM_SCRAPE_MOST_PROFILES);
        for (size_t k = 0; k < job->profiles.count; k++)
            promise(job->profiles.at[k].path[0] == '/');
        for (size_t k = 0; k < job->targets.count; k++)
            promise(strncmp(job->targets.at[k], "http", 4) == 0);
    }
    promise(targets <= FLM_SCRAPE_MOST_TARGETS);
    flm_scrape_config_clear(&config);
    return 0;
}
