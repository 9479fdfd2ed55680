#include "cli/report/delayed_samples.h"

#include "base/core/bytes.h"
#include "cli/report/print.h"
#include "flamel/aggregate.h"

static const double LEAST_SHARE = 0.05;

/* Of the kernel: they let interrupts in again. */
static const char *const endings[] = {"finish_task_switch", "_raw_spin_unlock_irqrestore",
                                      "_raw_spin_unlock_irq", "irqentry_exit_to_user_mode",
                                      "exit_to_user_mode_loop"};
enum { ENDINGS = sizeof endings / sizeof *endings };

bool flm_add_delayed_samples(const struct flm_profile *profile, struct flm_text *out)
{
    double self[ENDINGS] = {0}, all = 0;
    int named = 0;
    struct flm_functions *functions = flm_functions_new(profile, (struct flm_metric){0}, NULL);
    if (!functions)
        return false;
    double whole = flm_functions_at(functions, 0)->total;
    for (uint32_t i = 1; i < flm_functions_count(functions); i++) {
        const struct flm_function *f = flm_functions_at(functions, i);
        struct flm_frame frame = {f->first_frame};
        struct flm_name name = flm_profile_string(profile, (struct flm_string){f->name});
        if (f->self <= 0 || flm_profile_frame(profile, frame)->kind != FLM_KIND_KERNEL)
            continue;
        for (int k = 0; k < ENDINGS; k++)
            if (flm_bytes_are((struct flm_bytes){name.at, name.size}, endings[k])) {
                self[k] += f->self;
                all += f->self;
            }
    }
    flm_functions_free(functions);
    if (!(all > LEAST_SHARE * whole))
        return false;
    flm_add_percent(out, all, whole);
    flm_text_puts(out, " at ");
    for (int k = 0; k < ENDINGS; k++)
        if (self[k] > 0.01 * whole)
            flm_text_format(out, "%s%s", named++ ? ", " : "", endings[k]);
    flm_text_puts(out, named ? ": " : "the end of code without interrupts: ");
    flm_text_puts(
        out,
        "the timer of cpu-clock waits while the kernel has interrupts off; it is the time of the "
        "code before, in a switch of threads or under a lock");
    return true;
}
