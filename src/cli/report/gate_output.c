#include "cli/report/gate_output.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/report/print.h"
#include "flamel/file.h"
#include "os/output.h"

static const struct form {
    const char *name, *end;
    enum flm_report_form form;
    bool is_junit;
} forms[] = {{"text", ".txt", FLM_REPORT_TEXT, false},
             {"markdown", ".md", FLM_REPORT_MARKDOWN, false},
             {"json", ".json", FLM_REPORT_JSON, false},
             {"csv", ".csv", FLM_REPORT_CSV, false},
             {"junit", ".xml", FLM_REPORT_TEXT, true}};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const struct form *form_named(const char *name)
{
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

static const struct form *form_for_file(const char *path)
{
    for (size_t i = 0; i < FORMS; i++)
        if (flm_bytes_end_with(flm_bytes_of(path), forms[i].end))
            return &forms[i];
    return NULL;
}

/* ---- Whether it can be written --------------------------------------------------------------- */

static bool check_file(const char *path, struct flm_error *why)
{
    const struct form *form = form_for_file(path);
    struct flm_format_info format = {.size = sizeof format};
    struct flm_error reason;
    struct stat file;
    if (stat(path, &file) == 0 && S_ISDIR(file.st_mode))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "-o '%s': this is a folder: name a file in it, such as "
                             "%s/verdict.md",
                             path, path);
    if (form || flm_format_to_save(NULL, path, &format, &reason))
        return true;
    if (reason.kind != FLM_ERROR_USAGE)
        return flm_error_set(why, reason.kind, "-o '%s': %s", path, reason.text);
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "-o '%s': its extension is not that of a report or a profile: .txt, .md, "
                         ".json, .csv, .xml, .html, .svg, .png, .pdf or .flm",
                         path);
}

bool flm_gate_output_check(const struct flm_gate_output_fields *f, struct flm_error *why)
{
    if (f->format && !form_named(f->format))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--format is text, markdown, json, csv or junit, not '%s' (pictures "
                             "are written to files: -o report.html)",
                             f->format);
    for (size_t i = 0; i < f->files.count; i++)
        if (!check_file(f->files.items[i], why))
            return false;
    return true;
}

/* ---- Reports --------------------------------------------------------------------------------- */

/* The verdict, and its pictures. */
struct writing {
    const struct flm_gate_result *result;
    const struct flm_report *report;
    uint32_t count[2]; /* runs of base and new */

    /* Pictures, made for the first that is written. */
    struct flm_profile *side[2], *both; /* before, after */
    struct flm_text verdict, name[2];   /* terminated */
};

static bool write_junit(const struct flm_gate_result *result, const char *path,
                        struct flm_error *why)
{
    struct flm_output output;
    if (!flm_output_open(&output, path, why))
        return false;
    bool good = flm_gate_write_junit(result, flm_report_into_text, &output.text, why);
    return flm_output_close(&output, good, why) && good;
}

static bool write_report(const struct writing *w, const struct form *form, const char *path,
                         struct flm_error *why)
{
    return form->is_junit ? write_junit(w->result, path, why)
                          : flm_report_print(w->report, form->form, path, why);
}

/* ---- Pictures of both sides ------------------------------------------------------------------ */

static void clear(struct writing *w)
{
    for (int i = 0; i < 2; i++) {
        flm_profile_free(w->side[i]);
        flm_text_clear(&w->name[i]);
    }
    flm_profile_free(w->both);
    flm_text_clear(&w->verdict);
}

static bool add_names(struct writing *w, struct flm_error *why)
{
    static const char *const sides[] = {"base", "new"};
    struct flm_name verdict = flm_report_fact_string(w->report, "verdict");
    struct flm_name sentence = flm_report_fact_string(w->report, "sentence");
    flm_text_format(&w->verdict, "%.*s: %.*s", (int)verdict.size, verdict.at, (int)sentence.size,
                    sentence.at);
    flm_text_putc(&w->verdict, 0);
    for (int i = 0; i < 2; i++) {
        flm_text_format(&w->name[i], "%s (mean of %u runs)", sides[i], w->count[i]);
        flm_text_putc(&w->name[i], 0);
    }
    return (!w->verdict.failed && !w->name[0].failed && !w->name[1].failed) ||
           flm_error_memory(why);
}

static bool make_sides(struct writing *w, struct flm_error *why)
{
    bool good = add_names(w, why);
    for (int i = 0; good && i < 2; i++) {
        w->side[i] = flm_gate_side(w->result, i == 1, why);
        good = w->side[i] != NULL;
    }
    return good;
}

static bool save(struct writing *w, const char *path, struct flm_error *why)
{
    struct flm_svg_options picture = {.size = sizeof picture,
                                      .title = w->verdict.at,
                                      .subtitle = "before: base, after: new, means of all runs"};
    struct flm_save_options save = {.size = sizeof save, .picture = &picture};
    struct flm_format_info format = {.size = sizeof format};
    if (!flm_format_to_save(NULL, path, &format, why))
        return false;
    if (format.takes_baseline) {
        save.base = w->side[0];
        save.base_name = w->name[0].at;
        save.name = w->name[1].at;
        return flm_save(w->side[1], path, &save, why);
    }
    if (!w->both)
        w->both = flm_comparison_align(w->side[0], w->side[1], why);
    return w->both && flm_save(w->both, path, &save, why);
}

bool flm_gate_output_write(const struct flm_gate_output_fields *f,
                           const struct flm_gate_result *result, const struct flm_report *report,
                           uint32_t base_count, uint32_t new_count, struct flm_error *why)
{
    struct writing w = {.result = result, .report = report, .count = {base_count, new_count}};
    bool good = write_report(&w, f->format ? form_named(f->format) : &forms[0], "-", why);
    for (size_t i = 0; good && i < f->files.count; i++) {
        const char *path = f->files.items[i];
        const struct form *form = form_for_file(path);
        if (form)
            good = write_report(&w, form, path, why);
        else
            good = (w.side[1] || make_sides(&w, why)) && save(&w, path, why);
    }
    clear(&w);
    return good;
}
