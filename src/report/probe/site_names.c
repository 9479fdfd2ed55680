/* site_names.c - names by addresses. */
#include "report/probe/site_names.h"

#include <stdlib.h>
#include <string.h>

#include "draw/text/cells.h"

/* "app+0x1234": where in its file the code is. */
static bool add_place(const struct flm_probe_decoded *d, uint64_t address, struct flm_text *name)
{
    struct flm_probe_mapping mapping;
    struct flm_bytes path;
    if (!flm_probe_find_mapping(d, address, &mapping, &path))
        return false;
    flm_text_add(name, flm_path_end(path));
    flm_text_format(name, "+0x%llx",
                    (unsigned long long)(address - mapping.start + mapping.offset));
    return true;
}

enum flm_report_address flm_probe_name_address(const struct flm_probe_decoded *d,
                                               const struct flm_report_options *options,
                                               size_t file, uint64_t address, struct flm_text *name)
{
    char found[1024];
    enum flm_report_address kind = FLM_ADDRESS_UNKNOWN;
    if (options->name_address)
        kind = options->name_address(options->name_context, file, address, found, sizeof found);
    if (kind != FLM_ADDRESS_UNKNOWN)
        flm_text_puts(name, found);
    else if (!add_place(d, address, name))
        flm_text_format(name, "0x%llx", (unsigned long long)address);
    return kind;
}

static bool is_nameless(const struct flm_probe_decoded *d, uint32_t site)
{
    const struct flm_probe_site *s = &d->sites[site];
    return s->address > 0 && (s->kind == FLM_PROBE_SCOPE || s->kind == FLM_PROBE_LOCK) &&
           flm_probe_site_name(d, site).size == 0;
}

bool flm_probe_name_sites(struct flm_probe_decoded *d, const struct flm_report_options *options,
                          size_t file, struct flm_error *why)
{
    struct flm_text text = {0};
    bool good = true;
    for (uint32_t i = 1; good && i <= d->site_count; i++) {
        static const char made[] = "made in ";
        if (!is_nameless(d, i))
            continue;
        text.size = 0;
        flm_text_puts(&text, made);
        enum flm_report_address kind =
            flm_probe_name_address(d, options, file, d->sites[i].address, &text);
        bool is_place = d->sites[i].kind == FLM_PROBE_LOCK && kind == FLM_ADDRESS_FUNCTION;
        size_t from = is_place ? 0 : sizeof made - 1;
        char *name = text.failed ? NULL : malloc(text.size - from);
        good = name && FLM_ARRAY_ADD(&d->names, name);
        if (!good) {
            free(name);
            break;
        }
        memcpy(name, text.at + from, text.size - from);
        d->texts[i].name = (struct flm_bytes){name, text.size - from};
    }
    flm_text_clear(&text);
    return good || flm_error_memory(why);
}
