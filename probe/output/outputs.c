/* outputs.c - what is written at the end, and on demand: the report as text, JSON, Markdown and
 * CSV, and the profile. Made of the file that is mapped, by the same code that makes it for the
 * command.
 *
 * Unlike the rest of the library it allocates with malloc and takes long: it is called at the end
 * of the program, or by it, never from a scope. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "file_copy.h"
#include "flamel/profile.h"
#include "flamel/report.h"
#include "format/probe/probe_profile.h"
#include "internal.h"
#include "names.h"

/* ---- Where to -------------------------------------------------------------------------------- */

static bool write_all(void *context, const void *bytes, size_t size)
{
    const int *file = context;
    for (const char *at = bytes; size > 0;) {
        ssize_t written = write(*file, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool is_standard_error(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* In what follows "-" is standard error: standard output is the program's. */
static int open_output(const char *path)
{
    return is_standard_error(path) ? STDERR_FILENO
                                   : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static bool close_output(const char *path, int file)
{
    return is_standard_error(path) || close(file) == 0;
}

static struct flm_report_style style_of(int file)
{
    struct flm_report_style style = {.size = sizeof style};
    struct winsize window;
    const char *language = getenv("LC_ALL");
    if (!isatty(file))
        return style;
    style.width = ioctl(file, TIOCGWINSZ, &window) == 0 ? window.ws_col : 80;
    language = language && *language ? language : getenv("LC_CTYPE");
    language = language && *language ? language : getenv("LANG");
    if (language && (strstr(language, "UTF-8") || strstr(language, "utf8")))
        style.charset = FLM_REPORT_UTF8;
    style.colors = getenv("NO_COLOR") ? 0 : 16;
    return style;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Of frames of stacks: sites have theirs already. */
static enum flm_report_address name_address(void *context, size_t file, uint64_t address,
                                            char *name, size_t room)
{
    bool *has_read = context, is_code;
    (void)file;
    if (!flm_names_print((uintptr_t)address, has_read, name, room, &is_code))
        return FLM_ADDRESS_UNKNOWN;
    return is_code ? FLM_ADDRESS_FUNCTION : FLM_ADDRESS_VARIABLE;
}

/* ---- What ------------------------------------------------------------------------------------ */

static bool write_report(struct flm_bytes bytes, int file, enum flm_report_form form,
                         struct flm_error *why)
{
    bool has_read = false;
    struct flm_report_options options = {
        .size = sizeof options,
        .name_address = name_address,
        .name_context = &has_read,
        .rows = form == FLM_REPORT_JSON || form == FLM_REPORT_CSV ? 0 : flm_settings.rows,
        .percentiles = flm_settings.percentile,
        .percentile_count = flm_settings.percentile_count};
    struct flm_report_style style = style_of(file);
    struct flm_report *report = flm_report_probe(bytes.at, bytes.size, &options, why);
    bool good = report && flm_report_write(report, form, &style, write_all, &file, why);
    flm_report_free(report);
    return good;
}

static bool write_profile(struct flm_bytes bytes, int file, struct flm_error *why)
{
    struct flm_profile *profile = flm_probe_profile(bytes, why);
    bool good = profile && flm_profile_write(profile, write_all, &file);
    if (profile && !good)
        snprintf(why->text, sizeof why->text, "%s", strerror(errno));
    flm_profile_free(profile);
    return good;
}

static bool write_output(struct flm_bytes bytes, enum flm_output output, int file,
                         struct flm_error *why)
{
    static const enum flm_report_form forms[] = {
        [FLM_OUT_REPORT] = FLM_REPORT_TEXT,
        [FLM_OUT_JSON] = FLM_REPORT_JSON,
        [FLM_OUT_MARKDOWN] = FLM_REPORT_MARKDOWN,
        [FLM_OUT_CSV] = FLM_REPORT_CSV,
    };
    return output == FLM_OUT_FLM ? write_profile(bytes, file, why)
                                 : write_report(bytes, file, forms[output], why);
}

static bool write_to(const char *path, struct flm_bytes bytes, enum flm_output output,
                     struct flm_error *why)
{
    int file = open_output(path);
    bool good = file >= 0;
    if (good && !write_output(bytes, output, file, why)) {
        close_output(path, file);
        return false;
    }
    good = good && close_output(path, file);
    if (!good)
        snprintf(why->text, sizeof why->text, "%s", strerror(errno));
    return good;
}

bool flm_outputs_write(void)
{
    struct flm_text copy = {0};
    bool all_good = true, is_copied = false;
    for (int output = 0; output < FLM_OUTPUTS; output++) {
        const char *path = flm_settings.output[output];
        struct flm_error why = {0};
        if (!*path)
            continue;
        is_copied = is_copied || flm_file_copy(&copy);
        if (!is_copied)
            snprintf(why.text, sizeof why.text, "what was measured cannot be read");
        bool good = is_copied && write_to(path, (struct flm_bytes){copy.at, copy.size},
                                          (enum flm_output)output, &why);
        if (!good && !flm_settings.is_quiet)
            fprintf(stderr, "flamel-probe: %s: %s\n", is_standard_error(path) ? "the report" : path,
                    why.text);
        all_good &= good;
    }
    flm_text_clear(&copy);
    return all_good;
}

static void add_number(char *path)
{
    size_t size = strlen(path);
    snprintf(path + size, FLM_MOST_PATH - size, ".%ld", (long)getpid());
}

static bool is_for_all(int output)
{
    const char *path = flm_settings.output[output];
    return *path && !is_standard_error(path) && !flm_settings.has_number[output];
}

void flm_outputs_begin(const char *text)
{
    bool is_run = false, is_known = false;
    for (int output = 0; output < FLM_OUTPUTS; output++) {
        if (!is_for_all(output))
            continue;
        if (!is_known)
            is_run = flm_is_run_by_measured(text);
        is_known = true;
        if (is_run)
            add_number(flm_settings.output[output]);
    }
}

/* The parent reports on standard error for itself; in a file each process has its own. */
void flm_outputs_of_child(void)
{
    for (int output = 0; output < FLM_OUTPUTS; output++) {
        char *path = flm_settings.output[output];
        if (is_standard_error(path))
            *path = 0;
        else if (*path)
            add_number(path);
    }
}
