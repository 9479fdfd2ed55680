/* gate_policy.c - a verdict by the thresholds of a file. */
#include "cli/gate/gate_policy.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/messages.h"
#include "cli/report/print.h"
#include "cli/report/run_files.h"
#include "os/file_bytes.h"

static bool read_form(const char *name, enum flm_report_form *form, struct flm_error *why)
{
    static const char *const names[] = {
        [FLM_REPORT_TEXT] = "text", [FLM_REPORT_MARKDOWN] = "markdown", [FLM_REPORT_JSON] = "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!name || strcmp(name, names[i]) == 0) {
            *form = (enum flm_report_form)i;
            return true;
        }
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "with --policy, --format is text, markdown or json, not '%s'", name);
}

static int judge(const struct flm_gate_policy *gate, struct flm_bytes text,
                 enum flm_report_form form, struct flm_error *why)
{
    struct flm_run_files files;
    enum flm_gate_verdict verdict = FLM_GATE_INCONCLUSIVE;
    if (!flm_run_files_load(&files, gate->files, gate->count, gate->is_new, false, gate->load))
        return FLM_EXIT_WRONG;
    struct flm_report *report =
        flm_policy_report(text.at, text.size, files.run, files.count, gate->rows, &verdict, why);
    bool good = report && flm_report_print(report, form, "-", why);
    flm_report_free(report);
    flm_run_files_clear(&files);
    if (!good)
        return flm_message_error(why);
    return verdict == FLM_GATE_FAIL ? FLM_EXIT_NO : FLM_EXIT_DONE;
}

int flm_gate_policy_run(const struct flm_gate_policy *gate)
{
    struct flm_error why;
    enum flm_report_form form = FLM_REPORT_TEXT;
    struct flm_text text = {0};
    if (!read_form(gate->format, &form, &why) || !flm_file_read(gate->path, &text, &why))
        return flm_message_error(&why);
    int status = judge(gate, (struct flm_bytes){text.at, text.size}, form, &why);
    flm_text_clear(&text);
    return status;
}
