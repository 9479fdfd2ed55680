#include "cli/report/gate_output.h"

#include <string.h>

#include "algebra/compare/comparable.h"
#include "cli/report/print.h"
#include "flamel/file.h"
#include "gate/verdict/significant.h"
#include "os/output.h"

static const struct form {
    const char *name, *end;
    enum flm_report_form form;
    bool is_junit;
} forms[] = {{"text", ".txt", FLM_REPORT_TEXT, false},
             {"markdown", ".md", FLM_REPORT_MARKDOWN, false},
             {"json", ".json", FLM_REPORT_JSON, false},
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
    struct flm_format_info format = {.size = sizeof format};
    struct flm_error reason;
    if (form_for_file(path) || flm_format_to_save(NULL, path, &format, &reason))
        return true;
    if (reason.kind != FLM_ERROR_USAGE)
        return flm_error_set(why, reason.kind, "-o '%s': %s", path, reason.text);
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "-o '%s': its extension is not that of a report or a profile: .txt, .md, "
                         ".json, .xml, .html, .svg, .png, .pdf or .flm",
                         path);
}

bool flm_gate_output_check(const struct flm_gate_output_fields *f, struct flm_error *why)
{
    if (f->format && !form_named(f->format))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--format is text, markdown, json or junit, not '%s' (pictures are "
                             "written to files: -o report.html)",
                             f->format);
    for (size_t i = 0; i < f->files.count; i++)
        if (!check_file(f->files.items[i], why))
            return false;
    return true;
}

/* ---- Reports --------------------------------------------------------------------------------- */

static bool write_junit(const struct flm_gate_report *gate, const char *path, struct flm_error *why)
{
    struct flm_output output;
    if (!flm_output_open(&output, path, why))
        return false;
    flm_gate_junit(gate, &output.text);
    return flm_output_close(&output, true, why);
}

static bool write_report(const struct flm_gate_report *gate, const struct form *form,
                         const char *path, struct flm_error *why)
{
    if (form->is_junit)
        return write_junit(gate, path, why);
    struct flm_report *report = flm_gate_report_make(gate, why);
    bool good = report && flm_report_print(report, form->form, path, why);
    flm_report_free(report);
    return good;
}

/* ---- Both sides ------------------------------------------------------------------------------ */

struct shown {
    struct flm_profile *side[2], *both; /* before, after */
    struct flm_text verdict, name[2];   /* terminated */
};

static void clear(struct shown *shown)
{
    for (int i = 0; i < 2; i++) {
        flm_profile_free(shown->side[i]);
        flm_text_clear(&shown->name[i]);
    }
    flm_profile_free(shown->both);
    flm_text_clear(&shown->verdict);
}

static void add_name(struct flm_text *out, const char *side, uint32_t count)
{
    flm_text_format(out, "%s (mean of %u runs)", side, count);
    flm_text_putc(out, 0);
}

static bool make(struct shown *shown, const struct flm_gate_report *r, struct flm_error *why)
{
    struct flm_significant significant;
    flm_text_format(&shown->verdict, "%s: ", flm_verdict_name(r->gate->verdict));
    flm_gate_add_verdict(&shown->verdict, r);
    struct flm_bytes verdict = {shown->verdict.at, shown->verdict.size};
    flm_text_putc(&shown->verdict, 0);
    add_name(&shown->name[0], "base", r->runs->base_count);
    add_name(&shown->name[1], "new", r->runs->new_count);
    if (shown->verdict.failed || shown->name[0].failed || shown->name[1].failed)
        return flm_error_memory(why);
    verdict.at = shown->verdict.at;
    if (!flm_significant_init(&significant, r->runs, r->gate, why))
        return false;
    bool good = true;
    for (int i = 0; good && i < 2; i++) {
        shown->side[i] = flm_significant_side(&significant, r->runs, i == 1, verdict, why);
        good = shown->side[i] != NULL;
    }
    flm_significant_clear(&significant);
    return good;
}

static bool save(struct shown *shown, const char *path, struct flm_error *why)
{
    struct flm_svg_options picture = {.size = sizeof picture,
                                      .title = shown->verdict.at,
                                      .subtitle = "before: base, after: new, means of all runs"};
    struct flm_save_options save = {.size = sizeof save, .picture = &picture};
    struct flm_format_info format = {.size = sizeof format};
    if (!flm_format_to_save(NULL, path, &format, why))
        return false;
    if (format.takes_baseline) {
        save.base = shown->side[0];
        save.base_name = shown->name[0].at;
        save.name = shown->name[1].at;
        return flm_save(shown->side[1], path, &save, why);
    }
    if (!shown->both)
        shown->both = flm_comparison_align(shown->side[0], shown->side[1], why);
    return shown->both && flm_save(shown->both, path, &save, why);
}

bool flm_gate_output_write(const struct flm_gate_output_fields *f, const struct flm_gate_report *r,
                           struct flm_error *why)
{
    struct shown shown = {{NULL, NULL}, NULL, {0}, {{0}, {0}}};
    bool good = write_report(r, f->format ? form_named(f->format) : &forms[0], "-", why);
    for (size_t i = 0; good && i < f->files.count; i++) {
        const char *path = f->files.items[i];
        const struct form *form = form_for_file(path);
        if (form)
            good = write_report(r, form, path, why);
        else
            good = (shown.side[1] || make(&shown, r, why)) && save(&shown, path, why);
    }
    clear(&shown);
    return good;
}
